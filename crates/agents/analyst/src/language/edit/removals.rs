//! Parts that an edit removes: "remove the date filter", "any status", "drop the grouping",
//! "without the vessel column".

use std::ops::Range;

use contracts::tools::search::{Filter, IndexDescription, QueryStructure};
use serde_json::Value;

use super::Removal;
use crate::language::text::{Token, stem, tokens};

/// Removals, and the text without their words.
pub(super) struct Read {
    pub(super) removals: Vec<Removal>,
    pub(super) rest: String,
    /// The words of the removals.
    pub(super) removed: Vec<String>,
    /// Words of removals that name none of the conditions.
    pub(super) absent: Vec<String>,
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
    "forget",
    "lift",
];
/// The same in several words, the longest first.
const REMOVES_IN_WORDS: &[&[&str]] = &[
    &["get", "rid", "of"],
    &["do", "not", "filter", "by"],
    &["don't", "filter", "by"],
    &["do", "not", "filter", "on"],
    &["don't", "filter", "on"],
    &["not", "filtered", "by"],
    &["don't", "care", "about"],
    &["do", "not", "care", "about"],
    &["take", "out"],
    &["take", "away"],
    &["take", "off"],
    &["leave", "out"],
    &["leave", "off"],
    &["leave", "away"],
    &["never", "mind"],
    &["nevermind"],
];
/// Verbs that only take a condition away, and never say that records lack something.
const ENDS: &[&str] = &["forget", "undo", "unset", "lift", "nevermind"];
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
        absent: Vec::new(),
    };
    reader.run();
    let Reader {
        removals,
        taken,
        absent,
        ..
    } = reader;
    let absent = absent
        .into_iter()
        .map(|range| text[all[range.start].start..all[range.end - 1].end].to_owned())
        .collect();
    let removed = taken
        .iter()
        .map(|range| text[all[range.start].start..all[range.end - 1].end].to_owned())
        .collect();
    let mut rest = text.to_owned();
    for range in taken.iter().rev() {
        let (from, to) = (all[range.start].start, all[range.end - 1].end);
        // Spaces, that places in the rest are those in the text.
        rest.replace_range(from..to, &" ".repeat(to - from));
    }
    Read {
        removals,
        rest,
        removed,
        absent,
    }
}

struct Reader<'r> {
    all: &'r [Token],
    old: &'r QueryStructure,
    index: Option<&'r IndexDescription>,
    removals: Vec<Removal>,
    /// Tokens of removals, in order.
    taken: Vec<Range<usize>>,
    /// Tokens of removals that name none of the conditions.
    absent: Vec<Range<usize>>,
}

