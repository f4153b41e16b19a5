//! Assembles tool calls from their fragments.

use serde_json::Value;

use super::chunk::CallDelta;
use crate::wire::call_ids::CallIds;
use crate::{Arguments, Error, ErrorKind, ToolCall};

/// Maximum number of tool calls in an answer, more than any model makes. Each fragment is searched
/// among them.
const MAX_CALLS: usize = 256;

/// The tool calls of an answer that still streams.
#[derive(Debug, Default)]
pub(super) struct Calls {
    pending: Vec<Pending>,
}

#[derive(Debug, Default)]
struct Pending {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

impl Calls {
    pub(super) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Adds a fragment.
    pub(super) fn add(&mut self, fragment: CallDelta) -> Result<(), Error> {
        let at = match self.find(&fragment) {
            Some(at) => at,
            None if self.pending.len() == MAX_CALLS => {
                return Err(Error::new(ErrorKind::TooLarge).with_detail("too many tool calls"));
            }
            None => {
                self.pending.push(Pending {
                    index: fragment.index,
                    ..Pending::default()
                });
                self.pending.len() - 1
            }
        };
        let call = &mut self.pending[at];
        // The first value that is not empty counts: Alibaba sends an empty id with later fragments,
        // others repeat the name.
        if let Some(id) = fragment.id.filter(|_| call.id.is_empty()) {
            call.id = id;
        }
        let Some(function) = fragment.function else {
            return Ok(());
        };
        if let Some(name) = function.name.filter(|_| call.name.is_empty()) {
            call.name = name;
        }
        match function.arguments {
            Some(Value::String(text)) => call.arguments.push_str(&text),
            Some(Value::Null) | None => {}
            Some(value) => call.arguments.push_str(&value.to_string()),
        }
        Ok(())
    }

    /// The call that a fragment continues; `None` if it begins one.
    fn find(&self, fragment: &CallDelta) -> Option<usize> {
        let at = match fragment.index {
            Some(index) => self
                .pending
                .iter()
                .rposition(|call| call.index == Some(index))?,
            // Mistral omits the index, because every fragment is a whole call.
            None => self.pending.len().checked_sub(1)?,
        };
        let call = &self.pending[at];
        let id = fragment.id.as_deref().unwrap_or_default();
        let name = fragment
            .function
            .as_ref()
            .and_then(|function| function.name.as_deref())
            .unwrap_or_default();
        let is_named = !name.is_empty() && !call.name.is_empty();
        let is_other = if id.is_empty() || call.id.is_empty() {
            fragment.index.is_none() && is_named
        } else {
            // Gemini's bridge gives every call the index 0.
            id != call.id && is_named
        };
        (!is_other).then_some(at)
    }

    /// The complete calls, in the order of their indexes. With `is_cut_off` the last one may be
    /// truncated.
    pub(super) fn finish(mut self, is_cut_off: bool) -> Vec<ToolCall> {
        self.pending
            .sort_by_key(|call| call.index.unwrap_or(u64::MAX));
        let last = self.pending.len().saturating_sub(1);
        let mut ids = CallIds::default();
        self.pending
            .into_iter()
            .enumerate()
            .map(|(at, call)| {
                let is_empty = call.arguments.trim().is_empty();
                ToolCall {
                    id: ids.take(call.id),
                    name: call.name,
                    arguments: if is_cut_off && at == last && is_empty {
                        // The arguments did not begin, which differs from a call without arguments.
                        Arguments::Broken(call.arguments)
                    } else {
                        Arguments::parse(&call.arguments)
                    },
                    opaque: None,
                }
            })
            .collect()
    }
}
