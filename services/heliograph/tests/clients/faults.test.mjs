// The tests of the tests: a sound stream that every client takes, and the same with one fault. Each fault is found by our own reading,
// and where a client minds it, by the client too.

import assert from 'node:assert/strict';
import test from 'node:test';

import { UIMessageStreamDecoder } from 'assistant-stream';

import { Chat } from './ai-sdk-chat.mjs';
import { readBody } from './stream.mjs';

const MAJORS = ['ai5-0', 'ai5', 'ai6', 'ai7'];

const step = (...chunks) => [{ type: 'start-step' }, ...chunks, { type: 'finish-step' }];
const text = (id, delta) => [{ type: 'text-start', id }, { type: 'text-delta', id, delta }, { type: 'text-end', id }];
const input = { type: 'tool-input-available', toolCallId: 'c1', toolName: 'list_loggers', input: {}, providerExecuted: true };
const output = { type: 'tool-output-available', toolCallId: 'c1', output: { status: 'ok' }, providerExecuted: true };
const start = { type: 'start', messageId: 'm1', messageMetadata: { threadId: 't1', runId: 'r1' } };
const finish = { type: 'finish', finishReason: 'stop', messageMetadata: { source: 'rules' } };
const picker = { type: 'tool-input-available', toolCallId: 'p1', toolName: 'request_user_selection', input: {} };
const called = { id: picker.toolCallId, name: picker.toolName };

const sound = [start, ...step(input, output), ...step(...text('x1', 'Four devices.')), finish];
const asking = [start, ...step(...text('x1', 'Which one?'), picker), { ...finish, finishReason: 'tool-calls' }];

/** A body of frames; `[DONE]` comes last. */
function body(chunks, { done = true } = {}) {
  const frames = [...chunks.map((chunk) => JSON.stringify(chunk)), ...(done ? ['[DONE]'] : [])];
  return frames.map((data, index) => `id: ${index + 1}\ndata: ${data}\n\n`).join('');
}

/** A sound stream with one chunk changed, or with several in its place. */
function change(chunk, ...others) {
  assert(sound.includes(chunk));
  return sound.flatMap((one) => (one === chunk ? others : [one]));
}

/** Faults, what our own reading says of each, and the clients that refuse it. */
const faults = [
  ['null', change(input, { ...input, providerExecuted: null }), /null at \/providerExecuted/, MAJORS],
  ['null in the arguments of a call', change(input, { ...input, input: { date: null } }), /null at \/input\/date/, []],
  ['a member that clients do not know', change(output, { ...output, toolName: 'list_loggers' }), /toolName, which/, ['ai5-0']],
  ['a type that clients do not know', change(finish, { type: 'thinking' }, finish), /type that clients do not know/, MAJORS],
  ['an output of another message', change(output, { ...output, toolCallId: 'c0' }), /did not call/, MAJORS],
  ['an output before its call', change(input, output, input), /did not call/, MAJORS],
  ['no output member', change(output, { type: output.type, toolCallId: 'c1', providerExecuted: true }), /no output/, MAJORS],
  ['a text that was not begun', sound.filter(({ type }) => type !== 'text-start'), /not open/, MAJORS],
  ['a foreign reason', change(finish, { ...finish, finishReason: 'end_turn' }), /finishReason end_turn/, MAJORS],
  ['a call without an output', sound.filter((chunk) => chunk !== output), /calls without an output/, []],
  ['two ends', change(finish, finish, finish), /after the end/, []],
  ['no end', sound.filter((chunk) => chunk !== finish), /neither finish nor error/, []],
  ['a text around a call', [start, ...step(text('x1', 'a')[0], input, output, ...text('x1', 'a').slice(1)), ...step(...text('x2', 'b')), finish], /within an open text/, []],
];

