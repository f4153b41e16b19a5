//! The texts of a run as one, for clients that know no blocks of text.

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
