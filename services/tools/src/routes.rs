//! The operations of the service.

mod added;
mod choices;
mod collections;
mod credentials;
mod data_overview;
mod documents;
mod health;
mod imports;
mod measurements;
mod person;
mod questions;
mod quotas;
mod sites;
mod sources;
mod targets;
mod tools;
mod upstreams;
mod weather;

use axum::Router;
use contracts::openapi::tools::operations;
use service_kit::web::OperationExt;

use crate::state::State;

/// The routes that need no identity, as they are mounted.
pub(crate) const PUBLIC: &[&str] = &["/api/health"];

/// Every operation of the contract.
pub(crate) fn operations() -> Router<State> {
    Router::new()
        .operation::<operations::ApiHealth, _, _>(health::api_health)
        .operation::<operations::GetDataOverview, _, _>(data_overview::get)
        .operation::<operations::GetQuotas, _, _>(quotas::get)
        .operation::<operations::ListTools, _, _>(tools::list)
        .operation::<operations::GetTool, _, _>(tools::get)
        .operation::<operations::CallTool, _, _>(tools::call)
        .operation::<operations::IngestMeasurements, _, _>(measurements::ingest)
        .operation::<operations::CreateImport, _, _>(imports::create)
        .operation::<operations::ListImports, _, _>(imports::list)
        .operation::<operations::GetImport, _, _>(imports::get)
        .operation::<operations::ReviseImport, _, _>(imports::revise)
        .operation::<operations::RunImport, _, _>(imports::run)
        .operation::<operations::CancelImport, _, _>(imports::cancel)
        .operation::<operations::DeleteImport, _, _>(imports::delete)
        .operation::<operations::ListSites, _, _>(sites::list)
        .operation::<operations::PutSites, _, _>(sites::put)
        .operation::<operations::DeleteSite, _, _>(sites::delete)
        .operation::<operations::ListSiteLoggers, _, _>(sites::list_loggers)
        .operation::<operations::DeleteLogger, _, _>(sites::delete_logger)
        .operation::<operations::PutWeather, _, _>(weather::put)
        .operation::<operations::ListWeather, _, _>(weather::list)
        .operation::<operations::DeleteWeather, _, _>(weather::delete)
        .operation::<operations::IngestDocument, _, _>(documents::ingest)
        .operation::<operations::ListDocuments, _, _>(documents::list)
        .operation::<operations::GetDocumentText, _, _>(documents::text)
        .operation::<operations::DeleteDocument, _, _>(documents::delete)
        .operation::<operations::CreateCollection, _, _>(collections::create)
        .operation::<operations::ListCollections, _, _>(collections::list)
        .operation::<operations::ChangeCollection, _, _>(collections::change)
        .operation::<operations::DeleteCollection, _, _>(collections::delete)
        .operation::<operations::ListCredentials, _, _>(credentials::list)
        .operation::<operations::PutCredential, _, _>(credentials::put)
        .operation::<operations::DeleteCredential, _, _>(credentials::delete)
        .operation::<operations::EnsureCredential, _, _>(credentials::ensure)
        .operation::<operations::ListQuestions, _, _>(questions::list)
        .operation::<operations::GetQuestion, _, _>(questions::get)
        .operation::<operations::EditQuestion, _, _>(questions::edit)
        .operation::<operations::WithdrawQuestion, _, _>(questions::withdraw)
        .operation::<operations::ApproveQuestion, _, _>(questions::approve)
        .operation::<operations::ListChoices, _, _>(choices::list)
        .operation::<operations::ForgetChoices, _, _>(choices::forget)
        .operation::<operations::ErasePerson, _, _>(person::erase)
        .operation::<operations::ExportPerson, _, _>(person::export)
        .operation::<operations::RefreshTarget, _, _>(targets::refresh)
        .operation::<operations::ListTargets, _, _>(targets::list)
        .operation::<operations::CreateTarget, _, _>(targets::create)
        .operation::<operations::TestNewTarget, _, _>(targets::test_new)
        .operation::<operations::GetTarget, _, _>(targets::get)
        .operation::<operations::ChangeTarget, _, _>(targets::change)
        .operation::<operations::DeleteTarget, _, _>(targets::delete)
        .operation::<operations::TestTarget, _, _>(targets::test_one)
        .operation::<operations::PreviewSpreadsheet, _, _>(targets::preview)
        .operation::<operations::LoadSpreadsheet, _, _>(targets::load)
        .operation::<operations::ExportRows, _, _>(targets::export)
        .operation::<operations::ListSearchSources, _, _>(sources::list)
        .operation::<operations::CreateSource, _, _>(sources::create)
        .operation::<operations::TestNewSource, _, _>(sources::test_new)
        .operation::<operations::GetSource, _, _>(sources::get)
        .operation::<operations::ChangeSource, _, _>(sources::change)
        .operation::<operations::DeleteSource, _, _>(sources::delete)
        .operation::<operations::TestSource, _, _>(sources::test_one)
        .operation::<operations::ListUpstreams, _, _>(upstreams::list)
        .operation::<operations::CreateUpstream, _, _>(upstreams::create)
        .operation::<operations::TestNewUpstream, _, _>(upstreams::test_new)
        .operation::<operations::GetUpstream, _, _>(upstreams::get)
        .operation::<operations::ChangeUpstream, _, _>(upstreams::change)
        .operation::<operations::DeleteUpstream, _, _>(upstreams::delete)
        .operation::<operations::TestUpstream, _, _>(upstreams::test_one)
}

pub(crate) use health::checks;
