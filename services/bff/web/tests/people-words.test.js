import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ageWords, clientWords, instantOf, limitWords, moment, namesOf, newPassword, outcomeWords, readersWords, roleWords, rolesOf, subjectWords, useWords } from '../people-words.js';

test('roles are words, and only those that one has can be given', () => {
  assert.equal(roleWords({ role: 'installation_administrator' }), 'administrator of the installation');
  assert.equal(roleWords({ scopes: ['chat', 'tools:read'] }), 'own list: chat, tools:read');
  const offered = (scopes) => rolesOf({ scopes }).map(([role]) => role);
  assert.deepEqual(offered(['accounts:write']), ['viewer', 'editor', 'administrator']);
  assert.equal(offered(['tenants:all']).at(-1), 'installation_administrator');
});

test('limits, readers and entries are words', () => {
  assert.equal(limitWords({ name: 'requests_per_minute', of: 'tenant' }), 'Requests in a minute, all accounts together');
  assert.equal(limitWords({ name: 'new_limit', of: 'account' }), 'New limit');
  assert.equal(limitWords({ name: 'model_tokens_per_day', of: 'account' }), 'Model tokens in a day');
  assert.equal(useWords({ used: 430, limit: 1000, cached: 256, reasoning: 12 }, String), '430 of 1000 (256 from a cache, 12 of thoughts)');
  assert.equal(useWords({ used: 0, limit: 1000, cached: 0, reasoning: 0 }, String), '0 of 1000');
  assert.equal(readersWords({ role: 'viewer' }), 'all users');
  assert.equal(readersWords({ groups: ['night shift'] }), 'group night shift');
  assert.equal(readersWords({}), 'no readers');
  assert.equal(outcomeWords({ outcome: 'done', status: 201 }), 'done');
  assert.equal(outcomeWords({ outcome: 'refused', status: 422 }), 'refused (422)');
  assert.equal(subjectWords({ account_name: 'ada', object: 'role viewer \u2192 role editor' }), 'ada: role viewer \u2192 role editor');
  assert.equal(subjectWords({}), '');
});

test('a sign-in is named by its program', () => {
  const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36';
  assert.equal(clientWords({ kind: 'browser', client: chrome }), 'Chrome on Linux');
  assert.equal(clientWords({ kind: 'browser', client: `${chrome} Edg/140.0` }), 'Edge on Linux');
  assert.equal(clientWords({ kind: 'client', client: 'heliograph on roof-pc' }), 'heliograph on roof-pc');
  assert.equal(clientWords({ kind: 'client' }), 'A program');
});

test('moments and lists', () => {
  assert.equal(moment('2026-11-30T03:21:00Z', 'UTC'), '30 Nov 2026, 03:21');
  assert.equal(moment(undefined), '');
  assert.equal(instantOf(''), undefined);
  assert.match(instantOf('2026-11-30T03:21'), /^2026-11-\d\dT.*Z$/);
  assert.deepEqual(namesOf(' night shift, service ,,'), ['night shift', 'service']);
});

test('a new password has twenty letters by chance', () => {
  assert.match(newPassword(), /^([a-z2-9]{5}-){3}[a-z2-9]{5}$/);
  assert.notEqual(newPassword(), newPassword());
  assert.equal(newPassword((numbers) => numbers.fill(0)), 'aaaaa-aaaaa-aaaaa-aaaaa');
});

test('the age at which things are deleted says whose setting it is', () => {
  const bounds = { least_days: 1, most_days: 90, fixed: false };
  assert.equal(ageWords({ ...bounds, hours: null, own_days: null, default_hours: null }), 'Deleted never for their age, as the installation has it. 1 to 90 days can be set.');
  assert.equal(ageWords({ ...bounds, hours: 24, own_days: 1, default_hours: 36 }), 'Deleted after 1 day. Without your setting: after 36 hours. 1 to 90 days can be set.');
  assert.equal(ageWords({ ...bounds, hours: 720, own_days: null, default_hours: 720, fixed: true }), "Deleted after 30 days. The installation's configuration sets this.");
});
