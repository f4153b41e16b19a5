//! Files and folders.

use std::fs;
use std::sync::atomic::Ordering;

use knowledge::{FileOutcome, Folder, FolderReport, IngestOutcome, Library, Reader};
use tempfile::TempDir;

use crate::support::{database, library, rows};

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(
        "a.md",
        "# A\n\nThe first of the documents, with enough words to be kept as a chunk.",
    );
    write(
        "deep/er/b.txt",
        "The second of the documents, with enough words to be kept as a chunk.",
    );
    write("broken.pdf", "%PDF-1.7\nnothing of a PDF follows");
    write("empty.md", "\n\n");
    write("photo.jpg", "not a document");
    write(".hidden.md", "not to be seen");
    folder
}

async fn run(library: &Library, folder: &TempDir, prune: bool) -> (FolderReport, Vec<String>) {
    let mut told = Vec::new();
    let what = Folder {
        paths: vec![folder.path().to_path_buf()],
        reader: Reader::of_all("acme"),
        collection: "manuals".to_owned(),
        prune,
    };
    let report = library
        .ingest_path(&what, |file| {
            let name = file.path.file_name().unwrap().to_string_lossy();
            let outcome = match file.outcome {
                FileOutcome::Ingested(ingested) => format!("{:?}", ingested.outcome),
                FileOutcome::Refused(_) => "refused".to_owned(),
                FileOutcome::Skipped => "skipped".to_owned(),
            };
            told.push(format!("{}/{} {name} {outcome}", file.number, file.of));
        })
        .await
        .unwrap();
    (report, told)
}

#[tokio::test]
async fn broken_files_are_told_and_the_others_go_on() {
    let database = database().await;
    let (library, _) = library(&database);
    let (report, told) = run(&library, &folder(), false).await;
    assert_eq!(
        told,
        [
            "1/5 a.md Created",
            "2/5 broken.pdf refused",
            "3/5 b.txt Created",
            "4/5 empty.md refused",
            "5/5 photo.jpg skipped"
        ]
    );
    assert_eq!(
        (
            report.ingested.len(),
            report.refused.len(),
            report.skipped.len()
        ),
        (2, 2, 1)
    );
    assert_eq!(report.ingested[1].filename, "deep/er/b.txt");
    assert_eq!(
        (report.chunks_without_vector, report.embedder_failure),
        (0, None)
    );
}

#[tokio::test]
async fn the_same_folder_twice_changes_nothing() {
    let database = database().await;
    let (library, embedder) = library(&database);
    let folder = folder();
    run(&library, &folder, true).await;
    let (before, asked) = (rows(database.pool()).await, embedder.count());
    let (report, _) = run(&library, &folder, true).await;
    assert!(
        report
            .ingested
            .iter()
            .all(|file| file.outcome == IngestOutcome::Unchanged)
    );
    assert_eq!(
        (rows(database.pool()).await, embedder.count()),
        (before, asked)
    );
    assert_eq!(report.pruned, Vec::<String>::new());
}

#[tokio::test]
async fn documents_whose_files_are_gone_go_when_asked_for() {
    let database = database().await;
    let (library, _) = library(&database);
    let folder = folder();
    run(&library, &folder, false).await;
    fs::remove_file(folder.path().join("deep/er/b.txt")).unwrap();
    assert_eq!(
        run(&library, &folder, false).await.0.pruned,
        Vec::<String>::new()
    );
    assert_eq!(
        run(&library, &folder, true).await.0.pruned,
        ["deep/er/b.txt"]
    );
    assert_eq!(
        library
            .documents(&Reader::of_all("acme"), None)
            .await
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn an_embedder_that_is_away_does_not_end_the_run() {
    let database = database().await;
    let (library, embedder) = library(&database);
    embedder.is_away.store(true, Ordering::SeqCst);
    let folder = folder();
    let (report, _) = run(&library, &folder, false).await;
    assert_eq!(
        (report.ingested.len(), report.chunks_without_vector),
        (2, 2)
    );
    assert!(report.embedder_failure.unwrap().contains("cannot connect"));
    embedder.is_away.store(false, Ordering::SeqCst);
    assert_eq!(
        run(&library, &folder, false).await.0.chunks_without_vector,
        0
    );
}
