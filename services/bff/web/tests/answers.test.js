import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bounds, countFault, countLabel, dateFault, grouped, rangeMessage, rangePresets, selectedMessage } from '../answers.js';

test('messages as the assistant reads them', () => {
  assert.equal(selectedMessage(['GW-INV-001']), 'Selected: GW-INV-001');
  assert.equal(selectedMessage(['A', 'B', 'C']), 'Selected: A, B, C');
  assert.equal(rangeMessage('2025-11-01', '2025-11-30'), 'Selected: 2025-11-01:2025-11-30');
});

test('how many may be chosen', () => {
  assert.deepEqual(bounds({ selectionType: 'single', minCount: 2, maxCount: 5 }), { min: 1, max: 1 });
  assert.deepEqual(bounds({ selectionType: 'multiple', minCount: 2, maxCount: 5 }), { min: 2, max: 5 });
  assert.deepEqual(bounds({ selectionType: 'multiple' }), { min: 1, max: Infinity });
  const limits = { min: 2, max: 5 };
  assert.equal(countFault(1, limits), 'Choose at least 2.');
  assert.equal(countFault(6, limits), 'Choose at most 5.');
  assert.equal(countFault(2, limits), undefined);
  assert.equal(countLabel(1, limits), '1 chosen, 2 to 5 allowed');
});

test('days outside of the data are refused', () => {
  const range = { minDate: '2025-11-01', maxDate: '2025-11-30' };
  assert.equal(dateFault(['2025-11-15'], range), undefined);
  assert.equal(dateFault([''], range), 'Choose a day.');
  assert.match(dateFault(['2025-10-31'], range), /before the first offered/);
  assert.match(dateFault(['2025-12-01'], range), /after the last offered/);
  assert.match(dateFault(['2025-11-20', '2025-11-10'], range), /first day is after/);
});

test('presets lie within the data', () => {
  const presets = rangePresets({ minDate: '2025-11-20', maxDate: '2025-11-30' });
  assert.deepEqual(presets, [
    { label: 'Last 7 days', start: '2025-11-24', end: '2025-11-30' },
    { label: 'All days', start: '2025-11-20', end: '2025-11-30' },
  ]);
  assert.deepEqual(rangePresets({}), []);
});

test('groups keep the order of the options', () => {
  const options = [{ value: 'a', group: 'X' }, { value: 'b' }, { value: 'c', group: 'X' }];
  assert.deepEqual(grouped(options).map(([name, list]) => [name, list.map((one) => one.value)]), [['X', ['a', 'c']], ['', ['b']]]);
});
