// Looks at each page of a story once more as a narrow window and as a browser with scripts would: does it fit, does axe
// find anything, does the browser complain.

import assert from 'node:assert/strict';
import { axeProblems, overflow } from './look.mjs';

/** What the browser itself has to say about pages of a context: refused by the policy, failed, not found. */
export function complaintsOf(context) {
  const complaints = [];
  context.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    // The page's own status is looked at where it is opened.
    const isItsStatus = message.text().startsWith('Failed to load resource') && message.location().url === message.page()?.url();
    if (isItsStatus) return;
    complaints.push(`${message.page()?.url()}: ${message.text()}`);
  });
  context.on('weberror', (error) => complaints.push(`${error.page()?.url()}: ${error.error().message}`));
  context.on('response', (response) => {
    const isPage = response.request().isNavigationRequest();
    if (!isPage && response.status() >= 400) complaints.push(`${response.url()} answered ${response.status()}`);
  });
  return complaints;
}

export class Eye {
  /** @param {import('playwright-core').BrowserContext} [visitor] whose cookies it uses; nobody's when left out */
  constructor(browser, base, visitor) {
    Object.assign(this, { browser, base, visitor, seen: [] });
  }

  /** Fails with everything that is wrong with the page at `path`. */
  async check(path, { status = 200 } = {}) {
    const found = [
      ...await this.narrow(path, status),
      ...await this.scripted(path),
    ];
    this.seen.push(path);
    assert.deepEqual(found, [], `${path} looks wrong`);
  }

  async narrow(path, status) {
    return this.open({ javaScriptEnabled: false, viewport: { width: 360, height: 780 } }, path, async (page, response) => {
      const found = await overflow(page);
      if (response.status() !== status) found.push(`answered ${response.status()} instead of ${status}`);
      return found.map((line) => `at 360 px: ${line}`);
    });
  }

  async scripted(path) {
    return this.open({ viewport: { width: 1440, height: 900 } }, path, axeProblems);
  }

  async open(options, path, look) {
    const cookies = this.visitor ? await this.visitor.cookies() : [];
    const context = await this.browser.newContext(options);
    try {
      await context.addCookies(cookies);
      const complaints = complaintsOf(context);
      const page = await context.newPage();
      const response = await page.goto(this.base + still(path), { waitUntil: 'load' });
      return [...await look(page, response), ...complaints];
    } finally {
      await context.close();
    }
  }
}

/** The address at which a page does not load itself again while it is looked at. */
export function still(path) {
  const [address, anchor] = path.split('#');
  return `${address}${address.includes('?') ? '&' : '?'}live=off${anchor ? `#${anchor}` : ''}`;
}
