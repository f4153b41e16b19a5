//! Tying the days of a query to the words of its question.

use std::collections::HashSet;
use std::sync::LazyLock;

use chrono::{Datelike, NaiveDate};
use regex::Regex;

use super::anchor::{Anchor, Base};
use super::phrase::{Found, Phrase, found_in};
use super::template::{DateTemplate, Form};

/// A query whose days follow the words of its question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// The query, for [`DateTemplate::parse`].
    pub sql: String,
    /// The words for periods in the question, if there are any.
    pub words: Vec<String>,
}

/// Days, months, years and weeks as queries write them.
static NUMBERS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\b(\d{4})-(\d{2})(?:-(\d{2}))?|\b\d{4}(?:\d{2}){0,2}\b").ok());

/// Functions that read a database's own clock.
static CLOCK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:curdate|current_date|now|current_timestamp|sysdate|localtime|localtimestamp|utc_date|utc_timestamp|clock_timestamp|statement_timestamp|transaction_timestamp|unix_timestamp)\b",
    )
    .ok()
});

static YEARS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b(?:19|20)\d{2}\b").ok());

/// Ties the days of a query to its question, both as of `today`, the day on which the query was
/// written.
///
/// A bound of a period that the question names by its distance from today becomes a day that
/// follows the calendar, and so does today itself. A day or year that the question names as such
/// stays. Fails, with a sentence that says why, on any other day: asked again later, the query
/// would answer about a time that the question does not ask for.
pub fn bind(question: &str, sql: &str, today: NaiveDate) -> Result<Bound, String> {
    let template = DateTemplate::parse(sql)?;
    if template.resolve(today).is_none() {
        return Err("The query names a day beyond the calendar.".to_owned());
    }
    let found = found_in(question);
    let phrases: Vec<&Phrase> = found
        .iter()
        .filter_map(|found| match found {
            Found::Phrase(phrase) => Some(phrase),
            Found::Vague(_) => None,
        })
        .collect();
    let mut binder = Binder {
        question,
        today,
        named: named_years(question),
        phrases: &phrases,
        found: &found,
        used: vec![false; phrases.len()],
    };
    let mut bound = String::new();
    let mut rest = 0;
    for number in NUMBERS.iter().flat_map(|it| it.find_iter(sql)) {
        if let Some(placeholder) = binder.placeholder(number.as_str(), &sql[number.end()..])? {
            bound.push_str(&sql[rest..number.start()]);
            bound.push_str(&placeholder);
            rest = number.end();
        }
    }
    bound.push_str(&sql[rest..]);
    let follows_a_clock = CLOCK.as_ref().is_some_and(|clock| clock.is_match(sql));
    if !follows_a_clock && !template.is_dated() {
        let mut phrases = phrases.iter().zip(&binder.used);
        if let Some((phrase, _)) = phrases.find(|(phrase, used)| !**used && !phrase.is_now) {
            return Err(format!(
                "The question says \u{201c}{}\u{201d}, but the query has no day that follows it: asked again later, it would answer about \
                 the same days as now. Compare with the first and the last day of that period.",
                phrase.words
            ));
        }
    }
    let words = phrases.iter().map(|phrase| phrase.words.clone()).collect();
    Ok(Bound { sql: bound, words })
}

struct Binder<'a> {
    question: &'a str,
    today: NaiveDate,
    named: HashSet<i32>,
    phrases: &'a [&'a Phrase],
    found: &'a [Found],
    used: Vec<bool>,
}

