/** The fields of the form of a schedule, and what the server takes of them. */

export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** The kinds of alerts: the name of the limit, its unit and its default. */
export const LIMITS = {
  device_out: { limit: 'minutes', label: 'Minutes', usual: 60 },
  low_energy: { limit: 'percent', label: 'Percent of the forecast', usual: 80 },
  no_data: { limit: 'hours', label: 'Hours', usual: 24 },
};

/** The beginning of a new schedule. */
export const NEW = { title: '', question: null, timing: null, alert: null, delivery: { channel: 'email', to: '' } };

/** The fields of the form for a schedule. */
export function fieldsOf({ title, question, timing, alert, delivery }) {
  return {
    title,
    kind: alert?.kind ?? 'question',
    question: question ?? '',
    time: timing?.time ?? '07:00',
    every: String(timing?.every_minutes ?? ''),
    until: timing?.until ?? '',
    days: [...(timing?.days ?? [])],
    timezone: timing?.timezone ?? '',
    limit: limitOf(alert),
    device: alert?.logger_id ?? '',
    site: alert?.site_id ?? '',
    channel: delivery.channel,
    to: delivery.to ?? delivery.url,
  };
}

/** The body of a new schedule. Without a name, the server gives one. */
export function newOf(fields) {
  const { title, ...parts } = partsOf(fields);
  return title ? { title, ...parts } : parts;
}

/** The body of the change: only what differs. */
export function changeOf(schedule, fields) {
  const before = partsOf(fieldsOf(schedule));
  const after = partsOf(fields);
  const changed = Object.entries(after).filter(([part, value]) => JSON.stringify(value) !== JSON.stringify(before[part]));
  return Object.fromEntries(changed);
}

function limitOf(alert) {
  const { limit, usual } = LIMITS[alert?.kind] ?? LIMITS.device_out;
  return Number(alert?.[limit] ?? usual);
}

function partsOf({ title, kind, question, time, every, until, days, timezone, limit, device, site, channel, to }) {
  const delivery = channel === 'email' ? { channel, to: to.trim() } : { channel, url: to.trim() };
  const shared = { title: title.trim(), delivery };
  if (kind === 'question') {
    const named = WEEKDAYS.filter((day) => days.includes(day));
    const again = every ? { every_minutes: Number(every), ...(until ? { until } : {}) } : {};
    return { ...shared, question: question.trim(), timing: { time, ...again, days: named.length === WEEKDAYS.length ? [] : named, timezone: timezone.trim() } };
  }
  const alert = { kind, [LIMITS[kind].limit]: Number(limit) };
  if (device.trim()) alert.logger_id = device.trim();
  if (site.trim()) alert.site_id = site.trim();
  return { ...shared, alert };
}
