import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newSource, placeOfSource, stateOfSource } from '../source-words.js';

const given = { name: 'orders', kind: 'elasticsearch', address: ' https://s.example.com:9200 ', username: '', secret: 'k', tls: 'off', schema: '', zone: '', description: '' };

test('an endpoint has a key, a user with a password, or neither', () => {
  assert.deepEqual(newSource(given), { name: 'orders', kind: 'elasticsearch', description: undefined, time_zone: undefined, endpoint: { url: 'https://s.example.com:9200', api_key: 'k' } });
  assert.deepEqual(newSource({ ...given, username: 'u' }).endpoint, { url: 'https://s.example.com:9200', username: 'u', password: 'k' });
  assert.deepEqual(newSource({ ...given, secret: '' }).endpoint, { url: 'https://s.example.com:9200' });
});

test('a database is given by its address', () => {
  const database = { ...given, kind: 'postgresql', secret: 's', address: 'postgres://re%40der@db.example.com:5433/my%20shop' };
  assert.deepEqual(newSource(database).connection, { engine: 'postgresql', host: 'db.example.com', port: 5433, database: 'my shop', username: 're@der', password: 's', tls: 'off' });
  assert.equal(newSource({ ...database, address: 'postgresql://r:own@[::1]/d' }).connection.password, 'own');
  assert.equal(newSource({ ...database, address: 'postgresql://r:own@[::1]/d' }).connection.host, '::1');
  assert.equal(newSource({ ...database, schema: ' depot ' }).schema, 'depot');
  for (const address of ['db.example.com', 'mysql://r@h/d', 'postgres://h/d', 'postgres://r@h', '']) {
    assert.throws(() => newSource({ ...database, address }), /has the form postgres:/, address);
  }
});

test('place and state are words', () => {
  assert.equal(placeOfSource({ kind: 'graphql', fixed: true }), 'set in the configuration');
  assert.equal(stateOfSource({ indices: [], problem: 'The key is lost.' }), 'failed: The key is lost.');
  assert.equal(stateOfSource({ indices: ['a', 'b'] }), 'a, b');
});
