// From a fresh data folder to a shared report about a real engine, in a browser that runs no script.

import assert from 'node:assert/strict';
import { after } from 'node:test';
import { launch, visitorWithoutScripts } from '../lib/browser.mjs';
import { localJson } from '../lib/api.mjs';
import { Eye, complaintsOf } from '../lib/eye.mjs';
import {
  ADMIN, SMALL, VARIANTS, fillBuilder, form, freeze, makeAdmin, press, queueEstimated, registerVariants, share,
  startVariant, stopDeployment, untilOver,
} from '../lib/journey.mjs';
import { parse } from '../lib/parse.mjs';
import { startProduct } from '../lib/product.mjs';
import { story } from '../lib/story.mjs';

const tell = story({ browser: true, engine: true });
const RUNS = VARIANTS.length * 2 * SMALL.repeats;

let browser, product, context, page, eye, stranger, complaints;
let experiment, run, report, link;

const main = () => page.locator('main').innerText();
const section = (id) => page.locator(`section#${id}`);

after(async () => {
  await browser?.close();
  await product?.remove();
});

tell('a first start prints a one-time set-up address', async () => {
  [browser, product] = await Promise.all([launch(), startProduct()]);
  context = await visitorWithoutScripts(browser, { viewport: { width: 360, height: 780 } });
  complaints = complaintsOf(context);
  page = await context.newPage();
  eye = new Eye(browser, product.base, context);
  stranger = new Eye(browser, product.base);
  const address = await product.setUpAddress();
  assert.equal(new URL(address).origin, product.base);
  assert.equal(product.output.split('/setup').length - 1, 1, 'it is printed once');
});

tell('every page leads to the set-up while nobody has an account', async () => {
  await page.goto(`${product.base}/experiments`);
  assert.equal(new URL(page.url()).pathname, '/setup');
});

tell('the set-up makes the first admin, who is signed in', async () => {
  const address = await product.setUpAddress();
  await stranger.check(address.slice(product.base.length));
  await makeAdmin(page, address);
  assert.equal(new URL(page.url()).pathname, '/');
  assert.match(await page.getByRole('navigation').innerText(), new RegExp(ADMIN.name));
  const [cookie] = await context.cookies();
  assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, 'Lax']);
  await eye.check('/');
});

tell('the set-up address works once', async () => {
  const again = await fetch(await product.setUpAddress(), { redirect: 'manual' });
  assert.deepEqual([again.status, again.headers.get('location')], [303, '/login']);
});

tell('the engine can be installed by a button while no variant is there', async () => {
  await page.goto(`${product.base}/engines`);
  assert.ok(await form(page, '/do/engine-install').getByRole('button').isEnabled());
  assert.match(await section('variants').innerText(), /no variants yet/);
  await eye.check('/engines');
});

tell('the three variants stand on the Engines page with where their weights come from', async () => {
  await registerVariants(product);
  await page.goto(`${product.base}/engines`);
  for (const variant of VARIANTS) {
    const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: variant, exact: true }) });
    assert.match(await row.innerText(), /Q4_1/);
  }
  await eye.check('/engines');
});

tell('a variant started by a button becomes ready, with capacity and log, and is stopped', async () => {
  const id = await startVariant(page, product.base, VARIANTS[2]);
  assert.match(await section('capacity').innerText(), /slots\)\s+8\b/);
  assert.ok(await section('log').getByRole('listitem').count() > 5);
  await eye.check(`/engines/${id}`);
  await stopDeployment(page, product.base, id);
  await eye.check(`/engines/${id}`);
});

tell('the builder shows an estimate and queues nothing by that', async () => {
  await fillBuilder(page, product.base);
  const estimate = await section('estimate').innerText();
  assert.match(estimate, /about \d+ (s|min)/);
  assert.match(estimate, new RegExp(`Runs\\s+${RUNS}\\b`));
  assert.deepEqual(await localJson(product, '/api/v1/experiments'), []);
  await eye.check(page.url().slice(product.base.length));
});

