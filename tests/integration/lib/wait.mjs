// Waiting for what no message tells of, and for time to pass.
export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// Asks again and again until the answer is true; false after `ms`.
export async function eventually(question, ms = 5000) {
  const end = Date.now() + ms;
  while (!(await question())) {
    if (Date.now() > end) return false;
    await sleep(20);
  }
  return true;
}
