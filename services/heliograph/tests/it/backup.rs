//! A backup of everything, the loss of the database, and what is there after the restore.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use http::StatusCode;
use secrecy::SecretString;
use service_kit::clock::{RandomIds, SystemClock};
use service_kit::config::DatabaseConfig;
use service_kit::database::DatabaseHealth;
use sqlx::PgPool;
use test_support::database::TestDatabase;

use crate::demo_stack::{DemoStack, ask};

const KEY: &str = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
const OTHER_KEY: &str = "MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI=";

#[tokio::test(flavor = "multi_thread")]
async fn after_a_dump_a_loss_and_a_restore_nothing_is_missing() {
    let files = tempfile::tempdir().unwrap();
    let stack = DemoStack::start_with(|config| {
        config.orchestrator.checkpoints.store = orchestrator::config::CheckpointStore::Postgres;
        config.bff.signing.encryption_key = Some(KEY.into());
    })
    .await;
    let (user, token) = (stack.demo_user().await, stack.token().await);
    let said = ask(&user, "t-kept", "Check the health of LTI-INV-001").await;
    let open = ask(&user, "t-open", "Check the health").await;
    assert!(open.asks_back());
    let (_, kept) = messages(&stack, &token).await;
    assert!(kept.contains("LTI-INV-001"), "{kept}");
    let resting = stack.rest().await;

    // The dump; what is lost; the restore into an empty database.
    let (lost, pool) = (resting.database().url(), resting.database().pool());
    let programs = programs(pool).await;
    let run =
        |line: &str, variables: &[(&str, &str)]| run_line(&programs, files.path(), line, variables);
    let [backup, restore, ..] = &documented()[..] else {
        panic!("docs/operating.md has no commands")
    };
    run(backup, &[("DATABASE_URL", lost)]);
    let before = contents(pool).await;
    let schema_only = "pg_dump --schema-only --no-owner \"$DATABASE_URL\"";
    let schema = |url: &str| lines_of(&run(schema_only, &[("DATABASE_URL", url)]));
    let schema_before = schema(lost);
    assert!(before.len() > 20, "{before:?}");
    let mut tables = before.iter().map(|(table, ..)| table);
    assert!(
        tables.any(|table| table.contains("checkpoint")),
        "{before:?}"
    );
    let restored = TestDatabase::empty().await.unwrap();
    run(restore, &[("EMPTY_DATABASE_URL", restored.url())]);
    for (table, count, digest) in contents(restored.pool()).await {
        let was = before.iter().find(|(name, ..)| *name == table);
        let (_, rows, checksum) = was.unwrap_or_else(|| panic!("{table} is new"));
        assert_eq!((count, &digest), (*rows, checksum), "{table}");
    }
    assert_eq!(contents(restored.pool()).await.len(), before.len());
    assert_eq!(schema(restored.url()), schema_before);
    // No migration is needed.
    assert!(tools::database::is_migrated(restored.pool()).await.unwrap());
    assert!(
        orchestrator::database::is_migrated(restored.pool())
            .await
            .unwrap()
    );
    assert!(bff::database::is_migrated(restored.pool()).await.unwrap());

    // Services on an empty disk continue where the others stopped: with the same tokens, the same
    // thread, and the picker that was open.
    let url = SecretString::from(restored.url());
    let stack = resting
        .start_with(|config| {
            config.orchestrator.checkpoints.path = None;
            config.keep_data(&url, files.path());
        })
        .await;
    assert_eq!(messages(&stack, &token).await, (StatusCode::OK, kept));
    let user = stack.demo_user().await;
    let picked = ask(&user, "t-open", "Selected: LTI-INV-001").await;
    assert!(!picked.asks_back(), "the picker is closed: {picked:?}");
    let again = ask(&user, "t-new", "Check the health of LTI-INV-001").await;
    assert_eq!(again.text(), said.text());

    // With the encryption key lost, too, the signing keys cannot be read; without them clients sign
    // in again.
    sqlx::query("DELETE FROM bff.signing_keys")
        .execute(restored.pool())
        .await
        .unwrap();
    let restart =
        stack.restart_with(|config| config.bff.signing.encryption_key = Some(OTHER_KEY.into()));
    let stack = Box::pin(restart).await;
    let (refused, _) = messages(&stack, &token).await;
    assert_eq!(refused, StatusCode::UNAUTHORIZED, "its key is lost");
    let (found, _) = messages(&stack, &stack.token().await).await;
    assert_eq!(found, StatusCode::OK);
    stack.stop().await;
}

/// The commands of docs/operating.md, in their order.
fn documented() -> Vec<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operating.md");
    let text = std::fs::read_to_string(file).unwrap();
    let (_, section) = text.split_once("\n## Backup and restore\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let commands = section.lines().filter_map(|line| line.strip_prefix("    "));
    let commands: Vec<String> = commands.map(str::to_owned).collect();
    assert_eq!(commands.len(), 4, "{commands:?}");
    commands
}

