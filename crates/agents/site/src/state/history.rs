//! The thread's memory of the conversation: bounded, so that a checkpoint stays small.

use std::{collections::VecDeque, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Records kept; the oldest go first. A turn makes about six, so this is some seven turns.
pub const MAX_RECORDS: usize = 40;

/// Characters kept of one text; the rest is cut off.
pub const MAX_TEXT: usize = 4_000;

/// The newest records of the conversation, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct History {
    records: VecDeque<Arc<Record>>,
}

/// One thing that was said or done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Record {
    /// The person wrote.
    User {
        /// The words.
        text: String,
    },
    /// The assistant wrote.
    Assistant {
        /// The words.
        text: String,
    },
    /// A tool was called.
    Tool(CallRecord),
}

/// A tool call with its result. Results are kept as their status and sentence, cards as their name:
/// the data behind them are not conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallRecord {
    /// The call, unique in the thread.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments of the call.
    pub input: Value,
    /// Its result; absent only while a picker is open.
    pub result: Option<Value>,
}

impl History {
    /// The records, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Record> {
        self.records.iter().map(AsRef::as_ref)
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether nothing was said yet.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The call of this id, when it is remembered.
    pub fn call(&self, id: &str) -> Option<&CallRecord> {
        self.iter().rev().find_map(|record| match record {
            Record::Tool(call) if call.id == id => Some(call),
            _ => None,
        })
    }

    pub(super) fn push(&mut self, mut record: Record) {
        if let Record::User { text } | Record::Assistant { text } = &mut record {
            cut(text);
        }
        self.records.push_back(Arc::new(record));
        while self.records.len() > MAX_RECORDS {
            self.records.pop_front();
        }
    }

    /// Gives an open call its result. A call that has one keeps it: there is exactly one result per
    /// call.
    pub(super) fn answer(&mut self, id: &str, result: Value) {
        let open = self.records.iter_mut().rev().find(
            |record| matches!(&***record, Record::Tool(call) if call.id == id && call.result.is_none()),
        );
        if let Some(record) = open
            && let Record::Tool(call) = Arc::make_mut(record)
        {
            call.result = Some(result);
        }
    }
}

/// Cuts a text to [`MAX_TEXT`].
pub(super) fn cut(text: &mut String) {
    if let Some((at, _)) = text.char_indices().nth(MAX_TEXT) {
        text.truncate(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_records_go_and_long_texts_are_cut() {
        let mut history = History::default();
        for number in 0..MAX_RECORDS + 3 {
            history.push(Record::User {
                text: format!("{number}"),
            });
        }
        assert_eq!(history.len(), MAX_RECORDS);
        assert_eq!(
            history.iter().next(),
            Some(&Record::User {
                text: "3".to_owned()
            })
        );
        history.push(Record::Assistant {
            text: "é".repeat(MAX_TEXT + 5),
        });
        let Some(Record::Assistant { text }) = history.iter().next_back() else {
            panic!("the newest record is the assistant's");
        };
        assert_eq!(text.chars().count(), MAX_TEXT);
    }

    #[test]
    fn a_call_is_answered_once() {
        let mut history = History::default();
        history.push(Record::Tool(CallRecord {
            id: "call_1".to_owned(),
            name: "request_user_selection".to_owned(),
            input: Value::Null,
            result: None,
        }));
        history.answer("call_1", Value::from("first"));
        history.answer("call_1", Value::from("second"));
        history.answer("call_2", Value::from("unknown"));
        assert_eq!(
            history.call("call_1").unwrap().result,
            Some(Value::from("first"))
        );
        assert_eq!(history.len(), 1);
    }
}
