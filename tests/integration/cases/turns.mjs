// What happens during and between turns.
import assert from 'node:assert/strict';
import { test } from '../lib/registry.mjs';
import { eventually, sleep } from '../lib/wait.mjs';

const says = (text) => [{ type: 'text', text }];
const bash = (id, command) => ({ type: 'tool_use', id, name: 'Bash', input: { command, description: 'A command' } });
const free = { permissions: { defaultMode: 'bypassPermissions' } };

for (const client of ['plain', 'zed', 'air']) {
  test(`cancel while the answer streams ends the turn, and the next one works (${client})`, async (t) => {
    const world = await t.world({ model: { main: [{ blocks: says('This never ends'), hang: true }, says('Back again.')] } });
    const agent = await world.session({ client });
    const turn = agent.prompt('go on');
    await agent.until(() => agent.text().includes('never ends'), 'the text');
    await agent.cancel();
    assert.equal((await turn).stopReason, 'cancelled');
    assert.equal((await agent.prompt('still there?')).stopReason, 'end_turn');
    assert.match(agent.text(), /Back again\.$/);
  });

  test(`cancel while a permission is asked for ends the turn, and nothing is run (${client})`, async (t) => {
    const world = await t.world({ settings: { permissions: { defaultMode: 'default' } }, files: { 'touch.sh': '#!/bin/sh\ntouch ran.txt\n' }, model: { main: [[bash('toolu_1', './touch.sh')], says('Next.')] } });
    let answer;
    const agent = await world.session({ client, permissions: () => new Promise((done) => { answer = done; }) });
    const turn = agent.prompt('ask me');
    await agent.until(() => agent.asked.length === 1, 'the question');
    await agent.cancel();
    answer('cancelled'); // as the protocol wants it of a client
    assert.equal((await turn).stopReason, 'cancelled');
    assert.equal(agent.call('toolu_1').status, 'failed');
    assert.equal(world.read('ran.txt'), null);
    assert.equal((await agent.prompt('next')).stopReason, 'end_turn');
  });
}

test('a command that a cancel stops ends with its terminal, told whole', async (t) => {
  const world = await t.world({ settings: free, model: { main: [[bash('toolu_1', 'touch started; sleep 300')], says('Next.')] } });
  const agent = await world.session({ client: 'zed' });
  const turn = agent.prompt('go');
  assert.ok(await eventually(() => world.read('started') !== null), 'the command has begun');
  await agent.cancel();
  assert.equal((await turn).stopReason, 'cancelled');
  const last = agent.updates().findLast((u) => u.toolCallId === 'toolu_1');
  assert.equal(last.status, 'failed');
  assert.deepEqual(last.content, [{ type: 'terminal', terminalId: 'toolu_1' }]);
  assert.equal(last._meta.terminal_exit.terminal_id, 'toolu_1');
});

test('cancel ends the turn also when the client never answers its permission question', async (t) => {
  const world = await t.world({ settings: { permissions: { defaultMode: 'default' } }, files: { 'touch.sh': '#!/bin/sh\ntouch ran.txt\n' }, model: { main: [[bash('toolu_1', './touch.sh')], says('Next.')] } });
  const agent = await world.session({ permissions: () => new Promise(() => {}) });
  const turn = agent.prompt('ask me');
  await agent.until(() => agent.asked.length === 1, 'the question');
  await agent.cancel();
  assert.equal((await turn).stopReason, 'cancelled');
  assert.equal((await agent.prompt('next')).stopReason, 'end_turn');
  assert.equal(world.read('ran.txt'), null);
});

test('cancel ends a running command', async (t) => {
  const world = await t.world({ settings: free, model: { main: [[bash('toolu_1', 'touch started; sleep 300')], says('Next.')] } });
  const agent = await world.session();
  const turn = agent.prompt('go');
  assert.ok(await eventually(() => world.read('started') !== null));
  await agent.cancel();
  assert.equal((await turn).stopReason, 'cancelled');
  assert.equal(agent.call('toolu_1').status, 'failed');
  assert.ok(await eventually(() => !world.processes().some((pid) => world.describe(pid).includes('sleep 300'))), 'the command is gone');
});

test('a cancel with nothing to cancel changes nothing', async (t) => {
  const world = await t.world({ model: { main: [says('Fine.')] } });
  const agent = await world.session();
  await agent.cancel();
  assert.equal((await agent.prompt('go')).stopReason, 'end_turn');
  assert.equal(agent.text(), 'Fine.');
});

