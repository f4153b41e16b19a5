/** Calls of the server, and how they fail. */

import { EventStreamParser } from './sse.js';

/** A stream on which nothing arrives for this long is dead: the server sends a sign of life every 15 s. */
const SILENCE = 50_000;
/** Threads and messages of a page. */
const THREADS = 50;
const MESSAGES = 100;

/** Why a call failed, in words for people. `kind`: `network`, `timeout`, `session` or `api`. */
export class CallError extends Error {
  /** @param {number} [status] */
  constructor(kind, text, status) {
    super(text);
    this.kind = kind;
    this.status = status;
  }
}

export function login(username, password) {
  return call('POST', '/auth/login', { username, password });
}

export function logout() {
  return call('POST', '/auth/logout');
}

/** Who is signed in already, if anyone, and the account that a demonstration proposes: `{ account, demonstration }`. */
export function signInOptions() {
  return call('GET', '/auth/sign-in');
}

/** Who can be asked, and what. */
export async function listAssistants() {
  return (await call('GET', '/api/assistants')).assistants;
}

/** A page of the threads that the server keeps, the latest first: `{ threads, next_cursor }`. */
export function listThreads(cursor) {
  return call('GET', `/api/threads?limit=${THREADS}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`);
}

/** A thread, without its messages. */
export function threadById(threadId) {
  return call('GET', threadPath(threadId));
}

/** A thread and a page of its messages, oldest first: the newest, or those before a message. */
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

/** Stops the answer that is being given in a thread; what there is of it is kept. */
export function stopAnswer(threadId) {
  return call('POST', `/api/chat/${encodeURIComponent(threadId)}/stop`);
}

const threadPath = (threadId) => `/api/threads/${encodeURIComponent(threadId)}`;

/** @param {any} [body] */
async function call(method, path, body) {
  const headers = { accept: 'application/json' };
  if (body) headers['content-type'] = 'application/json';
  const response = await send(path, { method, headers, body: body && JSON.stringify(body) });
  return response.status === 204 ? undefined : response.json();
}

/**
 * Sends a message to a thread and hands each chunk of the answer to `onChunk`. Resolves to whether the answer came to its end;
 * rejects with a `CallError`, or with an `AbortError` when `signal` stops it.
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

/** Joins the answer that is being given in a thread, from its beginning. As `chat`, but `undefined` when there is none. */
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
    if (watch.expired) throw new CallError('timeout', 'The server has gone silent. Your message is kept; try again.');
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

/** `fetch` whose refusals are `CallError`s with the problem's own words. */
async function send(path, options) {
  let response;
  try {
    response = await fetch(path, { credentials: 'same-origin', cache: 'no-store', ...options });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new CallError('network', 'The server cannot be reached. Check the connection and try again.');
  }
  if (response.ok) return response;
  const kind = response.status === 401 ? 'session' : [408, 504].includes(response.status) ? 'timeout' : 'api';
  throw new CallError(kind, await problemText(response), response.status);
}

/** The problem's detail, else its title; with the time to wait when the server names one. */
export async function problemText(response) {
  let problem = {};
  try {
    problem = await response.json();
  } catch {
    // Not a problem document, say the page of a proxy: its status must do.
  }
  const faults = Array.isArray(problem.errors) ? problem.errors.map((fault) => fault.detail).filter(Boolean) : [];
  const text = problem.detail ?? problem.title ?? `The server answered with status ${response.status}.`;
  const wait = Number(response.headers.get('retry-after'));
  const parts = [text, ...faults.filter((fault) => !text.includes(fault))];
  if (wait > 0 && !/\d+ ?s/.test(text)) parts.push(`Try again in ${wait} s.`);
  return parts.join(' ');
}

/** Ends a call when the person does, or when nothing has arrived for too long. */
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
