/** The list of conversations: open, rename, delete, load more. */

import { deleteThread, listThreads, renameThread } from './api.js';
import { button, h } from './dom.js';
import { addressOf } from './route.js';

/** The polling interval while the server has active answers, in milliseconds. */
const POLL_EVERY = 4000;

export class Sidebar {
  #list;
  #store;
  #hooks;
  /** Conversations with an active answer, according to the server. */
  #busy = new Set();
  /** The cursor of the next page of the server's list. */
  #next;
  #polls;

  /**
   * `hooks`: `renamed(id, title)`, `removed(id)`, `current()`, `isBusy(id)`, `failed(error,
   * again)`.
   */
  constructor(list, store, hooks) {
    this.#list = list;
    this.#store = store;
    this.#hooks = hooks;
  }

  /** Fetches the list of conversations, and polls while one of them has an active answer. */
  async refresh() {
    clearTimeout(this.#polls);
    try {
      const { threads, next_cursor: next } = await listThreads();
      this.#store.merge(threads, !next);
      this.#next ??= next ?? undefined;
      this.#busy = new Set(threads.filter((thread) => thread.status === 'busy').map((thread) => thread.thread_id));
    } catch (error) {
      this.#hooks.failed(error, () => this.refresh());
      return;
    }
    this.render();
    if (this.#busy.size > 0) this.#polls = setTimeout(() => this.refresh(), POLL_EVERY);
  }

  async #more(control) {
    control.disabled = true;
    try {
      const { threads, next_cursor: next } = await listThreads(this.#next);
      this.#store.add(threads);
      this.#next = next ?? undefined;
    } catch (error) {
      control.disabled = false;
      this.#hooks.failed(error, () => this.#more(control));
      return;
    }
    this.render();
  }

  render() {
    // A title that is being edited must not be removed.
    if (this.#list.querySelector('input')) return;
    const conversations = this.#store.list();
    const groups = Map.groupBy ? Map.groupBy(conversations, (one) => age(one.updatedAt)) : new Map([['', conversations]]);
    this.#list.replaceChildren(
      ...[...groups].map(([name, entries]) => h('li', {}, name && h('h2', {}, name), h('ul', {}, entries.map((one) => this.#entry(one))))),
      ...(conversations.length === 0 ? [h('li', { class: 'note' }, 'Conversations will be listed here.')] : []),
      ...(this.#next ? [h('li', { class: 'older' }, this.#moreButton())] : []),
    );
  }

  #moreButton() {
    const control = button({ label: 'Older conversations', class: 'small' }, () => this.#more(control));
    return control;
  }

  #entry(conversation) {
    const { id, title } = conversation;
    const current = this.#hooks.current() === id;
    const isBusy = this.#hooks.isBusy(id) || this.#busy.has(id);
    const row = h('li', { class: `entry ${current ? 'current' : ''} ${isBusy ? 'busy' : ''}` });
    row.append(
      h('a', { href: addressOf(id), class: 'entry-title', 'aria-current': current ? 'page' : undefined, title }, isBusy && h('span', { class: 'read-only' }, 'Answering: '), title),
      button({ label: `Rename “${title}”`, name: 'pencil', class: 'icon-button', quiet: true }, () => this.#rename(row, conversation)),
      button({ label: `Delete “${title}”`, name: 'trash', class: 'icon-button', quiet: true }, () => this.#remove(conversation)),
    );
    return row;
  }

  #rename(row, { id, title }) {
    const field = h('input', { type: 'text', value: title, maxlength: 100, 'aria-label': 'Title of the conversation' });
    let ended = false;
    // Removing the field removes its focus, which would end the edit a second time.
    const end = (keep) => {
      if (ended) return;
      ended = true;
      const written = field.value.trim();
      field.remove();
      if (keep && written && written !== title) {
        this.#store.rename(id, written);
        // A thread that the server does not have yet is only renamed here.
        renameThread(id, written).catch(() => undefined);
        this.#hooks.renamed(id, written);
      }
      this.render();
    };
    field.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && !event.isComposing) end(true);
      if (event.key === 'Escape') end(false);
    });
    field.addEventListener('blur', () => end(true));
    row.replaceChildren(field);
    field.select();
  }

  async #remove({ id, title }) {
    if (!(await confirm(`Delete “${title}”?`, 'This cannot be undone.', 'Delete'))) return;
    try {
      await deleteThread(id);
    } catch (error) {
      // A thread that the server never had is removed here. One that the server could not remove
      // stays.
      if (error.status !== 404) return this.#hooks.failed(error);
    }
    this.#store.remove(id);
    this.#hooks.removed(id);
    this.render();
  }
}

function age(stamp) {
  const midnight = new Date().setHours(0, 0, 0, 0);
  const at = Date.parse(stamp);
  if (at >= midnight) return 'Today';
  return at >= midnight - 6 * 86_400_000 ? 'This week' : 'Earlier';
}

/** Asks for confirmation before deleting. */
function confirm(question, text, yes) {
  return new Promise((resolve) => {
    const dialog = h(
      'dialog',
      { 'aria-labelledby': 'dialog-title' },
      h('form', { method: 'dialog' }, h('h2', { id: 'dialog-title' }, question), h('p', {}, text), h('div', { class: 'dialog-foot' }, h('button', { value: 'no', class: 'secondary' }, 'Cancel'), h('button', { value: 'yes', class: 'danger' }, yes))),
    );
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
