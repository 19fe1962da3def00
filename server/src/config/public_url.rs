use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// A host as a request or an address names it: lower case, without its port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HostName {
    name: String,
    port: Option<u16>,
}

impl HostName {
    /// Reads `name`, `name:port`, `1.2.3.4:port` or `[::1]:port`; `None` when it is none of them.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let authority: http::uri::Authority = text.parse().ok()?;
        let name = authority.host().trim_end_matches('.').to_ascii_lowercase();
        if name.is_empty() || authority.as_str().contains('@') {
            return None;
        }
        let after = authority.as_str().get(authority.host().len()..)?;
        let port = match after.strip_prefix(':') {
            Some(digits) => Some(digits.parse().ok()?),
            None if after.is_empty() => None,
            None => return None,
        };
        Some(Self { name, port })
    }

    /// Whether the name can only mean this very machine.
    pub(crate) fn is_loopback(&self) -> bool {
        let bare = self.name.trim_start_matches('[').trim_end_matches(']');
        self.name == "localhost"
            || self.name.ends_with(".localhost")
            || bare.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
    }

    /// `name` or `name:port` for the given scheme, its usual port left out.
    fn authority(&self, https: bool) -> String {
        match self.port {
            Some(port) if port != usual_port(https) => format!("{}:{port}", self.name),
            _ => self.name.clone(),
        }
    }

    /// The origin of a page that was fetched from this host.
    pub(crate) fn origin(&self, https: bool) -> String {
        format!("{}://{}", if https { "https" } else { "http" }, self.authority(https))
    }
}

const fn usual_port(https: bool) -> u16 {
    if https { 443 } else { 80 }
}

/// The address people use: a scheme, a host and a port, no path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PublicUrl {
    host: HostName,
    https: bool,
    origin: String,
}

impl PublicUrl {
    /// Reads `http://host[:port]` or `https://host[:port]`, a final slash allowed.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let refuse = || {
            format!(
                "`{text}` is no public address; write for example https://inferex.example.org, without a path"
            )
        };
        let (https, rest) = match text.split_once("://") {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("https") => (true, rest),
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => (false, rest),
            _ => return Err(refuse()),
        };
        let host = HostName::parse(rest.strip_suffix('/').unwrap_or(rest)).ok_or_else(refuse)?;
        Ok(Self::new(host, https))
    }

    /// What a listening address stands for; "any address" becomes the loopback address.
    pub(crate) fn from_listen(listen: SocketAddr) -> Self {
        let ip = match listen.ip() {
            IpAddr::V4(Ipv4Addr::UNSPECIFIED) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(Ipv6Addr::UNSPECIFIED) => IpAddr::V6(Ipv6Addr::LOCALHOST),
            ip => ip,
        };
        let name = match ip {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        Self::new(HostName { name, port: Some(listen.port()) }, false)
    }

    fn new(host: HostName, https: bool) -> Self {
        let origin = host.origin(https);
        Self { host, https, origin }
    }

    /// `scheme://host[:port]`, as browsers write it in `Origin`; links are this plus a path.
    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    /// Whether the way to the browser is encrypted.
    pub(crate) const fn is_https(&self) -> bool {
        self.https
    }

    /// Whether a request to `host` was meant for this address.
    pub(crate) fn is_host(&self, host: &HostName) -> bool {
        self.host.authority(self.https) == host.authority(self.https)
    }
}
