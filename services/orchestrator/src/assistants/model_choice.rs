//! The model of a turn.

use std::sync::Arc;
use std::time::Duration;

use contracts::run::RunEvent;
use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt};
use llm::{ChatModel, ModelOptions, Models};

/// A turn's model.
pub(super) struct Chosen {
    /// The model that the options name, otherwise the configured one; `None` where none is
    /// configured.
    pub(super) model: Option<Arc<dyn ChatModel>>,
    /// From the start of the turn to the first word of its answer.
    pub(super) first_word: Duration,
    /// A model that the options name and that is not configured.
    unknown: Option<String>,
}

impl Chosen {
    pub(super) fn of(models: Option<&Models>, model_options: &ModelOptions) -> Self {
        let named = models.and_then(|models| models.chat_with(model_options));
        // Where no model is configured at all, every answer says that rules made it.
        let unknown = model_options.model.clone();
        Self {
            unknown: unknown.filter(|_| models.is_some() && named.is_none()),
            model: named.or_else(|| models.map(Models::chat)),
            first_word: models.map(Models::first_word).unwrap_or_default(),
        }
    }

    /// The run's events, with a warning when the model that the options name is not configured.
    pub(super) fn announced(
        self,
        events: BoxStream<'static, RunEvent>,
    ) -> BoxStream<'static, RunEvent> {
        match self.unknown {
            Some(name) => with_warning(events, not_configured(&name)),
            None => events,
        }
    }
}

/// A warning right behind the run's first event.
fn with_warning(
    events: impl Stream<Item = RunEvent> + Send + 'static,
    warning: RunEvent,
) -> BoxStream<'static, RunEvent> {
    let mut warning = Some(warning);
    events
        .flat_map(move |event| stream::iter(std::iter::once(event).chain(warning.take())))
        .boxed()
}

fn not_configured(model: &str) -> RunEvent {
    RunEvent::Warning {
        code: "model_not_configured".to_owned(),
        text: format!(
            "The model \u{201c}{model}\u{201d} is not set up here; the usual way is taken."
        ),
    }
}
