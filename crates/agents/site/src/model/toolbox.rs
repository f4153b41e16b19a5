//! The tools of a model: those that the service lists, and the two that the page answers.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use contracts::{
    tools::{ToolCategory, ToolDefinition, json_schema, names},
    ui::{DynamicChart, ErrorCard, RequestUserSelection, Suggestion},
};
use jsonschema::Validator;
use llm::{Arguments, Tool};
use serde_json::{Map, Value, json};

/// Reads rows of a summarised result. Only the assistant has it: the service does not know it, and
/// no client sees it.
pub(crate) const READ_RESULT: &str = "read_result";

/// The components, by name.
const COMPONENTS: [&str; 7] = [
    "DynamicChart",
    "FleetOverview",
    "FinancialReport",
    "HealthReport",
    "FleetHealthReport",
    "ComparisonChart",
    "ErrorCard",
];

/// What other assistants are there for.
const OTHERS: [ToolCategory; 3] = [
    ToolCategory::Database,
    ToolCategory::Documents,
    ToolCategory::Upstream,
];

/// Faults of one call that the answer lists.
const TOLD: usize = 5;

/// The tools of one list, ready to be bound and to check calls with.
pub(crate) struct Toolbox {
    made_of: Arc<[ToolDefinition]>,
    tools: Arc<[Tool]>,
    with_reading: Arc<[Tool]>,
    validators: BTreeMap<String, Validator>,
}

impl std::fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Toolbox")
            .field("tools", &self.tools.len())
            .finish_non_exhaustive()
    }
}

impl Toolbox {
    fn of(definitions: Arc<[ToolDefinition]>) -> Self {
        let listed = |name: &str| definitions.iter().any(|one| one.name == name);
        let mut tools: Vec<Tool> = definitions
            .iter()
            .filter(|one| !OTHERS.contains(&one.category))
            .map(|one| Tool {
                name: one.name.clone(),
                description: one.description.clone(),
                parameters: one.input_schema.clone(),
            })
            .collect();
        tools.extend(
            [card_tool(), picker_tool()]
                .into_iter()
                .filter(|tool| !listed(&tool.name)),
        );
        let reading = reading_tool();
        let validators = tools
            .iter()
            .chain([&reading])
            // What a card may be is known better by its type, and its props may be given by a
            // handle.
            .filter(|tool| tool.name != names::RENDER_UI_COMPONENT)
            .filter_map(|tool| match jsonschema::options().should_validate_formats(true).build(&tool.parameters) {
                Ok(validator) => Some((tool.name.clone(), validator)),
                Err(error) => {
                    tracing::error!(tool = tool.name, error = %error, "a tool's schema cannot be used, so it is not offered");
                    None
                }
            })
            .collect::<BTreeMap<_, _>>();
        tools.retain(|tool| {
            tool.name == names::RENDER_UI_COMPONENT || validators.contains_key(&tool.name)
        });
        let with_reading = tools.iter().cloned().chain([reading]).collect();
        Self {
            made_of: definitions,
            tools: tools.into(),
            with_reading,
            validators,
        }
    }

    /// What to bind; reading is offered when there is something to read.
    pub(crate) fn tools(&self, reading: bool) -> Arc<[Tool]> {
        Arc::clone(if reading {
            &self.with_reading
        } else {
            &self.tools
        })
    }

    /// The arguments of a call, or what is wrong with it, in words for the model.
    pub(crate) fn check(
        &self,
        name: &str,
        arguments: &Arguments,
    ) -> Result<Map<String, Value>, String> {
        if !self.with_reading.iter().any(|tool| tool.name == name) {
            let known: Vec<_> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
            return Err(format!(
                "There is no tool of this name. There are: {}.",
                known.join(", ")
            ));
        }
        let members = match arguments {
            Arguments::Object(members) => members,
            Arguments::Broken(_) => {
                return Err("The arguments are no JSON object.".to_owned());
            }
        };
        let Some(validator) = self.validators.get(name) else {
            return Ok(members.clone());
        };
        let value = Value::Object(members.clone());
        let faults: Vec<_> = validator
            .iter_errors(&value)
            .take(TOLD)
            .map(|error| match error.instance_path().to_string() {
                path if path.is_empty() => error.to_string(),
                path => format!("{path}: {error}"),
            })
            .collect();
        if faults.is_empty() {
            let Value::Object(members) = value else {
                return Ok(members.clone());
            };
            return Ok(members);
        }
        Err(format!("The arguments do not fit: {}.", faults.join("; ")))
    }
}

