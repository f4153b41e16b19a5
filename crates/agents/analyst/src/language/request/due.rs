//! Planned events that have not happened: "due", "overdue", "not yet arrived". The record has a
//! planned date and no actual one.

use chrono::{Days, NaiveDate};
use contracts::tools::meanings::TermRole;
use contracts::tools::search::{FieldDescription, FieldType, FilterOp, IndexDescription};
use serde_json::Value;

use super::scan::{Scan, Use};
use super::{SortKey, SortTerm, nouns};
use crate::language::dates::OPEN_START;
use crate::language::text::{number_word, stem};

/// Words of a date that is planned.
const PLANNED: &[&str] = &["planned", "scheduled", "expected", "estimated", "due"];
/// Words of a date that happened.
const ACTUAL: &[&str] = &["actual", "real"];
/// Values of what will not happen any more.
const CALLED_OFF: &[&str] = &["cancelled", "canceled", "void", "withdrawn"];

/// Verbs and words of what is to come.
const TO_COME: &[&str] = &[
    "will", "shall", "must", "should", "going", "expected", "supposed", "upcoming", "incoming",
];

/// Verbs in the present: what they say is still to come where the days are.
const PRESENT: &[&str] = &[
    "arrive",
    "arrives",
    "arriving",
    "depart",
    "departs",
    "departing",
    "leave",
    "leaves",
    "leaving",
];

/// Whether an index has the plan of its usual date beside it.
pub(super) fn has_plan(index: &IndexDescription) -> bool {
    let Some(usual) = &index.date_field else {
        return false;
    };
    let rest = without(usual, ACTUAL).unwrap_or_else(|| usual.clone());
    index.fields.iter().any(|field| {
        field.field_type == FieldType::Date && without(&field.name, PLANNED).as_ref() == Some(&rest)
    })
}

/// The planned and the actual date of one event, by the names of their fields.
pub(super) struct Event {
    planned: String,
    pub(super) actual: String,
}

impl Event {
    /// The field with the date that was planned.
    pub(super) fn planned(&self) -> &str {
        &self.planned
    }
}

