//! The operations of the bff.

mod audit;
mod auth;
mod conversations;
mod erasing;
mod export;
mod issuers;
mod langgraph;
mod me;
mod named;
mod oidc;
mod openai;
mod page;
mod passed_on;
mod people;
mod retention;
mod stop_link;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use contracts::openapi::bff::operations;
use service_kit::database::DatabaseHealth;
use service_kit::health::Checks;
use service_kit::web::OperationExt;

use crate::audit::record;
use crate::database;
use crate::state::State;

/// A name, a password and what JSON adds to them.
const AUTH_BODY_LIMIT_BYTES: usize = 16 * 1024;

/// The rules of an issuer.
const ISSUER_BODY_LIMIT_BYTES: usize = 256 * 1024;

/// Routes whose answers wait for a file, a connection that is tested, or rows that are removed.
const UPLOADS: [&str; 23] = [
    "/api/measurements",
    "/api/documents",
    "/api/imports",
    "/api/imports/{import_id}",
    "/api/sites",
    "/api/sites/{site_id}",
    "/api/loggers/{logger_id}",
    "/api/target-previews",
    "/api/target-tests",
    "/api/targets",
    "/api/targets/{target}",
    "/api/targets/{target}/file",
    "/api/targets/{target}/test",
    "/api/targets/{target}/refresh",
    "/api/targets/{target}/export",
    "/api/sources",
    "/api/source-tests",
    "/api/sources/{source}",
    "/api/sources/{source}/test",
    "/api/upstreams",
    "/api/upstreams/{upstream}",
    "/api/upstream-tests",
    "/api/upstreams/{upstream}/test",
];

