//! Whether a list of tasks can work.

use contracts::tools::{
    analysis::names as analysis,
    meanings::names as meanings,
    search::{QueryType, names as search},
    vectors::names as vectors,
};

use super::{
    Tasks,
    catalogue::{LLM_SUMMARY, MERGE_RESULTS, RETRIEVE_QUERY_METADATA, find},
    query_type,
};

/// Why a list is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    #[error("there is no task in it")]
    Empty,
    #[error("it has {0} tasks, more than {1}")]
    TooMany(usize, usize),
    #[error("there are two tasks called {0}")]
    Twice(String),
    #[error("there is no tool called {0}")]
    NoSuchTool(String),
    #[error("{0} cannot be the first task")]
    Begins(String),
    #[error("{task} needs {needed} before it")]
    Lacks { task: String, needed: &'static str },
    #[error("nothing in it finds anything")]
    FindsNothing,
}

/// Whether the tasks can work in their order: tools that exist, each after what it needs.
pub(crate) fn check(tasks: &Tasks, max_tasks: usize) -> Result<(), Fault> {
    if tasks.is_empty() {
        return Err(Fault::Empty);
    }
    if tasks.len() > max_tasks {
        return Err(Fault::TooMany(tasks.len(), max_tasks));
    }
    for (at, (key, task)) in tasks.iter().enumerate() {
        let Some((tool, _)) = find(&task.tool) else {
            return Err(Fault::NoSuchTool(task.tool.clone()));
        };
        if at == 0 && !may_begin(tool.name) {
            return Err(Fault::Begins(key.clone()));
        }
        let kind = query_type(task);
        for needed in needs(tool.name) {
            let fits = |earlier: &contracts::todo::TodoTask| {
                *needed == earlier.tool
                    && (query_type(earlier).is_none()
                        || kind.is_none()
                        || query_type(earlier) == kind)
            };
            if !tasks.values().take(at).any(fits) {
                return Err(Fault::Lacks {
                    task: key.clone(),
                    needed,
                });
            }
        }
    }
    let finds = [
        search::LIST_SOURCES,
        search::ES_EXECUTOR,
        search::GRAPHQL_EXECUTOR,
        RETRIEVE_QUERY_METADATA,
        vectors::VECTORDB_TOOL,
    ];
    if !tasks.values().any(|task| finds.contains(&&*task.tool)) {
        return Err(Fault::FindsNothing);
    }
    both_are_merged(tasks)
}

/// A list can begin with what needs nothing of another task.
fn may_begin(tool: &str) -> bool {
    [
        search::LIST_SOURCES,
        meanings::ENTITY_RESOLUTION,
        RETRIEVE_QUERY_METADATA,
        vectors::EMBEDDING_TOOL,
        vectors::VECTORDB_TOOL,
    ]
    .contains(&tool)
}

/// The tools that have to come before.
fn needs(tool: &str) -> &'static [&'static str] {
    match tool {
        meanings::FIELD_MAPPING => &[meanings::ENTITY_RESOLUTION],
        search::QUERY_BUILDER => &[meanings::FIELD_MAPPING],
        search::ES_EXECUTOR | search::GRAPHQL_EXECUTOR => &[search::QUERY_BUILDER],
        MERGE_RESULTS => &[search::ES_EXECUTOR, search::GRAPHQL_EXECUTOR],
        analysis::STATS_ANALYSIS | analysis::PATTERN_RECOGNITION => &[RETRIEVE_QUERY_METADATA],
        _ => &[],
    }
}

/// The results of two queries have to be merged.
fn both_are_merged(tasks: &Tasks) -> Result<(), Fault> {
    let asks = |kind: QueryType| {
        tasks.values().any(|task| {
            [search::ES_EXECUTOR, search::GRAPHQL_EXECUTOR].contains(&&*task.tool)
                && query_type(task) == Some(kind)
        })
    };
    let merged = tasks.values().any(|task| task.tool == MERGE_RESULTS);
    let sums_up = tasks.iter().find(|(_, task)| task.tool == LLM_SUMMARY);
    match sums_up {
        Some((key, _)) if !merged && asks(QueryType::Elasticsearch) && asks(QueryType::Graphql) => {
            Err(Fault::Lacks {
                task: key.clone(),
                needed: MERGE_RESULTS,
            })
        }
        _ => Ok(()),
    }
}
