//! Operations of the tools service and the orchestrator that the bff passes on as they are, so that
//! each is described once.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use utoipa::openapi::path::{HttpMethod, Operation};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{OpenApi, RefOr, Response};
use utoipa::{IntoResponses, Modify, OpenApi as _};

use super::common::ProxyRefusals;
use super::orchestrator::OrchestratorApi;
use super::tools::ToolsApi;

/// The beginnings of paths at the bff and at the orchestrator. The first that fits counts.
pub const ORCHESTRATOR_PATHS: [(&str, &str); 9] = [
    ("/api/assistants", "/v1/assistants"),
    ("/api/chat", "/ai/chat"),
    ("/api/agent/stream", "/internal/chat/stream"),
    ("/api/threads", "/v1/threads"),
    ("/api/runs", "/v1/runs"),
    ("/api/messages", "/v1/messages"),
    ("/api/schedules", "/v1/schedules"),
    ("/api/v0/chat/messages", "/v1/messages"),
    ("/api/v1/chat/messages", "/v1/messages"),
];

/// An operation of the tools service, at the bff.
#[derive(Debug)]
pub struct OfTools<O>(PhantomData<O>);

impl<O: utoipa::Path> utoipa::Path for OfTools<O> {
    fn methods() -> Vec<HttpMethod> {
        O::methods()
    }

    fn path() -> String {
        O::path()
    }

    fn operation() -> Operation {
        let mut operation = O::operation();
        let responses = &mut operation.responses.responses;
        reword(responses, "401", |_| "Not signed in".to_owned());
        if O::methods() != [HttpMethod::Get] {
            reword(responses, "403", |words| {
                format!("{words}, or the request comes from another origin")
            });
        }
        at_the_bff(operation)
    }
}

/// An operation of the orchestrator, at the bff, which has it under another path.
#[derive(Debug)]
pub struct OfOrchestrator<O>(PhantomData<O>);

impl<O: utoipa::Path> utoipa::Path for OfOrchestrator<O> {
    fn methods() -> Vec<HttpMethod> {
        O::methods()
    }

    fn path() -> String {
        outer(&O::path())
    }

    fn operation() -> Operation {
        let mut operation = O::operation();
        operation.summary = operation.summary.map(|words| outer(&words));
        operation.description = operation.description.map(|words| outer(&words));
        at_the_bff(operation)
    }
}

/// Adds the session, and what the bff itself refuses.
fn at_the_bff(mut operation: Operation) -> Operation {
    let session = SecurityRequirement::new("session", [""; 0]);
    operation.security.get_or_insert_default().push(session);
    let responses = &mut operation.responses.responses;
    responses.extend(ProxyRefusals::responses());
    operation
}

/// A text with the paths of the bff in place of the orchestrator's.
fn outer(text: &str) -> String {
    ORCHESTRATOR_PATHS
        .iter()
        .fold(text.to_owned(), |text, (outer, inner)| {
            text.replace(inner, outer)
        })
}

fn reword(
    responses: &mut BTreeMap<String, RefOr<Response>>,
    status: &str,
    words: impl FnOnce(&str) -> String,
) {
    if let Some(RefOr::T(response)) = responses.get_mut(status) {
        response.description = words(&response.description);
    }
}

/// The operations by service and tag; adds them to a document.
macro_rules! passed_on {
    ($($service:ident as $kind:ident { $($tag:literal: $($operation:ident)*,)* })*) => {
        pub(super) struct AllPassedOn;

        impl Modify for AllPassedOn {
            fn modify(&self, document: &mut OpenApi) {
                $($($(add::<operations::$operation>(document, $tag);)*)*)*
                add_schemas(document, ToolsApi::openapi());
                add_schemas(document, OrchestratorApi::openapi());
            }
        }

        pub mod operations {
            //! A name for each operation.
            use super::{OfOrchestrator, OfTools};
            $($($(
                #[doc = "The operation of this name."]
                pub type $operation = $kind<super::super::$service::operations::$operation>;
            )*)*)*
        }
    };
}

passed_on! {
    orchestrator as OfOrchestrator {
        "assistants": ListAssistants,
        "chat": CreateChat ResumeChat StopChat CreateAgentChat PostMessage FollowRun,
        "threads": CreateThread ListThreads GetThread UpdateThread CopyThread DeleteThread
            ListMessages ListUiMessages GetThreadState SearchMessages ExportThread,
        "runs": GetRun CancelRun,
        "schedules": ListSchedules CreateSchedule GetSchedule UpdateSchedule DeleteSchedule
            TestSchedule ListScheduleMessages GetScheduleSecret,
    }
    tools as OfTools {
        "tools": ListTools GetTool CallTool,
        "measurements": IngestMeasurements,
        "documents": IngestDocument ListDocuments GetDocumentText DeleteDocument,
        "credentials": ListCredentials PutCredential EnsureCredential DeleteCredential,
        "questions": ListQuestions GetQuestion EditQuestion WithdrawQuestion ApproveQuestion,
        "targets": RefreshTarget ListTargets CreateTarget TestNewTarget GetTarget ChangeTarget
            DeleteTarget TestTarget PreviewSpreadsheet LoadSpreadsheet ExportRows,
        "sources": ListSearchSources CreateSource TestNewSource GetSource ChangeSource
            DeleteSource TestSource,
        "upstreams": ListUpstreams CreateUpstream TestNewUpstream GetUpstream ChangeUpstream
            DeleteUpstream TestUpstream,
        "weather": PutWeather ListWeather DeleteWeather,
        "choices": ListChoices ForgetChoices,
        "collections": CreateCollection ListCollections ChangeCollection DeleteCollection,
        "imports": CreateImport ListImports GetImport ReviseImport RunImport CancelImport
            DeleteImport,
        "sites": ListSites PutSites DeleteSite ListSiteLoggers DeleteLogger,
    }
}

fn add<O: utoipa::Path>(document: &mut OpenApi, tag: &str) {
    let mut operation = O::operation();
    operation.tags = Some(vec![tag.to_owned()]);
    let paths = &mut document.paths;
    paths.add_path_operation(O::path(), O::methods(), operation);
}

/// Adds the schemas of the service that has the operations. Those that nothing refers to are
/// removed when the document is finished.
fn add_schemas(document: &mut OpenApi, service: OpenApi) {
    let known = &mut document.components.get_or_insert_default().schemas;
    for (name, schema) in service.components.unwrap_or_default().schemas {
        known.entry(name).or_insert(schema);
    }
}
