/** The visible conversation: its messages, and the active turns. */

import { Announcer } from './announcer.js';
import { readThread, threadById } from './api.js';
import { button } from './dom.js';
import { fromServer } from './history.js';
import { answerInWords, assistantMessage, openPicker, plainText, userMessage } from './message.js';
import { AssistantView, userView } from './message-view.js';
import { failureState, skeleton } from './states.js';
import { newId, titleOf } from './store.js';
import { Turn } from './turn.js';
import { welcome } from './welcome.js';

/** The distance to its end at which a list counts as scrolled to the end, in pixels. */
const NEAR_END = 80;
/** The room above the current question, in pixels. */
const QUESTION_ROOM = 12;
/** The interval at which a streaming answer is saved, in milliseconds. */
const SAVE_EVERY = 1500;

export class Chat {
  #store;
  #hooks;
  #conversation;
  /** Shown instead of the messages: `loading`, or why they cannot be shown. */
  #instead;
  #views = [];
  #turns = new Map();
  #announcer;
  #scheduled = false;
  #savedAt = 0;
  #follow = true;
  #scrolledTo = 0;

  /**
   * `hooks`: `changed()` after the list of conversations changed, `began(id)` when a new one got
   * its first message, `leave()` when the user opens a new one, `connect(kind)` when data are to be
   * added, `signedOut()` when the session is over.
   */
  constructor({ scroller, log, title, jump, live, composer }, store, assistants, user, hooks) {
    this.scroller = scroller;
    this.log = log;
    this.title = title;
    this.jump = jump;
    this.composer = composer;
    this.assistants = assistants;
    this.user = user;
    this.#store = store;
    this.#hooks = hooks;
    this.#announcer = new Announcer(live);
    composer.onSend = (text) => this.send(text);
    composer.onStop = () => this.#turns.get(this.#conversation.id)?.stop();
    scroller.onscroll = () => this.#watchScroll();
    jump.onclick = () => scroller.scrollTo({ top: scroller.scrollHeight, behavior: 'smooth' });
    new ResizeObserver(() => this.#watchScroll()).observe(log);
    addEventListener('pagehide', () => this.#turns.forEach((turn) => this.#keep(turn.conversation)));
  }

  get id() {
    return this.#conversation?.id;
  }

  /** The conversation for the address; undefined for a new one. */
  get addressed() {
    const conversation = this.#conversation;
    return conversation && (conversation.messages.length > 0 || conversation.remote) ? conversation.id : undefined;
  }

  isBusy(id) {
    return this.#turns.has(id);
  }

  /** Shows a conversation; without an id, a new one. */
  open(id) {
    const running = this.#turns.get(id)?.conversation;
    this.#conversation = running ?? (id === undefined ? newConversation() : (this.#store.get(id) ?? { ...newConversation(id), remote: true }));
    this.#instead = undefined;
    this.#follow = true;
    this.#begin();
    if (!running) this.#comeBack(this.#conversation);
    this.composer.focus();
  }

  /** Redraws after a change outside of the conversation, for example of the assistants. */
  refresh() {
    if (this.#conversation) this.#render();
  }

  /** Rejoins an unfinished answer, and fetches messages that only the server has. */
  #comeBack(conversation) {
    if (conversation.messages.at(-1)?.state === 'streaming') this.#rejoin(conversation);
    else if (conversation.remote || conversation.stale) this.#load(conversation);
  }

  /**
   * Fetches a conversation. A conversation that this browser has stored is shown until then, and if
   * the call fails.
   */
  async #load(conversation) {
    const isKnown = !conversation.remote;
    const isShown = () => conversation === this.#conversation;
    if (!isKnown) this.#show('loading');
    let thread;
    try {
      let read;
      [thread, read] = await readThread(conversation.id);
      // A message that was sent in the meantime is newer.
      if (this.#turns.has(conversation.id)) return;
      Object.assign(conversation, described(thread, conversation), fromServer(read));
    } catch (error) {
      if (error.kind === 'session') this.#hooks.signedOut();
      if (!isKnown && isShown()) this.#show(error);
      return;
    }
    delete conversation.remote;
    delete conversation.stale;
    this.#keep(conversation);
    if (thread.status === 'busy') this.#rejoin(conversation);
    if (isShown()) {
      this.#instead = undefined;
      this.#begin();
    }
    this.#hooks.changed();
  }

  /** Inserts the earlier messages before the oldest one. */
  async #loadEarlier(conversation, more) {
    more.disabled = true;
    try {
      const [, read] = await readThread(conversation.id, conversation.before);
      const { messages, before } = fromServer(read);
      Object.assign(conversation, { messages: [...messages, ...conversation.messages], before });
    } catch (error) {
      more.disabled = false;
      if (error.kind === 'session') this.#hooks.signedOut();
      else more.textContent = `${error.message} Try again`;
      return;
    }
    this.#keep(conversation);
    if (conversation !== this.#conversation) return;
    const below = this.scroller.scrollHeight - this.scroller.scrollTop;
    this.#follow = false;
    this.#begin();
    this.scroller.scrollTop = this.scroller.scrollHeight - below;
  }

  #show(instead) {
    this.#instead = instead;
    this.#begin();
  }

  /** Redraws the conversation. */
  #begin() {
    this.#views = [];
    this.log.replaceChildren();
    if (this.#conversation.before) this.log.append(this.#earlier(this.#conversation));
    this.#render();
  }

  #earlier(conversation) {
    const more = button({ label: 'Earlier messages', class: 'small earlier' }, () => this.#loadEarlier(conversation, more));
    return more;
  }

  /** Sends a text as the user's message. */
  send(text) {
    const conversation = this.#conversation;
    if (this.#instead || this.#turns.has(conversation.id) || text.trim() === '') return;
    const message = userMessage(newId(), text.trim(), new Date().toISOString());
    const isFirst = conversation.messages.length === 0;
    if (isFirst) {
      conversation.title = titleOf(message.text);
      conversation.assistant ??= this.assistants.first;
    } else answerInWords(conversation.messages.at(-1), message.text);
    conversation.messages.push(message);
    this.#start(conversation, message);
    if (isFirst) this.#hooks.began(conversation.id);
  }

  /** Asks an assistant in a new conversation. */
  ask(assistant, text) {
    this.open();
    this.#conversation.assistant = assistant;
    this.send(text);
  }

  #answer(part, text) {
    if (this.#turns.has(this.#conversation.id)) return;
    part.answer = text;
    this.send(text);
  }

  /** Sends the message of the failed answer again. */
  #retry() {
    const conversation = this.#conversation;
    if (this.#turns.has(conversation.id)) return;
    conversation.messages.pop();
    this.#views.pop()?.element.remove();
    const message = conversation.messages.findLast((one) => one.role === 'user');
    if (message) this.#start(conversation, message);
  }

  #start(conversation, message) {
    conversation.updatedAt = new Date().toISOString();
    const turn = new Turn({ threadId: conversation.id, assistant: conversation.assistant, message, onChange: () => this.#changed(conversation) });
    conversation.messages.push(turn.answer);
    this.#follows(conversation, turn);
  }

  /** Follows an answer that is already being streamed. */
  #rejoin(conversation) {
    const last = conversation.messages.at(-1);
    const answer = last?.state === 'streaming' ? last : assistantMessage(newId(), new Date().toISOString());
    if (answer !== last) conversation.messages.push(answer);
    this.#follows(conversation, new Turn({ threadId: conversation.id, answer, onChange: () => this.#changed(conversation) }));
  }

  #follows(conversation, turn) {
    turn.conversation = conversation;
    this.#turns.set(conversation.id, turn);
    this.#follow = true;
    this.#announcer.begin();
    this.#keep(conversation);
    if (conversation === this.#conversation) this.#render();
    this.#hooks.changed();
    turn.done.then((error) => this.#ended(conversation, error));
  }

  #ended(conversation, error) {
    conversation.updatedAt = new Date().toISOString();
    this.#keep(conversation);
    // Once with the turn, so that the rest of the text is announced, then without it, so that the
    // composer is enabled.
    if (conversation === this.#conversation) this.#render();
    this.#turns.delete(conversation.id);
    if (conversation === this.#conversation) this.#render();
    this.#hooks.changed();
    if (error?.kind === 'session') this.#hooks.signedOut();
    else if (!error) this.#noteServed(conversation);
  }

  /** Remembers the time stamp of the server's record when this page has all of it. */
  async #noteServed(conversation) {
    try {
      const thread = await threadById(conversation.id);
      if (this.#turns.has(conversation.id)) return;
      conversation.updatedAt = thread.last_updated;
      conversation.servedAt = thread.last_updated;
      this.#keep(conversation);
    } catch {
      // Then changes from elsewhere are not noticed here.
    }
  }

  #changed(conversation) {
    if (Date.now() - this.#savedAt > SAVE_EVERY) this.#keep(conversation);
    if (conversation !== this.#conversation || this.#scheduled) return;
    this.#scheduled = true;
    const draw = () => {
      this.#scheduled = false;
      this.#render();
    };
    // A page in the background gets no animation frames, and the end of an answer must not wait for
    // one.
    if (document.hidden) setTimeout(draw, 200);
    else requestAnimationFrame(draw);
  }

  #keep(conversation) {
    this.#savedAt = Date.now();
    // The conversation can have been renamed or removed in the list. A removed one is not written
    // any more.
    if (conversation.removed) return;
    this.#store.save(conversation);
  }

  renamed(id, title) {
    if (this.#conversation.id === id) this.#conversation.title = title;
    const running = this.#turns.get(id)?.conversation;
    if (running) running.title = title;
    this.#render();
  }

  removed(id) {
    const turn = this.#turns.get(id);
    if (turn) {
      turn.conversation.removed = true;
      turn.stop();
    }
    if (this.#conversation.id === id) this.#hooks.leave();
  }

  #render() {
    const { messages, id, title } = this.#conversation;
    const turn = this.#turns.get(id);
    const isEmpty = !this.#instead && messages.length === 0;
    this.title.textContent = title;
    this.title.hidden = isEmpty;
    document.title = isEmpty ? 'Heliograph' : `${title} · Heliograph`;
    this.log.classList.toggle('empty', isEmpty || this.#instead instanceof Error);
    this.composer.closed = Boolean(this.#instead);
    if (this.#instead) this.log.replaceChildren(this.#instead === 'loading' ? skeleton() : this.#failure(this.#instead));
    else if (isEmpty) this.#welcome();
    else this.#renderMessages(messages, turn);
    this.composer.busy = Boolean(turn);
    this.composer.hint = openPicker(messages.at(-1)) ? 'Answer above, or ask…' : 'Ask a question…';
    this.#speak(messages.at(-1), turn);
    if (this.#follow) this.#scrollAlong();
  }

  #renderMessages(messages, turn) {
    if (this.#views.length === 0) this.log.querySelector('.welcome')?.remove();
    messages.forEach((message, index) => {
      this.#views[index] ??= this.#view(message);
      this.#views[index].update?.(index === messages.length - 1, turn?.status);
    });
  }

  #failure(error) {
    const retry = ['Try again', 'retry', () => this.#load(this.#conversation)];
    const leave = ['New conversation', 'plus', () => this.#hooks.leave()];
    if (error.status === 404) return failureState({ title: 'This conversation does not exist', text: 'It was deleted, or it belongs to another account.' }, leave);
    return failureState({ title: 'The conversation cannot be shown', text: error.message }, retry, leave);
  }

  #welcome() {
    const chosen = this.#conversation.assistant ?? this.assistants.first;
    const choose = (id) => {
      this.#conversation.assistant = id;
      this.#render();
      this.log.querySelector('.choice[aria-pressed="true"]')?.focus();
    };
    this.log.replaceChildren(welcome(this.user, this.assistants, chosen, { send: (text) => this.send(text), choose, connect: (kind) => this.#hooks.connect(kind) }));
  }

  #view(message) {
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
    const below = scrollHeight - scrollTop - clientHeight;
    const atEnd = below < NEAR_END;
    this.jump.hidden = atEnd;
    this.scroller.classList.toggle('more-below', below > 2);
    // A user who scrolls away is not pulled back. A user who returns to the end follows the answer
    // again.
    if (atEnd) this.#follow = true;
    else if (Math.abs(scrollTop - this.#scrolledTo) > NEAR_END) this.#follow = false;
  }

  /** Keeps the end visible, but never scrolls the current question out of view. */
  #scrollAlong() {
    const asked = this.log.querySelectorAll('.message.user');
    const last = asked[asked.length - 1];
    const question = last instanceof HTMLElement ? last.offsetTop - QUESTION_ROOM : 0;
    this.scroller.scrollTop = Math.min(question, this.scroller.scrollHeight);
    this.#scrolledTo = this.scroller.scrollTop;
  }
}

function newConversation(id = newId()) {
  const now = new Date().toISOString();
  return { id, title: 'New conversation', assistant: undefined, messages: [], createdAt: now, updatedAt: now };
}

/** The data of a conversation besides its messages. */
function described(thread, { title }) {
  return { title: thread.title ?? title, assistant: thread.assistant, createdAt: thread.created_at, updatedAt: thread.last_updated, servedAt: thread.last_updated };
}
