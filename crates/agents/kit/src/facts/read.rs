//! Facts of a tool's result: each value gets an id, by its key, its subject and its days.

use chrono::{DateTime, FixedOffset, NaiveDate};
use contracts::tools::Period;
use serde_json::{Map, Value};

use super::{
    Bounds, Direction, Fact, FactId, FactRegistry, Kind, Measure, Series, Subject, Unit, lexicon,
    measure,
};

/// The longest text that is a fact, in characters: longer ones are sentences of their own.
const LONGEST: usize = 120;

/// What holds for everything within an object.
#[derive(Debug, Clone)]
struct Around {
    subject: Subject,
    period: Option<Period>,
    currency: Option<String>,
    /// The compared quantity of a comparison.
    metric: Option<String>,
    /// Whether this is an item of a list.
    is_item: bool,
    /// Whether its capacity is an estimate.
    is_estimated: bool,
}

/// Names and units of a comparison's figures, by the quantity that it compares. A peak of energy
/// since the morning, or a sum of powers, says nothing.
const COMPARED: &[(&str, &str, &str, Unit)] = &[
    ("power", "average", "average power", Unit::Power),
    ("power", "peak", "peak power", Unit::Power),
    ("power", "total", "energy", Unit::Energy),
    ("energy", "total", "energy", Unit::Energy),
    (
        "irradiance",
        "average",
        "average sunlight irradiance",
        Unit::Irradiance,
    ),
    (
        "irradiance",
        "peak",
        "peak sunlight irradiance",
        Unit::Irradiance,
    ),
];

