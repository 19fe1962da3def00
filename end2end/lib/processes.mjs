// What /proc says about the processes of one product.

import { readdir, readFile } from 'node:fs/promises';

async function all() {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map(read));
  return found.filter(Boolean);
}

async function read(pid) {
  try {
    const [stat, command] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'), readFile(`/proc/${pid}/cmdline`, 'utf8'),
    ]);
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return {
      pid: Number(pid), state: fields[0], parent: Number(fields[1]), group: Number(fields[2]), began: fields[19],
      command: command.replaceAll('\0', ' ').trim(),
    };
  } catch {
    return undefined; // It ended meanwhile.
  }
}

/** All processes below `pid`, itself left out. */
export async function below(pid) {
  const processes = await all();
  const found = [];
  for (let parents = new Set([pid]); parents.size;) {
    const children = processes.filter((process) => parents.has(process.parent));
    found.push(...children);
    parents = new Set(children.map((process) => process.pid));
  }
  return found;
}

/** Of these processes and of everything in their groups, what still lives. */
export async function alive(processes) {
  const groups = new Set(processes.map((process) => process.group));
  const known = new Set(processes.map((process) => `${process.pid} ${process.began}`));
  const own = (await read(process.pid))?.group;
  const lives = (one) => one.state !== 'Z' &&
    (known.has(`${one.pid} ${one.began}`) || (one.group !== own && groups.has(one.group)));
  return (await all()).filter(lives);
}

/** Processes whose command line names `text`. */
export const naming = async (text) => (await all()).filter((process) => process.command.includes(text));

/** Every command line of this moment, one a line. */
export const commandLines = async () => `${(await all()).map((process) => process.command).join('\n')}\n`;
