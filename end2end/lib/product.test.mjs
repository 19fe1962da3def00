import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Product, freePort } from './product.mjs';

// A stand-in with the same manners as the real program: it serves, prints its address, and ends on Ctrl-C.
const STAND_IN = `#!${process.execPath}
const http = require('http');
const [host, port] = process.env.INFEREX_LISTEN.split(':');
if (process.argv[2] === 'broken') { console.error('data folder: cannot be made'); process.exit(2); }
if (process.argv[2] === 'echo') { process.stdin.pipe(process.stdout); return; }
if (process.env.STAND_IN === 'dies') { console.error('the port is in use'); process.exit(3); }
http.createServer((_, answer) => answer.end('hello')).listen(port, host, () => {
  console.log('Set up Inferex at http://' + host + ':' + port + '/setup?code=abc');
});
if (process.env.STAND_IN === 'deaf') process.on('SIGINT', () => {});
`;

let folder;
let beforeBin;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stand-in-'));
  beforeBin = process.env.INFEREX_BIN;
  process.env.INFEREX_BIN = join(folder, 'inferex');
  await writeFile(process.env.INFEREX_BIN, STAND_IN, { mode: 0o755 });
});
after(async () => {
  if (beforeBin === undefined) delete process.env.INFEREX_BIN;
  else process.env.INFEREX_BIN = beforeBin;
  await rm(folder, { recursive: true });
});

const product = async (env) => new Product({ dataFolder: folder, port: await freePort(), env });

test('starts, tells its set-up address, and ends on Ctrl-C', async () => {
  const running = await (await product()).start();
  assert.equal(await running.setUpAddress(), `${running.base}/setup?code=abc`);
  await running.stop();
  assert.equal((await running.ended).signal, 'SIGINT');
});

test('starts again on the same folder after kill -9', async () => {
  const running = await (await product()).start();
  await running.kill();
  await running.start();
  await running.stop();
});

test('a server that ends at once is told with its last words', async () => {
  const dying = await product({ STAND_IN: 'dies' });
  await assert.rejects(dying.start({ within: 3_000 }), /ended with 3: the port is in use/);
});

test('a command answers its code and both outputs', async () => {
  const idle = await product();
  const broken = await idle.command(['broken']);
  assert.deepEqual([broken.code, broken.stderr], [2, 'data folder: cannot be made\n']);
  const echo = await idle.command(['echo'], { input: 'secret' });
  assert.deepEqual([echo.code, echo.stdout], [0, 'secret']);
});
