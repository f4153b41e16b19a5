import assert from 'node:assert/strict';
import { test } from 'node:test';

import { mayWrite, sentence, size } from '../data-parts.js';
import { summary, uploaded } from '../imports-panel.js';

test('sizes are written for people', () => {
  assert.equal(size(999), '999 B');
  assert.equal(size(1500), '1.5 kB');
  assert.equal(size(250_000), '250 kB');
  assert.equal(size(2_500_000), '2.5 MB');
});

test('only an account with the scope may write', () => {
  assert.equal(mayWrite({ scopes: ['documents:write'] }, 'documents:write'), true);
  assert.equal(mayWrite({}, 'documents:write'), false);
});

test('a preview is a sentence', () => {
  const one = { filename: 'a.csv', format: 'csv', timezone: 'Europe/Berlin' };
  const preview = { good: 3, rows: 4, refused: 1, loggers: [{}] };
  assert.equal(summary(one, preview), 'a.csv is read as csv in the zone Europe/Berlin: 3 of 4 rows of 1 device, 1 would be refused.');
});

test('many uploads are a sentence, with a reason for each that is refused', () => {
  assert.equal(uploaded(3, { ready: 3, known: 0 }, []), '3 of 3 files can be imported.');
  assert.equal(uploaded(3, { ready: 1, known: 1 }, ['a.csv: no date']), '1 of 3 files can be imported. 1 was uploaded before. a.csv: no date');
});

test('the fault of a field is a sentence', () => {
  assert.equal(sentence('must be 1 to 730'), 'Must be 1 to 730.');
  assert.equal(sentence('the password is easily guessed: Add a word.'), 'The password is easily guessed: Add a word.');
});
