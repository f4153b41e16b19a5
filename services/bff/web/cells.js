/** Formats values and names of columns. */

import { number, words } from './format.js';
import { formatStamp, isDay, parseStamp } from './time.js';

/** Names of columns whose numbers identify or date something: their digits are not grouped. */
const PLAIN = /(^|_)(id|ids|no|nr|number|code|year|imo|mmsi|zip|postcode|phone|vin|isbn|ean|serial|key)$/;
/** A whole number below this may be a year; larger numbers are grouped. */
const GROUPED_FROM = 10_000;
/** Values of enumerations as stored in a database: `in_port`. */
const CHOICE = /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/;
const UTC = /(Z|[+-]00:?00)$/;

/** A column name in snake case. */
const plainName = (name) => String(name).replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();

/** A formatted value. `name` is the name of its column. */
export function cellText(value, name = '') {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return figure(value, name);
  if (Array.isArray(value)) return value.map((one) => cellText(one, name)).join(', ');
  if (typeof value === 'object') return JSON.stringify(value);
  const text = String(value);
  if (parseStamp(text) || isDay(text)) return formatStamp(text);
  return CHOICE.test(text) ? text.replaceAll('_', ' ') : text;
}

function figure(value, name) {
  const isPlain = Number.isInteger(value) && (Math.abs(value) < GROUPED_FROM || PLAIN.test(plainName(name)));
  return isPlain ? String(value) : number(value, 3);
}

/**
 * The head of a column: its label or its name in words, its unit, and the time zone if its times do
 * not belong to a site.
 * @param {{ name: string, label?: string, unit?: string }} column
 */
export function headText({ name, label, unit }, values) {
  const text = withoutUnit(words(label ?? name), unit);
  const stamps = values.filter((value) => value !== null && value !== undefined);
  const isUtc = stamps.length > 0 && stamps.every((value) => parseStamp(value) && UTC.test(value));
  const aside = unit ?? (isUtc ? 'UTC' : undefined);
  return aside ? `${text} (${aside})` : text;
}

/** Removes the unit from the label: `Capacity TEU` in TEU becomes `Capacity`. */
function withoutUnit(text, unit) {
  return unit && text.toLowerCase().endsWith(` ${unit.toLowerCase()}`) ? text.slice(0, -unit.length - 1) : text;
}

/** Whether all values of a column are numbers, which are aligned by their digits. */
export function isNumeric(values) {
  return values.some((value) => typeof value === 'number') && values.every((value) => value === null || value === undefined || typeof value === 'number');
}
