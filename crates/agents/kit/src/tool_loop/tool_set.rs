//! The tools that a model may call, ready to be offered and to check calls with.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use contracts::tools::ToolDefinition;
use jsonschema::Validator;
use llm::{Arguments, Tool, ToolCall};
use serde_json::{Map, Value};

/// Faults of one call that the model gets.
const MOST_FAULTS: usize = 5;

/// The tools that a model may call.
pub struct ToolSet {
    tools: Arc<[Tool]>,
    /// Of the tools whose arguments are checked here.
    validators: BTreeMap<String, Validator>,
}

impl ToolSet {
    /// These tools. One whose schema cannot be used is left out.
    pub fn new(tools: impl IntoIterator<Item = Tool>) -> Self {
        Self::with_unchecked(tools, &[])
    }

    /// The same; of those that are named here the assistant checks the arguments itself.
    pub fn with_unchecked(tools: impl IntoIterator<Item = Tool>, unchecked: &[&str]) -> Self {
        let mut validators = BTreeMap::new();
        let mut usable = Vec::new();
        for tool in tools {
            if unchecked.contains(&tool.name.as_str()) {
                usable.push(tool);
                continue;
            }
            let options = jsonschema::options().should_validate_formats(true);
            match options.build(&tool.parameters) {
                Ok(validator) => {
                    validators.insert(tool.name.clone(), validator);
                    usable.push(tool);
                }
                Err(error) => {
                    tracing::error!(tool = tool.name, error = %error, "the schema of a tool cannot be used, so the tool is not offered");
                }
            }
        }
        Self {
            tools: usable.into(),
            validators,
        }
    }

    /// All of them.
    pub fn tools(&self) -> &Arc<[Tool]> {
        &self.tools
    }

    /// Whether there is nothing to call.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The tools that are offered at the moment.
    pub fn offered(&self, offers: impl Fn(&str) -> bool) -> Arc<[Tool]> {
        if self.tools.iter().all(|tool| offers(&tool.name)) {
            return Arc::clone(&self.tools);
        }
        let offered = self.tools.iter().filter(|tool| offers(&tool.name));
        offered.cloned().collect()
    }

    /// The arguments of a call, or what is wrong with it, in words for the model.
    pub fn check(
        &self,
        call: &ToolCall,
        offers: impl Fn(&str) -> bool,
    ) -> Result<Map<String, Value>, String> {
        if !self.tools.iter().any(|tool| tool.name == call.name) {
            let names = self.tools.iter().map(|tool| tool.name.as_str());
            let offered: Vec<_> = names.filter(|name| offers(name)).collect();
            return Err(format!(
                "There is no tool of this name. There are: {}.",
                offered.join(", ")
            ));
        }
        let Arguments::Object(members) = &call.arguments else {
            return Err("The arguments are not a JSON object.".to_owned());
        };
        let members = members.clone();
        let Some(validator) = self.validators.get(&call.name) else {
            return Ok(members);
        };
        let value = Value::Object(members);
        let errors = validator.iter_errors(&value).take(MOST_FAULTS);
        let faults: Vec<_> = errors
            .map(|error| match error.instance_path().to_string() {
                path if path.is_empty() => error.to_string(),
                path => format!("{path}: {error}"),
            })
            .collect();
        match value {
            Value::Object(members) if faults.is_empty() => Ok(members),
            _ => Err(format!("The arguments do not fit: {}.", faults.join("; "))),
        }
    }
}

impl fmt::Debug for ToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.tools.iter().map(|tool| &*tool.name).collect();
        f.debug_struct("ToolSet")
            .field("tools", &names)
            .finish_non_exhaustive()
    }
}

/// A list, and the set that was made of it.
type Cached = (Arc<[ToolDefinition]>, Arc<ToolSet>);

/// The set of the newest list of definitions, kept because its validators are costly to make.
#[derive(Debug, Default)]
pub struct ToolSetCache {
    newest: Mutex<Option<Cached>>,
}

