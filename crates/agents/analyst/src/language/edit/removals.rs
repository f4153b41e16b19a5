//! What an edit takes away: "remove the date filter", "any status", "drop the grouping", "without the vessel column".

use std::ops::Range;

use contracts::tools::search::{Filter, IndexDescription, QueryStructure};
use serde_json::Value;

use super::Removal;
use crate::language::text::{Token, stem, tokens};

/// Removals, and the text without their words.
pub(super) struct Read {
    pub(super) removals: Vec<Removal>,
    pub(super) rest: String,
}

/// Words that take away.
const REMOVES: &[&str] = &[
    "remove",
    "drop",
    "delete",
    "clear",
    "reset",
    "without",
    "no",
    "ignore",
    "hide",
    "omit",
    "discard",
    "cancel",
    "undo",
    "unset",
    "disregard",
];
/// Words that a removal is made with.
const AROUND: &[&str] = &[
    "the", "all", "any", "that", "this", "my", "its", "of", "on", "by", "for", "those", "every",
    "again", "please",
];
const TIMES: &[&str] = &[
    "date", "dates", "time", "day", "days", "period", "range", "week", "month",
];

pub(super) fn read(text: &str, old: &QueryStructure, index: Option<&IndexDescription>) -> Read {
    let all = tokens(text);
    let mut reader = Reader {
        all: &all,
        old,
        index,
        removals: Vec::new(),
        taken: Vec::new(),
    };
    reader.run();
    let Reader {
        removals, taken, ..
    } = reader;
    let mut rest = text.to_owned();
    for range in taken.iter().rev() {
        let (from, to) = (all[range.start].start, all[range.end - 1].end);
        // Spaces, that places in the rest are those in the text.
        rest.replace_range(from..to, &" ".repeat(to - from));
    }
    Read { removals, rest }
}

struct Reader<'r> {
    all: &'r [Token],
    old: &'r QueryStructure,
    index: Option<&'r IndexDescription>,
    removals: Vec<Removal>,
    /// Tokens of removals, in order.
    taken: Vec<Range<usize>>,
}

