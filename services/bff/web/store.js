/**
 * The conversations stored in this browser, so that the page shows them at once. The server has its
 * own record of each. Conversations from elsewhere are listed by title (`remote`) until they are
 * opened. `servedAt` is the server's time stamp of a conversation when it was last read.
 */

import { isHidden } from './message.js';

const KEY = 'solar-analyst-chats';
const TITLE_LENGTH = 50;
/**
 * Outputs of hidden calls longer than this number of characters are not stored; only the details
 * panel uses them.
 */
const KEPT_OUTPUT = 8_000;

/**
 * An id for a thread or a message. `randomUUID` does not exist if the page is loaded over plain
 * HTTP from another machine.
 */
export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The browser's storage, or a temporary one if the browser refuses access. */
export function browserStorage() {
  try {
    return window.localStorage;
  } catch {
    const kept = new Map();
    return { getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => void kept.set(key, text), removeItem: (key) => void kept.delete(key) };
  }
}

/**
 * Removes the stored conversations of all accounts from this browser. The server's records stay.
 */
export function forgetEverything(storage = browserStorage()) {
  for (const key of Object.keys(storage)) if (key.startsWith(KEY)) storage.removeItem(key);
}

/** The title of a conversation: the start of its first message. */
export function titleOf(text) {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH - 1).trimEnd()}…` : line;
}

/** The conversations of one account in a `Storage`. */
export class ConversationStore {
  #storage;
  #key;
  /** After this, an answer that still arrives is not stored. */
  #forgotten = false;

  constructor(storage, owner) {
    this.#storage = storage;
    this.#key = `${KEY}:${owner}`;
  }

  /** Whether a change of this key in another tab affects this store. */
  isKey(key) {
    return key === this.#key || key === null;
  }

  /** Every conversation, the latest first. Unreadable ones are ignored. */
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

  /**
   * Stores one conversation. The others are read again first, because another tab may have changed
   * them.
   */
  save(conversation) {
    const others = this.list().filter((one) => one.id !== conversation.id);
    this.#write([withoutBulk(conversation), ...others]);
  }

  /**
   * Adds threads of the server that this browser does not have, and removes remote ones that do not
   * exist any more: among all threads of the server (`isComplete`), otherwise among those not older
   * than the given threads. Conversations with newer messages from elsewhere are marked `stale`.
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

  /** Adds older conversations from the server. */
  add(threads) {
    const known = this.list();
    const added = threads.filter((thread) => !known.some((one) => one.id === thread.thread_id)).map(remoteConversation);
    this.#write([...known, ...added].sort(latestFirst));
  }

  /**
   * Removes everything when a user signs out, because the next user of this browser can be another
   * person.
   */
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

  /**
   * Storage is limited: the oldest conversations are removed first. Without storage, the page works
   * but forgets.
   */
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

/** A conversation of this browser with the data from the server. */
function updated(one, thread) {
  if (one.remote) return { ...one, updatedAt: thread.last_updated };
  const stale = one.servedAt !== undefined && one.servedAt !== thread.last_updated;
  return { ...one, stale: stale || undefined };
}

/** Time stamps have different numbers of digits, so they are compared as times. */
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
