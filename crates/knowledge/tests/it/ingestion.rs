//! Documents that come, change and go.

use std::sync::atomic::Ordering;

use knowledge::{Error, IngestOutcome, Library, Query, Reader, SearchMode, Settings};

use crate::support::{chunks, database, library, names, put, query, rows, search, settings};

const MANUAL: &str = "# Pump\n\nThe pump moves water from the well to the tank, whatever the weather is.\n\n\
    ## Starting\n\nOpen the valve, bleed the line and press the green button for two seconds.\n\n\
    ## Stopping\n\nPress the red button and wait until the motor stands still before closing the valve.\n";

#[tokio::test]
async fn the_same_document_twice_writes_nothing() {
    let database = database().await;
    let (library, embedder) = library(&database);
    let first = put(&library, "pump.md", MANUAL).await;
    assert_eq!(
        (
            first.outcome,
            first.chunks,
            first.chunks_written,
            first.chunks_without_vector
        ),
        (IngestOutcome::Created, 3, 3, 0)
    );
    let (before, asked) = (rows(database.pool()).await, embedder.count());
    let again = put(&library, "pump.md", MANUAL).await;
    assert_eq!(
        (
            again.outcome,
            again.chunks,
            again.chunks_written,
            again.chunks_deleted
        ),
        (IngestOutcome::Unchanged, 3, 0, 0)
    );
    assert_eq!(again.document_id, first.document_id);
    assert_eq!(rows(database.pool()).await, before);
    assert_eq!(embedder.count(), asked);
}

#[tokio::test]
async fn a_changed_section_changes_its_own_chunks_only() {
    let database = database().await;
    let (library, embedder) = library(&database);
    put(&library, "pump.md", MANUAL).await;
    let before = chunks(database.pool(), "pump.md").await;
    let asked = embedder.count();
    let changed = put(&library, "pump.md", &MANUAL.replace("green", "blue")).await;
    assert_eq!(
        (
            changed.outcome,
            changed.chunks_written,
            changed.chunks_deleted
        ),
        (IngestOutcome::Updated, 1, 1)
    );
    let after = chunks(database.pool(), "pump.md").await;
    assert_eq!((after[0].0, after[2].0), (before[0].0, before[2].0));
    assert_ne!(after[1].0, before[1].0);
    assert_eq!(embedder.count(), asked + 1);
    let green = Query {
        mode: SearchMode::Text,
        ..query("green")
    };
    let gone = library
        .search(&Reader::of_all("acme"), &green)
        .await
        .unwrap();
    assert_eq!(gone.reason.as_deref(), Some("no_matches"));
    assert_eq!(
        search(&library, "blue button").await.results[0].chunk_index,
        1
    );
}

#[tokio::test]
async fn a_new_section_moves_the_others_without_embedding_them_again() {
    let database = database().await;
    let (library, embedder) = library(&database);
    put(&library, "pump.md", MANUAL).await;
    let before = chunks(database.pool(), "pump.md").await;
    let asked = embedder.count();
    let longer = MANUAL.replace(
        "## Starting",
        "## Safety\n\nNever reach into the impeller while the motor is connected to the mains.\n\n## Starting",
    );
    let changed = put(&library, "pump.md", &longer).await;
    assert_eq!(
        (
            changed.chunks,
            changed.chunks_written,
            changed.chunks_deleted
        ),
        (4, 1, 0)
    );
    let after = chunks(database.pool(), "pump.md").await;
    assert_eq!((after[2].0, after[2].1), (before[1].0, 2));
    assert_eq!(embedder.count(), asked + 1);
}

#[tokio::test]
async fn text_that_moves_to_another_document_costs_no_embedding() {
    let database = database().await;
    let (library, embedder) = library(&database);
    let first = put(&library, "pump.md", MANUAL).await;
    let asked = embedder.count();
    let id = first.document_id.parse().unwrap();
    assert!(library.delete(&Reader::of_all("acme"), id).await.unwrap());
    assert!(!library.delete(&Reader::of_all("acme"), id).await.unwrap());
    assert_eq!(
        search(&library, "valve").await.reason.as_deref(),
        Some("no_documents")
    );
    let moved = put(&library, "pumps/one.md", MANUAL).await;
    assert_eq!(
        (moved.outcome, moved.chunks_without_vector),
        (IngestOutcome::Created, 0)
    );
    // The question was one more.
    assert_eq!(embedder.count(), asked);
    let words: i64 =
        sqlx::query_scalar("SELECT chunks::bigint FROM tools.knowledge_terms WHERE term = 'valv'")
            .fetch_one(database.pool())
            .await
            .unwrap();
    assert_eq!(words, 2, "what was deleted is not counted any more");
}