impl Reader<'_> {
    fn is(&self, at: usize, words: &[&str]) -> bool {
        self.all.get(at).is_some_and(|token| token.is(words))
    }

    fn run(&mut self) {
        let mut at = 0;
        while at < self.all.len().min(200) {
            let found = if self.is(at, REMOVES) {
                self.removed(at)
            } else if self.is(at, &["ungroup", "ungrouped"]) {
                Some((vec![Removal::Groups], at + 1))
            } else if self.is(at, &["unsorted"]) {
                Some((vec![Removal::Sort], at + 1))
            } else if self.is(at, &["any", "all", "regardless", "whatever", "every"]) {
                self.any(at)
            } else {
                None
            };
            match found {
                Some((removals, end)) => {
                    self.taken.push(at..end);
                    for removal in removals {
                        if !self.removals.contains(&removal) {
                            self.removals.push(removal);
                        }
                    }
                    at = end;
                }
                None => at += 1,
            }
        }
    }

    /// "Remove the date filter".
    fn removed(&self, at: usize) -> Option<(Vec<Removal>, usize)> {
        let first = (at + 1..self.all.len()).find(|at| !self.is(*at, AROUND))?;
        let end = (first..self.all.len().min(first + 6))
            .find(|at| !self.all[*at].is_word() || self.is(*at, &["and", "but", "then", "or"]))
            .unwrap_or(self.all.len().min(first + 6));
        let said = &self.all[first..end];
        let has = |words: &[&str]| said.iter().any(|token| token.is(words));
        let filter = has(&[
            "filter",
            "filters",
            "condition",
            "conditions",
            "restriction",
            "restrictions",
            "constraint",
            "constraints",
        ]);
        let column = has(&["column", "columns", "field", "fields"]);
        let removal = if has(&["grouping", "groups", "group", "groupings", "aggregation"]) {
            vec![Removal::Groups]
        } else if has(&["sorting", "sort", "order", "ordering"]) {
            vec![Removal::Sort]
        } else if has(&["limit"]) {
            vec![Removal::Limit]
        } else if filter && said.len() == 1 {
            let mut all = vec![Removal::Filters];
            all.extend(self.old.time_range.is_some().then_some(Removal::Time));
            all
        } else if self.is_time(said) && !column {
            vec![Removal::Time]
        } else if let Some(place) = self.filter(said, filter).filter(|_| !column) {
            vec![Removal::Filter(place)]
        } else if let Some(field) = self
            .field(said)
            .filter(|_| column || self.is(at, &["hide", "omit", "remove", "drop"]))
        {
            vec![Removal::Field(field)]
        } else {
            return None;
        };
        Some((removal, end))
    }

    /// The words say the days: "date filter", "time range", "last week", "date".
    fn is_time(&self, said: &[Token]) -> bool {
        let days = said.iter().filter(|token| token.is_word()).all(|token| {
            token.is(TIMES)
                || token.is(&[
                    "filter",
                    "restriction",
                    "limit",
                    "condition",
                    "last",
                    "this",
                    "constraint",
                    "selection",
                ])
        });
        self.old.time_range.is_some() && days && said.iter().any(|token| token.is(TIMES))
    }

    /// "Any status", "all statuses", "all time", "regardless of the date".
    fn any(&self, at: usize) -> Option<(Vec<Removal>, usize)> {
        let first = (at + 1..self.all.len().min(at + 4)).find(|at| !self.is(*at, AROUND))?;
        let end = first + 1;
        if self.is(first, TIMES) && self.old.time_range.is_some() {
            return Some((vec![Removal::Time], end));
        }
        let place = self
            .old
            .filters
            .iter()
            .position(|filter| self.is_of(filter, &self.all[first]))?;
        Some((vec![Removal::Filter(place)], end))
    }

    /// The condition that the words name: by its field where they say that it is a condition, else by what it compares with.
    fn filter(&self, said: &[Token], filter: bool) -> Option<usize> {
        let places = 0..self.old.filters.len();
        let by_field = |place: &usize| {
            let condition = &self.old.filters[*place];
            filter && said.iter().any(|token| self.is_of(condition, token))
        };
        let by_value = |place: &usize| {
            let condition = &self.old.filters[*place];
            let values: Vec<String> = condition
                .values
                .iter()
                .filter_map(Value::as_str)
                .chain(condition.label.as_deref())
                .flat_map(stems)
                .collect();
            let mut words = said
                .iter()
                .filter(|token| {
                    !token.is(&["filter", "filters", "condition", "status", "ones"])
                        && token.is_word()
                })
                .peekable();
            // "Without cancelled" is a condition of its own, not the end of one.
            (filter || self.removing())
                && words.peek().is_some()
                && words.all(|token| values.contains(&stem(&token.text)))
        };
        places
            .clone()
            .find(by_field)
            .or_else(|| places.clone().find(by_value))
    }

    /// Whether the words surely take away what is there.
    fn removing(&self) -> bool {
        self.all.iter().any(|token| {
            token.is(&[
                "remove", "drop", "delete", "clear", "reset", "undo", "unset",
            ])
        })
    }

    /// Whether a word is of a condition's field.
    fn is_of(&self, filter: &Filter, token: &Token) -> bool {
        if !token.is_word() || token.is(&["filter", "filters", "id", "name"]) {
            return false;
        }
        let known = self.index.and_then(|index| {
            index.fields.iter().find(|field| {
                field.name == filter.field || field.exact_field.as_ref() == Some(&filter.field)
            })
        });
        let synonyms = known.into_iter().flat_map(|field| {
            field
                .synonyms
                .iter()
                .map(String::as_str)
                .chain(field.entity_type.as_deref())
        });
        let word = stem(&token.text);
        // "Statuses".
        let plural = token.text.strip_suffix("es").map(stem);
        std::iter::once(filter.field.as_str())
            .chain(synonyms)
            .flat_map(stems)
            .any(|own| own == word || Some(&own) == plural.as_ref())
    }

    /// The shown field that the words name.
    fn field(&self, said: &[Token]) -> Option<String> {
        let words: Vec<String> = said
            .iter()
            .filter(|token| token.is_word() && !token.is(&["column", "columns", "field", "fields"]))
            .map(|token| stem(&token.text))
            .collect();
        let shown: &[String] = if self.old.fields.is_empty() {
            self.index.map_or(&[], |index| &index.shown)
        } else {
            &self.old.fields
        };
        if words.is_empty() {
            return None;
        }
        shown
            .iter()
            .find(|field| {
                let own = stems(field);
                words.iter().all(|word| own.contains(word))
            })
            .cloned()
    }
}

fn stems(text: &str) -> Vec<String> {
    tokens(text)
        .into_iter()
        .filter(Token::is_word)
        .map(|token| stem(&token.text))
        .collect()
}
