import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnsOf, countText, fileLinks, isDrawn } from '../rows.js';

const rows = [{ city: 'Bonn', jobs: 3 }, { city: 'Ulm', jobs: 1 }];
const chart = (data) => ({ parts: [{ type: 'tool', name: 'render_ui_component', input: { component: 'DynamicChart', props: { xAxisKey: 'city', data } } }] });

test('rows that a chart shows whole are not shown again', () => {
  assert.equal(isDrawn({ rows }, chart(rows)), true);
  assert.equal(isDrawn({ rows }, chart(rows.slice(0, 1))), false);
  assert.equal(isDrawn({ rows }, chart(rows.map(({ city }) => ({ city })))), false, 'a column is missing');
  assert.equal(isDrawn({ rows }, { parts: [] }), false);
});

test('how many there are is said as the text says it', () => {
  assert.equal(countText({ rows, total: { value: 142, relation: 'eq' } }), '142 found, the first 2 are listed');
  assert.equal(countText({ rows, total: { value: 2, relation: 'eq' } }), '2 rows');
  assert.equal(countText({ rows, truncated: true }), 'the first 2; there are more');
});

test('the rows of a query leave as files', () => {
  const links = fileLinks({ target: 'erp', sql: "SELECT 'a&b'" });
  assert.equal(links.CSV, '/api/targets/erp/export?sql=SELECT+%27a%26b%27&format=csv');
  assert.equal(new URL(links.Excel, 'http://x').searchParams.get('sql'), "SELECT 'a&b'");
});

test('columns come in the order of the query, others after them', () => {
  assert.deepEqual(columnsOf({ rows: [{ b: 1, a: 2 }], columns: [{ name: 'a', label: 'A!' }] }), [{ name: 'a', label: 'A!' }, { name: 'b' }]);
});
