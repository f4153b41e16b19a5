//! A typed query of what was wanted and of the fields that were found for it.

use chrono::NaiveDate;
use contracts::tools::meanings::{FieldMapping, MappedField, TermRole};
use contracts::tools::search::{
    FieldDescription, FieldType, Filter, FilterOp, Grouping, IndexDescription, Measure, MeasureOp,
    QueryStructure, SortBy, TimeRange,
};

use super::request::{Request, SortKey};
use super::text::tokens;

/// The query that `request` asks for, by the fields of `mapping`. What was not mapped is not in it.
/// Fields that are asked for are behind those that the index shows; an aggregation has none.
pub fn compose(
    request: &Request,
    mapping: &FieldMapping,
    index: &IndexDescription,
) -> QueryStructure {
    let mut measures = measures(request, mapping);
    let mut filters = filters(request, mapping);
    filters.extend(
        date_field(mapping, index)
            .zip(request.gap)
            .and_then(|(field, gap)| without_gap(&field, gap)),
    );
    let mut group_by = groups(request, mapping, index);
    if request.compare && group_by.is_empty() {
        group_by.extend(compared(&filters, index));
        // "Compare Hamburg and Rotterdam": how many there are of each.
        if measures.is_empty() && !group_by.is_empty() {
            let op = MeasureOp::Count;
            measures.push((usize::MAX, Measure { op, field: None }));
        }
    }
    let measures: Vec<Measure> = measures.into_iter().map(|(_, measure)| measure).collect();
    let aggregated = !measures.is_empty();
    let sort = orders(request, mapping, index, &measures, &group_by);
    let fields = if aggregated {
        Vec::new()
    } else {
        // Records without a choice of fields are named at least.
        let named: Vec<String> = match index.shown.as_slice() {
            [] => index.id_field.iter().cloned().collect(),
            shown => shown.to_vec(),
        };
        shown(&named, extra_fields(mapping, index, &sort))
    };
    QueryStructure {
        index: index.name.clone(),
        filters,
        time_range: time_range(request, mapping),
        fields,
        group_by: if aggregated { group_by } else { Vec::new() },
        measures,
        sort,
        limit: request.limit,
    }
}

/// The condition that leaves out days in the middle: before the first of them, or from the first
/// day behind them on.
pub(super) fn without_gap(field: &str, (from, until): (NaiveDate, NaiveDate)) -> Option<Filter> {
    let bound = |op, day: NaiveDate| Filter {
        field: field.to_owned(),
        op,
        values: vec![day.to_string().into()],
        label: None,
        or: Vec::new(),
    };
    Filter::any_of([bound(FilterOp::Lt, from), bound(FilterOp::Gte, until)])
}

/// If several things are compared, each is a group of its own: by its name, if the index has
/// that beside its id.
pub(super) fn compared(filters: &[Filter], index: &IndexDescription) -> Option<Grouping> {
    let several = filters
        .iter()
        .find(|filter| filter.op == FilterOp::Is && filter.values.len() > 1)?;
    let short = several.field.strip_suffix("_id");
    let fields = || index.fields.iter();
    let kind = fields().find(|field| field.name == several.field);
    let kind = kind.and_then(|field| field.entity_type.as_ref());
    let twin = |field: &&FieldDescription| {
        let of_kind = kind.is_some() && field.entity_type.as_ref() == kind;
        of_kind && short.is_some_and(|name| field.name == format!("{name}_name"))
    };
    let named = short
        .and_then(|name| fields().find(|field| field.name == name))
        .or_else(|| fields().find(twin));
    Some(Grouping {
        field: named.map_or(&several.field, |field| &field.name).clone(),
        interval: None,
    })
}

