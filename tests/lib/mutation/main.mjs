// Measures how many changes of the code the tests notice; see docs/building.md. Started by tests/mutation.
//
// A mutant is caught when a test that reaches it fails, or hangs. Which tests reach which mutants is recorded by one run of
// each test without a mutant; a mutant is then tried on those alone, the fastest first, until one fails.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildMutants } from './build.mjs';

const here = dirname(fileURLToPath(import.meta.url)), top = resolve(here, '../../..');
const allRooms = ['turn', 'extension', 'permission', 'report'];
const usage = `Usage: tests/mutation [options] [ROOM | core/ROOM/FILE.c]...

Changes the code of some rooms of core (${allRooms.join(', ')}, or those named) at one place at a time and tells which
share of the changes the tests notice. Fails when that is below the goal in a room.

  --unit-only        the unit tests alone, not the integration tests
  --integration N    try a survivor of the unit tests on N integration tests at most (8), the fastest first
  --sample N         N mutants only, chosen by --seed
  --seed N           (1)
  --jobs N           so many tests at once (one for each processor)
  --goal PERCENT     (90)
  --list-survivors   show each mutant that nothing caught
  --json FILE        write all mutants and what became of them
  --folder FOLDER    where the mutated build is (build-test/mutation)
  --no-install       fail on what is missing instead of installing it`;

