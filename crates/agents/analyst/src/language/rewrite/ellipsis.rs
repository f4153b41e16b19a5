//! The missing parts of a message, taken from the request before: "and for Shanghai?", "same for
//! last month", "how many of them are late?".

use chrono::NaiveDate;

use super::{Previous, find_words, only_a_time, replaced, said, with_days, with_time, words};
use crate::language::dates;
use crate::language::text::{Token, tokens};

const PREPOSITIONS: &[&str] = &[
    "to", "from", "at", "in", "on", "via", "by", "for", "of", "with", "into",
];

/// The whole request, where `text` leaves something out.
pub(super) fn filled(text: &str, previous: &Previous<'_>, today: NaiveDate) -> Option<String> {
    let request = previous.request.trim();
    if request.is_empty() || text.len() > 512 {
        return None;
    }
    if previous.known {
        return None;
    }
    let all = tokens(text);
    other_end(text, &all, request)
        .or_else(|| another(text, &all, previous, today))
        .or_else(|| of_them(text, &all, request))
}

/// "And the fewest?", "what about the oldest": the same question of the other end.
fn other_end(text: &str, all: &[Token], request: &str) -> Option<String> {
    const ENDS: &[&str] = &[
        "most",
        "least",
        "fewest",
        "highest",
        "lowest",
        "longest",
        "shortest",
        "largest",
        "biggest",
        "smallest",
        "greatest",
        "newest",
        "oldest",
        "latest",
        "earliest",
        "youngest",
        "heaviest",
        "lightest",
        "slowest",
        "fastest",
        "quickest",
        "busiest",
        "quietest",
        "warmest",
        "coldest",
        "hottest",
        "cheapest",
        "costliest",
        "worst",
        "best",
        "deepest",
        "shallowest",
    ];
    let words: Vec<&Token> = all
        .iter()
        .filter(|token| {
            token.is_word()
                && !token.is(&[
                    "and", "now", "the", "what", "how", "about", "which", "is", "has", "one",
                    "then", "so", "ok", "okay", "please",
                ])
        })
        .collect();
    let (first, rest) = words.split_first()?;
    if !first.is(ENDS) || rest.len() > 1 || all.len() > 8 {
        return None;
    }
    let before = tokens(request);
    let place = before.iter().position(|token| token.is(ENDS))?;
    // "Least busy" for "busiest", and the other way round.
    let two = |word: &Token| word.is(&["busy", "valuable", "expensive", "punctual", "reliable"]);
    let next = before.get(place + 1).filter(|token| two(token));
    let end = match (rest.first(), next) {
        (Some(more), _) if !two(more) => return None,
        (None, Some(_)) if first.is(&["most", "least"]) => before[place].end,
        (_, Some(next)) => next.end,
        (_, None) => before[place].end,
    };
    let said = between_words(text, first, rest.first().copied());
    Some(replaced(request, before[place].start..end, said))
}

/// The text of one word, or of two that stand together.
fn between_words<'t>(text: &'t str, first: &Token, second: Option<&Token>) -> &'t str {
    let end = second.map_or(first.end, |second| second.end);
    text.get(first.start..end).unwrap_or_default()
}

/// "What about Rotterdam?", "and for Shanghai?", "same for last month", "for last month instead".
fn another(text: &str, all: &[Token], previous: &Previous<'_>, today: NaiveDate) -> Option<String> {
    let begin = opening(all)?;
    let mut end = all.len();
    while end > begin
        && (!all[end - 1].is_word() && all[end - 1].number().is_none()
            || all[end - 1].is(&["instead", "please", "then", "now", "too"]))
    {
        end -= 1;
    }
    let rest = all
        .get(begin..end)
        .filter(|rest| !rest.is_empty() && rest.len() <= 16)?;
    let changed = said(text, rest);
    let mut whole = with_days(previous.request.trim(), today);
    if let Some(time) = only_a_time(changed, today) {
        return Some(with_time(&whole, &time, today));
    }
    // "Rotterdam last month": a name and a time.
    let name = match dates::find(changed, today)
        .into_iter()
        .find(|time| time.meaning.is_ok())
    {
        Some(time) => {
            whole = with_time(&whole, &time, today);
            let outside = replaced(changed, time.phrase, "");
            outside.trim().to_owned()
        }
        None => changed.to_owned(),
    };
    Some(with_another_name(&whole, &name, previous.mentions))
}

