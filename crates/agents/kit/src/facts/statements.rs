//! The sentences of the rules: facts of their own, some of which have to be said.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{FactId, FactRegistry, Series, Subject, lexicon, measure, part::is_when};
use crate::prose;

/// A sentence of the rules.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    pub(super) id: FactId,
    pub(super) text: String,
    /// Whether the answer has to say it.
    must: bool,
    /// Values of which one each says the same, and the names that go with them; `None` where only
    /// the sentence itself does.
    values: Option<Vec<BTreeSet<FactId>>>,
    names: BTreeSet<String>,
}

impl Statement {
    /// Whether a text has said it that named these facts and these names.
    fn is_said(&self, cited: &BTreeSet<FactId>, named: &BTreeSet<String>) -> bool {
        let by_values = |values: &Vec<BTreeSet<FactId>>| {
            values.iter().all(|any| !any.is_disjoint(cited)) && self.names.is_subset(named)
        };
        cited.contains(&self.id) || self.values.as_ref().is_some_and(by_values)
    }
}

impl FactRegistry {
    /// Sentences that a model may say by their ids, or word for word.
    pub fn state(&mut self, text: &str) {
        self.add_sentences(text, false);
    }

    /// Sentences that the answer has to say. Those that a model leaves out are said before its
    /// words. The facts of the sentences have to be known already.
    pub fn must_say(&mut self, text: &str) {
        self.add_sentences(text, true);
    }

    fn add_sentences(&mut self, text: &str, must: bool) {
        // Lines belong together: a list, a table.
        let sentences = if text.trim().contains('\n') {
            vec![text.trim().to_owned()]
        } else {
            prose::sentences(text)
        };
        for text in sentences {
            if let Some(known) = self.statements.iter_mut().find(|known| known.text == text) {
                known.must |= must;
                continue;
            }
            let names = self.names_in(&text);
            let values = self.values_in(&text, &names);
            let id = self.next(Series::Sentence);
            self.statements.push(Statement {
                id,
                text,
                must,
                values,
                names,
            });
        }
    }

    /// The sentences that have to be said and were not.
    pub(super) fn unsaid(
        &self,
        cited: &BTreeSet<FactId>,
        named: &BTreeSet<String>,
    ) -> impl Iterator<Item = &Statement> {
        let unsaid = |one: &&Statement| one.must && !one.is_said(cited, named);
        self.statements.iter().filter(unsaid)
    }

    pub(super) fn statement(&self, id: FactId) -> Option<&Statement> {
        self.statements.iter().find(|one| one.id == id)
    }

    /// Whether the rules say these words.
    pub(super) fn states(&self, words: &str) -> bool {
        let mut all = self.statements.iter();
        all.any(|one| one.text.to_lowercase().contains(words))
    }

    /// The statement that a sentence repeats word for word.
    pub(super) fn repeated(&self, sentence: &str) -> Option<&Statement> {
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let sentence = plain(sentence);
        let mut all = self.statements.iter();
        all.find(|one| plain(&one.text) == sentence)
    }

    /// The sentences for a model, those that it does not have yet.
    pub fn new_sentences(&mut self) -> Value {
        let told = std::mem::replace(&mut self.told, self.statements.len());
        let sentence = |one: &Statement| json!({ "id": format!("[[{}]]", one.id), "text": one.text, "must": one.must });
        self.statements.iter().skip(told).map(sentence).collect()
    }

    pub(super) fn names_in(&self, text: &str) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let mut starts = true;
        for (at, c) in text.char_indices() {
            if starts && let Some(name) = self.name_at(&text[at..]) {
                names.insert(name.to_lowercase());
            }
            starts = !c.is_alphanumeric();
        }
        names
    }

    /// The values that together say what a sentence says; `None` where it says more than values.
    fn values_in(&self, text: &str, names: &BTreeSet<String>) -> Option<Vec<BTreeSet<FactId>>> {
        let lower = text.to_lowercase();
        let words: BTreeSet<String> = measure::tokens(text).into_iter().collect();
        let about = |subject: &Subject| match subject {
            Subject::Whole => names.is_empty(),
            Subject::Named(name) => {
                names.contains(&name.to_lowercase()) || self.only_subject() == Some(subject)
            }
        };
        let mut rest = lower.clone();
        for name in names {
            rest = rest.replace(name.as_str(), " ");
        }
        let mut values: Vec<(String, BTreeSet<FactId>)> = Vec::new();
        let mut supported: BTreeSet<&str> = BTreeSet::new();
        for fact in &self.facts {
            let value = fact.text.to_lowercase();
            let named =
                fact.kind == super::Kind::Days || words.iter().any(|word| fact.measure.names(word));
            if !value.chars().any(char::is_numeric) || !lower.contains(&value) || !named {
                continue;
            }
            if fact.kind != super::Kind::Days && !about(&fact.subject) {
                continue;
            }
            let says = |word: &&String| {
                let when = fact
                    .period
                    .is_some_and(|period| is_when(word, period, self));
                when || fact.supports(word)
            };
            supported.extend(words.iter().filter(says).map(String::as_str));
            match values.iter_mut().find(|(known, _)| *known == value) {
                Some((_, ids)) => {
                    ids.insert(fact.id);
                }
                None => values.push((value, [fact.id].into())),
            }
        }
        values.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        let mut needed = Vec::new();
        for (value, ids) in values {
            if rest.contains(&value) {
                rest = rest.replace(&value, " ");
                needed.push(ids);
            }
        }
        let says_more = measure::tokens(&rest).iter().any(|word| {
            word.chars().any(char::is_numeric)
                || !lexicon::is_neutral(word)
                    && !lexicon::is_noun(word)
                    && !supported.contains(word.as_str())
        });
        (!needed.is_empty() && !says_more).then_some(needed)
    }
}
