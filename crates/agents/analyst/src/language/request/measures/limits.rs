//! The number of records or groups that a request needs: "top 5", "the 3 heaviest", "the latest".

use std::ops::Range;

use contracts::tools::meanings::TermRole;
use contracts::tools::search::{FieldType, MeasureOp};

use super::super::scan::{Scan, Use};
use super::super::{GroupTerm, MeasureTerm, SortKey, SortTerm, nouns};
use crate::language::{ordinals, text::number_word};

/// Maximum number of records or groups that can be requested.
const MAX_LIMIT: u32 = 10_000;

impl Scan<'_> {
    /// One, when the noun is in the singular.
    pub(in crate::language::request) fn limit_to_one_of(&mut self, noun: &Range<usize>) {
        if self.request.limit.is_none() && !nouns::is_plural(&self.tokens[noun.clone()]) {
            self.request.limit = Some(1);
        }
    }

    /// "The biggest shipment by value", "smallest 3 carriers by weight": the number that is named
    /// is the measure of size.
    pub(super) fn extreme_by(&mut self) {
        const BIG: &[&str] = &[
            "biggest", "largest", "greatest", "highest", "top", "maximum",
        ];
        const SMALL: &[&str] = &["smallest", "littlest", "lowest", "bottom", "minimum"];
        let Some(at) = (0..self.tokens.len())
            .find(|at| self.free(*at) && (self.is(*at, BIG) || self.is(*at, SMALL)))
        else {
            return;
        };
        let count = self.count_at(at + 1);
        if self.is(at, &["top", "bottom"]) && count.is_some() {
            return;
        }
        let begin = at + 1 + usize::from(count.is_some());
        let head = self.head.clone();
        // "The largest coffee shipment": words for values are before the noun.
        let noun_at = self.before_head(begin);
        let is_head = head.as_ref().is_some_and(|head| head.start == noun_at);
        let noun = if is_head { head } else { self.known_at(begin) };
        let Some(noun) = noun.filter(|noun| is_head || !self.is_number(noun.start)) else {
            return;
        };
        let by = (noun.end..self.tokens.len()).find(|at| self.is(*at, &["by"]) && self.free(*at));
        let Some(by) = by else { return };
        let from = self.past(by + 1, &["the", "its", "their", "total"]);
        let Some(quantity) = self.number_at(from) else {
            return;
        };
        let descending = self.is(at, BIG);
        let words = self.words(quantity.clone());
        if is_head {
            self.term(words.clone(), TermRole::Sort, None, None);
            self.request.sort.push(SortTerm {
                by: SortKey::Term(words),
                descending,
            });
        } else {
            self.ranked(&noun, Some(&words), descending);
        }
        match count {
            Some(count) => self.request.limit = Some(count),
            None => self.limit_to_one_of(&noun),
        }
        let word = self.words(at..at + 1).to_lowercase();
        self.keyword(&word);
        self.mark(at..begin, Use::Read);
        self.mark(noun, Use::Read);
        self.mark(by..quantity.end, Use::Read);
    }

    /// "Top 5 carriers by number of shipments", "top ten shipments by weight", "the first 20".
    pub(super) fn top(&mut self) {
        let Some(at) = (0..self.tokens.len())
            .find(|at| self.free(*at) && self.is(*at, &["top", "bottom", "first", "limit"]))
        else {
            return;
        };
        let word = self.words(at..at + 1).to_lowercase();
        let place = self.past(at + 1, &["to", "the", "it", "that", "them"]);
        let said = self.count_at(place);
        let Some(count) = said.or_else(|| self.top_without_number(at, place)) else {
            return;
        };
        let place = if said.is_some() {
            place
        } else {
            place.saturating_sub(1)
        };
        self.request.limit = Some(count);
        self.mark(at..place + 1, Use::Read);
        if !matches!(word.as_str(), "top" | "bottom") {
            return;
        }
        self.keyword(&word);
        let descending = word == "top";
        self.request.top = Some(descending);
        let of = place + 1;
        let by =
            (of..self.tokens.len().min(of + 8)).find(|at| self.is(*at, &["by"]) && self.free(*at));
        let is_head = self.head.clone().is_some_and(|head| head.start == of);
        let group = (!is_head).then(|| self.known_at(of)).flatten();
        if let Some(group) = group {
            let words = self.words(group.clone());
            self.term(words.clone(), TermRole::GroupBy, None, None);
            self.request.group_by.push(GroupTerm {
                term: Some(words),
                interval: None,
            });
            self.mark(group, Use::Read);
        }
        let grouped = !is_head && !self.request.group_by.is_empty();
        let Some(by) = by else {
            if grouped {
                self.request.measures.push(MeasureTerm {
                    op: MeasureOp::Count,
                    term: None,
                });
                self.request.sort.push(SortTerm {
                    by: SortKey::Measure(0),
                    descending,
                });
            }
            return;
        };
        let operator = self.operator(by + 1);
        let from = operator.map_or(by + 1, |(_, end)| end);
        let counted = self.before_head(from);
        let counts = self.head.clone().is_some_and(|head| {
            head.start == counted || self.is(head.end, &["count"]) && head.start == from
        }) || self.head.is_none()
            && self.all_free(counted..counted + 1)
            && self.vocabulary.noun(&self.tokens, counted).is_some();
        if grouped && counts {
            self.request.measures.push(MeasureTerm {
                op: MeasureOp::Count,
                term: None,
            });
            self.request.sort.push(SortTerm {
                by: SortKey::Measure(0),
                descending,
            });
            // Words for values of what is counted are conditions.
            let plain = self.past(from, &["the", "number", "of", "count"]);
            self.mark(by..plain, Use::Read);
        } else if let Some(term) = self.term_at(from) {
            if grouped {
                let op = operator.map_or(MeasureOp::Sum, |(op, _)| op);
                self.add_measure(op, term.clone());
                self.request.sort.push(SortTerm {
                    by: SortKey::Measure(0),
                    descending,
                });
            } else {
                let text = self.words(term.clone());
                self.term(text.clone(), TermRole::Sort, None, None);
                self.request.sort.push(SortTerm {
                    by: SortKey::Term(text),
                    descending,
                });
            }
            self.mark(by..term.end, Use::Read);
        }
    }

    /// "Top customers by number of rentals": as many as fit a glance.
    fn top_without_number(&self, at: usize, place: usize) -> Option<u32> {
        const SHOWN: u32 = 10;
        let noun = self.known_at(place)?;
        let by = self.is(noun.end, &["by"]) && self.free(noun.end);
        let is_group = self.head.as_ref() != Some(&noun) && !self.is_number(noun.start);
        let said = self.is(at, &["top", "bottom"]) && place == at + 1;
        (said && by && is_group).then_some(SHOWN)
    }

    /// "Average delay by carrier, top 2": the first groups are those by their figure.
    pub(super) fn top_of_figures(&mut self) {
        let Some(descending) = self.request.top else {
            return;
        };
        if let (false, Some(first)) = (descending, self.request.sort.first_mut()) {
            first.descending = false;
        }
        if !self.request.sort.is_empty() || self.request.group_by.is_empty() {
            return;
        }
        let figure = |measure: &MeasureTerm| measure.term.is_some();
        let place = self.request.measures.iter().position(figure);
        self.request.sort.push(SortTerm {
            by: SortKey::Measure(place.unwrap_or(0)),
            descending,
        });
    }

    /// "Which 3 ports have the highest average delay?"
    pub(super) fn number_of_groups(&mut self) {
        if self.request.group_by.is_empty()
            || self.request.sort.is_empty()
            || self.request.limit.is_some()
        {
            return;
        }
        let found = (0..self.tokens.len().min(6)).find_map(|at| {
            let asks = self.is(at, &["which", "what", "the", "list", "show", "name"]);
            let count = self.count_at(at + 1).filter(|_| asks)?;
            let used = self.uses.get(at + 2) == Some(&Use::Read);
            used.then_some((at + 1, count))
        });
        if let Some((at, count)) = found {
            self.request.limit = Some(count);
            self.mark(at..at + 1, Use::Read);
        }
    }

    pub(in crate::language::request) fn count_at(&self, at: usize) -> Option<u32> {
        let token = self.tokens.get(at).filter(|_| self.free(at))?;
        let count = token.number().or_else(|| number_word(&token.text))?;
        (1..=MAX_LIMIT).contains(&count).then_some(count)
    }

    /// Whether the noun of the records begins at a place, in the singular: "the last shipment".
    fn is_single_head(&self, at: usize) -> bool {
        let head = self.head.clone().filter(|head| head.start == at);
        head.is_some_and(|head| !nouns::is_plural(&self.tokens[head]))
    }

    /// "Which shipment was the latest?"
    fn is_asked_of(&self, head: &Range<usize>, at: usize) -> bool {
        let link = self.past_back(at, &["the"]);
        let verb = self.past_back(link, &["is", "are", "was", "were"]);
        verb < link && head.end == verb
    }

    /// "Ten latest", "the latest 5 shipments", "the most recent shipment", "oldest first".
    pub(super) fn newest(&mut self) {
        let fields = self.vocabulary.fields();
        let dated = fields
            .iter()
            .any(|field| field.field_type == FieldType::Date);
        if !fields.is_empty() && !dated {
            return;
        }
        for at in 0..self.tokens.len() {
            let (end, descending) = if self.is(at, &["latest", "newest", "recent"]) {
                (at + 1, true)
            } else if self.is(at, &["most"]) && self.is(at + 1, &["recent"]) {
                (at + 2, true)
            } else if self.is(at, &["oldest", "earliest"]) {
                (at + 1, false)
            } else if self.is(at, &["last"])
                && (self.count_at(at + 1).is_some() || self.is_single_head(at + 1))
            {
                (at + 1, true)
            } else {
                continue;
            };
            if !self.all_free(at..end)
                || self
                    .request
                    .sort
                    .iter()
                    .any(|sort| sort.by == SortKey::Time)
            {
                continue;
            }
            let count = self
                .count_at(end)
                .map(|count| (count, end + 1))
                .or_else(|| Some((self.count_at(at.checked_sub(1)?)?, end)));
            // "The last 5" of what is wanted; "last 5 widgets" says nothing about records.
            let head = self.head.clone();
            let to = count.map_or(end, |(_, to)| to);
            let of_head = head
                .clone()
                .is_some_and(|head| head.start == to || head.end == at);
            if self.is(at, &["last"]) && !of_head {
                continue;
            }
            let word = self.words(at..end).to_lowercase();
            self.keyword(&word);
            self.request.sort.push(SortTerm {
                by: SortKey::Time,
                descending,
            });
            match (count, head) {
                (Some((count, _)), _) => self.request.limit = Some(count),
                (None, Some(head)) if head.start == to || self.is_asked_of(&head, at) => {
                    self.limit_to_one_of(&head);
                }
                _ => {}
            }
            let from = if count.is_some_and(|(_, to)| to == end) {
                at - 1
            } else {
                at
            };
            self.mark(from..to, Use::Read);
        }
    }

    /// "The second heaviest", "the 3rd longest delay": the last of the first ones.
    pub(in crate::language::request) fn place_of_an_end(&mut self) {
        if self.request.sort.is_empty() {
            return;
        }
        let found = (1..self.tokens.len()).find_map(|at| {
            let is_end = self.uses[at] == Use::Read && ordinals::is_end(&self.tokens[at]);
            let linked = usize::from(self.is(at - 1, &["-", "to"]));
            let (place, begin) = ordinals::before(&self.tokens, at - linked)?;
            let free = self.all_free(begin..at - linked);
            (is_end && free).then_some((place, begin..at - linked, at))
        });
        let Some((place, said, at)) = found else {
            return;
        };
        let begin = said.start;
        let said = self.words(said).to_lowercase();
        self.request.limit = Some(place);
        self.request
            .remarks
            .push(format!("The {said} is the last of these {place}."));
        self.mark(begin..at, Use::Read);
    }

    /// "The 3 heaviest".
    pub(in crate::language::request) fn counted_before(&mut self, at: usize) {
        if let Some(before) = at.checked_sub(1)
            && let Some(count) = self.count_at(before)
            && self.request.limit.is_none()
        {
            self.request.limit = Some(count);
            self.mark(before..at, Use::Read);
        }
    }
}
