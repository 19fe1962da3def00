import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { launch } from './browser.mjs';
import { Eye, still } from './eye.mjs';

const PAGES = {
  '/clean': '<p>clean</p>',
  '/wide': '<div id="wide" style="width:500px;height:9px"></div>',
  '/image': '<img src="/absent.png" alt="a picture">',
  '/inline': '<script>document.title = "changed"</script>',
};

let browser, server, eye;
before(async () => {
  server = createServer((request, answer) => {
    const body = PAGES[new URL(request.url, 'http://here.invalid').pathname];
    const policy = "default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'";
    answer.writeHead(body ? 200 : 404, { 'content-type': 'text/html', 'content-security-policy': policy });
    answer.end(`<!doctype html><html lang="en"><title>t</title><link rel="icon" href="data:,"><main><h1>t</h1>${body ?? ''}</main>`);
  });
  await new Promise((ready) => { server.listen(0, '127.0.0.1', ready); });
  browser = await launch();
  eye = new Eye(browser, `http://127.0.0.1:${server.address().port}`);
});
after(async () => {
  await browser.close();
  server.close();
});

test('a clean page passes, also one that is missing on purpose', async () => {
  await eye.check('/clean');
  await eye.check('/nowhere', { status: 404 });
});

test('what is wrong with a page is named', async () => {
  await assert.rejects(eye.check('/wide'), /div#wide ends at 508 px/);
  await assert.rejects(eye.check('/image'), /absent\.png answered 404/);
  await assert.rejects(eye.check('/inline'), /Content Security Policy/);
  await assert.rejects(eye.check('/nowhere'), /answered 404 instead of 200/);
});

test('a page is looked at where it does not load itself again', () => {
  assert.equal(still('/runs/run-1?offset=5#log'), '/runs/run-1?offset=5&live=off#log');
});
