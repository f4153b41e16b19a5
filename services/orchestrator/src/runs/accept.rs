//! Taking a message: one round trip to the database, and its run is running, waits, or is refused.

use std::sync::Arc;

use axum::response::Response;
use contracts::threads::{Dialect, Multitask};
use contracts::tools::upstreams::PutCredential;
use conversations::{Acceptance, IfMissing, MessagePage, NewRun, Owner, Question, ThreadPatch};
use serde_json::{Map, Value};
use service_kit::context::RequestContext;
use service_kit::identity::Identity;
use service_kit::problem::ApiError;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;
use tracing::{Instrument, Span};

use super::follow::Follow;
use super::stream::{After, response};
use super::{Job, RunInput, Waiting, launch, metrics};
use crate::credentials::{Caller, owner_of};
use crate::error::refusal;
use crate::requests::Key;
use crate::run_quotas;
use crate::state::State;

/// A message that a user needs an answer to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MessageRequest {
    /// The dialect that it came in, and that is answered in.
    pub(crate) dialect: Dialect,
    /// The thread, when one was named.
    pub(crate) thread: Option<String>,
    /// The effect of a missing thread.
    pub(crate) if_missing: IfMissing,
    /// What to do when the thread is busy.
    pub(crate) multitask: Multitask,
    /// The assistant, when one was named.
    pub(crate) assistant: Option<String>,
    /// The user's input, and how it was sent.
    pub(crate) input: RunInput,
    /// The user message; none when a picker is answered in place, or an older message again.
    pub(crate) question: Option<Question>,
    /// For the thread's context where it has no such key.
    pub(crate) context_defaults: Option<Map<String, Value>>,
    /// For the thread's context, without credentials.
    pub(crate) context: Option<Map<String, Value>>,
    /// The credential for an upstream that came with it.
    pub(crate) delegated: Option<PutCredential>,
}

/// Starts, or joins, the run that answers a message, and answers with its stream.
pub(crate) async fn start(
    state: &State,
    identity: &Identity,
    wanted: MessageRequest,
    key: Option<Key>,
) -> Result<Response, ApiError> {
    let dialect = wanted.dialect;
    let owner = owner_of(identity);
    check_assistant(state, &owner, &wanted).await?;
    if let Some(ledger) = &state.ledger {
        ledger.admit_message(&owner).await?;
    }
    run_quotas::admit(&state.store, &state.config.runs, &owner).await?;
    let permit = Arc::clone(&state.permits).try_acquire_owned();
    let permit = permit.map_err(|full| {
        ApiError::unavailable(
            "Too many messages are being answered; try again in a moment.",
            full,
        )
    })?;
    let caller = Caller::present(identity, Arc::clone(&state.identities), state.clock.clone());
    let mut wanted = wanted;
    let delegated = wanted.delegated.take();
    let input = wanted.input.clone();
    let new = new_run(state, wanted, key)?;
    // A task of its own: a client that goes away in between must not leave a run behind that was
    // accepted and never started.
    let request = RequestContext::current();
    let (again, caller) = (state.clone(), Arc::new(caller));
    let work = async move {
        hand_over(&again, &caller, delegated, request.clone()).await;
        accept(again, caller, (new, input), permit, request).await
    };
    let accepted = state.tasks.spawn(work.in_current_span());
    let follow = accepted.await.map_err(ApiError::internal)??;
    let quiet = state.config.runs.keep_alive();
    Ok(response(follow, dialect, After::default(), quiet))
}

/// Starts, or joins, the run that answers a message of a person who is not there.
pub(crate) async fn start_absent(
    state: &State,
    caller: Arc<Caller>,
    wanted: MessageRequest,
    key: Key,
) -> Result<Follow, ApiError> {
    check_assistant(state, caller.owner(), &wanted).await?;
    if let Some(ledger) = &state.ledger {
        ledger.admit_message(caller.owner()).await?;
    }
    let permit = Arc::clone(&state.permits).acquire_owned().await;
    let permit = permit.map_err(ApiError::internal)?;
    let input = wanted.input.clone();
    let new = new_run(state, wanted, Some(key))?;
    accept(state.clone(), caller, (new, input), permit, None).await
}

/// Hands the credential that came with a request to where it is kept, before anything that may need
/// it.
pub(crate) async fn hand_over(
    state: &State,
    caller: &Caller,
    delegated: Option<PutCredential>,
    request: Option<RequestContext>,
) {
    let (Some(delegation), Some(credential)) = (&state.delegation, delegated) else {
        return;
    };
    let handed = delegation.hand_over(caller, &credential);
    match request {
        Some(request) => request.scope(handed).await,
        None => handed.await,
    }
}

