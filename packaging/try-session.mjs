// A small ACP client for a terminal: starts Herald, sends one prompt and prints the session as a person reads it.
//
// Usage: try-session.mjs HERALD yes|no [PROMPT...]
// "yes": the example with the scripted model, in a home and folder of its own. "no": the user's account; with a prompt in
// the current folder, else the example in a folder of its own. Runs on Node.js 18 and newer, without packages.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { modelEnvironment, startModel } from '../tests/model/model.mjs';

const [herald, scriptedWord, ...words] = process.argv.slice(2);
const scripted = scriptedWord === 'yes';
const colours = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code) => (text) => (colours ? `\x1b[${code}m${text}\x1b[0m` : text);
const [bold, dim, red, green, blue] = [1, 2, 31, 32, 34].map(paint);
// What comes from tools and files must not control the terminal.
const harmless = (text) => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '\ufffd');

// ---- the surroundings

const temporary = scripted || words.length === 0;
const root = temporary ? realpathSync(mkdtempSync(join(tmpdir(), 'herald-try-'))) : null;
const workspace = temporary ? join(root, 'workspace') : process.cwd();
const example = JSON.parse(readFileSync(new URL('./try-example.json', import.meta.url), 'utf8').replaceAll('$WS', workspace));
const prompt = words.length ? words.join(' ') : example.prompt;
let environment = process.env, model = null;
if (temporary) {
  mkdirSync(workspace);
  for (const [name, text] of Object.entries(example.files)) writeFileSync(join(workspace, name), text, { mode: 0o755 });
}
if (scripted) {
  const home = join(root, 'home'), config = join(home, '.claude');
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, 'settings.json'), JSON.stringify(example.settings));
  model = await startModel(example.model);
  environment = {
    PATH: process.env.PATH, LANG: 'C.UTF-8', TERM: 'dumb', TMPDIR: root, HOME: home, CLAUDE_CONFIG_DIR: config,
    CLAUDE_CODE_EXECUTABLE: process.env.CLAUDE_CODE_EXECUTABLE, ...modelEnvironment(model),
  };
}
const cleanUp = () => { model?.close(); if (root) try { rmSync(root, { recursive: true, force: true, maxRetries: 5 }); } catch { /* the system's turn */ } };

// ---- the transcript

let open = null; // what the last thing printed without an end of line was: 'text' or 'thought'
const print = (text = '') => { if (open) process.stdout.write('\n'); open = null; process.stdout.write(`${text}\n`); };
function stream(kind, text) {
  if (open !== kind) {
    print();
    process.stdout.write(kind === 'text' ? bold('Claude: ') : dim('(thinking) '));
    open = kind;
  }
  process.stdout.write(kind === 'text' ? harmless(text) : dim(harmless(text)));
}
const indent = (text, most = 40) => {
  const lines = harmless(text).trimEnd().split('\n');
  for (const line of lines.slice(0, most)) print(`    ${line}`);
  if (lines.length > most) print(dim(`    (${lines.length - most} more lines)`));
};

// The lines of two texts side by side: [' ' | '-' | '+', line]…
function difference(before, after) {
  const a = before.split('\n'), b = after.split('\n');
  if (a.length * b.length > 4e6) return [...a.map((l) => ['-', l]), ...b.map((l) => ['+', l])];
  const common = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) for (let j = b.length - 1; j >= 0; j--) common[i][j] = a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  const lines = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && a[i] === b[j]) { lines.push([' ', a[i++]]); j++; } else if (i < a.length && (j === b.length || common[i + 1][j] >= common[i][j + 1])) lines.push(['-', a[i++]]);
    else lines.push(['+', b[j++]]);
  }
  return lines;
}

function showContent(content = []) {
  for (const item of content) {
    if (item.type === 'diff') {
      print(`    ${bold(harmless(item.path.startsWith(`${workspace}/`) ? item.path.slice(workspace.length + 1) : item.path))}`);
      for (const [sign, line] of difference((item.oldText ?? '').trimEnd(), (item.newText ?? '').trimEnd())) print(`    ${{ '-': red, '+': green, ' ': dim }[sign](`${sign} ${harmless(line)}`)}`);
    } else if (item.type === 'content' && item.content.type === 'text') indent(item.content.text.replace(/^```\w*\n([\s\S]*?)\n?```$/, '$1'));
    else if (item.type === 'content') print(dim(`    (${item.content.type})`));
  }
}

const calls = new Map();
function call(update) {
  const known = calls.get(update.toolCallId) ?? {};
  for (const [key, value] of Object.entries(update)) if (value !== null && value !== undefined) known[key] = value;
  calls.set(update.toolCallId, known);
  if (known.ended || !['completed', 'failed'].includes(known.status)) return;
  known.ended = true;
  print();
  print(`${known.status === 'completed' ? green('✓') : red('✗')} ${bold(harmless(known.title ?? known.toolCallId))} ${dim(`(${known.kind ?? 'other'}, ${known.status})`)}`);
  showContent(known.content);
}

