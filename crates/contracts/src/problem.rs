//! RFC 9457 problem details: the body of every 4xx and 5xx answer of every service.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The media type of a [`Problem`].
pub const PROBLEM_JSON: &str = "application/problem+json";

/// The code of a refusal when a tenant has used up its storage. To try again is of no use before
/// something is deleted.
pub const STORAGE_FULL: &str = "storage_full";

/// Why a request was refused or failed, in a form that a person can act on and a program can branch
/// on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// A stable URI for the kind of problem, `https://heliograph.dev/problems/<code>`.
    #[serde(rename = "type")]
    #[schema(example = "https://heliograph.dev/problems/not_found")]
    pub kind: String,
    /// A short title, fixed per kind.
    #[schema(example = "Not found")]
    pub title: String,
    /// The HTTP status, repeated.
    #[schema(example = 404, minimum = 400, maximum = 599)]
    pub status: u16,
    /// What happened this time, safe to show to a user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The path of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    /// The kind of problem for programs, in `snake_case`.
    #[schema(example = "not_found")]
    pub code: String,
    /// The request's id, also in the `x-request-id` header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The trace's id, for support.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// The faults of parts of the request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    /// The names that would have been known, where a name was not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub available: Vec<String>,
}

/// One fault of a request's body or query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldError {
    /// JSON pointer to the value, `""` for the whole document.
    #[schema(example = "/days")]
    pub pointer: String,
    /// The fault.
    #[schema(example = "9999 is greater than the maximum of 365")]
    pub detail: String,
}

impl Problem {
    /// A problem of the given status, code and title; the rest is added with the `with_` methods.
    pub fn new(status: u16, code: &str, title: &str) -> Self {
        Self {
            kind: format!("https://heliograph.dev/problems/{code}"),
            title: title.to_owned(),
            status,
            detail: None,
            instance: None,
            code: code.to_owned(),
            request_id: None,
            trace_id: None,
            errors: Vec::new(),
            available: Vec::new(),
        }
    }

    /// Says what happened this time.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Lists the names that are known.
    #[must_use]
    pub fn with_available(mut self, available: Vec<String>) -> Self {
        self.available = available;
        self
    }
}