/** A chat that is answered with these bodies, the last of them again and again. */
async function chatOf(major, ...bodies) {
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no', 'x-vercel-ai-ui-message-stream': 'v1', 'x-run-id': 'r1' };
  const fetch = async () => new Response(bodies.length > 1 ? bodies.shift() : bodies[0], { headers });
  return new Chat(await import(major), { id: 't1', fetch, url: 'http://localhost/api/chat', headers: {} });
}

/** How a chat fares with a stream that is not in order: what `Chat` says of the turn. */
async function outcome(promise) {
  const error = await promise.then(() => undefined, (error) => error);
  assert(error?.actual !== undefined, `the fault is not caught: ${error}`);
  return error.actual;
}

for (const [name, chunks, said, refusing] of faults) {
  test(`${name}: found`, () => assert.match(readBody(body(chunks)).faults.join('\n'), said));
  for (const major of MAJORS) {
    const refuses = refusing.includes(major);
    test(`${name}: ${refuses ? 'refused' : 'forgiven'} by ${major}`, async () => {
      const chat = await chatOf(major, body(chunks));
      const { refused, status } = await outcome(chat.say('Hello'));
      assert.deepEqual([refused.length, status], refuses ? [1, 'error'] : [0, 'ready']);
    });
  }
}

for (const major of MAJORS) {
  test(`${major} takes a sound stream`, async () => {
    const chat = await chatOf(major, body(sound));
    assert.equal((await chat.say('Hello')).text, 'Four devices.');
  });

  test(`${major} sends what ends with calls that are not marked as ours again by itself`, async () => {
    const unmarked = [input, output].map(({ providerExecuted: _, ...chunk }) => chunk);
    const chat = await chatOf(major, body([start, ...step(...unmarked, ...text('x1', 'Four devices.')), finish]));
    const { requests } = await outcome(chat.say('Hello'));
    assert(requests > 1, `${requests} requests`);
  });

  test(`${major} does not send the answer to a picker that is marked as ours`, async () => {
    const marked = asking.map((chunk) => (chunk === picker ? { ...chunk, providerExecuted: true } : chunk));
    const chat = await chatOf(major, body(marked));
    const { faults } = await outcome(chat.say('Which?'));
    assert.match(faults.join(), /request_user_selection has providerExecuted: true/);
    const { requests } = await outcome(chat.answer(called, 'A'));
    assert.equal(requests, 0);
  });

  test(`${major} tells a message twice whose continuation has another id`, async () => {
    const chat = await chatOf(major, body(asking), body(change(start, { ...start, messageId: 'm2' })));
    await chat.say('Which?');
    await assert.rejects(chat.answer(called, 'A'), /continued, not told again/);
  });
}

test('assistant-ui refuses a stream without [DONE], and one with named events', async () => {
  const decode = async (bytes) => {
    for await (const _ of new Response(bytes).body.pipeThrough(new UIMessageStreamDecoder()));
  };
  await decode(body(sound));
  await assert.rejects(decode(body(sound, { done: false })), /\[DONE\]/);
  await assert.rejects(decode(body(sound).replaceAll('id: ', 'event: chunk\nid: ')), /Unknown SSE event/);
  assert.match(readBody(body(sound, { done: false })).faults.join('\n'), /\[DONE\] is not the last/);
  assert.match(readBody(body(sound).replace('id: 1', 'event: chunk\nid: 1')).faults.join('\n'), /not one id and one line/);
});

test('a reading that is missing may be null', () => {
  const chunks = change(output, { ...output, output: { status: 'ok', result: [{ power: null }] } });
  assert.deepEqual(readBody(body(chunks)).faults, []);
});

test('frames that are cut, unnumbered or out of order are found', () => {
  assert.match(readBody(body(sound).trimEnd()).faults.join('\n'), /cut off/);
  assert.match(readBody(body(sound).replace('id: 2\n', '')).faults.join('\n'), /not one id/);
  assert.match(readBody(body(sound).replace('id: 2\n', 'id: 9\n')).faults.join('\n'), /do not rise/);
  assert.deepEqual(readBody(`: keep-alive\n\n${body(sound)}`).faults, []);
});
