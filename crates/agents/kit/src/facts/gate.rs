//! The gate of a streamed text: sentence by sentence, and not before what has to be said is said.

use super::{FactRegistry, judge::Judge};
use crate::{
    acknowledgement,
    gate::{Closing, Gate, Piece},
    prose::Prose,
};

/// Lets sentences through that say what facts say, see the [module](super).
///
/// A sentence is out when it has ended: its last word may change what its first ones claim. While
/// something is open that has to be said, the text waits, so that it can be said first.
#[derive(Debug)]
pub struct FactGate<'a> {
    registry: &'a FactRegistry,
    judge: Judge<'a>,
    prose: Prose,
    held: String,
    is_open: bool,
    grounded: u32,
}

impl<'a> FactGate<'a> {
    /// A gate for one text on these facts.
    pub fn new(registry: &'a FactRegistry) -> Self {
        Self {
            registry,
            judge: Judge::new(registry),
            prose: Prose::default(),
            held: String::new(),
            is_open: false,
            grounded: 0,
        }
    }

    fn decide(&mut self, sentence: &str) -> Option<Piece> {
        let sentence = &acknowledgement::without(sentence);
        if !sentence.chars().any(char::is_alphanumeric) {
            self.judge.line(sentence);
            return None;
        }
        let Some(held) = self.judge.judge(sentence) else {
            tracing::debug!("a sentence of the model says what no fact says");
            return Some(Piece::LeftOut);
        };
        if held.text.is_empty() {
            return None;
        }
        self.grounded += u32::from(held.grounded);
        if !self.is_open {
            let mut unsaid = self.registry.unsaid(&self.judge.cited, &self.judge.named);
            self.is_open = unsaid.next().is_none();
        }
        if self.is_open {
            let mut text = std::mem::take(&mut self.held);
            text.push_str(&held.text);
            return Some(Piece::Said(text));
        }
        self.held.push_str(&held.text);
        None
    }
}

impl Gate for FactGate<'_> {
    fn push(&mut self, more: &str) -> Vec<Piece> {
        self.prose.push(more);
        let mut pieces = Vec::new();
        while let Some(sentence) = self.prose.sentence() {
            pieces.extend(self.decide(&sentence));
        }
        pieces
    }

    fn finish(&mut self) -> Vec<Piece> {
        let rest = self.prose.rest();
        self.decide(&rest).into_iter().collect()
    }

    fn sentences(&self) -> u32 {
        self.grounded
    }

    fn close(&mut self) -> Closing {
        let unsaid = self.registry.unsaid(&self.judge.cited, &self.judge.named);
        Closing {
            missing: unsaid.map(|one| one.text.clone()).collect(),
            held: std::mem::take(&mut self.held),
        }
    }
}

/// A whole text behind the gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worded {
    /// The text, with what had to be said first.
    pub text: String,
    /// Number of sentences on facts.
    pub sentences: u32,
    /// Number of sentences that were left out.
    pub left_out: u32,
}

impl FactRegistry {
    /// The sentences of a whole text that hold, after those that have to be said and are not in it.
    pub fn word(&self, text: &str) -> Worded {
        let mut gate = FactGate::new(self);
        let mut pieces = gate.push(text);
        pieces.extend(gate.finish());
        let mut said = String::new();
        let mut left_out = 0;
        for piece in pieces {
            match piece {
                Piece::Said(text) => said.push_str(&text),
                Piece::LeftOut | Piece::CutOff => left_out += 1,
            }
        }
        let closing = gate.close();
        said.push_str(&closing.held);
        let mut parts = closing.missing;
        parts.push(said.trim().to_owned());
        parts.retain(|part| !part.is_empty());
        Worded {
            text: parts.join(" "),
            sentences: gate.sentences(),
            left_out,
        }
    }
}
