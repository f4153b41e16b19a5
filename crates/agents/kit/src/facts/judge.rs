//! Whether a sentence says what its facts say, and how it reads with their values.

use std::collections::BTreeSet;
use std::ops::Range;

use chrono::Datelike;
use contracts::tools::Period;

use super::{
    Direction, Fact, FactId, FactRegistry, Kind, Series, Subject, courtesy,
    leads::{greeted, item},
    lexicon,
    search::Search,
    segments::Segment,
    tokens::{self, Placed, Token},
    whole::{is_complete, moments_hold, quotes_hold, states_hold},
};

/// Marks that a sentence may have.
const MARKS: &[char] = &[
    '.', ',', ';', ':', '!', '?', '(', ')', '"', '\'', '\u{2018}', '\u{2019}', '\u{201c}',
    '\u{201d}', '\u{2013}', '\u{2014}', '\u{2026}', '-', '*', '_', '`', '#', '|',
];

/// A sentence that holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Held {
    pub(super) text: String,
    /// Whether it names a fact.
    pub(super) grounded: bool,
}

/// The subjects of the sentences so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Carry {
    /// The subject named last, in lower case.
    pub(super) name: Option<String>,
    /// The measures of the newest sentence.
    pub(super) labels: BTreeSet<String>,
    /// The days named last.
    pub(super) period: Option<Period>,
}

