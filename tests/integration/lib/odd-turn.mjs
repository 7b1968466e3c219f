// The lines that the CLI writes in a turn whose text is as odd as it can be, made from a seed: every kind of Unicode,
// lone surrogates, NULs, bytes that are no UTF-8, cut into deltas between any two UTF-16 units, in every way that JSON
// can be written, with lines among them that mean nothing. What a reader must make of them is in expected-text.mjs.
import { Random } from './random.mjs';

const LONG = 10 * 1024 * 1024; // bytes of text in the longest lines, in a turn of three times as many

// ---- Text

const points = (first, last) => (r) => String.fromCodePoint(r.from(first, last));
const units = (first, last) => (r) => String.fromCharCode(r.from(first, last));
const few = (r, max, one) => Array.from({ length: r.from(1, max) }, () => one(r)).join('');

const scripts = [
  (r) => few(r, 200, points(0x20, 0x7e)),
  (r) => few(r, 8, points(0, 0x1f)),
  (r) => '\0'.repeat(r.from(1, 20)),
  (r) => few(r, 80, points(0x7f, 0x7ff)),
  (r) => few(r, 80, points(0x800, 0xcfff)),
  (r) => few(r, 40, points(0xd000, 0xd7ff)), // begin with the byte that surrogates would begin with
  (r) => few(r, 40, points(0xe000, 0xffff)),
  (r) => few(r, 40, points(0x10000, 0x10ffff)),
  (r) => few(r, 10, (q) => `${points(0x1f300, 0x1f9ff)(q)}\u{1f3fd}\u200d`),
  (r) => few(r, 5, (q) => `e${few(q, 12, points(0x300, 0x36f))}`),
  (r) => `\u202e${few(r, 20, points(0x5d0, 0x5ea))}\u2066${few(r, 20, points(0x621, 0x64a))}\u2069`,
  (r) => few(r, 6, (q) => q.pick(['\u2028', '\u2029', '\u0085', '\u007f', '\ufeff', '\ufffd', '\ufffe', '\uffff', '\ufdd0', '\u{1fffe}', '\u{10ffff}', '\ud7ff', '\ue000'])),
  (r) => few(r, 12, units(0xd800, 0xdfff)), // halves in any order
  (r) => few(r, 3, units(0xd800, 0xdbff)),
  (r) => units(0xdc00, 0xdfff)(r) + units(0xd800, 0xdbff)(r),
];

// Pieces of one long random text. They begin and end anywhere, also inside a character.
class Texts {
  constructor(r) {
    const parts = [];
    for (let n = 0; n < 1 << 20; n += parts.at(-1).length) parts.push(r.pick(scripts)(r));
    this.all = parts.join('');
    this.r = r;
  }
  piece(max) {
    const n = this.r.from(1, Math.min(max, this.all.length)), at = this.r.below(this.all.length - n + 1);
    return this.all.slice(at, at + n);
  }
  long(bytes) {
    const parts = [];
    for (let n = 0; n < bytes; n += Buffer.byteLength(parts.at(-1))) parts.push(this.piece(this.all.length));
    return parts.join('');
  }
}

const lengths = [1, 1, 30, 30, 300, 300, 300, 300, 3000, 3000, 3000, 20000, 20000, 400000];

// The beginning of a text, often up to the middle of a character.
function beginning(text, r) {
  const end = r.below(text.length), pair = r.chance(50) ? text.slice(end).search(/[\ud800-\udbff][\udc00-\udfff]/) : -1;
  return text.slice(0, pair < 0 ? end : end + pair + 1);
}

function cut(text, r) {
  const longest = r.pick(text.length < 500 ? [1, 2, 8, 500] : text.length < 30000 ? [100, 2000, 30000] : [5000, 100000, text.length]);
  const parts = [];
  for (let at = 0; at < text.length; at += parts.at(-1).length) parts.push(text.slice(at, at + r.from(Math.ceil(longest / 2), longest)));
  return parts;
}

// ---- JSON

