/** Health reports of one device and of all devices. */

import { badge, card, metric, metrics, moreRows, table } from './card-parts.js';
import { h, s } from './dom.js';
import { count, energy, money, number, percent, power, significant, words } from './format.js';
import { clock, formatStamp, parseStamp } from './time.js';

const SEVERITIES = { high: 'bad', medium: 'fair', low: 'calm' };
const ANOMALIES = 10;

/** One device's health: its score, the anomalies and the losses. */
export function healthReport(props) {
  const lost = props.lostMoney;
  const cost = lost && money(lost.amount, lost.currency) + (lost.defaultTariff ? ' at the default tariff' : '');
  return card(
    { title: `Health of ${props.loggerId}`, note: props.period },
    h(
      'div',
      { class: 'score-row' },
      gauge(props.healthScore),
      metrics(
        metric('Anomalies', number(props.anomalyCount, 0)),
        metric('Energy lost', energy(props.lostKwh), cost && `value ${cost}`),
        props.availability !== undefined && metric('Availability', percent(props.availability * 100), 'by energy; independent of performance'),
        Number.isFinite(props.vsPeersPct) && metric('Compared with peers', percent(props.vsPeersPct), Number.isFinite(props.shortfallKwh) && `${energy(props.shortfallKwh)} less than the peers`),
      ),
    ),
    anomalies(props),
  );
}

function anomalies({ anomalies: list = [], anomalyCount }) {
  if (list.length === 0 && anomalyCount === 0) return h('p', { class: 'quiet' }, 'No anomalies were found in this period.');
  const items = list.map((one) =>
    h(
      'li',
      { class: `anomaly ${SEVERITIES[one.severity] ?? 'calm'}` },
      h('div', { class: 'anomaly-head' }, h('b', {}, words(one.type)), badge(words(one.severity), SEVERITIES[one.severity] ?? 'calm'), h('time', { datetime: one.timestamp }, when(one.timestamp))),
      h('p', {}, one.description),
      measured(one),
    ),
  );
  const missing = anomalyCount - list.length;
  return h(
    'div',
    {},
    moreRows(h('ol', { class: 'anomalies' }), items, ANOMALIES, 'anomaly'),
    missing > 0 && h('p', { class: 'note' }, `${count(missing, 'anomaly')} more are not listed.`),
  );
}

function when(stamp) {
  const parsed = parseStamp(stamp);
  return parsed ? `${clock(parsed.instant, parsed.offset).weekday} ${formatStamp(stamp)}` : formatStamp(stamp);
}

function measured({ power: watts, irradiance }) {
  const parts = [Number.isFinite(watts) && `Power ${power(watts)}`, Number.isFinite(irradiance) && `irradiance ${significant(irradiance)} W/m²`].filter(Boolean);
  return parts.length > 0 && h('p', { class: 'note' }, `At the start: ${parts.join(', ')}`);
}

/** The colour of a score, with the same bounds as the word next to it. */
function tone(score) {
  if (!Number.isFinite(score)) return 'calm';
  return score >= 95 ? 'good' : score >= 75 ? 'fair' : 'bad';
}

/** The score as an arc. */
function gauge(score) {
  const known = Number.isFinite(score);
  // Rounded down: 94.9 is not healthy yet.
  const text = known ? number(Math.floor(score), 0) : '–';
  const arc = 'M12 66A52 52 0 0 1 116 66';
  const value = s('path', { d: arc, class: 'gauge-value', pathLength: 100, 'stroke-dasharray': `${known ? Math.max(score, 0.1) : 0} 200` });
  return h(
    'div',
    { class: `gauge ${tone(score)}`, role: 'img', 'aria-label': known ? `Health score ${text} of 100` : 'No health score: not enough data' },
    s('svg', { viewBox: '0 0 128 84' }, s('path', { d: arc, class: 'gauge-track' }), value, s('text', { x: 64, y: 62, class: 'gauge-text' }, text), s('text', { x: 64, y: 80, class: 'gauge-label' }, known ? 'of 100' : 'no score')),
  );
}

const WORDS = { healthy: 'good', warning: 'fair', critical: 'bad', unknown: 'calm' };

/** Every device's health. */
export function fleetHealthReport(props) {
  const rows = (props.loggers ?? []).map((one) => [
    h('span', {}, one.loggerId, h('span', { class: 'sub' }, one.loggerType)),
    h('span', {}, badge(words(one.status), WORDS[one.status] ?? 'calm'), one.message && h('span', { class: 'sub' }, one.message)),
    Number.isFinite(one.healthScore) ? number(one.healthScore) : '–',
    number(one.anomalyCount, 0),
    one.lostKwh > 0 ? energy(one.lostKwh) : '–',
  ]);
  return card(
    { title: 'Health of the fleet', note: props.period },
    h(
      'div',
      { class: 'score-row' },
      gauge(props.avgHealthScore),
      metrics(metric('Devices', number(props.totalLoggers, 0)), metric('With anomalies', number(props.loggersWithIssues, 0)), metric('Anomalies', number(props.totalAnomalies, 0))),
    ),
    table(['Device', 'Health', { label: 'Score', number: true }, { label: 'Anomalies', number: true }, { label: 'Energy lost', number: true }], rows, { limit: 12, noun: 'device' }),
  );
}