impl FactRegistry {
    /// Reads the facts of a result, and returns it with the id of each value behind it. What
    /// follows from them stands under `derived`.
    pub fn annotate(&mut self, result: &Value) -> Value {
        let mut around = Around {
            subject: Subject::Whole,
            period: None,
            currency: None,
            metric: None,
            is_item: false,
            is_estimated: false,
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
                        ("role", Value::String(role)) => {
                            self.has_other_roles |= role != "inverter";
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
        let scope = members.get("scope").filter(|scope| scope.is_object());
        let of_scope = |key: &str| scope?.get(key)?.as_str();
        let site = text("siteId").and_then(|_| text("name"));
        let device = text("loggerId").or_else(|| text("logger_id"));
        let subject = match device.or(site) {
            _ if of_scope("kind") == Some("site") => {
                of_scope("name").map_or(Subject::Whole, |name| Subject::Named(name.to_owned()))
            }
            _ if scope.is_some() => Subject::Whole,
            Some(name) => Subject::Named(name.to_owned()),
            None => above.subject.clone(),
        };
        if subject != above.subject {
            let is_site = of_scope("kind") == Some("site") || device.is_none();
            self.bounds.is_site = is_site && subject != Subject::Whole;
        }
        self.bounds.is_part |= of_scope("kind") == Some("loggers");
        self.bounds.is_compared |=
            members.contains_key("metric") && members.contains_key("loggerIds");
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
            metric: text("metric")
                .map(str::to_owned)
                .or_else(|| above.metric.clone()),
            is_item: false,
            is_estimated: matches!(
                text("capacityBasis"),
                Some("inferred" | "peers" | "unknown")
            ),
        }
    }

    /// Learns about everything in an object: that it is over, that its list is cut, when it was
    /// measured.
    fn bound(&mut self, members: &Map<String, Value>, around: &Around) {
        let moment = |key: &str| {
            let text = members.get(key).and_then(Value::as_str)?;
            DateTime::parse_from_rfc3339(text).ok()
        };
        if moment("start").is_some() && moment("end").is_some() {
            self.bounds.is_over = true;
            let kind = members.get("kind").and_then(Value::as_str);
            let words = kind.into_iter().flat_map(measure::tokens);
            let words = words.flat_map(|word| measure::forms(&word));
            self.bounds.words = words.collect();
        }
        let sites = members.get("sites").and_then(Value::as_array);
        let is_silent = |site: &Value| site.get("current") == Some(&Value::Bool(false));
        self.bounds.leaves_out |= sites.is_some_and(|sites| sites.iter().any(is_silent));
        if members.contains_key("siteId") {
            self.bounds.leaves_out = false;
        }
        let listed = members.get("rows").and_then(Value::as_array);
        let total = members.get("total").and_then(Value::as_u64);
        self.bounds.is_cut |= is_cut(members)
            || listed
                .zip(total)
                .is_some_and(|(rows, total)| (rows.len() as u64) < total);
        if around.is_item && moment("timestamp").is_some() {
            let known = self.facts.len();
            let at = members.get("timestamp").unwrap_or(&Value::Null);
            self.read(at, "timestamp", "", around);
            self.bounds.at = self.facts.get(known).map(|fact| fact.id);
            self.bounds.is_over = true;
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
                let around = Around {
                    is_item: true,
                    ..around.clone()
                };
                let items = items.iter().map(|item| match item {
                    // What a number in a list is of, no key says.
                    Value::Number(_) => item.clone(),
                    item => self.read(item, key, within, &around),
                });
                Value::Array(items.collect())
            }
            Value::Number(number) => {
                let counted = number.is_u64();
                let found = self.measured(key, within, around);
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

    /// The measure and the unit of a number.
    fn measured(&self, key: &str, within: &str, around: &Around) -> Option<(Measure, Unit)> {
        // A value of a series, whose measure no key says.
        if self.knows(key) {
            return None;
        }
        let metric = around.metric.as_deref();
        if metric.is_some() && ["max", "mean", "min"].contains(&key) {
            return None;
        }
        if let Some(metric) = metric.filter(|_| ["average", "peak", "total"].contains(&key)) {
            let mut compared = COMPARED.iter();
            let (.., label, unit) = compared.find(|(of, one, ..)| *of == metric && *one == key)?;
            return Some((Measure::of(label), unit.clone()));
        }
        let (measure, unit) = measure::of_key(key, within, around.currency.as_deref())?;
        if around.is_estimated && measure.label == "capacity" {
            return Some((Measure::of("estimated capacity"), unit));
        }
        Some((measure, unit))
    }

    fn object(&mut self, members: &Map<String, Value>, within: &str, above: &Around) -> Value {
        let outside = self.bounds.clone();
        let told = self.members(members, within, above);
        self.bounds = outside;
        told
    }

    fn members(&mut self, members: &Map<String, Value>, within: &str, above: &Around) -> Value {
        let mut around = self.around(members, above);
        if around.subject == above.subject && self.knows(within) {
            around.subject = Subject::Named(within.to_owned());
            self.bounds.is_site = false;
        }
        around.is_item = above.is_item || ["first", "last"].contains(&within);
        self.bound(members, &around);
        around.is_item = false;
        let mut told = Map::new();
        if let Some(period) = around.period.filter(|period| above.period != Some(*period)) {
            let text = days(period);
            let id = self.days(around.subject.clone(), period, &text);
            if let Some(marked) = marked(&text, id) {
                told.insert("days".to_owned(), marked);
            }
        }
        self.parts(members, &around);
        let summed_up = is_cut(members);
        for (key, member) in members {
            let at = self.bounds.at.filter(|_| key == "timestamp");
            if let Some(at) = at.and_then(|at| self.fact(at)) {
                let told_at = marked(&at.text, Some(at.id));
                told.extend(told_at.map(|told_at| (key.clone(), told_at)));
                continue;
            }
            // Only the readings of a curve are all of one kind, and of all its day.
            if summed_up && key == "statistics" && within != "data" {
                told.insert(key.clone(), member.clone());
                continue;
            }
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
            bounds: Bounds::default(),
        })
    }

    /// The number of a fleet's devices in each state.
    fn parts(&mut self, members: &Map<String, Value>, around: &Around) {
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
                self.part(around.subject.clone(), around.period, label, k, n);
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
            let label = match around.metric.as_deref() {
                Some("irradiance") => "average sunlight irradiance",
                _ => "specific yield efficiency performance",
            };
            let id = self.insert(Series::Derived, Kind::Extreme { greatest }, |id, kind| {
                Fact {
                    id,
                    subject: Subject::Named(name.clone()),
                    measure: Measure::of(label),
                    unit: Unit::Plain,
                    number: None,
                    text: name,
                    period: around.period,
                    kind,
                    bounds: Bounds::default(),
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
            && !lexicon::is_reserved(text)
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
            bounds: Bounds::default(),
        });
        marked(text, id).unwrap_or_else(as_it_is)
    }
}

/// Whether an object replaces a list that is too long: its ends and its statistics, which are of
/// whatever its rows are.
fn is_cut(members: &Map<String, Value>) -> bool {
    let keys = ["count", "first", "last", "statistics"];
    keys.iter().all(|key| members.contains_key(*key))
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
