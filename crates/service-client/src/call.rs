//! One call: from an operation of the contract to its answer.

use std::time::{Duration, Instant};

use contracts::problem::Problem;
use http::Method;
use http_client::HttpClient;
use reqwest::{RequestBuilder, Response, Url};
use serde::de::DeserializeOwned;
use tracing::{Instrument, Span, field};
use utoipa::openapi::HttpMethod;

use crate::{Error, metrics};

/// A connection that is refused may be a service between two processes; a moment later there is one
/// again.
const RECONNECT_PAUSE: Duration = Duration::from_millis(100);

/// The method of an operation.
pub(crate) fn method<O: utoipa::Path>() -> Method {
    match O::methods().first() {
        Some(HttpMethod::Post) => Method::POST,
        Some(HttpMethod::Put) => Method::PUT,
        Some(HttpMethod::Delete) => Method::DELETE,
        Some(HttpMethod::Patch) => Method::PATCH,
        Some(HttpMethod::Head) => Method::HEAD,
        Some(HttpMethod::Options) => Method::OPTIONS,
        Some(HttpMethod::Trace) => Method::TRACE,
        Some(HttpMethod::Get) | None => Method::GET,
    }
}

/// The URL of an operation, with `parameters` in the order of its path, encoded as segments.
pub(crate) fn url<O: utoipa::Path>(base: &Url, parameters: &[&str]) -> Result<Url, Error> {
    let mut url = base.clone();
    let mut parameters = parameters.iter();
    {
        let mut segments = url
            .path_segments_mut()
            .map_err(|()| Error::BaseUrl(base.to_string()))?;
        segments.pop_if_empty();
        for segment in O::path().split('/').filter(|segment| !segment.is_empty()) {
            let parameter = if segment.starts_with('{') {
                parameters.next().copied()
            } else {
                None
            };
            segments.push(parameter.unwrap_or(segment));
        }
    }
    Ok(url)
}

/// Sends a request and reads its answer, in a span of its own. When no connection could be made,
/// nothing was sent, and it is tried once more.
pub(crate) async fn send<O: utoipa::Path, T: DeserializeOwned>(
    client: &HttpClient,
    url: &Url,
    request: impl Fn() -> RequestBuilder,
) -> Result<T, Error> {
    let (method, route) = (method::<O>(), O::path());
    let span = tracing::info_span!(
        "call",
        otel.name = %format_args!("{method} {route}"),
        otel.kind = "client",
        otel.status_code = field::Empty,
        http.request.method = %method,
        http.response.status_code = field::Empty,
        server.address = url.host_str(),
        server.port = url.port_or_known_default(),
        url.template = route,
    );
    let called = async {
        let started = Instant::now();
        let result = exchange(client, &request).await;
        if result.is_err() {
            Span::current().record("otel.status_code", "ERROR");
        }
        let fault = result.as_ref().err().and_then(Error::fault);
        metrics::called(&method, &route, fault, started.elapsed());
        result
    };
    called.instrument(span).await
}

async fn exchange<T: DeserializeOwned>(
    client: &HttpClient,
    request: &impl Fn() -> RequestBuilder,
) -> Result<T, Error> {
    let response = match client.send(request()).await {
        Err(error) if error.is_connect() && !error.is_timeout() => {
            tracing::debug!(%error, "connecting once more");
            tokio::time::sleep(RECONNECT_PAUSE).await;
            client.send(request()).await
        }
        other => other,
    };
    let response = response.map_err(Error::of_request)?;
    Span::current().record("http.response.status_code", response.status().as_u16());
    read(response).await
}

async fn read<T: DeserializeOwned>(response: Response) -> Result<T, Error> {
    let status = response.status();
    let body = response
        .bytes()
        .await
        .map_err(|error| Error::of_request(error.into()))?;
    if status.is_success() {
        // No content is nothing.
        let body: &[u8] = if body.is_empty() { b"null" } else { &body };
        return serde_json::from_slice(body).map_err(|source| Error::Unreadable {
            source: Box::new(source),
        });
    }
    Err(Error::of_problem(
        status,
        serde_json::from_slice::<Problem>(&body).ok(),
    ))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use axum::Router;
    use axum::routing::get;
    use contracts::openapi::tools::operations::{CallTool, ListTools};
    use service_kit::config::HttpConfig;
    use service_kit::service::Service;
    use tokio_util::sync::CancellationToken;
    use tokio_util::task::TaskTracker;

    use super::*;

    #[test]
    fn an_operation_s_url_keeps_the_base_s_path_and_encodes_parameters() {
        let base = Url::parse("http://tools:4000/inner/").unwrap();
        assert_eq!(
            url::<ListTools>(&base, &[]).unwrap().as_str(),
            "http://tools:4000/inner/api/tools"
        );
        let called = url::<CallTool>(&base, &["a/b c"]).unwrap();
        assert_eq!(
            called.as_str(),
            "http://tools:4000/inner/api/tools/a%2Fb%20c"
        );
        assert_eq!(method::<CallTool>(), Method::POST);
    }

    #[tokio::test]
    async fn a_refused_connection_is_tried_once_more_and_not_twice() {
        let routes = Router::new().route("/", get(|| async { "7" }));
        let service = Service::new("stub", HttpConfig::on_port(0));
        let running = service
            .serve(routes, CancellationToken::new(), &TaskTracker::new())
            .await
            .unwrap();
        let closed = Url::parse("http://127.0.0.1:1").unwrap();
        let open = Url::parse(&running.base_url()).unwrap();
        let client = service_kit::http_client().unwrap();

        let attempts = Cell::new(0);
        let refused_until = |working: u32| {
            attempts.set(0);
            let (attempts, client, closed, open) = (&attempts, &client, &closed, &open);
            move || {
                attempts.set(attempts.get() + 1);
                client.get(if attempts.get() < working {
                    closed.clone()
                } else {
                    open.clone()
                })
            }
        };
        let answer: u32 = send::<ListTools, _>(&client, &closed, refused_until(2))
            .await
            .unwrap();
        assert_eq!((answer, attempts.get()), (7, 2));
        let error = send::<ListTools, u32>(&client, &closed, refused_until(3))
            .await
            .unwrap_err();
        assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
        assert_eq!(attempts.get(), 2);
    }
}
