//! Decides which of a model's words are let through.

/// The result of a piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// It is said.
    Said(String),
    /// A whole sentence is left out.
    LeftOut,
    /// The rest of a sentence is left out; its beginning was said.
    CutOff,
}

/// The open rest when a text has ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Closing {
    /// Sentences that have to be said and were not, in their order.
    pub missing: Vec<String>,
    /// The text that waited for them.
    pub held: String,
}

/// Decides on a text as it comes.
pub trait Gate: Send {
    /// More of the text; returns what can be decided now.
    fn push(&mut self, more: &str) -> Vec<Piece>;

    /// The text is complete; returns what is still to be decided.
    fn finish(&mut self) -> Vec<Piece>;

    /// Number of sentences that make the text an answer.
    fn sentences(&self) -> u32;

    /// Whether a sentence is out that has not ended.
    fn is_within_sentence(&self) -> bool {
        false
    }

    /// The open rest.
    fn close(&mut self) -> Closing {
        Closing::default()
    }
}
