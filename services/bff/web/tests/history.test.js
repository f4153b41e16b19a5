import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromStored } from '../history.js';
import { applyChunk, assistantMessage, openPicker, plainText } from '../message.js';

const at = '2026-01-01T00:00:00Z';
const picker = { id: 'c2', name: 'request_user_selection', arguments: { prompt: 'Which one?' } };

test('a stored conversation reads as it was led', () => {
  const [question, answer, last] = fromStored([
    { message_id: 'm1', role: 'user', text: 'Morning briefing', status: 'complete', created_at: at },
    { message_id: 'm2', role: 'assistant', text: 'All is well.', status: 'complete', source: 'rules', run_id: 'r', created_at: at, tools_used: [{ id: 'c1', name: 'render_ui_component', arguments: { component: 'X' }, status: 'success', result: {} }, { ...picker, status: 'success', result: { selection: ['A', 'B'] } }] },
    { message_id: 'm3', role: 'assistant', text: 'Half of', status: 'partial', created_at: at, tools_used: [{ ...picker, status: 'pending' }] },
  ]);
  assert.deepEqual([question.role, question.text], ['user', 'Morning briefing']);
  assert.deepEqual([answer.state, answer.source, answer.runId, plainText(answer)], ['done', 'rules', 'r', 'All is well.']);
  assert.deepEqual(answer.parts.map((part) => part.name ?? part.type), ['render_ui_component', 'request_user_selection', 'text']);
  assert.equal(openPicker(answer), undefined);
  assert.equal(answer.parts[1].answer, 'Selected: A, B');
  assert.equal(last.state, 'stopped');
  assert.equal(openPicker(last).id, 'c2');
});

test('the rows that an answer rests on are those of its last query', () => {
  const call = (name, result) => ({ id: name, name, arguments: {}, status: 'success', result: { status: 'ok', result } });
  const stored = (...tools) => fromStored([{ message_id: 'm', role: 'assistant', text: 'So.', status: 'complete', created_at: at, tools_used: tools }])[0];
  const rows = (message) => message.parts.find((part) => part.type === 'rows')?.rows;
  assert.deepEqual(rows(stored(call('run_sql', { rows: [{ a: 1 }] }))), [{ a: 1 }]);
  assert.deepEqual(rows(stored(call('es_executor', { outcome: 'ok', run: { rows: [{ a: 1 }] } }), call('graphql_executor', { outcome: 'ok', run: { rows: [{ b: 2 }] } }), call('stats_analysis', { rows: [{ c: 3 }] }))), [{ b: 2 }]);
  assert.equal(rows(stored(call('es_executor', { outcome: 'unavailable' }))), undefined);
});

test('joining a stream anew replaces what there was', () => {
  const message = assistantMessage('m', at);
  const chunks = [{ type: 'start', messageId: 'x' }, { type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'Good morning' }];
  for (const chunk of [...chunks, ...chunks]) applyChunk(message, chunk, 0);
  assert.equal(plainText(message), 'Good morning');
  applyChunk(message, { type: 'finish', finishReason: 'other', messageMetadata: { source: 'rules' } }, 0);
  assert.equal(message.state, 'stopped');
});
