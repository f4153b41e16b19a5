//! Facts of a tool's result: each value gets an id, by its key, its subject and its days.

use chrono::{DateTime, FixedOffset, NaiveDate};
use contracts::tools::Period;
use serde_json::{Map, Value};

use super::{Direction, Fact, FactId, FactRegistry, Kind, Measure, Series, Subject, Unit, measure};

/// The longest text that is a fact, in characters: longer ones are sentences of their own.
const LONGEST: usize = 120;

/// What holds for everything within an object.
#[derive(Debug, Clone)]
struct Around {
    subject: Subject,
    period: Option<Period>,
    currency: Option<String>,
}

impl FactRegistry {
    /// Reads the facts of a result, and returns it with the id of each value behind it. What
    /// follows from them stands under `derived`.
    pub fn annotate(&mut self, result: &Value) -> Value {
        let mut around = Around {
            subject: Subject::Whole,
            period: None,
            currency: None,
        };
        self.learn_names(result);
        // Values beside a device's result belong to the device.
        if let Value::Object(members) = result
            && members.get("loggerId").is_none()
        {
            let mut devices = members.values().filter(|one| is_device(one));
            if let (Some(Value::Object(device)), None) = (devices.next(), devices.next()) {
                around = self.around(device, &around);
            }
        }
        let first = self.facts.len();
        let mut told = self.read(result, "", "", &around);
        if let (Value::Object(members), Some(period)) = (&mut told, around.period) {
            let text = days(period);
            let id = self.days(around.subject, period, &text);
            members.extend(marked(&text, id).map(|days| ("days".to_owned(), days)));
        }
        self.derive();
        let lines: Vec<Value> = self.facts[first..]
            .iter()
            .filter_map(|fact| Some(format!("[[{}]] {}", fact.id, super::derive::line(fact)?)))
            .map(Value::from)
            .collect();
        if let (Value::Object(members), false) = (&mut told, lines.is_empty()) {
            members.insert("derived".to_owned(), lines.into());
        }
        told
    }

