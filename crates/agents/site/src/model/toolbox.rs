//! The tools of a model: those that the service lists, and the two that the page answers.

use agent_kit::{ToolSet, offered_tool};
use contracts::{
    tools::{ToolCategory, ToolDefinition, json_schema, names},
    ui::{DynamicChart, ErrorCard, RequestUserSelection, Suggestion, UiComponent},
};
use llm::Tool;
use serde_json::{Map, Value, json};

/// Reads rows of a summarised result. Only the assistant has it: the service does not know it, and
/// no client sees it.
pub(crate) const READ_RESULT: &str = "read_result";

/// The purpose of the assistant. Tools of any other category are those of other assistants.
const OWN: [ToolCategory; 8] = [
    ToolCategory::Discovery,
    ToolCategory::Monitoring,
    ToolCategory::Comparison,
    ToolCategory::Financial,
    ToolCategory::Performance,
    ToolCategory::Forecasting,
    ToolCategory::Diagnostics,
    ToolCategory::Service,
];

/// The tools of a list, with those of the page where the list does not have them, and the reading
/// of results.
pub(crate) fn tool_set(definitions: &[ToolDefinition]) -> ToolSet {
    let listed = |name: &str| definitions.iter().any(|one| one.name == name);
    let offered = definitions
        .iter()
        .filter(|one| OWN.contains(&one.category))
        .map(offered_tool);
    let own = [card_tool(), picker_tool()];
    let own = own.into_iter().filter(|tool| !listed(&tool.name));
    // What a card may be is known better by its type, and its props may be given by a handle.
    let unchecked = [names::RENDER_UI_COMPONENT];
    ToolSet::with_unchecked(offered.chain(own).chain([reading_tool()]), &unchecked)
}

fn reading_tool() -> Tool {
    Tool {
        name: READ_RESULT.to_owned(),
        description: "Rows of a list within a result that you got summarised.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {
                "handle": { "type": "string", "description": "The result's handle." },
                "path": { "type": "string", "description": "JSON pointer to the list, such as /result/data." },
                "offset": { "type": "integer", "minimum": 0, "description": "Rows to skip." },
                "limit": { "type": "integer", "minimum": 1, "maximum": super::summary::MOST_ROWS, "description": "Rows to get." },
            },
            "required": ["handle", "path"],
            "additionalProperties": false,
        }),
    }
}

fn picker_tool() -> Tool {
    Tool {
        name: names::REQUEST_USER_SELECTION.to_owned(),
        description: "Asks the person to choose: a device, several, a day or a range of days. Ends your turn; the choice comes with the \
            person's next message. Offer only what exists."
            .to_owned(),
        parameters: json_schema::<RequestUserSelection>(),
    }
}

/// The card's schema, with an object at its top as every provider needs it: the contract has a
/// tagged union there. The props of reports are long and consist of results anyway, so they are not
/// spelt out: a handle is the way to them. Props that the model writes out are read nevertheless.
fn card_tool() -> Tool {
    let mut definitions = Map::new();
    let mut props = vec![json!({
        "type": "object",
        "description": "The card that belongs to a result.",
        "properties": { "handle": { "type": "string" } },
        "required": ["handle"],
        "additionalProperties": false,
    })];
    for (name, mut schema) in [
        ("DynamicChart", json_schema::<DynamicChart>()),
        ("ErrorCard", json_schema::<ErrorCard>()),
    ] {
        lift(&mut schema, &mut definitions);
        let key = format!("{name}Props");
        props.push(json!({ "$ref": format!("#/$defs/{key}") }));
        definitions.insert(key, schema);
    }
    let mut suggestion = json_schema::<Suggestion>();
    lift(&mut suggestion, &mut definitions);
    Tool {
        name: names::RENDER_UI_COMPONENT.to_owned(),
        description: "Shows a card or a chart on the page. `props` is what the component of this name takes, or {\"handle\": \"…\"} for \
            the card that belongs to a result; the rows of a chart may be given as {\"handle\": \"…\", \"path\": \"/result/data\"}."
            .to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {
                "component": { "type": "string", "enum": UiComponent::names() },
                "props": { "anyOf": props },
                "suggestions": { "type": "array", "maxItems": 3, "items": suggestion },
            },
            "required": ["component", "props"],
            "$defs": definitions,
        }),
    }
}

