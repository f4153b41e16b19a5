//! Threads as they are returned, and their deletion.

use contracts::threads::{
    MessageRole, MessageStatus, StoredMessage, Thread, ThreadStatus, ToolRecord, ToolRecordStatus,
    UpdateThread,
};
use contracts::tools::upstreams::PutCredential;
use conversations::{Deletion, Error, Message, MessagePage, Owner, Role, ThreadPatch, ToolStatus};
use futures::future::join_all;
use graph::Checkpoint;
use serde_json::{Map, Value};
use service_kit::problem::{ApiError, chain};
use uuid::Uuid;

use crate::assistants::StateError;
use crate::context::{of_inventory, shown};
use crate::credentials::delegated;
use crate::error::refusal;
use crate::requests::{check_attached, check_name};
use crate::runs::control;
use crate::secrets::without_secrets;
use crate::state::State;

/// Number of times that a deletion stops a run that answers in the thread before it is refused:
/// more may wait behind it.
const STOPS: u32 = 5;

/// The activity of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ThreadActivity {
    /// Nothing.
    Idle,
    /// This run answers in it, or is the first that waits.
    Busy(Uuid),
    /// It waits for the person.
    Asks,
}

impl ThreadActivity {
    pub(crate) fn of(active: Option<Uuid>, asks: bool) -> Self {
        match active {
            Some(run) => Self::Busy(run),
            None if asks => Self::Asks,
            None => Self::Idle,
        }
    }

    pub(crate) fn status(self) -> ThreadStatus {
        match self {
            Self::Idle => ThreadStatus::Idle,
            Self::Busy(_) => ThreadStatus::Busy,
            Self::Asks => ThreadStatus::Interrupted,
        }
    }

    pub(crate) fn active_run(self) -> Option<String> {
        match self {
            Self::Busy(run) => Some(run.simple().to_string()),
            Self::Idle | Self::Asks => None,
        }
    }
}

/// What each of these threads is doing, in their order.
pub(crate) async fn standings(
    state: &State,
    owner: &Owner,
    threads: &[conversations::Thread],
) -> Result<Vec<ThreadActivity>, Error> {
    let ids: Vec<Uuid> = threads.iter().map(|thread| thread.id).collect();
    let active = state.store.active_runs(owner, &ids).await?;
    let standings = threads.iter().map(|thread| {
        let active = active
            .iter()
            .find(|(id, _)| *id == thread.id)
            .map(|(_, run)| *run);
        async move {
            let asks = active.is_none() && asks(state, owner, thread).await;
            ThreadActivity::of(active, asks)
        }
    });
    Ok(join_all(standings).await)
}

/// Whether a thread's assistant waits for the person; `false` if its state cannot be read.
async fn asks(state: &State, owner: &Owner, thread: &conversations::Thread) -> bool {
    let Some(assistant) = state.assistants.get(&thread.assistant) else {
        return false;
    };
    match assistant.asks(owner, &thread.id.to_string()).await {
        Ok(asks) => asks,
        Err(error) => {
            tracing::warn!(error = %chain(&*error), "a thread's state cannot be read");
            false
        }
    }
}

/// A thread on the wire.
pub(crate) fn told(thread: conversations::Thread, standing: ThreadActivity) -> Thread {
    let (inventory_id, context) = shown(thread.context);
    Thread {
        thread_id: thread.name,
        assistant: thread.assistant,
        title: thread.title,
        inventory_id,
        context: Value::Object(context),
        metadata: without_secrets(thread.metadata),
        status: standing.status(),
        active_run_id: standing.active_run(),
        created_at: thread.created_at,
        last_updated: thread.last_updated,
    }
}

/// The changes that a request asks for, and the credential that came with it.
pub(crate) fn patch(
    request: UpdateThread,
) -> Result<(ThreadPatch, Option<PutCredential>), ApiError> {
    let title = request.title.as_ref().and_then(Option::as_deref);
    check_name(title, "/title")?;
    let inventory = request.inventory_id.as_ref().and_then(Option::as_deref);
    check_name(inventory, "/inventory_id")?;
    for (attached, pointer) in [
        (&request.context, "/context"),
        (&request.metadata, "/metadata"),
    ] {
        check_attached(attached.as_ref().unwrap_or(&Map::new()), pointer)?;
    }
    let delegated = request.context.as_ref().and_then(delegated);
    let context = request.context.map(without_secrets);
    let context = match request.inventory_id {
        Some(inventory) => {
            let mut context = context.unwrap_or_default();
            context.extend(of_inventory(inventory));
            Some(context)
        }
        None => context,
    };
    let patch = ThreadPatch {
        title: request.title,
        assistant: None,
        archived: None,
        context,
        metadata: request.metadata.map(without_secrets),
    };
    Ok((patch, delegated))
}

