//! Devices and sites that a message leaves out: "without MEIER", "everything but the depot".

use std::ops::Range;

/// Words before a name that leave it out.
const EXCLUSIONS: &[&str] = &[
    "without",
    "except",
    "except for",
    "excluding",
    "excl",
    "besides",
    "but not",
    "and not",
    "not",
    "other than",
    "apart from",
    "aside from",
    "leaving out",
    "not counting",
    "all but",
    "everything but",
    "everyone but",
    "sites but",
    "plants but",
    "devices but",
    "inverters but",
    "loggers but",
    "every site but",
    "every plant but",
    "every device but",
    "every inverter but",
    "every logger but",
];

/// Words between such words and the name.
const BETWEEN: &[&str] = &[
    "the",
    "my",
    "our",
    "site",
    "inverter",
    "inverters",
    "device",
    "devices",
    "logger",
    "loggers",
    "plant",
    "of",
    "for",
    "at",
];

/// Words between the names of one list.
const JOINTS: &[&str] = &["and", "or", "nor", "the", "also"];

/// For each place of a name in `text`, in order, whether it is left out.
pub(super) fn among(text: &str, places: impl Iterator<Item = Range<usize>>) -> Vec<bool> {
    let mut excluded = Vec::new();
    let mut end = 0;
    for place in places {
        let before = text.get(..place.start).unwrap_or_default();
        let between = text.get(end..place.start).unwrap_or_default();
        let goes_on =
            excluded.last() == Some(&true) && words(between).all(|word| JOINTS.contains(&&*word));
        excluded.push(goes_on || is_behind(before));
        end = place.end;
    }
    excluded
}

/// Whether a name that is behind `before` is left out.
pub(super) fn is_behind(before: &str) -> bool {
    let words: Vec<String> = words(before).collect();
    let last = words
        .iter()
        .rposition(|word| !BETWEEN.contains(&&**word))
        .map_or(0, |last| last + 1);
    EXCLUSIONS.iter().any(|exclusion| {
        let said: Vec<&str> = exclusion.split(' ').collect();
        words[..last]
            .iter()
            .map(String::as_str)
            .rev()
            .take(said.len())
            .eq(said.iter().rev().copied())
    })
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '\'')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::is_behind;

    #[test]
    fn but_leaves_a_name_out_behind_all_of_a_kind() {
        for before in [
            "energy of all sites but ",
            "savings of every site but the ",
            "each of the plants but ",
            "all inverters but not ",
        ] {
            assert!(is_behind(before), "{before}");
        }
        for before in ["compare LTI, but ", "not today but ", "this site but "] {
            assert!(!is_behind(before), "{before}");
        }
    }
}
