// Finds the mutants of a C file and writes a copy of it in which each of them can be selected at run time.
//
// The syntax tree is clang's (`-ast-dump=json`); the text between two tree positions is taken from the file itself, so the
// copy is the file with some expressions wrapped:
//
//   (HERALD_MUTANT(12) ? (a <= b) : (a < b))
//
// The changed branch holds the untouched text of what is below, for only one mutant is ever selected: nested mutants so
// make the copy longer, not exponentially longer. What a macro makes is left alone, but for STR("...") and true and false.
import { execFileSync } from 'node:child_process';

// Functions that fail for want of memory alone: what hangs on their answer cannot be judged.
const memory = /^(m|c|re)alloc$|^str_?dup$|^arena_(alloc|str|printf|buf|ok)$|^buf_(ok|reserve)$|^map_put$/;
// Their text arguments are what is looked for, not what is written.
const lookup = /^(json_get|json_get_str|json_path|json_fields|json_str_or|str_(is|eq|eq_nocase|starts|ends|has|find|rfind|find_byte)|str(n?cmp|chr|str)|mem(cmp|mem)|map_(get|remove)|log_write|getenv)$/;
const cleansUp = /(^|_)free(_|$)|drop|destroy/; // functions
const comparisons = { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '==' };
const others = { '&&': '||', '||': '&&', '+': '-', '-': '+' };

// Answers { mutants: [{ line, function, operator, text }], copy(first) }: copy gives the text with the ids from `first` on.
export function findMutants(clang, flags, path, name, source) {
  const dump = execFileSync(clang, [...flags, '-w', '-fsyntax-only', '-Xclang', '-ast-dump=json', path], { maxBuffer: 1 << 29, encoding: 'utf8' });
  const finder = new Finder(source, name);
  for (const node of ownFunctions(JSON.parse(dump), path)) finder.takeFunction(node);
  return finder.result();
}

// The functions that the file itself defines. A position names its file only where that is another than the last one's.
function* ownFunctions(unit, path) {
  let file = null;
  const visit = (value) => {
    if (!value || typeof value !== 'object') return;
    if (typeof value.offset === 'number' && value.file) file = value.file;
    for (const key in value) if (key !== 'includedFrom') visit(value[key]);
  };
  for (const node of unit.inner) {
    visit(node.loc);
    const own = file === path;
    for (const key in node) if (key !== 'loc') visit(node[key]);
    if (own && node.kind === 'FunctionDecl' && node.inner?.at(-1)?.kind === 'CompoundStmt') yield node;
  }
}

const isMacro = (loc) => Boolean(loc.expansionLoc);
const offsetOf = (loc) => (loc.expansionLoc ?? loc).offset;
const bare = (node) => (['ImplicitCastExpr', 'ParenExpr', 'ConstantExpr', 'CStyleCastExpr'].includes(node.kind) ? bare(node.inner.at(-1)) : node);
const calledBy = (node) => (node.kind === 'CallExpr' ? bare(node.inner[0]).referencedDecl?.name ?? bare(node.inner[0]).name : undefined);

class Finder {
  constructor(source, name) {
    this.source = Buffer.from(source); // clang counts bytes
    this.name = name;
    this.found = []; // { start, end, operator, variant, function }
  }

  text(start, end) { return this.source.subarray(start, end).toString('latin1'); }

  takeFunction(node) {
    this.function = node.name;
    this.fromMemory = new Map(); // variable: whether what it has last been given came from an allocation
    this.statement(node.inner.at(-1));
  }

  // Where the node stands in the file, or null when a macro made all of it.
  span(node) {
    const { begin, end } = node.range ?? {};
    if (!begin || !end || typeof offsetOf(begin) !== 'number' || typeof offsetOf(end) !== 'number') return null;
    if (isMacro(begin) && isMacro(end) && begin.expansionLoc.offset === end.expansionLoc.offset) return null;
    return { start: offsetOf(begin), end: this.endOf(end) };
  }

  // As span, for a part of an expression: here a whole use of a macro has a place too.
  partSpan(node) { return this.span(node) ?? { start: offsetOf(node.range.begin), end: this.endOf(node.range.end) }; }

  endOf(loc) {
    if (!isMacro(loc)) return loc.offset + loc.tokLen;
    let at = loc.expansionLoc.offset + /^\w+/.exec(this.text(loc.expansionLoc.offset, loc.expansionLoc.offset + 80))[0].length;
    if (this.source[at] !== 0x28) return at;
    for (let depth = 0, quoted = 0; at < this.source.length; at++) {
      const c = this.source[at];
      if (quoted) { if (c === 0x5c) at++; else if (c === quoted) quoted = 0; continue; }
      if (c === 0x22 || c === 0x27) quoted = c;
      else if (c === 0x28) depth++;
      else if (c === 0x29 && --depth === 0) return at + 1;
    }
    return at;
  }

  add(span, operator, variant) { this.found.push({ ...span, operator, variant, function: this.function }); }

  // ---- Statements ----

