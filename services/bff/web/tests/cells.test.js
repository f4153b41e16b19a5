import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellText, headText, isNumeric } from '../cells.js';
import { words } from '../format.js';

test('years and numbers that identify something keep their digits together', () => {
  assert.equal(cellText(2004, 'built'), '2004');
  assert.equal(cellText(9839430, 'imo'), '9839430');
  assert.equal(cellText(123456, 'orderId'), '123456');
  assert.equal(cellText(123456, 'weight_kg'), '123,456');
  assert.equal(cellText(12345.6789, 'weight'), '12,345.679');
});

test('times are read by their own clock, choices as words, and nothing is a dash', () => {
  assert.equal(cellText('2025-01-14T13:29:00Z'), '14 Jan 2025, 13:29');
  assert.equal(cellText('2025-01-14T13:29:00+01:00'), '14 Jan 2025, 13:29');
  assert.equal(cellText('2025-01-14'), '14 Jan 2025');
  assert.equal(cellText('in_port'), 'in port');
  assert.equal(cellText('LTI_INV_001'), 'LTI_INV_001');
  assert.deepEqual([cellText(null), cellText(true), cellText(['a_b', 'c'])], ['–', 'yes', 'a b, c']);
});

test('columns are named in words, with unit and zone', () => {
  assert.equal(headText({ name: 'in_port' }, []), 'In port');
  assert.equal(headText({ name: 'imo' }, []), 'IMO');
  assert.equal(headText({ name: 'capacity_teu' }, []), 'Capacity TEU');
  assert.equal(headText({ name: 'x', label: 'delay', unit: 'h' }, [1]), 'Delay (h)');
  assert.equal(headText({ name: 'x', label: 'capacity teu', unit: 'TEU' }, [1]), 'Capacity (TEU)');
  assert.equal(headText({ name: 'arrival' }, ['2025-01-14T13:29:00Z', null]), 'Arrival (UTC)');
  assert.equal(headText({ name: 'arrival' }, ['2025-01-14T13:29:00+01:00']), 'Arrival');
  assert.equal(words('get_power_curve'), 'Get power curve');
  assert.deepEqual([isNumeric([1, null]), isNumeric([1, 'a']), isNumeric([null])], [true, false, false]);
});
