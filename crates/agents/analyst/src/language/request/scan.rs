//! A request, read in steps: each takes the words that it understands, and the next looks at the
//! rest.

mod names;
mod rest;
mod times;

use std::ops::Range;

use chrono::NaiveDate;
use contracts::tools::meanings::{FieldTerm, TermRole};
use contracts::tools::search::{FilterOp, SourceList};
use serde_json::Value;

use super::vocabulary::Vocabulary;
use super::words::{COMPARE, FILLERS, LIVE};
use super::{Request, Retrieval, nouns};
use crate::language::dates;
use crate::language::text::{Token, between, tokens};

/// Maximum number of terms that the tools accept.
const MAX_TERMS: usize = 32;
/// Maximum number of unused words that are reported.
const MAX_LEFTOVER: usize = 16;

/// The use of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// Nothing yet.
    Free,
    /// Something of the request.
    Read,
    /// A name, by its form.
    Name,
    /// The days.
    Time,
}

/// A request that is being read.
pub(super) struct Scan<'s> {
    pub(super) text: &'s str,
    pub(super) tokens: Vec<Token>,
    pub(super) uses: Vec<Use>,
    pub(super) vocabulary: Vocabulary<'s>,
    pub(super) sources: &'s SourceList,
    pub(super) today: NaiveDate,
    pub(super) request: Request,
    /// The noun of the records that are wanted.
    pub(super) head: Option<Range<usize>>,
    /// "On average" was said.
    pub(super) on_average: bool,
    /// Days behind the first ones, with their places.
    pub(super) more_times: Vec<(Range<usize>, NaiveDate, NaiveDate)>,
    /// The number field that the records which are named are counted by, of another index.
    pub(super) counted_by: Option<(Range<usize>, String)>,
    /// The noun of what happened to the records that are wanted, in the singular: `arrival`.
    pub(super) event_noun: Option<String>,
}

pub(super) fn read(
    text: &str,
    sources: &SourceList,
    index: Option<&str>,
    names: &[String],
    today: NaiveDate,
) -> Request {
    let tokens = tokens(text);
    let mut scan = Scan {
        text,
        uses: vec![Use::Free; tokens.len()],
        tokens,
        vocabulary: Vocabulary::nouns_of(sources),
        sources,
        today,
        request: Request::default(),
        head: None,
        on_average: false,
        more_times: Vec::new(),
        counted_by: None,
        event_noun: None,
    };
    scan.names_by_form();
    scan.known_names(names);
    let times = dates::find_in(text, &scan.tokens, today);
    scan.take_times(&times);
    nouns::choose(&mut scan, index);
    scan.years(&times);
    scan.time_words(&times);
    scan.more_times();
    scan.between_names();
    scan.due(today);
    scan.event_nouns();
    scan.averages();
    scan.measures_and_orders();
    scan.conditions();
    // Fields that are compared are not among those that are shown.
    scan.request.refusal = scan
        .request
        .refusal
        .take()
        .or_else(|| scan.compared_fields());
    scan.happened();
    scan.things_there();
    scan.values();
    scan.bare_measures();
    scan.things_with_records();
    scan.place_of_an_end();
    scan.groups_of_the_event();
    scan.say_what_went();
    scan.selected();
    scan.keywords();
    scan.compared_months();
    scan.retrieval();
    scan.leftover();
    scan.operators();
    scan.refusals();
    scan.request.terms.truncate(MAX_TERMS);
    scan.request
}

