/** What a picker sends: texts that the assistant reads back against what it offered. */

import { addDays } from './time.js';

/** `Selected: ID`, several joined by a comma. */
export function selectedMessage(values) {
  return `Selected: ${values.join(', ')}`;
}

/** `Selected: 2025-11-01:2025-11-30`. */
export function rangeMessage(start, end) {
  return selectedMessage([`${start}:${end}`]);
}

/** How many may be chosen; one when the picker is for one. */
export function bounds(request) {
  if (request.selectionType !== 'multiple') return { min: 1, max: 1 };
  const min = Math.max(1, request.minCount ?? 1);
  return { min, max: Math.max(min, request.maxCount ?? Number.POSITIVE_INFINITY) };
}

/** What is wrong with a number of choices, in words; undefined when nothing is. */
export function countFault(chosen, { min, max }) {
  if (chosen < min) return min === 1 ? 'Choose one to continue.' : `Choose at least ${min}.`;
  if (chosen > max) return `Choose at most ${max}.`;
  return undefined;
}

/** `2 of 2 to 5 chosen`. */
export function countLabel(chosen, { min, max }) {
  if (max === Number.POSITIVE_INFINITY) return `${chosen} chosen, at least ${min}`;
  return min === max ? `${chosen} of ${min} chosen` : `${chosen} chosen, ${min} to ${max} possible`;
}

/** What is wrong with the days, in words; undefined when nothing is. */
export function dateFault(days, { minDate, maxDate }) {
  if (days.some((day) => !day)) return days.length > 1 ? 'Choose both days.' : 'Choose a day.';
  if (minDate && days.some((day) => day < minDate)) return 'There are no data before the first day offered.';
  if (maxDate && days.some((day) => day > maxDate)) return 'There are no data after the last day offered.';
  if (days.length > 1 && days[0] > days[1]) return 'The first day comes after the last.';
  return undefined;
}

/** Ranges that people often want, within what is offered: `[{ label, start, end }]`. */
export function rangePresets({ minDate, maxDate }) {
  if (!minDate || !maxDate) return [];
  const presets = [7, 14, 30]
    .map((days) => ({ label: `Last ${days} days`, start: addDays(maxDate, 1 - days), end: maxDate }))
    .filter((preset) => preset.start > minDate);
  return [...presets, { label: 'All days', start: minDate, end: maxDate }];
}

/** The options by group, in the order in which groups first appear: `[[name, options]]`. */
export function grouped(options) {
  const groups = new Map();
  for (const option of options) {
    const name = option.group ?? '';
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(option);
  }
  return [...groups];
}
