// Comparing with what a scenario expects. An object is expected in part: members that are not named are free. An array
// has exactly its elements. { "$has": text } is a text that holds another one (or an array that holds such an element),
// { "$matches": regular expression } a text that fits, { "$absent": true } a member that must not be there.
export function mismatch(actual, expected, path = '') {
  const at = path || 'value';
  if (expected !== null && typeof expected === 'object') {
    if ('$absent' in expected) return actual === undefined ? null : `${at} is there: ${show(actual)}`;
    if ('$has' in expected) {
      const found = Array.isArray(actual) ? actual.some((item) => !mismatch(item, expected.$has)) : typeof actual === 'string' && actual.includes(expected.$has);
      return found ? null : `${at} does not hold ${show(expected.$has)}: ${show(actual)}`;
    }
    if ('$matches' in expected) return typeof actual === 'string' && new RegExp(expected.$matches).test(actual) ? null : `${at} does not match ${expected.$matches}: ${show(actual)}`;
    if (actual === null || typeof actual !== 'object' || Array.isArray(actual) !== Array.isArray(expected)) return `${at} is ${show(actual)}, expected ${show(expected)}`;
    if (Array.isArray(expected) && actual.length !== expected.length) return `${at} has ${actual.length} elements, expected ${expected.length}: ${show(actual)}`;
    for (const [key, value] of Object.entries(expected)) {
      const wrong = mismatch(actual[key], value, path ? `${path}.${key}` : key);
      if (wrong) return wrong;
    }
    return null;
  }
  return Object.is(actual, expected) ? null : `${at} is ${show(actual)}, expected ${show(expected)}`;
}

const show = (value) => JSON.stringify(value)?.slice(0, 1500) ?? 'absent';

export function expectMatch(actual, expected, what) {
  const wrong = mismatch(actual, expected);
  if (wrong) throw new Error(what ? `${what}: ${wrong}` : wrong);
}
