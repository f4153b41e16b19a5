//! Damaged directories. The error names the file.

use std::fs;
use std::path::Path;

use local_embedder::{Error, LocalEmbedder, Options};
use tempfile::TempDir;

use crate::directory;

/// The model's directory with one file replaced or removed.
async fn damaged(file: &str, contents: Option<&[u8]>) -> TempDir {
    let (model, copy) = (directory().await, tempfile::tempdir().unwrap());
    for entry in fs::read_dir(&model).unwrap().flatten() {
        if entry.file_name() != file {
            std::os::unix::fs::symlink(
                entry.path().canonicalize().unwrap(),
                copy.path().join(entry.file_name()),
            )
            .unwrap();
        }
    }
    if let Some(contents) = contents {
        fs::write(copy.path().join(file), contents).unwrap();
    }
    copy
}

fn refusal(directory: &Path) -> Error {
    LocalEmbedder::open(directory, Options::default()).unwrap_err()
}

#[tokio::test]
async fn missing_files_are_named() {
    for file in ["config.json", "tokenizer.json", "model.safetensors"] {
        let error = refusal(damaged(file, None).await.path());
        assert!(
            matches!(&error, Error::Unreadable { path, .. } if path.ends_with(file)),
            "{error}"
        );
    }
    assert!(matches!(
        refusal("/nonexistent".as_ref()),
        Error::Unreadable { .. }
    ));
}

#[tokio::test]
async fn truncated_or_foreign_weights_are_rejected() {
    let file = "model.safetensors";
    let weights = fs::read(directory().await.join(file)).unwrap();
    for contents in [
        &weights[..weights.len() / 2],
        &weights[..100],
        b"",
        b"not weights",
    ] {
        let error = refusal(damaged(file, Some(contents)).await.path());
        assert!(
            matches!(&error, Error::Invalid { path, .. } if path.ends_with(file)),
            "{error}"
        );
    }
}

#[tokio::test]
async fn weights_of_another_shape_are_rejected() {
    let config = fs::read_to_string(directory().await.join("config.json")).unwrap();
    for (old, new) in [
        ("\"intermediate_size\": 1536", "\"intermediate_size\": 3072"),
        ("\"num_hidden_layers\": 6", "\"num_hidden_layers\": 7"),
    ] {
        let config = config.replace(old, new);
        let error = refusal(damaged("config.json", Some(config.as_bytes())).await.path());
        assert!(
            matches!(&error, Error::Invalid { path, .. } if path.ends_with("model.safetensors")),
            "{error}"
        );
    }
    let config = config.replace("\"vocab_size\": 30522", "\"vocab_size\": 1000");
    let error = refusal(damaged("config.json", Some(config.as_bytes())).await.path());
    assert!(
        error.to_string().contains("30522"),
        "the tokenizer has tokens outside the vocabulary: {error}"
    );
}

#[tokio::test]
async fn weights_that_are_not_numbers_are_detected() {
    use llm::{Embedder, EmbeddingKind};

    let file = "model.safetensors";
    let mut weights = fs::read(directory().await.join(file)).unwrap();
    let header = 8 + usize::try_from(u64::from_le_bytes(weights[..8].try_into().unwrap())).unwrap();
    weights[header..].fill(0xff);
    let copy = damaged(file, Some(&weights)).await;
    let embedder = LocalEmbedder::open(copy.path(), Options::default()).unwrap();
    let error = embedder
        .embed(&["text".to_owned()], EmbeddingKind::Query)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("not a number"), "{error}");
}

#[tokio::test]
async fn vectors_of_another_length_are_rejected() {
    let options = |dimensions| Options {
        dimensions: Some(dimensions),
        ..Options::default()
    };
    let directory = directory().await;
    let error = LocalEmbedder::open(&directory, options(768)).unwrap_err();
    assert!(
        matches!(
            error,
            Error::Dimensions {
                found: 384,
                expected: 768,
                ..
            }
        ),
        "{error}"
    );
    LocalEmbedder::open(&directory, options(384)).unwrap();
}
