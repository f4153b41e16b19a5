//! Which addresses a webhook may reach.
//!
//! Public ones. Addresses of this machine, of private networks and of special purposes are
//! refused, in whatever form they come, unless a network is allowed by configuration.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use ipnet::IpNet;

/// Networks that are not public (IANA special-purpose registries).
const SPECIAL: [&str; 24] = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
    "::/128",
    "::1/128",
    "100::/64",
    "2001::/23",
    "2001:db8::/32",
    "fc00::/7",
    "fe80::/10",
    "fec0::/10",
    "ff00::/8",
];

static REFUSED: LazyLock<Vec<IpNet>> =
    LazyLock::new(|| SPECIAL.iter().filter_map(|net| net.parse().ok()).collect());

/// Whether an address is public, or in one of the allowed networks.
pub fn may_reach(address: IpAddr, allowed: &[IpNet]) -> bool {
    let plain = plain(address);
    if allowed.iter().any(|net| net.contains(&plain)) {
        return true;
    }
    !REFUSED.iter().any(|net| net.contains(&plain))
}

/// The IPv4 address inside an IPv6 address that embeds one.
fn plain(address: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = address else {
        return address;
    };
    embedded(v6).map_or(address, IpAddr::V4)
}

fn embedded(v6: Ipv6Addr) -> Option<Ipv4Addr> {
    let of = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Ipv4Addr::new(a, b, c, d)
    };
    match v6.segments() {
        // Mapped (::ffff:a.b.c.d), translated (64:ff9b::a.b.c.d, 64:ff9b:1::…), 6to4 (2002:…).
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0x64, 0xff9b, .., high, low]
        | [0x2002, high, low, ..] => Some(of(high, low)),
        // The former form of compatible addresses, save :: and ::1.
        [0, 0, 0, 0, 0, 0, high, low] if high != 0 => Some(of(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reaches(address: &str, allowed: &[&str]) -> bool {
        let allowed: Vec<IpNet> = allowed.iter().map(|net| net.parse().unwrap()).collect();
        may_reach(address.parse().unwrap(), &allowed)
    }

    #[test]
    fn every_special_network_is_read() {
        assert_eq!(REFUSED.len(), SPECIAL.len());
    }

    #[test]
    fn public_addresses_are_reached_and_inner_ones_are_not() {
        for public in ["93.184.216.34", "1.1.1.1", "2606:2800:220:1::1"] {
            assert!(reaches(public, &[]), "{public}");
        }
        for inner in [
            "127.0.0.1",
            "127.8.8.8",
            "0.0.0.0",
            "10.1.2.3",
            "172.31.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.100.100.200",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fd00::1",
            "fe80::1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::10.0.0.1",
            "2002:7f00:1::",
            "::127.0.0.1",
        ] {
            assert!(!reaches(inner, &[]), "{inner}");
        }
    }

    #[test]
    fn a_network_is_reached_when_it_is_allowed() {
        assert!(reaches("10.1.2.3", &["10.1.0.0/16"]));
        assert!(reaches("::ffff:10.1.2.3", &["10.1.0.0/16"]));
        assert!(!reaches("10.2.2.3", &["10.1.0.0/16"]));
    }
}
