//! The user's answers to questions about fields.

use contracts::tools::clarification::ClarificationAnswer;

use super::Request;
use super::lexicon::{FieldWords, content_stems};
use crate::text::same_words;

/// Minimum score of a field for a text answer. Below it, the text does not name a field.
const LEAST: f64 = 0.5;

/// The subject of a question part about these words.
pub(super) fn about(words: &str) -> String {
    format!("field:{words}")
}

impl<'a> Request<'a> {
    /// The field that the user chose for these words, if it is one of `known`.
    pub(super) fn answered<'k>(
        &self,
        words: &str,
        fields: &[&'k FieldWords<'a>],
    ) -> Option<&'k FieldWords<'a>> {
        let answer = self.answer(words)?;
        let named = |name: &str| fields.iter().find(|known| known.field.name == name);
        if let Some(known) = answer.option_id.as_deref().and_then(named) {
            return Some(known);
        }
        let said = content_stems(&answer.text);
        let scored = fields.iter().map(|known| (known.score(&said), known));
        // Of two fields with the same score, the earlier is chosen, because an answered question is
        // not asked again.
        let best = scored.fold(
            None,
            |best: Option<(f64, &&FieldWords<'a>)>, next| match best {
                Some(best) if best.0 >= next.0 => Some(best),
                _ => Some(next),
            },
        );
        best.filter(|(score, _)| *score >= LEAST)
            .map(|(_, known)| *known)
    }

    fn answer(&self, words: &str) -> Option<&'a ClarificationAnswer> {
        let answers = self.arguments.answers.iter().rev();
        answers.into_iter().find(|answer| {
            answer
                .about
                .strip_prefix("field:")
                .is_some_and(|about| about == words || same_words(about, words))
        })
    }
}
