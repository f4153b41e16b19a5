//! Measures, groups, orders and limits of a request.

mod groups;
mod limits;
mod most;
mod orders;

use std::ops::Range;

use contracts::tools::meanings::TermRole;
use contracts::tools::search::{FieldType, MeasureOp};

use super::MeasureTerm;
use super::scan::{Scan, Use};
use crate::language::text::tokens;

/// Forms of the verb of a weight.
pub(super) const WEIGH: &[&str] = &["weigh", "weighs", "weighed"];
/// Words between a verb and an amount that it is compared with.
const AMOUNTS: &[&str] = &[
    "between", "from", "more", "less", "over", "under", "above", "below", "at", "exactly", "up",
    "no", "not", ">", "<", "=", "\u{2265}", "\u{2264}",
];

impl Scan<'_> {
    /// Measures, groups, orders and limits.
    pub(super) fn measures_and_orders(&mut self) {
        self.interval_with_most();
        self.extreme_by();
        self.superlatives();
        self.most();
        self.top();
        self.newest();
        for at in 0..self.tokens.len() {
            if self.free(at) {
                let _ = self.sorted_by(at)
                    || self.grouped_by(at)
                    || self.measure(at)
                    || self.extreme(at);
            }
        }
        self.averaged();
        self.top_of_figures();
        self.worst_first();
        self.most_records();
        self.number_of_groups();
        self.place_of_an_end();
        let counts = |measure: &MeasureTerm| measure.term.is_none();
        if self.on_average
            && !self.request.measures.is_empty()
            && self.request.measures.iter().all(counts)
        {
            self.request.remarks.push(
                "I did not use \u{201c}on average\u{201d}: records are counted, and no mean of these numbers is computed."
                    .to_owned(),
            );
        }
        // "Average delay", of everything; "per carrier" alone counts.
        if self.request.measures.is_empty() && !self.request.group_by.is_empty() {
            self.request.measures.push(MeasureTerm {
                op: MeasureOp::Count,
                term: None,
            });
        }
    }

    /// The measure that the words at `at` name, and the place behind them.
    fn operator(&self, at: usize) -> Option<(MeasureOp, usize)> {
        let at = self.past(at, &["the"]);
        let op = match self.word(at)? {
            "average" | "mean" | "avg" | "averaged" => MeasureOp::Average,
            "total" | "sum" | "overall" | "combined" | "cumulative" => MeasureOp::Sum,
            "maximum" | "max" | "maximal" => MeasureOp::Maximum,
            "minimum" | "min" | "minimal" => MeasureOp::Minimum,
            _ => return None,
        };
        // "Maximum of 5": a condition.
        let end = at + 1 + usize::from(self.is(at + 1, &["of"]));
        let number = self
            .tokens
            .get(end)
            .is_some_and(|token| token.number().is_some());
        (!number).then_some((op, end))
    }

    /// "How many shipments", "number of vessels", "average delay", "how many different carriers".
    fn measure(&mut self, at: usize) -> bool {
        let counts = if self.is(at, &["how"]) && self.is(at + 1, &["many"]) {
            Some(at + 2)
        } else if self.is(at, &["number", "count", "counts", "amount"]) {
            Some(at + 1)
        } else if self.is(at, &["total"]) && self.is(at + 1, &["number", "count"]) {
            Some(at + 2)
        } else {
            None
        };
        if let Some(end) = counts {
            return self.count(at, end);
        }
        let much = self.is(at, &["how"]) && self.is(at + 1, &["much"]);
        // "How much shipments": how many, in the words of another language.
        if much
            && self
                .head
                .clone()
                .is_some_and(|head| head.start == self.before_head(at + 2))
        {
            return self.count(at, at + 2);
        }
        // "How much coffee": of the records with that value.
        let value = self.past(at + 2, &["of", "the"]);
        let valued = self.vocabulary.valued(&self.tokens, value).is_some();
        if much
            && !valued
            && let Some(term) = self.term_at(at + 2)
        {
            self.keyword("how much");
            self.mark(at..at + 2, Use::Read);
            self.add_measure(MeasureOp::Sum, term);
            return true;
        }
        if self.weighs(at) {
            return true;
        }
        let Some((op, end)) = self.operator(at) else {
            return false;
        };
        let word = self.words(at..at + 1).to_lowercase();
        let place = self.past(end, &["the", "number", "of"]);
        // "Total shipments": how many.
        if op == MeasureOp::Sum && self.head.clone().is_some_and(|head| head.start == place) {
            self.keyword(&word);
            self.add_count();
            self.mark(at..place, Use::Read);
            return true;
        }
        if self.joined_operator(at, op, end) {
            return true;
        }
        let Some(term) = self.term_at(end) else {
            return false;
        };
        self.keyword(&word);
        self.mark(at..end, Use::Read);
        self.add_measure(op, term);
        true
    }

    /// "What do they weigh?": the verb of a field.
    fn weighs(&mut self, at: usize) -> bool {
        const WEIGHT: &str = "weight";
        // "That weigh between 10 and 20 t": a condition.
        let amount = self.past(at + 1, &["the", "of", "about", "only"]);
        if !self.is(at, WEIGH) || self.is(amount, AMOUNTS) || self.is_amount(amount) {
            return false;
        }
        let said = tokens(WEIGHT);
        if self.vocabulary.named(&said, 0).is_none() {
            return false;
        }
        self.keyword("weigh");
        self.term(WEIGHT.to_owned(), TermRole::Measure, None, None);
        self.request.measures.push(MeasureTerm {
            op: MeasureOp::Sum,
            term: Some(WEIGHT.to_owned()),
        });
        self.mark(at..at + 1, Use::Read);
        true
    }

    /// "Minimum and maximum weight": the first of two figures of one field.
    fn joined_operator(&mut self, at: usize, op: MeasureOp, end: usize) -> bool {
        let joined = self.past(end, &["and", "or", ",", "/", "&"]);
        let Some((_, behind)) = self.operator(joined).filter(|_| joined > end) else {
            return false;
        };
        let Some(term) = self.term_at(behind) else {
            return false;
        };
        let word = self.words(at..at + 1).to_lowercase();
        self.keyword(&word);
        let text = self.field_words(term);
        self.term(text.clone(), TermRole::Measure, None, None);
        let term = Some(text);
        self.request.measures.push(MeasureTerm { op, term });
        self.mark(at..joined, Use::Read);
        true
    }

    fn count(&mut self, at: usize, end: usize) -> bool {
        let begin = self.past(end, &["of", "the"]);
        let phrase = self.words(at..end).to_lowercase();
        let different = self.is(begin, &["different", "distinct", "unique"]);
        if self
            .head
            .clone()
            .is_some_and(|head| head.start == self.before_head(begin))
        {
            self.keyword(&phrase);
            self.add_count();
            self.mark(at..begin, Use::Read);
            return true;
        }
        let place = begin + usize::from(different);
        let is_head = self.head.clone().is_some_and(|head| head.start == place);
        // "How many late to Hamburg", "how many arrived": records that are so.
        if !is_head && let Some(term) = self.known_at(place).filter(|_| self.is_countable(place)) {
            // "How many carriers": different ones, unless it is a number itself.
            let is_number = self.is_number(place);
            self.keyword(&phrase);
            self.mark(at..place, Use::Read);
            self.add_measure(
                if is_number {
                    MeasureOp::Sum
                } else {
                    MeasureOp::Distinct
                },
                term,
            );
            return true;
        }
        // "How many tons went to Hamburg".
        let unit = self.word(place).and_then(|word| self.field_with_unit(word));
        if let Some(field) = unit.filter(|field| !is_head && self.adds_up(field)) {
            self.keyword(&phrase);
            self.term(field.clone(), TermRole::Measure, None, None);
            self.request.measures.push(MeasureTerm {
                op: MeasureOp::Sum,
                term: Some(field),
            });
            self.mark(at..place + 1, Use::Read);
            return true;
        }
        // "Count" alone counts too, but "container count" is a field.
        if !is_head && self.is(at, &["number", "amount"]) && begin == end {
            return false;
        }
        self.keyword(&phrase);
        self.add_count();
        self.mark(at..place, Use::Read);
        true
    }

    /// Whether the words at a place are things of which there may be several different ones: no
    /// state of records, no date.
    fn is_countable(&self, place: usize) -> bool {
        let state = self.vocabulary.valued(&self.tokens, place).is_some()
            || self.vocabulary.affirmed(&self.tokens, place).is_some();
        let named = self.vocabulary.named(&self.tokens, place);
        let counted = named.is_none_or(|(_, fields)| {
            fields.iter().any(|field| {
                let kind = self.vocabulary.field(*field).field_type;
                kind.is_number() || matches!(kind, FieldType::Keyword | FieldType::Text)
            })
        });
        !state && counted
    }

    /// Whether the words at a place are a number field.
    fn is_number(&self, place: usize) -> bool {
        let named = self.vocabulary.named(&self.tokens, place);
        named.is_some_and(|(_, fields)| {
            let mut fields = fields.iter();
            fields.any(|field| self.vocabulary.is_quantity(*field))
        })
    }

    fn add_count(&mut self) {
        let count = MeasureTerm {
            op: MeasureOp::Count,
            term: None,
        };
        if !self.request.measures.contains(&count) {
            self.request.measures.push(count);
        }
    }

    pub(super) fn add_measure(&mut self, op: MeasureOp, term: Range<usize>) {
        if self.request.measures.len() >= 8 {
            return;
        }
        let text = self.field_words(term.clone());
        // Different values are those of a field that groups can be made by.
        let role = match op {
            MeasureOp::Distinct => TermRole::GroupBy,
            _ => TermRole::Measure,
        };
        self.term(text.clone(), role, None, None);
        self.mark(term, Use::Read);
        let measure = MeasureTerm {
            op,
            term: Some(text),
        };
        if !self.request.measures.contains(&measure) {
            self.request.measures.push(measure);
        }
    }
}
