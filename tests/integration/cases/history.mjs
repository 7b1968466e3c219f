// Stored sessions across the life of agents.
import assert from 'node:assert/strict';
import { test } from '../lib/registry.mjs';

const said = (agent, session) => agent.updates(session).filter((u) => u.sessionUpdate === 'user_message_chunk').map((u) => u.content.text);

test('a session whose context was cleared is loaded with its last conversation', async (t) => {
  const world = await t.world({ model: { main: [[{ type: 'text', text: 'One.' }], [{ type: 'text', text: 'Two.' }]] } });
  const first = await world.session();
  await first.prompt('before');
  await first.prompt('/clear');
  await first.prompt('after');
  await first.end();
  const second = world.start();
  await second.initialize();
  await second.ask('session/load', { sessionId: first.session, cwd: world.workspace, mcpServers: [] });
  const texts = said(second, first.session);
  assert.ok(texts.includes('after'), JSON.stringify(texts));
  assert.ok(!texts.includes('before'), JSON.stringify(texts));
  assert.equal(second.text(first.session), 'Two.');
});

// A plan is written, asked about and carried out.
const planned = {
  settings: { permissions: { defaultMode: 'plan' } },
  model: { main: [
    [{ type: 'tool_use', id: 'toolu_w', name: 'Write', input: { file_path: '$PLAN_FILE', content: '# Plan\n' } }],
    [{ type: 'tool_use', id: 'toolu_p', name: 'ExitPlanMode', input: {} }],
    [{ type: 'text', text: 'Built.' }],
  ] },
};

test('a plan that was approved with a cleared context is loaded with what followed', async (t) => {
  const world = await t.world(planned);
  const first = await world.session({ permissions: () => 'exit-plan-clear-auto' });
  assert.equal((await first.prompt('plan it')).stopReason, 'end_turn');
  await first.end();
  const second = world.start();
  await second.initialize();
  await second.ask('session/load', { sessionId: first.session, cwd: world.workspace, mcpServers: [] });
  assert.equal(second.text(first.session), 'Built.');
  assert.deepEqual(said(second, first.session).filter((text) => text === 'plan it'), []);
});

test('a plan that was approved is shown again as a plan', async (t) => {
  const world = await t.world(planned);
  const plans = (agent, session) => agent.updates(session).filter((u) => u.sessionUpdate === 'plan_update').map((u) => u.plan);
  const first = await world.session({ client: 'planner', permissions: () => 'exit-plan-default' });
  await first.prompt('plan it');
  assert.deepEqual(plans(first, first.session), [{ type: 'markdown', planId: 'plan-mode', content: '# Plan' }]);
  await first.end();
  const second = world.start({ client: 'planner' });
  await second.initialize('planner');
  await second.ask('session/load', { sessionId: first.session, cwd: world.workspace, mcpServers: [] });
  assert.deepEqual(plans(second, first.session), plans(first, first.session));
});

async function delegated(t, client) {
  const launch = (id, description, prompt) => ({ type: 'tool_use', id, name: 'Agent', input: { description, prompt, subagent_type: 'general-purpose', run_in_background: false } });
  const world = await t.world({
    settings: { permissions: { defaultMode: 'default', allow: ['Bash(echo:*)'] } },
    model: {
      main: [[launch('toolu_outer', 'Outer', 'OUTER: look.')], [{ type: 'text', text: 'Done.' }]],
      agents: {
        OUTER: [[launch('toolu_inner', 'Inner', 'INNER: look closer.')], [{ type: 'text', text: 'Outer report.' }]],
        INNER: [[{ type: 'tool_use', id: 'toolu_echo', name: 'Bash', input: { command: 'echo inner', description: 'Say inner' } }], [{ type: 'text', text: 'Inner report.' }]],
      },
    },
  });
  const first = await world.session({ client });
  assert.equal((await first.prompt('delegate')).stopReason, 'end_turn');
  await first.end();
  const second = world.start({ client });
  await second.initialize(client);
  await second.ask('session/load', { sessionId: first.session, cwd: world.workspace, mcpServers: [] });
  return { first, second };
}

