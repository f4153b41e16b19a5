/** Databases and spreadsheets that questions are put to: test, add, load a file, ask, remove. */

import { addTarget, changeTarget, deleteTarget, getTarget, listTargets, loadSpreadsheet, previewSpreadsheet, refreshTarget, testTarget } from './api.js';
import { ENCRYPTION, Status, field, mayWrite, stepList, table } from './data-parts.js';
import { button, h, scroller } from './dom.js';
import { FIRST_ROWS, counted, hasFirstRow, jobWords, nameOf, newTarget, placeOf, questionTo, stateOf, testWords } from './target-words.js';

/** Interval between looks at the progress, in milliseconds. */
const LOOK_EVERY = 500;
/** The servers with their usual ports. */
const ENGINES = [
  ['postgresql', 'PostgreSQL', 5432],
  ['mysql', 'MySQL or MariaDB', 3306],
];
/** The types of a column of a file, as `SheetType`. */
const TYPES = ['text', 'integer', 'number', 'boolean', 'date', 'timestamp'];
/** The letters of a target's name. */
const NAME = { type: 'text', required: true, maxlength: 64, pattern: '[a-z0-9_\\-]+', title: 'small letters, digits, - and _', autocapitalize: 'none', spellcheck: 'false', autocomplete: 'off' };

export class TargetsPanel {
  #user;
  #changed;
  #ask;
  #database;
  #file;
  #status = new Status();
  #work = h('div', { class: 'data-preview' });
  #list = h('div');
  #details = h('div', { class: 'data-preview' });
  #timer;
  /** Rises with each thing that is shown: an answer for an earlier one is dropped. */
  #turn = 0;
  #count = 0;

