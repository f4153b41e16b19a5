//! "On average", "how heavy are they", "late most often": figures that no noun names.

use contracts::tools::meanings::TermRole;
use contracts::tools::search::MeasureOp;

use super::scan::{Scan, Use};
use super::{GroupTerm, MeasureTerm, SortKey, SortTerm, superlatives};

impl Scan<'_> {
    /// Takes "on average", "how late", "over all", "in total" and "most often" before other words
    /// of figures are read.
    pub(super) fn averages(&mut self) {
        for at in 0..self.tokens.len() {
            if self.is(at, &["on", "in"])
                && self.is(at + 1, &["average"])
                && self.all_free(at..at + 2)
            {
                self.on_average = true;
                self.keyword("average");
                self.mark(at..at + 2, Use::Read);
            }
            self.over_all(at);
        }
        self.by_how_much();
        for at in 0..self.tokens.len() {
            self.how(at);
            self.most_often(at);
        }
    }

    /// "Over all shipments", "across all records", "in total": everything that is asked for.
    fn over_all(&mut self, at: usize) {
        let all = self.past(at + 1, &["the", "our"]);
        if self.is(at, &["across", "over"])
            && self.is(all, &["all", "every", "everything", "whole", "entire"])
        {
            self.mark_unused(at, all + 1);
        } else if self.is(at, &["in"]) && self.is(at + 1, &["total", "all"]) {
            self.mark_unused(at, at + 2);
        } else if self.is(at, &["altogether"]) {
            self.mark_unused(at, at + 1);
        }
    }

    fn mark_unused(&mut self, from: usize, to: usize) {
        if self.all_free(from..to) {
            self.mark(from..to, Use::Read);
        }
    }

    /// "By how much on average?" of what is late: the average of how late it is.
    fn by_how_much(&mut self) {
        let at = (0..self.tokens.len()).find(|at| {
            self.is(*at, &["by"]) && self.is(*at + 1, &["how"]) && self.is(*at + 2, &["much"])
        });
        let Some(at) = at.filter(|at| self.all_free(*at..*at + 3)) else {
            return;
        };
        let alone = (at + 3..self.tokens.len()).all(|at| {
            !self.free(at)
                || !self.tokens[at].is_word()
                || self.is(
                    at,
                    &["late", "delayed", "were", "are", "they", "was", "is", "it"],
                )
        });
        let quantity = superlatives::of_adjective("late");
        let quantity = quantity.and_then(|found| found.quantity(&self.vocabulary));
        let Some(quantity) = quantity.filter(|_| alone) else {
            return;
        };
        self.keyword("average");
        self.term(quantity.to_owned(), TermRole::Measure, None, None);
        self.request.measures.push(MeasureTerm {
            op: MeasureOp::Average,
            term: Some(quantity.to_owned()),
        });
        self.mark(at..self.tokens.len(), Use::Read);
    }

    /// "How late are shipments to Hamburg": the average of what the word is about. Of one thing
    /// that is named it is that thing's own.
    fn how(&mut self, at: usize) {
        if !self.is(at, &["how"]) || !self.all_free(at..at + 2) {
            return;
        }
        let Some(word) = self.word(at + 1).map(str::to_owned) else {
            return;
        };
        let Some(found) = superlatives::of_adjective(&word) else {
            return;
        };
        let Some(quantity) = found.quantity(&self.vocabulary) else {
            return;
        };
        let be = self.is(
            at + 2,
            &["is", "are", "was", "were", "do", "does", "did", "be"],
        );
        let head = self.head.clone().is_some_and(|head| head.start >= at + 2);
        // "How late?", of what was found.
        let alone = (at + 2..self.tokens.len()).all(|at| !self.tokens[at].is_word());
        if !be && !head && !alone && !self.on_average {
            return;
        }
        let one = self.is(at + 2, &["is", "was"]) && !self.request.entity_hints.is_empty();
        if one && !self.on_average {
            self.term(quantity.to_owned(), TermRole::Select, None, None);
        } else {
            self.keyword("average");
            self.term(quantity.to_owned(), TermRole::Measure, None, None);
            self.request.measures.push(MeasureTerm {
                op: MeasureOp::Average,
                term: Some(quantity.to_owned()),
            });
        }
        self.mark(at..at + 2, Use::Read);
    }

    /// "Which carrier is late the most", "which carrier is late most often": counted by the noun.
    fn most_often(&mut self, at: usize) {
        let most = self.is(at, &["most", "least"]);
        let often = self.is(at + 1, &["often", "frequently"]);
        let the = at > 0
            && self.is(at - 1, &["the"])
            && (at + 1..self.tokens.len())
                .all(|at| !self.tokens[at].is_word() || self.uses[at] == Use::Time);
        if !most || !(often || the) || !self.free(at) {
            return;
        }
        let noun = (0..at.min(4)).find_map(|place| {
            let asks = self.is(place, &["which", "what"]);
            asks.then(|| self.known_at(place + 1)).flatten()
        });
        let Some(noun) = noun.filter(|noun| self.head.as_ref() != Some(noun)) else {
            return;
        };
        let words = self.words(noun.clone());
        self.term(words.clone(), TermRole::GroupBy, None, None);
        self.request.group_by.push(GroupTerm {
            term: Some(words),
            interval: None,
        });
        self.request.measures.push(MeasureTerm {
            op: MeasureOp::Count,
            term: None,
        });
        self.request.sort.push(SortTerm {
            by: SortKey::Measure(0),
            descending: self.is(at, &["most"]),
        });
        self.limit_to_one_of(&noun);
        let word = self.words(at..at + 1).to_lowercase();
        self.keyword(&word);
        self.mark(noun, Use::Read);
        self.mark(at..at + 1 + usize::from(often), Use::Read);
    }

    /// "Delay to Hamburg on average": of the first quantity that nothing else was made of.
    pub(super) fn averaged(&mut self) {
        if !self.on_average
            || self
                .request
                .measures
                .iter()
                .any(|measure| measure.term.is_some())
        {
            return;
        }
        let named = (0..self.tokens.len()).find_map(|at| {
            let range = self.known_at(at)?;
            let (_, fields) = self.vocabulary.named(&self.tokens, at)?;
            let mut fields = fields.iter();
            let is_head = self.head.as_ref() == Some(&range);
            let number = fields.any(|field| self.vocabulary.field(*field).field_type.is_number());
            (number && !is_head).then_some(range)
        });
        if let Some(range) = named {
            self.add_measure(MeasureOp::Average, range);
            return;
        }
        // Nothing to average: the answer says so.
        let at = (0..self.tokens.len()).find(|at| self.is(*at, &["average"]));
        if let Some(at) = at {
            self.mark(at..at + 1, Use::Free);
        }
    }
}
