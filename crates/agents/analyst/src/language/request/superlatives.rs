//! Superlatives of one word or two: "newest", "slowest", "least busy". Each says what it is about
//! and in which direction.

use std::ops::Range;

use contracts::tools::meanings::TermRole;
use contracts::tools::search::{FieldType, IndexDescription, MeasureOp};

use super::scan::{Scan, Use};
use super::vocabulary::Vocabulary;
use super::{GroupTerm, MeasureTerm, SortKey, SortTerm};
use crate::language::text::{Token, tokens};

/// The quantity of a superlative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// The first of these names that is a field.
    Quantity(&'static [&'static str]),
    /// The number of records.
    Records,
}

/// A superlative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Superlative {
    pub(super) about: About,
    /// The greatest comes first.
    pub(super) descending: bool,
    /// Number of words that it has.
    pub(super) words: usize,
}

const AGE: &[&str] = &[
    "built",
    "year built",
    "construction year",
    "launched",
    "founded",
];
const SIZE: &[&str] = &["size", "capacity", "volume", "area", "weight"];
const WEIGHT: &[&str] = &["weight", "mass"];
const WORTH: &[&str] = &["value", "price", "cost", "worth"];
const PACE: &[&str] = &[
    "delay",
    "delay hours",
    "duration",
    "travel time",
    "lead time",
];
const HEAT: &[&str] = &["temperature"];
const LENGTH: &[&str] = &["length", "duration", "distance"];
const DEPTH: &[&str] = &["depth", "draft", "draught"];

/// Words that may follow a superlative without a noun.
const LINKED: &[&str] = &[
    "in", "to", "from", "at", "on", "since", "between", "during", "of", "for",
];

/// The superlative that begins at a token.
pub(super) fn at(tokens: &[Token], at: usize) -> Option<Superlative> {
    let word = tokens.get(at).filter(|token| token.is_word())?;
    let of = |about, descending, words| {
        Some(Superlative {
            about,
            descending,
            words,
        })
    };
    let quantity = |quantity, descending| of(About::Quantity(quantity), descending, 1);
    match word.text.as_str() {
        "newest" | "youngest" => return quantity(AGE, true),
        "oldest" => return quantity(AGE, false),
        "biggest" | "largest" | "greatest" => return quantity(SIZE, true),
        "smallest" | "littlest" => return quantity(SIZE, false),
        "heaviest" => return quantity(WEIGHT, true),
        "lightest" => return quantity(WEIGHT, false),
        "costliest" | "priciest" | "dearest" => return quantity(WORTH, true),
        "cheapest" => return quantity(WORTH, false),
        "slowest" | "tardiest" => return quantity(PACE, true),
        "fastest" | "quickest" | "speediest" => return quantity(PACE, false),
        "warmest" | "hottest" => return quantity(HEAT, true),
        "coldest" | "coolest" => return quantity(HEAT, false),
        "longest" => return quantity(LENGTH, true),
        "shortest" => return quantity(LENGTH, false),
        "deepest" => return quantity(DEPTH, true),
        "shallowest" => return quantity(DEPTH, false),
        "busiest" | "commonest" => return of(About::Records, true, 1),
        "quietest" | "rarest" => return of(About::Records, false, 1),
        _ => {}
    }
    let most = match word.text.as_str() {
        "most" => true,
        "least" => false,
        _ => return None,
    };
    match tokens.get(at + 1)?.text.as_str() {
        "busy" | "frequented" | "active" | "used" | "popular" | "common" | "frequent" | "usual"
        | "typical" => of(About::Records, most, 2),
        "valuable" | "expensive" | "costly" => of(About::Quantity(WORTH), most, 2),
        "punctual" | "reliable" => of(About::Quantity(PACE), !most, 2),
        _ => None,
    }
}

/// What "how heavy", "how late" asks for.
pub(super) fn of_adjective(word: &str) -> Option<Superlative> {
    let quantity = match word {
        "late" | "delayed" | "slow" | "fast" | "punctual" => PACE,
        "heavy" | "light" => WEIGHT,
        "expensive" | "valuable" | "costly" | "cheap" => WORTH,
        "big" | "large" | "small" => SIZE,
        "warm" | "cold" | "hot" | "cool" => HEAT,
        "long" | "short" => LENGTH,
        "deep" | "shallow" => DEPTH,
        _ => return None,
    };
    Some(Superlative {
        about: About::Quantity(quantity),
        descending: true,
        words: 1,
    })
}

