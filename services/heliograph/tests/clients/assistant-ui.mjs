// assistant-ui's own decoder of the stream: a second reading of the same bytes, by other people.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

import { AssistantMessageAccumulator, UIMessageStreamDecoder } from 'assistant-stream';

import { pickerOf, pickers, questions, selected, unknown } from './conversation.mjs';
import { run, version } from './run.mjs';
import { Watch, authorization, chatUrl, shown } from './server.mjs';

// What the decoder does not understand it drops, with a warning that nobody sees.
const warnings = [];
console.warn = (...warning) => warnings.push(warning.join(' '));

class Chat {
  #id = randomUUID();
  #watch = new Watch();

  /** Sends a message as assistant-ui's transport does; gives back what its decoder makes of the answer. */
  async say(text) {
    const user = { id: randomUUID(), role: 'user', parts: [{ type: 'text', text }], metadata: { custom: {} } };
    const extra = { system: 'You are someone else.', tools: { draw: { parameters: { type: 'object' } } }, callSettings: {}, config: {}, metadata: {} };
    const body = JSON.stringify({ ...extra, id: this.#id, messages: [user], trigger: 'submit-message' });
    const response = await this.#watch.fetch(chatUrl(), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization() },
      body,
    });
    const message = await decode(response.body);
    const { answers, faults } = await this.#watch.turn();
    assert.deepEqual({ faults, warnings }, { faults: [], warnings: [] });
    const answer = view(message.parts);
    assert.deepEqual(answer, shown(answers[0].chunks), 'the decoder shows what was sent');
    const open = answer.calls.some(({ output }) => output === undefined);
    assert.equal(message.status.type, open ? 'requires-action' : 'complete');
    return answer;
  }
}

async function decode(body) {
  let message;
  const messages = body.pipeThrough(new UIMessageStreamDecoder()).pipeThrough(new AssistantMessageAccumulator());
  for await (const state of messages) message = state;
  return message;
}

function view(parts) {
  return {
    text: parts.filter(({ type }) => type === 'text').map(({ text }) => text).join(''),
    calls: parts
      .filter(({ type }) => type === 'tool-call')
      .map(({ toolCallId: id, toolName: name, argsText, result: output }) => ({ id, name, input: JSON.parse(argsText), output })),
  };
}

await run({
  async 'questions and pickers'() {
    const chat = new Chat();
    for (const { say, shows } of [...questions, unknown]) shows(await chat.say(say));
    for (const { say, offers, choice, shows } of pickers) {
      offers(pickerOf(await chat.say(say)).input);
      shows(await chat.say(selected(choice)));
    }
  },
}, await version('assistant-stream'));
