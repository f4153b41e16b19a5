//! Stored conversations: search, export, and retention.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::threads::{MessageRole, StoredMessage, Thread};
use crate::ui_history::UiMessage;

/// The query of `GET /v1/messages/search`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams, ToSchema)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SearchMessages {
    /// Words that a message has to hold, all of them, whatever the case; the last may be the
    /// beginning of one. Words in double quotes have to stand together.
    #[param(min_length = 1, max_length = 200)]
    pub q: String,
    /// Only messages of this thread.
    #[serde(default)]
    pub thread_id: Option<String>,
    /// 1 to 100; 20 when absent.
    #[serde(default)]
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<u32>,
    /// From the page before.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// A page of messages that hold the words, the newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FoundMessages {
    /// The messages.
    pub messages: Vec<FoundMessage>,
    /// What `cursor` has to be for the next page; `null` on the last.
    pub next_cursor: Option<String>,
}

/// A message that holds the words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FoundMessage {
    /// The thread of the message.
    pub thread_id: String,
    /// The thread's title.
    pub thread_title: Option<String>,
    /// The id of the message.
    pub message_id: String,
    /// Its place in the thread: `GET /v1/threads/{thread_id}/messages?before=` and `after=` show
    /// what is around it.
    pub seq: i64,
    /// Who wrote it.
    pub role: MessageRole,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
    /// The text around the words, in plain text.
    pub snippet: Vec<SnippetPart>,
}

/// A piece of a snippet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SnippetPart {
    /// The text.
    pub text: String,
    /// Whether it is one of the words.
    pub hit: bool,
}

/// The query of `GET /v1/threads/{thread_id}/export`.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams, ToSchema,
)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ExportThread {
    /// `json` (also when absent) or `markdown`.
    #[serde(default)]
    pub format: Option<ExportFormat>,
}

/// How a thread is handed over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    /// Everything that is kept, as it is kept.
    #[default]
    Json,
    /// For people: what was said, with tables, cards and sources.
    Markdown,
}

/// A thread, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ExportedThread {
    /// When it was handed over.
    pub exported_at: DateTime<Utc>,
    /// The thread.
    pub thread: Thread,
    /// Every message, the oldest first, with all calls of tools: cards are the arguments of
    /// `render_ui_component`, tables and sources the results of the other tools.
    pub messages: Vec<StoredMessage>,
    /// The same as a page shows them: text, cards, plans and sources as parts, in their order.
    pub ui_messages: Vec<UiMessage>,
    /// The assistant's memory of the thread, in its own shape.
    #[schema(value_type = Option<Object>)]
    pub state: Option<Value>,
}

/// The time for which things of the caller's tenant are kept.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Retention {
    /// Hours after which a thread is deleted that nothing has happened to, with its messages, runs
    /// and what assistants remember of it; `null`: never, unless a user deletes it.
    pub threads_hours: Option<u32>,
    /// Hours for which the events of a run that is over can be followed again. Its message stays as
    /// long as its thread.
    pub run_events_hours: u32,
    /// Interval between looks for old threads, in hours.
    pub cleanup_interval_hours: f64,
    /// Threads that nothing happens to.
    pub threads: RetentionOf,
    /// Events of runs that are over.
    pub runs: RetentionOf,
    /// Entries of the audit log. Absent in answers of the orchestrator, which has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<RetentionOf>,
}

/// The time for which one kind of thing is kept, and what it can be set to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RetentionOf {
    /// The hours that count; `null`: such things are not deleted for their age.
    pub hours: Option<u32>,
    /// The days that the tenant's administrators set; `null`: none, so that the installation's
    /// count.
    pub own_days: Option<u32>,
    /// The hours that the installation's configuration has for this tenant; `null`: no limit.
    pub default_hours: Option<u32>,
    /// Minimum number of days that can be set.
    pub least_days: u32,
    /// Maximum number of days that can be set.
    pub most_days: u32,
    /// Whether the installation's configuration names this tenant. Then nothing else can be set.
    pub fixed: bool,
}

/// The body of `PUT /api/retention`: the days of each kind. A kind that is absent or `null` is kept
/// as long as the installation's configuration says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeRetention {
    /// Days after which a thread is deleted that nothing has happened to.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 36500)]
    pub threads_days: Option<u32>,
    /// Days after which the events of a run that is over are deleted.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 36500)]
    pub runs_days: Option<u32>,
    /// Days after which an entry of the audit log is deleted. The bff keeps it; the orchestrator
    /// does not read it.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 36500)]
    pub audit_days: Option<u32>,
}

/// Why days are not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RetentionRefusal {
    /// The installation's configuration names the tenant.
    Fixed(String),
    /// They are outside the bounds.
    Bounds {
        /// The member of the request.
        pointer: String,
        /// The reason.
        detail: String,
    },
}

/// Hours of a day, in which days are set.
pub const HOURS_OF_A_DAY: u32 = 24;

impl RetentionOf {
    /// The hours that count for a tenant. `default_hours` are those of the configuration for this
    /// tenant. If it names the tenant, they are `fixed`; otherwise the days that the tenant's
    /// administrators set come first, within the bounds.
    pub fn of(
        default_hours: Option<u32>,
        own_days: Option<u32>,
        (least_days, most_days): (u32, u32),
        fixed: bool,
    ) -> Self {
        let own_days = own_days.filter(|_| !fixed);
        // The bounds may have changed since the days were set.
        let own = own_days.map(|days| days.clamp(least_days, most_days) * HOURS_OF_A_DAY);
        Self {
            hours: own.or(default_hours),
            own_days,
            default_hours,
            least_days,
            most_days,
            fixed,
        }
    }

    /// Refuses days, those of this member of a request, that the tenant may not set.
    pub fn check(&self, member: &str, days: Option<u32>) -> Result<(), RetentionRefusal> {
        let Some(days) = days else { return Ok(()) };
        if self.fixed {
            return Err(RetentionRefusal::Fixed(format!(
                "The installation's configuration sets this for your tenant, so that `{member}` cannot be set here."
            )));
        }
        if (self.least_days..=self.most_days).contains(&days) {
            return Ok(());
        }
        Err(RetentionRefusal::Bounds {
            pointer: format!("/{member}"),
            detail: format!(
                "must be {} to {} days, as the installation allows, or null for the installation's own",
                self.least_days, self.most_days
            ),
        })
    }
}
