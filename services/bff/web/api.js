/** Calls to the server, and their errors. */

import { EventStreamParser } from './sse.js';

/** A stream without data for this time is closed. The server sends a comment every 15 s. */
const SILENCE = 50_000;
/** Number of threads and messages per page. */
const THREADS = 50;
const MESSAGES = 100;

/**
 * The error of a call, with a message for the user. `kind`: `network`, `timeout`, `session` or
 * `api`.
 */
export class CallError extends Error {
  /**
   * @param {number} [status]
   * @param {{ pointer?: string, detail?: string }[]} [faults] The fields that the server refuses.
   */
  constructor(kind, text, status, faults = []) {
    super(text);
    this.kind = kind;
    this.status = status;
    this.faults = faults;
  }
}

export function login(username, password) {
  return call('POST', '/auth/login', { username, password });
}

export function logout() {
  return call('POST', '/auth/logout');
}

/**
 * The signed-in account, if any, and the account of a demonstration: `{ account, demonstration }`.
 */
export function signInOptions() {
  return call('GET', '/auth/sign-in');
}

/** The assistants with their starter questions. */
export async function listAssistants() {
  return (await call('GET', '/api/assistants')).assistants;
}

/** The documents that the user reads: `{ documents }`. */
export function listDocuments() {
  return call('GET', '/api/documents');
}

/** The collections that the user reads: `{ collections }`. */
export function listCollections() {
  return call('GET', '/api/collections');
}

export function createCollection(collection) {
  return call('POST', '/api/collections', collection);
}

/** Changes the name or the readers of a collection. */
export function changeCollection(id, change) {
  return call('PATCH', `/api/collections/${encodeURIComponent(id)}`, change);
}

/** Deletes a collection with its documents. */
export function deleteCollection(id, name) {
  return call('DELETE', `/api/collections/${encodeURIComponent(id)}?${query({ confirm: name })}`);
}

/** Adds a document, or replaces the one of the same name. */
export function uploadDocument(file, collection) {
  return upload(`/api/documents?${query({ filename: file.name, collection })}`, file);
}

/** The text of a document as it was read: `{ filename, text, passages }`. */
export function documentText(id) {
  return call('GET', `/api/documents/${encodeURIComponent(id)}/text`);
}

export function deleteDocument(id) {
  return call('DELETE', `/api/documents/${encodeURIComponent(id)}`);
}

/** The sites of the tenant: `{ sites }`. */
export function listSites() {
  return call('GET', '/api/sites');
}

/** Creates or updates a site with its devices. */
export function putSite(site) {
  return call('POST', '/api/sites', { sites: [site] });
}

/** Deletes a site with its devices and readings. */
export function deleteSite(id) {
  return call('DELETE', `/api/sites/${encodeURIComponent(id)}?${query({ confirm: id })}`);
}

/** The imports of the tenant, the newest first: `{ imports }`. */
export function listImports() {
  return call('GET', '/api/imports');
}

/** Uploads a file of a data logger; returns the import with its preview. */
export function uploadImport(file, options) {
  return upload(`/api/imports?${query({ filename: file.name, ...options })}`, file);
}

const importPath = (id) => `/api/imports/${encodeURIComponent(id)}`;

export function getImport(id) {
  return call('GET', importPath(id));
}

/** Reads the file again in another way. */
export function reviseImport(id, change) {
  return call('PATCH', importPath(id), change);
}

export function runImport(id) {
  return call('POST', `${importPath(id)}/run`);
}

export function cancelImport(id) {
  return call('POST', `${importPath(id)}/cancel`);
}

/** Forgets an import that does not run. Rows that it stored stay. */
export function discardImport(id) {
  return call('DELETE', importPath(id));
}

/** The databases and spreadsheets that questions are put to: `{ targets }`. */
export function listTargets() {
  return call('GET', '/api/targets');
}

const targetPath = (name) => `/api/targets/${encodeURIComponent(name)}`;

/** A target with its tables and first questions: `{ target, layer }`. */
export function getTarget(name) {
  return call('GET', targetPath(name));
}

/** Tests a database without adding it: `{ ok, steps }`. */
export function testTarget(target) {
  return call('POST', '/api/target-tests', target);
}

export function addTarget(target) {
  return call('POST', '/api/targets', target);
}

export function changeTarget(name, change) {
  return call('PATCH', targetPath(name), change);
}

/** Reads the tables of a target again. */
export function refreshTarget(name) {
  return call('POST', `${targetPath(name)}/refresh`);
}

export function deleteTarget(name) {
  return call('DELETE', targetPath(name));
}

