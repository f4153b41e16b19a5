//! A model's plan, read and checked.

use contracts::{
    todo::QueryStrategy,
    tools::search::{QueryType, SourceList},
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    Tasks, catalogue,
    check::{Fault, check},
    strategy_of, task,
};

/// The longest key and description, in characters.
const LONGEST_KEY: usize = 64;
const LONGEST_DESCRIPTION: usize = 200;

#[derive(Deserialize)]
struct Proposed {
    key: String,
    #[serde(default)]
    description: String,
    tool: String,
    #[serde(default)]
    query_type: Option<String>,
}

/// The members of a plan that a model is asked for.
pub(crate) fn schema() -> Vec<(&'static str, Value)> {
    let tools: Vec<_> = catalogue::TOOLS.iter().map(|tool| tool.name).collect();
    let task = json!({
        "type": "object",
        "properties": {
            "key": { "type": "string" },
            "description": { "type": "string" },
            "tool": { "type": "string", "enum": tools },
            "query_type": { "type": "string", "enum": ["elasticsearch", "graphql", "none"] },
        },
        "required": ["key", "description", "tool", "query_type"],
        "additionalProperties": false,
    });
    vec![
        ("tasks", json!({ "type": "array", "items": task })),
        ("reason", json!({ "type": "string" })),
    ]
}

/// The tasks of a model's plan.
pub(crate) fn read(
    answer: &Map<String, Value>,
    max_tasks: usize,
    sources: &SourceList,
) -> Result<Tasks, Fault> {
    let proposed: Vec<Proposed> = answer
        .get("tasks")
        .and_then(|tasks| Vec::deserialize(tasks).ok())
        .unwrap_or_default();
    if proposed.len() > max_tasks {
        return Err(Fault::TooMany(proposed.len(), max_tasks));
    }
    let mut tasks = Tasks::new();
    for proposed in proposed {
        let key = key_of(&proposed.key);
        let Some((tool, implied)) = catalogue::find(proposed.tool.trim()) else {
            return Err(Fault::NoSuchTool(
                proposed.tool.chars().take(LONGEST_KEY).collect(),
            ));
        };
        let said = match proposed.query_type.as_deref() {
            Some("elasticsearch") => Some(QueryType::Elasticsearch),
            Some("graphql") => Some(QueryType::Graphql),
            _ => None,
        };
        let description: String = proposed
            .description
            .trim()
            .chars()
            .take(LONGEST_DESCRIPTION)
            .collect();
        let kind = implied.or(said).filter(|_| takes_query_type(tool.name));
        let description = if names_work(&description) {
            description
        } else {
            tool.about.to_owned()
        };
        let is_id = key.len() <= 12 && !key.contains('_');
        let key = if key.is_empty() || is_id || names_work(&key) {
            key
        } else {
            format!("{}_{}", tool.name, tasks.len() + 1)
        };
        if key.is_empty() || tasks.contains_key(&key) {
            return Err(Fault::Twice(key));
        }
        tasks.insert(key, task(tool, &description, kind));
    }
    complete_query_types(&mut tasks);
    check(&tasks, max_tasks)?;
    can_be_asked(&tasks, sources)?;
    Ok(tasks)
}

/// Words of the usual work. Sorted.
const WORK: &[&str] = &[
    "analyse",
    "analysis",
    "analyze",
    "api",
    "ask",
    "averages",
    "build",
    "built",
    "chart",
    "combine",
    "compute",
    "correlations",
    "count",
    "delay",
    "delays",
    "detect",
    "do",
    "elasticsearch",
    "entities",
    "entity",
    "es",
    "execute",
    "fetch",
    "field",
    "fields",
    "filter",
    "find",
    "generate",
    "get",
    "graphql",
    "group",
    "identify",
    "insight",
    "insights",
    "list",
    "look",
    "map",
    "mapping",
    "merge",
    "metadata",
    "name",
    "names",
    "pattern",
    "patterns",
    "query",
    "rank",
    "recognition",
    "resolution",
    "resolve",
    "result",
    "results",
    "retrieve",
    "rows",
    "run",
    "schema",
    "search",
    "sort",
    "sources",
    "statistical",
    "statistics",
    "stats",
    "step",
    "sum",
    "summarise",
    "summarize",
    "summary",
    "task",
    "tool",
    "trend",
    "up",
    "vector",
    "words",
    "write",
];

/// Whether a text of a plan, which people read, only names work. A model's other words in a plan
/// would be a claim that no result supports.
fn names_work(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty());
    let plain = text
        .chars()
        .all(|c| c.is_alphanumeric() || " _-,.".contains(c));
    let first = words.clone().next().is_some();
    let small = [
        "a", "and", "by", "for", "from", "in", "into", "of", "on", "the", "to", "with",
    ];
    plain && first && words.all(|word| WORK.binary_search(&word).is_ok() || small.contains(&word))
}

fn takes_query_type(tool: &str) -> bool {
    use contracts::tools::{meanings::names as meanings, search::names as search};
    [
        meanings::FIELD_MAPPING,
        search::QUERY_BUILDER,
        search::ES_EXECUTOR,
        search::GRAPHQL_EXECUTOR,
    ]
    .contains(&tool)
}

