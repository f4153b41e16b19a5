import assert from 'node:assert/strict';
import { test } from 'node:test';

import { scheduleStatus, scheduleTimes } from '../schedule-words.js';

test('times are said as people say them', () => {
  const at = (days) => scheduleTimes({ timing: { time: '07:00', days, timezone: 'UTC' } });
  assert.equal(at([]), 'Every day at 07:00 (UTC)');
  assert.equal(at(['friday', 'monday']), 'Every Monday and Friday at 07:00 (UTC)');
  assert.equal(at(['monday', 'tuesday', 'wednesday', 'thursday', 'friday']), 'Every weekday at 07:00 (UTC)');
  assert.equal(scheduleTimes({ alert: { kind: 'device_out', site_id: 'north' } }), 'When a device of the site north is out for 60 minutes');
});

test('intervals are said with the hours that limit them', () => {
  const at = (timing) => scheduleTimes({ timing: { days: [], timezone: 'UTC', time: '00:00', ...timing } });
  assert.equal(at({ every_minutes: 60 }), 'Every hour (UTC)');
  assert.equal(at({ every_minutes: 30, time: '06:00' }), 'Every 30 minutes from 06:00 (UTC)');
  const work = { every_minutes: 120, time: '08:00', until: '18:00', days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'] };
  assert.equal(at(work), 'Every 2 hours from 08:00 to 18:00, every weekday (UTC)');
});

test('the state is said on the clock of the schedule', () => {
  const timing = { time: '07:00', days: [], timezone: 'Europe/Zurich' };
  const next = { status: 'active', next_at: '2026-11-24T06:00:00Z', timing };
  assert.match(scheduleStatus(next, 'en-GB'), /^Next on 24 Nov 2026, 07:00\.$/);
  assert.equal(scheduleStatus({ status: 'paused', next_at: null }), 'Paused.');
  assert.equal(scheduleStatus({ status: 'active', next_at: 'x', alert: {}, open_events: [] }), 'Nothing to report.');
});
