//! What goes wrong in here, as problems: the one place with status codes.

use http::HeaderValue;
use http::header::RETRY_AFTER;
use service_kit::identity::KeyError;
use service_kit::problem::ApiError;

use crate::accounts::AccountError;

/// Accounts and sessions cannot be read: no user is let in, and no answer says that a password was
/// wrong.
pub(crate) fn database(error: sqlx::Error) -> ApiError {
    ApiError::unavailable("Accounts cannot be read at the moment.", error)
}

/// An account could not be checked.
pub(crate) fn account(error: AccountError) -> ApiError {
    match error {
        AccountError::Database(error) => database(error),
        AccountError::Busy(error) => ApiError::unavailable(
            "Too many passwords are being checked; try again in a moment.",
            error,
        )
        .with_header(RETRY_AFTER, HeaderValue::from(1)),
        // Names are those of the installation, as people sign in with them alone. The answer does
        // not say whose the name is.
        AccountError::Exists(name) => ApiError::conflict(format!(
            "The name `{name}` is not available; choose another one."
        )),
        AccountError::TenantAlike { tenant, known } => ApiError::conflict(format!(
            "The tenant `{tenant}` looks like `{known}`, which exists. Use that name, or choose another one."
        )),
        AccountError::Name | AccountError::NameFault(_) => invalid("/username", &error),
        AccountError::Tenant | AccountError::TenantFault(_) => invalid("/tenant", &error),
        AccountError::Scope(_) => invalid("/scopes", &error),
        AccountError::Password | AccountError::LongPassword | AccountError::WeakPassword(_) => {
            invalid("/password", &error)
        }
        error => ApiError::internal(error),
    }
}

fn invalid(pointer: &str, error: &AccountError) -> ApiError {
    ApiError::invalid_field(pointer, error.to_string())
}

/// A token could not be signed.
pub(crate) fn key(error: KeyError) -> ApiError {
    ApiError::internal(error)
}
