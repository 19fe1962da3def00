// Inferex itself: the real binary on a free port with a data folder of its own.

import { spawn, execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { link, mkdir, mkdtemp, readdir, readlink, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { until } from './wait.mjs';

const ROOT = resolve(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '../..');

export function binary() {
  return process.env.INFEREX_BIN ?? join(ROOT, 'target/debug/inferex');
}

/** Where the test command put the real engine and its models; undefined when it did not. */
export function engineFolder() {
  const folder = process.env.INFEREX_TEST_ENGINE ?? join(ROOT, 'target/test-data/cpu-engine');
  return existsSync(join(folder, 'engines/llama.cpp/bin/llama-server')) ? folder : undefined;
}

export function freePort() {
  return new Promise((settle, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => settle(port));
    });
  });
}

// Hard links: the models are large, and a test that writes to its copy by renaming leaves the original alone.
async function linkTree(from, to) {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkTree(source, target);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else if (!entry.name.endsWith('.lock')) await link(source, target);
  }
}

/** A fresh data folder beside the engine's, so that hard links reach; with the real engine in it unless told not to. */
export async function freshDataFolder({ engine = true } = {}) {
  const source = engineFolder();
  const parent = source ? resolve(source, '..') : tmpdir();
  const folder = await mkdtemp(join(parent, 'story-'));
  if (engine) {
    if (!source) throw new Error('the real engine is not there; run ./deploy/test engine');
    await linkTree(join(source, 'engines'), join(folder, 'engines'));
    await linkTree(join(source, 'models'), join(folder, 'models'));
  }
  return folder;
}

function cleanEnvironment(extra) {
  const kept = Object.entries(process.env).filter(([name]) => !/^(INFEREX|GATEWAY)_/.test(name));
  return { ...Object.fromEntries(kept), ...extra };
}

export class Product {
  constructor({ dataFolder, port, env = {} }) {
    this.dataFolder = dataFolder;
    this.port = port;
    this.base = `http://127.0.0.1:${port}`;
    this.env = cleanEnvironment({
      INFEREX_DATA_DIR: dataFolder,
      INFEREX_LISTEN: `127.0.0.1:${port}`,
      ...env,
    });
    this.output = '';
  }

  /** Starts the server and waits until it answers. A second call after `kill` starts it again on the same folder. */
  async start({ within = 30_000 } = {}) {
    this.output = '';
    const child = spawn(binary(), ['serve'], { env: this.env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    this.ended = new Promise((settle) => {
      child.once('error', (error) => settle({ error }));
      // Its last words may still be in the pipe; an engine that outlived it may hold the pipe open, hence no 'close'.
      child.once('exit', (code, signal) => setTimeout(settle, 50, { code, signal }));
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => { this.output += text; });
    }
    await until('the server to answer', () => this.hasEnded() || this.answers(), { within });
    if (this.hasEnded()) {
      const { code, signal, error } = await this.ended;
      throw new Error(`the server ended with ${error?.message ?? code ?? signal}: ${this.output.slice(-2000).trim()}`);
    }
    return this;
  }

  hasEnded() {
    return this.child.exitCode !== null || this.child.signalCode !== null || this.child.pid === undefined;
  }

  async answers() {
    const response = await fetch(`${this.base}/login`, { redirect: 'manual', signal: AbortSignal.timeout(5_000) });
    await response.arrayBuffer();
    return response.status < 500;
  }

  /** The one-time set-up address that a first start prints. */
  setUpAddress() {
    return until('the set-up address', () => this.output.match(/https?:\/\/\S+\/setup\S*/)?.[0], { within: 5_000 });
  }

  /** Asks it to end, as Ctrl-C does; after ten seconds it is killed and that is an error. */
  async stop() {
    if (!this.child || this.hasEnded()) return;
    this.child.kill('SIGINT');
    const late = Symbol('late');
    let timer;
    const bound = new Promise((settle) => { timer = setTimeout(() => settle(late), 10_000); });
    const how = await Promise.race([this.ended, bound]);
    clearTimeout(timer);
    if (how === late) {
      await this.kill();
      throw new Error(`the server did not end within 10 s of Ctrl-C: ${this.output.slice(-2000)}`);
    }
  }

  /** `kill -9`. */
  async kill() {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  /** Runs `inferex …` as a person at the same machine would; never throws, answers code and both outputs. */
  async command(args, { input, within = 60_000, env = {} } = {}) {
    const running = promisify(execFile)(binary(), args, {
      env: { ...this.env, ...env }, timeout: within, maxBuffer: 32 * 1024 * 1024,
    });
    running.child.stdin.on('error', () => {});
    running.child.stdin.end(input ?? '');
    try {
      return { code: 0, ...(await running) };
    } catch (error) {
      return { code: error.code ?? -1, stdout: error.stdout ?? '', stderr: error.stderr ?? String(error) };
    }
  }

  /** Ends it and removes its folder; for the end of a story, also of a failed one. */
  async remove() {
    try {
      await this.stop();
    } finally {
      await rm(this.dataFolder, { recursive: true, force: true, maxRetries: 3 });
    }
  }
}

/** A running product with a fresh data folder. */
export async function startProduct({ engine = true, env } = {}) {
  const dataFolder = await freshDataFolder({ engine });
  const product = new Product({ dataFolder, port: await freePort(), env });
  try {
    return await product.start();
  } catch (error) {
    await product.remove().catch(() => {});
    throw error;
  }
}
