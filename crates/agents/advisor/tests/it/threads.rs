//! The memory of a thread, and the stored state of an earlier release.

use std::sync::Arc;

use agent_advisor::{Advisor, AdvisorSettings};
use agent_kit::{Assistant, Runner, Settings, passages::Source};
use graph::{Checkpoint, Checkpointer, MemorySaver, NextTask};
use serde_json::{Map, json};
use uuid::Uuid;

use crate::bench::Bench;

/// The state of a thread as releases before the run context stored it, with the run cut off before
/// a node that is no more.
async fn stored_before() -> Arc<MemorySaver> {
    let state = json!({
        "sources": [{
            "number": 2, "filename": "old.pdf", "chunk_index": 4, "headings": ["Guide", "Scope"], "page": 3, "score": 0.75,
        }],
    });
    let store = Arc::new(MemorySaver::new());
    let checkpoint = Checkpoint {
        thread_id: "owner:thread".into(),
        id: Uuid::now_v7(),
        parent_id: None,
        step: 4,
        state: serde_json::to_vec(&state).unwrap(),
        next: vec![NextTask {
            node: "tools".into(),
            input: None,
        }],
        writes: Vec::new(),
        metadata: Map::from_iter([("run_id".to_owned(), json!("earlier"))]),
    };
    store.put(&checkpoint).await.unwrap();
    store
}

fn runner(store: Arc<MemorySaver>) -> Runner<Advisor> {
    Runner::new(Advisor::default(), Some(store)).unwrap()
}

#[tokio::test]
async fn a_thread_that_an_earlier_release_stored_is_read_and_gone_on_with() {
    let runner = runner(stored_before().await);
    let kept = runner.thread("owner:thread").await.unwrap().unwrap();
    let source = Source {
        number: 2,
        document_id: String::new(),
        filename: "old.pdf".to_owned(),
        chunk_index: 4,
        headings: vec!["Guide".to_owned(), "Scope".to_owned()],
        page: Some(3),
        score: 0.75,
    };
    assert_eq!(kept.state.sources, [source]);
    let remembered = Advisor::remembered(&kept);
    assert_eq!(remembered.values["sources"][0]["filename"], "old.pdf");
    assert!(!remembered.asks);

    let bench = Bench::with_passages(&[("gpc.pdf", "Scope 2 counts grid electricity.")]);
    let told = bench
        .ask_in(
            &runner,
            Some("owner:thread"),
            "What does scope 2 count?",
            None,
        )
        .await;
    assert!(told.text().contains("grid electricity"), "{}", told.text());
    assert_eq!(told.warnings(), [""; 0]);
    let kept = runner.thread("owner:thread").await.unwrap().unwrap();
    let names: Vec<_> = kept
        .state
        .sources
        .iter()
        .map(|source| &*source.filename)
        .collect();
    assert_eq!(names, ["gpc.pdf"]);
}

#[tokio::test]
async fn only_the_sources_of_the_newest_answer_are_stored() {
    let store = Arc::new(MemorySaver::new());
    let runner = runner(Arc::clone(&store));
    let bench = || Bench::with_passages(&[("gpc.pdf", "Scope 2 counts grid electricity.")]);
    let key = Some("owner:thread");
    bench()
        .ask_in(&runner, key, "What does scope 2 count?", None)
        .await;
    let newest = store.get("owner:thread", None).await.unwrap().unwrap();
    let state: serde_json::Value = serde_json::from_slice(&newest.state).unwrap();
    assert_eq!(
        state.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["sources"]
    );
    bench().ask_in(&runner, key, "hello", None).await;
    let kept = runner.thread("owner:thread").await.unwrap().unwrap();
    assert!(kept.state.sources.is_empty(), "a greeting rests on nothing");
}

#[test]
fn settings_are_read_from_their_section_and_check_themselves() {
    let mut section = serde_json::to_value(AdvisorSettings::default()).unwrap();
    section["max_steps"] = json!(3);
    let settings: AdvisorSettings = serde_json::from_value(section.clone()).unwrap();
    assert_eq!(settings.max_steps, 3);
    assert!(settings.validate().is_ok());
    section["knowledge_tool"] = json!("drop_tables");
    let settings: AdvisorSettings = serde_json::from_value(section.clone()).unwrap();
    let refused = settings.validate().unwrap_err();
    assert_eq!(refused.key, "knowledge_tool");
    section["surprise"] = json!(1);
    assert!(serde_json::from_value::<AdvisorSettings>(section).is_err());
}
