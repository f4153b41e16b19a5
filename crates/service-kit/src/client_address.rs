//! The address of a request's client: the peer of its connection or, behind a trusted proxy, the
//! client that the proxy names.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use axum::extract::FromRequestParts;
use http::HeaderMap;
use http::request::Parts;
use ipnet::IpNet;

/// What proxies write: the client first, then each proxy on the way.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// The prefix of an IPv6 address that one subscriber has to himself.
const SUBSCRIBER_PREFIX: u32 = 64;

/// The address of the client that sent a request. Unspecified (`0.0.0.0`) where a request did not
/// come over a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClientAddress(pub IpAddr);

impl ClientAddress {
    /// What limits are counted by: the address, and for IPv6 the network of its subscriber, which
    /// has every address in it.
    pub fn network(self) -> IpAddr {
        match self.0 {
            IpAddr::V4(_) => self.0,
            IpAddr::V6(address) => {
                let mask = u128::MAX << (u128::BITS - SUBSCRIBER_PREFIX);
                IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask))
            }
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        let known = parts.extensions.get::<Self>().copied();
        Ok(known.unwrap_or(Self(IpAddr::V4(Ipv4Addr::UNSPECIFIED))))
    }
}

/// A text that is neither an address nor a network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither an address nor a network such as 10.0.0.0/8")]
pub struct NotANetwork(String);

/// Proxies whose word is taken for where a request comes from.
#[derive(Debug, Clone, Default)]
pub struct TrustedProxies(Vec<IpNet>);

impl TrustedProxies {
    /// Reads addresses and networks.
    pub fn parse(texts: &[String]) -> Result<Self, NotANetwork> {
        let network = |text: &String| {
            let parsed = text.parse::<IpNet>();
            parsed
                .or_else(|_| text.parse::<IpAddr>().map(IpNet::from))
                .map_err(|_| NotANetwork(text.clone()))
        };
        texts
            .iter()
            .map(network)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Whether this is one of them.
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }

    /// Who sent a request that came from `peer`: the last address in `X-Forwarded-For` that is not
    /// a proxy's. What is before it was written by the client, who may write anything.
    pub fn client_of(&self, peer: IpAddr, headers: &HeaderMap) -> ClientAddress {
        let mut client = peer.to_canonical();
        let lines = headers.get_all(FORWARDED_FOR).into_iter();
        let lines: Vec<&str> = lines.filter_map(|line| line.to_str().ok()).collect();
        let mut named = lines.iter().rev().flat_map(|line| line.rsplit(','));
        while self.contains(client) {
            let Some(next) = named.next().and_then(|text| address(text.trim())) else {
                break;
            };
            client = next;
        }
        ClientAddress(client)
    }
}

/// An address, with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or(text);
    let address = bare.parse::<IpAddr>().ok();
    address
        .or_else(|| text.parse::<SocketAddr>().ok().map(|socket| socket.ip()))
        .map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn proxies(texts: &[&str]) -> TrustedProxies {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        TrustedProxies::parse(&texts).unwrap()
    }

    fn client(proxies: &TrustedProxies, peer: &str, forwarded: &[&'static str]) -> String {
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append(FORWARDED_FOR, HeaderValue::from_static(line));
        }
        proxies
            .client_of(peer.parse().unwrap(), &headers)
            .0
            .to_string()
    }

    #[test]
    fn only_a_trusted_proxy_is_believed() {
        assert_eq!(
            client(&proxies(&[]), "192.0.2.1", &["198.51.100.7"]),
            "192.0.2.1"
        );
        let proxies = proxies(&["10.0.0.0/8"]);
        assert_eq!(
            client(&proxies, "192.0.2.1", &["198.51.100.7"]),
            "192.0.2.1"
        );
        assert_eq!(client(&proxies, "10.1.2.3", &[]), "10.1.2.3");
    }

    #[test]
    fn a_trusted_proxy_names_the_client_and_what_the_client_wrote_is_ignored() {
        let proxies = proxies(&["10.0.0.0/8", "2001:db8::1"]);
        let of = |peer: &str, forwarded: &[&'static str]| client(&proxies, peer, forwarded);
        assert_eq!(of("10.1.2.3", &["198.51.100.7"]), "198.51.100.7");
        assert_eq!(of("::ffff:10.1.2.3", &["198.51.100.7"]), "198.51.100.7");
        assert_eq!(of("2001:db8::1", &["[2001:db8::2]:4711"]), "2001:db8::2");
        // The client sent the first one; two proxies added one each, in one line or in two.
        let forged = "203.0.113.9, 198.51.100.7:5000, 10.9.9.9";
        assert_eq!(of("10.1.2.3", &[forged]), "198.51.100.7");
        assert_eq!(
            of("10.1.2.3", &["203.0.113.9", "198.51.100.7", "10.9.9.9"]),
            "198.51.100.7"
        );
        assert_eq!(of("10.1.2.3", &["198.51.100.7, unknown"]), "10.1.2.3");
    }

    #[test]
    fn an_ipv6_client_counts_as_its_network() {
        let network = |text: &str| ClientAddress(text.parse().unwrap()).network().to_string();
        assert_eq!(network("192.0.2.1"), "192.0.2.1");
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
    }

    #[test]
    fn what_is_no_network_is_named() {
        let fault = TrustedProxies::parse(&["10.0.0.0/33".to_owned()]).unwrap_err();
        assert!(fault.to_string().contains("10.0.0.0/33"), "{fault}");
    }
}
