//! A client's view of a run, in any of the dialects.

use serde_json::Value;
use test_support::sse::Event;

/// The distance between the ids of two attempts.
const IDS_PER_ATTEMPT: u64 = 1_000_000_000;

/// A way to talk with an orchestrator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    UiMessages,
    AgentEvents,
    NamedEvents,
}

impl Dialect {
    pub(crate) const ALL: [Self; 3] = [Self::UiMessages, Self::AgentEvents, Self::NamedEvents];

    /// As queries spell it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::UiMessages => "ui_messages",
            Self::AgentEvents => "agent_events",
            Self::NamedEvents => "named_events",
        }
    }
}

/// The newest attempt as a client shows it.
#[derive(Debug, Default)]
pub(crate) struct Transcript {
    /// The id of the last frame.
    pub(crate) last: Option<u64>,
    /// Blocks of text by their id.
    blocks: Vec<(String, String)>,
    /// Codes of the warnings.
    pub(crate) warnings: Vec<String>,
    /// It ended with an error.
    pub(crate) failed: bool,
    /// Nothing more is to come.
    pub(crate) ended: bool,
}

impl Transcript {
    /// Takes the next frame; refuses what no frame may be.
    pub(crate) fn take(&mut self, dialect: Dialect, event: &Event) -> Result<(), String> {
        let id = event.id.as_deref().and_then(|id| id.parse().ok());
        let id: u64 = id.ok_or_else(|| format!("{event:?} has no id"))?;
        if self.ended {
            return Err(format!("{event:?} comes after the end"));
        }
        if self.last.is_some_and(|last| id <= last) {
            return Err(format!("{event:?} comes after {:?}", self.last));
        }
        if self.attempt() != Some(attempt_of(id)) {
            if !id.saturating_sub(1).is_multiple_of(IDS_PER_ATTEMPT) {
                return Err(format!("{event:?} is not where an attempt begins"));
            }
            *self = Self::default();
        } else if self.last != Some(id - 1) {
            return Err(format!("{event:?} leaves a gap after {:?}", self.last));
        }
        self.last = Some(id);
        if event.data == "[DONE]" {
            self.ended = true;
            return Ok(());
        }
        let data: Value = event
            .json()
            .map_err(|error| format!("{event:?}: {error}"))?;
        match dialect {
            Dialect::UiMessages => self.chunk(&data),
            Dialect::AgentEvents => self.agent_event(&data),
            Dialect::NamedEvents => self.named_event(event.event.as_deref(), &data),
        }
        Ok(())
    }

    /// Which attempt it is; the first is 0.
    pub(crate) fn attempt(&self) -> Option<u64> {
        self.last.map(attempt_of)
    }

    /// Whether it says that the tools service had no part in the answer.
    pub(crate) fn lacks_tools(&self) -> bool {
        self.warnings
            .iter()
            .any(|warning| warning == "tools_unavailable")
    }

    /// The words that the client reads, separated by one blank.
    pub(crate) fn words(&self) -> String {
        let blocks: Vec<&str> = self.blocks.iter().map(|(_, text)| text.as_str()).collect();
        words(&blocks.join(" "))
    }

    fn chunk(&mut self, data: &Value) {
        match text(&data["type"]) {
            "text-delta" => self.say(text(&data["id"]), text(&data["delta"])),
            "data-warning" => self.warnings.push(text(&data["data"]["code"]).to_owned()),
            "error" => self.failed = true,
            _ => {}
        }
    }

    fn agent_event(&mut self, data: &Value) {
        match text(&data["event"]) {
            "token" if data["channel"] == "final" => self.say("", text(&data["content"])),
            "complete" => self.ended = true,
            "error" => (self.failed, self.ended) = (true, true),
            _ => {}
        }
    }

    fn named_event(&mut self, name: Option<&str>, data: &Value) {
        match name.unwrap_or_default() {
            "message" => self.say("", text(&data["content"])),
            "warning" => self.warnings.push(text(&data["code"]).to_owned()),
            "error" => self.failed = true,
            "done" => self.ended = true,
            _ => {}
        }
    }

    fn say(&mut self, block: &str, more: &str) {
        match self.blocks.last_mut().filter(|(id, _)| id == block) {
            Some((_, text)) => text.push_str(more),
            None => self.blocks.push((block.to_owned(), more.to_owned())),
        }
    }
}

/// A text with its words apart by one blank: dialects without blocks put one between them, the
/// stored message an empty line.
pub(crate) fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn attempt_of(id: u64) -> u64 {
    id.saturating_sub(1) / IDS_PER_ATTEMPT
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