impl Binder<'_> {
    /// The placeholder for a number that may be a time; `None` when it stays as it is.
    fn placeholder(&mut self, text: &str, behind: &str) -> Result<Option<String>, String> {
        let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok();
        if let Some(day) = day {
            return self.day(text, day);
        }
        // "1234.5" and "1234-5" are not years.
        if behind.starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(None);
        }
        let year: i32 = text
            .get(..4)
            .and_then(|year| year.parse().ok())
            .unwrap_or(0);
        // Years of the past represent themselves; other numbers of that size are not years.
        let may_be_frozen = (self.today.year() - 1..=self.today.year() + 1).contains(&year);
        let is_month = text.len() == 7;
        for (place, phrase) in self.phrases.iter().enumerate() {
            let (anchor, form) = match (phrase.month, phrase.year) {
                (Some(month), _) if is_month => (month, Form::Month),
                (_, Some(year)) if text.len() == 4 => (year, Form::Year),
                _ => continue,
            };
            let same = anchor.on(self.today).is_some_and(|first| {
                first.year() == year
                    && (form == Form::Year || first.format("%Y-%m").to_string() == text)
            });
            if same {
                self.used[place] = true;
                return Ok(Some(form.placeholder(anchor)));
            }
        }
        if !may_be_frozen || (self.named.contains(&year) && self.phrases.is_empty()) {
            return Ok(None);
        }
        if self.question.contains(text) {
            return Ok(None);
        }
        Err(self.refusal(text))
    }

    fn day(&mut self, text: &str, day: NaiveDate) -> Result<Option<String>, String> {
        let mut fitting: Vec<(usize, Anchor)> = Vec::new();
        for (place, phrase) in self.phrases.iter().enumerate() {
            let ends = phrase.ends.iter().map(|(end, _)| end);
            let first = phrase
                .starts
                .iter()
                .chain(ends)
                .find(|anchor| anchor.on(self.today) == Some(day));
            fitting.extend(first.map(|anchor| (place, *anchor)));
        }
        if let Some(((place, anchor), others)) = fitting.split_first() {
            if let Some((other, _)) = others.iter().find(|(_, other)| !other.is_always(*anchor)) {
                return Err(format!(
                    "Today, {text} is a bound of \u{201c}{}\u{201d} as well as of \u{201c}{}\u{201d}, so it is not clear which of them it \
                     follows. Confirm it on another day, or ask for one period.",
                    self.phrases[*place].words, self.phrases[*other].words
                ));
            }
            for (place, _) in &fitting {
                self.used[*place] = true;
            }
            return Ok(Some(Form::Day.placeholder(*anchor)));
        }
        if self.names(text, day) || !(1990..=2200).contains(&day.year()) {
            return Ok(None);
        }
        if day == self.today {
            return Ok(Some(Form::Day.placeholder(Anchor::new(Base::Day, 0))));
        }
        Err(self.refusal(text))
    }

    /// Whether the question itself says which day or year it is about. Beside words that move
    /// along, only a bound of a year that it names does.
    fn names(&self, text: &str, day: NaiveDate) -> bool {
        let bounds_a_year = (day.ordinal() == 1
            && (self.named.contains(&day.year()) || self.named.contains(&(day.year() - 1))))
            || (day.month() == 12 && day.day() == 31 && self.named.contains(&day.year()));
        self.question.contains(text)
            || bounds_a_year
            || (self.found.is_empty()
                && (self.named.contains(&day.year())
                    || self.named.contains(&day.pred_opt().unwrap_or(day).year())))
    }

    fn refusal(&self, text: &str) -> String {
        let said = self.found.first().map(|found| match found {
            Found::Phrase(phrase) => phrase.words.as_str(),
            Found::Vague(words) => words,
        });
        match said {
            Some(words) => format!(
                "The query compares with {text}, which is no bound of \u{201c}{words}\u{201d} as of {}: asked again later, it would still \
                 answer about the same time.",
                self.today
            ),
            None => format!(
                "The query compares with {text}, which the question does not say: asked again later, it would still answer about the same time. \
                 Name the time in the question."
            ),
        }
    }
}

