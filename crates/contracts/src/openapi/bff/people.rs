//! Accounts, sessions, API keys and the audit log.

use crate::accounts::{
    AccountInfo, AccountList, ApiKeyList, ChangeAccount, ChangePassword, CreateAccount,
    CreateApiKey, CreatedApiKey, ListAccounts, MyAccount, OfAccount, PersonExport, SessionList,
};
use crate::audit::{AuditList, ListAudit};
use crate::openapi::common::{BodyRefusals, Refusals, TooMany};
use crate::problem::Problem;

/// The caller, with limits and how much of them is used.
#[utoipa::path(get, path = "/api/me", tag = "accounts", security(("bearer" = []), ("session" = [])),
    responses(
        (status = 200, description = "The caller", body = MyAccount),
        Refusals,
        TooMany,
    ))]
pub fn get_my_account() {}

/// Everything that the services keep of the caller: the account with its sign-ins, API keys and
/// audit entries, every conversation, confirmed questions, choices, and connected services.
#[utoipa::path(get, path = "/api/me/export", tag = "accounts", security(("bearer" = []), ("session" = [])),
    responses(
        (status = 200, description = "All of it", body = PersonExport, headers(("content-disposition" = String, description = "A file name"))),
        (status = 502, description = "A service is away; nothing is exported", body = Problem, content_type = "application/problem+json"),
        Refusals,
        TooMany,
    ))]
pub fn export_me() {}

/// Sets a new password for the caller's account and ends its other sessions and all its tokens.
#[utoipa::path(put, path = "/api/me/password", tag = "accounts", security(("bearer" = []), ("session" = [])),
    request_body = ChangePassword,
    responses(
        (status = 204, description = "The password is changed"),
        (status = 415, description = "Not JSON by its content type", body = Problem, content_type = "application/problem+json"),
        BodyRefusals,
        Refusals,
        TooMany,
    ))]
pub fn change_password() {}

/// The accounts of the caller's tenant, by name. With the scope `tenants:all` those of every
/// tenant.
#[utoipa::path(get, path = "/api/accounts", tag = "accounts", security(("bearer" = ["accounts:read"]), ("session" = [])),
    params(ListAccounts),
    responses(
        (status = 200, description = "A page of them", body = AccountList),
        (status = 422, description = "A bad limit or cursor", body = Problem, content_type = "application/problem+json"),
        Refusals,
        TooMany,
    ))]
pub fn list_accounts() {}

/// Creates an account. Its role and scopes cannot exceed the caller's.
#[utoipa::path(post, path = "/api/accounts", tag = "accounts", security(("bearer" = ["accounts:write"]), ("session" = [])),
    request_body = CreateAccount,
    responses(
        (status = 201, description = "The account", body = AccountInfo),
        (status = 409, description = "The name or the tenant is in use, or looks like one that is", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "Not JSON by its content type", body = Problem, content_type = "application/problem+json"),
        BodyRefusals,
        Refusals,
        TooMany,
    ))]
pub fn create_account() {}

/// One account.
#[utoipa::path(get, path = "/api/accounts/{username}", tag = "accounts", security(("bearer" = ["accounts:read"]), ("session" = [])),
    params(("username" = String, Path, description = "The account's name, or its id")),
    responses(
        (status = 200, description = "The account", body = AccountInfo),
        (status = 404, description = "There is no account of this name in the tenant", body = Problem, content_type = "application/problem+json"),
        Refusals,
        TooMany,
    ))]
pub fn get_account() {}

/// Changes the role, scopes or password of an account, disables it or enables it. The change counts
/// from the account's next request on. An account with scopes that the caller does not have cannot
/// be changed, nor can the caller's own role.
#[utoipa::path(patch, path = "/api/accounts/{username}", tag = "accounts", security(("bearer" = ["accounts:write"]), ("session" = [])),
    params(("username" = String, Path, description = "The account's name, or its id")),
    request_body = ChangeAccount,
    responses(
        (status = 200, description = "The account as it is now", body = AccountInfo),
        (status = 404, description = "There is no account of this name in the tenant", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "The caller's own account, or one without a password", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "Not JSON by its content type", body = Problem, content_type = "application/problem+json"),
        BodyRefusals,
        Refusals,
        TooMany,
    ))]
