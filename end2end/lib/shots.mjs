// A picture of every page at two widths, light and dark, with what does not fit or what axe finds.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PAGES, fill } from '../pages.mjs';
import { axeProblems, overflow } from './look.mjs';

export const WIDTHS = [360, 1440];
export const SCHEMES = ['light', 'dark'];

async function shoot(page, { base, path, file }) {
  const response = await page.goto(base + path, { waitUntil: 'load' });
  const problems = [];
  if (!response.ok()) problems.push(`answered ${response.status()}`);
  await page.screenshot({ path: file, fullPage: true, animations: 'disabled' });
  problems.push(...await overflow(page), ...await axeProblems(page));
  return problems;
}

/**
 * @param {import('playwright-core').Browser} browser
 * @param {{base: string, out: string, names?: Record<string, string>, storageState?: object, pages?: typeof PAGES}} wish
 * @returns {Promise<{taken: string[], left: string[], problems: string[]}>}
 */
export async function takeShots(browser, { base, out, names = {}, storageState, pages = PAGES }) {
  await mkdir(out, { recursive: true });
  const result = { taken: [], left: [], problems: [] };
  const known = pages.map((entry) => ({ ...entry, filled: fill(entry.path, names) }));
  result.left = known.filter((entry) => !entry.filled).map((entry) => `${entry.name} (${entry.path})`);
  for (const width of WIDTHS) {
    for (const colorScheme of SCHEMES) {
      const screen = { viewport: { width, height: width < 600 ? 780 : 900 }, colorScheme };
      const contexts = [await browser.newContext(screen), await browser.newContext({ ...screen, storageState })];
      for (const { name, filled, visitor } of known.filter((entry) => entry.filled)) {
        const file = join(out, `${name}-${width}-${colorScheme}.png`);
        const page = await contexts[visitor ? 0 : 1].newPage();
        const problems = await shoot(page, { base, path: filled, file });
        await page.close();
        result.taken.push(file);
        result.problems.push(...problems.map((line) => `${name} at ${width} px, ${colorScheme}: ${line}`));
      }
      for (const context of contexts) await context.close();
    }
  }
  return result;
}