impl Superlative {
    /// The words of the quantity that the fields have.
    pub(super) fn quantity(&self, vocabulary: &Vocabulary<'_>) -> Option<&'static str> {
        let About::Quantity(all) = self.about else {
            return None;
        };
        all.iter().copied().find(|words| {
            let words = tokens(words);
            let named = vocabulary.named(&words, 0);
            named.is_some_and(|(end, fields)| {
                let ordered = |at: &usize| {
                    let kind = vocabulary.field(*at).field_type;
                    kind.is_number() || kind == FieldType::Date
                };
                end == words.len() && fields.iter().any(ordered)
            })
        })
    }

    /// Whether an index has what it is about: its quantity, or records of things that happen.
    pub(super) fn fits(&self, index: &IndexDescription) -> bool {
        match self.about {
            About::Records => index.date_field.is_some(),
            About::Quantity(_) => {
                let mut vocabulary = Vocabulary::empty();
                vocabulary.know(index);
                self.quantity(&vocabulary).is_some()
            }
        }
    }
}

impl Scan<'_> {
    /// "Newest vessel", "slowest carrier", "which port is the least busy".
    pub(super) fn superlatives(&mut self) {
        for place in 0..self.tokens.len() {
            let Some(found) = at(&self.tokens, place).or_else(|| self.most_delayed(place)) else {
                continue;
            };
            let end = place + found.words;
            // "At least", "at most": conditions. "The longest delay": the quantity is behind.
            let compares = place > 0 && self.is(place - 1, &["at"]);
            if !self.all_free(place..end) || compares || self.names_quantity(end) {
                continue;
            }
            let Some(noun) = self.noun_of(place, end) else {
                continue;
            };
            let quantity = found.quantity(&self.vocabulary);
            if found.about != About::Records && quantity.is_none() {
                continue;
            }
            let is_head = self.head.as_ref() == Some(&noun);
            if let Some(quantity) = quantity {
                self.say_what_ranks(place..end, quantity, is_head, found.descending);
            }
            match quantity {
                Some(quantity) if is_head => {
                    self.term(quantity.to_owned(), TermRole::Sort, None, None);
                    self.request.sort.push(SortTerm {
                        by: SortKey::Term(quantity.to_owned()),
                        descending: found.descending,
                    });
                }
                None if is_head => continue,
                quantity => self.ranked(&noun, quantity, found.descending),
            }
            let word = self.words(place..end).to_lowercase();
            self.keyword(&word);
            self.counted_before(place);
            self.limit_to_one_of(&noun);
            self.mark(place..end, Use::Read);
            self.mark(noun, Use::Read);
        }
    }

    /// "The most delayed carrier", "which port is the most delayed": by the mean delay. "The most
    /// delayed shipments" of a carrier are counted, and those of all are ordered.
    fn most_delayed(&self, at: usize) -> Option<Superlative> {
        let most = self.is(at, &["most"]);
        if !(most || self.is(at, &["least"])) || !self.is(at + 1, &["delayed", "late"]) {
            return None;
        }
        let behind = self.known_at(at + 2);
        let is_named = behind.is_some_and(|noun| self.head.as_ref() != Some(&noun));
        let before = self.past_back(at, &["the"]);
        let is_asked = before > 0
            && self.is(before - 1, &["is", "are", "was", "were"])
            && !self
                .tokens
                .get(at + 2)
                .is_some_and(|next| next.is_word() && !next.is(LINKED))
            && !self.is(at + 2, &["often"]);
        (is_named || is_asked).then_some(Superlative {
            about: About::Quantity(PACE),
            descending: most,
            words: 2,
        })
    }

