//! What must hold for every text.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{demo, horizon, mixed};
use crate::language::{
    Argument, Choice, LoggerMention, Offered, PickerAnswer, When, classify, extract, is_cancel,
    is_greeting, parse_answer, question, wants_all,
};

/// Pieces that the grammars know, so that random texts come near to them.
const PIECES: &[&str] = &[
    "Nov",
    "29",
    "2025",
    "-",
    "/",
    ".",
    ":",
    ",",
    "last",
    "next",
    "week",
    "days",
    "from",
    "to",
    "between",
    "and",
    "since",
    "Feb",
    "30",
    "GW",
    "INV",
    "001",
    "gw-inv-001",
    "inverter",
    "1",
    "all",
    "except",
    "SmartDog",
    "0.30",
    "per",
    "kWh",
    "ct",
    "Selected:",
    "the",
    "first",
    "top",
    "3",
    "İ",
    "ß",
    "\u{0}",
    "\u{1}",
    "’",
    "don't",
    "compare",
    "9999999999",
    "years",
    "ago",
    "99",
    "in",
    "week",
    "kWp",
    "#",
    "é",
    "🌞",
    "2025-11-03",
    "Q",
    "4",
    "T",
    "until",
    "\u{301}",
    "ﬁ",
    "Σ",
    "ς",
];

fn texts() -> impl Strategy<Value = String> {
    let known = prop::collection::vec((prop::sample::select(PIECES), prop::bool::ANY), 0..14)
        .prop_map(|pieces| {
            pieces
                .into_iter()
                .map(|(piece, space)| {
                    if space {
                        format!("{piece} ")
                    } else {
                        piece.to_owned()
                    }
                })
                .collect::<String>()
        });
    prop_oneof![known, any::<String>(), "\\PC{0,60}"]
}

fn offers() -> impl Strategy<Value = Argument> {
    prop::sample::select(vec![
        Argument::LoggerId,
        Argument::LoggerIds,
        Argument::Date,
        Argument::DateRange,
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics_and_what_is_found_exists(text in texts()) {
        let found = classify(&text);
        prop_assert!((0.0..=1.0).contains(&found.confidence));
        let _ = (question(&text), is_cancel(&text), is_greeting(&text), wants_all(&text));
        let loggers = mixed();
        let known: BTreeSet<&str> = loggers.iter().map(|logger| logger.logger_id.as_str()).collect();
        let extraction = extract(&text, &horizon(&loggers));
        let ids = match &extraction.loggers {
            LoggerMention::One(id) => vec![id.clone()],
            LoggerMention::Several(ids) => { prop_assert!(ids.len() > 1); ids.clone() }
            LoggerMention::Ambiguous { candidates, phrase } => { prop_assert!(text.contains(phrase.as_str())); candidates.clone() }
            LoggerMention::Unknown { phrase } => { prop_assert!(text.contains(phrase.as_str())); Vec::new() }
            LoggerMention::None | LoggerMention::All => Vec::new(),
        };
        prop_assert!(ids.iter().all(|id| known.contains(id.as_str())));
        prop_assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
        match &extraction.when {
            Some(When::Range(period)) => prop_assert!(period.start <= period.end),
            Some(When::Apart(periods)) => prop_assert!(periods.len() > 1),
            Some(When::NotADate { phrase }) => prop_assert!(text.contains(phrase.as_str())),
            _ => {}
        }
        prop_assert!(extraction.rate.is_none_or(|rate| (0.01..=1.0).contains(&rate)));
        prop_assert!(extraction.days_ahead.is_none_or(|days| (1..=7).contains(&days)));
    }

    #[test]
    fn only_what_was_offered_is_chosen(text in texts(), argument in offers(), count in 0_usize..4) {
        let loggers = demo();
        let options = loggers.iter().take(count).map(|logger| contracts::ui::SelectionOption {
            value: logger.logger_id.clone(), label: logger.logger_id.clone(), group: None, subtitle: None,
        }).collect();
        let horizon = horizon(&loggers);
        let offered = Offered { argument, options, min_date: Some("2025-11-05".parse().unwrap()), max_date: Some(horizon.anchor), min_count: Some(2), max_count: Some(3), skip_action: None };
        let is_offered = |id: &String| offered.options.iter().any(|option| option.value == *id);
        let within = |day| (offered.min_date.unwrap()..=offered.max_date.unwrap()).contains(&day);
        match parse_answer(&text, &offered, &horizon) {
            PickerAnswer::Chosen(Choice::Logger(id)) => prop_assert!(is_offered(&id)),
            PickerAnswer::Chosen(Choice::Loggers(ids) | Choice::Ranked(ids, _)) => prop_assert!(ids.iter().all(is_offered)),
            PickerAnswer::Chosen(Choice::Day(day)) => prop_assert!(within(day)),
            PickerAnswer::Chosen(Choice::Range(period)) => prop_assert!(within(period.start) && within(period.end) && period.start <= period.end),
            PickerAnswer::Invalid { reason } => prop_assert!(!reason.is_empty()),
            PickerAnswer::Cancelled | PickerAnswer::NotAnAnswer => {}
        }
    }

    #[test]
    fn every_id_is_found_in_any_case_and_spelling(index in 0_usize..9, lower in any::<bool>(), separator in prop::sample::select(vec!["-", "_", "", " "])) {
        let loggers = mixed();
        let id = &loggers[index].logger_id;
        // An id of digits has no other spelling; one that ends in a word and a number needs its
        // parts apart from each other.
        let spelt = if lower { id.to_lowercase() } else { id.clone() }.replace('-', separator);
        let message = format!("check the health of {spelt} please");
        prop_assert_eq!(extract(&message, &horizon(&loggers)).loggers, LoggerMention::One(id.clone()), "{}", message);
    }

    #[test]
    fn every_day_is_found_as_it_is_written(offset in 0_u64..30) {
        let loggers = demo();
        let horizon = horizon(&loggers);
        let day = horizon.anchor - chrono::Days::new(offset);
        for format in ["%Y-%m-%d", "%d.%m.%Y", "%b %-d", "%-d %B %Y", "%B %-d, %Y", "%Y/%m/%d"] {
            let message = format!("power curve of GW-INV-001 on {}", day.format(format));
            prop_assert_eq!(extract(&message, &horizon).when, Some(When::Day(day)), "{}", message);
        }
    }
}

#[test]
fn a_very_long_text_is_read_in_no_time() {
    let text = "last 7 days GW-INV-001 forecst ".repeat(100_000);
    let loggers = mixed();
    assert_eq!(
        extract(&text, &horizon(&loggers)).loggers,
        LoggerMention::One("GW-INV-001".to_owned())
    );
    assert_eq!(classify(&text).flow, crate::language::Flow::FreeChat);
}
