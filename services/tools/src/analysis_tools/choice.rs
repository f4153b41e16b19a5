//! Which columns are intended: those that are named, those of the question, or those that can be.

use analytics::column::Column;
use analytics::labels::Labels;
use chrono::{DateTime, Utc};

use super::table::{Field, Table, Values};
use crate::error::Error;
use crate::sql_tools::words::stems;

/// Maximum number of measures in a call.
pub(super) const MOST_MEASURES: usize = 20;
/// Maximum number of fields that a call groups by.
const MOST_GROUPINGS: usize = 8;

/// A column of numbers.
#[derive(Clone, Copy)]
pub(super) struct Measure<'a> {
    pub(super) field: &'a Field,
    pub(super) column: &'a Column,
}

/// A column of groups.
#[derive(Clone, Copy)]
pub(super) struct Grouping<'a> {
    pub(super) field: &'a Field,
    pub(super) labels: &'a Labels,
    pub(super) is_boolean: bool,
    /// Whether it was asked for.
    pub(super) is_named: bool,
}

impl Grouping<'_> {
    /// The name of a group in a sentence: `Slow Boats`; for a boolean `hazardous` and `not
    /// hazardous`.
    pub(super) fn called(&self, label: usize) -> String {
        match (self.is_boolean, self.labels.name(label)) {
            (true, "true") => self.field.label.clone(),
            (true, _) => format!("not {}", self.field.label),
            (false, name) => name.to_owned(),
        }
    }
}

/// A column of dates.
#[derive(Clone, Copy)]
pub(super) struct Dates<'a> {
    pub(super) field: &'a Field,
    pub(super) times: &'a [Option<DateTime<Utc>>],
}

/// What words of a call mean in a table.
pub(super) struct Choice<'a> {
    table: &'a Table,
    question: Vec<String>,
    /// What could not be found, in sentences.
    pub(super) notes: Vec<String>,
}

impl<'a> Choice<'a> {
    pub(super) fn new(table: &'a Table, question: Option<&str>) -> Self {
        Self {
            table,
            question: stems(question.unwrap_or_default()),
            notes: Vec::new(),
        }
    }

    /// The measures that are named, otherwise all, those of the question first.
    pub(super) fn measures(&mut self, named: &[String]) -> Result<Vec<Measure<'a>>, Error> {
        let all: Vec<Measure<'a>> = self.table.fields.iter().filter_map(measure).collect();
        if named.is_empty() {
            let known = all
                .iter()
                .filter(|measure| measure.column.count() > 0 && !measure.field.is_id());
            let mut known: Vec<Measure<'a>> = known.copied().collect();
            known.sort_by_key(|measure| std::cmp::Reverse(self.said(measure.field)));
            known.truncate(MOST_MEASURES);
            return Ok(known);
        }
        let found = self.all_named(named, "number", |field| measure(field).is_some());
        if found.is_empty() {
            let names: Vec<&str> = all
                .iter()
                .map(|measure| measure.field.name.as_str())
                .collect();
            return Err(Error::impossible(format!(
                "There is no number called '{}' in these rows. {}",
                named.join("', '"),
                told("There is", &names)
            )));
        }
        Ok(found.into_iter().filter_map(measure).collect())
    }

    /// The date field that is named, otherwise that of the question, that of the data, or the first
    /// with several days.
    pub(super) fn dates(&mut self, named: Option<&str>, usual: Option<&str>) -> Option<Dates<'a>> {
        if let Some(named) = named {
            let named = [named.to_owned()];
            let found = self.all_named(&named, "date", |field| dates(field).is_some());
            if let Some(found) = found.first() {
                return dates(found);
            }
        }
        let mut all: Vec<Dates<'a>> = self
            .table
            .fields
            .iter()
            .filter_map(dates)
            .filter(|dates| has_days(dates.times))
            .collect();
        all.sort_by_key(|dates| {
            let is_usual = usual == Some(dates.field.name.as_str());
            std::cmp::Reverse((self.said_by_name(dates.field), is_usual))
        });
        all.first().copied()
    }

    /// The groupings that are named, otherwise those of the question, otherwise every one with at
    /// most `most` groups.
    pub(super) fn groupings(&mut self, named: &[String], most: usize) -> Vec<Grouping<'a>> {
        if !named.is_empty() {
            let found = self.all_named(named, "field with groups", |field| {
                grouping(field).is_some()
            });
            if !found.is_empty() {
                let found = found.into_iter().filter_map(grouping);
                return found
                    .map(|grouping| Grouping {
                        is_named: true,
                        ..grouping
                    })
                    .collect();
            }
        }
        let few = most.min((self.table.count / 2).max(2));
        let all: Vec<Grouping<'a>> = self
            .table
            .fields
            .iter()
            .filter_map(grouping)
            .filter(|grouping| (2..=few).contains(&grouping.labels.count()))
            .collect();
        let mut different: Vec<Grouping<'a>> = Vec::new();
        // What is called by names before what is called by ids.
        let (ids, names): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|grouping| grouping.field.is_id());
        for grouping in names.into_iter().chain(ids) {
            if !different
                .iter()
                .any(|known| known.labels.same_groups(grouping.labels))
            {
                different.push(grouping);
            }
        }
        different.sort_by_key(|grouping| std::cmp::Reverse(self.said_by_name(grouping.field)));
        different.truncate(MOST_GROUPINGS);
        different
    }

    /// The field of some words, of a certain kind.
    pub(super) fn named(&self, words: &str, fits: impl Fn(&Field) -> bool) -> Option<&'a Field> {
        let fields = || self.table.fields.iter().filter(|field| fits(field));
        let is_called = |field: &&Field| {
            field.name.eq_ignore_ascii_case(words.trim())
                || field.label.eq_ignore_ascii_case(words.trim())
        };
        if let Some(field) = fields().find(is_called) {
            return Some(field);
        }
        let wanted = stems(words);
        let known = |field: &Field, word: &String| {
            field.words.contains(word) || field.other_words.contains(word)
        };
        fields()
            .filter(|field| !wanted.is_empty() && wanted.iter().all(|word| known(field, word)))
            // Said by its own name before said by another; the shorter name is nearer.
            .min_by_key(|field| {
                let own = wanted
                    .iter()
                    .filter(|word| field.words.contains(word))
                    .count();
                (std::cmp::Reverse(own), field.words.len())
            })
    }

    fn all_named(
        &mut self,
        named: &[String],
        kind: &str,
        fits: impl Fn(&Field) -> bool,
    ) -> Vec<&'a Field> {
        let mut found: Vec<&'a Field> = Vec::new();
        for words in named {
            match self.named(words, &fits) {
                Some(field) if !found.iter().any(|known| known.name == field.name) => {
                    found.push(field);
                }
                Some(_) => {}
                None => self.notes.push(format!(
                    "There is no {kind} called '{words}' in these rows."
                )),
            }
        }
        found
    }

    /// Number of the question's words that are in the field's name, its own counting twice.
    fn said(&self, field: &Field) -> usize {
        let other = self
            .question
            .iter()
            .filter(|word| field.other_words.contains(word))
            .count();
        2 * self.said_by_name(field) + other
    }

    fn said_by_name(&self, field: &Field) -> usize {
        self.question
            .iter()
            .filter(|word| field.words.contains(word))
            .count()
    }
}

