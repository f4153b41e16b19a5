//! Threads: made, found, listed, changed.

use conversations::{Error, IfExists, ThreadFilter, ThreadPatch};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::harness::{World, ada, new_thread, world};

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("no object: {other}"),
    }
}

async fn create(world: &World, name: &str) -> Uuid {
    world
        .store
        .create_thread(&ada(), &new_thread(name), IfExists::Refuse)
        .await
        .unwrap()
        .id
}

#[tokio::test]
async fn a_thread_is_made_once() {
    let world = world().await;
    let id = create(&world, "chat").await;
    let again = new_thread("chat");
    let refused = world
        .store
        .create_thread(&ada(), &again, IfExists::Refuse)
        .await;
    assert!(matches!(refused, Err(Error::Exists)));
    let kept = world
        .store
        .create_thread(&ada(), &again, IfExists::Keep)
        .await;
    assert_eq!(kept.unwrap().id, id);
    assert_eq!(world.store.thread(&ada(), "chat").await.unwrap().id, id);
}

#[tokio::test]
async fn of_many_who_make_a_thread_at_once_all_get_the_same() {
    let world = world().await;
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let store = world.store.clone();
        tasks.spawn(async move {
            let new = new_thread("chat");
            store
                .create_thread(&ada(), &new, IfExists::Keep)
                .await
                .unwrap()
                .id
        });
    }
    let ids = tasks.join_all().await;
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
}

#[tokio::test]
async fn a_thread_without_a_name_is_called_by_its_id() {
    let world = world().await;
    let mut new = new_thread("");
    new.name = None;
    let made = world
        .store
        .create_thread(&ada(), &new, IfExists::Refuse)
        .await
        .unwrap();
    assert_eq!(made.name, new.id.to_string());
}

#[tokio::test]
async fn a_patch_changes_what_it_names_and_merges_by_key() {
    let world = world().await;
    let mut new = new_thread("chat");
    new.context = object(json!({ "a": 1, "b": 2 }));
    let before = world
        .store
        .create_thread(&ada(), &new, IfExists::Refuse)
        .await
        .unwrap();
    let patch = ThreadPatch {
        title: Some(Some("Roof\0".into())),
        archived: Some(true),
        context: Some(object(json!({ "b": null, "c": { "d": null } }))),
        ..ThreadPatch::default()
    };
    let after = world
        .store
        .patch_thread(&ada(), "chat", &patch)
        .await
        .unwrap();
    assert_eq!(after.title.as_deref(), Some("Roof\u{fffd}"));
    assert!(after.archived);
    assert_eq!(after.assistant, "site");
    assert_eq!(
        Value::Object(after.context),
        json!({ "a": 1, "c": { "d": null } })
    );
    assert_eq!(after.metadata, before.metadata);
    assert!(after.last_updated > before.last_updated);

    let untitled = ThreadPatch {
        title: Some(None),
        ..ThreadPatch::default()
    };
    let after = world
        .store
        .patch_thread(&ada(), "chat", &untitled)
        .await
        .unwrap();
    assert_eq!(after.title, None);
    assert!(after.archived);
}

#[tokio::test]
async fn what_json_columns_can_not_hold_is_the_callers_mistake() {
    let world = world().await;
    let mut new = new_thread("chat");
    new.context = object(json!({ "text": "\0" }));
    let refused = world
        .store
        .create_thread(&ada(), &new, IfExists::Refuse)
        .await;
    assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
}

#[tokio::test]
async fn a_name_that_is_too_long_is_the_callers_mistake() {
    let world = world().await;
    // Letters that do not compress, as an index would.
    let name: String = (0..400)
        .map(|_| Uuid::new_v4().simple().to_string())
        .collect();
    let refused = world
        .store
        .create_thread(&ada(), &new_thread(&name), IfExists::Refuse)
        .await;
    assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
}

/// The names of all pages of the given size.
async fn walk(world: &World, filter: &ThreadFilter, limit: u32) -> Vec<String> {
    let mut names = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let page = world
            .store
            .threads(&ada(), filter, cursor.as_deref(), limit)
            .await
            .unwrap();
        assert!(page.threads.len() <= limit as usize);
        names.extend(page.threads.into_iter().map(|thread| thread.name));
        match page.next {
            Some(next) => cursor = Some(next),
            None => return names,
        }
    }
}

