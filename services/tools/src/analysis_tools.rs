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
use contracts::tools::analysis::{
    AnalysisData, PatternRecognitionArguments, StatsAnalysisArguments, names,
};
use contracts::tools::{ToolDefinition, ToolEnvelope, analysis_definitions};
use search_sources::Sources;

use crate::error::Error;
use crate::toolbox::{Call, Family, json, read};

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
    pub fn slowest(&self) -> Duration {
        if self.sources.is_empty() {
            return Duration::ZERO;
        }
        READING + COMPUTING
    }

    async fn rows(&self, call: &Call<'_>, data: AnalysisData) -> Result<data::Rows, Error> {
        let rows = data::rows(&self.sources, &call.caller.tenant, data);
        tokio::time::timeout(READING, rows).await.map_err(|_| {
            Error::impossible(
                "Reading the rows takes too long. Ask for fewer: a shorter period, a filter.",
            )
        })?
    }
}

#[async_trait]
impl Family for AnalysisTools {
    fn definitions(&self) -> Vec<ToolDefinition> {
        let mut definitions = analysis_definitions();
        definitions.retain(|tool| {
            [names::STATS_ANALYSIS, names::PATTERN_RECOGNITION].contains(&tool.name.as_str())
        });
        definitions
    }

    async fn call(&self, call: &Call<'_>) -> Result<Vec<u8>, Error> {
        match call.name {
            names::STATS_ANALYSIS => {
                let mut arguments: StatsAnalysisArguments = read(&call.arguments)?;
                let rows = self.rows(call, take(&mut arguments.data)).await?;
                let result = computed(move || stats_analysis::run(&arguments, rows)).await?;
                json(&ToolEnvelope::ok(result))
            }
            names::PATTERN_RECOGNITION => {
                let mut arguments: PatternRecognitionArguments = read(&call.arguments)?;
                let rows = self.rows(call, take(&mut arguments.data)).await?;
                let result = computed(move || pattern_recognition::run(&arguments, rows)).await?;
                json(&ToolEnvelope::ok(result))
            }
            _ => Err(Error::UnknownTool(Vec::new())),
        }
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