/** The search sources of the analyst: `{ sources }`. */
export function listSources() {
  return call('GET', '/api/sources');
}

/** Tests a source without adding it: `{ ok, steps, indices }`. */
export function testSource(source) {
  return call('POST', '/api/source-tests', source);
}

export function addSource(source) {
  return call('POST', '/api/sources', source);
}

export function deleteSource(name) {
  return call('DELETE', `/api/sources/${encodeURIComponent(name)}`);
}

/** The services whose operations are tools: `{ upstreams }`. */
export function listUpstreams() {
  return call('GET', '/api/upstreams');
}

/** Tests a service without adding it: `{ ok, steps, tools }`. */
export function testUpstream(upstream) {
  return call('POST', '/api/upstream-tests', upstream);
}

export function addUpstream(upstream) {
  return call('POST', '/api/upstreams', upstream);
}

export function deleteUpstream(name) {
  return call('DELETE', `/api/upstreams/${encodeURIComponent(name)}`);
}

/** The issuers at which people sign in: `{ issuers, public_url }`. */
export function listIssuers() {
  return call('GET', '/api/issuers');
}

/** Tests an issuer without adding it: `{ ok, steps, addresses }`. */
export function testNewIssuer(issuer) {
  return call('POST', '/api/issuer-tests', issuer);
}

/** Tests an issuer as it is. */
export function testIssuer(name) {
  return call('POST', `/api/issuers/${encodeURIComponent(name)}/test`);
}

export function addIssuer(issuer) {
  return call('POST', '/api/issuers', issuer);
}

/** Changes an issuer: what is absent stays. */
export function changeIssuer(name, change) {
  return call('PATCH', `/api/issuers/${encodeURIComponent(name)}`, change);
}

export function deleteIssuer(name) {
  return call('DELETE', `/api/issuers/${encodeURIComponent(name)}`);
}

/** The states of the user's tokens for services: `{ credentials }`. */
export function listCredentials() {
  return call('GET', '/api/credentials');
}

/** Hands over the user's token for a service; returns its state. */
export function connectUpstream(name, token) {
  return call('PUT', `/api/credentials/${encodeURIComponent(name)}`, { access_token: token });
}

/** The tables of a file, without loading it: `{ format, tables, notes }`. */
export function previewSpreadsheet(file, options) {
  return upload(`/api/target-previews?${query({ filename: file.name, ...options })}`, file);
}

/** Loads a file as a target, in the place of the earlier one of the same name. */
export function loadSpreadsheet(name, file, options) {
  return upload(`${targetPath(name)}/file?${query({ filename: file.name, ...options })}`, file);
}

/** The members that are not undefined, as a query. */
export function query(members) {
  const known = Object.entries(members).filter(([, value]) => value !== undefined);
  return new URLSearchParams(known).toString();
}

async function upload(path, file) {
  const headers = { accept: 'application/json', 'content-type': 'application/octet-stream' };
  return (await send(path, { method: 'POST', headers, body: file })).json();
}

/** A page of the stored threads, the latest first: `{ threads, next_cursor }`. */
export function listThreads(cursor) {
  return call('GET', `/api/threads?limit=${THREADS}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`);
}

/** A thread without its messages. */
export function threadById(threadId) {
  return call('GET', threadPath(threadId));
}

/**
 * A thread and a page of its messages, oldest first: the newest page, or the page before a message.
 */
export function readThread(threadId, before) {
  const page = `limit=${MESSAGES}${before === undefined ? '' : `&before=${encodeURIComponent(before)}`}`;
  return Promise.all([threadById(threadId), call('GET', `${threadPath(threadId)}/ui-messages?${page}`)]);
}

export function renameThread(threadId, title) {
  return call('PATCH', threadPath(threadId), { title });
}

export function deleteThread(threadId) {
  return call('DELETE', threadPath(threadId));
}

/** Stops the active answer of a thread. Its text so far is kept. */
export function stopAnswer(threadId) {
  return call('POST', `/api/chat/${encodeURIComponent(threadId)}/stop`);
}

/** The schedules of the signed-in account: `{ schedules, limit }`. */
export function listSchedules() {
  return call('GET', '/api/schedules');
}

/** Creates a schedule. Returns it as `schedule`, with the `webhook_secret` of a webhook. */
export function createSchedule(schedule) {
  return call('POST', '/api/schedules', schedule);
}

/** Changes parts of a schedule, such as `{ paused }`. Returns the schedule. */
export function changeSchedule(id, change) {
  return call('PATCH', schedulePath(id), change);
}

export function deleteSchedule(id) {
  return call('DELETE', schedulePath(id));
}

