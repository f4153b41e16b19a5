//! What fields, values and records are called: words that do not name things.

use std::collections::{HashMap, HashSet};

use contracts::tools::search::IndexDescription;

use crate::text::{Case, Token, key, pieces, stem, tokens};
use crate::words::{is_common, is_date_word, is_link};

/// The words for the fields, values and records of some indices.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    /// Canonical.
    nouns: HashSet<String>,
    /// Stems of the words in fields' names and synonyms.
    words: HashSet<String>,
    /// Values by their key, and whether they are only of things.
    values: HashMap<String, bool>,
}

impl Vocabulary {
    /// The vocabulary of these indices.
    pub fn of<'a>(indices: impl IntoIterator<Item = &'a IndexDescription>) -> Self {
        let mut vocabulary = Self::default();
        for index in indices {
            let nouns = index
                .nouns
                .iter()
                .chain([&index.name])
                .chain(&index.entity_type);
            vocabulary.nouns.extend(nouns.map(|noun| key(noun)));
            for field in &index.fields {
                let texts = field.synonyms.iter().chain([&field.name]);
                let words = texts.flat_map(|text| pieces(text));
                vocabulary.words.extend(words.map(|word| stem(&word)));
                // The values of a field that names things are their names.
                if field.entity_type.is_some() {
                    continue;
                }
                for value in &field.values {
                    let of_a_thing = vocabulary.values.entry(key(value)).or_insert(true);
                    *of_a_thing &= index.entity_type.is_some() && !has_dates(index);
                }
            }
        }
        vocabulary
    }

    /// Whether a text is made of words for records, fields and values, of dates and of words that everybody uses: it names nothing.
    pub fn explains(&self, text: &str) -> bool {
        let plain = |token: &Token| {
            is_link(&token.folded)
                || is_common(&token.folded)
                || is_date_word(&token.folded)
                || self.is_noun(&token.canonical)
                || self.has_word(&token.folded)
                || (token.case == Case::Number && token.folded.len() < 5)
        };
        self.value(&key(text)).is_some() || tokens(text).iter().all(plain)
    }

    /// Whether records are called so.
    pub(crate) fn is_noun(&self, canonical: &str) -> bool {
        self.nouns.contains(canonical)
    }

    /// Whether a field is called so, in part.
    pub(crate) fn has_word(&self, folded: &str) -> bool {
        self.words.contains(&stem(folded))
    }

    /// Whether a text is a value, and then whether only of things themselves.
    pub(crate) fn value(&self, key: &str) -> Option<bool> {
        self.values.get(key).copied()
    }
}

/// Records of what happens have dates; things, like ports, have none that matter.
fn has_dates(index: &IndexDescription) -> bool {
    index.date_field.is_some()
}
