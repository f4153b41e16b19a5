/** The accounts of a tenant, for its administrators: add, change, disable, delete. */

import { changeAccount, createAccount, endSession, endSessions, eraseAccount, listAccounts, listKeys, listSessions, revokeKey } from './api-people.js';
import { Status, field, mayWrite, table } from './data-parts.js';
import { button, h, scroller } from './dom.js';
import { keyTable, secret } from './keys-panel.js';
import { EVERY_TENANT, namesOf, newPassword, roleWords, rolesOf } from './people-words.js';
import { sessionTable } from './sessions-panel.js';

const PLAIN = { type: 'text', autocapitalize: 'none', spellcheck: 'false', autocomplete: 'off' };
const roleChoice = (user, chosen) => h('select', { name: '/role' }, chosen === undefined && h('option', { value: '' }, 'as it is'), rolesOf(user).map(([value, label]) => h('option', { value, selected: value === chosen }, label)));

export class PeoplePanel {
  #user;
  #status = new Status();
  #made = h('div', { class: 'data-preview' });
  #list = h('div', { class: 'data-preview' });
  #details = h('div', { class: 'data-preview' });
  #accounts = [];
  #form;

  constructor(user) {
    this.#user = user;
    if (!mayWrite(user, 'accounts:read')) return;
    const may = mayWrite(user, 'accounts:write');
    if (may) this.#form = new AccountForm(user, (account, control) => this.#add(account, control));
    const adding = may && h('details', { class: 'data-more' }, h('summary', {}, 'Add a person'), this.#form.element);
    this.element = h('section', { class: 'data-panel', 'aria-label': 'People' }, h('h3', {}, 'People'), adding, this.#status.element, this.#made, this.#list, this.#details);
  }

  async load() {
    if (!this.element) return;
    try {
      await this.#page();
    } catch (error) {
      this.#status.fail(error);
    }
  }

  /** The dialog is closed: passwords are not kept. */
  leave() {
    this.#made.replaceChildren();
    this.#details.replaceChildren();
    this.#form?.clear();
    this.#status.say('');
  }

  async #page(cursor) {
    const { accounts, next_cursor: next } = await listAccounts(cursor);
    this.#accounts = cursor ? [...this.#accounts, ...accounts] : accounts;
    const everywhere = mayWrite(this.#user, EVERY_TENANT);
    const rows = this.#accounts.map((one) => [
      [one.username, everywhere && h('p', { class: 'note' }, one.tenant)],
      [roleWords(one), one.groups.length > 0 && h('p', { class: 'note' }, `groups: ${one.groups.join(', ')}`)],
      one.disabled_at ? 'disabled' : one.has_password ? 'password' : 'single sign-on',
      one.id === this.#user.sub ? 'You' : button({ label: 'Open', class: 'small', 'aria-label': `Open ${one.username}` }, (event) => this.#status.attempt(event.currentTarget, () => this.#open(one))),
    ]);
    const more = (event) => this.#status.attempt(event.currentTarget, () => this.#page(next));
    this.#list.replaceChildren(scroller('Accounts', table('Accounts', ['Name', 'Role', 'Sign-in', ''], rows)), next ? button({ label: 'More people', class: 'secondary' }, more) : '');
  }