test('a prompt right after a cancel is not cancelled by it', async (t) => {
  const world = await t.world({ model: { main: [{ blocks: says('One'), hang: true }, says('Two.')] } });
  const agent = await world.session();
  const first = agent.prompt('one');
  await agent.until(() => agent.text().includes('One'), 'the text');
  agent.cancel();
  const second = agent.prompt('two');
  assert.equal((await first).stopReason, 'cancelled');
  assert.equal((await second).stopReason, 'end_turn');
  assert.match(agent.text(), /Two\.$/);
});

test('prompts that are sent during a turn are answered one after another', async (t) => {
  const world = await t.world({ model: { main: [{ blocks: says('First.'), gapMs: 300 }, says('Second.'), says('Third.')] } });
  const agent = await world.session();
  const order = [];
  const first = agent.prompt('one').then((r) => { order.push(1); return r; });
  await agent.until(() => agent.text().includes('First'), 'the first text');
  const rest = [agent.prompt('two'), agent.prompt('three')].map((p, i) => p.then((r) => { order.push(i + 2); return r; }));
  for (const answer of [await first, ...await Promise.all(rest)]) assert.equal(answer.stopReason, 'end_turn');
  assert.deepEqual(order, [1, 2, 3]);
  assert.match(agent.text(), /^First\..*Second\./s);
});

test('two sessions work at the same time and do not mix', async (t) => {
  const world = await t.world({ model: { agents: { alpha: [{ blocks: says('alpha one alpha two alpha three'), gapMs: 40 }], beta: [{ blocks: says('beta one beta two beta three'), gapMs: 40 }] } } });
  const agent = await world.session({ client: 'zed' });
  const other = await agent.newSession({ cwd: world.workspace });
  assert.notEqual(other, agent.session);
  const [a, b] = await Promise.all([agent.prompt('alpha please'), agent.prompt('beta please', other)]);
  assert.equal(a.stopReason, 'end_turn');
  assert.equal(b.stopReason, 'end_turn');
  assert.equal(agent.text(agent.session), 'alpha one alpha two alpha three');
  assert.equal(agent.text(other), 'beta one beta two beta three');
});

test('one session is cancelled, the other goes on', async (t) => {
  const world = await t.world({ model: { agents: { alpha: [{ blocks: says('alpha'), hang: true }], beta: [{ blocks: says('beta one beta two beta three'), gapMs: 200 }] } } });
  const agent = await world.session();
  const other = await agent.newSession({ cwd: world.workspace });
  const turns = [agent.prompt('alpha please'), agent.prompt('beta please', other)];
  await agent.until(() => agent.text(agent.session) === 'alpha' && agent.text(other).length > 0, 'both texts');
  await agent.cancel();
  assert.equal((await turns[0]).stopReason, 'cancelled');
  assert.equal((await turns[1]).stopReason, 'end_turn');
  assert.equal(agent.text(other), 'beta one beta two beta three');
});

test('several tools in one answer each get their end', async (t) => {
  const world = await t.world({ settings: free, model: { main: [[bash('toolu_1', 'echo one'), bash('toolu_2', 'echo two; exit 1'), bash('toolu_3', 'echo three')], says('Done.')] } });
  const agent = await world.session();
  await agent.prompt('go');
  assert.deepEqual(['toolu_1', 'toolu_2', 'toolu_3'].map((id) => agent.call(id).status), ['completed', 'failed', 'completed']);
});

test('an error of the API is shown, and the next prompt is answered', async (t) => {
  const world = await t.world({ model: { main: [{ error: { status: 500, message: 'scripted: oops' } }, says('Back again.')] } });
  const agent = await world.session({ env: { CLAUDE_CODE_MAX_RETRIES: '0' } });
  const error = await agent.failure(agent.prompt('first'));
  assert.equal(error.code, -32603);
  assert.match(error.message, /scripted: oops/);
  assert.equal((await agent.prompt('second')).stopReason, 'end_turn');
  assert.match(agent.text(), /Back again\.$/);
});

test('an error of the API is a failure record for AIR', async (t) => {
  const world = await t.world({ model: { main: [{ error: { status: 500, message: 'scripted: oops' } }, says('Back again.')] } });
  const agent = await world.session({ client: 'air', env: { CLAUDE_CODE_MAX_RETRIES: '0' } });
  const answer = await agent.prompt('first');
  assert.match(JSON.stringify([answer, agent.messages]), /"sessionFailure":/);
  assert.equal((await agent.prompt('second')).stopReason, 'end_turn');
});

