//! Names that people read and choose by: of accounts, tenants, groups, collections, sites, keys.
//!
//! Two different names must not look the same. So a name has no character that is not seen, and the
//! name of an account or a tenant none that is another form of a usual one. Names in any alphabet
//! are accepted; [`look_alike`] compares what is seen of two of them.

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization;
use unicode_security::confusable_detection::skeleton;
use unicode_security::general_security_profile::{GeneralSecurityProfile, IdentifierType};

/// The reason for which a text cannot be a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameFault {
    /// A control character.
    #[error("must not have control characters")]
    Control,
    /// A character that is not seen, or is seen as a blank or a mark of another one.
    #[error("must not have characters that cannot be seen, such as U+{:04X} here", u32::from(*.0))]
    Hidden(char),
    /// Two blanks that follow each other, which look like one.
    #[error("must not have several blanks in a row")]
    Blanks,
    /// Another form of usual characters, such as full-width letters.
    #[error("must not have other forms of usual characters: {0} looks like {1}")]
    OtherForm(String, String),
    /// Letters of several alphabets that look alike.
    #[error(
        "must not mix letters of the Latin, Greek, Cyrillic, Armenian and Cherokee alphabets, which look alike"
    )]
    Mixed,
    /// A sign of phonetic notation, such as small capitals.
    #[error("must not have signs of phonetic notation, such as {0} here")]
    Phonetic(char),
    /// A part of a path that is not a name there.
    #[error("must not be `.` or `..`, which cannot be a part of an address")]
    Dots,
}

/// Characters that are not seen although their category is one of visible ones: fillers, selectors
/// of variants, an empty pattern.
const FILLERS: [(char, char); 10] = [
    ('\u{34f}', '\u{34f}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{16fe4}', '\u{16fe4}'),
    ('\u{e0100}', '\u{e01ef}'),
];

/// Alphabets with letters that look alike, by their ranges.
const ALPHABETS: [&[(char, char)]; 5] = [
    &[('a', 'z'), ('A', 'Z'), ('\u{c0}', '\u{24f}')],
    &[('\u{370}', '\u{3ff}'), ('\u{1f00}', '\u{1fff}')],
    &[
        ('\u{400}', '\u{52f}'),
        ('\u{1c80}', '\u{1c8f}'),
        ('\u{a640}', '\u{a69f}'),
    ],
    &[('\u{530}', '\u{58f}')],
    &[('\u{13a0}', '\u{13ff}'), ('\u{ab70}', '\u{abbf}')],
];

/// Whether a character cannot be seen where it stands, or looks like a blank without being one.
pub fn is_hidden(letter: char) -> bool {
    let by_category = match get_general_category(letter) {
        GeneralCategory::Control
        | GeneralCategory::Format
        | GeneralCategory::LineSeparator
        | GeneralCategory::ParagraphSeparator
        | GeneralCategory::PrivateUse
        | GeneralCategory::Surrogate => true,
        GeneralCategory::SpaceSeparator => letter != ' ',
        _ => false,
    };
    by_category
        || FILLERS
            .iter()
            .any(|(first, last)| (*first..=*last).contains(&letter))
}

/// A name with its marks composed with their letters.
pub fn composed(name: &str) -> String {
    name.nfc().collect()
}

/// A name as it is stored: without blanks around it, its marks composed with their letters. Its
/// length is for the caller to check.
pub fn checked(name: &str) -> Result<String, NameFault> {
    let name: String = name.trim_matches(' ').nfc().collect();
    if name.chars().any(char::is_control) {
        return Err(NameFault::Control);
    }
    if let Some(hidden) = name.chars().find(|letter| is_hidden(*letter)) {
        return Err(NameFault::Hidden(hidden));
    }
    if name.contains("  ") {
        return Err(NameFault::Blanks);
    }
    if matches!(name.as_str(), "." | "..") {
        return Err(NameFault::Dots);
    }
    Ok(name)
}

/// The name of an account or a tenant as it is stored: also without characters that are taken for
/// others.
pub fn checked_strictly(name: &str) -> Result<String, NameFault> {
    let name = checked(name)?;
    for letter in name.chars() {
        let usual: String = std::iter::once(letter).nfkc().collect();
        let own: String = std::iter::once(letter).nfc().collect();
        if usual != own {
            return Err(NameFault::OtherForm(own, usual));
        }
        if letter.identifier_type() == Some(IdentifierType::Technical) {
            return Err(NameFault::Phonetic(letter));
        }
    }
    let within = |letter: char, (first, last): &(char, char)| (*first..=*last).contains(&letter);
    let uses = |alphabet: &&&[(char, char)]| {
        let mut letters = name.chars();
        letters.any(|letter| alphabet.iter().any(|range| within(letter, range)))
    };
    if ALPHABETS.iter().filter(uses).count() > 1 {
        return Err(NameFault::Mixed);
    }
    Ok(name)
}

