//! Statements of a place that are not written out: a verb or a quantity that a second clause takes
//! from the first, a thing that a pronoun refers to, the thing that a list is of.

use std::sync::LazyLock;

use regex::Regex;

use super::tokens::{TURNING, Token, tokens};

/// Number of words of a thing that takes its verb from the clause before it.
const THING: usize = 2;

/// Words of what is or was done.
const BEING: &[&str] = &["are", "is", "was", "were"];

/// Prepositions behind a thing.
const BEHIND: &[&str] = &["at", "by", "from", "in", "on", "with", "within"];

/// A sentence as it may be written out.
pub(super) struct Written {
    pub(super) tokens: Vec<Token>,
    /// Whether a sentence on it has all of its words.
    pub(super) is_whole: bool,
}

/// The statements of a sentence that are not written out.
pub(super) fn of(sentence: &str) -> Vec<Written> {
    let mut all: Vec<Vec<Token>> = Vec::new();
    for part in sentence.split("; ") {
        let place = tokens(part);
        all.extend(each_of_any(&place));
        all.extend(quantities(&place));
        all.extend(taken_verb(&place));
    }
    all.extend(between_two(sentence));
    all.extend(each_of(sentence));
    all.extend(counted_from(sentence));
    let written = |is_whole: bool| move |tokens: Vec<Token>| Written { tokens, is_whole };
    let whole = assigned(sentence).unwrap_or_default();
    let whole = whole.into_iter().map(written(true));
    all.into_iter().map(written(false)).chain(whole).collect()
}

fn plain(token: &Token) -> &str {
    match token {
        Token::Word { plain, .. } => plain,
        Token::Figure(_) | Token::Break => "",
    }
}

/// "Any injury is entered" says it of each.
fn each_of_any(place: &[Token]) -> Option<Vec<Token>> {
    let is_plain = !place.iter().any(|one| TURNING.contains(&plain(one)));
    let begins = place.first().is_some_and(|one| plain(one) == "any");
    (begins && is_plain).then(|| [&tokens("each"), &place[1..]].concat())
}

/// Of "Work at night earns a supplement of 25 %, Sundays 50 %": "Sundays earn a supplement of
/// 50 %", and so does work on Sundays.
fn quantities(place: &[Token]) -> Vec<Vec<Token>> {
    let clauses: Vec<&[Token]> = place.split(|one| *one == Token::Break).collect();
    let Some((first, others)) = clauses.split_first() else {
        return Vec::new();
    };
    let Some(figure) = first.iter().rposition(|one| one.figure().is_some()) else {
        return Vec::new();
    };
    // The verb, "a", the noun, "of".
    let Some(from) = figure.checked_sub(4) else {
        return Vec::new();
    };
    let is_quantity = ["a", "an"].contains(&plain(&first[from + 1]))
        && plain(&first[figure - 1]) == "of"
        && first[from + 2].counts();
    let unit = &first[figure + 1..];
    if !is_quantity || unit.len() > 1 {
        return Vec::new();
    }
    let mut all = Vec::new();
    for clause in others {
        let Some(at) = clause.iter().position(|one| one.figure().is_some()) else {
            break;
        };
        let named = (1..=THING).contains(&at) && clause[..at].iter().all(Token::counts);
        let own = &clause[at + 1..];
        if !named || !(own.is_empty() || own == unit) {
            break;
        }
        let value = [&first[from..figure], &clause[at..=at], unit].concat();
        all.push([&clause[..at], &value].concat());
        let subject = first.first().filter(|one| one.counts());
        if let Some(subject) = subject {
            let on = [std::slice::from_ref(subject), &tokens("on"), &clause[..at]].concat();
            all.push([on, value].concat());
        }
    }
    all
}

/// Of "Vans are counted every quarter, the warehouse in cycles": "the warehouse is counted in
/// cycles".
fn taken_verb(place: &[Token]) -> Option<Vec<Token>> {
    let end = place.iter().position(|one| *one == Token::Break)?;
    let (first, rest) = (&place[..end], &place[end + 1..]);
    let being = first.iter().position(|one| BEING.contains(&plain(one)))?;
    let action = first.get(being + 1).filter(|one| one.counts())?;
    let takes = being <= THING
        && first[..being].iter().any(Token::counts)
        && rest.first().is_some_and(|one| plain(one) == "the")
        && rest.get(1).is_some_and(Token::counts)
        && rest.get(2).is_some_and(|one| BEHIND.contains(&plain(one)))
        && !rest.iter().any(|one| BEING.contains(&plain(one)));
    takes.then(|| {
        let verb = [first[being].clone(), action.clone()];
        [&rest[..2], &verb, &rest[2..]].concat()
    })
}

static BETWEEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"between the end of one (\w+) and the (?:beginning|start) of the next\b").ok()
});

/// "Between the end of one shift and the start of the next" is between two shifts.
fn between_two(sentence: &str) -> Option<Vec<Token>> {
    let pattern = BETWEEN.as_ref()?;
    let written = pattern.is_match(sentence);
    written.then(|| tokens(&pattern.replace(sentence, "between two $1")))
}

/// Of "uses one of the ten codes that were shown; each works once": "the ten codes that were shown
/// each work once".
fn each_of(sentence: &str) -> Option<Vec<Token>> {
    let (first, second) = sentence.split_once("; ")?;
    let second = second.strip_prefix("each ").map(|_| tokens(second))?;
    let first = tokens(first);
    let mut pairs = first.windows(2);
    let from = pairs.rposition(|pair| plain(&pair[0]) == "the" && pair[1].figure().is_some())?;
    Some([&first[from..], &second].concat())
}

static COUNTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\b(?:after|from|until) the (?:first|second|third|fourth|fifth|\d+th) (?:day|month|week)\.?$")
        .ok()
});

/// Of "Sickness is reported at once; a note is needed from the third day": days of sickness.
fn counted_from(sentence: &str) -> Option<Vec<Token>> {
    let (first, second) = sentence.split_once("; ")?;
    let ends = COUNTED.as_ref()?.is_match(second);
    let first = tokens(first);
    let subject = first.first().filter(|one| one.counts())?;
    let begins = first.get(1).is_some_and(|one| BEING.contains(&plain(one)));
    let of = [tokens("of"), vec![subject.clone()]].concat();
    (ends && begins).then(|| [tokens(second), of].concat())
}

/// Of "divided by a proxy: population for households, floor area for offices": "floor area is the
/// proxy for offices".
fn assigned(sentence: &str) -> Option<Vec<Vec<Token>>> {
    let (first, list) = sentence.split_once(": ")?;
    let mut words = first.rsplit(' ');
    let (kind, article) = (words.next()?, words.next()?);
    let items: Vec<&str> = list.trim_end_matches('.').split(", ").collect();
    let pairs = items.iter().map(|item| item.split_once(" for "));
    let pairs: Vec<(&str, &str)> = pairs.collect::<Option<_>>()?;
    let lists = ["a", "an"].contains(&article) && pairs.len() > 1;
    lists.then(|| {
        let written = |(one, of): &(&str, &str)| tokens(&format!("{one} is the {kind} for {of}"));
        pairs.iter().map(written).collect()
    })
}
