//! The operations of the bff.

mod auth;
mod conversations;
mod erasing;
mod kept;
mod page;
mod passed_on;
mod questions;
mod targets;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use contracts::openapi::bff::operations;
use service_kit::database::DatabaseHealth;
use service_kit::health::Checks;
use service_kit::web::OperationExt;

use crate::database;
use crate::state::State;

/// A name, a password and what JSON adds to them.
const AUTH_BODY_LIMIT_BYTES: usize = 16 * 1024;

/// Every route of the service save health and documents.
pub(crate) fn operations(state: State) -> Router {
    Router::new()
        .merge(authentication())
        .operation::<operations::ListAssistants, _, _>(conversations::pass_on)
        .operation::<operations::CreateChat, _, _>(conversations::pass_on)
        .operation::<operations::ResumeChat, _, _>(conversations::pass_on)
        .operation::<operations::StopChat, _, _>(conversations::pass_on)
        .operation::<operations::CreateAgentChat, _, _>(conversations::pass_on)
        .operation::<operations::PostMessage, _, _>(conversations::pass_on)
        .operation::<operations::CreateThread, _, _>(conversations::pass_on)
        .operation::<operations::ListThreads, _, _>(conversations::pass_on)
        .operation::<operations::GetThread, _, _>(conversations::pass_on)
        .operation::<operations::UpdateThread, _, _>(conversations::pass_on)
        .operation::<operations::DeleteThread, _, _>(conversations::pass_on)
        .operation::<operations::ListMessages, _, _>(conversations::pass_on)
        .operation::<operations::ListUiMessages, _, _>(conversations::pass_on)
        .operation::<operations::GetThreadState, _, _>(conversations::pass_on)
        .operation::<operations::GetRun, _, _>(conversations::pass_on)
        .operation::<operations::CancelRun, _, _>(conversations::pass_on)
        .operation::<operations::FollowRun, _, _>(conversations::pass_on)
        .operation::<operations::PostMessageV0, _, _>(conversations::pass_on)
        .operation::<operations::PostMessageV1, _, _>(conversations::pass_on)
        .operation::<operations::ListQuestions, _, _>(questions::pass_on)
        .operation::<operations::GetQuestion, _, _>(questions::pass_on)
        .operation::<operations::EditQuestion, _, _>(questions::pass_on)
        .operation::<operations::WithdrawQuestion, _, _>(questions::pass_on)
        .operation::<operations::ApproveQuestion, _, _>(questions::pass_on)
        .operation::<operations::RefreshTarget, _, _>(targets::pass_on)
        .operation::<operations::SearchMessages, _, _>(conversations::pass_on)
        .operation::<operations::ExportThread, _, _>(conversations::pass_on)
        .operation::<operations::GetRetention, _, _>(conversations::pass_on)
        .operation::<operations::EraseAccount, _, _>(erasing::erase_account)
        .operation::<operations::ListTools, _, _>(passed_on::list_tools)
        .operation::<operations::GetTool, _, _>(passed_on::get_tool)
        .operation::<operations::CallTool, _, _>(passed_on::call_tool)
        .operation::<operations::IngestMeasurements, _, _>(passed_on::ingest_measurements)
        .operation::<operations::PutWeather, _, _>(kept::weather)
        .operation::<operations::ListWeather, _, _>(kept::weather)
        .operation::<operations::DeleteWeather, _, _>(kept::weather)
        .operation::<operations::ListChoices, _, _>(kept::choices)
        .operation::<operations::ForgetChoices, _, _>(kept::choices)
        .operation::<operations::ListDocuments, _, _>(kept::list_documents)
        .operation::<operations::IngestDocument, _, _>(kept::ingest_document)
        .operation::<operations::DeleteDocument, _, _>(kept::delete_document)
        .operation::<operations::ListCredentials, _, _>(kept::list_credentials)
        .operation::<operations::PutCredential, _, _>(kept::put_credential)
        .operation::<operations::EnsureCredential, _, _>(kept::ensure_credential)
        .operation::<operations::DeleteCredential, _, _>(kept::delete_credential)
        .merge(page::routes())
        .with_state(state)
}

/// Sign-in routes: open to unauthenticated callers, so nothing large is read.
fn authentication() -> Router<State> {
    Router::new()
        .operation::<operations::GetSignIn, _, _>(auth::get_sign_in)
        .operation::<operations::Login, _, _>(auth::login)
        .operation::<operations::Logout, _, _>(auth::logout)
        .operation::<operations::GetMe, _, _>(auth::get_me)
        .operation::<operations::EraseMe, _, _>(erasing::erase_me)
        .operation::<operations::CreateToken, _, _>(auth::create_token)
        .operation::<operations::RefreshToken, _, _>(auth::refresh_token)
        .operation::<operations::CreateIdentity, _, _>(auth::create_identity)
        .operation::<operations::GetKeySet, _, _>(auth::get_key_set)
        .layer(DefaultBodyLimit::max(AUTH_BODY_LIMIT_BYTES))
}

/// Checks of the service's dependencies: its database. The inner tiers are not part of it, as they
/// need the key set that is published here. When a tier is away, a request that needs it reports
/// so.
pub(crate) fn checks(state: &State) -> Checks {
    let health = DatabaseHealth::new(state.pool.clone(), "bff");
    Checks::new("bff").check("database", move || {
        let health = health.clone();
        async move {
            health
                .check(async |pool| database::is_migrated(&pool).await)
                .await
                .map(|()| None)
        }
    })
}
