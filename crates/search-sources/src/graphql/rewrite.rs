//! A checked document that this crate changes before it is sent: pages, and the tenant's condition.

use std::collections::HashSet;

use apollo_compiler::executable::{
    Argument, DirectiveList, Field, InlineFragment, Operation, Selection, SelectionSet,
    Value as Literal,
};
use apollo_compiler::{ExecutableDocument, Name, Node};
use contracts::tools::search::GraphqlQuery;
use serde_json::{Map, Value};

use super::validate::CheckedQuery;

/// A request of which every fragment stands where it is used.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub(super) operation: Operation,
    pub(super) variables: Map<String, Value>,
}

impl Draft {
    /// Of a checked request; `None` if there is no query in it, which is checked.
    pub(super) fn of(checked: &CheckedQuery) -> Option<Draft> {
        let mut operation = (**checked.operation()?).clone();
        expand(checked.document(), &mut operation.selection_set);
        Some(Draft {
            operation,
            variables: checked.request().variables.clone(),
        })
    }

    /// As a request again, without variables that nothing uses any more.
    pub(super) fn request(&self) -> GraphqlQuery {
        let mut used = HashSet::new();
        used_by_directives(&self.operation.directives, &mut used);
        used_by(&self.operation.selection_set, &mut used);
        let mut operation = self.operation.clone();
        operation
            .variables
            .retain(|variable| used.contains(variable.name.as_str()));
        let mut document = ExecutableDocument::new();
        let mut variables = self.variables.clone();
        variables.retain(|name, _| used.contains(name.as_str()));
        document.operations.insert(operation);
        GraphqlQuery {
            query: document.to_string(),
            variables,
        }
    }
}

/// Gives a field an argument, in place of the one that it has.
pub(super) fn set_argument(field: &mut Field, name: &str, value: Literal) {
    let value = Node::new(value);
    let known = field
        .arguments
        .iter_mut()
        .find(|argument| argument.name == name);
    match (known, Name::new(name)) {
        (Some(argument), _) => argument.make_mut().value = value,
        (None, Ok(name)) => field.arguments.push(Node::new(Argument { name, value })),
        (None, Err(_)) => {}
    }
}

/// Puts each named fragment where it is used. The document is valid, so that this ends, and small,
/// so that it ends soon.
fn expand(document: &ExecutableDocument, set: &mut SelectionSet) {
    for selection in &mut set.selections {
        match selection {
            Selection::Field(field) => expand(document, &mut field.make_mut().selection_set),
            Selection::InlineFragment(fragment) => {
                expand(document, &mut fragment.make_mut().selection_set);
            }
            Selection::FragmentSpread(spread) => {
                if let Some(fragment) = document.fragments.get(&spread.fragment_name) {
                    let mut inline = InlineFragment {
                        type_condition: Some(fragment.type_condition().clone()),
                        directives: spread.directives.clone(),
                        selection_set: fragment.selection_set.clone(),
                    };
                    expand(document, &mut inline.selection_set);
                    *selection = Selection::InlineFragment(Node::new(inline));
                }
            }
        }
    }
}

fn used_by<'a>(set: &'a SelectionSet, used: &mut HashSet<&'a str>) {
    for selection in &set.selections {
        used_by_directives(selection.directives(), used);
        match selection {
            Selection::Field(field) => {
                for argument in &field.arguments {
                    used_in(&argument.value, used);
                }
                used_by(&field.selection_set, used);
            }
            Selection::InlineFragment(fragment) => used_by(&fragment.selection_set, used),
            Selection::FragmentSpread(_) => {}
        }
    }
}

fn used_by_directives<'a>(directives: &'a DirectiveList, used: &mut HashSet<&'a str>) {
    for argument in directives.iter().flat_map(|directive| &directive.arguments) {
        used_in(&argument.value, used);
    }
}

fn used_in<'a>(value: &'a Literal, used: &mut HashSet<&'a str>) {
    match value {
        Literal::Variable(name) => {
            used.insert(name.as_str());
        }
        Literal::List(values) => values.iter().for_each(|value| used_in(value, used)),
        Literal::Object(members) => members.iter().for_each(|(_, value)| used_in(value, used)),
        _ => {}
    }
}