const shown = {
  agent_message_chunk: (u) => u.content.type === 'text' && stream('text', u.content.text),
  agent_thought_chunk: (u) => u.content.type === 'text' && stream('thought', u.content.text),
  tool_call: call,
  tool_call_update: call,
  plan(u) {
    print();
    print(bold('Plan'));
    for (const entry of u.entries) print(`    ${{ completed: '[x]', in_progress: '[>]' }[entry.status] ?? '[ ]'} ${harmless(entry.content)}`);
  },
};

async function decide({ toolCall, options }) {
  const known = { ...calls.get(toolCall.toolCallId), ...Object.fromEntries(Object.entries(toolCall).filter(([, v]) => v !== null)) };
  print();
  print(`${blue('?')} ${bold(`Claude asks: may I ${{ execute: 'run', edit: 'change', read: 'read', fetch: 'fetch' }[known.kind] ?? 'do'} this?`)}  ${harmless(known.title ?? '')}`);
  showContent(known.content);
  let choice = options.find((o) => o.kind === 'allow_once') ?? options[0];
  if (process.stdin.isTTY && process.stdout.isTTY) {
    options.forEach((o, i) => print(`    ${i + 1}) ${harmless(o.name)}`));
    const question = createInterface({ input: process.stdin, output: process.stdout });
    question.on('SIGINT', stop);
    for (let picked = null; !picked;) {
      const answer = (await question.question(`    Your answer (1-${options.length}, Enter for 1): `)).trim();
      picked = answer === '' ? options[0] : options[Number(answer) - 1];
      if (picked) choice = picked;
    }
    question.close();
  } else {
    print(`    ${options.map((o) => harmless(o.name)).join(' / ')}`);
    print(`    Nobody is at a terminal to ask: the answer is "${harmless(choice.name)}".`);
  }
  return { outcome: { outcome: 'selected', optionId: choice.optionId } };
}

// ---- the connection

const started = process.hrtime.bigint();
const agent = spawn(herald, [], { cwd: workspace, env: environment, stdio: ['pipe', 'pipe', 'inherit'] });
const pending = new Map();
let nextId = 0, rest = '', session = null, stopping = false;
const send = (message) => agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const request = (method, params) => new Promise((resolve, reject) => { pending.set(nextId, { resolve, reject }); send({ id: nextId++, method, params }); });
const fail = (error) => { for (const { reject } of pending.values()) reject(error); pending.clear(); };
agent.stdin.on('error', () => {});
agent.on('error', (error) => fail(new Error(`cannot start ${herald}: ${error.message}`)));
const gone = new Promise((done) => agent.on('exit', (code, signal) => { fail(new Error(`Herald ended (${signal ?? `exit ${code}`})`)); done(code ?? signal); }));
agent.stdout.setEncoding('utf8');
agent.stdout.on('data', (data) => {
  const lines = (rest + data).split('\n');
  rest = lines.pop();
  for (const line of lines) receive(JSON.parse(line));
});

function receive(message) {
  if (message.method === 'session/update') return void shown[message.params.update.sessionUpdate]?.(message.params.update);
  if (message.method === 'session/request_permission') return void decide(message.params).then((result) => send({ id: message.id, result }));
  if (message.method && message.id !== undefined) return void send({ id: message.id, error: { code: -32601, message: 'Method not found' } });
  const waiting = pending.get(message.id);
  pending.delete(message.id);
  if (message.error) waiting?.reject(Object.assign(new Error(message.error.message), message.error));
  else waiting?.resolve(message.result);
}

// The first interrupt stops the turn, the second one everything.
function stop() {
  if (stopping || !session) { agent.kill('SIGTERM'); cleanUp(); process.exit(130); }
  stopping = true;
  print();
  print('Stopping the turn (once more: leave).');
  send({ method: 'session/cancel', params: { sessionId: session } });
}
process.on('SIGINT', stop);

const memory = () => { try { return (/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${agent.pid}/status`, 'utf8'))[1] / 1024).toFixed(1); } catch { return null; } };

let status = 1;
try {
  const { agentInfo } = await request('initialize', { protocolVersion: 1, clientInfo: { name: 'herald-try', version: '1.0.0' }, clientCapabilities: {} });
  const answered = Number(process.hrtime.bigint() - started) / 1e6;
  print(dim(`${agentInfo?.title ?? agentInfo?.name} ${agentInfo?.version} answered ${answered.toFixed(0)} ms after its start. Claude Code is starting in ${workspace} ...`));
  session = (await request('session/new', { cwd: workspace, mcpServers: [] })).sessionId;
  print();
  print(`${bold('You:')} ${prompt}`);
  const { stopReason } = await request('session/prompt', { sessionId: session, prompt: [{ type: 'text', text: prompt }] });
  print();
  const used = memory();
  print(dim(`The turn ended (${stopReason}).${used ? ` Herald's process uses ${used} MB.` : ''}`));
  agent.stdin.end();
  const code = await gone;
  status = code === 0 && (stopReason === 'end_turn' || stopping) ? 0 : 1;
  if (code !== 0) print(red(`Herald ended with ${code}.`));
  if (status === 0 && !words.length) print('To use Herald in an editor, see docs/clients/. To send a prompt of your own: packaging/try "your prompt"');
} catch (error) {
  print();
  print(red(`That failed: ${harmless(error.message)}`));
  if (error.data) print(harmless(JSON.stringify(error.data, null, 1)));
  agent.kill('SIGTERM');
}
cleanUp();
process.exit(status);
