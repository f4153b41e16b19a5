//! The documents and questions of the demonstration.

use std::path::Path;
use std::sync::Arc;

use knowledge::{Folder, Library, Reader, Settings};
use local_embedder::{LocalEmbedder, Options};
use retrieval_eval::{LabelledQuestion, Report, evaluate, questions};

use crate::database;

const TENANT: &str = "demo";

fn documents() -> &'static Path {
    Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../demo/documents/files"
    ))
}

fn labelled() -> Vec<LabelledQuestion> {
    questions(&std::fs::read_to_string(documents().join("questions.jsonl")).unwrap()).unwrap()
}

async fn report(embedder: Option<Arc<dyn llm::Embedder>>) -> Report {
    let database = database().await;
    let library = Library::new(database.pool().clone(), Settings::default(), embedder);
    for collection in ["manuals", "climate"] {
        let folder = Folder {
            paths: vec![documents().join(collection)],
            reader: Reader::of_all(TENANT),
            collection: collection.to_owned(),
            prune: false,
        };
        let taken_in = library.ingest_path(&folder, |_| {}).await.unwrap();
        assert!(
            taken_in.refused.is_empty() && taken_in.skipped.is_empty(),
            "{taken_in:?}"
        );
        assert!(taken_in.embedder_failure.is_none());
    }
    evaluate(&library, database.pool(), TENANT, &labelled())
        .await
        .unwrap()
}

#[tokio::test]
async fn the_hybrid_search_finds_more_than_either_search_alone() {
    let directory = test_support::model::directory().await.unwrap();
    let embedder = LocalEmbedder::open(&directory, Options::default()).unwrap();
    let report = report(Some(Arc::new(embedder))).await;
    assert!(report.questions >= 80 && report.passages >= 100, "{report}");
    let [text, vector, hybrid] =
        ["text", "vector", "hybrid"].map(|mode| report.modes[mode].figures);
    for alone in [text, vector] {
        assert!(hybrid.mrr_at_10 > alone.mrr_at_10 + 0.02, "{report}");
        assert!(hybrid.recall_at_5 > alone.recall_at_5 + 0.02, "{report}");
    }
    assert!(hybrid.recall_at_5 > 0.9, "{report}");
    let kinds = |mode: &str, kind: &str| report.modes[mode].by_kind[kind].mrr_at_10;
    assert!(kinds("text", "code") > kinds("vector", "code"), "{report}");
    assert!(
        kinds("vector", "paraphrase") > kinds("text", "paraphrase"),
        "{report}"
    );
    // With the model, most paraphrases are found, and they stand among the first three.
    let paraphrases = |mode: &str| report.modes[mode].by_kind["paraphrase"].recall_at_3;
    assert!(paraphrases("text") < 0.5, "{report}");
    assert!(paraphrases("hybrid") > 0.8, "{report}");
    println!("{report}");
}

#[tokio::test]
async fn without_a_model_text_is_the_only_mode() {
    let report = report(None).await;
    assert_eq!(report.modes.keys().collect::<Vec<_>>(), ["text"]);
    assert!(report.model.is_none());
    assert!(report.modes["text"].figures.recall_at_5 > 0.6, "{report}");
}
