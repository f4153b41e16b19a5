// A page made after the first document: its request, and its reader of the answer, which takes the body line by line, knows four
// kinds of event and drops what it does not know.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

import { pickerOf, pickers, questions, selected, unknown } from './conversation.mjs';
import { run } from './run.mjs';
import { Watch, authorization, chatUrl, shown } from './server.mjs';

class Chat {
  #watch = new Watch();
  #threadId;
  #messages = [];

  constructor(threadId) {
    this.#threadId = threadId;
  }

  /** Sends the whole conversation, the new message last. */
  async say(content) {
    this.#messages.push({ role: 'user', content });
    const response = await this.#watch.fetch(chatUrl(), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization() },
      body: JSON.stringify({ messages: this.#messages, threadId: this.#threadId }),
    });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    const answer = await readLines(response.body);
    const { answers, faults } = await this.#watch.turn();
    assert.deepEqual(faults, []);
    assert.deepEqual(answer, shown(answers[0].chunks), 'the page shows what was sent');
    // The page puts all words into one part, whatever stood between them.
    assert.doesNotMatch(answer.text, /[.!?:][A-Z]/, 'sentences do not run into each other');
    this.#messages.push({ role: 'assistant', content: answer.text });
    return answer;
  }
}

async function readLines(body) {
  const answer = { text: '', calls: [] };
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith('data: ')) continue;
      const data = line.slice('data: '.length);
      if (data === '[DONE]') return answer;
      take(data, answer);
    }
  }
  throw new Error('the answer ends without [DONE]');
}

function take(data, answer) {
  let event;
  try {
    event = JSON.parse(data);
  } catch {
    return;
  }
  if (event.type === 'text-delta' && typeof event.delta === 'string') {
    answer.text += event.delta;
  } else if (event.type === 'tool-input-available' && event.toolCallId) {
    answer.calls.push({ id: event.toolCallId, name: event.toolName, input: event.input, output: undefined });
  } else if (event.type === 'tool-output-available') {
    const call = answer.calls.find(({ id }) => id === event.toolCallId);
    if (call) call.output = event.output;
  } else if (event.type === 'error') {
    throw new Error(event.message ?? 'Unknown error from backend');
  }
}

await run({
  async 'questions and pickers'() {
    const chat = new Chat(randomUUID());
    for (const { say, shows } of [...questions, unknown]) shows(await chat.say(say));
    for (const { say, offers, choice, shows } of pickers) {
      offers(pickerOf(await chat.say(say)).input);
      shows(await chat.say(selected(choice)));
    }
  },

  async 'a choice in the words of its own page'() {
    const chat = new Chat(randomUUID());
    for (const { say, choice, shows } of pickers) {
      pickerOf(await chat.say(say));
      shows(await chat.say(selected(choice).replace('Selected', 'User selected')));
    }
  },

  async 'a conversation without a thread'() {
    const chat = new Chat(undefined);
    for (const { say, shows } of questions) shows(await chat.say(say));
  },
}, 'a page after document 000');
