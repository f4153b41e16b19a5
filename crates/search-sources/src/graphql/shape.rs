//! The meaning of a schema's fields: lists of records in the shapes that servers give them, single
//! records, their arguments.

use apollo_compiler::ast::{FieldDefinition, InputValueDefinition, Type};
use apollo_compiler::schema::ExtendedType;
use contracts::tools::search::{FieldType, IndexDescription};

use super::names::{folded, same};
use super::schema::GraphqlSchema;

/// The path from a list field to its records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Within {
    /// The list itself.
    Plain,
    /// This member: `nodes`, `items`.
    Member(String),
    /// `edges { node }`.
    Edges,
}

/// A field of the query type that lists records.
#[derive(Debug, Clone)]
pub(super) struct ListRoot<'a> {
    /// The field.
    pub(super) field: &'a FieldDefinition,
    pub(super) within: Within,
    /// The type of the records.
    pub(super) item: &'a str,
    /// The member with the number of all records.
    pub(super) total: Option<&'a str>,
}

/// A field of the query type that has one record by its id.
#[derive(Debug, Clone)]
pub(super) struct SingleRoot<'a> {
    /// The field.
    pub(super) field: &'a FieldDefinition,
    /// The argument that takes the id.
    pub(super) argument: &'a str,
}

/// Members that hold the records, beside `edges`.
const MEMBERS: [&str; 6] = ["nodes", "items", "results", "records", "rows", "data"];

/// Members that hold the number of all records.
const TOTALS: [&str; 5] = ["totalcount", "total", "count", "totalitems", "totalresults"];

/// Whether an argument says how many records are wanted.
pub(super) fn is_page_argument(name: &str) -> bool {
    const NAMES: [&str; 8] = [
        "first", "last", "limit", "take", "pagesize", "perpage", "top", "size",
    ];
    NAMES.contains(&folded(name).as_str())
}

/// The argument of a list for the number of records.
pub(super) fn page_argument(field: &FieldDefinition) -> Option<&InputValueDefinition> {
    let plainest = ["first", "limit"];
    let taking = field.arguments.iter().map(|argument| &**argument);
    let taking = taking.filter(|argument| is_page_argument(&argument.name));
    taking
        .filter(|argument| argument.name != "last")
        .min_by_key(|argument| !plainest.contains(&argument.name.as_str()))
}

/// Whether an argument says how many records are passed over.
pub(super) fn is_offset_argument(name: &str) -> bool {
    ["offset", "skip"].contains(&folded(name).as_str())
}

/// The list that a field of this type is, or has.
pub(super) fn list_within<'a>(
    schema: &'a GraphqlSchema,
    ty: &'a Type,
) -> Option<(Within, &'a str)> {
    let named = ty.inner_named_type().as_str();
    if !has_fields(schema, named) {
        return None;
    }
    if ty.is_list() {
        return Some((Within::Plain, named));
    }
    let fields = schema.fields_of(named);
    let objects = |field: &&FieldDefinition| field.ty.is_list() && !schema.is_leaf(&field.ty);
    for member in MEMBERS {
        if let Some(field) = fields
            .iter()
            .copied()
            .filter(objects)
            .find(|f| f.name == member)
        {
            let within = Within::Member(member.to_owned());
            return Some((within, field.ty.inner_named_type()));
        }
    }
    let edges = fields
        .iter()
        .copied()
        .filter(objects)
        .find(|f| f.name == "edges")?;
    let edge = schema.fields_of(edges.ty.inner_named_type());
    let node = edge.into_iter().find(|field| field.name == "node")?;
    has_fields(schema, node.ty.inner_named_type())
        .then(|| (Within::Edges, node.ty.inner_named_type().as_str()))
}

fn has_fields(schema: &GraphqlSchema, named: &str) -> bool {
    !schema.fields_of(named).is_empty()
}

/// A root field as a list, if it is one that needs no unknown required arguments.
pub(super) fn list_root<'a>(
    schema: &'a GraphqlSchema,
    field: &'a FieldDefinition,
) -> Option<ListRoot<'a>> {
    let (within, item) = list_within(schema, &field.ty)?;
    let total = match within {
        Within::Plain => None,
        _ => total_member(schema, field.ty.inner_named_type()),
    };
    let askable = field
        .arguments
        .iter()
        .all(|argument| !argument.is_required() || is_page_argument(&argument.name));
    askable.then_some(ListRoot {
        field,
        within,
        item,
        total,
    })
}

/// The member of a list's type that counts.
pub(super) fn total_member<'a>(schema: &'a GraphqlSchema, named: &str) -> Option<&'a str> {
    let fields = schema.fields_of(named);
    TOTALS.iter().find_map(|total| {
        let counts = |field: &&&FieldDefinition| {
            folded(&field.name) == *total && !field.ty.is_list() && schema.is_leaf(&field.ty)
        };
        fields.iter().find(counts).map(|field| field.name.as_str())
    })
}

