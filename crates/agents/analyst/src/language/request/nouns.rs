//! Which records are wanted.

use std::ops::Range;

use contracts::tools::search::IndexDescription;

use super::scan::{Scan, Use};
use super::vocabulary::Vocabulary;
use super::words::HAVING;
use super::{IndexCandidate, directions, superlatives, vocabulary};
use crate::language::text::{Token, nearly, number_word};

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

/// Finds the nouns of indices, decides which are requested, and adds their fields. With `only` it
/// is that index, whatever the nouns.
pub(super) fn choose<'s>(scan: &mut Scan<'s>, only: Option<&str>) {
    let mut hits = hits(scan);
    if hits.is_empty() {
        hits = misspelt(scan);
    }
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
    let named = taken
        .first()
        .and_then(|first| vocabulary::place(sources, *first))
        .map(|(_, index)| index);
    let mut kind_of_things = false;
    let known: Vec<&'s IndexDescription> = match (only, named) {
        (Some(only), _) => all().filter(|index| index.name == only).take(1).collect(),
        (None, Some(named)) => {
            let noun = hits.first().map_or(0..0, |hit| hit.range.clone());
            let counted = noun.start;
            let instead = directions::of_direction(scan, named, noun.clone());
            if let Some(field) = instead.as_ref().and_then(|other| other.counted_by.clone()) {
                scan.counted_by = Some((noun, field));
            }
            let about = instead
                .map(|other| other.index)
                .or_else(|| about_things(scan, named))
                .or_else(|| of_event(scan, named, counted))
                .or_else(|| of_group(scan, named, counted));
            if let Some(about) = about {
                scan.request.other_records =
                    scan.request.indices.first().map(|first| first.noun.clone());
                kind_of_things = true;
                put_first(scan, about);
            }
            vec![about.unwrap_or(named)]
        }
        (None, None) => {
            if let Some(about) = without_noun(scan) {
                put_first(scan, about);
                vec![about]
            } else {
                all().take(8).collect()
            }
        }
    };
    for index in known {
        scan.vocabulary.know(index);
    }
    if let Some((noun, field)) = scan.counted_by.clone() {
        let said = scan.words(noun);
        scan.vocabulary.call(&said, &field);
    }
    if let Some(hit) = hits
        .into_iter()
        .find(|hit| only.is_none() || hit.indices.iter().any(|place| taken.contains(place)))
    {
        // Of "which vessel has the longest delay" the vessels are groups of the records that have
        // delays.
        if !kind_of_things {
            scan.mark(hit.range.clone(), Use::Read);
            scan.head = Some(hit.range);
        }
    }
}

/// The index that is asked where the one that is named has none of the fields of the request, but
/// another has, and a field for the things that are named.
fn about_things<'s>(scan: &Scan<'s>, named: &'s IndexDescription) -> Option<&'s IndexDescription> {
    let kind = named.entity_type.as_deref()?;
    let sources = scan.sources;
    let is_busy = (0..scan.tokens.len().min(400))
        .filter_map(|at| superlatives::at(&scan.tokens, at))
        .find(|superlative| superlative.about == superlatives::About::Records);
    if let Some(busy) = is_busy.filter(|_| named.date_field.is_none()) {
        let mut indices = sources.sources.iter().flat_map(|source| &source.indices);
        return indices.find(|index| {
            let mut fields = index.fields.iter();
            busy.fits(index) && fields.any(|field| field.entity_type.as_deref() == Some(kind))
        });
    }
    if fields_named(scan, named) > 0 {
        return None;
    }
    sources
        .sources
        .iter()
        .flat_map(|source| source.indices.iter())
        .filter(|index| index.name != named.name)
        .filter(|index| {
            let mut fields = index.fields.iter();
            fields.any(|field| field.entity_type.as_deref() == Some(kind))
        })
        .find(|index| fields_named(scan, index) > 0)
}

