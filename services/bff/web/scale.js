/** Scales of charts: round ticks for numbers, and ticks in the site's time. */

import { clock } from './time.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * A linear map from a domain to a range.
 * @param {number[]} domain
 * @param {number[]} range
 */
export function linear([from, to], [start, end]) {
  const span = to - from || 1;
  return (value) => start + ((value - from) / span) * (end - start);
}

/**
 * Ticks at 1, 2, 2.5 or 5 times a power of ten that enclose the values. The first and the last tick
 * are the domain of the axis.
 */
export function niceTicks(low, high, wanted = 5) {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const [from, to] = low === high ? [Math.min(0, low), Math.max(0, high) || 1] : [low, high];
  const rough = (to - from) / wanted;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = magnitude * ([1, 2, 2.5, 5].find((factor) => factor * magnitude >= rough * 0.999) ?? 10);
  const first = Math.floor(from / step + 1e-9);
  const last = Math.ceil(to / step - 1e-9);
  const ticks = [];
  // Multiples instead of sums, because sums of 0.1 accumulate errors.
  for (let index = first; index <= last; index += 1) ticks.push(Number((index * step).toPrecision(12)));
  return ticks;
}

const STEPS = [5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 28 * DAY, 91 * DAY, 364 * DAY];

/**
 * Ticks at round times of the site within a span of instants: `[{ at, label }]`. `offsetAt` returns
 * the offset at an instant, which can change within the span.
 */
export function timeTicks(start, end, wanted, offsetAt) {
  const step = STEPS.find((one) => (end - start) / one <= wanted) ?? STEPS.at(-1);
  const ticks = [];
  let day;
  for (let wall = Math.ceil((start + offsetAt(start)) / step) * step; ; wall += step) {
    const offset = offsetAt(wall - offsetAt(start));
    const at = wall - offset;
    if (at > end) return ticks;
    const shown = clock(at, offset);
    const date = `${shown.day} ${shown.month}`;
    // In a span over several days, each day is labelled once, where it starts.
    const label = step >= DAY || (end - start > 1.5 * DAY && day !== date && shown.time === '00:00') ? date : shown.time;
    day = date;
    ticks.push({ at, label });
  }
}

/** A function that returns the offset of the last time stamp at or before an instant. */
export function offsets(stamps) {
  return (instant) => {
    let low = 0;
    let high = stamps.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (stamps[middle].instant <= instant) low = middle;
      else high = middle - 1;
    }
    return stamps[low]?.offset ?? 0;
  };
}
