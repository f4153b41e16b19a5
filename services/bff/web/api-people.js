/** Calls about the own account, the accounts of a tenant and the audit log. */

import { call, query } from './api.js';

/** The caller with the limits: `{ account, credential, quotas }`. */
export function myAccount() {
  return call('GET', '/api/me');
}

export function changePassword(password, newPassword) {
  return call('PUT', '/api/me/password', { password, new_password: newPassword });
}

/** Everything that the services keep of the caller. */
export function exportMe() {
  return call('GET', '/api/me/export');
}

/** The sign-ins of an account, the caller's without a name: `{ sessions }`. */
export function listSessions(account) {
  return call('GET', `/api/sessions?${query({ account })}`);
}

export function endSession(id, account) {
  return call('DELETE', `/api/sessions/${encodeURIComponent(id)}?${query({ account })}`);
}

/** Ends every sign-in of an account save the one that this page uses. */
export function endSessions(account) {
  return call('DELETE', `/api/sessions?${query({ account })}`);
}

/** The API keys of an account, the caller's without a name: `{ tokens }`. */
export function listKeys(account) {
  return call('GET', `/api/tokens?${query({ account })}`);
}

/** Creates an API key: `{ token, key }`. The token is in this answer only. */
export function createKey(key) {
  return call('POST', '/api/tokens', key);
}

export function revokeKey(id, account) {
  return call('DELETE', `/api/tokens/${encodeURIComponent(id)}?${query({ account })}`);
}

/** A page of accounts by name: `{ accounts, next_cursor }`. */
export function listAccounts(cursor) {
  return call('GET', `/api/accounts?${query({ cursor })}`);
}

export function createAccount(account) {
  return call('POST', '/api/accounts', account);
}

const accountPath = (username) => `/api/accounts/${encodeURIComponent(username)}`;

export function changeAccount(username, change) {
  return call('PATCH', accountPath(username), change);
}

/** Deletes an account with all data of its person. */
export function eraseAccount(username) {
  return call('DELETE', accountPath(username), { confirm: username });
}

/** The time for which things of the tenant are kept: `{ threads, runs, audit }`. */
export function getRetention() {
  return call('GET', '/api/retention');
}

/** Sets it: `{ threads_days, runs_days, audit_days }`; null is the installation's. */
export function setRetention(change) {
  return call('PUT', '/api/retention', change);
}

/** A page of the audit log, the newest entries first: `{ entries, next_cursor }`. */
export function listAudit(selection) {
  return call('GET', `/api/audit?${query({ limit: 50, ...selection })}`);
}
