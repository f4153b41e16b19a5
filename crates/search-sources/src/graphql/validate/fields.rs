//! Checks the names of fields and arguments: names that the schema does not have, with the likely
//! intended name; and names that this tenant may not use.

use apollo_compiler::Node;
use apollo_compiler::ast::{Argument, DirectiveList, FieldDefinition, Selection};
use contracts::tools::search::QueryProblem;
use search::{nearest, problem};

use super::Parts;
use crate::graphql::schema::GraphqlSchema;

/// Maximum number of problems in a report.
const MOST: usize = 20;

/// The directives that a query may have; all others change how it is run.
const DIRECTIVES: [&str; 2] = ["skip", "include"];

pub(super) fn check(schema: &GraphqlSchema, parts: &Parts<'_>) -> Result<(), Vec<QueryProblem>> {
    let mut finder = Finder {
        schema,
        problems: Vec::new(),
    };
    finder.directives(&parts.operation.directives);
    for variable in &parts.operation.variables {
        finder.directives(&variable.directives);
    }
    let root = schema.query_type();
    finder.selections(root, &parts.operation.selection_set);
    let mut fragments: Vec<_> = parts.fragments.values().collect();
    fragments.sort_by_key(|fragment| fragment.name.as_str());
    for fragment in fragments {
        finder.directives(&fragment.directives);
        finder.selections(&fragment.type_condition, &fragment.selection_set);
    }
    finder.problems.truncate(MOST);
    if finder.problems.is_empty() {
        Ok(())
    } else {
        Err(finder.problems)
    }
}

struct Finder<'a> {
    schema: &'a GraphqlSchema,
    problems: Vec<QueryProblem>,
}

impl Finder<'_> {
    /// Checks the selections of a type. Types that do not exist, or have no fields, are left to the
    /// specification's rules.
    fn selections(&mut self, type_name: &str, selections: &[Selection]) {
        for selection in selections {
            match selection {
                Selection::Field(field) => {
                    self.directives(&field.directives);
                    self.field(type_name, field);
                }
                Selection::InlineFragment(fragment) => {
                    self.directives(&fragment.directives);
                    let of = fragment.type_condition.as_deref().unwrap_or(type_name);
                    self.selections(of, &fragment.selection_set);
                }
                Selection::FragmentSpread(spread) => self.directives(&spread.directives),
            }
        }
    }

    fn field(&mut self, type_name: &str, field: &apollo_compiler::ast::Field) {
        if field.name == "__typename" {
            return;
        }
        if field.name.starts_with("__") {
            let text = format!(
                "'{}' may not be asked: the schema is known here.",
                field.name
            );
            self.problems.push(problem("/query", "not_allowed", text));
            return;
        }
        let known = self.schema.fields_of(type_name);
        match known.iter().find(|known| known.name == field.name) {
            Some(definition) => {
                self.arguments(definition, &field.arguments);
                self.selections(definition.ty.inner_named_type(), &field.selection_set);
            }
            None if known.is_empty() => {}
            None => {
                let text = format!("'{type_name}' has no field '{}'.", field.name);
                let names = known.iter().map(|known| known.name.as_str());
                self.unknown(text, &field.name, names);
            }
        }
    }

    fn arguments(&mut self, definition: &FieldDefinition, given: &[Node<Argument>]) {
        for argument in given {
            let known = &definition.arguments;
            if !known.iter().any(|known| known.name == argument.name) {
                let text = format!("'{}' has no argument '{}'.", definition.name, argument.name);
                let names = known.iter().map(|known| known.name.as_str());
                self.unknown(text, &argument.name, names);
            }
        }
    }

    fn unknown<'n>(&mut self, text: String, name: &str, names: impl Iterator<Item = &'n str>) {
        let mut found = problem("/query", "unknown_field", text);
        found.suggestions = nearest(name, names);
        self.problems.push(found);
    }

    fn directives(&mut self, directives: &DirectiveList) {
        for directive in &directives.0 {
            if !DIRECTIVES.contains(&directive.name.as_str()) {
                let text = format!("The directive '@{}' may not be used.", directive.name);
                self.problems.push(problem("/query", "not_allowed", text));
            }
        }
    }
}
