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

test('the state is said on the clock of the schedule', () => {
  const timing = { time: '07:00', days: [], timezone: 'Europe/Zurich' };
  const next = { status: 'active', next_at: '2026-11-24T06:00:00Z', timing };
  assert.match(scheduleStatus(next, 'en-GB'), /^Next on 24 Nov 2026, 07:00\.$/);
  assert.equal(scheduleStatus({ status: 'paused', next_at: null }), 'Paused.');
  assert.equal(scheduleStatus({ status: 'active', next_at: 'x', alert: {}, open_events: [] }), 'Nothing to report.');
});
