//! Whether a request may be run: one query, valid by its schema, read-only, not too deep, not too
//! dear.
//!
//! The steps go from cheap to dear, so that a document made to be expensive to check is refused
//! before it is expanded: its size, its tokens, its fragments counted without walking them twice,
//! its fields against the schema, the rules of the specification, the variables, and last what it
//! may cost.

mod counts;
mod fields;

use std::collections::HashMap;

use apollo_compiler::ast::{Definition, Document, FragmentDefinition, OperationDefinition};
use apollo_compiler::executable::Operation;
use apollo_compiler::parser::Parser;
use apollo_compiler::request::coerce_variable_values;
use apollo_compiler::response::{JsonMap, JsonValue};
use apollo_compiler::validation::Valid;
use apollo_compiler::{ExecutableDocument, Node};
use contracts::tools::search::{GraphqlQuery, QueryProblem};
use search::problem;
use serde_json::{Map, Value};

use super::cost;
use super::limits::{
    GraphqlLimits, MAX_DOCUMENT, MAX_NESTING, MAX_TOKENS, MAX_VALUE_DEPTH, MAX_VARIABLES,
};
use super::schema::GraphqlSchema;

/// A request that may be run.
#[derive(Debug)]
pub(super) struct CheckedQuery {
    document: Valid<ExecutableDocument>,
    variables: Valid<JsonMap>,
    given: GraphqlQuery,
}

impl CheckedQuery {
    /// The query.
    pub(super) fn operation(&self) -> Option<&Node<Operation>> {
        self.document.operations.iter().next()
    }

    pub(super) fn document(&self) -> &Valid<ExecutableDocument> {
        &self.document
    }

    /// The variables, with their defaults, converted to their types.
    pub(super) fn variables(&self) -> &Valid<JsonMap> {
        &self.variables
    }

    /// The request as it arrived.
    pub(super) fn request(&self) -> &GraphqlQuery {
        &self.given
    }
}

/// Checks a request; all of its faults are reported together.
pub(super) fn check_request(
    schema: &GraphqlSchema,
    request: &GraphqlQuery,
    limits: &GraphqlLimits,
) -> Result<CheckedQuery, Vec<QueryProblem>> {
    check_size(request)?;
    let ast = parse(&request.query)?;
    let parts = Parts::of(&ast)?;
    counts::check(&parts)?;
    fields::check(schema, &parts)?;
    let document = ast
        .to_executable_validate(schema.valid())
        .map_err(|error| by_the_rules(&error.errors))?;
    let variables = coerced(schema, &document, &request.variables)?;
    cost::check(schema, &document, &variables, limits)?;
    Ok(CheckedQuery {
        document,
        variables,
        given: request.clone(),
    })
}

/// A document's definitions: one query, and fragments.
struct Parts<'a> {
    operation: &'a OperationDefinition,
    fragments: HashMap<&'a str, &'a FragmentDefinition>,
}

impl<'a> Parts<'a> {
    fn of(ast: &'a Document) -> Result<Self, Vec<QueryProblem>> {
        let mut operations = Vec::new();
        let mut fragments = HashMap::new();
        let mut problems = Vec::new();
        for definition in &ast.definitions {
            match definition {
                Definition::OperationDefinition(operation) => operations.push(&**operation),
                Definition::FragmentDefinition(fragment) => {
                    let known = fragments.insert(fragment.name.as_str(), &**fragment);
                    if known.is_some() {
                        let text = format!("There are two fragments '{}'.", fragment.name);
                        problems.push(invalid(text));
                    }
                }
                _ => problems.push(invalid("A query defines no types.")),
            }
        }
        for operation in &operations {
            if operation.operation_type != apollo_compiler::ast::OperationType::Query {
                let text = format!(
                    "Only queries may be run, no {}: nothing is ever changed or subscribed to.",
                    operation.operation_type.name()
                );
                problems.push(problem("/query", "mutation", text));
            }
        }
        match operations.as_slice() {
            [operation] if problems.is_empty() => {
                return Ok(Self {
                    operation,
                    fragments,
                });
            }
            [_] => {}
            [] => problems.push(invalid("There is no query in the document.")),
            _ => problems.push(invalid(
                "There must be one query in the document, not several.",
            )),
        }
        Err(problems)
    }
}

