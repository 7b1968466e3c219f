// Changes of the provider reach open sessions: another claude goes on with the conversation, under the new address.
import assert from 'node:assert/strict';
import { startModel } from '../../model/model.mjs';
import { test } from '../lib/registry.mjs';

const say = (text) => [{ type: 'text', text }];
const ask = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'touch asked', description: 'Touch' } };

// A world with a second model, which is reached through a provider only.
async function twoModels(t, first, second) {
  const world = await t.world({ model: { main: first } });
  const other = await startModel({ main: second });
  world.models.push(other);
  return { world, other };
}

const route = (model) => ({ providerId: 'main', apiType: 'anthropic', baseUrl: model.url, headers: { 'X-Route': 'other' } });
const texts = (request) => JSON.stringify(request.messages);

test('an open session goes on under another provider, and back', async (t) => {
  const { world, other } = await twoModels(t, [say('From the first.'), say('From the first again.')], [say('From the other.')]);
  const agent = await world.session();
  await agent.prompt('one');
  await agent.ask('providers/set', route(other));
  await agent.prompt('two');
  assert.equal(other.turns().length, 1);
  assert.match(texts(other.turns()[0]), /From the first\./, 'the conversation goes on');
  const seen = other.requests.find((r) => (r.body?.tools?.length ?? 0) > 3);
  assert.equal(seen.headers['x-route'], 'other');
  assert.match(seen.headers.authorization, /acp-proxy/);
  await agent.ask('providers/disable', { providerId: 'main' });
  await agent.prompt('three');
  assert.equal(agent.text(), 'From the first.From the other.From the first again.');
  assert.match(texts(world.model.turns().at(-1)), /From the other\./);
});

test('a session without a prompt goes on under another provider', async (t) => {
  const { world, other } = await twoModels(t, [], [say('Here.')]);
  const agent = await world.session();
  await agent.ask('session/set_mode', { sessionId: agent.session, modeId: 'acceptEdits' });
  await agent.ask('providers/set', route(other));
  await agent.prompt('one');
  assert.equal(agent.text(), 'Here.');
  assert.equal(world.model.turns().length, 0);
  const changed = agent.updates().filter((u) => u.sessionUpdate === 'current_mode_update');
  assert.deepEqual(changed, [], 'the mode stays');
});

// A turn that waits for the person, a change of the provider and what comes after them.
async function pending(t) {
  const { world, other } = await twoModels(t, [[ask], say('Asked.')], [say('Second.'), say('Third.')]);
  let allow;
  const answer = new Promise((done) => { allow = done; });
  const agent = await world.session({ permissions: () => answer });
  const order = [];
  const note = (name, promise) => promise.then((r) => { order.push(name); return r; });
  const first = note('first', agent.prompt('one'));
  await agent.until(() => agent.asked.length, 'a question');
  const set = note('set', agent.ask('providers/set', route(other)));
  const second = note('second', agent.prompt('two'));
  return { world, other, agent, allow, order, note, first, set, second };
}

test('a change of the provider waits for the running turn, and prompts and new sessions for the change', async (t) => {
  const { world, other, agent, allow, order, note, first, set, second } = await pending(t);
  const created = note('created', agent.newSession({ cwd: world.workspace }));
  const { providers } = await agent.ask('providers/list', {});
  assert.notEqual(providers[0].current.baseUrl, other.url, 'it has not taken effect');
  assert.deepEqual(order, []);
  allow('allow_once');
  assert.equal((await first).stopReason, 'end_turn');
  await set;
  assert.equal((await second).stopReason, 'end_turn');
  assert.deepEqual(order.slice(0, 2), ['first', 'set']);
  await agent.prompt('three', await created);
  assert.equal(agent.text(), 'Asked.Second.Third.');
  assert.equal(other.turns().length, 2);
});

test('a cancel while a change of the provider waits answers all prompts, and the change comes', async (t) => {
  const { other, agent, order, first, set, second } = await pending(t);
  await agent.cancel();
  assert.equal((await first).stopReason, 'cancelled');
  assert.equal((await second).stopReason, 'cancelled');
  await set;
  assert.equal(order.at(-1), 'set');
  await agent.prompt('three');
  assert.equal(other.turns().length, 1);
  assert.doesNotMatch(texts(other.turns()[0]), /"two"/, 'the cancelled prompt was never sent');
});

test('a session that is closed while a change of the provider waits holds up nothing', async (t) => {
  const { world, other, agent, first, set, second } = await pending(t);
  await agent.ask('session/close', { sessionId: agent.session });
  assert.equal((await first).stopReason, 'cancelled');
  assert.equal((await second).stopReason, 'cancelled');
  await set;
  await agent.prompt('three', await agent.newSession({ cwd: world.workspace }));
  assert.equal(other.turns().length, 1);
});

test('a session is loaded under the provider that was set meanwhile', async (t) => {
  const { world, other, agent, allow, first, set, second } = await pending(t);
  const loaded = agent.ask('session/load', { sessionId: agent.session, cwd: world.workspace, mcpServers: [] });
  allow('allow_once');
  await Promise.all([first, set, second, loaded]);
  await agent.prompt('three');
  assert.match(texts(other.turns().at(-1)), /Asked\./);
});

test('a logout takes open sessions back from the provider', async (t) => {
  const { world, other } = await twoModels(t, [say('From the first.')], [say('From the other.')]);
  const agent = world.start();
  await agent.initialize();
  await agent.ask('providers/set', route(other));
  agent.session = await agent.newSession({ cwd: world.workspace });
  await agent.prompt('one');
  await agent.ask('logout', {});
  await agent.prompt('two');
  assert.equal(agent.text(), 'From the other.From the first.');
  const { providers } = await agent.ask('providers/list', {});
  assert.equal(providers[0].current.baseUrl, world.model.url);
});
