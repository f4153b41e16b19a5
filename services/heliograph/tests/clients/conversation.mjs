// What a person asks of the demo data, and what every client has to show for it. An answer is `{ text, calls }`.

import assert from 'node:assert/strict';

/** Questions that are answered at once. */
export const questions = [
  { say: 'Hi', shows: words(/panels|solar|sun/i) },
  { say: 'Morning briefing', shows: card('FleetOverview', ['get_fleet_overview'], (props) => {
    assert(props.deviceCount >= 4 && props.devices.length >= 4, 'the fleet has its devices');
    assert(props.percentOnline >= 0 && props.percentOnline <= 100, 'a share of them is online');
  }) },
  { say: 'Check the health of LTI-INV-001', shows: healthOf('LTI-INV-001') },
  { say: 'Financial report for SD-INV-001', shows: card('FinancialReport', ['calculate_financial_savings', 'forecast_production'], (props) => {
    assert.equal(props.loggerId, 'SD-INV-001');
    assert(props.energyGenerated > 0 && props.savings > 0, 'a month of sun earns something');
  }) },
];

/** A device that nobody has: said so, and never a good report. */
export const unknown = {
  say: 'Check the health of XYZ-INV-999',
  shows: (answer) => {
    assert.match(answer.text, /XYZ-INV-999/);
    assert(!cards(answer).some(({ component }) => component === 'HealthReport'), 'no report of a device that is not there');
  },
};

/** Questions that lack something, what the picker has to offer, a choice, and what it leads to. */
export const pickers = [
  {
    say: 'Check the health',
    offers: (picker) => {
      assert.deepEqual([picker.selectionType, picker.inputType], ['single', 'dropdown']);
      offersDevices(picker, ['GW-INV-001', 'LTI-INV-001']);
    },
    choice: 'LTI-INV-001',
    shows: healthOf('LTI-INV-001'),
  },
  {
    say: 'Performance audit',
    offers: (picker) => {
      assert.deepEqual([picker.selectionType, picker.minCount, picker.maxCount], ['multiple', 2, 5]);
      offersDevices(picker, ['GW-INV-001', 'SD-INV-001']);
    },
    choice: ['GW-INV-001', 'SD-INV-001'],
    shows: card('ComparisonChart', ['compare_loggers'], (props) => {
      assert.deepEqual([...props.loggerIds].sort(), ['GW-INV-001', 'SD-INV-001']);
      assert(props.data.length > 0 && props.series.length === 2, 'two lines with points');
    }),
  },
  {
    say: 'power curve of GW-INV-001 on 2025-01-15',
    offers: (picker) => {
      assert.equal(picker.inputType, 'date');
      assert(picker.minDate <= '2025-11-20' && picker.maxDate >= '2025-11-20', 'the days that there are');
    },
    choice: '2025-11-20',
    shows: card('DynamicChart', ['get_power_curve'], (props, answer) => {
      assert.equal(answer.calls.find(({ name }) => name === 'get_power_curve').input.date, '2025-11-20');
      assert(props.data.length > 100, 'a day of points');
    }),
  },
];

/** What other assistants are asked. `shows` is given the answer and the message. */
export const others = [
  {
    assistant: 'analyst',
    says: [],
    choices: [{
      say: 'Show shipments to Miami last week',
      choose: (picker) => picker.options.find(({ label }) => label === 'Port of Miami').value,
      shows: (answer, message) => {
        const plans = message.parts.filter(({ type }) => type === 'data-plan');
        assert.equal(plans.length, 1, 'a plan is one part, as it is at the end');
        assert(plans[0].data.tasks.every(({ status }) => status === 'complete'), 'and all of it is done');
        assert(message.parts.some(({ type }) => type === 'data-rows'), 'the rows are there');
        assert(answer.text, 'and they are told');
      },
    }],
  },
];

/** The picker that an answer ends with. */
export function pickerOf(answer) {
  const picker = answer.calls.at(-1);
  assert.equal(picker?.name, 'request_user_selection', 'the answer ends with a picker');
  assert.equal(picker.output, undefined, 'and the picker is open');
  return picker;
}

/** A choice, as the document's page sends it. */
export function selected(choice) {
  return `Selected: ${[choice].flat().join(', ')}`;
}

function words(pattern) {
  return (answer) => assert.match(answer.text, pattern);
}

function cards(answer) {
  return answer.calls.filter(({ name }) => name === 'render_ui_component').map(({ input }) => input);
}

/** Words, these tools with good results, and this card with the props that clients draw. */
function card(component, tools, check) {
  return (answer) => {
    assert(answer.text.length > 20, 'a card comes with words');
    for (const tool of tools) {
      const call = answer.calls.find(({ name }) => name === tool);
      assert.equal(call?.output?.status, 'ok', `${tool} was called and answered`);
    }
    const shown = cards(answer);
    assert.deepEqual(shown.map((card) => card.component), [component]);
    const rendered = answer.calls.find(({ name }) => name === 'render_ui_component');
    assert.deepEqual(rendered.output, rendered.input, "a card's result is the card");
    for (const suggestion of shown[0].suggestions ?? []) assert(suggestion.label && suggestion.action, 'a suggestion can be clicked');
    check(shown[0].props, answer);
  };
}

function healthOf(loggerId) {
  return card('HealthReport', ['analyze_inverter_health'], (props) => {
    assert.equal(props.loggerId, loggerId);
    assert(props.anomalyCount > 0 && props.anomalies.length > 0, 'the outage of 29 November is found');
  });
}

function offersDevices(picker, ids) {
  const values = picker.options.map(({ value }) => value);
  assert(ids.every((id) => values.includes(id)), `${values} has ${ids}`);
  assert(picker.options.every(({ label }) => label), 'every option can be read');
}
