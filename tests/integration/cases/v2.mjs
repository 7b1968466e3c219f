// ACP v2: which version is spoken, and the life of a turn as its states tell it.
import assert from 'node:assert/strict';
import { test } from '../lib/registry.mjs';
import { clients } from '../lib/clients.mjs';

const says = (text) => [{ type: 'text', text }];
const asks = { settings: { permissions: { defaultMode: 'default' } } };
const bash = (id, command) => ({ type: 'tool_use', id, name: 'Bash', input: { command, description: 'Do it' } });

// What a trace is about, in short: the kinds of updates and the answers, in their order.
const story = (agent, from = 0) => agent.messages.slice(from).map((m) => {
  const update = m.method === 'session/update' ? m.params.update : null;
  if (update?.sessionUpdate === 'state_update') return update.state;
  return update ? update.sessionUpdate : m.kind === 'response' ? 'answer' : m.method;
}).filter((what) => !/^(_auth|available_commands|session_info|usage)/.test(what));
const without = (list, ...kinds) => list.filter((what) => !kinds.includes(what));
const repeated = (list) => list.filter((what, i) => what !== list[i - 1]);

test('v2: a prompt is answered when it is taken in, and its turn runs until it is idle', async (t) => {
  const world = await t.world({ model: { main: [[{ type: 'thinking', thinking: 'Hm.' }, ...says('Hello.')]] } });
  const agent = await world.session({ client: 'v2' });
  const from = agent.messages.length;
  const prompt = [{ type: 'text', text: 'go', annotations: { audience: ['user', 'nobody'] } }];
  const { messageId } = await agent.ask('session/prompt', { sessionId: agent.session, prompt });
  const idle = await agent.idle();
  assert.deepEqual(repeated(story(agent, from)), ['user_message', 'answer', 'running', 'agent_thought_chunk', 'agent_message_chunk', 'idle']);
  assert.deepEqual(agent.updates().find((u) => u.sessionUpdate === 'user_message'), { sessionUpdate: 'user_message', messageId, content: prompt });
  assert.equal(idle.stopReason, 'end_turn');
  assert.equal(idle.usage.totalTokens, idle.usage.inputTokens + idle.usage.outputTokens + idle.usage.cachedReadTokens + idle.usage.cachedWriteTokens);
  assert.equal(agent.text(), 'Hello.');
});

test('v2: a question is asked between two states, and a command has a terminal', async (t) => {
  const world = await t.world({ ...asks, model: { main: [[bash('toolu_1', 'printf "a\\377"; mkdir made')], says('Done.')] } });
  const agent = await world.session({ client: 'v2' });
  const from = agent.messages.length;
  assert.equal((await agent.turn('go')).stopReason, 'end_turn');
  assert.deepEqual(without(story(agent, from), 'terminal_update', 'tool_call_update'), ['user_message', 'answer', 'running', 'requires_action', 'session/request_permission', 'running', 'agent_message_chunk', 'idle']);
  const [question] = agent.asked;
  assert.equal(question.title, 'printf "a\\377"; mkdir made');
  assert.equal(question.subject.toolCall.name, 'Bash');
  assert.deepEqual(question.subject.toolCall.content, [{ type: 'terminal', terminalId: 'toolu_1' }]);
  const terminal = agent.updates().filter((u) => u.sessionUpdate === 'terminal_update');
  assert.equal(terminal.find((u) => u.command).command, 'printf "a\\377"; mkdir made');
  assert.match(Buffer.from(terminal.find((u) => u.output).output.data, 'base64').toString(), /^a/);
  assert.deepEqual(terminal.at(-1).exitStatus, { exitCode: 0 });
  assert.equal(agent.call('toolu_1').status, 'completed');
});

test('v2: an edit is shown before it is asked about and before it runs', async (t) => {
  const edit = { type: 'tool_use', id: 'toolu_1', name: 'Edit', input: { file_path: '$WS/a.txt', old_string: 'two', new_string: 'TWO' } };
  const read = { type: 'tool_use', id: 'toolu_0', name: 'Read', input: { file_path: '$WS/a.txt' } };
  const world = await t.world({ ...asks, files: { 'a.txt': 'one\ntwo\n' }, model: { main: [[read], [edit], says('Done.')] } });
  const seen = [];
  const agent = await world.session({ client: 'v2', permissions: () => { seen.push(agent.call('toolu_1').content, world.read('a.txt')); return 'allow_once'; } });
  await agent.turn('go');
  const path = world.path('a.txt');
  const shown = [{ type: 'diff', changes: [{ operation: 'modify', path, fileType: 'text' }], patch: { format: 'git_patch', text: `diff --git ${path} ${path}\n--- ${path}\n+++ ${path}\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n` } }];
  assert.deepEqual(seen, [shown, 'one\ntwo\n']);
  assert.deepEqual(agent.asked[0].subject.toolCall.content, shown);
  assert.equal(agent.asked[0].title, 'Edit a.txt');
  assert.equal(world.read('a.txt'), 'one\nTWO\n');
  assert.deepEqual(agent.call('toolu_1').locations, [{ path, line: 1 }]);
});

