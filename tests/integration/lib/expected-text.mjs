// What a client must be shown of the CLI's raw lines, by the rules alone: a line is UTF-8 in which every invalid part
// counts as U+FFFD, what is no JSON object means nothing, strings are sequences of UTF-16 units, each delta goes out as
// it comes, and a complete message brings only what was not streamed. JavaScript's own decoder and parser do the work.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function parsed(line) {
  try { const value = JSON.parse(decoder.decode(line)); return value && typeof value === 'object' && !Array.isArray(value) ? value : null; } catch { return null; }
}

// Yields { kind: 'text' | 'thinking', text } for each piece.
export function* expectedText(lines) {
  let streamed = []; // of the present message: { index, kind, text }
  function* delta(index, kind, text) {
    if (!text) return;
    const last = streamed.at(-1);
    if (last && last.index === index && last.kind === kind) last.text += text;
    else streamed.push({ index, kind, text });
    yield { kind, text };
  }
  function* complete(kind, text) {
    if (!text) return;
    const prefix = streamed[0]?.kind === kind && text.startsWith(streamed[0].text) ? streamed.shift().text : '';
    if (text.length > prefix.length) yield { kind, text: text.slice(prefix.length) };
  }
  for (const line of lines) {
    const frame = parsed(line), event = frame?.event;
    if (frame?.type === 'stream_event' && event.type === 'message_start') streamed = [];
    else if (frame?.type === 'stream_event' && event.type === 'content_block_start') yield* delta(event.index, event.content_block.type, event.content_block[event.content_block.type]);
    else if (frame?.type === 'stream_event' && event.type === 'content_block_delta' && event.delta.type === 'text_delta') yield* delta(event.index, 'text', event.delta.text);
    else if (frame?.type === 'stream_event' && event.type === 'content_block_delta' && event.delta.type === 'thinking_delta') yield* delta(event.index, 'thinking', event.delta.thinking);
    else if (frame?.type === 'assistant') {
      for (const block of frame.message.content) yield* complete(block.type, block[block.type]);
      streamed = [];
    }
  }
}
