import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillFromServer, fromServer } from '../history.js';
import { applyChunk, assistantMessage, openPicker, plainText } from '../message.js';

const at = '2026-01-01T00:00:00Z';
const metadata = { status: 'complete', createdAt: at };
const text = (words) => ({ type: 'text', text: words, state: 'done' });
const call = (name, more) => ({ type: `tool-${name}`, toolCallId: name, state: 'output-available', input: {}, providerExecuted: true, ...more });
const picker = { type: 'tool-request_user_selection', toolCallId: 'c2', input: { prompt: 'Which one?' } };
const user = (id, words) => ({ id, role: 'user', metadata, parts: [text(words)] });
const assistant = (parts, more = {}) => ({ id: 'a', role: 'assistant', metadata: { ...metadata, source: 'rules', runId: 'r', ...more }, parts });
const read = (...messages) => fromServer({ messages, has_more: false, first_seq: 1 }).messages;

test('a stored conversation has its parts in the order in which they were seen', () => {
  const plan = { id: 'p1', tasks: [{ key: 'one', description: 'Find it', status: 'complete' }] };
  const [question, answer] = read(
    user('m1', 'Show shipments'),
    assistant([{ type: 'data-flow', data: { flow: 'lookup' } }, { type: 'step-start' }, text('I begin.'), { type: 'data-plan', id: 'p1', data: plan }, call('render_ui_component', { input: { component: 'X' } }), { type: 'data-rows', data: [{ a: 1 }, { a: 2 }] }, text('Done.')]),
  );
  assert.deepEqual([question.role, question.text], ['user', 'Show shipments']);
  assert.deepEqual(answer.parts.map((part) => part.name ?? part.type), ['text', 'plan', 'render_ui_component', 'rows', 'text']);
  assert.deepEqual([answer.state, answer.source, answer.runId, answer.flow.flow, plainText(answer)], ['done', 'rules', 'r', 'lookup', 'I begin.\n\nDone.']);
});

test('a picker shows what was chosen, or what was said in its place', () => {
  const chosen = { ...picker, state: 'output-available', output: { selection: ['A', 'B'] } };
  const open = { ...picker, state: 'input-available' };
  const [first, second, , third] = read(assistant([chosen]), assistant([open]), user('u', 'the second one'), assistant([open]));
  assert.equal(first.parts[0].answer, 'Selected: A, B');
  assert.deepEqual([second.parts[0].answer, second.parts[0].said], [undefined, 'the second one']);
  assert.equal(openPicker(second), undefined);
  // A text that the server understood as an answer is shown unchanged.
  const [understood, , clicked] = read(assistant([chosen]), user('u', 'both of them'), assistant([chosen]), user('v', 'Selected: A, B'));
  assert.deepEqual([understood.parts[0].answer, understood.parts[0].said], [undefined, 'both of them']);
  assert.deepEqual([clicked.parts[0].answer, clicked.parts[0].said], ['Selected: A, B', undefined]);
  assert.equal(openPicker(third).id, 'c2');
});

test('an answer that was stopped says so once, one that was cut says why', () => {
  const warning = (code, words) => ({ type: 'data-warning', data: { code, text: words } });
  const [stopped, bare, cut, failed] = read(
    assistant([text('Half'), warning('cancelled', 'Stopped.')], { status: 'partial' }),
    assistant([text('Half')], { status: 'partial' }),
    assistant([text('Half'), warning('model_stopped', 'The model stopped early.')], { status: 'partial' }),
    assistant([], { status: 'failed', error: { code: 'internal', text: 'It broke.' } }),
  );
  assert.deepEqual([stopped.state, stopped.parts.map((part) => part.type)], ['stopped', ['text']]);
  assert.equal(bare.state, 'stopped');
  assert.deepEqual([cut.state, cut.parts.at(-1).text], ['done', 'The model stopped early.']);
  assert.deepEqual([failed.state, failed.error.text], ['failed', 'It broke.']);
});

test('rows know their columns and how many there are from the query that brought them', () => {
  const run = { index: 'parcels', rows: [{ imo: 9839430 }, { imo: 9811000 }], columns: [{ name: 'imo', label: 'IMO number' }], total: { value: 142, relation: 'eq' } };
  const [message] = read(assistant([call('es_executor', { output: { status: 'ok', result: { outcome: 'ok', run } } }), { type: 'data-rows', data: run.rows }]));
  const rows = message.parts.find((part) => part.type === 'rows');
  assert.deepEqual([rows.about, rows.total.value, rows.columns[0].label], ['parcels', 142, 'IMO number']);
});

test('what comes before a page is fetched from its first message on', () => {
  assert.equal(fromServer({ messages: [], has_more: true, first_seq: 7 }).before, 7);
  assert.equal(fromServer({ messages: [], has_more: false, first_seq: 7 }).before, undefined);
});

test('an answer is filled with the last one that is stored, when that is one', () => {
  const message = assistantMessage('m', at);
  assert.equal(fillFromServer(message, { messages: [user('u', 'x')] }), false);
  assert.equal(fillFromServer(message, { messages: [user('u', 'x'), assistant([text('So.')])] }), true);
  assert.deepEqual([message.state, plainText(message)], ['done', 'So.']);
});

test('joining a stream anew replaces what there was', () => {
  const message = assistantMessage('m', at);
  const chunks = [{ type: 'start', messageId: 'x' }, { type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'Good morning' }];
  for (const chunk of [...chunks, ...chunks]) applyChunk(message, chunk, 0);
  assert.equal(plainText(message), 'Good morning');
  applyChunk(message, { type: 'finish', finishReason: 'other', messageMetadata: { source: 'rules' } }, 0);
  assert.equal(message.state, 'stopped');
});
