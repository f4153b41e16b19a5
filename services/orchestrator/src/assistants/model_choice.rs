//! Which model a turn asks.

use std::sync::Arc;

use contracts::run::RunEvent;
use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt};
use llm::{ChatModel, Models, Wishes};

/// A turn's model.
pub(super) struct Chosen {
    /// The one wished for, else the usual one; `None` where none is set up.
    pub(super) model: Option<Arc<dyn ChatModel>>,
    /// A model that was wished for and is not there.
    unknown: Option<String>,
}

impl Chosen {
    pub(super) fn of(models: Option<&Models>, wishes: &Wishes) -> Self {
        let wished = models.and_then(|models| models.chat_as(wishes));
        // Where no model is set up at all, every answer says that it is the rules'.
        let unknown = wishes.model.clone();
        Self {
            unknown: unknown.filter(|_| models.is_some() && wished.is_none()),
            model: wished.or_else(|| models.map(Models::chat)),
        }
    }

    /// The run's events, with a warning when it is not answered by the model that was wished for.
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