/// The index that has the event that is asked for where the one that is named has none such:
/// containers are counted where shipments arrive.
fn of_event<'s>(
    scan: &Scan<'s>,
    named: &'s IndexDescription,
    noun: usize,
) -> Option<&'s IndexDescription> {
    let counted = noun > 0 && scan.is(noun - 1, &["many"])
        || noun > 1 && scan.is(noun - 1, &["of"]) && scan.is(noun - 2, &["number"]);
    if !counted {
        return None;
    }
    let known = |index: &'s IndexDescription| {
        let mut vocabulary = Vocabulary::empty();
        vocabulary.know(index);
        vocabulary
    };
    let own = known(named);
    let tokens = &scan.tokens;
    let verb = (noun + 1..tokens.len().min(64)).find(|at| {
        let word = scan.word(*at).filter(|_| scan.free(*at));
        word.is_some_and(|word| own.is_event(word) && !own.has_event(word))
            && own.valued(tokens, *at).is_none()
            && own.named(tokens, *at).is_none()
    })?;
    let word = scan.word(verb)?;
    let mut indices = scan
        .sources
        .sources
        .iter()
        .flat_map(|source| &source.indices);
    indices.find(|index| {
        let other = known(index);
        index.name != named.name && other.has_event(word) && other.named(tokens, noun).is_some()
    })
}

/// The index that has a number of what is counted, and what it is counted by, where the one that is
/// named has no field for that: of "which vessel carried the most containers" the shipments, which
/// say how many containers each fills, and its vessel.
fn of_group<'s>(
    scan: &Scan<'s>,
    named: &'s IndexDescription,
    noun: usize,
) -> Option<&'s IndexDescription> {
    const RANKS: &[&str] = &["most", "fewest", "least"];
    const LINKS: &[&str] = &[
        "has",
        "have",
        "had",
        "carried",
        "carries",
        "handled",
        "handles",
        "shipped",
        "received",
        "receives",
        "moved",
        "moves",
        "transported",
    ];
    let tokens = &scan.tokens;
    let rank = noun.checked_sub(1).filter(|at| scan.is(*at, RANKS))?;
    let link = (0..rank).rev().take(3).find(|at| scan.is(*at, LINKS))?;
    let group = link.checked_sub(1)?;
    let known = |index: &'s IndexDescription| {
        let mut vocabulary = Vocabulary::empty();
        vocabulary.know(index);
        vocabulary
    };
    if known(named).named(tokens, group).is_some() {
        return None;
    }
    let mut indices = scan
        .sources
        .sources
        .iter()
        .flat_map(|source| &source.indices);
    indices.find(|index| {
        let other = known(index);
        let counts = other.named(tokens, noun).is_some_and(|(_, fields)| {
            let mut fields = fields.iter();
            fields.any(|field| other.field(*field).field_type.is_number())
        });
        counts && index.name != named.name && other.named(tokens, group).is_some()
    })
}

/// The index of a request that names no records: if something is due, the one that has planned and
/// actual dates, and if only things are compared, the one with records of events. The choice by
/// named fields and things is for `field_mapping`.
fn without_noun<'s>(scan: &Scan<'s>) -> Option<&'s IndexDescription> {
    let all = || {
        scan.sources
            .sources
            .iter()
            .flat_map(|source| &source.indices)
    };
    let tokens = &scan.tokens;
    if tokens.iter().any(|token| token.is(&["due", "overdue"])) {
        return all().find(|index| super::due::has_plan(index));
    }
    let compares = tokens.iter().any(|token| token.is(super::words::COMPARE));
    let bare = compares && all().all(|index| fields_named(scan, index) == 0);
    let happens = |index: &&IndexDescription| index.date_field.is_some();
    all()
        .find(happens)
        .filter(|_| bare)
        .or_else(|| directions::best_fit(scan))
}

/// Number of fields of an index that are named, apart from kinds of things.
fn fields_named(scan: &Scan<'_>, index: &IndexDescription) -> usize {
    let mut vocabulary = Vocabulary::empty();
    vocabulary.know(index);
    let tokens = &scan.tokens;
    (0..tokens.len().min(400))
        .filter(|at| scan.free(*at) && scan.vocabulary.noun(tokens, *at).is_none())
        .filter(|at| scan.vocabulary.entity_type(tokens, *at).is_none())
        .filter(|at| {
            let superlative = superlatives::at(tokens, *at);
            superlative.is_some_and(|found| found.quantity(&vocabulary).is_some())
                || vocabulary.named(tokens, *at).is_some()
                || vocabulary.valued(tokens, *at).is_some()
                || vocabulary.affirmed(tokens, *at).is_some()
        })
        .count()
}

