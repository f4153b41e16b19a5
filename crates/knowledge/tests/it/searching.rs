//! The results of searches, and what the answer says about how they were found.

use std::sync::atomic::Ordering;

use knowledge::{Library, Query, Reader, SearchMode, VectorService};

use crate::support::{database, library, names, put, query, search, settings};

async fn fleet(library: &Library) {
    put(
        library,
        "yard.md",
        "# Vehicles\n\nEvery automobile is inspected by the workshop.",
    )
    .await;
    put(
        library,
        "codes.md",
        "# Faults\n\nFault E-102 on GW-INV-001 means that the isolation to ground is too low.",
    )
    .await;
    put(
        library,
        "menu.md",
        "# Canteen\n\nOn Fridays there is fish, on other days there is something else to eat.",
    )
    .await;
}

#[tokio::test]
async fn words_and_vectors_find_what_the_other_does_not() {
    let database = database().await;
    let (library, _) = library(&database);
    fleet(&library).await;
    let found = search(&library, "cars").await;
    assert_eq!(names(&found)[0], "yard.md");
    let best = &found.results[0];
    assert_eq!((best.text_rank, best.vector_rank), (None, Some(1)));
    assert_eq!(
        (found.mode, found.vectors),
        (SearchMode::Hybrid, VectorService::InProcessExact)
    );
    assert_eq!(found.model.as_deref(), Some("openai/words"));

    for code in ["e102", "E-102", "GW-INV-001", "gwinv001"] {
        let found = search(&library, code).await;
        assert_eq!(names(&found)[0], "codes.md", "{code}");
        assert_eq!(found.results[0].text_rank, Some(1), "{code}");
    }
    let both = search(&library, "isolation to ground too low").await;
    let best = &both.results[0];
    assert_eq!((best.text_rank, best.vector_rank), (Some(1), Some(1)));
    assert!((best.fused_score - 2.0 / 61.0).abs() < 1e-6);
    assert_eq!(best.headings, ["Faults"]);
}

#[tokio::test]
async fn words_of_headings_and_of_the_documents_name_count() {
    let database = database().await;
    let library = Library::new(database.pool().clone(), settings(), None);
    fleet(&library).await;
    assert_eq!(names(&search(&library, "canteen").await), ["menu.md"]);
    assert_eq!(names(&search(&library, "menu").await), ["menu.md"]);
}

#[tokio::test]
async fn a_blank_question_and_an_empty_library_say_so() {
    let database = database().await;
    let (library, embedder) = library(&database);
    let nothing = search(&library, "pump").await;
    assert_eq!(nothing.reason.as_deref(), Some("no_documents"));
    fleet(&library).await;
    let asked = embedder.count();
    for blank in ["", " \n\t "] {
        let nothing = search(&library, blank).await;
        assert_eq!(nothing.reason.as_deref(), Some("empty_question"));
    }
    assert_eq!(embedder.count(), asked);
    let text = Query {
        mode: SearchMode::Text,
        ..query("xyzzy")
    };
    let nothing = library
        .search(&Reader::of_all("acme"), &text)
        .await
        .unwrap();
    assert_eq!(
        (nothing.reason.as_deref(), nothing.results.len()),
        (Some("no_matches"), 0)
    );
}

#[tokio::test]
async fn without_an_embedder_words_are_searched_and_the_answer_says_why() {
    let database = database().await;
    let library = Library::new(database.pool().clone(), settings(), None);
    fleet(&library).await;
    for mode in [SearchMode::Hybrid, SearchMode::Vector] {
        let found = library
            .search(
                &Reader::of_all("acme"),
                &Query {
                    mode,
                    ..query("who inspects an automobile")
                },
            )
            .await
            .unwrap();
        assert_eq!(names(&found), ["yard.md"]);
        assert_eq!(
            (found.mode, found.vectors, found.reason.as_deref()),
            (SearchMode::Text, VectorService::None, Some("no_embedder"))
        );
        assert!(
            (0.5..=1.0).contains(&found.results[0].score),
            "{}",
            found.results[0].score
        );
    }
}

#[tokio::test]
async fn an_embedder_that_is_away_leaves_the_search_by_words() {
    let database = database().await;
    let (library, embedder) = library(&database);
    fleet(&library).await;
    embedder.is_away.store(true, Ordering::SeqCst);
    let found = search(&library, "automobile").await;
    assert_eq!(names(&found), ["yard.md"]);
    assert_eq!(
        (found.mode, found.reason.as_deref()),
        (SearchMode::Text, Some("embedder_unavailable"))
    );
}

