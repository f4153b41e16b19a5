import assert from 'node:assert/strict';
import { test } from 'node:test';

import { query } from '../api.js';
import { FIRST_ROWS, hasFirstRow, jobWords, nameOf, newTarget, placeOf, questionTo, stateOf, testWords } from '../target-words.js';

const FIELDS = { name: 'shop', description: ' ', engine: 'mysql', host: ' db.example.com ', port: '', database: 'shop', username: 'reader', password: ' with spaces ', tls: 'preferred', authority: '', schemas: 'sales, ,hr', writing: false };

test('a new target has only what was given, and its password as it was typed', () => {
  const target = JSON.parse(JSON.stringify(newTarget(FIELDS)));
  assert.deepEqual(target, {
    name: 'shop',
    connection: { engine: 'mysql', host: 'db.example.com', database: 'shop', username: 'reader', password: ' with spaces ', tls: 'preferred' },
    schemas: ['sales', 'hr'],
    allow_writing_role: false,
  });
  assert.equal(newTarget({ ...FIELDS, port: '5433' }).connection.port, 5433);
});

test('the name of a target is made from that of its file', () => {
  assert.equal(nameOf('Umsätze 2026 (final).csv'), 'umsatze_2026_final');
  assert.equal(nameOf('archive.tar.gz'), 'archive_tar');
  assert.equal(nameOf('???.xlsx'), '');
});

test('a question names its target if there are others', () => {
  assert.equal(questionTo('shop', 'How many orders are there?', 1), 'How many orders are there?');
  assert.equal(questionTo('shop', 'How many orders are there?', 2), 'in shop: How many orders are there?');
});

test('a target has a place, without its connection for those who may not change it', () => {
  const connection = { username: 'reader', host: 'db', port: 5432, database: 'shop' };
  assert.equal(placeOf({ kind: 'database', connection, fixed: false }), 'reader@db:5432/shop');
  assert.equal(placeOf({ kind: 'spreadsheet', file: { filename: 'a.csv', rows: 1, size_bytes: 12 } }), 'a.csv, 1 row, 12 B');
  assert.equal(placeOf({ kind: 'database', fixed: true }), 'set in the configuration');
  assert.equal(placeOf({ kind: 'database', fixed: false }), 'database');
});

test('a state says why a target cannot be asked', () => {
  assert.equal(stateOf({ fixed: true }), 'ready');
  assert.equal(stateOf({ job: { status: 'running', step: 'tables', done: 2, total: 5 } }), 'tables, 2 of 5');
  assert.equal(stateOf({ job: { status: 'failed', problem: 'no route' } }), 'failed: no route');
  assert.equal(stateOf({ problem: 'gone', job: { status: 'done' } }), 'failed: gone');
  assert.equal(jobWords({ status: 'queued' }), 'waits');
});

test('a test that went well is a sentence', () => {
  assert.equal(testWords({ server: 'PostgreSQL 18', encrypted: false, tables: 2 }), 'The test went well: PostgreSQL 18, not encrypted, 2 tables.');
});

test('the first row of a CSV and of a sheet can be said to have the names, or values', () => {
  assert.deepEqual(FIRST_ROWS.map(([value]) => value), ['', 'true', 'false']);
  assert.deepEqual(['csv', 'xlsx', 'sqlite', 'parquet'].filter(hasFirstRow), ['csv', 'xlsx']);
  assert.equal(query({ filename: 'a b.csv', has_names: 'false' }), 'filename=a+b.csv&has_names=false');
  assert.equal(query({ filename: 'a.csv', has_names: undefined }), 'filename=a.csv');
});
