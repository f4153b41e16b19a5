/** The marks of a chart with axes: areas, bars, lines, points, and value ranges. */

import { stretches } from './chart-model.js';
import { s, tint } from './dom.js';

/** Marks of one kind are drawn below those of the next. */
const LAYERS = ['area', 'bar', 'line', 'scatter'];

/** One group per series, back to front. */
export function drawMarks(model, shown, frame) {
  const bars = shown.filter((one) => one.kind === 'bar');
  return shown
    .filter((one) => frame.y[one.side])
    .toSorted((a, b) => LAYERS.indexOf(a.kind) - LAYERS.indexOf(b.kind))
    .map((one) => {
      const group = s('g', { class: `marks ${one.kind}` });
      MARKS[one.kind](group, one, model, frame, bars);
      return tint(group, one.color);
    });
}

const MARKS = {
  line: drawLine,
  area(group, one, model, frame) {
    const { x, y } = frame;
    const scale = y[one.side];
    const base = Math.min(frame.bottom, scale(0));
    for (const rows of stretches(one.values, model.breaks, model.bridged)) {
      const line = rows.map((row) => `${round(x(model.x.at[row]))} ${round(scale(one.values[row]))}`).join('L');
      const [first, last] = [rows[0], rows.at(-1)].map((row) => round(x(model.x.at[row])));
      group.append(s('path', { class: 'fill', d: `M${first} ${round(base)}L${line}L${last} ${round(base)}Z` }));
    }
    drawLine(group, one, model, frame);
  },
  scatter(group, one, model, { x, y }) {
    one.values.forEach((value, row) => {
      if (value !== null) group.append(dot(x(model.x.at[row]), y[one.side](value), 3.2));
    });
  },
  bar(group, one, model, frame, bars) {
    const { x, y, band } = frame;
    const scale = y[one.side];
    const all = Math.min(band * 0.72, 56 * bars.length);
    const width = Math.max(1, all / bars.length - (bars.length > 1 ? 2 : 0));
    const shift = (bars.indexOf(one) - (bars.length - 1) / 2) * (all / bars.length);
    one.values.forEach((value, row) => {
      if (value === null) return;
      const at = x(model.x.at[row]) + shift;
      const [top, bottom] = [scale(Math.max(0, value)), scale(Math.min(0, value))];
      const size = { x: round(at - width / 2), y: round(top), width: round(width), height: round(Math.max(0.5, bottom - top)) };
      group.append(s('rect', { ...size, rx: Math.min(3, width / 4) }));
      drawRange(group, one, row, at, scale);
    });
  },
};

function drawLine(group, one, model, { x, y }) {
  const scale = y[one.side];
  for (const rows of stretches(one.values, model.breaks, model.bridged)) {
    const points = rows.map((row) => [round(x(model.x.at[row])), round(scale(one.values[row]))]);
    if (points.length === 1) group.append(dot(points[0][0], points[0][1], 2.5));
    else group.append(s('path', { class: 'stroke', d: `M${points.map((point) => point.join(' ')).join('L')}` }));
  }
}

/** The expected range of a value, as a whisker. */
function drawRange(group, one, row, at, scale) {
  if (!one.low || one.low[row] === null || one.high[row] === null) return;
  const [top, bottom] = [round(scale(one.high[row])), round(scale(one.low[row]))];
  const [from, to] = [round(at - 5), round(at + 5)];
  group.append(s('path', { class: 'whisker', d: `M${from} ${top}H${to}M${round(at)} ${top}V${bottom}M${from} ${bottom}H${to}` }));
}

function dot(cx, cy, r) {
  return s('circle', { class: 'dot', cx: round(cx), cy: round(cy), r });
}

function round(value) {
  return Math.round(value * 10) / 10;
}
