//! A request, read in steps: each takes the words that it understands, and the next looks at the
//! rest.

use std::ops::Range;

use chrono::{Datelike, NaiveDate};
use contracts::tools::meanings::{EntityMention, FieldTerm, TermRole};
use contracts::tools::search::{FilterOp, Interval, MeasureOp, SourceList, TimeRange};
use serde_json::Value;

use super::vocabulary::Vocabulary;
use super::words::{BEFORE_AMOUNTS, BEFORE_NAMES, COMPARE, FILLERS, LIVE, NOT, OPERATORS};
use super::{Leftover, Operator, Request, Retrieval, nouns};
use crate::language::dates;
use crate::language::text::{Kind, Token, between, tokens};

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

    /// Quoted words, and words written like an id: they name something.
    fn names_by_form(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            let end = self.quoted(at).or_else(|| self.id(at));
            let Some((inside, end)) = end else {
                at += 1;
                continue;
            };
            let text = self.words(inside);
            if !text.trim().is_empty() && self.request.entity_hints.len() < 16 {
                self.request.entity_hints.push(EntityMention {
                    text,
                    entity_type: None,
                });
                self.mark(at..end, Use::Name);
            }
            at = end;
        }
    }

    /// Words that turned out to be names: nothing else is read in them.
    fn known_names(&mut self, names: &[String]) {
        for name in names {
            let wanted: Vec<String> = tokens(name).into_iter().map(|token| token.text).collect();
            for at in 0..self.tokens.len() {
                let range = at..at + wanted.len();
                let said = self.tokens.get(range.clone()).unwrap_or_default();
                let same = !wanted.is_empty() && said.iter().map(|token| &token.text).eq(&wanted);
                if same && self.all_free(range.clone()) {
                    self.mark(range, Use::Name);
                }
            }
        }
    }

    fn quoted(&self, at: usize) -> Option<(Range<usize>, usize)> {
        if !self.is(at, &["\""]) {
            return None;
        }
        let close = (at + 1..self.tokens.len().min(at + 24)).find(|end| self.is(*end, &["\""]))?;
        (close > at + 1).then_some((at + 1..close, close + 1))
    }

    /// `MSCU1234565`, `SHP-000123`, `a1b2-…`: letters and digits that touch, at least three digits.
    fn id(&self, at: usize) -> Option<(Range<usize>, usize)> {
        if self.tokens[at].kind == Kind::Mark {
            return None;
        }
        let mut end = at + 1;
        while self.tokens.get(end).is_some_and(|token| {
            token.glued && (token.kind != Kind::Mark || token.is(&["-", "_", "/"]))
        }) {
            end += 1;
        }
        while end > at + 1 && self.tokens[end - 1].kind == Kind::Mark {
            end -= 1;
        }
        let run = &self.tokens[at..end];
        let digits: usize = run
            .iter()
            .filter(|token| token.kind == Kind::Number)
            .map(|token| token.text.len())
            .sum();
        let letters = run
            .iter()
            .any(|token| token.kind == Kind::Word && token.capital);
        let begins = run
            .first()
            .is_some_and(|token| token.is_word() && token.text.len() <= 12);
        (run.len() > 1 && digits >= 3 && letters && begins).then_some((at..end, end))
    }

    /// `05/12/2024` may be read with the day first, too: the answer says how it was read.
    fn either_order(&mut self, time: &dates::TimeMention) {
        let range = self.tokens_in(&time.span);
        let Ok(days) = &time.meaning else { return };
        let slashed = |at: usize| {
            let number = |at: usize| {
                let token = self.tokens.get(at).filter(|token| token.text.len() <= 2)?;
                token.number().filter(|number| (1..=12).contains(number))
            };
            let slash = self.is(at + 1, &["/"]) && self.is(at + 3, &["/"]);
            let (first, second) = (number(at)?, number(at + 2)?);
            (slash && first != second).then_some(at)
        };
        let Some(at) = range.clone().find_map(slashed) else {
            return;
        };
        let day = if range.start == at {
            days.start
        } else {
            days.end
        };
        let said = self.words(at..at + 5);
        self.request.remarks.push(format!(
            "I read \u{201c}{said}\u{201d} with the month first, as {}.",
            day.format("%-d %B %Y")
        ));
    }

    fn take_times(&mut self, times: &[dates::TimeMention]) {
        for time in times {
            self.either_order(time);
            let range = self.tokens_in(&time.phrase);
            // An id is not a date, whatever its digits.
            if range.clone().any(|at| self.uses[at] == Use::Name) {
                continue;
            }
            match &time.meaning {
                Ok(days) if self.request.time_range.is_none() => {
                    self.request.time_range = Some(TimeRange {
                        field: None,
                        start: days.start,
                        end: days.end,
                        kind: Some(self.words(self.tokens_in(&time.span))),
                    });
                    self.mark(range, Use::Time);
                }
                // Of another date where a verb says so; otherwise a remark names it.
                Ok(days) => self.more_times.push((range, days.start, days.end)),
                Err(not) => {
                    self.request
                        .time_problem
                        .get_or_insert_with(|| not.reason.clone());
                    self.mark(range, Use::Time);
                }
            }
        }
    }

    fn tokens_in(&self, span: &Range<usize>) -> Range<usize> {
        let from = self
            .tokens
            .partition_point(|token| token.start < span.start);
        let to = self.tokens.partition_point(|token| token.start < span.end);
        from..to.max(from)
    }

    /// "Built after 2015": a year that is compared with a number is not a time.
    fn years(&mut self, times: &[dates::TimeMention]) {
        let Some(range) = &self.request.time_range else {
            return;
        };
        let taken = times.iter().find(|time| {
            let said = self.words(self.tokens_in(&time.span));
            Some(&said) == range.kind.as_ref()
        });
        let Some(phrase) = taken.map(|time| self.tokens_in(&time.phrase)) else {
            return;
        };
        let mut years: Vec<u32> = self.tokens[phrase.clone()]
            .iter()
            .filter_map(|token| token.number().filter(|_| token.text.len() == 4))
            .collect();
        // "Built last year": all days of one year.
        let (first, last) = (range.start, range.end);
        let is_whole = first.ordinal() == 1
            && last.year() == first.year()
            && (last.month(), last.day()) == (12, 31);
        if is_whole {
            years = u32::try_from(first.year()).into_iter().collect();
        }
        let numbers = self.tokens[phrase.clone()]
            .iter()
            .filter(|token| token.kind == Kind::Number);
        // "In December 2024" does not have a year on its own.
        let small = |token: &Token| {
            !token.is_word()
                || token.is(&[
                    "in", "on", "from", "to", "and", "or", "between", "before", "after", "since",
                    "until", "till", "by", "later", "earlier", "no", "not", "than", "the", "year",
                    "during", "of", "at", "for", "onwards", "through",
                ])
        };
        let plain = self.tokens[phrase.clone()].iter().all(small) && numbers.count() == years.len();
        if years.is_empty() || !plain && !is_whole {
            return;
        }
        let field = (phrase.start.saturating_sub(3)..phrase.start).find_map(|from| {
            let (end, fields) = self.vocabulary.named(&self.tokens, from)?;
            let behind = self.past(end, &["is", "was", "were", "in", "the", "year"]);
            let number = |field: &usize| self.vocabulary.field(*field).field_type.is_number();
            (behind >= phrase.start && fields.iter().any(number)).then_some(from..end)
        });
        let Some(field) = field else {
            return;
        };
        let has = |words: &[&str]| {
            self.tokens[phrase.clone()]
                .iter()
                .any(|token| token.is(words))
        };
        let conditions: Vec<(FilterOp, u32)> = match years.as_slice() {
            [from, to] => vec![(FilterOp::Gte, *from), (FilterOp::Lte, *to)],
            [year] if has(&["or", "no", "not"]) && has(&["later", "after", "since", "onwards"]) => {
                // "No later than 2015"; "in 2015 or later".
                let op = if has(&["or"]) {
                    FilterOp::Gte
                } else {
                    FilterOp::Lte
                };
                vec![(op, *year)]
            }
            [year] if has(&["or", "no", "not"]) && has(&["earlier", "before", "until"]) => {
                let op = if has(&["or"]) {
                    FilterOp::Lte
                } else {
                    FilterOp::Gte
                };
                vec![(op, *year)]
            }
            [year] if has(&["after"]) => vec![(FilterOp::Gt, *year)],
            [year] if has(&["before"]) => vec![(FilterOp::Lt, *year)],
            [year] if has(&["since", "from"]) => vec![(FilterOp::Gte, *year)],
            [year] if has(&["until", "till", "by"]) => vec![(FilterOp::Lte, *year)],
            [year] => vec![(FilterOp::Is, *year)],
            _ => return,
        };
        self.request.time_range = None;
        let words = self.words(field.clone());
        for (op, year) in conditions {
            self.term(
                words.clone(),
                TermRole::Filter,
                Some(op),
                Some(Value::from(year)),
            );
        }
        self.mark(field.start..phrase.end, Use::Read);
    }

    /// The verb that the time belongs to: `arrived last week`.
    fn time_words(&mut self, times: &[dates::TimeMention]) {
        let Some(range) = &self.request.time_range else {
            return;
        };
        let words = range.kind.clone().unwrap_or_default();
        let Some(from) = self.uses.iter().position(|used| *used == Use::Time) else {
            return;
        };
        let event = |at: &usize| {
            self.free(*at)
                && self
                    .word(*at)
                    .is_some_and(|word| self.vocabulary.is_event(word))
        };
        // "Due this week" says of what date the days are.
        let due = from > 0 && self.is(from - 1, &["due"]);
        let nearest = (from.saturating_sub(24)..from)
            .rev()
            .find(event)
            .or_else(|| {
                if due {
                    return None;
                }
                // Behind it only what still belongs to it: "last week's arrivals".
                (from..self.tokens.len().min(from + 16))
                    .take_while(|at| {
                        !self.is(*at, &[",", ";", "include", "including", "with", "show"])
                    })
                    .find(event)
            });
        let Some(at) = nearest else {
            self.request.time_words = Some(words);
            return;
        };
        let mut begin = at;
        // "Planned to arrive".
        let to = usize::from(begin > 0 && self.is(begin - 1, &["to"]));
        if begin > to
            && self.is(
                begin - 1 - to,
                &["planned", "scheduled", "expected", "estimated", "supposed"],
            )
        {
            begin -= to;
        }
        while begin > 0
            && self.free(begin - 1)
            && self.is(
                begin - 1,
                &[
                    "planned",
                    "actual",
                    "scheduled",
                    "expected",
                    "estimated",
                    "due",
                    "should",
                ],
            )
        {
            begin -= 1;
        }
        let mut end = at + 1;
        if self.is(end, &["date", "dates", "time", "times"]) {
            end += 1;
        }
        self.request.time_words = Some(format!("{} {words}", self.words(begin..end)));
        // "Delivered last week" also says which; "arrived last week" and "arrival date last week"
        // only say when.
        let noun = end > at + 1
            || self
                .word(at)
                .is_some_and(|word| word.ends_with("al") || word.ends_with("ure"));
        let beside = end == from
            || times
                .iter()
                .any(|time| self.tokens_in(&time.phrase).end == begin);
        let has_event = self
            .word(at)
            .is_some_and(|word| self.vocabulary.has_event(word));
        if has_event && (!noun || beside) {
            self.mark(begin..end, Use::Time);
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

    /// "Compare November and December": each month on its own.
    fn compared_months(&mut self) {
        let Some(range) = self
            .request
            .time_range
            .as_ref()
            .filter(|_| self.request.compare)
        else {
            return;
        };
        let months = range.start.day() == 1
            && range.end.succ_opt().is_some_and(|next| next.day() == 1)
            && range.end.signed_duration_since(range.start).num_days() > 31;
        let said = range.kind.clone().unwrap_or_default();
        let joined = tokens(&said)
            .iter()
            .any(|token| token.is(&["and", "vs", "versus"]));
        if !months || !joined || !self.request.group_by.is_empty() {
            return;
        }
        self.request.group_by.push(super::GroupTerm {
            term: None,
            interval: Some(Interval::Month),
        });
        if self.request.measures.is_empty() {
            self.request.measures.push(super::MeasureTerm {
                op: MeasureOp::Count,
                term: None,
            });
        }
    }

    /// The date that is intended in the likeliest index when none is named.
    pub(super) fn usual_date(&self) -> Option<String> {
        let Some(first) = self.request.indices.first() else {
            let mut indices = self
                .sources
                .sources
                .iter()
                .flat_map(|source| &source.indices);
            return indices
                .find(|index| super::due::has_plan(index))?
                .date_field
                .clone();
        };
        let mut sources = self.sources.sources.iter();
        let source = sources.find(|source| source.name == first.source)?;
        let mut indices = source.indices.iter();
        let index = indices.find(|index| index.name == first.index)?;
        index.date_field.clone()
    }

    /// "Between Shanghai and Rotterdam": read with the names as "from … to".
    fn between_names(&mut self) {
        for at in 0..self.tokens.len() {
            let compared = (0..at)
                .any(|at| self.is(at, &["difference", "compare", "comparison", "comparing"]));
            if !self.is(at, &["between"]) || !self.free(at) || compared {
                continue;
            }
            let begin = self.past(at + 1, &["the"]);
            let mut and = begin;
            while self.uses.get(and) == Some(&Use::Name) {
                and += 1;
            }
            let behind = self.past(and + 1, &["the"]);
            if and > begin && self.is(and, &["and"]) && self.uses.get(behind) == Some(&Use::Name) {
                self.mark(at..at + 1, Use::Read);
                self.mark(and..and + 1, Use::Read);
            }
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

    /// Content words that no step took, in runs.
    fn leftover(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() && self.request.leftover.len() < MAX_LEFTOVER {
            if !self.is_content(at) {
                at += 1;
                continue;
            }
            let mut end = at + 1;
            // "Port of Miami" is one run.
            loop {
                let over = self.past(end, &["of", "-", "&"]);
                if self.is_content(end) {
                    end += 1;
                } else if over > end && self.is_content(over) && over <= end + 1 {
                    end = over + 1;
                } else {
                    break;
                }
            }
            let before = at.checked_sub(1);
            let introduced = before.is_some_and(|before| {
                let before = if self.is(before, &["the"]) {
                    before.saturating_sub(1)
                } else {
                    before
                };
                self.is(before, BEFORE_NAMES)
                    || self.vocabulary.entity_type(&self.tokens, before).is_some()
                        && !nouns::is_plural(&self.tokens[before..=before])
            });
            let written = at > 0 && self.tokens[at].capital;
            self.request.leftover.push(Leftover {
                span: self.tokens[at].start..self.tokens[end - 1].end,
                words: self.words(at..end),
                name_like: introduced || written,
            });
            at = end;
        }
    }

    /// Words that change the meaning of others and that no step took.
    fn operators(&mut self) {
        for at in 0..self.tokens.len() {
            let token = &self.tokens[at];
            let comma = self.is(at + 1, &[",", "."]);
            let is_one = self.points(at)
                || self.is(at, NOT) && !(at == 0 && comma)
                || self.is(at, &["or"])
                || self.is(at, COMPARE)
                || self.is(at, OPERATORS) && !self.is(at + 1, &["about", "details", "info"])
                || self.is(at, BEFORE_AMOUNTS)
                    && (self.is_name(at + 1)
                        || self
                            .tokens
                            .get(at + 1)
                            .is_some_and(|next| next.kind == Kind::Number))
                || self.is(at, &["apart", "aside"]) && self.is(at + 1, &["from"])
                || self.is_exception(at);
            if !self.free(at) || !is_one || self.request.operators.len() >= MAX_LEFTOVER {
                continue;
            }
            let said = self.text.get(token.start..).unwrap_or_default();
            let mut phrases = self.request.negated.iter();
            let excludes = phrases
                .find(|phrase| said.starts_with(phrase.as_str()))
                .cloned();
            self.request.operators.push(Operator {
                span: token.start..token.end,
                word: token.text.clone(),
                excludes,
            });
        }
    }

    /// "There" as a place, "of it": of something that was said before.
    fn points(&self, at: usize) -> bool {
        const BE: &[&str] = &["is", "are", "was", "were", "be", "been", "exist"];
        let be = at > 0 && self.is(at - 1, BE) || self.is(at + 1, BE);
        self.is(at, &["there"]) && !be
            || self.is(at, &["it", "them"]) && at > 0 && self.is(at - 1, &["of", "with"])
    }

    fn is_content(&self, at: usize) -> bool {
        let apart = self.is(at, &["apart", "aside"]) && self.is(at + 1, &["from"]);
        self.free(at)
            && self.tokens[at].kind != Kind::Mark
            && !self.tokens[at].is(FILLERS)
            && !self.tokens[at].is(NOT)
            && !self.tokens[at].is(&["either"])
            && !apart
            && (self.tokens[at].kind == Kind::Number || self.tokens[at].text.chars().count() > 1)
    }
}
