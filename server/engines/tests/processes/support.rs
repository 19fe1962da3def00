//! What the integration tests share.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use inferex_engines::procfs::ProcFs;

/// The engine double, which cargo builds beside the tests.
pub(crate) fn double_program() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let target = test.ancestors().nth(2).expect("target/debug/deps/TEST");
    let program = target.join("examples/engine_double");
    assert!(program.is_file(), "{} is missing; run `cargo build --examples` first", program.display());
    program
}

/// Whether no living process is left in the group.
pub(crate) fn group_is_gone(group: i32) -> bool {
    ProcFs::default().group_members(group).is_empty()
}

/// Polls, because a kill elsewhere can only be observed by looking again.
pub(crate) fn within(limit: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let until = Instant::now() + limit;
    while Instant::now() < until {
        if holds() {
            return true;
        }
        std::thread::park_timeout(Duration::from_millis(10));
    }
    holds()
}
