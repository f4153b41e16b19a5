/** The audit log: who did what, when and from where, with filters and pages. */

import { listAudit } from './api-people.js';
import { Status, field, mayWrite, table } from './data-parts.js';
import { button, h, scroller } from './dom.js';
import { words } from './format.js';
import { instantOf, moment, outcomeWords, subjectWords } from './people-words.js';

const OUTCOMES = [
  ['', 'any'],
  ['done', 'done'],
  ['refused', 'refused'],
  ['failed', 'failed'],
];
/** Operations that are looked for often. Others can be entered. */
const ACTIONS = ['login', 'create_account', 'change_account', 'erase_account', 'create_api_key', 'revoke_token', 'change_password', 'end_session', 'put_sites', 'create_import', 'run_import', 'ingest_document', 'delete_document', 'create_collection', 'change_collection', 'create_target', 'delete_target', 'create_source', 'create_upstream', 'set_retention', 'approve_question', 'export_me', 'export_thread', 'export_rows'];

export class AuditPanel {
  #status = new Status();
  #list = h('div');
  #more = h('div');
  #entries = [];
  #action = h('input', { type: 'text', name: '/action', maxlength: 100, list: 'audit-actions', placeholder: 'create_account', autocapitalize: 'none', spellcheck: 'false', autocomplete: 'off' });
  #actor = h('input', { type: 'text', name: '/actor', maxlength: 128, autocapitalize: 'none', spellcheck: 'false', autocomplete: 'off' });
  #outcome = h('select', { name: '/outcome' }, OUTCOMES.map(([value, label]) => h('option', { value }, label)));
  #since = h('input', { type: 'datetime-local', name: '/since' });
  #until = h('input', { type: 'datetime-local', name: '/until' });
  #form;

  constructor(user) {
    if (!mayWrite(user, 'audit:read')) return;
    this.#form = h(
      'form',
      { class: 'data-form', 'aria-label': 'Filter the audit log', on: { submit: (event) => this.#filter(event) } },
      field('Operation', this.#action),
      h('datalist', { id: 'audit-actions' }, ACTIONS.map((value) => h('option', { value }, words(value)))),
      field('By (name)', this.#actor),
      field('Outcome', this.#outcome),
      field('From', this.#since),
      field('Until', this.#until),
      button({ label: 'Show', type: 'submit', class: 'secondary' }),
    );
    this.element = h('section', { class: 'data-panel', 'aria-label': 'Audit log' }, h('h3', {}, 'Audit log'), this.#form, this.#status.element, this.#list, this.#more);
  }

  async load() {
    if (!this.element) return;
    try {
      await this.#page();
    } catch (error) {
      this.#status.fail(error);
    }
  }

  leave() {
    this.#form?.reset();
    this.#status.say('');
  }

  #filter(event) {
    event.preventDefault();
    this.#status.say('');
    this.#status.attempt(event.submitter ?? this.#form.querySelector('button'), () => this.#page(), this.#form);
  }

  /** Reads the newest entries, or those before the last page. */
  async #page(cursor) {
    const given = (input) => input.value.trim() || undefined;
    const { entries, next_cursor: next } = await listAudit({
      action: given(this.#action)?.toLowerCase().replaceAll(' ', '_'),
      actor: given(this.#actor),
      outcome: given(this.#outcome),
      since: instantOf(this.#since.value),
      until: instantOf(this.#until.value),
      cursor,
    });
    this.#entries = cursor ? [...this.#entries, ...entries] : entries;
    this.#show();
    const earlier = (event) => this.#status.attempt(event.currentTarget, () => this.#page(next));
    this.#more.replaceChildren(next ? button({ label: 'Earlier entries', class: 'secondary' }, earlier) : '');
  }

  #show() {
    if (this.#entries.length === 0) {
      this.#list.replaceChildren(h('p', { class: 'note' }, 'There are no such entries.'));
      return;
    }
    const rows = this.#entries.map((entry) => [moment(entry.at), entry.actor_name ?? '', words(entry.action), subjectWords(entry), outcomeWords(entry), entry.address ?? '']);
    this.#list.replaceChildren(scroller('Entries', table('Entries', ['When', 'By', 'Operation', 'Of', 'Outcome', 'From'], rows)));
  }
}
