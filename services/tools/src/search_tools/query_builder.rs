//! `query_builder`: a checked query of what is wanted, or what is wrong with it.

use contracts::tools::search::{QueryBuild, QueryBuilderArguments};
use contracts::tools::{ToolEnvelope, ToolStatus};
use search_sources::naming;
use service_kit::identity::Identity;

use super::{SearchTools, unanswered, words_of};
use crate::error::Error;

pub(super) async fn run(
    tools: &SearchTools,
    caller: &Identity,
    arguments: QueryBuilderArguments,
) -> Result<ToolEnvelope<QueryBuild>, Error> {
    let tenant = &caller.tenant;
    let (name, query_type) = (arguments.source.as_deref(), Some(arguments.query_type));
    let with_index = tools
        .sources
        .find(tenant, name, query_type, Some(&arguments.structure.index));
    // A source without the index says which it has.
    let source = with_index
        .or_else(|| tools.sources.find(tenant, name, query_type, None))
        .ok_or_else(|| tools.no_source(tenant, name))?;
    let build = source
        .build(tenant, arguments.query_type, &arguments.structure)
        .await
        .map_err(|error| unanswered(source.name(), &error))?;
    if build.query.is_some() {
        return Ok(ToolEnvelope::ok(build));
    }
    Ok(ToolEnvelope {
        status: ToolStatus::Error,
        message: Some(naming(source.name(), words_of(&build.problems))),
        ..ToolEnvelope::ok(build)
    })
}
