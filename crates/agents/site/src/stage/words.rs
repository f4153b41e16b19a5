//! A block of text that is written piece by piece.

use contracts::run::{Channel, RunEvent};

use super::Stage;
use crate::state::Record;

/// A block of text in the making. It begins with its first word, so that none is empty.
#[derive(Debug, Default)]
pub(crate) struct Words {
    id: Option<String>,
    said: String,
    /// Space between the last piece and the next.
    space: String,
}

impl Words {
    /// What was said so far.
    pub(crate) fn said(&self) -> &str {
        &self.said
    }
}

impl Stage {
    /// Writes more of the block, within the step. Space goes out with the words that follow it.
    pub(crate) async fn write(&mut self, words: &mut Words, text: &str) {
        let start = text.trim_start();
        let piece = start.trim_end();
        if piece.is_empty() {
            words.space.push_str(text);
            return;
        }
        words.space.push_str(&text[..text.len() - start.len()]);
        let id = if let Some(id) = &words.id {
            id.clone()
        } else {
            words.space.clear();
            let id = self.turn().new_id("txt");
            self.emit(RunEvent::TextStarted {
                id: id.clone(),
                channel: Channel::Final,
            })
            .await;
            words.id.insert(id).clone()
        };
        let mut delta = std::mem::take(&mut words.space);
        delta.push_str(piece);
        words.said.push_str(&delta);
        words.space.push_str(&start[piece.len()..]);
        self.emit(RunEvent::TextDelta { id, delta }).await;
    }

    /// Ends the block and remembers it.
    pub(crate) async fn end_words(&mut self, words: Words) {
        if let Some(id) = words.id {
            self.emit(RunEvent::TextFinished { id }).await;
            self.record(Record::Assistant { text: words.said });
        }
    }
}
