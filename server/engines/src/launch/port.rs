//! The port an engine listens on: free and chosen by us, or the wanted one if nobody holds it.

use std::net::{IpAddr, Ipv4Addr, TcpListener};

use inferex_model::deployment::{Failure, FailureClass};

use crate::explain::refusal;
use crate::procfs::ProcFs;

/// The wanted port if it can be bound, else a free one.
///
/// The port is free again when this returns; the check that the answering server is ours covers the gap.
pub(super) fn choose(procfs: &ProcFs, host: &str, wanted: Option<u16>) -> Result<u16, Failure> {
    let address = host.parse().unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let bound = TcpListener::bind((address, wanted.unwrap_or(0))).and_then(|socket| socket.local_addr());
    match (bound, wanted) {
        (Ok(address), _) => Ok(address.port()),
        (Err(error), Some(port)) if error.kind() == std::io::ErrorKind::AddrInUse => {
            Err(in_use(procfs, host, port))
        }
        (Err(error), wanted) => {
            let port = wanted.map_or_else(|| "a free port".to_owned(), |port| format!("port {port}"));
            Err(refusal(
                FailureClass::PortInUse,
                format!("Nothing can listen on {port} of {host}: {error}"),
                "Choose another `--host` or `--port`, or leave both out.",
            ))
        }
    }
}

fn in_use(procfs: &ProcFs, host: &str, port: u16) -> Failure {
    let holder = procfs.listener(port);
    let by = holder.map(|holder| format!(" by {} (process {})", holder.name, holder.pid)).unwrap_or_default();
    refusal(
        FailureClass::PortInUse,
        format!("Port {port} of {host} is in use{by}"),
        "Stop what listens there, or leave `--port` out and a free one is chosen.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_free_port_is_chosen_and_a_taken_one_is_refused_with_its_holder() {
        let procfs = ProcFs::default();
        assert!(choose(&procfs, "127.0.0.1", None).is_ok_and(|port| port > 0));
        let taken = TcpListener::bind("127.0.0.1:0").expect("bound");
        let port = taken.local_addr().expect("an address").port();
        let refused = choose(&procfs, "127.0.0.1", Some(port)).expect_err("refused");
        assert_eq!(refused.class, FailureClass::PortInUse);
        assert!(refused.sentence.contains(&format!("Port {port} ")), "{}", refused.sentence);
        assert!(refused.sentence.contains(&std::process::id().to_string()), "{}", refused.sentence);
        drop(taken);
        assert_eq!(choose(&procfs, "127.0.0.1", Some(port)), Ok(port));
    }
}
