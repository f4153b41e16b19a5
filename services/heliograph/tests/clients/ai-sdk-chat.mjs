// A chat of the AI SDK that keeps its messages in memory, and checks after every turn that all went well, and that a page that opens the
// conversation now has the same messages.

import assert from 'node:assert/strict';

import { Watch, authorization, chatUrl, historyOf, shown } from './server.mjs';

/** A chat of one major: `sdk` is its package. */
export class Chat {
  #chat;
  #watch;
  #errors = [];
  #told = 0;
  #turnIsOver = () => undefined;
  #onData = () => undefined;
  #history;
  #answered = new Set();
  #first = new Map();

  /** `history` gives the messages of a thread as they are kept; without it they are not compared. */
  constructor(sdk, { id, messages = [], fetch, url = chatUrl(), headers = authorization(), body, history } = {}) {
    this.#watch = new Watch(fetch);
    this.#history = history;
    class InMemoryChat extends sdk.AbstractChat {}
    this.#chat = new InMemoryChat({
      id,
      state: new State(messages),
      transport: new sdk.DefaultChatTransport({ api: url, headers, body, fetch: this.#watch.fetch }),
      onError: (error) => {
        this.#errors.push(error);
        this.#turnIsOver();
      },
      onData: () => {
        this.#told += 1;
        this.#onData();
      },
      // What a page would give; asked whenever an answer is complete or a call has got its output.
      sendAutomaticallyWhen: (options) => {
        const again = sdk.lastAssistantMessageIsCompleteWithToolCalls(options);
        if (!again) this.#turnIsOver();
        return again;
      },
    });
  }

  get id() {
    return this.#chat.id;
  }

