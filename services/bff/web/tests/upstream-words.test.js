import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newUpstream, toolOf } from '../upstream-words.js';

const given = { name: 'tracker', kind: 'mcp', address: ' https://t.example.com/mcp ', header: '', value: 'Bearer x', person: false, operations: '' };

test('a service is sent with its credential in a header, or with the rights of each person', () => {
  assert.deepEqual(newUpstream(given).endpoint, { base_url: 'https://t.example.com/mcp', access: 'service', headers: { Authorization: 'Bearer x' }, token: undefined });
  const own = newUpstream({ ...given, value: '', person: true });
  assert.deepEqual([own.endpoint.access, own.endpoint.headers, own.endpoint.token], ['person', {}, { opaque: 'valid' }]);
  assert.deepEqual(newUpstream({ ...given, kind: 'http', header: 'X-Key', operations: '[{"name":"a"}]' }).operations, [{ name: 'a' }]);
  assert.throws(() => newUpstream({ ...given, kind: 'http', operations: '[' }), /not JSON/);
  assert.throws(() => newUpstream({ ...given, kind: 'http', operations: '{}' }), /must be a list/);
});

test('a tool of a server gets a plain name', () => {
  assert.deepEqual(toolOf({ name: 'find-Tickets', description: ' Finds. ', schema: { properties: {} } }), { name: 'find_tickets', tool: 'find-Tickets', description: 'Finds.', schema: { type: 'object', properties: {} } });
  assert.equal(toolOf({ name: 'list', description: '', schema: {} }).tool, undefined);
});