#[tokio::test]
async fn the_minimum_score_applies_before_the_limit() {
    let database = database().await;
    let (library, _) = library(&database);
    // The first of the text list, in many chunks, and far from the question by its vector.
    for n in 0..8 {
        let noise: Vec<String> = (0..40).map(|m| format!("noise{n}x{m}")).collect();
        let noise = noise.join(" ");
        put(
            &library,
            &format!("far{n}.md"),
            &format!("zebra zebra zebra {noise}"),
        )
        .await;
    }
    put(
        &library,
        "near.md",
        "A zebra is what this is all about: zebra, and the zebra.",
    )
    .await;
    let strict = Query {
        top_k: Some(1),
        min_score: Some(0.5),
        ..query("zebra")
    };
    let found = library
        .search(&Reader::of_all("acme"), &strict)
        .await
        .unwrap();
    assert_eq!(names(&found), ["near.md"]);
    assert!(found.results.iter().all(|found| found.score >= 0.5));
    let none = Query {
        min_score: Some(1.0),
        ..strict
    };
    let none = library
        .search(&Reader::of_all("acme"), &none)
        .await
        .unwrap();
    assert_eq!(none.reason.as_deref(), Some("no_matches"));
}

#[tokio::test]
async fn modes_search_one_list_alone() {
    let database = database().await;
    let (library, _) = library(&database);
    fleet(&library).await;
    let mode = async |mode| {
        let asked = Query {
            mode,
            ..query("automobile workshop")
        };
        library
            .search(&Reader::of_all("acme"), &asked)
            .await
            .unwrap()
    };
    let text = mode(SearchMode::Text).await;
    assert_eq!(
        (text.mode, text.vectors, text.reason),
        (SearchMode::Text, VectorService::None, None)
    );
    assert!(text.results.iter().all(|found| found.vector_rank.is_none()));
    let vector = mode(SearchMode::Vector).await;
    assert_eq!(vector.mode, SearchMode::Vector);
    assert!(vector.results.iter().all(|found| found.text_rank.is_none()));
}

#[tokio::test]
async fn filters_are_part_of_the_search() {
    let database = database().await;
    let (library, _) = library(&database);
    for collection in ["a", "b"] {
        for n in 0..3 {
            let text = format!("The relay number {n} of the collection {collection} clicks twice.");
            library
                .ingest(
                    &Reader::of_all("acme"),
                    collection,
                    &format!("{n}.md"),
                    None,
                    text.into_bytes(),
                )
                .await
                .unwrap();
        }
    }
    let only = async |collections: &[&str], filenames: &[&str]| {
        let asked = Query {
            collections: collections.iter().map(|&name| name.to_owned()).collect(),
            filenames: filenames.iter().map(|&name| name.to_owned()).collect(),
            ..query("relay clicks")
        };
        let found = library
            .search(&Reader::of_all("acme"), &asked)
            .await
            .unwrap();
        let mut found: Vec<_> = found
            .results
            .into_iter()
            .map(|found| format!("{}/{}", found.collection, found.filename))
            .collect();
        found.sort();
        found
    };
    assert_eq!(only(&["a"], &[]).await, ["a/0.md", "a/1.md", "a/2.md"]);
    assert_eq!(only(&[], &["1.md"]).await, ["a/1.md", "b/1.md"]);
    assert_eq!(only(&["b"], &["1.md", "2.md"]).await, ["b/1.md", "b/2.md"]);
    assert!(only(&["c"], &[]).await.is_empty());
}

#[tokio::test]
async fn nobody_finds_another_tenants_documents() {
    let database = database().await;
    let (library, _) = library(&database);
    fleet(&library).await;
    for mode in [SearchMode::Hybrid, SearchMode::Text, SearchMode::Vector] {
        let theirs = library
            .search(
                &Reader::of_all("rival"),
                &Query {
                    mode,
                    ..query("automobile")
                },
            )
            .await
            .unwrap();
        assert_eq!(theirs.reason.as_deref(), Some("no_documents"));
    }
    let own = b"An automobile of ours, with words of its own.".to_vec();
    library
        .ingest(&Reader::of_all("rival"), "manuals", "own.md", None, own)
        .await
        .unwrap();
    for mode in [SearchMode::Hybrid, SearchMode::Text, SearchMode::Vector] {
        let asked = Query {
            mode,
            min_score: Some(0.0),
            ..query("automobile")
        };
        let theirs = library
            .search(&Reader::of_all("rival"), &asked)
            .await
            .unwrap();
        assert_eq!(names(&theirs), ["own.md"]);
    }
}

#[tokio::test]
async fn questions_may_hold_anything() {
    let database = database().await;
    let (library, _) = library(&database);
    fleet(&library).await;
    for question in [
        "'; DROP TABLE x; --",
        "a & b | !c <-> (",
        "\\",
        "''",
        "\u{0}automobile",
        "🦓",
        &"word ".repeat(3_000),
    ] {
        search(&library, question).await;
    }
}

#[tokio::test]
async fn a_passage_of_a_short_section_has_its_own_heading_and_page() {
    let database = database().await;
    let (library, _) = library(&database);
    let text = "# Fire safety\n\n## Assembly point\n\nThe car park.\n\n## Extinguishers\n\n\
        | Place | Litres |\n|---|---|\n| Hall | 9 |\n";
    put(&library, "fire.md", text).await;
    for (question, heading) in [
        ("car park", "Assembly point"),
        ("litres hall", "Extinguishers"),
    ] {
        let found = search(&library, question).await.results;
        assert_eq!(found[0].headings, ["Fire safety", heading], "{question}");
    }
}