/// Routes that take longer than others: those of uploads, and those that answer whole what a run
/// says.
pub(crate) fn slow() -> impl Iterator<Item = &'static str> {
    let slow = openai::SLOW.into_iter().chain(langgraph::SLOW);
    slow.chain([crate::mcp::PATH]).chain(UPLOADS)
}

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
        .operation::<operations::CopyThread, _, _>(conversations::pass_on)
        .operation::<operations::DeleteThread, _, _>(conversations::pass_on)
        .operation::<operations::ListMessages, _, _>(conversations::pass_on)
        .operation::<operations::ListUiMessages, _, _>(conversations::pass_on)
        .operation::<operations::GetThreadState, _, _>(conversations::pass_on)
        .operation::<operations::GetRun, _, _>(conversations::pass_on)
        .operation::<operations::CancelRun, _, _>(conversations::pass_on)
        .operation::<operations::FollowRun, _, _>(conversations::pass_on)
        .operation::<operations::PostMessageV0, _, _>(conversations::pass_on)
        .operation::<operations::PostMessageV1, _, _>(conversations::pass_on)
        .operation::<operations::ListQuestions, _, _>(passed_on::pass_on_named)
        .operation::<operations::GetQuestion, _, _>(passed_on::pass_on_named)
        .operation::<operations::EditQuestion, _, _>(passed_on::pass_on_named)
        .operation::<operations::WithdrawQuestion, _, _>(passed_on::pass_on_named)
        .operation::<operations::ApproveQuestion, _, _>(passed_on::pass_on_named)
        .merge(connected())
        .operation::<operations::SearchMessages, _, _>(conversations::pass_on)
        .operation::<operations::ExportThread, _, _>(conversations::pass_on)
        .operation::<operations::GetRetention, _, _>(retention::get_retention)
        .operation::<operations::SetRetention, _, _>(retention::set_retention)
        .operation::<operations::ListSchedules, _, _>(conversations::pass_on)
        .operation::<operations::CreateSchedule, _, _>(conversations::pass_on)
        .operation::<operations::GetSchedule, _, _>(conversations::pass_on)
        .operation::<operations::UpdateSchedule, _, _>(conversations::pass_on)
        .operation::<operations::DeleteSchedule, _, _>(conversations::pass_on)
        .operation::<operations::TestSchedule, _, _>(conversations::pass_on)
        .operation::<operations::ListScheduleMessages, _, _>(conversations::pass_on)
        .operation::<operations::GetScheduleSecret, _, _>(conversations::pass_on)
        .operation::<operations::EraseAccount, _, _>(erasing::erase_account)
        .merge(accounts())
        .merge(issuers())
        .operation::<operations::ListTools, _, _>(passed_on::pass_on)
        .operation::<operations::GetTool, _, _>(passed_on::pass_on_named)
        .operation::<operations::CallTool, _, _>(passed_on::pass_on_named)
        .operation::<operations::IngestMeasurements, _, _>(passed_on::pass_on_stream)
        .operation::<operations::CreateImport, _, _>(named::create_import)
        .operation::<operations::ListImports, _, _>(passed_on::pass_on)
        .operation::<operations::GetImport, _, _>(passed_on::pass_on)
        .operation::<operations::ReviseImport, _, _>(named::change_import)
        .operation::<operations::RunImport, _, _>(named::change_import)
        .operation::<operations::CancelImport, _, _>(named::change_import)
        .operation::<operations::DeleteImport, _, _>(passed_on::pass_on)
        .operation::<operations::ListSites, _, _>(passed_on::pass_on)
        .operation::<operations::PutSites, _, _>(named::put_sites)
        .operation::<operations::DeleteSite, _, _>(passed_on::pass_on_slowly)
        .operation::<operations::ListSiteLoggers, _, _>(passed_on::pass_on)
        .operation::<operations::DeleteLogger, _, _>(passed_on::pass_on_slowly)
        .operation::<operations::PutWeather, _, _>(passed_on::pass_on)
        .operation::<operations::ListWeather, _, _>(passed_on::pass_on)
        .operation::<operations::DeleteWeather, _, _>(passed_on::pass_on)
        .operation::<operations::ListChoices, _, _>(passed_on::pass_on)
        .operation::<operations::ForgetChoices, _, _>(passed_on::pass_on)
        .operation::<operations::ListDocuments, _, _>(passed_on::pass_on)
        .operation::<operations::IngestDocument, _, _>(named::ingest_document)
        .operation::<operations::GetDocumentText, _, _>(passed_on::pass_on_named)
        .operation::<operations::DeleteDocument, _, _>(passed_on::pass_on_named)
        .operation::<operations::CreateCollection, _, _>(named::collection)
        .operation::<operations::ListCollections, _, _>(passed_on::pass_on)
        .operation::<operations::ChangeCollection, _, _>(named::collection)
        .operation::<operations::DeleteCollection, _, _>(passed_on::pass_on_slowly)
        .operation::<operations::ListCredentials, _, _>(passed_on::pass_on)
        .operation::<operations::PutCredential, _, _>(passed_on::pass_on_named)
        .operation::<operations::EnsureCredential, _, _>(passed_on::pass_on_named)
        .operation::<operations::DeleteCredential, _, _>(passed_on::pass_on_named)
        .merge(openai::routes())
        .merge(langgraph::routes())
        .merge(crate::mcp::routes(&state))
        .layer(from_fn_with_state(state.clone(), record))
        .merge(page::routes())
        .merge(stop_link::routes())
        .with_state(state)
}

/// Sign-in routes: open to unauthenticated callers, so nothing large is read.
fn authentication() -> Router<State> {
    Router::new()
        .operation::<operations::GetSignIn, _, _>(auth::get_sign_in)
        .operation::<operations::Login, _, _>(auth::login)
        .operation::<operations::BeginSignIn, _, _>(oidc::begin_sign_in)
        .operation::<operations::FinishSignIn, _, _>(oidc::finish_sign_in)
        .operation::<operations::EndSignIn, _, _>(oidc::end_sign_in)
        .operation::<operations::Logout, _, _>(auth::logout)
        .operation::<operations::GetMe, _, _>(auth::get_me)
        .operation::<operations::EraseMe, _, _>(erasing::erase_me)
        .operation::<operations::CreateToken, _, _>(auth::create_token)
        .operation::<operations::RefreshToken, _, _>(auth::refresh_token)
        .operation::<operations::CreateIdentity, _, _>(auth::create_identity)
        .operation::<operations::GetKeySet, _, _>(auth::get_key_set)
        .layer(DefaultBodyLimit::max(AUTH_BODY_LIMIT_BYTES))
}

