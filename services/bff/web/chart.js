/**
 * Charts as SVG: fitted to the available width, readable by pointer and by keyboard, with the same
 * values as a table.
 */

import { chartModel, describeRow, furtherColumns, nearestRow, toCsv, yTicks } from './chart-model.js';
import { drawMarks } from './chart-marks.js';
import { pie } from './chart-pie.js';
import { cellText, headText, isNumeric } from './cells.js';
import { button, focusWhenScrolled, h, icon, s, tint } from './dom.js';
import { significant } from './format.js';
import { linear, niceTicks, offsets, timeTicks } from './scale.js';

const TOP = 30;
const CHARACTER = 6.6;
/** Minimum width of a tick on the x axis. */
const TICK_ROOM = 58;
const TABLE_ROWS = 500;

/** The figure element for `DynamicChart` props. */
export function chart(props, caption = props.title) {
  const model = chartModel(props);
  if (model.x.at.length === 0 || model.series.length === 0) {
    return h('figure', { class: 'chart' }, h('p', { class: 'chart-empty' }, 'No values to show.'));
  }
  const body = model.type === 'pie' ? pie(model) : new Plot(model, caption).elements;
  return h('figure', { class: 'chart', 'aria-label': caption }, body, tableView(props, model, caption));
}

/** A chart with axes. */
class Plot {
  #model;
  #hidden = new Set();
  #row;
  #frame;
  #away;

