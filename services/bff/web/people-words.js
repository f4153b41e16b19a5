/** Accounts, sign-ins, limits and the audit log in words. */

import { words } from './format.js';
import { ROLES } from './issuer-words.js';

/** The scope of those who manage every tenant. */
export const EVERY_TENANT = 'tenants:all';

const LIMITS = {
  requests_per_minute: 'Requests in a minute',
  requests_at_once: 'Requests at once',
  concurrent_runs: 'Answers at the same time',
  model_tokens_per_day: 'Model tokens in a day',
  storage_bytes: 'Storage',
};

/** The programs and systems that a browser's name for itself holds, the more particular first. */
const BROWSERS = [[/Edg\//, 'Edge'], [/Firefox\//, 'Firefox'], [/Chrome\//, 'Chrome'], [/Safari\//, 'Safari']];
const SYSTEMS = [[/Android/, 'Android'], [/iPhone|iPad/, 'iOS'], [/Windows/, 'Windows'], [/Mac OS X/, 'macOS'], [/Linux/, 'Linux']];

/** Letters and digits that are not taken for one another. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** The role of an account, or that its scopes are listed. */
export function roleWords({ role, scopes }) {
  if (!role) return `own list: ${(scopes ?? []).join(', ')}`;
  return ROLES.find(([value]) => value === role)?.[1] ?? words(role);
}

/** The roles that this user may give. */
export function rolesOf(user) {
  return ROLES.filter(([value]) => value !== 'installation_administrator' || (user.scopes ?? []).includes(EVERY_TENANT));
}

/** The name of a limit. */
export function limitWords({ name, of }) {
  return `${LIMITS[name] ?? words(name)}${of === 'tenant' ? ', all accounts together' : ''}`;
}

/**
 * The used amount of a limit; of tokens, also the cached ones and those of thoughts. `shown` writes
 * a number.
 */
export function useWords({ used, limit, cached, reasoning }, shown) {
  const parts = [cached && `${shown(cached)} from a cache`, reasoning && `${shown(reasoning)} of thoughts`].filter(Boolean);
  return `${shown(used)} of ${shown(limit)}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`;
}

/** A moment, in the zone of the browser. */
export function moment(stamp, zone = undefined) {
  if (!stamp) return '';
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: zone }).format(new Date(stamp));
}

/** The program of a sign-in. */
export function clientWords({ kind, client }) {
  const found = (list) => list.find(([pattern]) => pattern.test(client ?? ''))?.[1];
  const browser = found(BROWSERS);
  if (browser) return [browser, found(SYSTEMS)].filter(Boolean).join(' on ');
  return client || (kind === 'browser' ? 'A browser' : 'A program');
}

/** The outcome of an entry of the audit log. */
export function outcomeWords({ outcome, status }) {
  return outcome === 'done' ? 'done' : `${outcome} (${status})`;
}

/** The subject of an entry of the audit log: the account and the thing. */
export function subjectWords({ account_name: account, object }) {
  return [account, object].filter(Boolean).join(': ');
}

/** The moment of a field for date and time, in the zone of the browser; undefined if empty. */
export function instantOf(value) {
  return value ? new Date(value).toISOString() : undefined;
}

/** The names of a list that is separated by commas. */
export function namesOf(text) {
  return text.split(',').map((name) => name.trim()).filter(Boolean);
}

/**
 * A password that is not guessed: four groups of five letters. `fill` fills an array with random
 * numbers.
 */
export function newPassword(fill = (numbers) => crypto.getRandomValues(numbers)) {
  const numbers = [...fill(new Uint32Array(20))];
  const letters = numbers.map((number) => LETTERS[number % LETTERS.length]).join('');
  return letters.match(/.{5}/g).join('-');
}

/** The age at which things are deleted, and whose setting it is. */
export function ageWords({ hours, own_days: own, default_hours: standard, least_days: least, most_days: most, fixed }) {
  const age = (value) => {
    if (value == null) return 'never for their age';
    return value % 24 === 0 ? `after ${value / 24} ${value === 24 ? 'day' : 'days'}` : `after ${value} hours`;
  };
  if (fixed) return `Deleted ${age(hours)}. The installation's configuration sets this.`;
  const allowed = `${least} to ${most} days can be set.`;
  return own == null ? `Deleted ${age(hours)}, as the installation has it. ${allowed}` : `Deleted ${age(hours)}. Without your setting: ${age(standard)}. ${allowed}`;
}

/** The readers of a collection. */
export function readersWords({ role, groups = [] }) {
  const named = { viewer: 'all users', editor: 'editors and administrators', administrator: 'administrators', installation_administrator: 'administrators of the installation' };
  const all = [role && (named[role] ?? role), ...groups.map((group) => `group ${group}`)].filter(Boolean);
  return all.length > 0 ? all.join(', ') : 'no readers';
}
