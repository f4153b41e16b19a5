/**
 * The cards for `render_ui_component`, by component. Unknown or invalid components are shown as
 * plain data.
 */

import { chart } from './chart.js';
import { fleetHealthReport, healthReport } from './cards-health.js';
import { financialReport } from './cards-finance.js';
import { cellText, isNumeric } from './cells.js';
import { badge, card, facts, metric, metrics, moreRows, table } from './card-parts.js';
import { h, icon, tint } from './dom.js';
import { count, energy, number, percent, power, significant, words } from './format.js';
import { formatDay, formatOffset, formatStamp } from './time.js';

const COMPONENTS = {
  DynamicChart: dynamicChart,
  FleetOverview: fleetOverview,
  FinancialReport: financialReport,
  HealthReport: healthReport,
  FleetHealthReport: fleetHealthReport,
  ComparisonChart: comparisonChart,
  DataCard: dataCard,
  ErrorCard: errorCard,
};

/** The card for the arguments of `render_ui_component`. */
export function renderCard({ component, props }) {
  const render = Object.hasOwn(COMPONENTS, component) ? COMPONENTS[component] : undefined;
  try {
    if (render && props) return render(props);
  } catch (error) {
    console.error(`The card ${component} could not be drawn`, error);
  }
  return card({ title: words(component ?? 'Result'), class: 'plain' }, facts(props ?? {}));
}

function dynamicChart(props) {
  const stats = props.summaryStats;
  const summary =
    stats &&
    metrics(
      metric('Peak', power(stats.peakValue), formatStamp(stats.peakTime)),
      metric('Average in daylight', power(stats.avgValue)),
      stats.totalEnergy !== undefined && metric('Energy', energy(stats.totalEnergy)),
      metric('Compared with the days before', { increasing: 'Higher', decreasing: 'Lower', stable: 'About the same' }[stats.trend] ?? '–'),
    );
  return card({ title: props.title }, chart(props), summary);
}

/** The card of every tool without a card of its own: its figures, chart and table. */
function dataCard(props) {
  return card(
    { title: props.title, note: props.note },
    props.figures?.length > 0 && metrics(...props.figures.map(({ label, value, remark }) => metric(label, value, remark))),
    props.chart && chart(props.chart, props.title),
    props.table && dataTable(props.table, props.title),
  );
}

const TABLE_ROWS = 12;

function dataTable({ columns, rows }, label) {
  const values = (column) => rows.map((row) => row[column.key]);
  const heads = columns.map((column) => ({ label: column.unit ? `${column.label} (${column.unit})` : column.label, number: isNumeric(values(column)) }));
  const lines = rows.map((row) => columns.map((column) => (typeof row[column.key] === 'number' ? significant(row[column.key]) : cellText(row[column.key], column.key))));
  return table(heads, lines, { limit: TABLE_ROWS, label });
}

const STATES = { producing: 'good', idle: 'fair', asleep: 'calm', offline: 'bad' };
const SILENT = ['asleep', 'offline'];
const DEVICES = 8;

function fleetOverview(props) {
  const online = props.percentOnline >= 100 ? 'good' : props.percentOnline >= 80 ? 'fair' : 'bad';
  const offset = formatOffset(props.dataTimestamp);
  const asOf = props.dataTimestamp && `As of ${formatStamp(props.dataTimestamp)}${offset ? `, site time (${offset})` : ''}`;
  return card(
    { title: 'Fleet overview', note: asOf },
    props.dateMismatch && historical(props.dateMismatch),
    metrics(
      metric('Power', power(props.totalPower), props.dateMismatch ? 'at the newest reading' : 'now'),
      metric('Energy', energy(props.totalEnergy), props.dateMismatch ? `on ${formatDay(props.dateMismatch.actualDataDate)}` : 'today'),
      metric('Devices online', `${number(props.onlineCount, 0)} of ${number(props.deviceCount, 0)}`, badge(percent(props.percentOnline), online)),
    ),
    alerts(props.alerts, props.dateMismatch),
    devices(props.devices),
  );
}

function historical(mismatch) {
  const age = count(Math.abs(mismatch.daysDifference), 'day');
  return h(
    'p',
    { class: 'banner' },
    icon('clock'),
    h('span', {}, h('b', {}, 'Historical data. '), `The newest readings are of ${formatDay(mismatch.actualDataDate)}, ${age} before today (${formatDay(mismatch.requestedDate)}).`),
  );
}

