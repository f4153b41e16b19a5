//! Several people at one target: a flood of statements from one does not delay the others.

use std::sync::Arc;
use std::time::Duration;

use targets::{Asker, Crowd, Rows, Target, TargetConfig, TargetError};

use crate::fixture::{Fixture, both, limits, unchecked};

fn asker(tenant: &str, user: &str) -> Asker {
    Asker {
        tenant: tenant.to_owned(),
        user: user.to_owned(),
    }
}

fn target(fixture: &Fixture, change: impl FnOnce(&mut TargetConfig)) -> Arc<Target> {
    let mut config = TargetConfig {
        max_estimated_rows: 0,
        queue_timeout_ms: 60_000,
        allow_writing_role: true,
        ..TargetConfig::new("field", fixture.admin.url())
    };
    change(&mut config);
    Arc::new(Target::new(config).unwrap())
}

async fn ask(target: &Arc<Target>, asker: &Asker, sql: &str) -> Result<Rows, TargetError> {
    target
        .run_for(asker, &unchecked(sql), &limits(target))
        .await
}

/// Works until the database stops it.
fn slow(fixture: &Fixture) -> &'static str {
    if fixture.dialect == "mariadb" {
        "SELECT SLEEP(60)"
    } else {
        "SELECT pg_sleep(60)"
    }
}

/// Number of statements of the test that the server works on.
async fn working(fixture: &Fixture) -> i64 {
    let sql = if fixture.dialect == "mariadb" {
        "SELECT count(*) AS n FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%' AND db = DATABASE()"
    } else {
        "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active' AND query LIKE 'FETCH%'"
    };
    let target = target(fixture, |_| {});
    let found = target.run(&unchecked(sql), &limits(&target)).await.unwrap();
    found.rows[0]["n"].as_i64().unwrap()
}

#[tokio::test]
async fn another_s_statement_runs_while_one_floods() {
    for fixture in both().await {
        let target = target(&fixture, |_| {});
        let flooder = asker("demo", "flooder");
        let flood: Vec<_> = (0..18)
            .map(|_| {
                let (target, asker, sql) = (Arc::clone(&target), flooder.clone(), slow(&fixture));
                tokio::spawn(async move { ask(&target, &asker, sql).await })
            })
            .collect();
        while working(&fixture).await < 3 {
            tokio::task::yield_now().await;
        }
        for other in [asker("demo", "colleague"), asker("rival", "flooder")] {
            let found = ask(&target, &other, "SELECT count(*) AS n FROM crew").await;
            assert_eq!(found.unwrap().rows[0]["n"], 3, "{}", fixture.dialect);
        }
        assert_eq!(working(&fixture).await, 3, "{}", fixture.dialect);
        for task in flood {
            task.abort();
        }
    }
}

#[tokio::test]
async fn who_goes_away_has_its_statement_counted_until_the_database_has_ended_it() {
    for fixture in both().await {
        let target = target(&fixture, |config| {
            config.statements_per_user = 1;
            config.queue_timeout_ms = 50;
            config.statement_timeout_ms = 3_000;
        });
        let hasty = asker("demo", "hasty");
        let asked = tokio::time::timeout(
            Duration::from_millis(200),
            ask(&target, &hasty, slow(&fixture)),
        );
        assert!(asked.await.is_err(), "the caller is gone");
        let error = ask(&target, &hasty, "SELECT 1 AS n").await.unwrap_err();
        assert!(
            matches!(
                error,
                TargetError::Busy {
                    crowd: Crowd::Own,
                    ..
                }
            ),
            "{}: {error:?}",
            fixture.dialect
        );
        // The database stops it on its own, and the turn is free again.
        while ask(&target, &hasty, "SELECT 1 AS n").await.is_err() {}
    }
}
