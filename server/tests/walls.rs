//! The walls of the house: which crate may know which, and which library belongs to which crate alone.
//!
//! Arrows go one way. A new crate in the workspace needs a rule here before this passes. Start from [`RULES`].

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

/// What a crate may depend on.
struct Rule {
    folder: &'static str,
    name: &'static str,
    /// Crates of ours.
    ours: &'static [&'static str],
    /// Libraries of others; `None` allows any that is no crate's own.
    others: Option<&'static [&'static str]>,
}

const RULES: [Rule; 7] = [
    Rule { folder: "app", name: "inferex-app", ours: &["inferex-model"], others: None },
    Rule {
        folder: "server",
        name: "inferex",
        ours: &[
            "inferex-app",
            "inferex-model",
            "inferex-bench",
            "inferex-engines",
            "inferex-store",
            "inferex-charts",
        ],
        others: None,
    },
    // No I/O: it must build for the browser too.
    Rule {
        folder: "server/model",
        name: "inferex-model",
        ours: &[],
        others: Some(&["serde", "serde_json", "thiserror"]),
    },
    Rule { folder: "server/bench", name: "inferex-bench", ours: &["inferex-model"], others: None },
    Rule { folder: "server/engines", name: "inferex-engines", ours: &["inferex-model"], others: None },
    Rule { folder: "server/store", name: "inferex-store", ours: &["inferex-model"], others: None },
    Rule { folder: "server/charts", name: "inferex-charts", ours: &[], others: None },
];

