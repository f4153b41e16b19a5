//! Which spans and events exist, and which of them are logged: decided without the filters per
//! layer of `tracing-subscriber`.
//!
//! Those keep the verdict on one event in a thread-local until that event comes. A question without
//! an event (`enabled!`, which sqlx asks before each statement) leaves a verdict behind that the
//! next event then gets, so lines and spans of others vanish. Here [`Gate`] lets through what any
//! user needs, and [`Logs`] asks again for each event. Neither remembers anything.

use std::sync::Arc;

use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_log::NormalizeEvent;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{EnvFilter, Layer};

use super::statements::{Statements, is_statement};

/// Libraries whose spans would repeat this crate's own, or come from the export itself.
const NOT_TRACED: [&str; 5] = ["h2", "hyper", "hyper_util", "opentelemetry", "reqwest"];

/// Libraries whose lines below `info` have texts of people: the parser of SQL prints each literal.
const PRINTS_TEXTS: [&str; 1] = ["sqlparser"];

/// The outermost layer: lets through what is traced or logged.
///
/// Spans of `info` and above always exist, whatever the log filter says: they hold the ids that a
/// log line is found by.
pub(super) struct Gate {
    logs: Arc<EnvFilter>,
    /// Whether traces are sent anywhere; then they hold events, too.
    exported: bool,
    /// What makes spans of the ends of statements, if traces are sent.
    statements: Option<Statements>,
}

impl Gate {
    pub(super) fn new(
        logs: Arc<EnvFilter>,
        exported: bool,
        statements: Option<Statements>,
    ) -> Self {
        Self {
            logs,
            exported,
            statements,
        }
    }

    fn is_traced_statement(&self, metadata: &Metadata<'_>) -> bool {
        self.statements.is_some() && is_statement(metadata)
    }

    fn is_traced(&self, metadata: &Metadata<'_>) -> bool {
        let wanted = metadata.is_span() || self.exported;
        wanted && *metadata.level() <= Level::INFO && !is_of(&NOT_TRACED, metadata)
    }

    /// A span of the export that is exported makes another export.
    fn is_refused(&self, metadata: &Metadata<'_>) -> bool {
        self.exported && metadata.is_span() && is_of(&NOT_TRACED, metadata)
    }
}

fn is_of(libraries: &[&str], metadata: &Metadata<'_>) -> bool {
    let target = metadata.target();
    libraries.iter().any(|library| {
        target
            .strip_prefix(*library)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    })
}

impl<S> Layer<S> for Gate
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        // The filter is asked in any case: it takes note of the spans that its directives name.
        let interest = Layer::<S>::register_callsite(self.logs.as_ref(), metadata);
        if self.is_refused(metadata) {
            Interest::never()
        } else if self.is_traced(metadata) || self.is_traced_statement(metadata) {
            Interest::always()
        } else {
            interest
        }
    }

    fn enabled(&self, metadata: &Metadata<'_>, context: Context<'_, S>) -> bool {
        !self.is_refused(metadata)
            && (self.is_traced(metadata)
                || self.is_traced_statement(metadata)
                || self.logs.enabled(metadata, context))
    }

    /// A statement becomes a span here, and is an event for the others only if it is logged.
    fn event_enabled(&self, event: &Event<'_>, context: Context<'_, S>) -> bool {
        match &self.statements {
            Some(statements) if is_statement(event.metadata()) => {
                statements.export(event);
                self.logs.enabled(event.metadata(), context)
            }
            _ => true,
        }
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        let least = if self.statements.is_some() {
            // The level of statements.
            LevelFilter::DEBUG
        } else {
            LevelFilter::INFO
        };
        // No hint means every level.
        self.logs.max_level_hint().map(|logs| logs.max(least))
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        self.logs.on_new_span(attributes, id, context);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        self.logs.on_record(id, values, context);
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        self.logs.on_enter(id, context);
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        self.logs.on_exit(id, context);
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        self.logs.on_close(id, context);
    }
}

/// A layer that writes the events that the filter lets through. It sees all spans, so that each
/// line shows where it belongs.
pub(super) struct Logs<L> {
    layer: L,
    filter: Arc<EnvFilter>,
}

impl<L> Logs<L> {
    pub(super) fn new(layer: L, filter: Arc<EnvFilter>) -> Self {
        Self { layer, filter }
    }
}

impl<S, L> Layer<S> for Logs<L>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    L: Layer<S>,
{
    fn on_layer(&mut self, subscriber: &mut S) {
        self.layer.on_layer(subscriber);
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        self.layer.on_new_span(attributes, id, context);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        self.layer.on_record(id, values, context);
    }

    fn on_follows_from(&self, id: &Id, follows: &Id, context: Context<'_, S>) {
        self.layer.on_follows_from(id, follows, context);
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        // A record of the crate `log` says in its fields which target it has.
        let normalized = event.normalized_metadata();
        let metadata = normalized.as_ref().unwrap_or_else(|| event.metadata());
        if *metadata.level() > Level::INFO && is_of(&PRINTS_TEXTS, metadata) {
            return;
        }
        if self.filter.enabled(metadata, context.clone()) {
            self.layer.on_event(event, context);
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        self.layer.on_enter(id, context);
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        self.layer.on_exit(id, context);
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        self.layer.on_close(id, context);
    }

    fn on_id_change(&self, old: &Id, new: &Id, context: Context<'_, S>) {
        self.layer.on_id_change(old, new, context);
    }
}
