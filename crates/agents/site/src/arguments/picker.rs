//! Pickers for what a task lacks.

use contracts::{
    tools::{AvailableRange, LoggerRole, LoggerSummary, Period},
    ui::{
        FlowHint, RequestUserSelection, SelectionInput, SelectionOption, SelectionType, SkipOption,
    },
};

use super::{COMPARED, LoggersNeeded, picker_argument};
use crate::{
    language::{Argument, Flow},
    narrative::{
        format,
        prompts::{self, Picker, PickerText},
    },
};

/// A picker of devices, with `preselected` on top and chosen already.
pub(crate) fn logger_picker(
    needed: LoggersNeeded,
    flow: Flow,
    known: &[LoggerSummary],
    preselected: &[String],
) -> RequestUserSelection {
    let options = logger_options(known, preselected);
    let several = needed == LoggersNeeded::Several;
    let words = prompts::picker(&Picker {
        argument: picker_argument(needed),
        flow,
        count: options.len(),
        pre_selected: preselected,
        range: None,
        all: matches!(needed, LoggersNeeded::OneOrMore | LoggersNeeded::OneOrAll),
    });
    let chosen = if several {
        preselected
    } else {
        &preselected[..preselected.len().min(1)]
    };
    RequestUserSelection {
        options,
        selection_type: if several {
            SelectionType::Multiple
        } else {
            SelectionType::Single
        },
        pre_selected_values: chosen.to_vec(),
        min_count: several.then(|| count(*COMPARED.start())),
        max_count: several.then(|| count(*COMPARED.end())),
        ..worded(words, SelectionInput::Dropdown)
    }
}

/// A picker of one day or of several, within `span`.
pub(crate) fn date_picker(
    argument: Argument,
    flow: Flow,
    span: Option<Period>,
) -> RequestUserSelection {
    let range = span.map(|span| AvailableRange {
        start: span.start,
        end: span.end,
    });
    let words = prompts::picker(&Picker {
        argument,
        flow,
        count: 0,
        pre_selected: &[],
        range,
        all: false,
    });
    dates(argument, range, words)
}

/// A picker of days with these words.
pub(crate) fn dates(
    argument: Argument,
    range: Option<AvailableRange>,
    words: PickerText,
) -> RequestUserSelection {
    let input = if argument == Argument::DateRange {
        SelectionInput::DateRange
    } else {
        SelectionInput::Date
    };
    RequestUserSelection {
        min_date: range.map(|range| range.start),
        max_date: range.map(|range| range.end),
        ..worded(words, input)
    }
}

/// A picker of devices that could are in for another one, with these words.
pub(crate) fn alternatives(
    argument: Argument,
    known: &[LoggerSummary],
    words: PickerText,
) -> RequestUserSelection {
    let several = argument == Argument::LoggerIds;
    RequestUserSelection {
        options: logger_options(known, &[]),
        selection_type: if several {
            SelectionType::Multiple
        } else {
            SelectionType::Single
        },
        min_count: several.then(|| count(*COMPARED.start())),
        max_count: several.then(|| count(*COMPARED.end())),
        ..worded(words, SelectionInput::Dropdown)
    }
}

fn worded(words: PickerText, input_type: SelectionInput) -> RequestUserSelection {
    let PickerText {
        prompt,
        context,
        expected_next,
        skip,
    } = words;
    RequestUserSelection {
        context_message: Some(context).filter(|context| !context.is_empty()),
        input_type,
        flow_hint: Some(FlowHint {
            expected_next,
            skip_option: skip.map(|(label, action)| SkipOption { label, action }),
        }),
        ..RequestUserSelection::one_of(prompt, Vec::new())
    }
}

/// Every device that delivers or measures energy; weather stations only where there is nothing
/// else.
fn logger_options(known: &[LoggerSummary], first: &[String]) -> Vec<SelectionOption> {
    let energy = |logger: &&LoggerSummary| logger.role != LoggerRole::Weather;
    let mut loggers: Vec<&LoggerSummary> = known.iter().filter(energy).collect();
    if loggers.is_empty() {
        loggers = known.iter().collect();
    }
    loggers.sort_by_key(|logger| {
        (
            !first.contains(&logger.logger_id),
            &logger.site_id,
            rank(logger.role),
        )
    });
    let several_sites = loggers
        .iter()
        .any(|logger| logger.site_id != loggers[0].site_id);
    let option = |logger: &LoggerSummary| SelectionOption {
        group: Some(if several_sites {
            format!("{}: {}", logger.site_name, role_words(logger.role))
        } else {
            role_words(logger.role).to_owned()
        }),
        ..option(logger)
    };
    loggers.into_iter().map(option).collect()
}

/// The option of a device, if it exists.
pub(crate) fn device_option(known: &[LoggerSummary], id: &str) -> Option<SelectionOption> {
    let found = known.iter().find(|logger| logger.logger_id == id);
    found.map(option)
}

fn option(logger: &LoggerSummary) -> SelectionOption {
    SelectionOption {
        value: logger.logger_id.clone(),
        label: logger.logger_id.clone(),
        group: None,
        subtitle: Some(subtitle(logger)),
    }
}

/// "goodwe, 5 November to 4 December 2025".
fn subtitle(logger: &LoggerSummary) -> String {
    match (logger.earliest_data, logger.latest_data) {
        (Some(first), Some(newest)) => {
            let period = Period {
                start: first.date_naive(),
                end: format::day_of(newest),
            };
            format!("{}, {}", logger.logger_type, format::period(period))
        }
        _ => format!("{}, no data", logger.logger_type),
    }
}

fn rank(role: LoggerRole) -> u8 {
    match role {
        LoggerRole::Inverter => 0,
        LoggerRole::Meter => 1,
        LoggerRole::Weather => 2,
    }
}

fn role_words(role: LoggerRole) -> &'static str {
    match role {
        LoggerRole::Inverter => "Inverters",
        LoggerRole::Meter => "Meters",
        LoggerRole::Weather => "Weather stations",
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
