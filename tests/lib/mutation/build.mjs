// Builds Herald with all mutants in it, from a copy of the sources in FOLDER/source, into FOLDER/build.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findMutants } from './mutants.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const parts = ['CMakeLists.txt', 'core', 'sdk-headers', 'plugins', 'packaging', 'docs', 'tests/unit', 'tests/abi'];
export const perFile = 2048; // so many ids belong to each file: a change of one leaves the others' ids, and objects, alone

// Answers every mutant, with its id and room. `rooms` are folders of core.
export function buildMutants(top, folder, rooms, say) {
  const source = join(folder, 'source'), build = join(folder, 'build'), kept = join(folder, 'syntax');
  mkdirSync(kept, { recursive: true });
  const flags = compileFlags(top, build, source);
  const wanted = new Map(), mutants = [];
  for (const part of parts) collect(join(top, part), part, wanted);
  let first = 1;
  for (const room of rooms) {
    for (const name of readdirSync(join(top, 'core', room)).filter((n) => n.endsWith('.c')).sort()) {
      const path = `core/${room}/${name}`, found = findMutants('clang', flags, join(top, path), path, readFileSync(join(top, path)));
      if (found.mutants.length > perFile) throw new Error(`${path} has more than ${perFile} mutants`);
      found.mutants.forEach((m, i) => mutants.push({ id: first + i, room, ...m }));
      wanted.set(path, Buffer.from(found.copy(first), 'latin1'));
      first += perFile;
    }
  }
  const header = readFileSync(join(here, 'herald_mutant.h')), code = readFileSync(join(here, 'herald_mutant.c'), 'latin1');
  wanted.set('core/herald_mutant.h', header);
  wanted.set('core/base/herald_mutant.c', Buffer.from(`#define HERALD_MUTANTS ${first}\n${code}`, 'latin1'));
  store(source, wanted);
  say(`Building ${mutants.length} mutants of ${rooms.join(', ')} ...`);
  configure(source, build);
  const made = spawnSync('cmake', ['--build', build], { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (made.status !== 0) throw new Error(`the mutated build failed\n${made.stdout.slice(-8000)}`);
  return { mutants, build, size: first };
}

function configure(source, build) {
  const launcher = spawnSync('ccache', ['--version']).status === 0 ? ['-DCMAKE_C_COMPILER_LAUNCHER=ccache'] : [];
  execFileSync('cmake', ['-S', source, '-B', build, '-G', 'Ninja', '-DHERALD_TESTS=ON', '-DCMAKE_BUILD_TYPE=None', '-DCMAKE_C_FLAGS=-O1 -w', ...launcher], { stdio: ['ignore', 'ignore', 'inherit'] });
}

// What clang needs to read a file: the folders and macros of the library's own compile commands.
function compileFlags(top, build, source) {
  if (!existsSync(join(build, 'compile_commands.json'))) {
    const wanted = new Map();
    for (const part of parts) collect(join(top, part), part, wanted);
    store(source, wanted);
    configure(source, build);
  }
  const { command } = JSON.parse(readFileSync(join(build, 'compile_commands.json'), 'utf8')).find((c) => /\/core\/base\/str\.c$/.test(c.file));
  const words = command.match(/(?:[^\s"\\]|\\.|"(?:[^"\\]|\\.)*")+/g).map((w) => w.replace(/\\(.)/g, '$1'));
  const flags = ['-std=c11'];
  words.forEach((w, i) => {
    if (/^-[DI]./.test(w)) flags.push(w.replace(source, top));
    else if (w === '-isystem') flags.push(w, words[i + 1].replace(source, top));
  });
  return flags;
}

function collect(path, name, into) {
  if (!existsSync(path)) return;
  if (statSync(path).isFile()) { into.set(name, readFileSync(path)); return; }
  for (const entry of readdirSync(path)) collect(join(path, entry), `${name}/${entry}`, into);
}

// Makes the folder hold exactly these files, and touches no file that is as it should be.
function store(folder, wanted) {
  const present = new Map();
  collect(folder, '', present);
  for (const name of present.keys()) if (!wanted.has(name.slice(1))) rmSync(join(folder, name));
  for (const [name, content] of wanted) {
    if (present.get(`/${name}`)?.equals(content)) continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}