#[tokio::test]
async fn what_an_embedder_that_is_away_leaves_is_made_up_for() {
    let database = database().await;
    let (library, embedder) = library(&database);
    embedder.is_away.store(true, Ordering::SeqCst);
    let kept = put(&library, "pump.md", MANUAL).await;
    assert_eq!((kept.chunks, kept.chunks_without_vector), (3, 3));
    let found = search(&library, "green button").await;
    assert_eq!(names(&found), ["pump.md", "pump.md"]);
    assert_eq!(found.reason.as_deref(), Some("embedder_unavailable"));

    embedder.is_away.store(false, Ordering::SeqCst);
    let caught_up = library.catch_up_all().await.unwrap();
    assert_eq!(
        (caught_up.embedded, caught_up.left, caught_up.failure),
        (3, 0, None)
    );
    assert_eq!(
        put(&library, "pump.md", MANUAL).await.chunks_without_vector,
        0
    );
}

#[tokio::test]
async fn an_interrupted_run_goes_on_where_it_was() {
    let database = database().await;
    let embedder = crate::support::WordEmbedder::new();
    let small = Settings {
        embedding_batch: 4,
        ..settings()
    };
    let library = Library::new(database.pool().clone(), small, Some(embedder.clone()));
    let sections: Vec<String> = (0..10)
        .map(|n| {
            format!(
                "# Part {n}\n\nThis is what there is to say about the part number {n} of it.\n\n"
            )
        })
        .collect();
    let sections = sections.concat();
    embedder.calls_left.store(1, Ordering::SeqCst);
    let cut = put(&library, "parts.md", &sections).await;
    assert_eq!(
        (cut.chunks, cut.chunks_without_vector, embedder.count()),
        (10, 6, 4)
    );

    embedder.calls_left.store(usize::MAX, Ordering::SeqCst);
    let again = put(&library, "parts.md", &sections).await;
    assert_eq!(
        (
            again.outcome,
            again.chunks_written,
            again.chunks_without_vector
        ),
        (IngestOutcome::Unchanged, 0, 0)
    );
    assert_eq!(embedder.count(), 10, "no text is embedded twice");
}

#[tokio::test]
async fn a_chunk_that_the_model_refuses_takes_no_other_with_it() {
    let database = database().await;
    let (library, _) = library(&database);
    let text = "# One\n\nThis section is fine and long enough to be a chunk of its own.\n\n\
        # Two\n\nThis section is forbidden by the model and long enough to be a chunk.\n";
    let kept = put(&library, "two.md", text).await;
    assert_eq!((kept.chunks, kept.chunks_without_vector), (2, 1));
    assert_eq!(
        search(&library, "forbidden").await.results[0].headings,
        ["Two"]
    );
}