/// The conditions: names, then terms. Several values for one field are any of them.
pub(super) fn filters(request: &Request, mapping: &FieldMapping) -> Vec<Filter> {
    let mut filters: Vec<Filter> = Vec::new();
    for entity in &mapping.entities {
        let op = if is_negated(request, &entity.mention) {
            FilterOp::IsNot
        } else {
            FilterOp::Is
        };
        add(
            &mut filters,
            Filter {
                field: entity.field.clone(),
                op,
                values: vec![entity.value.clone().into()],
                label: Some(entity.name.clone()),
                or: Vec::new(),
            },
        );
    }
    for term in mapping
        .fields
        .iter()
        .filter(|term| term.role == TermRole::Filter)
    {
        add(
            &mut filters,
            Filter {
                field: term.field.clone(),
                op: term.op.unwrap_or(FilterOp::Is),
                values: term.values.clone(),
                label: None,
                or: Vec::new(),
            },
        );
    }
    filters
}

/// Adds a condition; values for the same field join.
fn add(filters: &mut Vec<Filter>, filter: Filter) {
    let joins = matches!(filter.op, FilterOp::Is | FilterOp::IsNot);
    if filters.contains(&filter) {
        return;
    }
    let same = filters
        .iter_mut()
        .find(|known| joins && known.field == filter.field && known.op == filter.op);
    match same {
        Some(known) => join(known, filter),
        None => filters.push(filter),
    }
}

/// Adds the values of `more` to those of `filter`.
pub(super) fn join(filter: &mut Filter, more: Filter) {
    let new = more
        .values
        .iter()
        .any(|value| !filter.values.contains(value));
    for value in more.values {
        if !filter.values.contains(&value) {
            filter.values.push(value);
        }
    }
    if new {
        filter.label = match (filter.label.take(), more.label) {
            (Some(one), Some(another)) => Some(format!("{one} or {another}")),
            _ => None,
        };
    }
}

/// Whether the words of a name are in a phrase that is excluded.
fn is_negated(request: &Request, mention: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        tokens(text)
            .into_iter()
            .filter(|token| token.is_word() || token.number().is_some())
            .map(|token| token.text)
            .collect()
    };
    let mention = words(mention);
    !mention.is_empty()
        && request.negated.iter().any(|phrase| {
            words(phrase)
                .windows(mention.len())
                .any(|part| part == mention)
        })
}

fn time_range(request: &Request, mapping: &FieldMapping) -> Option<TimeRange> {
    request.time_range.clone().map(|range| TimeRange {
        field: mapping.date_field.clone(),
        ..range
    })
}

/// The field of the words in this role.
fn field_of<'m>(mapping: &'m FieldMapping, words: &str, role: TermRole) -> Option<&'m MappedField> {
    mapping
        .fields
        .iter()
        .find(|field| field.role == role && field.term == words)
}

/// The measures, each with its place in the request.
fn measures(request: &Request, mapping: &FieldMapping) -> Vec<(usize, Measure)> {
    let mut measures: Vec<(usize, Measure)> = Vec::new();
    for (place, wanted) in request.measures.iter().enumerate() {
        let measure = match &wanted.term {
            None => Some(Measure {
                op: MeasureOp::Count,
                field: None,
            }),
            Some(words) => {
                let role = if wanted.op == MeasureOp::Distinct {
                    TermRole::GroupBy
                } else {
                    TermRole::Measure
                };
                field_of(mapping, words, role).map(|field| Measure {
                    op: wanted.op,
                    field: Some(field.field.clone()),
                })
            }
        };
        measures.extend(
            measure
                .filter(|measure| measures.iter().all(|(_, known)| known != measure))
                .map(|measure| (place, measure)),
        );
    }
    // A figure was requested, of a missing field: records are counted, and the field mapping
    // reports the missing field.
    if measures.is_empty() && !(request.measures.is_empty() && request.group_by.is_empty()) {
        measures.push((
            usize::MAX,
            Measure {
                op: MeasureOp::Count,
                field: None,
            },
        ));
    }
    measures
}

fn groups(request: &Request, mapping: &FieldMapping, index: &IndexDescription) -> Vec<Grouping> {
    let mut groups: Vec<Grouping> = Vec::new();
    for wanted in &request.group_by {
        let grouping = match &wanted.term {
            None => date_field(mapping, index).map(|field| Grouping {
                field,
                interval: wanted.interval,
            }),
            Some(words) => field_of(mapping, words, TermRole::GroupBy).map(|field| Grouping {
                field: field.field.clone(),
                interval: wanted
                    .interval
                    .filter(|_| field.field_type == FieldType::Date),
            }),
        };
        groups.extend(grouping.filter(|grouping| !groups.contains(grouping)));
    }
    groups
}

