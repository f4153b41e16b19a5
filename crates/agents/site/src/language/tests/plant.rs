//! A plant of two sites in two zones, with the questions of its owner. The newest day is
//! Saturday, 21 November 2026, and today is the day after it.

use chrono::NaiveDate;
use contracts::tools::{LoggerSummary, Period};

use super::{day, logger};
use crate::language::{
    Beyond, Flow, Horizon, LoggerMention, Note, Question, When, asked_figure, asks_of_all_days,
    extract, instead, understand,
};

pub(super) fn plant() -> Vec<LoggerSummary> {
    use contracts::tools::LoggerRole::{Inverter, Meter, Weather};
    let at = |text: &str| text.parse().ok();
    [
        ("LIN-INV-1", "goodwe", Inverter, "lindenau"),
        ("LIN-INV-2", "goodwe", Inverter, "lindenau"),
        ("LIN-INV-3", "goodwe", Inverter, "lindenau"),
        ("LIN-INV-4", "goodwe", Inverter, "lindenau"),
        ("LIN-METER", "plexlog", Meter, "lindenau"),
        ("LIN-WX", "mbmet", Weather, "lindenau"),
        ("MESA-A", "lti", Inverter, "mesa"),
        ("MESA-B", "lti", Inverter, "mesa"),
        ("MESA-C", "meier", Inverter, "mesa"),
    ]
    .into_iter()
    .map(|(id, kind, role, site)| {
        let name = if site == "mesa" {
            "Mesa Ranch"
        } else {
            "Hof Lindenau"
        };
        let mut one = logger(id, kind, role, site, name);
        one.earliest_data = at("2026-09-23T00:15:00+02:00");
        one.latest_data = at("2026-11-21T23:45:00+01:00");
        if site == "mesa" {
            one.timezone = "America/Phoenix".to_owned();
            one.earliest_data = at("2026-09-23T00:15:00-07:00");
            one.latest_data = at("2026-11-21T23:45:00-07:00");
            one.has_irradiance = false;
        }
        if id == "LIN-INV-4" {
            one.earliest_data = at("2026-10-20T00:15:00+02:00");
        }
        one
    })
    .collect()
}

pub(super) fn today(loggers: &[LoggerSummary]) -> Horizon<'_> {
    let anchor: NaiveDate = day("2026-11-21");
    Horizon {
        loggers,
        anchor,
        today: day("2026-11-22"),
    }
}

/// The reading of a sentence: the question and the figure it names, its devices, its site, its
/// days, the days ahead, and what is said of the reading; of a refusal its kind, the words that it
/// names, and the requests that it offers.
fn made_of(sentence: &str, loggers: &[LoggerSummary]) -> String {
    let read = understand(sentence, loggers);
    if let Question::Beyond(kind) = read.question {
        let mut parts = vec![format!("no {kind:?}")];
        if let Beyond::Limit(_) = kind {
            parts.push(read.unexplained.join(", "));
            parts.extend(instead(sentence, &today(loggers)));
        }
        return parts.join(" | ");
    }
    let found = extract(sentence, &today(loggers));
    let devices = match &found.loggers {
        LoggerMention::None => String::new(),
        LoggerMention::One(id) => id.clone(),
        LoggerMention::Several(ids) => ids.join("+"),
        LoggerMention::All => "all".to_owned(),
        other => format!("{other:?}"),
    };
    let day = |day: NaiveDate| day.format("%m-%d").to_string();
    let days = match &found.when {
        None => String::new(),
        Some(When::Day(one)) => day(*one),
        Some(When::Range(period)) => format!("{}..{}", day(period.start), day(period.end)),
        Some(other) => format!("{other:?}"),
    };
    let question = match (read.classification.flow, read.question) {
        (Flow::PerformanceAudit, _) => "Compare".to_owned(),
        (Flow::Greeting, _) => "Greeting".to_owned(),
        (_, question) => format!("{question:?}"),
    };
    let figure = asked_figure(sentence, loggers).map(|figure| format!("{figure:?}"));
    let ahead = found
        .days_ahead
        .filter(|_| read.question == Question::Forecast);
    let notes = found.notes.iter().map(|note| match note {
        Note::ReadAs { phrase, .. } => format!("read as: {phrase}"),
        Note::CountedFrom { day } => format!("counted from {day}"),
        Note::HorizonCapped { .. } => "capped".to_owned(),
        Note::NotAhead { day } => format!("not ahead: {day}"),
        Note::RateOutOfRange { .. } => "rate out of range".to_owned(),
    });
    let mut parts = vec![question, devices, found.site.unwrap_or_default(), days];
    parts.extend(figure);
    parts.extend(ahead.map(|days| format!("{days} ahead")));
    if ahead.is_some() {
        let only = found.coming.iter().map(|only| match only {
            Period { start, end } if start == end => format!("only {}", day(*start)),
            Period { start, end } => format!("only {}..{}", day(*start), day(*end)),
        });
        parts.extend(only);
    }
    if asks_of_all_days(sentence) {
        parts.push("all days".to_owned());
    }
    parts.extend(notes);
    parts.retain(|part| !part.is_empty());
    parts.join(" | ")
}

/// Sentences of the owner, each with what is made of it.
const TABLES: [&str; 4] = [
    include_str!("plant/owner.txt"),
    include_str!("plant/further.txt"),
    include_str!("plant/third.txt"),
    include_str!("plant/fourth.txt"),
];

#[test]
fn every_sentence_of_the_owner_is_answered_whole_or_refused_by_name() {
    let loggers = plant();
    let mut wrong = Vec::new();
    for line in TABLES.iter().flat_map(|table| table.lines()) {
        let Some((sentence, expected)) = line.split_once(" => ") else {
            continue;
        };
        let found = made_of(sentence, &loggers);
        if found != expected {
            wrong.push(format!("{sentence} => {found}\n    expected {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_a_refusal_offers_is_answered() {
    let loggers = plant();
    let mut offered = 0;
    for line in TABLES.iter().flat_map(|table| table.lines()) {
        let Some((sentence, _)) = line.split_once(" => ") else {
            continue;
        };
        for offer in instead(sentence, &today(&loggers)) {
            let question = understand(&offer, &loggers).question;
            assert!(
                !matches!(question, Question::Beyond(_) | Question::Unknown),
                "{sentence}: {offer}"
            );
            offered += 1;
        }
    }
    assert!(offered > 80, "{offered}");
}

#[test]
fn days_that_count_from_today_say_so_where_the_data_ended_before() {
    let loggers = plant();
    let long_ago = Horizon {
        today: day("2027-03-01"),
        ..today(&loggers)
    };
    for (message, expected) in [
        ("energy yesterday", true),
        ("energy 3 days ago", true),
        ("savings last week", true),
        ("forecast for tomorrow", true),
        ("savings of the last 30 days", false),
        ("savings in october", false),
        ("savings in total", false),
        ("the latest power curve", false),
    ] {
        let counted = |horizon: &Horizon<'_>| {
            let found = extract(message, horizon);
            found
                .notes
                .iter()
                .any(|note| matches!(note, Note::CountedFrom { .. }))
        };
        assert_eq!(counted(&long_ago), expected, "{message}");
        assert!(!counted(&today(&loggers)), "{message}");
    }
}