fn check_size(request: &GraphqlQuery) -> Result<(), Vec<QueryProblem>> {
    let mut problems = Vec::new();
    if request.query.chars().count() > MAX_DOCUMENT {
        let text = format!("The document has more than {MAX_DOCUMENT} characters.");
        problems.push(problem("/query", "too_large", text));
    }
    let bytes = serde_json::to_vec(&request.variables).map_or(usize::MAX, |json| json.len());
    if bytes > MAX_VARIABLES {
        let text = format!("The variables have more than {MAX_VARIABLES} bytes.");
        problems.push(problem("/variables", "too_large", text));
    }
    for (name, value) in &request.variables {
        if !is_shallow(value, MAX_VALUE_DEPTH) {
            let text = format!("The variable '{name}' is nested more than {MAX_VALUE_DEPTH} deep.");
            problems.push(problem(variable(name), "too_deep", text));
        }
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems)
    }
}

fn is_shallow(value: &Value, left: usize) -> bool {
    let inner = |value| left > 0 && is_shallow(value, left - 1);
    match value {
        Value::Array(values) => values.iter().all(inner),
        Value::Object(members) => members.values().all(inner),
        _ => true,
    }
}

fn parse(text: &str) -> Result<Document, Vec<QueryProblem>> {
    let mut parser = Parser::new()
        .recursion_limit(MAX_NESTING)
        .token_limit(MAX_TOKENS);
    let parsed = parser.parse_ast(text, "query.graphql");
    if parser.recursion_reached() > MAX_NESTING {
        return Err(vec![problem(
            "/query",
            "too_deep",
            "The document is nested too deeply to be read.",
        )]);
    }
    if parser.tokens_reached() > MAX_TOKENS {
        let text = format!("The document has more than {MAX_TOKENS} words and signs.");
        return Err(vec![problem("/query", "too_large", text)]);
    }
    parsed.map_err(|error| by_the_rules(&error.errors))
}

/// The findings of the specification's rules, one problem each.
fn by_the_rules(errors: &apollo_compiler::validation::DiagnosticList) -> Vec<QueryProblem> {
    const MOST: usize = 20;
    errors
        .iter()
        .take(MOST)
        .map(|diagnostic| {
            let error = diagnostic.to_json();
            let place = error.locations.first();
            let text = match place {
                Some(place) => format!(
                    "{} (line {}, column {})",
                    sentence(&error.message),
                    place.line,
                    place.column
                ),
                None => sentence(&error.message),
            };
            invalid(text)
        })
        .collect()
}

fn sentence(message: &str) -> String {
    let message = message.trim().trim_end_matches('.');
    format!("The document is not valid: {message}.")
}

fn coerced(
    schema: &GraphqlSchema,
    document: &Valid<ExecutableDocument>,
    given: &Map<String, Value>,
) -> Result<Valid<JsonMap>, Vec<QueryProblem>> {
    let none = || vec![invalid("There is no query in the document.")];
    let operation = document.operations.iter().next().ok_or_else(none)?;
    let mut problems = Vec::new();
    for name in given.keys() {
        if !operation
            .variables
            .iter()
            .any(|known| known.name == name.as_str())
        {
            let text = format!("The query has no variable '${name}'.");
            problems.push(problem(variable(name), "invalid", text));
        }
    }
    let values = json(given).as_object().cloned().unwrap_or_default();
    match coerce_variable_values(schema.valid(), operation, &values) {
        Ok(values) if problems.is_empty() => Ok(values),
        Ok(_) => Err(problems),
        Err(error) => {
            let message = error.message().to_string();
            let culprit = operation
                .variables
                .iter()
                .filter(|known| {
                    let name = &known.name;
                    let plain = message.contains(&format!("variable {name}"));
                    plain || message.contains(&format!("variable '{name}'"))
                })
                .max_by_key(|known| known.name.len());
            let pointer =
                culprit.map_or_else(|| "/variables".to_owned(), |known| variable(&known.name));
            let text = format!("A variable has the wrong value: {message}.");
            problems.push(problem(pointer, "wrong_type", text));
            Err(problems)
        }
    }
}

/// The same value in the other type of JSON.
fn json(members: &Map<String, Value>) -> JsonValue {
    fn value(from: &Value) -> JsonValue {
        match from {
            Value::Null => JsonValue::Null,
            Value::Bool(yes) => JsonValue::Bool(*yes),
            Value::Number(number) => JsonValue::Number(number.clone()),
            Value::String(text) => JsonValue::from(text.as_str()),
            Value::Array(values) => values.iter().map(value).collect(),
            Value::Object(members) => json(members),
        }
    }
    let members = members.iter();
    members
        .map(|(name, member)| (name.as_str(), value(member)))
        .collect()
}

fn invalid(text: impl Into<String>) -> QueryProblem {
    problem("/query", "invalid", text)
}

/// The pointer to a variable.
fn variable(name: &str) -> String {
    format!("/variables/{}", name.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests;
