/** Building blocks of cards. */

import { h, icon, scroller } from './dom.js';
import { cellText } from './cells.js';
import { number, words } from './format.js';

/**
 * A card with a title, a note and its content.
 * @param {{ title: string, note?: any, symbol?: string, class?: string }} head
 */
export function card({ title, note, symbol, class: extra = '' }, ...children) {
  const head = h('header', {}, symbol && icon(symbol), h('h2', {}, title), note && h('p', { class: 'note' }, note));
  return h('section', { class: `card ${extra}`.trim(), role: 'group', 'aria-label': title }, head, ...children);
}

/** A coloured word. The word alone carries the meaning. Tones: `good`, `fair`, `bad`, `calm`. */
export function badge(text, tone) {
  return h('span', { class: `badge ${tone}` }, text);
}

/** A row of figures. */
export function metrics(...items) {
  return h('dl', { class: 'metrics' }, items);
}

/** A figure with its label and an optional remark. */
export function metric(label, value, remark) {
  return h('div', { class: 'metric' }, h('dt', {}, label), h('dd', {}, h('span', { class: 'figure' }, value), remark && h('span', { class: 'remark' }, remark)));
}

/** A table. Rows beyond `limit` are hidden behind a button. */
export function table(heads, rows, { limit = Infinity, noun = 'row', label = 'Table' } = {}) {
  const columns = heads.map((head) => (typeof head === 'string' ? { label: head } : head));
  const cell = (tag, content, column, attributes = {}) => h(tag, { class: column.number ? 'number' : undefined, ...attributes }, content);
  const body = h('tbody');
  const lines = rows.map((row) =>
    h('tr', {}, row.map((content, index) => (index === 0 ? cell('th', content, columns[0], { scope: 'row' }) : cell('td', content, columns[index])))),
  );
  const head = h('thead', {}, h('tr', {}, columns.map((column) => cell('th', column.label, column, { scope: 'col' }))));
  return h('div', {}, scroller(label, h('table', {}, head, body)), hold(body, lines, limit, noun));
}

/** A list whose remaining items are hidden behind a button. */
export function moreRows(list, items, limit, noun) {
  const rest = hold(list, items, limit, noun);
  return rest ? h('div', {}, list, rest) : list;
}

function hold(parent, items, limit, noun) {
  parent.append(...items.slice(0, limit));
  const rest = items.slice(limit);
  if (rest.length === 0) return undefined;
  const more = h('button', { type: 'button', class: 'small more' }, `Show ${number(rest.length, 0)} more ${rest.length === 1 ? noun : plural(noun)}`);
  more.addEventListener('click', () => {
    parent.append(...rest);
    more.remove();
  });
  return more;
}

function plural(noun) {
  return `${noun.replace(/([^aeiou])y$/, '$1ie')}s`;
}

const FACTS = 40;

/** Any value as names and values, for components without a card of their own. */
export function facts(value, depth = 0) {
  if (value === null || typeof value !== 'object') return h('span', {}, cellText(value));
  const entries = Object.entries(value);
  if (entries.length === 0) return h('span', {}, 'none');
  if (depth > 2) return h('code', {}, JSON.stringify(value).slice(0, 200));
  const shown = entries.slice(0, FACTS).map(([name, one]) => [h('dt', {}, Array.isArray(value) ? `${Number(name) + 1}` : words(name)), h('dd', {}, facts(one, depth + 1))]);
  return h('div', {}, h('dl', { class: 'facts' }, shown), entries.length > FACTS && h('p', { class: 'note' }, `${entries.length - FACTS} more`));
}