fn named_years(question: &str) -> HashSet<i32> {
    YEARS
        .iter()
        .flat_map(|years| years.find_iter(question))
        .filter_map(|year| year.as_str().parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(question: &str, sql: &str, today: &str) -> Result<String, String> {
        bind(question, sql, today.parse().unwrap()).map(|bound| bound.sql)
    }

    #[test]
    fn bounds_of_a_period_follow_its_words() {
        for (question, sql, kept_as) in [
            (
                "hours last week",
                "d >= '2026-11-09' AND d < '2026-11-16'",
                "d >= '{{week-1}}' AND d < '{{week+0}}'",
            ),
            (
                "hours last week",
                "d BETWEEN '2026-11-09 00:00:00' AND '2026-11-15 23:59:59'",
                "d BETWEEN '{{week-1}} 00:00:00' AND '{{week+0,-1d}} 23:59:59'",
            ),
            (
                "orders this year",
                "d >= '2026-01-01' AND d < '2027-01-01'",
                "d >= '{{year+0}}' AND d < '{{year+1}}'",
            ),
            (
                "orders this year",
                "YEAR(d) = 2026 AND n > 20",
                "YEAR(d) = {{year+0:year}} AND n > 20",
            ),
            (
                "invoices last month",
                "DATE_FORMAT(d, '%Y-%m') = '2026-10'",
                "DATE_FORMAT(d, '%Y-%m') = '{{month-1:month}}'",
            ),
            (
                "hours of the last 30 days",
                "d >= '2026-10-19'",
                "d >= '{{day-30}}'",
            ),
            (
                "hours this week against last week",
                "d >= '2026-11-16' OR d >= '2026-11-09' AND d < '2026-11-16'",
                "d >= '{{week+0}}' OR d >= '{{week-1}}' AND d < '{{week+0}}'",
            ),
            (
                "hours last week of people hired in 2024",
                "d >= '2026-11-09' AND h >= '2024-01-01' AND h < '2025-01-01'",
                "d >= '{{week-1}}' AND h >= '2024-01-01' AND h < '2025-01-01'",
            ),
            (
                "Which invoices are overdue?",
                "due < '2026-11-18'",
                "due < '{{day+0}}'",
            ),
        ] {
            assert_eq!(
                kept(question, sql, "2026-11-18").as_deref(),
                Ok(kept_as),
                "{question}"
            );
        }
    }

    #[test]
    fn what_the_question_names_itself_stays() {
        for (question, sql) in [
            ("orders in 2025", "d >= '2025-01-01' AND d < '2026-01-01'"),
            (
                "orders of March 2026",
                "d >= '2026-03-01' AND d < '2026-04-01'",
            ),
            ("orders since 2026-02-03", "d >= '2026-02-03'"),
            ("orders in 2026", "YEAR(d) = 2026"),
            ("parts above 2000", "quantity > 2000"),
            ("open contracts", "ends = '9999-12-31'"),
            ("orders last week", "d >= CURDATE() - INTERVAL 7 DAY"),
            (
                "How many crews are there?",
                "SELECT COUNT(*) FROM crew LIMIT 100",
            ),
            (
                "Who is on site today?",
                "SELECT name FROM employee WHERE on_site",
            ),
            ("orders last week", "d >= '{{week-1}}'"),
        ] {
            assert_eq!(
                kept(question, sql, "2026-11-18").as_deref(),
                Ok(sql),
                "{question}"
            );
        }
    }

    #[test]
    fn a_time_that_nobody_named_is_refused_and_told() {
        for (question, sql, told) in [
            ("hours last week", "d >= '2026-11-08'", "2026-11-08"),
            ("hours last week", "YEARWEEK(d, 3) = 202646", "202646"),
            ("hours last week", "WEEK(d) = 46", "last week"),
            (
                "hours this month",
                "YEAR(d) = 2026 AND MONTH(d) = 11",
                "2026",
            ),
            ("hours in March", "d >= '2026-03-01'", "2026-03-01"),
            ("hours recently", "d >= '2026-11-01'", "recently"),
            ("hours worked", "d >= '2026-11-09'", "does not say"),
            (
                "hours last week",
                "d >= '2026-11-09' AND d < '2026-11-17'",
                "2026-11-17",
            ),
            ("hours last week", "d >= '{{fortnight}}'", "fortnight"),
        ] {
            let error = kept(question, sql, "2026-11-18").unwrap_err();
            assert!(error.contains(told), "{question}: {error}");
        }
    }

    #[test]
    fn a_day_that_may_follow_either_of_two_periods_is_refused() {
        let question = "hours this month and this week";
        let sql = "d >= '2026-06-01'";
        let error = kept(question, sql, "2026-06-03").unwrap_err();
        assert!(error.contains("as well as"), "{error}");
        let sql = "d >= '2026-06-01' OR e >= '2026-06-08'";
        assert!(kept(question, sql, "2026-06-10").is_ok());
    }

    #[test]
    fn a_query_written_for_one_week_reads_another_in_another() {
        let question = "How many hours were worked last week?";
        let bound = kept(
            question,
            "d >= '2026-12-28' AND d < '2027-01-04'",
            "2027-01-06",
        )
        .unwrap();
        let template = DateTemplate::parse(&bound).unwrap();
        let sql = template.resolve("2027-03-01".parse().unwrap()).unwrap();
        assert_eq!(sql, "d >= '2027-02-22' AND d < '2027-03-01'");
    }
}