/// The place behind words that say that the rest is as before.
fn opening(all: &[Token]) -> Option<usize> {
    let is = |at: usize, words: &[&str]| all.get(at).is_some_and(|token| token.is(words));
    let first = usize::from(is(0, &["and", "now", "ok", "okay", "so", "but"]));
    if is(first, &["what", "how"]) && is(first + 1, &["about"]) {
        return Some(first + 2);
    }
    let the = first + usize::from(is(first, &["the"]));
    if is(the, &["same", "ditto", "likewise"]) {
        let thing = usize::from(is(the + 1, &["thing", "again", "query", "request"]));
        let next = the + 1 + thing;
        // "The same shipments by carrier": more than another name.
        return is(next, PREPOSITIONS).then_some(next);
    }
    let ends = all.iter().rev().find(|token| token.is_word());
    let instead = ends.is_some_and(|token| token.is(&["instead"]));
    let comma = usize::from(is(first, &[","]));
    if is(first + comma, PREPOSITIONS) && (first > 0 || instead) {
        return Some(first + comma);
    }
    None
}

/// The request with another name in the place of the one that is behind the same preposition.
fn with_another_name(request: &str, name: &str, mentions: &[String]) -> String {
    let said_words = tokens(name);
    let preposition = said_words
        .first()
        .filter(|token| token.is(PREPOSITIONS))
        .map(|token| token.text.clone());
    let bare = match &preposition {
        Some(_) => said(name, &said_words[1..]),
        None => name.trim(),
    };
    if bare.is_empty() {
        return request.to_owned();
    }
    let all = tokens(request);
    let places: Vec<_> = mentions
        .iter()
        .filter_map(|mention| find_words(&all, &words(mention)))
        .collect();
    let led_by = |place: &std::ops::Range<usize>, wanted: &str| {
        let before = &all[place.start.saturating_sub(4)..place.start];
        before
            .iter()
            .rev()
            .find(|token| token.is(PREPOSITIONS) && !token.is(&["of"]))
            .is_some_and(|token| token.text == wanted)
    };
    let place = match preposition.as_deref() {
        Some(wanted @ ("to" | "from" | "via" | "by" | "with" | "into")) => {
            match places.iter().find(|place| led_by(place, wanted)) {
                Some(place) => Some(place),
                // "From Shanghai" after a request that says nothing of where from.
                None => return appended(request, name),
            }
        }
        _ => match places.as_slice() {
            [place] => Some(place),
            _ => None,
        },
    };
    match place {
        Some(place) => {
            let (from, to) = name_around(&all, place.clone());
            replaced(request, all[from].start..all[to - 1].end, bare)
        }
        None if preposition.is_some() => appended(request, name),
        None => appended(request, &format!("for {bare}")),
    }
}

fn appended(request: &str, more: &str) -> String {
    let body = request.trim_end_matches(['.', '?', '!', ' ']);
    format!("{body} {more}")
}

/// The name with "port of" before it and "port" behind it: they say what the old one is.
fn name_around(all: &[Token], place: std::ops::Range<usize>) -> (usize, usize) {
    let (mut from, mut to) = (place.start, place.end);
    let kind = |at: usize| {
        all.get(at)
            .is_some_and(|token| token.is(&["port", "vessel", "ship", "terminal", "container"]))
    };
    if from > 1 && all[from - 1].is(&["of"]) && kind(from - 2) {
        from -= 2;
    }
    if kind(to) {
        to += 1;
    }
    (from, to)
}

/// "How many of them are late?": what they are.
fn of_them(text: &str, all: &[Token], request: &str) -> Option<String> {
    const THEM: &[&str] = &["them", "those", "these"];
    let at = all.iter().position(|token| token.is(THEM))?;
    // "Those shipments": named, and not left out. "Show them by …" is of the results that are
    // there.
    let next_is_noun = all.get(at + 1).is_some_and(|token| {
        token.is_word()
            && !token.is(&[
                "are", "were", "is", "have", "has", "had", "by", "per", "in", "on", "to", "from",
                "that", "which", "with", "arrived", "and", "will", "did", "do",
            ])
    });
    if next_is_noun || all.len() < 3 {
        return None;
    }
    let object = object_of(request)?;
    let of = at > 0 && all[at - 1].is(&["of"]);
    let from = if of { at - 1 } else { at };
    let counted = from > 0 && all[from - 1].is(&["many", "all", "number", "count", "most"]);
    if !of && !counted {
        return None;
    }
    Some(replaced(text, all[from].start..all[at].end, object))
}

/// The object of a request: without its verb.
fn object_of(request: &str) -> Option<&str> {
    let all = tokens(request);
    let first = all.first()?;
    if !first.is(&["retrieve", "show", "list", "get", "find", "display"]) {
        return None;
    }
    let skip = all[1..]
        .iter()
        .take_while(|token| token.is(&["all", "the", "me", "every"]))
        .count();
    let from = all.get(1 + skip)?;
    let object = request.get(from.start..)?.trim_end_matches(['.', '!', '?']);
    (!object.is_empty()).then_some(object)
}
