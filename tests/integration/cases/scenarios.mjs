// The scenarios: one test for each JSON file in scenarios/ and each client that it names.
//
// A scenario: `about`; `clients`; `env` of the agent; `files`, `settings`, `model` (see World.prepare and the model); `mcpServers`;
// `permissions`, the answers of the person in turn (an option's kind or id, or "cancelled"; "allow_once" when the list
// is over); `prompts`, sent one after another; `expect`, and `expect-CLIENT` for what is different for one client:
//   text      all text of the answer           thought   all thinking
//   stop      the stop reasons of the prompts  calls     the tool calls (Agent.calls), in order
//   asked     the permission questions         files     the workspace afterwards (null: no such file)
//   updates   updates that must have come      plan      the last plan
//   plans     the plans of plan_update
//   children  the sessions of subagents, in the order in which they were announced: what announced them, its session's place
//             among them (-1: the root) as `on`, their `text` and `calls`, the questions `asked` there, their last `state`,
//             in the draft's form all `states`, also at each question, and what they were asked (`prompts`: [call, sender's
//             place, text])
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expectMatch } from '../lib/match.mjs';
import { test } from '../lib/registry.mjs';

const folder = fileURLToPath(new URL('../scenarios', import.meta.url));

for (const file of readdirSync(folder).filter((name) => name.endsWith('.json')).sort()) {
  const scenario = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  for (const client of scenario.clients ?? ['plain']) test(`${file.slice(0, -5)} (${client}): ${scenario.about}`, (t) => play(t, scenario, client));
}

async function play(t, scenario, client) {
  const world = await t.world(scenario);
  const choices = [...(scenario.permissions ?? [])];
  const agent = await world.session({ client, env: scenario.env, mcpServers: scenario.mcpServers, permissions: () => choices.shift() ?? 'allow_once' });
  const stop = [];
  for (const text of scenario.prompts ?? ['go']) stop.push((await agent.prompt(text)).stopReason);
  const expected = world.filled({ ...scenario.expect, ...scenario[`expect-${client}`] });
  const actual = {
    text: agent.text(agent.session), thought: agent.text(agent.session, 'agent_thought_chunk'), stop, calls: agent.calls(agent.session), asked: agent.asked,
    plan: agent.updates().findLast((u) => u.sessionUpdate === 'plan')?.entries,
    plans: agent.updates().filter((u) => u.sessionUpdate === 'plan_update').map((u) => u.plan), children: children(agent),
  };
  if (t.show) console.log(JSON.stringify(actual, null, 1));
  for (const [name, wanted] of Object.entries(expected)) {
    if (name === 'files') for (const [path, text] of Object.entries(wanted)) expectMatch(world.read(path), text, path);
    else if (name === 'updates') for (const update of wanted) expectMatch(agent.updates(), { $has: update }, 'updates');
    else expectMatch(actual[name], wanted, name);
  }
  for (const call of [...actual.calls, ...actual.children.flatMap((c) => c.calls)]) expectMatch(['completed', 'failed'].includes(call.status), true, `${call.toolCallId} has ended`);
}

function stateWhenAsked(agent, id, question) {
  const before = agent.messages.slice(0, agent.messages.findIndex((m) => m.params === question));
  return before.findLast((m) => m.params?.update?.sessionUpdate === 'subagent_update' && m.params.update.sessionId === id)?.params.update.state.state;
}

function children(agent) {
  const told = agent.messages.filter((m) => m.method === 'session/update' && m.params.update.sessionUpdate.startsWith('subagent_'))
    .map(({ params: { sessionId: on, update } }) => ({ on, id: update.subagentSessionId ?? update.sessionId, ...update }));
  const ids = [...new Set(told.map((u) => u.id))];
  return ids.map((id) => {
    const mine = told.filter((u) => u.id === id), prompts = agent.updates(id).filter((u) => u.sessionUpdate === 'session_message');
    return {
      ...mine[0], on: ids.indexOf(mine[0].on), text: agent.text(id), calls: agent.calls(id),
      asked: agent.asked.filter((q) => q.sessionId === id).map((q) => ({ ...q, state: stateWhenAsked(agent, id, q) })), state: mine.slice(1).at(-1)?.state, states: mine.map((u) => u.state?.state),
      prompts: prompts.map((p) => [p.messageId, ids.indexOf(p.senderSessionId), p.content.map((c) => c.text).join('')]),
    };
  });
}
