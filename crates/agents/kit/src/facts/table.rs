//! Facts of rows: each figure is about what its row is about.

use serde_json::{Map, Value};

use super::{Bounds, Fact, FactRegistry, Kind, Measure, Series, Subject, Unit, lexicon};

/// A column of rows.
#[derive(Debug, Clone, Copy)]
pub struct Column<'a> {
    /// The key of the values.
    pub name: &'a str,
    /// What people call the values: "average delay".
    pub label: &'a str,
    /// The unit of its figures, as it follows them.
    pub unit: Option<&'a str>,
    /// Whether the values are figures; others name the row.
    pub is_figure: bool,
}

impl<'a> Column<'a> {
    /// A column that people call by its key.
    pub fn new(name: &'a str, is_figure: bool) -> Self {
        Self {
            name,
            label: name,
            unit: None,
            is_figure,
        }
    }
}

impl FactRegistry {
    /// Reads the facts of rows, and returns the rows with the id of each value behind it. The first
    /// column that holds no figures names the row. `write` writes a value as people read it. A
    /// single value means what `plain`, the same in words, says of it, with all conditions. Nothing
    /// leads or comes last among rows that are not all (`is_whole`).
    pub fn table(
        &mut self,
        columns: &[Column<'_>],
        rows: &[Map<String, Value>],
        plain: &str,
        is_whole: bool,
        write: impl Fn(&Value, &str) -> String,
    ) -> Vec<Value> {
        self.has_rows = true;
        let label = columns.iter().find(|column| !column.is_figure);
        let alone = rows.len() == 1 && columns.len() == 1;
        for column in columns.iter().filter(|column| !column.is_figure) {
            self.know_noun(column.label);
        }
        let outside = self.bounds.clone();
        self.bounds.is_cut = !is_whole;
        if alone {
            let words = content(plain);
            self.bounds.is_present = is_present(plain);
            self.bounds.conditions = words
                .iter()
                .map(|word| super::measure::forms(word).into_iter().collect())
                .collect();
        }
        if let Some(label) = label {
            self.know_row_noun(label.label);
        }
        let mut told = Vec::new();
        for row in rows {
            let value = |name: &str| row.get(name).filter(|value| !value.is_null());
            let name = label.and_then(|label| Some(write(value(label.name)?, label.name)));
            let subject = name.map_or(Subject::Whole, Subject::Named);
            let mut line = Map::new();
            for column in columns {
                let Some(value) = value(column.name) else {
                    line.insert(column.name.to_owned(), Value::Null);
                    continue;
                };
                let text = write(value, column.name);
                let names_row = label.is_some_and(|label| label.name == column.name);
                let mut measure = Measure::of(&super::measure::tokens(column.label).join(" "))
                    .with_key(column.name);
                if alone {
                    measure = measure.with_words_of(plain);
                }
                let number = number(value).filter(|_| column.is_figure);
                let id = match number {
                    _ if names_row && !alone => None,
                    Some(number) => {
                        let unit = match column.unit {
                            Some(unit) => Unit::Named(unit.to_owned()),
                            None if number.fract() == 0.0 => Unit::Count,
                            None => Unit::Plain,
                        };
                        let subject = subject.clone();
                        self.value(subject, measure, unit, Some(number), text.clone(), None)
                    }
                    None => {
                        let (subject, text) = (subject.clone(), text.clone());
                        self.insert(Series::Value, Kind::Word, |id, kind| Fact {
                            id,
                            subject: if alone { Subject::Whole } else { subject },
                            measure,
                            unit: Unit::Plain,
                            number: None,
                            text,
                            period: None,
                            kind,
                            bounds: Bounds::default(),
                        })
                    }
                };
                let marked = super::read::marked(&text, id).unwrap_or_else(|| text.into());
                line.insert(column.name.to_owned(), marked);
            }
            told.push(Value::Object(line));
        }
        self.derive();
        self.bounds = outside;
        told
    }
}

/// The words of the first sentence of a text that say something of its value.
fn content(plain: &str) -> Vec<String> {
    let first = crate::prose::sentences(plain);
    let words = super::measure::tokens(first.first().map_or("", String::as_str));
    let says = |word: &String| {
        // "On time" says something.
        !lexicon::is_reserved(word)
            && (!lexicon::is_neutral(word) || word == "time")
            && !word.chars().any(char::is_numeric)
    };
    words.into_iter().filter(says).collect()
}

/// Whether a text says how something is, and of no time.
fn is_present(plain: &str) -> bool {
    let words = super::measure::tokens(plain);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    has(&["are", "has", "have", "is"])
        && !has(&[
            "ago",
            "day",
            "days",
            "had",
            "last",
            "made",
            "month",
            "months",
            "since",
            "was",
            "week",
            "weeks",
            "were",
            "year",
            "years",
            "yesterday",
        ])
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text
            .trim()
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite()),
        _ => None,
    }
}
