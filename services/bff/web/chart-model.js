/** The model of a chart, computed from its props: kinds of axes, units, values, gaps. */

import { niceTicks } from './scale.js';
import { formatOffset, formatShortDay, formatStamp, isDay, parseStamp } from './time.js';
import { cellText } from './cells.js';
import { significant } from './format.js';

const PALETTE = ['#FDB813', '#3B82F6', '#22C55E', '#EF4444', '#A855F7', '#14B8A6', '#EC4899', '#8B8B94'];
/** Larger units, and the values from which they are used. */
const LARGER = { W: ['kW', 5000], kWh: ['MWh', 10_000], Wh: ['kWh', 5000] };
/** A distance of more than this number of usual steps is a gap, not a line. */
const GAP_STEPS = 4;
/** Maximum number of additional columns in the table and the file. */
const FURTHER = 8;

/** The model of `DynamicChart` props (a `ComparisonChart` has the same members). */
export function chartModel(props) {
  const rows = (Array.isArray(props.data) ? props.data : []).filter((row) => row !== null && typeof row === 'object');
  const x = xAxis(rows.map((row) => row[props.xAxisKey]), props.xAxisLabel, props.xAxisKey);
  const series = (Array.isArray(props.series) ? props.series : []).map((one, index) => readSeries(one, index, props, rows));
  return {
    type: props.chartType,
    x,
    series,
    left: yAxis(props.yAxisLabel, series.filter((one) => one.side === 'left')),
    right: yAxis(props.yAxisRightLabel, series.filter((one) => one.side === 'right')),
    breaks: breaks(x),
    bridged: props.bridged ?? 0,
  };
}

function readSeries(one, index, props, rows) {
  const fallback = props.chartType === 'composed' || props.chartType === 'pie' ? 'line' : props.chartType;
  const column = (key) => (key === undefined ? undefined : rows.map((row) => finite(row[key])));
  return {
    key: one.dataKey,
    name: one.name ?? one.dataKey,
    kind: ['area', 'bar', 'line', 'scatter'].includes(one.type) ? one.type : fallback,
    color: /^#[0-9a-f]{6}$/i.test(one.color ?? '') ? one.color : PALETTE[index % PALETTE.length],
    side: one.yAxisId === 'right' ? 'right' : 'left',
    values: column(one.dataKey),
    low: column(one.lowKey),
    high: column(one.highKey),
  };
}

