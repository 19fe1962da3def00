import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csv, jsonLines, parse } from './parse.mjs';

test('CSV with quotes, empty cells and a last line break', () => {
  assert.deepEqual(csv('a,b\r\n"1,""x""",\r\n'), [['a', 'b'], ['1,"x"', '']]);
});

test('CSV with a short row or a stray quote is refused', () => {
  assert.throws(() => csv('a,b\r\n1\r\n'), /a row of 1 cells under a head of 2/);
  assert.throws(() => csv('a,b\r\n1,x"y\r\n'), /not CSV at character/);
});

test('one document a line', () => {
  assert.deepEqual(jsonLines('{"a":1}\n{"a":2}\n'), [{ a: 1 }, { a: 2 }]);
  assert.throws(() => jsonLines('{"a":1}\n{"a"\n'));
});

test('a half SVG and an empty file are refused', () => {
  assert.throws(() => parse('chart.svg', '<svg><g>'));
  assert.throws(() => parse('experiment.toml', '\n'), /empty/);
});
