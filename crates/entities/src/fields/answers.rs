//! What the person answered about fields.

use contracts::tools::clarification::ClarificationAnswer;

use super::Request;
use super::lexicon::{Known, told};
use crate::text::same_words;

/// Text that fits a field less says something else.
const LEAST: f64 = 0.5;

/// What a part of a question about these words is called.
pub(super) fn about(words: &str) -> String {
    format!("field:{words}")
}

impl<'a> Request<'a> {
    /// The field, of these, that the person said some words mean.
    pub(super) fn answered<'k>(
        &self,
        words: &str,
        fields: &[&'k Known<'a>],
    ) -> Option<&'k Known<'a>> {
        let answer = self.answer(words)?;
        let named = |name: &str| fields.iter().find(|known| known.field.name == name);
        if let Some(known) = answer.option_id.as_deref().and_then(named) {
            return Some(known);
        }
        let said = told(&answer.text);
        let scored = fields.iter().map(|known| (known.score(&said), known));
        // Of two that fit as well the earlier counts: what was answered is not asked again.
        let best = scored.fold(None, |best: Option<(f64, &&Known<'a>)>, next| match best {
            Some(best) if best.0 >= next.0 => Some(best),
            _ => Some(next),
        });
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
