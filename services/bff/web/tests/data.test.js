import assert from 'node:assert/strict';
import { test } from 'node:test';

import { mayWrite, size } from '../data-parts.js';
import { summary } from '../imports-panel.js';

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
