/**
 * Converts the server's record of a conversation for the page: `GET /api/threads/{id}/ui-messages`.
 */

import { SELECTED } from './answers.js';
import { PICKER_TOOL, answerInWords, applyChunk, assistantMessage, close, fail, rowsPart, userMessage } from './message.js';

/** A page of a thread: its messages, oldest first, and the cursor of the previous page. */
export function fromServer(read) {
  const messages = linked(read.messages.filter((one) => one.role !== 'system').map((one) => (one.role === 'user' ? asked(one) : answer(one))));
  return { messages, before: read.has_more ? (read.first_seq ?? undefined) : undefined };
}

/**
 * Fills an answer with the last stored one. Returns false if the last message is not an answer yet.
 */
export function fillFromServer(message, read) {
  const stored = read.messages.at(-1);
  if (stored?.role !== 'assistant') return false;
  fill(message, stored);
  return true;
}

/** Adds the answer to pickers that the next message answers: the selected options, or the text. */
function linked(messages) {
  messages.forEach((message, index) => {
    const next = messages[index + 1];
    const picker = message.parts?.findLast((part) => part.name === PICKER_TOOL);
    if (!picker || next?.role !== 'user') return;
    const isChosen = next.text.startsWith(SELECTED) || next.text === picker.input.flowHint?.skipOption?.action;
    picker.answer = isChosen ? next.text : undefined;
    if (!isChosen) answerInWords(message, next.text);
  });
  return messages;
}

function asked({ id, parts, metadata }) {
  const texts = parts.filter((part) => part.type === 'text').map((part) => part.text ?? '');
  return userMessage(id, texts.join('\n'), metadata?.createdAt ?? '');
}

function answer(stored) {
  const message = assistantMessage(stored.id, stored.metadata?.createdAt ?? '');
  fill(message, stored);
  return message;
}

/** Adds the stored parts to an answer, in their order. */
function fill(message, { id, parts, metadata }) {
  message.serverId = id;
  if (metadata.runId) message.runId = metadata.runId;
  if (metadata.source) message.source = metadata.source;
  message.parts = [];
  message.sources = [];
  parts.forEach((part, index) => {
    if (part.type === 'text') message.parts.push({ type: 'text', id: `stored-${index}`, text: part.text ?? '', open: false });
    else if (part.type.startsWith('tool-')) message.parts.push(called(part));
    else if (part.type === 'data-rows') message.parts.push(...[rowsPart(message, part.data)].filter(Boolean));
    else applyChunk(message, part, 0);
  });
  if (metadata.status === 'failed') fail(message, 'api', metadata.error?.text ?? 'The answer is incomplete because of an error.');
  else close(message, isStopped(message, metadata) ? 'stopped' : 'done');
}

/** An incomplete answer was stopped, unless a warning gives another reason. */
function isStopped(message, { status }) {
  return message.stopped === true || (status === 'partial' && message.parts.every((part) => part.type !== 'warning'));
}

function called({ type, toolCallId: id, input, output, errorText, state }) {
  const part = { type: 'tool', id, name: type.slice('tool-'.length), input: input ?? {} };
  if (state === 'input-available') return part;
  part.output = state === 'output-error' ? { status: 'error', message: errorText } : (output ?? null);
  if (part.name === PICKER_TOOL) part.answer = pickedText(part.output);
  return part;
}

/** The text of an answered picker: the selected options, or that none was selected. */
function pickedText(output) {
  if (output?.selection !== undefined) return `${SELECTED}${[output.selection].flat().join(', ')}`;
  return output?.status ? String(output.status) : undefined;
}