tell('a queued experiment shows how far it is, and its page loads itself again', async () => {
  experiment = await queueEstimated(page);
  const response = await page.goto(`${product.base}/experiments/${experiment}`);
  assert.match(response.headers().refresh ?? '', /^\d/);
  await page.waitForEvent('load', { timeout: 30_000 });
  const text = await main();
  assert.match(text, /\d+ of \d+ requests/);
  assert.match(text, /about .+ left/);
  assert.match(text, new RegExp(`\\d+ of ${RUNS} done`));
  await eye.check(`/experiments/${experiment}`);
  await eye.check('/experiments');
});

tell('the result opens with a finding and holds intervals and verdicts in words', async () => {
  await untilOver(page, product.base, experiment);
  const { state, runs } = await localJson(product, `/api/v1/experiments/${experiment}`);
  assert.deepEqual([state, runs.done], ['done', RUNS]);
  await page.goto(`${product.base}/experiments/${experiment}`);
  assert.match(await page.getByRole('heading', { level: 2 }).first().innerText(), /\w+( [^ ]+){4,}.*\b(f16|q8_0|q4_0)\b/s);
  const rows = page.getByRole('table', { name: /^Figures by arm/ }).locator('tbody tr');
  assert.equal(await rows.count(), VARIANTS.length);
  assert.match(await rows.nth(0).innerText(), /±.*baseline/s);
  for (const candidate of [1, 2]) {
    assert.match(await rows.nth(candidate).innerText(), /±.*(better|worse|no difference shown|not comparable)/s);
  }
  const comparison = page.getByRole('table', { name: /gated metric/ });
  assert.match(await comparison.innerText(), /\d[.,]\d+–\d[.,]\d+/);
});

tell('three charts are drawn, each with words for it and its data as a table', async () => {
  const charts = page.locator('section[id^="chart-"]');
  assert.equal(await charts.count(), 3);
  for (const chart of await charts.all()) {
    assert.ok(await chart.getByRole('img').first().isVisible());
    await chart.locator('summary').click();
    assert.ok(await chart.getByRole('table').locator('tbody tr').count() >= VARIANTS.length - 1);
  }
  await eye.check(`/experiments/${experiment}`);
});

tell('the run matrix leads to runs with figures, configuration, environment, commands and log', async () => {
  const links = await page.locator('table.matrix a, section#runs a[href^="/runs/"]').evaluateAll(
    (all) => [...new Set(all.map((a) => a.getAttribute('href')))]);
  assert.equal(links.length, RUNS);
  run = links[0].split('/').pop();
  await page.locator(`a[href="${links[0]}"]`).first().click();
  await page.waitForURL(`**${links[0]}`);
  const text = await main();
  assert.match(text, /tok\/s/);
  assert.match(await section('config').innerText(), new RegExp(VARIANTS[0]));
  assert.match(await section('environment').innerText(), /Logical processors\s+\d+/);
  assert.match(await section('commands').innerText(), /llama-server|inferex /);
  assert.ok(await section('requests').locator('tbody tr').count() >= SMALL.requests);
  await eye.check(`/runs/${run}`);
  await Promise.all([page.waitForURL('**/engines/dep-*'), page.getByRole('link', { name: 'Engine log' }).click()]);
  assert.ok(await section('log').getByRole('listitem').count() > 5);
});

async function download(paths) {
  const kinds = new Set();
  for (const path of paths) {
    const answer = await context.request.get(product.base + path);
    assert.equal(answer.status(), 200, path);
    const { 'content-type': type, 'content-disposition': disposition } = answer.headers();
    const name = disposition?.match(/filename="([^"]+)"/)?.[1] ?? `unnamed.${type.match(/[a-z]+$/)?.[0]}`;
    try {
      parse(name, await answer.text());
    } catch (error) {
      throw new Error(`${path} (${name}): ${error.message}`);
    }
    kinds.add(name.split('.').pop());
  }
  return [...kinds].sort();
}

tell('everything that is offered for download is whole', async () => {
  const offered = [[`/experiments/${experiment}`, ['csv', 'json', 'svg', 'toml']], [`/runs/${run}`, ['csv', 'json', 'jsonl']]];
  for (const [at, kinds] of offered) {
    await page.goto(product.base + at);
    const paths = await page.locator('a[download]').evaluateAll((all) => all.map((a) => a.getAttribute('href')));
    assert.deepEqual(await download([...new Set(paths)]), kinds, at);
  }
}, { independent: true });

