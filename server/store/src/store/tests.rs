use sqlx::{ConnectOptions, Connection, SqliteConnection};

use super::*;
use crate::fixture::fixture;

async fn connect(path: &Path) -> SqliteConnection {
    options(path).connect().await.expect("connects")
}

async fn pragma(pool: &SqlitePool, name: &'static str) -> String {
    let sql = format!("SELECT CAST({name} AS TEXT) FROM pragma_{name}");
    sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(pool).await.expect("the pragma reads")
}

#[tokio::test]
async fn sqlite_has_the_fix_for_the_wal_reset_corruption() {
    let version = fixture().await.store.sqlite_version().await.expect("reads");
    let parts: Vec<u32> = version.split('.').map(|part| part.parse().expect("a number")).collect();
    assert!(parts >= vec![3, 51, 3], "{version}");
}

#[tokio::test]
async fn every_connection_is_set_up_as_decided() {
    let f = fixture().await;
    assert_eq!(pragma(&f.store.writer, "journal_mode").await, "wal");
    for pool in [&f.store.writer, &f.store.reader, &f.store.public] {
        assert_eq!(pragma(pool, "synchronous").await, "1");
        assert_eq!(pragma(pool, "foreign_keys").await, "1");
    }
    for pool in [&f.store.reader, &f.store.public] {
        let written = sqlx::query("DELETE FROM users").execute(pool).await;
        assert!(written.is_err(), "a reading connection wrote");
    }
}

#[tokio::test]
async fn every_table_is_strict_and_every_lone_id_never_returns() {
    let f = fixture().await;
    let loose: Vec<String> = sqlx::query_scalar(
        "SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main' AND strict = 0
         AND name NOT LIKE 'sqlite_%' AND name <> '_sqlx_migrations'",
    )
    .fetch_all(f.store.read())
    .await
    .expect("reads");
    assert_eq!(loose, Vec::<String>::new());
    let reusing: Vec<String> = sqlx::query_scalar(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%id %INTEGER PRIMARY KEY%'
         AND sql NOT LIKE '%AUTOINCREMENT%'",
    )
    .fetch_all(f.store.read())
    .await
    .expect("reads");
    assert_eq!(reusing, Vec::<String>::new());
}

/// The trap itself, so that the cure below is known to cure something: a deferred transaction that has read
/// is refused at once when somebody else wrote in between.
#[tokio::test]
async fn a_deferred_transaction_is_refused_at_once() {
    let f = fixture().await;
    let mut slow = connect(&f.path).await;
    let mut quick = connect(&f.path).await;
    let mut deferred = slow.begin().await.expect("begins");
    let _: i64 =
        sqlx::query_scalar("SELECT COUNT(*) FROM settings").fetch_one(&mut *deferred).await.expect("reads");
    sqlx::query("INSERT INTO settings VALUES ('a', '1', 0)").execute(&mut quick).await.expect("writes");
    let refused = sqlx::query("INSERT INTO settings VALUES ('b', '1', 0)").execute(&mut *deferred).await;
    assert!(refused.is_err_and(|error| error.to_string().contains("locked")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writers_that_read_first_wait_for_each_other() {
    let f = fixture().await;
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let store = Store::open(&f.path).await.expect("a second handle opens");
        tasks.spawn(async move {
            for _ in 0..50 {
                increase(&store).await.expect("waits for its turn instead of failing");
            }
        });
    }
    tasks.join_all().await;
    assert_eq!(f.store.setting("count").await.expect("reads"), Some("200".to_owned()));
}

async fn increase(store: &Store) -> Result<(), StoreError> {
    let mut tx = store.write().await?;
    let count: Option<String> =
        sqlx::query_scalar("SELECT value FROM settings WHERE key = 'count'").fetch_optional(&mut *tx).await?;
    let next = count.map_or(1, |count| count.parse::<u32>().expect("a number") + 1);
    sqlx::query("INSERT OR REPLACE INTO settings VALUES ('count', ?, 0)")
        .bind(next.to_string())
        .execute(&mut *tx)
        .await?;
    Ok(tx.commit().await?)
}

#[tokio::test]
async fn strangers_hold_up_nobody_who_works_here() {
    let f = fixture().await;
    let mut held = Vec::new();
    for _ in 0..PUBLIC_READERS {
        held.push(f.store.public.acquire().await.expect("a public connection"));
    }
    assert!(f.store.public.try_acquire().is_none(), "the public pool is used up");
    assert_eq!(f.store.user_count().await.expect("reads on other connections"), 0);
}

#[tokio::test]
async fn a_full_disk_fails_what_was_written_and_nothing_after_it() {
    let f = fixture().await;
    let pages: i64 = sqlx::query_scalar("PRAGMA page_count").fetch_one(&f.store.writer).await.expect("reads");
    let full = sqlx::AssertSqlSafe(format!("PRAGMA max_page_count = {pages}"));
    sqlx::query(full).execute(&f.store.writer).await.expect("sets");
    let (actor, long) = (inferex_model::actor::Actor::local(), "x".repeat(1_000_000));
    let now = inferex_model::time::Timestamp(1);
    let refused = f.store.put_setting(&actor, "long", &long, now).await.expect_err("no room");
    assert!(refused.to_string().contains("full"), "{refused}");
    // The limit belongs to the connection that SQLite left without its transaction.
    f.store.put_setting(&actor, "short", "x", now).await.expect("the next writer has a sound connection");
    assert_eq!(f.store.setting("long").await.expect("reads"), None);
}
