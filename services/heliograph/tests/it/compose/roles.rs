//! The roles of `compose.yaml`: `deploy/database/roles.sh` on a real server, for a new database and
//! for one whose tables were a superuser's.

use std::process::Command;

use service_kit::config::DatabaseConfig;
use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;
use test_support::database::TestDatabase;

use super::deploy;
use crate::backup::{migrate, programs};
use crate::node_packages;

const SERVICES: [&str; 3] = ["tools", "orchestrator", "bff"];

/// The URL of a service's role, in the form that `deploy/secrets.sh` gives it.
fn url(database: &TestDatabase, role: &str, password: &str) -> String {
    let (_, server) = database.url().rsplit_once('@').unwrap();
    format!("postgres://{role}:{password}@{server}")
}

fn config(url: String) -> DatabaseConfig {
    DatabaseConfig {
        url: Some(url.into()),
        ..DatabaseConfig::default()
    }
}

/// Runs the script with a password of all three.
async fn make_roles(database: &TestDatabase, password: &str) {
    let secrets = tempfile::tempdir().unwrap();
    for service in SERVICES {
        let file = secrets.path().join(format!("{service}-url"));
        std::fs::write(file, url(database, service, password)).unwrap();
    }
    let server: PgConnectOptions = database.url().parse().unwrap();
    let (user, _) = database.url().rsplit_once('@').unwrap();
    let given = user.rsplit_once(':').unwrap().1;
    let programs = programs(database.pool()).await;
    let line = format!("PATH={}:$PATH; exec \"$0\"", programs.display());
    let mut script = Command::new("bash");
    script.args(["-c", &line]);
    script.arg(deploy().join("database/roles.sh"));
    script.env("SECRETS", secrets.path());
    script.env("PGHOST", server.get_host());
    script.env("PGPORT", server.get_port().to_string());
    script.env("PGPASSWORD", given);
    script.env("POSTGRES_USER", server.get_username());
    script.env("POSTGRES_DB", database.name());
    let output = script.output().unwrap();
    assert!(output.status.success(), "{}", node_packages::text(&output));
}

/// Tables, views, sequences, routines and types of the services that are not their role's.
async fn of_others(pool: &PgPool) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT name FROM (
             SELECT oid::regclass::text AS name, relnamespace AS schema, relowner AS owner FROM pg_class
             UNION ALL SELECT oid::regprocedure::text, pronamespace, proowner FROM pg_proc
             UNION ALL SELECT oid::regtype::text, typnamespace, typowner FROM pg_type) objects
         JOIN pg_namespace n ON n.oid = objects.schema
         WHERE n.nspname IN ('tools', 'orchestrator', 'bff')
           AND (objects.owner <> to_regrole(n.nspname) OR n.nspowner <> to_regrole(n.nspname))",
    )
    .fetch_all(pool)
    .await
    .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_service_has_a_role_that_owns_its_schema_and_reaches_no_other() {
    let new = TestDatabase::empty().await.unwrap();
    make_roles(&new, "first").await;
    for service in SERVICES {
        migrate(&config(url(&new, service, "first")), service).await;
    }
    assert_eq!(of_others(new.pool()).await, Vec::<String>::new());
    let tools = PgPool::connect(&url(&new, "tools", "first")).await.unwrap();
    let read = sqlx::query("SELECT * FROM bff.accounts")
        .execute(&tools)
        .await;
    assert!(read.unwrap_err().to_string().contains("permission denied"));
    let superuser: bool =
        sqlx::query_scalar("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
            .fetch_one(&tools)
            .await
            .unwrap();
    assert!(!superuser);
    tools.close().await;

    // An installation whose services were the superuser; and passwords that have changed.
    let earlier = TestDatabase::empty().await.unwrap();
    for service in SERVICES {
        migrate(&config(earlier.url().to_owned()), service).await;
    }
    assert!(!of_others(earlier.pool()).await.is_empty());
    make_roles(&earlier, "second").await;
    assert_eq!(of_others(earlier.pool()).await, Vec::<String>::new());
    for service in SERVICES {
        migrate(&config(url(&earlier, service, "second")), service).await;
        let before = PgPool::connect(&url(&earlier, service, "first")).await;
        assert!(before.is_err(), "{service}: the password of before works");
    }
}
