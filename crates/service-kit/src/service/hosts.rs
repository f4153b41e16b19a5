//! The names under which a service is reached. A page of another site can have its own name resolve
//! to the service's address; the browser then takes the service for that site (DNS rebinding), and
//! only the `Host` of the request shows it.

use std::net::IpAddr;

use axum::extract::Request;
use contracts::problem::Problem;
use http::StatusCode;
use http::header::HOST;

use crate::config::HttpConfig;
use crate::problem::ApiError;

/// Maximum number of characters of a wrong name that an answer repeats.
const SHOWN: usize = 100;

/// The names that are taken.
pub(super) struct Hosts {
    any: bool,
    names: Vec<String>,
}

impl Hosts {
    /// The configured names. A service that listens elsewhere than at loopback and has no names
    /// configured accepts any, because it cannot know its own.
    pub(super) fn new(config: &HttpConfig) -> Self {
        let names = &config.allowed_hosts;
        Self {
            any: names.iter().any(|name| name == "*")
                || (names.is_empty() && !config.address.is_loopback()),
            names: names.iter().map(|name| bare(name).to_lowercase()).collect(),
        }
    }

    /// Refuses, with 421, a request that was sent to another name.
    pub(super) fn check(&self, request: &Request) -> Result<(), ApiError> {
        let in_header = request.headers().get_all(HOST).into_iter();
        let in_header = in_header.map(|host| host.to_str().unwrap_or_default());
        let in_target = request.uri().authority().map(http::uri::Authority::as_str);
        in_header
            .chain(in_target)
            .find(|host| !self.takes(host))
            .map_or(Ok(()), |host| Err(refusal(host)))
    }

    fn takes(&self, host: &str) -> bool {
        let name = name_of(host).to_lowercase();
        // A name of the DNS is what rebinding takes; an address leads where it says.
        self.any
            || is_loopback_name(&name)
            || name.parse::<IpAddr>().is_ok()
            || self.names.contains(&name)
    }
}

/// `localhost` and all below it, which no name server is asked for.
fn is_loopback_name(name: &str) -> bool {
    name == "localhost" || name.ends_with(".localhost")
}

/// A host without its port, brackets and final dot.
fn name_of(host: &str) -> &str {
    let name = match host.rsplit_once(':') {
        Some((name, port))
            if !name.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            name
        }
        _ => host,
    };
    let name = bare(name);
    name.strip_suffix('.').unwrap_or(name)
}

fn bare(name: &str) -> &str {
    name.strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or(name)
}

fn refusal(host: &str) -> ApiError {
    let shown: String = host.chars().take(SHOWN).collect();
    let problem = Problem::new(
        StatusCode::MISDIRECTED_REQUEST.as_u16(),
        "misdirected_request",
        "Misdirected request",
    );
    ApiError::from(problem).with_detail(format!(
        "`{shown}` is not a name of this service. Add it to `http.allowed_hosts` if it should be one."
    ))
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use axum::body::Body;

    use super::*;

    fn hosts(address: IpAddr, names: &[&str]) -> Hosts {
        Hosts::new(&HttpConfig {
            address,
            allowed_hosts: names.iter().map(|name| (*name).to_owned()).collect(),
            ..HttpConfig::on_port(0)
        })
    }

    fn takes(hosts: &Hosts, host: &str) -> bool {
        let request = Request::get("/").header(HOST, host);
        hosts.check(&request.body(Body::empty()).unwrap()).is_ok()
    }

    #[test]
    fn at_loopback_only_loopback_names_addresses_and_configured_names_are_taken() {
        let hosts = hosts(Ipv4Addr::LOCALHOST.into(), &["solar.example.com"]);
        for host in [
            "localhost",
            "LOCALHOST:8080",
            "app.localhost:1",
            "127.0.0.1:8080",
            "[::1]:8080",
            "[::1]",
            "192.0.2.1",
            "Solar.Example.com",
            "solar.example.com.:443",
        ] {
            assert!(takes(&hosts, host), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:8080",
            "localhost.evil.example",
            "solar.example.com.evil.example",
            "127.0.0.1.evil.example:80",
            "",
        ] {
            assert!(!takes(&hosts, host), "{host}");
        }
    }

    #[test]
    fn elsewhere_any_name_is_taken_until_names_are_configured() {
        let everywhere = Ipv4Addr::UNSPECIFIED.into();
        assert!(takes(&hosts(everywhere, &[]), "tools:4000"));
        assert!(takes(&hosts(everywhere, &["*"]), "evil.example"));
        assert!(!takes(&hosts(everywhere, &["tools"]), "evil.example"));
        assert!(takes(&hosts(everywhere, &["tools"]), "tools:4000"));
    }

    #[test]
    fn the_name_in_the_target_counts_too() {
        let hosts = hosts(Ipv4Addr::LOCALHOST.into(), &[]);
        let request = Request::get("http://evil.example/").header(HOST, "localhost");
        assert!(hosts.check(&request.body(Body::empty()).unwrap()).is_err());
        let none = Request::get("/").body(Body::empty()).unwrap();
        assert!(hosts.check(&none).is_ok(), "browsers always name a host");
    }
}
