import assert from 'node:assert/strict';
import { test } from 'node:test';

import { NEW, changeOf, fieldsOf, newOf } from '../schedule-change.js';

const asked = { title: 'Briefing', question: 'Morning briefing', timing: { time: '07:00', days: [], timezone: 'UTC' }, alert: null, delivery: { channel: 'email', to: 'ops@example.com' } };
const watched = { title: 'Out', question: null, timing: null, alert: { kind: 'device_out' }, delivery: { channel: 'webhook', url: 'https://example.com/hook' } };

test('fields that stay are not sent', () => {
  for (const schedule of [asked, watched]) assert.deepEqual(changeOf(schedule, fieldsOf(schedule)), {});
  const everyDay = { ...fieldsOf(asked), days: ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] };
  assert.deepEqual(changeOf(asked, everyDay), {});
});

test('each part is sent when it differs', () => {
  const change = (fields) => changeOf(asked, { ...fieldsOf(asked), ...fields });
  assert.deepEqual(change({ title: ' Daily ' }), { title: 'Daily' });
  assert.deepEqual(change({ question: 'How is it?' }), { question: 'How is it?' });
  assert.deepEqual(change({ days: ['sunday', 'monday'] }), { timing: { time: '07:00', days: ['monday', 'sunday'], timezone: 'UTC' } });
  assert.deepEqual(change({ timezone: 'Asia/Tokyo' }).timing.timezone, 'Asia/Tokyo');
  assert.deepEqual(change({ channel: 'webhook', to: 'https://example.com' }), { delivery: { channel: 'webhook', url: 'https://example.com' } });
});

test('an interval is sent with the hours that limit it, and taken away', () => {
  const often = { ...fieldsOf(asked), every: '120', time: '08:00', until: '18:00' };
  const { timing } = changeOf(asked, often);
  assert.deepEqual(timing, { time: '08:00', every_minutes: 120, until: '18:00', days: [], timezone: 'UTC' });
  const hourly = { ...asked, timing };
  assert.deepEqual(changeOf(hourly, fieldsOf(hourly)), {});
  // The hour until which it is asked belongs to the interval.
  assert.deepEqual(changeOf(hourly, { ...fieldsOf(hourly), every: '' }).timing, { time: '08:00', days: [], timezone: 'UTC' });
});

test('a new schedule is sent whole, and its name if there is one', () => {
  const fields = { ...fieldsOf(NEW), question: 'Morning briefing', timezone: 'UTC', to: 'ops@example.com' };
  const wanted = { question: 'Morning briefing', timing: { time: '07:00', days: [], timezone: 'UTC' }, delivery: asked.delivery };
  assert.deepEqual(newOf(fields), wanted);
  assert.deepEqual(newOf({ ...fields, title: 'Briefing' }), { title: 'Briefing', ...wanted });
  const alert = { ...fields, kind: 'device_out', limit: '30' };
  assert.deepEqual(newOf(alert), { alert: { kind: 'device_out', minutes: 30 }, delivery: asked.delivery });
});

test('a question becomes an alert, and an alert a question', () => {
  const alert = { ...fieldsOf(asked), kind: 'no_data', limit: '3', device: 'INV-1' };
  assert.deepEqual(changeOf(asked, alert), { alert: { kind: 'no_data', hours: 3, logger_id: 'INV-1' } });
  const question = { ...fieldsOf(watched), kind: 'question', question: 'How is it?', timezone: 'UTC' };
  assert.deepEqual(changeOf(watched, question), { question: 'How is it?', timing: { time: '07:00', days: [], timezone: 'UTC' } });
  assert.deepEqual(changeOf(watched, { ...fieldsOf(watched), site: 'north' }), { alert: { kind: 'device_out', minutes: 60, site_id: 'north' } });
});
