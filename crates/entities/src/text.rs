//! Normalisation of words for comparison: without case, accents and punctuation, with abbreviations
//! expanded, in the singular.
//!
//! The division into words is own code: word boundaries of Unicode (`unicode-segmentation`) divide
//! ids at hyphens and keep neither separators nor quotation marks, which show where a name ends.

use deunicode::deunicode_char;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    /// The byte range of the word.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The word without case and accents.
    pub(crate) folded: String,
    /// The word with abbreviations expanded, in the singular.
    pub(crate) canonical: String,
    pub(crate) case: Case,
    /// The separator before the word.
    pub(crate) gap: Gap,
    /// The number of the pair of quotation marks around the word.
    pub(crate) quote: Option<usize>,
}

/// The spelling of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Lower,
    Capitalised,
    /// Two or more letters, all of them capitals.
    Upper,
    /// Letters and digits, as in ids.
    Code,
    Number,
}

/// The separator between two words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gap {
    /// A space, or a separator within names: `-`, `/`, `.`.
    Joined,
    /// A comma: rare in names, usual in lists.
    Comma,
    /// The end of a sentence or a quotation, a bracket, or the start of the text.
    Broken,
}

/// The words of a text.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let (mut quote, mut quotes, mut gap) = (None, 0, String::new());
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        if !c.is_alphanumeric() {
            if is_quotation_mark(c) {
                quote = if quote.is_some() {
                    None
                } else {
                    quotes += 1;
                    Some(quotes)
                };
            }
            gap.push(c);
            continue;
        }
        let mut end = start + c.len_utf8();
        while let Some(&(at, c)) = chars.peek() {
            let inside = c.is_alphanumeric() || is_combining_mark(c);
            let apostrophe = is_apostrophe(c)
                && text[at + c.len_utf8()..].starts_with(|next: char| next.is_alphanumeric());
            if !inside && !apostrophe {
                break;
            }
            end = at + c.len_utf8();
            chars.next();
        }
        let raw = &text[start..end];
        // In `Miami's` the name is `Miami`.
        let bare = ["'s", "\u{2019}s", "'S", "\u{2019}S"]
            .iter()
            .find_map(|possessive| raw.strip_suffix(possessive))
            .filter(|bare| bare.chars().count() > 1);
        let raw = bare.unwrap_or(raw);
        let folded = fold(raw);
        tokens.push(Token {
            start,
            end: start + raw.len(),
            canonical: canonical(&folded),
            case: case(raw),
            gap: gap_of(&gap, tokens.last()),
            quote,
            folded,
        });
        gap.clear();
        if bare.is_some() {
            // A possessive ends a name: `Miami's Port` is two.
            gap.push(';');
        }
    }
    tokens
}

/// A text without case, accents and apostrophes.
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.nfkd().filter(|c| !is_combining_mark(*c)) {
        match c {
            c if is_apostrophe(c) => {}
            // Letters that do not decompose, such as "ø" and "ß".
            '\u{c0}'..='\u{24f}' => {
                folded.push_str(&deunicode_char(c).unwrap_or_default().to_lowercase());
            }
            c => folded.extend(c.to_lowercase().filter(|c| !is_combining_mark(*c))),
        }
    }
    folded
}

/// The comparison key of a text: its canonical words, separated by spaces. Two texts with the same
/// key are equal except for case, accents, punctuation, common abbreviations and number.
pub fn key(text: &str) -> String {
    let tokens = tokens(text);
    let words: Vec<&str> = tokens
        .iter()
        .map(|token| token.canonical.as_str())
        .collect();
    words.join(" ")
}

/// Whether two texts are equal except for case, accents, punctuation, common abbreviations and
/// number.
pub fn same_words(one: &str, another: &str) -> bool {
    let key_of_one = key(one);
    !key_of_one.is_empty() && key_of_one == key(another)
}