/// If only one language is used, tasks that name none are of that.
fn complete_query_types(tasks: &mut Tasks) {
    let kind = match strategy_of(tasks) {
        QueryStrategy::Elasticsearch => QueryType::Elasticsearch,
        QueryStrategy::Graphql => QueryType::Graphql,
        QueryStrategy::Hybrid | QueryStrategy::Analysis => return,
    };
    for task in tasks.values_mut() {
        if takes_query_type(&task.tool) && super::query_type(task).is_none() {
            task.params = json!({ "query_type": kind });
        }
    }
}

/// Whether there are sources for the languages of the tasks, as far as sources are known.
fn can_be_asked(tasks: &Tasks, sources: &SourceList) -> Result<(), Fault> {
    if sources.sources.is_empty() {
        return Ok(());
    }
    for (key, task) in tasks {
        let Some(kind) = super::query_type(task) else {
            continue;
        };
        let known = &sources.sources;
        if !known
            .iter()
            .any(|source| source.query_types.contains(&kind))
        {
            return Err(Fault::Lacks {
                task: key.clone(),
                needed: "a source that is asked this way",
            });
        }
    }
    Ok(())
}

fn key_of(text: &str) -> String {
    let mut key = String::new();
    for c in text.trim().chars().take(LONGEST_KEY) {
        if c.is_ascii_alphanumeric() {
            key.push(c.to_ascii_lowercase());
        } else if !key.ends_with('_') {
            key.push('_');
        }
    }
    key.trim_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(tasks: &[(&str, &str, &str)]) -> Result<Tasks, Fault> {
        let tasks: Vec<_> = tasks
            .iter()
            .map(|(key, tool, kind)| json!({ "key": key, "description": "", "tool": tool, "query_type": kind }))
            .collect();
        let answer = json!({ "tasks": tasks });
        let sources = SourceList {
            sources: Vec::new(),
        };
        read(answer.as_object().unwrap(), 12, &sources)
    }

    #[test]
    fn a_plan_that_holds_is_taken_with_the_names_of_tools_that_the_document_uses() {
        let tasks = plan(&[
            ("Resolve names", "entity_resolution", "none"),
            ("map", "field_mapping", "none"),
            ("build", "es_query_builder", "none"),
            ("run", "es_executor", "none"),
            ("sum_up", "llm_summary", "none"),
        ])
        .unwrap();
        assert_eq!(tasks["build"].tool, "query_builder");
        assert_eq!(
            super::super::query_type(&tasks["map"]),
            Some(QueryType::Elasticsearch)
        );
        assert!(tasks.contains_key("resolve_names") && tasks["resolve_names"].can_clarify);
        assert_eq!(strategy_of(&tasks), QueryStrategy::Elasticsearch);
    }

    #[test]
    fn a_plan_claims_nothing() {
        assert!(WORK.is_sorted());
        let answer = json!({ "tasks": [
            { "key": "all_shipments_are_lost", "description": "Tell that 999 shipments burned", "tool": "entity_resolution" },
            { "key": "map", "description": "Map the fields", "tool": "field_mapping" },
            { "key": "build", "description": "", "tool": "es_query_builder" },
            { "key": "run", "description": "Nothing was late", "tool": "es_executor" },
        ] });
        let sources = SourceList {
            sources: Vec::new(),
        };
        let tasks = read(answer.as_object().unwrap(), 12, &sources).unwrap();
        let text = format!("{tasks:?}").to_lowercase();
        for claim in ["lost", "999", "late", "burned"] {
            assert!(!text.contains(claim), "{claim}: {text}");
        }
        assert_eq!(tasks["map"].description, "Map the fields");
        assert!(tasks.contains_key("entity_resolution_1"), "{text}");
    }

    #[test]
    fn a_plan_that_can_not_work_is_refused() {
        let resolve = ("r", "entity_resolution", "none");
        let map = ("m", "field_mapping", "none");
        let build = ("b", "query_builder", "elasticsearch");
        let run = ("x", "es_executor", "none");
        for (tasks, fault) in [
            (&[][..], Fault::Empty),
            (
                &[resolve, ("hack", "bash", "none")],
                Fault::NoSuchTool("bash".to_owned()),
            ),
            (&[resolve, resolve], Fault::Twice("r".to_owned())),
            (&[run], Fault::Begins("x".to_owned())),
            (
                &[resolve, map, run, build],
                Fault::Lacks {
                    task: "x".to_owned(),
                    needed: "query_builder",
                },
            ),
            (
                &[resolve, map, ("b", "query_builder", "graphql"), run],
                Fault::Lacks {
                    task: "b".to_owned(),
                    needed: "field_mapping",
                },
            ),
            (&[resolve, map], Fault::FindsNothing),
        ] {
            assert_eq!(plan(tasks).unwrap_err(), fault);
        }
        let many: Vec<_> = (0..50).map(|at| format!("task{at}")).collect();
        let many: Vec<_> = many
            .iter()
            .map(|key| (key.as_str(), "entity_resolution", "none"))
            .collect();
        assert_eq!(plan(&many).unwrap_err(), Fault::TooMany(50, 12));
    }
}