/// Judges the sentences of one text in their order.
#[derive(Debug, Clone)]
pub(super) struct Judge<'a> {
    registry: &'a FactRegistry,
    carry: Carry,
    /// The facts that were named.
    pub(super) cited: BTreeSet<FactId>,
    /// The names that came up, in lower case.
    pub(super) named: BTreeSet<String>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(registry: &'a FactRegistry) -> Self {
        Self {
            registry,
            carry: Carry::default(),
            cited: BTreeSet::new(),
            named: BTreeSet::new(),
        }
    }

    /// The sentence with the values of its facts; `None` where it says something else. Sentences of
    /// the rules that are named at its beginning or end are said in any case.
    pub(super) fn judge(&mut self, sentence: &str) -> Option<Held> {
        let tokens = tokens::tokens(sentence, self.registry);
        let is_word = |one: &Placed| !matches!(one.token, Token::Ref(_) | Token::Mark(_));
        let is_value =
            |one: &Placed| matches!(one.token, Token::Ref(id) if id.series != Series::Sentence);
        let said = |one: &Placed| is_word(one) || is_value(one);
        let first = tokens.iter().position(said).unwrap_or(tokens.len());
        let last = tokens.iter().rposition(said).map_or(first, |at| at + 1);
        let begin = self.statements(&tokens[..first]);
        let behind = tokens[last..]
            .iter()
            .find(|one| matches!(one.token, Token::Ref(_)));
        let own = match (tokens.get(first), begin.is_some() || behind.is_some()) {
            (None, _) => "",
            (Some(_), false) => sentence,
            (Some(one), true) => {
                let end = behind.map_or(sentence.len(), |one| one.span.start);
                &sentence[if begin.is_some() { one.span.start } else { 0 }..end]
            }
        };
        let own = if own.is_empty() {
            None
        } else {
            Some(self.sentence(own))
        };
        let end = self.statements(&tokens[last.max(first)..]);
        let lead = &sentence[..sentence.len() - sentence.trim_start().len()];
        match (begin, own, end) {
            (None, own, None) => own.flatten(),
            (begin, own, end) => {
                let own = own.flatten().map(|own| own.text.trim().to_owned());
                let parts: Vec<String> = [begin, own, end].into_iter().flatten().collect();
                Some(Held {
                    text: format!("{lead}{}", parts.join(" ")),
                    grounded: true,
                })
            }
        }
    }

    fn sentence(&mut self, sentence: &str) -> Option<Held> {
        let body = sentence.trim_start();
        let (mark, body) = item(body);
        let (greeting, body) = greeted(body);
        let lead = &sentence[..sentence.len() - sentence.trim_start().len()];
        let begin = format!("{lead}{mark}{greeting}");
        let registry = self.registry;
        if let Some(statement) = registry.repeated(body) {
            self.cited.insert(statement.id);
            return Some(Held {
                text: format!("{begin}{}", statement.text),
                grounded: true,
            });
        }
        let tokens = tokens::tokens(body, registry);
        let ids: Vec<FactId> = tokens
            .iter()
            .filter_map(|one| match one.token {
                Token::Ref(id) => Some(id),
                _ => None,
            })
            .collect();
        if !marks_hold(body, &tokens) {
            return None;
        }
        let names = tokens.iter().filter_map(|one| match &one.token {
            Token::Name(name) => Some(name.clone()),
            _ => None,
        });
        let names: Vec<String> = names.collect();
        if ids.is_empty() {
            if !courtesy::passes(&tokens, registry) {
                return None;
            }
            if let [name] = names.as_slice() {
                self.carry.name = Some(name.clone());
            }
            return Some(Held {
                text: format!("{begin}{body}"),
                grounded: false,
            });
        }
        let facts: Vec<Option<&Fact>> = tokens
            .iter()
            .map(|one| match one.token {
                Token::Ref(id) => registry.fact(id),
                _ => None,
            })
            .collect();
        let mut refs = tokens.iter().zip(&facts);
        if refs.any(|(one, fact)| matches!(one.token, Token::Ref(_)) && fact.is_none()) {
            return None;
        }
        if asks(&tokens) || !quotes_hold(&tokens, &facts) {
            return None;
        }
        let tokens = without_units(body, tokens, &facts);
        // A percent sign that is not the unit of its value makes another one of it.
        let usual =
            |one: &Placed| !matches!(one.token, Token::Mark(mark) if !MARKS.contains(&mark));
        if !tokens.iter().all(usual) {
            return None;
        }
        let facts: Vec<Option<&Fact>> = tokens
            .iter()
            .map(|one| match one.token {
                Token::Ref(id) => registry.fact(id),
                _ => None,
            })
            .collect();
        if !is_complete(&tokens, &facts)
            || !moments_hold(&tokens, &facts)
            || !states_hold(registry, &facts)
        {
            return None;
        }
        let search = Search::through(registry, &tokens, &facts);
        let (segments, carry) = search.found(&self.carry)?;
        self.carry = carry;
        self.cited.extend(ids);
        self.named.extend(names);
        let grounded = facts.iter().flatten().any(|fact| fact.kind != Kind::Days);
        let text = written(body, &segments, &tokens, &facts);
        // A statement behind a lead begins as it was written.
        let text = match text.chars().next() {
            Some(first) if !greeting.is_empty() && body.starts_with(char::is_lowercase) => {
                let rest = &text[first.len_utf8()..];
                format!("{}{rest}", first.to_lowercase())
            }
            _ => text,
        };
        let shown = registry.names_in(&text);
        self.named.extend(shown);
        Some(Held {
            text: format!("{begin}{text}"),
            grounded,
        })
    }

    /// Sentences of the rules by their ids; none is said twice.
    fn statements(&mut self, tokens: &[Placed]) -> Option<String> {
        let registry = self.registry;
        let ids = tokens.iter().filter_map(|one| match one.token {
            Token::Ref(id) => Some(id),
            _ => None,
        });
        let new: Vec<&str> = ids
            .filter_map(|id| registry.statement(id))
            .filter(|one| self.cited.insert(one.id))
            .map(|one| one.text.as_str())
            .collect();
        (!new.is_empty()).then(|| new.join(" "))
    }
}

/// The parts of a sentence before one.
pub(super) struct Before<'a> {
    pub(super) labels: &'a BTreeSet<String>,
    pub(super) words: &'a BTreeSet<String>,
}

/// One part of a sentence.
pub(super) struct Part<'a> {
    pub(super) facts: Vec<&'a Fact>,
    pub(super) words: Vec<&'a str>,
    pub(super) names: Vec<&'a str>,
    pub(super) days: Vec<Period>,
    pub(super) tokens: &'a [Placed],
    /// The places of its facts among its tokens.
    pub(super) refs: Vec<usize>,
}