    /// Remarks what a superlative goes by, where its word does not say it: "fastest" by the delay,
    /// "the heaviest vessel" by the weight of what it carried.
    fn say_what_ranks(
        &mut self,
        words: Range<usize>,
        quantity: &str,
        is_head: bool,
        descending: bool,
    ) {
        const UNCLEAR: &[&str] = &[
            "biggest",
            "largest",
            "greatest",
            "smallest",
            "littlest",
            "fastest",
            "quickest",
            "speediest",
            "slowest",
            "longest",
            "shortest",
        ];
        let said = self.words(words).to_lowercase();
        if is_head && !UNCLEAR.contains(&said.as_str()) {
            return;
        }
        let by = if is_head {
            quantity.to_owned()
        } else if self.adds_up(quantity) && !self.on_average {
            format!("total {quantity} of its records")
        } else {
            format!("average {quantity} of its records")
        };
        let end = if descending { "highest" } else { "lowest" };
        self.request.remarks.push(format!(
            "\u{201c}{}\u{201d} is taken as the {end} {by}.",
            crate::words::capital(&said)
        ));
    }

    /// Groups by a noun, ranked by a quantity, or by how many records each has.
    pub(super) fn ranked(&mut self, noun: &Range<usize>, quantity: Option<&str>, descending: bool) {
        let words = self.words(noun.clone());
        self.term(words.clone(), TermRole::GroupBy, None, None);
        self.request.group_by.push(GroupTerm {
            term: Some(words),
            interval: None,
        });
        let measure = match quantity {
            Some(quantity) => {
                self.term(quantity.to_owned(), TermRole::Measure, None, None);
                let op = if self.adds_up(quantity) && !self.on_average {
                    MeasureOp::Sum
                } else {
                    MeasureOp::Average
                };
                MeasureTerm {
                    op,
                    term: Some(quantity.to_owned()),
                }
            }
            None => MeasureTerm {
                op: MeasureOp::Count,
                term: None,
            },
        };
        self.request.measures.push(measure);
        self.request.sort.push(SortTerm {
            by: SortKey::Measure(0),
            descending,
        });
    }

    /// Whether the values of a quantity mean something together: kilograms do, hours of delay and
    /// degrees do not.
    pub(super) fn adds_up(&self, words: &str) -> bool {
        const APART: [&str; 12] = [
            "h", "hour", "hours", "min", "minutes", "d", "days", "°c", "c", "%", "pct", "percent",
        ];
        let words = tokens(words);
        let known = (0..words.len()).find_map(|at| self.vocabulary.named(&words, at));
        let fields = known.map(|(_, fields)| fields).unwrap_or_default();
        !fields.iter().any(|field| {
            let unit = self.vocabulary.field(*field).unit.as_deref();
            unit.is_some_and(|unit| APART.contains(&unit.to_lowercase().as_str()))
        })
    }

    /// Whether a number or a date is named at a place: then the superlative is of that.
    pub(super) fn names_quantity(&self, at: usize) -> bool {
        if self.head.as_ref().is_some_and(|head| head.start == at) {
            return false;
        }
        let named = self.vocabulary.named(&self.tokens, at);
        named.is_some_and(|(_, fields)| {
            let ordered = |field: &usize| {
                let kind = self.vocabulary.field(*field).field_type;
                kind.is_number() || kind == FieldType::Date
            };
            fields.iter().any(ordered) && self.vocabulary.noun(&self.tokens, at).is_none()
        })
    }

    /// The noun of the superlative: behind it, or before "is the".
    fn noun_of(&self, at: usize, end: usize) -> Option<Range<usize>> {
        let behind = self.before_head(end);
        if let Some(head) = self.head.clone().filter(|head| head.start == behind) {
            return Some(head);
        }
        if let Some(noun) = self.known_at(end) {
            return Some(noun);
        }
        let mut before = at;
        while before > 0
            && (self.is(before - 1, &["is", "are", "was", "were", "the", "our", "a"])
                || self.on_average && self.is(before - 1, &["on", "average"]))
        {
            before -= 1;
        }
        if before == at {
            return None;
        }
        self.word_before(before)
    }

    /// The place behind words for values of what follows, and behind "the", "number", "of": "the
    /// late" of "the late shipments".
    pub(super) fn before_head(&self, at: usize) -> usize {
        let mut place = self.past(at, &["the", "number", "of", "count"]);
        while self.free(place) {
            let value = self.vocabulary.valued(&self.tokens, place);
            let yes = self.vocabulary.affirmed(&self.tokens, place);
            let end = value.map(|(end, _)| end).max(yes.map(|(end, _)| end));
            match end.filter(|_| self.head.as_ref().is_none_or(|head| head.start != place)) {
                Some(end) => place = end,
                None => break,
            }
        }
        place
    }
}
