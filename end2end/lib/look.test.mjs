import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, visitorWithoutScripts } from './browser.mjs';
import { axeProblems, overflow } from './look.mjs';

const page = (body) => `<!doctype html><html lang="en"><title>t</title><style>body{margin:0}</style><main><h1>t</h1>${body}</main>`;

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

async function look(body, how, options) {
  const context = options?.scripts === false
    ? await visitorWithoutScripts(browser, { viewport: { width: 360, height: 700 } })
    : await browser.newContext({ viewport: { width: 360, height: 700 } });
  const tab = await context.newPage();
  await tab.setContent(page(body));
  const found = await how(tab);
  await context.close();
  return found;
}

test('a page that fits overflows nowhere', async () => {
  assert.deepEqual(await look('<p>short</p>', overflow), []);
});

test('a wide block is named', async () => {
  const found = await look('<div id="wide" style="width:500px;height:9px"></div>', overflow);
  assert.match(found.join('\n'), /500 px wide in a window of 360/);
  assert.match(found.join('\n'), /div#wide ends at 500 px/);
});

test('a wide table in a scroller of its own is fine', async () => {
  const body = '<div style="overflow-x:auto" tabindex="0"><div style="width:900px;height:9px"></div></div>';
  assert.deepEqual(await look(body, overflow), []);
});

test('the check works in a browser that runs no script', async () => {
  const found = await look('<div style="width:500px;height:9px"></div>', overflow, { scripts: false });
  assert.ok(found.length > 0);
});

test('axe finds a picture without words, and nothing on a clean page', async () => {
  assert.match((await look('<img src="data:,">', axeProblems)).join('\n'), /image-alt/);
  assert.deepEqual(await look('<p>clean</p>', axeProblems), []);
});