  statement(node) {
    if (!node?.kind) return;
    const inner = node.inner ?? [];
    switch (node.kind) {
      case 'CompoundStmt': for (const child of inner) this.inBlock(child); return;
      case 'CaseStmt': this.inBlock(inner.at(-1)); return;
      case 'DefaultStmt': case 'LabelStmt': for (const child of inner) this.inBlock(child); return;
      case 'IfStmt': {
        const [condition, then, otherwise] = inner;
        this.condition(condition);
        if (!this.failsForMemory(condition)) this.inBlock(then);
        this.inBlock(otherwise);
        return;
      }
      case 'WhileStmt': this.condition(inner[0]); this.inBlock(inner.at(-1)); return;
      case 'DoStmt': this.inBlock(inner[0]); this.condition(inner[1]); return;
      case 'SwitchStmt': this.expression(inner[0]); this.statement(inner.at(-1)); return;
      case 'ForStmt': {
        const [init, , condition, step, body] = inner;
        this.statement(init); this.expression(condition); this.expression(step); this.inBlock(body);
        return;
      }
      case 'ReturnStmt': if (inner[0]) this.expression(inner[0], true); return;
      case 'DeclStmt':
        for (const declared of inner) {
          const value = declared.inner?.find((child) => child.kind !== 'CleanupAttr' && !child.kind.endsWith('Attr') && !child.kind.endsWith('Comment'));
          if (declared.kind !== 'VarDecl' || !declared.init || declared.storageClass === 'static' || !value) continue;
          this.expression(value, true);
          this.remember(declared.name, value);
        }
        return;
      case 'NullStmt': case 'BreakStmt': case 'ContinueStmt': case 'GotoStmt': return;
      default: this.expression(node);
    }
  }

  // A statement that could be left out.
  inBlock(node) {
    if (!node?.kind) return;
    const span = this.span(node), what = bare(node);
    const assigns = (what.kind === 'BinaryOperator' && what.opcode === '=') || what.kind === 'CompoundAssignOperator'
      || (what.kind === 'UnaryOperator' && ['++', '--'].includes(what.opcode));
    if (span && (assigns ? this.isState(what) : what.kind === 'CallExpr' && this.counts(what))) this.add(span, 'delete', '(void)0');
    this.statement(node);
  }

  // Whether one could see that the call is missing: freeing is not seen, but where it empties what is used again.
  counts(call) {
    const name = calledBy(call) ?? '';
    if (/^free(_|$)|_unref$|^log_|^assert/.test(name)) return false;
    if (!/_free$/.test(name)) return true;
    const span = this.partSpan(call);
    return !cleansUp.test(this.function) && this.text(span.start, span.end).includes('->');
  }

  // Whether one could see that the assignment is missing: not what is reset after it was freed, nor a buffer's mark that memory was out.
  isState(node) {
    return !cleansUp.test(this.function) && !(node.opcode === '=' && this.isMark(node.inner[0]));
  }

  isMark(node) {
    const what = bare(node);
    return what.kind === 'MemberExpr' && what.name === 'failed' && /struct (buf|arena)\b/.test(what.inner[0].type.qualType);
  }

  // ---- Expressions ----

  condition(node) {
    const what = bare(node), span = this.span(node);
    const flipped = what.kind === 'BinaryOperator' && ['==', '!='].includes(what.opcode); // is its own negation
    if (span && !flipped && !this.failsForMemory(node)) this.add(span, 'negate', `!(${this.text(span.start, span.end)})`);
    this.expression(node);
  }

  // `valued`: what the expression gives is returned or stored as it is.
  expression(node, valued = false) {
    if (!node?.kind) return;
    const inner = node.inner ?? [];
    switch (node.kind) {
      case 'UnaryExprOrTypeTraitExpr': case 'ConstantExpr': case 'GenericSelectionExpr': case 'OffsetOfExpr': return;
      case 'StmtExpr': this.statement(inner[0]); return;
      case 'ConditionalOperator':
        this.condition(inner[0]); this.expression(inner[1], valued); this.expression(inner[2], valued);
        return;
      case 'BinaryOperator':
        if (node.opcode === '=') { this.expression(inner[0]); this.expression(inner[1], true); this.remember(this.nameOf(inner[0]), inner[1]); return; }
        this.operator(node);
        for (const child of inner) this.expression(child);
        return;
      case 'UnaryOperator': this.expression(inner[0], valued && node.opcode === '-'); return;
      case 'ImplicitCastExpr':
        if (node.castKind === 'ArrayToPointerDecay' && inner[0].kind === 'StringLiteral') this.string(inner[0]);
        else this.expression(inner[0], valued);
        return;
      case 'ParenExpr': case 'CStyleCastExpr': this.expression(inner.at(-1), valued); return;
      case 'IntegerLiteral': case 'CXXBoolLiteralExpr': if (valued) this.literal(node); return;
      case 'CallExpr': {
        const before = this.callee;
        this.expression(inner[0]);
        for (const argument of inner.slice(1)) { this.callee = calledBy(node) ?? ''; this.expression(argument); }
        this.callee = before;
        return;
      }
      case 'CompoundLiteralExpr': this.compound(node); return;
      case 'InitListExpr': for (const child of inner) this.expression(child, true); return;
      default: for (const child of inner) this.expression(child);
    }
  }

