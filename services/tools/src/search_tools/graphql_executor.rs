//! `graphql_executor`: checks a GraphQL query and runs it.

use contracts::tools::ToolEnvelope;
use contracts::tools::search::{GraphqlExecutorArguments, QueryExecution, QueryType};
use service_kit::identity::Identity;

use super::{SearchTools, executed};
use crate::error::Error;

pub(super) async fn run(
    tools: &SearchTools,
    caller: &Identity,
    arguments: GraphqlExecutorArguments,
) -> Result<ToolEnvelope<QueryExecution>, Error> {
    let tenant = &caller.tenant;
    let name = arguments.source.as_deref();
    let source = tools
        .sources
        .find(tenant, name, Some(QueryType::Graphql), None)
        .ok_or_else(|| tools.no_source(tenant, name))?;
    let execution = source.graphql(tenant, &arguments.query).await;
    Ok(executed(&source, execution))
}
