// Reporters of third parties: built from the installed headers, found, used, and refused where they must be.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '../lib/registry.mjs';

const forecast = {
  settings: { permissions: { defaultMode: 'bypassPermissions' } },
  model: { main: [
    [{ type: 'tool_use', id: 'toolu_s', name: 'ToolSearch', input: { query: 'select:mcp__lab__forecast' } }],
    [{ type: 'tool_use', id: 'toolu_1', name: 'mcp__lab__forecast', input: { city: 'Lisbon' } }],
    [{ type: 'text', text: 'Sunny.' }],
  ] },
};
const lab = [{ name: 'lab', command: '$NODE', args: ['$FIXTURES/lab-server.mjs'], env: [] }];

// Installs Herald's headers into a prefix of the world's.
function installed(t, world) {
  const prefix = join(world.root, 'prefix');
  execFileSync('cmake', ['--install', t.build, '--prefix', prefix], { stdio: 'pipe' });
  const find = (folder) => readdirSync(folder, { withFileTypes: true }).flatMap((e) => (e.isDirectory() ? find(join(folder, e.name)) : e.name === 'herald-reporter.pc' ? [folder] : []));
  return { prefix, pkgconfig: find(prefix)[0] };
}

function compile(t, world, name, ...flags) {
  const { prefix, pkgconfig } = installed(t, world);
  const cflags = execFileSync('pkg-config', ['--define-variable', `prefix=${prefix}`, '--cflags', 'herald-reporter'], { env: { ...process.env, PKG_CONFIG_PATH: pkgconfig }, encoding: 'utf8' }).trim().split(/\s+/);
  const folder = join(world.root, 'reporters');
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const file = join(folder, name);
  execFileSync('cc', ['-std=c11', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC', ...cflags, ...flags, '-o', file, join(t.source, 'tests/integration/fixtures/weather.c')], { stdio: 'pipe' });
  return { folder, file };
}

async function forecastCall(world, env, refused = false) {
  const agent = await world.session({ mcpServers: lab, env });
  if (refused) agent.expected.stderr = /^herald: error: the reporter plugin \S+\/weather\.so is left out: .+\n$/;
  assert.equal((await agent.prompt('go')).stopReason, 'end_turn');
  assert.equal(agent.text(), 'Sunny.');
  return agent.call('toolu_1');
}

const general = (call) => {
  assert.equal(call.title, 'mcp__lab__forecast');
  assert.equal(call.status, 'completed');
  assert.match(JSON.stringify(call.content), /Lisbon/);
};

const listed = (t, world, env) => {
  const run = spawnSync(t.command[0], [...t.command.slice(1), 'reporters'], { env: world.environment(env), encoding: 'utf8' });
  assert.equal(run.status, 0, run.stderr);
  return run.stdout;
};

test('a reporter built from the installed headers gives its tool a title, a kind and content', async (t) => {
  const world = await t.world(forecast);
  const { folder } = compile(t, world, 'weather.so');
  const call = await forecastCall(world, { HERALD_REPORTER_PATH: folder });
  assert.equal(call.title, 'Lisbon');
  assert.equal(call.kind, 'fetch');
  assert.equal(call.status, 'completed');
  const texts = call.content.map((c) => c.content.text);
  assert.equal(texts[0], '**The forecast**');
  assert.match(texts[1], /^```json\n.*"sky":"clear".*\n```$/s);
});

test('a reporter in the user\'s folder is found', async (t) => {
  const world = await t.world(forecast);
  const { file } = compile(t, world, 'weather.so');
  const folder = join(world.home, '.local/share/herald/reporters');
  mkdirSync(folder, { recursive: true });
  execFileSync('cp', [file, folder]);
  assert.equal((await forecastCall(world)).title, 'Lisbon');
  assert.match(listed(t, world), /org\.example\.weather/);
});

test('an installed herald finds its own reporters wherever it lies', async (t) => {
  const world = await t.world({ ...forecast, model: { main: [[{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'echo moved' } }], [{ type: 'text', text: 'Sunny.' }]] } });
  const { prefix } = installed(t, world);
  const elsewhere = join(world.root, 'else where');
  execFileSync('mv', [prefix, elsewhere]);
  const run = spawnSync(join(elsewhere, 'bin/herald'), ['reporters', '--names'], { env: world.environment(), encoding: 'utf8' });
  assert.equal(run.status, 0, run.stderr);
  assert.ok(run.stdout.trim().length > 0);
});

for (const [what, prepare] of [
  ['is no shared object', ({ world, folder, file }) => world.write(file, 'not an object\n')],
  ['needs a symbol that nobody has', ({ t, world }) => compile(t, world, 'weather.so', '-DWEATHER_UNDEFINED')],
  ['was built for another major of the ABI', ({ t, world }) => compile(t, world, 'weather.so', '-DWEATHER_MAJOR=999')],
  ['can be written by everybody', ({ file }) => chmodSync(file, 0o666)],
  ['lies in a folder that everybody can write to', ({ folder }) => chmodSync(folder, 0o777)],
]) {
  test(`a reporter that ${what} is left out, and the session works`, async (t) => {
    const world = await t.world(forecast);
    const { folder, file } = compile(t, world, 'weather.so');
    prepare({ t, world, folder, file });
    assert.ok(existsSync(file));
    const env = { HERALD_REPORTER_PATH: folder };
    const list = listed(t, world, env);
    assert.match(list, /weather\.so/);
    assert.ok(!list.split('\n').some((line) => /weather\.so/.test(line) && /mcp__lab__forecast/.test(line)), list);
    general(await forecastCall(world, env, true));
  });
}

test('every built-in reporter is loaded', async (t) => {
  const world = await t.world({});
  const run = spawnSync(t.command[0], [...t.command.slice(1), 'reporters', '--json'], { env: world.environment(), encoding: 'utf8' });
  assert.equal(run.status, 0, run.stderr);
  const rows = JSON.parse(run.stdout).reporters;
  const built = readdirSync(join(t.build, 'lib/herald/reporters')).filter((name) => name.endsWith('.so'));
  assert.ok(built.length > 0);
  for (const name of built) {
    const row = rows.find((r) => r.file.endsWith(`/${name}`));
    assert.equal(row?.state, 'loaded', `${name}: ${row?.reason}`);
    assert.equal(row.origin, 'built-in');
  }
});
