//! The facts that figures are held against.

use std::collections::BTreeSet;

use chrono::{DateTime, FixedOffset, NaiveDate, Timelike};
use serde::Serialize;
use serde_json::Value;

use super::{CLOCK, DAY_MONTH, Figure, ISO, MONTH_DAY, Unit, month_number, numbers_in, scales};

/// The figures and names that a text may contain.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Known {
    pub(super) numbers: Vec<f64>,
    pub(super) dates: BTreeSet<NaiveDate>,
    pub(super) times: BTreeSet<(u32, u32)>,
    pub(super) names: BTreeSet<String>,
}

impl Known {
    /// Every number, day, time and name in `facts`, and how long its lists are.
    pub fn of(facts: &impl Serialize) -> Self {
        let mut known = Self::default();
        known.learn(facts);
        known
    }

    /// Adds the same of more facts. What cannot be serialized adds nothing.
    pub fn learn(&mut self, facts: &impl Serialize) {
        if let Ok(value) = serde_json::to_value(facts) {
            self.value(&value);
        }
    }

    /// The same of facts that are JSON already.
    pub fn learn_value(&mut self, facts: &Value) {
        self.value(facts);
    }

    /// Adds what a text names: its figures, days and times, and the words that hold digits. A day
    /// without a year counts for `year` and the one before.
    pub fn learn_text(&mut self, text: &str, year: i32) {
        if !text.bytes().any(|byte| byte.is_ascii_digit()) {
            return;
        }
        self.numbers
            .extend(numbers_in(text).iter().map(|figure| figure.value));
        for word in text.split_whitespace() {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            if word.bytes().any(|byte| byte.is_ascii_digit())
                && word.bytes().any(|byte| byte.is_ascii_alphabetic())
            {
                self.names.insert(word.to_owned());
            }
        }
        let found = ISO.iter().flat_map(|pattern| pattern.find_iter(text));
        self.dates
            .extend(found.filter_map(|found| found.as_str().parse::<NaiveDate>().ok()));
        for captures in CLOCK.iter().flat_map(|pattern| pattern.captures_iter(text)) {
            let part = |name: &str| {
                captures
                    .name(name)
                    .and_then(|part| part.as_str().parse().ok())
            };
            if let (Some(hour), Some(minute)) = (part("hour"), part("minute")) {
                self.times.insert((hour, minute));
            }
        }
        for pattern in [DAY_MONTH.as_ref(), MONTH_DAY.as_ref()]
            .into_iter()
            .flatten()
        {
            for captures in pattern.captures_iter(text) {
                self.dates.extend(named_days(&captures, year));
            }
        }
    }

    /// Adds a day.
    pub fn add_day(&mut self, day: NaiveDate) {
        self.dates.insert(day);
    }

    /// Whether a bare number is a fact, in whatever unit and rounded to the places that it shows.
    pub fn has(&self, number: f64) -> bool {
        let text = number.abs().to_string();
        let decimals = text.split_once('.').map_or(0, |(_, places)| places.len());
        let units = [Unit::None, Unit::Watts(3), Unit::Watts(0), Unit::Percent];
        units.into_iter().any(|unit| {
            self.supports(&Figure {
                value: number.abs(),
                decimals,
                unit,
                text: String::new(),
                span: 0..0,
            })
        })
    }

    /// Adds a figure that was computed from facts.
    pub fn add(&mut self, number: f64) {
        if number.is_finite() {
            self.numbers.push(number);
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Number(number) => self.add(number.as_f64().unwrap_or(f64::NAN)),
            Value::String(text) => self.text(text),
            Value::Array(items) => {
                self.add(items.len() as f64);
                for item in items {
                    self.value(item);
                }
            }
            Value::Object(members) => {
                for (key, item) in members {
                    if key.bytes().any(|byte| byte.is_ascii_digit()) {
                        self.names.insert(key.clone());
                    }
                    self.value(item);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn text(&mut self, text: &str) {
        if let Ok(day) = text.parse::<NaiveDate>() {
            self.dates.insert(day);
        } else if let Ok(at) = DateTime::<FixedOffset>::parse_from_rfc3339(text) {
            self.dates.insert(at.date_naive());
            self.times.insert((at.hour(), at.minute()));
        } else if text.bytes().any(|byte| byte.is_ascii_digit()) {
            let figures = numbers_in(text);
            self.numbers
                .extend(figures.iter().map(|figure| figure.value));
            self.names.insert(text.to_owned());
        }
    }

    pub(super) fn supports(&self, figure: &Figure) -> bool {
        let step = 10_f64.powi(-i32::try_from(figure.decimals).unwrap_or(0));
        let scales = scales(figure.unit);
        self.numbers.iter().any(|fact| {
            scales.iter().any(|scale| {
                let fact = fact.abs() * scale;
                (fact - figure.value).abs() <= step / 2.0 + fact * 1e-9 + 1e-9
            })
        })
    }
}

/// The days that a phrase like "4 December" may mean.
fn named_days(captures: &regex::Captures<'_>, year: i32) -> Vec<NaiveDate> {
    let number = |name: &str| {
        captures
            .name(name)
            .and_then(|part| part.as_str().parse::<u32>().ok())
    };
    let month = captures
        .name("month")
        .and_then(|name| month_number(name.as_str()));
    let (Some(month), day) = (month, number("day").unwrap_or(1)) else {
        return Vec::new();
    };
    let years = match number("year")
        .or_else(|| number("whole"))
        .and_then(|year| i32::try_from(year).ok())
    {
        Some(year) => vec![year],
        None => vec![year, year - 1],
    };
    years
        .into_iter()
        .filter_map(|year| NaiveDate::from_ymd_opt(year, month, day))
        .collect()
}
