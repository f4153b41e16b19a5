//! What interrupts an import: a killed process, a full disk, a person.

use std::sync::Arc;

use http::StatusCode;
use serde_json::{Value, json};
use tools::imports::run_next;
use tools::ingest::config::IngestConfig;

use crate::import_support::{Plant, counts, lti};

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_import_is_continued_and_stores_nothing_twice() {
    let plant = Plant::new().await;
    let import = plant
        .upload("filename=a.csv", lti("2025-06-01T00:00:00", 25_000))
        .await;
    assert_eq!(plant.act(&import, "run").await.0, StatusCode::ACCEPTED);
    // The third batch waits for a lock that is never given: the process ends there.
    let mut blocker = plant.pool().begin().await.unwrap();
    plant.execute("CREATE FUNCTION pg_temp_wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.rows_done > 10000 THEN PERFORM pg_advisory_xact_lock(77); END IF; RETURN NEW; END $$;
                   CREATE TRIGGER wait BEFORE UPDATE ON tools.imports FOR EACH ROW EXECUTE FUNCTION pg_temp_wait();").await;
    sqlx::query("SELECT pg_advisory_xact_lock(77)")
        .execute(&mut *blocker)
        .await
        .unwrap();
    let (pool, clock) = (plant.pool().clone(), Arc::clone(&plant.clock));
    let killed =
        tokio::spawn(async move { run_next(&pool, &clock, &IngestConfig::default()).await });
    loop {
        let waiting: bool = sqlx::query_scalar(
            "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)",
        )
        .fetch_one(plant.pool())
        .await
        .unwrap();
        if waiting {
            break;
        }
        tokio::task::yield_now().await;
    }
    killed.abort();
    let _ = killed.await;
    blocker.rollback().await.unwrap();
    plant.execute("DROP TRIGGER wait ON tools.imports; UPDATE tools.imports SET lease_until = now() - interval '1 second'").await;
    let halfway = plant.get(&import).await;
    assert_eq!(halfway["status"], "running");
    let before = counts(&halfway);
    assert!(before[0] >= 10_000 && before[0] == before[3], "{halfway}");
    plant.work().await;
    let done = plant.get(&import).await;
    assert_eq!(
        (&done["status"], counts(&done)),
        (&json!("done"), [25_000, 0, 0, 25_000]),
        "{done}"
    );
    assert_eq!(plant.readings().await, 25_000);
    let days: Vec<i32> = sqlx::query_scalar("SELECT records FROM tools.daily ORDER BY day")
        .fetch_all(plant.pool())
        .await
        .unwrap();
    assert_eq!(days.iter().sum::<i32>(), 25_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_in_mid_import_is_reported_and_the_import_continues() {
    let plant = Plant::new().await;
    let import = plant
        .upload("filename=a.csv", lti("2025-06-01T00:00:00", 12_000))
        .await;
    plant.execute("CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.rows_done > 10000 THEN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END IF; RETURN NEW; END $$;
                   CREATE TRIGGER full_disk BEFORE UPDATE ON tools.imports FOR EACH ROW WHEN (NEW.rows_done > OLD.rows_done) EXECUTE FUNCTION full_disk();").await;
    let waiting = plant.run(&import).await;
    assert_eq!(
        (&waiting["status"], counts(&waiting)),
        (&json!("queued"), [10_000, 0, 0, 10_000]),
        "{waiting}"
    );
    assert!(
        waiting["problem"]
            .as_str()
            .unwrap()
            .contains("disk of the database is full"),
        "{waiting}"
    );
    assert_eq!(plant.readings().await, 10_000, "whole batches only");
    plant
        .execute(
            "DROP TRIGGER full_disk ON tools.imports; UPDATE tools.imports SET not_before = now()",
        )
        .await;
    plant.work().await;
    let done = plant.get(&import).await;
    assert_eq!(
        (&done["status"], counts(&done), &done["problem"]),
        (&json!("done"), [12_000, 0, 0, 12_000], &Value::Null),
        "{done}"
    );
    assert_eq!(plant.readings().await, 12_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_import_stores_nothing_more() {
    let plant = Plant::new().await;
    let import = plant
        .upload("filename=a.csv", lti("2025-06-01T00:00:00", 100))
        .await;
    assert_eq!(plant.act(&import, "run").await.0, StatusCode::ACCEPTED);
    let (status, cancelled) = plant.act(&import, "cancel").await;
    assert_eq!(
        (status, &cancelled["status"]),
        (StatusCode::OK, &json!("cancelled"))
    );
    plant.work().await;
    assert_eq!(plant.readings().await, 0);
    assert_eq!(plant.act(&import, "run").await.0, StatusCode::CONFLICT);
    // A batch of a worker that lost the import is not stored.
    let import = plant
        .upload("filename=b.csv", lti("2025-06-02T00:00:00", 100))
        .await;
    plant.execute("CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE tools.imports SET status = 'cancelled' WHERE status = 'running'; RETURN NULL; END $$;
                   CREATE TRIGGER lose AFTER INSERT ON tools.loggers FOR EACH STATEMENT EXECUTE FUNCTION lose();").await;
    let _ = plant.run(&import).await;
    assert_eq!(plant.readings().await, 0);
    let loggers: i64 = sqlx::query_scalar("SELECT count(*) FROM tools.loggers")
        .fetch_one(plant.pool())
        .await
        .unwrap();
    assert_eq!(loggers, 0, "the batch is rolled back as a whole");
}
