//! The administration of accounts, their sessions and their API keys.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::access::Role;
use crate::audit::AuditEntry;
use crate::bff::Me;

/// An account, as its administrators see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccountInfo {
    /// The stable id, `sub` in tokens.
    pub id: String,
    /// The name for signing in.
    #[schema(example = "ada")]
    pub username: String,
    /// The tenant whose data the account sees.
    #[schema(example = "demo")]
    pub tenant: String,
    /// The role; absent for an account whose scopes were listed one by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// The scopes: those of the role, or the listed ones.
    pub scopes: Vec<String>,
    /// The groups, which open collections of documents. Those of a person of an identity provider
    /// are read at each sign-in.
    pub groups: Vec<String>,
    /// Whether the account has a password. Accounts of an identity provider have none.
    pub has_password: bool,
    /// The identity provider that the account belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// The moment since which the account cannot be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled_at: Option<DateTime<Utc>>,
    /// The creation of the account.
    pub created_at: DateTime<Utc>,
}

/// A page of accounts, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccountList {
    /// The accounts.
    pub accounts: Vec<AccountInfo>,
    /// The `cursor` of the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The parameters of `GET /api/accounts`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ListAccounts {
    /// Only accounts of this tenant. Another tenant than the caller's requires `tenants:all`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(min_length = 1, max_length = 64)]
    pub tenant: Option<String>,
    /// Maximum number of accounts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(minimum = 1, maximum = 100, default = 50)]
    pub limit: Option<u32>,
    /// The `next_cursor` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// The body of `POST /api/accounts`.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateAccount {
    /// The name for signing in. Upper and lower case are the same.
    #[schema(example = "ada", min_length = 1, max_length = 128)]
    pub username: String,
    /// The password. Easily guessed ones are rejected.
    #[schema(format = Password, min_length = 8, max_length = 1024)]
    pub password: String,
    /// The tenant. Default: the caller's. Another one requires `tenants:all`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 64)]
    pub tenant: Option<String>,
    /// The role. Default: `viewer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Scopes in place of a role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
}

/// A password must not reach a log through `{:?}`.
impl std::fmt::Debug for CreateAccount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CreateAccount")
            .field("username", &self.username)
            .field("tenant", &self.tenant)
            .finish_non_exhaustive()
    }
}

/// The body of `PATCH /api/accounts/{username}`. Absent fields stay as they are.
#[derive(Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeAccount {
    /// The new role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Scopes in place of a role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// Whether the account can be used. Disabling it ends its sessions and tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,
    /// A new password. It ends the account's sessions and tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(format = Password, min_length = 8, max_length = 1024)]
    pub password: Option<String>,
    /// The new groups, in place of those of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 50)]
    pub groups: Option<Vec<String>>,
}

/// A password must not reach a log through `{:?}`.
impl std::fmt::Debug for ChangeAccount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChangeAccount")
            .field("role", &self.role)
            .field("scopes", &self.scopes)
            .field("disabled", &self.disabled)
            .finish_non_exhaustive()
    }
}

/// The body of `PUT /api/me/password`.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangePassword {
    /// The password of before.
    #[schema(format = Password, min_length = 1, max_length = 1024)]
    pub password: String,
    /// The new password. Easily guessed ones are rejected.
    #[schema(format = Password, min_length = 8, max_length = 1024)]
    pub new_password: String,
}

/// The caller, with the limits of the account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MyAccount {
    /// The caller.
    pub account: Me,
    /// The kind of credential that the request came with.
    pub credential: CredentialKind,
    /// Whether the account has a password here. A person of an identity provider has none, and
    /// cannot change it.
    pub has_password: bool,
    /// The limits that count for the caller, and how much of each is used.
    pub quotas: Vec<QuotaUse>,
}

/// The kind of credential that a request came with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CredentialKind {
    /// The cookie of a session.
    Session,
    /// An access token of this service.
    Token,
    /// An API key.
    ApiKey,
    /// An access token of an identity provider.
    Issuer,
}

/// Limits of a service, as they count for the caller.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QuotaList {
    /// The limits; those that are switched off are absent.
    pub quotas: Vec<QuotaUse>,
}

/// A limit, and how much of it is used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QuotaUse {
    /// The thing that is limited.
    #[schema(example = "requests_per_minute")]
    pub name: String,
    /// Whether the limit counts for the account or for all accounts of its tenant together.
    pub of: QuotaOf,
    /// The limit.
    pub limit: u64,
    /// The amount of it that is used now.
    pub used: u64,
    /// Of the used tokens of models, those that were read from a cache of the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// Of the used tokens of models, those of the model's thoughts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
}