    fn learn_names(&mut self, value: &Value) {
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    match (key.as_str(), member) {
                        ("loggerId" | "logger_id" | "siteName", Value::String(name)) => {
                            self.know(name);
                        }
                        ("name", Value::String(name)) if members.contains_key("siteId") => {
                            self.know(name);
                        }
                        ("loggerIds" | "logger_ids" | "offline", Value::Array(names)) => {
                            for name in names.iter().filter_map(Value::as_str) {
                                self.know(name);
                            }
                        }
                        _ => self.learn_names(member),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.learn_names(item)),
            _ => {}
        }
    }

    fn around(&mut self, members: &Map<String, Value>, above: &Around) -> Around {
        let text = |key: &str| members.get(key).and_then(Value::as_str);
        let day = |key: &str| text(key).and_then(|text| text.parse::<NaiveDate>().ok());
        let scoped = members.get("scope").is_some_and(Value::is_object);
        let site = text("siteId").and_then(|_| text("name"));
        let subject = match text("loggerId").or_else(|| text("logger_id")).or(site) {
            _ if scoped => Subject::Whole,
            Some(name) => Subject::Named(name.to_owned()),
            None => above.subject.clone(),
        };
        let within = |value: &Value| {
            let day = |key: &str| value.get(key)?.as_str()?.parse::<NaiveDate>().ok();
            let (start, end) = (day("start")?, day("end")?);
            Some(Period { start, end })
        };
        let single = |day: NaiveDate| Period {
            start: day,
            end: day,
        };
        let period = members
            .get("period")
            .and_then(within)
            .or_else(|| {
                Some(Period {
                    start: day("date")?,
                    end: day("endDate")?,
                })
            })
            .or_else(|| day("date").or_else(|| day("localDate")).map(single));
        if let Some(today) = day("localDate")
            && members.get("dateMismatch").is_some_and(Value::is_null)
        {
            self.know_today(today);
        }
        Around {
            subject,
            period: period.or(above.period),
            currency: text("currency")
                .map(str::to_owned)
                .or_else(|| above.currency.clone()),
        }
    }

    fn read(&mut self, value: &Value, key: &str, within: &str, around: &Around) -> Value {
        match value {
            Value::Object(members) => self.object(members, key, around),
            Value::Array(items) => {
                if let Some((measure, _)) = measure::of_key(key, within, None)
                    && !items.is_empty()
                {
                    let count = items.len() as f64;
                    let text = Unit::Count.write(count);
                    let period = around.period;
                    self.value(
                        around.subject.clone(),
                        measure,
                        Unit::Count,
                        Some(count),
                        text,
                        period,
                    );
                }
                let items = items
                    .iter()
                    .map(|item| self.read(item, key, within, around));
                Value::Array(items.collect())
            }
            Value::Number(number) => {
                let counted = number.is_u64();
                let found = measure::of_key(key, within, around.currency.as_deref());
                let (Some(number), Some((measure, unit))) = (number.as_f64(), found) else {
                    return value.clone();
                };
                let unit = if unit == Unit::Plain && counted {
                    Unit::Count
                } else {
                    unit
                };
                let text = unit.write(number);
                let subject = around.subject.clone();
                let id = self.value(
                    subject,
                    measure,
                    unit,
                    Some(number),
                    text.clone(),
                    around.period,
                );
                marked(&text, id).unwrap_or_else(|| value.clone())
            }
            Value::String(text) => self.text(text, key, within, around),
            Value::Null | Value::Bool(_) => value.clone(),
        }
    }

    fn object(&mut self, members: &Map<String, Value>, within: &str, above: &Around) -> Value {
        let mut around = self.around(members, above);
        if around.subject == above.subject && self.knows(within) {
            around.subject = Subject::Named(within.to_owned());
        }
        let mut told = Map::new();
        if let Some(period) = around.period.filter(|period| above.period != Some(*period)) {
            let text = days(period);
            let id = self.days(around.subject.clone(), period, &text);
            if let Some(marked) = marked(&text, id) {
                told.insert("days".to_owned(), marked);
            }
        }
        self.parts(members);
        for (key, member) in members {
            if ["period", "date", "endDate", "localDate"].contains(&key.as_str())
                && around.period.is_some()
            {
                continue;
            }
            told.insert(key.clone(), self.read(member, key, within, &around));
        }
        Value::Object(told)
    }

    /// The days of what follows, once each.
    fn days(&mut self, subject: Subject, period: Period, text: &str) -> Option<FactId> {
        let known = self
            .facts
            .iter()
            .find(|fact| fact.kind == Kind::Days && fact.period == Some(period));
        if let Some(known) = known {
            return Some(known.id);
        }
        let text = text.to_owned();
        self.insert(Series::Value, Kind::Days, |id, kind| Fact {
            id,
            subject,
            measure: Measure::of("days"),
            unit: Unit::Plain,
            number: None,
            text,
            period: Some(period),
            kind,
        })
    }

    /// The number of a fleet's devices in each state.
    fn parts(&mut self, members: &Map<String, Value>) {
        let count = |key: &str| members.get(key).and_then(Value::as_u64);
        let Some(n) = count("totalLoggers").filter(|n| *n > 0) else {
            return;
        };
        for (key, label) in [
            ("activeLoggers", "devices online"),
            ("producing", "devices producing"),
            ("asleep", "devices asleep"),
            ("offline", "devices offline"),
        ] {
            if let Some(k) = count(key) {
                self.part(label, k, n);
            }
        }
    }

    fn text(&mut self, text: &str, key: &str, within: &str, around: &Around) -> Value {
        let as_it_is = || Value::from(text);
        if key == "trend" {
            let direction = match text {
                "increasing" => Direction::Up,
                "decreasing" => Direction::Down,
                _ => Direction::Flat,
            };
            self.add_trend(around.subject.clone(), "energy trend production", direction);
            return as_it_is();
        }
        if ["best", "worst"].contains(&key) && self.knows(text) {
            let greatest = key == "best";
            let name = text.to_owned();
            let id = self.insert(Series::Derived, Kind::Extreme { greatest }, |id, kind| {
                Fact {
                    id,
                    subject: Subject::Named(name.clone()),
                    measure: Measure::of("efficiency performance yield"),
                    unit: Unit::Plain,
                    number: None,
                    text: name,
                    period: around.period,
                    kind,
                }
            });
            return marked(text, id).unwrap_or_else(as_it_is);
        }
        let Some((measure, _)) = measure::of_key(key, within, None) else {
            return as_it_is();
        };
        let subject = around.subject.clone();
        if let Ok(day) = text.parse::<NaiveDate>() {
            let text = written(day);
            let id = self.value(
                subject,
                measure,
                Unit::Plain,
                None,
                text.clone(),
                around.period,
            );
            return marked(&text, id).unwrap_or_else(as_it_is);
        }
        if let Ok(at) = DateTime::<FixedOffset>::parse_from_rfc3339(text) {
            let clock = at.format("%H:%M");
            let of_day = around.period.is_some_and(|period| {
                period.start == period.end && period.start == at.date_naive()
            });
            let text = if of_day {
                clock.to_string()
            } else {
                format!("{} at {clock}", written(at.date_naive()))
            };
            let id = self.value(
                subject,
                measure,
                Unit::Plain,
                None,
                text.clone(),
                around.period,
            );
            return marked(&text, id).unwrap_or_else(as_it_is);
        }
        let sayable = text.chars().count() <= LONGEST
            && text.chars().any(char::is_alphabetic)
            && !text.contains(['<', '>', '[', ']', '{', '}', '|', '\n'])
            && !text.contains("://")
            && !["ok", "error", "no_data", "no_data_in_window", "none"].contains(&text)
            && !self.knows(text);
        if !sayable {
            return as_it_is();
        }
        let said = text.replace('_', " ");
        let period = around.period;
        let id = self.insert(Series::Value, Kind::Word, |id, kind| Fact {
            id,
            subject,
            measure,
            unit: Unit::Plain,
            number: None,
            text: said,
            period,
            kind,
        });
        marked(text, id).unwrap_or_else(as_it_is)
    }
}

fn is_device(value: &Value) -> bool {
    value.get("loggerId").is_some() && !value.get("scope").is_some_and(Value::is_object)
}

/// A value with its id behind it.
pub(super) fn marked(text: &str, id: Option<FactId>) -> Option<Value> {
    Some(Value::from(format!("{text} [[{}]]", id?)))
}

fn written(day: NaiveDate) -> String {
    day.format("%-d %B %Y").to_string()
}

fn days(period: Period) -> String {
    if period.start == period.end {
        return written(period.end);
    }
    let year = period.start.format("%Y").to_string() == period.end.format("%Y").to_string();
    let start = if year {
        period.start.format("%-d %B").to_string()
    } else {
        written(period.start)
    };
    format!("{start} to {}", written(period.end))
}
