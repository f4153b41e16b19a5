import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, passageAddress, passageOf, threadOf } from '../route.js';

test('each conversation has an address, anything else is a new one', () => {
  assert.equal(threadOf(addressOf('a.b:c-d_1')), 'a.b:c-d_1');
  for (const hash of ['', '#/', '#/t/', '#/t/a/b', '#/t/%']) assert.equal(threadOf(hash), undefined, hash);
  assert.equal(threadOf(addressOf()), undefined);
});

test('each passage of a document has an address, which is that of no conversation', () => {
  const place = { document: '0190c7a2-52ad-7e0c-9a0b-5f2d8a4c1e11', index: 12 };
  assert.deepEqual(passageOf(passageAddress(place)), place);
  assert.equal(threadOf(passageAddress(place)), undefined);
  for (const hash of ['', '#/d/', '#/d/a', '#/d/a/b', '#/d/a/1/2', '#/d/../1', '#/t/a']) assert.equal(passageOf(hash), undefined, hash);
});
