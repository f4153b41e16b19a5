//! The thing with the most of something: "which carrier has the most shipments", "the busiest
//! week".

use std::ops::Range;

use contracts::tools::meanings::TermRole;
use contracts::tools::search::{FieldType, MeasureOp};

use super::super::scan::{Scan, Use};
use super::super::words::interval;
use super::super::{GroupTerm, MeasureTerm, SortKey, SortTerm};

/// Verbs between a thing and the most of what it has.
const CARRIES: &[&str] = &[
    "has",
    "have",
    "had",
    "with",
    "carried",
    "carries",
    "handled",
    "handles",
    "got",
    "shipped",
    "receives",
    "receive",
    "received",
    "moved",
    "moves",
    "transported",
    "transports",
    "ships",
    "loaded",
    "delivered",
    "sent",
    "brought",
    "takes",
    "took",
];

/// Verbs among them that do not say that something is moved.
const HAS: &[&str] = &["has", "have", "had", "with", "got"];

impl Scan<'_> {
    /// "Which carrier has the most shipments", "vessels with the least delay".
    pub(super) fn most(&mut self) {
        let Some(at) = (0..self.tokens.len()).find(|at| {
            self.free(*at)
                && self.is(
                    *at,
                    &[
                        "most", "least", "fewest", "highest", "lowest", "longest", "greatest",
                        "largest", "biggest", "shortest", "smallest", "worst",
                    ],
                )
        }) else {
            return;
        };
        let group = self.group_before(at);
        let Some(group) = group else {
            return;
        };
        let head_is_group = self.head.clone().is_some_and(|head| head == group);
        // "Which port has the most terminals": both are records of one index, which do not count
        // one another.
        let places = |at: usize| {
            self.vocabulary
                .noun(&self.tokens, at)
                .map(|(_, places)| places)
        };
        let same = self.head.as_ref().is_some_and(|head| {
            let head = places(head.start).unwrap_or_default();
            let group = places(group.start).unwrap_or_default();
            group.iter().any(|place| head.contains(place))
        });
        if same && !head_is_group {
            return;
        }
        let descending = !self.is(at, &["least", "fewest", "lowest", "shortest", "smallest"]);
        let word = self.words(at..at + 1).to_lowercase();
        let operator = self.operator(at + 1);
        let from = operator.map_or(at + 1, |(_, end)| end);
        let from = self.behind_worst(at, from);
        // The records that are wanted are counted; the noun for them is read already.
        let counts = self
            .head
            .clone()
            .is_some_and(|head| head.start == self.before_head(from) && !head_is_group);
        // "The most coffee": of the records with that value.
        let valued = self.vocabulary.valued(&self.tokens, from).is_some();
        let ends = (from..self.tokens.len()).all(|at| !self.tokens[at].is_word());
        let counts = counts || (valued || ends) && !head_is_group;
        // "Which carrier is the worst?" says no figure.
        if ends && self.is(at, &["worst"]) && !head_is_group {
            return;
        }
        let Some(term) = (if counts {
            Some(from..from)
        } else {
            self.term_at(from).filter(|term| self.is_rankable(term))
        }) else {
            return;
        };
        if head_is_group {
            // "The shipment with the highest value": of the records themselves.
            let text = self.words(term.clone());
            self.term(text.clone(), TermRole::Sort, None, None);
            self.request.sort.push(SortTerm {
                by: SortKey::Term(text),
                descending,
            });
            self.limit_to_one_of(&group);
        } else {
            let group_words = self.group_words(group.clone());
            self.term(group_words.clone(), TermRole::GroupBy, None, None);
            self.request.group_by.push(GroupTerm {
                term: Some(group_words),
                interval: None,
            });
            if counts {
                self.request.measures.push(MeasureTerm {
                    op: MeasureOp::Count,
                    term: None,
                });
            } else {
                let op = match operator {
                    Some((op, _)) => op,
                    None => self.most_is(&word, &term, group.end..at),
                };
                self.add_measure(op, term.clone());
            }
            self.request.sort.push(SortTerm {
                by: SortKey::Measure(0),
                descending,
            });
            self.limit_to_one_of(&group);
        }
        self.keyword(&word);
        self.mark_verbs(group.end..at);
        self.mark(group, Use::Read);
        self.mark(at..term.end.max(at + 1), Use::Read);
    }

    /// "The fewest arrivals", "fewest departures by port", "the lowest number of shipments by
    /// carrier": the groups by their number of records. What happened at ports is counted by the
    /// port of the event.
    pub(super) fn most_records(&mut self) {
        const NUMBERS: &[&str] = &["highest", "greatest", "largest", "lowest", "smallest"];
        let Some(head) = self.head.clone().filter(|_| self.request.sort.is_empty()) else {
            return;
        };
        let counts = |at: &usize| {
            let numbered = self.is(*at, NUMBERS)
                && (self.is(at + 1, &["number", "count"]) || self.is(at + 2, &["number"]));
            let said = self.is(*at, &["most", "fewest", "least"]) || numbered;
            let bound = *at > 0 && self.is(at - 1, &["at"]);
            self.free(*at) && said && !bound && self.before_head(at + 1) == head.start
        };
        let Some(at) = (0..head.start).find(counts) else {
            return;
        };
        if self.request.group_by.is_empty() {
            let event = self.event_noun.clone();
            let Some(place) = event.and_then(|event| self.place_of_event(&event)) else {
                return;
            };
            self.term(place.clone(), TermRole::GroupBy, None, None);
            self.request.group_by.push(GroupTerm {
                term: Some(place),
                interval: None,
            });
            self.request.limit = self.request.limit.or(Some(1));
        }
        let descending = !self.is(at, &["fewest", "least", "lowest", "smallest"]);
        let counted = self.is(at + 1, &["number", "count"]);
        self.add_count();
        self.request.sort.push(SortTerm {
            by: SortKey::Count,
            descending,
        });
        let word = self.words(at..at + 1).to_lowercase();
        self.keyword(&word);
        self.mark(at..at + 1 + usize::from(counted), Use::Read);
    }

    /// The figure of "the most" of a quantity, by the word for it and the words before that.
    fn most_is(&self, word: &str, term: &Range<usize>, mut between: Range<usize>) -> MeasureOp {
        // "Moved the greatest tonnage": of all that it moved.
        let moves = between.any(|at| self.is(at, CARRIES) && !self.is(at, HAS));
        let op = if moves && ["greatest", "largest", "biggest"].contains(&word) {
            MeasureOp::Sum
        } else {
            of_extremes(word)
        };
        let named = self.vocabulary.named(&self.tokens, term.start);
        if named.is_some_and(|(_, fields)| !self.has_order(&fields)) {
            return MeasureOp::Distinct;
        }
        let apart = op == MeasureOp::Sum && !self.adds_up(&self.words(term.clone()));
        if self.on_average || apart {
            MeasureOp::Average
        } else {
            op
        }
    }

    /// The place of the quantity of "the worst in delay".
    fn behind_worst(&self, at: usize, from: usize) -> usize {
        if self.is(at, &["worst"]) {
            self.past(from, &["in", "by", "for", "at", "regarding", "of"])
        } else {
            from
        }
    }

    /// The verb between a thing and "the most" is of the question: "which port receives the most".
    fn mark_verbs(&mut self, between: Range<usize>) {
        for place in between {
            if self.free(place) && self.is(place, CARRIES) {
                self.mark(place..place + 1, Use::Read);
            }
        }
    }

    /// Whether "the most" of the words is a figure: of numbers, or of how many different there are.
    fn is_rankable(&self, term: &Range<usize>) -> bool {
        let named = self.vocabulary.named(&self.tokens, term.start);
        named.is_some_and(|(_, fields)| {
            let whole = |field: &usize| {
                let kind = self.vocabulary.field(*field).field_type;
                matches!(kind, FieldType::Keyword | FieldType::Text)
            };
            self.has_order(&fields) || fields.iter().any(whole)
        })
    }

    /// The group that has the most: the words before "has", "with", "carried".
    fn group_before(&self, at: usize) -> Option<Range<usize>> {
        (0..at).rev().take(6).find_map(|from| {
            let linked = self.is(from, CARRIES)
                || self.is(at, &["worst"]) && self.is(from, &["is", "are", "was", "were"]);
            linked.then(|| self.word_before(from))?
        })
    }

    /// The field or noun that ends before `at`.
    pub(in crate::language::request) fn word_before(&self, at: usize) -> Option<Range<usize>> {
        if let Some(head) = self.head.clone().filter(|head| head.end == at) {
            return Some(head);
        }
        (at.saturating_sub(3)..at)
            .find_map(|from| self.known_at(from).filter(|range| range.end == at))
    }

    /// "Which month had the most late arrivals?", "the busiest week".
    pub(super) fn interval_with_most(&mut self) {
        const MOST: &[&str] = &[
            "most", "busiest", "highest", "greatest", "largest", "longest",
        ];
        const FEWEST: &[&str] = &[
            "fewest", "least", "quietest", "lowest", "smallest", "shortest",
        ];
        let Some(at) = (0..self.tokens.len())
            .find(|at| self.free(*at) && (self.is(*at, MOST) || self.is(*at, FEWEST)))
        else {
            return;
        };
        let every = |scan: &Self, place: usize| {
            let word = scan.word(place).filter(|_| scan.free(place))?;
            interval(word).filter(|_| !word.ends_with("ly") && !word.ends_with('s'))
        };
        let behind = every(self, at + 1).map(|every| (at + 1, every));
        let asked = (0..at).find_map(|place| {
            let asks = self.is(place, &["which", "what"]);
            Some((place + 1, every(self, place + 1).filter(|_| asks)?))
        });
        let Some((place, every)) = behind.or(asked) else {
            return;
        };
        // "The most weight", "the highest average delay": of a figure.
        let begin = self.past(at + 1, &["the", "of"]);
        let operator = self.operator(begin).filter(|_| behind.is_none());
        let begin = operator.map_or(begin, |(_, end)| end);
        let term = self
            .known_at(begin)
            .filter(|term| behind.is_none() && self.is_number(term.start));
        let descending = self.is(at, MOST);
        self.group_by_time(Some(every));
        match term {
            Some(term) => {
                let words = self.words(term.clone());
                let op = match operator {
                    Some((op, _)) => op,
                    None if self.adds_up(&words) => MeasureOp::Sum,
                    None => MeasureOp::Average,
                };
                self.mark(at..term.start, Use::Read);
                self.add_measure(op, term);
            }
            None => self.add_count(),
        }
        self.request.sort.push(SortTerm {
            by: SortKey::Measure(0),
            descending,
        });
        if self.request.limit.is_none() {
            self.request.limit = Some(1);
        }
        let word = self.words(at..at + 1).to_lowercase();
        self.keyword(&word);
        self.mark(place..place + 1, Use::Read);
        self.mark(at..at + 1, Use::Read);
    }
}

/// The measure of groups when the highest or lowest is requested.
fn of_extremes(word: &str) -> MeasureOp {
    match word {
        "most" | "least" | "fewest" => MeasureOp::Sum,
        "worst" => MeasureOp::Average,
        "lowest" | "shortest" | "smallest" => MeasureOp::Minimum,
        _ => MeasureOp::Maximum,
    }
}