const hex = (unit, r) => { const digits = unit.charCodeAt(0).toString(16).padStart(4, '0'); return `\\u${r.chance(50) ? digits : digits.toUpperCase()}`; };
const lone = /^[\ud800-\udfff]$/, must = /["\\\u0000-\u001f]/;

// The inside of a JSON string, in one of the many ways to write it. The slow ones are for short texts.
function inside(text, r) {
  const percent = text.length > 3000 || r.chance(40) ? 0 : r.pick([10, 50, 100]); // of what need not be escaped
  if (!percent) return Buffer.from(JSON.stringify(text).slice(1, -1));
  return Buffer.from(text.replace(/[\ud800-\udbff][\udc00-\udfff]|[^]/g, (c) => {
    if (!lone.test(c) && !must.test(c) && !r.chance(percent)) return c;
    return c === '/' ? '\\/' : c.split('').map((unit) => hex(unit, r)).join('');
  }));
}

const noUtf8 = ['80', 'bf', 'c0', 'c080', 'c3', 'e2', 'e282', 'e08080', 'eda080', 'edbfbf', 'eda0bdedb880', 'f0', 'f09f', 'f09f98', 'f0808080', 'f4908080', 'f5', 'f888808080', 'ff', 'fffe']
  .map((bytes) => Buffer.from(bytes, 'hex'));

// Puts bytes that are no UTF-8 anywhere between two bytes, also of one character or of one escape.
function damaged(content, r) {
  for (let n = r.from(1, 4); n; n--) {
    const at = r.below(content.length + 1);
    content = Buffer.concat([content.subarray(0, at), r.pick(noUtf8), content.subarray(at)]);
  }
  return content;
}

// Members are [name, value]; a value is JSON text or bytes of it.
function object(members, r) {
  const space = () => (r.chance(2) ? r.pick([' ', '  ', '\t', '\r', ' \t ']) : '');
  const out = [];
  for (const [name, value] of r.shuffle(members)) {
    if (r.chance(2)) out.push(Buffer.from(`,"${name}":"this is not the value"`)); // of equal names the last one counts
    out.push(Buffer.from(`${space()},${space()}"${name}"${space()}:${space()}`), Buffer.from(value));
  }
  out.push(Buffer.from(`${space()}}`));
  const all = Buffer.concat(out);
  all[all.indexOf(0x2c)] = 0x7b; // the first comma is the brace
  return all;
}

const string = (content) => Buffer.concat([Buffer.from('"'), content, Buffer.from('"')]);
const word = (text) => JSON.stringify(text);
const lineEnd = (json, r) => Buffer.concat([Buffer.from(r.chance(2) ? ' ' : ''), json, Buffer.from(r.chance(3) ? ' \r\n' : '\n')]);

// ---- Lines that mean nothing

const meaningless = [
  () => '', () => '   \t', () => '\r', () => 'npm warn something', () => '{"type":', () => '{}}', () => '[1,2', () => '17', () => 'null', () => '"text"', () => '[{"type":"assistant"}]',
  () => '{"type":"keep_alive"}', () => '{"type":"nothing that is known","text":"x"}', () => '{"type":"system","subtype":"thinking_tokens","estimated_tokens":5}', () => '{"type":null}',
  (c) => `{"type":"stream_event","event":{"type":"content_block_delta","index":${c.index},"delta":{"type":"text_delta","text":"cut of`,
  (c) => `{"type":"stream_event","event":{"type":"content_block_delta","index":${c.index},"delta":{"type":"text_delta","text":"\\ud83"}}}`,
  (c) => `{"type":"stream_event","event":{"type":"content_block_delta","index":${c.index},"delta":{"type":"text_delta","text":"\\x"}}}`,
  (c) => `{"type":"stream_event","event":{"type":"content_block_delta","index":${c.index},"delta":{"type":"text_delta","text":"a\0b"}}}`,
  (c) => `{"type":"stream_event","event":{"type":"content_block_delta","index":${c.index},"delta":{"type":"text_delta","text":""}}}`,
  (c) => `{"type":"stream_event","event":{"type":"content_block_delta","index":${c.index},"delta":{"type":"signature_delta","signature":"text"}}}`,
  (c) => `\ufeff{"type":"stream_event","event":{"type":"content_block_delta","index":${c.index},"delta":{"type":"text_delta","text":"behind a mark"}}}`,
  (c) => Buffer.concat([Buffer.from('{"type":"stream_event"'), c.r.pick(noUtf8), Buffer.from(',"event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"between members"}}}')]),
];

// ---- The turn

class OddTurn {
  constructor(seed, bytes) {
    this.r = new Random(seed);
    this.texts = new Texts(this.r);
    this.bytes = bytes;
    this.long = Math.min(LONG, Math.floor(bytes / 3));
    this.index = 0;
    this.streamed = 0; // bytes of text, more or less
    this.messages = 0;
  }

  line(members) { return lineEnd(object([['session_id', word('s')], ['uuid', word(`u-${this.r.below(1e6)}`)], ...members], this.r), this.r); }
  event(members) { return this.line([['type', word('stream_event')], ['parent_tool_use_id', 'null'], ['event', object(members, this.r)]]); }
  typed(kind, content) { return object([['type', word(kind)], [kind.split('_')[0], string(content)]], this.r); }
  message(members) { return object([['id', word(`msg_${this.messages}`)], ['type', word('message')], ['role', word('assistant')], ['model', word('m')], ['usage', '{"input_tokens":1,"output_tokens":1}'], ...members], this.r); }
  delta(kind, content) { return this.event([['type', word('content_block_delta')], ['index', String(this.index)], ['delta', this.typed(`${kind}_delta`, content)]]); }
  assistant(blocks) { return this.line([['type', word('assistant')], ['parent_tool_use_id', 'null'], ['message', this.message([['content', Buffer.concat([Buffer.from('['), ...blocks.flatMap((b, i) => [Buffer.from(i ? ',' : ''), b]), Buffer.from(']')])]])]]); }

  // What is streamed of a block, in pieces, and what the complete message says of it.
  block(long) {
    const { r, texts } = this;
    const text = long ? texts.long(this.long) : texts.piece(r.pick(lengths));
    const whole = () => inside(text, r), how = long ?? r.below(100);
    this.streamed += Buffer.byteLength(text);
    if (how === 'one delta') return { parts: [whole()], whole: whole() };
    if (how === 'not streamed' || how < 8) return { parts: [], whole: whole() };
    if (how < 18) return { parts: cut(beginning(text, r), r).map((part) => inside(part, r)), whole: whole() };
    if (how < 24) return { parts: cut(texts.piece(300), r).map((part) => inside(part, r)), whole: whole() };
    if (how < 26) return { parts: cut(text, r).map((part) => inside(part, r)), whole: Buffer.from('') };
    if (how < 36) {
      const parts = cut(text, r).map((part) => (r.chance(50) ? damaged(inside(part, r), r) : inside(part, r)));
      return { parts, whole: Buffer.concat(parts) };
    }
    return { parts: cut(text, r).map((part) => inside(part, r)), whole: whole() };
  }

  *nonsense() {
    for (; this.r.chance(4);) yield Buffer.concat([Buffer.from(this.r.pick(meaningless)(this)), Buffer.from('\n')]);
  }

  *stream(kind, parts) {
    const { r } = this, first = parts.length && r.chance(10) ? parts[0] : Buffer.from('');
    yield this.event([['type', word('content_block_start')], ['index', String(this.index)], ['content_block', this.typed(kind, first)]]);
    for (const part of first.length ? parts.slice(1) : parts) {
      yield* this.nonsense();
      yield this.delta(kind, part);
    }
  }

  *oneMessage(long) {
    const { r } = this, together = r.chance(15), blocks = [];
    this.messages++;
    yield this.event([['type', word('message_start')], ['message', this.message([['content', '[]']])]]);
    for (this.index = 0; this.index < (long ? 1 : r.from(1, 4)); this.index++) {
      const kind = r.chance(60) ? 'text' : 'thinking', { parts, whole } = this.block(long);
      if (parts.length) yield* this.stream(kind, parts);
      blocks.push(this.typed(kind, whole));
      if (!together) yield this.assistant([blocks.at(-1)]);
      yield this.event([['type', word('content_block_stop')], ['index', String(this.index)]]);
    }
    if (together) yield this.assistant(blocks);
    yield this.event([['type', word('message_stop')]]);
  }

  *lines() {
    yield* this.oneMessage('one delta');
    while (this.streamed + this.long < this.bytes) yield* this.oneMessage();
    yield* this.oneMessage('not streamed');
  }
}

// The lines, as bytes.
export const oddTurn = (seed, bytes) => new OddTurn(seed, bytes).lines();
export const oddText = (seed, units) => new Texts(new Random(seed)).piece(units);
