// A client that looks at the agent's bytes itself: every line must be UTF-8, JSON and JSON-RPC. Texts are handed on and not
// kept, and it can stop reading. For all else there is Agent.
import { isUtf8 } from 'node:buffer';
import { spawn } from 'node:child_process';
import { SOON } from './wait.mjs';

export class RawClient {
  constructor(world, env = {}) {
    this.stderr = '';
    this.problem = null;
    this.answers = new Map(); // id -> how the request ends
    this.lastId = 0;
    this.onText = () => {}; // (session, kind, text)
    const [command, ...args] = world.options.command;
    this.child = spawn(command, args, { cwd: world.workspace, env: world.environment(env), stdio: ['pipe', 'pipe', 'pipe'] });
    this.child.stdin.on('error', () => {});
    this.child.stderr.on('data', (data) => { this.stderr += data; });
    this.gone = new Promise((done) => this.child.on('close', (code, signal) => { this.exited = { code, signal }; this.fail(new Error(`the agent ended (${code ?? signal}); stderr: ${this.stderr}`)); done(this.exited); }));
    let pieces = [];
    this.child.stdout.on('data', (data) => {
      for (let end; (end = data.indexOf(10)) >= 0; data = data.subarray(end + 1)) {
        const line = pieces.length ? Buffer.concat([...pieces, data.subarray(0, end)]) : data.subarray(0, end);
        pieces = [];
        try { this.line(line); } catch (error) { this.problem ??= error; this.fail(error); }
      }
      if (data.length) pieces.push(data);
    });
    world.agents.push(this);
  }

  get pid() { return this.child.pid; }
  pause() { this.child.stdout.pause(); }
  resume() { this.child.stdout.resume(); }

  line(bytes) {
    if (!isUtf8(bytes)) throw new Error(`not UTF-8 on stdout: ${bytes.toString('latin1').slice(0, 300)}`);
    const message = JSON.parse(bytes.toString());
    if (message.jsonrpc !== '2.0') throw new Error(`no JSON-RPC version: ${bytes.toString().slice(0, 300)}`);
    const update = message.method === 'session/update' ? message.params.update : null;
    if (update?.sessionUpdate === 'agent_message_chunk' || update?.sessionUpdate === 'agent_thought_chunk') {
      this.onText(message.params.sessionId, update.sessionUpdate === 'agent_message_chunk' ? 'text' : 'thinking', update.content.text);
    } else if (message.method === undefined) {
      const { done, fail } = this.answers.get(message.id);
      this.answers.delete(message.id);
      if (message.error) fail(new Error(JSON.stringify(message.error)));
      else done(message.result);
    }
  }

  fail(error) { for (const { fail } of this.answers.values()) fail(error); }

  tell(method, params) { this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`); }
  ask(method, params) {
    const id = ++this.lastId;
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const answer = new Promise((done, fail) => this.answers.set(id, { done, fail }));
    answer.catch(() => {}); // whoever waits for it sees it
    return answer;
  }
  prompt(session, text) { return this.ask('session/prompt', { sessionId: session, prompt: [{ type: 'text', text }] }); }

  // Ends the agent and says what was wrong with it.
  async finish() {
    const problems = [];
    this.resume();
    this.child.stdin.end();
    const timer = setTimeout(() => { problems.push('the agent did not end'); this.child.kill('SIGKILL'); }, SOON);
    const { code, signal } = await this.gone;
    clearTimeout(timer);
    if (this.problem) problems.push(this.problem.message);
    if (code !== 0) problems.push(`exit ${code ?? signal}`);
    if (this.stderr) problems.push(`stderr:\n${this.stderr}`);
    return problems;
  }
}
