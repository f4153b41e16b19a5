/** A message on the page, updated while the answer is streamed. */

import { renderCard } from './cards.js';
import { detailsPanel } from './details.js';
import { button, h, icon } from './dom.js';
import { parseMarkdown, renderBlock } from './markdown.js';
import { CARD_TOOL, PICKER_TOOL, isHidden, openPicker, phase, plainText } from './message.js';
import { linkSources } from './passage.js';
import { lockedPicker, renderPicker } from './picker.js';
import { PlanView } from './plan.js';
import { RowsView } from './rows.js';

const PHASES = { thinking: 'Thinking', analysing: 'Analysing', working: 'Working' };
const ERROR_ICONS = { network: 'alert', timeout: 'clock', session: 'info', api: 'alert' };
const SUGGESTIONS = 3;

/** A message of the user. */
export function userView(message) {
  return h('article', { class: 'message user', 'aria-label': 'You' }, h('p', {}, message.text));
}

/**
 * A message of the assistant. `actions`: `send(text)` sends a message for the user, `answer(part,
 * text)` answers a picker, `retry()` asks again.
 */
export class AssistantView {
  #message;
  #actions;
  #parts = [];
  #shown;
  #panel;

  constructor(message, actions) {
    this.#message = message;
    this.#actions = actions;
    this.content = h('div', { class: 'content' });
    this.waiting = h('p', { class: 'waiting' });
    this.foot = h('div', { class: 'message-foot' });
    this.#panel = detailsPanel(message);
    this.element = h('article', { class: 'message assistant', 'aria-label': 'Heliograph' }, this.content, this.waiting, this.foot);
  }

  /**
   * Shows the current contents of the message. `latest`: it is the last message, so it can be
   * answered.
   */
  update(latest, status) {
    if (this.#shown !== this.#message.parts) this.#begin();
    this.#message.parts.filter((part) => !isHidden(part)).forEach((part, index) => {
      this.#parts[index] ??= this.#add(part);
      this.#parts[index].update(latest);
    });
    this.#wait(status);
    this.#panel.update();
    this.#close(latest);
  }

  /** Starts again after the message was reset or loaded from the server. */
  #begin() {
    this.#shown = this.#message.parts;
    this.#parts = [];
    this.content.replaceChildren();
  }

  #add(part) {
    const view = VIEWS[part.type]?.(part, this.#message) ?? (part.name === CARD_TOOL ? drawn(part) : new PickerView(part, this.#message, this.#actions));
    this.content.append(view.element);
    return view;
  }

  /** The indicator that is shown until something else changes. */
  #wait(status) {
    const now = phase(this.#message);
    this.element.dataset.phase = now;
    this.element.setAttribute('aria-busy', String(now !== 'idle'));
    this.waiting.hidden = now === 'idle' || now === 'streaming';
    if (this.waiting.hidden) return;
    const text = status || PHASES[now];
    if (this.waiting.dataset.text === text) return;
    this.waiting.dataset.text = text;
    this.waiting.replaceChildren(h('span', { class: 'flare', 'aria-hidden': 'true' }), text.replace(/[.…]+$/, ''), h('span', { class: 'dots', 'aria-hidden': 'true' }, h('i'), h('i'), h('i')));
  }

  /** The footer of a finished answer: why it ended, suggestions, and details. */
  #close(latest) {
    const message = this.#message;
    const key = `${message.state}${latest}`;
    if (message.state === 'streaming' || this.foot.dataset.key === key) return;
    this.foot.dataset.key = key;
    const chips = latest && message.state === 'done' && !openPicker(message) ? this.#suggestions() : undefined;
    this.foot.replaceChildren(...[ended(message, latest && this.#actions.retry), chips, this.#tools()].filter(Boolean));
  }

  #suggestions() {
    const offered = this.#message.parts.filter((part) => part.name === CARD_TOOL).flatMap((part) => part.input?.suggestions ?? []);
    const chips = offered.slice(0, SUGGESTIONS).map((one) =>
      h(
        'button',
        { type: 'button', class: `chip ${one.priority === 'primary' ? 'first' : ''} ${one.urgency === 'urgent' ? 'urgent' : ''}`, title: one.reason || undefined, on: { click: () => this.#actions.send(one.action) } },
        one.urgency === 'urgent' && icon('alert'),
        h('span', {}, one.label),
      ),
    );
    return chips.length > 0 && h('div', { class: 'chips', role: 'group', 'aria-label': 'Ask next' }, chips);
  }

  #tools() {
    const text = plainText(this.#message);
    const copy = text && navigator.clipboard && button({ label: 'Copy text', name: 'copy', class: 'icon-button', quiet: true }, () => navigator.clipboard.writeText(text));
    return h('div', { class: 'message-tools' }, this.#panel.element, copy);
  }
}

/** A text that grows. Unchanged blocks keep their elements, so that a selection in them is kept. */
class TextView {
  #part;
  #message;
  #text;
  #keys = [];

  constructor(part, message) {
    this.#part = part;
    this.#message = message;
    this.element = h('div', { class: 'prose' });
  }

  update() {
    if (this.#text === this.#part.text) return;
    this.#text = this.#part.text;
    const blocks = parseMarkdown(this.#text);
    const sources = this.#message.sources ?? [];
    const keys = blocks.map((block) => `${sources.length} ${JSON.stringify(block)}`);
    const same = keys.findIndex((key, index) => key !== this.#keys[index]);
    const from = same < 0 ? keys.length : same;
    while (this.element.childNodes.length > from) this.element.lastChild.remove();
    const added = blocks.slice(from).map((block) => renderBlock(block));
    for (const block of added) linkSources(block, sources);
    this.element.append(...added);
    this.#keys = keys;
  }
}

class PickerView {
  #part;
  #message;
  #actions;

  constructor(part, message, actions) {
    this.#part = part;
    this.#message = message;
    this.#actions = actions;
    this.element = h('div');
  }

  update(latest) {
    const open = latest && openPicker(this.#message) === this.#part;
    const waiting = this.#message.state === 'streaming';
    const key = `${open}${this.#part.answer}${this.#part.said}${waiting}`;
    if (this.element.dataset.key === key) return;
    this.element.dataset.key = key;
    // While the answer is streamed, the server would reject another message on this thread.
    if (waiting) return;
    const answer = (text) => this.#actions.answer(this.#part, text);
    this.element.replaceChildren(open ? renderPicker(withoutEcho(this.#part.input, this.#message), answer) : lockedPicker(this.#part.input, this.#part));
  }
}

const VIEWS = { text: (part, message) => new TextView(part, message), plan: (part) => new PlanView(part), rows: (part, message) => new RowsView(part, message), warning };

/** Removes the question's context if the assistant's text already contains it. */
function withoutEcho(request, message) {
  return request.contextMessage && plainText(message).includes(request.contextMessage) ? { ...request, contextMessage: undefined } : request;
}

function drawn(part) {
  return { element: renderCard(part.input ?? {}), update() {} };
}

function warning(part) {
  return { element: h('p', { class: 'banner' }, icon('info'), h('span', {}, part.text)), update() {} };
}

function ended(message, retry) {
  if (message.state === 'stopped') return h('p', { class: 'ended' }, icon('stop'), 'Stopped.');
  if (message.state !== 'failed') return undefined;
  const { kind, text } = message.error ?? {};
  return h('div', { class: 'failure', role: 'alert' }, icon(ERROR_ICONS[kind] ?? 'alert'), h('p', {}, text), retry && button({ label: 'Try again', name: 'retry', class: 'small' }, retry));
}
