//! Lists of tasks: the usual ones, a model's as far as it holds, and what a person needs left out.

pub(crate) mod catalogue;
pub(crate) mod change;
pub(crate) mod check;
pub(crate) mod proposal;

use contracts::{
    todo::{QueryStrategy, TaskStatus, TodoList, TodoListState, TodoTask},
    tools::{
        analysis::names as analysis,
        meanings::names as meanings,
        search::{QueryType, names as search},
    },
};
use indexmap::IndexMap;
use serde_json::{Value, json};

use catalogue::{LLM_SUMMARY, MERGE_RESULTS, RETRIEVE_QUERY_METADATA, Tool};

/// Tasks by their keys, in order.
pub(crate) type Tasks = IndexMap<String, TodoTask>;

/// The usual list for a retrieval.
pub(crate) fn retrieval(strategy: QueryStrategy, what: &str) -> Tasks {
    let mut tasks = Tasks::new();
    let resolve = if what.is_empty() {
        "Resolve the names in the request".to_owned()
    } else {
        format!("Resolve {what}")
    };
    add(
        &mut tasks,
        "resolve_entities",
        &resolve,
        meanings::ENTITY_RESOLUTION,
        None,
    );
    if strategy == QueryStrategy::Hybrid {
        let (es, graphql) = (QueryType::Elasticsearch, QueryType::Graphql);
        let (map, build) = (meanings::FIELD_MAPPING, search::QUERY_BUILDER);
        let list = [
            (
                "map_es_fields",
                "Map to the fields of the search",
                map,
                Some(es),
            ),
            (
                "map_graphql_fields",
                "Map to the fields of the GraphQL schema",
                map,
                Some(graphql),
            ),
            (
                "build_es_query",
                "Build the Elasticsearch query",
                build,
                Some(es),
            ),
            (
                "build_graphql_query",
                "Build the GraphQL query",
                build,
                Some(graphql),
            ),
            (
                "execute_es",
                "Run the Elasticsearch query",
                search::ES_EXECUTOR,
                Some(es),
            ),
            (
                "execute_graphql",
                "Run the GraphQL query",
                search::GRAPHQL_EXECUTOR,
                Some(graphql),
            ),
            (
                "merge_results",
                "Merge what both brought",
                MERGE_RESULTS,
                None,
            ),
        ];
        for (key, description, tool, query_type) in list {
            add(&mut tasks, key, description, tool, query_type);
        }
    } else {
        let query_type = if strategy == QueryStrategy::Graphql {
            QueryType::Graphql
        } else {
            QueryType::Elasticsearch
        };
        one_source(&mut tasks, query_type);
    }
    add(
        &mut tasks,
        "summarize",
        "Sum up the results",
        LLM_SUMMARY,
        None,
    );
    tasks
}

fn one_source(tasks: &mut Tasks, query_type: QueryType) {
    let graphql = query_type == QueryType::Graphql;
    let (build, execute, executor, language) = if graphql {
        (
            "build_graphql_query",
            "execute_graphql",
            search::GRAPHQL_EXECUTOR,
            "GraphQL",
        )
    } else {
        (
            "build_es_query",
            "execute_es",
            search::ES_EXECUTOR,
            "Elasticsearch",
        )
    };
    let kind = Some(query_type);
    add(
        tasks,
        "map_fields",
        "Map to the fields of the source",
        meanings::FIELD_MAPPING,
        kind,
    );
    let description = format!("Build the {language} query");
    add(tasks, build, &description, search::QUERY_BUILDER, kind);
    add(
        tasks,
        execute,
        &format!("Run the {language} query"),
        executor,
        kind,
    );
}

/// The usual list for an analysis of the query of this `turn_id`.
pub(crate) fn analysis(turn_id: u32, pattern_task: &str) -> Tasks {
    let mut tasks = Tasks::new();
    add(
        &mut tasks,
        "retrieve_query_metadata",
        "Find the earlier query and its results",
        RETRIEVE_QUERY_METADATA,
        None,
    );
    add(
        &mut tasks,
        "run_statistical_analysis",
        "Compute the statistics",
        analysis::STATS_ANALYSIS,
        None,
    );
    let topic = pattern_task
        .trim_start_matches("identify_")
        .replace('_', " ");
    add(
        &mut tasks,
        pattern_task,
        &format!("Look for {topic}"),
        analysis::PATTERN_RECOGNITION,
        None,
    );
    add(
        &mut tasks,
        "generate_insights",
        "Say what it means",
        LLM_SUMMARY,
        None,
    );
    if let Some(first) = tasks.first_entry() {
        first.into_mut().params = json!({ "turn_id": turn_id });
    }
    tasks
}