#[tokio::test]
async fn the_list_is_whole_and_newest_first_whatever_the_page() {
    let world = world().await;
    for number in 0..7 {
        create(&world, &number.to_string()).await;
    }
    // Equal times are distinguished by id.
    sqlx::query(
        "UPDATE orchestrator.threads SET last_updated = 'epoch' WHERE name IN ('1', '2', '3')",
    )
    .execute(world.pool())
    .await
    .unwrap();
    let all = walk(&world, &ThreadFilter::default(), 100).await;
    assert_eq!(all.len(), 7);
    assert_eq!(all[..4], ["6", "5", "4", "0"]);
    for limit in [1, 2, 3, 6, 7] {
        assert_eq!(
            walk(&world, &ThreadFilter::default(), limit).await,
            all,
            "{limit}"
        );
    }
}

#[tokio::test]
async fn a_thread_touched_between_two_pages_is_not_listed_twice() {
    let world = world().await;
    for name in ["a", "b", "c", "d"] {
        create(&world, name).await;
    }
    let filter = ThreadFilter::default();
    let first = world.store.threads(&ada(), &filter, None, 2).await.unwrap();
    let patch = ThreadPatch {
        archived: Some(true),
        ..ThreadPatch::default()
    };
    for name in ["d", "b"] {
        world
            .store
            .patch_thread(&ada(), name, &patch)
            .await
            .unwrap();
    }
    let second = world
        .store
        .threads(&ada(), &filter, first.next.as_deref(), 2)
        .await
        .unwrap();
    let names: Vec<&str> = second
        .threads
        .iter()
        .map(|thread| thread.name.as_str())
        .collect();
    // b went to the front; c and d were listed before.
    assert_eq!(names, ["a"]);
    assert_eq!(second.next, None);
}

#[tokio::test]
async fn filters_narrow_the_list() {
    let world = world().await;
    for name in ["a", "b", "c"] {
        let mut new = new_thread(name);
        new.title = Some(format!("About {}% of 100", name.to_uppercase()));
        if name == "c" {
            new.assistant = "data".into();
        }
        world
            .store
            .create_thread(&ada(), &new, IfExists::Refuse)
            .await
            .unwrap();
    }
    let patch = ThreadPatch {
        archived: Some(true),
        ..ThreadPatch::default()
    };
    world.store.patch_thread(&ada(), "a", &patch).await.unwrap();
    let of = |assistant: Option<&str>, archived, title: Option<&str>| ThreadFilter {
        assistant: assistant.map(Into::into),
        archived,
        title: title.map(Into::into),
        context: None,
    };
    assert_eq!(walk(&world, &of(Some("data"), None, None), 9).await, ["c"]);
    assert_eq!(walk(&world, &of(None, Some(true), None), 9).await, ["a"]);
    assert_eq!(
        walk(&world, &of(Some("site"), Some(false), None), 9).await,
        ["b"]
    );
    assert_eq!(walk(&world, &of(None, None, Some("b% OF")), 9).await, ["b"]);
    assert!(
        walk(&world, &of(None, None, Some("b%100")), 9)
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn a_cursor_that_is_not_ours_is_refused() {
    let world = world().await;
    let page = world
        .store
        .threads(&ada(), &ThreadFilter::default(), Some("'; DROP"), 9)
        .await;
    assert!(matches!(page, Err(Error::Invalid(_))));
}

#[tokio::test]
async fn threads_are_found_by_what_they_are_about() {
    let world = world().await;
    for (name, context) in [
        ("a", json!({ "inventory_id": "i-1", "city": "Bern" })),
        ("b", json!({ "inventory_id": "i-2" })),
        ("c", json!({ "target": "erp" })),
    ] {
        let mut new = new_thread(name);
        new.context = object(context);
        world
            .store
            .create_thread(&ada(), &new, IfExists::Refuse)
            .await
            .unwrap();
    }
    let about = |context| ThreadFilter {
        context: Some(object(context)),
        ..ThreadFilter::default()
    };
    for (context, found) in [
        (json!({ "inventory_id": "i-1" }), vec!["a"]),
        (json!({ "inventory_id": "i-1", "city": "Basel" }), vec![]),
        (json!({ "target": "erp" }), vec!["c"]),
        (json!({}), vec!["c", "b", "a"]),
    ] {
        assert_eq!(walk(&world, &about(context), 9).await, found);
    }
    let mut transaction = world.pool().begin().await.unwrap();
    sqlx::query("SET LOCAL enable_seqscan = off")
        .execute(&mut *transaction)
        .await
        .unwrap();
    let plan: Vec<String> = sqlx::query_scalar(
        r#"EXPLAIN SELECT id FROM orchestrator.threads WHERE context @> '{"inventory_id": "i-1"}'"#,
    )
    .fetch_all(&mut *transaction)
    .await
    .unwrap();
    assert!(plan.concat().contains("threads_context"), "{plan:?}");
}
