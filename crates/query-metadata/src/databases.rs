//! Databases with every table of the product.

use std::path::Path;
use std::str::FromStr;

use anyhow::Context;
use sqlx::migrate::Migrator;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, PgConnection, SqliteConnection};
use test_support::database::TestDatabase;

/// The migrations of PostgreSQL: schema, folder, table that records them. The schemas are separate,
/// so one database can have all.
const POSTGRESQL: [(&str, &str, &str); 7] = [
    (
        "orchestrator",
        "crates/conversations/migrations",
        "orchestrator._sqlx_migrations",
    ),
    (
        "orchestrator",
        "crates/analyst-memory/migrations",
        "orchestrator._analyst_migrations",
    ),
    (
        "orchestrator",
        "crates/checkpoint/migrations/postgres",
        "orchestrator._checkpoint_migrations",
    ),
    ("bff", "services/bff/migrations", "bff._sqlx_migrations"),
    (
        "tools",
        "services/tools/migrations",
        "tools._sqlx_migrations",
    ),
    (
        "demo_freight",
        "crates/demo/freight/migrations",
        "demo_freight._sqlx_migrations",
    ),
    (
        "demo_inventory",
        "crates/demo/inventory/migrations",
        "demo_inventory._sqlx_migrations",
    ),
];

/// The migrations of SQLite.
const SQLITE: &str = "crates/checkpoint/migrations/sqlite";

/// Creates the temporary tables that queries name.
pub(crate) const SESSION_TABLES: &str = "services/tools/queries/ingest_staging.sql";

/// One database of each kind in which the product stores its own data.
#[derive(Debug)]
pub struct Databases {
    pub(crate) postgresql: PgConnection,
    pub(crate) sqlite: SqliteConnection,
    /// The statement that creates the temporary tables.
    pub(crate) session_tables: String,
    /// Ends after the connection to it.
    _server: TestDatabase,
}

/// Creates the databases and applies all migrations.
pub async fn migrated(workspace: &Path) -> anyhow::Result<Databases> {
    let server = TestDatabase::empty().await?;
    let mut postgresql = PgConnectOptions::from_str(server.url())?
        // Otherwise the server plans with NULL for each parameter, removes outer joins whose result
        // is then empty, and reports their columns as never NULL.
        .options([("plan_cache_mode", "force_generic_plan")])
        .connect()
        .await?;
    for (schema, folder, records) in POSTGRESQL {
        let mut migrations = read(workspace, folder).await?;
        migrations.create_schema(schema);
        migrations.dangerous_set_table_name(records);
        migrations
            .run_direct(None, &mut postgresql, false)
            .await
            .with_context(|| format!("cannot apply {folder}"))?;
    }
    let mut sqlite = SqliteConnectOptions::from_str("sqlite::memory:")?
        .connect()
        .await?;
    let migrations = read(workspace, SQLITE).await?;
    migrations.run_direct(None, &mut sqlite, false).await?;
    let session_tables = std::fs::read_to_string(workspace.join(SESSION_TABLES))
        .with_context(|| format!("cannot read {SESSION_TABLES}"))?;
    Ok(Databases {
        postgresql,
        sqlite,
        session_tables,
        _server: server,
    })
}

async fn read(workspace: &Path, folder: &str) -> anyhow::Result<Migrator> {
    Migrator::new(workspace.join(folder))
        .await
        .with_context(|| format!("cannot read {folder}"))
}
