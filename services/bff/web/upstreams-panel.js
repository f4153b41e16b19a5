/** Services whose operations are tools of the documents assistant: MCP servers and HTTP APIs. */

import { addUpstream, connectUpstream, deleteUpstream, listCredentials, listUpstreams, testUpstream } from './api.js';
import { Status, field, mayWrite, stepList, table } from './data-parts.js';
import { button, h, scroller } from './dom.js';
import { counted } from './target-words.js';
import { newUpstream, toolOf } from './upstream-words.js';

const KINDS = [
  ['mcp', 'MCP server'],
  ['http', 'HTTP API'],
];
const PLAIN = { type: 'text', required: true, autocapitalize: 'none', spellcheck: 'false', autocomplete: 'off' };

export class UpstreamsPanel {
  #user;
  #changed;
  #form;
  #status = new Status();
  #work = h('div', { class: 'data-preview' });
  #list = h('div');

  /** `changed()` is called when an upstream came or went. */
  constructor(user, changed) {
    this.#user = user;
    this.#changed = changed;
    const may = mayWrite(user, 'targets:write');
    if (may) this.#form = new UpstreamForm((upstream, control) => this.#status.attempt(control, () => this.#test(upstream)), (upstream, control) => this.#status.attempt(control, () => this.#add(upstream)));
    this.element = h('section', { class: 'data-panel', 'aria-label': 'Services' }, h('h3', {}, 'Services'), may && this.#form.element, this.#status.element, this.#work, this.#list);
  }

  async load() {
    try {
      const [{ upstreams }, { credentials }] = await Promise.all([listUpstreams(), listCredentials()]);
      this.#show(upstreams, new Map(credentials.map((one) => [one.upstream, one.state])));
    } catch (error) {
      this.#status.fail(error);
    }
  }

  /** The dialog is closed: values of headers are not kept. */
  leave() {
    this.#work.replaceChildren();
    this.#status.say('');
    this.#form?.forget();
  }

  #show(upstreams, states) {
    if (upstreams.length === 0) {
      this.#list.replaceChildren(h('p', { class: 'note' }, 'There are no services yet.'));
      return;
    }
    const may = mayWrite(this.#user, 'targets:write');
    const rows = upstreams.map((one) => [
      [one.name, h('p', { class: 'note' }, one.endpoint?.base_url ?? (one.fixed ? 'set in the configuration' : KINDS.find(([kind]) => kind === one.kind)?.[1]))],
      one.problem ?? one.tools.join(', '),
      one.access === 'person' ? this.#own(one.name, states.get(one.name)) : 'for all',
      may && !one.fixed ? button({ label: `Remove ${one.name}`, name: 'trash', quiet: true, class: 'icon-button' }, () => this.#remove(one)) : '',
    ]);
    this.#list.replaceChildren(scroller('Services', table('Services', ['Name and place', 'Tools', 'Rights', ''], rows)));
  }

  /** The person's own token for a service: its state, and a field for another. */
  #own(name, state) {
    const token = h('input', { ...PLAIN, type: 'password', maxlength: 16384, 'aria-label': `Your token for ${name}` });
    const submit = (event) => {
      event.preventDefault();
      this.#status.attempt(event.submitter, async () => {
        const kept = await connectUpstream(name, token.value);
        token.value = '';
        if (kept.state !== 'valid') throw new Error(kept.message ?? `The token is ${kept.state}.`);
        this.#status.say(`Your token for ${name} is stored.`);
        this.#changed();
        await this.load();
      });
    };
    const words = state === 'valid' ? 'your token is stored' : 'needs your token';
    return h('form', { class: 'data-buttons', on: { submit } }, h('span', {}, words), token, button({ label: 'Store', type: 'submit', class: 'small' }));
  }

  async #test(upstream) {
    this.#work.replaceChildren();
    this.#status.say(`Testing ${upstream.endpoint.base_url} …`);
    const test = await testUpstream(upstream);
    this.#work.replaceChildren(stepList(test));
    if (!test.ok) throw new Error(test.steps.at(-1)?.problem ?? 'The test failed.');
    if (upstream.kind === 'http' || (test.tools ?? []).length === 0) {
      this.#status.say('The test went well.');
      return;
    }
    this.#status.say(`The server has ${counted(test.tools.length, 'tool')}. Choose those that may be called.`);
    const choices = test.tools.map((tool) => ({ tool, box: h('input', { type: 'checkbox', checked: tool.only_reads === true }) }));
    const lines = choices.map(({ tool, box }) => h('label', { class: 'data-check' }, box, h('span', {}, h('strong', {}, tool.name), ` ${tool.only_reads === false ? '(may write) ' : ''}${tool.description}`)));
    const add = button({ label: `Add ${upstream.name} with these tools`, class: 'primary' }, (event) =>
      this.#status.attempt(event.currentTarget, () => this.#add({ ...upstream, tools: choices.filter(({ box }) => box.checked).map(({ tool }) => toolOf(tool)) })),
    );
    this.#work.append(h('div', { class: 'data-choices', role: 'group', 'aria-label': 'Tools of the server' }, lines), add);
  }

  async #add(upstream) {
    this.#status.say(`Testing and adding ${upstream.name} …`);
    await addUpstream(upstream);
    this.#work.replaceChildren();
    this.#form.clear();
    this.#changed();
    await this.load();
    this.#status.say(`${upstream.name} is added. The documents assistant can call its tools.`);
  }

  async #remove({ name }) {
    if (!confirm(`Remove ${name}?`)) return;
    try {
      await deleteUpstream(name);
      await this.load();
      this.#status.say(`${name} is removed.`);
    } catch (error) {
      this.#status.fail(error);
    }
    this.#changed();
  }
}

