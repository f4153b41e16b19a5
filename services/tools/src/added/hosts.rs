//! Which hosts a tenant's administrator may make the service connect to.
//!
//! Private and loopback addresses are allowed by default: the product runs in the network whose
//! databases it is for. The operator narrows this with `hosts`.

use std::net::IpAddr;

use crate::added_targets::config::{AddedTargetsConfig, network_of};

/// Fails with what to do for a host that may not be connected to. Names are resolved.
pub(super) async fn check(
    config: &AddedTargetsConfig,
    host: &str,
    port: u16,
) -> Result<(), String> {
    if !is_host(host) {
        return Err(format!(
            "'{host}' is not the name or the address of a host."
        ));
    }
    let addresses = addresses(host, port).await?;
    verdict(config, host, &addresses)
}

/// Whether a text is a host. Anything else could mean a path or an option to the drivers.
pub(crate) fn is_host(host: &str) -> bool {
    let name = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    host.parse::<IpAddr>().is_ok()
        || (!host.is_empty()
            && host.len() <= 253
            && !host.starts_with('.')
            && host.chars().all(name))
}

async fn addresses(host: &str, port: u16) -> Result<Vec<IpAddr>, String> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![address.to_canonical()]);
    }
    let found = tokio::net::lookup_host((host, port)).await;
    let found: Vec<IpAddr> = found
        .map_err(|_| {
            format!("The name '{host}' cannot be resolved. Check the spelling, or use the address.")
        })?
        .map(|address| address.ip().to_canonical())
        .collect();
    if found.is_empty() {
        return Err(format!("The name '{host}' has no address."));
    }
    Ok(found)
}

fn verdict(config: &AddedTargetsConfig, host: &str, addresses: &[IpAddr]) -> Result<(), String> {
    let is_in = |address: &IpAddr, network: &String| {
        network_of(network).is_some_and(|network| network.contains(address))
    };
    for address in addresses {
        let mut refused = config.refused_networks.iter();
        if refused.any(|network| is_in(address, network)) {
            return Err(format!(
                "The host '{host}' is in a network that may not be connected to. The operator of the service can change `added_targets.refused_networks`."
            ));
        }
    }
    let host = host.to_lowercase();
    let is_named = config.hosts.iter().any(|entry| {
        let entry = entry.to_lowercase();
        match entry.strip_prefix('*') {
            Some(ending) if ending.starts_with('.') => host.ends_with(ending),
            _ => entry == host,
        }
    });
    let in_a_network = addresses
        .iter()
        .all(|address| config.hosts.iter().any(|entry| is_in(address, entry)));
    if config.hosts.is_empty() || is_named || in_a_network {
        return Ok(());
    }
    Err(format!(
        "The host '{host}' is not one of those that may be connected to. The operator of the service can add it to `added_targets.hosts`."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn metadata_services_are_refused_and_private_networks_are_not() {
        let config = AddedTargetsConfig::default();
        for allowed in [
            "127.0.0.1",
            "10.1.2.3",
            "192.168.0.9",
            "::1",
            "93.184.216.34",
        ] {
            assert_eq!(check(&config, allowed, 5432).await, Ok(()), "{allowed}");
        }
        for refused in [
            "169.254.169.254",
            "::ffff:169.254.169.254",
            "fe80::1",
            "0.0.0.0",
        ] {
            let why = check(&config, refused, 5432).await.unwrap_err();
            assert!(why.contains("refused_networks"), "{refused}: {why}");
        }
        for wrong in [
            "/var/run/postgresql",
            "a b",
            "db?host=/tmp",
            "",
            "a@b",
            "%2Ftmp",
        ] {
            let why = check(&config, wrong, 5432).await.unwrap_err();
            assert!(why.contains("is not the name"), "{wrong}: {why}");
        }
    }

    #[test]
    fn an_operator_narrows_the_hosts() {
        let config = AddedTargetsConfig {
            hosts: vec![
                "*.example.com".to_owned(),
                "10.0.0.0/8".to_owned(),
                "DB".to_owned(),
            ],
            ..AddedTargetsConfig::default()
        };
        let address = |text: &str| vec![text.parse::<IpAddr>().unwrap()];
        let allowed = |host: &str, ip: &str| verdict(&config, host, &address(ip)).is_ok();
        assert!(allowed("erp.example.com", "93.184.216.34"));
        assert!(allowed("db", "192.168.1.1"));
        assert!(allowed("10.3.4.5", "10.3.4.5"));
        assert!(!allowed("example.com.evil.org", "93.184.216.34"));
        assert!(!allowed("127.0.0.1", "127.0.0.1"));
        assert!(!allowed("erp.example.com", "169.254.169.254"));
    }
}
