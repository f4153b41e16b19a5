//! A request that is complete in itself: relative dates as days, what was left out taken from the
//! request before. Nothing else is added.

mod check;
mod ellipsis;
#[cfg(test)]
mod tests;

use std::ops::Range;

use chrono::NaiveDate;
use contracts::tools::clarification::{Clarification, ClarificationAnswer, ClarificationPart};

use super::dates::{self, TimeMention};
use super::places::{both_directions, taken_back};
use super::text::{Token, between, tokens};

pub use check::{Refused, check_rewrite};

/// The request before, for what a message leaves out.
#[derive(Debug, Clone, Copy)]
pub struct Previous<'p> {
    /// The request, complete in itself.
    pub request: &'p str,
    /// The words in it that turned out to be names.
    pub mentions: &'p [String],
    /// Whether its query is known, so that an incomplete message changes it.
    pub known: bool,
}

/// `text` complete in itself; the text itself where nothing is to be done.
pub fn rewrite(text: &str, previous: Option<Previous<'_>>, today: NaiveDate) -> String {
    let text = text.trim();
    let whole = previous
        .and_then(|previous| ellipsis::filled(text, &previous, today))
        .unwrap_or_else(|| text.to_owned());
    let whole = meant_days(&whole, today);
    plain_verb(&both_directions(&taken_back(&with_days(&whole, today))))
}

/// The text without days that are named only to say that they are not meant: "not december,
/// november", "in November, not in December".
fn meant_days(text: &str, today: NaiveDate) -> String {
    let times = dates::find(text, today);
    let joint = |words: &str| {
        let said = tokens(words);
        said.len() <= 2
            && said
                .iter()
                .all(|token| token.is(&[",", ";", "but", "and", "-"]))
    };
    for (at, gone) in times.iter().enumerate() {
        let before = tokens(&text[..gone.phrase.start]);
        let not = before.last().filter(|token| token.is(&["not"]));
        let Some(not) = not.map(|token| token.start) else {
            continue;
        };
        let next = times.get(at + 1);
        if let Some(next) = next.filter(|next| joint(&text[gone.phrase.end..next.phrase.start])) {
            return format!("{}{}", &text[..not], &text[next.phrase.start..]);
        }
        let last = at.checked_sub(1).and_then(|at| times.get(at));
        if let Some(last) = last.filter(|last| joint(&text[last.phrase.end..not])) {
            let rest = &text[gone.phrase.end..];
            return format!("{}{rest}", &text[..last.phrase.end]);
        }
    }
    text.to_owned()
}

/// The `request` with `answers` to the open question in the place of what was unclear, and with the
/// `addition`: both are honoured, and nothing that was answered is unclear in it.
pub fn rewrite_modification(
    request: &str,
    open: &Clarification,
    answers: &[ClarificationAnswer],
    addition: &str,
    today: NaiveDate,
) -> String {
    let mut whole = with_days(request.trim(), today);
    for part in &open.parts {
        let names: Vec<&str> = answers
            .iter()
            .filter(|answer| answer.about == part.about)
            .map(|answer| meant(part, answer))
            .collect();
        if !names.is_empty() {
            whole = with_name(&whole, &part.mention, &names.join(" and "));
        }
    }
    let addition = addition.trim().trim_end_matches(['.', '!']);
    let whole = if addition.is_empty() {
        whole
    } else if let Some(time) = only_a_time(addition, today) {
        with_time(&whole, &time, today)
    } else {
        let joint = if whole.ends_with([',', ';', ':']) {
            " "
        } else {
            ", "
        };
        let whole = whole.trim_end_matches(['.', '!', '?']);
        format!("{whole}{joint}{}", with_days(addition, today))
    };
    plain_verb(&whole)
}

/// The meaning of an answer, in words: the option's label, or the person's own.
fn meant<'a>(part: &'a ClarificationPart, answer: &'a ClarificationAnswer) -> &'a str {
    part.options
        .iter()
        .find(|option| Some(&option.id) == answer.option_id.as_ref())
        .map_or(answer.text.trim(), |option| option.label.as_str())
}

/// `text` with `name` in the place of the words `mention`, with those around them that are of the
/// name, too: for "port of Miami" stands "Port of Miami", not "port of Port of Miami".
fn with_name(text: &str, mention: &str, name: &str) -> String {
    let own = words(name);
    let all = tokens(text);
    let Some(found) = find_words(&all, &words(mention)) else {
        return format!("{text} ({mention}: {name})");
    };
    let of_the_name = |at: usize| {
        let token = &all[at];
        token.is_word() && own.contains(&token.text)
    };
    let (mut from, mut to) = (found.start, found.end);
    while from > 0 && of_the_name(from - 1) {
        from -= 1;
    }
    while to < all.len() && of_the_name(to) {
        to += 1;
    }
    // "To" and "of" are of many names: only what is more than such words belongs to it.
    while from < found.start && is_small(&all[from]) {
        from += 1;
    }
    while to > found.end && is_small(&all[to - 1]) {
        to -= 1;
    }
    replaced(text, all[from].start..all[to - 1].end, name)
}

