import assert from 'node:assert/strict';
import { test } from 'node:test';

import { firstRows } from '../import-words.js';

test('the rows of a file with counters alone have their counter', () => {
  const row = { line: 2, timestamp: '2026-06-01T12:00:00+02:00', logger_id: 'ROOF-1', metadata: { energyLifetimeKwh: 1234.5 } };
  assert.deepEqual(firstRows([row]), {
    header: ['Time', 'Device', 'Counter, kWh'],
    rows: [{ timestamp: row.timestamp, device: 'ROOF-1', values: [1234.5] }],
  });
});

test('quantities that no row has are no columns', () => {
  const rows = [
    { timestamp: 't1', logger_id: 'A', active_power_w: 100 },
    { timestamp: 't2', logger_id: 'A', irradiance: 0 },
  ];
  const shown = firstRows(rows);
  assert.deepEqual(shown.header, ['Time', 'Device', 'W', 'W/m²']);
  assert.deepEqual(shown.rows.map(({ values }) => values), [[100, undefined], [undefined, 0]]);
});