tell('a report is frozen, and its link is shown once', async () => {
  report = await freeze(page, product.base, experiment, 'F16, Q8_0 and Q4_0 here');
  link = await share(page);
  assert.equal(new URL(link).origin, product.base);
  await page.goto(`${product.base}/reports/${report}`);
  assert.ok(!(await page.content()).includes(link.split('/').pop()));
  await eye.check(`/reports/${report}`);
  await eye.check('/reports');
});

tell('whoever has the link sees chart and uncertainty, and no way into the product', async () => {
  const guest = await visitorWithoutScripts(browser);
  const heard = complaintsOf(guest);
  const sheet = await guest.newPage();
  const response = await sheet.goto(link);
  const headers = response.headers();
  assert.equal(response.status(), 200);
  assert.match(headers['x-robots-tag'], /noindex/);
  assert.match(headers['cache-control'], /no-store/);
  assert.equal(headers['referrer-policy'], 'no-referrer');
  assert.equal(await sheet.locator('section[id^="chart-"]').count(), 3);
  assert.ok(await sheet.getByRole('img').first().isVisible());
  assert.match(await sheet.locator('main').innerText(), /±/);
  assert.equal(await sheet.getByRole('navigation').count(), 0);
  assert.deepEqual(await guest.cookies(), []);
  const path = new URL(link).pathname;
  const hrefs = await sheet.locator('a[href], form').evaluateAll(
    (all) => all.map((one) => one.getAttribute('href') ?? one.getAttribute('action')));
  assert.deepEqual(hrefs.filter((href) => !href.startsWith(`${path}/`) && !href.startsWith('#')), []);
  for (const href of hrefs.filter((one) => one.startsWith(path))) {
    const answer = await guest.request.get(product.base + href);
    parse(href, await answer.text());
  }
  complaints.push(...heard);
  await guest.close();
  await stranger.check(path);
});

async function asSeen(token) {
  const response = await fetch(`${product.base}/r/${token}`);
  const body = (await response.text()).replaceAll(token, 'TOKEN').replace(/nonce="[^"]*"/g, 'nonce=""');
  const headers = Object.fromEntries(response.headers);
  for (const name of ['date', 'content-security-policy', 'x-request-id']) delete headers[name];
  return { status: response.status, headers, body };
}

tell('a revoked link is as unknown as one that never was', async () => {
  await page.goto(`${product.base}/reports/${report}`);
  await press(page, form(page, '/do/share-revoke'));
  const token = link.split('/').pop();
  const never = token.replace(/./g, (c) => (/[a-z]/.test(c) ? 'a' : c));
  const [revoked, unknown] = [await asSeen(token), await asSeen(never)];
  assert.equal(revoked.status, 404);
  assert.deepEqual(revoked, unknown);
  await stranger.check(`/r/${never}`, { status: 404 });
});

tell('the remaining pages look right too', async () => {
  for (const path of ['/', '/engines', '/experiments/new', '/settings']) await eye.check(path);
  await eye.check('/nowhere', { status: 404 });
  await eye.check('/experiments/exp-999', { status: 404 });
}, { independent: true });

tell('after signing out every page leads to the sign-in', async () => {
  await page.goto(`${product.base}/`);
  await press(page, form(page, '/do/sign-out'));
  assert.equal(new URL(page.url()).pathname, '/login');
  for (const path of ['/', '/engines', `/experiments/${experiment}`, `/runs/${run}`, `/reports/${report}`, '/settings']) {
    await page.goto(product.base + path);
    assert.equal(new URL(page.url()).pathname, '/login', path);
  }
  const api = await context.request.get(`${product.base}/api/v1/experiments/${experiment}`);
  assert.equal(api.status(), 401);
  await stranger.check('/login');
}, { independent: true });

tell('the browser had nothing to complain about', async () => {
  assert.deepEqual(complaints, []);
}, { independent: true });
