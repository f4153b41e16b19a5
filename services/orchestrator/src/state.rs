//! What the handlers share.

use std::sync::Arc;

use agent_site::SiteAssistant;
use graph::Checkpointer;
use service_client::ToolsClient;
use service_kit::client::HttpClient;
use service_kit::clock::{SharedClock, SharedIds};
use tokio::sync::Semaphore;

use crate::Error;
use crate::checkpoints;
use crate::config::{Config, RunsConfig};
use crate::threads::Threads;

/// Cheap to clone.
#[derive(Clone)]
pub(crate) struct State(Arc<Inner>);

/// What is inside a [`State`].
pub(crate) struct Inner {
    pub(crate) assistant: SiteAssistant,
    /// Where threads are kept, when that could be opened.
    pub(crate) checkpointer: Option<Arc<dyn Checkpointer>>,
    /// Checkpoints that a thread keeps.
    pub(crate) checkpoints_kept: u32,
    pub(crate) tools: ToolsClient,
    pub(crate) threads: Threads,
    /// A permit per run.
    pub(crate) permits: Arc<Semaphore>,
    pub(crate) runs: RunsConfig,
    pub(crate) clock: SharedClock,
    pub(crate) ids: SharedIds,
}

impl std::ops::Deref for State {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl State {
    pub(crate) async fn build(
        config: Config,
        client: HttpClient,
        clock: SharedClock,
        ids: SharedIds,
    ) -> Result<Self, Error> {
        let tools =
            ToolsClient::new(&config.tools.base_url, client)?.with_timeout(config.tools.timeout());
        let checkpointer = checkpoints::open(&config.checkpoints).await;
        Ok(Self(Arc::new(Inner {
            assistant: SiteAssistant::new(checkpointer.clone())?,
            checkpointer,
            checkpoints_kept: config.checkpoints.kept_per_thread,
            tools,
            threads: Threads::default(),
            permits: Arc::new(Semaphore::new(config.runs.max_concurrent)),
            runs: config.runs,
            clock,
            ids,
        })))
    }
}
