//! "SHP-1001 on Ocean Star": another name of a row beside the one that it goes by.
//!
//! A row may have several names: of the shipment, of its vessel. The words of the other name, right
//! behind the name of the row, say of which row a sentence is. They are taken out before its parts
//! are judged.

use super::{
    Fact, FactRegistry, Kind,
    tokens::{self, Placed, Token},
};

/// The tokens of a sentence with phrases in the place of other names, and the other facts.
pub(super) fn without_names<'a>(
    tokens: &[Placed],
    facts: &[Option<&'a Fact>],
    registry: &FactRegistry,
) -> (Vec<Placed>, Vec<Option<&'a Fact>>) {
    let (mut kept, mut left) = (tokens.to_vec(), facts.to_vec());
    for at in 0..tokens.len() {
        let end = other_name(tokens, at, registry).unwrap_or(at);
        for (one, fact) in kept[at..end].iter_mut().zip(&mut left[at..end]).skip(1) {
            one.token = Token::Phrase;
            *fact = None;
        }
    }
    let says = |fact: &&Fact| fact.kind != Kind::Days;
    if left.iter().flatten().any(says) {
        (kept, left)
    } else {
        (tokens.to_vec(), facts.to_vec())
    }
}

/// The end of another name of the row that is named at a place, with a reference to it.
fn other_name(tokens: &[Placed], at: usize, registry: &FactRegistry) -> Option<usize> {
    let token = |at: usize| tokens.get(at).map(|one| &one.token);
    let Some(Token::Name(row)) = token(at) else {
        return None;
    };
    let is_word = |at: usize, words: &[&str]| matches!(token(at), Some(Token::Word(word)) if words.contains(&word.as_str()));
    let begin = at + 1;
    let in_brackets = token(begin) == Some(&Token::Mark('('));
    // "SHP-1002 and SHP-1001 on Ocean Star" says it of both.
    let is_one_of =
        at > 0 && (is_word(at - 1, &["and", "or"]) || token(at - 1) == Some(&Token::Mark(',')));
    if !in_brackets && (is_one_of || !is_word(begin, &["aboard", "on"])) {
        return None;
    }
    let is_name = |fact: &&Fact| {
        let mut label = fact.measure.label.split(' ');
        let own = fact.subject.name().map(str::to_lowercase);
        fact.kind == Kind::Word && own.as_ref() == Some(row) && label.any(|word| word == "name")
    };
    registry.facts.iter().filter(is_name).find_map(|fact| {
        let words = tokens::tokens(&fact.text, registry);
        let end = begin + 1 + words.len();
        let said = tokens.get(begin + 1..end)?;
        let is_said = said
            .iter()
            .zip(&words)
            .all(|(said, own)| said.token == own.token);
        let end = end + usize::from(token(end) == Some(&Token::Ref(fact.id)));
        let closes = !in_brackets || token(end) == Some(&Token::Mark(')'));
        (is_said && closes).then_some(end + usize::from(in_brackets))
    })
}
