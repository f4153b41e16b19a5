//! What belongs to another user does not exist: asked by every function, by another tenant and by
//! another user.

use conversations::{
    Acceptance, AnsweredCall, IfExists, IfMissing, MessagePage, NewMessage, NewRun, ThreadFilter,
    ThreadPatch, ToolRecord, ToolStatus,
};
use serde_json::json;

use crate::harness::{
    ada, answered, fence, is_not_found, new_thread, strangers, turn, worker, world,
};

#[tokio::test]
async fn nobody_else_sees_or_changes_a_thread_or_its_runs() {
    let world = world().await;
    let store = &world.store;
    let (thread, run) = world.start(worker(), &turn("chat", "secret")).await;
    let mut finish = answered("also secret");
    finish.message = finish.message.map(|message| NewMessage {
        tools_used: vec![ToolRecord {
            id: "pick".into(),
            name: "pick_logger".into(),
            arguments: json!({}),
            status: ToolStatus::Pending,
            result: None,
        }],
        ..message
    });
    store.finish(fence(&run), finish).await.unwrap();
    let (_, active) = world.start(worker(), &turn("chat", "more")).await;
    let before = world.messages(thread.id).await;
    let unchanged = store.thread(&ada(), "chat").await.unwrap();

    for stranger in &strangers() {
        assert!(is_not_found(&store.thread(stranger, "chat").await));
        let page = store
            .threads(stranger, &ThreadFilter::default(), None, 9)
            .await
            .unwrap();
        assert!(page.threads.is_empty());
        let patch = ThreadPatch {
            archived: Some(true),
            ..ThreadPatch::default()
        };
        assert!(is_not_found(
            &store.patch_thread(stranger, "chat", &patch).await
        ));
        assert!(is_not_found(&store.delete_thread(stranger, "chat").await));
        for page in [
            MessagePage::Newest,
            MessagePage::Before(99),
            MessagePage::After(0),
        ] {
            assert!(
                store
                    .messages(stranger, thread.id, page, 9)
                    .await
                    .unwrap()
                    .is_empty()
            );
        }
        let answer = AnsweredCall {
            id: "pick".into(),
            result: json!("theirs"),
        };
        assert!(
            !store
                .answer_call(stranger, thread.id, &answer)
                .await
                .unwrap()
        );
        assert!(is_not_found(&store.run(stranger, active.id).await));
        assert!(is_not_found(
            &store.request_cancel(stranger, active.id).await
        ));
        assert!(is_not_found(
            &store.events(stranger, active.id, None, 9).await
        ));
        let busy = store.active_runs(stranger, &[thread.id]).await.unwrap();
        assert!(busy.is_empty());
        assert_eq!(store.active_run(stranger, thread.id).await.unwrap(), None);
        assert_eq!(store.latest_run(stranger, thread.id).await.unwrap(), None);
        let turn = NewRun {
            if_missing: IfMissing::Refuse,
            ..turn("chat", "mine?")
        };
        assert!(is_not_found(&store.accept(stranger, worker(), &turn).await));
    }
    assert_eq!(world.messages(thread.id).await, before);
    assert_eq!(store.thread(&ada(), "chat").await.unwrap(), unchanged);
    assert!(!store.run(&ada(), active.id).await.unwrap().cancel_requested);
}

#[tokio::test]
async fn the_same_name_means_another_thread_for_another_owner() {
    let world = world().await;
    let (mine, _) = world.start(worker(), &turn("chat", "mine")).await;
    for stranger in &strangers() {
        let theirs = turn("chat", "theirs");
        let Acceptance::Started { thread, .. } = world
            .store
            .accept(stranger, worker(), &theirs)
            .await
            .unwrap()
        else {
            panic!("a thread of their own is free");
        };
        assert_ne!(thread.id, mine.id);
        let kept = world
            .store
            .create_thread(stranger, &new_thread("chat"), IfExists::Keep)
            .await
            .unwrap();
        assert_eq!(kept.id, thread.id);
    }
    assert_eq!(world.said(mine.id).await, ["mine"]);
}
