use chrono::NaiveDate;
use contracts::tools::{LoggerRole, LoggerSummary, Period};
use serde_json::json;

use super::*;
use crate::findings::Missing;

fn logger(id: &str, role: &str, site: &str, newest: Option<&str>) -> LoggerSummary {
    serde_json::from_value(json!({
        "loggerId": id, "loggerType": "goodwe", "role": role, "siteId": site, "siteName": site, "timezone": "UTC",
        "earliestData": newest.map(|_| "2025-11-05T06:00:00+00:00"), "latestData": newest, "recordCount": 1, "stepMinutes": 5.0,
        "hasIrradiance": true, "irradianceBasis": "poa", "hasRegister": true, "capacityKw": null, "capacityBasis": "unknown",
    }))
    .unwrap()
}

fn fleet() -> Vec<LoggerSummary> {
    vec![
        logger(
            "A-INV-1",
            "inverter",
            "north",
            Some("2025-12-04T19:00:00+00:00"),
        ),
        logger(
            "B-INV-1",
            "inverter",
            "south",
            Some("2025-11-20T19:00:00+00:00"),
        ),
        logger("M-1", "meter", "north", Some("2025-12-04T19:00:00+00:00")),
        logger("W-1", "weather", "north", Some("2025-12-04T19:00:00+00:00")),
    ]
}

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

#[test]
fn the_newest_day_of_several_zones_has_begun_at_all_of_them() {
    let at = |id: &str, newest: &str, zone: &str| {
        let mut one = logger(id, "inverter", id, Some(newest));
        zone.clone_into(&mut one.timezone);
        one
    };
    let zurich = at("Z", "2026-11-29T12:45:00+01:00", "Europe/Zurich");
    let phoenix = at("P", "2026-11-29T04:45:00-07:00", "America/Phoenix");
    let auckland = at("A", "2026-11-30T00:45:00+13:00", "Pacific/Auckland");
    let ended = at("E", "2026-11-20T12:00:00-07:00", "America/Phoenix");
    let newest = |loggers: &[&LoggerSummary]| newest_day(loggers).unwrap();
    assert_eq!(newest(&[&auckland, &zurich, &phoenix]), day("2026-11-29"));
    assert_eq!(newest(&[&auckland]), day("2026-11-30"));
    assert_eq!(newest(&[&auckland, &ended]), day("2026-11-30"));
    let known = vec![auckland, zurich, phoenix];
    let yesterday = asked("which inverter made the most energy yesterday?");
    let flow = Flow::PerformanceAudit;
    let now = "2026-11-29T11:45:00Z".parse().unwrap();
    let resolved = ready(check(needs_of_flow(flow), flow, &yesterday, &known, now));
    let period = resolved.period.unwrap();
    assert_eq!(
        (period.start, period.end),
        (day("2026-11-28"), day("2026-11-28"))
    );
}

fn asked(request: &str) -> FlowContext {
    FlowContext {
        request: request.to_owned(),
        ..FlowContext::default()
    }
}

fn check_flow(flow: Flow, context: &FlowContext) -> Checked {
    check(
        needs_of_flow(flow),
        flow,
        context,
        &fleet(),
        "2026-03-01T12:00:00Z".parse().unwrap(),
    )
}

fn ready(checked: Checked) -> Resolved {
    match checked {
        Checked::Ready(resolved) => resolved,
        other => panic!("not ready: {other:?}"),
    }
}

fn picker(checked: Checked) -> RequestUserSelection {
    match checked {
        Checked::Missing(Missing::Choice { request, .. }) => *request,
        other => panic!("no picker: {other:?}"),
    }
}

use contracts::ui::RequestUserSelection;

#[test]
fn the_default_month_ends_on_the_newest_day_of_the_device_not_on_the_calendars() {
    for (id, start, end) in [
        ("A-INV-1", "2025-11-05", "2025-12-04"),
        ("B-INV-1", "2025-10-22", "2025-11-20"),
    ] {
        let mut context = asked("Financial report");
        context.selected_logger_id = Some(id.to_owned());
        let resolved = ready(check_flow(Flow::FinancialReport, &context));
        assert_eq!(
            resolved.period,
            Some(Period {
                start: day(start),
                end: day(end)
            })
        );
    }
}

#[test]
fn what_was_chosen_wins_over_what_was_said() {
    let mut context = asked("Health of A-INV-1 on 2025-11-10");
    context.selected_logger_id = Some("B-INV-1".to_owned());
    context.selected_date = Some(day("2025-11-12"));
    let resolved = ready(check_flow(Flow::HealthCheck, &context));
    assert_eq!(resolved.loggers[0].logger_id, "B-INV-1");
    assert_eq!(resolved.period.map(length), Some(1));
    assert_eq!(
        resolved.period.map(|period| period.end),
        Some(day("2025-11-12"))
    );
}

#[test]
fn all_means_the_inverters() {
    let resolved = ready(check_flow(Flow::HealthCheck, &asked("Check all devices")));
    assert!(
        resolved
            .loggers
            .iter()
            .all(|logger| logger.role == LoggerRole::Inverter)
    );
    assert_eq!(resolved.loggers.len(), 2);
}

#[test]
fn a_picker_offers_no_weather_station_and_groups_by_site_and_role() {
    let request = picker(check_flow(Flow::HealthCheck, &asked("Health check")));
    let offered: Vec<_> = request
        .options
        .iter()
        .map(|option| (option.value.as_str(), option.group.as_deref().unwrap()))
        .collect();
    assert_eq!(
        offered,
        [
            ("A-INV-1", "north: Inverters"),
            ("M-1", "north: Meters"),
            ("B-INV-1", "south: Inverters")
        ]
    );
}

