/** The conversation that is shown: its messages, the composer, and the turns that run. */

import { Announcer } from './announcer.js';
import { messages } from './api.js';
import { assistantOf } from './assistants.js';
import { fromStored } from './history.js';
import { openPicker, plainText, userMessage } from './message.js';
import { AssistantView, userView } from './message-view.js';
import { newId, titleOf } from './store.js';
import { Turn } from './turn.js';
import { welcome } from './welcome.js';

/** How near to its end a list counts as being read at its end, in pixels. */
const NEAR_END = 80;
/** The room above the question that is being answered, in pixels. */
const QUESTION_ROOM = 12;
/** How often a streaming answer is written down, in milliseconds. */
const SAVE_EVERY = 1500;


export class Chat {
  #store;
  #hooks;
  #conversation;
  #views = [];
  #turns = new Map();
  #announcer;
  #scheduled = false;
  #savedAt = 0;
  #follow = true;
  #scrolledTo = 0;

  /** `hooks`: `changed()` after the list of conversations changed, `signedOut()` when the session is over. */
  constructor(elements, store, user, hooks) {
    Object.assign(this, elements);
    this.#store = store;
    this.#hooks = hooks;
    this.user = user;
    this.#announcer = new Announcer(this.live);
    this.composer.onSend = (text) => this.send(text);
    this.composer.onStop = () => this.#turns.get(this.#conversation.id)?.stop();
    this.scroller.onscroll = () => this.#watchScroll();
    this.jump.onclick = () => this.scroller.scrollTo({ top: this.scroller.scrollHeight, behavior: 'smooth' });
    addEventListener('pagehide', () => this.#turns.forEach((turn) => this.#keep(turn.conversation)));
  }

  get id() {
    return this.#conversation?.id;
  }

  isBusy(id) {
    return this.#turns.has(id);
  }

  /** Shows a conversation; without an id a new, empty one. */
  open(id) {
    const running = this.#turns.get(id)?.conversation;
    const now = new Date().toISOString();
    this.#conversation = running ?? this.#store.get(id) ?? { id: newId(), title: 'New conversation', assistant: 'site', messages: [], createdAt: now, updatedAt: now };
    this.#views = [];
    this.log.replaceChildren();
    this.#follow = true;
    this.#render();
    if (!running) this.#comeBack(this.#conversation);
    this.composer.focus();
  }

  /** Goes on with an answer that the page did not see the end of; fetches what only the server has. */
  #comeBack(conversation) {
    const last = conversation.messages.at(-1);
    if (last?.state === 'streaming') this.#follows(conversation, new Turn({ threadId: conversation.id, answer: last, newId, onChange: () => this.#changed(conversation) }));
    else if (conversation.remote) this.#load(conversation);
  }

  async #load(conversation) {
    try {
      conversation.messages = fromStored(await messages(conversation.id));
      delete conversation.remote;
    } catch (error) {
      if (error.kind === 'session') this.#hooks.signedOut();
      return;
    }
    this.#keep(conversation);
    if (conversation !== this.#conversation) return;
    this.#views = [];
    this.log.replaceChildren();
    this.#render();
  }

