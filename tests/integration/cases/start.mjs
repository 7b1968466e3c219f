// Starting, initialize, and sessions that cannot be opened.
import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { expectMatch } from '../lib/match.mjs';
import { test } from '../lib/registry.mjs';

test('initialize says what the agent is and can', async (t) => {
  const world = await t.world({});
  const agent = world.start();
  const result = await agent.initialize('zed');
  assert.equal(result.protocolVersion, 1);
  assert.ok(result.agentInfo.name && result.agentInfo.version);
  assert.equal(result.agentCapabilities.loadSession, true);
  expectMatch(result.agentCapabilities.promptCapabilities, { image: true, embeddedContext: true });
  assert.ok(result.authMethods.length > 0);
});

test('initialize works with nothing in the environment but PATH', async (t) => {
  const world = await t.world();
  const agent = world.start({ bareEnv: { PATH: process.env.PATH, HERALD_TEST_WORLD: world.root } });
  assert.equal((await agent.initialize('plain')).protocolVersion, 1);
  assert.deepEqual(await agent.end(), { code: 0, signal: null });
});

test('initialize works without claude, with an empty home, in another folder', async (t) => {
  const world = await t.world();
  const agent = world.start({ cwd: '/', bareEnv: { PATH: '/nowhere', HOME: world.home, TERM: 'dumb', HERALD_TEST_WORLD: world.root } });
  assert.equal((await agent.initialize('zed')).protocolVersion, 1);
});

test('no sign-in methods for a client that cannot run them', async (t) => {
  const world = await t.world({});
  const agent = world.start();
  assert.deepEqual((await agent.initialize('plain')).authMethods ?? [], []);
});

test('the first line on stdout is the answer to initialize', async (t) => {
  const world = await t.world({});
  const agent = world.start();
  await agent.initialize('air');
  assert.equal(agent.messages[0].kind, 'response');
});

test('a session answers before its first update', async (t) => {
  const world = await t.world({});
  const agent = await world.session({ client: 'zed' });
  await agent.untilUpdate((u) => u.sessionUpdate === 'available_commands_update', 'the list of commands');
  const answer = agent.messages.findIndex((m) => m.method === 'session/new');
  const update = agent.messages.findIndex((m) => m.method === 'session/update');
  assert.ok(answer < update, `answer at ${answer}, update at ${update}`);
});

test('a session has modes and models to choose from', async (t) => {
  const world = await t.world({});
  const agent = world.start();
  await agent.initialize('plain');
  const session = await agent.ask('session/new', { cwd: world.workspace, mcpServers: [] });
  assert.equal(session.modes.currentModeId, 'default');
  for (const id of ['acceptEdits', 'plan']) assert.ok(session.modes.availableModes.some((m) => m.id === id), id);
  assert.ok(session.configOptions.some((o) => o.id === 'model'));
});

for (const [what, cwd] of [['missing', '$WS/nowhere'], ['a file', '$WS/a.txt'], ['relative', 'somewhere'], ['empty', '']]) {
  test(`a session in a folder that is ${what} is refused with the reason`, async (t) => {
    const world = await t.world({ files: { 'a.txt': 'a\n' } });
    const agent = world.start();
    await agent.initialize();
    const error = await agent.failure(agent.newSession({ cwd: world.filled(cwd) }));
    assert.equal(error.code, -32602);
    assert.match(JSON.stringify(error), /cwd/);
  });
}

test('without claude a session is refused with the reason, and the agent stays', async (t) => {
  const world = await t.world({});
  const agent = world.start({ env: { CLAUDE_CODE_EXECUTABLE: join(world.root, 'nowhere/claude') } });
  await agent.initialize();
  const error = await agent.failure(agent.newSession({ cwd: world.workspace }));
  assert.equal(error.code, -32603);
  assert.match(JSON.stringify(error), /nowhere\/claude/);
  const again = await agent.failure(agent.newSession({ cwd: world.workspace }));
  assert.equal(again.code, -32603);
});

for (const [what, script, words] of [
  ['ends with an error', 'echo "the licence has run out" >&2; exit 7', /code 7.*the licence has run out/s],
  ['ends without a word', 'exit 0', /./],
  ['is killed', 'kill -9 $$', /SIGKILL/],
]) {
  test(`a claude that ${what} at its start fails the session with the reason`, async (t) => {
    const world = await t.world({});
    const agent = world.start({ env: { CLAUDE_CODE_EXECUTABLE: world.write('claude', `#!/bin/sh\n${script}\n`, 0o755) } });
    await agent.initialize();
    const error = await agent.failure(agent.newSession({ cwd: world.workspace }));
    assert.equal(error.code, -32603);
    assert.match(JSON.stringify(error), words);
  });
}

test('a claude that cannot be executed fails the session with the reason', async (t) => {
  const world = await t.world({});
  const file = world.write('claude', 'no program\n', 0o644);
  const agent = world.start({ env: { CLAUDE_CODE_EXECUTABLE: file } });
  await agent.initialize();
  const error = await agent.failure(agent.newSession({ cwd: world.workspace }));
  assert.equal(error.code, -32603);
  assert.ok(JSON.stringify(error).includes(file));
});

test('a variable that is empty counts as not set', async (t) => {
  const world = await t.world({ model: { main: [[{ type: 'text', text: 'Found it.' }]] } });
  const folder = join(world.root, 'bin');
  world.write(join(folder, 'claude'), `#!/bin/sh\nexec '${t.claude}' "$@"\n`, 0o755);
  const agent = await world.session({ env: { PATH: `${folder}:${process.env.PATH}`, CLAUDE_CODE_EXECUTABLE: '', HERALD_LOG: '', HERALD_LOG_FILE: '', HERALD_REPORTER_PATH: '', XDG_DATA_HOME: '', XDG_STATE_HOME: '', XDG_CACHE_HOME: '' } });
  await agent.prompt('go');
  assert.equal(agent.text(), 'Found it.');
});

test('a command line: --version and --help print and end, --cli runs claude', async (t) => {
  const world = await t.world({});
  const run = (...args) => spawnSync(t.command[0], [...t.command.slice(1), ...args], { env: world.environment(), cwd: world.workspace, encoding: 'utf8', input: '' });
  const version = run('--version');
  assert.equal(version.status, 0);
  assert.match(version.stdout, /\d+\.\d+\.\d+/);
  assert.equal(version.stderr, '');
  const help = run('--help');
  assert.equal(help.status, 0);
  assert.match(help.stdout, /--cli/);
  const cli = run('--hide-claude-auth', '--cli', '--version');
  assert.equal(cli.status, 0);
  assert.match(cli.stdout, /Claude Code/);
});

test('an unknown argument does not keep the agent from starting', async (t) => {
  const world = await t.world({});
  const agent = world.start({ args: ['--no-such-option', 'word'] });
  assert.equal((await agent.initialize()).protocolVersion, 1);
});

test('a reader of the whole wire: a file as input, a file as output', async (t) => {
  const world = await t.world({});
  const input = join(world.root, 'input'), output = join(world.root, 'output');
  writeFileSync(input, `${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'initialize', params: { protocolVersion: 1, clientCapabilities: {} } })}\n`);
  chmodSync(input, 0o400);
  const run = spawnSync('sh', ['-c', 'exec "$0" "$@" <"$IN" >"$OUT"', ...t.command], { env: { ...world.environment(), IN: input, OUT: output }, encoding: 'utf8' });
  assert.equal(run.status, 0, run.stderr);
  assert.equal(JSON.parse(world.read(output).split('\n')[0]).id, 7);
});
