//! The turns of a scripted model, call after call.

use std::collections::VecDeque;

use super::{Operation, Seen, Turn};

/// Decides what a scripted model does. Rules are tried in the order in which they were given; the
/// first that has an answer answers.
///
/// Requests for embeddings need no rule: they get vectors, unless a rule that picks them has a
/// failure for them.
#[derive(Default)]
pub struct Script {
    rules: Vec<Rule>,
}

type Rule = Box<dyn FnMut(&Seen) -> Option<Turn> + Send>;

impl Script {
    /// One without rules. A request that no rule answers is refused with 400, and counts among the
    /// server's refusals.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers the next chat request that no earlier rule answers, whatever it is.
    #[must_use]
    pub fn then(self, turn: Turn) -> Self {
        self.once(is_chat, turn)
    }

    /// Answers the first request that the function picks.
    #[must_use]
    pub fn once(self, picks: impl FnMut(&Seen) -> bool + Send + 'static, turn: Turn) -> Self {
        self.each(picks, [turn])
    }

    /// Answers as many requests that the function picks as there are turns, in their order.
    #[must_use]
    pub fn each(
        self,
        mut picks: impl FnMut(&Seen) -> bool + Send + 'static,
        turns: impl IntoIterator<Item = Turn>,
    ) -> Self {
        let mut turns: VecDeque<Turn> = turns.into_iter().collect();
        self.decide(move |seen| {
            if turns.is_empty() || !picks(seen) {
                return None;
            }
            turns.pop_front()
        })
    }

    /// Answers every request that the function picks.
    #[must_use]
    pub fn when(self, mut picks: impl FnMut(&Seen) -> bool + Send + 'static, turn: Turn) -> Self {
        self.decide(move |seen| picks(seen).then(|| turn.clone()))
    }

    /// Answers every chat request that is left.
    #[must_use]
    pub fn otherwise(self, turn: Turn) -> Self {
        self.when(is_chat, turn)
    }

    /// Answers as the function says.
    #[must_use]
    pub fn decide(mut self, rule: impl FnMut(&Seen) -> Option<Turn> + Send + 'static) -> Self {
        self.rules.push(Box::new(rule));
        self
    }

    pub(super) fn next(&mut self, seen: &Seen) -> Option<Turn> {
        self.rules.iter_mut().find_map(|rule| rule(seen))
    }
}

fn is_chat(seen: &Seen) -> bool {
    seen.operation == Operation::Chat
}

impl From<Turn> for Script {
    /// The same answer to every request.
    fn from(turn: Turn) -> Self {
        Self::new().otherwise(turn)
    }
}

impl<const N: usize> From<[Turn; N]> for Script {
    /// One answer after the other.
    fn from(turns: [Turn; N]) -> Self {
        Self::new().each(is_chat, turns)
    }
}

impl std::fmt::Debug for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Script({} rules)", self.rules.len())
    }
}
