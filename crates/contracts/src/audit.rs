//! The audit log: who did what to what, when and from where.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::accounts::CredentialKind;

/// An entry of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditEntry {
    /// The id. Later entries have greater ids.
    pub id: String,
    /// The moment.
    pub at: DateTime<Utc>,
    /// The tenant that the entry belongs to; absent for a sign-in with an unknown name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// The id of the account that acted; absent when it is unknown or erased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// The name of that account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor_name: Option<String>,
    /// The credential that it acted with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<CredentialKind>,
    /// The operation, by its id in the OpenAPI document.
    #[schema(example = "create_account")]
    pub action: String,
    /// The thing that was acted on: the variable parts of the path, with the file, the site, the
    /// collection and the confirmation that the query names; the name, the readers or the change
    /// that the body has, where that says more (`role viewer → role editor`); the issuer of a
    /// sign-in. At most 200 characters. Absent where there is no such thing but an account, which
    /// `account_name` has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// The account that was acted on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account_name: Option<String>,
    /// The outcome.
    pub outcome: AuditOutcome,
    /// The status of the response; where a response has another meaning, the one of the outcome: a
    /// test that was carried out and failed has 422, a sign-in at an issuer that leads a browser
    /// back to the page has that of the refusal.
    #[schema(minimum = 100, maximum = 599)]
    pub status: u16,
    /// The address of the client; absent in entries of an erased account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The id of the request, as in logs and problems.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// The outcome of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuditOutcome {
    /// It was done.
    Done,
    /// It was refused: not allowed, not valid, too often.
    Refused,
    /// It failed.
    Failed,
}

/// A page of the audit log, the newest entries first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditList {
    /// The entries.
    pub entries: Vec<AuditEntry>,
    /// The `cursor` of the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The parameters of `GET /api/audit`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ListAudit {
    /// The tenant. Default: the caller's. Another one requires `tenants:all`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(min_length = 1, max_length = 64)]
    pub tenant: Option<String>,
    /// Only entries of this operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Only entries of the account of this name, as the one that acted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Only entries with this outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<AuditOutcome>,
    /// Only entries from this moment on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<DateTime<Utc>>,
    /// Only entries before this moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<DateTime<Utc>>,
    /// Maximum number of entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(minimum = 1, maximum = 500, default = 100)]
    pub limit: Option<u32>,
    /// The `next_cursor` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
