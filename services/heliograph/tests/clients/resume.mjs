// A page that is closed in the middle of an answer and opened again: `node resume.mjs <package>`. It says `joined` when the second
// page has what was said so far, and waits for the rest.

import assert from 'node:assert/strict';

import { State } from './ai-sdk-chat.mjs';
import { version } from './run.mjs';
import { authorization, chatUrl } from './server.mjs';

const name = process.argv[2];
const question = 'Please tell me the tale of Qa';
const sdk = await import(name);

class InMemoryChat extends sdk.AbstractChat {}

function page(id, messages) {
  const errors = [];
  const transport = new sdk.DefaultChatTransport({ api: chatUrl(), headers: authorization() });
  const chat = new InMemoryChat({ id, state: new State(messages), transport, onError: (error) => errors.push(error) });
  return { chat, errors };
}

const text = (message) => message?.parts.filter(({ type }) => type === 'text').map((part) => part.text).join('') ?? '';

async function until(what, holds) {
  const deadline = Date.now() + 60_000;
  while (!holds()) {
    assert(Date.now() < deadline, what);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const first = page(`resume-${name}`, []);
const sent = first.chat.sendMessage({ text: question });
await until('the answer never began', () => text(first.chat.messages[1]).includes('Hello.'));
await first.chat.stop();
await sent;

const second = page(first.chat.id, [structuredClone(first.chat.messages[0])]);
const joined = second.chat.resumeStream();
await until('the answer was not joined', () => text(second.chat.messages[1]).includes('Hello.'));
console.log('joined');
await joined;
assert.deepEqual([second.chat.status, second.errors], ['ready', []]);
assert.equal(second.chat.messages.length, 2, 'the answer is there once');
// The model only greets, so the rules' answer follows.
assert.match(text(second.chat.messages[1]), /^Hello\. Let me know\. I don't understand "tale" and "qa" here/);
assert.equal(second.chat.messages[1].id, first.chat.messages[1].id);

const third = page(first.chat.id, structuredClone(second.chat.messages));
await third.chat.resumeStream();
assert.deepEqual([third.chat.status, third.errors], ['ready', []]);
assert.deepEqual(third.chat.messages, second.chat.messages, 'nothing is answered any more');
console.log(`${await version(name)}: ok`);
