// Secrets are planted, everything is done once, and then everything that was written or can be read is searched for them.

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import { Person, localJson } from '../lib/api.mjs';
import { crawl } from '../lib/crawl.mjs';
import { experimentFile, experimentToml } from '../lib/files.mjs';
import { VARIANTS, registerVariants } from '../lib/journey.mjs';
import { commandLines } from '../lib/processes.mjs';
import { startProduct } from '../lib/product.mjs';
import { SLOW, story } from '../lib/story.mjs';
import { until } from '../lib/wait.mjs';

const tell = story({ engine: true });
const alone = { independent: true };
const [, Q8, Q4] = VARIANTS;
const API = ['variants', 'deployments', 'experiments', 'reports', 'users', 'audit', 'openapi.json'];

const admin = { name: 'ada', password: 'canary-password-of-ada' };
const viewer = { name: 'vic', password: 'canary-password-of-vic' };
const canaries = {
  'the admin’s password': admin.password,
  'the viewer’s password': viewer.password,
  'HF_TOKEN': 'hf_canaryTokenOfTheServer',
  'a key in the server’s environment': 'sk-canaryKeyThatEnginesInherit',
  'a key in a variant': 'sk-canaryKeyOfAVariant',
};

let product, experiment, report, link;
let commands = '';
const outputs = [];
const people = {};

after(() => product?.remove());

/** Fails with the names (never the values) of the secrets that `text` holds. */
function clean(where, text, allowed = []) {
  const found = Object.entries(canaries)
    .filter(([name, secret]) => !allowed.includes(name) && text.includes(secret)).map(([name]) => name);
  assert.deepEqual(found, [], `${where} holds a secret`);
}

async function command(args, options) {
  const done = await product.command(args, options);
  assert.equal(done.code, 0, done.stderr);
  outputs.push(done.stdout, done.stderr);
  return done.stdout;
}

tell('secrets are planted: set-up code, passwords, sessions, tokens', async () => {
  const inherited = { HF_TOKEN: canaries.HF_TOKEN, SOME_API_KEY: canaries['a key in the server’s environment'] };
  product = await startProduct({ env: { ...inherited, LOG_LEVEL: 'debug' } });
  const address = new URL(await product.setUpAddress());
  people.admin = new Person(product);
  const code = address.searchParams.get('code');
  await people.admin.submit('/do/set-up', { code, ...admin, again: admin.password });
  await command(['user', 'create', viewer.name, '--role', 'viewer', '--password-stdin'], { input: viewer.password });
  people.viewer = new Person(product);
  await people.viewer.signIn(viewer);
  for (const [name, person] of Object.entries(people)) {
    const [session] = person.cookies.values();
    assert.ok(session?.length >= 20, `${name} is signed in`);
    canaries[`the session of the ${name}`] = session;
  }
});

tell('a variant with a secret is refused before it is stored, alone and within an experiment', async () => {
  await registerVariants(product);
  const table = [`name = "secret"`, 'engine = "llama_cpp"', 'model = "SmolLM2-135M-Instruct.Q4_0.gguf"',
    `env = { SOME_API_KEY = "${canaries['a key in a variant']}" }`].join('\n');
  const inline = experimentToml({ name: 'inline', variants: [Q8] }).replace(/variant = .*/, `[arm.variant]\n${table}`);
  for (const [args, text] of [[['variant', 'import'], `[[variant]]\n${table}`], [['experiment', 'run'], inline]]) {
    const refused = await product.command([...args, await experimentFile(product, text, 'secret.toml')]);
    assert.equal(refused.code, 2, refused.stdout);
    assert.match(refused.stderr, /SOME_API_KEY/);
    outputs.push(refused.stderr);
  }
  const page = await people.admin.submit('/do/variant-import', { toml: `[[variant]]\n${table}` });
  assert.match(page.body, /SOME_API_KEY.*stored in clear/);
});

tell('a comparison is measured while the process list is watched', async () => {
  const file = await experimentFile(product, { name: 'canary', variants: [Q8, Q4] });
  experiment = (await command(['experiment', 'run', file])).trim();
  await until(`${experiment} to be over`, async () => {
    commands += await commandLines();
    return (await localJson(product, `/api/v1/experiments/${experiment}`)).state === 'done';
  }, { within: SLOW, every: 100 });
  assert.ok(commands.includes('llama-server'), 'an engine was seen');
});

tell('a report is shared, and its token stands in one answer', async () => {
  const made = await people.admin.submit('/do/report-create', { experiment, title: 'canary' });
  report = made.at.split('/').pop();
  const page = await people.admin.submit('/do/report-share', { report, expires: '1d' });
  link = page.body.match(/http[^"]*\/r\/[^"]+/)[0];
  canaries['the share token'] = link.split('/').pop();
  clean('the answer that shows the link', page.body, ['the share token']);
  const opened = await new Person(product).ask(new URL(link).pathname);
  assert.equal(opened.status, 200);
});

for (const name of ['admin', 'viewer']) {
  tell(`no page, download or answer of the API that the ${name} can reach holds a secret`, async () => {
    const read = await crawl(people[name], ['/', '/settings', ...API.map((path) => `/api/v1/${path}`)]);
    assert.ok(read.size > 30, `only ${read.size} pages were found`);
    assert.ok([...read.keys()].some((path) => path.endsWith('/events')));
    for (const [path, { body, headers }] of read) clean(path, headers + body);
  }, alone);
}

tell('no secret is in the shared report and its downloads', async () => {
  const path = new URL(link).pathname;
  const read = await crawl(new Person(product), [path]);
  assert.ok(read.size >= 3);
  // Its links lead on under its own address, which is the token.
  for (const [at, { body, headers }] of read) clean(at, (headers + body).replaceAll(path, ''));
}, alone);

tell('no secret was in a process’s command line', () => clean('/proc/*/cmdline', commands), alone);

tell('no secret is in what commands print', async () => {
  for (const args of [['config'], ['config', '--json'], ['variant', 'export'], ['variant', 'list', '--json'],
    ['engine', 'list', '--json'], ['experiment', 'show', experiment, '--json'], ['experiment', 'export', experiment],
    ['report', 'list', '--json'], ['user', 'list', '--json']]) await command(args);
  outputs.forEach((text) => clean('a command’s output', text));
}, alone);

tell('no secret is in the server’s output', () => {
  clean('the server’s output', product.output);
  assert.ok(product.output.length > 500, 'it logged something');
}, alone);

tell('no secret is in the logs of engines', async () => {
  const folder = join(product.dataFolder, 'logs');
  const logs = await readdir(folder);
  assert.ok(logs.length >= 2);
  for (const name of logs) clean(name, await readFile(join(folder, name), 'latin1'));
}, alone);

tell('no secret is in the database’s files, running and stopped', async () => {
  const search = async () => {
    const files = (await readdir(product.dataFolder)).filter((name) => /^(inferex\.db|lock)/.test(name));
    assert.ok(files.length >= 2);
    for (const name of files) clean(name, await readFile(join(product.dataFolder, name), 'latin1'));
  };
  await search();
  await product.stop();
  await search();
}, alone);
