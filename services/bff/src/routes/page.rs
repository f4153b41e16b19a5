//! The web page: files that are part of the program, under a policy that lets them talk to nobody else.

use axum::Router;
use axum::response::IntoResponse;
use axum::routing::get;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};

use crate::state::State;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SVG: &str = "image/svg+xml";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Path, media type and text of each file.
const FILES: [(&str, &str, &str); 41] = [
    ("/", HTML, include_str!("../../web/index.html")),
    ("/cards.css", CSS, include_str!("../../web/cards.css")),
    ("/messages.css", CSS, include_str!("../../web/messages.css")),
    ("/style.css", CSS, include_str!("../../web/style.css")),
    ("/favicon.svg", SVG, include_str!("../../web/favicon.svg")),
    (
        "/announcer.js",
        SCRIPT,
        include_str!("../../web/announcer.js"),
    ),
    ("/answers.js", SCRIPT, include_str!("../../web/answers.js")),
    ("/api.js", SCRIPT, include_str!("../../web/api.js")),
    ("/app.js", SCRIPT, include_str!("../../web/app.js")),
    (
        "/assistants.js",
        SCRIPT,
        include_str!("../../web/assistants.js"),
    ),
    (
        "/card-parts.js",
        SCRIPT,
        include_str!("../../web/card-parts.js"),
    ),
    (
        "/cards-finance.js",
        SCRIPT,
        include_str!("../../web/cards-finance.js"),
    ),
    (
        "/cards-health.js",
        SCRIPT,
        include_str!("../../web/cards-health.js"),
    ),
    ("/cards.js", SCRIPT, include_str!("../../web/cards.js")),
    ("/cells.js", SCRIPT, include_str!("../../web/cells.js")),
    (
        "/chart-marks.js",
        SCRIPT,
        include_str!("../../web/chart-marks.js"),
    ),
    (
        "/chart-model.js",
        SCRIPT,
        include_str!("../../web/chart-model.js"),
    ),
    (
        "/chart-pie.js",
        SCRIPT,
        include_str!("../../web/chart-pie.js"),
    ),
    ("/chart.js", SCRIPT, include_str!("../../web/chart.js")),
    ("/chat.js", SCRIPT, include_str!("../../web/chat.js")),
    (
        "/composer.js",
        SCRIPT,
        include_str!("../../web/composer.js"),
    ),
    ("/details.js", SCRIPT, include_str!("../../web/details.js")),
    ("/dom.js", SCRIPT, include_str!("../../web/dom.js")),
    ("/format.js", SCRIPT, include_str!("../../web/format.js")),
    ("/history.js", SCRIPT, include_str!("../../web/history.js")),
    (
        "/markdown.js",
        SCRIPT,
        include_str!("../../web/markdown.js"),
    ),
    (
        "/message-view.js",
        SCRIPT,
        include_str!("../../web/message-view.js"),
    ),
    ("/message.js", SCRIPT, include_str!("../../web/message.js")),
    ("/picker.js", SCRIPT, include_str!("../../web/picker.js")),
    ("/plan.js", SCRIPT, include_str!("../../web/plan.js")),
    ("/route.js", SCRIPT, include_str!("../../web/route.js")),
    ("/rows.js", SCRIPT, include_str!("../../web/rows.js")),
    ("/scale.js", SCRIPT, include_str!("../../web/scale.js")),
    ("/sidebar.js", SCRIPT, include_str!("../../web/sidebar.js")),
    ("/sse.js", SCRIPT, include_str!("../../web/sse.js")),
    ("/states.js", SCRIPT, include_str!("../../web/states.js")),
    ("/store.js", SCRIPT, include_str!("../../web/store.js")),
    ("/theme.js", SCRIPT, include_str!("../../web/theme.js")),
    ("/time.js", SCRIPT, include_str!("../../web/time.js")),
    ("/turn.js", SCRIPT, include_str!("../../web/turn.js")),
    ("/welcome.js", SCRIPT, include_str!("../../web/welcome.js")),
];

/// The page's files.
pub(super) fn routes() -> Router<State> {
    FILES
        .into_iter()
        .fold(Router::new(), |router, (path, media_type, text)| {
            router.route(path, get(async move || file(media_type, text)))
        })
}

fn file(media_type: &'static str, text: &'static str) -> impl IntoResponse {
    let headers = [
        (CONTENT_TYPE, media_type),
        (CONTENT_SECURITY_POLICY, POLICY),
        (CACHE_CONTROL, "no-cache"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
    ];
    (headers, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_page_is_served() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/web");
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let is_part = [".html", ".css", ".js", ".svg"]
                .iter()
                .any(|end| name.ends_with(end));
            let path = if name == "index.html" {
                "/".to_owned()
            } else {
                format!("/{name}")
            };
            let served = FILES.iter().any(|(one, ..)| *one == path);
            assert!(served || !is_part, "{name} is not served");
        }
    }
}
