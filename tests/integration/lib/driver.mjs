// Plays the client's side of a case of contract/: its operations, one after another, in a world of their own (what they are
// says cases/contract.mjs). What the agent says is its `trace`.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clients } from './clients.mjs';
import { sleep } from './wait.mjs';

const QUIET = 40; // ms without a message, after which no further one is waited for

export class Driver {
  constructor(t, world, data, client) {
    this.world = world;
    this.data = world.filled(data);
    this.client = client;
    this.settings = { ...clients[client], ...this.data.initialize };
    this.permissions = [...(this.data.permissions ?? [])];
    this.elicitations = [...(this.data.elicitations ?? [])];
    this.agents = [];
    this.extra = []; // entries of the trace that are no messages: { dir, … } with the number of messages before it as `at`
    this.sessions = [];
    this.background = []; // prompts whose end is not waited for yet
    this.notes = join(world.root, 'notes');
    const { changes, asks } = this.data;
    this.env = {
      TEST_NODE: process.execPath, REAL_CLI: t.claude, NOTES: this.notes, ...(changes && { CHANGES: JSON.stringify(changes) }), ...(asks && { ASKS: JSON.stringify(asks) }),
      ...((changes || asks) && { CLAUDE_CODE_EXECUTABLE: world.filled('$FIXTURES/changing-cli') }), ...this.data.env,
    };
  }

  get agent() { return this.agents.at(-1); }

  async play() {
    await this.start();
    for (const op of this.data.client) {
      if (!operations[op.op]) throw new Error(`there is no operation "${op.op}"`);
      await operations[op.op].call(this, op);
      if (op.settleMs) await sleep(op.settleMs);
    }
    await this.quiet();
  }

  async start() {
    const agent = this.world.start({ client: this.client, drafts: Boolean(this.data.initialize), env: this.env, answering: (method, params) => this.answer(method, params) });
    if (this.data.stderr) agent.expected.stderr = new RegExp(this.data.stderr);
    this.agents.push(agent);
    if (agent.v2) await agent.initialize(this.settings); // the SDK of v2 takes nothing before it
    else await agent.askPlain('initialize', this.settings);
  }

  // Until nothing has come for a moment.
  async quiet(ms = QUIET) {
    for (let before = -1; before !== this.agent.messages.length;) {
      before = this.agent.messages.length;
      await sleep(ms);
    }
  }

  // ---- What the person and the editor answer

  async answer(method, params) {
    if (method === 'session/request_permission') return this.decided(params, this.permissions.length ? this.permissions.shift() : 'allow_once');
    if (method === 'elicitation/create') return this.filledIn(this.elicitations.length ? this.elicitations.shift() : { action: 'cancel' });
    return { error: { code: -32601, message: 'Method not found' } };
  }

  async decided(params, choice) {
    if (choice?.wait) { await sleep(choice.wait); return this.decided(params, choice.then); }
    if (choice?.until) { await this.seen(choice.until); return this.decided(params, choice.then); }
    if (choice === 'hang') return new Promise(() => {});
    if (choice?.error || choice?.result !== undefined) return choice;
    if (choice === 'cancelled') return { result: { outcome: { outcome: 'cancelled' } } };
    const option = params.options.find((o) => o.optionId === choice) ?? params.options.find((o) => o.kind === choice);
    return { result: { outcome: { outcome: 'selected', optionId: option?.optionId ?? choice } } };
  }

  async filledIn(form) {
    if (form?.wait) { await sleep(form.wait); return this.filledIn(form.then); }
    if (form === 'hang') return new Promise(() => {});
    return form?.error ? form : { result: form };
  }

  // ---- What has happened

  get trace() {
    const entries = [];
    let at = 0;
    for (const agent of this.agents) {
      for (const message of agent.messages) {
        entries.push(...this.extra.filter((entry) => entry.at === at).map(({ entry }) => entry), entryOf(message));
        at++;
      }
    }
    return [...entries, ...this.extra.filter((entry) => entry.at >= at).map(({ entry }) => entry), ...this.noted()];
  }

