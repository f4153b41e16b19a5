//! Messages and the tool calls they record.

use chrono::{DateTime, Utc};
use contracts::run::Source;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use crate::error::Error;
use crate::record::Transcript;
use crate::storable::storable_json;
use crate::store::{Owner, Store};

/// Maximum number of messages in a page: one more than the interface returns, which shows whether
/// there is a next page.
const MAX_PAGE: u32 = 101;

/// A message as it is stored: whole, whatever a model gets to see of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Orders the messages of a thread; may have gaps.
    pub seq: i64,
    /// The id on the wire, unique within the thread.
    pub id: String,
    /// The run that it belongs to.
    pub run_id: Option<Uuid>,
    /// Who says it.
    pub role: Role,
    /// The words of the message.
    pub text: String,
    /// Every tool call of an answer, in the order of the calls; empty when there was none.
    pub tools_used: Vec<ToolRecord>,
    /// Whether it is all there.
    pub status: MessageStatus,
    /// Which path worded it; none for a question.
    pub source: Option<Source>,
    /// The codes of the warnings that came with it.
    pub warnings: Vec<String>,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
}

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Role {
    /// The person.
    User,
    /// The assistant.
    Assistant,
    /// The application.
    System,
}

/// Whether a message is all there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum MessageStatus {
    /// It is.
    Complete,
    /// It was cut short by a cancel, a failure or a crash; this is what there was.
    Partial,
    /// The run failed before it said anything.
    Failed,
}

impl MessageStatus {
    /// As it is stored and shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Partial => "partial",
            Self::Failed => "failed",
        }
    }
}

/// One tool call with its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolRecord {
    /// The call, unique in its run.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments of the call.
    pub arguments: Value,
    /// The progress of the call.
    pub status: ToolStatus,
    /// The tool's result, whole and structured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
}

/// The progress of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolStatus {
    /// Called, not answered yet.
    Executing,
    /// The tool did as asked.
    Success,
    /// The tool failed or could not be called; the result says why.
    Error,
    /// The run ended before the tool answered.
    Cancelled,
    /// A person is asked, and has not answered yet.
    Pending,
    /// The user was asked, and has answered or has sent another message without choosing.
    Answered,
}

impl ToolStatus {
    /// As it is stored and shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Executing => "executing",
            Self::Success => "success",
            Self::Error => "error",
            Self::Cancelled => "cancelled",
            Self::Pending => "pending",
            Self::Answered => "answered",
        }
    }
}

/// An answer to store; its id is its run's `message_id`.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMessage {
    /// The words of the message.
    pub text: String,
    /// Every tool call.
    pub tools_used: Vec<ToolRecord>,
    /// Whether it is all there.
    pub status: MessageStatus,
    /// Which path worded it.
    pub source: Option<Source>,
    /// All of it in the order in which it was streamed.
    pub transcript: Transcript,
    /// The codes of the warnings that came with it.
    pub warnings: Vec<String>,
}

/// The late answer to a call of an earlier message: what was chosen in its picker.
#[derive(Debug, Clone, PartialEq)]
pub struct AnsweredCall {
    /// The call.
    pub id: String,
    /// The answer.
    pub result: Value,
}

/// Which messages of a thread to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessagePage {
    /// The newest.
    Newest,
    /// The newest of those before this sequence number.
    Before(i64),
    /// The oldest of those after this sequence number.
    After(i64),
}

impl Store {
    /// At most `limit` (1 to 101) messages of a thread, oldest first within the page whichever page
    /// it is.
    ///
    /// Reads as many rows as it returns, by the primary key, however long the thread is. A thread
    /// that is not the owner's has no messages.
    pub async fn messages(
        &self,
        owner: &Owner,
        thread_id: Uuid,
        page: MessagePage,
        limit: u32,
    ) -> Result<Vec<Message>, Error> {
        let rows = self
            .page(owner, thread_id, page, limit, Transcripts::Without)
            .await?;
        Ok(rows.into_iter().map(Message::from).collect())
    }

