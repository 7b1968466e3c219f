// Text on its way from the CLI to the client: all of it arrives, as it was, and a client that does not read it costs little.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expectedText } from '../lib/expected-text.mjs';
import { floodText } from '../lib/flood-turn.mjs';
import { oddText, oddTurn } from '../lib/odd-turn.mjs';
import { RawClient } from '../lib/raw-client.mjs';
import { test } from '../lib/registry.mjs';
import { eventually } from '../lib/wait.mjs';

const MB = 1024 * 1024;
const cli = fileURLToPath(new URL('../fixtures/fake-cli.mjs', import.meta.url));

// A client of an agent whose CLI plays `turn`, with sessions open.
async function started(t, turn, sessions = 1) {
  const world = await t.world();
  const notes = world.path('../notes');
  const client = new RawClient(world, {
    CLAUDE_CODE_EXECUTABLE: world.write('../claude', `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`, 0o755), FAKE_TURN: JSON.stringify(turn), FAKE_NOTES: notes,
  });
  await client.ask('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const ids = [];
  for (let n = 0; n < sessions; n++) ids.push((await client.ask('session/new', { cwd: world.workspace, mcpServers: [] })).sessionId);
  // What the CLIs have noted of one kind, in order.
  const noted = (kind) => (existsSync(notes) ? readFileSync(notes, 'utf8').split('\n').slice(0, -1).map((line) => JSON.parse(line)) : []).filter((note) => kind in note);
  return { world, client, ids, id: ids[0], noted };
}

// ---- Integrity

const visible = (text) => JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}...` : text).replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

function assertSame(actual, expected, n) {
  if (actual?.kind === expected?.kind && actual?.text === expected?.text) return;
  let at = 0;
  while (actual && expected && at < expected.text.length && actual.text[at] === expected.text[at]) at++;
  const of = (piece) => (piece ? `${piece.kind} of ${piece.text.length} units: ${visible(piece.text.slice(at))}` : 'nothing');
  throw new Error(`piece ${n}, from unit ${at} on\n  is       ${of(actual)}\n  expected ${of(expected)}`);
}

// HERALD_TEST_SEED and HERALD_TEST_BYTES repeat a run, or make a longer one.
test('random text comes through whole, however it is written and cut', { slow: true, seconds: 300 }, async (t) => {
  const seed = Number(process.env.HERALD_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31)), bytes = Number(process.env.HERALD_TEST_BYTES ?? (t.sanitized ? 30 : 50) * MB);
  try {
    const { client, id, noted } = await started(t, { odd: { seed, bytes } }), prompt = oddText(seed, 200000);
    const expected = expectedText(oddTurn(seed, bytes));
    let n = 0;
    client.onText = (session, kind, text) => assertSame({ kind, text }, expected.next().value, ++n);
    assert.equal((await client.prompt(id, prompt)).stopReason, 'end_turn');
    assertSame(undefined, expected.next().value, n + 1);
    assert.ok(noted('prompt')[0].prompt === prompt, 'the prompt has reached the CLI as it was');
  } catch (error) {
    throw new Error(`HERALD_TEST_SEED=${seed} HERALD_TEST_BYTES=${bytes}: ${error.message}`, { cause: error });
  }
});

// ---- A client that does not read

// Kibibytes of memory of a process, now and at most so far.
function memory(pid) {
  if (process.platform !== 'linux') return null;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8'), of = (name) => Number(new RegExp(`${name}:\\s*(\\d+) kB`).exec(status)[1]);
  return { now: of('VmRSS'), most: of('VmHWM') };
}

// What the agent may grow by is said in docs/architecture.md. The sanitizers need memory of their own.
function assertGrown(t, client, idle, megabytes) {
  if (!idle || t.sanitized) return;
  const grown = (memory(client.pid).most - idle.now) / 1024;
  if (t.show) console.log(`  grown by ${grown.toFixed(1)} MB`);
  assert.ok(grown <= megabytes, `the agent has grown by ${grown.toFixed(1)} MB, more than ${megabytes} MB`);
}

// Waits until every CLI is stuck in a write, since the agent does not read it.
async function untilBlocked(sessions, noted) {
  const before = noted('blocked').length;
  const stuck = () => {
    const counts = new Map();
    for (const { by } of noted('blocked').slice(before)) counts.set(by, (counts.get(by) ?? 0) + 1);
    return counts.size === sessions && Math.min(...counts.values()) > 1;
  };
  assert.ok(await eventually(stuck), 'the CLIs cannot write any more');
}

// A client that has asked for a flood in each session and reads nothing of it, when the agent has stopped to read as well.
async function blocked(t, { sessions = 1, size = 4096, bytes = 300 * MB } = {}) {
  const all = await started(t, { flood: { size, bytes } }, sessions), { client, ids, noted } = all;
  const idle = memory(client.pid);
  client.pause();
  const turns = ids.map((id) => client.prompt(id, 'go'));
  await untilBlocked(sessions, noted);
  return { ...all, idle, turns };
}

// The longest message has 256 KiB, unless it says otherwise.
for (const { what, sessions = 1, size = 4096, most } of [
  { what: 'one session', most: 6 + 1 },
  { what: 'many sessions', sessions: 8, most: 6 + 8 },
  { what: 'messages of 10 MB', size: 10 * MB, most: 6 + 1 + 6 * 10 },
]) {
  test(`a client that does not read costs little and loses nothing: ${what}`, { slow: true, seconds: 300 }, async (t) => {
    const bytes = (size > MB ? 60 : t.sanitized ? 32 : 100) * MB / sessions;
    const { client, ids, noted, idle, turns } = await blocked(t, { sessions, size, bytes });
    assertGrown(t, client, idle, most);
    const got = new Map(ids.map((id) => [id, 0])), half = Math.floor(bytes / size / 4); // of the deltas, which are half of the bytes
    let stopped = false;
    const halfRead = new Promise((done) => {
      client.onText = (session, kind, text) => {
        const n = got.get(session);
        assert.ok(kind === 'text' && text === floodText(n, size), `text ${n} of ${session} begins with ${text.slice(0, 20)}`);
        got.set(session, n + 1);
        if (n === half && !stopped) { stopped = true; client.pause(); done(); }
      };
    });
    client.resume();
    await Promise.race([halfRead, ...turns]);
    await untilBlocked(sessions, noted);
    assertGrown(t, client, idle, most);
    client.resume();
    for (const turn of turns) assert.equal((await turn).stopReason, 'end_turn');
    assert.deepEqual([...got.values()].sort(), noted('deltas').map((note) => note.deltas).sort());
    assertGrown(t, client, idle, most);
  });
}

test('a client that does not read can still cancel and ask', async (t) => {
  const { client, id, noted, turns } = await blocked(t);
  client.tell('session/cancel', { sessionId: id });
  assert.ok(await eventually(() => noted('request').some(({ request }) => request === 'interrupt')), 'the interrupt has reached the CLI');
  const next = client.prompt(id, 'short');
  assert.ok(await eventually(() => noted('prompt').some(({ prompt }) => prompt === 'short')), 'the prompt has reached the CLI');
  let last;
  client.onText = (session, kind, text) => { last = text; };
  client.resume();
  assert.equal((await turns[0]).stopReason, 'cancelled');
  assert.equal((await next).stopReason, 'end_turn');
  assert.equal(last, 'Short.');
});

const ends = { 'the end of input': (client) => client.child.stdin.end(), SIGTERM: (client) => client.child.kill('SIGTERM') };
for (const [what, end] of Object.entries(ends)) {
  test(`${what} ends an agent whose client does not read, and its CLIs, at once`, async (t) => {
    const { world, client } = await blocked(t, { sessions: 2 });
    end(client);
    assert.ok(await eventually(() => client.child.exitCode === 0 && world.processes().length === 0), 'all have ended');
  });
}

test('sessions of a client that does not read can be closed and deleted', async (t) => {
  const { client, ids, noted } = await blocked(t, { sessions: 2 });
  client.ask('session/close', { sessionId: ids[0] });
  const deleted = client.ask('session/delete', { sessionId: ids[1] });
  assert.ok(await eventually(() => noted('pid').every(({ pid }) => !existsSync(`/proc/${pid}`))), 'the CLIs have ended');
  client.resume();
  await assert.rejects(deleted, /not found in any project/); // this CLI stores no sessions
});
