/** What an empty conversation shows: a greeting, whom to ask, and the four things that people ask most. */

import { ASSISTANTS } from './assistants.js';
import { h, icon, s } from './dom.js';

/** The greeting for a person. A card sends its prompt; `choose(name)` takes another assistant. */
export function welcome(user, chosen, { send, choose }) {
  const card = ([name, title, text, prompt]) =>
    h('button', { type: 'button', class: 'start', on: { click: () => send(prompt) } }, h('span', { class: 'start-icon' }, icon(name)), h('span', { class: 'start-text' }, h('b', {}, title), h('span', {}, text)));
  const choice = ([name, { label }]) => h('button', { type: 'button', class: 'choice', 'aria-pressed': String(name === chosen), on: { click: () => choose(name) } }, label);
  const assistant = ASSISTANTS[chosen];
  return h(
    'div',
    { class: 'welcome' },
    sunPath(new Date().getHours()),
    h('h1', {}, `${greeting(new Date().getHours())}, ${user.username}`),
    h('div', { class: 'choices', role: 'group', 'aria-label': 'Ask about' }, Object.entries(ASSISTANTS).map(choice)),
    h('p', {}, assistant.about),
    h('div', { class: 'starts' }, assistant.starts.map(card)),
  );
}

function greeting(hour) {
  if (hour < 5 || hour >= 18) return 'Good evening';
  return hour < 12 ? 'Good morning' : 'Good afternoon';
}

/** The sun on its way over the day; below the horizon at night. */
function sunPath(hour) {
  const share = (hour - 6) / 12;
  const day = share >= 0 && share <= 1;
  const angle = Math.PI * (1 - Math.min(1, Math.max(0, share)));
  const [x, y] = [160 + 130 * Math.cos(angle), 76 - 62 * Math.sin(angle) + (day ? 0 : 8)];
  return s(
    'svg',
    { viewBox: '0 0 320 92', class: `sun-path ${day ? 'day' : 'night'}`, 'aria-hidden': 'true' },
    s('path', { class: 'arc', d: 'M30 76A130 62 0 0 1 290 76' }),
    s('path', { class: 'horizon', d: 'M4 76.5H316' }),
    s('circle', { class: 'halo', cx: x, cy: y, r: 17 }),
    s('circle', { class: 'sun', cx: x, cy: y, r: 8.5 }),
  );
}
