//! Messages by page, and what a page costs.

use conversations::window::{Settings, Window};
use conversations::{Error, IfExists, MessagePage};
use serde_json::Value;
use sqlx::types::Json;
use uuid::Uuid;

use crate::harness::{World, ada, new_thread, world};

/// A thread with messages 1 to `count`, alternating.
async fn thread_of(world: &World, name: &str, count: i32) -> Uuid {
    let thread = world
        .store
        .create_thread(&ada(), &new_thread(name), IfExists::Refuse)
        .await
        .unwrap();
    sqlx::query(
        "INSERT INTO orchestrator.messages (thread_id, seq, id, role, text, status) \
         SELECT $1, n, 'm' || n, CASE n % 2 WHEN 1 THEN 'user' ELSE 'assistant' END, 'text ' || n, 'complete' \
         FROM generate_series(1, $2) n",
    )
    .bind(thread.id)
    .bind(count)
    .execute(world.pool())
    .await
    .unwrap();
    thread.id
}

async fn page(world: &World, thread: Uuid, page: MessagePage, limit: u32) -> Vec<i64> {
    let messages = world
        .store
        .messages(&ada(), thread, page, limit)
        .await
        .unwrap();
    messages.into_iter().map(|message| message.seq).collect()
}

#[tokio::test]
async fn pages_are_oldest_first_from_either_side() {
    let world = world().await;
    let id = thread_of(&world, "chat", 10).await;
    assert_eq!(page(&world, id, MessagePage::Newest, 3).await, [8, 9, 10]);
    assert_eq!(page(&world, id, MessagePage::Before(8), 3).await, [5, 6, 7]);
    assert_eq!(
        page(&world, id, MessagePage::Before(1), 3).await,
        [0_i64; 0]
    );
    assert_eq!(page(&world, id, MessagePage::After(0), 3).await, [1, 2, 3]);
    assert_eq!(page(&world, id, MessagePage::After(9), 3).await, [10]);
    // The limit is kept within 1 to 101.
    assert_eq!(page(&world, id, MessagePage::Newest, 0).await, [10]);
    assert_eq!(page(&world, id, MessagePage::Newest, 1_000).await.len(), 10);
}

/// All nodes of a plan that read a table, with how many rows they read.
fn scans(plan: &Value, found: &mut Vec<(String, String, f64)>) {
    if let (Some(node), Some(table)) = (plan["Node Type"].as_str(), plan["Relation Name"].as_str())
    {
        let removed = plan["Rows Removed by Filter"].as_f64().unwrap_or(0.0);
        let rows = plan["Actual Rows"].as_f64().unwrap() + removed;
        found.push((table.to_owned(), node.to_owned(), rows));
    }
    for child in plan["Plans"].as_array().into_iter().flatten() {
        scans(child, found);
    }
}

#[tokio::test]
async fn a_window_reads_as_many_rows_of_a_long_thread_as_of_a_short_one() {
    let world = world().await;
    for number in 0..50 {
        thread_of(&world, &format!("other-{number}"), 40).await;
    }
    let threads = [
        thread_of(&world, "short", 20).await,
        thread_of(&world, "long", 10_000).await,
    ];
    sqlx::query("ANALYZE orchestrator.messages, orchestrator.threads")
        .execute(world.pool())
        .await
        .unwrap();
    for thread in threads {
        let Json(plan): Json<Value> = sqlx::query_scalar(concat!(
            "EXPLAIN (ANALYZE, FORMAT JSON) ",
            include_str!("../../queries/messages_before.sql")
        ))
        .bind(thread)
        .bind("demo")
        .bind("ada")
        .bind(i64::MAX)
        .bind(20_i64)
        .bind(true)
        .fetch_one(world.pool())
        .await
        .unwrap();
        let mut found = Vec::new();
        scans(&plan[0]["Plan"], &mut found);
        let messages: Vec<_> = found.iter().filter(|scan| scan.0 == "messages").collect();
        assert_eq!(messages.len(), 1, "{plan:#}");
        let (_, node, rows) = messages[0];
        assert_eq!(node, "Index Scan", "{plan:#}");
        assert!(*rows <= 20.0, "{plan:#}");
    }
}

#[tokio::test]
async fn a_window_over_a_stored_thread_ends_with_its_question() {
    let world = world().await;
    for number in 0..12 {
        world
            .talk("chat", &format!("question {number}"), "answer")
            .await;
    }
    let (thread, _) = world
        .start(
            crate::harness::worker(),
            &crate::harness::turn("chat", "now"),
        )
        .await;
    let settings = Settings::default();
    let rows = world
        .store
        .messages(&ada(), thread.id, MessagePage::Newest, settings.rows())
        .await
        .unwrap();
    let window = Window::new(&rows, &settings);
    assert_eq!(window.counts.total_messages, 20);
    assert_eq!(window.messages.last().unwrap().text, "now");
}

#[tokio::test]
async fn a_database_that_is_away_is_said_to_be() {
    let world = world().await;
    let id = thread_of(&world, "chat", 2).await;
    world.pool().close().await;
    let refused = world
        .store
        .messages(&ada(), id, MessagePage::Newest, 9)
        .await;
    assert!(matches!(refused, Err(Error::Unavailable(_))));
}
