import assert from 'node:assert/strict';
import { test } from 'node:test';
import { count, duration, energy, mass, money, percent, power, significant, words } from '../format.js';

test('figures carry fitting units', () => {
  assert.deepEqual([0, 850.4, 12_840.5, 2.5e6].map(power), ['0 W', '850 W', '12.8 kW', '2.5 MW']);
  assert.deepEqual([0.456, 41.23, 1240.55, 12_345, 2e7].map(energy), ['0.46 kWh', '41.2 kWh', '1,241 kWh', '12.3 MWh', '20 GWh']);
  assert.deepEqual([158.8, 12_000].map(mass), ['159 kg', '12 t']);
  assert.equal(money(347.349, 'CHF'), 'CHF 347.35');
  assert.deepEqual([0.2, 0.2815].map((rate) => money(rate, 'USD', 4)), ['USD 0.20', 'USD 0.2815']);
  assert.equal(percent(94.32), '94.3 %');
  assert.deepEqual([12, 1500].map(duration), ['12 ms', '1.5 s']);
});

test('a quantity is rounded as sentences round it', () => {
  // The same tables as in the crate `contracts`, module `figures`.
  const shown = [21.15, 42.45, 1.005, 0.9949, 9.995, 99.95, 1234.5, 8, -21.15, -0.001, 0].map(significant);
  assert.deepEqual(shown, ['21.2', '42.5', '1.01', '0.99', '10', '100', '1,235', '8', '-21.2', '0', '0']);
  assert.deepEqual([9_999.4, 9_999.5, 12_345_678].map(energy), ['9,999 kWh', '10 MWh', '12.3 GWh']);
  assert.deepEqual([power(999.7), mass(9_999.6), percent(21.15)], ['1 kW', '10 t', '21.2 %']);
});

test('what is missing is a dash, never a zero', () => {
  for (const show of [power, energy, mass, percent]) assert.equal(show(undefined), '–');
  assert.equal(power(null), '–');
});

test('words', () => {
  assert.deepEqual([count(1, 'day'), count(2, 'day'), count(2, 'anomaly')], ['1 day', '2 days', '2 anomalies']);
  assert.deepEqual(['data_outage', 'PowerGlobe'].map(words), ['Data outage', 'Power globe']);
});
