// The surroundings of one test: a workspace, a home and a configuration folder of its own, a scripted model, and the
// agents that were started in them. Everything is gone when the test is over; what an agent left behind is a failure.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { modelEnvironment, startModel } from '../../model/model.mjs';
import { Agent } from './agent.mjs';
import { makeFiles } from './case-files.mjs';
import { eventually, sleep } from './wait.mjs';

const fixtures = fileURLToPath(new URL('../fixtures', import.meta.url));

export class World {
  constructor(options) {
    this.options = options; // the runner's: command, claude, sanitized, verbose
    this.root = realpathSync(mkdtempSync(join(tmpdir(), 'herald-test-')));
    this.workspace = join(this.root, 'workspace');
    this.home = join(this.root, 'home');
    this.config = join(this.home, '.claude');
    mkdirSync(this.workspace);
    mkdirSync(this.config, { recursive: true });
    this.agents = [];
    this.models = [];
  }

  // `$WS` and `$HOME` in data stand for this world's folders, `$WS_SLUG` for the name that the CLI makes of the workspace,
  // `$NODE` and `$FIXTURES` for what MCP servers are run with.
  filled(data) {
    return data === undefined ? undefined : JSON.parse(JSON.stringify(data).replaceAll('$WS_SLUG', this.workspace.replace(/[^a-zA-Z0-9]/g, '-')).replaceAll('$WS', this.workspace).replaceAll('$HOME', this.home)
      .replaceAll('$NODE', process.execPath).replaceAll('$FIXTURES', fixtures));
  }

  path(name) { return name.startsWith('/') ? name : join(this.workspace, name); }
  read(name) { return existsSync(this.path(name)) ? readFileSync(this.path(name), 'utf8') : null; }
  write(name, text, mode) {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text, mode ? { mode } : {});
    return this.path(name);
  }

  // Files of the workspace (see case-files.mjs), the user's settings and what the model will say.
  async prepare({ settings = {}, model = {}, ...data } = {}) {
    makeFiles(this, this.filled(data));
    writeFileSync(join(this.config, 'settings.json'), JSON.stringify(this.filled(settings)));
    this.model = await startModel(this.filled(model));
    this.models.push(this.model);
    return this;
  }

  environment(extra = {}) {
    const all = {
      PATH: process.env.PATH, HOME: this.home, CLAUDE_CONFIG_DIR: this.config, LANG: 'C.UTF-8', TERM: 'dumb', TMPDIR: this.root,
      CLAUDE_CODE_EXECUTABLE: this.options.claude, HERALD_TEST_WORLD: this.root,
      ...(this.model ? modelEnvironment(this.model) : {}),
      ...Object.fromEntries(['ASAN_OPTIONS', 'UBSAN_OPTIONS', 'HERALD_MUTANT', 'HERALD_MUTANT_TOUCHED'].filter((name) => process.env[name]).map((name) => [name, process.env[name]])),
      ...extra,
    };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null && value !== undefined));
  }

  // Starts an agent. Options: client (a name), env, permissions, args, cwd, wrap; see Agent.
  start(options = {}) {
    const agent = new Agent({ command: this.options.command, cwd: this.workspace, ...options, verbose: this.options.verbose, foreign: this.options.foreign, env: options.bareEnv ?? this.environment(options.env) });
    this.agents.push(agent);
    return agent;
  }

  // Starts an agent, initializes it and opens a session in the workspace.
  async session(options = {}) {
    const agent = this.start(options);
    await agent.initialize(options.client ?? 'plain');
    agent.session = await agent.newSession({ cwd: this.workspace, mcpServers: this.filled(options.mcpServers ?? []) });
    return agent;
  }

  // Ids of the processes that live in this world, whoever their parent is by now.
  processes() {
    const mark = `HERALD_TEST_WORLD=${this.root}`;
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => {
      try { return pid !== process.pid && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark); } catch { return false; }
    });
  }

  describe(pid) {
    try { return `${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 200)}`; } catch { return String(pid); }
  }

  async close() {
    const problems = [];
    for (const agent of this.agents) problems.push(...await agent.finish());
    if (!await eventually(() => this.processes().length === 0)) {
      for (const pid of this.processes()) {
        problems.push(`still running: ${this.describe(pid)}`);
        try { process.kill(pid, 'SIGKILL'); } catch { /* gone */ }
      }
    }
    for (const model of this.models) model.close();
    for (let i = 0; i < 20; i++) try { rmSync(this.root, { recursive: true, force: true }); break; } catch { await sleep(50); }
    return problems;
  }
}
