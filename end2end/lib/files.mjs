// Experiment files for the command line.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The TOML of a closed-loop experiment over stored variants; arms are named by their quantisation. */
export function experimentToml({ name, variants, levels = [1], requests = 4, tokens = 4, repeats = 1 }) {
  const arms = variants.map((variant) => `[[arm]]\nname = "${variant.split('-').pop()}"\nvariant = "${variant}"\n`);
  return [
    `name = "${name}"`, `repeats = ${repeats}`,
    '[workload]', 'prompts = "inferex-50"', `output_tokens = ${tokens}`,
    '[[load]]', `concurrency = [${levels.join(', ')}]`, `requests = ${requests}`,
    ...arms,
  ].join('\n');
}

/** Writes it beside the data folder's models and answers the path. */
export async function experimentFile(product, wish, name = 'experiment.toml') {
  const path = join(product.dataFolder, name);
  await writeFile(path, typeof wish === 'string' ? wish : experimentToml(wish));
  return path;
}
