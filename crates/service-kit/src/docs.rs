//! `GET /openapi.json`, and a page at `/docs` that shows it. The page's scripts are part of the program: it needs no network.

use axum::Router;
use axum::middleware::from_fn;
use utoipa::openapi::OpenApi;
use utoipa_swagger_ui::SwaggerUi;

use crate::web::validators::validated;

/// Routes for the document and its page. Both are kept by clients and asked for again only when they have changed.
pub fn routes<S: Clone + Send + Sync + 'static>(api: OpenApi) -> Router<S> {
    Router::from(SwaggerUi::new("/docs").url("/openapi.json", api)).layer(from_fn(validated))
}