/// Whether two names are the same, or are seen as the same: in upper or lower case, or in letters
/// of another alphabet. Characters that look alike are those of Unicode's Technical Standard 39.
pub fn look_alike(one: &str, other: &str) -> bool {
    let looks = looks(other);
    self::looks(one).iter().any(|look| looks.contains(look))
}

/// A name by its look, as it is written and in lower case: a capital and a small letter may look
/// like different ones.
fn looks(name: &str) -> [String; 2] {
    let lower = |text: String| text.to_lowercase();
    let seen = |text: &str| -> String {
        let letters: String = skeleton(text).collect();
        skeleton(&lower(letters)).collect()
    };
    let usual: String = name.nfkc().collect();
    [seen(&usual), seen(&lower(usual))]
}

/// A name of elsewhere, made into one that is accepted: hidden characters are left out.
pub fn cleaned(name: &str) -> String {
    let visible: String = name.chars().filter(|letter| !is_hidden(*letter)).collect();
    let words: Vec<&str> = visible.split(' ').filter(|word| !word.is_empty()).collect();
    words.join(" ").nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_the_same_are_refused_or_are_the_same() {
        for name in [
            "ada\u{200b}",
            "a\u{200d}da",
            "\u{feff}ada",
            "ada\u{ad}",
            "ada\u{3164}",
            "ada\u{fe0f}",
            "ada\u{a0}",
            "ada\u{2003}b",
            "ada\u{202e}",
            "ada\u{2028}",
            "ada\u{e000}",
            "ada\u{2800}",
        ] {
            assert!(
                matches!(checked(name), Err(NameFault::Hidden(_))),
                "{name:?}"
            );
        }
        assert_eq!(checked("ada\tb"), Err(NameFault::Control));
        assert_eq!(checked("ada  b"), Err(NameFault::Blanks));
        assert_eq!(checked(" Zoe\u{301} "), Ok("Zo\u{e9}".to_owned()));
        let said = checked("ada\u{200b}").unwrap_err().to_string();
        assert!(said.contains("U+200B"), "{said}");
    }

    #[test]
    fn accounts_and_tenants_have_no_look_alikes() {
        assert!(matches!(
            checked_strictly("\u{ff41}da"),
            Err(NameFault::OtherForm(..))
        ));
        assert!(matches!(
            checked_strictly("\u{fb01}na"),
            Err(NameFault::OtherForm(..))
        ));
        assert_eq!(checked_strictly("\u{430}da"), Err(NameFault::Mixed));
        for name in [
            "ada",
            "ada.lovelace@example.com",
            "J\u{fc}rgen M\u{fc}ller",
            "\u{430}\u{43d}\u{43d}\u{430}",
            "\u{3b1}\u{3b2}\u{3b3}",
            "\u{5c71}\u{7530} 2",
            "\u{e27}\u{e34}",
        ] {
            assert_eq!(checked_strictly(name).as_deref(), Ok(name));
        }
    }

    #[test]
    fn names_in_other_alphabets_are_accepted_unless_they_look_like_another() {
        for (one, other) in [
            ("zeta", "ZETA"),
            ("paypal", "\u{440}\u{430}\u{443}\u{440}\u{430}\u{4cf}"),
            ("paypal", "paypaI"),
            ("oo", "\u{585}\u{585}"),
            ("DREW", "\u{13a0}\u{13a1}\u{13ac}\u{13b3}"),
            ("drew", "\u{13a0}\u{13a1}\u{13ac}\u{13b3}"),
            ("stra\u{df}e", "STRA\u{1e9e}E"),
        ] {
            assert!(
                look_alike(one, other),
                "{one} {other} {:?} {:?}",
                looks(one),
                looks(other)
            );
        }
        for (one, other) in [
            ("ada", "adam"),
            ("\u{430}\u{43d}\u{43d}\u{430}", "anna"),
            ("demo", "demo2"),
            ("Zo\u{e9}", "Zoe"),
        ] {
            assert!(!look_alike(one, other), "{one} {other}");
        }
        for name in ["\u{1d00}\u{1d05}\u{1d00}", "\u{262}\u{1d07}\u{274}"] {
            assert!(
                matches!(checked_strictly(name), Err(NameFault::Phonetic(_))),
                "{name}"
            );
        }
        assert_eq!(checked_strictly("\u{13a0}da"), Err(NameFault::Mixed));
    }

    #[test]
    fn what_an_address_leaves_out_is_refused() {
        for name in [".", "..", " .. "] {
            assert_eq!(checked(name), Err(NameFault::Dots));
        }
        assert_eq!(checked("...").as_deref(), Ok("..."));
    }

    #[test]
    fn a_name_of_elsewhere_becomes_one_that_is_accepted() {
        let name = cleaned(" Ada\u{200b}\u{a0} \u{202e}King\n ");
        assert_eq!(name, "Ada King");
        assert_eq!(checked(&name).as_deref(), Ok("Ada King"));
    }
}
