// The contract, clause by clause: one test for each JSON file of contract/ and each client that it names.
//
// A case:
//   about         what it shows
//   profiles      the clients (lib/clients.mjs), the most telling one first; ["plain"]
//   expect        { what must hold: an expression of JavaScript }, all of them required
//   client        what the client does, one operation after another
//   api           what the model answers (tests/model)
//   settings      the user's settings; files, generate, links, mtimes: the files at the start (lib/case-files.mjs)
//   env           of the agent; initialize: members in the place of the client's own
//   permissions   the answers of the person in turn: an option's id or kind, "cancelled", "hang", { result }, { error },
//                 { wait: ms, then } or { until: TEXT, then }; "allow_once" when the list is over
//   elicitations  the same for forms: an answer, "hang", { error } or { wait, then }; { action: "cancel" } at the end
//   changes       rules by which the CLI's lines are changed; asks: what its permission questions are to hold
//                 (fixtures/changing-cli.mjs)
//   collect       files of the workspace that are wanted as r.files
//   stderr        what the agent may say there, a regular expression
//   slow          left out with --quick, which runs each case as its first client only; seconds: how long it may take
// In all of it $WS, $WS_SLUG, $HOME, $FIXTURES and $NODE stand for what World.filled() says.
//
// Operations ({ op, … }; `session` is the number of the session that is meant, else it is the last one):
//   new       cwd, mcpServers, params, _meta          load     method (session/load), cwd, params, _meta
//   prompt    text or prompt, _meta; background: its end is waited for by the next `await`
//   request   method, params, noSession; push: the answer's session is the last one now. $TASK is the last async task
//   notify    method, params, noSession               cancel
//   raw       text, a line as it is; ids: what answers it gets (an id, null, or "batch")
//   until     text, count (1), ms: waits until the agent's messages hold the text so many times
//   quiet     ms (40): waits until nothing has come for so long, for what must not come
//   write     file, text                              restart  ends the agent and starts it again in the same home
//   disk      name of a folder, or of a JSONL file with keys and types: an entry of the trace; $SESSION in the name
//   sleep     ms, where there is nothing to wait for
// `settleMs` at any of them sleeps afterwards.
//
// Each case runs for each of its clients with the plain build, and as the first one with the sanitized build.
//
// An expression sees
//   t, updates         the trace: { dir: "notify" | "request" | "response" | "disk" | "answer" | "to-cli", method, params … };
//                      the session/update entries of it
//   text, texts        what Claude said, all of it and by session        count(part, whole = text)
//   all(kind)          the updates of a kind         air(update)   its _meta.jetbrains.air
//   tool(id)           a call's fields as they are at last, `updates` are its updates
//   resp(method, n)    the n-th response, from 0     after(test)   the trace after the first entry that fits
//   perms, forms       what the agent asked          answers       what the CLI got for it (with changes or asks)
//   toCli              what else the CLI got         modes         the modes that were told
//   main, users, sent  the model's requests ({ body, headers }), the user's words in each, all messages of them as one text
//   r                  { sessions, files, api, ws, home }           profile, applyPatch(patch, text)
//
// Whatever the case is about: messages fit the schema, stderr is silent, and no process stays (lib/agent.mjs, lib/world.mjs).
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Driver } from '../lib/driver.mjs';
import { broken } from '../lib/judge.mjs';
import { test } from '../lib/registry.mjs';
import { eventually } from '../lib/wait.mjs';

const folder = fileURLToPath(new URL('../contract', import.meta.url));
const PATIENCE = 3000; // for what has not come yet when the client has done its part

for (const file of existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')).sort() : []) {
  const data = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  for (const [i, profile] of (data.profiles ?? ['plain']).entries()) {
    test(`contract ${file.slice(0, -5)} (${profile}): ${data.about}`, { slow: data.slow || i > 0, sanitized: i === 0, seconds: data.seconds ?? 90 }, (t) => run(t, data, profile));
  }
}

async function run(t, data, profile) {
  const { files, generate, links, mtimes, settings, api: model } = data;
  const world = await t.world({ files, generate, links, mtimes, settings, model });
  const driver = new Driver(t, world, data, profile);
  await driver.play();
  const missing = () => broken({
    trace: driver.trace, sessions: driver.sessions, model: world.model, world,
    files: Object.fromEntries((data.collect ?? []).map((name) => [name, world.read(name)])),
  }, profile, driver.data.expect);
  await eventually(() => missing().length === 0, PATIENCE);
  await driver.agent.end();
  if (t.show) for (const entry of driver.trace) console.log(JSON.stringify(entry));
  const problems = missing();
  if (problems.length) throw { stack: problems.join('\n') }; // where this was thrown says nothing
}
