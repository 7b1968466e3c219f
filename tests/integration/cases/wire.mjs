// JSON-RPC on the wire: what is wrong with a line is said, and the agent goes on.
import assert from 'node:assert/strict';
import { test } from '../lib/registry.mjs';

const raw = (agent, id, fields) => agent.askRaw(id, JSON.stringify({ jsonrpc: '2.0', id, ...fields }));

async function started(t) {
  const world = await t.world({});
  const agent = world.start();
  await agent.initialize();
  return { world, agent };
}
const works = async (agent) => assert.equal((await raw(agent, 'still there', { method: 'no/such/method' })).error.code, -32601);

test('an unknown method is an error of its own', async (t) => {
  const { agent } = await started(t);
  const { error } = await raw(agent, 'u1', { method: 'no/such/method', params: {} });
  assert.equal(error.code, -32601);
  await works(agent);
});

test('an unknown notification is ignored', async (t) => {
  const { agent } = await started(t);
  await agent.tell('no/such/notification', { a: 1 });
  await works(agent);
});

for (const [what, method, params] of [
  ['no params', 'session/prompt', undefined], ['no session', 'session/prompt', { prompt: [] }], ['a number as the prompt', 'session/prompt', { sessionId: 'x', prompt: 7 }],
  ['an unknown block', 'session/prompt', { sessionId: 'x', prompt: [{ type: 'smell', data: '' }] }], ['no cwd', 'session/new', { mcpServers: [] }],
  ['servers that are none', 'session/new', { cwd: '/', mcpServers: [{ name: 1 }] }], ['a list', 'session/load', [1, 2]],
]) {
  test(`wrong params are refused: ${method} with ${what}`, async (t) => {
    const { agent } = await started(t);
    const { error } = await raw(agent, 'w1', { method, params });
    assert.equal(error.code, -32602);
    await works(agent);
  });
}

test('a session that nobody opened is refused', async (t) => {
  const { agent } = await started(t);
  const error = await agent.failure(agent.prompt('go', 'ffffffff-ffff-4fff-bfff-ffffffffffff'));
  assert.equal(error.code, -32603);
  assert.match(JSON.stringify(error), /Session not found/);
});

test('a line that is not JSON gets a parse error', async (t) => {
  const { agent } = await started(t);
  for (const line of ['garbage', '{"jsonrpc":', '{"a":1}}', '\u0000\u0001\ufffd']) {
    const { error } = await agent.askRaw(null, line);
    assert.equal(error.code, -32700, line);
  }
  await works(agent);
});

test('a line that is JSON but no message gets an invalid request', async (t) => {
  const { agent } = await started(t);
  for (const line of ['1', 'true', '"text"', '{}', '{"jsonrpc":"1.0","id":1,"method":"x"}', '{"jsonrpc":"2.0","id":1,"method":5}', '[]']) {
    const { error } = await agent.askRaw(null, line);
    assert.equal(error.code, -32600, line);
  }
  await works(agent);
});

test('empty lines and line ends of Windows are fine', async (t) => {
  const { agent } = await started(t);
  agent.write('\r\n\n   \r');
  const { error } = await agent.askRaw('crlf', '{"jsonrpc":"2.0","id":"crlf","method":"no/such/method"}\r');
  assert.equal(error.code, -32601);
  await works(agent);
});

test('bytes that are not UTF-8 do no harm', async (t) => {
  const { agent } = await started(t);
  agent.child.stdin.write(Buffer.concat([Buffer.from('{"jsonrpc":"2.0","method":"no/such'), Buffer.from([0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80]), Buffer.from('"}\n')]));
  await works(agent);
});

test('an id comes back as it was sent', async (t) => {
  const { agent } = await started(t);
  for (const id of ['text', '', 'ü\u0000"', 0, -5, 9007199254740991]) {
    const { error } = await raw(agent, id, { method: 'no/such/method' });
    assert.equal(error.code, -32601);
  }
});

test('a message in many small pieces is one message', async (t) => {
  const { agent } = await started(t);
  const line = '{"jsonrpc":"2.0","id":"pieces","method":"no/such/method","params":{"text":"ünï😀"}}\n';
  const answer = agent.askRaw('pieces', '');
  for (const byte of Buffer.from(line)) { agent.child.stdin.write(Buffer.from([byte])); await new Promise(setImmediate); }
  assert.equal((await answer).error.code, -32601);
});

test('many messages in one piece are each answered, in their order', async (t) => {
  const { agent } = await started(t);
  const ids = Array.from({ length: 500 }, (_, i) => `many-${i}`);
  const answers = ids.map((id) => agent.askRaw(id, JSON.stringify({ jsonrpc: '2.0', id, method: 'no/such/method' })));
  await Promise.all(answers);
  const seen = agent.messages.filter((m) => m.kind === 'response' && String(m.id).startsWith('many-')).map((m) => m.id);
  assert.deepEqual(seen, ids);
});

test('a very long prompt reaches the model whole', { slow: true }, async (t) => {
  const world = await t.world({ model: { main: [[{ type: 'text', text: 'Long.' }]] } });
  const agent = await world.session();
  const text = `begin ${'0123456789'.repeat(100000)} end`; // 1 MB
  assert.equal((await agent.prompt(text)).stopReason, 'end_turn');
  assert.ok(JSON.stringify(world.model.turns().at(0).messages).includes(text));
});

test('a very deep message does no harm', async (t) => {
  const { agent } = await started(t);
  agent.write(`{"jsonrpc":"2.0","id":"deep","method":"no/such/method","params":${'['.repeat(100000)}${']'.repeat(100000)}}`);
  await agent.until(() => agent.messages.some((m) => m.kind === 'response' && m.error && (m.id === 'deep' || m.id === null)), 'an answer');
  agent.problems = [];
  await works(agent);
});

test('real pipes for stdin and stdout', async (t) => {
  const world = await t.world({ model: { main: [[{ type: 'text', text: 'Piped.' }]] } });
  const agent = await world.session({ wrap: (command) => ['bash', '-c', 'cat | "$@" | cat; exit ${PIPESTATUS[1]}', 'bash', ...command] });
  await agent.prompt('go');
  assert.equal(agent.text(), 'Piped.');
});
