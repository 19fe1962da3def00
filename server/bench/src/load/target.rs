//! Where the load goes: a URL, resolved once, so that name look-ups never stand inside a measured request.

use std::net::SocketAddr;

use http::Uri;
use http::uri::Scheme;

use super::LoadError;

/// A resolved address.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// For the `Host` field.
    pub(crate) authority: String,
    pub(crate) addresses: Vec<SocketAddr>,
}

impl Target {
    pub(crate) async fn resolve(url: &str) -> Result<Self, LoadError> {
        let (authority, host, port) = parse(url)?;
        let refuse = |source| LoadError::Resolve { url: url.to_owned(), source };
        let addresses: Vec<_> = tokio::net::lookup_host((host, port)).await.map_err(refuse)?.collect();
        if addresses.is_empty() {
            return Err(refuse(std::io::Error::other("no address")));
        }
        Ok(Self { authority, addresses })
    }
}

/// Authority, host and port of a URL.
fn parse(url: &str) -> Result<(String, String, u16), LoadError> {
    let refuse = |why| {
        // Credentials before an `@` must not reach a log.
        let shown = url.rsplit('@').next().unwrap_or_default().chars().take(120).collect();
        LoadError::Url { url: shown, why }
    };
    let uri: Uri = url.parse().map_err(|_| refuse("it is no URL"))?;
    let authority = uri.authority().ok_or_else(|| refuse("it names no host"))?;
    if uri.scheme() != Some(&Scheme::HTTP) {
        return Err(refuse("only plain http is measured"));
    }
    if authority.as_str().contains('@') {
        return Err(refuse("it holds credentials"));
    }
    if !matches!(uri.path(), "" | "/") || uri.query().is_some() {
        return Err(refuse("it has a path or a query"));
    }
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    if host.is_empty() {
        return Err(refuse("it names no host"));
    }
    Ok((authority.as_str().to_owned(), host.to_owned(), authority.port_u16().unwrap_or(80)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_gives_host_and_port() {
        let parts = |url: &str| parse(url).map(|(_, host, port)| (host, port)).ok();
        assert_eq!(parts("http://127.0.0.1:8001"), Some(("127.0.0.1".to_owned(), 8001)));
        assert_eq!(parts("http://localhost/"), Some(("localhost".to_owned(), 80)));
        assert_eq!(parts("http://[::1]:81"), Some(("::1".to_owned(), 81)));
    }

    #[test]
    fn other_addresses_are_refused_without_showing_credentials() {
        for url in ["", "https://a:1", "a:1", "http://", "http://a:1/v1", "http://a?b", "http://u:pw@a:1"] {
            let text = parse(url).expect_err(url).to_string();
            assert!(!text.contains("pw"), "{text}");
        }
    }
}
