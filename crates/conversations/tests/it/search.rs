//! Messages by their words: one's own, the newest first, page by page, by an index.

use std::collections::HashSet;

use conversations::{Error, Found, Owner};
use sqlx::Row;
use uuid::Uuid;

use crate::harness::{World, ada, strangers, world};

/// A thread of an owner with these messages, a second apart.
async fn thread(world: &World, owner: &Owner, name: &str, messages: &[&str]) {
    let id = Uuid::new_v4();
    sqlx::query("INSERT INTO orchestrator.threads (id, tenant, owner, name, assistant, title) VALUES ($1, $2, $3, $4, 'site', 'A title')")
        .bind(id)
        .bind(&owner.tenant)
        .bind(&owner.subject)
        .bind(name)
        .execute(world.database.pool())
        .await
        .unwrap();
    for (seq, text) in (1_i64..).zip(messages) {
        sqlx::query(
            "INSERT INTO orchestrator.messages (thread_id, seq, id, role, text, status, created_at)
             VALUES ($1, $2, 'm' || $2, 'user', $3, 'complete', timestamptz '2026-01-01 00:00:00Z' + make_interval(secs => $2))",
        )
        .bind(id)
        .bind(seq)
        .bind(*text)
        .execute(world.database.pool())
        .await
        .unwrap();
    }
}

async fn find(world: &World, owner: &Owner, words: &str) -> Vec<Found> {
    let page = world.store.search_messages(owner, words, None, None, 100);
    page.await.unwrap().messages
}

fn hits(found: &Found) -> Vec<&str> {
    let hits = found.snippet.iter().filter(|(_, hit)| *hit);
    hits.map(|(text, _)| text.as_str()).collect()
}

#[tokio::test]
async fn words_are_found_whatever_their_case_and_only_by_their_owner() {
    let world = world().await;
    let said = [
        "What are the overtime rules for Sundays?",
        "Overtime on Sundays counts twice, <b>says</b> the manual.",
        "Rules for overtime",
        "It's all about the ledger's entries \u{E000}here\u{E001}",
    ];
    thread(&world, &ada(), "t1", &said).await;
    for stranger in strangers() {
        thread(&world, &stranger, "theirs", &said).await;
    }
    let found = find(&world, &ada(), "OVERTIME sund").await;
    let told: Vec<(&str, i64)> = found.iter().map(|one| (one.id.as_str(), one.seq)).collect();
    assert_eq!(told, [("m2", 2), ("m1", 1)]);
    assert_eq!(
        (
            found[0].thread_name.as_str(),
            found[0].title.as_deref(),
            hits(&found[0])
        ),
        ("t1", Some("A title"), vec!["Overtime", "Sundays"])
    );
    let text: String = found[0]
        .snippet
        .iter()
        .map(|(text, _)| text.as_str())
        .collect();
    // What looks like markup is left out of a snippet, so that no client can take it for some.
    assert!(text.contains("says") && !text.contains('<'), "{text}");
    for (words, count) in [
        ("\"overtime rules\"", 1),
        ("rules overtime", 2),
        ("overtime \"for sundays\"", 1),
        ("ledger's", 1),
        ("here", 1),
        ("elephant", 0),
        ("over & | ! ( ) :* \\ '", 3),
    ] {
        assert_eq!(find(&world, &ada(), words).await.len(), count, "{words}");
    }
    assert_eq!(
        find(&world, &strangers()[1], "overtime").await[0].thread_name,
        "theirs"
    );
    for words in ["", "  ", "!!", "\"\""] {
        let refused = world
            .store
            .search_messages(&ada(), words, None, None, 10)
            .await;
        assert!(matches!(refused, Err(Error::Invalid(_))), "{words}");
    }
}

#[tokio::test]
async fn pages_hold_every_message_once() {
    let world = world().await;
    let ada = ada();
    let texts: Vec<String> = (0..25)
        .map(|number| format!("storm number {number}"))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for name in ["a", "b"] {
        thread(&world, &ada, name, &texts).await;
    }
    let (mut seen, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let page = world
            .store
            .search_messages(&ada, "storm", None, cursor.as_deref(), 7);
        let page = page.await.unwrap();
        assert!(page.messages.len() <= 7);
        seen.extend(
            page.messages
                .into_iter()
                .map(|one| (one.created_at, one.thread_name, one.seq)),
        );
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    let distinct: HashSet<_> = seen.iter().cloned().collect();
    assert_eq!((seen.len(), distinct.len()), (50, 50));
    assert!(
        seen.is_sorted_by(|one, next| one.0 >= next.0),
        "the newest first"
    );
    let of_one = world
        .store
        .search_messages(&ada, "storm", Some("b"), None, 100);
    assert_eq!(of_one.await.unwrap().messages.len(), 25);
    let bad = world
        .store
        .search_messages(&ada, "storm", None, Some("x"), 10)
        .await;
    assert!(matches!(bad, Err(Error::Invalid(_))));
}

#[tokio::test]
async fn a_rare_word_is_found_by_the_index_and_a_huge_message_is_stored() {
    let world = world().await;
    let huge = "word ".repeat(400_000) + "tail";
    thread(&world, &ada(), "huge", &[&huge, "a rare quokka"]).await;
    thread(&world, &strangers()[1], "noise", &["noise"]).await;
    sqlx::query(
        "INSERT INTO orchestrator.messages (thread_id, seq, id, role, text, status)
         SELECT t.id, n, 'n' || n, 'user', 'noise of the day ' || n, 'complete'
         FROM orchestrator.threads t, generate_series(100, 20100) AS n WHERE t.name = 'noise'",
    )
    .execute(world.database.pool())
    .await
    .unwrap();
    sqlx::query("ANALYZE orchestrator.messages, orchestrator.threads")
        .execute(world.database.pool())
        .await
        .unwrap();
    let plan = sqlx::query(
        "EXPLAIN SELECT m.id FROM orchestrator.messages m JOIN orchestrator.threads t ON t.id = m.thread_id
         WHERE t.tenant = 'demo' AND t.owner = 'bob'
           AND to_tsvector('simple'::regconfig, left(m.text, 100000)) @@ to_tsquery('simple'::regconfig, '''quokka'':*')",
    )
    .fetch_all(world.database.pool())
    .await
    .unwrap();
    let plan: String = plan
        .iter()
        .map(|row| row.get::<String, _>(0) + "\n")
        .collect();
    assert!(plan.contains("messages_words"), "{plan}");
    assert_eq!(find(&world, &ada(), "quokka").await.len(), 1);
    assert_eq!(find(&world, &ada(), "word").await.len(), 1);
}
