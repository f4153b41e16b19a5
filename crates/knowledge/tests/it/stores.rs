//! One suite for both vector stores.

use std::sync::Arc;

use knowledge::vectors::{InProcess, Scope, VectorStore};
use knowledge::{Library, Query, Reader, SearchMode, Settings, StoreChoice, VectorService};
use llm::Embedder;
use sqlx::PgPool;
use test_support::database::TestDatabase;

use crate::support::{WordEmbedder, database, names, put, query, settings};

/// A library over each store that this server can have, and what it calls itself.
async fn libraries(
    change: impl Fn(&mut Settings),
) -> Vec<(TestDatabase, Library, Arc<WordEmbedder>, VectorService)> {
    let mut libraries = Vec::new();
    for (choice, service) in [
        (StoreChoice::InProcess, VectorService::InProcessExact),
        (StoreChoice::Pgvector, VectorService::PgvectorExact),
    ] {
        let database = database().await;
        let mut settings = Settings {
            vector_store: choice,
            ..settings()
        };
        change(&mut settings);
        let embedder = WordEmbedder::of(128);
        let library = Library::new(database.pool().clone(), settings, Some(embedder.clone()));
        if library.vector_store().await.unwrap().is_some() {
            libraries.push((database, library, embedder, service));
        } else {
            assert!(
                !has_pgvector(database.pool()).await,
                "the server has pgvector"
            );
        }
    }
    libraries
}

async fn has_pgvector(pool: &PgPool) -> bool {
    sqlx::query_scalar("SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector')")
        .fetch_one(pool)
        .await
        .unwrap()
}

fn by_vector(question: &str) -> Query {
    Query {
        mode: SearchMode::Vector,
        min_score: Some(0.0),
        ..query(question)
    }
}

#[tokio::test]
async fn the_nearest_come_first_with_their_cosine() {
    for (_database, library, embedder, service) in libraries(|_| ()).await {
        put(&library, "one.md", "alpha beta gamma delta").await;
        put(&library, "two.md", "alpha beta epsilon zeta").await;
        put(&library, "three.md", "eta theta iota kappa").await;
        let found = library
            .search(&Reader::of_all("acme"), &by_vector("alpha beta gamma"))
            .await
            .unwrap();
        assert_eq!(names(&found)[..2], ["one.md", "two.md"], "{service:?}");
        assert_eq!(found.vectors, service);
        let expected = cosine(
            &embedder.vector("alpha beta gamma"),
            &embedder.vector("alpha beta gamma delta"),
        );
        assert!(
            (found.results[0].score - expected).abs() < 2e-3,
            "{service:?}"
        );
    }
}

#[tokio::test]
async fn what_changes_and_goes_is_found_as_it_is_now() {
    for (_database, library, _, service) in libraries(|_| ()).await {
        put(&library, "one.md", "alpha beta gamma delta").await;
        put(&library, "two.md", "alpha beta gamma delta epsilon").await;
        assert_eq!(
            library
                .search(&Reader::of_all("acme"), &by_vector("alpha"))
                .await
                .unwrap()
                .results
                .len(),
            2
        );
        put(&library, "one.md", "entirely other words stand here now").await;
        let found = library
            .search(&Reader::of_all("acme"), &by_vector("entirely other words"))
            .await
            .unwrap();
        assert_eq!(names(&found)[0], "one.md", "{service:?}");
        library
            .delete_named(&Reader::of_all("acme"), "manuals", "one.md")
            .await
            .unwrap();
        let found = library
            .search(&Reader::of_all("acme"), &by_vector("entirely other words"))
            .await
            .unwrap();
        assert_eq!(names(&found), ["two.md"], "{service:?}");
        // The words come back, their vector is there already.
        put(&library, "three.md", "entirely other words stand here now").await;
        let found = library
            .search(&Reader::of_all("acme"), &by_vector("entirely other words"))
            .await
            .unwrap();
        assert_eq!(names(&found)[0], "three.md", "{service:?}");
    }
}

#[tokio::test]
async fn tenants_and_filters_do_not_shorten_results() {
    for (_database, library, _, service) in libraries(|_| ()).await {
        for n in 0..30 {
            let text = format!("alpha beta number{n}");
            for (tenant, collection) in [("acme", "a"), ("rival", "a")] {
                library
                    .ingest(
                        &Reader::of_all(tenant),
                        collection,
                        &format!("{n}.md"),
                        None,
                        text.clone().into_bytes(),
                    )
                    .await
                    .unwrap();
            }
        }
        for n in 0..6 {
            let text = format!("gamma delta alpha number{n}");
            library
                .ingest(
                    &Reader::of_all("acme"),
                    "b",
                    &format!("{n}.md"),
                    None,
                    text.into_bytes(),
                )
                .await
                .unwrap();
        }
        let few = Query {
            collections: vec!["b".to_owned()],
            top_k: Some(6),
            ..by_vector("alpha beta")
        };
        let found = library.search(&Reader::of_all("acme"), &few).await.unwrap();
        assert_eq!(found.results.len(), 6, "{service:?}");
        assert!(found.results.iter().all(|found| found.collection == "b"));
        let all = Query {
            top_k: Some(50),
            ..by_vector("alpha beta")
        };
        assert_eq!(
            library
                .search(&Reader::of_all("rival"), &all)
                .await
                .unwrap()
                .results
                .len(),
            30,
            "{service:?}"
        );
    }
}

