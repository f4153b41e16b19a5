/** The form that makes or changes a schedule: name, kind, question or condition, times, address. */

import { Status, field } from './data-parts.js';
import { button, h } from './dom.js';
import { LIMITS, NEW, WEEKDAYS, changeOf, fieldsOf, newOf } from './schedule-change.js';

const KINDS = [
  ['question', 'A question at set times'],
  ['device_out', 'When a device is out'],
  ['low_energy', 'When a device delivers less than forecast'],
  ['no_data', 'When a device sends no data'],
];
const CHANNELS = [
  ['email', 'Mail'],
  ['webhook', 'Webhook'],
];
const INTERVALS = [
  ['', 'Once a day'],
  ['15', 'Every 15 minutes'],
  ['30', 'Every 30 minutes'],
  ['60', 'Every hour'],
  ['120', 'Every 2 hours'],
  ['180', 'Every 3 hours'],
  ['240', 'Every 4 hours'],
  ['360', 'Every 6 hours'],
  ['720', 'Every 12 hours'],
];
const PLAIN = { autocapitalize: 'none', spellcheck: 'false', autocomplete: 'off' };

/**
 * The form for a schedule, or for a new one. `save(body)` sends a new one, or what differs; its
 * error is shown in the form, which stays. `close()` is called when nothing is to be changed.
 */
export function scheduleForm(schedule, save, close) {
  const given = fieldsOf(schedule ?? NEW);
  const title = h('input', { type: 'text', required: Boolean(schedule), maxlength: 120, value: given.title });
  const kind = choice(KINDS, given.kind);
  const question = h('textarea', { rows: 2, maxlength: 2000 }, given.question);
  const time = h('input', { type: 'time', value: given.time });
  const every = choice(INTERVALS.some(([value]) => value === given.every) ? INTERVALS : [...INTERVALS, [given.every, `Every ${given.every} minutes`]], given.every);
  const until = h('input', { type: 'time', value: given.until });
  const zone = h('input', { ...PLAIN, type: 'text', maxlength: 64, value: given.timezone || Intl.DateTimeFormat().resolvedOptions().timeZone });
  const days = WEEKDAYS.map((day) => ({ day, box: h('input', { type: 'checkbox', checked: given.days.length === 0 || given.days.includes(day) }) }));
  const limit = h('input', { type: 'number', min: 1, value: given.limit });
  const device = h('input', { ...PLAIN, type: 'text', maxlength: 64, value: given.device });
  const site = h('input', { ...PLAIN, type: 'text', maxlength: 64, value: given.site });
  const channel = choice(CHANNELS, given.channel);
  const to = h('input', { ...PLAIN, type: 'text', required: true, maxlength: 2000, value: given.to });
  const status = new Status();

  const limitLabel = h('span', {});
  const timeLabel = h('span', {});
  const lastTime = field('Last time (may be empty)', until);
  const ofQuestion = [
    field('Question', question),
    field('How often', every),
    h('label', { class: 'data-field' }, timeLabel, time),
    lastTime,
    field('Time zone', zone),
    h('div', { class: 'data-check', role: 'group', 'aria-label': 'Days' }, days.map(({ day, box }) => h('label', {}, box, ` ${day[0].toUpperCase()}${day.slice(1, 3)}`))),
  ];
  const ofAlert = [h('label', { class: 'data-field' }, limitLabel, limit), field('Only this device', device), field('Only this site', site)];
  const fit = () => {
    const asks = kind.value === 'question';
    for (const part of ofQuestion) part.hidden = !asks;
    for (const part of ofAlert) part.hidden = asks;
    timeLabel.textContent = every.value ? 'First time' : 'Time';
    lastTime.hidden = !asks || !every.value;
    question.required = time.required = zone.required = asks;
    limit.required = !asks;
    if (!asks) limitLabel.textContent = LIMITS[kind.value].label;
  };
  every.addEventListener('change', fit);
  kind.addEventListener('change', () => {
    if (kind.value !== 'question') limit.value = String(LIMITS[kind.value].usual);
    fit();
  });

  const fields = () => ({
    title: title.value,
    kind: kind.value,
    question: question.value,
    time: time.value,
    every: every.value,
    until: until.value,
    days: days.filter(({ box }) => box.checked).map(({ day }) => day),
    timezone: zone.value,
    limit: limit.value,
    device: device.value,
    site: site.value,
    channel: channel.value,
    to: to.value,
  });
  const submit = async (event) => {
    event.preventDefault();
    const body = schedule ? changeOf(schedule, fields()) : newOf(fields());
    if (Object.keys(body).length === 0) return close();
    try {
      await save(body);
    } catch (error) {
      status.fail(error);
    }
  };
  fit();
  return h(
    'form',
    { class: 'data-form', 'aria-label': schedule ? `Change “${schedule.title}”` : 'New schedule', on: { submit } },
    field(schedule ? 'Name' : 'Name (may be empty)', title),
    field('Kind', kind),
    ofQuestion,
    ofAlert,
    field('Sent by', channel),
    field('Sent to', to),
    status.element,
    h('div', { class: 'data-buttons' }, button({ label: 'Save', type: 'submit', class: 'primary' }), button({ label: 'Cancel', class: 'secondary' }, close)),
  );
}

function choice(options, chosen) {
  return h('select', {}, options.map(([value, label]) => h('option', { value, selected: value === chosen }, label)));
}