  /** Sends a text as the person's message. */
  send(text) {
    const conversation = this.#conversation;
    if (this.#turns.has(conversation.id) || text.trim() === '') return;
    const message = userMessage(newId(), text.trim(), new Date().toISOString());
    if (conversation.messages.length === 0) conversation.title = titleOf(message.text);
    conversation.messages.push(message);
    this.#start(conversation, message);
  }

  #answer(part, text) {
    if (this.#turns.has(this.#conversation.id)) return;
    part.answer = text;
    this.send(text);
  }

  /** Asks again what the failed answer was to answer. */
  #retry() {
    const conversation = this.#conversation;
    if (this.#turns.has(conversation.id)) return;
    conversation.messages.pop();
    this.#views.pop()?.element.remove();
    const message = conversation.messages.findLast((one) => one.role === 'user');
    if (message) this.#start(conversation, message);
  }

  #start(conversation, message) {
    const turn = new Turn({ threadId: conversation.id, assistant: conversation.assistant, message, newId, onChange: () => this.#changed(conversation) });
    conversation.messages.push(turn.answer);
    this.#follows(conversation, turn);
  }

  #follows(conversation, turn) {
    turn.conversation = conversation;
    this.#turns.set(conversation.id, turn);
    this.#follow = true;
    this.#announcer.begin();
    this.#keep(conversation);
    this.#render();
    this.#hooks.changed();
    turn.done.then((error) => this.#ended(conversation, error));
  }

  #ended(conversation, error) {
    this.#keep(conversation);
    // Once with the turn, so that the rest of the text is spoken, once without it, so that the composer is free.
    if (conversation === this.#conversation) this.#render();
    this.#turns.delete(conversation.id);
    if (conversation === this.#conversation) this.#render();
    this.#hooks.changed();
    if (error?.kind === 'session') this.#hooks.signedOut();
  }

  #changed(conversation) {
    if (Date.now() - this.#savedAt > SAVE_EVERY) this.#keep(conversation);
    if (conversation !== this.#conversation || this.#scheduled) return;
    this.#scheduled = true;
    const draw = () => {
      this.#scheduled = false;
      this.#render();
    };
    // A page in the background gets no frames, and the end of an answer must not wait for one.
    if (document.hidden) setTimeout(draw, 200);
    else requestAnimationFrame(draw);
  }

  #keep(conversation) {
    this.#savedAt = Date.now();
    conversation.updatedAt = new Date().toISOString();
    // It may have been renamed in the list, or removed: then nothing is written any more.
    if (conversation.removed) return;
    this.#store.save(conversation);
  }

  renamed(id, title) {
    if (this.#conversation.id === id) this.#conversation.title = title;
    const running = this.#turns.get(id)?.conversation;
    if (running) running.title = title;
  }

  removed(id) {
    const turn = this.#turns.get(id);
    if (turn) {
      turn.conversation.removed = true;
      turn.stop();
    }
    if (this.#conversation.id === id) this.open();
  }

  #render() {
    const { messages, id } = this.#conversation;
    const turn = this.#turns.get(id);
    this.log.classList.toggle('empty', messages.length === 0);
    if (messages.length === 0) this.#welcome();
    else if (this.#views.length === 0) this.log.replaceChildren();
    messages.forEach((message, index) => {
      this.#views[index] ??= this.#show(message);
      this.#views[index].update?.(index === messages.length - 1, turn?.status);
    });
    this.composer.busy = Boolean(turn);
    this.composer.hint = openPicker(messages.at(-1)) ? 'Answer above, or ask…' : assistantOf(this.#conversation).hint;
    this.#speak(messages.at(-1), turn);
    if (this.#follow) this.#scrollAlong();
  }

  #welcome() {
    const choose = (name) => {
      this.#conversation.assistant = name;
      this.#render();
      this.log.querySelector('.choice[aria-pressed="true"]').focus();
    };
    this.log.replaceChildren(welcome(this.user, this.#conversation.assistant, { send: (text) => this.send(text), choose }));
  }

  #show(message) {
    const actions = { send: (text) => this.send(text), answer: (part, text) => this.#answer(part, text), retry: () => this.#retry() };
    const view = message.role === 'user' ? { element: userView(message) } : new AssistantView(message, actions);
    this.log.append(view.element);
    return view;
  }

  #speak(message, turn) {
    if (!turn) return;
    if (turn.status && turn.status !== this.saidStatus) this.#announcer.say(turn.status);
    this.saidStatus = turn.status;
    this.#announcer.follow(plainText(message), message.state !== 'streaming');
  }

  #watchScroll() {
    const { scrollHeight, scrollTop, clientHeight } = this.scroller;
    const atEnd = scrollHeight - scrollTop - clientHeight < NEAR_END;
    this.jump.hidden = atEnd;
    // Whoever scrolls away reads something else and must not be pulled back; whoever returns to the end follows again.
    if (atEnd) this.#follow = true;
    else if (Math.abs(scrollTop - this.#scrolledTo) > NEAR_END) this.#follow = false;
  }

  /** Keeps the end in sight, but never pushes the question that is being answered out of it. */
  #scrollAlong() {
    const asked = this.log.querySelectorAll('.message.user');
    const question = asked.length > 0 ? asked[asked.length - 1].offsetTop - QUESTION_ROOM : 0;
    this.scroller.scrollTop = Math.min(question, this.scroller.scrollHeight);
    this.#scrolledTo = this.scroller.scrollTop;
  }
}

/** The text field and its button, which stops while an answer runs. */
export class Composer {
  #busy = false;

  constructor(form) {
    this.form = form;
    this.field = form.querySelector('textarea');
    this.send = form.querySelector('[data-send]');
    this.stop = form.querySelector('[data-stop]');
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.stop.addEventListener('click', () => this.onStop());
    this.field.addEventListener('input', () => this.#fit());
    this.field.addEventListener('keydown', (event) => {
      // While an input method composes, Enter belongs to it.
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#submit();
    });
    this.#fit();
  }

  set busy(busy) {
    this.#busy = busy;
    const hadFocus = this.form.contains(document.activeElement);
    this.send.hidden = busy;
    this.stop.hidden = !busy;
    if (hadFocus && document.activeElement === document.body) this.field.focus();
  }

  set hint(text) {
    this.field.placeholder = text;
  }

  /** On touch screens the keyboard would jump up. */
  focus() {
    if (matchMedia('(pointer: fine)').matches) this.field.focus({ preventScroll: true });
  }

  #submit() {
    const text = this.field.value;
    if (this.#busy || text.trim() === '') return;
    this.field.value = '';
    this.#fit();
    this.onSend(text);
  }

  #fit() {
    this.field.style.height = 'auto';
    this.field.style.height = `${Math.min(this.field.scrollHeight, 200)}px`;
    this.send.disabled = this.field.value.trim() === '';
  }
}
