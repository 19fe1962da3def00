// A picture of every page at two widths, light and dark, with what does not fit or what axe finds.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PAGES, fill } from '../pages.mjs';
import { complaintsOf } from './eye.mjs';
import { axeProblems, overflow } from './look.mjs';

export const WIDTHS = [360, 1440];
export const SCHEMES = ['light', 'dark'];

/**
 * @typedef {{name: string, width: number, scheme: string, file: string, overflow: string[], axe: string[], other: string[]}} Shot
 */

async function shoot(page, { base, path, file, status = 200 }) {
  const response = await page.goto(base + path, { waitUntil: 'load' });
  const other = response.status() === status ? [] : [`answered ${response.status()} instead of ${status}`];
  await page.screenshot({ path: file, fullPage: true, animations: 'disabled' });
  return { file, overflow: await overflow(page), axe: await axeProblems(page), other };
}

/**
 * @param {import('playwright-core').Browser} browser
 * @param {{base: string, out: string, names?: Record<string, string>, storageState?: object, pages?: typeof PAGES}} wish
 * @returns {Promise<{shots: Shot[], left: string[]}>} `left` names the pages whose address is not known
 */
export async function takeShots(browser, { base, out, names = {}, storageState, pages = PAGES }) {
  await mkdir(out, { recursive: true });
  const shots = [];
  const known = pages.map((entry) => ({ ...entry, filled: fill(entry.path, names) }));
  for (const width of WIDTHS) {
    for (const scheme of SCHEMES) {
      const screen = { viewport: { width, height: width < 600 ? 780 : 900 }, colorScheme: scheme };
      for (const { name, filled, visitor, status } of known.filter((entry) => entry.filled)) {
        const context = await browser.newContext(visitor ? screen : { ...screen, storageState });
        const complaints = complaintsOf(context);
        const file = join(out, `${name}-${width}-${scheme}.png`);
        const shot = await shoot(await context.newPage(), { base, path: filled, file, status });
        shots.push({ name, width, scheme, ...shot, other: [...shot.other, ...complaints] });
        await context.close();
      }
    }
  }
  return { shots, left: known.filter((entry) => !entry.filled).map((entry) => `${entry.name} (${entry.path})`) };
}

/** A line a picture with its counts, and under it what they count. */
export function table(shots) {
  const row = (...cells) => cells.map((cell, at) => (at ? String(cell).padStart(9) : String(cell).padEnd(22))).join('');
  const lines = shots.flatMap(({ name, width, scheme, overflow: wide, axe, other }) => [
    row(name, width, scheme, wide.length, axe.length, other.length),
    ...[...wide, ...axe, ...other].map((line) => `    ${line}`),
  ]);
  return [row('page', 'width', 'scheme', 'overflow', 'axe', 'other'), ...lines].join('\n');
}

export const problems = (shots) => shots.reduce((sum, { overflow: wide, axe, other }) => sum + wide.length + axe.length + other.length, 0);
