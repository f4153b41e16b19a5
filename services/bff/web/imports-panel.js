/** Files of data loggers: upload, preview, correction of columns, progress. */

import { cancelImport, discardImport, getImport, listImports, listSites, reviseImport, runImport, uploadImport } from './api.js';
import { Status, field, mayWrite, size, table } from './data-parts.js';
import { button, h, scroller } from './dom.js';
import { count } from './format.js';
import { firstRows } from './import-words.js';

/** Interval between looks at the progress, in milliseconds. */
const LOOK_EVERY = 500;
/** Number of imports in the list. */
const SHOWN = 50;
/** Imports that wait or run. */
const ACTIVE = ['queued', 'running'];
/** The meanings of a column of a table, and the ways to write times. */
const FIELDS = ['timestamp', 'date', 'time', 'logger_id', 'power', 'energy_day', 'energy_interval', 'energy_total', 'irradiance', 'error_code', 'status', 'keep', 'ignore'];
const TIMES = ['year_first', 'day_first', 'month_first', 'unix_seconds', 'unix_milliseconds'];
const words = (name) => name.replaceAll('_', ' ');

export class ImportsPanel {
  #user;
  #changed;
  #status = new Status();
  #preview = h('div');
  #list = h('div');
  #file = h('input', { type: 'file', multiple: true, id: 'import-file' });
  #site = h('select');
  #logger = h('input', { type: 'text', maxlength: 100, placeholder: 'if no file names it' });
  #button = button({ label: 'Preview', type: 'submit', class: 'primary' });
  #timer;