fn is_small(token: &Token) -> bool {
    token.is(&[
        "of", "the", "to", "from", "at", "in", "and", "for", "on", "by",
    ])
}

/// The position of `wanted`, in tokens.
fn find_words(all: &[Token], wanted: &[String]) -> Option<Range<usize>> {
    let spoken: Vec<usize> = (0..all.len())
        .filter(|at| all[*at].is_word() || all[*at].number().is_some())
        .collect();
    let found = spoken.windows(wanted.len().max(1)).find(|places| {
        places.len() == wanted.len()
            && places
                .iter()
                .zip(wanted)
                .all(|(at, word)| all[*at].text == *word)
    })?;
    Some(*found.first()?..found.last()? + 1)
}

fn words(text: &str) -> Vec<String> {
    tokens(text)
        .into_iter()
        .filter(|token| token.is_word() || token.number().is_some())
        .map(|token| token.text)
        .collect()
}

fn replaced(text: &str, span: Range<usize>, by: &str) -> String {
    let (before, after) = (
        text.get(..span.start).unwrap_or_default(),
        text.get(span.end..).unwrap_or_default(),
    );
    format!("{before}{by}{after}")
}

/// `text` with absolute days in the place of those that count from today, or leave the year to be
/// guessed.
fn with_days(text: &str, today: NaiveDate) -> String {
    let mut out = text.to_owned();
    let mut behind: Vec<String> = Vec::new();
    for mention in dates::find(text, today).iter().rev() {
        let Ok(days) = mention.meaning else { continue };
        if !days.relative && !days.year_guessed {
            continue;
        }
        if is_possessive(&mention.words) {
            // "Last week's shipments".
            let end = text[mention.span.end..]
                .find(|c: char| !c.is_whitespace())
                .map_or(mention.span.end, |more| mention.span.end + more);
            out = replaced(&out, mention.phrase.start..end, "");
            behind.push(days.phrase());
        } else {
            out = replaced(&out, mention.phrase.clone(), &days.phrase());
        }
    }
    for phrase in behind.iter().rev() {
        let body = out.trim_end_matches(['.', '?', '!', ' ']);
        let joint = if body.is_empty() { "" } else { " " };
        out = format!("{body}{joint}{phrase}");
    }
    out
}

fn is_possessive(words: &str) -> bool {
    words.ends_with("'s") || words.ends_with("\u{2019}s")
}

/// The time that the whole text is, but for words around it.
fn only_a_time(text: &str, today: NaiveDate) -> Option<TimeMention> {
    let mention = dates::find(text, today).into_iter().next()?;
    mention.meaning.as_ref().ok()?;
    let outside = [&text[..mention.phrase.start], &text[mention.phrase.end..]];
    let bare = outside.into_iter().flat_map(tokens).all(|token| {
        !token.is_word()
            || token.is(&[
                "for", "in", "on", "the", "please", "instead", "only", "just", "from", "of",
                "during",
            ])
    });
    bare.then_some(mention)
}

/// `text` with that time in the place of its own, or at its end.
fn with_time(text: &str, time: &TimeMention, today: NaiveDate) -> String {
    let Ok(days) = time.meaning else {
        return text.to_owned();
    };
    let own = dates::find(text, today)
        .into_iter()
        .find(|own| own.meaning.is_ok());
    if let Some(own) = own {
        return replaced(text, own.phrase, &days.phrase());
    }
    let body = text.trim_end_matches(['.', '?', '!', ' ']);
    format!("{body} {}", days.phrase())
}

/// `text` with "Retrieve" for the words by which things are asked for: "Show me", "Can you please
/// list".
fn plain_verb(text: &str) -> String {
    const BEFORE: &[&str] = &[
        "please", "can", "could", "would", "you", "kindly", "now", "then", "so", "ok", "okay",
        "hi", "hello", "hey", ",",
    ];
    const VERBS: &[&str] = &[
        "show", "list", "get", "give", "display", "fetch", "find", "retrieve",
    ];
    let all = tokens(text);
    let Some(at) = all.iter().position(|token| !token.is(BEFORE)) else {
        return text.to_owned();
    };
    if at > 5 || !all[at].is(VERBS) {
        return text.to_owned();
    }
    let mut next = at + 1;
    if all.get(next).is_some_and(|token| token.is(&["me", "us"])) {
        next += 1;
    }
    // "Find out", "list by": other verbs, and no object.
    let Some(object) = all
        .get(next)
        .filter(|token| !token.is(&["out", "by", "how", "only", "it", "them"]))
    else {
        return text.to_owned();
    };
    let polite_end = all
        .iter()
        .rposition(|token| token.is_word() || token.number().is_some())
        .filter(|at| *at > next && all[*at].is(&["please"]))
        .map_or(text.len(), |at| all[at - 1].end);
    let rest = text.get(object.start..polite_end).unwrap_or_default();
    if all[at].is(&["retrieve"]) && at == 0 && next == 1 && polite_end == text.len() {
        return text.to_owned();
    }
    format!("Retrieve {}", rest.trim_end_matches(','))
}

/// The text of some tokens.
fn said<'t>(text: &'t str, tokens: &[Token]) -> &'t str {
    between(text, tokens)
}
