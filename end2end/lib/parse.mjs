// Strict readers of what can be downloaded: each throws on what its format forbids.

/** RFC 4180: rows of cells; every row has as many cells as the first. */
export function csv(text) {
  const rows = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/y;
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const found = cell.exec(text);
    if (!found) throw new Error(`not CSV at character ${at}: ${text.slice(at, at + 40)}`);
    rows.at(-1).push(found[1]?.replaceAll('""', '"') ?? found[2]);
    if (found[3] === '\r\n' && cell.lastIndex < text.length) rows.push([]);
    if (found[3] === '') break;
  }
  const odd = rows.find((row) => row.length !== rows[0].length);
  if (odd) throw new Error(`a row of ${odd.length} cells under a head of ${rows[0].length}: ${odd}`);
  return rows;
}

/** One JSON document a line. */
export const jsonLines = (text) => text.trimEnd().split('\n').map((line) => JSON.parse(line));

/** Reads `body` by its file name's ending. */
export function parse(name, body) {
  if (name.endsWith('.csv')) return csv(body);
  if (name.endsWith('.jsonl')) return jsonLines(body);
  if (name.endsWith('.json')) return JSON.parse(body);
  if (name.endsWith('.svg') && !/<svg[\s>][\s\S]*<\/svg>\s*$/.test(body)) throw new Error('no whole SVG');
  if (body.trim() === '') throw new Error('empty');
  return body;
}
