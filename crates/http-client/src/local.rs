//! Services of the same process, which are called without a socket.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http::header::HOST;
use http::{HeaderValue, Request, Response, Uri};
use http_body::{Frame, SizeHint};
use reqwest::{Body, Url};
use tokio::time::{Instant, Sleep, sleep_until, timeout_at};
use tower::ServiceExt;
use tower::util::BoxCloneSyncService;

use crate::SendError;

/// A service as its callers see it. It answers a failure with a status, as over a socket.
pub type LocalService = BoxCloneSyncService<Request<Body>, Response<Body>, Infallible>;

/// The services of this process by the origin of their URL. A service may be offered after the
/// clients that call it were made. When this is dropped, its clients use sockets.
#[derive(Debug, Default)]
pub struct LocalServices(Arc<Offered>);

/// What clients know of [`LocalServices`]. It keeps no service, as a service keeps its client.
pub(crate) type Known = Weak<Offered>;

#[derive(Default)]
pub(crate) struct Offered(RwLock<HashMap<String, LocalService>>);

impl LocalServices {
    /// Answers requests to the origin of `url` by this service from now on.
    pub fn offer(&self, url: &Url, service: LocalService) {
        let origin = url.origin().ascii_serialization();
        let mut services = self.0.0.write().unwrap_or_else(PoisonError::into_inner);
        services.insert(origin, service);
    }

    pub(crate) fn known(&self) -> Known {
        Arc::downgrade(&self.0)
    }
}

impl Offered {
    /// The service that answers requests to this URL.
    pub(crate) fn at(&self, url: &Url) -> Option<LocalService> {
        let services = self.0.read().unwrap_or_else(PoisonError::into_inner);
        services.get(&url.origin().ascii_serialization()).cloned()
    }
}

impl fmt::Debug for Offered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let services = self.0.read().unwrap_or_else(PoisonError::into_inner);
        f.debug_set().entries(services.keys()).finish()
    }
}

/// Has the service answer, within the request's time-out, which includes the reading of the answer
/// as it does over a socket.
pub(crate) async fn send(
    service: LocalService,
    request: reqwest::Request,
) -> Result<reqwest::Response, SendError> {
    let timeout = request.timeout().copied();
    let answer = service.oneshot(as_received(request)?);
    let response = match timeout.map(deadline) {
        None => answer.await,
        Some(deadline) => timeout_at(deadline, answer)
            .await
            .map_err(|_elapsed| SendError::Late)?
            .map(|response| response.map(|body| Body::wrap(Limited::new(body, deadline)))),
    };
    match response {
        Ok(response) => Ok(response.into()),
        Err(never) => match never {},
    }
}

/// The request as it is read from a socket: with a host, and the path alone.
fn as_received(request: reqwest::Request) -> Result<Request<Body>, reqwest::Error> {
    let mut request = Request::try_from(request)?;
    if let Some(authority) = request.uri().authority()
        && let Ok(host) = HeaderValue::from_str(authority.as_str())
    {
        request.headers_mut().entry(HOST).or_insert(host);
    }
    if let Some(path) = request.uri().path_and_query() {
        *request.uri_mut() = Uri::from(path.clone());
    }
    Ok(request)
}

fn deadline(timeout: Duration) -> Instant {
    Instant::now() + timeout
}

/// A body that has to be read until a deadline.
struct Limited {
    body: Body,
    end: Pin<Box<Sleep>>,
}

impl Limited {
    fn new(body: Body, deadline: Instant) -> Self {
        let end = Box::pin(sleep_until(deadline));
        Self { body, end }
    }
}

impl http_body::Body for Limited {
    type Data = <Body as http_body::Body>::Data;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        ready!(self.end.as_mut().poll(context));
        Poll::Ready(Some(Err(io::Error::from(io::ErrorKind::TimedOut).into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
