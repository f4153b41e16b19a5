//! Words of one meaning, and numbers in words: a sentence may say "twice" where a text says "2x".

/// Numbers in words. "One" is a pronoun, too, so it stays a word.
const NUMBERS: &[(&str, &str)] = &[
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("thirteen", "13"),
    ("fourteen", "14"),
    ("fifteen", "15"),
    ("sixteen", "16"),
    ("seventeen", "17"),
    ("eighteen", "18"),
    ("nineteen", "19"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("forty", "40"),
    ("fifty", "50"),
    ("sixty", "60"),
    ("seventy", "70"),
    ("eighty", "80"),
    ("ninety", "90"),
];

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
    ("each", &["every"]),
    ("end", &["stop", "stops", "finish", "finishes"]),
    ("keep", &["kept", "store", "stored", "retained"]),
    ("may", &["can"]),
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
    ("given", "that", "provided"),
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

/// A number in words as a figure.
pub(super) fn number(word: &str) -> Option<&'static str> {
    let found = NUMBERS.iter().find(|(own, _)| *own == word)?;
    Some(found.1)
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
