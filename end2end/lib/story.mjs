// How a story is told: its cases run in their order, each is counted, and what the machine lacks is said as a reason.

import { test } from 'node:test';
import { browserPath } from './browser.mjs';
import { engineFolder } from './product.mjs';

/** Generous, since a real engine on a busy machine of two cores is slow; a story on an idle one takes a minute or two. */
export const SLOW = 6 * 60_000;

function lacking({ browser = false, engine = false }) {
  const reasons = [];
  if (browser) {
    try {
      browserPath();
    } catch {
      reasons.push('Chromium (install it, or set CHROMIUM to its program)');
    }
  }
  if (engine && !engineFolder()) reasons.push('the real engine (./deploy/test engine)');
  return reasons.length ? `needs ${reasons.join(' and ')}` : false;
}

/**
 * The teller of a story's cases. After a case that failed, those that follow from it fail at once and name it; an
 * `independent` case is told in any event.
 * @param {{browser?: boolean, engine?: boolean}} needs
 */
export function story(needs) {
  const skip = lacking(needs);
  let broken;
  return (name, run, { independent = false, timeout = SLOW } = {}) => test(name, { skip, timeout }, async (t) => {
    if (broken && !independent) throw new Error(`not reached, because this failed: ${broken}`);
    try {
      await run(t);
    } catch (error) {
      if (!independent) broken = name;
      throw error;
    }
  });
}
