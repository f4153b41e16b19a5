//! The cost of the fence around a tenant's rows: each query as it is run, against the same query
//! without the fence.
//!
//! `cargo run --release -p targets --example fence_cost` makes a table of a million rows, half of
//! them the tenant's, in a PostgreSQL and a `MariaDB` of its own, once with indexes and once
//! without, and prints the shortest of five runs and their ratio.

use std::time::{Duration, Instant};

use sqlx::{AssertSqlSafe, Connection, MySqlConnection, PgConnection};
use targets::{Dialect, Target, TargetConfig, TenantId};
use test_support::database::TestDatabase;
use test_support::mariadb::TestMariaDb;

const POLICY: &str = r#"
shared_tables = ["kind"]
[row_filters]
reading = "company_id"
place = "company_id"
part = { column = "place_id", parent = "place", parent_column = "id" }
"#;

const TABLES: &str = "
CREATE TABLE kind (id int PRIMARY KEY, name varchar(40) NOT NULL);
CREATE TABLE place (id int PRIMARY KEY, company_id int NOT NULL);
CREATE TABLE reading (id int PRIMARY KEY, company_id int NOT NULL, kind_id int NOT NULL, opened date NOT NULL,
    amount numeric(10, 2) NOT NULL, note varchar(80) NOT NULL);
CREATE TABLE part (id int PRIMARY KEY, place_id int NOT NULL, kind_id int NOT NULL, opened date NOT NULL,
    amount numeric(10, 2) NOT NULL, note varchar(80) NOT NULL);
";

const INDEXES: &str = "
CREATE INDEX reading_company ON reading (company_id, opened);
CREATE INDEX reading_kind ON reading (kind_id);
CREATE INDEX part_place ON part (place_id, opened);
CREATE INDEX place_company ON place (company_id);
";

const QUERIES: &[(&str, &str)] = &[
    (
        "cannot fail: a month",
        "SELECT COUNT(*) AS n FROM reading WHERE opened BETWEEN '2024-03-01' AND '2024-03-31'",
    ),
    (
        "cannot fail: all, grouped",
        "SELECT kind_id, SUM(amount * 1.19) AS s FROM reading GROUP BY kind_id",
    ),
    (
        "cannot fail: joined",
        "SELECT k.name, SUM(r.amount) AS s FROM reading r JOIN kind k ON k.id = r.kind_id GROUP BY k.name",
    ),
    (
        "can fail: a month",
        "SELECT COUNT(*) AS n FROM reading WHERE opened BETWEEN '2024-03-01' AND '2024-03-31' AND id % 7 = 3",
    ),
    (
        "can fail: all",
        "SELECT COUNT(*) AS n FROM reading WHERE id % 7 = 3",
    ),
    (
        "can fail: joined",
        "SELECT k.name, SUM(r.amount) AS s FROM reading r JOIN kind k ON k.id = r.kind_id WHERE r.amount / 2 > 100 GROUP BY k.name",
    ),
    (
        "can fail: a derived table",
        "SELECT q.k, SUM(q.s) AS s FROM (SELECT kind_id AS k, amount * 1.19 AS s FROM reading) q GROUP BY q.k",
    ),
    (
        "through, cannot fail",
        "SELECT COUNT(*) AS n FROM part WHERE opened BETWEEN '2024-03-01' AND '2024-03-31'",
    ),
    (
        "through, joined",
        "SELECT COUNT(*) AS n FROM part p JOIN place c ON c.id = p.place_id WHERE p.opened BETWEEN '2024-03-01' AND '2024-03-31'",
    ),
    (
        "through, can fail: all",
        "SELECT COUNT(*) AS n FROM part WHERE id % 7 = 3",
    ),
];

