// The files that a test begins with. In its data:
//   files     { path: content }: a text (one that begins with "#!" is a program), "base64:…", lines of JSON: an array of
//             objects and texts, or { lines, newline: false }; or a stored session: { session: ID, records: [...] }.
//             "$PAD:<n>" in it is n letters
//   generate  { path, content, count }: so many files, with a number of twelve digits for "$N"
//   links     { path: target }
//   mtimes    { path: seconds }, since 1970 or, when negative, since now
//
// The records of a stored session are chained and dated: { user: TEXT or BLOCKS, ...more } is what the user said,
// { assistant: TEXT or BLOCKS, id, ...more } a message of Claude's, { result: TEXT or BLOCKS, of: ID, failed, toolUseResult }
// the result of a tool call; every other object is a record as it is. A record's own uuid wins over that of its place (the
// n-th is 00000000-0000-4000-8000-<n, in twelve digits>), and with `parentUuid: null` a chain begins.
import { mkdirSync, symlinkSync, utimesSync } from 'node:fs';
import { dirname } from 'node:path';

const lines = (list) => list.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
const blocks = (value) => (typeof value === 'string' ? [{ type: 'text', text: value }] : value);

function message({ user, assistant, id, result, of, failed, ...more }, place) {
  if (user !== undefined) return { type: 'user', message: { role: 'user', content: typeof user === 'string' ? blocks(user) : user }, ...more };
  if (assistant !== undefined) {
    return { type: 'assistant', message: { id: id ?? `msg_${place}`, type: 'message', role: 'assistant', model: 'claude-opus-5-5', content: blocks(assistant), stop_reason: 'end_turn', stop_sequence: null, usage: { input_tokens: 10, output_tokens: 20 } }, ...more };
  }
  if (result !== undefined) return { type: 'user', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: of, content: result, ...(failed && { is_error: true }) }] }, ...more };
  return more;
}

function storedSession({ session, records }, workspace) {
  let parentUuid = null;
  return records.map((record, i) => {
    const whole = {
      parentUuid, isSidechain: false, uuid: `00000000-0000-4000-8000-${String(i + 1).padStart(12, '0')}`, timestamp: new Date(Date.UTC(2026, 0, 2, 3, 0, i)).toISOString(),
      sessionId: session, cwd: workspace, version: '2.1.332', gitBranch: 'HEAD', userType: 'external', entrypoint: 'sdk-ts', ...message(record, i + 1),
    };
    parentUuid = whole.uuid;
    return whole;
  });
}

function bytes(content, workspace) {
  if (content.session) content = storedSession(content, workspace);
  const text = typeof content === 'string' ? content : Array.isArray(content) ? `${lines(content)}\n` : `${lines(content.lines)}${content.newline === false ? '' : '\n'}`;
  if (text.startsWith('base64:')) return Buffer.from(text.slice(7), 'base64');
  return text.replace(/\$PAD:(\d+)/g, (_, n) => 'x'.repeat(Number(n)));
}

export function makeFiles(world, { files = {}, generate = [], links = {}, mtimes = {} }) {
  for (const group of generate) {
    for (let i = 0; i < group.count; i++) {
      const one = JSON.parse(JSON.stringify(group).replaceAll('$N', String(i).padStart(12, '0')));
      const path = world.write(one.path, bytes(one.content, world.workspace));
      utimesSync(path, 1700000000 + i, 1700000000 + i);
    }
  }
  for (const [name, content] of Object.entries(files)) {
    const data = bytes(content, world.workspace);
    world.write(name, data, typeof data === 'string' && data.startsWith('#!') ? 0o755 : undefined);
  }
  for (const [name, target] of Object.entries(links)) {
    mkdirSync(dirname(world.path(name)), { recursive: true });
    symlinkSync(target, world.path(name));
  }
  for (const [name, time] of Object.entries(mtimes)) {
    const when = time < 0 ? Date.now() / 1000 + time : time;
    utimesSync(world.path(name), when, when);
  }
}