impl Scan<'_> {
    pub(super) fn is(&self, at: usize, texts: &[&str]) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(texts))
    }

    /// Whether the token at `at` was not used.
    pub(super) fn free(&self, at: usize) -> bool {
        self.uses.get(at) == Some(&Use::Free)
    }

    pub(super) fn all_free(&self, range: Range<usize>) -> bool {
        range.into_iter().all(|at| self.free(at))
    }

    pub(super) fn word(&self, at: usize) -> Option<&str> {
        self.tokens
            .get(at)
            .filter(|token| token.is_word())
            .map(|token| token.text.as_str())
    }

    pub(super) fn mark(&mut self, range: Range<usize>, used: Use) {
        if let Some(uses) = self.uses.get_mut(range) {
            uses.fill(used);
        }
    }

    /// The place behind words like "the", "of", "a" from `at` on.
    pub(super) fn past(&self, at: usize, words: &[&str]) -> usize {
        let mut at = at;
        while self.is(at, words) {
            at += 1;
        }
        at
    }

    pub(super) fn words(&self, range: Range<usize>) -> String {
        let words = between(self.text, self.tokens.get(range).unwrap_or_default());
        let mut end = words.len().min(256);
        while !words.is_char_boundary(end) {
            end -= 1;
        }
        words[..end].to_owned()
    }

    pub(super) fn term(
        &mut self,
        text: String,
        role: TermRole,
        op: Option<FilterOp>,
        value: Option<Value>,
    ) {
        let term = FieldTerm {
            text,
            role,
            op,
            value,
        };
        if !term.text.is_empty() && !self.request.terms.contains(&term) {
            self.request.terms.push(term);
        }
    }

    pub(super) fn keyword(&mut self, word: &str) {
        if !self
            .request
            .aggregation_keywords
            .iter()
            .any(|known| known == word)
        {
            self.request.aggregation_keywords.push(word.to_owned());
        }
    }

    fn keywords(&mut self) {
        // "How many to Hamburg and how many to Rotterdam": each on its own.
        let how_many = |at: &usize| self.is(*at, &["how"]) && self.is(*at + 1, &["many", "much"]);
        self.request.compare |= (0..self.tokens.len()).filter(how_many).count() > 1;
        if (0..self.tokens.len()).any(|at| self.is(at, &["difference"])) {
            for at in 0..self.tokens.len() {
                if self.is(at, &["between"]) && self.free(at) {
                    self.mark(at..at + 1, Use::Read);
                }
            }
        }
        for at in 0..self.tokens.len() {
            let of_a_field = self.uses[at] == Use::Read;
            self.request.live |= !of_a_field && self.is(at, LIVE)
                || self.is(at, &["moment"])
                || self.is(at, &["real"]) && self.is(at + 1, &["-"]) && self.is(at + 2, &["time"]);
            self.request.compare |= self.is(at, COMPARE)
                || self.is(at, &["difference"])
                    && (at + 1..self.tokens.len()).any(|at| self.is(at, &["between", "of"]));
        }
    }

    /// One thing, many, or something computed.
    fn retrieval(&mut self) {
        if !self.request.measures.is_empty() || !self.request.group_by.is_empty() {
            self.request.retrieval = Retrieval::Aggregation;
            self.request.retrieval_certain = true;
            return;
        }
        let plural = self
            .head
            .clone()
            .is_some_and(|head| nouns::is_plural(&self.tokens[head]));
        let beside = self.head.clone().is_some_and(|head| {
            let after = self.past(
                head.end,
                &["the", "called", "named", "number", "no", "id", "#", "\""],
            );
            let before = head.start.checked_sub(1);
            self.is_name(after) || before.is_some_and(|at| at > 0 && self.is_name(at))
        });
        let id = !self.request.entity_hints.is_empty();
        let where_is = self.is(0, &["where"]) && self.is(1, &["is"]);
        // "What is the status of MSC ANNA".
        let of_a_name = self.head.is_none()
            && self.request.time_range.is_none()
            && (0..self.tokens.len().min(64))
                .any(|at| self.is(at, &["of", "about"]) && self.is_name(at + 1));
        let single = !plural
            && (id && self.request.entity_hints.len() == 1 || where_is || beside || of_a_name)
            && self.request.limit.is_none();
        if single {
            self.request.retrieval = Retrieval::SingleEntity;
        }
        self.request.retrieval_certain = single || plural || self.request.limit.is_some();
    }

    /// Whether the word at `at` is written like a name.
    pub(super) fn is_name(&self, at: usize) -> bool {
        match self.uses.get(at) {
            Some(Use::Name) => true,
            Some(Use::Free) => {
                let token = &self.tokens[at];
                token.is_word() && token.capital && !token.is(FILLERS)
            }
            _ => false,
        }
    }
}
