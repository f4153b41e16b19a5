//! "In USD" and `currency <> 'USD'`.

use super::{
    super::{
        made_up::is_word,
        names::{singular, words},
    },
    Contradiction, denies,
    parsed::{Comparison, Op, Parsed},
};

/// Words that take out what is right behind them.
const TAKING_OUT: &[&str] = &["except", "excluding", "outside", "without"];

/// Words that deny what follows in a few words. Apostrophes are left out.
const DENYING: &[&str] = &[
    "arent", "didnt", "doesnt", "dont", "hasnt", "havent", "isnt", "never", "not", "wasnt",
    "werent",
];

/// Words that begin another part of a sentence.
const PARTS: &[&str] = &[
    "and", "but", "only", "or", "that", "where", "which", "who", "whose", "yet",
];

/// Words of questions whose answer may look for what is otherwise.
const ALL: &[&str] = &["exclusively", "foreign", "only"];

/// Words between such a word and a value.
const BETWEEN: &[&str] = &[
    "a", "an", "at", "be", "by", "called", "for", "from", "in", "is", "named", "of", "on", "the",
    "those", "to", "with",
];

/// Values of the question that the query takes out, and values that it keeps and the question
/// takes out.
pub(super) fn contradicted(question: &str, query: &Parsed<'_>) -> Vec<Contradiction> {
    let said = words(question);
    let spoken: Vec<String> = question
        .split_whitespace()
        .map(|word| {
            word.trim_matches(|c: char| !c.is_alphanumeric())
                .to_lowercase()
        })
        .collect();
    let mut all = spoken.iter().chain(&said);
    let is_denied = all.any(|word| denies(word) || ALL.contains(&word.as_str()));
    // "All of them in USD": none of them is not.
    let counts_none = query.comparisons.iter().any(|one| {
        let counts = |name: &str| one.left.iter().any(|token| is_word(token, name));
        one.op == Op::Is && one.number() == Some("0") && (counts("sum") || counts("count"))
    });
    let anti = !query.nulls(false).is_empty() && query.has("left") || counts_none;
    let mut found: Vec<Contradiction> = Vec::new();
    for one in &query.comparisons {
        let Some(places) = place(one, &said) else {
            continue;
        };
        let same = |other: &&Comparison| other.right == one.right;
        let keeps = query.comparisons.iter().filter(same);
        let keeps = keeps.filter(|other| other.op != Op::IsNot).count();
        let is_against = match one.op {
            Op::IsNot => !is_denied && !anti && keeps == 0,
            Op::Is => is_taken_out(&said, places.start) && !query.leaves_out() && takes_none(query),
            _ => false,
        };
        let contradiction = Contradiction::Words {
            said: said_as(question, &said[places.clone()], one.op == Op::Is),
            reads: one.written(),
        };
        if is_against && !found.contains(&contradiction) {
            found.push(contradiction);
        }
    }
    found
}

fn takes_none(query: &Parsed<'_>) -> bool {
    query.comparisons.iter().all(|one| one.op != Op::IsNot)
}

/// The places of a value in the question.
fn place(one: &Comparison, said: &[String]) -> Option<std::ops::Range<usize>> {
    let literal = one.text().or_else(|| one.number())?;
    let value = words(literal.trim_matches('%'));
    if value.is_empty() || value.iter().all(String::is_empty) {
        return None;
    }
    let is_it = |at: usize| {
        let there = said.get(at..at + value.len());
        there.is_some_and(|there| {
            let mut pairs = there.iter().zip(&value);
            pairs.all(|(said, value)| singular(said) == singular(value))
        })
    };
    let at = (0..said.len()).find(|at| is_it(*at))?;
    Some(at..at + value.len())
}

/// Whether "not in", "except" or "other than" is right before a place.
fn is_taken_out(said: &[String], at: usize) -> bool {
    // "Do not pay with".
    let near = said[at.saturating_sub(4)..at].iter();
    let denied = near
        .rev()
        .take_while(|word| !PARTS.contains(&word.as_str()));
    if denied
        .into_iter()
        .any(|word| DENYING.contains(&word.as_str()))
    {
        return true;
    }
    let mut before = said[..at].iter().enumerate().rev();
    let lead = before.find(|(_, word)| !BETWEEN.contains(&word.as_str()));
    lead.is_some_and(|(place, word)| {
        let is = |back: usize, word: &str| {
            place
                .checked_sub(back)
                .is_some_and(|place| said[place] == word)
        };
        TAKING_OUT.contains(&word.as_str()) || word == "than" && is(1, "other")
    })
}

/// The words of a value as the question has them.
fn said_as(question: &str, value: &[String], is_taken_out: bool) -> String {
    let joined = value.join(" ");
    let lower = question.to_lowercase();
    let start = lower
        .find(&joined)
        .filter(|_| lower.len() == question.len());
    let text = start.and_then(|start| question.get(start..start + joined.len()));
    let text = text.unwrap_or(&joined);
    if is_taken_out {
        format!("not {text}")
    } else {
        text.to_owned()
    }
}