/// What tenants connect: targets, search sources and upstreams.
fn connected() -> Router<State> {
    Router::new()
        .operation::<operations::RefreshTarget, _, _>(passed_on::pass_on_named)
        .operation::<operations::ListTargets, _, _>(passed_on::pass_on)
        .operation::<operations::CreateTarget, _, _>(named::create)
        .operation::<operations::TestNewTarget, _, _>(named::test)
        .operation::<operations::GetTarget, _, _>(passed_on::pass_on)
        .operation::<operations::ChangeTarget, _, _>(passed_on::pass_on_slowly)
        .operation::<operations::DeleteTarget, _, _>(passed_on::pass_on)
        .operation::<operations::TestTarget, _, _>(named::test)
        .operation::<operations::PreviewSpreadsheet, _, _>(passed_on::pass_on_stream)
        .operation::<operations::LoadSpreadsheet, _, _>(passed_on::pass_on_stream)
        .operation::<operations::ExportRows, _, _>(passed_on::pass_on_slowly)
        .operation::<operations::ListSearchSources, _, _>(passed_on::pass_on)
        .operation::<operations::CreateSource, _, _>(named::create)
        .operation::<operations::TestNewSource, _, _>(named::test)
        .operation::<operations::GetSource, _, _>(passed_on::pass_on_slowly)
        .operation::<operations::ChangeSource, _, _>(passed_on::pass_on_slowly)
        .operation::<operations::DeleteSource, _, _>(passed_on::pass_on)
        .operation::<operations::TestSource, _, _>(named::test)
        .operation::<operations::ListUpstreams, _, _>(passed_on::pass_on)
        .operation::<operations::CreateUpstream, _, _>(named::create)
        .operation::<operations::TestNewUpstream, _, _>(named::test)
        .operation::<operations::GetUpstream, _, _>(passed_on::pass_on)
        .operation::<operations::ChangeUpstream, _, _>(passed_on::pass_on_slowly)
        .operation::<operations::DeleteUpstream, _, _>(passed_on::pass_on)
        .operation::<operations::TestUpstream, _, _>(named::test)
}

/// The administration of accounts: nothing large is read.
fn accounts() -> Router<State> {
    Router::new()
        .operation::<operations::GetMyAccount, _, _>(me::get_my_account)
        .operation::<operations::ChangePassword, _, _>(me::change_password)
        .operation::<operations::ExportMe, _, _>(export::export_me)
        .operation::<operations::ListAccounts, _, _>(people::list_accounts)
        .operation::<operations::CreateAccount, _, _>(people::create_account)
        .operation::<operations::GetAccount, _, _>(people::get_account)
        .operation::<operations::ChangeAccount, _, _>(people::change_account)
        .operation::<operations::ListSessions, _, _>(people::list_sessions)
        .operation::<operations::EndSessions, _, _>(people::end_sessions)
        .operation::<operations::EndSession, _, _>(people::end_session)
        .operation::<operations::ListTokens, _, _>(people::list_tokens)
        .operation::<operations::CreateApiKey, _, _>(people::create_api_key)
        .operation::<operations::RevokeToken, _, _>(people::revoke_token)
        .operation::<operations::ListAudit, _, _>(audit::list_audit)
        .layer(DefaultBodyLimit::max(AUTH_BODY_LIMIT_BYTES))
}

/// Issuers at which people sign in.
fn issuers() -> Router<State> {
    Router::new()
        .operation::<operations::ListIssuers, _, _>(issuers::list_issuers)
        .operation::<operations::CreateIssuer, _, _>(issuers::create_issuer)
        .operation::<operations::TestNewIssuer, _, _>(issuers::test_new_issuer)
        .operation::<operations::GetIssuer, _, _>(issuers::get_issuer)
        .operation::<operations::ChangeIssuer, _, _>(issuers::change_issuer)
        .operation::<operations::DeleteIssuer, _, _>(issuers::delete_issuer)
        .operation::<operations::TestIssuer, _, _>(issuers::test_issuer)
        .layer(DefaultBodyLimit::max(ISSUER_BODY_LIMIT_BYTES))
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
