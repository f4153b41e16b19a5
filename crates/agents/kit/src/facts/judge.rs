//! Whether a sentence says what its facts say, and how it reads with their values.

use std::collections::BTreeSet;
use std::ops::Range;

use contracts::tools::Period;

use super::{
    Direction, Fact, FactId, FactRegistry, Kind, Series, beside, courtesy,
    heading::{self, Heading},
    hollow::nothing_hidden,
    leads::{greeted, item},
    lexicon,
    part::Part,
    partitive,
    search::Search,
    segments::Segment,
    tokens::{self, Placed, Token},
    typed,
    whole::{asks, is_complete, moments_hold, places_hold, quotes_hold, states_hold},
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
    /// The line above the lines that follow.
    heading: Heading,
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
            heading: Heading::default(),
            cited: BTreeSet::new(),
            named: BTreeSet::new(),
        }
    }

    /// The sentence with the values of its facts; `None` where it says something else. A heading is
    /// said with the first line below it that stands; until then its text is empty.
    pub(super) fn judge(&mut self, sentence: &str) -> Option<Held> {
        let row = self.row(sentence);
        let is_row = row.is_some();
        let held = row.or_else(|| self.said(sentence));
        if let Some(held) = held {
            let heading = std::mem::take(&mut self.heading.text);
            if !is_row {
                self.heading.columns.clear();
            }
            if !held.grounded {
                return Some(held);
            }
            let text = format!("{heading}{}", held.text);
            return Some(Held { text, ..held });
        }
        self.heading = heading::of(sentence, self.registry)?;
        self.carry.labels = self.heading.labels.iter().cloned().collect();
        self.note_name(&tokens::tokens(sentence, self.registry));
        self.carry.period = self.heading.period.or(self.carry.period);
        Some(Held {
            text: String::new(),
            grounded: false,
        })
    }

    /// A line without words: the one under the heads of a table belongs to them.
    pub(super) fn line(&mut self, line: &str) {
        let waits = !self.heading.text.is_empty() && !self.heading.columns.is_empty();
        if waits && line.trim_start().starts_with('|') {
            self.heading.text.push_str(line);
        }
    }

    /// A row of a table below its heads.
    fn row(&mut self, sentence: &str) -> Option<Held> {
        let cells = heading::cells(sentence);
        let says = heading::sentence(&cells, &self.heading.columns)?;
        let mut judge = self.clone();
        let held = judge.sentence(&says).filter(|held| held.grounded)?;
        let text = heading::written(sentence, self.registry)?;
        *self = judge;
        Some(Held { text, ..held })
    }

    /// The sentence with the values of its facts. Sentences of the rules that are named at its
    /// beginning or end are said in any case.
    fn said(&mut self, sentence: &str) -> Option<Held> {
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

    /// A sentence with its references, or with values that it quotes.
    fn sentence(&mut self, sentence: &str) -> Option<Held> {
        if let Some(held) = self.referring(sentence) {
            return Some(held);
        }
        if let Some(held) = self.introduced(sentence) {
            return Some(held);
        }
        let body = sentence.trim_start();
        let lead = &sentence[..sentence.len() - body.len()];
        let (mark, body) = item(body);
        typed::readings(body, self.registry)
            .into_iter()
            .find_map(|reading| {
                let mut judge = self.clone();
                let held = judge.referring(&format!("{lead}{mark}{reading}"))?;
                *self = judge;
                Some(held)
            })
    }

    /// A statement behind an announcement: "Here is the curve of GW-INV-001: it peaked at …".
    fn introduced(&mut self, sentence: &str) -> Option<Held> {
        let (intro, rest) = sentence.split_once(": ")?;
        let tokens = tokens::tokens(intro, self.registry);
        let says = |one: &Placed| matches!(one.token, Token::Ref(_));
        if tokens.iter().any(says) || !courtesy::passes(&tokens, self.registry) {
            return None;
        }
        let mut judge = self.clone();
        judge.note_name(&tokens);
        let held = judge.sentence(rest).filter(|held| held.grounded)?;
        *self = judge;
        let text = begun_as(rest, &held.text);
        Some(Held {
            text: format!("{intro}: {text}"),
            ..held
        })
    }

    /// The only name of a text is what the sentences behind it are about.
    fn note_name(&mut self, tokens: &[Placed]) {
        let names = tokens.iter().filter_map(|one| match &one.token {
            Token::Name(name) => Some(name),
            _ => None,
        });
        if let [name] = names.collect::<Vec<_>>().as_slice() {
            self.carry.name = Some((*name).clone());
        }
    }

    fn referring(&mut self, sentence: &str) -> Option<Held> {
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
            self.note_name(&tokens);
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
            || !places_hold(&tokens, &facts)
            || !states_hold(registry, &facts)
            || !nothing_hidden(registry, &tokens, &facts)
        {
            return None;
        }
        let (judged, left) = partitive::without_whole(&tokens, &facts);
        let (judged, left) = beside::without_names(&judged, &left, registry);
        let search = Search::through(registry, &judged, &left);
        let (segments, carry) = search.found(&self.carry)?;
        self.carry = carry;
        self.cited.extend(ids);
        self.named.extend(names);
        let grounded = facts.iter().flatten().any(|fact| fact.kind != Kind::Days);
        let text = written(body, &segments, &tokens, &facts);
        let text = if greeting.is_empty() {
            text
        } else {
            begun_as(body, &text)
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

/// A statement behind a lead begins as it was written.
fn begun_as(written: &str, text: &str) -> String {
    match text.chars().next() {
        Some(first) if written.trim_start().starts_with(char::is_lowercase) => {
            format!("{}{}", first.to_lowercase(), &text[first.len_utf8()..])
        }
        _ => text.to_owned(),
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
        let after = text[behind + space..]
            .split(|c: char| !c.is_alphabetic())
            .next();
        if unit == "h" && after.is_some_and(|word| ["hour", "hours", "hrs"].contains(&word)) {
            gone.push(behind..behind + space + after.map_or(0, str::len));
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
        let is_word = matches!(
            placed.token,
            Token::Word(_) | Token::Name(_) | Token::Phrase
        );
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
        Kind::Extreme { .. } | Kind::Place(_) => {
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