impl QuotaUse {
    /// A limit of anything but tokens.
    #[must_use]
    pub fn new(name: &str, of: QuotaOf, limit: u64, used: u64) -> Self {
        Self {
            name: name.to_owned(),
            of,
            limit,
            used,
            cached: None,
            reasoning: None,
        }
    }
}

/// The accounts that a limit counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuotaOf {
    /// The account.
    Account,
    /// All accounts of the tenant together.
    Tenant,
}

/// Everything that the services keep of a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PersonExport {
    /// The moment of the export.
    pub exported_at: DateTime<Utc>,
    /// The account.
    pub account: AccountInfo,
    /// The sign-ins that still count.
    pub sessions: Vec<SessionInfo>,
    /// The API keys.
    pub tokens: Vec<ApiKeyInfo>,
    /// The entries of the audit log in which the person acted, the newest first.
    pub audit: Vec<AuditEntry>,
    /// The conversations, each as `GET /api/threads/{thread_id}/export` has it.
    #[schema(value_type = Vec<Object>)]
    pub threads: Vec<Value>,
    /// The confirmed questions, as `GET /api/questions` has them.
    #[schema(value_type = Vec<Object>)]
    pub questions: Vec<Value>,
    /// The schedules, as `GET /api/schedules` has them; none if the account lacks the scope.
    #[serde(default)]
    #[schema(value_type = Vec<Object>)]
    pub schedules: Vec<Value>,
    /// The remembered choices, as `GET /api/choices` has them.
    #[schema(value_type = Object)]
    pub choices: Value,
    /// The connected services, as `GET /api/credentials` has them.
    #[schema(value_type = Object)]
    pub credentials: Value,
    /// Everything else that names the person: the rows of other tables, by the name of the table,
    /// and what connected services answer about the person. Secrets are left out.
    #[serde(default)]
    #[schema(value_type = BTreeMap<String, Vec<Object>>)]
    pub records: BTreeMap<String, Vec<Value>>,
}

/// A sign-in that still counts: a browser's session, or a client's refresh tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionInfo {
    /// The id, for ending it.
    pub id: String,
    /// The kind of sign-in.
    pub kind: SessionKind,
    /// Whether this request came with it.
    pub current: bool,
    /// The sign-in.
    pub created_at: DateTime<Utc>,
    /// The last use, to within some minutes.
    pub last_seen_at: DateTime<Utc>,
    /// The end, whatever its use.
    pub expires_at: DateTime<Utc>,
    /// The address of the sign-in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The program of the sign-in, as it names itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
}

/// The kind of a sign-in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionKind {
    /// A browser's session.
    Browser,
    /// The refresh tokens of an API client.
    Client,
}

/// The sign-ins of an account, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionList {
    /// The sign-ins.
    pub sessions: Vec<SessionInfo>,
}

/// The account in question of operations on sessions and API keys.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct OfAccount {
    /// The name of an account. Default: the caller's. Another one requires `accounts:read`, and
    /// for a change `accounts:write`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(min_length = 1, max_length = 128)]
    pub account: Option<String>,
}

/// An API key, without its secret part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ApiKeyInfo {
    /// The id, for revoking it.
    pub id: String,
    /// The name that its owner gave it.
    #[schema(example = "nightly import")]
    pub name: String,
    /// The beginning of the key.
    #[schema(example = "hk_Zm9vYm")]
    pub prefix: String,
    /// The scopes of the key. Those that its owner no longer has do not count.
    pub scopes: Vec<String>,
    /// The creation of the key.
    pub created_at: DateTime<Utc>,
    /// The moment from which on it is rejected.
    pub expires_at: DateTime<Utc>,
    /// The last use, to within some minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<DateTime<Utc>>,
}

/// The API keys of an account, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ApiKeyList {
    /// The keys.
    pub tokens: Vec<ApiKeyInfo>,
}

/// The body of `POST /api/tokens`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateApiKey {
    /// A name, to recognise the key.
    #[schema(example = "nightly import", min_length = 1, max_length = 100)]
    pub name: String,
    /// The scopes, each of which the caller must have. Default: `chat` and `tools:read`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// Days until the key expires. Default: 90.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 730)]
    pub expires_in_days: Option<u32>,
}

/// A new API key.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
pub struct CreatedApiKey {
    /// The key. It is not stored and cannot be shown again.
    #[schema(example = "hk_Zm9vYm…")]
    pub token: String,
    /// Everything else about it.
    pub key: ApiKeyInfo,
}

/// A key must not reach a log through `{:?}`.
impl std::fmt::Debug for CreatedApiKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CreatedApiKey")
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}
