/** The pickers for `request_user_selection`: one device, several, a day, a range of days. */

import { bounds, countFault, countLabel, dateFault, grouped, rangeMessage, rangePresets, selectedMessage } from './answers.js';
import { button, h, icon } from './dom.js';
import { formatPeriod } from './time.js';

/** Minimum length of a list with a filter field. */
const FILTER_FROM = 8;

let pickers = 0;

/** The picker for a request. `answer` sends the text and is called at most once. */
export function renderPicker(request, answer) {
  pickers += 1;
  const id = `picker-${pickers}`;
  const input = INPUTS[request.inputType] ?? dropdown;
  const fault = h('p', { class: 'fault', role: 'alert' });
  const fields = input(request, id);
  const submit = h('button', { type: 'submit', class: 'primary' }, 'Continue');
  const skip = request.flowHint?.skipOption;
  const form = h(
    'form',
    { class: 'card picker', novalidate: true, 'aria-labelledby': `${id}-prompt` },
    request.contextMessage && h('p', { class: 'context' }, request.contextMessage),
    h('h2', { id: `${id}-prompt` }, request.prompt),
    h('fieldset', { 'aria-labelledby': `${id}-prompt` }, fields.element),
    fault,
    h('div', { class: 'picker-foot' }, submit, skip && button({ label: skip.label, class: 'secondary' }, () => send(skip.action)), hint(request.flowHint)),
  );
  const send = (text) => {
    form.querySelectorAll('button, fieldset').forEach((element) => (element.disabled = true));
    answer(text);
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    fault.textContent = fields.fault() ?? '';
    if (!fault.textContent) send(fields.message());
  });
  form.addEventListener('input', () => (fault.textContent = ''));
  return form;
}

function hint(flowHint) {
  return flowHint?.expectedNext && h('p', { class: 'note' }, flowHint.expectedNext);
}

/**
 * A picker that cannot be answered any more: the question, and the selected `answer`, or the text
 * that was `said` instead.
 */
export function lockedPicker(request, { answer, said }) {
  const [name, text] = answer !== undefined ? ['check', answer] : said !== undefined ? ['chat', `Answered with text: “${said}”`] : ['close', 'Not answered'];
  return h('section', { class: 'card picker' }, h('h2', {}, request.prompt), h('p', { class: 'locked' }, icon(name), text));
}

const INPUTS = { dropdown, date, 'date-range': dateRange };

/** Options in their groups: radio buttons for one, checkboxes for several. */
function dropdown(request, id) {
  const { min, max } = bounds(request);
  const several = max > 1;
  const kept = request.preSelectedValues ?? [];
  const counter = several && h('p', { class: 'counter', 'aria-live': 'polite' });
  const rows = [];
  const option = (one) => {
    const box = h('input', { type: several ? 'checkbox' : 'radio', name: id, value: one.value, checked: kept.includes(one.value) });
    const row = h('label', { class: 'option' }, box, h('span', {}, h('span', { class: 'option-label' }, one.label), one.subtitle && h('span', { class: 'sub' }, one.subtitle)));
    rows.push({ box, row, text: `${one.label} ${one.value} ${one.subtitle ?? ''} ${one.group ?? ''}`.toLowerCase() });
    return row;
  };
  const groups = grouped(request.options ?? []).map(([name, options]) =>
    h('div', { class: 'group', role: 'group', 'aria-label': name || undefined }, name && h('p', { class: 'group-name' }, name), options.map(option)),
  );
  const chosen = () => rows.filter(({ box }) => box.checked).map(({ box }) => box.value);
  const update = () => {
    const full = several && chosen().length >= max;
    for (const { box } of rows) box.disabled = full && !box.checked;
    if (counter) counter.textContent = countLabel(chosen().length, { min, max });
  };
  const list = h('div', { class: 'options', on: { change: update } }, groups);
  update();
  const filter = rows.length > FILTER_FROM && filterField(rows, groups);
  return { element: h('div', {}, filter, list, counter), fault: () => countFault(chosen().length, { min, max }), message: () => selectedMessage(chosen()) };
}

function filterField(rows, groups) {
  const apply = (event) => {
    const wanted = event.target.value.trim().toLowerCase();
    for (const { box, row, text } of rows) row.hidden = !box.checked && !text.includes(wanted);
    for (const group of groups) group.hidden = [...group.querySelectorAll('.option')].every((row) => row.hidden);
  };
  // Enter in this field would submit the form with a selection that can be out of view.
  const keep = (event) => event.key === 'Enter' && event.preventDefault();
  return h('input', { type: 'search', class: 'filter', placeholder: 'Filter…', 'aria-label': 'Filter the list', on: { input: apply, keydown: keep } });
}

function date(request, id) {
  const field = dayField(`${id}-day`, 'Day', request, chosenDay(request, 0) ?? request.maxDate);
  const latest = request.maxDate && preset('Latest day', () => (field.input.value = request.maxDate));
  return {
    element: h('div', {}, h('div', { class: 'days' }, field.element, latest), offered(request)),
    fault: () => dateFault([field.input.value], request),
    message: () => selectedMessage([field.input.value]),
  };
}

function dateRange(request, id) {
  const presets = rangePresets(request);
  const start = dayField(`${id}-from`, 'From', request, chosenDay(request, 0) ?? presets[0]?.start);
  const end = dayField(`${id}-to`, 'To', request, chosenDay(request, 1) ?? presets[0]?.end);
  const choose = (one) => {
    start.input.value = one.start;
    end.input.value = one.end;
  };
  return {
    element: h('div', {}, h('div', { class: 'days' }, start.element, end.element), h('div', { class: 'presets' }, presets.map((one) => preset(one.label, () => choose(one)))), offered(request)),
    fault: () => dateFault([start.input.value, end.input.value], request),
    message: () => rangeMessage(start.input.value, end.input.value),
  };
}

/** A preselected day: the values are days, or one range `start:end`. */
function chosenDay({ preSelectedValues = [] }, index) {
  return preSelectedValues.join(':').split(':')[index] || undefined;
}

function dayField(id, label, { minDate, maxDate }, value) {
  const input = h('input', { type: 'date', id, min: minDate, max: maxDate, value, required: true });
  return { input, element: h('div', { class: 'day' }, h('label', { for: id }, label), input) };
}

function preset(label, choose) {
  return button({ label, class: 'small' }, (event) => {
    choose();
    event.target.dispatchEvent(new Event('input', { bubbles: true }));
  });
}

/** The available days, unless the request has a text for them. */
function offered({ contextMessage, minDate, maxDate }) {
  return !contextMessage && minDate && maxDate && h('p', { class: 'note' }, `Data are available from ${formatPeriod(minDate, maxDate)}.`);
}
