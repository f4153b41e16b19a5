//! Limits on the number of connections: in all, and from one address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::client_address::{ClientAddress, TrustedProxies};
use crate::config::HttpConfig;

/// Refusals are logged this often at most: a flood of connections must not become one of lines.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// Counts open connections.
pub(super) struct Capacity {
    in_all: usize,
    per_address: usize,
    proxies: TrustedProxies,
    open: Arc<Mutex<Open>>,
    refused: Refused,
}

#[derive(Default)]
struct Open {
    in_all: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// Refusals that are not in the log yet.
#[derive(Default)]
struct Refused {
    count: u64,
    logged_at: Option<Instant>,
}

/// An open connection, counted until it is dropped.
pub(super) struct Place {
    /// `None` for a trusted proxy, through which all clients come.
    address: Option<IpAddr>,
    open: Arc<Mutex<Open>>,
}

impl Capacity {
    pub(super) fn new(config: &HttpConfig, proxies: TrustedProxies) -> Self {
        Self {
            in_all: config.max_connections,
            per_address: config.max_connections_per_address,
            proxies,
            open: Arc::default(),
            refused: Refused::default(),
        }
    }

    /// A place for a connection, unless there are too many.
    pub(super) fn take(&mut self, peer: IpAddr) -> Option<Place> {
        let address = ClientAddress(peer.to_canonical()).network();
        let counted = !self.proxies.contains(peer);
        let refusal = {
            let mut open = lock(&self.open);
            let from_there = open.by_address.get(&address).copied().unwrap_or_default();
            if open.in_all >= self.in_all {
                Some(("http.max_connections", open.in_all))
            } else if counted && from_there >= self.per_address {
                Some(("http.max_connections_per_address", from_there))
            } else {
                open.in_all += 1;
                if counted {
                    *open.by_address.entry(address).or_default() += 1;
                }
                None
            }
        };
        if let Some((limit, open)) = refusal {
            self.refused.note(peer, limit, open);
            return None;
        }
        Some(Place {
            address: counted.then_some(address),
            open: Arc::clone(&self.open),
        })
    }
}

impl Refused {
    fn note(&mut self, peer: IpAddr, limit: &'static str, open: usize) {
        self.count += 1;
        let now = Instant::now();
        let due = self.logged_at.is_none_or(|at| now - at >= LOG_INTERVAL);
        if due {
            tracing::warn!(
                client.address = %peer,
                limit,
                open,
                refused = self.count,
                "refused connections: as many as the limit allows are open"
            );
            *self = Self {
                count: 0,
                logged_at: Some(now),
            };
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = lock(&self.open);
        open.in_all -= 1;
        let Some(address) = self.address else { return };
        if let Some(count) = open.by_address.get_mut(&address) {
            *count -= 1;
            if *count == 0 {
                open.by_address.remove(&address);
            }
        }
    }
}

fn lock(open: &Mutex<Open>) -> MutexGuard<'_, Open> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_all_and_by_address_and_given_back() {
        let config = HttpConfig {
            max_connections: 3,
            max_connections_per_address: 2,
            ..HttpConfig::on_port(0)
        };
        let proxies = TrustedProxies::parse(&["10.0.0.1".to_owned()]).unwrap();
        let mut capacity = Capacity::new(&config, proxies);
        let ip = |text: &str| text.parse::<IpAddr>().unwrap();
        let first = capacity.take(ip("192.0.2.1")).unwrap();
        let _second = capacity.take(ip("192.0.2.1")).unwrap();
        assert!(capacity.take(ip("192.0.2.1")).is_none(), "two from there");
        drop(first);
        let _third = capacity.take(ip("10.0.0.1")).unwrap();
        let _fourth = capacity.take(ip("10.0.0.1")).unwrap();
        assert!(capacity.take(ip("192.0.2.2")).is_none(), "three in all");
        assert_eq!(lock(&capacity.open).by_address.len(), 1);
    }
}
