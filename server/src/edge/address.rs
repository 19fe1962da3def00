//! The visitor's address: the peer's, or what a trusted proxy says in `X-Forwarded-For`.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::HeaderMap;
use ipnet::IpNet;

use super::Edge;

/// The visitor's address, for throttles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClientAddress(Option<IpAddr>);

impl ClientAddress {
    /// What a throttle counts by: a single IPv4 address, or an IPv6 network of 64 bits, since every home has one
    /// with more addresses than anybody can count.
    pub(super) fn throttle_key(self) -> String {
        match self.0 {
            Some(IpAddr::V6(ip)) => {
                let network = Ipv6Addr::from_bits(ip.to_bits() & !u128::from(u64::MAX));
                format!("{network}/64")
            }
            Some(IpAddr::V4(ip)) => ip.to_string(),
            None => "unknown".to_owned(),
        }
    }
}

pub(super) async fn layer(State(edge): State<Edge>, mut request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
    let address = ClientAddress(peer.map(|peer| client(peer, request.headers(), &edge.0.proxies)));
    request.extensions_mut().insert(address);
    next.run(request).await
}

/// Walks `X-Forwarded-For` from its end, the part that the nearest proxy wrote, past all trusted proxies. What
/// stands before the first stranger could have been made up by that stranger.
fn client(peer: IpAddr, headers: &HeaderMap, proxies: &[IpNet]) -> IpAddr {
    let is_trusted = |ip: IpAddr| proxies.iter().any(|network| network.contains(&ip));
    let hops: Vec<&str> = headers
        .get_all("x-forwarded-for")
        .iter()
        .flat_map(|value| value.to_str().unwrap_or("?").split(','))
        .collect();
    let mut client = peer.to_canonical();
    for hop in hops.into_iter().rev() {
        if !is_trusted(client) {
            break;
        }
        // A trusted proxy that writes nonsense: the proxy itself is the last address we know.
        let Some(ip) = read(hop.trim()) else { break };
        client = ip;
    }
    client
}

/// An address, with or without a port.
fn read(text: &str) -> Option<IpAddr> {
    let bare = text.parse::<IpAddr>().ok();
    bare.or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip())).map(|ip| ip.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(peer: &str, forwarded: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append("x-forwarded-for", value.parse().expect("a header"));
        }
        let proxies = ["10.0.0.0/8".parse().expect("a network"), "::1/128".parse().expect("a network")];
        client(peer.parse().expect("an address"), &headers, &proxies).to_string()
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        assert_eq!(found("192.0.2.1", &["203.0.113.9"]), "192.0.2.1", "a stranger speaks for itself");
        assert_eq!(found("10.0.0.1", &["203.0.113.9"]), "203.0.113.9");
        assert_eq!(
            found("10.0.0.1", &["1.1.1.1, 203.0.113.9, 10.0.0.2"]),
            "203.0.113.9",
            "what it made up is unread"
        );
        assert_eq!(found("10.0.0.1", &["1.1.1.1", "203.0.113.9"]), "203.0.113.9", "two headers are one list");
        assert_eq!(found("10.0.0.1", &["203.0.113.9:5000"]), "203.0.113.9");
        assert_eq!(found("10.0.0.1", &["nonsense"]), "10.0.0.1");
        assert_eq!(found("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(
            found("::ffff:10.0.0.1", &["203.0.113.9"]),
            "203.0.113.9",
            "an IPv4 address in IPv6 clothes"
        );
    }

    #[test]
    fn a_throttle_counts_an_ipv6_network_as_one() {
        let key = |text: &str| ClientAddress(Some(text.parse().expect("an address"))).throttle_key();
        assert_eq!(key("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
        assert_eq!(key("2001:db8:1:2::1"), key("2001:db8:1:2::2"));
        assert_eq!(key("192.0.2.1"), "192.0.2.1");
    }
}
