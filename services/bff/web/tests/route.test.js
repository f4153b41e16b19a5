import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, threadOf } from '../route.js';

test('each conversation has an address, anything else is a new one', () => {
  assert.equal(threadOf(addressOf('a.b:c-d_1')), 'a.b:c-d_1');
  for (const hash of ['', '#/', '#/t/', '#/t/a/b', '#/t/%']) assert.equal(threadOf(hash), undefined, hash);
  assert.equal(threadOf(addressOf()), undefined);
});