#[tokio::test]
async fn documents_of_one_name_in_two_collections_and_tenants_are_different_ones() {
    let database = database().await;
    let (library, _) = library(&database);
    for (tenant, collection) in [
        ("acme", "manuals"),
        ("acme", "guides"),
        ("rival", "manuals"),
    ] {
        let bytes = MANUAL.replace("well", collection).replace("tank", tenant);
        let kept = library
            .ingest(
                &Reader::of_all(tenant),
                collection,
                "pump.md",
                None,
                bytes.into_bytes(),
            )
            .await
            .unwrap();
        assert_eq!(kept.outcome, IngestOutcome::Created);
    }
    let listed = library
        .documents(&Reader::of_all("acme"), None)
        .await
        .unwrap();
    let listed: Vec<_> = listed
        .iter()
        .map(|document| {
            (
                document.collection.as_str(),
                document.chunks,
                document.chunks_without_vector,
            )
        })
        .collect();
    assert_eq!(listed, [("guides", 3, 0), ("manuals", 3, 0)]);
    assert_eq!(
        library
            .documents(&Reader::of_all("acme"), Some("guides"))
            .await
            .unwrap()
            .len(),
        1
    );
    assert_eq!(
        library
            .documents(&Reader::of_all("nobody"), None)
            .await
            .unwrap(),
        []
    );

    let theirs = &library
        .documents(&Reader::of_all("rival"), None)
        .await
        .unwrap()[0];
    let id = theirs.document_id.parse().unwrap();
    assert!(!library.delete(&Reader::of_all("acme"), id).await.unwrap());
    assert_eq!(
        library
            .documents(&Reader::of_all("rival"), None)
            .await
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn other_sizes_cut_documents_anew_and_another_language_reads_their_words_anew() {
    let database = database().await;
    let (library, embedder) = library(&database);
    put(&library, "pump.md", MANUAL).await;
    let asked = embedder.count();
    let mut german = settings();
    german.search.language = "simple".to_owned();
    let german = Library::new(database.pool().clone(), german, Some(embedder.clone()));
    let again = put(&german, "pump.md", MANUAL).await;
    assert_eq!((again.chunks_written, again.chunks_deleted), (3, 3));
    assert_eq!(embedder.count(), asked, "the texts are the same");
    assert_eq!(names(&search(&german, "closing").await), ["pump.md"]);

    let mut small = settings();
    small.chunks.size = 60;
    let small = Library::new(database.pool().clone(), small, Some(embedder));
    assert!(put(&small, "pump.md", MANUAL).await.chunks > 3);
}

#[tokio::test]
async fn what_can_not_be_kept_is_refused_with_its_reason() {
    let database = database().await;
    let strict = Settings {
        max_document_bytes: 5_000,
        max_chunks: 2,
        ..settings()
    };
    let library = Library::new(database.pool().clone(), strict, None);
    let keep = async |collection: &str, filename: &str, bytes: &[u8]| {
        library
            .ingest(
                &Reader::of_all("acme"),
                collection,
                filename,
                None,
                bytes.to_vec(),
            )
            .await
            .unwrap_err()
    };
    assert!(matches!(
        keep("m", "a.zip", b"PK").await,
        Error::UnsupportedMediaType { .. }
    ));
    let table = keep("m", "Prices.CSV", b"a,b\n1,2\n").await.to_string();
    assert!(table.contains("heliograph targets load"), "{table}");
    assert!(table.contains("heliograph import"), "{table}");
    assert!(matches!(
        keep("m", "a.md", &[b'a'; 5_001]).await,
        Error::TooLarge { .. }
    ));
    assert!(matches!(
        keep("m", "a.md", MANUAL.as_bytes()).await,
        Error::TooManyChunks { chunks: 3, .. }
    ));
    assert!(matches!(
        keep("m", "a.md", b" \n\n").await,
        Error::NoText(None)
    ));
    assert!(matches!(
        keep("m", "a.pdf", b"%PDF-1.4 broken").await,
        Error::Broken(_)
    ));
    assert!(matches!(
        keep(" ", "a.md", b"text").await,
        Error::InvalidName { .. }
    ));
    assert!(matches!(
        keep("m", "a\n.md", b"text").await,
        Error::InvalidName { .. }
    ));
    assert_eq!(
        library
            .documents(&Reader::of_all("acme"), None)
            .await
            .unwrap(),
        []
    );
}

#[tokio::test]
async fn two_writers_of_one_tenant_wait_for_each_other() {
    let database = database().await;
    let (library, _) = library(&database);
    let writers = (0..6).map(|n| {
        let library = library.clone();
        tokio::spawn(async move {
            let text = MANUAL.replace("green", &format!("colour{}", n % 2));
            put(&library, &format!("pump-{}.md", n % 3), &text).await
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let counted: (i64, i64) = sqlx::query_as(
        "SELECT chunks, (SELECT count(*) FROM tools.knowledge_chunks) FROM tools.knowledge_tenants WHERE tenant = 'acme'",
    )
    .fetch_one(database.pool())
    .await
    .unwrap();
    assert_eq!(counted, (9, 9));
    let wrong: Vec<String> = sqlx::query_scalar(
        "SELECT t.term FROM tools.knowledge_terms t WHERE t.chunks <>
            (SELECT count(*) FROM tools.knowledge_chunks c WHERE t.term = ANY(tsvector_to_array(c.terms)))",
    )
    .fetch_all(database.pool())
    .await
    .unwrap();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[tokio::test]
async fn vectors_of_text_that_is_gone_are_forgotten_in_the_end() {
    let database = database().await;
    let (library, _) = library(&database);
    put(&library, "pump.md", MANUAL).await;
    library
        .delete_named(&Reader::of_all("acme"), "manuals", "pump.md")
        .await
        .unwrap();
    assert_eq!(library.forget_unused(30).await.unwrap(), 0);
    assert_eq!(library.forget_unused(-1).await.unwrap(), 3);
}
