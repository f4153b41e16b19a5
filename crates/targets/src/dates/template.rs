//! A query with days that follow the calendar.

use std::sync::LazyLock;

use chrono::{Datelike, NaiveDate};
use regex::Regex;

use super::anchor::Anchor;
use super::phrase::{End, Found, found_in};

/// A query, cut at the days that follow the calendar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateTemplate(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Day(Anchor, Form),
}

/// How a day is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `2026-11-16`.
    Day,
    /// `2026-11`.
    Month,
    /// `2026`.
    Year,
}

/// The days that words of a question represent, as its query reads them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Period {
    /// The words, as the question has them.
    pub words: String,
    /// The first day; `None` where the query has no lower bound.
    pub from: Option<NaiveDate>,
    /// The last day; `None` where the query has no upper bound.
    pub until: Option<NaiveDate>,
}

static BRACES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\{\{([^{}]*)\}\}").ok());

impl DateTemplate {
    /// Reads a query. Fails with a sentence on what is in double braces and is not a day.
    pub fn parse(sql: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = 0;
        let braces = BRACES.as_ref();
        for captures in braces.iter().flat_map(|braces| braces.captures_iter(sql)) {
            let (Some(whole), Some(inside)) = (captures.get(0), captures.get(1)) else {
                continue;
            };
            let (anchor, form) = inside_of(inside.as_str()).ok_or_else(|| {
                format!(
                    "`{}` is not a day. Write {{{{day+0}}}} for today, or the first day of this {{{{week+0}}}}, {{{{month+0}}}}, \
                     {{{{quarter+0}}}} or {{{{year+0}}}}, moved by the number behind it.",
                    whole.as_str()
                )
            })?;
            parts.push(Part::Text(sql[rest..whole.start()].to_owned()));
            parts.push(Part::Day(anchor, form));
            rest = whole.end();
        }
        parts.push(Part::Text(sql[rest..].to_owned()));
        Ok(Self(parts))
    }

    /// Whether any day follows the calendar.
    pub fn is_dated(&self) -> bool {
        self.anchors().next().is_some()
    }

    /// The query as it has to run when today is `today`; `None` when a day lies beyond the
    /// calendar.
    pub fn resolve(&self, today: NaiveDate) -> Option<String> {
        let mut sql = String::new();
        for part in &self.0 {
            match part {
                Part::Text(text) => sql.push_str(text),
                Part::Day(anchor, form) => sql.push_str(&form.write(anchor.on(today)?)),
            }
        }
        Some(sql)
    }

    pub(super) fn anchors(&self) -> impl Iterator<Item = (Anchor, Form)> + '_ {
        self.0.iter().filter_map(|part| match part {
            Part::Text(_) => None,
            Part::Day(anchor, form) => Some((*anchor, *form)),
        })
    }
}

impl Form {
    fn write(self, day: NaiveDate) -> String {
        match self {
            Self::Day => day.to_string(),
            Self::Month => day.format("%Y-%m").to_string(),
            Self::Year => format!("{:04}", day.year()),
        }
    }

    /// The text of a day in this form.
    pub(super) fn placeholder(self, anchor: Anchor) -> String {
        match self {
            Self::Day => format!("{{{{{anchor}}}}}"),
            Self::Month => format!("{{{{{anchor}:month}}}}"),
            Self::Year => format!("{{{{{anchor}:year}}}}"),
        }
    }
}

fn inside_of(text: &str) -> Option<(Anchor, Form)> {
    let (anchor, form) = match text.split_once(':') {
        None => (text, Form::Day),
        Some((anchor, "month")) => (anchor, Form::Month),
        Some((anchor, "year")) => (anchor, Form::Year),
        Some(_) => return None,
    };
    Some((Anchor::parse(anchor)?, form))
}

/// Which days the periods of a question represent in its query when today is `today`. A period
/// whose days the query takes from the database's own clock, or not at all, is left out: what it
/// reads is not known.
pub fn periods(question: &str, template: &DateTemplate, today: NaiveDate) -> Vec<Period> {
    let used: Vec<(Anchor, Form)> = template.anchors().collect();
    let mut named = Vec::new();
    for found in found_in(question) {
        let Found::Phrase(phrase) = found else {
            continue;
        };
        let whole = used.iter().find(|(anchor, form)| {
            *form != Form::Day && [phrase.month, phrase.year].contains(&Some(*anchor))
        });
        let start = phrase
            .starts
            .iter()
            .find(|start| used.contains(&(**start, Form::Day)))
            .or(whole.map(|(anchor, _)| anchor));
        let end = phrase
            .ends
            .iter()
            .find(|(end, _)| used.contains(&(*end, Form::Day)))
            .or(phrase.ends.first().filter(|_| whole.is_some()));
        if start.is_none() && end.is_none() {
            continue;
        }
        named.push(Period {
            words: phrase.words,
            from: start.and_then(|start| start.on(today)),
            until: end.and_then(|(end, kind)| match kind {
                End::Exclusive => end.plus_days(-1).on(today),
                End::Inclusive => end.on(today),
            }),
        });
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn a_query_without_days_is_left_as_it_is() {
        let template = DateTemplate::parse("SELECT '{' || '}' FROM t").unwrap();
        assert!(!template.is_dated());
        let sql = template.resolve(day("2026-11-18")).unwrap();
        assert_eq!(sql, "SELECT '{' || '}' FROM t");
    }

    #[test]
    fn days_months_and_years_are_written_where_they_stand() {
        let template = DateTemplate::parse(
            "d >= '{{month-1}} 00:00:00' AND m = '{{month-1:month}}' AND YEAR(d) = {{year+0:year}}",
        )
        .unwrap();
        assert_eq!(
            template.resolve(day("2027-01-05")).unwrap(),
            "d >= '2026-12-01 00:00:00' AND m = '2026-12' AND YEAR(d) = 2027"
        );
    }

    #[test]
    fn what_is_no_day_is_named() {
        for text in ["{{fortnight}}", "{{}}", "{{week-1:hour}}", "{{week-1;}}"] {
            let error = DateTemplate::parse(text).unwrap_err();
            assert!(error.contains(text), "{error}");
        }
    }

    #[test]
    fn the_periods_are_those_that_the_query_reads() {
        let today = day("2026-11-22");
        let tell = |question: &str, sql: &str| {
            let template = DateTemplate::parse(sql).unwrap();
            periods(question, &template, today)
                .into_iter()
                .map(|period| {
                    let say = |day: Option<NaiveDate>| {
                        day.map_or_else(|| "-".to_owned(), |day| day.to_string())
                    };
                    format!(
                        "{}: {} {}",
                        period.words,
                        say(period.from),
                        say(period.until)
                    )
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(
            tell("hours last week", "d >= '{{week-1}}' AND d < '{{week+0}}'"),
            ["last week: 2026-11-09 2026-11-15"]
        );
        assert_eq!(
            tell("hours this month?", "d >= '{{month+0}}'"),
            ["this month: 2026-11-01 -"]
        );
        assert_eq!(
            tell("orders this year", "YEAR(d) = {{year+0:year}}"),
            ["this year: 2026-01-01 2026-12-31"]
        );
        assert_eq!(
            tell("orders this year", "d >= CURDATE()"),
            Vec::<String>::new()
        );
    }
}
