//! The tools that analyse rows: `stats_analysis` and `pattern_recognition`. The crate `analytics`
//! computes; here are the rows, the choice of columns, and the sentences.
//!
//! Rows come with the call or are had by the query that found them, which is checked and run again
//! as it is.

mod choice;
mod data;
mod pattern_recognition;
mod stats_analysis;
mod subject;
mod table;
mod wording;

use std::time::Duration;

use async_trait::async_trait;
use contracts::tools::analysis::AnalysisData;
use contracts::tools::{Descriptor, registry};
use search_sources::Sources;
use service_kit::identity::Identity;

use crate::error::Error;
use crate::toolbox::{Call, Family, dispatch};

/// Reading all rows of a query takes no longer.
const READING: Duration = Duration::from_mins(1);
/// Nor does computing with them.
const COMPUTING: Duration = Duration::from_secs(15);

/// The tools that analyse rows.
pub struct AnalysisTools {
    sources: Sources,
}

impl AnalysisTools {
    /// Tools over rows, and over what queries to these sources find.
    pub fn new(sources: Sources) -> Self {
        Self { sources }
    }

    /// Longer than the slowest call takes.
    pub fn slowest() -> Duration {
        READING + COMPUTING
    }

    async fn rows(&self, caller: &Identity, data: AnalysisData) -> Result<data::Rows, Error> {
        let rows = data::rows(&self.sources, &caller.tenant, data);
        tokio::time::timeout(READING, rows).await.map_err(|_| {
            Error::impossible(
                "Reading the rows takes too long. Ask for fewer: a shorter period, a filter.",
            )
        })?
    }
}

#[async_trait]
impl Family for AnalysisTools {
    fn tools(&self) -> &'static [Descriptor] {
        registry::ANALYSIS
    }

    async fn call(&self, call: &Call<'_>) -> Result<Vec<u8>, Error> {
        contracts::analysis_tools!(dispatch [self, call, call.caller])
    }
}

/// The data of a call, which are not copied.
fn take(data: &mut AnalysisData) -> AnalysisData {
    let nothing = AnalysisData::Rows {
        rows: Vec::new(),
        columns: Vec::new(),
    };
    std::mem::replace(data, nothing)
}

/// Computes on a thread where no other request waits.
async fn computed<T: Send + 'static>(
    compute: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    match tokio::task::spawn_blocking(compute).await {
        Ok(result) => result,
        Err(error) => {
            tracing::error!(error = %error, "an analysis failed");
            Err(Error::impossible("The analysis failed."))
        }
    }
}