impl ToolSetCache {
    /// The set of this list: the one that was made of it, or what `make` makes of it.
    pub fn of(
        &self,
        definitions: &Arc<[ToolDefinition]>,
        make: impl FnOnce(&[ToolDefinition]) -> ToolSet,
    ) -> Arc<ToolSet> {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((made_of, set)) = newest.as_ref()
            && (Arc::ptr_eq(made_of, definitions) || made_of == definitions)
        {
            return Arc::clone(set);
        }
        let set = Arc::new(make(definitions));
        *newest = Some((Arc::clone(definitions), Arc::clone(&set)));
        set
    }
}

/// A listed tool as a model is offered it.
pub fn offered_tool(definition: &ToolDefinition) -> Tool {
    Tool {
        name: definition.name.clone(),
        description: definition.description.clone(),
        parameters: definition.input_schema.clone(),
    }
}

#[cfg(test)]
mod tests {
    use contracts::tools::solar_definitions;
    use serde_json::json;

    use super::*;

    fn call(name: &str, arguments: Arguments) -> ToolCall {
        ToolCall {
            id: "a".to_owned(),
            name: name.to_owned(),
            arguments,
            opaque: None,
        }
    }

    fn object(value: &Value) -> Arguments {
        Arguments::Object(value.as_object().unwrap().clone())
    }

    #[test]
    fn a_call_that_does_not_fit_is_answered_with_what_is_wrong() {
        let set = ToolSet::new(solar_definitions().iter().map(offered_tool));
        let device = json!({ "logger_id": "A", "date": "yesterday" });
        for (name, arguments, reason) in [
            ("drop_table", object(&json!({})), "no tool of this name"),
            (
                "get_power_curve",
                Arguments::Broken("{\"log".to_owned()),
                "not a JSON object",
            ),
            ("get_power_curve", object(&device), "/date"),
            (
                "list_loggers",
                object(&json!({ "surprise": 1 })),
                "surprise",
            ),
        ] {
            let found = set.check(&call(name, arguments), |_| true).unwrap_err();
            assert!(found.contains(reason), "{name}: {found}");
        }
        let device = json!({ "logger_id": "A", "date": "2025-11-29" });
        let arguments = set.check(&call("get_power_curve", object(&device)), |_| true);
        assert_eq!(Value::Object(arguments.unwrap()), device);
    }

    #[test]
    fn a_tool_that_is_not_offered_is_not_named() {
        let set = ToolSet::new(solar_definitions().iter().map(offered_tool));
        let offers = |name: &str| name == "list_loggers";
        assert_eq!(set.offered(offers).len(), 1);
        let refused = set.check(&call("drop_table", object(&json!({}))), offers);
        assert_eq!(
            refused.unwrap_err(),
            "There is no tool of this name. There are: list_loggers."
        );
    }

    #[test]
    fn a_tool_whose_schema_cannot_be_used_is_left_out() {
        let tool = |name: &str, parameters: Value| Tool {
            name: name.to_owned(),
            description: String::new(),
            parameters,
        };
        let broken = json!({ "type": "nothing" });
        let tools = [
            tool("broken", broken.clone()),
            tool("own", broken),
            tool("good", json!({ "type": "object" })),
        ];
        let set = ToolSet::with_unchecked(tools, &["own"]);
        let names: Vec<_> = set.tools().iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["own", "good"]);
    }

    #[test]
    fn the_set_of_a_list_is_made_once() {
        let cache = ToolSetCache::default();
        let make = |list: &[ToolDefinition]| ToolSet::new(list.iter().map(offered_tool));
        let list: Arc<[ToolDefinition]> = solar_definitions().into();
        let first = cache.of(&list, make);
        assert!(Arc::ptr_eq(&first, &cache.of(&list, make)));
        let equal: Arc<[ToolDefinition]> = solar_definitions().into();
        assert!(Arc::ptr_eq(&first, &cache.of(&equal, make)));
        let other: Arc<[ToolDefinition]> = solar_definitions()[..3].into();
        assert!(!Arc::ptr_eq(&first, &cache.of(&other, make)));
    }
}
