/** Shared parts of the panels of "Your data". */

import { h } from './dom.js';

/** Number of faults shown so far, for ids. */
let faultCount = 0;

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

  get text() {
    return this.element.textContent ?? '';
  }

  say(text) {
    this.element.className = 'note';
    this.element.replaceChildren(...coded(text));
  }

  fail(error) {
    this.element.className = 'fault';
    this.element.replaceChildren(...coded(error.message ?? String(error)));
  }

  /**
   * Runs `work` with its button disabled, and shows why it failed: at the fields of the form that
   * the server names, otherwise here.
   * @param {HTMLFormElement} [form]
   */
  async attempt(control, work, form) {
    control.disabled = true;
    if (form) clearFaults(form);
    try {
      await work();
    } catch (error) {
      if (form && showFaults(form, error)) this.say('Nothing was changed. The fields say why.');
      else this.fail(error);
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

/** Removes the faults of an earlier attempt. */
function clearFaults(form) {
  for (const shown of form.querySelectorAll('.field-fault')) shown.remove();
  for (const input of form.querySelectorAll('[aria-invalid]')) {
    input.removeAttribute('aria-invalid');
    input.removeAttribute('aria-describedby');
  }
}

/**
 * Shows the faults of an error at the fields whose `name` is their pointer. Whether each has a
 * field.
 */
export function showFaults(form, error) {
  const places = (error.faults ?? []).map(({ pointer, detail }) => ({ detail, input: form.querySelector(`[name="${CSS.escape(pointer ?? '')}"]`) }));
  for (const { detail, input } of places) {
    if (!input) continue;
    faultCount += 1;
    const id = `field-fault-${faultCount}`;
    (input.closest('.data-field') ?? input).after(h('p', { class: 'fault field-fault', id }, coded(sentence(detail))));
    input.setAttribute('aria-invalid', 'true');
    input.setAttribute('aria-describedby', id);
  }
  places.find(({ input }) => input)?.input.focus();
  return places.length > 0 && places.every(({ input }) => input);
}

/** The detail of a fault, which begins with a verb, as a sentence. */
export function sentence(detail) {
  const text = detail.charAt(0).toUpperCase() + detail.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Text with parts in backticks as code. */
export function coded(text) {
  const parts = text.split('`');
  // A backtick without its second one is a character as any other.
  if (parts.length % 2 === 0) return [text];
  return parts.map((part, place) => (place % 2 === 1 ? h('code', {}, part) : part));
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
