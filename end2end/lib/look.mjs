// What a page looks like: does it fit, and does axe find anything.

import { AxeBuilder } from '@axe-core/playwright';

/** What sticks out of the window to the right, as one line each; empty when the page fits. Scrollers of their own are fine. */
export function overflow(page) {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const describe = (element) => {
      const id = element.id ? `#${element.id}` : '';
      const classes = [...element.classList].map((name) => `.${name}`).join('');
      return `${element.localName}${id}${classes}`;
    };
    const clipped = (element) => {
      for (let parent = element.parentElement; parent && parent !== document.body; parent = parent.parentElement) {
        if (getComputedStyle(parent).overflowX !== 'visible' && parent.getBoundingClientRect().right <= width + 0.5) return true;
      }
      return false;
    };
    const found = [];
    if (document.documentElement.scrollWidth > width) {
      found.push(`the page is ${document.documentElement.scrollWidth} px wide in a window of ${width}`);
    }
    for (const element of document.body.querySelectorAll('*')) {
      const box = element.getBoundingClientRect();
      if (box.width > 0 && box.height > 0 && box.right > width + 0.5 && !clipped(element)) {
        found.push(`${describe(element)} ends at ${Math.round(box.right)} px`);
      }
    }
    return found.slice(0, 20);
  });
}

/** axe's findings, one line each; empty when there are none. Needs a page with scripts. */
export async function axeProblems(page) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.flatMap((rule) =>
    rule.nodes.map((node) => `${rule.id}: ${rule.help} (${node.target.join(' ')})`));
}
