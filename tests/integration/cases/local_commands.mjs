// Commands that are answered in words of the agent's own, or shown once: /usage, /mcp, /context, /clear; and the sign-in to
// MCP servers.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { test } from '../lib/registry.mjs';
import { eventually } from '../lib/wait.mjs';

const fixture = fileURLToPath(new URL('../fixtures/answering-cli.mjs', import.meta.url));
const says = (text) => [{ type: 'text', text }];
const lab = { name: 'lab', command: '$NODE', args: ['$FIXTURES/lab-server.mjs'], env: [] };
const broken = { name: 'bro`ken', command: '/nonexistent/server', args: [], env: [] };
const HELP = '`/mcp reconnect <server>` connects one server again, `/mcp reconnect` all that have no connection.';

// Claude Code, but that the fixture answers these control requests.
const answering = (t, world, answers) => ({
  CLAUDE_CODE_EXECUTABLE: world.write('answering-cli', `#!/bin/sh\nexec '${process.execPath}' '${fixture}' "$@"\n`, 0o755),
  REAL_CLI: t.claude, ANSWERS: JSON.stringify(answers), NOTES: world.path('asked'),
});
const servers = (...list) => ({ mcpServers: list.map(([name, status, more]) => ({ name, status, scope: 'dynamic', ...more })) });

// What a prompt adds to the text of the agent.
async function shown(agent, text) {
  const from = agent.text().length;
  assert.equal((await agent.prompt(text)).stopReason, 'end_turn');
  return agent.text().slice(from);
}
const chunks = (agent) => agent.updates().filter((u) => u.sessionUpdate === 'agent_message_chunk').length;