/// A page of messages, and whether there are more in its direction.
pub(crate) async fn messages(
    state: &State,
    owner: &Owner,
    thread_id: Uuid,
    page: MessagePage,
    limit: u32,
) -> Result<(Vec<StoredMessage>, bool), Error> {
    let messages = state.store.messages(owner, thread_id, page, limit).await?;
    let full = messages.len() >= limit as usize;
    let beyond = match (page, messages.first(), messages.last()) {
        (MessagePage::After(_), _, Some(last)) => MessagePage::After(last.seq),
        (_, Some(first), _) => MessagePage::Before(first.seq),
        _ => page,
    };
    let has_more = full
        && !state
            .store
            .messages(owner, thread_id, beyond, 1)
            .await?
            .is_empty();
    Ok((messages.into_iter().map(told_message).collect(), has_more))
}

fn told_message(message: Message) -> StoredMessage {
    let tools = message.tools_used.into_iter().map(told_tool);
    let tools: Vec<ToolRecord> = tools.collect();
    StoredMessage {
        message_id: message.id,
        seq: message.seq,
        role: told_role(message.role),
        text: message.text,
        status: told_status(message.status),
        tools_used: (!tools.is_empty()).then_some(tools),
        source: message.source,
        run_id: message.run_id.map(|id| id.simple().to_string()),
        warnings: message.warnings,
        created_at: message.created_at,
    }
}

pub(crate) fn told_role(role: Role) -> MessageRole {
    match role {
        Role::User => MessageRole::User,
        Role::Assistant => MessageRole::Assistant,
        Role::System => MessageRole::System,
    }
}

pub(crate) fn told_status(status: conversations::MessageStatus) -> MessageStatus {
    match status {
        conversations::MessageStatus::Complete => MessageStatus::Complete,
        conversations::MessageStatus::Partial => MessageStatus::Partial,
        conversations::MessageStatus::Failed => MessageStatus::Failed,
    }
}

fn told_tool(record: conversations::ToolRecord) -> ToolRecord {
    ToolRecord {
        id: record.id,
        name: record.name,
        status: match record.status {
            ToolStatus::Success | ToolStatus::Answered => ToolRecordStatus::Success,
            ToolStatus::Error => ToolRecordStatus::Error,
            ToolStatus::Pending => ToolRecordStatus::Pending,
            ToolStatus::Executing | ToolStatus::Cancelled => ToolRecordStatus::Cancelled,
        },
        arguments: record.arguments,
        result: record.result,
    }
}

/// Deletes a thread with all that is kept of it, after stopping what answers in it.
pub(crate) async fn delete(state: &State, owner: &Owner, name: &str) -> Result<(), ApiError> {
    for _ in 0..STOPS {
        let deleted = state.store.delete_thread(owner, name).await;
        match deleted.map_err(|error| refusal(error, "thread"))? {
            Deletion::Deleted(id) => {
                forget(state, id).await;
                return Ok(());
            }
            Deletion::Active(run_id) => {
                let stopped = control::cancel(state, owner, run_id).await;
                stopped.map_err(|error| refusal(error, "run"))?;
            }
        }
    }
    Err(ApiError::conflict(
        "A run in this thread did not stop in time; try again.",
    ))
}

/// Creates a thread with the messages of another one of the owner and with what assistants remember
/// of it.
pub(crate) async fn copy(
    state: &State,
    owner: &Owner,
    name: &str,
) -> Result<conversations::Thread, ApiError> {
    let id = state.ids.new_id();
    let copied = state.store.copy_thread(owner, name, id).await;
    let copied = copied.map_err(|error| refusal(error, "thread"))?;
    let whole = match copy_memory(state, copied.source, id).await {
        Ok(()) => match state.store.is_current_copy(&copied).await {
            Ok(true) => return Ok(copied.thread),
            Ok(false) => ApiError::conflict(
                "A message came to this thread while it was copied; copy it again.",
            ),
            Err(error) => refusal(error, "thread"),
        },
        Err(error) => ApiError::unavailable(
            "What assistants remember cannot be copied at the moment.",
            error,
        ),
    };
    delete(state, owner, &copied.thread.name).await?;
    Err(whole)
}

/// Copies what assistants remember of a thread: its newest checkpoint, and what is beside it.
async fn copy_memory(state: &State, from: Uuid, to: Uuid) -> Result<(), StateError> {
    for assistant in state.assistants.iter() {
        assistant.copy_memory(from, to).await?;
    }
    if let Some(checkpoint) = state.checkpointer.get(&from.to_string(), None).await? {
        let copy = Checkpoint {
            thread_id: to.to_string().into(),
            // Ids say when a checkpoint was made, and idle ones are deleted.
            id: Uuid::now_v7(),
            parent_id: None,
            ..checkpoint
        };
        state.checkpointer.put(&copy).await?;
    }
    Ok(())
}

/// Deletes the assistants' memory of a deleted thread. If that fails, the memory is left behind
/// without an owner, where no user can reach it; the clean-up of idle checkpoints finds it.
pub(crate) async fn forget(state: &State, thread_id: Uuid) {
    let forgotten = state
        .checkpointer
        .delete_thread(&thread_id.to_string())
        .await;
    if let Err(error) = forgotten {
        tracing::warn!(%thread_id, error = %chain(&error), "the checkpoints of a deleted thread are left behind");
    }
}
