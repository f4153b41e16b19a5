//! What of a thread a model sees. What is stored is never pruned.
//!
//! The newest messages go to the model with their text. The answers of the last finished turns go
//! with the tool results that they rest on (their grounding), older ones without. A turn is a user
//! message with the answers after it; it is finished once there is one. Above both stands a budget
//! of tokens: first, long tool results are cut, then whole turns are dropped, the oldest first,
//! never the current message. What is older is summarised, a line a turn.

mod cut;
mod render;
mod summary;

pub use render::{ContextItem, GROUNDING_MARKER, NativeItem, ToolAnswer};

use crate::messages::{Message, Role, ToolRecord};

/// The part of a thread that a model sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Whether it sees anything but the current message.
    pub include_history: bool,
    /// Maximum number of loaded messages, the current one included; at least 1.
    pub max_loaded_messages: u32,
    /// The answers of this many last finished turns keep their tool results.
    pub preserve_turns: usize,
    /// Whether older answers lose their tool results; otherwise all keep them.
    pub prune_tools_for_llm: bool,
    /// Maximum number of tokens in the window, by [`estimate_tokens`].
    pub max_tokens: usize,
    /// Maximum number of tokens in one tool result, by the same estimate.
    pub max_result_tokens: usize,
    /// Maximum number of tokens in the summary of what is older than the window; 0 for none.
    pub summary_tokens: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            include_history: true,
            max_loaded_messages: 20,
            preserve_turns: 4,
            prune_tools_for_llm: true,
            max_tokens: 24_000,
            max_result_tokens: 2_000,
            summary_tokens: 0,
        }
    }
}

/// Messages that a summary looks at, as a multiple of those that are kept.
const SUMMARISED: u32 = 4;

impl Settings {
    /// Number of the newest messages to load for a window and its summary, 1 to 100.
    pub fn rows(&self) -> u32 {
        let kept = self.kept();
        if self.include_history && self.summary_tokens > 0 {
            kept.saturating_mul(SUMMARISED).min(100)
        } else {
            kept
        }
    }

    /// Number of the newest messages that the window keeps.
    fn kept(&self) -> u32 {
        if self.include_history {
            self.max_loaded_messages.clamp(1, 100)
        } else {
            1
        }
    }
}

/// A part of a thread, as a model sees it: oldest first, the current message last.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Window {
    /// The messages.
    pub messages: Vec<WindowMessage>,
    /// Figures for logs and metrics.
    pub counts: Counts,
}

/// A message as a model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowMessage {
    /// Who says it.
    pub role: Role,
    /// The words of the message.
    pub text: String,
    /// The tool calls of a preserved answer; none for pruned ones, and for those without any.
    pub tools: Option<Vec<ToolRecord>>,
}

/// Numbers of loaded and of kept messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Messages loaded.
    pub total_messages: usize,
    /// Number of answers kept with their tool results.
    pub preserved_count: usize,
    /// The others.
    pub pruned_count: usize,
    /// Number of other messages that were dropped whole to fit the budget.
    pub dropped_count: usize,
    /// Items that the marker form gives the model.
    pub context_items: usize,
    /// The size of those by [`estimate_tokens`].
    pub tokens: usize,
}

impl Counts {
    fn add(&mut self, message: &WindowMessage) {
        let items = render::marker_items(message);
        self.context_items += items.len();
        self.tokens += tokens_of(&items);
    }
}

/// About how many tokens a text has: a quarter of its characters, rounded up.
///
/// Right within a third for European languages and JSON with most tokenizers; scripts with a token
/// per character are counted too low, so budgets leave room.
pub fn estimate_tokens(text: &str) -> usize {
    text.chars().count().div_ceil(4)
}

/// The size of a message's items.
fn tokens_of(items: &[ContextItem]) -> usize {
    items
        .iter()
        .map(|item| estimate_tokens(&item.content))
        .sum()
}

impl Window {
    /// The window on the newest messages of a thread, oldest first, the current question last: what
    /// [`crate::Store::messages`] answers for [`Settings::rows`].
    pub fn new(messages: &[Message], settings: &Settings) -> Self {
        let first = messages.len().saturating_sub(settings.kept() as usize);
        let loaded = &messages[first..];
        let preserved_from = if settings.prune_tools_for_llm {
            start_of_last_turns(loaded, settings.preserve_turns)
        } else {
            0
        };
        let mut kept: Vec<WindowMessage> = loaded
            .iter()
            .enumerate()
            .map(|(index, message)| WindowMessage {
                role: message.role,
                text: message.text.clone(),
                tools: (index >= preserved_from)
                    .then(|| cut::records(&message.tools_used, settings.max_result_tokens))
                    .filter(|records| !records.is_empty()),
            })
            .collect();
        let dropped = cut::drop_oldest_turns(&mut kept, settings.max_tokens);
        let preserved = loaded.len() - preserved_from.max(dropped);
        let mut window = Self {
            messages: kept,
            counts: Counts {
                total_messages: loaded.len(),
                preserved_count: preserved,
                pruned_count: loaded.len() - preserved,
                dropped_count: dropped,
                ..Counts::default()
            },
        };
        for message in &window.messages {
            window.counts.add(message);
        }
        if settings.include_history {
            let left = settings.max_tokens.saturating_sub(window.counts.tokens);
            let older = &messages[..first + dropped];
            if let Some(summary) = summary::of(older, settings.summary_tokens.min(left)) {
                window.counts.add(&summary);
                window.messages.insert(0, summary);
            }
        }
        window
    }
}

/// The start of the last `turns` finished turns; whatever follows them, the current message too,
/// belongs to them.
///
/// Answers whose question was not loaded count as a turn. A question without an answer does not,
/// and its neighbours keep their places.
fn start_of_last_turns(messages: &[Message], turns: usize) -> usize {
    let mut start = messages.len();
    let mut left = turns;
    // The current question, and whatever else has no answer yet, is always within.
    while start > 0 && messages[start - 1].role == Role::User {
        start -= 1;
    }
    while left > 0 && start > 0 {
        let answers = messages[..start]
            .iter()
            .rposition(|message| message.role == Role::Assistant);
        let Some(answer) = answers else { return 0 };
        start = messages[..answer]
            .iter()
            .rposition(|message| message.role == Role::User)
            .unwrap_or(0);
        left -= 1;
    }
    start
}

#[cfg(test)]
mod tests;
