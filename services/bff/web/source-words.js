/** Search sources as the server takes them, and in words. */

import { counted, placeOfConnection } from './target-words.js';

/** The body of a new source. Throws with a sentence for the person. */
export function newSource({ name, kind, address, username, secret, tls, schema, zone, description }) {
  const given = (value) => value.trim() || undefined;
  const place = kind === 'postgresql' ? { connection: connectionOf(address, secret, tls), schema: given(schema) } : { endpoint: endpointOf(address, given(username), secret) };
  return { name, kind, description: given(description), time_zone: given(zone), ...place };
}

/** With a user it is basic authentication, without one a key. */
function endpointOf(address, username, secret) {
  const url = address.trim();
  if (username) return { url, username, password: secret };
  return secret === '' ? { url } : { url, api_key: secret };
}

/** The connection of `postgres://reader@host:5432/database`. */
function connectionOf(address, password, tls) {
  let url;
  try {
    url = new URL(address.trim());
  } catch {
    url = undefined;
  }
  const database = decodeURIComponent(url?.pathname.slice(1) ?? '');
  if (!/^postgres(ql)?:$/.test(url?.protocol ?? '') || !url.hostname || !url.username || !database) {
    throw new Error('The address of a PostgreSQL database has the form postgres://role@host:5432/database.');
  }
  return { engine: 'postgresql', host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port === '' ? undefined : Number(url.port), database, username: decodeURIComponent(url.username), password: url.password ? decodeURIComponent(url.password) : password, tls };
}

/** The place of a source. */
export function placeOfSource({ kind, endpoint, connection, fixed }) {
  if (endpoint) return endpoint.url;
  if (connection) return placeOfConnection(connection);
  return fixed ? 'set in the configuration' : kind;
}

/** The state of a source, in words. */
export function stateOfSource({ problem, replaced_by_fixed: replaced, indices }) {
  if (replaced) return 'not used: the configuration has a source of this name';
  if (problem) return `failed: ${problem}`;
  return indices.length === 0 ? 'all lists' : indices.join(', ');
}

/** An index that a test found. */
export const indexWords = ({ name, fields }) => `${name}: ${counted(fields, 'field')}`;