test('v2: a cancel ends the call, the question and the turn, and a prompt that waits is refused', async (t) => {
  const world = await t.world({ ...asks, model: { main: [[bash('toolu_1', 'mkdir made')], says('Next.')] } });
  const agent = await world.session({ client: 'v2', permissions: () => new Promise(() => {}) });
  await agent.prompt('one');
  await agent.until(() => agent.asked.length, 'the question');
  const waiting = agent.failure(agent.prompt('two'));
  const from = agent.messages.length;
  agent.cancel();
  assert.equal((await agent.idle(agent.session, from)).stopReason, 'cancelled');
  assert.equal((await waiting).code, -32800);
  assert.equal(agent.call('toolu_1').status, 'cancelled');
  assert.deepEqual(without(story(agent, from), 'terminal_update').slice(0, 3).sort(), ['$/cancel_request', 'answer', 'running']);
  assert.equal(agent.updates().filter((u) => u.sessionUpdate === 'user_message').length, 1);
  assert.equal((await agent.turn('three')).stopReason, 'end_turn');
});

test('v2: prompts that wait are taken in one after another', async (t) => {
  const world = await t.world({ model: { main: [says('One.'), says('Two.')] } });
  const agent = await world.session({ client: 'v2' });
  const from = agent.messages.length;
  await Promise.all([agent.prompt('one'), agent.prompt('two')]);
  await agent.until(() => agent.updates().filter((u) => u.state === 'idle').length === 2, 'both ends');
  const turn = ['user_message', 'answer', 'running', 'agent_message_chunk', 'idle'];
  assert.deepEqual(repeated(story(agent, from)), [...turn, ...turn]);
});

test('v2: the history is sent again over what the client holds', async (t) => {
  const world = await t.world({ settings: { permissions: { defaultMode: 'bypassPermissions' } }, model: { main: [[...says('First.'), bash('toolu_1', 'echo hi')], says('Done.'), says('Again.')] } });
  const agent = await world.session({ client: 'v2' });
  await agent.turn('go');
  const live = agent.updates().filter((u) => u.messageId).map((u) => u.messageId);
  await agent.ask('session/close', { sessionId: agent.session });
  const from = agent.messages.length;
  const answer = await agent.ask('session/resume', { sessionId: agent.session, cwd: world.workspace, replayFrom: { type: 'start' } });
  assert.equal(answer.sessionId, undefined);
  assert.ok(answer.configOptions.length && agent.messages.at(-1).result.availableCommands.length);
  const sent = agent.messages.slice(from).map((m) => m.params?.update).filter(Boolean);
  assert.deepEqual(story(agent, from), ['user_message', 'user_message_chunk', 'agent_message', 'agent_message_chunk', 'terminal_update', 'tool_call_update', 'terminal_update', 'terminal_update', 'tool_call_update', 'agent_message', 'agent_message_chunk', 'answer']);
  for (const u of sent.filter(({ sessionUpdate }) => /^(user|agent)_message$/.test(sessionUpdate))) assert.deepEqual(u.content, []);
  assert.deepEqual([...new Set(sent.filter((u) => u.messageId).map((u) => u.messageId))], [...new Set(live)]);
  assert.equal((await agent.turn('more')).stopReason, 'end_turn');
  const silent = agent.messages.length;
  await agent.ask('session/resume', { sessionId: agent.session, cwd: world.workspace });
  assert.deepEqual(story(agent, silent), ['answer']);
});

test('v2: a session that is closed while it works becomes idle before the answer', async (t) => {
  const world = await t.world({ ...asks, model: { main: [[bash('toolu_1', 'mkdir made')]] } });
  const agent = await world.session({ client: 'v2', permissions: () => new Promise(() => {}) });
  await agent.prompt('go');
  await agent.until(() => agent.asked.length, 'the question');
  const from = agent.messages.length;
  await agent.ask('session/close', { sessionId: agent.session });
  assert.deepEqual(story(agent, from).slice(-2), ['idle', 'answer']);
  assert.equal(agent.updates().at(-1).stopReason, 'cancelled');
});

