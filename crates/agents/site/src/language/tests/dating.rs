//! Days and ranges. The newest day is Thursday, 4 December 2025.

use contracts::tools::Period;

use super::{day, demo, horizon};
use crate::language::{Note, When, extract};

fn when(message: &str) -> Option<When> {
    let loggers = demo();
    extract(message, &horizon(&loggers)).when
}

fn shown(when: Option<&When>) -> String {
    match when {
        None => "-".to_owned(),
        Some(When::Day(day)) => day.to_string(),
        Some(When::Range(Period { start, end })) => format!("{start}..{end}"),
        Some(When::Apart(periods)) => periods
            .iter()
            .map(|Period { start, end }| format!("{start}..{end}"))
            .collect::<Vec<_>>()
            .join(" and "),
        Some(When::NotADate { phrase }) => format!("not {phrase:?}"),
    }
}

fn check(table: &[(&str, &str)]) {
    let wrong: Vec<_> = table
        .iter()
        .map(|(message, expected)| (*message, *expected, shown(when(message).as_ref())))
        .filter(|(_, expected, found)| expected != found)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn days_by_the_calendar() {
    check(&[
        ("power curve of GW-INV-001 on Nov 29", "2025-11-29"),
        ("on november 29th", "2025-11-29"),
        ("29 Nov 2025", "2025-11-29"),
        ("29th of November", "2025-11-29"),
        ("the 3rd of nov.", "2025-11-03"),
        ("29. November 2025", "2025-11-29"),
        ("29.11.2025", "2025-11-29"),
        ("29.11.25", "2025-11-29"),
        ("on 29.11.", "2025-11-29"),
        ("2025-11-29", "2025-11-29"),
        ("2025/11/29", "2025-11-29"),
        ("20251129", "2025-11-29"),
        ("2025-11-29T00:00:00.000Z", "2025-11-29"),
        ("11/29/2025", "2025-11-29"),
        ("29/11/2025", "2025-11-29"),
        ("11/12/2025", "2025-11-12"),
        ("on 11/29", "2025-11-29"),
        ("Nov 29, 2024", "2024-11-29"),
        ("Dec 6", "2024-12-06"),
        ("Dec 4", "2025-12-04"),
        ("feb 29", "2024-02-29"),
        ("novmber 29", "2025-11-29"),
        ("GW-INV-001 Nov 29", "2025-11-29"),
        ("Nov29", "2025-11-29"),
        ("power curve for lti – 7 Nov", "2025-11-07"),
        ("savings of 2025-11-05 please", "2025-11-05"),
    ]);
}

#[test]
fn days_that_do_not_exist() {
    check(&[
        ("power curve on Feb 30", "not \"Feb 30\""),
        ("on 31.11.2025", "not \"31.11.2025\""),
        ("2025-13-01", "not \"2025-13-01\""),
        ("Nov 31", "not \"Nov 31\""),
        ("2025-02-29", "not \"2025-02-29\""),
        ("from Nov 3 to Nov 31", "not \"from Nov 3 to Nov 31\""),
        ("13/13/2025", "not \"13/13/2025\""),
    ]);
}

#[test]
fn days_by_their_distance() {
    check(&[
        ("today", "2025-12-04"),
        ("yesterday", "2025-12-03"),
        ("yesterday's curve", "2025-12-03"),
        ("the day before yesterday", "2025-12-02"),
        ("yesterady", "2025-12-03"),
        ("3 days ago", "2025-12-01"),
        ("a week ago", "2025-11-27"),
        ("two weeks ago", "2025-11-20"),
        ("this morning", "2025-12-04"),
        ("latest power curve", "2025-12-04"),
        ("the most recent day", "2025-12-04"),
        ("use the latest available", "2025-12-04"),
        ("the last day", "2025-12-04"),
        ("on Thursday", "2025-12-04"),
        ("last Thursday", "2025-11-27"),
        ("on Friday", "2025-11-28"),
        ("last Friday", "2025-11-28"),
        ("on fri", "2025-11-28"),
        ("monday", "2025-12-01"),
        ("how was sunday", "2025-11-30"),
        ("wendesday", "2025-12-03"),
        ("past 24 hours", "2025-12-04"),
    ]);
}

#[test]
fn periods() {
    check(&[
        ("last 7 days", "2025-11-28..2025-12-04"),
        ("last seven days", "2025-11-28..2025-12-04"),
        ("past 30 days", "2025-11-05..2025-12-04"),
        ("last 2 weeks", "2025-11-21..2025-12-04"),
        ("the last couple of days", "2025-12-03..2025-12-04"),
        ("past few days", "2025-12-02..2025-12-04"),
        ("last 48 hours", "2025-12-03..2025-12-04"),
        ("last week", "2025-11-24..2025-11-30"),
        ("past week", "2025-11-28..2025-12-04"),
        ("this week", "2025-12-01..2025-12-04"),
        ("last month", "2025-11-01..2025-11-30"),
        ("past month", "2025-11-05..2025-12-04"),
        ("this month", "2025-12-01..2025-12-04"),
        ("last 3 months", "2025-09-05..2025-12-04"),
        ("last year", "2024-01-01..2024-12-31"),
        ("this year", "2025-01-01..2025-12-04"),
        ("year to date", "2025-01-01..2025-12-04"),
        ("past year", "2024-12-05..2025-12-04"),
        ("last quarter", "2025-07-01..2025-09-30"),
        ("Q3", "2025-07-01..2025-09-30"),
        ("Q4 2024", "2024-10-01..2024-12-31"),
        ("in November", "2025-11-01..2025-11-30"),
        ("November 2025", "2025-11-01..2025-11-30"),
        ("in december", "2025-12-01..2025-12-04"),
        ("last November", "2025-11-01..2025-11-30"),
        ("last december", "2024-12-01..2024-12-31"),
        ("in May", "2025-05-01..2025-05-31"),
        ("in 2024", "2024-01-01..2024-12-31"),
        ("2025-11", "2025-11-01..2025-11-30"),
        ("last weekend", "2025-11-29..2025-11-30"),
        ("over the weekend", "2025-11-29..2025-11-30"),
        ("over 14 days", "2025-11-21..2025-12-04"),
        ("week of Nov 12", "2025-11-10..2025-11-16"),
        ("week 46", "2025-11-10..2025-11-16"),
        ("all time", "2025-11-05..2025-12-04"),
        (
            "health of LTI-INV-001 for the last 30 days",
            "2025-11-05..2025-12-04",
        ),
    ]);
}

#[test]
fn ranges() {
    check(&[
        ("from Nov 3 to Nov 9", "2025-11-03..2025-11-09"),
        ("Nov 3-9", "2025-11-03..2025-11-09"),
        ("Nov 3 – 9", "2025-11-03..2025-11-09"),
        ("Nov 3 to 9, 2025", "2025-11-03..2025-11-09"),
        ("3-9 Nov", "2025-11-03..2025-11-09"),
        ("3rd to 9th of November 2025", "2025-11-03..2025-11-09"),
        ("between Nov 3 and Nov 9", "2025-11-03..2025-11-09"),
        ("between 3 and 9 November", "2025-11-03..2025-11-09"),
        ("2025-11-03:2025-11-09", "2025-11-03..2025-11-09"),
        ("2025-11-03 to 2025-11-09", "2025-11-03..2025-11-09"),
        ("2025-11-03 - 2025-11-09", "2025-11-03..2025-11-09"),
        ("2025-11-03/2025-11-09", "2025-11-03..2025-11-09"),
        ("2025-11-03..2025-11-09", "2025-11-03..2025-11-09"),
        ("03.11.2025 - 09.11.2025", "2025-11-03..2025-11-09"),
        ("from Nov 9 to Nov 3", "2025-11-03..2025-11-09"),
        ("Dec 20 to Jan 5", "2024-12-20..2025-01-05"),
        ("Nov 25 to Dec 10", "2025-11-25..2025-12-10"),
        ("from 25 November to 10 December", "2025-11-25..2025-12-10"),
        ("from 1 to 10 December", "2025-12-01..2025-12-10"),
        ("from October to November", "2025-10-01..2025-11-30"),
        ("Nov 3 2024 to Jan 5 2025", "2024-11-03..2025-01-05"),
        ("since Nov 20", "2025-11-20..2025-12-04"),
        ("since yesterday", "2025-12-03..2025-12-04"),
        ("since last week", "2025-11-24..2025-12-04"),
        ("after Nov 20", "2025-11-21..2025-12-04"),
        ("from Nov 20 on", "2025-11-20..2025-12-04"),
        ("from Nov 20 until now", "2025-11-20..2025-12-04"),
        ("until Nov 20", "2025-11-05..2025-11-20"),
        ("before Nov 20", "2025-11-05..2025-11-19"),
        ("from Monday to Wednesday", "2025-12-01..2025-12-03"),
        (
            "savings of GW-INV-001 from 2025-11-10 until 2025-11-20 at 0.30",
            "2025-11-10..2025-11-20",
        ),
    ]);
}

#[test]
fn no_dates() {
    check(&[
        ("may I see the savings", "-"),
        ("check the health of LTI-INV-001", "-"),
        ("compare all 4 inverters", "-"),
        ("the sun is out", "-"),
        ("at 0.30 per kWh", "-"),
        ("I sat down", "-"),
        ("forecast for next week", "-"),
        ("10 kWp", "-"),
        ("march on", "-"),
        ("", "-"),
    ]);
}

#[test]
fn days_ahead() {
    let loggers = demo();
    let table: &[(&str, Option<u32>, bool)] = &[
        ("forecast for tomorrow", Some(1), false),
        ("forecast for the day after tomorrow", Some(2), false),
        ("forecast for next week", Some(7), false),
        ("forecast for the coming week", Some(7), false),
        ("forecast the next 3 days", Some(3), false),
        ("3-day forecast", Some(3), false),
        ("7 day forecast for GW-INV-001", Some(7), false),
        ("forecast for two days", Some(2), false),
        ("what will it produce in 3 days", Some(3), false),
        ("forecast for Saturday", Some(2), false),
        ("forecast until next Sunday", Some(3), false),
        ("forecast for Dec 6", Some(2), false),
        ("Forecast production for the next 30 days", Some(7), true),
        ("forecast next month", Some(7), true),
        ("forecast for GW-INV-001", None, false),
        ("forecast from the last 30 days", None, false),
        ("savings last week", None, false),
    ];
    for (message, expected, capped) in table {
        let found = extract(message, &horizon(&loggers));
        assert_eq!(found.days_ahead, *expected, "{message}: {found:?}");
        assert_eq!(
            found
                .notes
                .iter()
                .any(|note| matches!(note, Note::HorizonCapped { .. })),
            *capped,
            "{message}"
        );
    }
}

#[test]
fn a_clear_reading_of_an_ambiguous_date_wins() {
    // The data begin on 5 November: a reading within them wins over one that is not.
    let loggers = demo();
    let mut here = horizon(&loggers);
    here.anchor = day("2025-11-20");
    assert_eq!(
        shown(extract("12/11/2025", &here).when.as_ref()),
        "2025-11-12"
    );
    assert_eq!(
        shown(extract("10/11/2025", &here).when.as_ref()),
        "2025-11-10"
    );
    // Both ends are read alike, and the answer says how.
    let here = horizon(&loggers);
    for (message, expected, said) in [
        (
            "savings from 1/12 to 3/12",
            "2025-12-01..2025-12-03",
            Some("1/12 to 3/12"),
        ),
        (
            "savings 1/12 to 3/12",
            "2025-12-01..2025-12-03",
            Some("1/12 to 3/12"),
        ),
        (
            "savings 11/6 - 11/9",
            "2025-11-06..2025-11-09",
            Some("11/6 - 11/9"),
        ),
        (
            "savings from 11/20 to 11/22",
            "2025-11-20..2025-11-22",
            None,
        ),
        ("power on 2/12/2025", "2025-12-02", Some("2/12/2025")),
    ] {
        let found = extract(message, &here);
        assert_eq!(shown(found.when.as_ref()), expected, "{message}");
        let phrase = found.notes.iter().find_map(|note| match note {
            Note::ReadAs { phrase, .. } => Some(phrase.trim_start_matches("from ")),
            _ => None,
        });
        assert_eq!(phrase, said, "{message}");
    }
}
