//! One installation in a folder of its own, which outlives the servers that are started in it.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use super::engine;
use super::server::Server;

/// A data folder, a model file, and commands that see nothing else of this machine.
pub(super) struct House {
    folder: TempDir,
    extra: Vec<(&'static str, String)>,
}

/// What a command said.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) code: i32,
    pub(super) out: String,
    pub(super) err: String,
}

impl House {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("model.gguf"), "GGUF").expect("a model file");
        Self { folder, extra: Vec::new() }
    }

    /// The same house with one more variable for all its commands.
    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.extra.push((name, value.into()));
        self
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn data(&self) -> PathBuf {
        self.path("data")
    }

    /// The program with a clean environment.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_inferex"));
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path())
            .env("INFEREX_DATA_DIR", self.data())
            .env("INFEREX_LISTEN", "127.0.0.1:0")
            .env("INFEREX_LLAMA_SERVER", engine::program())
            .envs(self.extra.iter().map(|(name, value)| (name, value)))
            .current_dir(self.folder.path())
            .kill_on_drop(true);
        command
    }

    /// Runs a command to its end.
    pub(super) async fn run(&self, args: &[&str]) -> Said {
        self.run_with_input(args, "").await
    }

    /// Runs a command that reads `input`.
    pub(super) async fn run_with_input(&self, args: &[&str], input: &str) -> Said {
        let mut command = self.command();
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("started");
        let mut stdin = child.stdin.take().expect("a pipe");
        // A command that reads nothing may have closed its end already.
        let _ = stdin.write_all(input.as_bytes()).await;
        drop(stdin);
        let output = tokio::time::timeout(super::wait::PATIENCE, child.wait_with_output()).await;
        let output = output.unwrap_or_else(|_| panic!("{args:?} did not end")).expect("waited for");
        Said {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Starts the server and waits until it answers.
    pub(super) async fn serve(&self) -> Server {
        Server::start(self).await
    }

    /// A server with an admin who is signed in, and these variants: name and script.
    pub(super) async fn serve_ready(&self, variants: &[(&str, &str)]) -> Server {
        let mut server = self.serve().await;
        server.set_up().await;
        self.import(variants).await;
        server
    }

    /// Stores variants through the command line.
    pub(super) async fn import(&self, variants: &[(&str, &str)]) -> Said {
        let file = self.path("variants.toml");
        std::fs::write(&file, self.variants(variants)).expect("written");
        let said = self.run(&["variant", "import", text(&file)]).await;
        assert_eq!(said.code, 0, "{said:?}");
        said
    }

    fn variants(&self, variants: &[(&str, &str)]) -> String {
        let table = |(name, script): &(&str, &str)| {
            let model = self.path("model.gguf").display().to_string();
            format!(
                "[[variant]]\nname = {name:?}\nengine = \"llama_cpp\"\nmodel = {model:?}\nquantisation = \"F16\"\n\
                 args = [\"--parallel\", \"4\", \"--log-file\", \"/var/log/x\"]\nstart_deadline = \"60s\"\n\
                 provenance = {{ kind = \"self_made\", from = \"a file of four letters\" }}\n\
                 env = {{ SCRIPT = {script:?} }}\n\n"
            )
        };
        variants.iter().map(table).collect()
    }
}

impl Said {
    /// The one sentence of a refusal; anything more on standard error fails.
    pub(super) fn refusal(&self, code: i32) -> &str {
        let lines: Vec<&str> = self.err.lines().collect();
        assert_eq!((self.code, lines.len()), (code, 1), "{self:?}");
        assert_eq!(self.out, "", "{self:?}");
        lines[0].strip_prefix("inferex: ").unwrap_or_else(|| panic!("{self:?}"))
    }
}

/// A path as an argument.
pub(super) fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}