/// A task of its tool's usual properties.
pub(crate) fn task(tool: &Tool, description: &str, query_type: Option<QueryType>) -> TodoTask {
    TodoTask {
        description: description.to_owned(),
        tool: tool.name.to_owned(),
        params: query_type.map_or(Value::Null, |kind| json!({ "query_type": kind })),
        can_clarify: tool.can_clarify,
        status: TaskStatus::Pending,
        result: None,
        attempts: 0,
        clarifications: Vec::new(),
    }
}

fn add(tasks: &mut Tasks, key: &str, description: &str, tool: &str, query_type: Option<QueryType>) {
    if let Some((tool, _)) = catalogue::find(tool) {
        tasks.insert(key.to_owned(), task(tool, description, query_type));
    }
}

/// How a task's source is asked.
pub(crate) fn query_type(task: &TodoTask) -> Option<QueryType> {
    serde_json::from_value(task.params.get("query_type")?.clone()).ok()
}

/// Which sources the tasks ask.
pub(crate) fn strategy_of(tasks: &Tasks) -> QueryStrategy {
    let has = |tool: &str| tasks.values().any(|task| task.tool == tool);
    match (has(search::ES_EXECUTOR), has(search::GRAPHQL_EXECUTOR)) {
        (true, true) => QueryStrategy::Hybrid,
        (false, true) => QueryStrategy::Graphql,
        (false, false) if has(RETRIEVE_QUERY_METADATA) => QueryStrategy::Analysis,
        (_, false) => QueryStrategy::Elasticsearch,
    }
}

/// The task that is next: the first in order that is neither complete nor cancelled.
pub(crate) fn next_task(tasks: &Tasks) -> Option<String> {
    let mut open = tasks
        .iter()
        .filter(|(_, task)| !matches!(task.status, TaskStatus::Complete | TaskStatus::Cancelled));
    open.next().map(|(key, _)| key.clone())
}

/// Sets pointer, counts and state by the tasks.
pub(crate) fn settle(list: &mut TodoList) {
    let complete = list
        .tasks
        .values()
        .filter(|task| task.status == TaskStatus::Complete);
    list.completed_tasks = count(complete.count());
    list.total_tasks = count(list.tasks.len());
    list.current_task_key = next_task(&list.tasks);
    if list.current_task_key.is_none() {
        list.state = TodoListState::Complete;
    }
}

/// Gives a list up: what was not done is cancelled.
pub(crate) fn close(list: &mut TodoList, state: TodoListState) {
    list.state = state;
    for task in list.tasks.values_mut() {
        if task.status != TaskStatus::Complete {
            task.status = TaskStatus::Cancelled;
        }
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(tasks: &Tasks) -> Vec<&str> {
        tasks.keys().map(String::as_str).collect()
    }

    #[test]
    fn the_usual_lists_are_those_of_the_document() {
        assert_eq!(
            keys(&retrieval(QueryStrategy::Elasticsearch, "")),
            [
                "resolve_entities",
                "map_fields",
                "build_es_query",
                "execute_es",
                "summarize"
            ]
        );
        assert_eq!(
            keys(&retrieval(QueryStrategy::Graphql, "")),
            [
                "resolve_entities",
                "map_fields",
                "build_graphql_query",
                "execute_graphql",
                "summarize"
            ]
        );
        let hybrid = retrieval(QueryStrategy::Hybrid, "");
        assert_eq!(
            (hybrid.len(), hybrid["merge_results"].can_clarify),
            (9, false)
        );
        let analysis = analysis(4, "identify_delay_patterns");
        assert_eq!(
            keys(&analysis),
            [
                "retrieve_query_metadata",
                "run_statistical_analysis",
                "identify_delay_patterns",
                "generate_insights"
            ]
        );
        for (tasks, strategy) in [
            (hybrid, QueryStrategy::Hybrid),
            (analysis, QueryStrategy::Analysis),
        ] {
            assert_eq!(check::check(&tasks, 12), Ok(()));
            assert_eq!(strategy_of(&tasks), strategy);
        }
    }
}
