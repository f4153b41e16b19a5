import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyChunk, assistantMessage, isHidden, phase } from '../message.js';
import { progressText, statusText } from '../plan.js';

const plan = (id, ...statuses) => ({ type: 'data-plan', id, data: { id, state: 'active', request: 'Show it.', tasks: statuses.map((status, index) => ({ key: `t${index}`, description: `Task ${index}`, tool: 'tool', status })) } });

function fill(...chunks) {
  const message = assistantMessage('m', '2026-01-01T00:00:00Z');
  for (const chunk of chunks) applyChunk(message, chunk, 0);
  return message;
}

test('a plan stands where it first came, and is what it was last', () => {
  const text = [{ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'Then ' }];
  const message = fill(plan('l1', 'pending', 'pending'), ...text, plan('l1', 'complete', 'in_progress'), plan('l2', 'pending'));
  assert.deepEqual(message.parts.map((part) => part.id), ['l1', 't', 'l2']);
  assert.deepEqual(message.parts[0].plan.tasks.map((task) => task.status), ['complete', 'in_progress']);
  assert.equal(isHidden(message.parts[0]), false);
  assert.equal(phase(fill(plan('l1', 'pending'))), 'working');
});

test('what is no plan changes nothing', () => {
  const strange = [{ type: 'data-plan' }, { type: 'data-plan', id: 'x', data: null }, { type: 'data-plan', id: 'x', data: { tasks: 'many' } }, { type: 'data-plan', id: 'x', data: { tasks: [null, 3, {}] } }];
  assert.deepEqual(fill(...strange).parts, []);
});

test('how far a plan is stands there in words', () => {
  assert.equal(progressText(plan('l', 'complete', 'complete', 'error').data), '2 of 3 done');
  assert.equal(progressText({ ...plan('l', 'complete').data, state: 'superseded' }), 'Replaced by another plan');
  assert.equal(progressText({ ...plan('l', 'complete').data, state: 'aborted' }), 'Cancelled');
  assert.deepEqual(['pending', 'in_progress', 'complete', 'clarification_needed', 'error', 'cancelled', 'tomorrow'].map(statusText), ['To do', 'In progress', 'Done', 'Waiting for you', 'Failed', 'Skipped', 'To do']);
});
