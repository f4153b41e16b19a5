/** Issuers at which people sign in, for administrators of the installation. */

import { addIssuer, changeIssuer, deleteIssuer, listIssuers, testIssuer, testNewIssuer } from './api.js';
import { Status, field, mayWrite, stepList, table } from './data-parts.js';
import { button, h, scroller } from './dom.js';
import { ROLES, addressesOf, changedIssuer, newIssuer, ruleWords, stateOfIssuer } from './issuer-words.js';

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
    this.#form = new IssuerForm((given, control) => {
      const issuer = newIssuer(given);
      this.#status.attempt(control, () => (control.value === 'test' ? this.#test(issuer) : this.#add(issuer)));
    });
    const adding = h('details', { class: 'data-more' }, h('summary', {}, 'Add an issuer'), this.#form.element);
    this.element = h('section', { class: 'data-panel', 'aria-label': 'Single sign-on' }, h('h3', {}, 'Single sign-on'), adding, this.#status.element, this.#work, this.#list);
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
      one.fixed ? '' : button({ label: 'Change', class: 'small', 'aria-label': `Change ${one.name}` }, () => this.#open(one)),
      one.fixed ? '' : button({ label: `Remove ${one.name}`, name: 'trash', quiet: true, class: 'icon-button' }, () => this.#remove(one)),
    ]);
    this.#list.replaceChildren(scroller('Issuers', table('Issuers', ['Name and issuer', 'Rules', '', '', ''], rows)));
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

  /** Shows an issuer with what can be changed of it. */
  #open(issuer) {
    const { name } = issuer;
    const form = new IssuerForm((given, control) => this.#status.attempt(control, () => this.#change(name, changedIssuer(given))), issuer);
    this.#status.say('');
    this.#work.replaceChildren(h('h4', { tabindex: '-1' }, `Change ${name}`), form.element);
    this.#work.querySelector('h4').focus();
  }

  async #change(name, change) {
    this.#status.say(`Changing ${name} …`);
    await changeIssuer(name, change);
    this.#work.replaceChildren();
    await this.load();
    this.#status.say(`${name} is changed.`);
  }

  async #add(issuer) {
    this.#status.say(`Testing and adding ${issuer.name} …`);
    this.#work.replaceChildren();
    const added = await addIssuer(issuer);
    this.#form.clear();
    this.element.querySelector('details').open = false;
    await this.load();
    this.#status.say(`${added.name} is added. The sign-in page has the button “Sign in with ${added.label}”.`);
  }

  async #remove({ name }) {
    if (!confirm(`Remove ${name}? The sessions that began there end.`)) return;
    try {
      await deleteIssuer(name);
      this.#work.replaceChildren();
      await this.load();
      this.#status.say(`${name} is removed.`);
    } catch (error) {
      this.#status.fail(error);
    }
  }
}

/** The fields of a new issuer, or of one that is there: its name and its address stay. */
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

  constructor(send, issuer) {
    this.#name.addEventListener('input', () => this.#register());
    const submit = (event) => {
      event.preventDefault();
      send(this.#given(), event.submitter ?? event.target.querySelector('button[type="submit"]'));
    };
    const where = [field('Name in addresses', this.#name), h('div', { class: 'data-wide' }, h('p', { class: 'note' }, 'Register at the issuer:'), this.#addresses), field('Issuer', this.#issuer)];
    const sendNew = [button({ label: 'Test and add', type: 'submit', class: 'primary', value: 'add' }), button({ label: 'Test', type: 'submit', class: 'secondary', value: 'test' })];
    this.element = h(
      'form',
      { class: 'data-form', 'aria-label': issuer ? `Change ${issuer.name}` : 'Add an issuer', on: { submit } },
      issuer ? [] : where,
      field('Label of the button (optional)', this.#label),
      field('Client id', this.#clientId),
      field(issuer ? 'Another client secret (empty: as it is)' : 'Client secret', this.#secret),
      field('Claim with the groups (optional)', this.#groupsClaim),
      field('Scopes (optional)', this.#scopes),
      field('Audience of access tokens (optional)', this.#audience),
      h('div', { class: 'data-wide' }, h('p', { class: 'note' }, 'Who may sign in: the first rule that fits decides.'), this.#rules, button({ label: 'Add a rule', type: 'button', class: 'small' }, () => this.#rules.append(ruleRow()))),
      h('div', { class: 'data-buttons' }, issuer ? button({ label: 'Test and store', type: 'submit', class: 'primary' }) : sendNew),
    );
    if (issuer) this.#fill(issuer);
    else this.#rules.append(ruleRow());
    this.#register();
  }

  #fill(issuer) {
    this.#label.value = issuer.label === issuer.name ? '' : issuer.label;
    this.#clientId.value = issuer.client_id;
    this.#groupsClaim.value = issuer.groups_claim;
    this.#scopes.value = issuer.scopes.join(' ');
    this.#audience.value = issuer.audience ?? '';
    this.#rules.replaceChildren(...issuer.rules.map(ruleRow));
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
    return { name: this.#name.value, label: this.#label.value, issuer: this.#issuer.value, clientId: this.#clientId.value, secret: this.#secret.value, groupsClaim: this.#groupsClaim.value, scopes: this.#scopes.value, audience: this.#audience.value, rules };
  }

  forget() {
    this.#secret.value = '';
  }

  clear() {
    this.element.reset();
    this.#rules.replaceChildren(ruleRow());
    this.#register();
  }
}

/** The fields of a rule. */
function ruleRow({ group = '', tenant = '', role = ROLES[0][0] } = {}) {
  const row = h(
    'div',
    { class: 'data-form' },
    field('Group (empty: everyone)', h('input', { ...PLAIN, required: false, maxlength: 255, value: group })),
    field('Tenant', h('input', { ...PLAIN, maxlength: 64, value: tenant })),
    field('Role', h('select', {}, ROLES.map(([value, label]) => h('option', { value, selected: value === role }, label)))),
    button({ label: 'Remove this rule', name: 'trash', quiet: true, type: 'button', class: 'icon-button' }, () => {
      if (row.parentElement.children.length > 1) row.remove();
    }),
  );
  return row;
}
