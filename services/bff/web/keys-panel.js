/** API keys: make one, which is shown once, list and revoke them. */

import { createKey, listKeys, revokeKey } from './api-people.js';
import { Status, field, table } from './data-parts.js';
import { button, h, scroller } from './dom.js';
import { moment } from './people-words.js';

/** The scopes of a key unless others are chosen. */
const USUAL = ['chat', 'tools:read'];
/** Days until a key expires, and the most that there may be. */
const [DAYS, MOST_DAYS] = [90, 730];

/** A table of keys; `revoke(key)` revokes one. */
export function keyTable(keys, revoke) {
  const rows = keys.map((one) => [
    [one.name, h('p', { class: 'note' }, h('code', {}, `${one.prefix}…`))],
    one.scopes.join(', '),
    moment(one.expires_at),
    one.last_used_at ? moment(one.last_used_at) : 'never',
    button({ label: `Revoke ${one.name}`, name: 'trash', quiet: true, class: 'icon-button' }, (event) => revoke(one, event.currentTarget)),
  ]);
  return scroller('API keys', table('API keys', ['Name', 'Scopes', 'Ends', 'Last use', ''], rows));
}

export class KeysPanel {
  #status = new Status();
  #made = h('div', { class: 'data-preview' });
  #list = h('div');
  #name = h('input', { type: 'text', name: '/name', required: true, maxlength: 100, placeholder: 'nightly import', autocomplete: 'off' });
  #days = h('input', { type: 'number', name: '/expires_in_days', required: true, min: 1, max: MOST_DAYS, value: DAYS });
  #scopes;
  #form;

  constructor(user) {
    const scope = (name) => h('label', { class: 'data-check' }, h('input', { type: 'checkbox', value: name, checked: USUAL.includes(name) }), name);
    this.#scopes = h('fieldset', { class: 'data-wide data-scopes', name: '/scopes', tabindex: '-1' }, h('legend', { class: 'note' }, 'What programs with this key may do'), (user.scopes ?? []).map(scope));
    this.#form = h(
      'form',
      { class: 'data-form', 'aria-label': 'Make an API key', on: { submit: (event) => this.#make(event) } },
      field('Name', this.#name),
      field('Days until it ends', this.#days),
      this.#scopes,
      button({ label: 'Make the key', type: 'submit', class: 'primary' }),
    );
    const making = h('details', { class: 'data-more' }, h('summary', {}, 'Make an API key'), this.#form);
    this.element = h('section', { class: 'data-panel', 'aria-label': 'API keys' }, h('h3', {}, 'API keys'), making, this.#status.element, this.#made, this.#list);
  }

  async load() {
    try {
      const { tokens } = await listKeys();
      if (tokens.length === 0) this.#list.replaceChildren(h('p', { class: 'note' }, 'There are no API keys. A program sends one in place of a password.'));
      else this.#list.replaceChildren(keyTable(tokens, (one, control) => this.#revoke(one, control)));
    } catch (error) {
      this.#status.fail(error);
    }
  }

  /** The dialog is closed: the new key is not shown again. */
  leave() {
    this.#made.replaceChildren();
    this.#status.say('');
  }

  #make(event) {
    event.preventDefault();
    const scopes = [...this.#scopes.querySelectorAll('input:checked')].map((input) => input.value);
    this.#made.replaceChildren();
    this.#status.attempt(
      event.submitter ?? this.#form.querySelector('button'),
      async () => {
        const { token, key } = await createKey({ name: this.#name.value.trim(), scopes, expires_in_days: Number(this.#days.value) });
        this.#form.reset();
        this.#form.parentElement.open = false;
        await this.load();
        this.#status.say(`“${key.name}” is made. Copy it now: it is shown this once.`);
        this.#made.replaceChildren(secret('The new API key', token));
      },
      this.#form,
    );
  }

  #revoke({ id, name }, control) {
    if (!confirm(`Revoke “${name}”? Programs that use it are refused at once.`)) return undefined;
    return this.#status.attempt(control, async () => {
      await revokeKey(id);
      this.#made.replaceChildren();
      await this.load();
      this.#status.say(`“${name}” is revoked.`);
    });
  }
}

/** A secret that is shown once, with a button that copies it. */
export function secret(label, text) {
  const said = h('span', { class: 'note', role: 'status' });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = 'Copied.';
    } catch {
      said.textContent = 'The browser does not allow it: select the text and copy it.';
    }
  };
  return h('div', { class: 'data-secret', role: 'group', 'aria-label': label }, h('code', {}, text), button({ label: 'Copy', name: 'copy', class: 'small' }, copy), said);
}
