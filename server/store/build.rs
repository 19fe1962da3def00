//! Rebuilds the crate when a migration is added; the compiler itself sees only edits of the known ones.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
