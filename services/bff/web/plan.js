/** The plan of an answer: its tasks in order, each with its status. */

import { card } from './card-parts.js';
import { h, icon } from './dom.js';

/** The status of a task: the text and its icon. */
const STATUSES = {
  pending: ['To do'],
  in_progress: ['In progress'],
  complete: ['Done', 'check'],
  clarification_needed: ['Waiting for you', 'question'],
  error: ['Failed', 'alert'],
  cancelled: ['Skipped', 'close'],
};

/** The status of the plan, if the tasks do not show it. */
const STATES = { superseded: 'Replaced by another plan', aborted: 'Cancelled' };

/** The status of a task in words. */
export function statusText(status) {
  return STATUSES[status]?.[0] ?? 'To do';
}

/** The progress of the plan in words: `2 of 5 done`. */
export function progressText({ state, tasks }) {
  const done = tasks.filter((task) => task.status === 'complete').length;
  return STATES[state] ?? `${done} of ${tasks.length} done`;
}

/**
 * The card of a plan, updated with its part. Tasks keep their elements, so that focus and selection
 * are kept.
 */
export class PlanView {
  #part;
  #shown;
  #note = h('p', { class: 'note' });
  #request = h('p', { class: 'plan-request' });
  // The role is explicit, because some browsers do not treat a list without markers as a list.
  #list = h('ol', { class: 'plan', role: 'list' });
  #tasks = new Map();

  constructor(part) {
    this.#part = part;
    this.element = card({ title: 'Plan', symbol: 'list', class: 'plan-card' }, this.#request, this.#list);
    this.element.querySelector('header').append(this.#note);
  }

  update() {
    const { plan } = this.#part;
    if (this.#shown === plan) return;
    this.#shown = plan;
    this.#note.textContent = progressText(plan);
    this.#request.textContent = plan.request ?? '';
    this.#request.hidden = !plan.request;
    const views = plan.tasks.map((task) => this.#task(task));
    if (views.some((view, index) => this.#list.children[index] !== view) || views.length !== this.#list.children.length) this.#list.replaceChildren(...views);
  }

  #task({ key, description, status }) {
    const known = this.#tasks.get(key) ?? { element: h('li'), shown: undefined };
    this.#tasks.set(key, known);
    const shown = `${status} ${description}`;
    if (known.shown === shown) return known.element;
    known.shown = shown;
    const mark = STATUSES[status]?.[1];
    known.element.dataset.status = status in STATUSES ? status : 'pending';
    known.element.replaceChildren(h('span', { class: 'mark', 'aria-hidden': 'true' }, mark && icon(mark)), h('span', { class: 'task' }, description || key), h('span', { class: 'task-status' }, statusText(status)));
    return known.element;
  }
}
