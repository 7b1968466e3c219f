// An agent process and the client that talks to it: the official SDK, so that every message goes through its own
// validation, with a second reader beside it that keeps all messages and checks them against the JSON schema.
//
// What must always hold is checked by finish(): only JSON-RPC on stdout, messages that fit the schema and that the SDK
// accepts, a silent stderr, exit 0 after the end of input. A test that expects otherwise says so (`expected`).
import { spawn } from 'node:child_process';
import { stable, unstable, v2 } from './packages.mjs';
import { clients, speaksV2, usesDrafts } from './clients.mjs';
import { brokenV2Rules } from './v2-rules.mjs';
import { SOON, eventually } from './wait.mjs';

// The updates about subagents, AIR's and the draft's, and about AIR's background tasks, which no schema knows: their texts that must be there and what else
// may. The SDK does not get them.
const bridged = {
  async_task_spawned: { must: ['asyncTaskId', 'name', 'taskType', 'description'], may: ['showInTranscript', 'canStop', 'outputFilePath', 'toolCallId'] },
  async_task_progress: { must: ['asyncTaskId'], may: ['description', 'summary', 'lastToolName', 'usage', 'outputFilePath', 'toolCallId'] },
  async_task_state_update: { must: ['asyncTaskId', 'state'], may: ['summary'] },
  subagent_spawned: { must: ['subagentSessionId', 'name', 'task'], may: ['prompt', 'capabilities'] },
  subagent_state_update: { must: ['subagentSessionId', 'state'], may: [] },
  subagent_update: { must: ['sessionId'], may: ['title', 'description', 'state'] },
  session_message: { must: ['messageId', 'senderSessionId', 'recipientSessionId'], may: ['content'] },
};
function checkBridged({ sessionUpdate: name, ...members }) {
  const { must, may } = bridged[name];
  const wrong = [...must.filter((key) => typeof members[key] !== 'string' || !members[key]), ...Object.keys(members).filter((key) => !must.includes(key) && !may.includes(key))];
  return wrong.map((key) => `${name}: ${key} in ${JSON.stringify(members)}`);
}

