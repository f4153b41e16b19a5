//! The recall of the vector index and the latency of searches over tens of thousands of passages.
//! `cargo bench -p retrieval-eval`

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark stops at the first failure"
)]

use knowledge::Settings;
use retrieval_eval::size::{Size, measure};
use sqlx::migrate::Migrator;
use test_support::database::TestDatabase;

static MIGRATIONS: Migrator = sqlx::migrate!("../../services/tools/migrations");

fn main() {
    knowledge::reader_process::run_if_asked();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    for passages in [10_000, 100_000] {
        let size = Size {
            passages,
            dimensions: 384,
            questions: 200,
        };
        let report = runtime.block_on(async {
            let database = TestDatabase::empty().await.unwrap();
            sqlx::raw_sql("CREATE SCHEMA tools")
                .execute(database.pool())
                .await
                .unwrap();
            MIGRATIONS.run(database.pool()).await.unwrap();
            measure(database.pool(), Settings::default(), size, |step| {
                eprintln!("{step}");
            })
            .await
            .unwrap()
        });
        println!("{report}");
    }
}
