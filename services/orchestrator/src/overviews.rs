//! The data of a person, as the tools service reports them, kept for a moment: every page that
//! opens asks.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use contracts::data_overview::DataOverview;
use service_client::{Error, ToolsClient};
use service_kit::identity::Identity;
use tokio::time::Instant;

/// Time that an overview is taken as current: a person who connects a database needs to see it
/// soon.
const LIFETIME: Duration = Duration::from_secs(20);

/// Overviews that are kept at most. Beyond, the old ones go.
const MOST: usize = 1_000;

/// An overview and when it came.
type Kept = (Instant, Arc<DataOverview>);

/// The overviews of persons, by tenant and subject.
#[derive(Default)]
pub(crate) struct Overviews(Mutex<HashMap<(String, String), Kept>>);

impl Overviews {
    /// The overview of the caller's data.
    pub(crate) async fn of(
        &self,
        identity: &Identity,
        tools: &ToolsClient,
    ) -> Result<Arc<DataOverview>, Error> {
        let key = (identity.tenant.clone(), identity.subject.clone());
        if let Some((at, overview)) = self.lock().get(&key)
            && at.elapsed() < LIFETIME
        {
            return Ok(Arc::clone(overview));
        }
        let overview = Arc::new(tools.data_overview(&identity.token).await?);
        if lacks_data(&overview) {
            return Ok(overview);
        }
        let mut kept = self.lock();
        if kept.len() >= MOST {
            kept.retain(|_, (at, _)| at.elapsed() < LIFETIME);
        }
        if kept.len() < MOST {
            kept.insert(key, (Instant::now(), Arc::clone(&overview)));
        }
        Ok(overview)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<(String, String), Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether an assistant has nothing to answer from. Such an overview is not kept: the person may be
/// about to add the data, and then looks for what can be asked.
fn lacks_data(overview: &DataOverview) -> bool {
    overview.loggers.is_empty()
        || overview.targets.is_empty()
        || overview.sources.is_empty()
        || overview.documents.is_empty()
}
