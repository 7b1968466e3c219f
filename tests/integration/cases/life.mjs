// The life of the processes: nothing is left behind, however the agent ends.
import assert from 'node:assert/strict';
import { readlinkSync } from 'node:fs';
import { test } from '../lib/registry.mjs';
import { eventually } from '../lib/wait.mjs';

const busy = { settings: { permissions: { defaultMode: 'bypassPermissions' } }, model: { main: [[{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'touch started; sleep 300', description: 'Wait' } }], [{ type: 'text', text: 'Done.' }]] } };

async function idle(t) {
  const world = await t.world({ model: { main: [[{ type: 'text', text: 'Hello.' }]] } });
  const agent = await world.session();
  await agent.prompt('go');
  return { world, agent };
}

// An agent whose claude runs a command.
async function running(t, options = {}) {
  const world = await t.world(busy);
  const agent = await world.session(options);
  agent.prompt('go').catch(() => {});
  assert.ok(await eventually(() => world.read('started') !== null), 'the command has begun');
  return { world, agent };
}

const allGone = async (world) => {
  const gone = await eventually(() => world.processes().length === 0);
  assert.ok(gone, `left: ${world.processes().map((pid) => world.describe(pid)).join('; ')}`);
};

test('the end of input ends an agent without sessions', async (t) => {
  const world = await t.world({});
  const agent = world.start();
  await agent.initialize();
  assert.deepEqual(await agent.end(), { code: 0, signal: null });
  await allGone(world);
});

test('the end of input ends an idle agent and its claude', async (t) => {
  const { world, agent } = await idle(t);
  assert.deepEqual(await agent.end(), { code: 0, signal: null });
  await allGone(world);
});

test('the end of input ends a busy agent, its claude and its commands', async (t) => {
  const { world, agent } = await running(t);
  assert.deepEqual(await agent.end(), { code: 0, signal: null });
  await allGone(world);
});

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
  test(`${signal} ends an idle agent cleanly`, async (t) => {
    const { world, agent } = await idle(t);
    agent.child.kill(signal);
    assert.deepEqual(await agent.exit(), { code: 0, signal: null });
    await allGone(world);
  });

  test(`${signal} ends a busy agent, its claude and its commands`, async (t) => {
    const { world, agent } = await running(t);
    agent.child.kill(signal);
    assert.deepEqual(await agent.exit(), { code: 0, signal: null });
    await allGone(world);
  });
}

test('after SIGKILL of a busy agent no claude and no command is left', async (t) => {
  const { world, agent } = await running(t);
  agent.expected = { signal: 'SIGKILL', code: null };
  agent.child.kill('SIGKILL');
  await allGone(world);
});

test('after SIGKILL of an idle agent no claude is left', async (t) => {
  const { world, agent } = await idle(t);
  agent.expected = { signal: 'SIGKILL', code: null };
  agent.child.kill('SIGKILL');
  await allGone(world);
});

test('a claude that does not want to end is ended', async (t) => {
  const world = await t.world(busy);
  const deaf = world.write('deaf', `#!/bin/bash\ntrap '' TERM INT HUP\n'${t.claude}' "$@"\nwhile true; do sleep 1; done\n`, 0o755);
  const agent = await world.session({ env: { CLAUDE_CODE_EXECUTABLE: deaf } });
  assert.deepEqual(await agent.end(), { code: 0, signal: null });
  await allGone(world);
});

test('a client that closes the output ends the agent', async (t) => {
  const { world, agent } = await running(t);
  agent.child.stdout.destroy();
  assert.deepEqual(await agent.exit(), { code: 0, signal: null });
  await allGone(world);
});

test('the output of a command that runs for a while does not end the turn early', async (t) => {
  const world = await t.world({ settings: busy.settings, model: { main: [[{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'for i in 1 2 3; do echo line $i; sleep 0.3; done' } }], [{ type: 'text', text: 'Counted.' }]] } });
  const agent = await world.session({ client: 'zed' });
  assert.equal((await agent.prompt('go')).stopReason, 'end_turn');
  assert.match(JSON.stringify(agent.call('toolu_1').metas), /line 1\\nline 2\\nline 3/);
  assert.equal(agent.text(), 'Counted.');
});

test('a claude gets only its own pipes and no blocked signals', async (t) => {
  const world = await t.world({ settings: busy.settings, model: { main: [[{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'grep -E "^Sig(Blk|Ign)" /proc/$PPID/status > signals; for f in /proc/$PPID/fd/*; do readlink $f; done > fds; pwd > folder; echo $PWD >> folder' } }], [{ type: 'text', text: 'Done.' }]] } });
  const agent = await world.session();
  await agent.prompt('go');
  const blocked = /SigBlk:\s*([0-9a-f]+)/.exec(world.read('signals'))[1];
  assert.equal(BigInt(`0x${blocked}`) & 0x4003n, 0n, 'HUP, INT and TERM are not blocked');
  // The client's streams are not open in the agent's claude.
  const client = [0, 1, 2].map((fd) => readlinkSync(`/proc/${agent.pid}/fd/${fd}`));
  assert.deepEqual(world.read('fds').split('\n').filter((link) => client.includes(link)), []);
  assert.equal(world.read('folder'), `${world.workspace}\n${world.workspace}\n`);
});
