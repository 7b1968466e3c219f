// A scripted stand-in for the Anthropic Messages API, on loopback only.
//
// It plays the model's side of a conversation, so that the real Claude Code CLI runs from end to end without an
// account and without a network. Every request it sees is kept in `requests`.
//
// A script is { main: [step…], agents: { "some words": [step…] }, side: step }. A conversation whose first user message
// holds one of the words takes its steps from that list (that is how subagents get their own), every other one from
// `main`. A request with at most three tools is one that the CLI makes beside the conversation (a title, a
// classification); it gets `side`, or a title. A step is
//   [block…]                                        the blocks of the answer: text, thinking, tool_use, …
//   { blocks, id, stop, stopDetails, usage, delayMs, gapMs, hang, cut }
//       id       that of the message; null: none
//       delayMs  waits before the answer begins       gapMs  waits between two pieces
//       hang     never ends the answer                cut    drops the connection before its end
//   { error: { status, type, message, headers } }     an error of the API
// A text or thinking block may have `slice`, the letters of one streamed piece (12), a text `whole`: true to come at once. `$PLAN_FILE` stands for the plan file
// that the CLI has named.
import http from 'node:http';

const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const pieces = (text, size) => text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'gu')) ?? [];

// The first thing that the user said, without what the CLI adds to it.
function openingWords(messages = []) {
  for (const message of messages.filter((m) => m.role === 'user')) {
    const texts = typeof message.content === 'string' ? [message.content] : message.content.filter((b) => b.type === 'text').map((b) => b.text);
    const own = texts.filter((text) => !text.startsWith('<system-reminder>'));
    if (own.length) return own.join('\n');
  }
  return '';
}

// The stream events of one block: its start, its pieces, its end.
function blockEvents(block, index) {
  const start = (content_block) => ['content_block_start', { index, content_block }];
  const delta = (d) => ['content_block_delta', { index, delta: d }];
  const end = ['content_block_stop', { index }];
  switch (block.type) {
    case 'text':
      if (block.whole) return [start({ type: 'text', text: block.text }), end];
      return [start({ type: 'text', text: '' }), ...pieces(block.text, block.slice ?? 12).map((text) => delta({ type: 'text_delta', text })), end];
    case 'thinking':
      return [start({ type: 'thinking', thinking: '', signature: '' }),
        ...pieces(block.thinking, block.slice ?? 12).map((thinking) => delta({ type: 'thinking_delta', thinking })),
        delta({ type: 'signature_delta', signature: 'c2ln' }), end];
    case 'tool_use': case 'server_tool_use': case 'mcp_tool_use':
      return [start({ type: block.type, id: block.id, name: block.name, input: {} }),
        ...pieces(JSON.stringify(block.input ?? {}), block.slice ?? 24).map((partial_json) => delta({ type: 'input_json_delta', partial_json })), end];
    default: // comes whole
      return [start(block), end];
  }
}

export async function startModel(script = {}) {
  const requests = [], taken = new Map();
  let messages = 0, asides = 0;

  function nextStep(body) {
    const opening = openingWords(body.messages);
    const words = Object.keys(script.agents ?? {}).find((key) => opening.includes(key)) ?? '';
    const steps = words ? script.agents[words] : script.main ?? [];
    const at = taken.get(words) ?? 0;
    taken.set(words, at + 1);
    return steps[at] ?? [{ type: 'text', text: '(the script ends here)' }];
  }

  async function answer(body, response) {
    const aside = (body.tools?.length ?? 0) <= 3;
    let step = aside ? script.side ?? { blocks: [{ type: 'text', text: '{"title":"A scripted title"}' }], usage: { input_tokens: 0, output_tokens: 0 } } : nextStep(body);
    if (JSON.stringify(step).includes('$PLAN_FILE')) { // the search takes long in a long prompt
      const planFile = /[^\s"'`\\]*\/plans\/[^\s"'`\\]+\.md/.exec(JSON.stringify(body))?.[0];
      if (planFile) step = JSON.parse(JSON.stringify(step).replaceAll('$PLAN_FILE', planFile));
    }
    if (Array.isArray(step)) step = { blocks: step };
    if (step.delayMs) await wait(step.delayMs);
    const reply = (status, value, headers) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
    if (step.error) {
      const { status = 500, type = 'api_error', message = 'scripted error', headers } = step.error;
      return reply(status, { type: 'error', error: { type, message } }, headers);
    }
    const { blocks = [] } = step;
    const own = aside ? `msg_aside_${++asides}` : `msg_${++messages}`;
    const id = step.id === undefined ? own : step.id ?? undefined;
    const stop_reason = step.stop ?? (blocks.some((b) => b.type === 'tool_use') ? 'tool_use' : 'end_turn');
    const usage = { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, ...step.usage };
    const message = { id, type: 'message', role: 'assistant', model: body.model, content: [], stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } };
    if (!body.stream) return reply(200, { ...message, content: blocks, stop_reason, usage });

    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    send('message_start', { message });
    for (const [index, block] of blocks.entries()) {
      for (const [type, data] of blockEvents(block, index)) {
        send(type, data);
        if (step.gapMs) await wait(step.gapMs);
      }
    }
    if (step.cut) return response.destroy();
    if (step.hang) return; // until the CLI gives up or is interrupted
    send('message_delta', { delta: { stop_reason, stop_sequence: null, ...(step.stopDetails && { stop_details: step.stopDetails }) }, usage: { output_tokens: usage.output_tokens } });
    send('message_stop', {});
    response.end();
  }

  const server = http.createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      let body = null;
      try { body = JSON.parse(Buffer.concat(chunks)); } catch { /* answered below */ }
      requests.push({ method: request.method, url: request.url, headers: request.headers, body });
      const other = (status, value) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      if (request.url.includes('count_tokens')) other(200, { input_tokens: 100 });
      else if (request.method === 'POST' && request.url.startsWith('/v1/messages') && body) answer(body, response);
      else other(404, { type: 'error', error: { type: 'not_found_error', message: 'no such endpoint here' } });
    });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    // What the conversation itself asked, without the CLI's side questions.
    turns: () => requests.map((r) => r.body).filter((b) => (b?.tools?.length ?? 0) > 3),
    close() { server.closeAllConnections(); server.close(); },
  };
}

// The environment in which the CLI talks to this model and to nothing else.
export const modelEnvironment = (model) => ({
  ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'sk-ant-scripted',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1', DISABLE_TELEMETRY: '1', IS_SANDBOX: '1',
});
