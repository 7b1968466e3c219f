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

test('a plan that was approved with a cleared context is loaded with what followed', async (t) => {
  const world = await t.world({
    settings: { permissions: { defaultMode: 'plan' } },
    model: { main: [
      [{ type: 'tool_use', id: 'toolu_w', name: 'Write', input: { file_path: '$PLAN_FILE', content: '# Plan\n' } }],
      [{ type: 'tool_use', id: 'toolu_p', name: 'ExitPlanMode', input: {} }],
      [{ type: 'text', text: 'Built.' }],
    ] },
  });
  const first = await world.session({ permissions: () => 'exit-plan-clear-auto' });
  assert.equal((await first.prompt('plan it')).stopReason, 'end_turn');
  await first.end();
  const second = world.start();
  await second.initialize();
  await second.ask('session/load', { sessionId: first.session, cwd: world.workspace, mcpServers: [] });
  assert.equal(second.text(first.session), 'Built.');
  assert.deepEqual(said(second, first.session).filter((text) => text === 'plan it'), []);
});
