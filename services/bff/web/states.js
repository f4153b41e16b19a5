/** What stands where a conversation would be: it is on its way, it cannot be shown, or it does not exist. */

import { button, h, icon } from './dom.js';

/** Bars where messages will be. */
export function skeleton() {
  const bars = (...widths) => widths.map((width) => h('span', { class: `bar w${width}` }));
  return h(
    'div',
    { class: 'skeleton' },
    h('p', { class: 'read-only', role: 'status' }, 'The conversation is being loaded.'),
    h('div', { class: 'skeleton-user', 'aria-hidden': 'true' }, bars(40)),
    h('div', { class: 'skeleton-answer', 'aria-hidden': 'true' }, bars(90, 75, 60)),
    h('div', { class: 'skeleton-card', 'aria-hidden': 'true' }),
  );
}

/** That something failed, why, and what to do about it: `actions` are `[label, icon, onClick]`. */
export function failureState({ title, text, heading = 'h2' }, ...actions) {
  return h(
    'div',
    { class: 'state', role: 'alert' },
    icon('alert'),
    h(heading, {}, title),
    h('p', {}, text),
    h('div', { class: 'state-actions' }, actions.map(([label, name, act]) => button({ label, name, class: 'secondary' }, act))),
  );
}
