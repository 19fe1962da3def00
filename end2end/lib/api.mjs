// The product's API and pages without a browser: over its control socket, or over HTTP as somebody who signed in.

import { request } from 'node:http';
import { join } from 'node:path';

/** `GET path` over the control socket, as the local admin. */
export function local(product, path, { method = 'GET' } = {}) {
  return new Promise((settle, fail) => {
    const options = { socketPath: join(product.dataFolder, 'control.sock'), path, method, headers: { host: 'inferex' } };
    const asked = request(options, (answer) => {
      const parts = [];
      answer.on('data', (part) => parts.push(part)).on('error', fail);
      answer.on('end', () => settle({ status: answer.statusCode, body: Buffer.concat(parts).toString('utf8') }));
    });
    asked.setTimeout(20_000, () => asked.destroy(new Error(`${path} did not answer within 20 s`)));
    asked.on('error', fail).end();
  });
}

export async function localJson(product, path) {
  const { status, body } = await local(product, path);
  if (status !== 200) throw new Error(`${path} answered ${status}: ${body}`);
  return JSON.parse(body);
}

/** A person with a session but without a browser. */
export class Person {
  constructor(product) {
    this.product = product;
    this.cookies = new Map();
  }

  async ask(path, { method = 'GET', body } = {}) {
    const response = await fetch(this.product.base + path, {
      method, body, redirect: 'manual', signal: AbortSignal.timeout(30_000),
      headers: {
        origin: this.product.base,
        cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(body ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
      },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name, value] = cookie.split(';')[0].split('=');
      if (value) this.cookies.set(name, value);
      else this.cookies.delete(name);
    }
    return { status: response.status, headers: response.headers, body: await response.text() };
  }

  /** Posts a form, follows its redirect and answers the page that follows. */
  async submit(path, values) {
    const sent = await this.ask(path, { method: 'POST', body: new URLSearchParams(values).toString() });
    const to = sent.headers.get('location');
    if (!to) throw new Error(`${path} answered ${sent.status} and led nowhere: ${sent.body.slice(0, 300)}`);
    const next = new URL(to, this.product.base);
    return { at: next.pathname, ...await this.ask(next.pathname + next.search) };
  }

  async signIn({ name, password }) {
    return this.submit('/do/sign-in', { name, password, next: '/' });
  }
}
