//! The operations of the orchestrator.

mod assistants;
mod chat;
mod runs;
mod threads;

use std::sync::Arc;

use axum::Router;
use contracts::openapi::orchestrator::operations;
use service_kit::health::Checks;
use service_kit::identity::Verifier;
use service_kit::web::OperationExt;

use crate::database;
use crate::state::State;

/// Every route of the service save health and documents.
pub(crate) fn operations(state: State) -> Router {
    Router::new()
        .operation::<operations::ListAssistants, _, _>(assistants::list_assistants)
        .operation::<operations::CreateChat, _, _>(chat::create_chat)
        .operation::<operations::ResumeChat, _, _>(chat::resume_chat)
        .operation::<operations::StopChat, _, _>(chat::stop_chat)
        .operation::<operations::CreateAgentChat, _, _>(chat::create_agent_chat)
        .operation::<operations::PostMessage, _, _>(chat::post_message)
        .operation::<operations::CreateThread, _, _>(threads::create_thread)
        .operation::<operations::ListThreads, _, _>(threads::list_threads)
        .operation::<operations::GetThread, _, _>(threads::get_thread)
        .operation::<operations::UpdateThread, _, _>(threads::update_thread)
        .operation::<operations::DeleteThread, _, _>(threads::delete_thread)
        .operation::<operations::ListMessages, _, _>(threads::list_messages)
        .operation::<operations::GetThreadState, _, _>(threads::get_thread_state)
        .operation::<operations::GetRun, _, _>(runs::get_run)
        .operation::<operations::CancelRun, _, _>(runs::cancel_run)
        .operation::<operations::FollowRun, _, _>(runs::follow_run)
        .with_state(state)
}

/// What the service needs in order to work.
pub(crate) fn checks(state: &State, verifier: Arc<Verifier>) -> Checks {
    let (database, tools) = (state.clone(), state.clone());
    Checks::new("orchestrator")
        .check("database", move || {
            let state = database.clone();
            async move {
                if database::is_migrated(state.store.pool()).await? {
                    Ok(None)
                } else {
                    Err("the schema is older than the program; run `heliograph migrate`".into())
                }
            }
        })
        .check("tools", move || {
            let state = tools.clone();
            async move {
                state.tools.client().health().await?;
                Ok(None)
            }
        })
        .check("identity keys", move || {
            let verifier = Arc::clone(&verifier);
            async move {
                verifier.ready().await?;
                Ok(None)
            }
        })
}
