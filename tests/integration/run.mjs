// Runs the integration tests: Herald as it was built, the real Claude Code CLI, a scripted model, and the official ACP
// SDK as the client. Started by tests/run, which sets HERALD_TEST_PACKAGES and HERALD_TEST_CLAUDE.
//
// Options: --build FOLDER, --agent "COMMAND" (another agent, to see what it does), --filter REGEXP, --quick, --jobs N,
// --label TEXT, --totals FILE, --verbose (all messages), --show (what each
// scenario gave), --list.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { tests } from './lib/registry.mjs';
import { World } from './lib/world.mjs';
import { sleep } from './lib/wait.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const { values: o } = parseArgs({ options: {
  build: { type: 'string' }, agent: { type: 'string' }, filter: { type: 'string' }, quick: { type: 'boolean' },
  jobs: { type: 'string' }, label: { type: 'string', default: 'plain' }, totals: { type: 'string' }, verbose: { type: 'boolean' }, show: { type: 'boolean' }, list: { type: 'boolean' },
} });
const source = resolve(here, '../..');
const build = resolve(o.build ?? join(source, 'build-test/plain'));
const options = {
  command: o.agent ? o.agent.split(' ') : [join(build, 'core/herald')],
  source, build, claude: process.env.HERALD_TEST_CLAUDE, sanitized: o.label === 'sanitize', verbose: o.verbose, show: o.show,
  foreign: Boolean(o.agent), // its stderr and its end are not judged
};

for (const name of readdirSync(join(here, 'cases')).sort()) if (name.endsWith('.mjs')) await import(join(here, 'cases', name));
const filter = o.filter && new RegExp(o.filter, 'i');
const chosen = tests.filter((t) => (!filter || filter.test(t.name)) && !(o.quick && t.slow) && !(options.sanitized && t.sanitized === false));
if (o.list) { for (const t of chosen) console.log(t.name); process.exit(0); }

if (!options.foreign && !existsSync(options.command[0])) {
  console.log(`FAILED: there is no ${options.command[0]}`);
  if (o.totals) writeFileSync(o.totals, '0 1\n');
  process.exit(1);
}

let passed = 0, failed = 0;
async function runOne(t) {
  const started = Date.now(), worlds = [];
  // What a test gets: new worlds, and the runner's options.
  const context = { ...options, async world(data) { const world = new World(options); worlds.push(world); return data ? world.prepare(data) : world; } };
  let problem = null, timer;
  const seconds = t.seconds * (options.sanitized ? 2 : 1);
  const late = new Promise((_, fail) => { timer = setTimeout(() => fail(new Error(`not over after ${seconds} s`)), seconds * 1000); });
  try { await Promise.race([t.run(context), late]); } catch (error) { problem = error.stack ?? String(error); }
  clearTimeout(timer);
  for (const world of worlds) for (const line of await world.close()) problem = `${problem ? `${problem}\n` : ''}${line}`;
  const took = `${((Date.now() - started) / 1000).toFixed(1)} s`;
  if (problem) {
    failed++;
    console.log(`  FAILED: ${t.name} (${o.label}, ${took})\n${problem.replace(/^/gm, '    ')}`);
    for (const { agents } of worlds) for (const agent of agents) if (agent.stderr && !problem.includes(agent.stderr)) console.log(`    stderr: ${agent.stderr}`);
  } else {
    passed++;
    console.log(`  ok: ${t.name} (${took})`);
  }
}

const queue = [...chosen];
const jobs = Number(o.jobs ?? Math.max(2, Math.min(8, 2 * availableParallelism())));
await Promise.all(Array.from({ length: jobs }, async () => { for (let t; (t = queue.shift());) await runOne(t); }));
await sleep(0);
console.log(`${passed} passed, ${failed} failed`);
if (o.totals) writeFileSync(o.totals, `${passed} ${failed}\n`);
process.exit(failed ? 1 : 0);
