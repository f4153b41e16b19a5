//! Answers to pickers.

use contracts::tools::{LoggerSummary, Period};
use contracts::ui::SelectionOption;

use super::{day, demo, horizon};
use crate::language::{Argument, Choice, Offered, PickerAnswer, parse_answer};

fn offered(argument: Argument, loggers: &[LoggerSummary]) -> Offered {
    let option = |logger: &LoggerSummary| SelectionOption {
        value: logger.logger_id.clone(),
        label: format!("{} ({})", logger.logger_id, logger.logger_type),
        group: None,
        subtitle: None,
    };
    let several = argument == Argument::LoggerIds;
    let dates = matches!(argument, Argument::Date | Argument::DateRange);
    Offered {
        argument,
        options: if dates {
            Vec::new()
        } else {
            loggers.iter().map(option).collect()
        },
        min_date: dates.then(|| day("2025-11-05")),
        max_date: dates.then(|| day("2025-12-04")),
        min_count: several.then_some(2),
        max_count: several.then_some(3),
        skip_action: match argument {
            Argument::LoggerIds => Some("Compare the top 3".to_owned()),
            Argument::Date => Some("Use 2025-12-04".to_owned()),
            _ => None,
        },
    }
}

fn shown(answer: &PickerAnswer) -> String {
    match answer {
        PickerAnswer::Chosen(Choice::Logger(id)) => id.clone(),
        PickerAnswer::Chosen(Choice::Loggers(ids)) => ids.join("+"),
        PickerAnswer::Chosen(Choice::Ranked(ids, ranked)) => {
            let end = if ranked.worst { "worst" } else { "best" };
            format!("{end} {} of {}", ranked.count, ids.len())
        }
        PickerAnswer::Chosen(Choice::Day(day)) => day.to_string(),
        PickerAnswer::Chosen(Choice::Range(Period { start, end })) => format!("{start}..{end}"),
        PickerAnswer::Invalid { .. } => "invalid".to_owned(),
        PickerAnswer::Cancelled => "cancelled".to_owned(),
        PickerAnswer::NotAnAnswer => "-".to_owned(),
    }
}

