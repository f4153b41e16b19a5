/** Placeholders for a conversation that is loading, cannot be shown, or does not exist. */

import { button, h, icon } from './dom.js';

/** Bars in place of messages. */
export function skeleton() {
  const bars = (...widths) => widths.map((width) => h('span', { class: `bar w${width}` }));
  return h(
    'div',
    { class: 'skeleton' },
    h('p', { class: 'read-only', role: 'status' }, 'Loading the conversation.'),
    h('div', { class: 'skeleton-user', 'aria-hidden': 'true' }, bars(40)),
    h('div', { class: 'skeleton-answer', 'aria-hidden': 'true' }, bars(90, 75, 60)),
    h('div', { class: 'skeleton-card', 'aria-hidden': 'true' }),
  );
}

/** A failure with its reason and actions: `[label, icon, onClick]`. */
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