impl Reader<'_> {
    fn is(&self, at: usize, words: &[&str]) -> bool {
        self.all.get(at).is_some_and(|token| token.is(words))
    }

    fn run(&mut self) {
        let mut at = 0;
        while at < self.all.len().min(200) {
            let several = REMOVES_IN_WORDS.iter().find(|words| {
                let mut places = words.iter().enumerate();
                places.all(|(more, word)| self.is(at + more, &[word]))
            });
            let found = if let Some(words) = several {
                self.removed(at, at + words.len())
            } else if self.is(at, REMOVES) && !self.is(at + 1, &["matter"]) {
                self.removed(at, at + 1)
            } else if self.is(at, &["only", "just"]) {
                self.only_one(at)
            } else if self.is(at, &["not"]) && self.is(at + 1, &["only", "just"]) {
                self.not_only(at)
            } else if self.is(at, &["ungroup", "ungrouped"]) {
                Some((vec![Removal::Groups], at + 1))
            } else if self.is(at, &["unsorted"]) {
                Some((vec![Removal::Sort], at + 1))
            } else if self.is(
                at,
                &[
                    "any",
                    "all",
                    "regardless",
                    "irrespective",
                    "whatever",
                    "every",
                    "whichever",
                ],
            ) || self.is(at, &["no"]) && self.is(at + 1, &["matter"])
            {
                self.any(at)
            } else {
                self.does_not_matter(at)
            };
            let found = found.map(|found| self.and_more(found));
            let found = found.or_else(|| {
                let absent = self.nothing_of_it(at, several.map_or(1, |words| words.len()))?;
                let end = absent.end;
                self.absent.push(absent);
                Some((Vec::new(), end))
            });
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

    /// What "forget the coffee" is to take away, where no condition is on coffee: it is not added
    /// instead.
    fn nothing_of_it(&self, at: usize, length: usize) -> Option<Range<usize>> {
        let several = length > 1 && !self.is(at, &["take", "leave", "get"]);
        if !self.is(at, ENDS) && !several {
            return None;
        }
        let first = (at + length..self.all.len()).find(|at| !self.is(*at, AROUND))?;
        let end = (first..self.all.len().min(first + 6))
            .find(|at| !self.all[*at].is_word() || self.is(*at, &["and", "but", "then", "or"]))
            .unwrap_or(self.all.len().min(first + 6));
        // "Forget it, show the vessels" begins a new query.
        let it = self.is(
            first,
            &["it", "about", "what", "that", "this", "them", "everything"],
        );
        (first < end && !it).then_some(first..end)
    }

    /// "… and the carrier", behind "remove the port".
    fn and_more(&self, (mut removals, mut end): (Vec<Removal>, usize)) -> (Vec<Removal>, usize) {
        while self.is(end, &["and", ",", "or"]) {
            let next = (end + 1..self.all.len()).find(|at| !self.is(*at, AROUND));
            let Some(next) = next.filter(|next| *next <= end + 3) else {
                break;
            };
            let place = self
                .old
                .filters
                .iter()
                .position(|filter| self.is_of(filter, &self.all[next]));
            let time = self.is(next, TIMES) && self.old.time_range.is_some();
            match place {
                Some(place) => removals.push(Removal::Filter(place)),
                None if time => removals.push(Removal::Time),
                None => break,
            }
            end = next + 1 + usize::from(self.is(next + 1, &["filter", "filters"]));
        }
        (removals, end)
    }

    /// "Not only the delivered ones": others, too.
    fn not_only(&self, at: usize) -> Option<(Vec<Removal>, usize)> {
        let first = (at + 2..self.all.len()).find(|at| !self.is(*at, AROUND))?;
        let said: Vec<String> = self.all[first..]
            .iter()
            .take_while(|token| token.is_word())
            .filter(|token| !token.is(&["ones", "one"]))
            .map(|token| stem(&token.text))
            .collect();
        let place = self.old.filters.iter().position(|filter| {
            let own = own_stems(filter);
            let yes = stems(&filter.field);
            !said.is_empty()
                && said
                    .iter()
                    .all(|word| own.contains(word) || yes.contains(word))
        })?;
        Some((vec![Removal::Filter(place)], self.all.len()))
    }

    /// "Only the container terminal", of several values of one condition.
    fn only_one(&self, at: usize) -> Option<(Vec<Removal>, usize)> {
        if at > 0 && self.is(at - 1, &["not"]) {
            return None;
        }
        let said: Vec<&Token> = self.all[at + 1..]
            .iter()
            .filter(|token| token.is_word() && !token.is(AROUND) && !token.is(&["one", "ones"]))
            .collect();
        let ends = self.all[at + 1..]
            .iter()
            .all(|token| token.is_word() || token.is(&["?", ".", "!"]));
        if said.is_empty() || !ends {
            return None;
        }
        let (place, value) = self
            .old
            .filters
            .iter()
            .enumerate()
            .find_map(|(place, filter)| {
                let labels: Vec<&str> = filter.label.as_ref()?.split(" or ").collect();
                if filter.values.len() < 2 || labels.len() != filter.values.len() {
                    return None;
                }
                let fits = |label: &&str| {
                    let own = tokens(label);
                    said.iter().all(|word| {
                        own.iter().any(|own| {
                            let begins = own.text.len() > 4 && word.text.starts_with(&own.text);
                            begins || stem(&own.text) == stem(&word.text)
                        })
                    })
                };
                let mut fitting = (0..labels.len()).filter(|at| fits(&labels[*at]));
                let value = fitting.next()?;
                fitting.next().is_none().then_some((place, value))
            })?;
        Some((vec![Removal::OtherValues(place, value)], self.all.len()))
    }

    /// "The carrier does not matter", "the status is irrelevant".
    fn does_not_matter(&self, at: usize) -> Option<(Vec<Removal>, usize)> {
        let not = at + 1 + usize::from(self.is(at + 1, &["does", "do", "is", "are"]));
        let not = not + usize::from(self.is(not, &["not"]));
        let ends = self.is(at + 1, &["doesn't", "don't", "isn't"])
            && self.is(at + 2, &["matter", "important", "relevant"])
            || self.is(not, &["matter", "important", "relevant"]) && self.is(not - 1, &["not"])
            || self.is(not, &["irrelevant", "unimportant"]);
        if !ends {
            return None;
        }
        let end = if self.is(at + 1, &["doesn't", "don't", "isn't"]) {
            at + 3
        } else {
            not + 1
        };
        if self.is(at, TIMES) && self.old.time_range.is_some() {
            return Some((vec![Removal::Time], end));
        }
        let place = self
            .old
            .filters
            .iter()
            .position(|filter| self.is_of(filter, &self.all[at]))?;
        Some((vec![Removal::Filter(place)], end))
    }

    /// "Remove the date filter".
    fn removed(&self, at: usize, begin: usize) -> Option<(Vec<Removal>, usize)> {
        let first = (begin..self.all.len()).find(|at| !self.is(*at, AROUND))?;
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
            vec![match self.part(said, place) {
                Some(value) => Removal::Value(place, value),
                None => Removal::Filter(place),
            }]
        } else if self.drops(at, begin)
            && !column
            && let Some(place) = self.of_field(said)
        {
            vec![Removal::Filter(place)]
        } else if let Some(field) = self
            .field(said)
            .filter(|_| column || self.is(at, &["hide", "omit", "remove", "drop"]))
        {
            vec![Removal::Field(field)]
        } else if self.is(at, &["without"]) && self.is(begin, &["the"]) && self.is_field(said) {
            // Without a condition on it nothing changes.
            Vec::new()
        } else {
            return None;
        };
        Some((removal, end))
    }

    /// Whether the words are a field of the records and nothing else.
    fn is_field(&self, said: &[Token]) -> bool {
        let words: Vec<String> = said
            .iter()
            .filter(|token| token.is_word())
            .map(|token| stem(&token.text))
            .collect();
        let fields = self.index.map_or(&[][..], |index| &index.fields);
        !words.is_empty()
            && fields.iter().any(|field| {
                let own: Vec<String> = std::iter::once(field.name.as_str())
                    .chain(field.synonyms.iter().map(String::as_str))
                    .flat_map(stems)
                    .collect();
                words.iter().all(|word| own.contains(word))
            })
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
        let first = (at + 1..self.all.len().min(at + 5))
            .find(|at| !self.is(*at, AROUND) && !self.is(*at, &["matter", "which", "what"]))?;
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

    /// The condition that the words name: by its field where they say that it is a condition,
    /// otherwise by what it compares with.
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

    /// Whether the verb at `at` takes away what is there, and does not say what records lack:
    /// "without delay", "no arrival".
    fn drops(&self, at: usize, begin: usize) -> bool {
        // "Without the port": the condition that there is; "without a port" is one of its own.
        let the = self.is(at, &["without"]) && self.is(begin, &["the", "that", "any"]);
        the || begin > at + 1 || !self.is(at, &["without", "no", "hide", "omit"])
    }

    /// The condition on the field that the words are, and nothing else.
    fn of_field(&self, said: &[Token]) -> Option<usize> {
        let mut words = said.iter().filter(|token| token.is_word());
        let first = words.next()?;
        let more: Vec<&Token> = words.collect();
        self.old.filters.iter().position(|filter| {
            self.is_of(filter, first) && more.iter().all(|word| self.is_of(filter, word))
        })
    }

    /// Of several values of a condition the one that the words name.
    fn part(&self, said: &[Token], place: usize) -> Option<usize> {
        let filter = &self.old.filters[place];
        if filter.values.len() < 2 {
            return None;
        }
        let labels: Vec<String> = match &filter.label {
            Some(label) => label.split(" or ").map(str::to_owned).collect(),
            None => filter
                .values
                .iter()
                .filter_map(|value| value.as_str().map(str::to_owned))
                .collect(),
        };
        let named: Vec<usize> = (0..labels.len())
            .filter(|at| {
                let own = stems(&labels[*at]);
                let mut words = said
                    .iter()
                    .filter(|token| token.is_word() && !token.is(&["port", "of"]));
                words.any(|token| own.contains(&stem(&token.text)))
            })
            .collect();
        match named.as_slice() {
            [only] if labels.len() == filter.values.len() => Some(*only),
            _ => None,
        }
    }

    /// Whether the words surely take away what is there.
    fn removing(&self) -> bool {
        self.all.iter().any(|token| {
            token.is(&[
                "remove",
                "drop",
                "delete",
                "clear",
                "reset",
                "undo",
                "unset",
                "forget",
                "lift",
                "nevermind",
                "mind",
                "care",
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

/// The words of what a condition compares with.
fn own_stems(filter: &Filter) -> Vec<String> {
    let values = filter.values.iter().filter_map(Value::as_str);
    values
        .chain(filter.label.as_deref())
        .flat_map(stems)
        .collect()
}

fn stems(text: &str) -> Vec<String> {
    tokens(text)
        .into_iter()
        .filter(Token::is_word)
        .map(|token| stem(&token.text))
        .collect()
}