/// The root field that lists an index: the configured one, or the one whose name says so.
pub(super) fn list_of<'a>(
    schema: &'a GraphqlSchema,
    root_field: Option<&str>,
    index: &str,
    nouns: &[String],
) -> Option<ListRoot<'a>> {
    let fields = schema.root_fields();
    let lists = || fields.iter().filter_map(|field| list_root(schema, field));
    if let Some(root_field) = root_field {
        return lists().find(|list| list.field.name == root_field);
    }
    let names = std::iter::once(index).chain(nouns.iter().map(String::as_str));
    for name in names {
        let found = lists().find(|list| {
            let field = &list.field.name;
            same(field, name)
                || same(field, &format!("all_{name}"))
                || same(field, &format!("{name}_list"))
                || same(field, &format!("{name}s"))
        });
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The root field that has one record of this type by its id.
pub(super) fn single_of<'a>(
    schema: &'a GraphqlSchema,
    item: &str,
    id_field: &str,
) -> Option<SingleRoot<'a>> {
    schema.root_fields().into_iter().find_map(|field| {
        if field.ty.is_list() || field.ty.inner_named_type() != item {
            return None;
        }
        let mut required = field
            .arguments
            .iter()
            .filter(|argument| argument.is_required());
        let argument = match (required.next(), required.next()) {
            (Some(argument), None) => argument,
            (None, _) if field.arguments.len() == 1 => field.arguments.first()?,
            _ => return None,
        };
        (same(&argument.name, id_field) && schema.is_leaf(&argument.ty)).then_some(SingleRoot {
            field,
            argument: argument.name.as_str(),
        })
    })
}

/// A field of a record by its name in any spelling: one value, asked without arguments.
pub(super) fn leaf<'a>(
    schema: &'a GraphqlSchema,
    type_name: &str,
    name: &str,
) -> Option<&'a FieldDefinition> {
    let fields = schema.fields_of(type_name);
    let usable = |field: &&FieldDefinition| schema.is_leaf(&field.ty) && asks_nothing(field);
    let exact = fields
        .iter()
        .copied()
        .find(|field| field.name == name && usable(field));
    exact.or_else(|| {
        let mut alike = fields.into_iter().filter(|field| same(&field.name, name));
        alike.find(usable)
    })
}

/// A related record by its name in any spelling: one, asked without arguments.
pub(super) fn relation<'a>(
    schema: &'a GraphqlSchema,
    type_name: &str,
    name: &str,
) -> Option<&'a FieldDefinition> {
    schema.fields_of(type_name).into_iter().find(|field| {
        same(&field.name, name)
            && !field.ty.is_list()
            && asks_nothing(field)
            && list_within(schema, &field.ty).is_none()
            && !schema.fields_of(field.ty.inner_named_type()).is_empty()
    })
}

fn asks_nothing(field: &FieldDefinition) -> bool {
    field
        .arguments
        .iter()
        .all(|argument| !argument.is_required())
}

/// The field type for values of a type; `None` for values that are not scalars.
pub(super) fn field_type(schema: &GraphqlSchema, ty: &Type) -> Option<FieldType> {
    let named = ty.inner_named_type();
    match schema.valid().types.get(named)? {
        ExtendedType::Enum(_) => Some(FieldType::Keyword),
        ExtendedType::Scalar(_) => scalar(&folded(named)),
        _ => None,
    }
}

fn scalar(folded: &str) -> Option<FieldType> {
    Some(match folded {
        "int" | "bigint" | "long" | "int64" | "int32" | "short" | "uint" | "smallint" => {
            FieldType::Long
        }
        "float" | "bigfloat" | "decimal" | "double" | "numeric" | "bigdecimal" | "float8" => {
            FieldType::Double
        }
        "boolean" => FieldType::Boolean,
        "date" | "datetime" | "timestamp" | "timestamptz" | "instant" | "datetimeutc"
        | "localdatetime" | "offsetdatetime" => FieldType::Date,
        "json" | "jsonb" | "jsonobject" | "upload" | "cursor" | "interval" | "void" => return None,
        _ => FieldType::Keyword,
    })
}

/// Whether a scalar holds days without a time.
pub(super) fn is_calendar_date(type_name: &str) -> bool {
    ["date", "localdate"].contains(&folded(type_name).as_str())
}

/// The name of the index's field that a path of a record is, in whatever spelling.
pub(super) fn field_name(index: Option<&IndexDescription>, path: &str) -> String {
    let known = index.and_then(|index| {
        let same_path = |name: &str| {
            name.split('.').count() == path.split('.').count()
                && name
                    .split('.')
                    .zip(path.split('.'))
                    .all(|(a, b)| same(a, b))
        };
        index.fields.iter().find(|field| same_path(&field.name))
    });
    known.map_or_else(|| path.to_owned(), |field| field.name.clone())
}
