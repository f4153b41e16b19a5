//! Texts as PostgreSQL gets them for its full-text index.
//!
//! PostgreSQL's own parser sees addresses, paths, signed numbers and the like in technical text,
//! differently in different places: `E-102` becomes `e` and `-102`. So it only ever gets plain
//! words and numbers, and beside them what was written together as one word: `GW-INV-001` is found
//! by `inv`, by `GW-INV-001` and by `gwinv001`.

/// A text's words, set apart by blanks, for `to_tsvector`.
pub(crate) fn words(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    for compound in text.split(|c: char| !(c.is_alphanumeric() || is_joint(c))) {
        let parts: Vec<&str> = compound
            .split(is_joint)
            .filter(|part| !part.is_empty())
            .collect();
        for part in &parts {
            push(&mut words, part);
        }
        if (2..=6).contains(&parts.len()) {
            push(&mut words, &parts.concat());
        }
    }
    words
}

/// Whether a character joins the parts of a compound.
fn is_joint(c: char) -> bool {
    matches!(
        c,
        '-' | '_' | '.' | '/' | ':' | '+' | '\u{2010}' | '\u{2011}'
    )
}

fn push(words: &mut String, word: &str) {
    /// Maximum length of a word; longer ones are dropped, because lexemes have a limit.
    const LONGEST: usize = 100;
    if word.chars().count() > LONGEST {
        return;
    }
    if !words.is_empty() {
        words.push(' ');
    }
    words.push_str(word);
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn codes_are_found_in_parts_and_whole() {
        assert_eq!(
            words("Fault E-102 (GW-INV-001): reset."),
            "Fault E 102 E102 GW INV 001 GWINV001 reset"
        );
    }

    #[test]
    fn addresses_and_signs_are_plain_words() {
        assert_eq!(
            words("and/or -5 kWh, a@b.example; it's"),
            "and or andor 5 kWh a b example bexample it s"
        );
    }
}