  /** `changed()` is called when a target came or went; `ask(question)` asks the data assistant. */
  constructor(user, changed, ask) {
    this.#user = user;
    this.#changed = changed;
    this.#ask = ask;
    const may = mayWrite(user, 'targets:write');
    if (may) {
      this.#database = new DatabaseForm((target, button) => this.#test(target, button), (target, button) => this.#add(target, button));
      this.#file = new FileForm((chosen, button) => this.#preview(chosen, button));
    }
    this.element = h('section', { class: 'data-panel', 'aria-label': 'Databases' }, h('h3', {}, 'Databases and spreadsheets'), may && [this.#database.element, this.#file.element], this.#status.element, this.#work, this.#list, this.#details);
  }

  async load() {
    try {
      const { targets } = await listTargets();
      this.#count = targets.length;
      this.#show(targets);
    } catch (error) {
      this.#status.fail(error);
    }
  }

  /** The dialog is closed: the reading continues without it. */
  leave() {
    this.#turn += 1;
    clearTimeout(this.#timer);
    this.#work.replaceChildren();
    this.#details.replaceChildren();
    this.#status.say('');
    this.#database?.forget();
  }

  #show(targets) {
    if (targets.length === 0) {
      this.#list.replaceChildren(h('p', { class: 'note' }, 'There are no databases yet.'));
      return;
    }
    const may = mayWrite(this.#user, 'targets:write');
    const rows = targets.map((one) => [
      [h('button', { type: 'button', class: 'link', on: { click: () => this.#open(one.name) } }, one.name), h('p', { class: 'note' }, placeOf(one))],
      stateOf(one),
      may && !one.fixed ? button({ label: `Remove ${one.name}`, name: 'trash', quiet: true, class: 'icon-button' }, () => this.#remove(one)) : '',
    ]);
    this.#list.replaceChildren(scroller('Databases', table('Databases', ['Name and place', 'State', ''], rows)));
  }

  #begin(text) {
    this.#turn += 1;
    clearTimeout(this.#timer);
    this.#work.replaceChildren();
    this.#details.replaceChildren();
    this.#status.say(text);
    return this.#turn;
  }

  #test(target, control) {
    return this.#status.attempt(control, async () => {
      const turn = this.#begin(`Testing ${target.connection.host} …`);
      const test = await testTarget(target);
      if (turn !== this.#turn) return;
      if (test.ok) this.#status.say(testWords(test));
      else this.#status.fail(new Error(test.steps.at(-1)?.problem ?? 'The test failed.'));
      this.#work.replaceChildren(stepList(test));
    });
  }

  #add(target, control) {
    return this.#status.attempt(control, async () => {
      const turn = this.#begin(`Testing and adding ${target.name} …`);
      await addTarget(target);
      this.#database.clear();
      this.#changed();
      await this.load();
      if (turn === this.#turn) await this.#follow(target.name, turn);
    });
  }

  #preview(chosen, control) {
    return this.#status.attempt(control, async () => {
      const turn = this.#begin(`Reading ${chosen.file.name} …`);
      const preview = await previewSpreadsheet(chosen.file, { has_names: chosen.hasNames });
      if (turn !== this.#turn) return;
      const { targets } = await listTargets();
      if (turn !== this.#turn) return;
      const replaces = targets.some(({ name, kind, fixed }) => name === chosen.name && kind === 'spreadsheet' && !fixed);
      this.#status.say(`${chosen.file.name} is read as ${preview.format}: ${counted(preview.tables.length, 'table')}.${replaces ? ` The tables of ${chosen.name} are replaced.` : ''}`);
      const sheets = preview.tables.map((one) => new Sheet(one));
      const leftOut = preview.tables.flatMap((one) => one.left_out ?? []).length;
      const totals = leftOut > 0 ? h('input', { type: 'checkbox' }) : null;
      this.#work.replaceChildren(
        ...preview.notes.map((note) => h('p', { class: 'note' }, note)),
        ...sheets.map(({ element }) => element),
        hasFirstRow(preview.format) ? this.#firstRow(chosen) : '',
        totals ? h('label', { class: 'note' }, totals, ` Keep ${leftOut === 1 ? 'the row' : `the ${leftOut} rows`} of sums`) : '',
        button({ label: `${replaces ? 'Replace' : 'Load as'} ${chosen.name}`, class: 'primary' }, (event) => this.#loadFile(chosen, sheets, totals, event.currentTarget)),
      );
      // The choice that was made is a new element now.
      if ('hasNames' in chosen) this.#work.querySelector('[name="has_names"]')?.focus();
    });
  }

  /** The choice of what the first row is. Another one reads the file again. */
  #firstRow(chosen) {
    const options = FIRST_ROWS.map(([value, label]) => h('option', { value, selected: value === String(chosen.hasNames ?? '') }, label));
    const change = (event) => this.#preview({ ...chosen, hasNames: event.target.value || undefined }, event.target);
    return field('The first row', h('select', { name: 'has_names', on: { change } }, options));
  }

  #loadFile(chosen, sheets, totals, control) {
    return this.#status.attempt(control, async () => {
      this.#status.say(`Loading ${chosen.file.name} …`);
      const types = sheets.flatMap((sheet) => sheet.corrections()).join(',');
      await loadSpreadsheet(chosen.name, chosen.file, { types: types || undefined, keep_totals: totals?.checked || undefined, has_names: chosen.hasNames, description: chosen.description });
      const turn = this.#begin(`Reading ${chosen.name} …`);
      this.#file.clear();
      this.#changed();
      await this.load();
      if (turn === this.#turn) await this.#follow(chosen.name, turn);
    });
  }

  /** Looks at the job that reads a target until it ends, and shows what was found. */
  async #follow(name, turn) {
    const details = await getTarget(name);
    if (turn !== this.#turn) return;
    const { job } = details.target;
    if (job?.status !== 'queued' && job?.status !== 'running') {
      this.#work.replaceChildren();
      if (details.target.problem ?? job?.problem) this.#status.fail(new Error(`${name}: ${details.target.problem ?? job.problem}`));
      else this.#status.say(`${name} is ready.`);
      await this.load();
      this.#changed();
      if (turn === this.#turn) this.#describe(details);
      return;
    }
    this.#status.say(`Reading ${name}: ${jobWords(job)}`);
    this.#work.replaceChildren(h('progress', { max: Math.max(job.total, 1), value: job.done, 'aria-label': `Reading of ${name}` }));
    this.#timer = setTimeout(() => this.#follow(name, turn).catch((error) => this.#status.fail(error)), LOOK_EVERY);
  }

  async #open(name) {
    const turn = this.#begin(`Looking at ${name} …`);
    try {
      await this.#follow(name, turn);
    } catch (error) {
      this.#status.fail(error);
    }
  }

