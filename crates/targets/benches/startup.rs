//! Duration of the introspection of a database of 1,000 tables, ten columns and a foreign key each.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on fails")]

use std::fmt::Write as _;

use criterion::{Criterion, criterion_group, criterion_main};
use sqlx::{AssertSqlSafe, Connection, MySqlConnection, PgConnection};
use targets::{Target, TargetConfig};
use test_support::database::TestDatabase;
use test_support::mariadb::TestMariaDb;
use tokio::runtime::Runtime;

fn tables() -> String {
    let columns: Vec<String> = (0..7)
        .map(|index| format!("column{index} VARCHAR(40)"))
        .collect();
    let columns = columns.join(", ");
    (0..1000).fold(String::new(), |mut sql, index| {
        let parent = index / 2;
        let key = if index > 0 { format!(", FOREIGN KEY (parent) REFERENCES table{parent} (id)") } else { String::new() };
        writeln!(sql, "CREATE TABLE table{index} (id INT PRIMARY KEY, parent INT, table{parent}_id INT, {columns}{key});").unwrap();
        sql
    })
}

fn startup(criterion: &mut Criterion) {
    let runtime = Runtime::new().unwrap();
    let sql = tables();
    let (mariadb, postgres) = runtime.block_on(async {
        let mariadb = TestMariaDb::empty().await.unwrap();
        let mut connection = MySqlConnection::connect(&mariadb.url()).await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(sql.clone()))
            .execute(&mut connection)
            .await
            .unwrap();
        let postgres = TestDatabase::empty().await.unwrap();
        let mut connection = PgConnection::connect(postgres.url()).await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(sql))
            .execute(&mut connection)
            .await
            .unwrap();
        (mariadb, postgres)
    });
    let mut group = criterion.benchmark_group("catalogue of 1000 tables");
    group.sample_size(10);
    for (name, url) in [
        ("mariadb", mariadb.url()),
        ("postgresql", postgres.url().to_owned()),
    ] {
        group.bench_function(name, |bencher| {
            bencher.to_async(&runtime).iter(|| async {
                let target = Target::new(TargetConfig {
                    allow_writing_role: true,
                    ..TargetConfig::new("large", url.clone())
                })
                .unwrap();
                assert_eq!(target.catalogue().await.unwrap().tables.len(), 1000);
                target.close().await;
            });
        });
    }
    group.finish();
}

criterion_group!(benches, startup);
criterion_main!(benches);
