/** The times and the state of a schedule in words. */

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** The times: “Every weekday at 07:00 (UTC)”, “Every 2 hours from 08:00 to 18:00 (UTC)”. */
export function scheduleTimes({ timing, alert }) {
  if (timing?.every_minutes) return `${interval(timing)} (${timing.timezone})`;
  if (timing) return `${days(timing.days ?? [])} at ${timing.time} (${timing.timezone})`;
  const of = alert?.logger_id ? `the device ${alert.logger_id}` : alert?.site_id ? `a device of the site ${alert.site_id}` : 'a device';
  switch (alert?.kind) {
    case 'device_out':
      return `When ${of} is out for ${alert.minutes ?? 60} minutes`;
    case 'low_energy':
      return `When ${of} delivers less than ${alert.percent ?? 80} % of the forecast on a day`;
    case 'no_data':
      return `When ${of} sends no data for ${alert.hours ?? 24} hours`;
    default:
      return '';
  }
}

function interval({ every_minutes: minutes, time, until, days: named = [] }) {
  const often = minutes === 60 ? 'hour' : minutes % 60 === 0 ? `${minutes / 60} hours` : `${minutes} minutes`;
  const between = until ? ` from ${time} to ${until}` : time === '00:00' ? '' : ` from ${time}`;
  const on = days(named);
  return `Every ${often}${between}${on === 'Every day' ? '' : `, ${on[0].toLowerCase()}${on.slice(1)}`}`;
}

function days(named) {
  const all = DAYS.filter((day) => named.includes(day));
  if (all.length === 0 || all.length === DAYS.length) return 'Every day';
  if (all.join() === DAYS.slice(0, 5).join()) return 'Every weekday';
  const names = all.map((day) => day[0].toUpperCase() + day.slice(1));
  return `Every ${names.length > 1 ? `${names.slice(0, -1).join(', ')} and ` : ''}${names.at(-1)}`;
}

/** The state: “Next on …”, “Paused.” */
export function scheduleStatus({ status, next_at: next, timing, open_events: events = [] }, locale = undefined) {
  if (status === 'paused') return 'Paused.';
  if (status === 'stopped') return 'Stopped.';
  if (!timing) return events.length > 0 ? 'This is the case now:' : 'Nothing to report.';
  const at = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: timing.timezone });
  return `Next on ${at.format(new Date(next))}.`;
}
