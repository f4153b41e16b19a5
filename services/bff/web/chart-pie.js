/** Pie charts, drawn as rings, with the values in the legend. */

import { h, s, tint } from './dom.js';
import { percent, significant } from './format.js';

const COLOURS = ['#FDB813', '#3B82F6', '#22C55E', '#EF4444', '#A855F7', '#14B8A6', '#EC4899', '#8B8B94'];
const [OUTER, INNER] = [94, 58];

/**
 * The ring and its legend. Only the first series is drawn; missing and negative values are ignored.
 */
export function pie(model) {
  const [series] = model.series;
  const { unit, factor } = model[series.side];
  const hidden = new Set();
  const slices = series.values.flatMap((value, index) =>
    value > 0 ? [{ name: model.x.names[index], value: value * factor, color: COLOURS[index % COLOURS.length] }] : [],
  );
  const ring = s('svg', { viewBox: '-100 -100 200 200', class: 'pie-ring', 'aria-hidden': 'true' });
  const legend = h('ul', { class: 'pie-legend' });
  const draw = () => {
    const shown = slices.filter((slice) => !hidden.has(slice));
    const total = shown.reduce((sum, slice) => sum + slice.value, 0);
    let from = 0;
    ring.replaceChildren(
      ...shown.map((slice) => {
        const to = from + slice.value / total;
        const path = tint(s('path', { d: arc(from, to) }), slice.color);
        from = to;
        return path;
      }),
      s('text', { class: 'pie-total', y: unit ? 2 : 8 }, significant(total)),
      s('text', { class: 'pie-unit', y: 20 }, unit),
    );
    legend.replaceChildren(...slices.map((slice) => entry(slice, total)));
  };
  const entry = (slice, total) => {
    const off = hidden.has(slice);
    const share = off ? 'hidden' : percent((slice.value / total) * 100);
    const toggle = h(
      'button',
      { type: 'button', class: 'legend-entry', 'aria-pressed': String(!off) },
      h('span', { class: 'swatch bar' }),
      h('span', { class: 'pie-name' }, slice.name),
      h('b', {}, `${significant(slice.value)}${unit && ` ${unit}`}`),
      h('span', { class: 'pie-share' }, share),
    );
    toggle.addEventListener('click', () => {
      if (!hidden.delete(slice) && slices.length - hidden.size > 1) hidden.add(slice);
      draw();
      legend.children[slices.indexOf(slice)].firstChild.focus();
    });
    return h('li', {}, tint(toggle, slice.color));
  };
  draw();
  return h('div', { class: 'pie' }, ring, legend);
}

/** A segment of the ring between two shares of the whole. */
function arc(from, to) {
  // A full circle has no two ends to draw an arc between.
  const end = Math.min(to, from + 0.99999);
  const point = (share, radius) => {
    const angle = share * 2 * Math.PI - Math.PI / 2;
    return `${(Math.cos(angle) * radius).toFixed(2)} ${(Math.sin(angle) * radius).toFixed(2)}`;
  };
  const large = end - from > 0.5 ? 1 : 0;
  return `M${point(from, OUTER)}A${OUTER} ${OUTER} 0 ${large} 1 ${point(end, OUTER)}L${point(end, INNER)}A${INNER} ${INNER} 0 ${large} 0 ${point(from, INNER)}Z`;
}
