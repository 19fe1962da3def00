#!/usr/bin/env node
// Writes a picture of every page of a running Inferex at 360 and 1440 px, light and dark.

import { parseArgs } from 'node:util';
import { launch } from './lib/browser.mjs';
import { takeShots } from './lib/shots.mjs';

const USAGE = `Usage: node shots.mjs [--base URL] [--out FOLDER] [--user NAME] [--set NAME=VALUE]…

  --base URL         the running product (default http://127.0.0.1:8080)
  --out FOLDER       where the pictures go (default shots)
  --user NAME        signs in as NAME with the password in INFEREX_PASSWORD
  --set NAME=VALUE   fills a page's address: code, deployment, experiment, run, report, token

Exit code 1 when a page does not fit its window, axe finds something, or a page does not answer.`;

async function signIn(browser, base, name, password) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${base}/login`);
  await page.fill('[name=name]', name);
  await page.fill('[name=password]', password);
  await Promise.all([page.waitForURL((url) => url.pathname !== '/login'), page.click('form [type=submit]')]);
  const state = await context.storageState();
  await context.close();
  return state;
}

function options() {
  const { values } = parseArgs({
    options: {
      base: { type: 'string', default: 'http://127.0.0.1:8080' },
      out: { type: 'string', default: 'shots' },
      user: { type: 'string' },
      set: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const names = Object.fromEntries(values.set.map((pair) => {
    const at = pair.indexOf('=');
    return [pair.slice(0, at), pair.slice(at + 1)];
  }));
  return { ...values, names };
}

async function main() {
  const { base, out, user, names, help } = options();
  if (help) return console.log(USAGE);
  const browser = await launch();
  try {
    const storageState = user ? await signIn(browser, base, user, process.env.INFEREX_PASSWORD ?? '') : undefined;
    const { taken, left, problems } = await takeShots(browser, { base, out, names, storageState });
    for (const line of left) console.log(`left out, its address is not known: ${line}`);
    for (const line of problems) console.log(line);
    console.log(`${taken.length} pictures in ${out}, ${problems.length} problems`);
    process.exitCode = problems.length ? 1 : 0;
  } finally {
    await browser.close();
  }
}

await main();
