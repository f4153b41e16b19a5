//! The messages of a thread as a page holds them that followed it: every answer put together again
//! from the events of its stream.
//!
//! A page's message is not always one stored message. Where a picker is answered in its place, the
//! client continues with the message that asked, and where an answer is asked for again, the new
//! one takes the place of the old. So what belongs to one message is a group of rows here.

use contracts::threads::{MessageRole, MessageStatus};
use contracts::ui_history::{UiMessage, UiMessageMetadata, UiMessagePart};
use conversations::record::Transcript;
use conversations::{Error, Message, MessagePage, Owner, Role, ToolStatus};
use serde_json::Value;
use uuid::Uuid;

use crate::dialects::Assembled;
use crate::state::State;
use crate::threads::{told_role, told_status};

/// Rows that are read at once when the first of a group is looked for.
const AT_ONCE: u32 = 20;

/// A page of messages.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// Oldest first.
    pub(crate) messages: Vec<UiMessage>,
    /// Whether there are more in its direction.
    pub(crate) has_more: bool,
    /// Between which sequence numbers it lies.
    pub(crate) seqs: Option<(i64, i64)>,
}

/// A stored message, and its transcript if it has one.
type Row = (Message, Option<Transcript>);

/// A page of at most `limit` messages of a thread.
pub(crate) async fn page(
    state: &State,
    owner: &Owner,
    thread_id: Uuid,
    page: MessagePage,
    limit: u32,
) -> Result<Page, Error> {
    let rows = Rows {
        state,
        owner,
        thread_id,
    };
    let limit = limit as usize;
    let (groups, has_more) = match page {
        MessagePage::After(seq) => {
            let mut groups = rows.after(seq, limit).await?;
            let has_more = groups.len() > limit;
            groups.truncate(limit);
            (groups, has_more)
        }
        MessagePage::Newest => rows.before(i64::MAX, limit).await?,
        MessagePage::Before(seq) => rows.before(seq, limit).await?,
    };
    let first = groups.first().and_then(|group| group.first());
    let last = groups.last().and_then(|group| group.last());
    Ok(Page {
        has_more,
        seqs: first
            .zip(last)
            .map(|(first, last)| (first.0.seq, last.0.seq)),
        messages: groups.iter().filter_map(|group| told(group)).collect(),
    })
}

/// The rows of a thread.
struct Rows<'a> {
    state: &'a State,
    owner: &'a Owner,
    thread_id: Uuid,
}

impl Rows<'_> {
    async fn read(&self, page: MessagePage, limit: u32) -> Result<Vec<Row>, Error> {
        let store = &self.state.store;
        store
            .transcripts(self.owner, self.thread_id, page, limit)
            .await
    }

    /// The newest groups before a sequence number, and whether there are older ones.
    async fn before(&self, seq: i64, limit: usize) -> Result<(Vec<Vec<Row>>, bool), Error> {
        let mut rows: Vec<Row> = Vec::new();
        let mut wanted = u32::try_from(limit).unwrap_or(AT_ONCE) + 1;
        loop {
            let bound = rows.first().map_or(seq, |(first, _)| first.seq);
            let older = self.read(MessagePage::Before(bound), wanted).await?;
            let exhausted = older.len() < wanted as usize;
            rows.splice(0..0, older);
            let mut groups = grouped(rows);
            // While there are older rows the first of them may lack its beginning.
            if exhausted || groups.len() > limit {
                let more = groups.len().saturating_sub(limit);
                return Ok((groups.split_off(more), more > 0));
            }
            rows = groups.into_iter().flatten().collect();
            wanted = AT_ONCE;
        }
    }

    /// The oldest groups after a sequence number; more than `limit` when there are more.
    async fn after(&self, seq: i64, limit: usize) -> Result<Vec<Vec<Row>>, Error> {
        let mut wanted = u32::try_from(limit).unwrap_or(AT_ONCE) + 1;
        let mut rows = self.read(MessagePage::After(seq), wanted).await?;
        let mut exhausted = rows.len() < wanted as usize;
        // A row that continues an earlier message is returned with all of that message.
        while let Some((first, _)) = rows.first()
            && first.role == Role::Assistant
        {
            let older = self.read(MessagePage::Before(first.seq), 1).await?;
            if older.is_empty() || older.iter().any(|(older, _)| older.role != Role::Assistant) {
                break;
            }
            rows.splice(0..0, older);
        }
        loop {
            let groups = grouped(rows);
            if exhausted || groups.len() > limit {
                return Ok(groups);
            }
            rows = groups.into_iter().flatten().collect();
            wanted = AT_ONCE;
            let bound = rows.last().map_or(seq, |(last, _)| last.seq);
            let newer = self.read(MessagePage::After(bound), wanted).await?;
            exhausted = newer.len() < wanted as usize;
            rows.extend(newer);
        }
    }
}