/// Abbreviations in names, with their expansions.
const ABBREVIATIONS: &[(&str, &str)] = &[
    ("apt", "airport"),
    ("bros", "brother"),
    ("centre", "center"),
    ("cie", "company"),
    ("co", "company"),
    ("corp", "corporation"),
    ("ctr", "center"),
    ("dept", "department"),
    ("ft", "fort"),
    ("harbour", "harbor"),
    ("hbr", "harbor"),
    ("inc", "incorporated"),
    ("int", "international"),
    ("intl", "international"),
    ("ltd", "limited"),
    ("mt", "mount"),
    ("natl", "national"),
    ("prt", "port"),
    ("pt", "port"),
    ("sankt", "saint"),
    ("st", "saint"),
    ("ste", "saint"),
    ("term", "terminal"),
    ("tml", "terminal"),
    ("trml", "terminal"),
    ("whs", "warehouse"),
];

/// The canonical form of a folded word.
pub(crate) fn canonical(folded: &str) -> String {
    let written_out = |word: &str| {
        let at = ABBREVIATIONS.binary_search_by(|(short, _)| (*short).cmp(word));
        at.ok().map(|at| ABBREVIATIONS[at].1)
    };
    let one = singular(folded);
    written_out(folded)
        .or_else(|| written_out(one))
        .unwrap_or(one)
        .to_owned()
}

/// A word without the plural `s`.
fn singular(word: &str) -> &str {
    let plural = word.len() > 3
        && word.is_char_boundary(word.len() - 1)
        && word.ends_with('s')
        && !["ss", "us", "is"]
            .iter()
            .any(|ending| word.ends_with(ending))
        && !word.ends_with(|c: char| c.is_ascii_digit());
    if plural {
        &word[..word.len() - 1]
    } else {
        word
    }
}

/// The stem of a folded English word: `arrived`, `arriving` and `arrival` have the same stem.
pub(crate) fn stem(folded: &str) -> String {
    if folded.len() <= 3 || !folded.is_ascii() {
        return folded.to_owned();
    }
    let mut word = match folded.strip_suffix("ies") {
        Some(root) if root.len() >= 2 => format!("{root}y"),
        _ => {
            let sibilant = ["sses", "xes", "zes", "ches", "shes"];
            let is_sibilant = sibilant.iter().any(|ending| folded.ends_with(ending));
            singular(if is_sibilant {
                &folded[..folded.len() - 1]
            } else {
                folded
            })
            .to_owned()
        }
    };
    if word.ends_with("ery") {
        word.truncate(word.len() - 1);
        return word;
    }
    let suffixes = [
        ("ation", 4),
        ("ing", 3),
        ("ure", 5),
        ("ous", 5),
        ("ed", 3),
        ("al", 5),
    ];
    for (suffix, least) in suffixes {
        if let Some(root) = word.strip_suffix(suffix)
            && root.len() >= least
            && root.contains(['a', 'e', 'i', 'o', 'u', 'y'])
        {
            word = root.to_owned();
            break;
        }
    }
    if word.len() > 3 && word.ends_with('e') {
        word.truncate(word.len() - 1);
    }
    undoubled(&word)
}

/// The word without a double final consonant: `cancell` becomes `cancel`, `plann` becomes `plan`.
fn undoubled(word: &str) -> String {
    let bytes = word.as_bytes();
    let n = bytes.len();
    if n > 3 && bytes[n - 1] == bytes[n - 2] && bytes[n - 1] != b's' {
        word[..n - 1].to_owned()
    } else {
        word.to_owned()
    }
}

/// The stems of a text's words, also of `names_like_this` and `likeThis`.
pub(crate) fn stems(text: &str) -> Vec<String> {
    pieces(text).iter().map(|piece| stem(piece)).collect()
}

/// The folded words of a text, also of `names_like_this` and `likeThis`.
pub(crate) fn pieces(text: &str) -> Vec<String> {
    let mut split = String::with_capacity(text.len() + 8);
    let mut before = ' ';
    for c in text.chars() {
        if c.is_uppercase() && (before.is_lowercase() || before.is_ascii_digit()) {
            split.push(' ');
        }
        split.push(c);
        before = c;
    }
    tokens(&split)
        .into_iter()
        .map(|token| token.folded)
        .collect()
}

