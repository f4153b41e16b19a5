/** Targets in words: their place, state, progress and questions. */

import { size } from './data-parts.js';

/** A number with its noun. */
export const counted = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** The body of a new target; empty fields are absent. */
export function newTarget({ name, description, engine, host, port, database, username, password, tls, authority, schemas, writing }) {
  const given = (value) => value.trim() || undefined;
  return {
    name,
    description: given(description),
    connection: { engine, host: host.trim(), port: port === '' ? undefined : Number(port), database: database.trim(), username: username.trim(), password, tls, ca_certificate: given(authority) },
    schemas: schemas.split(',').map((one) => one.trim()).filter(Boolean),
    allow_writing_role: writing,
  };
}

/** A target's name, made from that of a file. */
export function nameOf(filename) {
  const plain = filename.replace(/\.[^.]*$/, '').normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, '_').replace(/^_+|_+$/g, '').slice(0, 64);
}

/** The choices for the first row of a file: the value of `has_names`, and its words. */
export const FIRST_ROWS = [
  ['', 'is as recognised'],
  ['true', 'has the names of the columns'],
  ['false', 'is a row of values'],
];

/** Whether the first row of a file of this format may have the names. Others name their columns. */
export const hasFirstRow = (format) => format === 'csv' || format === 'xlsx';

/** A question that names its target if there are others. */
export function questionTo(name, question, count) {
  return count > 1 ? `in ${name}: ${question}` : question;
}

/** The place of a database, with the role that reads it. */
export const placeOfConnection = ({ username, host, port, database }) => `${username}@${host}:${port}/${database}`;

/** The place of the rows of a target. */
export function placeOf({ kind, connection, file, fixed }) {
  if (kind === 'spreadsheet' && file) return `${file.filename}, ${counted(file.rows, 'row')}, ${size(file.size_bytes)}`;
  if (connection) return placeOfConnection(connection);
  return fixed ? 'set in the configuration' : kind;
}

/** The state of a target, in words. */
export function stateOf({ problem, job, replaced_by_fixed: replaced }) {
  if (replaced) return 'not used: the configuration has a target of this name';
  const why = problem ?? job?.problem;
  if (why || job?.status === 'failed') return `failed: ${why ?? 'it could not be read'}`;
  return job?.status === 'queued' || job?.status === 'running' ? jobWords(job) : 'ready';
}

/** The progress of the job that reads a target. */
export function jobWords({ step, done, total, status }) {
  if (status === 'queued') return 'waits';
  return total > 0 ? `${step}, ${done} of ${total}` : step;
}

/** The outcome of a test that went well. */
export function testWords({ server, encrypted, tables }) {
  const parts = [server, encrypted === undefined ? undefined : encrypted ? 'encrypted' : 'not encrypted', tables === undefined ? undefined : counted(tables, 'table')];
  return `The test went well: ${parts.filter(Boolean).join(', ')}.`;
}
