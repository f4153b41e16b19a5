//! The words for fields, values and records, which do not name things.

use std::collections::{HashMap, HashSet};

use contracts::tools::search::IndexDescription;

use crate::text::{Case, Token, key, pieces, stem, tokens};
use crate::words::{is_common, is_date_word, is_link};

/// The words for the fields, values and records of some indices.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    /// The nouns for records, in canonical form.
    nouns: HashSet<String>,
    /// The stems of the words in the names and synonyms of fields.
    words: HashSet<String>,
    /// Values by key, and whether only things have them.
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

    /// Whether a text consists of words for records, fields and values, of dates and of common
    /// words, and therefore names nothing.
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

    /// Whether the word is a noun for records.
    pub(crate) fn is_noun(&self, canonical: &str) -> bool {
        self.nouns.contains(canonical)
    }

    /// Whether the name of a field has the word.
    pub(crate) fn has_word(&self, folded: &str) -> bool {
        self.words.contains(&stem(folded))
    }

    /// Whether a text is a value, and if so, whether only things have it.
    pub(crate) fn value(&self, key: &str) -> Option<bool> {
        self.values.get(key).copied()
    }
}

/// Whether the records are events. Records of events have dates; things such as ports have no
/// relevant dates.
fn has_dates(index: &IndexDescription) -> bool {
    index.date_field.is_some()
}
