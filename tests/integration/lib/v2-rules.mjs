// What must hold of everything that an agent says on ACP v2; answers with what does not.
export function brokenV2Rules(messages) {
  const broken = [];
  const states = new Map(), terminals = new Set(), named = new Map(), stored = new Map();
  const rule = (holds, what, message) => { if (!holds) broken.push(`v2: ${what}: ${JSON.stringify(message).slice(0, 300)}`); };

  function diffs(items, message) {
    for (const item of items ?? []) {
      if (item.type === 'terminal') rule(terminals.has(item.terminalId), 'a terminal is shown that was not told of', message);
      if (item.type === 'diff') rule(item.changes.every(({ path }) => path.startsWith('/')), 'a changed file has no absolute path', message);
    }
  }

  function state(session, update, message) {
    const before = states.get(session) ?? 'idle';
    rule(update.state !== before, 'a state is told twice', message);
    rule(before !== 'idle' || update.state === 'running', 'idle is followed by another state than running', message);
    states.set(session, update.state);
  }

  function tool(session, update, message) {
    const key = `${session} ${update.toolCallId}`;
    if (update.name !== undefined && update.status !== 'pending') rule(!named.has(key), 'a tool is named twice', message);
    if (update.name !== undefined) named.set(key, update.name);
    rule(named.has(key), 'a tool call has no name', message);
    rule(update._meta?.claudeCode?.toolName === undefined, '_meta repeats the name', message);
    for (const [field, value] of Object.entries(update)) rule(value !== null, `${field} is null`, message);
    const kept = stored.get(key) ?? {};
    if (update._meta && update.status !== 'pending') for (const name of Object.keys(kept)) rule(name in update._meta, `_meta loses ${name}`, message);
    if (update._meta) stored.set(key, update._meta);
    diffs(update.content, message);
  }

  for (const message of messages) {
    const { method, params } = message;
    rule(!/^(fs|terminal)\//.test(method ?? ''), 'the client is asked for files or terminals', message);
    if (method === 'session/request_permission') {
      rule(params.title && params.subject?.type === 'tool_call' && !params.toolCall, 'a permission request lacks its title or subject', message);
      rule(named.has(`${params.sessionId} ${params.subject?.toolCall?.toolCallId}`), 'a permission request is about a call that was not announced', message);
      diffs(params.subject?.toolCall?.content, message);
    }
    const update = method === 'session/update' ? params.update : null;
    if (!update) continue;
    const kind = update.sessionUpdate;
    rule(!['tool_call', 'plan', 'current_mode_update'].includes(kind), `${kind} is of v1`, message);
    if (/_(message|thought)_chunk$/.test(kind)) rule(update.messageId, 'a chunk has no message', message);
    if (kind === 'state_update') state(params.sessionId, update, message);
    if (kind === 'terminal_update') terminals.add(update.terminalId);
    if (kind === 'tool_call_update') tool(params.sessionId, update, message);
    for (const data of [update.output?.data, kind === 'terminal_output_chunk' ? update.data : undefined]) {
      if (data !== undefined) rule(Buffer.from(data, 'base64').toString('base64') === data, 'output is not base64', message);
    }
  }
  for (const [session, last] of states) rule(last === 'idle', 'the last state is not idle', { session, last });
  return broken;
}
