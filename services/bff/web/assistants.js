/** Whom a conversation is led with: the server knows who has something to tell, and what can be asked. */

import { listAssistants } from './api.js';

/** What stands for an assistant that the server does not name, or not yet. */
const UNKNOWN = { id: '', title: '', description: '', available: true, starters: [] };

/** The assistants of the person who is signed in, asked for once and again after a failure. */
export class Assistants {
  /** What the server named, in its order. */
  list = [];
  /** Why they are not known: the text of the last failure. */
  fault = '';
  loading = false;
  #changed;

  /** `changed()` is called whenever something is known that was not. */
  constructor(changed) {
    this.#changed = changed;
  }

  async load() {
    if (this.loading) return;
    this.loading = true;
    this.fault = '';
    this.#changed();
    try {
      this.list = await listAssistants();
    } catch (error) {
      this.fault = error.message;
    }
    this.loading = false;
    this.#changed();
  }

  /** The one of this id. */
  find(id) {
    return this.list.find((one) => one.id === id) ?? UNKNOWN;
  }

  /** Whom a new conversation is led with: the first that has something to tell. */
  get first() {
    return (this.list.find((one) => one.available) ?? this.list[0])?.id;
  }
}
