//! The operation of each tool, the typed twin of `call_tool`, so that generated clients get its
//! argument and result types.

use std::marker::PhantomData;

use utoipa::openapi::path::{HttpMethod, Operation, OperationBuilder};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{Content, OpenApi, PathItem, Ref, Required, Response, ResponseBuilder};
use utoipa::{Modify, ToSchema};

use crate::problem::Problem;
use crate::tools::{Tool, envelope_name, registry};

/// The path that the tools' own come after.
const BEFORE: &str = "/api/measurements";

/// The statuses that a call may be refused with.
const REFUSALS: [(&str, &str); 5] = [
    ("401", "No valid identity"),
    ("403", "The scope is missing"),
    ("422", "Invalid arguments; the problem points to each"),
    (
        "429",
        "The caller has as many calls in progress as permitted; `Retry-After` says when to try again",
    ),
    (
        "503",
        "The database is away, or busy with others; `Retry-After` says when to try again",
    ),
];

/// The operation `POST /api/tools/{name}` of one tool.
#[derive(Debug)]
pub struct Call<T>(PhantomData<T>);

impl<T: Tool> utoipa::Path for Call<T> {
    fn methods() -> Vec<HttpMethod> {
        vec![HttpMethod::Post]
    }

    fn path() -> String {
        format!("/api/tools/{}", T::NAME)
    }

    fn operation() -> Operation {
        let body = RequestBodyBuilder::new()
            .content("application/json", content(&T::Arguments::name()))
            .required(Some(Required::True));
        let answer = ResponseBuilder::new()
            .description("The tool's answer")
            .content("application/json", content(&envelope_name::<T>()));
        let operation = OperationBuilder::new()
            .tag("tools")
            .summary(Some(T::SUMMARY))
            .operation_id(Some(T::NAME))
            .request_body(Some(body.build()))
            .response("200", answer)
            .security(SecurityRequirement::new(
                "bearer",
                T::SCOPES.iter().copied(),
            ));
        let operation = REFUSALS.iter().fold(operation, |operation, (status, why)| {
            operation.response(*status, refusal(why))
        });
        operation.build()
    }
}

fn refusal(why: &str) -> Response {
    ResponseBuilder::new()
        .description(why)
        .content("application/problem+json", content(&Problem::name()))
        .build()
}

fn content(schema: &str) -> Content {
    Content::new(Some(Ref::from_schema_name(schema)))
}

/// Adds the operation of each tool with its types.
pub(super) struct Tools;

impl Modify for Tools {
    fn modify(&self, document: &mut OpenApi) {
        let components = document.components.get_or_insert_default();
        let paths = &mut document.paths.paths;
        let first = paths.get_index_of(BEFORE).map_or(paths.len(), |at| at + 1);
        for (place, tool) in registry::descriptors().enumerate() {
            let (path, operation) = tool.operation();
            let item = PathItem::new(HttpMethod::Post, operation);
            paths.shift_insert(first + place, path, item);
            components.schemas.extend(tool.schemas());
        }
    }
}
