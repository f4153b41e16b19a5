//! The web page: files that are part of the program, under a policy that allows requests to this
//! service only.
//!
//! Browsers keep the files of a version forever, and ask each time whether the document, which
//! names the version, has changed.

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

/// The contents of this path never change.
static FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

static PAGE: LazyLock<Page> = LazyLock::new(Page::load);

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The document, served at `/`.
const DOCUMENT: &str = "index.html";

/// The module that the document starts; the others are preloaded.
const MAIN_MODULE: &str = "app.js";

/// The place in `index.html` for the modules that a browser fetches together with the first one.
const PRELOADED_MODULES: &str = "<!-- modulepreload -->";

/// The files of `web/` beside this crate's `src`.
#[derive(rust_embed::RustEmbed)]
#[folder = "web"]
struct Files;

/// The media type of a file of the page; `None` for the files of development beside them.
fn media_type(name: &str) -> Option<&'static str> {
    let (_, ending) = name.rsplit_once('.')?;
    if name.contains('/') {
        return None;
    }
    Some(match ending {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "js" => SCRIPT,
        _ => return None,
    })
}

/// The page's files: at their own paths, and below a path that names their version, which is where
/// the page itself finds them.
pub(super) fn routes() -> Router<State> {
    PAGE.files
        .iter()
        .fold(Router::new(), |router, file| {
            let answer = async move |headers: HeaderMap| file.answer(&headers, &REVALIDATE);
            router.route(&file.path(), get(answer))
        })
        .route("/assets/{version}/{name}", get(versioned))
}

/// A file under the version that the page was made with. Replicas of another version answer, too,
/// while one version replaces another; what they answer is not kept.
async fn versioned(
    Path((version, name)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let file = PAGE
        .files
        .iter()
        .find(|file| file.name == name)
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
    name: String,
    media_type: &'static str,
    content: Cow<'static, [u8]>,
    etag: String,
}

impl Page {
    fn load() -> Self {
        let mut files: Vec<File> = Files::iter()
            .filter_map(|name| {
                let media_type = media_type(&name)?;
                let content = Files::get(&name)?.data;
                Some(File {
                    name: name.into_owned(),
                    media_type,
                    etag: String::new(),
                    content,
                })
            })
            .collect();
        files.sort_by(|one, other| one.name.cmp(&other.name));
        let all: Vec<&[u8]> = files.iter().map(|file| &*file.content).collect();
        let version = fingerprint(&all.concat());
        let names: Vec<String> = files.iter().map(|file| file.name.clone()).collect();
        for file in &mut files {
            if file.name == DOCUMENT {
                let text = String::from_utf8_lossy(&file.content);
                let text = with_versions(&text, &names, &version);
                file.content = Cow::Owned(text.into_bytes());
            }
            file.etag = etag(&file.content);
        }
        Self { version, files }
    }
}

/// The document with every module to preload, and with the files that it names at the paths of this
/// version. Modules name each other relative to themselves.
fn with_versions(document: &str, names: &[String], version: &str) -> String {
    let preloaded: Vec<String> = names
        .iter()
        .filter(|name| media_type(name) == Some(SCRIPT) && *name != MAIN_MODULE)
        .map(|name| format!("<link rel=\"modulepreload\" href=\"{name}\">"))
        .collect();
    let document = document.replace(PRELOADED_MODULES, &preloaded.join("\n    "));
    names.iter().fold(document, |document, name| {
        let versioned = format!("\"/assets/{version}/{name}\"");
        document
            .replace(&format!("\"{name}\""), &versioned)
            .replace(&format!("\"/{name}\""), &versioned)
    })
}

impl File {
    /// The path that serves the file under its own name: the document at the root.
    fn path(&self) -> String {
        if self.name == DOCUMENT {
            "/".to_owned()
        } else {
            format!("/{}", self.name)
        }
    }

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
        let content = match &self.content {
            Cow::Borrowed(content) => Body::from(*content),
            Cow::Owned(content) => Body::from(content.clone()),
        };
        (validators, described, content).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(name: &str) -> &'static File {
        PAGE.files.iter().find(|file| file.name == name).unwrap()
    }

    #[test]
    fn every_file_of_the_page_is_served_and_nothing_else() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/web");
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let is_part = [".html", ".css", ".js", ".svg"]
                .iter()
                .any(|end| name.ends_with(end));
            let is_served = PAGE.files.iter().any(|file| file.name == name);
            assert_eq!(is_served, is_part, "{name}");
        }
        assert!(PAGE.files.iter().all(|file| !file.name.contains('/')));
    }

    #[test]
    fn the_document_names_every_module_at_its_version() {
        let document = std::str::from_utf8(&page(DOCUMENT).content).unwrap();
        assert!(!document.contains(PRELOADED_MODULES));
        for file in &PAGE.files {
            if file.media_type == SCRIPT {
                let path = format!("\"/assets/{}/{}\"", PAGE.version, file.name);
                assert_eq!(document.matches(&path).count(), 1, "{}", file.name);
            }
        }
    }
}
