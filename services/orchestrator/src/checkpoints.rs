//! Where conversations are kept between turns: a SQLite file.

use std::sync::Arc;

use checkpoint::SqliteSaver;
use graph::Checkpointer;
use service_kit::problem::chain;

use crate::config::CheckpointsConfig;

/// Opens the store. Without it every turn is answered all the same, only without memory; the graph says so in each.
pub(crate) async fn open(config: &CheckpointsConfig) -> Option<Arc<dyn Checkpointer>> {
    match SqliteSaver::open(&config.path).await {
        Ok(saver) => Some(Arc::new(saver)),
        Err(error) => {
            tracing::error!(path = %config.path.display(), error = %chain(&error), "conversations can not be kept");
            None
        }
    }
}
