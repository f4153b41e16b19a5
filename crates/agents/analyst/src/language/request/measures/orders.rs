//! Orders of a request: "sorted by weight", "worst first", "the most delayed".

use contracts::tools::meanings::TermRole;
use contracts::tools::search::FieldType;

use super::super::scan::{Scan, Use};
use super::super::words::superlative;
use super::super::{MeasureTerm, SortKey, SortTerm, superlatives};

impl Scan<'_> {
    /// "Average delay by carrier, worst first".
    pub(super) fn worst_first(&mut self) {
        if self.request.group_by.is_empty() || !self.request.sort.is_empty() {
            return;
        }
        let Some(at) = (0..self.tokens.len()).find(|at| {
            self.free(*at) && self.is(*at + 1, &["first"]) && self.direction(*at).0.is_some()
        }) else {
            return;
        };
        let (down, end) = self.direction(at);
        let figure = |measure: &MeasureTerm| measure.term.is_some();
        let place = self.request.measures.iter().position(figure);
        self.request.sort.push(SortTerm {
            by: SortKey::Measure(place.unwrap_or(0)),
            descending: down.unwrap_or(true),
        });
        self.mark(at..end, Use::Read);
    }

    /// "Sorted by delay descending", "order by weight", "by delay, longest first".
    pub(super) fn sorted_by(&mut self, at: usize) -> bool {
        if !self.is(
            at,
            &[
                "sort", "sorted", "order", "ordered", "rank", "ranked", "sorting",
            ],
        ) {
            return false;
        }
        let Some(by) = (at + 1..self.tokens.len().min(at + 6)).find(|at| self.is(*at, &["by"]))
        else {
            return false;
        };
        let operator = self.operator(by + 1);
        let from = operator.map_or(by + 1, |(_, end)| end);
        let time = self.is(from, &["date", "time", "day"]);
        let counted = self.is(from, &["count", "number"]) && self.free(from);
        let Some(term) = (if time || counted && self.known_at(from).is_none() {
            Some(from..from + 1)
        } else {
            self.term_at(from)
        }) else {
            return false;
        };
        let (down, end) = self.direction(term.end);
        let measure = operator.and_then(|(op, _)| {
            let text = self.words(term.clone());
            let known =
                |measure: &MeasureTerm| measure.op == op && measure.term.as_ref() == Some(&text);
            self.request.measures.iter().position(known)
        });
        let by_count = self.is(term.start, &["count", "number"]);
        let by = if time {
            SortKey::Time
        } else if let Some(place) = measure {
            SortKey::Measure(place)
        } else if by_count && !self.request.measures.is_empty() {
            SortKey::Measure(0)
        } else if by_count {
            SortKey::Count
        } else {
            let text = self.words(term.clone());
            self.term(text.clone(), TermRole::Sort, None, None);
            SortKey::Term(text)
        };
        // Without a word for it: the greatest first of what is counted, the smallest first of the
        // rest.
        let descending = down.unwrap_or(matches!(by, SortKey::Measure(_) | SortKey::Count));
        self.request.sort.push(SortTerm { by, descending });
        self.mark(at..end, Use::Read);
        true
    }

    fn direction(&self, at: usize) -> (Option<bool>, usize) {
        let at = self.past(at, &["in", ",", "("]);
        let down = match self.word(at) {
            Some("desc" | "descending" | "decreasing") => Some(true),
            Some("asc" | "ascending" | "increasing") => Some(false),
            Some(
                "highest" | "largest" | "longest" | "biggest" | "heaviest" | "newest" | "latest"
                | "most" | "greatest" | "worst" | "slowest" | "costliest" | "warmest",
            ) if self.is(at + 1, &["first"]) => Some(true),
            Some(
                "lowest" | "smallest" | "shortest" | "oldest" | "earliest" | "least" | "lightest"
                | "fewest" | "fastest" | "cheapest" | "coldest",
            ) if self.is(at + 1, &["first"]) => Some(false),
            _ => None,
        };
        let first = usize::from(down.is_some() && self.is(at + 1, &["first", "order"]));
        match down {
            Some(_) => (down, at + 1 + first),
            None => (None, at),
        }
    }

    /// "Most delayed shipments", "highest value", "heaviest shipments", "highest average delay".
    pub(super) fn extreme(&mut self, at: usize) -> bool {
        let word = self.words(at..at + 1).to_lowercase();
        if self.head.is_none() && self.bare_superlative(at) {
            return true;
        }
        // "Weight by carrier, heaviest first" orders the groups.
        if self.is(at + 1, &["first"]) && !self.request.group_by.is_empty() {
            return false;
        }
        if let Some((quantity, descending)) = superlative(&word) {
            self.keyword(&word);
            self.term(quantity.to_owned(), TermRole::Sort, None, None);
            self.request.sort.push(SortTerm {
                by: SortKey::Term(quantity.to_owned()),
                descending,
            });
            self.mark(at..at + 1, Use::Read);
            self.counted_before(at);
            if let Some(head) = self.head.clone().filter(|head| head.start == at + 1) {
                self.limit_to_one_of(&head);
            }
            return true;
        }
        let descending = match word.as_str() {
            "most" | "highest" | "longest" | "largest" | "greatest" | "biggest" | "worst" => true,
            "least" | "lowest" | "shortest" | "smallest" | "fewest" => false,
            _ => return false,
        };
        // "At least", "at most": conditions.
        if at > 0 && self.is(at - 1, &["at"]) {
            return false;
        }
        if let Some((op, end)) = self.operator(at + 1)
            && let Some(term) = self.term_at(end)
        {
            self.keyword(&word);
            self.mark(at..end, Use::Read);
            self.add_measure(op, term);
            self.request.sort.push(SortTerm {
                by: SortKey::Measure(self.request.measures.len().saturating_sub(1)),
                descending,
            });
            return true;
        }
        let Some((end, _)) = self
            .vocabulary
            .named(&self.tokens, at + 1)
            .filter(|(end, fields)| self.all_free(at + 1..*end) && self.has_order(fields))
        else {
            return false;
        };
        let text = self.words(at + 1..end);
        self.keyword(&word);
        self.term(text.clone(), TermRole::Sort, None, None);
        self.request.sort.push(SortTerm {
            by: SortKey::Term(text),
            descending,
        });
        self.mark(at..end, Use::Read);
        self.counted_before(at);
        match self.head.clone() {
            Some(head) if head.start == end => self.limit_to_one_of(&head),
            Some(_) => {}
            // "What was the longest delay?"
            None => self.limit_to_one_of(&(at + 1..end)),
        }
        true
    }

    /// "The largest by capacity": the quantity is said.
    fn superlative_by(&mut self, at: usize, end: usize, descending: bool) -> bool {
        let by = self.past(end, &["one", "ones"]);
        let term = self.known_at(by + 1).filter(|term| {
            self.is(by, &["by"]) && self.is_number(term.start) && self.all_free(at..term.start)
        });
        let Some(term) = term.filter(|_| self.request.sort.is_empty()) else {
            return false;
        };
        let text = self.words(term.clone());
        self.term(text.clone(), TermRole::Sort, None, None);
        self.request.sort.push(SortTerm {
            by: SortKey::Term(text),
            descending,
        });
        self.mark(at..term.end, Use::Read);
        self.counted_before(at);
        if by == end || self.is(end, &["one"]) {
            self.limit_to_one_of(&(at..end));
        }
        true
    }

    /// "The oldest", "and the lightest?", of what was found: no noun is beside it.
    fn bare_superlative(&mut self, at: usize) -> bool {
        let Some(found) = superlatives::at(&self.tokens, at) else {
            return false;
        };
        let end = at + found.words;
        if self.superlative_by(at, end, found.descending) {
            return true;
        }
        let quantity = found.quantity(&self.vocabulary);
        // "The coldest reefers": words for values name what is compared.
        let alone = (self.before_head(end)..self.tokens.len())
            .all(|at| !self.tokens[at].is_word() || self.is(at, &["one", "ones", "please"]));
        let compares = at > 0 && self.is(at - 1, &["at"]);
        let (Some(quantity), true, false) = (quantity, alone, compares) else {
            return false;
        };
        let sorted = !self.request.sort.is_empty();
        if !self.all_free(at..end) || sorted || self.names_quantity(end) {
            return false;
        }
        let word = self.words(at..end).to_lowercase();
        self.keyword(&word);
        self.term(quantity.to_owned(), TermRole::Sort, None, None);
        self.request.sort.push(SortTerm {
            by: SortKey::Term(quantity.to_owned()),
            descending: found.descending,
        });
        self.mark(at..end, Use::Read);
        self.counted_before(at);
        // "The coldest one".
        if self.is(end, &["one"]) && self.request.limit.is_none() {
            self.request.limit = Some(1);
        }
        true
    }

    /// Whether one of these fields has an order that means something: a number or a date.
    pub(in crate::language::request) fn has_order(&self, fields: &[usize]) -> bool {
        fields.iter().any(|field| {
            let kind = self.vocabulary.field(*field).field_type;
            kind.is_number() || kind == FieldType::Date
        })
    }
}
