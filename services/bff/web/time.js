/**
 * Time stamps in the site's local time. They contain its offset (`2025-11-29T13:05:00+01:00`). The
 * browser's own zone is not used.
 */

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const LONG_MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const STAMP = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;
const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;

const MINUTE = 60_000;

/** `{ instant, offset }`, both in milliseconds; undefined if the text is not a time stamp. */
export function parseStamp(text) {
  const match = typeof text === 'string' ? STAMP.exec(text) : null;
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((field) => Number(field ?? 0));
  const offset = parseOffset(match[7]);
  return { instant: Date.UTC(year, month - 1, day, hour, minute, second) - offset, offset };
}

function parseOffset(text) {
  if (!text || text === 'Z') return 0;
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(-2));
  return (text[0] === '-' ? -minutes : minutes) * MINUTE;
}

/** Whether a text is a calendar day. */
export function isDay(text) {
  return typeof text === 'string' && DAY.test(text);
}

/** The fields of a clock with this offset. */
export function clock(instant, offset) {
  const wall = new Date(instant + offset);
  return {
    year: wall.getUTCFullYear(),
    month: MONTHS[wall.getUTCMonth()],
    day: wall.getUTCDate(),
    weekday: WEEKDAYS[wall.getUTCDay()],
    time: wall.toISOString().slice(11, 16),
  };
}

/** `29 Nov 2025`. Other texts are returned unchanged. */
export function formatDay(text) {
  const match = DAY.exec(text ?? '');
  return match ? `${Number(match[3])} ${MONTHS[Number(match[2]) - 1]} ${match[1]}` : String(text ?? '');
}

/** `29 Nov`, for axes. */
export function formatShortDay(text) {
  return formatDay(text).replace(/ \d{4}$/, '');
}

/**
 * `1 to 30 November 2025`, without repetitions. Months are written out, as in the assistant's
 * sentences.
 */
export function formatPeriod(start, end) {
  const [from, to] = [start, end].map((day) => DAY.exec(day ?? ''));
  if (!from || !to) return [start, end].filter(Boolean).join(' to ');
  const [full, monthly, daily] = [3, 2, 1].map((fields) => (/** @type {string[]} */ [, year, month, day]) => [Number(day), LONG_MONTHS[Number(month) - 1], year].slice(0, fields).join(' '));
  if (start === end) return full(to);
  const first = from[1] !== to[1] ? full : from[2] !== to[2] ? monthly : daily;
  return `${first(from)} to ${full(to)}`;
}

/** `29 Nov 2025, 13:05`. */
export function formatStamp(text) {
  const stamp = parseStamp(text);
  if (!stamp) return formatDay(text);
  const { day, month, year, time } = clock(stamp.instant, stamp.offset);
  return `${day} ${month} ${year}, ${time}`;
}

/** `13:05`. */
export function formatTime(text) {
  const stamp = parseStamp(text);
  return stamp ? clock(stamp.instant, stamp.offset).time : String(text ?? '');
}

/** `UTC+01:00`; undefined without an offset. */
export function formatOffset(text) {
  const stamp = parseStamp(text);
  if (!stamp) return undefined;
  const minutes = Math.abs(stamp.offset) / MINUTE;
  if (minutes === 0) return 'UTC';
  const two = (value) => String(value).padStart(2, '0');
  return `UTC${stamp.offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** The day `count` days later, or earlier if negative. */
export function addDays(day, count) {
  const match = DAY.exec(day);
  const moved = new Date(Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3]) + count));
  return moved.toISOString().slice(0, 10);
}