/** Sends a schedule now: `{ detail }`. */
export function sendSchedule(id) {
  return call('POST', `${schedulePath(id)}/test`);
}

const schedulePath = (id) => `/api/schedules/${encodeURIComponent(id)}`;

const threadPath = (threadId) => `/api/threads/${encodeURIComponent(threadId)}`;

/** @param {any} [body] */
export async function call(method, path, body) {
  const headers = { accept: 'application/json' };
  if (body) headers['content-type'] = 'application/json';
  const response = await send(path, { method, headers, body: body && JSON.stringify(body) });
  return response.status === 204 ? undefined : response.json();
}

/**
 * Sends a message to a thread and passes each chunk of the answer to `onChunk`. Resolves to whether
 * the answer is complete. Rejects with a `CallError`, or with an `AbortError` if `signal` stops it.
 */
export function chat({ threadId, assistant, message, signal, onChunk }) {
  const body = {
    threadId,
    assistant,
    messages: [{ id: message.id, role: 'user', parts: [{ type: 'text', text: message.text }] }],
    trigger: 'submit-message',
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
  return stream('/api/chat', { method: 'POST', headers, body: JSON.stringify(body) }, signal, onChunk);
}

/**
 * Joins the active answer of a thread from its start. Resolves as `chat`, or to `undefined` if
 * there is none.
 */
export function rejoin({ threadId, signal, onChunk }) {
  const path = `/api/chat/${encodeURIComponent(threadId)}/stream`;
  return stream(path, { headers: { accept: 'text/event-stream' } }, signal, onChunk);
}

async function stream(path, options, signal, onChunk) {
  const watch = new Watch(signal);
  try {
    const response = await send(path, { ...options, signal: watch.signal });
    if (response.status === 204) return undefined;
    return await readStream(response.body.getReader(), watch, onChunk);
  } catch (error) {
    if (signal.aborted) throw new DOMException('Stopped', 'AbortError');
    if (watch.expired) throw new CallError('timeout', 'The server does not respond. Your message was saved; try again.');
    throw error instanceof CallError ? error : new CallError('network', 'The connection was lost before the answer was complete.');
  } finally {
    watch.end();
  }
}

async function readStream(reader, watch, onChunk) {
  const parser = new EventStreamParser();
  let complete = false;
  const take = (events) => {
    for (const data of events) {
      if (data === '[DONE]') complete = true;
      else complete = onChunk(parseChunk(data)) || complete;
    }
  };
  for (;;) {
    const { done, value } = await reader.read();
    watch.alive();
    take(done ? parser.end() : parser.push(value));
    if (done) return complete;
  }
}

function parseChunk(data) {
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}

/** `fetch` that rejects with a `CallError` for error responses, with the text of the problem. */
async function send(path, options) {
  let response;
  try {
    response = await fetch(path, { credentials: 'same-origin', cache: 'no-store', ...options });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new CallError('network', 'Cannot connect to the server. Check the connection and try again.');
  }
  if (response.ok) return response;
  const kind = response.status === 401 ? 'session' : [408, 504].includes(response.status) ? 'timeout' : 'api';
  const problem = await problemOf(response);
  throw new CallError(kind, textOf(problem, response), response.status, faultsOf(problem));
}

/** The detail of a problem, otherwise its title, and the waiting time if the server gives one. */
export async function problemText(response) {
  return textOf(await problemOf(response), response);
}

async function problemOf(response) {
  try {
    return await response.json();
  } catch {
    // Not a problem document, for example a proxy's page: only the status is shown.
    return {};
  }
}

const faultsOf = (problem) => (Array.isArray(problem.errors) ? problem.errors.filter((fault) => fault?.detail) : []);

function textOf(problem, response) {
  const text = problem.detail ?? problem.title ?? `The server answered with status ${response.status}.`;
  const wait = Number(response.headers.get('retry-after'));
  const parts = [text, ...faultsOf(problem).map((fault) => fault.detail).filter((fault) => !text.includes(fault))];
  if (wait > 0 && !/\d+ ?s/.test(text)) parts.push(`Try again in ${wait} s.`);
  return parts.join(' ');
}

/** Aborts a call when the user stops it, or when no data arrive for too long. */
class Watch {
  #controller = new AbortController();
  #timer;
  expired = false;

  constructor(stop) {
    if (stop.aborted) this.#controller.abort();
    stop.addEventListener('abort', () => this.#controller.abort(), { once: true });
    this.alive();
  }

  get signal() {
    return this.#controller.signal;
  }

  alive() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.expired = true;
      this.#controller.abort();
    }, SILENCE);
  }

  end() {
    clearTimeout(this.#timer);
  }
}
