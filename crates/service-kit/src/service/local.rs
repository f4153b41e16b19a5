//! A router as other services of the same process call it.

use std::net::{Ipv4Addr, SocketAddr};

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use http::Request;
use http_client::LocalService;
use tower::ServiceExt;

/// The caller, which has no address.
const PEER: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// The routes, framed, with the bodies of a client.
pub(super) fn service(router: Router) -> LocalService {
    LocalService::new(tower::service_fn(move |request: Request<reqwest::Body>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(PEER));
        let answer = router.clone().oneshot(request);
        async move {
            let response = answer.await?;
            Ok(response.map(|body| reqwest::Body::wrap_stream(body.into_data_stream())))
        }
    }))
}