fn case(raw: &str) -> Case {
    let letters = raw.chars().filter(|c| c.is_alphabetic()).count();
    let digits = raw.chars().filter(char::is_ascii_digit).count();
    if letters == 0 {
        Case::Number
    } else if digits > 0 {
        Case::Code
    } else if letters > 1
        && !raw.chars().any(char::is_lowercase)
        && raw.chars().any(char::is_uppercase)
    {
        Case::Upper
    } else if raw.starts_with(char::is_uppercase) {
        Case::Capitalised
    } else {
        Case::Lower
    }
}

fn gap_of(gap: &str, before: Option<&Token>) -> Gap {
    let Some(before) = before else {
        return Gap::Broken;
    };
    let mut worst = Gap::Joined;
    let mut chars = gap.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '-' | '/' | '&' | '_' | '\u{2010}'..='\u{2013}' => {}
            c if is_apostrophe(c) => {}
            // `St. John's` continues a name, `Miami. Then` does not.
            '.' if before.folded.len() <= 3 || chars.peek().is_none() => {}
            ',' => worst = Gap::Comma,
            _ => return Gap::Broken,
        }
    }
    worst
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2bc}' | '`')
}

fn is_quotation_mark(c: char) -> bool {
    matches!(
        c,
        '"' | '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{ab}' | '\u{bb}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_up_to_case_accents_punctuation_and_abbreviations() {
        for (one, another) in [
            ("Port of Miami", "PORT OF MIAMI"),
            ("Pt. of Miami", "port of miami"),
            ("São Paulo", "sao paulo"),
            ("Port-au-Prince", "port au prince"),
            ("St. John's", "Saint Johns"),
            ("Acme Co. Ltd", "ACME Company Limited"),
            ("Int'l Terminal", "International terminals"),
            ("Malmö", "Malmo"),
            ("Gdańsk", "GDANSK"),
            ("Århus", "A\u{30a}rhus"),
            ("Øresund", "oresund"),
        ] {
            assert!(
                same_words(one, another),
                "{one} / {another}: {} / {}",
                key(one),
                key(another)
            );
        }
        for (one, another) in [("Miami", "Miamii"), ("", ""), ("!", "?"), ("Paris", "Pari")] {
            assert!(!same_words(one, another), "{one} / {another}");
        }
    }

    #[test]
    fn inflections_have_one_stem() {
        for family in [
            &[
                "arrive", "arrives", "arrived", "arriving", "arrival", "arrivals",
            ][..],
            &["depart", "departed", "departing", "departure"],
            &["deliver", "delivered", "delivery", "deliveries"],
            &["cancel", "cancelled", "canceled", "cancellation"],
            &["plan", "planned", "planning"],
            &["delay", "delayed", "delays"],
            &["hazard", "hazardous"],
            &["schedule", "scheduled"],
        ] {
            let stems: Vec<String> = family.iter().map(|word| stem(word)).collect();
            assert!(stems.iter().all(|stem| *stem == stems[0]), "{stems:?}");
        }
        assert_ne!(stem("departed"), stem("department"));
    }

    #[test]
    fn tokens_keep_their_spelling() {
        let text = "Is \"MSC Anna\" at St. John's? Miami's MSCU1234565, 2025";
        let found: Vec<(&str, Case, Gap, bool)> = tokens(text)
            .iter()
            .map(|t| (&text[t.start..t.end], t.case, t.gap, t.quote.is_some()))
            .collect();
        assert_eq!(
            found,
            [
                ("Is", Case::Capitalised, Gap::Broken, false),
                ("MSC", Case::Upper, Gap::Broken, true),
                ("Anna", Case::Capitalised, Gap::Joined, true),
                ("at", Case::Lower, Gap::Broken, false),
                ("St", Case::Capitalised, Gap::Joined, false),
                ("John", Case::Capitalised, Gap::Joined, false),
                ("Miami", Case::Capitalised, Gap::Broken, false),
                ("MSCU1234565", Case::Code, Gap::Broken, false),
                ("2025", Case::Number, Gap::Comma, false),
            ]
        );
    }

    #[test]
    fn names_of_fields_have_words() {
        assert_eq!(pieces("actual_arrival"), ["actual", "arrival"]);
        assert_eq!(pieces("plannedArrival.at"), ["planned", "arrival", "at"]);
    }
}
