// A turn of plain text without end, to see what becomes of it when nobody reads: every delta begins with its number.
const MESSAGE = 256 * 1024; // UTF-16 units, when its deltas are no longer

export const floodText = (n, size) => `${n};`.padEnd(size, 'some text of no interest, with "quotes", \u00e9 and \u20ac\n');

// Yields lines for ever, `size` UTF-16 units of text in each delta. A message is repeated whole like the CLI does it.
export function* floodTurn(size) {
  const line = (members) => Buffer.from(`${JSON.stringify({ session_id: 's', parent_tool_use_id: null, uuid: 'u', ...members })}\n`);
  const event = (of) => line({ type: 'stream_event', event: of });
  const head = (id, content) => ({ id, type: 'message', role: 'assistant', model: 'm', content, usage: { input_tokens: 1, output_tokens: 1 } });
  for (let n = 0, message = 0; ; message++) {
    let whole = '';
    yield event({ type: 'message_start', message: head(`msg_${message}`, []) });
    yield event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
    for (let i = 0; i < Math.max(1, MESSAGE / size); i++, n++) {
      whole += floodText(n, size);
      yield event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: floodText(n, size) } });
    }
    yield line({ type: 'assistant', message: head(`msg_${message}`, [{ type: 'text', text: whole }]) });
    yield event({ type: 'content_block_stop', index: 0 });
  }
}
