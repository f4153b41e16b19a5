//! `GET /openapi.json`, and a page at `/docs` that shows it. The page's scripts are part of the program: it needs no network.

use axum::Router;
use serde_json::Value;
use utoipa_swagger_ui::SwaggerUi;

/// Routes for the document and its page.
pub fn routes<S: Clone + Send + Sync + 'static>(api: Value) -> Router<S> {
    Router::from(SwaggerUi::new("/docs").external_url_unchecked("/openapi.json", api))
}