/// Keeps the toolbox of the newest list, because its validators are costly to make.
#[derive(Debug, Default)]
pub(crate) struct Toolboxes {
    newest: Mutex<Option<Arc<Toolbox>>>,
}

impl Toolboxes {
    pub(crate) fn of(&self, definitions: Arc<[ToolDefinition]>) -> Arc<Toolbox> {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(toolbox) = newest.as_ref()
            && (Arc::ptr_eq(&toolbox.made_of, &definitions) || toolbox.made_of == definitions)
        {
            return Arc::clone(toolbox);
        }
        Arc::clone(newest.insert(Arc::new(Toolbox::of(definitions))))
    }
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
                "component": { "type": "string", "enum": COMPONENTS },
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
    use contracts::tools::{solar_definitions, sql_definitions};

    use super::*;

    fn toolbox() -> Toolbox {
        Toolbox::of(solar_definitions().into())
    }

    fn object(value: Value) -> Arguments {
        match value {
            Value::Object(members) => Arguments::Object(members),
            other => panic!("{other} is no object"),
        }
    }

    #[test]
    fn the_listed_tools_and_the_two_of_the_page_are_bound_as_they_are_listed() {
        let toolbox = toolbox();
        let listed = solar_definitions();
        let bound = toolbox.tools(false);
        assert_eq!(bound.len(), listed.len() + 2);
        for (tool, definition) in bound.iter().zip(&listed) {
            assert_eq!(
                (&tool.name, &tool.parameters),
                (&definition.name, &definition.input_schema)
            );
        }
        assert_eq!(toolbox.tools(true).len(), bound.len() + 1);
    }

    #[test]
    fn tools_of_other_assistants_are_not_bound() {
        let all = solar_definitions().into_iter().chain(sql_definitions());
        let bound = Toolbox::of(all.collect::<Vec<_>>().into());
        assert_eq!(bound.tools(false), toolbox().tools(false));
    }

    #[test]
    fn a_listed_page_tool_takes_the_place_of_ours() {
        let mut listed = solar_definitions();
        let mut theirs = listed[0].clone();
        theirs.name = names::REQUEST_USER_SELECTION.to_owned();
        theirs.description = "Theirs.".to_owned();
        listed.push(theirs);
        let bound = Toolbox::of(listed.into()).tools(false);
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
        for tool in toolbox().tools(true).iter() {
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
    fn a_wrong_call_is_told_what_is_wrong_with_it() {
        let toolbox = toolbox();
        for (name, arguments, reason) in [
            ("drop_table", object(json!({})), "no tool of this name"),
            (
                "get_power_curve",
                Arguments::Broken("{\"log".to_owned()),
                "no JSON object",
            ),
            (
                "get_power_curve",
                object(json!({ "logger_id": "A" })),
                "date",
            ),
            (
                "get_power_curve",
                object(json!({ "logger_id": "A", "date": "yesterday" })),
                "/date",
            ),
            (
                "analyze_inverter_health",
                object(json!({ "logger_id": "A", "days": 9999 })),
                "/days",
            ),
            ("list_loggers", object(json!({ "surprise": 1 })), "surprise"),
        ] {
            let found = toolbox.check(name, &arguments).unwrap_err();
            assert!(found.contains(reason), "{name}: {found}");
        }
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
            toolbox.check(name, &object(arguments)).unwrap();
        }
    }

    #[test]
    fn the_same_list_is_read_once() {
        let toolboxes = Toolboxes::default();
        let list: Arc<[ToolDefinition]> = solar_definitions().into();
        let first = toolboxes.of(Arc::clone(&list));
        assert!(Arc::ptr_eq(&first, &toolboxes.of(list)));
        assert!(Arc::ptr_eq(
            &first,
            &toolboxes.of(solar_definitions().into())
        ));
        assert!(!Arc::ptr_eq(
            &first,
            &toolboxes.of(solar_definitions()[..3].into())
        ));
    }
}
