// What is wrong is named in one sentence, with an exit code that a script can trust, and nothing is left half-made.

import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after } from 'node:test';
import { Person, localJson } from '../lib/api.mjs';
import { experimentToml } from '../lib/files.mjs';
import { ADMIN, VARIANTS, registerVariants } from '../lib/journey.mjs';
import { below, naming } from '../lib/processes.mjs';
import { Product, freePort, freshDataFolder, startProduct } from '../lib/product.mjs';
import { story } from '../lib/story.mjs';

const tell = story({ engine: true });
const alone = { independent: true };
const [, , Q4] = VARIANTS;

let product, busy;

after(async () => {
  busy?.close();
  await product?.remove();
});

/** Everything that could be half-made: files (the database's own and logs of the server left out), rows, processes. */
async function traces({ dataFolder }) {
  const files = await readdir(dataFolder, { recursive: true });
  const [experiments, deployments, variants] = await Promise.all(
    ['experiments', 'deployments', 'variants'].map((what) => localJson(product, `/api/v1/${what}`)));
  const open = deployments.filter((one) => !['failed', 'stopped', 'lost'].includes(one.state));
  return {
    files: files.filter((file) => !/^inferex\.db-|^given/.test(file)).sort(),
    experiments: experiments.length, open: open.length, variants: variants.map((one) => one.variant.name),
    engines: (await naming(dataFolder)).length, children: (await below(product.child.pid)).length,
  };
}

/** One sentence on standard error, nothing on standard output, and the code. */
function refuses({ code, stdout, stderr }, expected, cause) {
  assert.equal(code, expected, stderr || stdout);
  assert.equal(stdout, '');
  assert.match(stderr, /^inferex: [^\n]+\n$/, 'one line');
  assert.match(stderr, cause);
}

/** Runs the command and asserts that it was refused and changed nothing. */
async function refused(args, code, cause, options) {
  const before = await traces(product);
  refuses(await product.command(args, options), code, cause);
  assert.deepEqual(await traces(product), before);
}

async function given(text, name = 'given.toml') {
  const path = join(product.dataFolder, name);
  await writeFile(path, text);
  return path;
}

const variant = (name, model, extra = '') =>
  `[[variant]]\nname = "${name}"\nengine = "llama_cpp"\nmodel = "${model}"\nstart_deadline = "60s"\n${extra}`;

tell('a product to be wrong with', async () => {
  product = await startProduct();
  await registerVariants(product);
  const made = await product.command(['user', 'create', ADMIN.name, '--role', 'admin', '--password-stdin'],
    { input: ADMIN.password });
  assert.equal(made.code, 0, made.stderr);
  const files = [variant('lost', 'nowhere.gguf')];
  busy = createServer();
  await new Promise((ready) => { busy.listen(0, '127.0.0.1', ready); });
  const args = `args = ["--port", "${busy.address().port}", "-c", "2048", "--device", "none"]`;
  files.push(variant('taken', 'SmolLM2-135M-Instruct.Q4_0.gguf', args));
  const imported = await product.command(['variant', 'import', await given(files.join('\n'))]);
  assert.equal(imported.code, 0, imported.stderr);
});

const experiment = (text) => ['experiment', 'run', text];
const good = experimentToml({ name: 'good', variants: [Q4] });
const FILES = [
  ['an unknown variant', good.replace(Q4, 'no-such'), /arm\[0\]\.variant.*no-such/],
  ['a missing model file', good.replace(Q4, 'lost'), /nowhere\.gguf/],
  ['broken TOML', good.replace('[workload]', '[workload'), /line 3/],
  ['an unknown field', `colour = "red"\n${good}`, /colour/],
  ['a wrong type', good.replace('requests = 4', 'requests = "four"'), /requests|four/],
  ['a value out of range', good.replace('repeats = 1', 'repeats = 0'), /repeats/],
  ['no arms', good.slice(0, good.indexOf('[[arm]]')), /arm/],
];

for (const [name, text, cause] of FILES) {
  tell(`an experiment file with ${name}`, async () => {
    await refused(experiment(await given(text)), 2, cause);
    await refused([...experiment(await given(text)), '--wait'], 2, cause);
  }, alone);
}

