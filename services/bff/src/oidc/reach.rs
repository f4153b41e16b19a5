//! The way to providers: which addresses may be connected to.
//!
//! Providers of the configuration are where the operator says. Those that are added while the
//! service runs are reached by a client that decides after a name was resolved, as the documents of
//! a provider name further hosts.

use std::net::IpAddr;
use std::sync::Arc;

use ipnet::IpNet;
use reqwest::Url;
use service_kit::client::guarded::{AddressRule, check_host, guarded_http_client};
use service_kit::client::{HttpClient, external_http_client};

use super::config::{OidcConfig, network_of};

/// A client with the addresses that it may connect to.
#[derive(Clone)]
pub(super) struct Reach {
    pub(super) client: HttpClient,
    rule: Option<AddressRule>,
}

/// A URL is at a host that may not be connected to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unreachable(String);

impl Reach {
    /// The way to providers of the configuration.
    pub(super) fn to_any() -> Result<Self, reqwest::Error> {
        Ok(Self {
            client: external_http_client()?,
            rule: None,
        })
    }

    /// The way to providers that are added.
    pub(super) fn within(config: &OidcConfig) -> Result<Self, reqwest::Error> {
        let refused: Vec<IpNet> = config
            .refused_networks
            .iter()
            .filter_map(|network| network_of(network))
            .collect();
        let allow_loopback = config.allow_loopback;
        let rule: AddressRule = Arc::new(move |address: IpAddr| {
            let address = address.to_canonical();
            (allow_loopback || !address.is_loopback())
                && !refused.iter().any(|network| network.contains(&address))
        });
        Ok(Self {
            client: guarded_http_client(Arc::clone(&rule))?,
            rule: Some(rule),
        })
    }

    /// Fails for an address in place of a name that may not be connected to.
    pub(super) fn check(&self, url: &Url) -> Result<(), Unreachable> {
        match &self.rule {
            Some(rule) => check_host(url, rule).map_err(|_| refused(url)),
            None => Ok(()),
        }
    }

    /// The same, and names are resolved.
    pub(super) async fn resolve(&self, url: &Url) -> Result<(), Unreachable> {
        let Some(rule) = &self.rule else {
            return Ok(());
        };
        self.check(url)?;
        let host = url.host_str().unwrap_or_default();
        let bare = host.trim_matches(['[', ']']);
        if bare.parse::<IpAddr>().is_ok() {
            return Ok(());
        }
        let port = url.port_or_known_default().unwrap_or_default();
        let found = tokio::net::lookup_host((host, port)).await.map_err(|_| {
            Unreachable(format!(
                "The name '{host}' cannot be resolved. Check the spelling."
            ))
        })?;
        if found.into_iter().any(|found| rule(found.ip())) {
            return Ok(());
        }
        Err(refused(url))
    }
}

fn refused(url: &Url) -> Unreachable {
    let host = url.host_str().unwrap_or_default();
    Unreachable(format!(
        "The host '{host}' is in a network that may not be connected to. The operator of the service can change `oidc.refused_networks` and, for this machine, `oidc.allow_loopback`."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(allow_loopback: bool) -> Reach {
        let config = OidcConfig {
            allow_loopback,
            ..OidcConfig::default()
        };
        Reach::within(&config).unwrap()
    }

    async fn reaches(reach: &Reach, url: &str) -> bool {
        reach.resolve(&Url::parse(url).unwrap()).await.is_ok()
    }

    #[tokio::test]
    async fn metadata_services_are_refused_and_loopback_is_unless_it_is_allowed() {
        let (usual, local) = (way(false), way(true));
        for url in ["http://127.0.0.1:81", "http://[::1]/", "http://localhost/"] {
            assert!(!reaches(&usual, url).await, "{url}");
            assert!(reaches(&local, url).await, "{url}");
        }
        for url in [
            "https://169.254.169.254",
            "https://[::ffff:169.254.169.254]/",
            "https://[fe80::1]/",
            "https://100.100.100.200/",
            "https://0.0.0.0/",
        ] {
            assert!(!reaches(&local, url).await, "{url}");
        }
        assert!(reaches(&usual, "https://10.1.2.3/realms/main").await);
        let unknown = Url::parse("https://none.invalid").unwrap();
        let why = usual.resolve(&unknown).await.unwrap_err();
        assert!(why.0.contains("cannot be resolved"), "{why}");
    }
}