impl<'a> Part<'a> {
    pub(super) fn new(segment: &Segment, tokens: &'a [Placed], facts: &[Option<&'a Fact>]) -> Self {
        let range = segment.tokens.clone();
        let own = &tokens[range.clone()];
        let of = |pick: fn(&Token) -> Option<&str>| {
            own.iter().filter_map(|one| pick(&one.token)).collect()
        };
        let days = facts[range.clone()].iter().flatten();
        Self {
            facts: segment.refs.iter().filter_map(|at| facts[*at]).collect(),
            words: of(|token| match token {
                Token::Word(word) => Some(word),
                _ => None,
            }),
            names: of(|token| match token {
                Token::Name(name) => Some(name),
                _ => None,
            }),
            days: days
                .filter(|fact| fact.kind == Kind::Days)
                .filter_map(|fact| fact.period)
                .collect(),
            tokens: own,
            refs: segment.refs.iter().map(|at| at - range.start).collect(),
        }
    }

    pub(super) fn holds(
        &self,
        registry: &FactRegistry,
        carry: &Carry,
        before: &Before<'_>,
        implied: Option<Period>,
    ) -> Option<()> {
        let all = self.words_hold(registry)
            && self.tense_holds(registry)
            && self.whens_hold(registry)
            && self.subjects_hold(registry, carry)
            && self.days_hold(registry, carry, implied)
            && self.apart_hold(registry, before.words)
            && self.measures_hold(registry, carry, before)
            && self.claims_hold(registry, carry, before.words)
            && self.order_holds();
        all.then_some(())
    }

    /// Each word claims nothing, or a fact of the part supports it.
    fn words_hold(&self, registry: &FactRegistry) -> bool {
        let nothing = self
            .words
            .iter()
            .filter(|word| lexicon::is_none(word))
            .count();
        nothing <= 1
            && self.words.iter().all(|word| {
                lexicon::is_neutral(word)
                    || lexicon::is_noun(word)
                    || registry.has_row_noun(word)
                    || self.facts.iter().any(|fact| fact.supports(word))
                    || self.says_when(word, registry)
                    || self.is_of_time(word, registry)
            })
    }

    /// Whether a word says when, and all facts of the part are of then.
    fn says_when(&self, word: &str, registry: &FactRegistry) -> bool {
        let mut periods = self.facts.iter().map(|fact| fact.period).peekable();
        periods.peek().is_some()
            && periods.all(|period| period.is_some_and(|period| is_when(word, period, registry)))
    }

    /// The part is about the subjects of its facts.
    fn subjects_hold(&self, registry: &FactRegistry, carry: &Carry) -> bool {
        if self.facts.is_empty() {
            return self.names.is_empty();
        }
        let allowed: BTreeSet<String> = self.facts.iter().flat_map(|fact| fact.names()).collect();
        if !self.names.iter().all(|name| allowed.contains(*name)) {
            return false;
        }
        let whole = self.words.iter().any(|word| lexicon::is_whole(word));
        let points = self
            .words
            .iter()
            .any(|word| ["it", "its", "it's"].contains(word));
        self.facts
            .iter()
            .all(|fact| match (&fact.subject, &fact.kind) {
                (Subject::Named(_), Kind::Extreme { .. }) if self.names.is_empty() => {
                    !points && !whole
                }
                (Subject::Named(name), kind) => {
                    let name = name.to_lowercase();
                    if let Some(first) = self.names.first() {
                        // A comparison reads from its first name to its second.
                        let compares = matches!(kind, Kind::Difference { .. } | Kind::Ratio { .. });
                        return if compares {
                            **first == *name
                        } else {
                            self.names.contains(&&*name)
                        };
                    }
                    let alone = registry.only_subject() == Some(&fact.subject);
                    !whole && (alone || carry.name.as_deref() == Some(&*name))
                }
                (Subject::Whole, _) => {
                    let addressed = ["you", "your", "there", "panels"];
                    let addressed = self.words.iter().any(|word| addressed.contains(word));
                    let alone = registry.only_subject().is_some();
                    whole || carry.name.is_none() || !points && (addressed || alone)
                }
            })
    }

    /// The days that are named are those of the facts, and are named where there are others.
    fn days_hold(&self, registry: &FactRegistry, carry: &Carry, implied: Option<Period>) -> bool {
        self.facts.iter().all(|fact| {
            if !self.days.is_empty() {
                return fact.period.is_some()
                    && self.days.iter().all(|days| fact.period == Some(*days));
            }
            let Some(period) = fact.period else {
                return true;
            };
            if implied.is_some_and(|implied| implied != period) {
                return false;
            }
            let names_days = |word: &&str| {
                !["day", "days", "period"].contains(word) && !lexicon::is_neutral(word)
            };
            let mut naming = self.words.iter().filter(|word| names_days(word));
            let when = naming.any(|word| is_when(word, period, registry));
            if carry.period.is_some_and(|named| named != period) && !when {
                return false;
            }
            let others = registry
                .same_measure(fact)
                .any(|other| other.period != fact.period);
            !others || when || carry.period == Some(period)
        })
    }

    /// Of two values of one measure it is said which one it is.
    fn apart_hold(&self, registry: &FactRegistry, before: &BTreeSet<String>) -> bool {
        self.facts.iter().all(|fact| {
            let told = |words: &BTreeSet<String>| {
                words.is_empty()
                    || !words.is_disjoint(before)
                    || self.words.iter().any(|word| words.contains(*word))
            };
            // The loss of an outage and that of the week, two readings of a curve.
            let apart = |other: &Fact| {
                fact.bounds.at.is_some() && other.bounds.at != fact.bounds.at
                    || other.bounds.words != fact.bounds.words && told(&fact.bounds.words)
            };
            fact.kind != Kind::Value
                || fact.measure.label == "timestamp"
                || registry.same_measure(fact).all(|other| {
                    other.period != fact.period
                        || other.text == fact.text
                        || other.unit != fact.unit
                        || apart(other)
                })
        })
    }

    /// Whether a part names the field of a word: "status", "role". A plain state needs no name, and
    /// one that is called almost like another needs its whole name.
    fn names_word(&self, fact: &Fact, registry: &FactRegistry) -> bool {
        let named = |label: &str| {
            let own = super::Measure::of(label);
            self.words.iter().any(|word| own.names(word))
        };
        if lexicon::is_plain_state(&fact.measure.label) {
            return true;
        }
        let mut labels = fact.measure.label.split(' ');
        if is_shared(fact, registry) {
            labels.all(named)
        } else {
            labels.any(named)
        }
    }

    /// Whether the measure is named, here or right before.
    fn measures_hold(&self, registry: &FactRegistry, carry: &Carry, before: &Before<'_>) -> bool {
        self.facts.iter().all(|fact| {
            // "From 10:00 to 14:00" names both ends.
            let is_edge =
                |word: &str| fact.number.is_none() && ["from", "to", "until"].contains(&word);
            let names = |word: &str| {
                fact.measure.is_named_by(word) && (is_edge(word) || !lexicon::is_neutral(word))
            };
            let named = self.words.iter().any(|word| names(word)) || self.is_length_of(fact);
            if named && !self.is_qualified(fact, before.words) {
                return false;
            }
            let known = before.labels.contains(&fact.measure.label)
                || before.labels.is_empty() && carry.labels.contains(&fact.measure.label);
            // "It peaked at 4 kW at 13:00."
            let moment = fact.kind == Kind::Value && fact.number.is_none();
            let of_reading = |other: &Fact| other.bounds.at == Some(fact.id);
            let moment = moment
                && (before.words.iter().any(|word| names(word))
                    || registry.facts.iter().any(of_reading));
            match fact.kind {
                Kind::Word => {
                    self.names_word(fact, registry) || known && !is_shared(fact, registry)
                }
                _ => named || known || moment,
            }
        })
    }
}

