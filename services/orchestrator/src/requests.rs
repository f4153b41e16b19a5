//! What clients post, read and checked: from each dialect's body to a message that is wanted an
//! answer to.

pub(crate) mod agent_events;
pub(crate) mod named_events;
pub(crate) mod ui_messages;

use contracts::problem::FieldError;
use contracts::tools::upstreams::PutCredential;
use conversations::Idempotency;
use http::HeaderMap;
use serde::Serialize;
use serde_json::{Map, Value};
use service_kit::identity::Identity;
use service_kit::problem::ApiError;

use crate::credentials::delegated;
use crate::secrets::without_secrets;

/// Maximum length of a thread id.
const MAX_ID: usize = 128;

/// Maximum length of a message.
const MAX_TEXT: usize = 16 * 1024;

/// Longer keys are refused: they are kept with each run.
const MAX_KEY: usize = 255;

/// The longest title and inventory id.
const MAX_NAME: usize = 200;

/// The largest context or metadata, in bytes of JSON: they go along with every read of the thread.
const MAX_ATTACHED: usize = 64 * 1024;

/// A key that makes the same request twice one run.
#[derive(Debug, PartialEq)]
pub(crate) struct Key(pub(crate) Idempotency);

impl Key {
    /// The key that a request came with, if any: the header `Idempotency-Key`.
    pub(crate) fn of(
        headers: &HeaderMap,
        operation: &str,
        body: &impl Serialize,
    ) -> Result<Option<Self>, ApiError> {
        let Some(key) = headers.get("idempotency-key") else {
            return Ok(None);
        };
        let refused = || {
            let detail = format!("the header must be 1 to {MAX_KEY} visible characters");
            ApiError::invalid_field("/idempotency-key", detail)
        };
        let key = key.to_str().map_err(|_| refused())?.trim();
        if key.is_empty() || key.len() > MAX_KEY {
            return Err(refused());
        }
        let idempotency = Idempotency::new(key, &(operation, body)).map_err(ApiError::internal)?;
        Ok(Some(Self(idempotency)))
    }
}

/// Refuses a request that names another user as its user or tenant.
pub(crate) fn check_user(
    identity: &Identity,
    user_id: Option<&str>,
    company_id: Option<&str>,
) -> Result<(), ApiError> {
    if user_id.is_some_and(|user| user != identity.subject) {
        return Err(ApiError::forbidden(
            "`user_id` must be the user whose identity this is, or be left out.",
        ));
    }
    if company_id.is_some_and(|company| company != identity.tenant) {
        return Err(ApiError::forbidden(
            "`company_id` must be the tenant of this identity, or be left out.",
        ));
    }
    Ok(())
}

/// A thread's id that may be one.
pub(crate) fn checked_id(id: String, pointer: &str) -> Result<String, ApiError> {
    if is_id(&id) {
        return Ok(id);
    }
    let detail = format!("must be 1 to {MAX_ID} of A-Z a-z 0-9 _ - . :");
    Err(ApiError::invalid(vec![FieldError {
        pointer: pointer.to_owned(),
        detail,
    }]))
}

pub(crate) fn is_id(id: &str) -> bool {
    (1..=MAX_ID).contains(&id.len())
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':'))
}

/// Refuses a message that is empty or too long.
fn check_text(text: &str, pointer: &str) -> Result<(), ApiError> {
    if text.trim().is_empty() {
        return Err(ApiError::invalid_field(pointer, "the message has no text"));
    }
    if text.len() > MAX_TEXT {
        let detail = format!("the message is longer than {MAX_TEXT} bytes");
        return Err(ApiError::invalid_field(pointer, detail));
    }
    Ok(())
}

/// Refuses a title, an inventory's id or an assistant's name that is too long.
pub(crate) fn check_name(name: Option<&str>, pointer: &str) -> Result<(), ApiError> {
    if name.is_some_and(|name| name.chars().count() > MAX_NAME) {
        let detail = format!("must have at most {MAX_NAME} characters");
        return Err(ApiError::invalid_field(pointer, detail));
    }
    Ok(())
}

/// The data that a client attaches for the assistant.
#[derive(Debug, Default)]
pub(crate) struct Attached {
    /// For the thread's context, without credentials.
    pub(crate) context: Option<Map<String, Value>>,
    /// The credential for an upstream that was in it.
    pub(crate) delegated: Option<PutCredential>,
}

/// Checks the data attached to a thread for its assistant: an object, and apart from it the
/// credential that was in it.
pub(crate) fn checked_context(context: Option<Value>) -> Result<Attached, ApiError> {
    match context {
        None | Some(Value::Null) => Ok(Attached::default()),
        Some(Value::Object(context)) => {
            check_attached(&context, "/context")?;
            Ok(Attached {
                delegated: delegated(&context),
                context: Some(without_secrets(context)),
            })
        }
        Some(_) => Err(ApiError::invalid_field("/context", "must be an object")),
    }
}

/// Refuses more than goes along with a thread.
pub(crate) fn check_attached(attached: &Map<String, Value>, pointer: &str) -> Result<(), ApiError> {
    let size = serde_json::to_vec(attached).map_or(usize::MAX, |json| json.len());
    if size > MAX_ATTACHED {
        let detail = format!("must be at most {MAX_ATTACHED} bytes of JSON");
        return Err(ApiError::invalid_field(pointer, detail));
    }
    Ok(())
}