/// Creates an index the likeliest.
fn put_first(scan: &mut Scan<'_>, index: &IndexDescription) {
    let sources = scan.sources;
    let noun = scan
        .request
        .indices
        .first()
        .map_or_else(String::new, |first| first.noun.clone());
    scan.request
        .indices
        .retain(|candidate| candidate.index != index.name);
    let first: Vec<IndexCandidate> = sources
        .sources
        .iter()
        .filter(|source| source.indices.iter().any(|known| known.name == index.name))
        .map(|source| IndexCandidate {
            source: source.name.clone(),
            index: index.name.clone(),
            noun: noun.clone(),
        })
        .collect();
    scan.request.indices.splice(0..0, first);
}

/// Nouns with a slip of the finger.
fn misspelt(scan: &Scan<'_>) -> Vec<Hit> {
    let sources = scan.sources;
    let mut hits: Vec<Hit> = Vec::new();
    let in_a_value = |at: usize| {
        let mut starts = (at.saturating_sub(3)..=at).filter_map(|from| {
            let end = scan.vocabulary.long_value(&scan.tokens, from)?;
            Some(from..end)
        });
        starts.any(|value| value.contains(&at))
    };
    for at in (0..scan.tokens.len().min(64)).filter(|at| scan.free(*at) && !in_a_value(*at)) {
        let Some(word) = scan.word(at) else { continue };
        let mut indices = Vec::new();
        for (source_at, source) in sources.sources.iter().enumerate() {
            for (index_at, index) in source.indices.iter().enumerate() {
                let mut nouns = index.nouns.iter();
                if nouns.any(|noun| nearly(word, &noun.to_lowercase())) {
                    indices.push((source_at, index_at));
                }
            }
        }
        if !indices.is_empty() {
            hits.push(Hit {
                range: at..at + 1,
                indices,
                score: score(scan, at..at + 1),
            });
        }
    }
    hits
}

fn hits(scan: &Scan<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    let mut at = 0;
    while at < scan.tokens.len() && hits.len() < 64 {
        // "Nordhavn Container" is a carrier: no container is asked for.
        if let Some(end) = scan.vocabulary.long_value(&scan.tokens, at) {
            at = end;
            continue;
        }
        let found = scan.vocabulary.noun(&scan.tokens, at);
        // "What did you ship": a verb.
        let verb = at > 0
            && scan.is(at - 1, &["we", "they", "you", "i", "will", "to"])
            && scan.is(at, &["ship"]);
        let part = is_part_of_name(scan, at);
        let found = found.filter(|(end, _)| scan.all_free(at..*end) && !verb && !part);
        let Some((end, indices)) = found else {
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

/// "Miami Container Terminal": a noun with a capital between words with one.
fn is_part_of_name(scan: &Scan<'_>, at: usize) -> bool {
    let capital = |at: usize| {
        let token = scan.tokens.get(at);
        token.is_some_and(|token| token.is_word() && token.capital)
    };
    let before = at
        .checked_sub(1)
        .is_some_and(|before| capital(before) && !scan.is(before, WANTED));
    let verb = at == 1 && scan.is(0, super::words::FILLERS);
    capital(at) && before && !verb && !is_plural(&scan.tokens[at..=at])
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
    } else if is_amount(scan, before) || is_of_all(scan, before) {
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

/// "To all ports": the noun says where.
fn is_of_all(scan: &Scan<'_>, at: usize) -> bool {
    let all = scan.is(at, &["all", "any", "every", "other"]);
    all && at > 0 && scan.is(at - 1, BESIDE)
}

/// Whether the token at `at` is a number that something is compared with: "more than 5 containers",
/// "with 2 containers".
fn is_amount(scan: &Scan<'_>, at: usize) -> bool {
    const COMPARED: &[&str] = &[
        "than", "least", "most", "over", "above", "under", "below", "exactly", "between", "and",
        "more", "fewer", "less", ">", "<", "=", "to",
    ];
    let counted =
        scan.tokens[at].number().is_some() || number_word(&scan.tokens[at].text).is_some();
    if counted && at > 0 && scan.is(at - 1, HAVING) {
        return true;
    }
    // "With 2 or 3 containers".
    if counted && at > 2 && scan.is(at - 1, &["or"]) && scan.is(at - 3, HAVING) {
        return scan.tokens[at - 2].number().is_some()
            || number_word(&scan.tokens[at - 2].text).is_some();
    }
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