/// Verbs that begin a question or a wish.
const ASKING: &[&str] = &[
    "are", "did", "do", "does", "had", "has", "have", "is", "was", "were",
];

/// Whether a sentence asks, or wishes, instead of stating.
fn asks(tokens: &[Placed]) -> bool {
    let begins = matches!(tokens.first(), Some(Placed { token: Token::Word(word), .. }) if ASKING.contains(&word.as_str()));
    let mut marks = tokens.iter();
    begins || marks.any(|one| one.token == Token::Mark('?'))
}

/// Whether other words of the subject are called almost the same: "status", "status before".
fn is_shared(fact: &Fact, registry: &FactRegistry) -> bool {
    let own: Vec<&str> = fact.measure.label.split(' ').collect();
    registry.facts.iter().any(|other| {
        let mut labels = other.measure.label.split(' ');
        other.kind == Kind::Word
            && other.subject == fact.subject
            && other.measure.label != fact.measure.label
            && labels.any(|label| own.contains(&label))
    })
}

/// Whether a word says when, and means these days.
pub(super) fn is_when(word: &str, period: Period, registry: &FactRegistry) -> bool {
    let (start, end) = (period.start, period.end);
    let days = (end - start).num_days() + 1;
    let month = start.month() == end.month() && start.day() == 1 && days >= 28;
    let year = start.ordinal() == 1 && days >= 365 && start.year() == end.year();
    match word {
        "today" | "now" | "current" | "currently" | "right" | "moment" | "present" => {
            registry.today == Some(end) && days == 1
        }
        "yesterday" => days == 1 && registry.today.and_then(|today| today.pred_opt()) == Some(end),
        "week" => days == 7,
        "month" => month,
        "year" => year,
        "day" => days == 1,
        "days" => days > 1,
        "period" => true,
        word if month => end.format("%B").to_string().to_lowercase() == word,
        word => days == 1 && end.format("%A").to_string().to_lowercase() == word,
    }
}

