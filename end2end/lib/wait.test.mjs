import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fill, PAGES } from '../pages.mjs';
import { freePort } from './product.mjs';
import { until } from './wait.mjs';

test('gives the first truthy answer', async () => {
  let asked = 0;
  assert.equal(await until('three', () => ++asked === 3 && 'yes', { every: 1 }), 'yes');
  assert.equal(asked, 3);
});

test('names what it waited for, and the last failure', async () => {
  const never = () => { throw new Error('refused'); };
  await assert.rejects(until('the door', never, { within: 20, every: 5 }), /20 ms for the door; last: refused/);
});

test('a probe that never answers does not hold it up', async () => {
  await assert.rejects(until('silence', () => new Promise(() => {}), { within: 30, every: 5 }), /30 ms for silence/);
});

test('a page is left out while one of its names is unknown', () => {
  assert.equal(fill('/runs/{run}', {}), undefined);
  assert.equal(fill('/runs/{run}', { run: 'run-3' }), '/runs/run-3');
  assert.equal(new Set(PAGES.map((entry) => entry.name)).size, PAGES.length);
});

test('a free port is one that can be listened on', async () => {
  assert.ok(await freePort() > 1023);
});
