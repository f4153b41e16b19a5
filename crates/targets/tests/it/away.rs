//! Databases that are unavailable, refuse the connection, or become unavailable during a query.

use std::sync::Arc;
use std::time::Duration;

use sqlx::{AssertSqlSafe, Connection, MySqlConnection, PgConnection};
use targets::{Away, Target, TargetConfig, TargetError};
use test_support::database::TestDatabase;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::fixture::{Admin, Fixture, ask, both, limits, unchecked};

fn reason(error: &TargetError) -> Away {
    match error {
        TargetError::Unavailable { target, reason } => {
            assert_eq!(target, "field");
            *reason
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_database_that_is_not_there_is_unreachable() {
    // Bound and released: nothing listens there.
    let port = TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    for scheme in ["mysql", "postgres"] {
        let config = TargetConfig {
            acquire_timeout_ms: 300,
            ..TargetConfig::new("field", format!("{scheme}://u:p@127.0.0.1:{port}/d"))
        };
        let target = Target::new(config).unwrap();
        let error = target.catalogue().await.unwrap_err();
        assert_eq!(reason(&error), Away::Unreachable);
        assert_eq!(error.to_string(), "The database 'field' cannot be reached.");
        assert_eq!(reason(&target.ping().await.unwrap_err()), Away::Unreachable);
    }
}

#[tokio::test]
async fn a_server_that_says_nothing_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let config = TargetConfig {
        acquire_timeout_ms: 300,
        ..TargetConfig::new("field", format!("mysql://u:p@127.0.0.1:{port}/d"))
    };
    assert_eq!(
        reason(&Target::new(config).unwrap().catalogue().await.unwrap_err()),
        Away::Unreachable
    );
}

#[tokio::test]
async fn a_server_that_is_not_a_database_is_said_to_be_another() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let serving = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
            let mut rest = [0; 1024];
            while stream.read(&mut rest).await.is_ok_and(|read| read > 0) {}
        }
    });
    let config = TargetConfig::new("field", format!("postgres://u:p@127.0.0.1:{port}/d"));
    let examined = Target::new(config).unwrap().examine().await;
    let (_, why) = examined.problem().unwrap();
    assert!(why.contains("not as a database of this kind does"), "{why}");
    serving.abort();
}

/// A server without TLS answers, so it is not the network that is at fault.
#[tokio::test]
async fn a_server_without_tls_is_said_to_have_none() {
    let database = TestDatabase::empty().await.unwrap();
    let plain = database.url().split('?').next().unwrap();
    let url = format!("{plain}?sslmode=require");
    let examined = Target::new(TargetConfig::new("field", url))
        .unwrap()
        .examine()
        .await;
    let (_, why) = examined.problem().unwrap();
    assert!(why.contains("does not encrypt the connection"), "{why}");
}

#[tokio::test]
async fn a_refused_login_is_told_apart() {
    for fixture in both().await {
        let wrong = TargetConfig {
            url: Some(fixture.reader_url.replace("secret", "wrong").into()),
            ..fixture.config()
        };
        let error = Target::new(wrong).unwrap().catalogue().await.unwrap_err();
        assert_eq!(reason(&error), Away::LoginRefused, "{}", fixture.dialect);
        assert_eq!(error.to_string(), "The database 'field' refuses our login.");
    }
}

#[tokio::test]
async fn a_database_that_takes_no_more_connections_is_told_apart() {
    for fixture in both().await {
        let held = fixture.target();
        held.catalogue().await.unwrap();
        let role = fixture
            .reader_url
            .split_once("://")
            .unwrap()
            .1
            .split_once(':')
            .unwrap()
            .0
            .to_owned();
        fixture
            .admin
            .run(&if fixture.dialect == "mariadb" {
                format!("ALTER USER '{role}'@'%' WITH MAX_USER_CONNECTIONS 1")
            } else {
                format!("ALTER ROLE {role} CONNECTION LIMIT 1")
            })
            .await;
        // The one connection there is stays with the first target's pool.
        let config = TargetConfig {
            acquire_timeout_ms: 1_000,
            ..fixture.config()
        };
        let error = Target::new(config).unwrap().catalogue().await.unwrap_err();
        assert!(
            matches!(reason(&error), Away::TooManyConnections | Away::Unreachable),
            "{}: {error:?}",
            fixture.dialect
        );
    }
}

#[tokio::test]
async fn a_pool_that_is_in_use_is_told_apart() {
    for fixture in both().await {
        let config = TargetConfig {
            pool_size: 1,
            max_overflow: 0,
            acquire_timeout_ms: 1_500,
            max_estimated_rows: 0,
            allow_writing_role: true,
            ..TargetConfig::new("field", fixture.admin.url())
        };
        let target = Arc::new(Target::new(config).unwrap());
        target.catalogue().await.unwrap();
        // Held open by the administrator's lock until it is let go.
        let mut lock = Lock::take(&fixture).await;
        let busy = Arc::clone(&target);
        let waiting =
            tokio::spawn(async move { ask(&busy, "SELECT count(*) AS n FROM crew").await });
        let error = loop {
            // Until the one that waits has the connection.
            if let Err(error) = target.ping().await {
                break error;
            }
            tokio::task::yield_now().await;
        };
        assert_eq!(reason(&error), Away::Busy, "{}", fixture.dialect);
        lock.release().await;
        assert_eq!(waiting.await.unwrap().unwrap().rows[0]["n"], 3);
    }
}

