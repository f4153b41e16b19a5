//! Sites by name.

use contracts::tools::LoggerSummary;

use crate::language::keywords::Keywords;
use crate::language::text::{Kind, Message, normalize, tokens};

/// Words of a site's name that say only that it is one.
const GENERIC: &[&str] = &[
    "the", "of", "at", "and", "my", "our", "roof", "house", "building",
];

/// The id of the site that `message` names; its words are masked.
pub(super) fn find(message: &mut Message<'_>, loggers: &[LoggerSummary]) -> Option<String> {
    let mut sites: Vec<(&str, &str)> = loggers
        .iter()
        .map(|one| (one.site_id.as_str(), one.site_name.as_str()))
        .collect();
    sites.sort_unstable();
    sites.dedup();
    for &(id, name) in &sites {
        // One telling word of the name is enough when no other site has it.
        let mut spellings = vec![significant(name), all_words(name), all_words(id)];
        let alone = |word: &String| {
            word.len() >= 4
                && sites
                    .iter()
                    .filter(|(_, other)| significant(other).contains(word))
                    .count()
                    == 1
        };
        spellings.extend(
            significant(name)
                .into_iter()
                .filter(alone)
                .map(|word| vec![word]),
        );
        for words in spellings.iter().filter(|words| !words.is_empty()) {
            if let Some((start, end)) = position(message, words) {
                message.mask(start..end);
                return Some(id.to_owned());
            }
        }
    }
    None
}

fn position(message: &Message<'_>, words: &[String]) -> Option<(usize, usize)> {
    let tokens: Vec<_> = message
        .tokens()
        .into_iter()
        .filter(|token| token.kind != Kind::Mark)
        .collect();
    let at = tokens.windows(words.len()).find(|window| {
        window
            .iter()
            .zip(words)
            .all(|(token, word)| token.text.strip_suffix("'s").unwrap_or(token.text) == word)
    })?;
    Some((at.first()?.start, at.last()?.end))
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
                && Keywords::of(word).hits.is_empty()
                && !super::scan::is_ordinary(word)
                && !word.bytes().all(|byte| byte.is_ascii_digit())
        });
    if telling { words } else { Vec::new() }
}

/// The words that set the name apart, when there are any.
fn significant(name: &str) -> Vec<String> {
    let mut words = all_words(name);
    words.retain(|word| {
        word.len() >= 3
            && !GENERIC.contains(&word.as_str())
            && Keywords::of(word).hits.is_empty()
            && !super::scan::is_ordinary(word)
            && crate::language::dates::month(word).is_none()
    });
    words
}