for (const client of ['plain', 'air']) {
  test(`/usage is answered with a table, once (${client})`, async (t) => {
    const world = await t.world({ model: { main: [says('Hi.')] } });
    const agent = await world.session({ client });
    await agent.prompt('hello');
    const text = await shown(agent, '/usage');
    assert.match(text, /^## Usage\n\n---\n\n### This session\n\n\| Cost \| API time \| Active \|\n\|:--\|:--\|:--\|\n\| \$0\.00 \| \d+s \| (\d+m )?\d+s \|\n\n\| Breakdown \| Tokens \|\n\|:--\|--:\|\n\| Input \| \d+ \|\n\| Output \| \d+ \|\n\| Cache read \| 0 \|\n\| Cache write \| 0 \|$/);
    assert.equal(chunks(agent), 2);
    const { messageId } = agent.updates().findLast((u) => u.sessionUpdate === 'agent_message_chunk');
    assert.match(messageId, /^[0-9a-f-]{36}$/);
  });
}

test('/usage shows the limits of a subscription', async (t) => {
  const world = await t.world();
  const env = { TZ: 'UTC0', ...answering(t, world, { get_usage: [{
    session: { total_cost_usd: 1.5, total_api_duration_ms: 61000, total_duration_ms: 3600000, model_usage: {} }, subscription_type: 'max', rate_limits_available: true,
    rate_limits: { five_hour: { utilization: 12.5, resets_at: '2026-12-01T10:00:00Z' }, seven_day: null }, behaviors: null,
  }] }) };
  const agent = await world.session({ env });
  assert.match(await shown(agent, '/usage'), /^## Usage\n\n> Claude max subscription usage\n\n### Limits\n\n\*\*5-hour limit\*\* — \*\*12\.5%\*\* · Resets Dec 1, 10:00 AM UTC\n\n`█{3}░{17}`\n\n---[^]*\| \$1\.50 \| 1m 1s \| 60m \|/);
});

test('/usage keeps the words of Claude Code when it cannot be had in a better form, and stays a command of its own', async (t) => {
  const world = await t.world({ model: { main: [says('Hi.')] } });
  const agent = await world.session({ env: answering(t, world, { get_usage: [{ error: 'no' }, { session: 5 }, null] }) });
  for (const prompt of ['/usage', '/usage', '/usage', '/usage in full']) assert.match(await shown(agent, prompt), /^Estimated cost:/, prompt); // the third waits 5 seconds
  assert.equal(chunks(agent), 4);
});

for (const [command, asked] of [['/usage', 'get_usage'], ['/mcp reconnect', 'mcp_reconnect']]) {
  test(`a cancel ends the wait for ${command}, and nothing is shown`, async (t) => {
    const world = await t.world({ model: { main: [says('Hi.')] } });
    const agent = await world.session({ env: answering(t, world, { get_usage: [null], mcp_status: [servers(['lab', 'failed'])], mcp_reconnect: [null] }) });
    const turn = agent.prompt(command);
    assert.ok(await eventually(() => world.read('asked')?.endsWith(`${asked}\n`)));
    await agent.cancel();
    let answer;
    turn.then((a) => { answer = a; });
    assert.ok(await eventually(() => answer, 15000), 'it does not wait for what it asked'); // which it would for 30 s
    assert.equal(answer.stopReason, 'cancelled');
    assert.equal(await shown(agent, 'hello'), 'Hi.');
    assert.equal(agent.text(), 'Hi.');
  });
}

test('a session is closed while /usage waits', async (t) => {
  const world = await t.world();
  const agent = await world.session({ env: answering(t, world, { get_usage: [null] }) });
  const turn = agent.prompt('/usage');
  assert.ok(await eventually(() => world.read('asked') === 'get_usage\n'));
  await agent.ask('session/close', { sessionId: agent.session });
  assert.equal((await turn).stopReason, 'cancelled');
  assert.equal(agent.text(), '');
});

test('/usage among prompts that wait is shown in its place', async (t) => {
  const world = await t.world({ model: { main: [{ blocks: says('First.'), gapMs: 300 }, says('Third.')] } });
  const agent = await world.session();
  const turns = ['one', '/usage', 'three'].map((text) => agent.prompt(text));
  for (const turn of turns) assert.equal((await turn).stopReason, 'end_turn');
  assert.match(agent.text(), /^First\.## Usage[^]*\|Third\.$/);
});

test('/context is shown once', async (t) => {
  const world = await t.world();
  const agent = await world.session();
  const text = await shown(agent, '/context');
  assert.equal(text.match(/## Context Usage/g).length, 1);
  assert.equal(chunks(agent), 1);
});

test('/clear empties the plan, says nothing, and the next prompt begins afresh', async (t) => {
  const world = await t.world({ model: { main: [says('One.'), says('Two.')] } });
  const agent = await world.session();
  await agent.prompt('one');
  assert.equal(await shown(agent, '/clear'), '');
  assert.deepEqual(agent.updates().findLast((u) => u.sessionUpdate === 'plan').entries, []);
  assert.equal(await shown(agent, 'two'), 'Two.');
});

test('/mcp lists, disables, enables and reconnects servers', async (t) => {
  const world = await t.world();
  const agent = await world.session({ mcpServers: [lab, broken] });
  const list = (lines) => `**MCP servers:** 2 ${lines}`;
  const failed = '\n\n**Failed**\n- ``bro`ken``: ENOENT: no such file or directory, posix\\_spawn \'stdio\'';
  let text;
  do text = await shown(agent, '/mcp'); while (/connecting/.test(text));
  const both = list(`(1 failed, 1 connected)${failed}\n\n**Connected**\n- \`lab\`: 3 tools\n\n${HELP}`);
  assert.equal(text, both);
  assert.equal(await shown(agent, '/mcp disable lab'), `- Disabled \`lab\`\n\n${list(`(1 failed, 1 disabled)${failed}\n\n**Disabled:** \`lab\`\n\n${HELP}`)}`);
  assert.equal(await shown(agent, '/mcp reconnect lab'), `- Couldn't reconnect \`lab\`: MCP server lab is disabled — enable it (mcp\\_toggle) before reconnecting\n\n${list(`(1 failed, 1 disabled)${failed}\n\n**Disabled:** \`lab\`\n\n${HELP}`)}`);
  assert.equal(await shown(agent, '/mcp ENABLE all'), `- Enabled \`lab\`\n\n${both}`);
  assert.equal(await shown(agent, '/mcp reconnect'), `- Couldn't reconnect \`\`bro\`ken\`\`: ENOENT: no such file or directory, posix\\_spawn 'stdio'\n\n${both}`);
  assert.equal(await shown(agent, '/mcp reconnect nosuch'), `There's no MCP server named "nosuch".\n\n${both}`);
  assert.equal(await shown(agent, '/mcp enable'), `Say which server, or \`all\`: \`/mcp enable <server>\`.\n\n${both}`);
  assert.equal(await shown(agent, '/mcp polish lab'), '"polish" isn\'t a recognized /mcp action. Try reconnect, enable, or disable.');
});

test('/mcp keeps the words of Claude Code when it does not know the servers', async (t) => {
  const world = await t.world();
  const agent = await world.session({ env: answering(t, world, { mcp_status: [{ error: 'no' }, { mcpServers: 'none' }] }) });
  for (let i = 0; i < 2; i++) assert.match(await shown(agent, '/mcp'), /^No MCP servers are configured\. Add one with `claude mcp add`\./);
});

// ---- Sign-in

const page = { requiresUserAction: true, authUrl: 'https://sign.example.invalid/in' };
const completed = (agent) => agent.messages.filter((m) => m.method === 'elicitation/complete').map((m) => m.params.elicitationId);
const withdrawn = (agent) => agent.messages.filter((m) => m.method === '$/cancel_request').length;

test('a server of the client that needs a sign-in sends the person to a page', async (t) => {
  const world = await t.world({ model: { main: [says('Hi.')] } });
  const states = ['needs-auth', 'needs-auth', 'pending', 'connected'].map((state) => servers(['lab', state], ['other', 'needs-auth']));
  const agent = await world.session({ client: 'zed', mcpServers: [lab], elicitations: () => ({ action: 'accept' }), env: answering(t, world, { mcp_status: states, mcp_authenticate: [page] }) });
  await agent.until(() => agent.elicited.length, 'the page');
  const [{ elicitationId, ...rest }] = agent.elicited;
  assert.match(elicitationId, /^mcp-oauth-[0-9a-f-]{36}$/);
  assert.deepEqual(rest, { mode: 'url', sessionId: agent.session, message: 'Authenticate with MCP server lab', url: page.authUrl });
  assert.equal(await shown(agent, 'hello'), 'Hi.'); // it disturbs nothing
  await agent.until(() => completed(agent).length, 'the end of it');
  assert.deepEqual(completed(agent), [elicitationId]);
  assert.equal(agent.elicited.length, 1);
});

test('a sign-in that is declined, and one that fails', async (t) => {
  const world = await t.world();
  const both = (a, b) => servers(['lab', a], ['two', b]);
  const agent = await world.session({
    client: 'zed', mcpServers: [lab, { ...lab, name: 'two' }], elicitations: ({ message }) => (message.endsWith('lab') ? { action: 'decline' } : new Promise(() => {})),
    env: answering(t, world, { mcp_status: [both('needs-auth', 'needs-auth'), both('needs-auth', 'needs-auth'), both('needs-auth', 'failed')], mcp_authenticate: [page] }),
  });
  await agent.until(() => withdrawn(agent), 'the end of it');
  assert.deepEqual(agent.elicited.map((e) => e.message), ['Authenticate with MCP server lab', 'Authenticate with MCP server two']);
  assert.deepEqual(completed(agent), [agent.elicited[1].elicitationId]);
});

test('/mcp reconnect is followed by a sign-in, and a session that is closed ends it', async (t) => {
  const world = await t.world();
  const state = (lab) => servers(['lab', lab], ['other', 'needs-auth']);
  const agent = await world.session({ client: 'zed', mcpServers: [lab], elicitations: () => new Promise(() => {}), env: answering(t, world, { mcp_status: [state('connected'), state('needs-auth')], mcp_reconnect: [{ error: 'McpError: Unauthorized' }], mcp_authenticate: [page] }) });
  assert.equal(await shown(agent, '/mcp reconnect'), "- Couldn't reconnect `lab`: Unauthorized\n- Couldn't reconnect `other`: Unauthorized\n\n**MCP servers:** 2 (2 need authentication)\n\n**Needs authentication**\n- `lab`\n- `other`\n\n" + HELP);
  await agent.until(() => agent.elicited.length, 'the page');
  await agent.ask('session/close', { sessionId: agent.session });
  await agent.until(() => withdrawn(agent), 'the end of it');
  assert.deepEqual(agent.elicited.map((e) => e.message), ['Authenticate with MCP server lab']);
});

test('a client that cannot open pages is not asked', async (t) => {
  const world = await t.world({ model: { main: [says('Hi.')] } });
  const agent = await world.session({ client: 'air', mcpServers: [lab], env: answering(t, world, { mcp_status: [servers(['lab', 'needs-auth'])], mcp_authenticate: [page] }) });
  assert.match(await shown(agent, '/mcp reconnect lab'), /\*\*Needs authentication\*\*\n- `lab`/);
  assert.equal(await shown(agent, 'hello'), 'Hi.');
  assert.deepEqual(agent.elicited, []);
});
