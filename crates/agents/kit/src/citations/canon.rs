//! Words of one meaning: a sentence may say "twice" where a text says "2x".

/// Words of one meaning, by the word that replaces them.
const SAME: &[(&str, &[&str])] = &[
    ("after", &["afterwards", "afterward"]),
    ("begin", &["begins", "began", "start", "starts", "started"]),
    ("before", &["beforehand", "ahead"]),
    ("below", &["under"]),
    (
        "beyond",
        &["above", "over", "exceeding", "exceed", "exceeds"],
    ),
    ("calculate", &["computed", "calculates", "calculated"]),
    ("changing", &["exchanging", "replacing"]),
    ("continue", &["continues", "continued"]),
    ("each", &["every"]),
    ("end", &["stop", "stops", "finish", "finishes"]),
    ("keep", &["kept", "store", "stored", "retained"]),
    ("kilometres", &["kilometers", "km"]),
    ("hours", &["hrs"]),
    ("linear", &["linearly"]),
    ("make", &["made", "makes", "making"]),
    ("may", &["can"]),
    ("minutes", &["min", "mins"]),
    (
        "must",
        &[
            "compulsory",
            "mandatory",
            "necessary",
            "need",
            "needed",
            "needs",
            "obligatory",
            "require",
            "required",
            "requires",
        ],
    ),
    ("pay", &["paid", "pays"]),
    ("recalculate", &["recalculated"]),
    ("sum", &["add", "adds", "sums"]),
];

/// Words of two words.
const PAIRS: &[(&str, &str, &str)] = &[
    ("emit", "gas", "gassing"),
    ("emitting", "gas", "gassing"),
    ("go", "on", "continue"),
    ("goes", "on", "continue"),
    ("given", "that", "provided"),
    ("good", "for", "valid"),
    ("good", "to", "accurate"),
    ("had", "to", "must"),
    ("has", "to", "must"),
    ("have", "to", "must"),
    ("less", "than", "below"),
    ("more", "than", "beyond"),
    ("up", "to", "upto"),
    ("worked", "out", "calculate"),
];

/// Pairs of which a text that has both says two things: of "what was switched off is switched on"
/// either half alone is wrong.
pub(super) const OPPOSITES: &[(&str, &str)] = &[("off", "on"), ("with", "without")];

/// Words of several words.
const PHRASES: &[(&[&str], &str)] = &[
    (&["along", "a", "straight", "line"], "linear"),
    (&["in", "a", "straight", "line"], "linear"),
];

/// The word that replaces the first of these, and how many it replaces.
pub(super) fn phrase(words: &[String]) -> Option<(usize, &'static str)> {
    let begins = |(phrase, _): &&(&[&str], &'static str)| {
        words.len() >= phrase.len() && words.iter().zip(*phrase).all(|(own, word)| own == word)
    };
    let (phrase, own) = PHRASES.iter().find(begins)?;
    Some((phrase.len(), own))
}

/// The word that replaces this one.
pub(super) fn same(word: &str) -> &str {
    let found = SAME.iter().find(|(_, words)| words.contains(&word));
    found.map_or(word, |(own, _)| own)
}

/// The word that replaces these two.
pub(super) fn pair(first: &str, second: &str) -> Option<&'static str> {
    let found = PAIRS.iter().find(|(a, b, _)| *a == first && *b == second)?;
    Some(found.2)
}

/// The word of a sign.
pub(super) fn sign(sign: &str) -> Option<&'static str> {
    match sign {
        "%" => Some("percent"),
        "\u{20ac}" => Some("euros"),
        "$" => Some("dollars"),
        "\u{a3}" => Some("pounds"),
        "\u{b0}" => Some("degrees"),
        _ => None,
    }
}