  noted() { return existsSync(this.notes) ? readFileSync(this.notes, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line)) : []; }
  remember(entry) { this.extra.push({ entry, at: this.agents.reduce((n, agent) => n + agent.messages.length, 0) }); }

  // Waits until a text has come so many times.
  seen(text, times = 1, ms = undefined) {
    const count = (message) => (message.as ??= JSON.stringify(entryOf(message))).split(text).length - 1;
    return this.agent.until(() => this.agents.flatMap((agent) => agent.messages).reduce((n, message) => n + count(message), 0) >= times, `"${text}"`, ms);
  }

  // ---- What the client says

  session({ session }) { return this.sessions[session ?? this.sessions.length - 1]; }
  // `$TASK` is the background task that was announced last.
  params({ params, noSession, ...op }) {
    const task = this.agent.updates().findLast((u) => u.asyncTaskId)?.asyncTaskId;
    const own = params === undefined ? {} : JSON.parse(JSON.stringify(params).replaceAll('$TASK', task ?? '$TASK'));
    return noSession ? own : { sessionId: this.session(op), ...own };
  }
  meta({ _meta }) { return _meta ? { _meta } : {}; }

  async prompt(op) {
    const { agent } = this, sessionId = this.session(op), from = agent.messages.length;
    const { result } = await agent.askPlain('session/prompt', { sessionId, prompt: op.prompt ?? [{ type: 'text', text: op.text }], ...this.meta(op) });
    // On v2 the answer says that the prompt was taken in; the turn ends at `idle`.
    if (!agent.v2 || !result || op.unawaited) return;
    const ended = (m) => m.method === 'session/update' && m.params.sessionId === sessionId && m.params.update.state === 'idle' && m.params.update.stopReason;
    await agent.until(() => agent.messages.slice(from).some(ended), 'idle');
  }
}

const kinds = { notification: 'notify', request: 'request', response: 'response' };
function entryOf({ kind, method, params, result, error, items }) {
  if (kind === 'batch') return { dir: 'response', method: 'raw batch', result: items.map((item) => ({ id: item.id, code: item.error?.code })) };
  return { dir: kinds[kind], method, ...(kind !== 'response' ? { params } : error ? { error } : { result }) };
}

const operations = {
  async new(op) {
    const { result } = await this.agent.askPlain('session/new', { cwd: op.cwd ?? this.world.workspace, mcpServers: op.mcpServers ?? [], ...op.params, ...this.meta(op) });
    if (result) this.sessions.push(result.sessionId);
  },
  async load(op) {
    const { result } = await this.agent.askPlain(op.method ?? 'session/load', { sessionId: this.session(op), cwd: op.cwd ?? this.world.workspace, mcpServers: [], ...op.params, ...this.meta(op) });
    if (op.params?.sessionId && result) this.sessions.push(op.params.sessionId);
  },
  async prompt(op) {
    const done = this.prompt(op);
    if (op.background) this.background.push(done);
    else await done;
  },
  async await() { await Promise.all(this.background.splice(0)); },
  async until({ text, count, ms }) { await this.seen(text, count, ms); },
  async sleep({ ms }) { await sleep(ms); },
  async quiet({ ms }) { await this.quiet(ms); },
  async request(op) {
    const { result } = await this.agent.askPlain(op.method, this.params(op));
    if (op.push && result?.sessionId) this.sessions.push(result.sessionId);
  },
  notify(op) { this.agent.tellPlain(op.method, this.params(op)); },
  cancel(op) { this.agent.tellPlain('session/cancel', { sessionId: this.session(op) }); },
  async raw({ text, ids = [] }) {
    const { agent } = this, batches = agent.messages.filter((m) => m.kind === 'batch').length;
    const answers = ids.map((id) => (id === 'batch' ? agent.until(() => agent.messages.filter((m) => m.kind === 'batch').length > batches, 'a batch')
      : new Promise((done) => { agent.sent.set(id, `raw ${id}`); agent.raw.set(id, done); })));
    agent.write(text);
    await Promise.all(answers);
    if (!ids.length) await this.quiet();
  },
  write({ file, text }) { this.world.write(file, text); },
  async restart() {
    await this.agent.end();
    await this.start();
  },
  disk({ name, keys, types, session }) {
    const path = this.world.path(name.replaceAll('$SESSION', this.session({ session })));
    if (!keys) return this.remember({ dir: 'disk', name, names: existsSync(path) ? readdirSync(path, { recursive: true }).map(String).sort() : null });
    const chosen = (record) => Object.fromEntries(keys.filter((key) => record[key] !== undefined).map((key) => [key, record[key]]));
    const records = this.world.read(path)?.split('\n').filter(Boolean).map((line) => JSON.parse(line)).filter((record) => !types || types.includes(record.type)).map(chosen) ?? null;
    this.remember({ dir: 'disk', name, records });
  },
};