  get messages() {
    return structuredClone(this.#chat.messages);
  }

  /** Somebody else goes on with the conversation, so what is kept of it is not what is here any more. */
  share() {
    this.#history = undefined;
  }

  get largestRequest() {
    return this.#watch.largest;
  }

  /** Sends a message; gives back what is shown of the answer. */
  async say(text) {
    const before = this.messages;
    this.#told = 0;
    await this.#chat.sendMessage({ text });
    const [request] = await this.#over();
    assert.equal(this.#chat.messages.length, before.length + 2, 'a question and an answer more');
    return await this.#check(request, 0);
  }

  /** Answers a picker with a value, in place; `again` is a second click while the first is on its way. */
  answer(picker, output, { again } = {}) {
    return this.#continue(picker, { output }, again === undefined ? [] : [{ output: again }]);
  }

  /** Closes a picker without an answer, in place. */
  close(picker, errorText) {
    return this.#continue(picker, { state: 'output-error', errorText }, []);
  }

  async #continue(picker, first, others) {
    const before = this.messages;
    this.#told = 0;
    const over = new Promise((resolve) => {
      this.#turnIsOver = resolve;
    });
    for (const answer of [first, ...others]) await this.#put(picker, answer);
    this.#answered.add(picker.id);
    // A page shows what was put last; the conversation keeps what was answered first.
    if (others.length > 0) this.#first.set(picker.id, first.output);
    await over;
    const [request] = await this.#over();
    assert.equal(request.body.messageId, before.at(-1).id, 'the request names the message that it continues');
    assert.equal(this.#chat.messages.length, before.length, 'the message is continued, not told again');
    assert.equal(this.#chat.messages.at(-1).id, before.at(-1).id);
    return this.#check(request, before.at(-1).parts.length);
  }

  /** Answers a picker that the conversation has left behind: nothing is to happen. */
  async answerInVain(picker, output) {
    await this.#put(picker, { output });
    await this.#over(0);
  }

  /** Sends a message that is refused; gives back what the page is told, and goes on as a page would. */
  async sayInVain(text) {
    await this.#chat.sendMessage({ text });
    await this.#watch.turn();
    assert.equal(this.#chat.status, 'error');
    const [error] = this.#errors.splice(0);
    this.#chat.clearError();
    this.#chat.messages = this.messages.slice(0, -1);
    return error.message;
  }

  /** Sends a message and stops the answer as soon as it begins. */
  async stop(text) {
    this.#onData = () => this.#chat.stop();
    await this.#chat.sendMessage({ text });
    this.#onData = () => undefined;
    await this.#watch.turn();
    assert.deepEqual([this.#chat.status, this.#errors], ['ready', []]);
  }

  /** Asks for the last answer anew. */
  async again() {
    this.#told = 0;
    await this.#chat.regenerate();
    const [request] = await this.#over();
    assert.equal(request.body.trigger, 'regenerate-message');
    return this.#check(request, 0);
  }

  /** Marks a picker as failed, as assistant-ui does before it sends a message in its stead. */
  giveUp(picker, errorText) {
    const giveUp = (part) => (part.toolCallId === picker.id ? { ...part, state: 'output-error', errorText } : part);
    this.#chat.messages = this.messages.map((message) => ({ ...message, parts: message.parts.map(giveUp) }));
  }

  #put(picker, answer) {
    return this.#chat.addToolOutput({ tool: picker.name, toolCallId: picker.id, ...answer });
  }

  /** The answers of the turn, when there were as many as there should be, and the client is content with them, and so are we. */
  async #over(requests = 1) {
    const { answers, faults } = await this.#watch.turn();
    const outcome = { requests: answers.length, faults, refused: this.#errors.map(String), status: this.#chat.status };
    assert.deepEqual(outcome, { requests, faults: [], refused: [], status: 'ready' });
    return answers;
  }

  /** What the last message shows from a part on, checked against what was sent. */
  async #check({ chunks }, from) {
    const message = this.#chat.messages.at(-1);
    assert.equal(message.role, 'assistant');
    assert.equal(message.id, chunks[0].messageId, 'the message has the id that we gave it');
    assert.equal(message.metadata.threadId, this.#chat.id, 'the chat is the thread');
    assert.equal(new Set(this.#chat.messages.map(({ id }) => id)).size, this.#chat.messages.length, 'each message is there once');
    assert.equal(this.#told, chunks.filter(({ type }) => type.startsWith('data-')).length, 'passing hints reach the page');
    message.parts.forEach((part, index) => checkPart(part, index, message));
    const answer = view(message.parts.slice(from));
    assert.deepEqual(answer, shown(chunks), 'the client shows what was sent');
    await this.#checkHistory();
    return answer;
  }

  async #checkHistory() {
    if (this.#history === undefined) return;
    const kept = await this.#history(this.#chat.id);
    const known = kept.map((message, index) => this.#asKnown(message, this.#chat.messages[index]));
    assert.deepEqual(known, plain(this.#chat.messages), 'who opens the conversation has the same messages');
  }

  /** A kept message as far as its client can know it: not when it was stored, and not what became of a picker that was answered in words. */
  #asKnown(message, here) {
    assert(message.metadata.createdAt && message.metadata.status === 'complete', 'it is known when, and that it is whole');
    const { createdAt, status, ...metadata } = message.metadata;
    const parts = message.parts.map((part) => {
      const before = here?.parts.find(({ toolCallId }) => toolCallId === part.toolCallId);
      if (this.#first.has(part.toolCallId)) {
        assert.deepEqual(part.output, this.#first.get(part.toolCallId), 'the first answer counts');
        return { ...part, output: before?.output };
      }
      if (part.type !== 'tool-request_user_selection' || this.#answered.has(part.toolCallId)) return part;
      const { output, ...rest } = part;
      if (output !== undefined) assert(output.selection, 'it says what was chosen');
      // What a page put into a picker that the conversation has left behind is the page's own.
      const own = before?.output === undefined ? {} : { output: before.output };
      return { ...rest, ...own, state: before?.state, ...(before?.errorText && { errorText: before.errorText }) };
    });
    const { metadata: _, ...rest } = message;
    return { ...rest, ...(Object.keys(metadata).length > 0 && { metadata }), parts };
  }
}

/** As JSON has it: without what is undefined. */
function plain(value) {
  return JSON.parse(JSON.stringify(value));
}

/** The state that a page would keep for the chat. */
export class State {
  status = 'ready';
  error = undefined;

  constructor(messages) {
    this.messages = messages;
  }

  pushMessage = (message) => {
    this.messages = [...this.messages, message];
  };

  popMessage = () => {
    this.messages = this.messages.slice(0, -1);
  };

  replaceMessage = (index, message) => {
    this.messages = this.messages.map((old, at) => (at === index ? structuredClone(message) : old));
  };

  snapshot = (value) => structuredClone(value);
}

function checkPart(part, index, message) {
  if (part.type === 'text') {
    assert(part.text !== '' && part.state !== 'streaming', `part ${index} is a text that has ended`);
  } else if (part.type === 'tool-request_user_selection') {
    assert(!part.providerExecuted, 'the person answers the picker');
    const open = part.state === 'input-available';
    assert(!open || index === message.parts.length - 1, 'an open picker comes last');
  } else if (part.type.startsWith('tool-')) {
    assert.deepEqual([part.state, part.providerExecuted], ['output-available', true], `part ${index}, ${part.type}`);
  } else {
    const others = ['step-start', 'data-flow', 'data-warning', 'data-plan', 'data-rows', 'source-document', 'source-url'];
    assert(others.includes(part.type), `part ${index} is ${part.type}`);
  }
}

function view(parts) {
  return {
    text: parts.filter(({ type }) => type === 'text').map(({ text }) => text).join(''),
    calls: parts
      .filter(({ type }) => type.startsWith('tool-'))
      .map(({ type, toolCallId: id, input, output }) => ({ id, name: type.slice('tool-'.length), input, output })),
  };
}
