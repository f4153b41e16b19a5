import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays, formatDay, formatOffset, formatPeriod, formatShortDay, formatStamp, formatTime, isDay, parseStamp } from '../time.js';
import { niceTicks, offsets, timeTicks } from '../scale.js';

test('stamps are shown on the clock of their own offset, whatever the zone of the browser', () => {
  const zone = process.env.TZ;
  for (const one of ['UTC', 'Asia/Kolkata', 'America/New_York']) {
    process.env.TZ = one;
    assert.equal(formatStamp('2025-11-29T13:05:00+01:00'), '29 Nov 2025, 13:05');
    assert.equal(formatTime('2025-11-29T23:59:59-08:00'), '23:59');
    assert.equal(formatDay('2025-03-01'), '1 Mar 2025');
  }
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

test('stamps and days', () => {
  assert.deepEqual(parseStamp('1970-01-01T01:00:00+01:00'), { instant: 0, offset: 3_600_000 });
  assert.equal(parseStamp('2025-11-29T13:05:00.123456Z').offset, 0);
  assert.equal(parseStamp('yesterday'), undefined);
  assert.equal(parseStamp(7), undefined);
  assert.equal(formatStamp('not a stamp'), 'not a stamp');
  assert.ok(isDay('2025-11-29') && !isDay('2025-11-29T00:00:00Z'));
  assert.equal(formatShortDay('2025-11-09'), '9 Nov');
  assert.equal(formatOffset('2025-11-29T13:05:00+05:30'), 'UTC+05:30');
  assert.equal(formatOffset('2025-11-29T13:05:00-03:00'), 'UTC-03:00');
  assert.equal(formatOffset('2025-11-29T13:05:00Z'), 'UTC');
  assert.equal(addDays('2024-03-01', -1), '2024-02-29');
});

test('periods repeat as little as possible', () => {
  assert.equal(formatPeriod('2025-11-01', '2025-11-01'), '1 November 2025');
  assert.equal(formatPeriod('2025-11-01', '2025-11-30'), '1 to 30 November 2025');
  assert.equal(formatPeriod('2025-10-30', '2025-11-05'), '30 October to 5 November 2025');
  assert.equal(formatPeriod('2025-12-30', '2026-01-05'), '30 December 2025 to 5 January 2026');
});

test('ticks of a day fall on round hours of the site', () => {
  const start = parseStamp('2025-11-29T00:00:00+01:00');
  const end = parseStamp('2025-11-29T23:50:00+01:00');
  const ticks = timeTicks(start.instant, end.instant, 8, () => start.offset);
  assert.deepEqual(ticks.map((tick) => tick.label), ['00:00', '03:00', '06:00', '09:00', '12:00', '15:00', '18:00', '21:00']);
  assert.equal(ticks[0].at, start.instant);
});

test('a site half an hour off still has round hours', () => {
  const start = parseStamp('2025-11-29T06:10:00+05:30');
  const ticks = timeTicks(start.instant, start.instant + 5 * 3_600_000, 6, () => start.offset);
  assert.deepEqual(ticks.map((tick) => tick.label), ['07:00', '08:00', '09:00', '10:00', '11:00']);
});

test('the clock change keeps days where they begin', () => {
  const stamps = ['2025-10-25T00:00:00+02:00', '2025-10-26T02:00:00+02:00', '2025-10-26T02:00:00+01:00', '2025-10-28T00:00:00+01:00'].map(parseStamp);
  const ticks = timeTicks(stamps[0].instant, stamps[3].instant, 4, offsets(stamps));
  assert.deepEqual(ticks.map((tick) => tick.label), ['25 Oct', '26 Oct', '27 Oct', '28 Oct']);
  assert.equal(ticks[2].at - ticks[1].at, 25 * 3_600_000);
});

test('number ticks are round and enclose the values', () => {
  assert.deepEqual(niceTicks(0, 8120), [0, 2000, 4000, 6000, 8000, 10000]);
  assert.deepEqual(niceTicks(0, 0.3, 3), [0, 0.1, 0.2, 0.3]);
  assert.deepEqual(niceTicks(-5, 5, 4), [-5, -2.5, 0, 2.5, 5]);
  assert.deepEqual(niceTicks(0, 0), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  for (let value = 1e-3; value < 1e9; value *= 3.7) {
    const ticks = niceTicks(0, value);
    assert.ok(ticks.at(-1) >= value && ticks.length >= 3 && ticks.length <= 7, `${value}: ${ticks}`);
  }
});