#[tokio::test]
async fn a_database_that_comes_back_is_asked_again() {
    for fixture in both().await {
        let target = fixture.target();
        let role = fixture
            .reader_url
            .split_once("://")
            .unwrap()
            .1
            .split_once(':')
            .unwrap()
            .0
            .to_owned();
        let (lock, unlock) = if fixture.dialect == "mariadb" {
            (
                format!("ALTER USER '{role}'@'%' ACCOUNT LOCK"),
                format!("ALTER USER '{role}'@'%' ACCOUNT UNLOCK"),
            )
        } else {
            (
                format!("ALTER ROLE {role} NOLOGIN"),
                format!("ALTER ROLE {role} LOGIN"),
            )
        };
        fixture.admin.run(&lock).await;
        assert_eq!(
            reason(&target.catalogue().await.unwrap_err()),
            Away::LoginRefused
        );
        fixture.admin.run(&unlock).await;
        assert_eq!(target.catalogue().await.unwrap().tables.len(), 4);
    }
}

/// The administrator's exclusive lock on the table `crew`.
enum Lock {
    MariaDb(MySqlConnection),
    PostgreSql(PgConnection),
}

impl Lock {
    async fn take(fixture: &Fixture) -> Lock {
        match &fixture.admin {
            Admin::MariaDb(database) => {
                let mut connection = MySqlConnection::connect(&database.url()).await.unwrap();
                sqlx::raw_sql("LOCK TABLES crew WRITE")
                    .execute(&mut connection)
                    .await
                    .unwrap();
                Lock::MariaDb(connection)
            }
            Admin::PostgreSql(database) => {
                let mut connection = PgConnection::connect(database.url()).await.unwrap();
                sqlx::raw_sql("BEGIN; LOCK TABLE crew")
                    .execute(&mut connection)
                    .await
                    .unwrap();
                Lock::PostgreSql(connection)
            }
        }
    }

    async fn release(&mut self) {
        match self {
            Lock::MariaDb(connection) => sqlx::raw_sql("UNLOCK TABLES")
                .execute(connection)
                .await
                .map(drop),
            Lock::PostgreSql(connection) => sqlx::raw_sql("ROLLBACK")
                .execute(connection)
                .await
                .map(drop),
        }
        .unwrap();
    }
}

/// Ends the sessions of all users but the administrator.
async fn kill_sessions(fixture: &Fixture) {
    match &fixture.admin {
        Admin::MariaDb(database) => {
            let mut connection = MySqlConnection::connect(&database.url()).await.unwrap();
            let ids: Vec<i64> = sqlx::query_scalar(
                "SELECT CAST(ID AS SIGNED) FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND ID <> CONNECTION_ID()",
            )
            .fetch_all(&mut connection)
            .await
            .unwrap();
            assert!(!ids.is_empty());
            for id in ids {
                sqlx::raw_sql(AssertSqlSafe(format!("KILL {id}")))
                    .execute(&mut connection)
                    .await
                    .unwrap();
            }
        }
        Admin::PostgreSql(database) => {
            let mut connection = PgConnection::connect(database.url()).await.unwrap();
            let ended: Vec<bool> = sqlx::query_scalar(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
            )
            .fetch_all(&mut connection)
            .await
            .unwrap();
            assert!(!ended.is_empty());
        }
    }
}

#[tokio::test]
async fn a_killed_connection_is_noticed_before_it_is_used() {
    for fixture in both().await {
        let target = fixture.target();
        assert_eq!(
            ask(&target, "SELECT id FROM crew")
                .await
                .unwrap()
                .rows
                .len(),
            2
        );
        kill_sessions(&fixture).await;
        // With the session's variables set again, too.
        let rows = ask(&target, "SELECT name FROM employee ORDER BY id")
            .await
            .unwrap();
        assert_eq!(rows.rows[0]["name"], "Ada", "{}", fixture.dialect);
    }
}

#[tokio::test]
async fn connections_are_recycled_and_set_up_again() {
    for fixture in both().await {
        let target = Target::new(TargetConfig {
            recycle_seconds: 1,
            ..fixture.config()
        })
        .unwrap();
        let id = if fixture.dialect == "mariadb" {
            "SELECT connection_id() AS id"
        } else {
            "SELECT pg_backend_pid() AS id"
        };
        let session = async || {
            target
                .run(&unchecked(id), &limits(&target))
                .await
                .unwrap()
                .rows[0]["id"]
                .clone()
        };
        let first = session().await;
        tokio::time::sleep(Duration::from_millis(1_100)).await;
        assert_ne!(session().await, first, "{}", fixture.dialect);
        assert_eq!(
            ask(&target, "SELECT name FROM employee ORDER BY id")
                .await
                .unwrap()
                .rows[0]["name"],
            "Ada"
        );
    }
}