test('a claude that dies in a turn fails the prompt at once and closes its calls; a new session works', async (t) => {
  const world = await t.world({ settings: free, model: { main: [[{ type: 'text', text: 'Working.' }, bash('toolu_1', 'kill -9 $PPID; sleep 5')], says('New life.')] } });
  const agent = await world.session();
  const error = await agent.failure(agent.prompt('go'));
  assert.equal(error.code, -32603);
  assert.match(error.message, /exited unexpectedly/);
  assert.equal(agent.call('toolu_1').status, 'failed');
  assert.equal((await agent.failure(agent.prompt('still there?'))).code, -32603);
  const other = await agent.newSession({ cwd: world.workspace });
  assert.equal((await agent.prompt('go', other)).stopReason, 'end_turn');
  assert.equal(agent.text(other), 'New life.');
});

// What `_meta.claudeCode.emitRawSDKMessages` brings the client of one turn.
async function raw(t, emitRawSDKMessages) {
  const world = await t.world({ model: { main: [says('Hello.')] } });
  const agent = world.start();
  await agent.initialize();
  agent.session = await agent.newSession({ cwd: world.workspace, _meta: { claudeCode: { emitRawSDKMessages } } });
  await agent.prompt('go');
  const notes = agent.messages.filter((m) => m.method === '_claude/sdkMessage');
  for (const { params } of notes) assert.equal(params.sessionId, agent.session);
  return { agent, messages: notes.map((m) => m.params.message) };
}

test('a client that asks for the raw messages of claude gets all of them, before what is made of them', async (t) => {
  const { agent, messages } = await raw(t, true);
  for (const type of ['stream_event', 'user', 'assistant', 'result']) assert.ok(messages.some((m) => m.type === type), type);
  assert.ok(!messages.some((m) => /control|keep_alive|transcript_mirror/.test(m.type)));
  const shown = agent.messages.findIndex((m) => m.params?.update?.sessionUpdate === 'agent_message_chunk');
  const first = agent.messages.findIndex((m) => m.params?.message?.event?.type === 'content_block_delta');
  assert.ok(first >= 0 && first < shown);
  assert.equal(agent.text(), 'Hello.');
});

test('a client that asks for some raw messages gets only those, and one that asks for none gets none', async (t) => {
  const { messages } = await raw(t, [{ type: 'result', origin: 'human' }, { type: 'system', subtype: 'init' }, { type: 'user', subtype: 'x' }]);
  assert.deepEqual(messages.map((m) => m.type), ['system', 'result']);
  assert.deepEqual((await raw(t, undefined)).messages, []);
});

test('a mode that the client sets is used', async (t) => {
  const world = await t.world({ files: { 'a.txt': 'one\n' }, settings: { permissions: { defaultMode: 'default' } }, model: { main: [[{ type: 'tool_use', id: 'toolu_1', name: 'Write', input: { file_path: '$WS/new.txt', content: 'new\n' } }], says('Written.')] } });
  const agent = await world.session();
  await agent.ask('session/set_mode', { sessionId: agent.session, modeId: 'acceptEdits' });
  await agent.prompt('go');
  assert.equal(agent.asked.length, 0);
  assert.equal(world.read('new.txt'), 'new\n');
  const error = await agent.failure(agent.ask('session/set_mode', { sessionId: agent.session, modeId: 'no such mode' }));
  assert.ok(error.code === -32603 || error.code === -32602);
});

test('text with quotes, line breaks, emoji and long words comes as it was', async (t) => {
  const text = `"quoted" \\ back\\slash\ttab\r\n😀 ünïcödé ${'x'.repeat(5000)} </end> \u2028 \u0001`;
  const world = await t.world({ model: { main: [[{ type: 'text', text, slice: 7 }]] } });
  const agent = await world.session();
  await agent.prompt('go');
  assert.equal(agent.text(), text);
});

test('a prompt with an image, a resource and a link reaches the model', async (t) => {
  const world = await t.world({ model: { main: [says('Seen.')] } });
  const agent = await world.session({ client: 'zed' });
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
  await agent.ask('session/prompt', { sessionId: agent.session, prompt: [
    { type: 'text', text: 'Look here' }, { type: 'image', mimeType: 'image/png', data: pixel },
    { type: 'resource_link', name: 'a.txt', uri: `file://${world.workspace}/a.txt` },
    { type: 'resource', resource: { uri: 'file:///somewhere/note.md', text: 'the text of the note' } },
  ] });
  const sent = JSON.stringify(world.model.turns().at(0).messages);
  for (const part of ['Look here', pixel, 'a.txt', 'the text of the note']) assert.ok(sent.includes(part), part);
});