fn rows(dialect: Dialect) -> Vec<String> {
    let (series, day, text) = match dialect {
        Dialect::MySql => (
            "(SELECT seq AS i FROM seq_1_to_{n}) s",
            "DATE '2024-01-01' + INTERVAL (i % 700) DAY",
            "CONCAT('note ', i)",
        ),
        Dialect::PostgreSql => (
            "generate_series(1, {n}) AS s (i)",
            "DATE '2024-01-01' + i % 700",
            "CONCAT('note ', i)",
        ),
    };
    let series = |count: &str| series.replace("{n}", count);
    vec![
        format!("INSERT INTO kind SELECT i, {text} FROM {}", series("50")),
        format!(
            "INSERT INTO place SELECT i, i % 2 + 1 FROM {}",
            series("1000")
        ),
        format!(
            "INSERT INTO reading SELECT i, i % 2 + 1, i % 50 + 1, {day}, i % 5000, {text} FROM {}",
            series("1000000")
        ),
        format!(
            "INSERT INTO part SELECT i, i % 1000 + 1, i % 50 + 1, {day}, i % 5000, {text} FROM {}",
            series("1000000")
        ),
    ]
}

/// The statement without its fences.
fn merged(sql: &str) -> String {
    let mut out = sql.replace(" LIMIT 9223372036854775807)", ")");
    while let Some(start) = out.find(" UNION ALL SELECT NULL") {
        let Some(length) = out[start..].find(" OFFSET 0)") else {
            break;
        };
        out.replace_range(start..start + length + " OFFSET 0".len(), "");
    }
    out
}

enum Client {
    MariaDb(MySqlConnection),
    PostgreSql(PgConnection),
}

impl Client {
    async fn run(&mut self, sql: &str) -> anyhow::Result<Duration> {
        let started = Instant::now();
        let statement = AssertSqlSafe(sql.to_owned());
        match self {
            Client::MariaDb(connection) => {
                drop(sqlx::raw_sql(statement).fetch_all(connection).await?);
            }
            Client::PostgreSql(connection) => {
                drop(sqlx::raw_sql(statement).fetch_all(connection).await?);
            }
        }
        Ok(started.elapsed())
    }

    async fn shortest(&mut self, sql: &str) -> anyhow::Result<Duration> {
        let mut shortest = Duration::MAX;
        for _ in 0..5 {
            shortest = shortest.min(self.run(sql).await?);
        }
        Ok(shortest)
    }
}

#[expect(clippy::print_stdout, reason = "the table is what this program is for")]
async fn measure(title: &str, url: &str, client: &mut Client) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let policy = folder.path().join("policy.toml");
    std::fs::write(&policy, POLICY)?;
    let target = Target::new(TargetConfig {
        tenant_ids: [("demo".to_owned(), TenantId::Integer(1))].into(),
        policy_file: Some(policy),
        allow_writing_role: true,
        ..TargetConfig::new("measured", url)
    })?;
    println!(
        "\n{title}\n{:<28} {:>10} {:>10} {:>7}",
        "", "as run, ms", "merged, ms", "ratio"
    );
    for (name, sql) in QUERIES {
        let checked = target.check(sql, "demo", 1000).await?;
        let checked = checked.map_err(|findings| anyhow::anyhow!("{sql}: {findings:?}"))?;
        let fenced = client.shortest(&checked.sql).await?.as_secs_f64() * 1e3;
        let merged = client.shortest(&merged(&checked.sql)).await?.as_secs_f64() * 1e3;
        let mark = if checked.fenced { "fence" } else { "" };
        println!(
            "{name:<28} {fenced:>10.1} {merged:>10.1} {:>7.2} {mark}",
            fenced / merged
        );
    }
    target.close().await;
    Ok(())
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    for indexed in [true, false] {
        let indexes = if indexed { INDEXES } else { "" };
        let how = if indexed { "indexed" } else { "not indexed" };

        let database = TestDatabase::empty().await?;
        let mut client = Client::PostgreSql(PgConnection::connect(database.url()).await?);
        client.run(TABLES).await?;
        for statement in rows(Dialect::PostgreSql) {
            client.run(&statement).await?;
        }
        client.run(&format!("{indexes} ANALYZE")).await?;
        measure(&format!("PostgreSQL, {how}"), database.url(), &mut client).await?;

        let database = TestMariaDb::empty().await?;
        let mut client = Client::MariaDb(MySqlConnection::connect(&database.url()).await?);
        client.run(TABLES).await?;
        for statement in rows(Dialect::MySql) {
            client.run(&statement).await?;
        }
        client
            .run(&format!(
                "{indexes} ANALYZE TABLE kind, place, reading, part"
            ))
            .await?;
        measure(&format!("MariaDB, {how}"), &database.url(), &mut client).await?;
    }
    Ok(())
}
