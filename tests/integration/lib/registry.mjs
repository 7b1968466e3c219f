// The list of tests, which the files in cases/ fill.
export const tests = [];

// `options`: slow (left out with --quick), sanitized (false: not with the sanitizers), seconds (120).
export function test(name, options, run) {
  if (typeof options === 'function') [options, run] = [{}, options];
  if (tests.some((other) => other.name === name)) throw new Error(`two tests are called "${name}"`);
  tests.push({ name, seconds: 120, ...options, run });
}