/// Whether a sentence has no marks but usual ones; a percent sign may follow a reference.
fn marks_hold(text: &str, tokens: &[Placed]) -> bool {
    tokens.iter().enumerate().all(|(at, one)| match one.token {
        Token::Mark(mark) if MARKS.contains(&mark) => true,
        Token::Mark('%' | '/' | '\u{b2}' | '\u{b0}') => {
            let near = &tokens[at.saturating_sub(4)..at];
            near.iter().any(|one| matches!(one.token, Token::Ref(_)))
        }
        Token::Mark(_) => false,
        _ => true,
    }) && !text.contains("](")
        && !text.contains("://")
}

/// The sentence without units that a model wrote beside a reference: its value has them.
fn without_units(text: &str, tokens: Vec<Placed>, facts: &[Option<&Fact>]) -> Vec<Placed> {
    let mut gone: Vec<Range<usize>> = Vec::new();
    let mut dropped = vec![false; tokens.len()];
    for (at, fact) in facts.iter().enumerate() {
        let Some(fact) = fact else { continue };
        let is_figure = |c: char| c.is_ascii_digit() || matches!(c, ',' | '.' | '-');
        let Some(first) = fact.text.find(|c: char| c.is_ascii_digit()) else {
            continue;
        };
        let (currency, rest) = fact.text.split_at(first);
        let unit = rest.trim_start_matches(is_figure).trim().to_lowercase();
        let behind = tokens[at].span.end;
        let space = text[behind..].len() - text[behind..].trim_start().len();
        let end = behind + space + unit.len();
        if !unit.is_empty()
            && text
                .get(behind + space..end)
                .is_some_and(|found| found.to_lowercase() == unit)
        {
            gone.push(behind..end);
        }
        let currency = currency.trim_matches([' ', '-']).to_lowercase();
        if let Some(before) = at.checked_sub(1).map(|at| &tokens[at])
            && matches!(&before.token, Token::Word(word) if *word == currency)
        {
            gone.push(before.span.clone());
        }
    }
    for (placed, dropped) in tokens.iter().zip(&mut dropped) {
        *dropped = gone
            .iter()
            .any(|span| span.start <= placed.span.start && placed.span.end <= span.end);
    }
    let kept = tokens.into_iter().zip(dropped);
    kept.filter(|(_, dropped)| !dropped)
        .map(|(one, _)| one)
        .collect()
}

