//! The web page: files that are part of the program, under a policy that lets them talk to nobody else.
//!
//! Browsers keep the files of a version for ever, and ask each time whether the document, which names the version, has changed.

use std::borrow::Cow;
use std::sync::LazyLock;

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue};
use service_kit::problem::ApiError;
use service_kit::web::Path;
use service_kit::web::validators::{REVALIDATE, etag, fingerprint, is_current, not_modified};

use crate::state::State;

/// What is at this path never changes.
static FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

static PAGE: LazyLock<Page> = LazyLock::new(Page::load);

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

/// The page's files: at their own paths, and below a path that names their version, which is where the page itself finds them.
pub(super) fn routes() -> Router<State> {
    PAGE.files
        .iter()
        .fold(Router::new(), |router, file| {
            let answer = async move |headers: HeaderMap| file.answer(&headers, &REVALIDATE);
            router.route(file.path, get(answer))
        })
        .route("/assets/{version}/{name}", get(versioned))
}

/// A file under the version that the page was made with. Replicas of another version answer, too, while one version replaces another;
/// what they answer is not kept.
async fn versioned(
    Path((version, name)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let file = PAGE
        .files
        .iter()
        .find(|file| file.path.strip_prefix('/') == Some(name.as_str()))
        .ok_or_else(|| ApiError::not_found("The page has no file of this name."))?;
    let caching = if version == PAGE.version {
        &FOR_EVER
    } else {
        &REVALIDATE
    };
    Ok(file.answer(&headers, caching))
}

/// The page as it is served.
struct Page {
    /// The fingerprint of all files together.
    version: String,
    files: Vec<File>,
}

struct File {
    path: &'static str,
    media_type: &'static str,
    text: Cow<'static, str>,
    etag: String,
}

impl Page {
    fn load() -> Self {
        let all: Vec<&[u8]> = FILES.iter().map(|(.., text)| text.as_bytes()).collect();
        let version = fingerprint(&all.concat());
        let files = FILES.iter().map(|&(path, media_type, text)| {
            let text = if media_type == HTML {
                Cow::Owned(with_versions(text, &version))
            } else {
                Cow::Borrowed(text)
            };
            File {
                path,
                media_type,
                etag: etag(text.as_bytes()),
                text,
            }
        });
        Self {
            files: files.collect(),
            version,
        }
    }
}

/// The document with the files that it names at the paths of this version. Scripts name each other relative to themselves.
fn with_versions(document: &str, version: &str) -> String {
    FILES
        .iter()
        .filter_map(|(path, ..)| path.strip_prefix('/'))
        .filter(|name| !name.is_empty())
        .fold(document.to_owned(), |document, name| {
            let versioned = format!("\"/assets/{version}/{name}\"");
            document
                .replace(&format!("\"{name}\""), &versioned)
                .replace(&format!("\"/{name}\""), &versioned)
        })
}

impl File {
    fn answer(&self, headers: &HeaderMap, caching: &HeaderValue) -> Response {
        let etag = HeaderValue::from_str(&self.etag).ok();
        let validators = [(CACHE_CONTROL, Some(caching.clone())), (ETAG, etag)];
        let validators = validators
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .collect::<HeaderMap>();
        if is_current(headers, &self.etag) {
            return not_modified(&validators);
        }
        let described = [
            (CONTENT_TYPE, self.media_type),
            (CONTENT_SECURITY_POLICY, POLICY),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (REFERRER_POLICY, "no-referrer"),
        ];
        let text = match &self.text {
            Cow::Borrowed(text) => Body::from(*text),
            Cow::Owned(text) => Body::from(text.clone()),
        };
        (validators, described, text).into_response()
    }
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
