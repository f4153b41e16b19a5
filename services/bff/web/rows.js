/**
 * The rows behind an answer. They are not shown if a chart contains all of them, or if a single row
 * is in the text.
 */

import { cellText, headText, isNumeric } from './cells.js';
import { card, table } from './card-parts.js';
import { h } from './dom.js';
import { number, words } from './format.js';
import { CARD_TOOL } from './message.js';

/** Maximum number of rows shown at once. */
const SHOWN = 20;

/** The columns of some rows: from the query, otherwise from the rows. */
export function columnsOf({ rows, columns = [] }) {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const told = columns.filter((column) => names.includes(column.name));
  const rest = names.filter((name) => !told.some((column) => column.name === name));
  return [...told, ...rest.map((name) => ({ name }))];
}

/** The note next to the title: the total, and the number of rows listed. */
export function countText({ rows, total, truncated }) {
  const here = number(rows.length, 0);
  const found = total?.value;
  if (found > rows.length) return `${total.relation === 'gte' ? 'more than ' : ''}${number(found, 0)} found, the first ${here} are listed`;
  return truncated ? `the first ${here}; there are more` : `${here} ${rows.length === 1 ? 'row' : 'rows'}`;
}

/** The addresses of a query's rows as files, by format. */
export function fileLinks({ target, sql }) {
  const address = (format) => `/api/targets/${encodeURIComponent(target)}/export?${new URLSearchParams({ sql, format })}`;
  return { CSV: address('csv'), Excel: address('xlsx') };
}

/** Whether a chart of the message contains all of the rows. */
export function isDrawn(part, message) {
  const names = columnsOf(part).map((column) => column.name);
  return message.parts.some(({ name, input }) => {
    if (name !== CARD_TOOL || input?.component !== 'DynamicChart') return false;
    const { data, xAxisKey } = input.props ?? {};
    if (!Array.isArray(data) || data.length !== part.rows.length) return false;
    const places = new Map(data.map((row) => [row[xAxisKey], row]));
    return part.rows.every((row) => {
      const drawn = places.get(row[xAxisKey]);
      return drawn !== undefined && names.every((column) => row[column] === undefined || column in drawn);
    });
  });
}

/** The table of a part; empty if the message shows its rows elsewhere. */
export class RowsView {
  #part;
  #message;
  #drawn;

  constructor(part, message) {
    this.#part = part;
    this.#message = message;
    this.element = h('div', { class: 'rows' });
  }

  update() {
    const elsewhere = this.#part.rows.length === 1 || isDrawn(this.#part, this.#message);
    if (this.#drawn === elsewhere) return;
    this.#drawn = elsewhere;
    this.element.replaceChildren(...(elsewhere ? [] : [rowsCard(this.#part)]));
    this.element.hidden = elsewhere;
  }
}

function rowsCard(part) {
  const columns = columnsOf(part);
  const values = columns.map(({ name }) => part.rows.map((row) => row[name]));
  const heads = columns.map((column, index) => ({ label: headText(column, values[index]), number: isNumeric(values[index]) }));
  const lines = part.rows.map((row) => columns.map(({ name }) => cellText(row[name], name)));
  const title = part.about ? words(part.about) : 'Result';
  const files = part.whole && Object.entries(fileLinks(part.whole));
  const foot = files && h('p', { class: 'note files' }, 'All rows: ', files.map(([format, href], index) => [index > 0 && ' · ', h('a', { href, download: '', title: 'If a limit of the database cuts the rows, the name of the file says so.' }, format)]));
  return card({ title, symbol: 'table', note: countText(part) }, table(heads, lines, { limit: SHOWN, label: title }), foot);
}
