//! A thread handed over whole: everything as it is kept, or for people to read.

mod markdown;

use contracts::kept::ExportedThread;
use contracts::threads::StoredMessage;
use contracts::ui_history::UiMessage;
use conversations::{Error, MessagePage, Owner};
use uuid::Uuid;

use crate::state::State;
use crate::{threads, ui_history};

pub(crate) use markdown::{answer, markdown};

/// Messages read at once.
const PAGE: u32 = 100;

/// Every message of a thread, the oldest first.
pub(crate) async fn messages(
    state: &State,
    owner: &Owner,
    thread_id: Uuid,
) -> Result<Vec<StoredMessage>, Error> {
    let mut all = Vec::new();
    let mut after = i64::MIN;
    loop {
        let page = MessagePage::After(after);
        let (messages, more) = threads::messages(state, owner, thread_id, page, PAGE).await?;
        after = messages.last().map_or(after, |last| last.seq);
        all.extend(messages);
        if !more {
            return Ok(all);
        }
    }
}

/// Every message of a thread as a page shows it, the oldest first.
pub(crate) async fn ui_messages(
    state: &State,
    owner: &Owner,
    thread_id: Uuid,
) -> Result<Vec<UiMessage>, Error> {
    let mut all = Vec::new();
    let mut after = i64::MIN;
    loop {
        let page = MessagePage::After(after);
        let page = ui_history::page(state, owner, thread_id, page, PAGE).await?;
        after = page.seqs.map_or(after, |(_, last)| last);
        all.extend(page.messages);
        if !page.has_more {
            return Ok(all);
        }
    }
}

/// The name of the file that a thread is kept in: letters, digits and dashes of its title.
pub(crate) fn file_name(thread: &ExportedThread, ending: &str) -> String {
    let title = thread.thread.title.as_deref().unwrap_or("conversation");
    let words: Vec<String> = title
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let name: String = words.join("-").chars().take(60).collect();
    let name = if name.is_empty() {
        "conversation"
    } else {
        &name
    };
    format!("{name}.{ending}")
}