fn orders(
    request: &Request,
    mapping: &FieldMapping,
    index: &IndexDescription,
    kept: &[Measure],
    groups: &[Grouping],
) -> Vec<SortBy> {
    let by_place = measures(request, mapping);
    let mut orders: Vec<SortBy> = Vec::new();
    for wanted in &request.sort {
        let by = match &wanted.by {
            SortKey::Measure(place) => by_place
                .iter()
                .find(|(known, _)| known == place)
                .or_else(|| by_place.first())
                .map(|(_, measure)| measure.name()),
            SortKey::Time => date_field(mapping, index),
            SortKey::Count => Some("count".to_owned()),
            SortKey::Term(words) => {
                field_of(mapping, words, TermRole::Sort).map(|field| field.field.clone())
            }
        };
        let by = by.and_then(|by| sortable(by, kept, groups));
        orders.extend(
            by.filter(|by| orders.iter().all(|known| known.by != *by))
                .map(|by| SortBy {
                    by,
                    descending: wanted.descending,
                }),
        );
    }
    orders
}

/// The sort key of an aggregation: a measure of the field, or the field of its groups. Records
/// are sorted by any field.
pub(super) fn sortable(by: String, measures: &[Measure], groups: &[Grouping]) -> Option<String> {
    if measures.is_empty()
        || measures.iter().any(|measure| measure.name() == by)
        || groups.iter().any(|group| group.field == by)
    {
        return Some(by);
    }
    measures
        .iter()
        .find(|measure| measure.field.as_ref() == Some(&by))
        .map(Measure::name)
}

pub(super) fn date_field(mapping: &FieldMapping, index: &IndexDescription) -> Option<String> {
    mapping
        .date_field
        .clone()
        .or_else(|| index.date_field.clone())
}

/// Fields that are asked for, and those that records are sorted by.
fn extra_fields(mapping: &FieldMapping, index: &IndexDescription, sort: &[SortBy]) -> Vec<String> {
    let selected = mapping
        .fields
        .iter()
        .filter(|field| field.role == TermRole::Select)
        .map(|field| field.field.clone());
    let sorted = sort.iter().map(|sort| sort.by.clone());
    let known = |field: &String| index.fields.iter().any(|known| known.name == *field);
    selected.chain(sorted.filter(known)).collect()
}

