//! The supervised process group: spawned, watched, ended.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use inferex_model::deployment::ProcessIdentity;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::signal::unix::{SignalKind, signal};

use super::SuperviseArgs;
use crate::procfs::ProcFs;

/// What wakes the supervisor.
enum Wake {
    /// The leader ended; it is not reaped yet, so its group id cannot be reused.
    LeaderEnded,
    /// Standard input ended or a signal asked us to go.
    EndAsked,
}

/// A command that leads a process group of its own.
pub(super) struct Group {
    leader: Child,
    pid: Pid,
    identity: ProcessIdentity,
    wake: Sender<Wake>,
    woken: Receiver<Wake>,
}

impl Group {
    pub(super) fn spawn(args: &SuperviseArgs) -> io::Result<Self> {
        let output = open_output(args)?;
        let (wake, woken) = channel();
        // Before there is anything to lose: a signal must never end us while the group lives.
        watch_signals(wake.clone());
        let mut leader = Command::new(&args.command[0])
            .args(&args.command[1..])
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .process_group(0)
            .spawn()?;
        let raw = i32::try_from(leader.id()).ok();
        let identity = raw.and_then(|raw| ProcFs::default().identity(raw));
        if let Some((pid, identity)) = raw.and_then(Pid::from_raw).zip(identity) {
            return Ok(Self { leader, pid, identity, wake, woken });
        }
        leader.kill()?;
        leader.wait()?;
        Err(io::Error::other("/proc does not tell the identity of the process"))
    }

    pub(super) fn identity(&self) -> &ProcessIdentity {
        &self.identity
    }

    /// Waits for the first reason to end, ends the group, and gives the leader's exit code.
    pub(super) fn wait(mut self, grace: Duration) -> u8 {
        watch_leader(self.pid, self.wake.clone());
        watch_input(self.wake.clone());
        if matches!(self.woken.recv(), Ok(Wake::EndAsked) | Err(_)) {
            self.signal(Signal::TERM);
            wait_for_leader(&self.woken, grace);
        }
        // The leader is unreaped here whether it ended or not: the group id is still ours.
        self.signal(Signal::KILL);
        self.leader.wait().map_or(u8::MAX, exit_code)
    }

    fn signal(&self, signal: Signal) {
        // The only possible error is that nobody is left, which is what we want.
        let _ = kill_process_group(self.pid, signal);
    }
}

fn open_output(args: &SuperviseArgs) -> io::Result<File> {
    let named = |error: io::Error| {
        io::Error::other(format!("the output file {} cannot be opened: {error}", args.output.display()))
    };
    if let Some(folder) = args.output.parent() {
        std::fs::create_dir_all(folder).map_err(named)?;
    }
    OpenOptions::new().create(true).append(true).mode(0o600).open(&args.output).map_err(named)
}

/// Returns early when the leader ends; further requests to end do not shorten its grace.
fn wait_for_leader(woken: &Receiver<Wake>, grace: Duration) {
    let until = std::time::Instant::now() + grace;
    loop {
        let left = until.saturating_duration_since(std::time::Instant::now());
        match woken.recv_timeout(left) {
            Ok(Wake::EndAsked) => {}
            Ok(Wake::LeaderEnded) | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return,
        }
    }
}

fn watch_leader(pid: Pid, wake: Sender<Wake>) {
    std::thread::spawn(move || {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), options) {}
        let _ = wake.send(Wake::LeaderEnded);
    });
}

fn watch_input(wake: Sender<Wake>) {
    std::thread::spawn(move || {
        let (mut input, mut buffer) = (io::stdin().lock(), [0_u8; 64]);
        loop {
            match input.read(&mut buffer) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        let _ = wake.send(Wake::EndAsked);
    });
}

/// Turns signals into requests to end; returns once they are caught.
fn watch_signals(wake: Sender<Wake>) {
    let (caught, registered) = channel::<()>();
    std::thread::spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else { return };
        runtime.block_on(async {
            let kinds = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()];
            let [Ok(mut term), Ok(mut int), Ok(mut hup)] = kinds.map(signal) else { return };
            drop(caught);
            loop {
                tokio::select! { _ = term.recv() => {}, _ = int.recv() => {}, _ = hup.recv() => {} }
                if wake.send(Wake::EndAsked).is_err() {
                    return;
                }
            }
        });
    }); // Ends when the thread drops its sender: handlers installed, or impossible here.
    let _: Result<(), _> = registered.recv();
}

fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}
