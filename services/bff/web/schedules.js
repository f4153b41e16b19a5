/** The list of schedules: make, change, pause, continue, send now and delete what is sent when. */

import { changeSchedule, createSchedule, deleteSchedule, listSchedules, sendSchedule } from './api.js';
import { button, h } from './dom.js';
import { scheduleForm } from './schedule-form.js';
import { scheduleStatus, scheduleTimes } from './schedule-words.js';

/** Opens the list in a dialog. It is read again after each change. */
export function showSchedules() {
  const list = h('ul', { class: 'schedules' });
  const note = h('p', { class: 'note', role: 'status' });
  const dialog = h(
    'dialog',
    { class: 'wide', 'aria-labelledby': 'schedules-title' },
    h('h2', { id: 'schedules-title' }, 'Schedules and alerts'),
    list,
    note,
    h('form', { method: 'dialog' }, h('div', { class: 'dialog-foot' }, button({ label: 'New schedule', class: 'secondary' }, () => add()), h('button', { class: 'secondary' }, 'Close'))),
  );
  const refresh = async () => {
    try {
      const { schedules } = await listSchedules();
      list.replaceChildren(...schedules.map((one) => entry(one, act, edit)));
      if (schedules.length === 0) note.textContent = 'Nothing is scheduled. Make a new schedule here, or ask for it in a conversation: “Every morning at 7 the briefing to me@example.com”, or “Tell me when a device is out for an hour”.';
    } catch (error) {
      note.textContent = error.message;
    }
  };
  const act = async (work, said) => {
    try {
      const answer = await work();
      note.textContent = said ?? answer?.detail ?? '';
    } catch (error) {
      note.textContent = error.message;
    }
    await refresh();
  };
  const add = () => {
    const save = async (wanted) => {
      const { schedule, webhook_secret: secret } = await createSchedule(wanted);
      note.textContent = `“${schedule.title}” is saved.${secret ? ` What is sent is signed with ${secret}.` : ''}`;
      await refresh();
    };
    const form = scheduleForm(undefined, save, refresh);
    list.replaceChildren(h('li', { class: 'schedule' }, form));
    form.querySelector('input').focus();
  };
  const edit = (schedule, item) => {
    const save = async (change) => {
      const { title } = await changeSchedule(schedule.schedule_id, change);
      note.textContent = `“${title}” is changed.`;
      await refresh();
    };
    const form = scheduleForm(schedule, save, refresh);
    item.replaceChildren(form);
    form.querySelector('input').focus();
  };
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return refresh();
}

function entry(schedule, act, edit) {
  const { schedule_id: id, number, title, status, note } = schedule;
  const paused = status !== 'active';
  const to = schedule.delivery.to ?? schedule.delivery.url;
  const item = h('li', { class: `schedule ${status}` });
  item.append(
    h('p', { class: 'schedule-title' }, `${number}. ${title}`),
    h('p', { class: 'note' }, `${scheduleTimes(schedule)}, to ${to}. ${scheduleStatus(schedule)}`),
    ...(note ? [h('p', { class: 'fault' }, note)] : []),
    ...(schedule.open_events.length > 0 ? [h('ul', {}, schedule.open_events.map((event) => h('li', {}, event)))] : []),
    h(
      'div',
      { class: 'dialog-foot' },
      !paused && button({ label: 'Send now', class: 'small' }, () => act(() => sendSchedule(id))),
      button({ label: 'Change', class: 'small' }, () => edit(schedule, item)),
      button({ label: paused ? 'Continue' : 'Pause', class: 'small' }, () => act(() => changeSchedule(id, { paused: !paused }), paused ? `“${title}” works again.` : `“${title}” is paused.`)),
      button({ label: 'Delete', class: 'small' }, () => act(() => deleteSchedule(id), `“${title}” is deleted.`)),
    ),
  );
  return item;
}