async fn accept(
    state: State,
    caller: Arc<Caller>,
    (new, input): (NewRun, RunInput),
    permit: OwnedSemaphorePermit,
    request: Option<RequestContext>,
) -> Result<Follow, ApiError> {
    if state.stopping.is_cancelled() {
        return Err(ApiError::unavailable(
            "The service is stopping; try again in a moment.",
            "stopping",
        ));
    }
    let leased_at = Instant::now();
    let accepted = state
        .store
        .accept(caller.owner(), state.runs.worker(), &new)
        .await
        .map_err(|error| refusal(error, "thread"))?;
    match accepted {
        Acceptance::Started { run, .. } => {
            let follow = Follow::new(&state, run.clone());
            launch(
                &state,
                Job {
                    run,
                    input: Some(input),
                    caller,
                    permit,
                    leased_at,
                    request,
                    parent: Some(Span::current()),
                },
            );
            Ok(follow)
        }
        Acceptance::Queued { run, .. } => {
            let waiting = Waiting {
                thread_id: run.thread_id,
                input,
                caller,
                request,
                parent: Span::current(),
                _observed: metrics::ObservedWait::begin(),
            };
            state.runs.wait(run.id, waiting);
            drop(permit);
            // The run before it may have ended before this one was registered.
            let (again, thread_id) = (state.clone(), run.thread_id);
            state
                .tasks
                .spawn(async move { super::queue::start_next(&again, thread_id).await });
            Ok(Follow::new(&state, run))
        }
        Acceptance::Replayed { run, .. } => {
            super::follow::check_kept(&state, &run).await?;
            Ok(Follow::new(&state, run))
        }
    }
}

fn new_run(state: &State, wanted: MessageRequest, key: Option<Key>) -> Result<NewRun, ApiError> {
    // For another process, should this one end before the run does.
    let input = serde_json::to_value(&wanted.input).map_err(ApiError::internal)?;
    let id = state.ids.new_id();
    Ok(NewRun {
        id,
        thread: wanted.thread,
        thread_id: state.ids.new_id(),
        if_missing: wanted.if_missing,
        enqueue: wanted.multitask == Multitask::Enqueue,
        assistant: wanted.assistant,
        default_assistant: state
            .config
            .runs
            .default_assistants
            .of(wanted.dialect)
            .to_owned(),
        context_defaults: wanted.context_defaults,
        context: wanted.context,
        dialect: wanted.dialect.as_str().to_owned(),
        input,
        question: wanted.question,
        message_id: format!("msg_{}", id.simple()),
        idempotency: key.map(|key| key.0),
        request_id: RequestContext::current().map(|current| current.request_id.to_string()),
    })
}

/// A thread keeps its assistant from its first message on, and only existing assistants can be
/// named. A client may create a thread before it chooses, so an empty thread takes the assistant
/// that its first message names.
async fn check_assistant(
    state: &State,
    owner: &Owner,
    wanted: &MessageRequest,
) -> Result<(), ApiError> {
    let Some(name) = &wanted.assistant else {
        return Ok(());
    };
    known_assistant(state, name)?;
    let Some(thread) = &wanted.thread else {
        return Ok(());
    };
    let found = match state.store.thread(owner, thread).await {
        Ok(found) if found.assistant != *name => found,
        Ok(_) | Err(conversations::Error::NotFound) => return Ok(()),
        Err(error) => return Err(refusal(error, "thread")),
    };
    let said = state
        .store
        .messages(owner, found.id, MessagePage::Newest, 1)
        .await
        .map_err(|error| refusal(error, "thread"))?;
    if !said.is_empty() {
        return Err(ApiError::conflict(format!(
            "This thread is answered by `{}`; another assistant needs another thread.",
            found.assistant
        )));
    }
    let patch = ThreadPatch {
        assistant: Some(name.clone()),
        ..ThreadPatch::default()
    };
    let patched = state.store.patch_thread(owner, thread, &patch).await;
    patched.map(drop).map_err(|error| refusal(error, "thread"))
}

/// Refuses, with the names that there are, an assistant that there is not.
pub(crate) fn known_assistant(state: &State, name: &str) -> Result<(), ApiError> {
    if state.assistants.get(name).is_some() {
        return Ok(());
    }
    let names = state.assistants.names();
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    let detail = format!(
        "there is no such assistant; there are: {}",
        names.join(", ")
    );
    Err(ApiError::invalid_field("/assistant", detail).with_available(names))
}