pub fn change_account() {}

/// The sign-ins of an account that still count, the newest first.
#[utoipa::path(get, path = "/api/sessions", tag = "accounts", security(("bearer" = []), ("session" = [])),
    params(OfAccount),
    responses(
        (status = 200, description = "The sign-ins", body = SessionList),
        (status = 404, description = "There is no account of this name in the tenant", body = Problem, content_type = "application/problem+json"),
        Refusals,
        TooMany,
    ))]
pub fn list_sessions() {}

/// Ends every sign-in of an account, save the one that this request came with.
#[utoipa::path(delete, path = "/api/sessions", tag = "accounts", security(("bearer" = []), ("session" = [])),
    params(OfAccount),
    responses(
        (status = 204, description = "They are ended"),
        (status = 404, description = "There is no account of this name in the tenant", body = Problem, content_type = "application/problem+json"),
        Refusals,
        TooMany,
    ))]
pub fn end_sessions() {}

/// Ends a sign-in.
#[utoipa::path(delete, path = "/api/sessions/{id}", tag = "accounts", security(("bearer" = []), ("session" = [])),
    params(("id" = String, Path, description = "The sign-in"), OfAccount),
    responses(
        (status = 204, description = "It is ended"),
        (status = 404, description = "The account has no such sign-in", body = Problem, content_type = "application/problem+json"),
        Refusals,
        TooMany,
    ))]
pub fn end_session() {}

/// The API keys of an account, the newest first.
#[utoipa::path(get, path = "/api/tokens", tag = "tokens", security(("bearer" = []), ("session" = [])),
    params(OfAccount),
    responses(
        (status = 200, description = "The keys", body = ApiKeyList),
        (status = 404, description = "There is no account of this name in the tenant", body = Problem, content_type = "application/problem+json"),
        Refusals,
        TooMany,
    ))]
pub fn list_tokens() {}

/// Creates an API key for the caller, which is shown in this response only. It works wherever an
/// access token does. A request that came with an API key cannot create one.
#[utoipa::path(post, path = "/api/tokens", tag = "tokens", security(("bearer" = []), ("session" = [])),
    request_body = CreateApiKey,
    responses(
        (status = 201, description = "The key", body = CreatedApiKey),
        (status = 415, description = "Not JSON by its content type", body = Problem, content_type = "application/problem+json"),
        BodyRefusals,
        Refusals,
        TooMany,
    ))]
pub fn create_api_key() {}

/// Revokes an API key. Its next request is rejected.
#[utoipa::path(delete, path = "/api/tokens/{id}", tag = "tokens", security(("bearer" = []), ("session" = [])),
    params(("id" = String, Path, description = "The key"), OfAccount),
    responses(
        (status = 204, description = "It is revoked"),
        (status = 404, description = "The account has no such key", body = Problem, content_type = "application/problem+json"),
        Refusals,
        TooMany,
    ))]
pub fn revoke_token() {}

/// The audit log of the caller's tenant, the newest entries first.
#[utoipa::path(get, path = "/api/audit", tag = "audit", security(("bearer" = ["audit:read"]), ("session" = [])),
    params(ListAudit),
    responses(
        (status = 200, description = "A page of it", body = AuditList),
        (status = 422, description = "A bad limit, cursor or moment", body = Problem, content_type = "application/problem+json"),
        Refusals,
        TooMany,
    ))]
pub fn list_audit() {}

/// Names for what the macro generates, one per operation.
pub mod operations {
    pub use super::{
        __path_change_account as ChangeAccount, __path_change_password as ChangePassword,
        __path_create_account as CreateAccount, __path_create_api_key as CreateApiKey,
        __path_end_session as EndSession, __path_end_sessions as EndSessions,
        __path_export_me as ExportMe, __path_get_account as GetAccount,
        __path_get_my_account as GetMyAccount, __path_list_accounts as ListAccounts,
        __path_list_audit as ListAudit, __path_list_sessions as ListSessions,
        __path_list_tokens as ListTokens, __path_revoke_token as RevokeToken,
    };
}
