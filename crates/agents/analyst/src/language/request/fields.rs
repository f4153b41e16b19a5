//! Words that mean fields and values of them.

use std::ops::Range;

use contracts::tools::meanings::TermRole;
use contracts::tools::search::{FieldType, FilterOp};
use serde_json::Value;

use super::scan::{Scan, Use};
use super::words::{BEFORE_NAMES, FILLERS, NOT};
use crate::language::text::Kind;

/// Words that end the words for a field.
const ENDS: &[&str] = &[
    "for",
    "in",
    "to",
    "from",
    "at",
    "on",
    "by",
    "per",
    "of",
    "with",
    "where",
    "that",
    "which",
    "who",
    "is",
    "are",
    "was",
    "were",
    "and",
    "or",
    "last",
    "this",
    "since",
    "between",
    "during",
    "over",
    "under",
    "above",
    "below",
    "descending",
    "ascending",
    "desc",
    "asc",
    "instead",
    "please",
    "sorted",
    "grouped",
    "than",
    "only",
    "first",
    "when",
    "has",
    "have",
    "having",
    "as",
    "too",
    "also",
    "now",
    "across",
    "within",
    "each",
    "using",
    "then",
    "but",
    "via",
    "into",
];

impl Scan<'_> {
    /// The words at `at` for something to compute, group or sort: a field, a noun, or up to three
    /// other words.
    pub(super) fn term_at(&self, at: usize) -> Option<Range<usize>> {
        let begin = self.past(
            at,
            &[
                "the",
                "a",
                "an",
                "their",
                "its",
                "each",
                "number",
                "of",
                "different",
            ],
        );
        if begin > at && !self.free(begin) {
            return None;
        }
        if let Some(range) = self.known_at(at).or_else(|| self.known_at(begin)) {
            return Some(range);
        }
        let mut end = begin;
        while end < begin + 3
            && self.free(end)
            && self.tokens[end].is_word()
            && !self.is(end, ENDS)
            && !(end > begin && self.is(end, FILLERS))
        {
            end += 1;
        }
        (end > begin && !self.is(begin, FILLERS)).then_some(begin..end)
    }

    /// The words at `at` that a field or the records of an index are called.
    pub(super) fn known_at(&self, at: usize) -> Option<Range<usize>> {
        let field = self.vocabulary.named(&self.tokens, at).map(|(end, _)| end);
        let noun = self.vocabulary.noun(&self.tokens, at).map(|(end, _)| end);
        let kind = self.vocabulary.entity_type(&self.tokens, at);
        let end = field.max(noun).max(kind)?;
        self.all_free(at..end).then_some(at..end)
    }

    /// Words that are values, or that fields say yes to: `delivered`, `not hazardous`.
    pub(super) fn values(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            at = self
                .told_value(at)
                .or_else(|| self.told_before(at))
                .or_else(|| self.early(at))
                .or_else(|| self.missing(at))
                .or_else(|| self.value(at))
                .or_else(|| self.opposite(at))
                .or_else(|| self.part_of_value(at))
                .unwrap_or(at + 1);
        }
        self.negations();
    }

    /// `commodity is steel`, `carrier = "MSC"`, `flag Panama`.
    fn told_value(&mut self, at: usize) -> Option<usize> {
        let (end, fields) = self.vocabulary.named(&self.tokens, at)?;
        if !self.all_free(at..end) {
            return None;
        }
        let plain = fields.iter().any(|field| {
            let field = self.vocabulary.field(*field);
            matches!(field.field_type, FieldType::Keyword | FieldType::Text)
                && field.entity_type.is_none()
        });
        let thing = self.vocabulary.noun(&self.tokens, at).is_some()
            || self.vocabulary.entity_type(&self.tokens, at).is_some();
        if !plain || thing {
            return None;
        }
        let link = self.past(
            end,
            &[
                "is", "are", "was", "=", ":", "equals", "equal", "to", "of", "named", "called",
            ],
        );
        let negated = self.is(link, &["not", "isn't"]);
        let from = link + usize::from(negated);
        // What the descriptions know as a value is read as one.
        if self.vocabulary.valued(&self.tokens, from).is_some()
            || self.vocabulary.affirmed(&self.tokens, from).is_some()
        {
            return None;
        }
        let linked = link > end
            && self.tokens[end..link].iter().any(|token| {
                token.is(&[
                    "is", "are", "was", "=", ":", "equals", "equal", "named", "called",
                ])
            });
        let written = |at: usize| {
            self.tokens.get(at).is_some_and(|token| {
                self.uses[at] == Use::Name
                    || token.kind != Kind::Mark
                        && self.free(at)
                        && (token.capital || token.kind == Kind::Number)
                        && !token.is(FILLERS)
            })
        };
        let mut to = from;
        while to < from + 6 && written(to) {
            to += 1;
        }
        if to == from
            && linked
            && self.free(from)
            && self.word(from).is_some_and(|_| !self.is(from, FILLERS))
        {
            to = from + 1;
        }
        // "The flag of Panama"; "the status of MSC ANNA" asks for it.
        let without_values = fields
            .iter()
            .all(|field| self.vocabulary.field(*field).values.is_empty());
        let beside = self.is_borne(at);
        let of = self.is(end, &["of"]) && link == end + 1 && without_values && beside;
        if to == from || (link > end && !linked && !of) {
            return None;
        }
        while to < self.tokens.len() && self.uses[to - 1] == Use::Name && self.uses[to] == Use::Name
        {
            to += 1;
        }
        let said = self.words(from..to);
        let said = said.trim_matches(['"', '\u{201c}', '\u{201d}']).trim();
        if said.is_empty() {
            return None;
        }
        // It is compared with this field, not looked for among names.
        self.request.entity_hints.retain(|hint| hint.text != said);
        // "Panama or Liberia": each.
        let mut values = vec![Value::String(said.to_owned())];
        let (more, last) = self.more_values(to);
        values.extend(more);
        let op = if negated {
            FilterOp::IsNot
        } else {
            FilterOp::Is
        };
        let value = match values.as_slice() {
            [one] => one.clone(),
            _ => Value::Array(values),
        };
        self.term(self.words(at..end), TermRole::Filter, Some(op), Some(value));
        self.told(from..to);
        let to = last.max(to);
        self.mark(at..to, Use::Read);
        if of {
            // "Flying the flag of Panama".
            let verb = self.past_back(at, &["the", "a"]);
            if verb > 0 && self.is(verb - 1, &["fly", "flying", "flies", "bearing"]) {
                self.mark(verb - 1..verb, Use::Read);
            }
        }
        Some(to)
    }

    /// Whether words say that something has or bears what is named at a place: "with the flag".
    fn is_borne(&self, at: usize) -> bool {
        const BEARING: &[&str] = &[
            "with", "under", "fly", "flying", "flies", "has", "have", "having", "bearing",
        ];
        let before = self.past_back(at, &["the", "a"]);
        before > 0 && self.is(before - 1, BEARING)
    }

    /// Values behind "or" that no description knows: "Panama or Liberia"; and the place behind
    /// them.
    fn more_values(&mut self, from: usize) -> (Vec<Value>, usize) {
        const JOINTS: &[&str] = &["or", "and", ",", "nor"];
        let mut values = Vec::new();
        let mut last = from;
        while self.is(last, JOINTS) {
            let begin = self.past(last, &["or", "and", ",", "nor", "the"]);
            let mut end = begin;
            while end < begin + 4
                && self.free(end)
                && self.tokens[end].is_word()
                && self.tokens[end].capital
            {
                end += 1;
            }
            let known = self.vocabulary.named(&self.tokens, begin).is_some()
                || self.vocabulary.valued(&self.tokens, begin).is_some();
            if end == begin || known || self.is(begin, FILLERS) {
                break;
            }
            values.push(Value::String(self.words(begin..end)));
            self.told(begin..end);
            last = end;
        }
        (values, last)
    }

    /// The words are a value, and name nothing.
    fn told(&mut self, range: Range<usize>) {
        if let Some(words) = self.tokens.get(range)
            && let (Some(first), Some(last)) = (words.first(), words.last())
        {
            self.request.told.push(first.start..last.end);
        }
    }

    pub(super) fn past_back(&self, at: usize, words: &[&str]) -> usize {
        let mut at = at;
        while at > 0 && self.is(at - 1, words) {
            at -= 1;
        }
        at
    }

    /// `under Panama flag`, `the Liberian flag`: a value in capitals before a plain field that has
    /// no list of values.
    fn told_before(&mut self, at: usize) -> Option<usize> {
        let token = self.tokens.get(at)?;
        let begins =
            token.is_word() && token.capital && self.free(at) && at > 0 && !token.is(FILLERS);
        if !begins {
            return None;
        }
        let end = (at + 1..at + 4).find(|end| {
            !self
                .tokens
                .get(*end)
                .is_some_and(|token| token.capital && token.is_word())
        })?;
        let (to, fields) = self.vocabulary.named(&self.tokens, end)?;
        let plain = fields.iter().any(|field| {
            let field = self.vocabulary.field(*field);
            field.field_type == FieldType::Keyword
                && field.entity_type.is_none()
                && field.values.is_empty()
        });
        let thing = self.vocabulary.noun(&self.tokens, end).is_some()
            || self.vocabulary.entity_type(&self.tokens, end).is_some();
        let led = self.is(
            self.past_back(at, &["the", "a"]).checked_sub(1)?,
            &["with", "under", "of", "fly", "flying", "flies", "having"],
        );
        if !plain || thing || !led || !self.all_free(at..to) {
            return None;
        }
        let said = self.words(at..end);
        self.request.entity_hints.retain(|hint| hint.text != said);
        let value = Value::String(said);
        self.term(
            self.words(end..to),
            TermRole::Filter,
            Some(FilterOp::Is),
            Some(value),
        );
        self.told(at..end);
        self.mark(at..to, Use::Read);
        let verb = self.past_back(at, &["the", "a"]);
        if self.is(verb - 1, &["fly", "flying", "flies", "under"]) {
            self.mark(verb - 1..verb, Use::Read);
        }
        Some(to)
    }

    /// "Early", "ahead of schedule": less than nothing of what is counted behind the plan.
    fn early(&mut self, at: usize) -> Option<usize> {
        if !self.free(at) {
            return None;
        }
        // "Early December" is a time, "early in December" is not.
        let adverb = self.is(at + 1, &["in", "on", "during", "at", "last", "this"]);
        let of_time = self.uses.get(at + 1) == Some(&Use::Time) && !adverb;
        let early = self.is(at, &["early"]) && !of_time;
        let ahead = self.is(at, &["ahead"]) && self.is(at + 1, &["of"]);
        let plan = self.past(at + 2, &["the", "its", "their"]);
        let end = if early {
            at + 1
        } else if ahead && self.is(plan, &["schedule", "plan", "time", "planned", "eta"]) {
            plan + 1
        } else {
            return None;
        };
        let mut fields = self.vocabulary.fields().iter();
        let delay = fields.find(|field| {
            let words = field
                .synonyms
                .iter()
                .map(String::as_str)
                .chain([field.name.as_str()]);
            let mut words = words.flat_map(crate::language::text::tokens);
            field.field_type.is_number()
                && words.any(|word| word.is(&["delay", "delays", "lateness", "tardiness"]))
        })?;
        let name = delay.name.clone();
        let negated = self.negation(at);
        let op = if negated.is_some() {
            FilterOp::Gte
        } else {
            FilterOp::Lt
        };
        self.term(name, TermRole::Filter, Some(op), Some(Value::from(0)));
        if let Some(no) = negated {
            self.mark(no, Use::Read);
        }
        self.mark(at..end, Use::Read);
        Some(end)
    }

    /// `without arrival date`, `no vessel name`: nothing is there.
    fn missing(&mut self, at: usize) -> Option<usize> {
        if !self.free(at) || !self.is(at, &["without", "no", "missing", "lacking"]) {
            return None;
        }
        let begin = self.past(at + 1, &["a", "an", "any", "the"]);
        if let Some(end) = self.without_delay(at, begin) {
            return Some(end);
        }
        // "Without delay" is what is not delayed.
        let yes = self.vocabulary.affirmed(&self.tokens, begin);
        if let Some((end, _)) = yes.filter(|(end, _)| self.all_free(begin..*end)) {
            self.term(
                self.words(begin..end),
                TermRole::Filter,
                Some(FilterOp::IsNot),
                None,
            );
            self.mark(at..end, Use::Read);
            return Some(end);
        }
        let (end, _) = self.vocabulary.named(&self.tokens, begin)?;
        let wanted = self.head.clone().is_some_and(|head| head.start == begin);
        if wanted || !self.all_free(begin..end) || self.is(end, &["filter", "filters", "of", "by"])
        {
            return None;
        }
        self.term(
            self.words(begin..end),
            TermRole::Filter,
            Some(FilterOp::Missing),
            None,
        );
        self.mark(at..end, Use::Read);
        Some(end)
    }

    /// "Without delay", "no delay": nothing of what is counted behind the plan, or less.
    fn without_delay(&mut self, at: usize, begin: usize) -> Option<usize> {
        if !self.is(begin, &["delay", "delays", "lateness"]) || !self.free(begin) {
            return None;
        }
        let (end, fields) = self.vocabulary.named(&self.tokens, begin)?;
        let mut fields = fields.iter().map(|field| self.vocabulary.field(*field));
        let delay = fields.find(|field| field.field_type.is_number())?;
        let name = delay.name.clone();
        let none = Some(Value::from(0));
        self.term(name, TermRole::Filter, Some(FilterOp::Lte), none);
        self.mark(at..end, Use::Read);
        Some(end)
    }

    fn value(&mut self, at: usize) -> Option<usize> {
        let (mut end, fields) = self.value_at(at)?;
        let mut from = at;
        let negation = self.negation(at);
        let negated = negation.is_some();
        // "Delivered or arrived", "delivered, arrived and cancelled": one condition.
        loop {
            let next = self.past(end, &[",", "or", "and", "/", "nor"]);
            match self.value_at(next) {
                Some((to, others))
                    if next > end && others.iter().any(|other| fields.contains(other)) =>
                {
                    end = to;
                }
                _ => break,
            }
        }
        let text = self.words(from..end);
        // "Delivered status", "status is delivered": the field's own words add nothing.
        if let Some((to, named)) = self.vocabulary.named(&self.tokens, end)
            && named.iter().any(|field| fields.contains(field))
            && self.all_free(end..to)
        {
            end = to;
        }
        let link = (0..from).rev().take(3).find(|at| {
            !self.is(
                *at,
                &["is", "are", "=", ":", "of", "not", "equals", "was", "were"],
            )
        });
        if let Some(last) = link {
            for start in last.saturating_sub(2)..=last {
                let named = self.vocabulary.named(&self.tokens, start);
                if named.is_some_and(|(to, named)| {
                    to == last + 1 && named.iter().any(|field| fields.contains(field))
                }) && self.all_free(start..from)
                {
                    from = start;
                    break;
                }
            }
        }
        let op = negated.then_some(FilterOp::IsNot);
        // "Neither late nor hazardous": of two fields.
        let text = text.replace(" nor ", " or ");
        self.term(text, TermRole::Filter, op, None);
        if let Some(no) = negation {
            self.mark(no, Use::Read);
        }
        if at > 0 && self.is(at - 1, &["either", "both"]) {
            self.mark(at - 1..at, Use::Read);
        }
        self.mark(from..end, Use::Read);
        Some(end)
    }

    /// `undelivered`: every other value of the field.
    fn opposite(&mut self, at: usize) -> Option<usize> {
        let word = self.word(at).filter(|_| self.free(at))?;
        let rest = ["un", "non"]
            .iter()
            .find_map(|before| word.strip_prefix(before))?
            .to_owned();
        let mut fields = self.vocabulary.fields().iter();
        let known = fields.any(|field| {
            let mut values = field.values.iter();
            values.any(|value| value.eq_ignore_ascii_case(&rest))
        });
        known.then(|| {
            self.term(rest, TermRole::Filter, Some(FilterOp::IsNot), None);
            self.mark(at..at + 1, Use::Read);
            at + 1
        })
    }

    /// `fruit`, of the values `fresh fruit` and `coffee`: the last word of one value that is no
    /// name.
    fn part_of_value(&mut self, at: usize) -> Option<usize> {
        const SHORTEST: usize = 4;
        let free = self.free(at) && self.vocabulary.noun(&self.tokens, at).is_none();
        let word = self.word(at).filter(|_| free)?;
        let named = self.vocabulary.named(&self.tokens, at).is_some()
            || self.vocabulary.is_event(word)
            || self.tokens[at].is(FILLERS);
        if named || word.chars().count() < SHORTEST {
            return None;
        }
        let said = crate::language::text::stem(word);
        let mut values = self
            .vocabulary
            .fields()
            .iter()
            .flat_map(|field| &field.values)
            .filter(|value| !value.contains(char::is_uppercase))
            .filter(|value| {
                let mut words = value.split([' ', '_', '-']);
                let last = words.next_back().unwrap_or_default();
                words.next().is_some() && crate::language::text::stem(last) == said
            });
        let value = values.next()?.clone();
        if values.next().is_some_and(|other| *other != value) {
            return None;
        }
        let negation = self.negation(at);
        let op = negation.is_some().then_some(FilterOp::IsNot);
        self.term(value.replace('_', " "), TermRole::Filter, op, None);
        if let Some(no) = negation {
            self.mark(no, Use::Read);
        }
        self.mark(at..at + 1, Use::Read);
        Some(at + 1)
    }

    /// A value at `at`, or what a field says yes to, that is not part of a name.
    fn value_at(&self, at: usize) -> Option<(usize, Vec<usize>)> {
        let value = self.vocabulary.valued(&self.tokens, at);
        let yes = self.vocabulary.affirmed(&self.tokens, at);
        let (end, fields) = match (value, yes) {
            (Some(value), Some(yes)) if yes.0 > value.0 => yes,
            (Some(value), _) => value,
            (None, yes) => yes?,
        };
        // "Delay" is a field, "delayed" is so or not so.
        let adjective = self.vocabulary.affirmed(&self.tokens, at).is_none()
            || !self.is(at, &["delay", "delays"]);
        // "Arrive at": what is done, not how it stands; only the word as it is a value.
        let exact = fields.iter().any(|field| {
            let field = self.vocabulary.field(*field);
            field.field_type == FieldType::Boolean
                || field.values.iter().any(|value| {
                    let first = value.split(['_', '-', ' ']).next().unwrap_or_default();
                    self.is(at, &[first.to_lowercase().as_str()])
                        // "Reefers".
                        || self.tokens[at].text.strip_suffix('s') == Some(first.to_lowercase().as_str())
                        || self.tokens[at].text == crate::language::text::fold(first)
                })
        });
        let bare_number = self.tokens[at].kind == Kind::Number;
        (adjective && exact && !bare_number && self.all_free(at..end)).then_some((end, fields))
    }

    /// The words before `at` that say no: `not`, `without`, `except the`, `other than`; `but`
    /// behind `everything`.
    pub(super) fn negation(&self, at: usize) -> Option<Range<usize>> {
        const BETWEEN: &[&str] = &[
            "the",
            "a",
            "any",
            "yet",
            "been",
            "be",
            "being",
            "-",
            "ones",
            "have",
            "has",
            "those",
            "from",
            "to",
            "at",
            "in",
            "of",
            "by",
            "on",
            "via",
            "with",
            "for",
            "are",
            "is",
            "was",
            "were",
            "go",
            "going",
            "come",
            "coming",
            "carried",
            "carrying",
            "carry",
            "carries",
            "shipped",
            "operated",
            "handled",
            "transported",
            "moved",
            "sent",
            "include",
            "including",
            "contain",
            "containing",
            "using",
            "aboard",
            "only",
            "just",
        ];
        let mut before = at;
        while before > 0 && at - before < 5 && self.is(before - 1, BETWEEN) {
            before -= 1;
        }
        let last = before.checked_sub(1)?;
        if self.is(last, NOT) || self.is_exception(last) {
            return Some(last..before);
        }
        let two = last.checked_sub(1)?;
        let pairs: [(&str, &[&str]); 3] = [
            ("than", &["other", "rather"]),
            ("from", &["apart", "aside"]),
            ("for", &["except", "save"]),
        ];
        let pair = |last: usize| {
            pairs.iter().any(|(second, firsts)| {
                last > 0 && self.is(last, &[second]) && self.is(last - 1, firsts)
            })
        };
        if pair(last) {
            return Some(two..before);
        }
        // "Apart from": "from" was passed as a preposition.
        (before < at && pair(before)).then_some(last..before + 1)
    }

    /// "Everything but coffee", "to all ports but Hamburg".
    pub(super) fn is_exception(&self, at: usize) -> bool {
        const ALL: &[&str] = &[
            "all",
            "every",
            "everything",
            "everywhere",
            "anything",
            "any",
            "anywhere",
            "none",
            "nothing",
        ];
        self.is(at, &["but", "save"])
            && (at.saturating_sub(4)..at).any(|before| self.is(before, ALL))
            && !(at.saturating_sub(4)..at).any(|before| self.is(before, &[",", "."]))
    }

    /// Phrases that are excluded, for names that are in them.
    fn negations(&mut self) {
        for at in 0..self.tokens.len() {
            let pair = self.is(at, &["other", "rather"]) && self.is(at + 1, &["than"])
                || self.is(at, &["apart", "aside"]) && self.is(at + 1, &["from"]);
            let no = (self.is(at, NOT) || self.is_exception(at)) && self.free(at) || pair;
            if !no || self.request.negated.len() >= 8 {
                continue;
            }
            let mut end = at + 1;
            while end < self.tokens.len().min(at + 12)
                && matches!(self.uses[end], Use::Free | Use::Name)
                && (end == at + 1 || !self.is(end, &[".", ";", "but", "with", "that", "which"]))
            {
                // "Except Hamburg and Rotterdam"; "not from Shanghai and to Hamburg" needs what
                // goes there.
                if self.is(end, &[",", "and", "or"]) && !self.excludes_more(end + 1) {
                    break;
                }
                end += 1;
            }
            let named = (at + 1..end).any(|at| self.uses[at] == Use::Name || !self.is(at, FILLERS));
            if named {
                let phrase = self.words(at..end);
                self.request.negated.push(phrase);
            }
        }
    }

    /// Whether another name that is excluded may are at `at`, behind "and".
    fn excludes_more(&self, at: usize) -> bool {
        let at = self.past(at, &["the"]);
        let free = matches!(self.uses.get(at), Some(Use::Free | Use::Name));
        free && !self.is(at, FILLERS)
            && self.vocabulary.noun(&self.tokens, at).is_none()
            && self.tokens[at].kind != Kind::Mark
    }

    /// Fields that are named and were not used: they are to be shown.
    pub(super) fn selected(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            let Some(range) = self.known_at(at) else {
                at += 1;
                continue;
            };
            let end = range.end;
            // Other records that are asked for, too, are not among those that are found: the answer
            // says so.
            if self.is_another_noun(&range) {
                at = end;
                continue;
            }
            self.planned_and_actual(&range);
            if self.is_to_be_shown(&range) {
                self.term(self.words(range.clone()), TermRole::Select, None, None);
            }
            // A noun beside the wanted one ("vessel MSC ANNA") is understood, too.
            self.mark(range, Use::Read);
            at = end;
        }
    }

    /// "How many vessels and ports": a word for records that are neither the requested ones nor one
    /// of their fields, and that has no name next to it.
    fn is_another_noun(&self, range: &Range<usize>) -> bool {
        let joined = range.start > 0 && {
            let before = self.past_back(range.start, &["the", "many", "how", "all"]);
            before > 0 && self.is(before - 1, &["and", ",", "or", "&"])
        };
        // "How many vessels and ports": also where records of the one have a field for the other.
        let counted = !self.request.measures.is_empty()
            && self.head.as_ref().is_some_and(|head| {
                range.start > head.end
                    && range.start - head.end <= 3
                    && self.is(head.end, &["and", "or", "&"])
            });
        if counted && self.vocabulary.noun(&self.tokens, range.start).is_some() {
            return true;
        }
        self.head.is_some()
            && joined
            && self.vocabulary.named(&self.tokens, range.start).is_none()
            && self
                .vocabulary
                .entity_type(&self.tokens, range.start)
                .is_none()
            && self.vocabulary.noun(&self.tokens, range.start).is_some()
            && !self.is_name(range.end)
            && !self.is(range.end, &["of", "called", "named"])
    }

    /// "Planned and actual arrival": two dates.
    fn planned_and_actual(&mut self, range: &Range<usize>) {
        const KINDS: &[&str] = &["planned", "actual", "scheduled", "estimated", "expected"];
        let Some(other) = range.start.checked_sub(2).filter(|at| self.free(*at)) else {
            return;
        };
        let joined = self.is(other, KINDS)
            && self.is(
                other + 1,
                &["and", "or", "vs", "versus", "&", "with", "against"],
            );
        if !joined || !self.is(range.start, KINDS) || range.len() < 2 {
            return;
        }
        let words = format!(
            "{} {}",
            self.words(other..other + 1),
            self.words(range.start + 1..range.end)
        );
        let said = crate::language::text::tokens(&words);
        let known = self.vocabulary.named(&said, 0);
        if known.is_some_and(|(end, _)| end == said.len()) {
            self.term(words, TermRole::Select, None, None);
            self.mark(other..other + 1, Use::Read);
        }
    }

    fn is_to_be_shown(&self, range: &Range<usize>) -> bool {
        if self
            .vocabulary
            .named(&self.tokens, range.start)
            .is_none_or(|(end, _)| end != range.end)
        {
            return false;
        }
        let noun = self
            .vocabulary
            .noun(&self.tokens, range.start)
            .is_some_and(|(end, _)| end == range.end)
            || self.vocabulary.entity_type(&self.tokens, range.start) == Some(range.end);
        if !noun {
            return true;
        }
        // A word for a kind of things is a field only where fields are listed, and no name follows.
        let before = range.start.checked_sub(1).map(|at| {
            let mut at = at;
            while at > 0 && self.is(at, &["the", "their", "its", "a"]) {
                at -= 1;
            }
            at
        });
        let listed = before.is_some_and(|at| {
            self.is(
                at,
                &[
                    "include",
                    "including",
                    "add",
                    "show",
                    "with",
                    "and",
                    ",",
                    "plus",
                    "also",
                    "display",
                    "column",
                    "columns",
                ],
            )
        });
        let named = self.is(range.end, &["of", "called", "named"])
            || self.is_name(range.end)
            || self.tokens.get(range.end).is_some_and(|token| {
                self.free(range.end)
                    && token.is_word()
                    && !token.is(FILLERS)
                    && !token.is(BEFORE_NAMES)
                    && self.known_at(range.end).is_none()
            });
        listed && !named
    }
}