/// The sentence with the values of its facts.
fn written(text: &str, segments: &[Segment], tokens: &[Placed], facts: &[Option<&Fact>]) -> String {
    let mut out = String::new();
    let mut last = 0;
    for (at, placed) in tokens.iter().enumerate() {
        let between = &text[last..placed.span.start];
        // What is left out between two tokens is a unit; only its space stays.
        if between.trim().is_empty() {
            out.push_str(between);
        } else if between.ends_with(char::is_whitespace) {
            out.push(' ');
        }
        last = placed.span.end;
        // A word right behind a value is not part of it.
        let is_word = matches!(placed.token, Token::Word(_) | Token::Name(_));
        if is_word && at > 0 && facts[at - 1].is_some() && !out.ends_with(char::is_whitespace) {
            out.push(' ');
        }
        match facts[at] {
            Some(fact) => {
                let segment = segments.iter().find(|one| one.tokens.contains(&at));
                let part = segment.map(|one| Part::new(one, tokens, facts));
                out.push_str(&value(fact, at, part.as_ref(), tokens));
            }
            None => out.push_str(&text[placed.span.clone()]),
        }
    }
    tidy(&out)
}

/// The value of a fact where it stands.
fn value(fact: &Fact, at: usize, part: Option<&Part<'_>>, tokens: &[Placed]) -> String {
    let says =
        |of: &dyn Fn(&str) -> bool| part.is_some_and(|part| part.words.iter().any(|word| of(word)));
    let behind = tokens.get(at + 1).map(|one| &one.token);
    let followed = |word: &str| matches!(behind, Some(Token::Word(next)) if next == word);
    match &fact.kind {
        Kind::Part { k, .. } if fact.bounds.leaves_out && !followed("of") => k.to_string(),
        _ if fact.is_none() && says(&lexicon::is_none) => String::new(),
        _ if fact.is_none() => if followed("of") { "none" } else { "no" }.to_owned(),
        Kind::Part { k, n } if k == n => {
            if says(&|word| ["both", "each", "every"].contains(&word)) {
                String::new()
            } else if says(&|word| word == "all") {
                fact.text.clone()
            } else {
                format!("all {n}")
            }
        }
        Kind::Part { k, .. } if followed("of") => k.to_string(),
        Kind::Extreme { .. } => {
            let named = part.is_some_and(|part| !part.names.is_empty());
            if named {
                String::new()
            } else {
                fact.text.clone()
            }
        }
        Kind::Word => {
            let words = super::measure::tokens(&fact.text);
            if words.iter().all(|own| says(&|word| word == own)) {
                String::new()
            } else {
                fact.text.clone()
            }
        }
        Kind::Trend(Direction::Up | Direction::Down | Direction::Flat)
            if says(&|word| lexicon::supports(fact, word)) =>
        {
            String::new()
        }
        _ => fact.text.clone(),
    }
}

/// Without the holes of references that show nothing, and with a capital at the beginning.
fn tidy(text: &str) -> String {
    let mut out = text.to_owned();
    for (hole, plain) in [
        ("( )", ""),
        ("()", ""),
        ("  ", " "),
        (" .", "."),
        (" ,", ","),
        (" !", "!"),
        (" ?", "?"),
        (" ;", ";"),
        (" :", ":"),
        (" )", ")"),
        (",,", ","),
        (",.", "."),
    ] {
        while out.contains(hole) {
            out = out.replace(hole, plain);
        }
    }
    let out = out.trim();
    let mut chars = out.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}
