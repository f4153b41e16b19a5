/** Shared parts of the panels of "Your data". */

import { h } from './dom.js';

/** Whether an account has a scope. */
export const mayWrite = (user, scope) => (user.scopes ?? []).includes(scope);

/** A size for people. */
export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`;
  return `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`;
}

/** A line that says how something went; screen readers hear it. */
export class Status {
  element = h('p', { class: 'note', role: 'status' });

  say(text) {
    this.element.className = 'note';
    this.element.textContent = text;
  }

  fail(error) {
    this.element.className = 'fault';
    this.element.textContent = error.message ?? String(error);
  }

  /** Runs `work` with its button disabled, and shows why it failed. */
  async attempt(control, work) {
    control.disabled = true;
    try {
      await work();
    } catch (error) {
      this.fail(error);
    } finally {
      control.disabled = false;
    }
  }
}

/** The encryption of connections, as `TargetTls`. */
export const ENCRYPTION = [
  ['preferred', 'if the server can'],
  ['required', 'required'],
  ['verified', 'required, certificate checked'],
  ['off', 'none'],
];

/** The steps of a test. */
export function stepList({ steps }) {
  return h('ul', { class: 'data-steps', 'aria-label': 'Steps of the test' }, steps.map(({ step, ok }) => h('li', {}, `${step}: ${ok ? 'good' : 'failed'}`)));
}

/** A labelled field. */
export function field(label, input) {
  return h('label', { class: 'data-field' }, h('span', {}, label), input);
}

/** A table with named columns. */
export function table(caption, columns, rows) {
  return h(
    'table',
    { class: 'data-table' },
    h('caption', { class: 'read-only' }, caption),
    h('thead', {}, h('tr', {}, columns.map((name) => (name ? h('th', { scope: 'col' }, name) : h('td', {}))))),
    h('tbody', {}, rows.map((cells) => h('tr', {}, cells.map((cell) => h('td', {}, cell))))),
  );
}