test('v2: a claude that dies makes the session idle with an error', async (t) => {
  const world = await t.world({ settings: { permissions: { defaultMode: 'bypassPermissions' } }, model: { main: [[bash('toolu_1', 'kill -9 $PPID')]] } });
  const agent = await world.session({ client: 'v2' });
  await agent.prompt('go');
  const idle = await agent.idle();
  assert.equal(idle.stopReason, 'error');
  assert.equal(idle.error.code, -32603);
  assert.equal(agent.call('toolu_1').status, 'failed');
});

test('v2: options change by id and type', async (t) => {
  const world = await t.world();
  const agent = await world.session({ client: 'v2' });
  const change = (params) => agent.ask('session/set_config_option', { sessionId: agent.session, ...params });
  const { configOptions } = await change({ configId: 'mode', type: 'id', value: 'plan' });
  assert.equal(configOptions.find((o) => o.configId === 'mode').currentValue, 'plan');
  assert.equal((await agent.failure(change({ configId: 'mode', value: 'plan' }))).code, -32602);
  assert.equal((await agent.failure(change({ configId: 'mode', type: 'odd', value: 'plan' }))).code, -32602);
  assert.deepEqual(await agent.failure(change({ configId: 'mode', type: 'boolean', value: true })), { code: -32603, message: 'Internal error', data: { details: 'Invalid value for config option mode: true' } });
  assert.deepEqual(await agent.failure(change({ configId: 'nosuch', type: 'id', value: 'x' })), { code: -32603, message: 'Internal error', data: { details: 'Unknown config option: nosuch' } });
  assert.ok(!agent.updates().some((u) => u.sessionUpdate === 'config_option_update'));
});

// ---- Which version is spoken

// What an agent answers to the lines, and how it ends.
async function answers(t, lines, env = {}) {
  const world = await t.world({});
  const agent = world.start({ env, client: 'v2' });
  agent.expected = { dropped: true, code: null, signal: null };
  for (const line of lines) agent.write(typeof line === 'string' ? line : JSON.stringify(line));
  const ended = await Promise.race([agent.gone, agent.until(() => agent.messages.length || agent.problems.length, 'an answer').then(() => null)]);
  if (ended === null) agent.child.stdin.end();
  const { code } = await agent.exit();
  agent.expected.code = code;
  agent.problems = agent.problems.filter((problem) => !/nobody asked for/.test(problem));
  return { code, got: agent.messages.filter((m) => m.method !== '_auth/status_update') };
}
const call = (id, method, params) => ({ jsonrpc: '2.0', id, method, params });
const initialize = (version, more) => call(1, 'initialize', { ...clients.v2, protocolVersion: version, ...more });

for (const [env, version, spoken] of [
  [undefined, 2, 2], ['', 9, 2], ['auto', 1, 1], ['auto', 65535, 2], ['v1', 2, 1], ['v1', 0, 1], ['v2', 2, 2],
]) {
  test(`v2: version ${version} is answered with ${spoken} (CLAUDE_AGENT_ACP_PROTOCOL ${env === undefined ? 'unset' : `"${env}"`})`, async (t) => {
    const { code, got } = await answers(t, [initialize(version)], { CLAUDE_AGENT_ACP_PROTOCOL: env });
    assert.equal(code, 0);
    assert.equal(got[0].result.protocolVersion, spoken);
    if (version > 1) assert.equal(got[0].result.authMethods.length, 2); // what a v2 client says of itself counts in v1, too
  });
}

const refused = {
  'version 0': [[initialize(0)], -32600], 'a version that is no number': [[initialize('2')], -32602], 'a negative version': [[initialize(-1)], -32602],
  'no version': [[call(1, 'initialize', {})], -32602], 'a v2 client without a name': [[initialize(2, { info: { version: '1' } })], -32602],
  'a request before initialize': [[call(1, 'session/new', { cwd: '/' })], -32600], 'a notification before initialize': [[{ jsonrpc: '2.0', method: 'session/cancel' }], null],
  'a response before initialize': [[{ jsonrpc: '2.0', id: 1, result: {} }], null],
};
refused['initialize among other messages'] = [[[initialize(2), call(2, 'session/list', {})]], -32600];
refused['a batch of notifications'] = [[[{ jsonrpc: '2.0', method: 'session/cancel' }]], null];
for (const [what, [lines, code]] of Object.entries(refused)) {
  test(`v2: ${what} ends the connection`, async (t) => {
    const { code: exit, got } = await answers(t, [...lines, call(2, 'session/list', {})]);
    assert.equal(exit, 0);
    assert.deepEqual(got.map((m) => m.error?.code), code === null ? [] : [code]);
  });
}

