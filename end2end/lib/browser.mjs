// Chromium, as the stories use it: the machine's own, headless, quiet on the network.

import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const USUAL_PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export function browserPath() {
  const path = process.env.CHROMIUM ?? USUAL_PLACES.find(existsSync);
  if (!path) throw new Error('no Chromium found; install it or set CHROMIUM to its program');
  return path;
}

export function launch() {
  return chromium.launch({ executablePath: browserPath(), args: FLAGS, timeout: 60_000 });
}

/** A fresh visitor whose browser runs no script. */
export async function visitorWithoutScripts(browser, options = {}) {
  const context = await browser.newContext({ javaScriptEnabled: false, ...options });
  context.setDefaultTimeout(20_000);
  return context;
}

/** The same visitor's cookies in a browser with scripts: axe and screenshots need it. */
export async function withScripts(browser, context, options = {}) {
  const twin = await browser.newContext({ storageState: await context.storageState(), ...options });
  twin.setDefaultTimeout(20_000);
  return twin;
}
