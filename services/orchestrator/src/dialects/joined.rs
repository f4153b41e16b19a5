//! What several dialects keep of a run: its texts as one, for clients that know no blocks of text,
//! and what it warned of.

use std::borrow::Cow;

/// Keeps the sentences of two texts from running into each other.
#[derive(Debug, Default)]
pub(super) struct Joined {
    /// A text has begun before.
    spoken: bool,
    /// A later text has begun and has no words yet.
    begins_later_text: bool,
}

impl Joined {
    /// A text begins.
    pub(super) fn begin(&mut self) {
        self.begins_later_text = std::mem::replace(&mut self.spoken, true);
    }

    /// More of the text, with a space before it if it is the beginning of a later one.
    pub(super) fn delta<'a>(&mut self, delta: &'a str) -> Cow<'a, str> {
        if std::mem::take(&mut self.begins_later_text) {
            Cow::Owned(format!(" {delta}"))
        } else {
            delta.into()
        }
    }
}

/// The codes of the warnings of a run, each once.
#[derive(Debug, Default)]
pub(super) struct Warned(Vec<String>);

impl Warned {
    /// Notes a warning that was sent.
    pub(super) fn note(&mut self, code: &str) {
        if !self.0.iter().any(|known| known == code) {
            self.0.push(code.to_owned());
        }
    }

    /// All of them, at the end of the run.
    pub(super) fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.0)
    }
}