/// Whether a group begins with what always begins one.
fn starts(group: &[Row]) -> bool {
    group
        .first()
        .is_some_and(|(message, _)| message.role != Role::Assistant)
}

/// The rows, by the messages that they are: answers without a question between them are one.
fn grouped(rows: Vec<Row>) -> Vec<Vec<Row>> {
    let mut groups: Vec<Vec<Row>> = Vec::new();
    for row in rows {
        match groups.last_mut() {
            Some(group) if row.0.role == Role::Assistant && !starts(group) => group.push(row),
            _ => groups.push(vec![row]),
        }
    }
    groups
}

/// A group as one message.
fn told(group: &[Row]) -> Option<UiMessage> {
    let (first, _) = group.first()?;
    if first.role != Role::Assistant {
        return Some(asked(first));
    }
    let mut message = Assembled::default();
    let mut begun = first;
    let mut last = first;
    let mut asks = false;
    for (row, transcript) in group {
        let old = transcript.is_none().then(|| Transcript::of_stored(row));
        let transcript = transcript.as_ref().or(old.as_ref())?;
        let goes_on = if old.is_some() {
            asks
        } else {
            transcript.begins_with_a_choice()
        };
        if !goes_on {
            // It was asked for again.
            message = Assembled::default();
            begun = row;
        }
        message.error = None;
        message.take(&transcript.events(&row.tools_used));
        for call in &row.tools_used {
            if call.status == ToolStatus::Answered
                && let Some(answer) = call.result.as_ref().filter(|answer| is_choice(answer))
            {
                message.answered(&call.id, answer);
            }
        }
        asks = row
            .tools_used
            .iter()
            .any(|call| call.status == ToolStatus::Answered);
        last = row;
    }
    Some(UiMessage {
        id: begun.id.clone(),
        role: MessageRole::Assistant,
        metadata: UiMessageMetadata {
            thread_id: message.thread_id,
            // A message of a copied thread belongs to no run.
            run_id: last
                .run_id
                .map(|id| message.run_id.unwrap_or_else(|| id.simple().to_string())),
            source: message.source,
            usage: message.usage,
            partial: message
                .partial
                .or((last.status == conversations::MessageStatus::Partial).then_some(true)),
            warnings: message.warnings,
            error: message.error,
            status: told_status(last.status),
            created_at: begun.created_at,
        },
        parts: message.parts,
    })
}

/// A question, or what the application said.
fn asked(message: &Message) -> UiMessage {
    UiMessage {
        id: message.id.clone(),
        role: told_role(message.role),
        metadata: UiMessageMetadata {
            thread_id: None,
            run_id: None,
            source: None,
            usage: None,
            partial: None,
            warnings: Vec::new(),
            error: None,
            status: MessageStatus::Complete,
            created_at: message.created_at,
        },
        parts: vec![UiMessagePart {
            kind: "text".to_owned(),
            text: Some(message.text.clone()),
            ..UiMessagePart::default()
        }],
    }
}

/// Whether a picker's answer is one: it may also say that there was none.
fn is_choice(answer: &Value) -> bool {
    answer
        .get("selection")
        .is_some_and(|selection| !selection.is_null())
}
