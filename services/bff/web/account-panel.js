/** The own account: role, limits, password, export. */

import { changePassword, exportMe, myAccount } from './api-people.js';
import { Status, field, size, table } from './data-parts.js';
import { button, h, scroller } from './dom.js';
import { number } from './format.js';
import { limitWords, roleWords, useWords } from './people-words.js';

const SECRET = { type: 'password', required: true, maxlength: 1024 };

export class AccountPanel {
  #user;
  #status = new Status();
  #facts = h('div', { class: 'data-preview' });
  #password = h('input', { ...SECRET, name: '/password', autocomplete: 'current-password' });
  #next = h('input', { ...SECRET, name: '/new_password', autocomplete: 'new-password' });
  #again = h('input', { ...SECRET, name: '/again', autocomplete: 'new-password' });
  #form;
  #changing;

  constructor(user) {
    this.#user = user;
    this.#form = h(
      'form',
      { class: 'data-form', 'aria-label': 'Change your password', on: { submit: (event) => this.#change(event) } },
      // Password managers store the new password under this name.
      h('input', { type: 'text', autocomplete: 'username', value: user.username, hidden: true }),
      field('Password', this.#password),
      field('New password', this.#next),
      field('New password, again', this.#again),
      button({ label: 'Change', type: 'submit', class: 'primary' }),
    );
    // A person of an identity provider has no password here. It is shown when that is known.
    this.#changing = h('details', { class: 'data-more', hidden: true }, h('summary', {}, 'Change your password'), this.#form);
    const exporting = h('div', { class: 'data-wide' }, h('p', { class: 'note' }, 'Your account, conversations, schedules, questions and the record of what you did, in one JSON file.'), button({ label: 'Export your data', class: 'secondary' }, (event) => this.#export(event.currentTarget)));
    this.element = h('section', { class: 'data-panel', 'aria-label': 'Your account' }, h('h3', {}, user.username), this.#facts, this.#changing, exporting, this.#status.element);
  }

  async load() {
    try {
      const { account, quotas, has_password: hasPassword } = await myAccount();
      this.#changing.hidden = !hasPassword;
      this.#facts.replaceChildren(h('p', {}, `You are ${roleWords(account)} in ${account.tenant}.`), limits(quotas));
    } catch (error) {
      this.#status.fail(error);
    }
  }

  leave() {
    this.#form.reset();
    this.#status.say('');
  }

  #change(event) {
    event.preventDefault();
    this.#status.attempt(
      event.submitter ?? this.#form.querySelector('button'),
      async () => {
        if (this.#next.value !== this.#again.value) throw Object.assign(new Error('The new passwords differ.'), { faults: [{ pointer: '/again', detail: 'differs from the new password' }] });
        await this.#send();
        this.#form.reset();
        this.#form.parentElement.open = false;
        this.#status.say('Your password is changed. Your other sign-ins have ended.');
      },
      this.#form,
    );
  }

  async #send() {
    try {
      await changePassword(this.#password.value, this.#next.value);
    } catch (error) {
      // The refusal of the password of before has no field of its own.
      if (error.status === 403) error.faults = [{ pointer: '/password', detail: error.message }];
      throw error;
    }
  }

  #export(control) {
    this.#status.say('Collecting your data …');
    return this.#status.attempt(control, async () => {
      const text = JSON.stringify(await exportMe(), null, 2);
      const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
      h('a', { href: address, download: `${this.#user.username}.json` }).click();
      // The browser reads the file after the click.
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
      this.#status.say(`${this.#user.username}.json is saved (${size(text.length)}).`);
    });
  }
}

/** The limits, and how much of each is used. */
function limits(quotas) {
  const rows = quotas.map((quota) => {
    const shown = quota.name.endsWith('_bytes') ? size : (value) => number(value, 0);
    const words = limitWords(quota);
    return [words, useWords(quota, shown), h('meter', { max: Math.max(quota.limit, 1), value: Math.min(quota.used, quota.limit), 'aria-label': `${words}: used` })];
  });
  return scroller('Limits', table('Limits', ['Limit', 'Used', ''], rows));
}
