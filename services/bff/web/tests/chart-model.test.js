import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chartModel, describeRow, nearestRow, stretches, toCsv, yTicks } from '../chart-model.js';

const at = (minute) => `2025-11-29T12:${String(minute).padStart(2, '0')}:00+01:00`;
const curve = (values) => ({
  chartType: 'composed',
  xAxisKey: 'timestamp',
  yAxisLabel: 'Power (W)',
  yAxisRightLabel: 'Irradiance (W/m²)',
  series: [
    { dataKey: 'power', name: 'Power', type: 'area', color: '#FDB813', yAxisId: 'left' },
    { dataKey: 'sun', name: 'Irradiance', type: 'line', yAxisId: 'right' },
  ],
  data: values.map((power, index) => ({ timestamp: at(index * 5), power, sun: 600 })),
});

test('nulls and holes break lines', () => {
  const props = curve([1, 2, null, 4, 5]);
  props.data.push({ timestamp: '2025-11-29T14:00:00+01:00', power: 6, sun: 1 }, { timestamp: '2025-11-29T14:05:00+01:00', power: 7, sun: 1 });
  const model = chartModel(props);
  assert.deepEqual(stretches(model.series[0].values, model.breaks), [[0, 1], [3, 4], [5, 6]]);
  assert.deepEqual(stretches(model.series[0].values, model.breaks, 1), [[0, 1, 3, 4], [5, 6]]);
  assert.deepEqual(stretches([null, 1, null, null, 2], new Set(), 1), [[1], [4]]);
});

test('large figures are shown in thousands, with the unit', () => {
  const large = chartModel(curve([0, 8120]));
  assert.equal(large.left.label, 'Power (kW)');
  assert.deepEqual(describeRow(large, large.series, 1), {
    title: '29 Nov 2025, 12:05',
    lines: [
      { name: 'Power', color: '#FDB813', text: '8.12 kW' },
      { name: 'Irradiance', color: '#3B82F6', text: '600 W/m²' },
    ],
  });
  assert.equal(chartModel(curve([0, 900])).left.label, 'Power (W)');
});

test('two axes have as many ticks each', () => {
  const model = chartModel(curve([0, 8120]));
  const { left, right } = yTicks(model, model.series, 5);
  assert.equal(left.length, right.length);
  assert.ok(left.at(-1) >= 8.12 && right.at(-1) >= 600);
  assert.equal(yTicks(model, [model.series[0]], 5).right, undefined);
});

test('the axis tells the zone, unless the clocks change within the span', () => {
  assert.equal(chartModel(curve([1, 2])).x.label, 'Time (site time, UTC+01:00)');
  const props = curve([1, 2]);
  props.data[0].timestamp = '2025-10-26T02:59:00+02:00';
  assert.equal(chartModel(props).x.label, 'Time (site time)');
});

test('days and names are bands, numbers a scale', () => {
  const of = (values) => chartModel({ chartType: 'bar', xAxisKey: 'x', series: [], data: values.map((x) => ({ x })) }).x;
  assert.deepEqual(of(['2025-12-01', '2025-12-02']).short, ['1 Dec', '2 Dec']);
  assert.equal(of(['GW', 'LTI']).kind, 'band');
  assert.equal(of([1, 2.5]).kind, 'number');
});

test('props that make no sense make an empty chart, not an exception', () => {
  for (const props of [{}, { data: 'x', series: 7 }, { data: [null, 3], series: [{}] }]) {
    assert.doesNotThrow(() => chartModel(props));
  }
  const odd = chartModel({ chartType: 'line', xAxisKey: 'x', series: [{ dataKey: 'y', color: 'url(evil)' }], data: [{ x: 'a', y: '7' }] });
  assert.deepEqual([odd.series[0].values, odd.series[0].color], [[null], '#FDB813']);
});

test('the nearest row', () => {
  const model = chartModel(curve([1, 2, 3]));
  assert.equal(nearestRow(model, model.x.at[1] + 60_000), 1);
  assert.equal(nearestRow(model, Infinity), 0);
  assert.equal(nearestRow(model, model.x.at[2] + 1e9), 2);
});

test('CSV quotes what it must and holds no formulas', () => {
  const csv = toCsv({ xAxisKey: 'x', series: [{ dataKey: 'y', name: 'Y, "w"' }], data: [{ x: '=1+1', y: -2.5 }, { x: 'b', y: null }] });
  assert.equal(csv, 'x,"Y, ""w"""\r\n\'=1+1,-2.5\r\nb,\r\n');
});
