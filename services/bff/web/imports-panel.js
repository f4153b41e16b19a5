/** Files of data loggers: upload, preview, correction of columns, progress. */

import { cancelImport, getImport, listImports, listSites, reviseImport, runImport, uploadImport } from './api.js';
import { Status, field, mayWrite, size, table } from './data-parts.js';
import { button, h, scroller } from './dom.js';

/** Interval between looks at the progress, in milliseconds. */
const LOOK_EVERY = 500;
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
  #file = h('input', { type: 'file', id: 'import-file' });
  #site = h('select');
  #logger = h('input', { type: 'text', maxlength: 100, placeholder: 'only if the file does not name it' });
  #timer;

  constructor(user, changed) {
    this.#user = user;
    this.#changed = changed;
    const form = h(
      'form',
      { class: 'data-form', on: { submit: (event) => this.#upload(event) } },
      field('File of a data logger, CSV or Excel', this.#file),
      field('Site', this.#site),
      field('Device', this.#logger),
      button({ label: 'Preview', type: 'submit', class: 'primary' }),
    );
    this.element = h('section', { class: 'data-panel', 'aria-label': 'Logger files' }, h('h3', {}, 'Logger files'), mayWrite(user, 'sites:write') && form, this.#status.element, this.#preview, this.#list);
  }

  async load() {
    try {
      const [{ sites }, { imports }] = await Promise.all([listSites(), listImports()]);
      this.#site.replaceChildren(...sites.map(({ id, name }) => h('option', { value: id }, name ?? id)));
      if (sites.length === 0) this.#status.say('There is no site yet. Describe one with: heliograph sites add NAME --timezone ZONE');
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
    const rows = imports.slice(0, 20).map((one) => [one.filename, one.site, size(one.size_bytes), one.problem ? `${one.status}: ${one.problem}` : one.status, String(one.progress.accepted + one.progress.replaced)]);
    this.#list.replaceChildren(scroller('Imports', table('Imports', ['File', 'Site', 'Size', 'State', 'Rows'], rows)));
  }

  async #upload(event) {
    event.preventDefault();
    const file = this.#file.files[0];
    if (!file) {
      this.#status.fail(new Error('Choose a file first.'));
      return;
    }
    this.#status.say(`Reading ${file.name} …`);
    await this.#attempt(async () => {
      const logger = this.#logger.value.trim();
      this.#open(await uploadImport(file, { site: this.#site.value || undefined, logger_id: logger || undefined }));
    });
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
    if (status === 'queued' || status === 'running') return this.#follow(one);
    if (status === 'ready') this.#status.say(preview ? summary(one, preview) : one.filename);
    else if (status === 'done') this.#status.say(`${one.filename} is imported: ${one.progress.accepted} new rows, ${one.progress.replaced} again, ${one.progress.refused} refused.`);
    else this.#status.fail(new Error(`${one.filename}: ${one.problem ?? status}`));
    this.#preview.replaceChildren(...(preview && (status === 'ready' || status === 'refused') ? [this.#previewOf(one, preview)] : []));
    if (status === 'done') this.#changed();
    return undefined;
  }

  #previewOf(one, preview) {
    const loggers = preview.loggers.map((logger) => [logger.logger_id, logger.role, String(logger.rows), `${minute(logger.earliest)} to ${minute(logger.latest)}`, logger.highest_power_w === undefined ? '' : `${Math.round(logger.highest_power_w)} W`]);
    const rows = preview.first_rows.slice(0, 5).map((row) => [minute(row.timestamp), row.logger_id, number(row.active_power_w), number(row.energy_daily_kwh), number(row.irradiance)]);
    const refusals = preview.refusals.slice(0, 10).map(({ line, reason }) => h('li', {}, `Line ${line}: ${reason}`));
    const mapping = preview.mapping && new Mapping(preview.mapping);
    return h(
      'div',
      { class: 'data-preview' },
      preview.notes.map((note) => h('p', { class: 'note' }, note)),
      scroller('Devices', table('Devices', ['Device', 'Kind', 'Rows', 'Time', 'Highest power'], loggers)),
      scroller('First rows', table('First rows', ['Time', 'Device', 'W', 'kWh of the day', 'W/m²'], rows)),
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
      if (now.status !== 'queued' && now.status !== 'running') this.load();
    }), LOOK_EVERY);
  }
}

/** A time to the minute, in the zone of the site. */
const minute = (time) => time.slice(0, 16).replace('T', ' ');
const number = (value) => (value === undefined || value === null ? '' : String(value));

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
