/** Search sources: the indices that the analyst searches. */

import { addSource, deleteSource, listSources, testSource } from './api.js';
import { ENCRYPTION, Status, field, mayWrite, stepList, table } from './data-parts.js';
import { button, h, scroller } from './dom.js';
import { indexWords, newSource, placeOfSource, stateOfSource } from './source-words.js';

const KINDS = [
  ['elasticsearch', 'Elasticsearch or OpenSearch', 'https://search.example.com:9200'],
  ['postgresql', 'PostgreSQL', 'postgres://reader@db.example.com:5432/shop'],
  ['graphql', 'GraphQL', 'https://api.example.com/graphql'],
];
const PLAIN = { type: 'text', required: true, autocapitalize: 'none', spellcheck: 'false', autocomplete: 'off' };

export class SourcesPanel {
  #user;
  #changed;
  #form;
  #status = new Status();
  #work = h('div', { class: 'data-preview' });
  #list = h('div');

  /** `changed()` is called when a source came or went. */
  constructor(user, changed) {
    this.#user = user;
    this.#changed = changed;
    const may = mayWrite(user, 'targets:write');
    if (may) this.#form = new SourceForm((given, control) => this.#status.attempt(control, () => this.#test(newSource(given))));
    this.element = h('section', { class: 'data-panel', 'aria-label': 'Search sources' }, h('h3', {}, 'Search sources'), may && this.#form.element, this.#status.element, this.#work, this.#list);
  }

  async load() {
    try {
      const { sources } = await listSources();
      this.#show(sources);
    } catch (error) {
      this.#status.fail(error);
    }
  }

  /** The dialog is closed: keys and passwords are not kept. */
  leave() {
    this.#work.replaceChildren();
    this.#status.say('');
    this.#form?.forget();
  }

  #show(sources) {
    if (sources.length === 0) {
      this.#list.replaceChildren(h('p', { class: 'note' }, 'There are no search sources yet.'));
      return;
    }
    const may = mayWrite(this.#user, 'targets:write');
    const rows = sources.map((one) => [
      [one.name, h('p', { class: 'note' }, placeOfSource(one))],
      stateOfSource(one),
      may && !one.fixed ? button({ label: `Remove ${one.name}`, name: 'trash', quiet: true, class: 'icon-button' }, () => this.#remove(one)) : '',
    ]);
    this.#list.replaceChildren(scroller('Search sources', table('Search sources', ['Name and place', 'Indices', ''], rows)));
  }

  /** Tests a source, and offers the indices that were found. */
  async #test(source) {
    this.#work.replaceChildren();
    this.#status.say(`Testing ${source.name} …`);
    const test = await testSource(source);
    this.#work.replaceChildren(stepList(test));
    if (!test.ok) throw new Error(test.steps.at(-1)?.problem ?? 'The test failed.');
    const found = test.indices ?? [];
    this.#form.fold();
    this.#status.say(`${found.length === 1 ? 'One index was' : `${found.length} indices were`} found. Choose those that may be asked.`);
    const choices = found.map((index) => ({ index, box: h('input', { type: 'checkbox', checked: true }) }));
    const lines = choices.map(({ index, box }) => h('label', { class: 'data-check' }, box, h('span', {}, indexWords(index))));
    const add = button({ label: `Add ${source.name}`, class: 'primary' }, (event) =>
      this.#status.attempt(event.currentTarget, () => this.#add(source, choices.filter(({ box }) => box.checked).map(({ index }) => ({ name: index.name })))),
    );
    this.#work.append(h('div', { class: 'data-choices', role: 'group', 'aria-label': 'Indices of the source' }, lines), add);
  }

  async #add(source, indices) {
    if (indices.length === 0) throw new Error('Choose an index at least.');
    this.#status.say(`Adding ${source.name} …`);
    await addSource({ ...source, indices });
    this.#work.replaceChildren();
    this.#form.clear();
    this.#changed();
    await this.load();
    this.#status.say(`${source.name} is added. The analyst searches it.`);
  }

  async #remove({ name }) {
    if (!confirm(`Remove ${name}?`)) return;
    try {
      await deleteSource(name);
      await this.load();
      this.#status.say(`${name} is removed.`);
    } catch (error) {
      this.#status.fail(error);
    }
    this.#changed();
  }
}

/** The fields of a source. */
class SourceForm {
  #name = h('input', { ...PLAIN, maxlength: 64, pattern: '[a-z0-9_\\-]+', title: 'small letters, digits, - and _' });
  #kind = h('select', {}, KINDS.map(([value, label]) => h('option', { value }, label)));
  // Addresses are longer than a field is wide.
  #address = h('textarea', { rows: 2, required: true, maxlength: 2000, autocapitalize: 'none', spellcheck: 'false', autocomplete: 'off' });
  #username = h('input', { ...PLAIN, required: false, maxlength: 256 });
  #secret = h('input', { ...PLAIN, required: false, type: 'password', maxlength: 4096 });
  #tls = h('select', {}, ENCRYPTION.map(([value, label]) => h('option', { value }, label)));
  #schema = h('input', { ...PLAIN, required: false, maxlength: 63, placeholder: 'public' });
  #zone = h('input', { ...PLAIN, required: false, maxlength: 64, placeholder: 'UTC' });
  #description = h('input', { type: 'text', maxlength: 1000 });

  constructor(test) {
    const username = field('User, for a password instead of a key', this.#username);
    const tls = field('Encryption', this.#tls);
    const schema = field('Schema', this.#schema);
    const fit = () => {
      const isDatabase = this.#kind.value === 'postgresql';
      username.hidden = isDatabase;
      tls.hidden = !isDatabase;
      schema.hidden = !isDatabase;
      this.#address.setAttribute('placeholder', KINDS.find(([kind]) => kind === this.#kind.value)[2]);
    };
    this.#kind.addEventListener('change', fit);
    const submit = (event) => {
      event.preventDefault();
      test(this.#given(), event.submitter ?? event.target.querySelector('button'));
    };
    const fields = h(
      'form',
      { class: 'data-form', on: { submit } },
      field('Name, by which questions name it', this.#name),
      field('Kind', this.#kind),
      field('Address', this.#address),
      username,
      field('Key or password', this.#secret),
      tls,
      schema,
      field('Time zone of its days', this.#zone),
      field('Description', this.#description),
      button({ label: 'Test', type: 'submit', class: 'primary' }),
    );
    this.element = h('details', { class: 'data-more' }, h('summary', {}, 'Connect a search source'), fields);
    fit();
  }

  #given() {
    return { name: this.#name.value, kind: this.#kind.value, address: this.#address.value, username: this.#username.value, secret: this.#secret.value, tls: this.#tls.value, schema: this.#schema.value, zone: this.#zone.value, description: this.#description.value };
  }

  /** Closes the form. Its values stay, for another test. */
  fold() {
    this.element.open = false;
  }

  forget() {
    this.#secret.value = '';
  }

  clear() {
    this.element.querySelector('form').reset();
    this.element.open = false;
  }
}