  #describe({ target, layer }) {
    const may = mayWrite(this.#user, 'targets:write');
    const questions = layer?.questions ?? [];
    const again = button({ label: 'Read the tables again', name: 'retry', class: 'small' }, (event) => this.#refresh(target.name, event.currentTarget));
    const tables = (layer?.tables ?? []).map((one) => [one.name, one.rows === undefined ? '' : String(one.rows), one.columns.map((column) => column.name).join(', ')]);
    this.#details.replaceChildren(
      h('h4', { tabindex: '-1' }, target.name),
      target.description ? h('p', {}, target.description) : '',
      ...(questions.length > 0 ? [h('p', {}, 'Ask, for example:'), h('div', { class: 'data-questions' }, questions.slice(0, 5).map(({ question }) => button({ label: question, class: 'secondary' }, () => this.#ask(questionTo(target.name, question, this.#count)))))] : []),
      tables.length > 0 ? scroller('Tables', table('Tables', ['Table', 'Rows', 'Columns'], tables)) : '',
      may ? again : '',
      may && target.kind === 'database' && !target.fixed ? this.#passwordForm(target.name) : '',
    );
    this.#details.querySelector('h4').focus();
  }

  /** A role's password changes now and then: the new one is tested, then stored. */
  #passwordForm(name) {
    const input = h('input', { type: 'password', required: true, maxlength: 1024, autocomplete: 'off' });
    const submit = (event) => {
      event.preventDefault();
      this.#status.attempt(event.submitter ?? event.target.querySelector('button'), async () => {
        this.#status.say(`Testing the new password of ${name} …`);
        try {
          await changeTarget(name, { password: input.value });
        } finally {
          input.value = '';
        }
        this.#status.say(`The new password of ${name} is stored.`);
        this.#changed();
      });
    };
    const form = h('form', { class: 'data-form', on: { submit } }, field('New password of the role', input), button({ label: 'Test and store', type: 'submit', class: 'primary' }));
    return h('details', { class: 'data-more' }, h('summary', {}, 'Change the password'), form);
  }

  #refresh(name, control) {
    return this.#status.attempt(control, async () => {
      const turn = this.#begin(`Reading ${name} again …`);
      await refreshTarget(name);
      await this.#follow(name, turn);
    });
  }

  async #remove(target) {
    const tables = target.kind === 'spreadsheet' ? ' with its tables' : '';
    if (!confirm(`Remove ${target.name}${tables}?`)) return;
    this.#begin(`Removing ${target.name} …`);
    try {
      await deleteTarget(target.name);
      await this.load();
      this.#status.say(`${target.name} is removed.`);
    } catch (error) {
      this.#status.fail(error);
    }
    this.#changed();
  }
}

/** The fields of a database. */
class DatabaseForm {
  #name = h('input', NAME);
  #description = h('input', { type: 'text', maxlength: 1000 });
  #engine = h('select', {}, ENGINES.map(([value, label]) => h('option', { value }, label)));
  #host = text(253);
  #port = h('input', { type: 'number', min: 1, max: 65535, placeholder: String(ENGINES[0][2]) });
  #database = text(64);
  #username = text(64);
  #password = h('input', { type: 'password', required: true, maxlength: 1024, autocomplete: 'off' });
  #tls = h('select', {}, ENCRYPTION.map(([value, label]) => h('option', { value }, label)));
  #authority = h('textarea', { rows: 3, maxlength: 65536, spellcheck: 'false' });
  #schemas = h('input', { type: 'text', maxlength: 1000, placeholder: 'those of the role' });
  #writing = h('input', { type: 'checkbox' });

