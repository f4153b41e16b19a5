//! The origin of an answer's query, when a person confirmed it: who, when, and which days
//! its periods represent.

use chrono::{DateTime, Datelike, NaiveDate, Utc};
use contracts::tools::{
    questions::QuestionPeriod,
    sql::{PastQuestion, QuestionSource, SqlRun},
};

use crate::state::{Origin, Work};

/// The remark below an answer; `None` where there is nothing to say about its query.
pub(crate) fn of(past: &PastQuestion) -> Option<String> {
    let mut sentences: Vec<String> = past.periods.iter().filter_map(period).collect();
    sentences.extend(people(past));
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// The origin of the rows of a query that the person wrote.
pub(crate) fn own_query(run: &SqlRun) -> String {
    let read = match run.tables.as_slice() {
        [] => "It read no table.".to_owned(),
        [table] => format!("It read {table}, and of it the rows that you may see."),
        tables => format!(
            "It read {}, and of them the rows that you may see.",
            tables.join(", ")
        ),
    };
    format!(
        "This is your own query as you wrote it, on the database \u{201c}{}\u{201d}. {read}",
        run.target
    )
}

/// Which database answered, where the person has several.
pub(crate) fn target(work: &Work, run: &SqlRun) -> Option<String> {
    let is_told = work.place.several_targets && work.query.origin != Origin::Person;
    is_told.then(|| match &work.place.target_about {
        Some(about) => format!(
            "From the database \u{201c}{}\u{201d} ({}).",
            run.target,
            about.trim().trim_end_matches('.')
        ),
        None => format!("From the database \u{201c}{}\u{201d}.", run.target),
    })
}

/// "“last week” is 9 to 15 November 2026."
fn period(period: &QuestionPeriod) -> Option<String> {
    let days = match (period.from, period.until) {
        (Some(from), Some(until)) => span(from, until),
        (Some(from), None) => format!("{} onwards", day(from)),
        (None, Some(until)) => format!("up to {}", day(until)),
        (None, None) => return None,
    };
    Some(format!("\u{201c}{}\u{201d} is {days}.", period.words))
}

fn span(from: NaiveDate, until: NaiveDate) -> String {
    if from == until {
        day(from)
    } else if (from.year(), from.month()) == (until.year(), until.month()) {
        format!("{} to {}", from.day(), day(until))
    } else if from.year() == until.year() {
        format!("{} to {}", from.format("%-d %B"), day(until))
    } else {
        format!("{} to {}", day(from), day(until))
    }
}

fn day(day: NaiveDate) -> String {
    day.format("%-d %B %Y").to_string()
}

fn on(at: DateTime<Utc>) -> String {
    format!("on {}", day(at.date_naive()))
}

/// Who confirmed the query, who changed it, and who released it for all users.
fn people(past: &PastQuestion) -> Option<String> {
    let confirmed = on(past.confirmed_at);
    let said = match past.source {
        QuestionSource::Operator => return None,
        QuestionSource::Own => format!("You confirmed this query {confirmed}"),
        QuestionSource::Colleague => {
            let who = past.confirmed_by.as_deref().unwrap_or("A colleague");
            format!("{who} confirmed this query {confirmed}")
        }
    };
    let someone = |name: &Option<String>| name.clone().unwrap_or_else(|| "someone".to_owned());
    let edited = past
        .edited_at
        .map(|at| format!("{} changed it {}", someone(&past.edited_by), on(at)));
    let released = past.released_at.map(|at| {
        format!(
            "{} released it for everyone {}",
            someone(&past.released_by),
            on(at)
        )
    });
    let more = match (edited, released) {
        (Some(edited), Some(released)) => format!(", {edited}, and {released}"),
        (Some(more), None) | (None, Some(more)) => format!(", and {more}"),
        (None, None) => String::new(),
    };
    Some(format!("{said}{more}."))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn told(more: &Value) -> Option<String> {
        let mut past = json!({
            "id": "1", "question": "How many hours last week?", "sql": "SELECT 1", "tables": [], "score": 1.0, "same": true,
            "confirmed_at": "2026-06-01T12:00:00Z",
        });
        past.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        of(&serde_json::from_value(past).unwrap())
    }

    #[test]
    fn who_confirmed_and_released_a_query_is_told_with_the_days() {
        assert_eq!(told(&json!({})), None);
        assert_eq!(
            told(&json!({ "source": "own" })).as_deref(),
            Some("You confirmed this query on 1 June 2026.")
        );
        assert_eq!(
            told(&json!({
                "source": "colleague", "confirmed_by": "Bob", "released_by": "Eve", "released_at": "2026-06-02T08:00:00Z",
            }))
            .as_deref(),
            Some("Bob confirmed this query on 1 June 2026, and Eve released it for everyone on 2 June 2026.")
        );
        assert_eq!(
            told(&json!({
                "source": "colleague", "edited_at": "2026-06-03T08:00:00Z", "released_at": "2026-06-03T08:00:00Z",
            }))
            .as_deref(),
            Some(
                "A colleague confirmed this query on 1 June 2026, someone changed it on 3 June 2026, and someone released it for \
                 everyone on 3 June 2026."
            )
        );
    }

    #[test]
    fn periods_are_told_as_days() {
        let tell = |from: Value, until: Value| {
            let period = json!([{ "words": "that", "from": from, "until": until }]);
            told(&json!({ "periods": period })).unwrap()
        };
        for (from, until, days) in [
            (
                json!("2026-11-09"),
                json!("2026-11-15"),
                "9 to 15 November 2026",
            ),
            (
                json!("2026-11-30"),
                json!("2026-12-06"),
                "30 November to 6 December 2026",
            ),
            (
                json!("2026-12-28"),
                json!("2027-01-03"),
                "28 December 2026 to 3 January 2027",
            ),
            (json!("2026-11-22"), json!("2026-11-22"), "22 November 2026"),
            (json!("2026-11-01"), Value::Null, "1 November 2026 onwards"),
            (Value::Null, json!("2026-11-01"), "up to 1 November 2026"),
        ] {
            assert_eq!(
                tell(from, until),
                format!("\u{201c}that\u{201d} is {days}.")
            );
        }
    }
}
