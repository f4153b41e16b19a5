import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyChunk, assistantMessage } from '../message.js';
import { linked, shownAt } from '../passage.js';

const source = (number, more) => ({ number, document_id: 'd1', filename: 'gpc.pdf', chunk_index: number, headings: [], score: 1, ...more });

test('the sources of an answer are kept with their numbers', () => {
  const message = assistantMessage('a', '');
  applyChunk(message, { type: 'data-rows', data: [source(1), source(2)] }, 0);
  applyChunk(message, { type: 'data-rows', data: [source(2, { page: 3 }), { filename: 'old.md', chunk_index: 4 }] }, 0);
  assert.deepEqual(message.sources.map(({ number, page }) => [number, page]), [[1, undefined], [2, 3]]);
  assert.deepEqual(message.parts, []);
  applyChunk(message, { type: 'start' }, 0);
  assert.deepEqual(message.sources, []);
});

test('numbers of sources and lines that list sources become links, and no other number', () => {
  const links = (text) => linked(text, [source(1), source(2)]).map(({ text: words, source: to }) => (to ? `<${to.number}:${words}>` : words)).join('');
  assert.equal(links('So it is [1], and so [2]. Not [3], not 1.'), 'So it is [<1:1>], and so [<2:2>]. Not [3], not 1.');
  assert.equal(links('Both [1, 2] say so.'), 'Both [<1:1>, <2:2>] say so.');
  assert.equal(links('Sources:\n[1] gpc.pdf — Guide, page 3\n[3] other.md'), 'Sources:\n<1:[1] gpc.pdf — Guide, page 3>\n[3] other.md');
  assert.equal(links('[x] [] [1'), '[x] [] [1');
});

test('a passage is cut out by characters, with its page and headings', () => {
  const text = '# Käfer 🐞\n\nOne. Two.';
  const read = { text, passages: [{ index: 5, page: 3, headings: ['Guide', 'Scope'], start: 11, end: 15 }] };
  assert.deepEqual(shownAt(read, 5), { before: '# Käfer 🐞\n\n', passage: 'One.', after: ' Two.', place: 'Page 3 · Guide › Scope' });
  assert.equal(shownAt(read, 6).before, text);
  assert.match(shownAt(read, 6).place, /has changed/);
});