const { values: o, positionals } = parseArgs({ allowPositionals: true, options: {
  'unit-only': { type: 'boolean' }, integration: { type: 'string', default: '8' }, sample: { type: 'string' }, seed: { type: 'string', default: '1' },
  jobs: { type: 'string' }, goal: { type: 'string', default: '90' }, 'list-survivors': { type: 'boolean' }, json: { type: 'string' },
  folder: { type: 'string' }, 'no-install': { type: 'boolean' }, help: { type: 'boolean' },
} });
if (o.help) { console.log(usage); process.exit(0); }
const jobs = Number(o.jobs ?? availableParallelism()), say = (text) => console.log(text);
const rooms = [...new Set([...allRooms, ...positionals.map((p) => p.replace(/^core\//, '').split('/')[0])])].sort();
for (const room of rooms) if (!existsSync(join(top, 'core', room))) { console.error(`There is no room core/${room}.\n\n${usage}`); process.exit(2); }

const folder = resolve(o.folder ?? join(top, 'build-test/mutation'));
const { mutants: all, build, size } = buildMutants(top, folder, rooms, say);
const scratch = mkdtempSync(join(tmpdir(), 'herald-mutation-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

// ---- What is tried ----

const chosen = (m) => positionals.length === 0 || positionals.some((p) => m.file === p || m.room === p.replace(/^core\//, ''));
const equivalents = readEquivalents();
const mutants = sample(all.filter((m) => chosen(m) && !declared(m)));

// Each line of the list: FILE, FUNCTION, OPERATOR, TEXT and REASON, with " | " between them.
function readEquivalents() {
  const lines = readFileSync(join(here, 'equivalents'), 'utf8').split('\n').filter((line) => line && !line.startsWith('#'));
  return lines.map((line) => {
    const [file, name, operator, text, reason] = line.split(' | ');
    if (!reason) throw new Error(`equivalents: no reason in "${line}"`);
    return { file, function: name, operator, text, used: false };
  });
}

function declared(m) {
  const entry = equivalents.find((e) => e.file === m.file && e.function === m.function && e.operator === m.operator && e.text === m.text);
  if (entry) entry.used = true;
  return Boolean(entry);
}

function sample(from) {
  const count = Number(o.sample ?? from.length);
  let state = Number(o.seed) >>> 0;
  const random = () => { // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const rest = [...from], taken = [];
  while (rest.length && taken.length < count) taken.push(...rest.splice(Math.floor(random() * rest.length), 1));
  return taken.sort((a, b) => a.id - b.id);
}

// ---- Running a test ----

let folders = 0;
// Answers { ok, ms }. The test is a process group of its own, with a folder for temporary files of its own.
function run(test, env, limit) {
  return new Promise((done) => {
    const started = Date.now(), own = join(scratch, String(++folders));
    mkdirSync(own);
    const child = spawn(test.command[0], test.command.slice(1), {
      cwd: test.cwd, detached: true, stdio: 'ignore', env: { ...process.env, ...test.env, TMPDIR: own, ...env },
    });
    const end = () => { try { process.kill(-child.pid, 'SIGKILL'); } catch { /* it is over */ } };
    const timer = setTimeout(end, limit);
    child.on('error', () => done({ ok: false, ms: 0 }));
    child.on('exit', (code) => {
      clearTimeout(timer);
      end(); // what it may have left
      rmSync(own, { recursive: true, force: true, maxRetries: 3 });
      done({ ok: code === 0, ms: Date.now() - started });
    });
  });
}

async function eachOf(items, work) {
  const queue = [...items];
  await Promise.all(Array.from({ length: jobs }, async () => { for (let item; (item = queue.shift());) await work(item); }));
}

// Runs each test once without a mutant: sets `touched` and `ms`; answers those that pass.
async function baseline(tests) {
  const passing = [];
  await eachOf(tests, async (test) => {
    const record = join(scratch, `touched-${tests.indexOf(test)}`);
    const { ok, ms } = await run(test, { HERALD_MUTANT_TOUCHED: record }, 600000);
    if (!ok) { say(`  left out, for it fails without a mutant: ${test.name}`); return; }
    const touched = existsSync(record) ? readFileSync(record) : Buffer.alloc(size);
    if (touched.includes(1)) passing.push({ ...test, touched, ms });
  });
  return passing.sort((a, b) => a.ms - b.ms);
}

// Tries the mutants that nothing has caught; `most` tests for each. Sets `caught` to `how`, and `by`.
async function tryAll(tests, how, most, confirm) {
  const left = mutants.filter((m) => !m.caught);
  let done = 0, said = Date.now();
  await eachOf(left, async (m) => {
    const reaching = tests.filter((t) => t.touched[m.id]);
    if (reaching.length) m.reached = true;
    for (const test of reaching.slice(0, most)) {
      const limit = Math.max(10000, test.ms * 10);
      if ((await run(test, { HERALD_MUTANT: String(m.id) }, limit)).ok) continue;
      if (confirm && !(await run(test, {}, limit)).ok) continue; // it fails without the mutant too, today
      m.caught = how;
      m.by = test.name;
      break;
    }
    done++;
    if (Date.now() - said > 15000) { said = Date.now(); say(`  ${done} of ${left.length}`); }
  });
}

// ---- The tests ----

function unitTests() {
  const { tests } = JSON.parse(execFileSync('ctest', ['--test-dir', build, '--show-only=json-v1'], { encoding: 'utf8', maxBuffer: 1 << 28 }));
  return tests.map((t) => ({
    name: t.name, command: t.command, cwd: build,
    env: Object.fromEntries((t.properties.find((p) => p.name === 'ENVIRONMENT')?.value ?? []).map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)])),
  }));
}

function integrationTests() {
  const command = [process.execPath, join(top, 'tests/integration/run.mjs'), '--build', build, '--jobs', '1'];
  const names = execFileSync(command[0], [...command.slice(1), '--list'], { encoding: 'utf8' }).split('\n').filter(Boolean);
  return names.map((name) => ({ name, command: [...command, '--filter', `^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`], cwd: top, env: {} }));
}

say('The unit tests without a mutant ...');
const units = await baseline(unitTests());
say(`${mutants.length} mutants on ${units.length} unit-test programs ...`);
await tryAll(units, 'unit', Infinity, false);
if (!o['unit-only'] && mutants.some((m) => !m.caught)) {
  say('The integration tests without a mutant ...');
  const scenarios = await baseline(integrationTests());
  say(`${mutants.filter((m) => !m.caught).length} mutants on ${scenarios.length} integration tests ...`);
  await tryAll(scenarios, 'integration', Number(o.integration), true);
}

// ---- The result ----

if (o['list-survivors']) {
  for (const m of mutants.filter((x) => !x.caught)) say(`${m.file}:${m.line}: ${m.function}: ${m.operator}: ${m.text.slice(0, 160)}${m.reached ? '' : ' (not reached)'}`);
}
if (o.json) writeFileSync(o.json, JSON.stringify(mutants, null, 1));
for (const e of equivalents.filter((x) => !x.used && chosen({ file: x.file, room: x.file.split('/')[1] }))) say(`equivalents: nothing is like this any more: ${e.file} | ${e.function} | ${e.operator} | ${e.text}`);
let failed = false;
say('room         mutants  by unit tests  by integration tests  survived  share');
for (const room of rooms) {
  const of = mutants.filter((m) => m.room === room), count = (how) => of.filter((m) => m.caught === how).length;
  if (!of.length) continue;
  const survived = count(undefined), share = 100 * (1 - survived / of.length), low = share < Number(o.goal);
  failed ||= low;
  say(`${room.padEnd(12)} ${String(of.length).padStart(7)}  ${String(count('unit')).padStart(13)}  ${String(count('integration')).padStart(20)}  ${String(survived).padStart(8)}  ${share.toFixed(1)}%${low ? ` below ${o.goal}%` : ''}`);
}
process.exit(failed ? 1 : 0);
