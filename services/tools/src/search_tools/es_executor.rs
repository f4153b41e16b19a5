//! `es_executor`: checks the body of a search and runs it.

use contracts::tools::ToolEnvelope;
use contracts::tools::search::{EsExecutorArguments, QueryExecution, QueryType};
use service_kit::identity::Identity;

use super::{SearchTools, executed};
use crate::error::Error;

pub(super) async fn run(
    tools: &SearchTools,
    caller: &Identity,
    arguments: EsExecutorArguments,
) -> Result<ToolEnvelope<QueryExecution>, Error> {
    let tenant = &caller.tenant;
    let (name, query_type) = (arguments.source.as_deref(), Some(QueryType::Elasticsearch));
    let with_index = tools
        .sources
        .find(tenant, name, query_type, Some(&arguments.index));
    // A source without the index refuses it, and says which it has.
    let source = with_index
        .or_else(|| tools.sources.find(tenant, name, query_type, None))
        .ok_or_else(|| tools.no_source(tenant, name))?;
    let execution = source
        .search(tenant, &arguments.index, &arguments.query)
        .await;
    Ok(executed(&source, execution))
}