#[tokio::test]
async fn another_process_sees_what_this_one_wrote() {
    for (database, library, embedder, service) in libraries(|_| ()).await {
        let other = Library::new(
            database.pool().clone(),
            library.settings().clone(),
            Some(embedder),
        );
        put(&library, "one.md", "alpha beta gamma delta").await;
        assert_eq!(
            other
                .search(&Reader::of_all("acme"), &by_vector("alpha"))
                .await
                .unwrap()
                .results
                .len(),
            1
        );
        put(&library, "two.md", "alpha beta gamma epsilon").await;
        assert_eq!(
            other
                .search(&Reader::of_all("acme"), &by_vector("alpha"))
                .await
                .unwrap()
                .results
                .len(),
            2,
            "{service:?}"
        );
        library
            .delete_named(&Reader::of_all("acme"), "manuals", "one.md")
            .await
            .unwrap();
        let found = other
            .search(&Reader::of_all("acme"), &by_vector("alpha"))
            .await
            .unwrap();
        assert_eq!(names(&found), ["two.md"], "{service:?}");
    }
}

#[tokio::test]
async fn vectors_of_two_models_are_kept_apart() {
    for (database, library, _, service) in libraries(|_| ()).await {
        put(&library, "one.md", "alpha beta gamma delta").await;
        let wider = WordEmbedder::of(96);
        let other = Library::new(
            database.pool().clone(),
            library.settings().clone(),
            Some(wider.clone()),
        );
        let first = other
            .search(&Reader::of_all("acme"), &query("alpha"))
            .await
            .unwrap();
        assert_eq!(
            (names(&first), first.mode),
            (vec!["one.md"], SearchMode::Text),
            "{service:?}"
        );
        assert_eq!(other.catch_up("acme").await.unwrap().embedded, 1);
        let found = other
            .search(&Reader::of_all("acme"), &by_vector("alpha"))
            .await
            .unwrap();
        assert_eq!((names(&found), found.vectors), (vec!["one.md"], service));
    }
}

#[tokio::test]
async fn a_large_library_of_pgvector_is_served_by_its_index() {
    let libraries = libraries(|settings| settings.index_from = 40).await;
    for (_database, library, _, service) in libraries {
        for n in 0..60 {
            put(
                &library,
                &format!("{n}.md"),
                &format!("alpha beta number{n} thing{}", n % 7),
            )
            .await;
        }
        let exact = library
            .search(&Reader::of_all("acme"), &by_vector("alpha number31 thing3"))
            .await
            .unwrap();
        assert_eq!(exact.vectors, service, "there is no index yet");
        library.catch_up("acme").await.unwrap();
        let indexed = library
            .search(&Reader::of_all("acme"), &by_vector("alpha number31 thing3"))
            .await
            .unwrap();
        if service == VectorService::PgvectorExact {
            assert_eq!(indexed.vectors, VectorService::PgvectorHnsw);
        }
        assert_eq!(names(&indexed)[0], "31.md");
        assert_eq!(indexed.results.len(), exact.results.len());
        for (indexed, exact) in indexed.results.iter().zip(&exact.results) {
            assert!((indexed.score - exact.score).abs() < 1e-3);
        }
        // A scope that is small within a large table is compared exactly.
        library
            .ingest(
                &Reader::of_all("rival"),
                "a",
                "own.md",
                None,
                b"alpha beta of another user".to_vec(),
            )
            .await
            .unwrap();
        let theirs = library
            .search(&Reader::of_all("rival"), &by_vector("alpha"))
            .await
            .unwrap();
        assert_eq!((names(&theirs), theirs.vectors), (vec!["own.md"], service));
    }
}

#[tokio::test]
async fn memory_is_bounded_and_a_tenant_too_large_for_it_is_searched_all_the_same() {
    let database = database().await;
    let embedder = WordEmbedder::of(128);
    let library = Library::new(database.pool().clone(), settings(), Some(embedder.clone()));
    for tenant in ["acme", "rival"] {
        for n in 0..4 {
            let text = format!("alpha beta number{n} {tenant}").into_bytes();
            library
                .ingest(&Reader::of_all(tenant), "a", &format!("{n}.md"), None, text)
                .await
                .unwrap();
        }
    }
    let (key, dimensions): (i32, i32) =
        sqlx::query_as("SELECT model_key, dimensions FROM tools.knowledge_models")
            .fetch_one(database.pool())
            .await
            .unwrap();
    let model = knowledge::vectors::Model {
        key,
        name: embedder.id().to_string(),
        dimensions: usize::try_from(dimensions).unwrap(),
    };
    let scope = |tenant: &str| Scope {
        tenant: tenant.to_owned(),
        documents: None,
        chunks: 4,
        version: 100,
    };
    let question = knowledge::vectors::dot::unit(embedder.vector("number2"));
    let one = 4 * (128 * 4 + 12);
    for (budget, kept) in [(one, one), (2 * one, 2 * one), (100, 0)] {
        let store = InProcess::new(database.pool().clone(), budget);
        for tenant in ["acme", "rival", "acme"] {
            let nearest = store
                .nearest(&model, &scope(tenant), &question, 2)
                .await
                .unwrap();
            assert_eq!(nearest.hits.len(), 2);
            assert!(nearest.hits[0].cosine > nearest.hits[1].cosine);
            assert!(store.bytes() <= budget);
        }
        assert_eq!(store.bytes(), kept);
    }
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let product = |a: &[f32], b: &[f32]| -> f64 {
        a.iter()
            .zip(b)
            .map(|(a, b)| f64::from(*a) * f64::from(*b))
            .sum()
    };
    product(a, b) / (product(a, a) * product(b, b)).sqrt()
}
