/**
 * The conversations that this browser remembers, so that the page shows them at once and as they were. The server keeps its own record
 * of each; those that were led elsewhere are known by their titles (`remote`) until they are opened, and `servedAt` is when the server had
 * last something new of one when it was read.
 */

import { isHidden } from './message.js';

const KEY = 'solar-analyst-chats';
const TITLE_LENGTH = 50;
/** Outputs of hidden calls beyond this many characters are not kept; they only serve the panel of details. */
const KEPT_OUTPUT = 8_000;

/** An id for a thread or a message. `randomUUID` is missing where the page comes over plain HTTP from another machine. */
export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The browser's storage, or a memory for as long as the page lives where the browser refuses it. */
export function browserStorage() {
  try {
    return window.localStorage;
  } catch {
    const kept = new Map();
    return { getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => void kept.set(key, text), removeItem: (key) => void kept.delete(key) };
  }
}

/** Removes every conversation that this browser remembers, of whatever account. What the server keeps stays there. */
export function forgetEverything(storage = browserStorage()) {
  for (const key of Object.keys(storage)) if (key.startsWith(KEY)) storage.removeItem(key);
}

/** A conversation's title: the beginning of its first message. */
export function titleOf(text) {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH - 1).trimEnd()}…` : line;
}

/** Conversations of one account in a `Storage`. */
export class ConversationStore {
  #storage;
  #key;
  /** After that an answer that still comes in is not written. */
  #forgotten = false;

  constructor(storage, owner) {
    this.#storage = storage;
    this.#key = `${KEY}:${owner}`;
  }

  /** Whether a change of this key in another tab concerns this store. */
  isKey(key) {
    return key === this.#key || key === null;
  }

  /** Every conversation, the latest first. What cannot be read is as if it were not there. */
  list() {
    try {
      const kept = JSON.parse(this.#storage.getItem(this.#key) ?? '[]');
      return Array.isArray(kept) ? kept.filter(isConversation).sort(latestFirst) : [];
    } catch {
      return [];
    }
  }

  get(id) {
    return this.list().find((one) => one.id === id);
  }

  /** Writes one conversation; the others are read again first, as another tab may have changed them. */
  save(conversation) {
    const others = this.list().filter((one) => one.id !== conversation.id);
    this.#write([withoutBulk(conversation), ...others]);
  }

  /**
   * Adds what the server keeps and this browser does not know, and drops what it knew only from there and is gone: of all that the server
   * keeps (`isComplete`), else of what is no older than the threads that it named. What was said elsewhere since is marked `stale`.
   */
  merge(threads, isComplete = true) {
    const named = new Map(threads.map((thread) => [thread.thread_id, thread]));
    const oldest = threads.at(-1)?.last_updated ?? '';
    const isGone = (one) => one.remote && !named.has(one.id) && (isComplete || Date.parse(one.updatedAt) >= Date.parse(oldest));
    const kept = this.list().filter((one) => !isGone(one)).map((one) => (named.has(one.id) ? updated(one, named.get(one.id)) : one));
    const known = new Set(kept.map((one) => one.id));
    const added = threads.filter((thread) => !known.has(thread.thread_id)).map(remoteConversation);
    this.#write([...kept, ...added].sort(latestFirst));
  }

  /** Adds older conversations of the server. */
  add(threads) {
    const known = this.list();
    const added = threads.filter((thread) => !known.some((one) => one.id === thread.thread_id)).map(remoteConversation);
    this.#write([...known, ...added].sort(latestFirst));
  }

  /** Forgets everything, for someone who signs out: the next person at this browser may be another. */
  forget() {
    this.#forgotten = true;
    this.#storage.removeItem(this.#key);
  }

  rename(id, title) {
    this.#write(this.list().map((one) => (one.id === id ? { ...one, title } : one)));
  }

  remove(id) {
    this.#write(this.list().filter((one) => one.id !== id));
  }

  /** Storage is small: the oldest conversations make room. Without any storage the page works and forgets. */
  #write(conversations) {
    if (this.#forgotten) return;
    for (let kept = conversations; ; kept = kept.slice(0, -1)) {
      try {
        this.#storage.setItem(this.#key, JSON.stringify(kept));
        return;
      } catch {
        if (kept.length <= 1) return;
      }
    }
  }
}

/** A thread of the server that is fetched when it is opened. */
export function remoteConversation(thread) {
  return { id: thread.thread_id, title: thread.title ?? 'Conversation', assistant: thread.assistant, messages: [], createdAt: thread.created_at, updatedAt: thread.last_updated, remote: true };
}

/** A conversation of this browser beside what the server says of it. */
function updated(one, thread) {
  if (one.remote) return { ...one, updatedAt: thread.last_updated };
  const stale = one.servedAt !== undefined && one.servedAt !== thread.last_updated;
  return { ...one, stale: stale || undefined };
}

/** Stamps come with more or fewer digits, so they are compared as times. */
function latestFirst(a, b) {
  return Date.parse(b.updatedAt) - Date.parse(a.updatedAt);
}

function isConversation(one) {
  return typeof one?.id === 'string' && Array.isArray(one.messages) && typeof one.updatedAt === 'string';
}

function withoutBulk(conversation) {
  const slim = (part) => {
    if (!isHidden(part) || part.output === undefined) return part;
    return JSON.stringify(part.output).length > KEPT_OUTPUT ? { ...part, output: null, outputDropped: true } : part;
  };
  const messages = conversation.messages.map((message) => (message.parts ? { ...message, parts: message.parts.map(slim) } : message));
  return { ...conversation, messages };
}
