/** The retention of the conversations and the audit log of a tenant, for its administrators. */

import { getRetention, setRetention } from './api-people.js';
import { Status, field, mayWrite } from './data-parts.js';
import { button, h } from './dom.js';
import { ageWords } from './people-words.js';

/** The kinds of things: the member of the answer, the member of the request, the label. */
const KINDS = [
  ['threads', 'threads_days', 'Conversations without activity, days'],
  ['runs', 'runs_days', 'Replay of an answer, days'],
  ['audit', 'audit_days', 'Entries of the audit log, days'],
];

export class RetentionPanel {
  #status = new Status();
  #inputs = new Map(KINDS.map(([kind, member]) => [kind, h('input', { type: 'number', name: `/${member}`, min: 1, step: 1, inputmode: 'numeric' })]));
  #notes = new Map(KINDS.map(([kind]) => [kind, h('p', { class: 'note' })]));
  #kept = {};
  #form;

  constructor(user) {
    if (!mayWrite(user, 'retention:write')) return;
    this.#form = h(
      'form',
      { class: 'data-form', 'aria-label': 'Change how long things are kept', on: { submit: (event) => this.#save(event) } },
      KINDS.flatMap(([kind, , label]) => [field(label, this.#inputs.get(kind)), this.#notes.get(kind)]),
      button({ label: 'Save', type: 'submit', class: 'primary' }),
    );
    const note = h('p', { class: 'note' }, `For all accounts of ${user.tenant}. An empty field: as the installation has it. What is older is deleted for good at the next clean-up.`);
    this.element = h('section', { class: 'data-panel', 'aria-label': 'Retention' }, h('h3', {}, 'How long things are kept'), note, this.#form, this.#status.element);
  }

  async load() {
    if (!this.element) return;
    try {
      this.#show(await getRetention());
    } catch (error) {
      this.#status.fail(error);
    }
  }

  leave() {
    this.#status.say('');
  }

  #show(kept) {
    this.#kept = kept;
    for (const [kind] of KINDS) {
      const of = kept[kind];
      const input = this.#inputs.get(kind);
      input.value = of.own_days ?? '';
      input.min = of.least_days;
      input.max = of.most_days;
      input.disabled = of.fixed;
      this.#notes.get(kind).textContent = ageWords(of);
    }
  }

  #save(event) {
    event.preventDefault();
    this.#status.attempt(
      event.submitter ?? this.#form.querySelector('button'),
      async () => {
        // A kind that the configuration sets takes no number.
        const days = ([kind, member]) => [member, this.#kept[kind]?.fixed ? null : this.#inputs.get(kind).valueAsNumber || null];
        const change = Object.fromEntries(KINDS.map(days));
        const shorter = KINDS.some(([kind, member]) => change[member] && change[member] * 24 < (this.#kept[kind]?.hours ?? Infinity));
        if (shorter && !confirm('What is older than these days is deleted for good. Save?')) return;
        this.#show(await setRetention(change));
        this.#status.say('Saved. It counts from the next clean-up on.');
      },
      this.#form,
    );
  }
}