test('a session is listed, loaded again with its transcript, and goes on', async (t) => {
  const world = await t.world({ settings: free, model: { main: [[{ type: 'text', text: 'Looking.' }, bash('toolu_1', 'echo listed')], says('First answer.'), says('Second answer.')] } });
  const first = await world.session();
  await first.prompt('a first question');
  const id = first.session;
  await first.end();

  const agent = world.start();
  await agent.initialize();
  const { sessions } = await agent.ask('session/list', { cwd: world.workspace });
  assert.ok(sessions.some((s) => s.sessionId === id), JSON.stringify(sessions));
  await agent.ask('session/load', { sessionId: id, cwd: world.workspace, mcpServers: [] });
  assert.equal(agent.text(id, 'user_message_chunk'), 'a first question');
  assert.equal(agent.text(id), 'Looking.First answer.');
  assert.equal(agent.call('toolu_1').status, 'completed');
  assert.equal((await agent.prompt('a second question', id)).stopReason, 'end_turn');
  assert.match(agent.text(id), /Second answer\.$/);
  assert.match(JSON.stringify(world.model.turns().at(-1).messages), /a first question/);
});

test('loading a session twice leaves one claude for it', async (t) => {
  const world = await t.world({ model: { main: [says('One.'), says('Two.')] } });
  const agent = await world.session();
  await agent.prompt('go');
  const load = () => agent.ask('session/load', { sessionId: agent.session, cwd: world.workspace, mcpServers: [] });
  await Promise.all([load(), load()]);
  const running = () => world.processes().filter((pid) => world.describe(pid).includes(agent.session) && pid !== agent.pid).length;
  assert.ok(await eventually(() => running() <= 1), `${running()} processes`);
  await agent.prompt('again');
  assert.match(agent.text(), /Two\.$/);
});

test('a closed session is gone, with its claude', async (t) => {
  const world = await t.world({ model: { main: [says('One.')] } });
  const agent = await world.session({ client: 'zed' });
  await agent.prompt('go');
  await agent.ask('session/close', { sessionId: agent.session });
  assert.ok(await eventually(() => world.processes().every((pid) => pid === agent.pid)), 'only the agent is left');
  assert.equal((await agent.failure(agent.prompt('hello?'))).code, -32603);
});

test('a slow client gets all of a long answer, and memory stays bounded', { slow: true, seconds: 300 }, async (t) => {
  const text = 'All work and no play makes a long answer. '.repeat(100000); // 4 MB
  const world = await t.world({ model: { main: [[{ type: 'text', text, slice: 400 }]] } });
  const agent = await world.session();
  const turn = agent.prompt('go');
  await agent.until(() => agent.text().length > 1000, 'the beginning');
  agent.child.stdout.pause();
  await sleep(3000);
  agent.child.stdout.resume();
  assert.equal((await turn).stopReason, 'end_turn');
  assert.equal(agent.text().length, text.length);
  assert.ok(agent.text() === text);
});

for (const client of ['plain', 'v2']) {
  test(`the plan of a subagent names the call that began it (${client})`, async (t) => {
    const launch = { type: 'tool_use', id: 'toolu_1', name: 'Agent', input: { description: 'Look', prompt: 'CHILD: look.', subagent_type: 'general-purpose', run_in_background: false } };
    const plan = { type: 'tool_use', id: 'toolu_2', name: 'TodoWrite', input: { todos: [{ content: 'a', status: 'pending', activeForm: 'Doing a' }] } };
    const world = await t.world({ model: { main: [[launch], [{ type: 'text', text: 'Done.' }]], agents: { CHILD: [[plan], [{ type: 'text', text: 'Looked.' }]] } } });
    const agent = await world.session({ client, env: { CLAUDE_CODE_ENABLE_TASKS: '0', CLAUDE_CODE_ENABLE_TODO_TOOLS: '1' } });
    await (client === 'v2' ? agent.turn('go') : agent.prompt('go'));
    const shown = agent.updates().find((u) => /^plan/.test(u.sessionUpdate));
    assert.deepEqual(shown._meta, { claudeCode: { parentToolUseId: 'toolu_1' } });
    assert.deepEqual((shown.plan ?? shown).entries, [{ content: 'a', priority: 'medium', status: 'pending' }]);
  });
}
