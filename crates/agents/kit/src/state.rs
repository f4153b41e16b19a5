//! The state of an assistant's threads, and what is written down in it as a turn continues.

use contracts::{run::RunEvent, tools::ToolEnvelope};
use graph::State;
use serde_json::{Map, Value};

/// The state of an assistant's threads.
///
/// An assistant whose state keeps the conversation itself says here which update records a part of
/// it, and [`NodeContext`] adds the update wherever that part happens. The others record nothing.
///
/// [`NodeContext`]: crate::NodeContext
pub trait ThreadState: State<Event = RunEvent> + Default {
    /// A block of text was said; never an empty one.
    fn said(_text: &str) -> Option<Self::Update> {
        None
    }

    /// A tool was called, and answered or failed. Calls that are not in the stream are not
    /// recorded.
    fn called(_call: &ToolRecord<'_>) -> Option<Self::Update> {
        None
    }

    /// A card was shown, by the call of this id.
    fn shown(_call_id: &str, _props: &Value) -> Option<Self::Update> {
        None
    }
}

/// A call of a tool and its result.
#[derive(Debug, Clone, Copy)]
pub struct ToolRecord<'a> {
    /// The call.
    pub id: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// The arguments of the call.
    pub arguments: &'a Map<String, Value>,
    /// The answer, also where there was none: then it says so.
    pub envelope: &'a ToolEnvelope,
}
