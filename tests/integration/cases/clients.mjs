// Other people's clients: acpx, a headless client, and acp-factory, which speaks an older edition of the protocol's SDK.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inPackages } from '../lib/packages.mjs';
import { test } from '../lib/registry.mjs';

const makesFile = {
  settings: { permissions: { defaultMode: 'default' } },
  model: { main: [
    [{ type: 'text', text: 'I will make it.' }, { type: 'tool_use', id: 'toolu_1', name: 'Write', input: { file_path: '$WS/made.txt', content: 'made\n' } }],
    [{ type: 'text', text: 'It is there.' }],
  ] },
};

const run = (command, args, options) => new Promise((done) => {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '', stderr = '';
  child.stdout.on('data', (d) => { stdout += d; });
  child.stderr.on('data', (d) => { stderr += d; });
  child.on('close', (code) => done({ code, stdout, stderr }));
});

async function acpx(world, t, ...args) {
  const config = join(world.home, '.acpx/config.json');
  world.write(config, JSON.stringify({ agents: { herald: { argv: t.command } } }));
  return run(process.execPath, [inPackages('acpx/dist/cli.js'), '--timeout', '40', ...args], { cwd: world.workspace, env: world.environment() });
}

test('acpx runs a prompt with everything allowed', { slow: true }, async (t) => {
  const world = await t.world(makesFile);
  const { code, stdout, stderr } = await acpx(world, t, '--format', 'quiet', '--approve-all', 'herald', 'exec', 'make a file');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /I will make it\.\s*It is there\./);
  assert.equal(world.read('made.txt'), 'made\n');
});

test('acpx runs a prompt with everything refused', { slow: true }, async (t) => {
  const world = await t.world(makesFile);
  const { code } = await acpx(world, t, '--format', 'quiet', '--deny-all', 'herald', 'exec', 'make a file');
  assert.equal(code, 5);
  assert.equal(world.read('made.txt'), null);
});

test('acp-factory runs a prompt', { slow: true }, async (t) => {
  const world = await t.world(makesFile);
  const program = `
    import { AgentFactory } from ${JSON.stringify(String(pathToFileURL(inPackages('acp-factory/dist/index.js'))))};
    AgentFactory.register('herald', { command: ${JSON.stringify(t.command[0])}, args: ${JSON.stringify(t.command.slice(1))}, env: {} });
    const agent = await AgentFactory.spawn('herald', { permissionMode: 'auto-approve', env: process.env });
    const session = await agent.createSession(process.cwd());
    let text = '';
    for await (const update of session.prompt('make a file')) if (update.sessionUpdate === 'agent_message_chunk') text += update.content.text;
    console.log(text);
    await agent.close();
  `;
  const { code, stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: world.workspace, env: world.environment() });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /I will make it\.\s*It is there\./);
  assert.equal(world.read('made.txt'), 'made\n');
});
