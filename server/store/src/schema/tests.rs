use std::borrow::Cow;

use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType};

use super::*;
use crate::Store;
use crate::fixture::{NOW, fixture};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("the file is there").permissions().mode() & 0o777
}

/// A later version of the program, whose newest migration is `sql`.
fn later(sql: &'static str) -> Migrator {
    let version = newest() + 1;
    let description = Cow::Borrowed("later");
    let added = Migration::new(version, description, MigrationType::Simple, sql.into_sql_str(), false);
    let mut all: Vec<Migration> = MIGRATIONS.iter().cloned().collect();
    all.push(added);
    Migrator::with_migrations(all)
}

fn newest() -> i64 {
    MIGRATIONS.iter().map(|migration| migration.version).max().expect("there are migrations")
}

#[tokio::test]
async fn a_fresh_database_and_its_companions_are_private() {
    let f = fixture().await;
    f.store.put_setting(&inferex_model::actor::Actor::local(), "a", "b", NOW).await.expect("writes");
    for companion in ["", "-wal", "-shm"] {
        let file = PathBuf::from(format!("{}{companion}", f.path.display()));
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
    assert!(!backup_path(&f.path, newest()).exists(), "nothing was upgraded");
}

#[tokio::test]
async fn a_database_that_others_could_read_is_closed_to_them() {
    let f = fixture().await;
    f.store.close().await;
    fs::set_permissions(&f.path, Permissions::from_mode(0o644)).expect("mode is set");
    prepare(&f.path).await.expect("opens");
    assert_eq!(mode(&f.path), 0o600);
}

#[tokio::test]
async fn an_upgrade_leaves_a_copy_of_what_was_there() {
    let f = fixture().await;
    f.store.put_setting(&inferex_model::actor::Actor::local(), "kept", "yes", NOW).await.expect("writes");
    f.store.close().await;
    fs::write(backup_path(&f.path, newest()), "an older copy").expect("writes");
    prepare_with(&f.path, &later("CREATE TABLE later (id INTEGER) STRICT")).await.expect("upgrades");

    let copy = backup_path(&f.path, newest());
    assert_eq!(mode(&copy), 0o600);
    let restored = Store::open(&copy).await.expect("the copy has the old schema");
    assert_eq!(restored.setting("kept").await.expect("reads"), Some("yes".to_owned()));
}

#[tokio::test]
async fn a_newer_database_is_refused_in_a_sentence_and_left_alone() {
    let f = fixture().await;
    f.store.close().await;
    prepare_with(&f.path, &later("CREATE TABLE later (id INTEGER) STRICT")).await.expect("upgrades");
    let before = fs::read(&f.path).expect("reads");
    let error = Store::open(&f.path).await.expect_err("too new");
    assert!(matches!(error, StoreError::Newer { found, known, .. } if found == known + 1), "{error}");
    assert!(error.to_string().contains("start a newer inferex"), "{error}");
    assert_eq!(fs::read(&f.path).expect("reads"), before);
}

#[tokio::test]
async fn a_migration_that_fails_changes_nothing() {
    let f = fixture().await;
    f.store.close().await;
    let bad = later("CREATE TABLE half (id INTEGER) STRICT; SELECT nonsense FROM nowhere;");
    let error = prepare_with(&f.path, &bad).await.expect_err("the migration is bad");
    assert!(matches!(error, StoreError::Migrate { .. }), "{error}");
    let store = Store::open(&f.path).await.expect("the old program still opens it");
    let half: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM sqlite_schema WHERE name = 'half'")
        .fetch_one(store.read())
        .await
        .expect("reads");
    assert_eq!(half, 0);
}

#[tokio::test]
async fn what_is_not_our_database_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = folder.path().join("text.db");
    fs::write(&text, "x".repeat(4096)).expect("writes");
    assert!(matches!(Store::open(&text).await, Err(StoreError::Open { .. })));

    let other = folder.path().join("other.db");
    let mut conn = SqliteConnectOptions::new()
        .filename(&other)
        .create_if_missing(true)
        .connect()
        .await
        .expect("connects");
    sqlx::query("CREATE TABLE recipes (id INTEGER)")
        .execute(&mut conn)
        .await
        .expect("another program's table");
    assert!(matches!(Store::open(&other).await, Err(StoreError::Foreign { .. })));

    let nowhere = folder.path().join("missing/inferex.db");
    assert!(matches!(Store::open(&nowhere).await, Err(StoreError::File { .. })));
}
