import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyChunk, assistantMessage, close, fail, openPicker, phase, plainText, rowsOf } from '../message.js';

function fill(...chunks) {
  const message = assistantMessage('m', '2026-01-01T00:00:00Z');
  chunks.forEach((chunk, index) => applyChunk(message, chunk, index * 10));
  return message;
}

const TEXT = [
  { type: 'text-start', id: 't1' },
  { type: 'text-delta', id: 't1', delta: 'Good ' },
  { type: 'text-delta', id: 't1', delta: 'morning' },
  { type: 'text-end', id: 't1' },
];
const call = (id, name, input = {}) => ({ type: 'tool-input-available', toolCallId: id, toolName: name, input });

test('texts, calls and cards stand in the order of their arrival', () => {
  const message = fill(
    { type: 'start', messageId: 'x', messageMetadata: { threadId: 't', runId: 'r' } },
    ...TEXT,
    call('c1', 'get_fleet_overview'),
    { type: 'tool-output-available', toolCallId: 'c1', output: { status: 'ok' } },
    call('c2', 'render_ui_component', { component: 'FleetOverview' }),
    { type: 'text-delta', id: 't2', delta: 'More' },
    { type: 'finish', finishReason: 'stop', messageMetadata: { source: 'rules' } },
  );
  assert.deepEqual(message.parts.map((part) => part.name ?? part.text), ['Good morning', 'get_fleet_overview', 'render_ui_component', 'More']);
  assert.equal(message.parts[1].duration, 10);
  assert.deepEqual([message.state, message.source, message.runId], ['done', 'rules', 'r']);
  assert.equal(plainText(message), 'Good morning\n\nMore');
});

test('what does not fit changes nothing', () => {
  const before = JSON.stringify(fill(...TEXT));
  const strange = [null, 7, {}, { type: 'tomorrow' }, { type: 'toString' }, { type: 'tool-output-available', toolCallId: 'unknown', output: 1 }, { type: 'text-delta', id: 't1', delta: { not: 'text' } }, call('', 'x')];
  const message = fill(...TEXT);
  // A delta for a closed part would open another one; here it is not text at all.
  for (const chunk of strange) applyChunk(message, chunk, 0);
  assert.equal(JSON.stringify(message), before);
});

test('a call that comes twice stays one, and keeps its first output', () => {
  const output = (value) => ({ type: 'tool-output-available', toolCallId: 'c', output: value });
  const message = fill(call('c', 'a'), call('c', 'b'), output(1), output(2));
  assert.deepEqual(message.parts.map(({ name, output: kept }) => [name, kept]), [['a', 1]]);
});

test('the phase follows what the stream does', () => {
  const message = assistantMessage('m', '');
  const seen = [phase(message)];
  for (const chunk of [call('c', 'list_loggers'), { type: 'tool-output-available', toolCallId: 'c', output: {} }, ...TEXT.slice(0, 2), TEXT[3], { type: 'finish' }]) {
    applyChunk(message, chunk, 0);
    seen.push(phase(message));
  }
  assert.deepEqual(seen, ['thinking', 'analysing', 'thinking', 'thinking', 'streaming', 'working', 'idle']);
});

test('an error keeps what was shown, and a later finish does not hide it', () => {
  const message = fill(...TEXT.slice(0, 2), { type: 'error', errorText: 'Sorry.' }, { type: 'finish' });
  assert.deepEqual([message.state, message.error.text, message.parts[0].text, message.parts[0].open], ['failed', 'Sorry.', 'Good ', false]);
  const seed = fill({ type: 'error', message: 'In the first front end’s member.' });
  assert.equal(seed.error.text, 'In the first front end’s member.');
});

test('a picker is open once the answer is complete, until it is answered', () => {
  const message = fill(call('p', 'request_user_selection', { prompt: '?' }));
  assert.equal(openPicker(message), undefined);
  close(message, 'done');
  assert.equal(openPicker(message).id, 'p');
  message.parts[0].answer = 'Selected: X';
  assert.equal(openPicker(message), undefined);
});

test('a failure ends the text that was open', () => {
  const message = fill(...TEXT.slice(0, 2));
  fail(message, 'network', 'Lost.');
  assert.deepEqual([message.state, message.parts[0].open], ['failed', false]);
});

test('rows of a query to a database know their query', () => {
  const rows = [{ name: 'Ada' }];
  const call = { toolCallId: 'c1', toolName: 'run_sql' };
  const message = fill(
    { type: 'tool-input-available', ...call, input: { sql: 'SELECT name FROM crew' } },
    { type: 'tool-output-available', ...call, output: { status: 'ok', result: { target: 'field', rows } } },
    { type: 'data-rows', data: rows },
  );
  assert.deepEqual(message.parts.at(-1).whole, { target: 'field', sql: 'SELECT name FROM crew' });
});

test('rows are kept as rows; the sources of documents and what is no row are not', () => {
  const message = fill({ type: 'data-rows', data: [{ name: 'Ada', hours: 7 }] }, { type: 'data-rows', data: [{ filename: 'a.md', chunk_index: 0 }] }, { type: 'data-rows', data: 'none' });
  assert.deepEqual(message.parts.map(({ type, rows }) => ({ type, rows })), [{ type: 'rows', rows: [{ name: 'Ada', hours: 7 }] }]);
  assert.equal(rowsOf([null, 3, []]), undefined);
});