  constructor(test, add) {
    this.#engine.addEventListener('change', () => this.#port.setAttribute('placeholder', String(ENGINES.find(([value]) => value === this.#engine.value)[2])));
    const fields = h(
      'form',
      { class: 'data-form', on: { submit: (event) => this.#submit(event, test, add) } },
      field('Name, by which questions name it', this.#name),
      field('Description', this.#description),
      field('Server', this.#engine),
      field('Host', this.#host),
      field('Port', this.#port),
      field('Database', this.#database),
      field('Role that only reads', this.#username),
      field('Password of the role', this.#password),
      field('Encryption', this.#tls),
      field('Schemas (PostgreSQL), separated by commas', this.#schemas),
      field('Certificates of your own authority (PEM)', this.#authority),
      h('label', { class: 'data-check' }, this.#writing, h('span', {}, 'Accept a role that may write')),
      h('div', { class: 'data-buttons' }, button({ label: 'Test', type: 'submit', class: 'secondary', value: 'test' }), button({ label: 'Test and add', type: 'submit', class: 'primary', value: 'add' })),
    );
    this.element = h('details', { class: 'data-more' }, h('summary', {}, 'Add a database'), fields);
  }

  #submit(event, test, add) {
    event.preventDefault();
    const control = event.submitter ?? event.target.querySelector('.primary');
    (control.value === 'test' ? test : add)(this.#value(), control);
  }

  #value() {
    return newTarget({
      name: this.#name.value,
      description: this.#description.value,
      engine: this.#engine.value,
      host: this.#host.value,
      port: this.#port.value,
      database: this.#database.value,
      username: this.#username.value,
      password: this.#password.value,
      tls: this.#tls.value,
      authority: this.#authority.value,
      schemas: this.#schemas.value,
      writing: this.#writing.checked,
    });
  }

  /** The password is not kept longer than the dialog is open. */
  forget() {
    this.#password.value = '';
  }

  clear() {
    this.element.querySelector('form').reset();
    this.element.open = false;
  }
}

/** The fields of a file of tables. */
class FileForm {
  #files = h('input', { type: 'file', accept: '.csv,.tsv,.txt,.xlsx,.parquet,.sqlite,.sqlite3,.db', required: true, id: 'target-file' });
  #name = h('input', NAME);
  #description = h('input', { type: 'text', maxlength: 1000 });

  constructor(preview) {
    this.#files.addEventListener('change', () => {
      const file = this.#files.files[0];
      if (file && this.#name.value === '') this.#name.value = nameOf(file.name);
    });
    const submit = (event) => {
      event.preventDefault();
      const description = this.#description.value.trim() || undefined;
      preview({ file: this.#files.files[0], name: this.#name.value, description }, event.submitter ?? event.target.querySelector('button'));
    };
    const fields = h(
      'form',
      { class: 'data-form', on: { submit } },
      field('File (CSV, Excel, Parquet or SQLite)', this.#files),
      field('Name, by which questions name it', this.#name),
      field('Description', this.#description),
      button({ label: 'Preview', type: 'submit', class: 'primary' }),
    );
    this.element = h('details', { class: 'data-more' }, h('summary', {}, 'Load a spreadsheet'), fields);
  }

  clear() {
    this.element.querySelector('form').reset();
    this.element.open = false;
  }
}

/** The form of a column's cells that gives them another value, such as `number/comma`. */
const otherForm = ({ other }) => (other ? [other.form] : []);

/** A cell, and how it is read where that is not plain. */
function exampleOf({ reading, other }, first) {
  if (!reading) return first;
  const read = `${reading.cell} is read as ${reading.value}`;
  return other ? `${read}; as ${other.form} it is ${other.value}` : read;
}

/** A table of a file: its columns, whose types a person can correct. */
class Sheet {
  #name;
  #columns;

  constructor({ name, source, rows, columns, first_rows: first }) {
    this.#name = name;
    this.#columns = columns.map((column) => ({ column, type: h('select', { 'aria-label': `Type of ${name}.${column.name}` }, [...TYPES, ...otherForm(column)].map((value) => h('option', { value, selected: value === column.type }, value))) }));
    const lines = this.#columns.map(({ column, type }, place) => [column.name, type, exampleOf(column, first[0]?.[place] ?? '')]);
    this.element = h('div', { class: 'data-sheet' }, h('h4', {}, `${name}: ${counted(rows, 'row')}`), source !== name ? h('p', { class: 'note' }, `“${source}” in the file`) : '', scroller(name, table(name, ['Column', 'Type', 'Example'], lines)));
  }

  /** The types that differ from the guessed ones, as `table.column:type`, also with a form. */
  corrections() {
    return this.#columns.filter(({ column, type }) => type.value !== column.type).map(({ column, type }) => `${this.#name}.${column.name}:${type.value}`);
  }
}

const text = (longest) => h('input', { type: 'text', required: true, maxlength: longest, autocapitalize: 'none', spellcheck: 'false', autocomplete: 'off' });
