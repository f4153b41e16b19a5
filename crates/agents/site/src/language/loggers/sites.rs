//! Sites by name.

use std::ops::Range;

use contracts::tools::LoggerSummary;

use crate::language::keywords::Keywords;
use crate::language::text::{Kind, Message, Token, normalize, tokens};

/// Words of a site's name that say only that it is one.
const GENERIC: &[&str] = &[
    "the",
    "of",
    "at",
    "and",
    "my",
    "our",
    "roof",
    "house",
    "building",
    "measured",
    "simulated",
];

/// The id of the site that `message` names; its words are masked. The longest spelling wins, and a
/// whole name over a part of one.
pub(super) fn find(message: &mut Message<'_>, loggers: &[LoggerSummary]) -> Option<String> {
    let sites = sites(loggers);
    let names: Vec<_> = sites
        .iter()
        .map(|(_, name)| (all_words(name), significant(name)))
        .collect();
    let mut spellings: Vec<(&str, Vec<String>)> = Vec::new();
    for (&(id, _), (all, telling)) in sites.iter().zip(&names) {
        spellings.push((id, all.clone()));
        spellings.push((id, all_words(id)));
        spellings.push((id, telling.clone()));
    }
    for (&(id, _), (all, telling)) in sites.iter().zip(&names) {
        // How the name begins is enough when it sets the site apart: "RSF II" of "RSF II, Golden".
        let beginnings = (2..all.len())
            .filter_map(|len| all.get(..len))
            .filter(|part| {
                part.iter().any(|word| telling.contains(word))
                    && names
                        .iter()
                        .filter(|(all, _)| all.starts_with(part))
                        .count()
                        == 1
            });
        spellings.extend(beginnings.map(|part| (id, part.to_vec())));
        // One significant word of the name is enough when no other site has it.
        let alone = telling.iter().filter(|word| {
            word.len() >= 4
                && names
                    .iter()
                    .filter(|(_, telling)| telling.contains(word))
                    .count()
                    == 1
        });
        spellings.extend(alone.map(|word| (id, vec![word.clone()])));
    }
    spellings.retain(|(_, words)| !words.is_empty());
    spellings.sort_by_key(|(_, words)| std::cmp::Reverse(words.len()));
    let (id, (start, end)) = spellings
        .iter()
        .find_map(|(id, words)| Some((*id, position(message, words)?)))
        .or_else(|| by_ordinary_word(message, &sites))?;
    message.mask(start..end);
    Some(id.to_owned())
}

/// A site whose name is an ordinary word, where the sentence says that it is a name: "the roof
/// site", "at roof", "is roof ok?", or the word alone.
fn by_ordinary_word<'s>(
    message: &Message<'_>,
    sites: &[(&'s str, &str)],
) -> Option<(&'s str, (usize, usize))> {
    const KINDS: &[&str] = &["site", "plant", "location"];
    const BEFORE: &[&str] = &["of", "at", "for", "in", "on", "from"];
    const SUBJECT_OF: &[&str] = &["is", "was", "does", "did", "has"];
    const ARTICLES: &[&str] = &["the", "my", "our"];
    let all = message.tokens();
    let words: Vec<_> = all
        .iter()
        .filter(|token| token.kind != Kind::Mark)
        .collect();
    let bare = |at: usize| {
        let text = words.get(at)?.text;
        Some(text.strip_suffix("'s").unwrap_or(text))
    };
    for (id, name) in sites {
        for spelling in [*name, *id] {
            let spelling = normalize(spelling);
            let word = spelling.trim();
            let single = word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_lowercase());
            if !single || !all_words(word).is_empty() {
                continue;
            }
            // "Energy of the plant" is that of the site that is called so.
            let matter = is_keyword(word) && !KINDS.contains(&word);
            let is_name = |at: usize| {
                let head = (0..at)
                    .rev()
                    .find(|before| !ARTICLES.contains(&words[*before].text));
                let before = head.and_then(bare);
                let of_kind = |word: Option<&str>| word.is_some_and(|word| KINDS.contains(&word));
                let alone = head.is_none() && at + 1 == words.len();
                let placed = before.is_some_and(|before| BEFORE.contains(&before));
                let subject = before.is_some_and(|before| SUBJECT_OF.contains(&before));
                of_kind(bare(at + 1)) || of_kind(before) || !matter && (alone || placed || subject)
            };
            let at = (0..words.len()).find(|at| {
                let token = words[*at];
                bare(*at) == Some(word) && !goes_on(&all, token.end) && is_name(*at)
            });
            if let Some(at) = at {
                return Some((id, (words[at].start, words[at].end)));
            }
        }
    }
    None
}