/** The fields of a service. */
class UpstreamForm {
  #name = h('input', { ...PLAIN, maxlength: 64, pattern: '[a-z0-9_\\-]+', title: 'small letters, digits, - and _' });
  #kind = h('select', {}, KINDS.map(([value, label]) => h('option', { value }, label)));
  #address = h('input', { ...PLAIN, type: 'url', maxlength: 2000 });
  #header = h('input', { ...PLAIN, required: false, maxlength: 100, placeholder: 'Authorization' });
  #value = h('input', { ...PLAIN, required: false, type: 'password', maxlength: 4096 });
  #person = h('input', { type: 'checkbox' });
  #operations = h('textarea', { rows: 6, spellcheck: 'false', placeholder: '[{"name": "list_orders", "description": "…", "path": "/orders"}]' });

  constructor(test, add) {
    const operations = field('Operations (JSON; docs/mcp-upstreams.md)', this.#operations);
    const fit = () => {
      operations.hidden = this.#kind.value !== 'http';
      submit.hidden = this.#kind.value !== 'http' && !this.#person.checked;
    };
    const submit = button({ label: 'Test and add', type: 'submit', class: 'primary', value: 'add' });
    this.#kind.addEventListener('change', fit);
    this.#person.addEventListener('change', fit);
    const send = (event) => {
      event.preventDefault();
      const control = event.submitter ?? event.target.querySelector('button');
      (control.value === 'add' ? add : test)(this.#given(), control);
    };
    const fields = h(
      'form',
      { class: 'data-form', on: { submit: send } },
      field('Name', this.#name),
      field('Kind', this.#kind),
      field('Address', this.#address),
      field('Header with the credential', this.#header),
      field('Value of the header, such as Bearer …', this.#value),
      h('label', { class: 'data-check' }, this.#person, h('span', {}, 'Each person hands over a token')),
      operations,
      h('div', { class: 'data-buttons' }, button({ label: 'Test', type: 'submit', class: 'secondary', value: 'test' }), submit),
    );
    this.element = h('details', { class: 'data-more' }, h('summary', {}, 'Connect a service'), fields);
    fit();
  }

  #given() {
    return newUpstream({ name: this.#name.value, kind: this.#kind.value, address: this.#address.value, header: this.#header.value, value: this.#value.value, person: this.#person.checked, operations: this.#operations.value });
  }

  forget() {
    this.#value.value = '';
  }

  clear() {
    this.element.querySelector('form').reset();
    this.element.open = false;
  }
}
