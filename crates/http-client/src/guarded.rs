//! A client for addresses that users name: it connects only to addresses that a rule allows, and
//! decides after the name was resolved, so that no name leads elsewhere.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Url, redirect};

use crate::local::Known;
use crate::{HttpClient, builder};

/// Decides whether an address may be connected to.
pub type AddressRule = Arc<dyn Fn(IpAddr) -> bool + Send + Sync>;

/// Time that a name may take to be resolved when it is checked.
const LOOKUP: Duration = Duration::from_secs(2);

/// A host has no address that may be connected to.
#[derive(Debug, thiserror::Error)]
#[error("{0} has no address that may be reached")]
pub struct NoAllowedAddress(pub String);

/// The client for addresses that users name: connects only to what `rule` allows, follows no
/// redirect, uses no proxy, and sends no trace context. Check the URL with [`check_host`] before
/// each request: an address in place of a name is not resolved.
pub fn guarded_http_client(rule: AddressRule) -> Result<HttpClient, reqwest::Error> {
    let inner = builder()
        .no_proxy()
        .redirect(redirect::Policy::none())
        // A kept connection was made to an address that was allowed then.
        .pool_max_idle_per_host(0)
        .dns_resolver(Arc::new(Guarded(rule)))
        .build()?;
    Ok(HttpClient {
        inner,
        propagates: false,
        local: Known::new(),
    })
}

/// Rejects a URL whose host is an address that the rule does not allow.
pub fn check_host(url: &Url, rule: &AddressRule) -> Result<(), NoAllowedAddress> {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(address) if !rule(address) => Err(NoAllowedAddress(host.to_owned())),
        _ => Ok(()),
    }
}

/// [`check_host`], and rejects a URL whose name leads only to addresses that the rule does not
/// allow. A name that cannot be resolved now is not rejected: it may be later.
pub async fn check_resolved_host(url: &Url, rule: &AddressRule) -> Result<(), NoAllowedAddress> {
    check_host(url, rule)?;
    let Some(name) = url.domain() else {
        return Ok(());
    };
    match tokio::time::timeout(LOOKUP, allowed(name, rule)).await {
        Ok(Ok(found)) if found.is_empty() => Err(NoAllowedAddress(name.to_owned())),
        _ => Ok(()),
    }
}

/// The addresses of a name that may be connected to.
async fn allowed(name: &str, rule: &AddressRule) -> std::io::Result<Vec<SocketAddr>> {
    let found = tokio::net::lookup_host((name, 0)).await?;
    Ok(found.filter(|found| rule(found.ip())).collect())
}

struct Guarded(AddressRule);

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let rule = Arc::clone(&self.0);
        Box::pin(async move {
            let host = name.as_str();
            let allowed = allowed(host, &rule).await?;
            if allowed.is_empty() {
                return Err(NoAllowedAddress(host.to_owned()).into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}