/// Every site that `message` names, each with its place, in the order of the message.
pub(super) fn all(
    message: &mut Message<'_>,
    loggers: &[LoggerSummary],
) -> Vec<(String, Range<usize>)> {
    let mut found: Vec<(String, Range<usize>)> = Vec::new();
    while found.len() < MOST_SITES {
        let before = message.text().to_owned();
        let Some(site) = find(message, loggers) else {
            break;
        };
        let span = super::masked_between(&before, message.text())
            .into_iter()
            .next();
        let Some(span) = span else { break };
        if found.iter().all(|(other, _)| *other != site) {
            found.push((site, span));
        }
    }
    found.sort_by_key(|(_, span)| span.start);
    found
}

/// Most sites that one message names.
const MOST_SITES: usize = 8;

/// The place of the longest whole name of a site that has several words.
pub(super) fn whole(message: &Message<'_>, loggers: &[LoggerSummary]) -> Option<Range<usize>> {
    sites(loggers)
        .into_iter()
        .map(|(_, name)| all_words(name))
        .filter(|words| words.len() > 1)
        .filter_map(|words| position(message, &words))
        .map(|(start, end)| start..end)
        .max_by_key(ExactSizeIterator::len)
}

/// Every site once, as its id and name.
fn sites(loggers: &[LoggerSummary]) -> Vec<(&str, &str)> {
    let mut sites: Vec<(&str, &str)> = loggers
        .iter()
        .map(|one| (one.site_id.as_str(), one.site_name.as_str()))
        .collect();
    sites.sort_unstable();
    sites.dedup();
    sites
}

fn position(message: &Message<'_>, words: &[String]) -> Option<(usize, usize)> {
    let all = message.tokens();
    let tokens: Vec<_> = all
        .iter()
        .filter(|token| token.kind != Kind::Mark)
        .collect();
    let at = tokens.windows(words.len()).find(|window| {
        let same = window
            .iter()
            .zip(words)
            .all(|(token, word)| token.text.strip_suffix("'s").unwrap_or(token.text) == word);
        same && window.last().is_some_and(|last| !goes_on(&all, last.end))
    })?;
    Some((at.first()?.start, at.last()?.end))
}

/// Whether a dash joins what ends at `end` with more: "MESA-D" is not the site "Mesa".
fn goes_on(tokens: &[Token<'_>], end: usize) -> bool {
    let mut behind = tokens.iter().skip_while(|token| token.start < end);
    let dash = behind
        .next()
        .is_some_and(|mark| mark.glued && mark.start == end && matches!(mark.text, "-" | "_"));
    dash && behind
        .next()
        .is_some_and(|next| next.glued && next.kind != Kind::Mark)
}

fn all_words(name: &str) -> Vec<String> {
    let text = normalize(name);
    let words: Vec<String> = tokens(&text)
        .iter()
        .filter(|token| token.kind != Kind::Mark)
        .map(|token| token.text.to_owned())
        .collect();
    // A name that is one keyword or number ("Solar", "7") would be found everywhere.
    let telling = words.len() > 1
        || words.iter().any(|word| {
            word.len() >= 3
                && !is_keyword(word)
                && !super::scan::is_ordinary(word)
                && !word.bytes().all(|byte| byte.is_ascii_digit())
        });
    if telling { words } else { Vec::new() }
}

/// Whether the word is a keyword as it is spelt: a name that looks like a slip of one is a name.
fn is_keyword(word: &str) -> bool {
    Keywords::of(word).hits.iter().any(|hit| hit.exact)
}

/// The words that set the name apart, when there are any.
fn significant(name: &str) -> Vec<String> {
    let mut words = all_words(name);
    words.retain(|word| {
        word.len() >= 3
            && !GENERIC.contains(&word.as_str())
            && !is_keyword(word)
            && !super::scan::is_ordinary(word)
            && crate::language::dates::month(word).is_none()
    });
    words
}
