// Applies a Git patch of one file to the text that it was made from, and takes nothing on trust: each line that the patch
// keeps or removes must be where its hunk says, byte for byte. Answers with the new text.
export function applyPatch(patch, old) {
  const before = old.match(/[^\n]*\n|[^\n]+$/g) ?? [], after = [];
  const lines = patch.split('\n');
  let taken = 0, i = lines.findIndex((line) => line.startsWith('@@'));
  if (i < 0) throw new Error('a patch without a hunk');

  function line(kind, text) {
    if (!' +-'.includes(kind)) throw new Error(`a hunk has the line ${kind}${text}`);
    if (kind !== '+' && before[taken] !== text) throw new Error(`line ${taken + 1} is ${JSON.stringify(before[taken])}, the patch has ${JSON.stringify(text)}`);
    if (kind !== '+') taken++;
    if (kind !== '-') after.push(text);
  }

  while (i < lines.length && lines[i] !== '') {
    const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(lines[i]);
    if (!head) throw new Error(`no head of a hunk: ${lines[i]}`);
    const [oldStart, oldCount, newStart, newCount] = [head[1], head[2] ?? 1, head[3], head[4] ?? 1].map(Number);
    while (taken < oldStart - (oldCount ? 1 : 0)) after.push(before[taken++]);
    if (after.length !== newStart - (newCount ? 1 : 0)) throw new Error(`a hunk begins at line ${after.length + 1}, not at ${newStart}`);
    const end = { taken: taken + oldCount, made: after.length + newCount };
    for (i++; taken < end.taken || after.length < end.made; i++) {
      const open = lines[i + 1]?.startsWith('\\ No newline');
      line(lines[i][0], `${lines[i].slice(1)}${open ? '' : '\n'}`);
      if (open) i++;
    }
  }
  return [...after, ...before.slice(taken)].join('');
}
