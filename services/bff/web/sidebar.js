/** The list of conversations: open, rename, delete. */

import { deleteThread, renameThread } from './api.js';
import { button, h } from './dom.js';

export class Sidebar {
  #list;
  #store;
  #hooks;

  /** `hooks`: `open(id)`, `renamed(id, title)`, `removed(id)`, `current()`, `isBusy(id)`, `failed(error)`. */
  constructor(list, store, hooks) {
    this.#list = list;
    this.#store = store;
    this.#hooks = hooks;
  }

  render() {
    // A title that is being written must not be taken away.
    if (this.#list.querySelector('input')) return;
    const conversations = this.#store.list();
    const groups = Map.groupBy ? Map.groupBy(conversations, (one) => age(one.updatedAt)) : new Map([['', conversations]]);
    this.#list.replaceChildren(
      ...[...groups].map(([name, entries]) => h('li', {}, name && h('h2', {}, name), h('ul', {}, entries.map((one) => this.#entry(one))))),
      ...(conversations.length === 0 ? [h('li', { class: 'note' }, 'Conversations will be listed here.')] : []),
    );
  }

  #entry(conversation) {
    const { id, title } = conversation;
    const current = this.#hooks.current() === id;
    const row = h('li', { class: `entry ${current ? 'current' : ''} ${this.#hooks.isBusy(id) ? 'busy' : ''}` });
    row.append(
      h('button', { type: 'button', class: 'entry-title', 'aria-current': current ? 'page' : undefined, title, on: { click: () => this.#hooks.open(id) } }, title),
      button({ label: `Rename “${title}”`, name: 'pencil', class: 'icon-button', quiet: true }, () => this.#rename(row, conversation)),
      button({ label: `Delete “${title}”`, name: 'trash', class: 'icon-button', quiet: true }, () => this.#remove(conversation)),
    );
    return row;
  }

  #rename(row, { id, title }) {
    const field = h('input', { type: 'text', value: title, maxlength: 100, 'aria-label': 'Title of the conversation' });
    let ended = false;
    // Taking the field away takes the focus from it, which would end it once more.
    const end = (keep) => {
      if (ended) return;
      ended = true;
      const written = field.value.trim();
      field.remove();
      if (keep && written && written !== title) {
        this.#store.rename(id, written);
        // A thread that the server does not know yet is renamed here alone.
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
    if (!(await confirm(`Delete “${title}”?`, 'The conversation is removed for good.', 'Delete'))) return;
    try {
      await deleteThread(id);
    } catch (error) {
      // One that the server never had is removed here; one that it could not remove stays.
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

/** Asks before something is lost. */
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