  constructor(model, caption) {
    this.#model = model;
    this.#row = model.x.at.length - 1;
    this.svg = s('svg', { 'aria-hidden': 'true' });
    this.tip = h('div', { class: 'chart-tip', hidden: true });
    this.area = h(
      'div',
      {
        class: 'chart-area',
        tabindex: 0,
        role: 'slider',
        'aria-label': `${caption}. Use the arrow keys to read the values.`,
        'aria-valuemin': 0,
        'aria-valuemax': model.x.at.length - 1,
        on: {
          pointermove: (event) => this.#point(event),
          pointerdown: (event) => this.#tap(event),
          // After a tap, the values stay visible until the next tap.
          pointerleave: (event) => event.pointerType === 'mouse' && this.#mark(undefined),
          focus: () => this.area.matches(':focus-visible') && this.#mark(this.#row),
          blur: () => this.#mark(undefined),
          keydown: (event) => this.#key(event),
        },
      },
      this.svg,
      this.tip,
    );
    this.elements = [this.#legend(), this.area];
    this.#speak();
    new ResizeObserver(() => this.#draw()).observe(this.area);
  }

  get #shown() {
    return this.#model.series.filter((one) => !this.#hidden.has(one.key));
  }

  #legend() {
    if (this.#model.series.length < 2) return undefined;
    const entry = (one) => {
      const toggle = h('button', { type: 'button', class: 'legend-entry', 'aria-pressed': 'true' }, h('span', { class: `swatch ${one.kind}` }), one.name);
      toggle.addEventListener('click', () => {
        // The last series cannot be hidden: an empty chart is useless.
        if (!this.#hidden.delete(one.key) && this.#shown.length > 1) this.#hidden.add(one.key);
        toggle.setAttribute('aria-pressed', String(!this.#hidden.has(one.key)));
        this.#draw();
        this.#speak();
      });
      return tint(toggle, one.color);
    };
    return h('div', { class: 'legend', role: 'group', 'aria-label': 'Series' }, this.#model.series.map(entry));
  }

  #draw() {
    const width = Math.floor(this.area.clientWidth);
    if (width === 0) return;
    // The height equals the room reserved by the style sheet, so the layout does not shift.
    const height = width < 480 ? 240 : 300;
    const frame = this.#layout(width, height);
    this.#frame = frame;
    this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.svg.setAttribute('width', width);
    this.svg.setAttribute('height', height);
    this.cursor = s('g', { class: 'cursor' });
    this.svg.replaceChildren(this.#axes(frame), ...drawMarks(this.#model, this.#shown, frame), this.cursor);
  }

  #layout(width, height) {
    const ticks = yTicks(this.#model, this.#shown, height < 280 ? 4 : 5);
    const room = (side) => (ticks[side] ? Math.max(...ticks[side].map((tick) => significant(tick).length)) * CHARACTER + 12 : 10);
    const [left, right] = [room('left'), width - Math.max(room('right'), 16)];
    const bottom = height - (this.#model.x.label ? 44 : 26);
    const count = this.#model.x.at.length;
    const y = {};
    for (const side of ['left', 'right']) {
      const scale = ticks[side] && linear([ticks[side][0], ticks[side].at(-1)], [bottom, TOP]);
      y[side] = scale && ((value) => scale(value * this.#model[side].factor));
    }
    const band = (right - left) / count;
    const extent = [Math.min(...this.#model.x.at), Math.max(...this.#model.x.at)];
    const numbers = this.#model.x.kind === 'number' ? niceTicks(...extent, Math.min(6, Math.floor((right - left) / TICK_ROOM))) : undefined;
    const domain = numbers ? [numbers[0], numbers.at(-1)] : extent;
    // Bars on a time axis need half a bar of room at both ends.
    const inset = this.#model.x.kind !== 'band' && this.#shown.some((one) => one.kind === 'bar') ? band / 2 : 0;
    const x = this.#model.x.kind === 'band' ? (at) => left + (at + 0.5) * band : linear(domain, [left + inset, right - inset]);
    return { width, height, left, right, bottom, ticks, x, y, band, domain, numbers };
  }

  #axes(frame) {
    const { left, right, bottom, ticks } = frame;
    const axes = s('g', { class: 'axes' });
    const grid = ticks.left ? 'left' : 'right';
    const place = (side, tick) => frame.y[side](tick / this.#model[side].factor);
    for (const tick of ticks[grid] ?? []) {
      const at = Math.round(place(grid, tick)) + 0.5;
      axes.append(s('line', { x1: left, x2: right, y1: at, y2: at, class: tick === 0 ? 'zero' : 'grid' }));
    }
    for (const tick of ticks.left ?? []) axes.append(s('text', { x: left - 7, y: place('left', tick) + 4, class: 'end' }, significant(tick)));
    for (const tick of ticks.right ?? []) axes.append(s('text', { x: right + 7, y: place('right', tick) + 4 }, significant(tick)));
    if (ticks.left) axes.append(s('text', { x: 0, y: 12, class: 'axis-label' }, this.#model.left.label));
    if (ticks.right) axes.append(s('text', { x: frame.width, y: 12, class: 'axis-label end' }, this.#model.right.label));
    if (this.#model.x.label) {
      axes.append(s('text', { x: (left + right) / 2, y: frame.height - 5, class: 'axis-label middle' }, this.#model.x.label));
    }
    for (const { at, label } of this.#xTicks(frame)) {
      axes.append(s('line', { x1: at, x2: at, y1: bottom, y2: bottom + 4, class: 'grid' }));
      axes.append(s('text', { x: at, y: bottom + 18, class: 'middle' }, label));
    }
    axes.append(s('line', { x1: left, x2: right, y1: bottom + 0.5, y2: bottom + 0.5, class: 'zero' }));
    return axes;
  }

  #xTicks({ left, right, x, band, domain, numbers }) {
    const { kind, short, stamps } = this.#model.x;
    if (kind === 'time') {
      const wanted = Math.max(2, Math.floor((right - left) / TICK_ROOM));
      return timeTicks(domain[0], domain[1], wanted, offsets(stamps)).map(({ at, label }) => ({ at: x(at), label }));
    }
    if (kind === 'number') {
      const whole = this.#model.x.at.every(Number.isInteger);
      return numbers.filter((at) => !whole || Number.isInteger(at)).map((at) => ({ at: x(at), label: cellText(at, this.#model.x.key) }));
    }
    const longest = Math.max(...short.map((name) => Math.min(name.length, 14))) * CHARACTER + 12;
    const every = Math.max(1, Math.ceil(longest / band));
    const cut = (name) => (name.length > 14 ? `${name.slice(0, 13)}…` : name);
    return short.flatMap((name, index) => (index % every === 0 ? [{ at: x(index), label: cut(name) }] : []));
  }

  #point(event) {
    if (!this.#frame) return;
    const { left, right, band, domain } = this.#frame;
    const at = event.clientX - this.area.getBoundingClientRect().left;
    const value = this.#model.x.kind === 'band' ? (at - left) / band - 0.5 : linear([left, right], domain)(at);
    this.#row = nearestRow(this.#model, value);
    this.#mark(this.#row);
  }

  /** Shows the values at the tapped position until the next tap. */
  #tap(event) {
    this.#point(event);
    if (event.pointerType === 'mouse' || this.#away) return;
    this.#away = (next) => {
      if (this.area.isConnected && this.area.contains(next.target)) return;
      this.#mark(undefined);
      removeEventListener('pointerdown', this.#away, true);
      this.#away = undefined;
    };
    addEventListener('pointerdown', this.#away, true);
  }

  #key(event) {
    const last = this.#model.x.at.length - 1;
    const page = Math.max(1, Math.round(last / 10));
    const moves = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -page, PageUp: page, Home: -last, End: last };
    if (event.key === 'Escape') this.#mark(undefined);
    if (!(event.key in moves)) return;
    event.preventDefault();
    this.#row = Math.min(last, Math.max(0, this.#row + moves[event.key]));
    this.#mark(this.#row);
    this.#speak();
  }

  /** The text that a screen reader reads at the current position. */
  #speak() {
    const { title, lines } = describeRow(this.#model, this.#shown, this.#row);
    this.area.setAttribute('aria-valuenow', this.#row);
    this.area.setAttribute('aria-valuetext', `${title}: ${lines.map((line) => `${line.name} ${line.text}`).join(', ')}`);
  }

  #mark(row) {
    this.tip.hidden = row === undefined;
    this.cursor?.replaceChildren();
    if (row === undefined || !this.#frame) return;
    const { x, y, bottom, width } = this.#frame;
    const at = x(this.#model.x.at[row]);
    this.cursor.append(s('line', { x1: at, x2: at, y1: TOP, y2: bottom }));
    for (const one of this.#shown) {
      if (one.values[row] === null || one.kind === 'bar') continue;
      this.cursor.append(tint(s('circle', { cx: at, cy: y[one.side](one.values[row]), r: 4.5 }), one.color));
    }
    const { title, lines } = describeRow(this.#model, this.#shown, row);
    const line = (one) => tint(h('div', { class: 'tip-line' }, h('span', { class: 'swatch' }), h('span', {}, one.name), h('b', {}, one.text)), one.color);
    this.tip.replaceChildren(h('div', { class: 'tip-title' }, title), ...lines.map(line));
    const beside = at + 14 + this.tip.offsetWidth > width ? at - 14 - this.tip.offsetWidth : at + 14;
    this.tip.style.transform = `translate(${Math.max(0, beside)}px, ${TOP + 4}px)`;
  }
}

/** The values as a table, created when it is first opened. */
function tableView(props, model, caption) {
  const details = h('details', { class: 'chart-table' }, h('summary', {}, icon('table'), 'Data'));
  const fill = () => {
    const rows = model.x.names.slice(0, TABLE_ROWS).map((_, index) => describeRow(model, model.series, index));
    const more = furtherColumns(props).map((name) => ({ name, values: props.data.map((row) => row[name]) }));
    const further = more.map(({ name, values }) => h('th', { scope: 'col', class: isNumeric(values) && 'number' }, headText({ name }, values)));
    const head = h('tr', {}, h('th', { scope: 'col' }, props.xAxisLabel ?? 'Name'), model.series.map((one) => h('th', { scope: 'col', class: 'number' }, one.name)), further);
    const cell = ({ name, values }, index) => h('td', { class: isNumeric(values) && 'number' }, cellText(values[index], name));
    const row = ({ title, lines }, index) => h('tr', {}, h('th', { scope: 'row' }, title), lines.map((line) => h('td', { class: 'number' }, line.text)), more.map((one) => cell(one, index)));
    const rest = model.x.names.length - rows.length;
    const box = h('div', { class: 'table-scroll tall' }, h('table', {}, h('thead', {}, head), h('tbody', {}, rows.map(row))));
    focusWhenScrolled(box, `Data of ${caption}`);
    details.append(
      box,
      h('div', { class: 'chart-table-foot' }, rest > 0 && `${rest} more rows in the file. `, button({ label: 'Download CSV', name: 'down', class: 'small' }, () => download(props, caption))),
    );
  };
  details.addEventListener('toggle', fill, { once: true });
  return details;
}

function download(props, caption) {
  const address = URL.createObjectURL(new Blob([toCsv(props)], { type: 'text/csv' }));
  h('a', { href: address, download: `${(caption ?? 'chart').replace(/[^\w-]+/g, '-')}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
