/** Creates elements. Data only become text nodes and attributes, never markup. */

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Creates an HTML element. `on` contains listeners. Attributes that are undefined, null or false
 * are left out.
 */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Creates an SVG element. */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, { on = {}, ...attributes }, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const [name, listener] of Object.entries(on)) element.addEventListener(name, listener);
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

/** A scrollable box for content that can be wider than the page. */
export function scroller(label, content) {
  const box = h('div', { class: 'table-scroll' }, content);
  focusWhenScrolled(box, label);
  return box;
}

/**
 * Lets a box take the focus while its content does not fit, so that it can be scrolled with the
 * keyboard.
 */
export function focusWhenScrolled(box, label) {
  if (typeof ResizeObserver === 'undefined') return;
  const attributes = { tabindex: '0', role: 'group', 'aria-label': label };
  const allow = (focus) => {
    for (const [name, value] of Object.entries(attributes)) {
      if (focus) box.setAttribute(name, value);
      else box.removeAttribute(name);
    }
  };
  // Until its size is known, so that no box that scrolls is without it.
  allow(true);
  const watch = new ResizeObserver(() => allow(box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight));
  watch.observe(box);
  for (const child of box.children) watch.observe(child);
}

/**
 * Sets the colour of an element and its content; the style sheet adapts it to the colour scheme.
 */
export function tint(element, colour) {
  element.style.setProperty('--c', colour);
  return element;
}

const ICONS = {
  alert: 'M12 8v5m0 3.2v.1M10.3 3.9 2.6 17.2A2 2 0 0 0 4.3 20h15.4a2 2 0 0 0 1.7-2.8L13.7 3.9a2 2 0 0 0-3.4 0Z',
  bars: 'M4 20h16M7 20v-7m5 7V5m5 15v-9',
  chat: 'M20 12a7.5 7.5 0 0 1-11 6.6L4 20l1.4-4.6A7.5 7.5 0 1 1 20 12Z',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  clock: 'M12 7.5V12l3 2m6-2a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  close: 'M6 6l12 12M18 6 6 18',
  coins: 'M15 8.5a6 6 0 1 1-12 0 6 6 0 0 1 12 0Zm.6 1.6a6 6 0 1 1-6.5 9M9 6v5M7.4 8.5h3.2',
  copy: 'M9 9h10v11H9zM15 9V4H5v11h4',
  down: 'M12 5v14m-6-6 6 6 6-6',
  info: 'M12 11v5m0-8.2v-.1M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  list: 'M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01',
  menu: 'M4 7h16M4 12h16M4 17h16',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5Z',
  pencil: 'm4 20 1-4L16 5l3 3L8 19l-4 1Z',
  plus: 'M12 5v14M5 12h14',
  pulse: 'M3 12h4l2.5-7 5 14 2.5-7h4',
  question: 'M8.6 9.2a3.5 3.5 0 1 1 5.2 3c-1.2.7-1.8 1.4-1.8 2.8m0 3.4v.1',
  retry: 'M20 11a8 8 0 1 0-2 5.7M20 5v6h-6',
  send: 'M12 19V5m-6 6 6-6 6 6',
  stop: 'M7 7h10v10H7z',
  sun: 'M12 3v2m0 14v2M3 12h2m14 0h2M5.6 5.6 7 7m10 10 1.4 1.4M5.6 18.4 7 17M17 7l1.4-1.4M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0Z',
  sunrise: 'M3 19h18M12 4v5m-7 .5L6.5 11M19 9.5 17.5 11M3 15h3m12 0h3m-5 0a4 4 0 0 0-8 0',
  table: 'M4 5h16v14H4zM4 10h16M10 10v9',
  trash: 'M5 7h14M10 7V4h4v3m-7 0 1 13h8l1-13',
};

/** A decorative icon. Its meaning is in the adjacent text or in the label of its button. */
export function icon(name) {
  return s('svg', { viewBox: '0 0 24 24', class: 'icon', 'aria-hidden': 'true' }, s('path', { d: ICONS[name] ?? ICONS.info }));
}

/**
 * A button with an icon and its text. With `quiet`, `label` is only read by screen readers.
 * @param {{ label: string, name?: string, class?: string, quiet?: boolean, [attribute: string]: any }} button
 * @param {(event: any) => unknown} [onClick] Absent for a button that submits its form.
 */
export function button({ label, name, class: className, quiet = false, ...rest }, onClick) {
  const attributes = { type: 'button', class: className, 'aria-label': quiet ? label : undefined, title: quiet ? label : undefined, ...rest };
  return h('button', { ...attributes, on: { click: onClick } }, name && icon(name), !quiet && h('span', {}, label));
}
