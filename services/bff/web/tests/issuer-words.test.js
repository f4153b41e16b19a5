import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressesOf, changedIssuer, newIssuer, ruleWords, stateOfIssuer } from '../issuer-words.js';

const given = { name: ' company ', label: '', issuer: ' https://id.example.com ', clientId: 'heliograph', secret: '', groupsClaim: '', scopes: '', audience: '', rules: [{ group: ' ', tenant: ' acme ', role: 'viewer' }] };

test('an issuer is sent without the fields that are empty', () => {
  const sent = JSON.parse(JSON.stringify(newIssuer(given)));
  assert.deepEqual(sent, { name: 'company', issuer: 'https://id.example.com', client_id: 'heliograph', rules: [{ tenant: 'acme', role: 'viewer' }] });
  const full = newIssuer({ ...given, secret: ' s ', scopes: 'profile, groups', rules: [{ group: 'solar', tenant: 'acme', role: 'editor' }] });
  assert.deepEqual([full.client_secret, full.scopes, full.rules], [' s ', ['profile', 'groups'], [{ group: 'solar', tenant: 'acme', role: 'editor' }]]);
});

test('a change sends every field, and another secret only', () => {
  const sent = JSON.parse(JSON.stringify(changedIssuer(given)));
  assert.deepEqual(sent, { label: '', client_id: 'heliograph', groups_claim: 'groups', scopes: ['profile', 'email'], audience: '', rules: [{ tenant: 'acme', role: 'viewer' }] });
  assert.equal(changedIssuer({ ...given, secret: ' s ' }).client_secret, ' s ');
});

test('the addresses to register follow the name', () => {
  assert.deepEqual(addressesOf('https://s.example/', 'company'), { redirect: 'https://s.example/auth/oidc/company/callback', post_logout_redirect: 'https://s.example/', backchannel_logout: 'https://s.example/auth/oidc/company/logout' });
  assert.equal(addressesOf('https://s.example', ' ').redirect, 'https://s.example/auth/oidc/NAME/callback');
});

test('rules and states are said in words', () => {
  assert.equal(ruleWords({ tenant: 'acme', role: 'viewer' }), 'everyone: viewer in acme');
  assert.equal(ruleWords({ group: 'it', tenant: 'acme', role: 'installation_administrator' }), 'it: administrator of the installation in acme');
  assert.equal(stateOfIssuer({ fixed: true }), 'set in the configuration');
  assert.match(stateOfIssuer({ fixed: false, replaced_by_fixed: true, problem: 'x' }), /not used/);
  assert.equal(stateOfIssuer({ fixed: false, problem: 'Its client secret …' }), 'Its client secret …');
});
