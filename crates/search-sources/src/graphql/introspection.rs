//! Converts the introspection result of a GraphQL server to a schema.
//!
//! The introspected members are read as data and built into a syntax tree, never pasted into text,
//! and the result is validated like any schema. Descriptions are left out: the meaning of
//! fields comes from the glossary.

use apollo_compiler::ast::{
    Definition, DirectiveDefinition, DirectiveList, DirectiveLocation, Document,
    EnumTypeDefinition, EnumValueDefinition, FieldDefinition, InputObjectTypeDefinition,
    InputValueDefinition, InterfaceTypeDefinition, ObjectTypeDefinition, OperationType,
    ScalarTypeDefinition, SchemaDefinition, Selection, Type, UnionTypeDefinition, Value,
};
use apollo_compiler::parser::Parser;
use apollo_compiler::{Name, Node};
use serde::Deserialize;

use super::schema::SchemaError;

/// The introspection query for everything that [`document`] reads. It uses only what servers of the
/// 2018 specification know.
pub(super) const QUERY: &str = "\
query IntrospectionQuery {
  __schema {
    queryType { name }
    types {
      kind
      name
      fields(includeDeprecated: true) { name args { ...InputValue } type { ...TypeRef } }
      inputFields { ...InputValue }
      interfaces { ...TypeRef }
      enumValues(includeDeprecated: true) { name }
      possibleTypes { ...TypeRef }
    }
    directives { name locations args { ...InputValue } }
  }
}
fragment InputValue on __InputValue { name type { ...TypeRef } defaultValue }
fragment TypeRef on __Type {
  kind
  name
  ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } }
}
";

/// These are in every schema.
const BUILT_IN_SCALARS: [&str; 5] = ["Int", "Float", "String", "Boolean", "ID"];
const BUILT_IN_DIRECTIVES: [&str; 5] = ["skip", "include", "deprecated", "specifiedBy", "oneOf"];

/// Maximum number of types in a schema; a larger one is refused.
const MAX_TYPES: usize = 20_000;

