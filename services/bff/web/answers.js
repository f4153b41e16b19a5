/** The messages of pickers: texts that the assistant matches with the options. */

import { addDays } from './time.js';

/** The prefix of a picker's message. */
export const SELECTED = 'Selected: ';

/** `Selected: ID`; several ids are separated by commas. */
export function selectedMessage(values) {
  return `${SELECTED}${values.join(', ')}`;
}

/** `Selected: 2025-11-01:2025-11-30`. */
export function rangeMessage(start, end) {
  return selectedMessage([`${start}:${end}`]);
}

/** The allowed number of options; one for a single selection. */
export function bounds(request) {
  if (request.selectionType !== 'multiple') return { min: 1, max: 1 };
  const min = Math.max(1, request.minCount ?? 1);
  return { min, max: Math.max(min, request.maxCount ?? Number.POSITIVE_INFINITY) };
}

/** Why the number of options is not allowed, as text; undefined if it is allowed. */
export function countFault(chosen, { min, max }) {
  if (chosen < min) return min === 1 ? 'Choose one to continue.' : `Choose at least ${min}.`;
  if (chosen > max) return `Choose at most ${max}.`;
  return undefined;
}

/** `2 of 2 to 5 chosen`. */
export function countLabel(chosen, { min, max }) {
  if (max === Number.POSITIVE_INFINITY) return `${chosen} chosen, at least ${min}`;
  return min === max ? `${chosen} of ${min} chosen` : `${chosen} chosen, ${min} to ${max} allowed`;
}

/** Why the days are not allowed, as text; undefined if they are allowed. */
export function dateFault(days, { minDate, maxDate }) {
  if (days.some((day) => !day)) return days.length > 1 ? 'Choose both days.' : 'Choose a day.';
  if (minDate && days.some((day) => day < minDate)) return 'No data are available before the first offered day.';
  if (maxDate && days.some((day) => day > maxDate)) return 'No data are available after the last offered day.';
  if (days.length > 1 && days[0] > days[1]) return 'The first day is after the last day.';
  return undefined;
}

/** Common ranges within the offered days: `[{ label, start, end }]`. */
export function rangePresets({ minDate, maxDate }) {
  if (!minDate || !maxDate) return [];
  const presets = [7, 14, 30]
    .map((days) => ({ label: `Last ${days} days`, start: addDays(maxDate, 1 - days), end: maxDate }))
    .filter((preset) => preset.start > minDate);
  return [...presets, { label: 'All days', start: minDate, end: maxDate }];
}

/** The options by group, in the order of first appearance: `[[name, options]]`. */
export function grouped(options) {
  const groups = new Map();
  for (const option of options) {
    const name = option.group ?? '';
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(option);
  }
  return [...groups];
}
