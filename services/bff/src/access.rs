//! The scopes of each operation, and the limits of giving scopes to others.
//!
//! The scopes of an operation are those that its OpenAPI document names. They are checked here for
//! every operation, before a request is passed on; the inner tiers check them again.

use std::collections::HashMap;
use std::sync::LazyLock;

use contracts::access::{ALL_TENANTS, Role, SCOPES, is_scope};
use http::header::WWW_AUTHENTICATE;
use http::{HeaderValue, Method};
use serde_json::Value;
use service_kit::problem::ApiError;

use crate::accounts::Account;

/// The operations of the document, by method and path.
static OPERATIONS: LazyLock<HashMap<(String, String), Operation>> =
    LazyLock::new(|| read(&contracts::openapi::bff_document()));

/// The steps of a sign-in at an identity provider. A browser follows them, so the document for
/// clients does not have them.
const NAVIGATIONS: [(&str, &str); 2] = [
    ("/auth/oidc/{issuer}", "begin_sign_in"),
    ("/auth/oidc/{issuer}/callback", "finish_sign_in"),
];

/// An operation of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Operation {
    /// The id in the document.
    pub(crate) id: String,
    /// The scopes that it requires, all of them.
    pub(crate) scopes: Vec<String>,
}

/// The operation of a method and a path with its parameters in braces; `None` for the page.
pub(crate) fn operation(method: &Method, path: &str) -> Option<&'static Operation> {
    // A request for the head only is one for the whole, without its body.
    let method = if method == Method::HEAD {
        "get".to_owned()
    } else {
        method.as_str().to_lowercase()
    };
    OPERATIONS.get(&(method, path.to_owned()))
}

fn read(document: &Value) -> HashMap<(String, String), Operation> {
    let mut operations = HashMap::new();
    for (path, id) in NAVIGATIONS {
        let operation = Operation {
            id: id.to_owned(),
            scopes: Vec::new(),
        };
        operations.insert(("get".to_owned(), path.to_owned()), operation);
    }
    let empty = serde_json::Map::new();
    for (path, methods) in document["paths"].as_object().unwrap_or(&empty) {
        for (method, described) in methods.as_object().unwrap_or(&empty) {
            let scopes = described["x-required-scopes"]
                .as_array()
                .into_iter()
                .flatten();
            let scopes = scopes.filter_map(|scope| scope.as_str().map(str::to_owned));
            let operation = Operation {
                id: described["operationId"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
                scopes: scopes.collect(),
            };
            operations.insert((method.clone(), path.clone()), operation);
        }
    }
    operations
}

/// Refuses, with 403, an account without one of the scopes of the operation that a request is for.
/// A tool is called under a path with its name, and has further scopes beside those of all tools.
pub(crate) fn require_all(
    account: &Account,
    method: &Method,
    matched: &str,
    path: &str,
) -> Result<(), ApiError> {
    let operations = [operation(method, matched), operation(method, path)];
    operations
        .into_iter()
        .flatten()
        .flat_map(|operation| &operation.scopes)
        .try_for_each(|scope| account.require(scope))
}

impl Account {
    /// Whether the account has a scope.
    pub(crate) fn has(&self, scope: &str) -> bool {
        self.scopes.iter().any(|own| own == scope)
    }

    /// Refuses, with 403, an account without the scope.
    pub(crate) fn require(&self, scope: &str) -> Result<(), ApiError> {
        if self.has(scope) {
            return Ok(());
        }
        let error = ApiError::forbidden(format!("This operation needs the scope `{scope}`."));
        let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\"");
        Err(match HeaderValue::try_from(challenge) {
            Ok(challenge) => error.with_header(WWW_AUTHENTICATE, challenge),
            Err(_) => error,
        })
    }

    /// Whether the account manages accounts of this tenant, given the scope to do so.
    pub(crate) fn reaches(&self, tenant: &str) -> bool {
        self.tenant == tenant || self.has(ALL_TENANTS)
    }

    /// The tenant that a request names, or the account's own; 403 for one that it does not reach.
    pub(crate) fn reachable(&self, tenant: Option<&str>) -> Result<String, ApiError> {
        match tenant {
            Some(tenant) if !self.reaches(tenant) => {
                self.require(ALL_TENANTS).map(|()| tenant.to_owned())
            }
            Some(tenant) => Ok(tenant.to_owned()),
            None => Ok(self.tenant.clone()),
        }
    }
}

/// A role, or scopes in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Grant {
    /// The scopes of a role, also those that it gets in later releases.
    Role(Role),
    /// These scopes.
    Scopes(Vec<String>),
}

impl Grant {
    /// The grant that a request names; `None` when it names neither.
    pub(crate) fn from_request(
        role: Option<Role>,
        scopes: Option<Vec<String>>,
    ) -> Result<Option<Self>, ApiError> {
        match (role, scopes) {
            (Some(_), Some(_)) => Err(ApiError::invalid_field(
                "/scopes",
                "cannot be combined with `role`, which has scopes of its own",
            )),
            (Some(role), None) => Ok(Some(Self::Role(role))),
            (None, Some(scopes)) => {
                if let Some(unknown) = unknown_scope(&scopes) {
                    return Err(ApiError::invalid_field("/scopes", no_scope(unknown)));
                }
                Ok(Some(Self::Scopes(scopes)))
            }
            (None, None) => Ok(None),
        }
    }

    /// The scopes.
    pub(crate) fn scopes(&self) -> Vec<String> {
        match self {
            Self::Role(role) => role.scopes().map(str::to_owned).collect(),
            Self::Scopes(scopes) => scopes.clone(),
        }
    }

    /// The role, unless scopes are listed.
    pub(crate) fn role(&self) -> Option<Role> {
        match self {
            Self::Role(role) => Some(*role),
            Self::Scopes(_) => None,
        }
    }

    /// The role or the scopes in words, for the audit log.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Role(role) => format!("role {role}"),
            Self::Scopes(scopes) => format!("scopes {}", scopes.join(", ")),
        }
    }

    /// Refuses, with 403, to give what the giver does not have.
    pub(crate) fn by(&self, giver: &Account) -> Result<(), ApiError> {
        let scopes = self.scopes();
        let beyond = scopes.iter().find(|scope| !giver.has(scope));
        beyond.map_or(Ok(()), |scope| {
            Err(ApiError::forbidden(format!(
                "You cannot give the scope `{scope}`, which you do not have."
            )))
        })
    }
}

/// The first of these that no account can have.
pub(crate) fn unknown_scope(scopes: &[String]) -> Option<&str> {
    scopes
        .iter()
        .map(String::as_str)
        .find(|scope| !is_scope(scope))
}

/// The sentence for a scope that does not exist.
pub(crate) fn no_scope(scope: &str) -> String {
    let known: Vec<&str> = SCOPES.iter().map(|scope| scope.name).collect();
    format!(
        "`{scope}` is not a scope; the scopes are {}",
        known.join(", ")
    )
}
