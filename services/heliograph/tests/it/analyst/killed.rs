//! `kill -9` of everything, between a question and its answer, and in the middle of a plan.

use super::Person;
use super::scenarios::{asked_which_miami, complete};
use crate::one_process::{OneProcess, until};

/// A run of a process that dies is taken over soon.
const SHORT_LEASES: [(&str, &str); 2] = [
    ("HELIOGRAPH_ORCHESTRATOR__RUNS__LEASE_MS", "1500"),
    ("HELIOGRAPH_ORCHESTRATOR__RUNS__RECOVERY_INTERVAL_MS", "200"),
];

async fn demo_user(process: &OneProcess) -> Person {
    Person::at(&process.url(), process.token().await)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_question_survives_kill_9() {
    let mut process = OneProcess::start(&SHORT_LEASES).await;
    {
        let person = demo_user(&process).await;
        asked_which_miami(&person.conversation("killed")).await;
    }
    process.kill_and_begin_again().await;
    let person = demo_user(&process).await;
    let conversation = person.conversation("killed");
    assert_eq!(conversation.state().await.status, "interrupted");
    let answer = conversation.say("Port of Miami").await;
    assert!(answer.text().contains("142"), "{}", answer.text());
    assert_eq!(conversation.state().await.attempts().len(), 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_kill_9_cut_off_goes_on_where_it_was() {
    let mut process = OneProcess::start(&SHORT_LEASES).await;
    let person = demo_user(&process).await;
    let conversation = person.conversation("cut");
    // The query has to wait, so that the kill meets it: three tasks are done by then.
    let mut holder = process.pool().begin().await.unwrap();
    sqlx::query("LOCK TABLE demo_freight.containers IN ACCESS EXCLUSIVE MODE")
        .execute(&mut *holder)
        .await
        .unwrap();
    let request = conversation.request("Show container status");
    let asking = tokio::spawn(request.send());
    let pool = process.pool().clone();
    until(async || {
        let waiting: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
        .fetch_one(&pool)
        .await
        .unwrap();
        waiting > 0
    })
    .await;
    let before = conversation.state().await;
    let before = before.entries().len();
    process.kill_and_begin_again().await;
    drop(asking.await);
    holder.rollback().await.unwrap();

    let person = demo_user(&process).await;
    let conversation = person.conversation("cut");
    until(async || conversation.state().await.status == "idle").await;
    let known = conversation.state().await;
    assert_eq!(
        known.attempts(),
        complete(&[
            "resolve_entities",
            "map_fields",
            "build_es_query",
            "execute_es",
            "summarize"
        ]),
        "each once, {before} of them before the kill"
    );
    assert_eq!(known.lists(), ["complete"]);
}