/// `shown` with more fields behind; nothing, where nothing is added: then the index decides.
fn shown(shown: &[String], more: Vec<String>) -> Vec<String> {
    let new: Vec<String> = more
        .into_iter()
        .filter(|field| !shown.contains(field))
        .collect();
    if new.is_empty() {
        return Vec::new();
    }
    let mut all = shown.to_vec();
    for field in new {
        if !all.contains(&field) {
            all.push(field);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use contracts::tools::meanings::MappedEntity;
    use serde_json::{Value, json};

    use super::*;
    use crate::language::fixture::{shipping, today};
    use crate::language::read_request;

    fn field(term: &str, role: TermRole, field: &str, field_type: FieldType) -> MappedField {
        MappedField {
            term: term.into(),
            role,
            field: field.into(),
            field_type,
            score: 1.0,
            op: None,
            values: Vec::new(),
        }
    }

    fn entity(mention: &str, name: &str, field: &str, value: &str) -> MappedEntity {
        MappedEntity {
            mention: mention.into(),
            entity_type: "port".into(),
            name: name.into(),
            field: field.into(),
            value: value.into(),
        }
    }

    fn composed(text: &str, mapping: &FieldMapping) -> Value {
        let sources = shipping();
        let request = read_request(text, &sources, today());
        serde_json::to_value(compose(&request, mapping, &sources.sources[0].indices[0])).unwrap()
    }

    #[test]
    fn records_of_a_port_and_a_week() {
        let mapping = FieldMapping {
            fields: vec![field(
                "arrival date",
                TermRole::Select,
                "planned_arrival",
                FieldType::Date,
            )],
            entities: vec![entity(
                "Miami",
                "Port of Miami",
                "destination_port_id",
                "P-MIA",
            )],
            date_field: Some("actual_arrival".into()),
            ..FieldMapping::default()
        };
        assert_eq!(
            composed(
                "Show shipments to Miami last week, include arrival date",
                &mapping
            ),
            json!({
                "index": "shipments",
                "filters": [{"field": "destination_port_id", "op": "is", "values": ["P-MIA"], "label": "Port of Miami"}],
                "time_range": {"field": "actual_arrival", "start": "2025-01-08", "end": "2025-01-15", "type": "last week"},
                "fields": ["shipment_id", "status", "vessel_name", "origin_port", "destination_port", "planned_arrival"],
            })
        );
    }

    #[test]
    fn several_names_of_one_field_are_any_of_them() {
        let mapping = FieldMapping {
            entities: vec![
                entity(
                    "Miami",
                    "Port of Miami",
                    "destination_port",
                    "Port of Miami",
                ),
                entity("Shanghai", "Shanghai", "destination_port", "Shanghai"),
            ],
            ..FieldMapping::default()
        };
        assert_eq!(
            composed("shipments to Miami and Shanghai", &mapping)["filters"],
            json!([{"field": "destination_port", "op": "is", "values": ["Port of Miami", "Shanghai"], "label": "Port of Miami or Shanghai"}])
        );
        assert_eq!(
            composed(
                "shipments not to Miami",
                &FieldMapping {
                    entities: mapping.entities[..1].to_vec(),
                    ..mapping
                }
            )["filters"][0]["op"],
            "is_not"
        );
    }

    #[test]
    fn what_is_compared_is_a_group_each() {
        let mapping = FieldMapping {
            fields: vec![field(
                "delay",
                TermRole::Measure,
                "delay_hours",
                FieldType::Double,
            )],
            entities: vec![
                entity("Miami", "Port of Miami", "destination_port_id", "P-MIA"),
                entity("Shanghai", "Shanghai", "destination_port_id", "P-SHA"),
            ],
            ..FieldMapping::default()
        };
        let query = composed("compare average delay in Miami and Shanghai", &mapping);
        assert_eq!(query["group_by"], json!([{"field": "destination_port"}]));
        let query = composed("average delay in Miami and Shanghai", &mapping);
        assert!(query.get("group_by").is_none(), "{query}");
    }

    #[test]
    fn figures_have_groups_and_their_order() {
        let mapping = FieldMapping {
            fields: vec![
                field("carriers", TermRole::GroupBy, "carrier", FieldType::Keyword),
                field("delay", TermRole::Measure, "delay_hours", FieldType::Double),
            ],
            ..FieldMapping::default()
        };
        assert_eq!(
            composed("top 5 carriers by average delay of shipments", &mapping),
            json!({
                "index": "shipments",
                "group_by": [{"field": "carrier"}],
                "measures": [{"op": "average", "field": "delay_hours"}],
                "sort": [{"by": "average_delay_hours", "descending": true}],
                "limit": 5,
            })
        );
    }

    #[test]
    fn months_are_those_of_the_date_of_the_index() {
        assert_eq!(
            composed("shipments per month", &FieldMapping::default()),
            json!({
                "index": "shipments",
                "group_by": [{"field": "actual_arrival", "interval": "month"}],
                "measures": [{"op": "count"}],
            })
        );
    }

    #[test]
    fn a_figure_without_its_field_counts() {
        assert_eq!(
            composed("average temper of shipments", &FieldMapping::default())["measures"],
            json!([{"op": "count"}])
        );
    }

    #[test]
    fn what_records_are_sorted_by_is_shown() {
        let mapping = FieldMapping {
            fields: vec![field(
                "weight",
                TermRole::Sort,
                "weight_kg",
                FieldType::Double,
            )],
            ..FieldMapping::default()
        };
        let query = composed("top 5 shipments by weight", &mapping);
        assert_eq!(
            query["sort"],
            json!([{"by": "weight_kg", "descending": true}])
        );
        assert_eq!(query["fields"][5], "weight_kg");
        assert_eq!(query["limit"], 5);
    }
}
