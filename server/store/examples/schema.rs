//! Creates a database with the newest schema and nothing in it: `cargo run -p inferex-store --example schema -- FILE`.
//! `deploy/sqlx-prepare` checks the queries against such a file.

use std::path::PathBuf;
use std::process::ExitCode;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("FILE: is missing; name the database file to create");
        return ExitCode::from(2);
    };
    match inferex_store::schema::prepare(&path).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
