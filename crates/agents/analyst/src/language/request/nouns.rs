//! Which records are wanted.

use std::ops::Range;

use contracts::tools::search::IndexDescription;

use super::scan::{Scan, Use};
use super::{IndexCandidate, vocabulary};
use crate::language::text::Token;

/// Words after which a noun is what is wanted.
const WANTED: &[&str] = &[
    "show",
    "list",
    "find",
    "get",
    "give",
    "retrieve",
    "fetch",
    "display",
    "many",
    "all",
    "which",
    "what",
    "count",
    "latest",
    "newest",
    "recent",
    "oldest",
    "every",
    "any",
    "most",
    "least",
    "fewest",
    "delayed",
    "late",
    "hazardous",
];
/// Words after which a noun says something about what is wanted.
const BESIDE: &[&str] = &[
    "to", "at", "from", "on", "via", "through", "by", "per", "with", "each", "into", "in", "and",
    "or", "than", "for",
];

struct Hit {
    range: Range<usize>,
    indices: Vec<(usize, usize)>,
    score: i32,
}

/// Finds the nouns of indices, decides which are wanted, and takes in their fields. With `only` it is that index, whatever the nouns.
pub(super) fn choose<'s>(scan: &mut Scan<'s>, only: Option<&str>) {
    let mut hits = hits(scan);
    hits.sort_by_key(|hit| (-hit.score, hit.range.start));
    let sources = scan.sources;
    let mut taken: Vec<(usize, usize)> = Vec::new();
    for hit in &hits {
        for place in &hit.indices {
            if taken.contains(place) {
                continue;
            }
            let Some((source, index)) = vocabulary::place(sources, *place) else {
                continue;
            };
            if only.is_some_and(|only| only != index.name) {
                continue;
            }
            taken.push(*place);
            scan.request.indices.push(IndexCandidate {
                source: source.name.clone(),
                index: index.name.clone(),
                noun: scan.words(hit.range.clone()),
            });
        }
    }
    let all = || {
        sources
            .sources
            .iter()
            .flat_map(|source| source.indices.iter())
    };
    let known: Vec<&'s IndexDescription> = match (only, taken.first()) {
        (Some(only), _) => all().filter(|index| index.name == only).take(1).collect(),
        (None, Some(first)) => {
            let index = vocabulary::place(sources, *first).map(|(_, index)| index);
            index.into_iter().collect()
        }
        (None, None) => all().take(8).collect(),
    };
    for index in known {
        scan.vocabulary.know(index);
    }
    if let Some(hit) = hits
        .into_iter()
        .find(|hit| only.is_none() || hit.indices.iter().any(|place| taken.contains(place)))
    {
        scan.mark(hit.range.clone(), Use::Read);
        scan.head = Some(hit.range);
    }
}

fn hits(scan: &Scan<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    let mut at = 0;
    while at < scan.tokens.len() && hits.len() < 64 {
        let found = scan.vocabulary.noun(&scan.tokens, at);
        let Some((end, indices)) = found.filter(|(end, _)| scan.all_free(at..*end)) else {
            at += 1;
            continue;
        };
        let score = score(scan, at..end);
        hits.push(Hit {
            range: at..end,
            indices,
            score,
        });
        at = end;
    }
    hits
}

fn score(scan: &Scan<'_>, range: Range<usize>) -> i32 {
    let mut before = range.start;
    while before > 0
        && scan.is(
            before - 1,
            &["the", "a", "an", "our", "my", "me", "different"],
        )
    {
        before -= 1;
    }
    let mut score = i32::from(is_plural(&scan.tokens[range.clone()]));
    let Some(before) = before.checked_sub(1) else {
        return score + 2;
    };
    if scan.is(before, &["many", "most", "least", "fewest"])
        || scan.is(before, &["of"])
            && before > 0
            && scan.is(before - 1, &["number", "count", "share", "amount"])
    {
        score += 5;
    } else if is_amount(scan, before) {
        score -= 3;
    } else if scan.is(before, WANTED) || scan.tokens[before].number().is_some() {
        score += 3;
    } else if scan.is(before, BESIDE) {
        score -= 3;
    }
    // "Top five carriers by shipments".
    if scan.is(before, &["by"])
        && scan
            .tokens
            .iter()
            .take(before)
            .any(|token| token.is(&["top", "rank"]))
    {
        score += 7;
    }
    // "Port of Miami", "Miami port": part of a name.
    let capital = |at: usize| {
        scan.tokens
            .get(at)
            .is_some_and(|token| token.is_word() && token.capital)
    };
    if scan.is(range.end, &["of"]) && capital(range.end + 1)
        || range.start > 1 && capital(range.start - 1)
    {
        score -= 2;
    }
    score
}

/// Whether the token at `at` is a number that something is compared with: "more than 5 containers".
fn is_amount(scan: &Scan<'_>, at: usize) -> bool {
    const COMPARED: &[&str] = &[
        "than", "least", "most", "over", "above", "under", "below", "exactly", "between", "and",
        "more", "fewer", "less", ">", "<", "=", "to",
    ];
    let number = scan.tokens[at].number().is_some();
    at > 0 && (number || scan.is(at, &["more", "fewer", "less"])) && scan.is(at - 1, COMPARED)
        || at > 0 && scan.is(at, &["more", "fewer", "less"]) && scan.is(at - 1, &["or"])
}

/// Whether a noun is in the plural.
pub(super) fn is_plural(noun: &[Token]) -> bool {
    noun.last().is_some_and(|token| {
        token.text.ends_with('s') && !token.text.ends_with("ss") && !token.text.ends_with("us")
    })
}
