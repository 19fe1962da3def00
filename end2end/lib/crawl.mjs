// Everything that a person can reach by following links, forms left alone.

/**
 * @param {import('./api.mjs').Person} person
 * @param {string[]} from paths to begin at
 * @returns {Promise<Map<string, {status: number, headers: string, body: string}>>} by path
 */
export async function crawl(person, from, { atMost = 300 } = {}) {
  const [read, open] = [new Map(), [...from]];
  while (open.length) {
    const path = open.shift();
    if (read.has(path)) continue;
    if (read.size === atMost) throw new Error(`more than ${atMost} pages; the next is ${path}`);
    const { status, headers, body } = await person.ask(path);
    const told = [...headers].filter(([name]) => name !== 'set-cookie').map((pair) => pair.join(': ')).join('\n');
    read.set(path, { status, headers: told, body });
    open.push(...linksOf(body, path).filter((link) => !read.has(link)));
    const to = headers.get('location');
    if (to?.startsWith('/')) open.push(to);
  }
  return read;
}

function linksOf(body, at) {
  const hrefs = [...body.matchAll(/(?:href|src)="([^"]+)"/g)].map((found) => found[1].replaceAll('&amp;', '&'));
  const here = new URL(at, 'http://here.invalid');
  return hrefs.map((href) => new URL(href, here))
    .filter((url) => url.origin === here.origin)
    .map((url) => url.pathname + url.search);
}
