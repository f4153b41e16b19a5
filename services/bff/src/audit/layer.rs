//! The layer that writes an entry for each request that matters.

use axum::extract::{MatchedPath, Query, Request, State as Shared};
use axum::middleware::Next;
use axum::response::Response;
use http::{Method, StatusCode, Uri};
use service_kit::client_address::ClientAddress;

use super::Entry;
use super::note::{Note, Noted};
use crate::access::{self, Operation};
use crate::state::State;

/// Operations with these scopes only are a user's own conversations and questions.
const OWN: [&str; 2] = ["chat", "tools:read"];

/// Operations of this kind that matter nevertheless: credentials for other services, data that
/// leave the product, and secrets that are shown.
const ALSO: [&str; 6] = [
    "export_rows",
    "put_credential",
    "delete_credential",
    "export_thread",
    "export_me",
    "get_schedule_secret",
];

/// Operations of the services among themselves, and a client's renewal of its token.
const NEVER: [&str; 3] = ["create_identity", "refresh_token", "end_sign_in"];

/// What devices send every few minutes. It is not an act of administration, and would hide those
/// that are; each reading is found where it is stored. Imports of files are written.
const TELEMETRY: [&str; 2] = ["ingest_measurements", "put_weather"];

/// Members of a query that name what is acted on, and the words before them in an entry. Names of
/// accounts are not among them.
const NAMED: [(&str, &str); 4] = [
    ("filename", ""),
    ("site", "site "),
    ("collection", "collection "),
    ("confirm", ""),
];

/// Maximum length of an object, in characters.
const LONGEST_OBJECT: usize = 200;

/// Operations whose callers are not signed in. What they refuse is written, too.
const SIGN_IN: [&str; 3] = ["login", "create_token", "finish_sign_in"];

/// Writes an entry after the response is made, before it is sent.
pub(crate) async fn record(
    Shared(state): Shared<State>,
    address: ClientAddress,
    mut request: Request,
    next: Next,
) -> Response {
    let path = request.extensions().get::<MatchedPath>().cloned();
    let operation = path
        .as_ref()
        .and_then(|path| access::operation(request.method(), path.as_str()))
        .filter(|operation| matters(operation, request.method()));
    let (Some(operation), Some(path)) = (operation, path) else {
        return next.run(request).await;
    };
    let note = Note::default();
    request.extensions_mut().insert(note.clone());
    let object = object(path.as_str(), request.uri());
    let response = next.run(request).await;
    let noted = note.take();
    let status = noted.status.unwrap_or(response.status());
    if is_written(operation, &noted, status) {
        let entry = entry(operation, noted, object, status, address);
        state.audit.write(entry).await;
    }
    response
}

fn matters(operation: &Operation, method: &Method) -> bool {
    let id = operation.id.as_str();
    if ALSO.contains(&id) || SIGN_IN.contains(&id) {
        return true;
    }
    let own = !operation.scopes.is_empty()
        && operation
            .scopes
            .iter()
            .all(|scope| OWN.contains(&scope.as_str()));
    !method.is_safe() && !own && !NEVER.contains(&id) && !TELEMETRY.contains(&id)
}

/// Requests of strangers are not written: they could fill the table. Attempts to sign in are,
/// within their limit.
fn is_written(operation: &Operation, noted: &Noted, status: StatusCode) -> bool {
    let known = noted.actor.is_some() || noted.actor_tenant.is_some();
    let attempt = SIGN_IN.contains(&operation.id.as_str())
        && matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    known || attempt
}

fn entry(
    operation: &Operation,
    noted: Noted,
    object: Option<String>,
    status: StatusCode,
    address: ClientAddress,
) -> Entry {
    Entry {
        tenant: noted.account_tenant.or(noted.actor_tenant),
        actor: noted.actor,
        account: noted.account,
        credential: noted.credential,
        action: operation.id.clone(),
        object: noted.object.or(object).map(|object| cut(&object)),
        status,
        address: address_of(address),
        request_id: request_id(),
    }
}

/// The address of a client, where it is known.
pub(super) fn address_of(address: ClientAddress) -> Option<String> {
    (!address.0.is_unspecified()).then(|| address.0.to_string())
}

