/** The empty conversation: a greeting, the assistants, and their starter questions. */

import { coded, mayWrite } from './data-parts.js';
import { button, h, icon, s } from './dom.js';

/** Number of starter questions shown. */
const STARTERS = 4;
/** The kinds of data that are connected in the page, and the scopes for it. */
const HERE = { imports: 'sites:write', targets: 'targets:write', sources: 'targets:write', documents: 'documents:write' };
/** The icons of the assistants. */
const ICONS = { site: 'sunrise', data: 'table', analyst: 'list', advisor: 'info' };

/**
 * The greeting for a user. A card sends its message; `choose(id)` selects another assistant;
 * `connect(kind)` opens the dialog where data are added.
 */
export function welcome(user, assistants, chosen, { send, choose, connect }) {
  return h(
    'div',
    { class: 'welcome' },
    sunPath(new Date().getHours()),
    h('h1', {}, `${greeting(new Date().getHours())}, ${user.username}`),
    assistants.list.length > 0 ? choices(user, assistants, chosen, { send, choose, connect }) : noChoices(assistants),
  );
}

function choices(user, assistants, chosen, { send, choose, connect }) {
  const { id, description, starters, missing, connect: way } = assistants.find(chosen);
  const choice = (one) => h('button', { type: 'button', class: `choice ${one.available ? '' : 'without'}`, 'aria-pressed': String(one.id === chosen), on: { click: () => choose(one.id) } }, one.title);
  const card = ({ label, message }) =>
    h('button', { type: 'button', class: 'start', on: { click: () => send(message) } }, h('span', { class: 'start-icon' }, icon(ICONS[id] ?? 'chat')), h('span', { class: 'start-text' }, h('b', {}, label), message !== label && h('span', {}, message)));
  return [
    h('div', { class: 'choices', role: 'group', 'aria-label': 'Ask' }, assistants.list.map(choice)),
    h('p', { class: 'about' }, description),
    missing && h('p', { class: 'banner missing' }, icon('info'), h('span', {}, coded(missing))),
    way && HERE[way.kind] && mayWrite(user, HERE[way.kind]) && button({ label: way.label, name: 'plus', class: 'secondary connect' }, () => connect(way.kind)),
    starters.length > 0 && h('div', { class: 'starts' }, starters.slice(0, STARTERS).map(card)),
  ];
}

/** Shown until the server has returned the assistants, and if the call failed. */
function noChoices(assistants) {
  if (assistants.fault === '') return h('div', { class: 'starts', 'aria-hidden': 'true' }, Array.from({ length: STARTERS }, () => h('span', { class: 'start placeholder' })));
  return h('div', { class: 'state', role: 'alert' }, icon('alert'), h('p', {}, assistants.fault), button({ label: 'Try again', name: 'retry', class: 'secondary' }, () => assistants.load()));
}

function greeting(hour) {
  if (hour < 5) return 'Hello';
  if (hour >= 18) return 'Good evening';
  return hour < 12 ? 'Good morning' : 'Good afternoon';
}

/** The sun's path over the day; below the horizon at night. */
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
