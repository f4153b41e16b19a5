/** Issuers at which people sign in, for administrators of the installation. */

import { addIssuer, deleteIssuer, listIssuers, testIssuer, testNewIssuer } from './api.js';
import { Status, field, mayWrite, stepList, table } from './data-parts.js';
import { button, h, scroller } from './dom.js';
import { ROLES, addressesOf, newIssuer, ruleWords, stateOfIssuer } from './issuer-words.js';

const PLAIN = { type: 'text', required: true, autocapitalize: 'none', spellcheck: 'false', autocomplete: 'off' };

const ADDRESSES = [
  ['redirect', 'Redirect URI'],
  ['post_logout_redirect', 'Post-logout redirect URI'],
  ['backchannel_logout', 'Back-channel logout URI'],
];

export class IssuersPanel {
  #form;
  #status = new Status();
  #work = h('div', { class: 'data-preview' });
  #list = h('div');

  constructor(user) {
    if (!mayWrite(user, 'issuers:write')) return;
    this.#form = new IssuerForm((issuer, control) => this.#status.attempt(control, () => this.#test(issuer)), (issuer, control) => this.#status.attempt(control, () => this.#add(issuer)));
    this.element = h('section', { class: 'data-panel', 'aria-label': 'Single sign-on' }, h('h3', {}, 'Single sign-on'), this.#form.element, this.#status.element, this.#work, this.#list);
  }

  async load() {
    if (!this.element) return;
    try {
      const { issuers, public_url: publicUrl } = await listIssuers();
      this.#form.lead(publicUrl);
      this.#show(issuers);
    } catch (error) {
      this.#status.fail(error);
    }
  }

  /** The dialog is closed: secrets are not kept. */
  leave() {
    this.#work.replaceChildren();
    this.#status.say('');
    this.#form?.forget();
  }

  #show(issuers) {
    if (issuers.length === 0) {
      this.#list.replaceChildren(h('p', { class: 'note' }, 'There are no issuers yet: people sign in with passwords.'));
      return;
    }
    const rows = issuers.map((one) => [
      [one.name, h('p', { class: 'note' }, one.issuer)],
      [one.rules.map((rule) => h('p', {}, ruleWords(rule))), h('p', { class: 'note' }, stateOfIssuer(one))],
      button({ label: 'Test', class: 'small', 'aria-label': `Test ${one.name}` }, (event) => this.#status.attempt(event.currentTarget, () => this.#testOne(one.name))),
      one.fixed ? '' : button({ label: `Remove ${one.name}`, name: 'trash', quiet: true, class: 'icon-button' }, () => this.#remove(one)),
    ]);
    this.#list.replaceChildren(scroller('Issuers', table('Issuers', ['Name and issuer', 'Rules', '', ''], rows)));
  }

  async #test(issuer) {
    this.#status.say(`Testing ${issuer.issuer} …`);
    this.#tested(await testNewIssuer(issuer));
  }

  async #testOne(name) {
    this.#status.say(`Testing ${name} …`);
    this.#tested(await testIssuer(name));
  }

  #tested(test) {
    this.#work.replaceChildren(stepList(test));
    if (!test.ok) throw new Error(test.steps.at(-1)?.problem ?? 'The test failed.');
    this.#status.say('The test went well.');
  }

  async #add(issuer) {
    this.#status.say(`Testing and adding ${issuer.name} …`);
    this.#work.replaceChildren();
    const added = await addIssuer(issuer);
    this.#form.clear();
    await this.load();
    this.#status.say(`${added.name} is added. The sign-in page has the button “Sign in with ${added.label}”.`);
  }

  async #remove({ name }) {
    if (!confirm(`Remove ${name}? The sessions that began there end.`)) return;
    try {
      await deleteIssuer(name);
      await this.load();
      this.#status.say(`${name} is removed.`);
    } catch (error) {
      this.#status.fail(error);
    }
  }
}