#[test]
fn a_device_that_is_gone_since_it_was_chosen_is_asked_for_again() {
    let mut context = asked("Health check");
    context.selected_logger_id = Some("GONE-1".to_owned());
    picker(check_flow(Flow::HealthCheck, &context));
}

#[test]
fn a_day_that_does_not_exist_is_asked_for() {
    let request = picker(check_flow(
        Flow::FinancialReport,
        &asked("Savings of A-INV-1 on Feb 30"),
    ));
    assert_eq!(request.input_type, contracts::ui::SelectionInput::DateRange);
    assert_eq!(request.max_date, Some(day("2025-12-04")));
}

#[test]
fn a_device_without_any_data_is_still_asked_about() {
    let known = [logger("NEW-1", "inverter", "north", None)];
    let now = "2026-03-01T12:00:00Z".parse().unwrap();
    let needs = needs_of_flow(Flow::FinancialReport);
    let resolved = ready(check(
        needs,
        Flow::FinancialReport,
        &asked("Financial report"),
        &known,
        now,
    ));
    assert_eq!((resolved.period, resolved.today), (None, day("2026-03-01")));
}

#[test]
fn a_period_is_cut_to_its_last_days() {
    let period = Period {
        start: day("2025-01-01"),
        end: day("2025-12-31"),
    };
    assert_eq!(at_most(period, 400), period);
    assert_eq!(at_most(period, 30).start, day("2025-12-02"));
    assert_eq!(length(at_most(period, 30)), 30);
    assert_eq!(
        at_most(
            Period {
                start: NaiveDate::MIN,
                end: NaiveDate::MIN
            },
            30
        )
        .start,
        NaiveDate::MIN
    );
}

#[test]
fn a_date_with_slashes_is_read_by_the_data_that_are_meant() {
    let mut known = fleet();
    let mut old = logger(
        "Z-INV-1",
        "inverter",
        "old",
        Some("2024-03-01T19:00:00+00:00"),
    );
    old.earliest_data = Some("2024-01-10T06:00:00+00:00".parse().unwrap());
    known.push(old);
    for (request, start, end) in [
        (
            "Savings of A-INV-1 from 1/12 to 3/12",
            "2025-12-01",
            "2025-12-03",
        ),
        ("Savings from 1/12 to 3/12", "2025-12-01", "2025-12-03"),
        ("Savings on 3/12", "2025-12-03", "2025-12-03"),
        ("Savings of Z-INV-1 on 1/12", "2024-01-12", "2024-01-12"),
    ] {
        let resolved = ready(check(
            needs_of_flow(Flow::FinancialReport),
            Flow::FinancialReport,
            &asked(request),
            &known,
            "2026-03-01T12:00:00Z".parse().unwrap(),
        ));
        let period = Period {
            start: day(start),
            end: day(end),
        };
        assert_eq!(resolved.period, Some(period), "{request}");
        assert!(
            resolved
                .notes
                .iter()
                .any(|note| matches!(note, crate::language::Note::ReadAs { .. })),
            "{request}"
        );
    }
}

#[test]
fn energy_by_month_or_year_takes_as_many_days_as_it_needs() {
    let question = Question::Tool(contracts::tools::names::GET_ENERGY_HISTORY);
    for (request, start) in [
        ("daily energy of A-INV-1", "2025-11-05"),
        ("energy of A-INV-1 per week", "2025-11-05"),
        ("monthly energy of A-INV-1", "2025-11-05"),
        ("yearly energy of A-INV-1", "2025-11-05"),
    ] {
        let mut fleet = fleet();
        let checked = |fleet: &[LoggerSummary]| {
            let now = "2026-03-01T12:00:00Z".parse().unwrap();
            let (needs, flow) = (needs_of_question(question), Flow::FreeChat);
            ready(check(needs, flow, &asked(request), fleet, now)).period
        };
        let end = day("2025-12-04");
        let start = day(start);
        assert_eq!(checked(&fleet), Some(Period { start, end }), "{request}");
        fleet[0].earliest_data = "2023-03-10T06:00:00+00:00".parse().ok();
        let start = day(match request.split(' ').next() {
            Some("daily") => "2025-11-05",
            Some("energy") => "2025-11-03",
            Some("monthly") => "2025-01-01",
            _ => "2023-03-10",
        });
        assert_eq!(checked(&fleet), Some(Period { start, end }), "{request}");
    }
}

#[test]
fn a_comparison_of_two_devices_or_one_that_asks_which_needs_no_choice() {
    for words in [
        "Compare the inverters",
        "Which inverter is more efficient?",
        "Which inverter had the higher yield?",
    ] {
        let resolved = ready(check_flow(Flow::PerformanceAudit, &asked(words)));
        let ids: Vec<&str> = resolved
            .loggers
            .iter()
            .map(|logger| logger.logger_id.as_str())
            .collect();
        assert_eq!(ids, ["A-INV-1", "B-INV-1"], "{words}");
    }
    // Of three there is a choice, unless the question is which of them.
    let mut three = fleet();
    three.push(logger(
        "C-INV-1",
        "inverter",
        "north",
        Some("2025-12-04T19:00:00+00:00"),
    ));
    let check_three = |words: &str| {
        let flow = Flow::PerformanceAudit;
        let now = "2026-03-01T12:00:00Z".parse().unwrap();
        check(needs_of_flow(flow), flow, &asked(words), &three, now)
    };
    picker(check_three("Compare the inverters"));
    assert_eq!(
        ready(check_three("Which inverter is more efficient?"))
            .loggers
            .len(),
        3
    );
}
