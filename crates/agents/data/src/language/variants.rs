//! A question that differs from one with a known query in a number alone: "which 5" for "which 10",
//! "the last 7 days" for "the last 30 days".

use std::sync::LazyLock;

use chrono::{Days, NaiveDate};
use contracts::tools::sql::PastQuestion;
use regex::Regex;

/// Units of time, with their days.
const UNITS: [(&str, i64); 4] = [("day", 1), ("days", 1), ("week", 7), ("weeks", 7)];

/// Units of time without a fixed number of days.
const OTHER_UNITS: [&str; 6] = ["month", "months", "quarter", "quarters", "year", "years"];

/// Words before a number of units of time.
const RELATIVE: [&str; 2] = ["last", "next"];

/// The query for a question that is asked like the known one, with another number.
pub(crate) fn variant(question: &str, known: &PastQuestion) -> Option<String> {
    let (asked, told) = (said(question), said(&known.question));
    if asked.len() != told.len() {
        return None;
    }
    let words = asked.iter().zip(&told).enumerate();
    let others = words.filter(|(_, (one, other))| one != other);
    let others: Vec<(usize, (&String, &String))> = others.collect();
    let [(at, (wanted, before))] = others.as_slice() else {
        return None;
    };
    let (wanted, before): (i64, i64) = (number(wanted)?, number(before)?);
    let unit = asked.get(at + 1).map_or("", String::as_str);
    let is_relative = at
        .checked_sub(1)
        .and_then(|at| asked.get(at))
        .is_some_and(|word| RELATIVE.contains(&&**word));
    if !is_relative {
        return replaced(&known.sql, &before.to_string(), &wanted.to_string());
    }
    if OTHER_UNITS.contains(&unit) {
        return None;
    }
    let (_, days) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let [period] = known.periods.as_slice() else {
        return None;
    };
    let is_next = asked[at - 1] == "next";
    let bound = if is_next { period.until } else { period.from }?;
    let shift = (wanted - before).checked_mul(*days)?;
    let moved = moved(bound, if is_next { shift } else { -shift })?;
    // A bound is written in the query as the day, or as the one after it.
    replaced(&known.sql, &bound.to_string(), &moved.to_string()).or_else(|| {
        let after = |day: NaiveDate| day.checked_add_days(Days::new(1));
        replaced(
            &known.sql,
            &after(bound)?.to_string(),
            &after(moved)?.to_string(),
        )
        .filter(|_| is_next)
    })
}

fn moved(day: NaiveDate, days: i64) -> Option<NaiveDate> {
    let by = Days::new(days.unsigned_abs());
    if days < 0 {
        day.checked_sub_days(by)
    } else {
        day.checked_add_days(by)
    }
}

fn number(word: &str) -> Option<i64> {
    word.parse()
        .ok()
        .filter(|number| (1..=100_000).contains(number))
}

/// The words of a question, those that mean the same as one.
fn said(question: &str) -> Vec<String> {
    let text = question.to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '.' && c != '\'');
    let words = words.map(|word| word.trim_matches('.'));
    let mut said: Vec<String> = Vec::new();
    for word in words.filter(|word| !word.is_empty()) {
        match word {
            "the" | "please" | "me" | "all" | "our" => {}
            "past" | "previous" => said.push("last".to_owned()),
            "over" | "above" => said.extend(["more", "than"].map(str::to_owned)),
            "under" | "below" => said.extend(["less", "than"].map(str::to_owned)),
            other => said.push(other.to_owned()),
        }
    }
    said
}

/// A query in which a literal that it has once is replaced.
fn replaced(sql: &str, literal: &str, other: &str) -> Option<String> {
    static LITERAL: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\d[\d.:-]*").ok());
    let mut places = LITERAL.as_ref()?.find_iter(sql).filter(|found| {
        let before = sql[..found.start()].chars().next_back();
        let is_apart = before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '.');
        is_apart && found.as_str() == literal
    });
    let place = places.next()?;
    if places.next().is_some() {
        return None;
    }
    Some(format!(
        "{}{other}{}",
        &sql[..place.start()],
        &sql[place.end()..]
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn past(question: &str, sql: &str) -> PastQuestion {
        serde_json::from_value(json!({
            "id": "q1", "question": question, "sql": sql, "tables": ["repair"], "score": 0.9, "same": false,
            "confirmed_at": "2026-01-01T00:00:00Z",
            "periods": [{ "words": "last 30 days", "from": "2026-10-30", "until": "2026-11-28" }],
        }))
        .unwrap()
    }

    #[test]
    fn another_number_is_the_only_difference() {
        let heaviest = past(
            "Which 10 animals have the highest weight kg?",
            "SELECT name, kg FROM animal WHERE born < '2020-10-10' ORDER BY kg DESC LIMIT 10",
        );
        let hours = past(
            "Show employees who worked more than 20 hours last week",
            "SELECT n FROM t WHERE day >= '2026-11-20' GROUP BY n HAVING SUM(h) > 20",
        );
        for (question, known, end) in [
            (
                "Which 5 animals have the highest weight kg?",
                &heaviest,
                Some("LIMIT 5"),
            ),
            (
                "which 25 animals have highest weight kg",
                &heaviest,
                Some("LIMIT 25"),
            ),
            (
                "show me employees who worked over 35 hours last week",
                &hours,
                Some("> 35"),
            ),
            (
                "Show employees who worked less than 20 hours last week",
                &hours,
                None,
            ),
            (
                "Show employees who worked more than 35 hours last month",
                &hours,
                None,
            ),
            (
                "Which 5 animals have the lowest weight kg?",
                &heaviest,
                None,
            ),
            ("Which animals have the highest weight kg?", &heaviest, None),
        ] {
            let query = variant(question, known);
            assert_eq!(query.is_some(), end.is_some(), "{question}: {query:?}");
            if let (Some(query), Some(end)) = (query, end) {
                assert!(query.ends_with(end), "{question}: {query}");
                assert!(!end.starts_with("LIMIT") || query.contains("'2020-10-10'"));
            }
        }
        // The query has the number twice: which one to replace is not known.
        let twice = past(
            "Which 10 cities have more than 5 jobs?",
            "SELECT 10 FROM t HAVING COUNT(*) > 5 LIMIT 10",
        );
        assert_eq!(
            variant("Which 3 cities have more than 5 jobs?", &twice),
            None
        );
    }

    #[test]
    fn another_number_of_days_moves_the_bound() {
        let opened = past(
            "How many repairs were opened in the last 30 days?",
            "SELECT COUNT(*) FROM repair WHERE opened_at >= '2026-10-30' AND opened_at < '2026-11-29' AND floor < 30",
        );
        for (question, from) in [
            (
                "How many repairs were opened in the last 7 days?",
                Some("2026-11-22"),
            ),
            (
                "how many repairs were opened in the past 60 days",
                Some("2026-09-30"),
            ),
            ("How many repairs were opened in the last 3 months?", None),
            ("How many repairs were closed in the last 7 days?", None),
        ] {
            let query = variant(question, &opened);
            let from = from.map(|from| {
                format!("opened_at >= '{from}' AND opened_at < '2026-11-29' AND floor < 30")
            });
            assert_eq!(
                query.map(|query| query.contains(from.as_deref().unwrap_or("?"))),
                from.is_some().then_some(true),
                "{question}"
            );
        }
    }
}