  compound(node) {
    if (isMacro(node.range.begin)) { // STR("...")
      const start = offsetOf(node.range.begin), end = this.endOf(node.range.end), text = this.text(start, end);
      if (/^STR\(".+"\)$/s.test(text) && !lookup.test(this.callee ?? '')) this.add({ start, end }, 'empty', 'STR("")');
      return;
    }
    for (const child of node.inner ?? []) this.expression(child, true);
  }

  string(node) {
    const span = this.span(node);
    if (span && !isMacro(node.range.begin) && this.text(span.start, span.end) !== '""' && !lookup.test(this.callee ?? '')) this.add(span, 'empty', '""');
  }

  operator(node) {
    const to = comparisons[node.opcode] ?? others[node.opcode], span = this.span(node);
    if (!to || !span || this.failsForMemory(node)) return;
    const [left, right] = node.inner.map((child) => this.partSpan(child));
    const between = this.text(left.end, right.start), at = between.indexOf(node.opcode);
    if (at < 0 || between.replace(node.opcode, '').trim() !== '') return; // a macro is in the way
    const pointers = node.inner.map((child) => /\*/.test(child.type?.qualType ?? ''));
    if (['+', '-'].includes(node.opcode) && pointers[1]) return;
    this.add(span, `${node.opcode} to ${to}`, this.text(span.start, left.end + at) + to + this.text(left.end + at + node.opcode.length, span.end));
  }

  literal(node) {
    const { begin } = node.range;
    if (isMacro(begin)) {
      const start = offsetOf(begin), word = /^(true|false)\b/.exec(this.text(start, start + 8))?.[0];
      if (word) this.add({ start, end: start + word.length }, 'value', word === 'true' ? 'false' : 'true');
      return;
    }
    this.add(this.span(node), 'value', `${BigInt(node.value) + 1n}`);
  }

  // ---- Memory ----

  nameOf(node) {
    const what = bare(node);
    if (what.kind === 'DeclRefExpr') return what.referencedDecl.name;
    return what.kind === 'MemberExpr' ? `.${what.name}` : undefined;
  }

  remember(name, value) {
    if (name) this.fromMemory.set(name, memory.test(calledBy(bare(value)) ?? ''));
  }

  // Whether only an allocation decides what the condition is.
  failsForMemory(node) {
    const what = bare(node);
    if (what.kind === 'UnaryOperator' && what.opcode === '!') return this.failsForMemory(what.inner[0]);
    if (what.kind === 'BinaryOperator') {
      if (['&&', '||'].includes(what.opcode)) return what.inner.every((child) => this.failsForMemory(child));
      return ['==', '!='].includes(what.opcode) && this.text(...Object.values(this.partSpan(what.inner[1]))) === 'NULL' && this.failsForMemory(what.inner[0]);
    }
    if (what.kind === 'CallExpr') return memory.test(calledBy(what) ?? '');
    if (this.isMark(what)) return true;
    return this.fromMemory.get(this.nameOf(what)) === true;
  }

  // ---- The copy ----

  result() {
    const lines = [0];
    for (let i = 0; i < this.source.length; i++) if (this.source[i] === 10) lines.push(i + 1);
    const sorted = this.found.sort((a, b) => a.start - b.start || b.end - a.end);
    const mutants = sorted.map((m) => ({
      file: this.name, line: lines.findLastIndex((at) => at <= m.start) + 1, function: m.function, operator: m.operator,
      text: this.text(m.start, m.end).replace(/\s+/g, ' '),
    }));
    return { mutants, copy: (first) => this.copy(sorted, first) };
  }

  copy(sorted, first) {
    const root = { start: 0, end: this.source.length, mutants: [], inner: [] }, open = [root];
    sorted.forEach((m, i) => {
      while (open.at(-1).end <= m.start) open.pop();
      const around = open.at(-1);
      if (m.end > around.end) throw new Error(`${this.name}: mutants overlap at ${m.start}`);
      const here = { ...m, id: first + i };
      if (around !== root && around.start === m.start && around.end === m.end) { around.mutants.push(here); return; }
      const place = { start: m.start, end: m.end, mutants: [here], inner: [] };
      around.inner.push(place);
      open.push(place);
    });
    return `#include "herald_mutant.h"\n#line 1 "${this.name}"\n${this.write(root)}`;
  }

  write(place) {
    let text = '', at = place.start;
    for (const part of place.inner) { text += this.text(at, part.start) + this.write(part); at = part.end; }
    text += this.text(at, place.end);
    for (const m of place.mutants) {
      if (m.operator === 'delete') text = `(HERALD_MUTANT(${m.id}) ? (void)0 : (void)(${text}))`;
      else text = `(HERALD_MUTANT(${m.id}) ? (${m.variant}) : (${text}))`;
    }
    return text;
  }
}