/// Moves a schema's own definitions to those of the whole.
fn lift(schema: &mut Value, definitions: &mut Map<String, Value>) {
    let own = schema
        .as_object_mut()
        .and_then(|members| members.remove("$defs"));
    if let Some(Value::Object(own)) = own {
        definitions.extend(own);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use contracts::tools::{
        analysis_definitions, knowledge_definitions, search_definitions, solar_definitions,
        sql_definitions,
    };
    use llm::{Arguments, ToolCall};

    use super::*;

    /// The tools that are offered while there is nothing to read.
    fn offered(set: &ToolSet) -> Arc<[Tool]> {
        set.offered(|name| name != READ_RESULT)
    }

    fn solar() -> ToolSet {
        tool_set(&solar_definitions())
    }

    #[test]
    fn the_listed_tools_and_the_two_of_the_page_are_bound_as_they_are_listed() {
        let set = solar();
        let listed = solar_definitions();
        let bound = offered(&set);
        assert_eq!(bound.len(), listed.len() + 2);
        for (tool, definition) in bound.iter().zip(&listed) {
            assert_eq!(
                (&tool.name, &tool.parameters),
                (&definition.name, &definition.input_schema)
            );
        }
        assert_eq!(set.tools().len(), bound.len() + 1);
    }

    #[test]
    fn tools_of_other_assistants_are_not_bound() {
        let all: Vec<_> = solar_definitions()
            .into_iter()
            .chain(sql_definitions())
            .chain(knowledge_definitions())
            .chain(search_definitions())
            .chain(analysis_definitions())
            .collect();
        assert_eq!(offered(&tool_set(&all)), offered(&solar()));
    }

    #[test]
    fn a_listed_page_tool_takes_the_place_of_ours() {
        let mut listed = solar_definitions();
        let mut theirs = listed[0].clone();
        theirs.name = names::REQUEST_USER_SELECTION.to_owned();
        theirs.description = "Theirs.".to_owned();
        listed.push(theirs);
        let bound = offered(&tool_set(&listed));
        let pickers: Vec<_> = bound
            .iter()
            .filter(|tool| tool.name == names::REQUEST_USER_SELECTION)
            .collect();
        assert_eq!(
            (pickers.len(), pickers[0].description.as_str()),
            (1, "Theirs.")
        );
    }

    #[test]
    fn every_schema_is_an_object_whose_references_resolve() {
        for tool in solar().tools().iter() {
            assert_eq!(tool.parameters["type"], "object", "{}", tool.name);
            jsonschema::validator_for(&tool.parameters).unwrap();
            // They go with every question, and small models have little room.
            assert!(
                tool.parameters.to_string().len() < 6_000,
                "{}: {}",
                tool.name,
                tool.parameters.to_string().len()
            );
        }
    }

    #[test]
    fn a_wrong_call_is_answered_with_what_is_wrong_with_it() {
        let set = solar();
        let check = |name: &str, arguments| {
            let call = ToolCall {
                id: "a".to_owned(),
                name: name.to_owned(),
                arguments,
                opaque: None,
            };
            set.check(&call, |name| name != READ_RESULT)
        };
        let object = |value: &Value| Arguments::Object(value.as_object().unwrap().clone());
        for (name, arguments, reason) in [
            ("drop_table", json!({}), "no tool of this name"),
            ("get_power_curve", json!({ "logger_id": "A" }), "date"),
            (
                "get_power_curve",
                json!({ "logger_id": "A", "date": "yesterday" }),
                "/date",
            ),
            (
                "analyze_inverter_health",
                json!({ "logger_id": "A", "days": 9999 }),
                "/days",
            ),
            ("list_loggers", json!({ "surprise": 1 }), "surprise"),
        ] {
            let found = check(name, object(&arguments)).unwrap_err();
            assert!(found.contains(reason), "{name}: {found}");
        }
        let broken = Arguments::Broken("{\"log".to_owned());
        let found = check("get_power_curve", broken).unwrap_err();
        assert!(found.contains("not a JSON object"), "{found}");
        for (name, arguments) in [
            (
                "get_power_curve",
                json!({ "logger_id": "A", "date": "2025-11-29" }),
            ),
            ("analyze_inverter_health", json!({})),
            (
                "analyze_inverter_health",
                json!({ "site_id": "north", "start_date": "2025-06-07", "end_date": "2025-06-07" }),
            ),
            (
                "calculate_financial_savings",
                json!({ "logger_ids": ["A", "B"], "start_date": "2025-11-01" }),
            ),
            (
                "calculate_performance_ratio",
                json!({ "date": "2025-11-01", "end_date": "2025-11-30" }),
            ),
            ("diagnose_error_codes", json!({ "site_id": "north" })),
        ] {
            check(name, object(&arguments)).unwrap();
        }
    }
}