export class Agent {
  constructor({ command, args = [], cwd, env, client, drafts, permissions, elicitations, answering, verbose, foreign, wrap }) {
    this.v2 = speaksV2(client);
    this.protocol = this.v2 ? v2 : drafts || usesDrafts(client) ? unstable : stable;
    this.messages = []; // what the agent sent, in order: { kind, method, params | result | error }
    this.problems = [];
    this.stderr = '';
    this.exited = null; // { code, signal }
    this.permissions = permissions ?? (() => 'allow_once');
    this.elicitations = elicitations ?? (() => ({ action: 'cancel' }));
    this.answering = answering; // answers the agent's requests in the place of the two above and of the SDK: { result } or { error }
    this.asked = []; // the questions that have come, whether or not the SDK has handed them on
    this.elicited = [];
    this.decided = 0;
    this.plain = 0; // requests that went around the SDK so far
    this.accepted = 0; // updates that the SDK handed on
    this.expected = {}; // stderr: RegExp, code: number | null, signal: name
    this.verbose = verbose;
    this.foreign = foreign;
    this.waiting = new Set();
    this.sent = new Map(); // id -> method of open requests
    this.raw = new Map(); // id -> resolve, of requests that went around the SDK
    const all = wrap ? wrap([...command, ...args]) : [...command, ...args];
    this.child = spawn(all[0], all.slice(1), { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
    this.child.on('error', (error) => this.problems.push(`cannot start: ${error.message}`));
    this.child.stdin.on('error', () => {});
    this.child.stderr.on('data', (data) => { this.stderr += data; if (verbose) process.stderr.write(data); });
    this.gone = new Promise((done) => this.child.on('close', (code, signal) => { this.exited = { code, signal }; this.wake(); done(this.exited); }));
    this.connect();
  }

  get pid() { return this.child.pid; }

  connect() {
    let rest = Buffer.alloc(0);
    const readable = new ReadableStream({
      start: (controller) => {
        this.child.stdout.on('data', (data) => {
          rest = rest.length ? Buffer.concat([rest, data]) : data;
          for (let end; (end = rest.indexOf(10)) >= 0; rest = rest.subarray(end + 1)) this.line(rest.subarray(0, end).toString(), controller);
        });
        this.child.stdout.on('close', () => {
          if (rest.length) this.problems.push(`the last line has no end: ${rest.toString().slice(0, 300)}`);
          try { controller.close(); } catch { /* closed by the SDK */ }
        });
      },
    });
    const writable = new WritableStream({ write: (message) => { if (message.method && message.id !== undefined) this.sent.set(message.id, message.method); this.write(JSON.stringify(message)); } });
    const { acp } = this.protocol;
    const app = acp.client({ name: 'herald-tests' })
      .onRequest(acp.methods.client.session.requestPermission, ({ params }) => this.decide(params))
      .onRequest(acp.methods.client.elicitation.create, ({ params }) => this.elicitations(params))
      .onNotification(acp.methods.client.session.update, () => { this.accepted++; })
      .onNotification('*', () => {});
    this.connection = app.connect({ readable, writable });
    this.connection.closed.catch(() => {});
  }

  write(line) {
    if (this.verbose) console.error(`>> ${line.slice(0, 500)}`);
    this.child.stdin.write(`${line}\n`);
  }

  line(text, controller) {
    if (this.verbose) console.error(`<< ${text.slice(0, 1000)}`);
    let message;
    try { message = JSON.parse(text); } catch { this.problems.push(`not JSON on stdout: ${text.slice(0, 300)}`); return; }
    if (Array.isArray(message)) {
      this.messages.push({ kind: 'batch', items: message });
      this.wake();
      return;
    }
    if (message.jsonrpc !== '2.0') this.problems.push(`no JSON-RPC version: ${text.slice(0, 300)}`);
    let forSdk = true;
    if (message.method !== undefined) {
      const kind = message.id === undefined ? 'notification' : 'request';
      this.messages.push({ kind, method: message.method, params: message.params });
      if (kind === 'request' && this.answering) this.answer(message);
      if (message.method === 'session/request_permission') this.asked.push(message.params);
      if (message.method === 'elicitation/create') this.elicited.push(message.params);
      const update = message.method === 'session/update' ? message.params?.update : undefined;
      forSdk = !bridged[update?.sessionUpdate];
      if (forSdk) this.problems.push(...this.protocol.check(kind, message.method, message.params));
      else { this.problems.push(...checkBridged(update)); this.accepted++; }
      if (kind === 'request' && this.answering) forSdk = false;
    } else {
      const method = this.sent.get(message.id);
      const answer = message.error ? { error: message.error } : { result: message.result };
      this.messages.push({ kind: 'response', method, id: message.id, ...answer });
      if (message.error) {
        if (!Number.isInteger(message.error.code) || typeof message.error.message !== 'string') this.problems.push(`a malformed error: ${text.slice(0, 300)}`);
      } else if (method) this.problems.push(...this.protocol.check('response', method, message.result));
      forSdk = this.sent.has(message.id) && !this.raw.has(message.id);
      if (!this.sent.has(message.id) && !this.raw.has(message.id)) this.problems.push(`a response that nobody asked for: ${text.slice(0, 300)}`);
      this.sent.delete(message.id);
      this.raw.get(message.id)?.(answer);
      this.raw.delete(message.id);
    }
    if (forSdk) controller.enqueue(message);
    this.wake();
  }

  async answer({ id, method, params }) {
    try { this.write(JSON.stringify({ jsonrpc: '2.0', id, ...await this.answering(method, params) })); } catch (error) { this.problems.push(error.stack); }
  }

  wake() { for (const look of [...this.waiting]) look(); }

  // Waits until `test()` is true of what has come so far.
  until(test, what = 'a message', ms = SOON) {
    return new Promise((done, fail) => {
      let timer;
      const look = () => {
        const value = test();
        if (!value && !this.exited) return;
        this.waiting.delete(look);
        clearTimeout(timer);
        if (value) done(value);
        else fail(new Error(`the agent ended (${JSON.stringify(this.exited)}) before ${what}; stderr: ${this.stderr}`));
      };
      timer = setTimeout(() => { this.waiting.delete(look); fail(new Error(`no ${what} within ${ms} ms; last message: ${JSON.stringify(this.messages.at(-1))?.slice(0, 500)}`)); }, ms);
      this.waiting.add(look);
      look();
    });
  }

  untilUpdate(test, what, ms) { return this.until(() => this.updates().find(test), what, ms); }

  // ---- what a client asks

  initialize(client = 'plain') { return this.ask('initialize', typeof client === 'string' ? clients[client] : client); }
  ask(method, params) { return this.connection.agent.request(method, params); }
  tell(method, params) { return this.connection.agent.notify(method, params); }
  async newSession(params) { return (await this.ask('session/new', { mcpServers: [], ...params })).sessionId; }
  // On v2 this is the answer that the prompt was taken in; the end of its turn is turn()'s.
  prompt(text, session = this.session) { return this.ask('session/prompt', { sessionId: session, prompt: [{ type: 'text', text }] }); }
  // v2: what the session's state says when it is idle again.
  async turn(text, session = this.session) {
    const from = this.messages.length;
    await this.prompt(text, session);
    return this.idle(session, from);
  }
  idle(session = this.session, from = 0) {
    return this.until(() => this.messages.slice(from).find((m) => m.method === 'session/update' && m.params.sessionId === session && m.params.update.state === 'idle'), 'idle').then((m) => m.params.update);
  }
  cancel(session = this.session) { return this.tell('session/cancel', { sessionId: session }); }

  // A request whose line is ours to the last letter; answers { result } or { error }.
  askRaw(id, line) {
    return new Promise((done, fail) => {
      const timer = setTimeout(() => fail(new Error(`no answer to ${line.slice(0, 100)}`)), SOON);
      this.raw.set(id, (answer) => { clearTimeout(timer); done(answer); });
      this.write(line);
    });
  }

  // A request that the SDK does not look at, so that it may be wrong in every way; answers { result } or { error }.
  askPlain(method, params, id = `plain-${++this.plain}`) {
    this.sent.set(id, method);
    const answer = new Promise((done) => this.raw.set(id, done));
    this.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return answer;
  }
  tellPlain(method, params) { this.write(JSON.stringify({ jsonrpc: '2.0', method, params })); }

  // The error of a request that must fail.
  async failure(promise) {
    try { await promise; } catch (error) { return { code: error.code, message: error.message, data: error.data }; }
    throw new Error('the request succeeded although it must fail');
  }

  async decide(params) {
    const choice = await this.permissions(params, this.decided++);
    if (choice === 'cancelled') return { outcome: { outcome: 'cancelled' } };
    const option = params.options.find((o) => o.optionId === choice) ?? params.options.find((o) => o.kind === choice);
    if (!option) throw new Error(`the question has no option ${choice}: ${JSON.stringify(params.options)}`);
    return { outcome: { outcome: 'selected', optionId: option.optionId } };
  }

  // ---- what the agent has said

  updates(session) {
    return this.messages.filter((m) => m.method === 'session/update' && m.kind === 'notification' && (!session || m.params.sessionId === session)).map((m) => m.params.update);
  }
  text(session, kind = 'agent_message_chunk') {
    return this.updates(session).filter((u) => u.sessionUpdate === kind && u.content.type === 'text').map((u) => u.content.text).join('');
  }
  // Every tool call with the last value of each of its fields and all its states.
  calls(session) {
    const calls = new Map();
    for (const update of this.updates(session)) {
      if (!update.sessionUpdate.startsWith('tool_call')) continue;
      const { sessionUpdate, toolCallId, _meta, ...fields } = update;
      const call = calls.get(toolCallId) ?? { toolCallId, states: [], metas: [], announced: sessionUpdate === 'tool_call' };
      Object.assign(call, fields);
      if (fields.status && fields.status !== call.states.at(-1)) call.states.push(fields.status);
      if (_meta) call.metas.push(_meta);
      calls.set(toolCallId, call);
    }
    return [...calls.values()];
  }
  call(id, session) { return this.calls(session).find((c) => c.toolCallId === id); }

  // ---- the end

  async end(ms = SOON) {
    this.child.stdin.end();
    return this.exit(ms);
  }
  async exit(ms = SOON) {
    let timer;
    const late = new Promise((done) => { timer = setTimeout(done, ms, null); });
    const exited = await Promise.race([this.gone, late]);
    clearTimeout(timer);
    if (!exited) throw new Error(`the agent is still there after ${ms} ms`);
    return exited;
  }

  // Ends the agent and says what was wrong with it.
  async finish() {
    if (!this.exited) await this.end().catch((error) => { this.problems.push(error.message); this.child.kill('SIGKILL'); });
    await this.gone;
    const { stderr, code = 0, signal = null } = this.expected;
    const problems = [...new Set(this.problems)];
    if (this.foreign) return problems;
    if (this.exited.code !== code && !signal) problems.push(`exit ${JSON.stringify(this.exited)}, expected code ${code}`);
    if (signal && this.exited.signal !== signal) problems.push(`exit ${JSON.stringify(this.exited)}, expected signal ${signal}`);
    if (/Sanitizer|runtime error:/.test(this.stderr) || !(stderr ? stderr.test(this.stderr) : this.stderr === '')) problems.push(`stderr:\n${this.stderr}`);
    if (!this.expected.dropped && !await eventually(() => this.accepted === this.updates().length)) problems.push(`the SDK accepted ${this.accepted} of ${this.updates().length} updates`);
    if (this.v2) problems.push(...brokenV2Rules(this.messages));
    else for (const call of this.calls()) if (!call.announced) problems.push(`tool call ${call.toolCallId} was updated before it was announced`);
    return problems;
  }
}
