//! Questions for the sites themselves.

use crate::language::classify::device_hints;
use crate::language::keywords::Keywords;

/// "Which sites do I have?", "how many plants are there?", "my sites": and nothing else.
pub(in crate::language) fn asks_for_sites(keywords: &Keywords<'_>) -> bool {
    const SITES: &[&str] = &["sites", "plants", "parks", "locations", "installations"];
    const ELSE: &[&str] = &[
        "which",
        "what",
        "list",
        "lists",
        "name",
        "names",
        "show",
        "tell",
        "give",
        "all",
        "the",
        "my",
        "our",
        "me",
        "of",
        "are",
        "is",
        "do",
        "does",
        "have",
        "has",
        "i",
        "we",
        "you",
        "there",
        "please",
        "can",
        "see",
        "know",
        "how",
        "many",
        "number",
        "count",
        "available",
        "connected",
        "monitor",
        "monitoring",
        "monitored",
        "watch",
        "watching",
        "look",
        "after",
        "any",
        "different",
        "solar",
        "pv",
        "together",
        "in",
        "total",
        "more",
        "than",
        "one",
        "several",
        "own",
        "with",
        "and",
        "to",
        "their",
        "every",
    ];
    let one_or_more = keywords.says("more than one site") || keywords.says("more than one plant");
    let others = |word: &&str| {
        SITES.contains(word)
            || ELSE.contains(word)
            || one_or_more && matches!(*word, "site" | "plant")
    };
    (keywords.word(SITES) || one_or_more)
        && device_hints(&keywords.tokens) == 0
        && keywords.words.iter().all(others)
}