/// The id of the request that is answered.
pub(super) fn request_id() -> Option<String> {
    service_kit::context::RequestContext::current().map(|context| context.request_id.to_string())
}

/// The variable parts of a path, and what its query names: `a.csv (site roof)`. Names of accounts
/// are left out: they are noted as accounts, which can be erased.
fn object(template: &str, uri: &Uri) -> Option<String> {
    let parts: Vec<&str> = template
        .split('/')
        .zip(uri.path().split('/'))
        .filter(|(name, _)| name.starts_with('{') && *name != "{username}")
        .map(|(_, part)| part)
        .collect();
    let path = parts.join("/");
    let query = Query::<Vec<(String, String)>>::try_from_uri(uri).unwrap_or_default();
    let mut named = Vec::new();
    for (member, words) in NAMED {
        let found = query.iter().find(|(name, _)| name == member);
        let found = found.map(|(_, value)| value.trim());
        if let Some(value) = found.filter(|value| !value.is_empty() && *value != path) {
            named.push(format!("{words}{value}"));
        }
    }
    if path.is_empty() && named.is_empty() {
        return None;
    }
    let head = if path.is_empty() {
        named.remove(0)
    } else {
        path
    };
    Some(if named.is_empty() {
        head
    } else {
        format!("{head} ({})", named.join(", "))
    })
}

fn cut(object: &str) -> String {
    object.chars().take(LONGEST_OBJECT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_is_what_the_path_names_save_persons() {
        let found = |template, uri: &'static str| object(template, &Uri::from_static(uri));
        assert_eq!(
            found("/api/documents/{id}", "/api/documents/d1").as_deref(),
            Some("d1")
        );
        assert_eq!(found("/api/accounts/{username}", "/api/accounts/ada"), None);
        assert_eq!(found("/api/measurements", "/api/measurements"), None);
        assert_eq!(
            found("/api/sessions/{id}", "/api/sessions/s1?account=ada").as_deref(),
            Some("s1")
        );
    }

    #[test]
    fn a_query_names_files_and_their_place() {
        let found = |template, uri: &'static str| object(template, &Uri::from_static(uri)).unwrap();
        assert_eq!(
            found("/api/imports", "/api/imports?filename=a%20b.csv&site=roof"),
            "a b.csv (site roof)"
        );
        assert_eq!(
            found(
                "/api/targets/{target}/file",
                "/api/targets/sales/file?filename=Sales.xlsx"
            ),
            "sales (Sales.xlsx)"
        );
        assert_eq!(
            found(
                "/api/collections/{collection_id}",
                "/api/collections/c1?confirm=manuals"
            ),
            "c1 (manuals)"
        );
        assert_eq!(
            found("/api/sites/{site_id}", "/api/sites/roof?confirm=roof"),
            "roof"
        );
    }

    #[test]
    fn what_changes_more_than_own_conversations_matters() {
        let matters = |method: Method, path: &str| {
            let operation = access::operation(&method, path).unwrap();
            matters(operation, &method)
        };
        for (method, path) in [
            (Method::POST, "/auth/login"),
            (Method::POST, "/api/accounts"),
            (Method::POST, "/api/tokens"),
            (Method::POST, "/api/imports"),
            (Method::POST, "/api/documents"),
            (Method::DELETE, "/api/weather"),
            (Method::POST, "/api/questions/{question_id}/approve"),
            (Method::DELETE, "/api/documents/{id}"),
            (Method::GET, "/api/threads/{thread_id}/export"),
            (Method::PUT, "/api/credentials/{upstream}"),
        ] {
            assert!(matters(method.clone(), path), "{method} {path}");
        }
        for (method, path) in [
            (Method::POST, "/api/chat"),
            (Method::POST, "/api/measurements"),
            (Method::POST, "/api/weather"),
            (Method::POST, "/auth/refresh"),
            (Method::DELETE, "/api/threads/{thread_id}"),
            (Method::GET, "/api/documents"),
            (Method::POST, "/api/tools/{name}"),
        ] {
            assert!(!matters(method.clone(), path), "{method} {path}");
        }
    }
}