test('v2: a line that is not JSON is not the first message yet', async (t) => {
  const world = await t.world({});
  const agent = world.start({ client: 'v2' });
  agent.write('{nope');
  await agent.until(() => agent.messages.length, 'the answer');
  assert.equal(agent.messages[0].error.code, -32700);
  agent.problems.length = 0; // nobody asked for it
  assert.equal((await agent.initialize('v2')).protocolVersion, 2);
  assert.equal((await agent.failure(agent.initialize('v2'))).code, -32600);
  assert.equal((await agent.failure(agent.ask('session/load', { sessionId: 'x', cwd: '/', mcpServers: [] }))).code, -32601);
});

test('v2: a version that nobody knows is an error at the start', async (t) => {
  const world = await t.world({});
  const agent = world.start({ env: { CLAUDE_AGENT_ACP_PROTOCOL: 'v3' } });
  agent.expected = { code: 1, stderr: /CLAUDE_AGENT_ACP_PROTOCOL is "v3"; it can be auto, v1 or v2/ };
  assert.deepEqual(await agent.exit(), { code: 1, signal: null });
  assert.deepEqual(agent.messages, []);
});

test('v2: a batch is answered as one', async (t) => {
  const world = await t.world({});
  const agent = world.start({ client: 'v2' });
  agent.write(JSON.stringify([initialize(2)]));
  await agent.until(() => agent.messages.some((m) => m.kind === 'batch'), 'the answer');
  const [first] = agent.messages[0].items;
  assert.equal(first.result.protocolVersion, 2);
  agent.write(JSON.stringify([call(2, 'session/list', {}), 7, { jsonrpc: '2.0', method: 'session/cancel', params: {} }, call(3, 'no/such', {})]));
  await agent.until(() => agent.messages.filter((m) => m.kind === 'batch').length === 2, 'the second answer');
  const { items } = agent.messages.findLast((m) => m.kind === 'batch');
  assert.deepEqual(items.map((m) => [m.id, m.error?.code]).sort(), [[2, undefined], [3, -32601], [null, -32600]].sort());
  assert.equal(items[0].id, null);
  const before = agent.messages.length;
  agent.write(JSON.stringify([{ jsonrpc: '2.0', method: 'session/cancel', params: {} }]));
  agent.write('[]');
  await agent.until(() => agent.messages.length > before, 'the answer to an empty one');
  assert.deepEqual(agent.messages.slice(before).map((m) => [m.kind, m.id, m.error?.code]), [['response', null, -32600]]);
  agent.problems.length = 0; // nobody asked for it
});

test('v2: a command that goes on in the background ends its terminal when it ends', async (t) => {
  const world = await t.world({ settings: { permissions: { defaultMode: 'bypassPermissions' } }, model: { main: [[{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'until [ -e done ]; do sleep 0.1; done', run_in_background: true } }], says('Started.'), says('It is over.')] } });
  const agent = await world.session({ client: 'v2' });
  const exits = () => agent.updates().filter((u) => u.sessionUpdate === 'terminal_update' && u.exitStatus);
  await agent.turn('go');
  assert.equal(agent.call('toolu_1').status, 'completed');
  assert.deepEqual(exits(), []);
  const from = agent.messages.length;
  world.write('done', '');
  await agent.idle(agent.session, from);
  assert.deepEqual(exits().map((u) => u.exitStatus), [{}]);
  assert.deepEqual(repeated(story(agent, from)), ['terminal_update', 'running', 'agent_message_chunk', 'idle']);
});

test('v2: a subagent is a session with states of its own', async (t) => {
  const launch = { type: 'tool_use', id: 'toolu_1', name: 'Agent', input: { description: 'Look', prompt: 'CHILD: look.', subagent_type: 'general-purpose', run_in_background: false } };
  const world = await t.world({ ...asks, model: { main: [[launch], says('Done.')], agents: { CHILD: [[bash('toolu_2', 'mkdir made')], says('Looked.')] } } });
  const agent = await world.session({ client: 'v2' });
  await agent.turn('go');
  const [{ sessionId: child }] = agent.updates(agent.session).filter((u) => u.sessionUpdate === 'subagent_update');
  const states = (session) => agent.updates(session).filter((u) => u.sessionUpdate === 'state_update').map((u) => u.state);
  assert.deepEqual(states(child), ['running', 'requires_action', 'running', 'idle']);
  assert.deepEqual(states(agent.session), ['running', 'requires_action', 'running', 'idle']);
  assert.equal(agent.asked[0].sessionId, child);
  assert.equal(agent.text(child), 'Looked.');
  assert.equal(agent.call('toolu_2', child).status, 'completed');
  const from = agent.messages.length;
  await agent.ask('session/resume', { sessionId: agent.session, cwd: world.workspace, replayFrom: { type: 'start' } });
  assert.deepEqual(agent.messages.slice(from).filter((m) => m.params?.update?.state && m.params.sessionId === child).map((m) => m.params.update.state), ['running', 'idle']);
});
