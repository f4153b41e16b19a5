//! The window of history that a turn gives its assistant.

use std::sync::Arc;

use conversations::window::Window;
use conversations::{MessagePage, Role, Run};
use service_kit::problem::chain;

use crate::state::State;

/// The conversation before this run's question. If the database cannot be read, the turn has no
/// history, but still an answer.
pub(crate) async fn window(state: &State, run: &Run) -> Arc<Window> {
    let settings = state.config.conversation.window();
    if !settings.include_history {
        return Arc::default();
    }
    let rows = settings.rows();
    let loaded = state
        .store
        .messages(&run.owner, run.thread_id, MessagePage::Newest, rows)
        .await;
    let messages = loaded.unwrap_or_else(|error| {
        tracing::warn!(error = %chain(&error), "the history of a thread cannot be read");
        Vec::new()
    });
    let mut window = Window::new(&messages, &settings);
    let counts = window.counts;
    let run_span = tracing::Span::current();
    run_span.record("total_messages", counts.total_messages);
    run_span.record("preserved_count", counts.preserved_count);
    run_span.record("pruned_count", counts.pruned_count);
    run_span.record("context_items", counts.context_items);
    tracing::info!(
        total_messages = counts.total_messages,
        preserved_count = counts.preserved_count,
        pruned_count = counts.pruned_count,
        dropped_count = counts.dropped_count,
        context_items = counts.context_items,
        context_tokens = counts.tokens,
        "the window of history"
    );
    // The question itself is the turn's message.
    if run.question.is_some()
        && window
            .messages
            .last()
            .is_some_and(|last| last.role == Role::User)
    {
        window.messages.pop();
    }
    Arc::new(window)
}
