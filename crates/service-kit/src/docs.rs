//! `GET /openapi.json`, and a page at `/docs` that shows it. The page's scripts are part of the
//! program: it needs no network.

use axum::Router;
use axum::body::Bytes;
use axum::middleware::{from_fn, map_response};
use axum::response::Response;
use axum::routing::get;
use http::HeaderValue;
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use serde_json::Value;
use utoipa_swagger_ui::SwaggerUi;

use crate::web::validators::validated;

/// The page talks to its own service alone, and no other page may frame it. Swagger UI sets styles
/// of elements, and draws its icons from `data:` URLs.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; \
     connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
);

/// Routes for the document and its page. Both are kept by clients and asked for again only when
/// they have changed.
pub fn routes<S: Clone + Send + Sync + 'static>(api: Value) -> Router<S> {
    Router::from(SwaggerUi::new("/docs").external_url_unchecked("/openapi.json", api))
        .layer(from_fn(validated))
        .layer(map_response(async |mut response: Response| {
            let headers = response.headers_mut();
            headers.entry(CONTENT_SECURITY_POLICY).or_insert(POLICY);
            response
        }))
}

/// `GET /openapi-3.0.json`: the same document for generators that do not read OpenAPI 3.1.
pub fn older<S: Clone + Send + Sync + 'static>(api: &Value) -> Router<S> {
    let document = Bytes::from(api.to_string());
    let answer = async move || ([(CONTENT_TYPE, "application/json")], document.clone());
    Router::new()
        .route("/openapi-3.0.json", get(answer))
        .layer(from_fn(validated))
}
