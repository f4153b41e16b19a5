//! Sentences of a model that are checked as a whole before anything else looks at them.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use futures::{StreamExt, stream};
use llm::{ChatEvent, ChatStream, FinishReason};

use crate::{acknowledgement, prose::Prose};

/// A check of whole sentences.
pub trait SentenceFilter: Send + Sync + 'static {
    /// The decision on a sentence.
    fn check(&self, sentence: &str) -> Verdict;

    /// The text that was held back and is let through at the end.
    fn at_end(&self, _reason: FinishReason) -> Option<String> {
        None
    }
}

/// The decision on a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is let through, maybe in other words.
    Pass(String),
    /// It waits for what follows.
    Hold,
    /// It is left out.
    LeaveOut,
}

/// A filter on its way through one text, and the number of sentences that it left out.
#[derive(Clone)]
pub(crate) struct Filtering {
    filter: Arc<dyn SentenceFilter>,
    left_out: Arc<AtomicU32>,
}

impl Filtering {
    pub(crate) fn by(filter: Arc<dyn SentenceFilter>) -> Self {
        Self {
            filter,
            left_out: Arc::default(),
        }
    }

    pub(crate) fn left_out(&self) -> u32 {
        self.left_out.load(Ordering::Relaxed)
    }

    /// The answer with the sentences that pass. A sentence that is cut off has to pass, too.
    pub(crate) fn filtered(&self, answer: ChatStream) -> ChatStream {
        struct State {
            answer: ChatStream,
            prose: Prose,
            filtering: Filtering,
        }
        let state = State {
            answer,
            prose: Prose::default(),
            filtering: self.clone(),
        };
        stream::unfold(state, |mut state| async move {
            let event = state.answer.next().await?;
            let events = match event {
                Ok(ChatEvent::Text(text)) => {
                    state.prose.push(&text);
                    let mut events = Vec::new();
                    while let Some(sentence) = state.prose.sentence() {
                        events.extend(state.filtering.pass(&sentence).map(Ok));
                    }
                    // That the model writes is known, also of words that are not out.
                    if events.is_empty() {
                        events.push(Ok(ChatEvent::Text(String::new())));
                    }
                    events
                }
                Ok(ChatEvent::Finished(finished)) => {
                    let last = state.filtering.pass(&state.prose.rest());
                    let held = state.filtering.filter.at_end(finished.reason);
                    let held = held.map(ChatEvent::Text);
                    last.into_iter()
                        .chain(held)
                        .chain([ChatEvent::Finished(finished)])
                        .map(Ok)
                        .collect()
                }
                Err(error) => {
                    let rest = state.filtering.pass(&state.prose.rest());
                    // Otherwise the sentence before it would look as if it had no end.
                    let last = rest.unwrap_or_else(|| ChatEvent::Text("\n".to_owned()));
                    vec![Ok(last), Err(error)]
                }
                other => vec![other],
            };
            Some((stream::iter(events), state))
        })
        .flatten()
        .boxed()
    }

    fn pass(&self, sentence: &str) -> Option<ChatEvent> {
        let sentence = &*acknowledgement::without(sentence);
        let start = sentence.trim_start();
        if start.is_empty() {
            return None;
        }
        match self.filter.check(start.trim_end()) {
            Verdict::Pass(passed) => {
                let space = &sentence[..sentence.len() - start.len()];
                Some(ChatEvent::Text(format!("{space}{passed}")))
            }
            Verdict::Hold => None,
            Verdict::LeaveOut => {
                self.left_out.fetch_add(1, Ordering::Relaxed);
                None
            }
        }
    }
}
