//! Whole messages: what is answered, for whom and when, and what is refused as what it is. The
//! newest day is Thursday, 4 December 2025.

mod answered;
mod following;
mod names;
mod refused;

use contracts::tools::LoggerSummary;

use super::horizon;
use crate::language::{
    Extraction, LoggerMention, MIN_CONFIDENCE, Question, When, extract, understand,
};

/// The request of a message, in a word; "no" and the kind for unavailable things.
fn asked(message: &str, loggers: &[LoggerSummary]) -> String {
    let read = understand(message, loggers);
    let sure = read.classification.confidence >= MIN_CONFIDENCE;
    match read.question {
        Question::Beyond(kind) => {
            assert!(!sure, "{message}: {read:?}");
            let kind = format!("{kind:?}");
            format!("no {}", kind.split('(').next().unwrap_or_default())
        }
        Question::Unknown if read.classification.flow == crate::language::Flow::Greeting => {
            "greeting".to_owned()
        }
        Question::Unknown => "no Other".to_owned(),
        question => format!("{question:?}"),
    }
}

fn devices(found: &Extraction) -> String {
    match &found.loggers {
        LoggerMention::None => "-".to_owned(),
        LoggerMention::All => "all".to_owned(),
        LoggerMention::One(id) => id.replace("-INV-001", ""),
        LoggerMention::Several(ids) => ids.join("+").replace("-INV-001", ""),
        LoggerMention::Ambiguous { .. } => "?".to_owned(),
        LoggerMention::Unknown { phrase } => format!("unknown {phrase}"),
    }
}

fn days(found: &Extraction) -> String {
    match &found.when {
        None => "-".to_owned(),
        Some(When::Day(day)) => day.format("%m-%d").to_string(),
        Some(When::Range(period)) => format!(
            "{}..{}",
            period.start.format("%m-%d"),
            period.end.format("%m-%d")
        ),
        Some(When::NotADate { .. }) => "not a date".to_owned(),
    }
}

fn check(loggers: &[LoggerSummary], table: &[(&str, &str, &str, &str)]) {
    let mut wrong = Vec::new();
    for (message, question, device, day) in table {
        let extraction = extract(message, &horizon(loggers));
        let found = (
            asked(message, loggers),
            devices(&extraction),
            days(&extraction),
        );
        let refused = question.starts_with("no ");
        if found.0 != *question || !refused && (found.1 != *device || found.2 != *day) {
            wrong.push(format!(
                "{message:?}: expected {question} {device} {day}, found {found:?} ({:?})",
                understand(message, loggers).unexplained
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        table.len(),
        wrong.join("\n")
    );
}
