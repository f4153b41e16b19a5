//! The operations of the orchestrator.

mod chat;

use std::sync::Arc;

use axum::Router;
use contracts::openapi::orchestrator::operations;
use service_kit::health::Checks;
use service_kit::identity::Verifier;
use service_kit::web::OperationExt;

use crate::state::State;

/// Every route of the service save health and documents.
pub(crate) fn operations(state: State) -> Router {
    Router::new()
        .operation::<operations::CreateChat, _, _>(chat::create_chat)
        .with_state(state)
}

/// What the service needs in order to work.
pub(crate) fn checks(state: &State, verifier: Arc<Verifier>) -> Checks {
    let state = state.clone();
    Checks::new("orchestrator")
        .check("tools", move || {
            let state = state.clone();
            async move {
                state.tools.health().await?;
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