  #add(account, control) {
    this.#made.replaceChildren();
    return this.#status.attempt(
      control,
      async () => {
        const added = await createAccount(account).catch((error) => {
          if (error.status === 409) error.faults = [{ pointer: '/username', detail: error.message }];
          throw error;
        });
        this.#form.clear();
        this.element.querySelector('details').open = false;
        await this.#page();
        this.#status.say(`${added.username} is added as ${roleWords(added)}. Hand over the first password: it is shown this once.`);
        this.#made.replaceChildren(secret(`First password of ${added.username}`, account.password));
      },
      this.#form.element,
    );
  }

  /** Shows an account with what can be changed of it. */
  async #open(account) {
    const { username } = account;
    const [{ sessions }, { tokens }] = await Promise.all([listSessions(username), listKeys(username)]);
    this.#status.say('');
    const again = async (said) => {
      await this.#page();
      const now = this.#accounts.find((one) => one.id === account.id);
      if (now) await this.#open(now);
      this.#status.say(said);
    };
    const end = (one, control) => this.#status.attempt(control, () => endSession(one.id, username).then(() => again(`A sign-in of ${username} has ended.`)));
    const endAll = (event) => this.#status.attempt(event.currentTarget, () => endSessions(username).then(() => again(`All sign-ins of ${username} have ended.`)));
    const revoke = (one, control) => confirm(`Revoke “${one.name}” of ${username}?`) && this.#status.attempt(control, () => revokeKey(one.id, username).then(() => again(`“${one.name}” is revoked.`)));
    const heading = h('h4', { tabindex: '-1' }, username);
    this.#details.replaceChildren(
      heading,
      mayWrite(this.#user, 'accounts:write') ? this.#change(account, again) : '',
      h('h5', {}, 'Sign-ins'),
      sessions.length > 0 ? sessionTable(sessions, end) : h('p', { class: 'note' }, 'none'),
      sessions.length > 0 ? button({ label: 'End all', class: 'small', 'aria-label': `End all sign-ins of ${username}` }, endAll) : '',
      h('h5', {}, 'API keys'),
      tokens.length > 0 ? keyTable(tokens, revoke) : h('p', { class: 'note' }, 'none'),
    );
    heading.focus();
  }

  #change(account, again) {
    const { username, has_password: hasPassword } = account;
    const role = roleChoice(this.#user, account.role);
    const groups = h('input', { ...PLAIN, name: '/groups', value: account.groups.join(', '), placeholder: 'night shift, service' });
    const password = h('input', { ...PLAIN, name: '/password', type: 'password', maxlength: 1024, autocomplete: 'new-password' });
    const changed = () => {
      const given = namesOf(groups.value);
      const change = { role: role.value && role.value !== account.role ? role.value : undefined, groups: hasPassword && given.join() !== account.groups.join() ? given : undefined, password: password.value || undefined };
      if (Object.values(change).every((value) => value === undefined)) throw new Error('Nothing is different.');
      return change;
    };
    const save = (event) => {
      event.preventDefault();
      this.#status.attempt(event.submitter, async () => {
        await changeAccount(username, changed());
        await again(`${username} is changed.`);
      }, form);
    };
    const disabled = !account.disabled_at;
    const able = (event) => this.#status.attempt(event.currentTarget, async () => {
      await changeAccount(username, { disabled });
      await again(`${username} is ${disabled ? 'disabled: sign-ins and keys have ended' : 'enabled'}.`);
    });
    const form = h(
      'form',
      { class: 'data-form', 'aria-label': `Change ${username}`, on: { submit: save } },
      field('Role', role),
      hasPassword && field('Groups, with commas between', groups),
      hasPassword && field('New password (empty: as it is)', password),
      h('div', { class: 'data-buttons' },
        button({ label: 'Save', type: 'submit', class: 'primary' }),
        button({ label: disabled ? 'Disable' : 'Enable', class: 'secondary' }, able),
        mayWrite(this.#user, 'accounts:erase') && button({ label: 'Delete', class: 'danger', 'aria-label': `Delete ${username}` }, (event) => this.#erase(username, event.currentTarget))),
    );
    return form;
  }

  #erase(username, control) {
    if (!confirm(`Delete ${username} with all conversations, schedules and keys? This cannot be undone.`)) return undefined;
    return this.#status.attempt(control, async () => {
      const { status } = await eraseAccount(username);
      this.#details.replaceChildren();
      await this.#page();
      this.#status.say(status === 'erased' ? `${username} is deleted.` : `${username} can no longer sign in. The data are being deleted.`);
    });
  }
}

/** The fields of a new account. */
class AccountForm {
  #name = h('input', { ...PLAIN, name: '/username', required: true, maxlength: 128 });
  #password = h('input', { ...PLAIN, name: '/password', required: true, maxlength: 1024 });
  #tenant;
  #role;

  constructor(user, add) {
    this.#role = roleChoice(user, 'viewer');
    this.#tenant = h('input', { ...PLAIN, name: '/tenant', required: true, maxlength: 64, value: user.tenant });
    const submit = (event) => {
      event.preventDefault();
      add(this.#given(), event.submitter ?? this.element.querySelector('button[type="submit"]'));
    };
    const generate = () => {
      this.#password.value = newPassword();
    };
    this.element = h(
      'form',
      { class: 'data-form', 'aria-label': 'Add a person', on: { submit } },
      field('Name', this.#name),
      field('First password', this.#password),
      button({ label: 'Make a password', class: 'secondary' }, generate),
      field('Role', this.#role),
      mayWrite(user, EVERY_TENANT) && field('Tenant', this.#tenant),
      button({ label: 'Add', type: 'submit', class: 'primary' }),
    );
  }

  #given() {
    return { username: this.#name.value.trim(), password: this.#password.value, role: this.#role.value, tenant: this.#tenant.isConnected ? this.#tenant.value.trim() : undefined };
  }

  clear() {
    this.element.reset();
  }
}