function finite(value) {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/**
 * Time if every value is a time stamp, numbers if every value is a number, otherwise names in their
 * order.
 */
function xAxis(values, label, key) {
  const stamps = values.map(parseStamp);
  if (values.length > 0 && stamps.every(Boolean)) {
    // If the clocks change within the span, one offset would be wrong.
    const offset = stamps[0].offset === stamps.at(-1).offset && formatOffset(values[0]);
    return {
      kind: 'time',
      stamps,
      at: stamps.map((stamp) => stamp.instant),
      names: values.map(formatStamp),
      label: `${label ?? 'Time'} (site time${offset ? `, ${offset}` : ''})`,
    };
  }
  if (values.length > 0 && values.every((value) => finite(value) !== null)) {
    return { kind: 'number', key, at: values, names: values.map((value) => (Number.isInteger(value) ? cellText(value, key) : significant(value))), label };
  }
  const days = values.every(isDay);
  const name = (value) => (value === null || value === undefined ? '–' : cellText(value, key));
  return {
    kind: 'band',
    at: values.map((_, index) => index),
    names: values.map(name),
    short: values.map((value) => (days ? formatShortDay(value) : name(value))),
    label,
  };
}

/** The label and the unit of the axis, in thousands for large values. */
function yAxis(label = '', series) {
  const unit = /\(([^()]+)\)\s*$/.exec(label)?.[1] ?? '';
  const [larger, from] = LARGER[unit] ?? [];
  const highest = Math.max(0, ...series.flatMap((one) => extent([one.values, one.high])).map(Math.abs));
  if (!larger || highest < from) return { label, unit, factor: 1 };
  return { label: label.replace(`(${unit})`, `(${larger})`), unit: larger, factor: 1 / 1000 };
}

/** The minimum and the maximum of some columns; empty if there are no values. */
function extent(columns) {
  let low = Infinity;
  let high = -Infinity;
  for (const column of columns) {
    for (const value of column ?? []) {
      if (value === null) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low <= high ? [low, high] : [];
}

/** The rows before which a line is interrupted. */
function breaks(x) {
  if (x.kind !== 'time' || x.at.length < 3) return new Set();
  const steps = x.at.slice(1).map((at, index) => at - x.at[index]);
  const usual = steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)];
  return new Set(steps.flatMap((step, index) => (step > GAP_STEPS * usual ? [index + 1] : [])));
}

/**
 * The row indices of each unbroken stretch of a series. Up to `bridged` rows without a value do not
 * break a stretch.
 */
export function stretches(values, gaps, bridged = 0) {
  const found = [];
  let current = [];
  values.forEach((value, index) => {
    const missing = value === null && index - (current.at(-1) ?? index) > bridged;
    if ((missing || gaps.has(index)) && current.length > 0) {
      found.push(current);
      current = [];
    }
    if (value !== null) current.push(index);
  });
  if (current.length > 0) found.push(current);
  return found;
}

/**
 * Ticks of the y axes for the visible series. Two axes have the same number of ticks, so that they
 * share a grid.
 */
export function yTicks(model, shown, wanted) {
  const ticks = (side) => {
    const series = shown.filter((one) => one.side === side);
    const [low, high] = extent(series.flatMap((one) => [one.values, one.low, one.high]));
    if (low === undefined) return undefined;
    const { factor } = model[side];
    const fromZero = series.some((one) => one.kind === 'bar' || one.kind === 'area') || (low >= 0 && low < 0.6 * high);
    return niceTicks((fromZero ? Math.min(0, low) : low) * factor, (fromZero ? Math.max(0, high) : high) * factor, wanted);
  };
  const [left, right] = [ticks('left'), ticks('right')];
  if (left && right) {
    pad(left, right.length);
    pad(right, left.length);
  }
  return { left, right };
}

function pad(ticks, length) {
  const step = ticks[1] - ticks[0];
  while (ticks.length < length) ticks.push(Number((ticks.at(-1) + step).toPrecision(12)));
}

/** One row in words: its position on the x axis, then each series. */
export function describeRow(model, shown, index) {
  const lines = shown.map((one) => {
    const { unit, factor } = model[one.side];
    const figure = (value) => (value === null ? 'no value' : `${significant(value * factor)}${unit && ` ${unit}`}`);
    const range = one.low && one.low[index] !== null && one.high[index] !== null;
    const text = range ? `${figure(one.values[index])} (${figure(one.low[index])} to ${figure(one.high[index])})` : figure(one.values[index]);
    return { name: one.name, color: one.color, text };
  });
  return { title: model.x.names[index], lines };
}

/** The row nearest to a value of the x axis. */
export function nearestRow(model, at) {
  let best = 0;
  model.x.at.forEach((one, index) => {
    if (Math.abs(one - at) < Math.abs(model.x.at[best] - at)) best = index;
  });
  return best;
}

/** Columns of the rows that the chart does not draw. */
export function furtherColumns({ data, series, xAxisKey }) {
  const drawn = new Set([xAxisKey, ...series.flatMap((one) => [one.dataKey, one.lowKey, one.highKey])]);
  return [...new Set(data.flatMap((row) => Object.keys(row)))].filter((name) => !drawn.has(name)).slice(0, FURTHER);
}

/** The chart's values as a CSV file, with unchanged time stamps. */
export function toCsv(props) {
  const drawn = props.series.flatMap(({ dataKey, name = dataKey, lowKey, highKey }) => [[dataKey, name], ...(lowKey && highKey ? [[lowKey, `${name}, low end`], [highKey, `${name}, high end`]] : [])]);
  const further = furtherColumns(props);
  const columns = [props.xAxisKey, ...drawn.map(([key]) => key), ...further];
  const heads = [props.xAxisKey, ...drawn.map(([, name]) => name), ...further];
  const cell = (value) => {
    if (typeof value === 'number') return String(value);
    // Spreadsheets would execute cells that start like a formula.
    const text = String(value ?? '').replace(/^[=+\-@\t]/, "'$&");
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [heads, ...props.data.map((row) => columns.map((column) => row[column]))].map((line) => `${line.map(cell).join(',')}\r\n`).join('');
}
