//! Rules on a whole sentence: what belongs to its facts, of which moment and of which state they
//! are, and what is in quotation marks.

use std::collections::BTreeSet;

use super::{
    Fact, FactId, FactRegistry, Kind, lexicon,
    tokens::{Placed, Token},
};

/// Whether a sentence has all that belongs to its facts: the conditions of a count, and the moment
/// of a reading.
pub(super) fn is_complete(tokens: &[Placed], facts: &[Option<&Fact>]) -> bool {
    let said = |forms: &BTreeSet<String>| {
        tokens.iter().any(|one| match &one.token {
            Token::Word(word) | Token::Name(word) => forms.contains(word),
            Token::Ref(_) | Token::Mark(_) | Token::Phrase => false,
        })
    };
    let named = |at: FactId| {
        let mut facts = facts.iter().flatten();
        facts.any(|fact| fact.id == at)
    };
    facts
        .iter()
        .flatten()
        .all(|fact| fact.bounds.conditions.iter().all(&said) && fact.bounds.at.is_none_or(named))
}

/// States of what works.
const WELL: &[&str] = &["excellent", "good", "healthy", "normal", "ok"];

/// Whether nothing that is offline is said to be well, unless the sentence says both.
pub(super) fn states_hold(registry: &FactRegistry, facts: &[Option<&Fact>]) -> bool {
    let is = |fact: &Fact, states: &[&str]| {
        fact.kind == Kind::Word && states.contains(&fact.text.to_lowercase().as_str())
    };
    let mut well = facts.iter().flatten().filter(|fact| is(fact, WELL));
    well.all(|fact| {
        let is_down = |other: &&Fact| other.subject == fact.subject && is(other, &["offline"]);
        !registry.facts.iter().any(|other| is_down(&other)) || facts.iter().flatten().any(is_down)
    })
}

/// Whether what is said of a moment is of that moment: a total of a week is not of the time at
/// which an outage began. Where the sentence says what the moment is ("it began at"), it
/// stands alone.
pub(super) fn moments_hold(tokens: &[Placed], facts: &[Option<&Fact>]) -> bool {
    let is_moment = |fact: &Fact| fact.kind == Kind::Value && fact.number.is_none();
    let is_named = |fact: &Fact| {
        tokens.iter().any(|one| {
            let Token::Word(word) = &one.token else {
                return false;
            };
            let is_edge = ["from", "to", "until"].contains(&word.as_str());
            fact.measure.is_named_by(word) && !is_edge && !lexicon::is_neutral(word)
        })
    };
    let facts = || facts.iter().flatten();
    let mut moments = facts().filter(|fact| is_moment(fact) && !is_named(fact));
    moments.all(|moment| {
        let is_of = |fact: &&&Fact| {
            let own = &fact.bounds.words;
            fact.bounds.at == Some(moment.id) || !own.is_disjoint(&moment.bounds.words)
        };
        let says =
            |fact: &&&Fact| !is_moment(fact) && !matches!(fact.kind, Kind::Days | Kind::Word);
        facts().filter(says).all(|fact| is_of(&fact))
    })
}

/// Whether quotation marks are around names and texts only: what is "made" is not made.
pub(super) fn quotes_hold(tokens: &[Placed], facts: &[Option<&Fact>]) -> bool {
    let is_quote = |token: &Token| matches!(token, Token::Mark('"' | '\u{201c}' | '\u{201d}'));
    let texts = || {
        facts
            .iter()
            .flatten()
            .filter(|fact| fact.kind == Kind::Word)
    };
    let mut quoted = false;
    tokens.iter().all(|one| {
        quoted ^= is_quote(&one.token);
        match &one.token {
            Token::Word(word) if quoted => texts().any(|fact| fact.supports(word)),
            _ => true,
        }
    })
}

/// Whether what is "followed by" a second one leads, and by a third one is the second.
pub(super) fn places_hold(tokens: &[Placed], facts: &[Option<&Fact>]) -> bool {
    let follows =
        |at: &usize| matches!(&tokens[*at].token, Token::Word(word) if word == "followed");
    (0..tokens.len()).filter(follows).all(|at| {
        let place = facts[at..]
            .iter()
            .flatten()
            .find_map(|fact| match fact.kind {
                Kind::Place(place) => Some((place, &fact.measure.label)),
                _ => None,
            });
        let Some((place, label)) = place else {
            return false;
        };
        facts[..at].iter().flatten().any(|fact| {
            let before = match fact.kind {
                Kind::Extreme { greatest } => u8::from(greatest),
                Kind::Place(place) => place,
                _ => 0,
            };
            before > 0 && before + 1 == place && fact.measure.label == *label
        })
    })
}

/// Verbs that begin a question or a wish.
const ASKING: &[&str] = &[
    "are", "did", "do", "does", "had", "has", "have", "is", "was", "were",
];

/// Whether a sentence asks, or wishes, instead of stating.
pub(super) fn asks(tokens: &[Placed]) -> bool {
    let begins = matches!(tokens.first(), Some(Placed { token: Token::Word(word), .. }) if ASKING.contains(&word.as_str()));
    let mut marks = tokens.iter();
    begins || marks.any(|one| one.token == Token::Mark('?'))
}
