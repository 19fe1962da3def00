// What a killed server leaves: no engine, everything that was measured before, and a queue that goes on.

import assert from 'node:assert/strict';
import { after } from 'node:test';
import { local, localJson } from '../lib/api.mjs';
import { experimentFile } from '../lib/files.mjs';
import { VARIANTS, registerVariants } from '../lib/journey.mjs';
import { jsonLines } from '../lib/parse.mjs';
import { alive, below, naming } from '../lib/processes.mjs';
import { startProduct } from '../lib/product.mjs';
import { SLOW, story } from '../lib/story.mjs';
import { until } from '../lib/wait.mjs';

const tell = story({ engine: true });
const [, Q8, Q4] = VARIANTS;
const OVER = ['done', 'partial', 'cancelled', 'failed'];

let product, experiment, before, torn;

after(() => product?.remove());

const show = (id) => localJson(product, `/api/v1/experiments/${id}`);
const events = async (run) => (await local(product, `/api/v1/runs/${run}/events`)).body;
const ids = (view, state) => view.cells.filter((cell) => cell.state === state).map((cell) => cell.id);

async function queue(wish) {
  const queued = await product.command(['experiment', 'run', await experimentFile(product, wish)]);
  assert.equal(queued.code, 0, queued.stderr);
  return queued.stdout.trim();
}

async function untilOver(id) {
  return until(`${id} to be over`, async () => {
    const view = await show(id);
    return OVER.includes(view.state) && view;
  }, { within: SLOW, every: 300 });
}

const noEngine = (within) => until('every engine of this data folder to be gone',
  async () => (await naming(product.dataFolder)).length === 0, { within, every: 100 });

tell('kill -9 in the middle of a measurement', async () => {
  product = await startProduct();
  await registerVariants(product);
  experiment = await queue({ name: 'torn', variants: [Q8, Q4], requests: 12, tokens: 24, repeats: 2 });
  await until('one run to be done and the next to have events', async () => {
    const view = await show(experiment);
    [torn] = ids(view, 'measuring');
    before = view;
    return ids(view, 'done').length > 0 && torn && (await events(torn)).includes('"sent"');
  }, { within: SLOW, every: 100 });
  const children = await below(product.child.pid);
  assert.ok(children.some((child) => child.command.includes('llama-server')), 'the engine runs');
  await product.kill();
  await until('no process of the engine’s group to be left', async () => (await alive(children)).length === 0,
    { within: 5_000, every: 50 });
  assert.deepEqual(await naming(product.dataFolder), []);
});

tell('after the next start, finished runs are done and the torn one is interrupted with its events', async () => {
  await product.start();
  const view = await show(experiment);
  for (const run of ids(before, 'done')) assert.equal(view.cells.find((cell) => cell.id === run).state, 'done');
  assert.equal(view.cells.find((cell) => cell.id === torn).state, 'interrupted');
  const kept = jsonLines(await events(torn));
  assert.ok(kept.filter((event) => event.kind === 'sent').length > 0);
});

tell('the queue goes on by itself, and the experiment ends partial', async () => {
  const view = await untilOver(experiment);
  assert.equal(view.state, 'partial');
  assert.deepEqual([view.runs.interrupted, view.runs.done], [1, view.runs.total - 1]);
});

tell('an interrupted run is queued again only when asked for, and completes the experiment', async () => {
  const asked = await product.command(['experiment', 'requeue', experiment]);
  assert.equal(asked.code, 0, asked.stderr);
  const view = await untilOver(experiment);
  assert.deepEqual([view.state, view.runs.done], ['done', view.runs.total]);
  assert.equal((await product.command(['experiment', 'requeue', experiment])).code, 2, 'there is nothing left to queue');
});

tell('a cancelled experiment ends at once, with its engine, and keeps what is done', async () => {
  const id = await queue({ name: 'cancelled', variants: [Q4, Q8], requests: 400, tokens: 32 });
  await until('it to measure', async () => ids(await show(id), 'measuring').length, { within: SLOW, every: 200 });
  const cancelled = await product.command(['experiment', 'cancel', id]);
  assert.equal(cancelled.code, 0, cancelled.stderr);
  const view = await untilOver(id);
  assert.deepEqual([view.state, view.runs.cancelled], ['cancelled', view.runs.total]);
  await noEngine(15_000);
}, { independent: true });

let exported;
tell('`experiment run --wait` shows its progress on standard error and the result on standard output', async () => {
  const file = await experimentFile(product, { name: 'from a file', variants: [Q8, Q4] });
  const ran = await product.command(['experiment', 'run', file, '--wait'], { within: SLOW });
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stderr, /queued: 2 runs, about/);
  assert.match(ran.stderr, /[01] of 2 runs done.*ETA/);
  assert.match(ran.stdout, /system tok\/s/);
  exported = ran.stderr.match(/exp-\d+/)[0];
}, { independent: true });

tell('what `experiment export` prints runs again, as the same experiment', async () => {
  const printed = await product.command(['experiment', 'export', exported]);
  assert.equal(printed.code, 0, printed.stderr);
  const file = await experimentFile(product, printed.stdout, 'again.toml');
  const again = await product.command(['experiment', 'run', file, '--wait', '--json'], { within: SLOW });
  assert.equal(again.code, 0, again.stderr);
  const view = JSON.parse(again.stdout);
  const [first, second] = [await show(exported), await show(view.id)];
  assert.notEqual(view.id, exported);
  assert.deepEqual([second.state, second.runs.done, second.toml], ['done', 2, first.toml]);
}, { independent: true });

tell('Ctrl-C ends the server and leaves nothing behind', async () => {
  const children = await below(product.child.pid);
  await product.stop();
  assert.deepEqual(await alive(children), []);
  assert.deepEqual(await naming(product.dataFolder), []);
}, { independent: true });
