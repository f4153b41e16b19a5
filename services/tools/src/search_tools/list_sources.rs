//! `list_sources`: what can be asked. A source that is away is listed with the reason.

use contracts::tools::ToolEnvelope;
use contracts::tools::search::{ListSourcesArguments, SourceList};
use futures::future::join_all;
use service_kit::identity::Identity;

use super::SearchTools;
use crate::error::Error;

pub(super) async fn run(
    tools: &SearchTools,
    caller: &Identity,
    arguments: ListSourcesArguments,
) -> Result<ToolEnvelope<SourceList>, Error> {
    let tenant = &caller.tenant;
    let sources = tools.sources(tenant, arguments.source.as_deref())?;
    let described = join_all(sources.iter().map(|source| source.overview(tenant))).await;
    Ok(ToolEnvelope::ok(SourceList {
        sources: described
            .iter()
            .map(|description| (**description).clone())
            .collect(),
    }))
}
