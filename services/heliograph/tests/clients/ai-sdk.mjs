// A page made with the AI SDK, without the page: `node ai-sdk.mjs <package>` holds whole conversations through the package's own
// chat and transport, with the option that makes it answer for finished calls by itself.

import assert from 'node:assert/strict';

import { Chat } from './ai-sdk-chat.mjs';
import { others, pickerOf, pickers, questions, selected, unknown } from './conversation.mjs';
import { run, version } from './run.mjs';
import { historyOf } from './server.mjs';

const name = process.argv[2];
const sdk = await import(name);
const newChat = (options) => new Chat(sdk, { history: historyOf, ...options });

await run({
  async 'questions and pickers answered in words, in one long conversation'() {
    const chat = newChat();
    for (const { say, shows } of questions) shows(await chat.say(say));
    for (const { say, offers, choice, shows } of pickers) {
      offers(pickerOf(await chat.say(say)).input);
      shows(await chat.say(selected(choice)));
    }
    unknown.shows(await chat.say(unknown.say));
    return `${chat.messages.length} messages, the last request ${Math.round(chat.largestRequest / 1024)} KiB`;
  },

  async 'a picker answered in place continues its message'() {
    for (const { say, offers, choice, shows } of pickers) {
      for (const output of [choice, { selection: choice }]) {
        const chat = newChat();
        const picker = pickerOf(await chat.say(say));
        offers(picker.input);
        shows(await chat.answer(picker, output));
        assert.equal(chat.messages.length, 2, 'a question and its answer');
        questions[1].shows(await chat.say(questions[1].say));
      }
    }
  },

  async 'a picker that is ignored stands in no way'() {
    const chat = newChat();
    const picker = pickerOf(await chat.say(pickers[0].say));
    questions[1].shows(await chat.say(questions[1].say));
    await chat.answerInVain(picker, pickers[0].choice);
    questions[2].shows(await chat.say(questions[2].say));
  },

  async 'a picker answered twice is answered once'() {
    const chat = newChat();
    const picker = pickerOf(await chat.say(pickers[0].say));
    const elsewhere = newChat({ id: chat.id, messages: chat.messages, history: undefined });
    pickers[0].shows(await chat.answer(picker, pickers[0].choice, { again: 'GW-INV-001' }));
    chat.share();
    const late = await elsewhere.answer(picker, 'GW-INV-001');
    assert(late.text, 'the second page is told something');
    assert((await chat.say(selected(pickers[0].choice))).text, 'and so is who repeats it in words');
    questions[1].shows(await chat.say(questions[1].say));
  },

  async 'a picker given up by assistant-ui is answered in words'() {
    const chat = newChat();
    const picker = pickerOf(await chat.say(pickers[0].say));
    chat.giveUp(picker, 'User cancelled tool call by sending a new message.');
    pickers[0].shows(await chat.say(selected(pickers[0].choice)));
  },

  async 'a picker that is closed stands in no way'() {
    const chat = newChat();
    const picker = pickerOf(await chat.say(pickers[0].say));
    const answer = await chat.close(picker, 'The person closed the picker.');
    assert(answer.text, 'the person is told');
    assert.deepEqual(answer.calls, [], 'and is not asked again');
    questions[1].shows(await chat.say(questions[1].say));
  },

  async 'a choice that was not offered is not taken'() {
    const chat = newChat();
    const picker = pickerOf(await chat.say(pickers[0].say));
    const answer = await chat.answer(picker, 'NO-SUCH-001');
    assert(answer.text, 'the person is told');
    assert(!answer.calls.some(({ name }) => name === 'render_ui_component'), 'no report of it');
    questions[1].shows(await chat.say(questions[1].say));
  },

  async 'a message that is refused says why, and the chat goes on'() {
    const chat = newChat();
    assert.match(await chat.sayInVain(' '), /the message has no text/);
    questions[0].shows(await chat.say(questions[0].say));
  },

  async 'other assistants, with plans, rows and sources'() {
    for (const { assistant, says, choices } of others) {
      const chat = newChat({ body: { assistant } });
      for (const { say, shows } of says) shows(await chat.say(say), chat.messages.at(-1));
      for (const { say, choose, shows } of choices) {
        const answer = await chat.say(say);
        // What was chosen once is remembered.
        const asked = answer.calls.at(-1)?.name === 'request_user_selection';
        shows(asked ? await chat.answer(pickerOf(answer), choose(pickerOf(answer).input)) : answer, chat.messages.at(-1));
      }
    }
  },

  async 'an answer that is stopped is no error'() {
    await newChat().stop(questions[1].say);
  },

  async 'an answer asked for anew takes the place of the first'() {
    const chat = newChat();
    questions[2].shows(await chat.say(questions[2].say));
    questions[2].shows(await chat.again());
    assert.equal(chat.messages.length, 2);
  },
}, await version(name));
