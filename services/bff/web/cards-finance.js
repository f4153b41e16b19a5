/** The financial report, and the forecast of the coming days. */

import { badge, card, metric, metrics, table } from './card-parts.js';
import { chart } from './chart.js';
import { h, icon } from './dom.js';
import { count, energy, mass, money, significant, words } from './format.js';
import { formatDay, formatPeriod } from './time.js';

export function financialReport(props) {
  const rate = Number.isFinite(props.electricityRate) && `${money(props.electricityRate, props.currency, 4)} per kWh`;
  return card(
    { title: `Financial report of ${props.loggerId ?? 'the site'}`, note: props.period && formatPeriod(props.period.start, props.period.end) },
    props.missingDays > 0 && h('p', { class: 'banner' }, icon('info'), h('span', {}, `${count(props.missingDays, 'day')} of this period ${props.missingDays === 1 ? 'has' : 'have'} no data and ${props.missingDays === 1 ? 'counts' : 'count'} for nothing in the figures.`)),
    metrics(
      Number.isFinite(props.savings) && metric('Saved', money(props.savings, props.currency), rate && `at ${rate}`),
      metric('Energy', energy(props.energyGenerated)),
      metric('CO₂ avoided', mass(props.co2Offset), Number.isFinite(props.treesEquivalent) && `like ${significant(props.treesEquivalent)} trees grown for ten years`),
    ),
    props.devices?.length > 0 && devices(props.devices),
    props.forecast && forecast(props.forecast),
  );
}

/** Devices shown before the button for the rest. */
const SHOWN = 12;

function devices(rows) {
  const cells = rows.map((row) => [
    row.counted ? row.loggerId : `${row.loggerId} (not in the total)`,
    energy(row.energy),
    Number.isFinite(row.savings) ? money(row.savings, row.currency) : '',
    mass(row.co2Offset),
  ]);
  const heads = ['Device', { label: 'Energy', number: true }, { label: 'Saved', number: true }, { label: 'CO₂ avoided', number: true }];
  return table(heads, cells, { limit: SHOWN, noun: 'device', label: 'Devices' });
}

const CONFIDENCE = { high: 'good', medium: 'fair', low: 'calm' };

function forecast({ totalPredicted, days = [] }) {
  const title = `Forecast, ${count(days.length, 'day')}`;
  const props = {
    chartType: 'bar',
    title,
    xAxisKey: 'date',
    xAxisLabel: 'Day',
    yAxisLabel: 'Energy (kWh)',
    series: [{ dataKey: 'predictedEnergy', lowKey: 'rangeMin', highKey: 'rangeMax', name: 'Expected energy', color: '#FDB813' }],
    data: days,
  };
  const rows = days.map((day) => [formatDay(day.date), energy(day.predictedEnergy), `${energy(day.rangeMin)} to ${energy(day.rangeMax)}`, badge(words(day.confidence), CONFIDENCE[day.confidence] ?? 'calm')]);
  return h(
    'div',
    { class: 'forecast' },
    h('h3', {}, title, h('span', { class: 'note' }, `${energy(totalPredicted)} expected in total; the whiskers show the expected range`)),
    days.length > 0 && chart(props, title),
    h('details', { class: 'chart-table' }, h('summary', {}, icon('bars'), 'Days and confidence'), table(['Day', { label: 'Expected', number: true }, { label: 'Range', number: true }, 'Confidence'], rows, { noun: 'day' })),
  );
}