/// The `data` of an answer to [`QUERY`].
#[derive(Debug, Deserialize)]
pub(super) struct Introspection {
    #[serde(rename = "__schema")]
    schema: FoundSchema,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FoundSchema {
    query_type: FoundName,
    types: Vec<FoundType>,
    #[serde(default)]
    directives: Vec<FoundDirective>,
}

#[derive(Debug, Deserialize)]
struct FoundName {
    name: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FoundType {
    kind: Kind,
    name: String,
    fields: Option<Vec<FoundField>>,
    input_fields: Option<Vec<FoundInput>>,
    interfaces: Option<Vec<TypeRef>>,
    enum_values: Option<Vec<FoundName>>,
    possible_types: Option<Vec<TypeRef>>,
}

#[derive(Debug, Deserialize)]
struct FoundField {
    name: String,
    #[serde(default)]
    args: Vec<FoundInput>,
    #[serde(rename = "type")]
    ty: TypeRef,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FoundInput {
    name: String,
    #[serde(rename = "type")]
    ty: TypeRef,
    default_value: Option<String>,
}

#[derive(Debug, Deserialize)]
struct FoundDirective {
    name: String,
    #[serde(default)]
    locations: Vec<String>,
    #[serde(default)]
    args: Vec<FoundInput>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TypeRef {
    kind: Kind,
    name: Option<String>,
    of_type: Option<Box<TypeRef>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Kind {
    Scalar,
    Object,
    Interface,
    Union,
    Enum,
    InputObject,
    List,
    NonNull,
}

/// The schema as a syntax tree, not yet validated.
///
/// Mutations and subscriptions are left out: what is not in the schema cannot be asked.
pub(super) fn document(found: &Introspection) -> Result<Document, SchemaError> {
    let schema = &found.schema;
    if schema.types.len() > MAX_TYPES {
        return Err(SchemaError::new(format!(
            "it has more than {MAX_TYPES} types"
        )));
    }
    let mut document = Document::new();
    let query = name(&schema.query_type.name)?;
    document
        .definitions
        .push(Definition::SchemaDefinition(Node::new(SchemaDefinition {
            description: None,
            directives: DirectiveList::default(),
            root_operations: vec![Node::new((OperationType::Query, query))],
        })));
    for found in &schema.directives {
        if !BUILT_IN_DIRECTIVES.contains(&found.name.as_str()) {
            document.definitions.extend(directive(found)?);
        }
    }
    for found in &schema.types {
        let built_in = found.name.starts_with("__")
            || (found.kind == Kind::Scalar && BUILT_IN_SCALARS.contains(&found.name.as_str()));
        if !built_in {
            document.definitions.push(definition(found)?);
        }
    }
    Ok(document)
}

fn definition(found: &FoundType) -> Result<Definition, SchemaError> {
    let (description, directives) = (None, DirectiveList::default());
    let own = name(&found.name)?;
    Ok(match found.kind {
        Kind::Scalar => Definition::ScalarTypeDefinition(Node::new(ScalarTypeDefinition {
            description,
            name: own,
            directives,
        })),
        Kind::Object => Definition::ObjectTypeDefinition(Node::new(ObjectTypeDefinition {
            description,
            name: own,
            implements_interfaces: names(found.interfaces.as_deref())?,
            directives,
            fields: fields(found)?,
        })),
        Kind::Interface => {
            Definition::InterfaceTypeDefinition(Node::new(InterfaceTypeDefinition {
                description,
                name: own,
                implements_interfaces: names(found.interfaces.as_deref())?,
                directives,
                fields: fields(found)?,
            }))
        }
        Kind::Union => Definition::UnionTypeDefinition(Node::new(UnionTypeDefinition {
            description,
            name: own,
            directives,
            members: names(found.possible_types.as_deref())?,
        })),
        Kind::Enum => Definition::EnumTypeDefinition(Node::new(EnumTypeDefinition {
            description,
            name: own,
            directives,
            values: enum_values(found)?,
        })),
        Kind::InputObject => {
            Definition::InputObjectTypeDefinition(Node::new(InputObjectTypeDefinition {
                description,
                name: own,
                directives,
                fields: inputs(found.input_fields.as_deref().unwrap_or_default())?,
            }))
        }
        Kind::List | Kind::NonNull => {
            return Err(SchemaError::new(format!("{} is no named type", found.name)));
        }
    })
}

fn fields(found: &FoundType) -> Result<Vec<Node<FieldDefinition>>, SchemaError> {
    let fields = found.fields.iter().flatten();
    fields
        .map(|field| {
            Ok(Node::new(FieldDefinition {
                description: None,
                name: name(&field.name)?,
                arguments: inputs(&field.args)?,
                ty: type_of(&field.ty)?,
                directives: DirectiveList::default(),
            }))
        })
        .collect()
}

fn inputs(found: &[FoundInput]) -> Result<Vec<Node<InputValueDefinition>>, SchemaError> {
    let inputs = found.iter().map(|input| {
        let default_value = input.default_value.as_deref();
        Ok(Node::new(InputValueDefinition {
            description: None,
            name: name(&input.name)?,
            ty: Node::new(type_of(&input.ty)?),
            default_value: default_value.map(default_literal).transpose()?,
            directives: DirectiveList::default(),
        }))
    });
    inputs.collect()
}

fn enum_values(found: &FoundType) -> Result<Vec<Node<EnumValueDefinition>>, SchemaError> {
    let values = found.enum_values.iter().flatten();
    values
        .map(|value| {
            Ok(Node::new(EnumValueDefinition {
                description: None,
                value: name(&value.name)?,
                directives: DirectiveList::default(),
            }))
        })
        .collect()
}

/// A directive for queries; `None` if none of its locations are in queries or known here.
fn directive(found: &FoundDirective) -> Result<Option<Definition>, SchemaError> {
    let locations: Vec<_> = found
        .locations
        .iter()
        .filter_map(|at| location(at))
        .collect();
    if locations.is_empty() {
        return Ok(None);
    }
    Ok(Some(Definition::DirectiveDefinition(Node::new(
        DirectiveDefinition {
            description: None,
            name: name(&found.name)?,
            arguments: inputs(&found.args)?,
            repeatable: false,
            locations,
        },
    ))))
}

fn location(found: &str) -> Option<DirectiveLocation> {
    Some(match found {
        "QUERY" => DirectiveLocation::Query,
        "FIELD" => DirectiveLocation::Field,
        "FRAGMENT_DEFINITION" => DirectiveLocation::FragmentDefinition,
        "FRAGMENT_SPREAD" => DirectiveLocation::FragmentSpread,
        "INLINE_FRAGMENT" => DirectiveLocation::InlineFragment,
        "VARIABLE_DEFINITION" => DirectiveLocation::VariableDefinition,
        _ => return None,
    })
}

fn names(found: Option<&[TypeRef]>) -> Result<Vec<Name>, SchemaError> {
    let found = found.unwrap_or_default().iter();
    found
        .map(|reference| name(reference.name.as_deref().unwrap_or_default()))
        .collect()
}

fn type_of(found: &TypeRef) -> Result<Type, SchemaError> {
    let inner = || {
        let inner = found.of_type.as_deref();
        let inner = inner.ok_or_else(|| SchemaError::new("a type is nested too deeply"))?;
        type_of(inner)
    };
    Ok(match found.kind {
        Kind::List => Type::List(Box::new(inner()?)),
        Kind::NonNull => inner()?.non_null(),
        _ => Type::Named(name(found.name.as_deref().unwrap_or_default())?),
    })
}

fn name(text: &str) -> Result<Name, SchemaError> {
    Name::new(text).map_err(|_| SchemaError::new(format!("{text:?} is no name")))
}

/// A default is sent as text. It is parsed where only a value is valid.
fn default_literal(text: &str) -> Result<Node<Value>, SchemaError> {
    let fault = || SchemaError::new("a default is no literal");
    let document = Parser::new()
        .recursion_limit(32)
        .token_limit(10_000)
        .parse_ast(format!("{{ f(a: {text}) }}"), "default.graphql")
        .map_err(|_| fault())?;
    let [Definition::OperationDefinition(operation)] = document.definitions.as_slice() else {
        return Err(fault());
    };
    let [Selection::Field(field)] = operation.selection_set.as_slice() else {
        return Err(fault());
    };
    match field.arguments.as_slice() {
        [argument] if field.selection_set.is_empty() => Ok(argument.value.clone()),
        _ => Err(fault()),
    }
}