  constructor(user, changed) {
    this.#user = user;
    this.#changed = changed;
    const form = h(
      'form',
      { class: 'data-form', on: { submit: (event) => this.#upload(event) } },
      field('Files of data loggers, CSV or Excel', this.#file),
      field('Site', this.#site),
      field('Device', this.#logger),
      this.#button,
    );
    this.element = h('section', { class: 'data-panel', 'aria-label': 'Logger files' }, h('h3', {}, 'Logger files'), mayWrite(user, 'sites:write') && form, this.#status.element, this.#preview, this.#list);
  }

  async load() {
    try {
      const [{ sites }, { imports }] = await Promise.all([listSites(), listImports()]);
      const chosen = this.#site.value;
      this.#site.replaceChildren(...sites.map(({ id, name }) => h('option', { value: id, selected: id === chosen }, name ?? id)));
      this.#button.disabled = sites.length === 0;
      if (sites.length === 0) this.#status.say(mayWrite(this.#user, 'sites:write') ? 'A site is needed first. Add one above.' : '');
      else if (this.#status.text.startsWith('A site is needed')) this.#status.say('');
      this.#show(imports);
    } catch (error) {
      this.#status.fail(error);
    }
  }

  /** The dialog is closed: an import continues without it. */
  leave() {
    clearTimeout(this.#timer);
  }

  #show(imports) {
    if (imports.length === 0) {
      this.#list.replaceChildren(h('p', { class: 'note' }, 'Nothing was imported yet.'));
      return;
    }
    const rows = imports.slice(0, SHOWN).map((one) => [[one.filename, h('p', { class: 'note' }, `${one.site}, ${size(one.size_bytes)}`)], one.problem ? `${one.status}: ${one.problem}` : one.status, String(one.progress.accepted + one.progress.replaced), this.#actions(one)]);
    const ready = imports.filter(({ status }) => status === 'ready');
    const all = (event) => this.#status.attempt(event.currentTarget, () => this.#runAll(ready));
    const may = mayWrite(this.#user, 'sites:write');
    this.#list.replaceChildren(
      may && ready.length > 1 ? button({ label: `Import all ${ready.length} that are ready`, class: 'primary' }, all) : '',
      scroller('Imports', table('Imports', ['File', 'State', 'Rows', ''], rows)),
    );
  }

  /** The buttons for an import, as its state allows. */
  #actions(one) {
    if (!mayWrite(this.#user, 'sites:write')) return '';
    const { import_id: id, filename, status } = one;
    const action = (label, work) => button({ label, class: 'small', 'aria-label': `${label} ${filename}` }, (event) => this.#status.attempt(event.currentTarget, work));
    const open = action('Open', async () => this.#open(await getImport(id)));
    const run = (label) => action(label, async () => this.#follow(await runImport(id)));
    const cancel = action('Cancel', async () => {
      this.#open(await cancelImport(id));
      await this.load();
    });
    const discard = action('Discard', () => this.#discard(one));
    const offered = { ready: [open, run('Import'), discard], refused: [open, discard], queued: [cancel], running: [cancel], failed: [run('Continue'), discard], cancelled: [discard], done: [] };
    return h('div', { class: 'data-actions' }, offered[status] ?? []);
  }

  async #discard({ import_id: id, filename }) {
    await discardImport(id);
    clearTimeout(this.#timer);
    this.#preview.replaceChildren();
    await this.load();
    this.#status.say(`${filename} is discarded.`);
  }

  /** Runs imports, and follows them until the last has ended. */
  async #runAll(ready) {
    this.#preview.replaceChildren();
    for (const { import_id: id } of ready) await runImport(id);
    const ids = new Set(ready.map(({ import_id: id }) => id));
    this.#followAll(ids);
  }

  async #followAll(ids) {
    const { imports } = await listImports();
    const mine = imports.filter(({ import_id: id }) => ids.has(id));
    const rows = mine.reduce((sum, { progress }) => sum + progress.accepted + progress.replaced, 0);
    const active = mine.filter(({ status }) => ACTIVE.includes(status)).length;
    this.#show(imports);
    if (active > 0) {
      this.#status.say(`Importing ${count(mine.length, 'file')}: ${active} to go, ${rows} rows stored.`);
      this.#timer = setTimeout(() => this.#attempt(() => this.#followAll(ids)), LOOK_EVERY);
      return;
    }
    const done = mine.filter(({ status }) => status === 'done').length;
    const text = `${done} of ${count(mine.length, 'file')} ${done === 1 ? 'is' : 'are'} imported: ${rows} rows.`;
    if (done === mine.length) this.#status.say(text);
    else this.#status.fail(new Error(text));
    this.#changed();
  }

  async #upload(event) {
    event.preventDefault();
    const files = [...this.#file.files];
    if (files.length === 0) {
      this.#status.fail(new Error('Choose one or more files first.'));
      return;
    }
    clearTimeout(this.#timer);
    this.#preview.replaceChildren();
    await this.#status.attempt(this.#button, async () => {
      if (files.length > 1) return this.#uploadAll(files);
      this.#status.say(`Reading ${files[0].name} …`);
      const one = await uploadImport(files[0], this.#options());
      await this.load();
      return this.#open(one);
    });
  }

  /** Uploads files one after the other. The list shows them, ready to be run. */
  async #uploadAll(files) {
    const counted = { ready: 0, known: 0 };
    const faults = [];
    for (const [place, file] of files.entries()) {
      this.#status.say(`Reading ${file.name} (${place + 1} of ${files.length}) …`);
      try {
        const { status, problem, known } = await uploadImport(file, this.#options());
        if (status === 'ready') counted.ready += 1;
        else if (status === 'refused') faults.push(`${file.name}: ${problem ?? 'refused'}`);
        else if (known) counted.known += 1;
      } catch (error) {
        faults.push(`${file.name}: ${error.message}`);
      }
    }
    await this.load();
    const text = uploaded(files.length, counted, faults);
    if (faults.length > 0) this.#status.fail(new Error(text));
    else this.#status.say(text);
  }

  #options() {
    return { site: this.#site.value || undefined, logger_id: this.#logger.value.trim() || undefined };
  }

  async #attempt(work) {
    try {
      await work();
    } catch (error) {
      this.#status.fail(error);
    }
  }

  /** Shows an import: its preview, its progress, or its end. */
  #open(one) {
    clearTimeout(this.#timer);
    const { status, preview } = one;
    if (ACTIVE.includes(status)) return this.#follow(one);
    if (status === 'ready') this.#status.say(preview ? summary(one, preview) : one.filename);
    else if (status === 'done') this.#status.say(`${one.filename} is imported: ${one.progress.accepted} new rows, ${one.progress.replaced} again, ${one.progress.refused} refused.`);
    else this.#status.fail(new Error(`${one.filename}: ${one.problem ?? status}`));
    this.#preview.replaceChildren(...(preview && (status === 'ready' || status === 'refused') ? [this.#previewOf(one, preview)] : []));
    if (status === 'done') this.#changed();
    return undefined;
  }

  #previewOf(one, preview) {
    const loggers = preview.loggers.map((logger) => [logger.logger_id, logger.role, String(logger.rows), `${minute(logger.earliest)} to ${minute(logger.latest)}`, logger.highest_power_w === undefined ? '' : `${Math.round(logger.highest_power_w)} W`]);
    const first = firstRows(preview.first_rows);
    const rows = first.rows.map(({ timestamp, device, values }) => [minute(timestamp), device, ...values.map(number)]);
    const refusals = preview.refusals.slice(0, 10).map(({ line, reason }) => h('li', {}, `Line ${line}: ${reason}`));
    const mapping = preview.mapping && new Mapping(preview.mapping);
    return h(
      'div',
      { class: 'data-preview' },
      preview.notes.map((note) => h('p', { class: 'note' }, note)),
      scroller('Devices', table('Devices', ['Device', 'Kind', 'Rows', 'Time', 'Highest power'], loggers)),
      scroller('First rows', table('First rows', first.header, rows)),
      refusals.length > 0 && [h('p', {}, `${preview.refused} rows would be refused:`), h('ul', { class: 'data-refusals' }, refusals)],
      mapping && [mapping.element, button({ label: 'Read again with these columns', class: 'secondary' }, () => this.#attempt(async () => this.#open(await reviseImport(one.import_id, { mapping: mapping.value() }))))],
      one.status === 'ready' && button({ label: `Import ${preview.good} rows`, class: 'primary' }, () => this.#attempt(async () => this.#follow(await runImport(one.import_id)))),
    );
  }

  /** Looks at a running import until it ends. */
  #follow(one) {
    const { rows_done: done, rows_total: total } = one.progress;
    this.#status.say(`Importing ${one.filename}: ${done} of ${total} rows.`);
    this.#preview.replaceChildren(
      h('progress', { max: Math.max(total, 1), value: done, 'aria-label': `Import of ${one.filename}` }),
      button({ label: 'Cancel', class: 'small' }, () => this.#attempt(async () => this.#open(await cancelImport(one.import_id)))),
    );
    this.#timer = setTimeout(() => this.#attempt(async () => {
      const now = await getImport(one.import_id);
      this.#open(now);
      if (!ACTIVE.includes(now.status)) this.load();
    }), LOOK_EVERY);
  }
}

/** A time to the minute, in the zone of the site. */
const minute = (time) => time.slice(0, 16).replace('T', ' ');
const number = (value) => (value === undefined || value === null ? '' : String(value));

/** The outcome of uploading several files. */
export function uploaded(files, { ready, known }, faults) {
  const parts = [`${ready} of ${count(files, 'file')} can be imported.`];
  if (known > 0) parts.push(`${known} ${known === 1 ? 'was' : 'were'} uploaded before.`);
  return [...parts, ...faults].join(' ');
}

/** The subject of an import, in a sentence. */
export function summary(one, preview) {
  const devices = `${preview.loggers.length} ${preview.loggers.length === 1 ? 'device' : 'devices'}`;
  const refused = preview.refused > 0 ? `, ${preview.refused} would be refused` : '';
  return `${one.filename} is read as ${one.format} in the zone ${one.timezone}: ${preview.good} of ${preview.rows} rows of ${devices}${refused}.`;
}

/** The columns of a table, to be corrected. */
class Mapping {
  #mapping;
  #columns;
  #times;
  #decimal;

  constructor(mapping) {
    this.#mapping = mapping;
    const option = (chosen) => (value) => h('option', { value, selected: value === chosen }, words(value));
    this.#times = h('select', {}, TIMES.map(option(mapping.times)));
    this.#decimal = h('select', {}, ['.', ','].map(option(mapping.decimal)));
    this.#columns = mapping.columns.map((column) => ({
      column,
      field: h('select', { 'aria-label': `Meaning of ${column.name}` }, FIELDS.map(option(column.field))),
      unit: h('input', { type: 'text', value: column.unit ?? '', size: 6, maxlength: 16, 'aria-label': `Unit of ${column.name}` }),
      logger: h('input', { type: 'text', value: column.logger ?? '', size: 10, maxlength: 64, 'aria-label': `Device of ${column.name}` }),
    }));
    const rows = this.#columns.map(({ column, field: meaning, unit, logger }) => [column.name, meaning, unit, logger]);
    this.element = h('div', {}, scroller('Columns', table('Columns', ['Column', 'Meaning', 'Unit', 'Device'], rows)), h('div', { class: 'data-form' }, field('Times', this.#times), field('Decimal mark', this.#decimal)));
  }

  value() {
    const text = ({ value }) => value.trim() || undefined;
    const columns = this.#columns.map(({ column, field: meaning, unit, logger }) => ({ ...column, field: meaning.value, unit: text(unit), logger: text(logger) }));
    return { ...this.#mapping, times: this.#times.value, decimal: this.#decimal.value, columns };
  }
}
