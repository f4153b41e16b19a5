/**
 * The panel with the details of an answer: the flow, and every tool call with its input and output.
 */

import { h } from './dom.js';
import { count, duration, percent, words } from './format.js';

/** JSON is cut after this number of characters. */
const SHOWN = 20_000;

/** `{ element, update }` for one message. */
export function detailsPanel(message) {
  const summary = h('summary');
  const body = h('div', { class: 'calls' });
  const element = h('details', { class: 'how' }, summary, body);
  const fill = () => element.open && body.replaceChildren(...rows(message));
  element.addEventListener('toggle', fill);
  const update = () => {
    const calls = message.parts.filter((part) => part.type === 'tool');
    element.hidden = calls.length === 0 && !message.flow;
    const spent = calls.reduce((sum, call) => sum + (call.duration ?? 0), 0);
    // For an answer loaded from the server, the duration of its calls is unknown.
    const time = spent > 0 ? `, ${duration(spent)}` : '';
    summary.textContent = calls.length === 0 ? 'Details' : `${count(calls.length, 'tool call')}${time}`;
    fill();
  };
  return { element, update };
}

function rows(message) {
  const calls = message.parts.filter((part) => part.type === 'tool');
  const facts = [
    message.flow && `Flow ${words(message.flow.flow).toLowerCase()}, confidence ${percent((message.flow.confidence ?? 0) * 100, 0)}, decided by ${message.flow.source ?? 'rules'}`,
    message.source && `Written by ${message.source === 'model' ? 'a language model' : 'rules'}`,
    message.runId && `Run ${message.runId}`,
  ].filter(Boolean);
  return [facts.length > 0 && h('p', { class: 'note' }, `${facts.join('. ')}.`), ...calls.map(call)].filter(Boolean);
}

function call({ name, input, output, duration: took, outputDropped: dropped }) {
  const status = output?.status && output.status !== 'ok' ? words(output.status).toLowerCase() : '';
  const time = took === undefined ? (output === undefined ? 'no result' : '') : duration(took);
  const block = (label, value) => [h('p', { class: 'label' }, label), h('pre', { tabindex: 0 }, h('code', {}, json(value)))];
  return h(
    'details',
    { class: 'call' },
    h('summary', {}, h('code', {}, name), h('span', {}, [time, status].filter(Boolean).join(', '))),
    block('Input', input),
    dropped ? h('p', { class: 'note' }, 'The output was too large to store.') : output !== undefined && block('Output', output),
  );
}

function json(value) {
  const text = JSON.stringify(value, null, 2);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}\n… ${text.length - SHOWN} more characters` : text;
}