impl Scan<'_> {
    /// Conditions of what is due, overdue, or has not happened yet.
    pub(super) fn due(&mut self, today: NaiveDate) {
        for at in 0..self.tokens.len() {
            if !self.free(at) {
                continue;
            }
            if self.is(at, &["overdue"]) || self.late_now(at) {
                let Some(event) = self.event(None) else {
                    continue;
                };
                self.open(&event);
                let (since, op, words) = self.overdue_by(at, today);
                let day = Value::from(since.to_string());
                let planned = spoken(&event.planned);
                self.term(planned.clone(), TermRole::Filter, Some(op), Some(day));
                if op == FilterOp::Gte {
                    let day = Value::from(today.to_string());
                    self.term(planned, TermRole::Filter, Some(FilterOp::Lt), Some(day));
                }
                self.mark(words, Use::Read);
                self.planned_time();
            } else if self.is(at, &["due"]) && !self.is(at + 1, &["date", "dates"]) {
                // "Due to depart tomorrow".
                let verb = self.past(at + 1, &["to", "for"]);
                let end = if self.is_happening(verb) {
                    verb + 1
                } else {
                    at + 1
                };
                let verb = self.word(verb).filter(|_| end > at + 1).map(str::to_owned);
                let Some(event) = self.event(verb.as_deref()) else {
                    continue;
                };
                self.open(&event);
                self.mark_free(at, end);
                if verb.is_none() {
                    self.due_time(&event);
                } else {
                    self.planned_time();
                }
            } else if !self.still_to_come(at)
                && !self.comes_next(at, today)
                && !self.came_last(at)
                && !self.made_first(at)
            {
                self.not_yet(at);
            }
        }
        self.past_plan();
        self.ahead(today);
    }

    /// Days are those of the plan where the words say what was to happen ("what should have arrived
    /// yesterday?"), and of what was called off, which has no other date.
    fn past_plan(&mut self) {
        const WAS_TO: &[&str] = &["should", "supposed", "meant", "ought"];
        if self.request.time_range.is_none() {
            return;
        }
        let said = self.request.time_words.clone().unwrap_or_default();
        let words = crate::language::text::tokens(&said);
        if words.iter().any(|word| word.is(ACTUAL) || word.is(PLANNED)) {
            return;
        }
        let was_to = (0..self.tokens.len()).find_map(|at| {
            let to = self.is(at, &["was", "were"])
                && self.is(at + 1, &["to"])
                && self.is_happening(at + 2);
            let end = self.past(at + 1, &["to", "have", "be", "been"]);
            (to || self.is(at, WAS_TO)).then_some((at, end))
        });
        let called_off = (0..self.tokens.len()).any(|at| {
            self.is(at, CALLED_OFF)
                && self.vocabulary.valued(&self.tokens, at).is_some()
                && self.negation(at).is_none()
        });
        let verb = words
            .iter()
            .find(|word| self.vocabulary.is_event(&word.text) && !word.is(CALLED_OFF));
        if was_to.is_none() && (!called_off || verb.is_some()) {
            return;
        }
        let event = verb
            .and_then(|verb| self.event(Some(&verb.text)))
            .or_else(|| self.event(None));
        if event.is_none() {
            return;
        }
        self.planned_time();
        if let Some((from, to)) = was_to {
            self.mark_free(from, to);
        }
    }

    /// "Late now", "currently delayed": late, and not there yet.
    fn late_now(&self, at: usize) -> bool {
        const NOW: &[&str] = &["now", "currently", "presently"];
        let behind = self.past(at + 1, &["right"]);
        self.is(at, &["late", "delayed"])
            && (self.is(behind, NOW)
                || at > 0 && self.is(at - 1, NOW)
                || self.is(at + 1, &["at"])
                    && self.is(at + 2, &["the"])
                    && self.is(at + 3, &["moment"]))
    }

    /// "More than 2 days overdue", "overdue by more than a week": the day since when, how it is
    /// compared, and the words.
    fn overdue_by(
        &self,
        at: usize,
        today: NaiveDate,
    ) -> (NaiveDate, FilterOp, std::ops::Range<usize>) {
        const MORE: &[&str] = &["more", "over", "longer", "least"];
        const LESS: &[&str] = &["less", "under", "fewer"];
        const BETWEEN: &[&str] = &[
            "than", "at", "by", "for", "since", "more", "over", "longer", "least", "less", "under",
            "fewer",
        ];
        let plain = (today, FilterOp::Lt, at..at + 1);
        let days = |number: usize| -> Option<u64> {
            let count = self.tokens.get(number)?;
            let one = count.is(&["a"]).then_some(1);
            let count = count.number().or_else(|| number_word(&count.text));
            let count = u64::from(count.or(one)?);
            match self.word(number + 1)? {
                "day" | "days" => Some(count),
                "week" | "weeks" => Some(count * 7),
                _ => None,
            }
        };
        let (from, to, count) = if let Some(count) = at.checked_sub(2).and_then(days) {
            let mut from = at - 2;
            while from > 0 && self.is(from - 1, BETWEEN) {
                from -= 1;
            }
            (from, at + 1, count)
        } else {
            let number = self.past(at + 1, BETWEEN);
            match days(number) {
                Some(count) => (at, number + 2, count),
                None => return plain,
            }
        };
        let has = |words: &[&str]| (from..to).any(|at| self.is(at, words));
        let Some(since) = today.checked_sub_days(Days::new(count)) else {
            return plain;
        };
        if has(LESS) {
            (since, FilterOp::Gte, from..to)
        } else if has(MORE) && !has(&["least"]) {
            (since, FilterOp::Lt, from..to)
        } else {
            (since, FilterOp::Lte, from..to)
        }
    }

    /// "Upcoming arrivals", "expected shipments", where no day is named.
    fn still_to_come(&mut self, at: usize) -> bool {
        let said = self.is(at, &["upcoming", "incoming", "outstanding", "expected"]);
        let head = self.head.as_ref().is_some_and(|head| head.start == at + 1);
        if !said || self.request.time_range.is_some() || !(head || self.is_happening(at + 1)) {
            return false;
        }
        let verb = self.word(at + 1).filter(|_| !head).map(str::to_owned);
        let Some(event) = self.event(verb.as_deref()) else {
            return false;
        };
        self.open(&event);
        self.mark_free(at, at + 1 + usize::from(!head));
        true
    }

    /// "Which shipment arrives next?", "the next 5 arrivals", "the next shipment to Hamburg": the
    /// first of what is planned from today on and has not happened.
    fn comes_next(&mut self, at: usize, today: NaiveDate) -> bool {
        if !self.is(at, &["next"]) || self.request.time_range.is_some() {
            return false;
        }
        let count = self.count_at(at + 1);
        let noun = at + 1 + usize::from(count.is_some());
        let head = self.head.clone();
        let of_head = head.as_ref().is_some_and(|head| head.start == noun);
        let happens = |scan: &Self, at: usize| scan.is_happening(at) && scan.free(at);
        let before = at.checked_sub(1).filter(|at| happens(self, *at));
        // "Due next": of the usual plan.
        let is_due = at > 0 && self.is(at - 1, &["due"]);
        let behind = Some(noun).filter(|noun| happens(self, *noun) && !of_head);
        let to_happen = head.as_ref().filter(|_| of_head).and_then(|head| {
            let verb = self.past(head.end, &["to", "that", "will", "is", "due"]);
            Some(verb).filter(|verb| *verb > head.end && happens(self, *verb))
        });
        let verb = before.or(behind).or(to_happen);
        if verb.is_none() && !of_head && !is_due {
            return false;
        }
        let said = verb.and_then(|verb| self.word(verb)).map(str::to_owned);
        let Some(event) = self.event(said.as_deref()) else {
            return false;
        };
        self.open(&event);
        let planned = spoken(&event.planned);
        let day = Value::from(today.to_string());
        self.term(
            planned.clone(),
            TermRole::Filter,
            Some(FilterOp::Gte),
            Some(day),
        );
        self.term(planned.clone(), TermRole::Sort, None, None);
        self.request.sort.push(SortTerm {
            by: SortKey::Term(planned),
            descending: false,
        });
        let many = match (behind, &head) {
            (Some(noun), _) => nouns::is_plural(&self.tokens[noun..=noun]),
            (None, Some(head)) => nouns::is_plural(&self.tokens[head.clone()]),
            (None, None) => false,
        };
        let one = if many { None } else { Some(1) };
        self.request.limit = self.request.limit.or(count).or(one);
        self.mark_free(at, noun);
        if let Some(verb) = verb {
            let to = self.past(head.map_or(verb, |head| head.end), &["to"]);
            self.mark_free(verb.min(to), verb + 1);
        }
        true
    }

    /// "Which vessel was built first?": by the field that the participle names.
    fn made_first(&mut self, at: usize) -> bool {
        const MADE: &[&str] = &[
            "built",
            "made",
            "founded",
            "launched",
            "bought",
            "purchased",
        ];
        let last = self.is(at, &["last"]);
        let verb = at.checked_sub(1).filter(|verb| {
            let made = self.is(*verb, MADE) && self.free(*verb);
            made && (last || self.is(at, &["first"])) && self.request.sort.is_empty()
        });
        let Some(verb) = verb else { return false };
        let named = self.vocabulary.named(&self.tokens, verb);
        if named.is_none_or(|(end, fields)| end != at || !self.has_order(&fields)) {
            return false;
        }
        let words = self.words(verb..at);
        self.term(words.clone(), TermRole::Sort, None, None);
        self.request.sort.push(SortTerm {
            by: SortKey::Term(words),
            descending: last,
        });
        if let Some(head) = self.head.clone() {
            self.limit_to_one_of(&head);
        }
        self.mark(verb..at + 1, Use::Read);
        true
    }

    /// "Which shipment arrived last?", "the shipment that arrived first in Hamburg".
    fn came_last(&mut self, at: usize) -> bool {
        let last = self.is(at, &["last", "latest"]);
        let verb = at.checked_sub(1).filter(|verb| {
            let past = self
                .word(*verb)
                .is_some_and(|word| word.ends_with("ed") || word == "left");
            past && self.is_happening(*verb) && (self.free(*verb) || self.uses[*verb] == Use::Time)
        });
        let Some(verb) = verb.filter(|_| last || self.is(at, &["first", "earliest"])) else {
            return false;
        };
        let said = self.word(verb).unwrap_or_default().to_owned();
        let Some(event) = self
            .event(Some(&said))
            .filter(|_| self.request.sort.is_empty())
        else {
            return false;
        };
        let actual = spoken(&event.actual);
        self.term(
            actual.clone(),
            TermRole::Filter,
            Some(FilterOp::Exists),
            None,
        );
        self.term(actual.clone(), TermRole::Sort, None, None);
        self.request.sort.push(SortTerm {
            by: SortKey::Term(actual),
            descending: last,
        });
        let head = self.head.clone();
        let many = head.is_some_and(|head| nouns::is_plural(&self.tokens[head]));
        if !many {
            self.request.limit = self.request.limit.or(Some(1));
        }
        self.mark(verb..at + 1, Use::Read);
        true
    }

    /// Days that are still to come are those of the plan, of what has not happened: "what arrives
    /// tomorrow", "shipments to Hamburg next week".
    fn ahead(&mut self, today: NaiveDate) {
        let Some(range) = &self.request.time_range else {
            return;
        };
        let opened = self
            .request
            .terms
            .iter()
            .any(|term| term.op == Some(FilterOp::Missing));
        let to_come = (0..self.tokens.len()).any(|at| self.is(at, TO_COME));
        let whole = range.start >= today && range.end > today;
        let partly = range.start != OPEN_START && range.end >= today && to_come;
        let is_present = (0..self.tokens.len()).any(|at| self.is(at, PRESENT));
        let until = range.start == OPEN_START && range.end >= today && (to_come || is_present);
        if opened || !(whole || partly || until) {
            return;
        }
        let said = self.request.time_words.clone().unwrap_or_default();
        let words = crate::language::text::tokens(&said);
        // "Planned to arrive", "actual arrival": the date is named.
        let named = words
            .iter()
            .any(|word| word.is(ACTUAL) || word.is(PLANNED) && !word.is(&["expected", "due"]));
        let verb = words
            .iter()
            .find(|word| self.vocabulary.is_event(&word.text));
        let event = verb
            .and_then(|verb| self.event(Some(&verb.text)))
            .or_else(|| self.event(None));
        let Some(event) = event.filter(|_| !named) else {
            return;
        };
        self.open(&event);
        self.planned_time();
        for at in 0..self.tokens.len() {
            if self.free(at) && self.is(at, TO_COME) {
                self.mark(at..at + 1, Use::Read);
            }
        }
    }

    /// "Have not arrived yet", "yet to arrive"; "have arrived".
    fn not_yet(&mut self, at: usize) {
        const NO: &[&str] = &[
            "not", "haven't", "hasn't", "hadn't", "didn't", "never", "haven", "hasn", "hadn",
            "didn",
        ];
        let yet_to = self.is(at, &["yet", "still"]) && self.is(at + 1, &["to"]);
        // "Do not sail to Hamburg" is of no single departure.
        let never =
            at > 0 && self.is(at - 1, &["do", "does"]) || self.is(at, &["don't", "doesn't"]);
        let no = self.is(at, NO) && !never;
        // "That left Shanghai": it has a departure.
        let has = self.is(at, &["have", "has"])
            || self.is(at, &["that"])
                && self.is(at + 1, &["left", "departed", "sailed", "arrived", "landed"])
                && self.head.as_ref().is_none_or(|head| head.end <= at);
        // "Due this week" has the days, and "have not left yet" none.
        let due = (0..self.tokens.len()).any(|at| self.is(at, &["due"]));
        let dated = self.request.time_range.is_some() && !(due && (yet_to || no));
        if !(yet_to || no || has) || dated {
            return;
        }
        let verb = self.past(
            at + 1,
            &[
                "to", "yet", "so", "far", "been", "have", "has", "already", "'", "t", "\u{2019}",
            ],
        );
        let is_value = self.vocabulary.valued(&self.tokens, verb).is_some();
        if !self.free(verb) || !self.is_happening(verb) {
            return;
        }
        let said = self.word(verb).unwrap_or_default().to_owned();
        let Some(event) = self.event(Some(&said)) else {
            return;
        };
        // "Not delivered" may be a value of its own, and no date has the word.
        if is_value
            && !event
                .actual
                .split('_')
                .any(|word| stem(word) == stem_of_event(&said))
        {
            return;
        }
        if has {
            let actual = spoken(&event.actual);
            self.term(actual, TermRole::Filter, Some(FilterOp::Exists), None);
        } else {
            self.open(&event);
        }
        self.mark(at..verb + 1, Use::Read);
        if self.is(verb + 1, &["yet"]) {
            self.mark(verb + 1..verb + 2, Use::Read);
        }
    }

    /// Whether a word is of what happens to records: `arrive`, `departed`.
    fn is_happening(&self, at: usize) -> bool {
        self.word(at)
            .is_some_and(|word| self.vocabulary.is_event(word))
    }

    fn mark_free(&mut self, from: usize, to: usize) {
        for at in from..to {
            if self.free(at) {
                self.mark(at..at + 1, Use::Read);
            }
        }
    }

    /// It has not happened, and was not called off.
    fn open(&mut self, event: &Event) {
        let actual = spoken(&event.actual);
        self.term(actual, TermRole::Filter, Some(FilterOp::Missing), None);
        let fields = self.vocabulary.fields();
        let values = fields.iter().flat_map(|field| &field.values);
        let off = values
            .into_iter()
            .find(|value| CALLED_OFF.contains(&value.to_lowercase().as_str()))
            .cloned();
        // "Overdue cancelled shipments" are asked for as they are.
        let asked = off.as_ref().is_some_and(|off| {
            self.tokens
                .iter()
                .any(|token| token.text == off.to_lowercase())
        });
        if let Some(off) = off.filter(|_| !asked) {
            self.term(off, TermRole::Filter, Some(FilterOp::IsNot), None);
        }
    }

    /// The days of the request are those of the plan.
    fn planned_time(&mut self) {
        if let Some(range) = &self.request.time_range {
            let words = range.kind.clone().unwrap_or_default();
            let said = self.request.time_words.take().unwrap_or(words);
            self.request.time_words = Some(format!("planned {said}"));
        }
    }

    /// The days of the request are those on which it is due.
    fn due_time(&mut self, event: &Event) {
        let said = self.request.time_words.clone();
        if let (Some(said), Some(range)) = (said, &self.request.time_range)
            && range.kind.as_ref() == Some(&said)
        {
            self.request.time_words = Some(format!("{} {said}", spoken(&event.planned)));
            return;
        }
        self.planned_time();
    }

    /// The event of a verb, or the usual one.
    pub(super) fn event(&self, verb: Option<&str>) -> Option<Event> {
        let dates: Vec<&FieldDescription> = self
            .vocabulary
            .fields()
            .iter()
            .copied()
            .filter(|field| field.field_type == FieldType::Date)
            .collect();
        let usual = self.usual_date();
        let mut events = dates.iter().filter_map(|planned| {
            let rest = without(&planned.name, PLANNED)?;
            let actual = dates.iter().find(|other| {
                without(&other.name, ACTUAL).as_ref() == Some(&rest) || other.name == rest
            })?;
            Some((planned, actual))
        });
        let fits = |planned: &FieldDescription, actual: &FieldDescription| match verb {
            Some(verb) => {
                let stem = stem_of_event(verb);
                let words = actual.name.split('_').chain(planned.name.split('_'));
                let synonyms = actual.synonyms.iter().flat_map(|words| words.split(' '));
                words
                    .chain(synonyms)
                    .any(|word| crate::language::text::stem(word) == stem)
            }
            None => usual
                .as_ref()
                .is_none_or(|usual| *usual == actual.name || *usual == planned.name),
        };
        let found = events.find(|(planned, actual)| fits(planned, actual));
        let Some((planned, actual)) = found else {
            return verb.is_none().then(|| Self::obligation(&dates))?;
        };
        Some(Event {
            planned: planned.name.clone(),
            actual: actual.name.clone(),
        })
    }

    /// A date on which something is due, and the one on which it was done: `due_on` and
    /// `returned_on`.
    fn obligation(dates: &[&FieldDescription]) -> Option<Event> {
        const DUE: &[&str] = &["due", "deadline"];
        const DONE: &[&str] = &[
            "returned",
            "paid",
            "completed",
            "done",
            "closed",
            "finished",
            "settled",
            "delivered",
            "received",
            "resolved",
            "submitted",
        ];
        let called = |words: &'static [&'static str]| {
            let has = move |field: &&&FieldDescription| {
                let mut parts = field.name.split(['_', '.']);
                parts.any(|part| words.contains(&part.to_lowercase().as_str()))
            };
            let mut found = dates.iter().filter(has);
            let first = found.next()?;
            found.next().is_none().then(|| first.name.clone())
        };
        Some(Event {
            planned: called(DUE)?,
            actual: called(DONE)?,
        })
    }
}

/// The stem of what a verb is about, where it is another word: `left` is a departure.
fn stem_of_event(verb: &str) -> String {
    match verb {
        "left" | "leave" | "leaves" | "sailed" | "sail" => stem("departure"),
        verb => stem(verb),
    }
}

/// A name without one of these words; `None` without any.
fn without(name: &str, words: &[&str]) -> Option<String> {
    let parts: Vec<&str> = name.split('_').collect();
    let rest: Vec<&str> = parts
        .iter()
        .copied()
        .filter(|part| !words.contains(&part.to_lowercase().as_str()))
        .collect();
    (rest.len() < parts.len() && !rest.is_empty()).then(|| rest.join("_"))
}

pub(super) fn spoken(name: &str) -> String {
    name.replace('_', " ")
}
