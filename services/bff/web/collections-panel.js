/** Collections of documents and their readers, for administrators. */

import { changeCollection, createCollection, deleteCollection, listCollections } from './api.js';
import { Status, field, mayWrite, table } from './data-parts.js';
import { button, h, scroller } from './dom.js';
import { count } from './format.js';
import { namesOf, readersWords } from './people-words.js';

const READERS = [
  ['viewer', 'all users'],
  ['editor', 'editors and administrators'],
  ['administrator', 'administrators'],
  ['', 'only the groups'],
];
const PLAIN = { type: 'text', autocomplete: 'off' };

export class CollectionsPanel {
  #status = new Status();
  #work = h('div', { class: 'data-preview' });
  #list = h('div');
  #form;
  #changed;

  /** `changed()` is called when a collection came or went. */
  constructor(user, changed) {
    this.#changed = changed;
    if (!mayWrite(user, 'targets:write')) return;
    this.#form = new ReadersForm((given, control) => this.#add(given, control));
    const adding = h('details', { class: 'data-more' }, h('summary', {}, 'Add a collection'), this.#form.element);
    this.element = h('section', { class: 'data-panel', 'aria-label': 'Collections' }, h('h3', {}, 'Collections and their readers'), adding, this.#status.element, this.#work, this.#list);
  }

  async load() {
    if (!this.element) return;
    try {
      const { collections } = await listCollections();
      this.#show(collections);
    } catch (error) {
      this.#status.fail(error);
    }
  }

  leave() {
    this.#work.replaceChildren();
    this.#status.say('');
  }

  #show(collections) {
    if (collections.length === 0) {
      this.#list.replaceChildren(h('p', { class: 'note' }, 'There are no collections yet. The first document of a collection makes it, for all users.'));
      return;
    }
    const rows = collections.map((one) => [
      [one.name, h('p', { class: 'note' }, count(one.documents, 'document'))],
      readersWords(one.readers),
      button({ label: 'Change', class: 'small', 'aria-label': `Change ${one.name}` }, () => this.#open(one)),
      button({ label: `Delete ${one.name}`, name: 'trash', quiet: true, class: 'icon-button' }, (event) => this.#delete(one, event.currentTarget)),
    ]);
    this.#list.replaceChildren(scroller('Collections', table('Collections', ['Name', 'Readers', '', ''], rows)));
  }

  #add(given, control) {
    return this.#status.attempt(
      control,
      async () => {
        await createCollection(given);
        this.#form.element.reset();
        this.element.querySelector('details').open = false;
        await this.load();
        this.#status.say(`${given.name} is added. It is read by ${readersWords(given.readers)}.`);
        this.#changed();
      },
      this.#form.element,
    );
  }

  #open(collection) {
    const form = new ReadersForm((given, control) => this.#change(collection, given, control, form), collection);
    this.#status.say('');
    this.#work.replaceChildren(h('h4', { tabindex: '-1' }, `Change ${collection.name}`), form.element);
    this.#work.querySelector('h4').focus();
  }

  #change({ id }, given, control, form) {
    return this.#status.attempt(
      control,
      async () => {
        await changeCollection(id, given);
        this.#work.replaceChildren();
        await this.load();
        this.#status.say(`${given.name} is changed. It is read by ${readersWords(given.readers)}.`);
        this.#changed();
      },
      form.element,
    );
  }

  #delete({ id, name, documents }, control) {
    if (!confirm(`Delete ${name} with ${count(documents, 'document')}? This cannot be undone.`)) return undefined;
    return this.#status.attempt(control, async () => {
      await deleteCollection(id, name);
      this.#work.replaceChildren();
      await this.load();
      this.#status.say(`${name} is deleted.`);
      this.#changed();
    });
  }
}

/** The fields of a new collection, or of one that is there. */
class ReadersForm {
  #name;
  #role;
  #groups;

  constructor(send, collection) {
    const { role, groups = [] } = collection?.readers ?? { role: 'viewer' };
    const choices = role && !READERS.some(([value]) => value === role) ? [...READERS, [role, readersWords({ role })]] : READERS;
    this.#name = h('input', { ...PLAIN, name: '/name', required: true, maxlength: 100, value: collection?.name ?? '' });
    this.#role = h('select', { name: '/readers/role' }, choices.map(([value, label]) => h('option', { value, selected: value === (role ?? '') }, label)));
    this.#groups = h('input', { ...PLAIN, name: '/readers/groups', value: groups.join(', '), placeholder: 'night shift, service' });
    const submit = (event) => {
      event.preventDefault();
      send(this.#given(), event.submitter ?? this.element.querySelector('button[type="submit"]'));
    };
    this.element = h(
      'form',
      { class: 'data-form', 'aria-label': collection ? `Change ${collection.name}` : 'Add a collection', on: { submit } },
      field('Name of the collection', this.#name),
      field('Read by', this.#role),
      field('And these groups, with commas between', this.#groups),
      button({ label: collection ? 'Save' : 'Add', type: 'submit', class: 'primary' }),
    );
  }

  #given() {
    return { name: this.#name.value.trim(), readers: { role: this.#role.value || undefined, groups: namesOf(this.#groups.value) } };
  }
}