test('the subagents of a loaded session are sessions again, each in the one that launched it', async (t) => {
  const { first, second } = await delegated(t, 'air');
  const outer = `${first.session}:replay-subagent:toolu_outer`, inner = `${first.session}:replay-subagent:toolu_inner`;
  const told = (session) => second.updates(session).filter((u) => u.subagentSessionId).map((u) => [u.sessionUpdate, u.subagentSessionId, u.name ?? u.state]);
  assert.deepEqual(told(first.session), [['subagent_spawned', outer, 'Outer'], ['subagent_state_update', outer, 'completed']]);
  assert.deepEqual(told(outer), [['subagent_spawned', inner, 'Inner'], ['subagent_state_update', inner, 'completed']]);
  assert.equal(second.text(first.session), 'Done.');
  assert.equal(second.text(outer), 'Outer report.');
  assert.equal(second.text(inner), 'Inner report.');
  assert.deepEqual(said(second, inner), ['INNER: look closer.']);
  assert.deepEqual(second.calls(first.session), []);
  assert.equal(second.call('toolu_echo', inner).status, 'completed');
});

test('in the form of the draft they are the same sessions again, in the end as they ended', async (t) => {
  const { first, second } = await delegated(t, 'delegator');
  const told = (agent, session) => agent.updates(session).filter((u) => ['subagent_update', 'session_message'].includes(u.sessionUpdate)).map(({ sessionUpdate, ...members }) => members);
  const outer = told(first, first.session)[0].sessionId;
  const inner = told(first, outer).find((u) => u.sessionId).sessionId;
  for (const session of [first.session, outer, inner]) assert.deepEqual(told(second, session), told(first, session));
  assert.deepEqual(told(second, outer)[0].content, [{ type: 'text', text: 'OUTER: look.' }]);
  assert.deepEqual(told(second, first.session).at(-1).state, { state: 'idle', stopReason: 'end_turn' });
  assert.equal(second.text(outer), 'Outer report.');
  assert.equal(second.text(inner), 'Inner report.');
  assert.deepEqual(said(second, inner), []);
  assert.equal(second.call('toolu_outer', first.session).status, 'completed');
  assert.equal(second.call('toolu_inner', outer).status, 'completed');
  assert.equal(second.call('toolu_echo', inner).status, 'completed');
  const loaded = second.messages.findIndex((m) => m.kind === 'response' && m.method === 'session/load');
  assert.ok(second.messages.findLastIndex((m) => m.params?.update?.sessionUpdate === 'subagent_update') < loaded);
});

test('a session that was renamed keeps its title', async (t) => {
  const world = await t.world({ model: { main: ['One.', 'Two.', 'Three.'].map((text) => [{ type: 'text', text }]) } });
  const agent = await world.session();
  const titles = () => agent.updates().filter((u) => u.sessionUpdate === 'session_info_update' && u.title).map((u) => u.title);
  await agent.prompt('what is it that we do here?');
  await agent.until(() => titles().length === 1, 'a title');
  assert.equal(titles()[0], 'A scripted title');
  const folder = `${world.config}/projects/${world.workspace.replace(/[^a-zA-Z0-9]/g, '-')}`;
  const file = `${folder}/${agent.session}.jsonl`;
  world.write(file, `${world.read(file)}${JSON.stringify({ type: 'custom-title', customTitle: 'Mine', sessionId: agent.session })}\n`);
  await agent.prompt('and now?');
  await agent.until(() => titles().length === 2, 'another title');
  assert.equal(titles()[1], 'Mine');
  // Also for who opens it later.
  const later = world.start();
  await agent.end();
  await later.initialize();
  await later.ask('session/resume', { sessionId: agent.session, cwd: world.workspace, mcpServers: [] });
  await later.prompt('and then?', agent.session);
  const found = await later.untilUpdate((u) => u.sessionUpdate === 'session_info_update' && u.title, 'a title');
  assert.equal(found.title, 'Mine');
  const { sessions } = await later.ask('session/list', { cwd: world.workspace });
  assert.equal(sessions[0].title, 'Mine');
});
