#!/usr/bin/env node
// Writes a picture of every page of Inferex at 360 and 1440 px, light and dark: of a product that it starts and fills
// itself, or of one that runs.

import { parseArgs } from 'node:util';
import { launch, visitorWithoutScripts } from './lib/browser.mjs';
import { makeAdmin, preparedProduct, signIn } from './lib/journey.mjs';
import { startProduct } from './lib/product.mjs';
import { problems, table, takeShots } from './lib/shots.mjs';
import { PAGES } from './pages.mjs';

const USAGE = `Usage: node shots.mjs [--out FOLDER] [--base URL --user NAME [--set NAME=VALUE]…]

Without --base a product is started, set up and given a small finished experiment, a report and a share link.

  --out FOLDER       where the pictures go (default shots)
  --base URL         pictures of this running product instead
  --user NAME        signs in as NAME with the password in INFEREX_PASSWORD
  --set NAME=VALUE   fills a page's address: code, deployment, experiment, run, report, token

Exit code 1 when a page does not fit its window, axe finds something, or a page does not answer as it should.`;

const pagesWhen = (when) => PAGES.filter((entry) => entry.when === when);

async function sessionOf(browser, enter) {
  const context = await visitorWithoutScripts(browser);
  await enter(await context.newPage());
  const state = await context.storageState();
  await context.close();
  return state;
}

async function ofRunning(browser, { base, out, user, names }) {
  const who = { name: user, password: process.env.INFEREX_PASSWORD ?? '' };
  const storageState = user ? await sessionOf(browser, (page) => signIn(page, base, who)) : undefined;
  const pages = PAGES.filter((entry) => entry.when === undefined || entry.when === 'new');
  return takeShots(browser, { base, out, names, storageState, pages });
}

/** A product before its first account, and right after it. */
async function ofNew(browser, out) {
  const product = await startProduct({ engine: false });
  try {
    const { base } = product;
    const address = await product.setUpAddress();
    const names = { code: new URL(address).searchParams.get('code') };
    const first = await takeShots(browser, { base, out, names, pages: pagesWhen('new') });
    const storageState = await sessionOf(browser, (page) => makeAdmin(page, address));
    return [first, await takeShots(browser, { base, out, storageState, pages: pagesWhen('empty') })];
  } finally {
    await product.remove();
  }
}

async function ofFull(browser, out) {
  const taken = [];
  const whileRunning = async (found) => {
    taken.push(await takeShots(browser, { ...found, out, pages: pagesWhen('running') }));
  };
  const { product, names, storageState } = await preparedProduct(browser, { whileRunning });
  try {
    taken.push(await takeShots(browser, { base: product.base, out, names, storageState, pages: pagesWhen(undefined) }));
    return taken;
  } finally {
    await product.remove();
  }
}

function options() {
  const { values } = parseArgs({
    options: {
      base: { type: 'string' },
      out: { type: 'string', default: new URL('shots', import.meta.url).pathname },
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
  const wish = options();
  if (wish.help) return console.log(USAGE);
  const browser = await launch();
  try {
    const taken = wish.base
      ? [await ofRunning(browser, wish)]
      : [...await ofNew(browser, wish.out), ...await ofFull(browser, wish.out)];
    const shots = taken.flatMap((part) => part.shots);
    console.log(table(shots));
    taken.flatMap((part) => part.left).forEach((line) => console.log(`left out, its address is not known: ${line}`));
    console.log(`${shots.length} pictures in ${wish.out}, ${problems(shots)} problems`);
    process.exitCode = problems(shots) ? 1 : 0;
  } finally {
    await browser.close();
  }
}

await main();