const ALERTS = { error: ['bad', 'alert'], warning: ['fair', 'alert'], info: ['calm', 'info'] };

/** The banner shows the age of the data, so an alert with the same content is left out. */
function alerts(list = [], mismatch) {
  const shown = list.filter((one) => !(mismatch && one.type === 'info' && one.message?.startsWith('The newest data are of')));
  if (shown.length === 0) return undefined;
  const items = shown.map((one) => {
    const [tone, name] = ALERTS[one.type] ?? ALERTS.info;
    return h('li', { class: `alert ${tone}` }, icon(name), h('span', {}, one.message));
  });
  return moreRows(h('ul', { class: 'alerts' }), items, 5, 'alert');
}

function devices(list = []) {
  if (list.length === 0) return undefined;
  const most = Math.max(...list.map((device) => device.energy ?? 0), 0);
  const rows = list.map((device) => [
    device.loggerId,
    badge(words(device.state), STATES[device.state] ?? 'calm'),
    // The last reading of a silent device is not its current power.
    SILENT.includes(device.state) ? power() : power(device.power),
    h('span', { class: 'bar-cell' }, energy(device.energy), share(device.energy, most)),
  ]);
  return table(['Device', 'State', { label: 'Power', number: true }, { label: 'Energy', number: true }], rows, { limit: DEVICES, noun: 'device' });
}

/** A small bar: the share of the largest value in the column. */
function share(value, most) {
  const meter = h('span', { class: 'meter', 'aria-hidden': 'true' }, h('span'));
  meter.firstChild.style.width = `${most > 0 && value > 0 ? (value / most) * 100 : 0}%`;
  return meter;
}

/** Rows shown before the button for the rest. */
const ROWS = 20;

/**
 * Devices report at different minutes, and each row is a minute of one of them. A device without a
 * value there has no gap.
 */
const BRIDGED = 1;

function comparisonChart(props) {
  const unit = { power: ['W', power], energy: ['kWh', energy], irradiance: ['W/m²', (value) => `${significant(value)} W/m²`] }[props.metric] ?? ['', significant];
  const figure = (value) => (Number.isFinite(value) ? unit[1](value) : '–');
  const total = (value) => (props.metric === 'irradiance' ? `${significant(value)} kWh/m²` : energy(value));
  const signed = (value) => (Number.isFinite(value) ? `${value > 0 ? '+' : ''}${percent(value)}` : '–');
  const rows = (props.loggers ?? []).map((one) => [
    h('span', {}, tint(h('span', { class: 'device' }, h('span', { class: 'swatch bar' }), one.loggerId), one.color ?? '#8B8B94'), tag(one, props)),
    figure(one.average),
    figure(one.peak),
    Number.isFinite(one.total) ? total(one.total) : '–',
    Number.isFinite(one.specificYield) ? number(one.specificYield, 2) : '–',
    signed(one.vsMedianPct),
  ]);
  const heads = ['Device', 'Average', 'Peak', 'Total', 'Yield per kW', 'Against median'].map((label, index) => ({ label, number: index > 0 }));
  const notes = [
    Number.isFinite(props.spreadPercent) && `Spread between best and worst: ${percent(props.spreadPercent)}`,
    rows.length > 1 && Number.isFinite(props.totalKwh) && `Together: ${energy(props.totalKwh)}`,
    rows.length > (props.series ?? []).length && 'The chart shows the top and the bottom of the ranking',
  ].filter(Boolean);
  const excluded = (props.excluded ?? []).map((one) => one.message).join(' ');
  return card(
    { title: props.title, note: notes.length > 0 ? notes.join(' · ') : undefined },
    chart({ ...props, xAxisLabel: 'Time', bridged: BRIDGED }, props.title),
    rows.length > 0 && table(heads, rows, { noun: 'device', limit: ROWS }),
    excluded && h('p', { class: 'note' }, excluded),
  );
}

function tag({ loggerId }, { best, worst }) {
  if (best === worst) return undefined;
  if (loggerId === best) return badge('Best', 'good');
  return loggerId === worst ? badge('Lowest', 'fair') : undefined;
}

function errorCard({ title, message, details = [] }) {
  return card({ title, class: 'error', symbol: 'alert' }, h('p', {}, message), details.length > 0 && h('ul', { class: 'details' }, details.slice(0, 3).map((one) => h('li', {}, one))));
}
