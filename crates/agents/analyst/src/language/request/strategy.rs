//! Which kinds of query answer a request.

use contracts::todo::QueryStrategy;
use contracts::tools::search::{QueryType, SourceList};

use super::{Request, Retrieval};

/// Which kinds of query the request is answered with, and why: one thing by GraphQL, many or
/// something computed by a search; where the request does not say, GraphQL for how things are now,
/// otherwise a search. A comparison of records asks both.
pub fn strategy(request: &Request, sources: &SourceList) -> (QueryStrategy, String) {
    let (search, graphql) = asked_how(request, sources);
    let (wanted, reason) = wanted(request);
    let said = |strategy, reason: &str| (strategy, reason.to_owned());
    match wanted {
        QueryStrategy::Hybrid if !(search && graphql) => {
            let (strategy, kind) = if graphql && !search {
                (QueryStrategy::Graphql, "GraphQL")
            } else {
                (QueryStrategy::Elasticsearch, "a search")
            };
            (
                strategy,
                format!("{reason}, but only {kind} is there to ask"),
            )
        }
        QueryStrategy::Graphql if !graphql && search => (
            QueryStrategy::Elasticsearch,
            format!("{reason}, but no source with these records answers GraphQL"),
        ),
        QueryStrategy::Elasticsearch if !search && graphql => (
            QueryStrategy::Graphql,
            format!("{reason}, but no source with these records answers searches"),
        ),
        strategy => said(strategy, &reason),
    }
}

fn wanted(request: &Request) -> (QueryStrategy, String) {
    let (strategy, reason) = match request.retrieval {
        Retrieval::Aggregation if request.compare && request.live => (
            QueryStrategy::Hybrid,
            "How things are now is compared with figures over many records",
        ),
        Retrieval::Aggregation => (
            QueryStrategy::Elasticsearch,
            "Figures over many records are a search",
        ),
        _ if request.compare => (
            QueryStrategy::Hybrid,
            "A comparison of records asks a search and GraphQL",
        ),
        Retrieval::SingleEntity => (QueryStrategy::Graphql, "One thing is asked for"),
        Retrieval::MultiEntity if request.retrieval_certain => (
            QueryStrategy::Elasticsearch,
            "Several records are asked for",
        ),
        Retrieval::MultiEntity if request.live => (
            QueryStrategy::Graphql,
            "The request asks how things are at this moment",
        ),
        Retrieval::MultiEntity => (
            QueryStrategy::Elasticsearch,
            "Nothing says that one thing is meant, so it is a search",
        ),
    };
    (strategy, reason.to_owned())
}

/// Whether searches and GraphQL can be asked for the records that are wanted; a source that is away
/// counts by what it can be asked.
fn asked_how(request: &Request, sources: &SourceList) -> (bool, bool) {
    let first = request.indices.first().map(|candidate| &candidate.index);
    let holds = |kind: QueryType| {
        sources.sources.iter().any(|source| {
            source.query_types.contains(&kind)
                && (source.unavailable.is_some()
                    || first
                        .is_none_or(|name| source.indices.iter().any(|index| index.name == *name)))
        })
    };
    (holds(QueryType::Elasticsearch), holds(QueryType::Graphql))
}
