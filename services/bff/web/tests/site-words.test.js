import assert from 'node:assert/strict';
import { test } from 'node:test';

import { devicesWords, idOf, placeWords, siteFaults, siteOf } from '../site-words.js';

const GIVEN = { name: ' Roof ', id: 'roof', zone: 'Europe/Berlin', latitude: '', longitude: '', tilt: '', azimuth: '', tariff: '0.31', currency: 'eur', devices: [] };

test('an id is made from a name', () => {
  assert.equal(idOf('Halle Süd 2'), 'halle-sued-2');
  assert.equal(idOf('  École №5 '), 'ecole-5');
});

test('empty fields are left out', () => {
  const site = siteOf(GIVEN);
  assert.deepEqual(JSON.parse(JSON.stringify(site)), { id: 'roof', name: 'Roof', timezone: 'Europe/Berlin', tariff_per_kwh: 0.31, currency: 'EUR', loggers: [] });
});

test('a change keeps what the form does not have', () => {
  const before = { id: 'roof', name: 'Old', timezone: 'UTC', altitude_m: 500, latitude: 52, loggers: [{ id: 'W1', role: 'inverter', sensor: 'S1', capacity_kw: 5 }] };
  const site = siteOf({ ...GIVEN, devices: [{ id: 'W1', role: 'inverter', capacity: '6.5' }, { id: 'S1', role: 'weather', capacity: '' }] }, before);
  assert.equal(site.altitude_m, 500);
  assert.equal(site.latitude, undefined);
  assert.deepEqual(JSON.parse(JSON.stringify(site.loggers)), [{ id: 'W1', role: 'inverter', sensor: 'S1', capacity_kw: 6.5 }, { id: 'S1', role: 'weather' }]);
});

test('faults are at the fields', () => {
  const [zone, other] = siteFaults({ faults: [{ pointer: '/sites', detail: 'site "roof": "Mars" is not an IANA time zone' }, { pointer: '/sites', detail: 'cannot be' }] });
  assert.deepEqual(zone, { pointer: '/timezone', detail: '"Mars" is not an IANA time zone' });
  assert.equal(other.pointer, '/sites');
});

test('places and devices are words', () => {
  assert.equal(placeWords({ timezone: 'UTC' }), 'UTC');
  assert.equal(placeWords({ timezone: 'UTC', latitude: 52.5, longitude: 13.4 }), 'UTC, 52.5° N, 13.4° E');
  assert.equal(placeWords({ timezone: 'UTC', latitude: -33.9, longitude: -70.25 }), 'UTC, 33.9° S, 70.25° W');
  assert.equal(devicesWords({ loggers: [{ capacity_kw: 5 }, {}] }), '2 devices, 5 kW');
  assert.equal(devicesWords({}), '0 devices');
});
