// Waiting for what no message tells of, and for time to pass.

// How long something may take that takes no time: much longer than it does, for a machine that is busy.
export const SOON = 30000;

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// Asks again and again until the answer is true; false after `ms`.
export async function eventually(question, ms = SOON) {
  const end = Date.now() + ms;
  while (!(await question())) {
    if (Date.now() > end) return false;
    await sleep(20);
  }
  return true;
}