fn check(argument: Argument, table: &[(&str, &str)]) {
    let loggers = demo();
    let offered = offered(argument, &loggers);
    let wrong: Vec<_> = table
        .iter()
        .map(|(message, expected)| {
            (
                *message,
                *expected,
                shown(&parse_answer(message, &offered, &horizon(&loggers))),
            )
        })
        .filter(|(_, expected, found)| expected != found)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn one_device() {
    check(
        Argument::LoggerId,
        &[
            ("Selected: LTI-INV-001", "LTI-INV-001"),
            ("User selected: LTI-INV-001", "LTI-INV-001"),
            ("I selected: lti-inv-001", "LTI-INV-001"),
            ("selected:LTI-INV-001", "LTI-INV-001"),
            ("LTI-INV-001", "LTI-INV-001"),
            ("LTI-INV-001 (lti)", "LTI-INV-001"),
            ("the SmartDog please", "SD-INV-001"),
            ("LTI", "LTI-INV-001"),
            ("smartdog", "SD-INV-001"),
            ("the lti one please", "LTI-INV-001"),
            ("meier then", "MEIER-INV-001"),
            ("let's take the LTI", "LTI-INV-001"),
            ("the first one", "GW-INV-001"),
            ("2", "LTI-INV-001"),
            ("#3", "MEIER-INV-001"),
            ("number 4", "SD-INV-001"),
            ("the last", "SD-INV-001"),
            ("second", "LTI-INV-001"),
            ("9", "-"),
            ("Selected: INV-999", "invalid"),
            ("Selected: banana", "invalid"),
            ("INV-999", "invalid"),
            ("inverter 1", "invalid"),
            ("User selected: GW-INV-001, SD-INV-001", "invalid"),
            (
                "all of them",
                "GW-INV-001+LTI-INV-001+MEIER-INV-001+SD-INV-001",
            ),
            (
                "check all devices",
                "GW-INV-001+LTI-INV-001+MEIER-INV-001+SD-INV-001",
            ),
            ("cancel", "cancelled"),
            ("Never mind.", "cancelled"),
            ("forget it!", "cancelled"),
            ("Selected: cancel", "invalid"),
            ("Morning briefing", "-"),
            ("what's the forecast for GW-INV-001?", "-"),
            ("how much did the SmartDog save last month?", "-"),
            ("hi", "-"),
            ("", "-"),
        ],
    );
}

#[test]
fn several_devices() {
    check(
        Argument::LoggerIds,
        &[
            (
                "User selected: GW-INV-001, SD-INV-001",
                "GW-INV-001+SD-INV-001",
            ),
            (
                "Selected: GW-INV-001,SD-INV-001,LTI-INV-001",
                "GW-INV-001+SD-INV-001+LTI-INV-001",
            ),
            ("GW and SD", "GW-INV-001+SD-INV-001"),
            ("the first and the last", "GW-INV-001+SD-INV-001"),
            ("1, 3", "GW-INV-001+MEIER-INV-001"),
            ("[\"GW-INV-001\",\"SD-INV-001\"]", "GW-INV-001+SD-INV-001"),
            (
                "compare the SmartDog with the LTI",
                "SD-INV-001+LTI-INV-001",
            ),
            ("Compare the top 3", "best 3 of 4"),
            ("top two", "best 2 of 4"),
            ("the worst 2 please", "worst 2 of 4"),
            ("GW-INV-001", "invalid"),
            ("GW-INV-001, GW-INV-001", "invalid"),
            // What is said in words may be more than a picker lets choose by hand.
            ("all", "GW-INV-001+LTI-INV-001+MEIER-INV-001+SD-INV-001"),
            ("Selected: GW-INV-001, INV-999", "invalid"),
            ("check the health of GW and SD", "-"),
        ],
    );
}

#[test]
fn a_day() {
    check(
        Argument::Date,
        &[
            ("Selected: 2025-11-29", "2025-11-29"),
            ("Use 2025-12-04", "2025-12-04"),
            ("use the latest", "2025-12-04"),
            ("use the latest available", "2025-12-04"),
            ("Nov 29 please", "2025-11-29"),
            ("yesterday", "2025-12-03"),
            ("how about on Friday", "2025-11-28"),
            ("2025-11-29T00:00:00.000Z", "2025-11-29"),
            ("latest", "2025-12-04"),
            ("2025-01-10", "invalid"),
            ("Selected: 2026-01-10", "invalid"),
            ("Feb 30", "invalid"),
            ("last week", "invalid"),
            ("Selected: soon", "invalid"),
            ("power curve of LTI-INV-001 on Nov 29", "-"),
            ("never mind", "cancelled"),
            ("Any problems?", "-"),
        ],
    );
}

#[test]
fn a_range() {
    check(
        Argument::DateRange,
        &[
            ("2025-11-10:2025-11-16", "2025-11-10..2025-11-16"),
            ("Selected: 2025-11-10:2025-11-16", "2025-11-10..2025-11-16"),
            (
                "User selected: 2025-11-10, 2025-11-16",
                "2025-11-10..2025-11-16",
            ),
            ("last_7_days", "2025-11-28..2025-12-04"),
            ("Selected: last_30_days", "2025-11-05..2025-12-04"),
            ("last_90_days", "2025-11-05..2025-12-04"),
            ("this_month", "2025-12-01..2025-12-04"),
            ("last month", "2025-11-05..2025-11-30"),
            ("yesterday", "2025-12-03..2025-12-03"),
            ("from Nov 10 to Nov 16", "2025-11-10..2025-11-16"),
            ("everything", "2025-11-05..2025-12-04"),
            ("2025-10-01:2025-11-16", "invalid"),
            ("last year", "invalid"),
        ],
    );
}

#[test]
fn a_reason_says_what_can_be_chosen() {
    let loggers = demo();
    let reason = |argument, message| match parse_answer(
        message,
        &offered(argument, &loggers),
        &horizon(&loggers),
    ) {
        PickerAnswer::Invalid { reason } => reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        reason(Argument::Date, "2024-01-01"),
        "I only have data from 5 November to 4 December 2025."
    );
    assert_eq!(
        reason(Argument::LoggerIds, "GW-INV-001"),
        "Please choose at least 2 devices."
    );
    assert_eq!(
        reason(Argument::LoggerId, "Selected: X"),
        "\"X\" isn't one of the choices."
    );
}
