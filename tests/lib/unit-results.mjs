// Reads what ctest wrote and counts the tests: a program that prints TAP lines (cmocka's) counts with each of
// them, every other one counts once. Each program is named with its time, failures are printed in full. The totals go
// into a file: "PASSED FAILED".
//
// Usage: unit-results.mjs JUNIT-FILE TOTALS-FILE LABEL
import { readFileSync, writeFileSync } from 'node:fs';

const [junit, totals, label] = process.argv.slice(2);
const plain = (text) => text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&quot;/g, '"').replace(/&apos;/g, "'")
  .replace(/&#x?([0-9a-f]+);/gi, (all, n) => String.fromCodePoint(Number(all[2] === 'x' ? `0x${n}` : n))).replace(/&amp;/g, '&');

let passed = 0, failed = 0;
const cases = [...readFileSync(junit, 'utf8').matchAll(/<testcase name="([^"]*)"([^>]*?)status="([^"]*)"[^>]*?(?:\/>|>([\s\S]*?)<\/testcase>)/g)];
for (const [, name, attributes, status, body = ''] of cases) {
  const output = plain(/<system-out>([\s\S]*?)<\/system-out>/.exec(body)?.[1] ?? '');
  const good = output.match(/^ok \d+/gm)?.length ?? 0, bad = output.match(/^not ok \d+/gm)?.length ?? 0;
  const broken = status !== 'run' && status !== 'disabled';
  passed += good + (good + bad || broken ? 0 : 1);
  failed += bad + (broken && !bad ? 1 : 0); // it ended badly without saying which test failed
  const took = `${Number(/time="([\d.]*)"/.exec(attributes)?.[1] ?? NaN).toFixed(1)} s`;
  if (bad || broken) console.log(`FAILED: ${plain(name)} (${label}, ${took})\n${output.trimEnd()}`);
  else console.log(`  ok: ${plain(name)} (${took})`);
}
writeFileSync(totals, `${passed} ${failed}\n`);