fn measure(field: &Field) -> Option<Measure<'_>> {
    match &field.values {
        Values::Number(column) => Some(Measure { field, column }),
        _ => None,
    }
}

fn dates(field: &Field) -> Option<Dates<'_>> {
    match &field.values {
        Values::Date(times) => Some(Dates { field, times }),
        _ => None,
    }
}

fn grouping(field: &Field) -> Option<Grouping<'_>> {
    match &field.values {
        Values::Group { labels, is_boolean } => Some(Grouping {
            field,
            labels,
            is_boolean: *is_boolean,
            is_named: false,
        }),
        _ => None,
    }
}

fn has_days(times: &[Option<DateTime<Utc>>]) -> bool {
    let mut days = times.iter().flatten().map(DateTime::date_naive);
    days.next()
        .is_some_and(|first| days.any(|day| day != first))
}

/// `There is: a, b.`, or that there is none.
fn told(begin: &str, names: &[&str]) -> String {
    if names.is_empty() {
        return "They have no numbers.".to_owned();
    }
    format!("{begin}: {}.", names.join(", "))
}

#[cfg(test)]
mod tests {
    use chrono_tz::Tz;
    use serde_json::json;

    use super::super::data::Rows;
    use super::*;

    fn table() -> Table {
        let rows = (0..20).map(|row| {
            json!({
                "shipment_id": format!("S-{row}"), "weight_kg": row, "delay_hours": row, "dwell_hours": 1,
                "vessel_id": format!("V{}", row % 3), "vessel_name": format!("MV {}", row % 3), "is_late": row % 2 == 0,
                "planned_arrival": "2025-01-15", "actual_arrival": format!("2025-01-{:02}", row + 1),
            })
        });
        let rows = serde_json::from_value(rows.collect()).unwrap();
        let synonyms = [("delay_hours".to_owned(), vec!["lateness".to_owned()])].into();
        Table::of(
            &Rows {
                records: rows,
                synonyms,
                ..Rows::default()
            },
            Tz::UTC,
        )
    }

    fn names(measures: &[Measure<'_>]) -> Vec<String> {
        measures
            .iter()
            .map(|measure| measure.field.name.clone())
            .collect()
    }

    #[test]
    fn words_mean_the_column_that_has_them() {
        let table = table();
        let mut choice = Choice::new(&table, None);
        let mut named = |words: &str| names(&choice.measures(&[words.to_owned()]).unwrap());
        assert_eq!(named("delay"), ["delay_hours"]);
        assert_eq!(named("Delays"), ["delay_hours"]);
        assert_eq!(named("lateness"), ["delay_hours"]);
        assert_eq!(named("WEIGHT_KG"), ["weight_kg"]);
        let Err(error) = choice.measures(&["vessel_name".to_owned()]) else {
            panic!("a name is no number");
        };
        assert!(
            matches!(error, Error::NoResult(no) if no.message.ends_with("There is: weight_kg, delay_hours, dwell_hours."))
        );
        let found = choice
            .measures(&["delay".to_owned(), "color".to_owned()])
            .unwrap();
        assert_eq!(
            (found.len(), choice.notes.last().unwrap().as_str()),
            (1, "There is no number called 'color' in these rows.")
        );
    }

    #[test]
    fn the_question_tells_what_comes_first() {
        let table = table();
        let mut choice = Choice::new(&table, Some("analyze delay patterns in these results"));
        assert_eq!(names(&choice.measures(&[]).unwrap())[0], "delay_hours");
        assert_eq!(
            choice.dates(None, None).unwrap().field.name,
            "actual_arrival"
        );
        let groups: Vec<&str> = choice
            .groupings(&[], 20)
            .iter()
            .map(|grouping| grouping.field.name.as_str())
            .collect();
        assert_eq!(groups, ["vessel_name", "is_late"]);
        let named = choice.groupings(&["vessel".to_owned()], 20);
        assert!(named[0].is_named && named.len() == 1);
        assert_eq!(
            choice.dates(Some("planned"), None).unwrap().field.name,
            "planned_arrival"
        );
    }
}
