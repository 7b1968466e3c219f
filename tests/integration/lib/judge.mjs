// What the expressions of a case see of its run, and which of them do not hold.
import { applyPatch } from './apply-patch.mjs';

const textOf = (update) => (update.sessionUpdate === 'agent_message_chunk' ? update.content.text ?? '' : '');
const words = ({ content }) => (typeof content === 'string' ? content : content.filter((b) => b.type === 'text').map((b) => b.text).join('\n'));

function view(run, profile) {
  const t = run.trace, updates = t.filter((m) => m.dir === 'notify' && m.method === 'session/update');
  const texts = {};
  for (const { params: { sessionId, update } } of updates) texts[sessionId] = (texts[sessionId] ?? '') + textOf(update);
  const text = updates.map((m) => textOf(m.params.update)).join('');
  const asked = t.filter((m) => m.dir === 'request');
  const main = run.model.requests.filter(({ body }) => (body?.tools?.length ?? 0) > 3);
  return {
    t, updates, text, texts, profile, main, applyPatch,
    r: { sessions: run.sessions, files: run.files, api: run.model.requests, ws: run.world.workspace, home: run.world.home },
    air: (update) => update._meta?.jetbrains?.air,
    all: (kind) => updates.map((m) => m.params.update).filter((update) => update.sessionUpdate === kind),
    resp: (method, n = 0) => t.filter((m) => m.dir === 'response' && m.method === method).at(n),
    tool: (id) => {
      const own = updates.map((m) => m.params.update).filter((update) => update.toolCallId === id);
      return { ...Object.assign({}, ...own), updates: own };
    },
    perms: asked.filter((m) => m.method === 'session/request_permission').map((m) => m.params),
    forms: asked.filter((m) => m.method === 'elicitation/create').map((m) => m.params),
    toCli: t.filter((m) => m.dir === 'to-cli').map((m) => m.message),
    answers: t.filter((m) => m.dir === 'answer'),
    modes: updates.filter((m) => m.params.update.sessionUpdate === 'current_mode_update').map((m) => m.params.update.currentModeId),
    users: main.map(({ body }) => body.messages.filter((m) => m.role === 'user').map(words)),
    sent: JSON.stringify(main.map(({ body }) => body.messages)),
    count: (part, whole = text) => whole.split(part).length - 1,
    after: (test) => t.slice(t.findIndex(test) + 1),
  };
}

// The expectations that do not hold, with what can be said of them.
export function broken(run, profile, expected) {
  const seen = view(run, profile);
  return Object.entries(expected).flatMap(([what, expression]) => {
    try {
      if (new Function(...Object.keys(seen), `return (${expression})`)(...Object.values(seen))) return [];
    } catch (error) { return [`${what}: ${error}`]; }
    return [`${what}: ${expression}\n  text: ${JSON.stringify(seen.text).slice(0, 400)}`];
  });
}