    /// The same, each with its transcript; none of questions, nor of answers that are older than
    /// transcripts.
    pub async fn transcripts(
        &self,
        owner: &Owner,
        thread_id: Uuid,
        page: MessagePage,
        limit: u32,
    ) -> Result<Vec<(Message, Option<Transcript>)>, Error> {
        let rows = self
            .page(owner, thread_id, page, limit, Transcripts::Included)
            .await?;
        let messages = rows.into_iter().map(|mut row| {
            // One of a later version that this program cannot read costs the message its parts, not
            // the page.
            let transcript = row
                .transcript
                .take()
                .and_then(|Json(stored)| serde_json::from_value(stored).ok());
            (row.into(), transcript)
        });
        Ok(messages.collect())
    }

    async fn page(
        &self,
        owner: &Owner,
        thread_id: Uuid,
        page: MessagePage,
        limit: u32,
        transcripts: Transcripts,
    ) -> Result<Vec<Row>, Error> {
        let limit = i64::from(limit.clamp(1, MAX_PAGE));
        let transcripts = matches!(transcripts, Transcripts::Included);
        let before = match page {
            MessagePage::Newest => i64::MAX,
            MessagePage::Before(seq) => seq,
            MessagePage::After(seq) => {
                return Ok(sqlx::query_file_as!(
                    Row,
                    "queries/messages_after.sql",
                    thread_id,
                    owner.tenant,
                    owner.subject,
                    seq,
                    limit,
                    transcripts,
                )
                .fetch_all(&self.pool)
                .await?);
            }
        };
        let mut rows = sqlx::query_file_as!(
            Row,
            "queries/messages_before.sql",
            thread_id,
            owner.tenant,
            owner.subject,
            before,
            limit,
            transcripts,
        )
        .fetch_all(&self.pool)
        .await?;
        rows.reverse();
        Ok(rows)
    }

    /// Stores the answer to a call of an earlier message, unless that call has been answered
    /// already or is not there. Returns whether it did. What a run answers goes with its
    /// [`crate::Finish`] instead.
    pub async fn answer_call(
        &self,
        owner: &Owner,
        thread_id: Uuid,
        answer: &AnsweredCall,
    ) -> Result<bool, Error> {
        let mut connection = self.pool.acquire().await?;
        self::answer(&mut connection, owner, thread_id, answer).await
    }
}

/// See [`Store::answer_call`].
pub(crate) async fn answer(
    connection: &mut PgConnection,
    owner: &Owner,
    thread_id: Uuid,
    answer: &AnsweredCall,
) -> Result<bool, Error> {
    let result =
        storable_json(&answer.result).map_err(|_| Error::Invalid("the answer is no JSON"))?;
    let done = sqlx::query_file!(
        "queries/answer_call.sql",
        thread_id,
        owner.tenant,
        owner.subject,
        answer.id,
        result,
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Whether messages are read with their transcripts.
#[derive(Clone, Copy)]
enum Transcripts {
    Included,
    Without,
}

/// A row of `messages`.
struct Row {
    seq: i64,
    id: String,
    run_id: Option<Uuid>,
    role: Role,
    text: String,
    tools_used: Option<Json<Vec<ToolRecord>>>,
    status: MessageStatus,
    source: Option<String>,
    warnings: Vec<String>,
    created_at: DateTime<Utc>,
    transcript: Option<Json<Value>>,
}

impl From<Row> for Message {
    fn from(row: Row) -> Self {
        Self {
            seq: row.seq,
            id: row.id,
            run_id: row.run_id,
            role: row.role,
            text: row.text,
            tools_used: row.tools_used.map(|json| json.0).unwrap_or_default(),
            status: row.status,
            source: row.source.map(|source| match source.as_str() {
                "model" => Source::Model,
                _ => Source::Rules,
            }),
            warnings: row.warnings,
            created_at: row.created_at,
        }
    }
}

/// A path as the column has it.
pub(crate) fn source_text(source: Source) -> &'static str {
    match source {
        Source::Rules => "rules",
        Source::Model => "model",
    }
}
