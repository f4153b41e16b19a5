/**
 * Formats figures with their units. A missing value is a dash, never a zero. The rounding is that
 * of sentences and rows (the crate `contracts`, module `figures`), so that a quantity is the same
 * in a card, a row and a sentence.
 */

const NOTHING = '–';

/** A number with at most `decimals` decimals. */
export function number(value, decimals = 1) {
  if (!Number.isFinite(value)) return NOTHING;
  return new Intl.NumberFormat('en', { maximumFractionDigits: decimals, signDisplay: 'negative' }).format(value);
}

/** Three significant digits; larger figures keep all whole digits. */
export function significant(value) {
  if (!Number.isFinite(value)) return NOTHING;
  const size = Math.abs(value);
  return number(value, size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

/** Watts, as W, kW or MW. */
export function power(watts) {
  if (!Number.isFinite(watts)) return NOTHING;
  const size = Math.abs(watts);
  if (size >= 999_500) return `${significant(watts / 1e6)} MW`;
  if (size >= 999.5) return `${significant(watts / 1000)} kW`;
  return `${number(watts, 0)} W`;
}

/** Kilowatt hours, as kWh, MWh or GWh. */
export function energy(kwh) {
  if (!Number.isFinite(kwh)) return NOTHING;
  const size = Math.abs(kwh);
  if (size >= 9_999_500) return `${significant(kwh / 1e6)} GWh`;
  if (size >= 9_999.5) return `${significant(kwh / 1000)} MWh`;
  return `${size >= 1000 ? number(kwh, 0) : significant(kwh)} kWh`;
}

/** Kilograms, as kg or t. */
export function mass(kilograms) {
  if (!Number.isFinite(kilograms)) return NOTHING;
  return Math.abs(kilograms) >= 9_999.5 ? `${significant(kilograms / 1000)} t` : `${significant(kilograms)} kg`;
}

/** An amount with its currency code. A price per unit may need more than two decimals. */
export function money(amount, currency, decimals = 2) {
  if (!Number.isFinite(amount)) return NOTHING;
  const figure = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: decimals }).format(amount);
  return currency ? `${currency} ${figure}` : figure;
}

/** A percentage. */
export function percent(value, decimals = 1) {
  return Number.isFinite(value) ? `${number(value, decimals)} %` : NOTHING;
}

/** `1 device`, `2 devices`, `2 anomalies`. */
export function count(value, word) {
  return `${number(value, 0)} ${value === 1 ? word : `${word.replace(/([^aeiou])y$/, '$1ie')}s`}`;
}

/** Words with a spelling of their own. */
const WRITTEN = new Map(
  ['AC', 'API', 'CO₂', 'DC', 'ETA', 'ETD', 'GPS', 'ID', 'IDs', 'IMO', 'IP', 'ISO', 'kg', 'km', 'kW', 'kWh', 'MMSI', 'MW', 'MWh', 'PV', 'SKU', 'SQL', 'TEU', 'URL', 'UTC', 'UUID', 'VAT'].map((word) => [word.toLowerCase().replace('₂', '2'), word]),
);

/**
 * `get_power_curve` and `daytime_outage` in words: `Get power curve`. Abbreviations are kept:
 * `capacity_teu` is `Capacity TEU`.
 */
export function words(name) {
  const text = String(name).replace(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ').trim().toLowerCase();
  const written = text.split(/\s+/).map((word) => WRITTEN.get(word) ?? word).join(' ');
  return WRITTEN.has(text.split(/\s+/)[0]) ? written : written.charAt(0).toUpperCase() + written.slice(1);
}

/** A duration in milliseconds as text. */
export function duration(milliseconds) {
  if (!Number.isFinite(milliseconds)) return NOTHING;
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${number(milliseconds / 1000, 1)} s`;
}