/** The fields of an issuer. */
class IssuerForm {
  #name = h('input', { ...PLAIN, maxlength: 64, pattern: '[A-Za-z0-9\\-]+', title: 'letters, digits and -' });
  #label = h('input', { ...PLAIN, required: false, maxlength: 100 });
  #issuer = h('input', { ...PLAIN, type: 'url', maxlength: 2000, placeholder: 'https://id.example.com/realms/main' });
  #clientId = h('input', { ...PLAIN, maxlength: 1000 });
  #secret = h('input', { ...PLAIN, required: false, type: 'password', maxlength: 4096, autocomplete: 'new-password' });
  #groupsClaim = h('input', { ...PLAIN, required: false, maxlength: 255, placeholder: 'groups' });
  #scopes = h('input', { ...PLAIN, required: false, maxlength: 1000, placeholder: 'profile email' });
  #audience = h('input', { ...PLAIN, required: false, maxlength: 2000 });
  #rules = h('div', { class: 'data-rules', role: 'group', 'aria-label': 'Rules: the first one that fits decides' });
  #addresses = h('dl', { class: 'data-addresses' });
  #publicUrl = location.origin;

  constructor(test, add) {
    this.#name.addEventListener('input', () => this.#register());
    const send = (event) => {
      event.preventDefault();
      const control = event.submitter ?? event.target.querySelector('button');
      (control.value === 'test' ? test : add)(this.#given(), control);
    };
    const fields = h(
      'form',
      { class: 'data-form', on: { submit: send } },
      field('Name in addresses', this.#name),
      field('Label of the button (optional)', this.#label),
      h('div', { class: 'data-wide' }, h('p', { class: 'note' }, 'Register at the issuer:'), this.#addresses),
      field('Issuer', this.#issuer),
      field('Client id', this.#clientId),
      field('Client secret', this.#secret),
      field('Claim with the groups (optional)', this.#groupsClaim),
      field('Scopes (optional)', this.#scopes),
      field('Audience of access tokens (optional)', this.#audience),
      h('div', { class: 'data-wide' }, h('p', { class: 'note' }, 'Who may sign in: the first rule that fits decides.'), this.#rules, button({ label: 'Add a rule', type: 'button', class: 'small' }, () => this.#rules.append(ruleRow()))),
      h('div', { class: 'data-buttons' }, button({ label: 'Test and add', type: 'submit', class: 'primary', value: 'add' }), button({ label: 'Test', type: 'submit', class: 'secondary', value: 'test' })),
    );
    this.#rules.append(ruleRow());
    this.element = h('details', { class: 'data-more' }, h('summary', {}, 'Add an issuer'), fields);
    this.#register();
  }

  /** The address of the page to which issuers lead back. */
  lead(publicUrl) {
    this.#publicUrl = publicUrl || location.origin;
    this.#register();
  }

  #register() {
    const addresses = addressesOf(this.#publicUrl, this.#name.value);
    this.#addresses.replaceChildren(...ADDRESSES.flatMap(([key, label]) => [h('dt', {}, label), h('dd', {}, h('code', {}, addresses[key]))]));
  }

  #given() {
    const rules = [...this.#rules.children].map((row) => {
      const [group, tenant, role] = row.querySelectorAll('input, select');
      return { group: group.value, tenant: tenant.value, role: role.value };
    });
    return newIssuer({ name: this.#name.value, label: this.#label.value, issuer: this.#issuer.value, clientId: this.#clientId.value, secret: this.#secret.value, groupsClaim: this.#groupsClaim.value, scopes: this.#scopes.value, audience: this.#audience.value, rules });
  }

  forget() {
    this.#secret.value = '';
  }

  clear() {
    this.element.querySelector('form').reset();
    this.#rules.replaceChildren(ruleRow());
    this.#register();
    this.element.open = false;
  }
}

/** The fields of a rule. */
function ruleRow() {
  const row = h(
    'div',
    { class: 'data-form' },
    field('Group (empty: everyone)', h('input', { ...PLAIN, required: false, maxlength: 255 })),
    field('Tenant', h('input', { ...PLAIN, maxlength: 64 })),
    field('Role', h('select', {}, ROLES.map(([value, label]) => h('option', { value }, label)))),
    button({ label: 'Remove this rule', name: 'trash', quiet: true, type: 'button', class: 'icon-button' }, () => {
      if (row.parentElement.children.length > 1) row.remove();
    }),
  );
  return row;
}
