//! Which index and which typed query a document is about.

use contracts::tools::search::{FilterOp, IndexDescription, Measure, MeasureOp, QueryStructure};

use super::build::{self, Target};
use super::rows;
use super::schema::GraphqlSchema;
use super::selected::{self, Selected};
use super::shape;
use super::validate::CheckedQuery;
use super::{describe, read};
use crate::{Source, SourceConfig};

/// The index whose records a root field has.
pub(super) fn index<'a>(
    schema: &GraphqlSchema,
    config: &SourceConfig,
    indices: &'a [IndexDescription],
    root: &str,
) -> Option<&'a IndexDescription> {
    let fields = schema.root_fields();
    let field = fields.into_iter().find(|field| field.name == root)?;
    let item = match shape::list_within(schema, &field.ty) {
        Some((_, item)) => item,
        None => field.ty.inner_named_type().as_str(),
    };
    let list = |index: &IndexDescription| {
        let root_field = describe::root_field(config, &index.name);
        shape::list_of(schema, root_field, &index.name, &index.nouns)
    };
    let by_name = indices
        .iter()
        .find(|index| list(index).is_some_and(|list| list.field.name == root));
    by_name.or_else(|| {
        indices
            .iter()
            .find(|index| list(index).is_some_and(|list| list.item == item))
    })
}

/// The typed query that a document is: read back, written again, and taken only if that gives the
/// same request.
pub(super) fn structure(
    source: &Source,
    schema: &GraphqlSchema,
    index: &IndexDescription,
    checked: &CheckedQuery,
    root: &Selected<'_>,
) -> Option<QueryStructure> {
    let zone = source.config().zone();
    let given = selected::arguments(root.field, checked.variables());
    let mut structure = read::arguments(index, zone, &given).ok()?.structure;
    if let Some(fields) = rows::leaves(schema, checked, root, index) {
        structure.fields = fields;
    } else {
        structure.measures = vec![Measure {
            op: MeasureOp::Count,
            field: None,
        }];
    }
    let by_id = shape::list_within(schema, root.field.ty()).is_none();
    if by_id {
        let [filter] = structure.filters.as_slice() else {
            return None;
        };
        if filter.op != FilterOp::Is {
            return None;
        }
    }
    let ordered = !structure.sort.is_empty();
    let mut structure = search::check(&structure, index, &source.search_limits())
        .ok()?
        .structure;
    let target = Target {
        schema,
        index,
        root_field: describe::root_field(source.config(), &index.name),
        zone,
    };
    let again = build::build_usual(&target, &mut structure, ordered).ok()?;
    (again.query == *checked.request()).then_some(structure)
}