tell('an experiment file that is not there', async () => {
  await refused(experiment(join(product.dataFolder, 'absent.toml')), 2, /absent\.toml/);
}, alone);

tell('a variant file that is wrong stores none of its variants', async () => {
  const text = `${variant('fine', 'a.gguf')}\n${variant('bad name', 'b.gguf')}`;
  await refused(['variant', 'import', await given(text)], 2, /variant\[1\]\.name/);
}, alone);

const COMMANDS = [
  ['an engine of an unknown variant', ['engine', 'start', 'no-such'], /no-such/],
  ['an engine whose model file is missing', ['engine', 'start', 'lost'], /nowhere\.gguf/],
  ['an unknown experiment', ['experiment', 'show', 'exp-999'], /exp-999/],
  ['cancelling an unknown experiment', ['experiment', 'cancel', 'exp-999'], /exp-999/],
  ['an unknown deployment', ['engine', 'status', 'dep-999'], /dep-999/],
  ['an id of another kind', ['experiment', 'show', 'run-1'], /run-1/],
  ['a report of an unknown experiment', ['report', 'create', '--experiment', 'exp-999'], /exp-999/],
  ['an unknown variant to remove', ['variant', 'remove', 'no-such'], /no-such/],
];

for (const [name, args, cause] of COMMANDS) tell(name, () => refused(args, 2, cause), alone);

tell('a password that is too short makes no account', async () => {
  const args = ['user', 'create', 'bob', '--role', 'viewer', '--password-stdin'];
  await refused(args, 2, /password/, { input: 'short' });
  const { stdout } = await product.command(['user', 'list', '--json']);
  assert.deepEqual(JSON.parse(stdout).map((user) => user.name), [ADMIN.name]);
}, alone);

tell('a wrong password opens nothing and does not say which half was wrong', async () => {
  const said = async (name) => {
    const person = new Person(product);
    const { at, body } = await person.signIn({ name, password: 'not the pass phrase' });
    assert.equal(at, '/login');
    const inside = await person.ask('/');
    assert.deepEqual([inside.status, inside.headers.get('location')], [303, '/login']);
    return body.match(/role="alert"[^]*?<\/div>/)[0].replace(/<[^>]*>/g, '');
  };
  const [known, unknown] = [await said(ADMIN.name), await said('nobody')];
  assert.equal(known, unknown);
  assert.match(known, /password[^.]*\./i);
}, alone);

tell('the engine’s own port in use', async () => {
  const before = await traces(product);
  const started = await product.command(['engine', 'start', 'taken', '--wait'], { within: 90_000 });
  assert.ok([2, 3].includes(started.code), `${started.code}: ${started.stdout}${started.stderr}`);
  const line = started.stderr.split('\n').filter((one) => one.startsWith('inferex: '));
  assert.equal(line.length, 1, started.stderr);
  assert.match(line[0], /port/);
  const now = await traces(product);
  assert.deepEqual([now.open, now.engines, now.children], [before.open, before.engines, before.children]);
}, alone);

tell('the dashboard’s port in use', async () => {
  const other = new Product({ dataFolder: await freshDataFolder({ engine: false }), port: product.port });
  try {
    refuses(await other.command(['serve']), 3, new RegExp(`${product.port}.*in use`));
    const left = await readdir(other.dataFolder);
    assert.deepEqual(left.filter((name) => /db|sock/.test(name)), [], 'no database, no socket');
    assert.equal(await product.answers(), true);
  } finally {
    await other.remove();
  }
}, alone);

tell('a second server on the same data folder', async () => {
  const port = await freePort();
  await refused(['serve'], 2, new RegExp(`process ${product.child.pid}\\b`),
    { env: { INFEREX_LISTEN: `127.0.0.1:${port}` } });
}, alone);

tell('a setting that cannot be', async () => {
  await refused(['serve'], 2, /INFEREX_LISTEN/, { env: { INFEREX_LISTEN: 'nonsense' } });
}, alone);
