// The steps from a fresh data folder to a shared report, as a person takes them with scripts off. The first story tells
// them one by one; the pictures take them all in one go.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { visitorWithoutScripts } from './browser.mjs';
import { startProduct } from './product.mjs';
import { SLOW } from './story.mjs';
import { untilPage } from './wait.mjs';

export const ADMIN = { name: 'ada', password: 'a long pass phrase' };
export const VARIANTS = ['smollm2-135m-f16', 'smollm2-135m-q8_0', 'smollm2-135m-q4_0'];
export const SMALL = { name: 'First comparison', levels: '1, 2', requests: 6, tokens: 4, repeats: 2 };

/** A form by its address, and by one value that it sends along where several forms share the address. */
export function form(page, action, values = {}) {
  return Object.entries(values).reduce(
    (forms, [name, value]) => forms.filter({ has: page.locator(`[name="${name}"][value="${value}"]`) }),
    page.locator(`form[action="${action}"]`),
  );
}

/** Presses a form's only button and waits for the page that follows. */
export async function press(page, theForm) {
  const pressed = theForm.getByRole('button');
  await Promise.all([page.waitForEvent('load'), pressed.click()]);
}

export async function makeAdmin(page, address, { name, password } = ADMIN) {
  await page.goto(address);
  const setUp = form(page, '/do/set-up');
  await setUp.locator('[name=name]').fill(name);
  await setUp.locator('[name=password]').fill(password);
  await setUp.locator('[name=again]').fill(password);
  await press(page, setUp);
}

export async function signIn(page, base, { name, password } = ADMIN) {
  await page.goto(`${base}/login`);
  const entrance = form(page, '/do/sign-in');
  await entrance.locator('[name=name]').fill(name);
  await entrance.locator('[name=password]').fill(password);
  await press(page, entrance);
}

/** Registers the variants that the engine's installer made, as `deploy/cpu-engine` does. */
export async function registerVariants(product) {
  const done = await product.command(['variant', 'import', join(product.dataFolder, 'models/variants.toml')]);
  assert.equal(done.code, 0, done.stderr);
}

/** Presses Start of a variant and follows it to its end of the start; answers the deployment's id. */
export async function startVariant(page, base, variant) {
  await page.goto(`${base}/engines`);
  await press(page, form(page, '/do/deployment-start', { variant }));
  const id = new URL(page.url()).pathname.split('/').pop();
  const settled = /\b(ready|failed|lost|stopped)\b/;
  await untilPage(page, `${id} to be ready`, async () => settled.test(await page.title()), { within: SLOW });
  assert.match(await page.title(), /ready/, await page.locator('main').innerText());
  return id;
}

export async function stopDeployment(page, base, id) {
  await page.goto(`${base}/engines/${id}`);
  const stop = form(page, '/do/deployment-stop');
  await page.locator('details', { has: stop }).locator('summary').click();
  await press(page, stop);
  await untilPage(page, `${id} to be stopped`, async () => /stopped/.test(await page.title()), { within: 60_000 });
}

/** Fills the builder in and presses Estimate; nothing is queued by that. */
export async function fillBuilder(page, base, { variants = VARIANTS, ...load } = SMALL) {
  await page.goto(`${base}/experiments/new`);
  const builder = page.locator('form[method=get]');
  for (const box of await builder.getByRole('checkbox').all()) {
    await box.setChecked(variants.includes(await box.getAttribute('value')));
  }
  await builder.locator(`[name=baseline][value="${variants[0]}"]`).check();
  await builder.locator('[name=preset][value=custom]').check();
  const custom = builder.locator('details', { has: page.locator('[name=levels]') });
  if (await custom.getAttribute('open') === null) await custom.locator('summary').click();
  for (const [name, value] of Object.entries(load)) await builder.locator(`[name=${name}]`).fill(String(value));
  await press(page, builder);
}

/** Queues what was estimated; answers the experiment's id. */
export async function queueEstimated(page) {
  await press(page, page.locator('form[action="/do/experiment-queue"]', { has: page.locator('[name=back]') }));
  return new URL(page.url()).pathname.split('/').pop();
}

export async function untilOver(page, base, experiment) {
  await page.goto(`${base}/experiments/${experiment}?live=off`);
  const going = page.getByRole('progressbar');
  await untilPage(page, `${experiment} to be over`, async () => await going.count() === 0,
    { within: SLOW, every: 1_000 });
}

/** Freezes the report of an experiment; answers its id. */
export async function freeze(page, base, experiment, title) {
  await page.goto(`${base}/experiments/${experiment}`);
  const freezing = form(page, '/do/report-create');
  await freezing.locator('[name=title]').fill(title);
  await press(page, freezing);
  return new URL(page.url()).pathname.split('/').pop();
}

/** Makes a share link and reads it where it is shown once. */
export async function share(page) {
  await press(page, form(page, '/do/report-share'));
  return page.getByRole('status').getByRole('textbox').inputValue();
}

/**
 * A product with everything that a page can show: an admin, a stopped deployment, a finished small comparison, a report
 * with a live link. `whileRunning` is called once while the comparison is measured.
 */
export async function preparedProduct(browser, { env, load = SMALL, whileRunning } = {}) {
  const product = await startProduct({ env });
  const context = await visitorWithoutScripts(browser);
  try {
    const page = await context.newPage();
    await makeAdmin(page, await product.setUpAddress());
    await registerVariants(product);
    const deployment = await startVariant(page, product.base, VARIANTS[0]);
    await stopDeployment(page, product.base, deployment);
    await fillBuilder(page, product.base, load);
    const experiment = await queueEstimated(page);
    const storageState = await context.storageState();
    await whileRunning?.({ base: product.base, storageState, names: { experiment } });
    await untilOver(page, product.base, experiment);
    const run = (await page.locator('a[href^="/runs/"]').first().getAttribute('href')).split('/').pop();
    const report = await freeze(page, product.base, experiment, load.name);
    const token = new URL(await share(page)).pathname.split('/').pop();
    return { product, storageState, names: { deployment, experiment, run, report, token } };
  } catch (error) {
    await product.remove().catch(() => {});
    throw error;
  } finally {
    await context.close();
  }
}