/// Libraries that decide what a crate is, with the crates that may know them.
const OWNED: [(&str, &[&str]); 8] = [
    ("sqlx", &["inferex-store"]),
    ("argon2", &["inferex"]),
    ("tower-sessions", &["inferex"]),
    ("clap", &["inferex"]),
    ("plotters", &["inferex-charts"]),
    ("leptos", &["inferex", "inferex-app"]),
    ("leptos_axum", &["inferex", "inferex-app"]),
    ("reqwest", &["inferex", "inferex-engines"]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned()
}

fn table(path: &Path) -> Table {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Names of all dependencies; those of tests and examples only where `tests` asks for them.
fn dependencies(manifest: &Table, tests: bool) -> BTreeSet<String> {
    let mut sections = vec!["dependencies", "build-dependencies"];
    if tests {
        sections.push("dev-dependencies");
    }
    let targets = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let tables = std::iter::once(manifest).chain(targets.filter_map(Value::as_table));
    let listed =
        tables.flat_map(|table| sections.iter().filter_map(|section| table.get(*section)?.as_table()));
    // A renamed dependency is known by its own name.
    let name = |(key, value): (&String, &Value)| {
        value.get("package").and_then(Value::as_str).unwrap_or(key).to_owned()
    };
    listed.flat_map(|section| section.iter().map(name).collect::<Vec<_>>()).collect()
}

/// What a manifest reaches for that its rule does not allow.
fn reaches(rule: &Rule, manifest: &Table) -> Vec<String> {
    let mut found = Vec::new();
    for name in dependencies(manifest, true) {
        if !is_allowed(rule, &name) {
            found.push(format!("{} depends on {name}", rule.name));
        }
    }
    for name in dependencies(manifest, false) {
        let foreign = !name.starts_with("inferex");
        if foreign && rule.others.is_some_and(|others| !others.contains(&name.as_str())) {
            found.push(format!("{} depends on {name}", rule.name));
        }
    }
    found
}

fn is_allowed(rule: &Rule, name: &str) -> bool {
    if name.starts_with("inferex") {
        return rule.ours.contains(&name);
    }
    OWNED.iter().all(|(library, owners)| *library != name || owners.contains(&rule.name))
}

/// What a source file names that its crate must not know. Comments and texts may name anything.
fn names(rule: &Rule, source: &str) -> Vec<String> {
    let code = code_of(source);
    let words: BTreeSet<&str> = code
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .collect();
    let crates = RULES.iter().map(|rule| rule.name).chain(OWNED.iter().map(|(library, _)| *library));
    // The program's own crate name is no name that another crate could import.
    let crates = crates.filter(|name| *name != "inferex" && *name != rule.name);
    let mut found: Vec<String> = crates
        .filter(|name| !is_allowed(rule, name) && words.contains(name.replace('-', "_").as_str()))
        .map(|name| format!("{} uses {name}", rule.name))
        .collect();
    if words.contains("unsafe") {
        found.push(format!("{} is unsafe", rule.name));
    }
    found
}

/// The source without comments and texts.
fn code_of(source: &str) -> String {
    let mut code = String::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let skipped = skipped(rest);
        if skipped == 0 {
            code.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            code.push(' ');
            rest = &rest[skipped..];
        }
    }
    code
}

/// Bytes of the comment or text that `rest` begins with; 0 when it begins with code.
fn skipped(rest: &str) -> usize {
    let through = |opening: usize, end: &str| {
        rest[opening..].find(end).map_or(rest.len(), |at| opening + at + end.len())
    };
    if rest.starts_with("//") {
        return through(0, "\n");
    }
    if rest.starts_with("/*") {
        return through(2, "*/");
    }
    if rest.starts_with("'\"'") {
        return 3;
    }
    let hashes = rest.strip_prefix('r').map(|raw| raw.len() - raw.trim_start_matches('#').len());
    if let Some(hashes) = hashes.filter(|hashes| rest[1 + hashes..].starts_with('"')) {
        return through(hashes + 2, &format!("\"{}", "#".repeat(hashes)));
    }
    if rest.starts_with('"') { text_length(rest) } else { 0 }
}

/// Bytes up to and with the closing quote that no backslash stands before.
fn text_length(rest: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Every Rust file of a crate, without the crates that lie inside its folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in std::fs::read_dir(&at).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() && !path.join("Cargo.toml").exists() && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files
}

#[test]
fn every_crate_of_the_workspace_has_a_rule() {
    let workspace = table(&root().join("Cargo.toml"));
    let members = workspace["workspace"]["members"].as_array().expect("members");
    let members: BTreeSet<&str> = members.iter().filter_map(Value::as_str).collect();
    let ruled: BTreeSet<&str> = RULES.iter().map(|rule| rule.folder).collect();
    assert_eq!(members, ruled);
    assert_eq!(workspace["workspace"]["lints"]["rust"]["unsafe_code"].as_str(), Some("forbid"));
}

#[test]
fn no_manifest_reaches_through_a_wall() {
    let mut found = Vec::new();
    for rule in &RULES {
        let manifest = table(&root().join(rule.folder).join("Cargo.toml"));
        assert_eq!(manifest["package"]["name"].as_str(), Some(rule.name));
        assert_eq!(manifest["lints"]["workspace"].as_bool(), Some(true), "{} inherits the lints", rule.name);
        found.extend(reaches(rule, &manifest));
    }
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn no_source_names_what_lies_behind_a_wall() {
    let mut found = Vec::new();
    for rule in &RULES {
        let files = sources(&root().join(rule.folder));
        assert!(!files.is_empty(), "{} has sources", rule.folder);
        for file in files {
            let source = std::fs::read_to_string(&file).expect("UTF-8");
            found.extend(names(rule, &source).into_iter().map(|what| format!("{}: {what}", file.display())));
        }
    }
    assert_eq!(found, Vec::<String>::new());
}

fn rule(name: &str) -> &'static Rule {
    RULES.iter().find(|rule| rule.name == name).expect("a rule")
}

#[test]
fn a_dependency_behind_a_wall_is_found_wherever_it_hides() {
    let cases = [
        ("inferex-app", "[dependencies]\nsqlx.workspace = true", "sqlx"),
        ("inferex-app", "[dependencies]\ninferex-store.workspace = true", "inferex-store"),
        ("inferex-bench", "[dev-dependencies]\ninferex-engines.workspace = true", "inferex-engines"),
        (
            "inferex-engines",
            "[dependencies]\nx = { package = \"inferex-bench\", version = \"1\" }",
            "inferex-bench",
        ),
        ("inferex-store", "[build-dependencies]\ninferex-app.workspace = true", "inferex-app"),
        (
            "inferex-charts",
            "[target.'cfg(unix)'.dependencies]\ninferex-model.workspace = true",
            "inferex-model",
        ),
        ("inferex-model", "[dependencies]\ntokio.workspace = true", "tokio"),
        ("inferex", "[dependencies]\nsqlx.workspace = true", "sqlx"),
    ];
    for (name, manifest, behind) in cases {
        let found = reaches(rule(name), &manifest.parse().expect("TOML"));
        assert_eq!(found, [format!("{name} depends on {behind}")]);
    }
    let sound = "[dependencies]\ninferex-model.workspace = true\nserde.workspace = true";
    assert_eq!(reaches(rule("inferex-bench"), &sound.parse().expect("TOML")), Vec::<String>::new());
}

#[test]
fn a_name_behind_a_wall_is_found_and_words_about_it_are_not() {
    for (source, found) in [
        ("use sqlx::query;", &["inferex uses sqlx"][..]),
        ("fn f() { let _ = tower::x(); sqlx::query!(\"select 1\") }", &["inferex uses sqlx"]),
        ("fn f() { unsafe { g() } }", &["inferex is unsafe"]),
        ("// sqlx is the store's; unsafe is nobody's\nlet text = \"sqlx, unsafe\";", &[]),
        (
            "let a = \"http://x\"; let b = '\"'; let c = \"\\\"\"; /* \" */ let d = r#\"\"\"#; use sqlx::query;",
            &["inferex uses sqlx"],
        ),
        ("use inferex_store::Store;", &[]),
    ] {
        assert_eq!(names(rule("inferex"), source), found, "{source}");
    }
    let import = "use inferex_engines::launch::Launcher;";
    assert_eq!(names(rule("inferex-bench"), import), ["inferex-bench uses inferex-engines"]);
}
