//! Words of questions and of identifiers, converted to one form so that they can be compared.

/// Words that say nothing of what a question is about.
const EMPTY: &[&str] = &[
    "a", "about", "all", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by",
    "can", "could", "did", "display", "do", "does", "each", "every", "fetch", "find", "for",
    "from", "get", "give", "had", "has", "have", "how", "i", "in", "is", "it", "its", "kindly",
    "know", "let", "like", "list", "many", "me", "much", "my", "need", "of", "on", "or", "our",
    "over", "please", "see", "show", "tell", "than", "thanks", "that", "the", "their", "them",
    "there", "these", "they", "this", "those", "to", "us", "want", "was", "we", "were", "what",
    "when", "where", "which", "who", "whom", "whose", "will", "with", "would", "you", "your",
];

/// The words of a text, folded, in order: letters and digits that stand together. Identifiers fall
/// apart where their case changes, so that `workOrderId`, `WORK_ORDER_ID` and "work order id" are
/// the same three words.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut characters = text.chars().peekable();
    let mut before = None;
    while let Some(character) = characters.next() {
        let next_is_small = characters.peek().is_some_and(|next| next.is_lowercase());
        if begins_word(before, character, next_is_small) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if character.is_alphanumeric() {
            word.extend(character.to_lowercase());
        }
        before = Some(character);
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Whether a word ends before this character: at a character that is not a letter or digit, between
/// `k` and `O` of `workOrder`, between `L` and `Q` of `SQLQuery`.
fn begins_word(before: Option<char>, character: char, next_is_small: bool) -> bool {
    let Some(before) = before else {
        return false;
    };
    if !character.is_alphanumeric() {
        return true;
    }
    character.is_uppercase() && (before.is_lowercase() || (before.is_uppercase() && next_is_small))
}

/// The stems of the words that say what a text is about.
pub(crate) fn stems(text: &str) -> Vec<String> {
    words(text)
        .into_iter()
        .filter(|word| EMPTY.binary_search(&word.as_str()).is_err())
        .map(|word| stem(&word))
        .collect()
}

/// A word without the endings of number, of the past and of what continues. It need not be a word;
/// it is the same for all forms of one.
pub(super) fn stem(word: &str) -> String {
    let singular = singular(word);
    for ending in ["ing", "ed"] {
        if let Some(root) = singular.strip_suffix(ending)
            && root.chars().count() >= 3
            && root.contains(['a', 'e', 'i', 'o', 'u', 'y'])
        {
            return root.trim_end_matches('e').to_owned();
        }
    }
    if singular.chars().count() > 3 {
        return singular.trim_end_matches('e').to_owned();
    }
    singular
}

/// An English noun without the ending of the plural.
pub(super) fn singular(word: &str) -> String {
    let long_enough = word.chars().count() >= 4 && word.chars().all(char::is_alphabetic);
    if !long_enough || ["ss", "us", "is"].iter().any(|end| word.ends_with(end)) {
        return word.to_owned();
    }
    if let Some(root) = word.strip_suffix("ies") {
        return format!("{root}y");
    }
    for ending in ["sses", "ches", "shes", "xes", "uses"] {
        if word.ends_with(ending) {
            return word[..word.len() - 2].to_owned();
        }
    }
    word.strip_suffix('s').unwrap_or(word).to_owned()
}

/// The share of three-letter pieces that two texts have in common, 0 to 1; lenient with typing
/// errors and compounds.
pub(super) fn trigram_likeness(one: &str, other: &str) -> f64 {
    dice(&trigrams(one), &trigrams(other))
}

fn trigrams(text: &str) -> Vec<[char; 3]> {
    let padded: Vec<char> = [' ', ' ']
        .into_iter()
        .chain(text.chars())
        .chain([' '])
        .collect();
    let mut pieces: Vec<[char; 3]> = padded.windows(3).map(|w| [w[0], w[1], w[2]]).collect();
    pieces.sort_unstable();
    pieces
}

/// Twice what two sorted lists share by what they hold, 0 to 1; what occurs twice counts twice.
pub(super) fn dice<T: Ord>(one: &[T], other: &[T]) -> f64 {
    if one.is_empty() && other.is_empty() {
        return 1.0;
    }
    let (mut i, mut j, mut shared) = (0, 0, 0_usize);
    while i < one.len() && j < other.len() {
        match one[i].cmp(&other[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                shared += 1;
                i += 1;
                j += 1;
            }
        }
    }
    2.0 * shared as f64 / (one.len() + other.len()) as f64
}

/// The cosine of two vectors' angle; 0 where they cannot be compared.
pub(crate) fn cosine(one: &[f32], other: &[f32]) -> f64 {
    if one.len() != other.len() {
        return 0.0;
    }
    let (mut dot, mut one_square, mut other_square) = (0.0, 0.0, 0.0);
    for (a, b) in one.iter().zip(other) {
        let (a, b) = (f64::from(*a), f64::from(*b));
        dot += a * b;
        one_square += a * a;
        other_square += b * b;
    }
    let norm = f64::sqrt(one_square * other_square);
    if norm > 0.0 { dot / norm } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_fall_apart_as_people_read_them() {
        for text in [
            "workOrderId",
            "WORK_ORDER_ID",
            "work order id",
            "Work-Order ID",
        ] {
            assert_eq!(words(text), ["work", "order", "id"], "{text}");
        }
        assert_eq!(words("SQLQuery2 x"), ["sql", "query2", "x"]);
        assert!(words("?! _").is_empty());
    }

    #[test]
    fn the_forms_of_a_word_have_one_stem() {
        for (one, other) in [
            ("employees", "employee"),
            ("companies", "company"),
            ("worked", "working"),
            ("inspections", "inspection"),
            ("addresses", "address"),
            ("boxes", "box"),
            ("invoiced", "invoices"),
            ("statuses", "status"),
        ] {
            assert_eq!(stem(one), stem(other), "{one} {other}");
        }
        assert_ne!(stem("crew"), stem("crews2"));
        assert_eq!(stem("status"), "status");
        assert_eq!(stem("bed"), "bed");
    }

    #[test]
    fn empty_words_are_in_order_for_the_search() {
        assert!(EMPTY.is_sorted());
        assert_eq!(
            stems("How many of the technicians are active?"),
            ["technician", "activ"]
        );
    }

    #[test]
    fn likeness_is_between_nothing_and_everything() {
        assert!((trigram_likeness("employee", "employee") - 1.0).abs() < 1e-9);
        assert!(trigram_likeness("employee", "employe") > 0.8);
        assert!(trigram_likeness("employee", "xyz") < 0.1);
        assert!((cosine(&[1.0, 0.0], &[2.0, 0.0]) - 1.0).abs() < 1e-9);
        assert!(cosine(&[1.0], &[1.0, 2.0]).abs() < 1e-9);
        assert!(cosine(&[0.0, 0.0], &[1.0, 2.0]).abs() < 1e-9);
    }
}
