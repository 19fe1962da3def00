// Waiting with a bound: for a condition, never for a time.

/**
 * Asks `probe` until it answers something truthy, and gives that answer.
 * @param {string} what what is awaited, for the message of the failure
 * @param {() => any} probe may be asynchronous; an exception counts as "not yet" and is named at the end
 * @param {{within?: number, every?: number}} [bounds] milliseconds
 */
export async function until(what, probe, { within = 10_000, every = 50 } = {}) {
  const deadline = performance.now() + within;
  let last;
  for (;;) {
    try {
      const answer = await bounded(what, probe, Math.max(1, deadline - performance.now()));
      if (answer) return answer;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (performance.now() >= deadline) {
      throw new Error(`waited ${within} ms for ${what}${last ? `; last: ${last.message}` : ''}`);
    }
    await new Promise((resume) => setTimeout(resume, every));
  }
}

async function bounded(what, probe, milliseconds) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: the probe itself did not answer`)), milliseconds);
  });
  try {
    return await Promise.race([probe(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Loads a page again and again, as a person without scripts would, until it holds what is awaited.
 * @param {import('playwright-core').Page} page
 * @param {string} what
 * @param {(page: import('playwright-core').Page) => any} probe
 */
export function untilPage(page, what, probe, { within = 60_000, every = 500 } = {}) {
  return until(what, async () => {
    await page.reload({ waitUntil: 'load' });
    return probe(page);
  }, { within, every });
}
