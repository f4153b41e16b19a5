/** The assistants and their starter questions. */

import { listAssistants } from './api.js';

/** The placeholder for an assistant that is unknown or not loaded yet. */
const UNKNOWN = { id: '', title: '', description: '', available: true, starters: [] };

/** The assistants of the signed-in user, loaded once, and again after a failure. */
export class Assistants {
  /** The assistants in the order of the server. */
  list = [];
  /** The text of the last failure. */
  fault = '';
  loading = false;
  #changed;

  /** `changed()` is called after every change. */
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

  /** The assistant with this id. */
  find(id) {
    return this.list.find((one) => one.id === id) ?? UNKNOWN;
  }

  /** The default assistant of a new conversation: the first available one. */
  get first() {
    return (this.list.find((one) => one.available) ?? this.list[0])?.id;
  }
}