/// Runs a line of a shell with the server's programs; its output.
fn run_line(programs: &Path, folder: &Path, line: &str, variables: &[(&str, &str)]) -> String {
    let output = Command::new("bash")
        .args(["-c", &format!("PATH={}:$PATH; {line}", programs.display())])
        .envs(variables.iter().copied())
        .current_dir(folder)
        .output()
        .unwrap();
    let failed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{line}: {failed}");
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_role_per_service_each_keeps_its_schema() {
    let database = TestDatabase::empty().await.unwrap();
    let of_service = |of: &TestDatabase, service: &str| {
        let role = role(&database, service);
        DatabaseConfig {
            url: Some(format!("postgres://{role}:least@{}", server(of)).into()),
            ..DatabaseConfig::default()
        }
    };
    let mut roles = String::new();
    for service in SERVICES {
        let role = role(&database, service);
        let _ = write!(
            roles,
            "CREATE ROLE \"{role}\" LOGIN PASSWORD 'least'; CREATE SCHEMA {service} AUTHORIZATION \"{role}\";"
        );
    }
    execute(&database, roles).await;
    for service in SERVICES {
        migrate(&of_service(&database, service), service).await;
    }
    let accounts = bff::Admin::open(
        &of_service(&database, "bff"),
        SystemClock::shared(),
        RandomIds::shared(),
    );
    let accounts = accounts.unwrap();
    accounts.ensure_demo(Some(KEY.into())).await.unwrap();
    accounts.close().await;

    let files = tempfile::tempdir().unwrap();
    let programs = programs(database.pool()).await;
    let restored = TestDatabase::empty().await.unwrap();
    let [.., backup, restore] = &documented()[..] else {
        panic!("docs/operating.md has no commands")
    };
    let administrator = ("ADMINISTRATOR_URL", database.url());
    run_line(&programs, files.path(), backup, &[administrator]);
    let administrator = ("EMPTY_ADMINISTRATOR_URL", restored.url());
    run_line(&programs, files.path(), restore, &[administrator]);

    assert_eq!(
        contents(restored.pool()).await,
        contents(database.pool()).await
    );
    for service in SERVICES {
        // Its owner can work with it, and migrate it.
        migrate(&of_service(&restored, service), service).await;
    }
    let mut owned = String::new();
    for service in SERVICES {
        let role = role(&database, service);
        let _ = write!(owned, "DROP OWNED BY \"{role}\";");
        execute(&restored, format!("DROP OWNED BY \"{role}\"")).await;
        let _ = write!(owned, "DROP ROLE \"{role}\";");
    }
    execute(&database, owned).await;
}

const SERVICES: [&str; 3] = ["tools", "orchestrator", "bff"];

/// The role of a service, unique on the server.
fn role(database: &TestDatabase, service: &str) -> String {
    format!("{}_{service}", database.name())
}

/// The address of a database without its role.
fn server(database: &TestDatabase) -> &str {
    database.url().split_once('@').unwrap().1
}

async fn execute(database: &TestDatabase, statements: String) {
    sqlx::raw_sql(sqlx::AssertSqlSafe(statements))
        .execute(database.pool())
        .await
        .unwrap();
}

/// Migrates the schema of a service by its own role, and looks at it as its readiness does.
pub(crate) async fn migrate(config: &DatabaseConfig, service: &'static str) {
    let pool = match service {
        "tools" => tools::database::pool(config).unwrap(),
        "bff" => bff::database::pool(config).unwrap(),
        _ => orchestrator::database::pool(config).unwrap(),
    };
    match service {
        "tools" => tools::migrate(&pool).await.unwrap(),
        "bff" => bff::migrate(&pool).await.unwrap(),
        _ => orchestrator::migrate(&pool).await.unwrap(),
    }
    let health = DatabaseHealth::new(pool.clone(), service);
    let is_migrated = async |pool: PgPool| match service {
        "tools" => tools::database::is_migrated(&pool).await,
        "bff" => bff::database::is_migrated(&pool).await,
        _ => orchestrator::database::is_migrated(&pool).await,
    };
    health.check(is_migrated).await.unwrap();
    pool.close().await;
}

/// The messages of a thread.
async fn messages(stack: &DemoStack, token: &str) -> (StatusCode, String) {
    let url = format!("{}/api/threads/t-kept/messages", stack.services.bff_url);
    let answer = stack.http.get(url).bearer_auth(token).send().await.unwrap();
    (answer.status(), answer.text().await.unwrap())
}

/// The folder with the programs of the server, whose `pg_dump` is not older than it.
pub(crate) async fn programs(pool: &PgPool) -> PathBuf {
    let folder: String = sqlx::query_scalar("SELECT setting FROM pg_config WHERE name = 'BINDIR'")
        .fetch_one(pool)
        .await
        .unwrap();
    PathBuf::from(folder)
}

/// Every table with the number of its rows and a checksum of them.
async fn contents(pool: &PgPool) -> Vec<(String, i64, Option<String>)> {
    let tables: Vec<(String, String)> = sqlx::query_as(
        "SELECT schemaname::text, tablename::text FROM pg_tables
         WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2",
    )
    .fetch_all(pool)
    .await
    .unwrap();
    let mut contents = Vec::new();
    for (schema, table) in tables {
        let query = format!(
            "SELECT count(*), md5(string_agg(t::text, E'\\n' ORDER BY t::text)) FROM \"{schema}\".\"{table}\" t"
        );
        let (count, digest): (i64, Option<String>) = sqlx::query_as(sqlx::AssertSqlSafe(query))
            .fetch_one(pool)
            .await
            .unwrap();
        contents.push((format!("{schema}.{table}"), count, digest));
    }
    contents
}

/// The statements of a schema: without comments, and without the key of each dump.
fn lines_of(schema: &str) -> Vec<String> {
    let kept = |line: &&str| {
        !(line.trim().is_empty() || line.starts_with("--") || line.contains("restrict "))
    };
    schema.lines().filter(kept).map(str::to_owned).collect()
}
