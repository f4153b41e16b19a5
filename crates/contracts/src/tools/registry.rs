//! Every tool, by family. Lists, definitions for models, OpenAPI operations, scopes and routing are
//! derived from here.
//!
//! Each family has a macro with its list (`solar_tools!`, …), which a crate calls with a macro of
//! its own to make something of every tool: names here, calls of the right function in the tools
//! service. A tool that the list has and the service does not is an error of the compiler.

use super::{Descriptor, ToolDefinition};

/// The solar tools.
pub const SOLAR: &[Descriptor] = crate::solar_tools!(tool_descriptors);
/// The tools over target databases.
pub const SQL: &[Descriptor] = crate::sql_tools!(tool_descriptors);
/// The tools over search sources.
pub const SEARCH: &[Descriptor] = crate::search_tools!(tool_descriptors);
/// The tool over ingested documents, under both of its names.
pub const KNOWLEDGE: &[Descriptor] = crate::knowledge_tools!(tool_descriptors);
/// The tools that analyse rows.
pub const ANALYSIS: &[Descriptor] = crate::analysis_tools!(tool_descriptors);
/// The tools over vectors.
pub const VECTORS: &[Descriptor] = crate::vector_tools!(tool_descriptors);

/// Every tool, in the order of the OpenAPI documents.
pub fn descriptors() -> impl Iterator<Item = &'static Descriptor> {
    [SOLAR, SQL, SEARCH, KNOWLEDGE, ANALYSIS, VECTORS]
        .into_iter()
        .flatten()
}

/// The tool of this name; `None` also of the operations of upstreams.
pub fn descriptor(name: &str) -> Option<&'static Descriptor> {
    descriptors().find(|tool| tool.name == name)
}

/// What `GET /api/tools` says of these tools.
pub fn definitions(tools: &[Descriptor]) -> Vec<ToolDefinition> {
    tools.iter().map(Descriptor::definition).collect()
}

/// The definitions of the solar tools.
pub fn solar_definitions() -> Vec<ToolDefinition> {
    definitions(SOLAR)
}

/// The definitions of the tools over target databases.
pub fn sql_definitions() -> Vec<ToolDefinition> {
    definitions(SQL)
}

/// The definitions of the tool over ingested documents, under both of its names.
pub fn knowledge_definitions() -> Vec<ToolDefinition> {
    definitions(KNOWLEDGE)
}

/// The definitions of the tools over search sources.
pub fn search_definitions() -> Vec<ToolDefinition> {
    definitions(SEARCH)
}

/// The definitions of the tools that analyse rows, and of those over vectors.
pub fn analysis_definitions() -> Vec<ToolDefinition> {
    [definitions(ANALYSIS), definitions(VECTORS)].concat()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use chrono::NaiveDate;

    use super::*;
    use crate::tools::{Period, Subject};

    #[test]
    fn each_tool_is_listed_once_and_reads_its_schema_names() {
        let names: BTreeSet<&str> = descriptors().map(|tool| tool.name).collect();
        assert_eq!(names.len(), descriptors().count());
        for tool in descriptors() {
            let definition = tool.definition();
            assert_eq!(definition.name, tool.name);
            assert_eq!(descriptor(tool.name), Some(tool));
            assert!(tool.scopes.contains(&super::super::READ), "{tool:?}");
            let properties = &definition.input_schema["properties"];
            for (other, name) in tool.synonyms {
                assert!(properties.get(name).is_some(), "{tool:?}: {name}");
                assert!(properties.get(other).is_none(), "{tool:?}: {other}");
            }
        }
    }

    #[test]
    fn a_tool_that_a_person_asks_for_takes_what_a_person_names() {
        for tool in descriptors() {
            let Some(asked_for) = tool.asked_for else {
                continue;
            };
            assert!(!asked_for.phrases.is_empty(), "{tool:?}");
            let words = [asked_for.phrases, asked_for.with, asked_for.without].concat();
            for word in words {
                assert_eq!(word, word.to_lowercase(), "{tool:?}");
            }
            let subject = Subject {
                logger_id: Some("INV-1".to_owned()),
                period: NaiveDate::from_ymd_opt(2025, 6, 1).map(|day| Period {
                    start: day,
                    end: day,
                }),
                ..Subject::default()
            };
            let arguments = tool.arguments(subject).unwrap();
            let properties = &tool.definition().input_schema["properties"];
            for name in arguments.as_object().unwrap().keys() {
                assert!(properties.get(name).is_some(), "{tool:?}: {name}");
            }
        }
    }
}
