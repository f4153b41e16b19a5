//! Rendered queries parse back to the same structure, whatever their shape.

use std::collections::BTreeSet;
use std::sync::Mutex;

use chrono::NaiveDate;
use contracts::tools::search::{
    FieldType, Filter, FilterOp, Grouping, Interval, Measure, MeasureOp, QueryStructure, SortBy,
    TimeRange,
};
use proptest::prelude::*;
use proptest::sample::select;
use search::elastic::{parse, render};
use search::{Limits, check};
use serde_json::{Value, json};

use crate::fixture::{FIELDS, shipments, zone};

fn field() -> impl Strategy<Value = (&'static str, FieldType)> {
    let mut fields: Vec<_> = FIELDS.into();
    fields.push(("commodity.keyword", FieldType::Keyword));
    select(fields)
}

fn day() -> impl Strategy<Value = NaiveDate> {
    (2020..2030, 1_u32..=12, 1_u32..=28)
        .prop_map(|(year, month, day)| NaiveDate::from_ymd_opt(year, month, day).unwrap())
}

fn value(field_type: FieldType) -> BoxedStrategy<Value> {
    match field_type {
        FieldType::Keyword | FieldType::Text => "[a-zA-Z0-9 _*\"\\\\/é-]{1,12}"
            .prop_map(Value::from)
            .boxed(),
        FieldType::Long => any::<i64>().prop_map(Value::from).boxed(),
        FieldType::Double => (-1e12..1e12_f64).prop_map(Value::from).boxed(),
        FieldType::Boolean => any::<bool>().prop_map(Value::from).boxed(),
        FieldType::Date => prop_oneof![
            day().prop_map(|day| day.to_string().into()),
            day().prop_map(|day| format!("{day}T10:30:00Z").into()),
        ]
        .boxed(),
    }
}

fn filter() -> impl Strategy<Value = Filter> {
    use FilterOp as F;
    let op = select(vec![
        F::Is,
        F::IsNot,
        F::Gt,
        F::Gte,
        F::Lt,
        F::Lte,
        F::Exists,
        F::Missing,
        F::Matches,
    ]);
    (field(), op).prop_flat_map(|((name, field_type), op)| {
        let count = match op {
            F::Exists | F::Missing => 0..=0,
            F::Is | F::IsNot => 1..=3,
            _ => 1..=1,
        };
        prop::collection::vec(value(field_type), count).prop_map(move |values| Filter {
            field: name.to_owned(),
            op,
            values,
            label: None,
            or: Vec::new(),
        })
    })
}

fn time_range() -> impl Strategy<Value = Option<TimeRange>> {
    let dates = select(vec![None, Some("planned_arrival"), Some("actual_arrival")]);
    prop::option::of(
        (dates, day(), 0_u64..400).prop_map(|(field, start, days)| TimeRange {
            field: field.map(str::to_owned),
            start,
            end: start + chrono::Days::new(days),
            kind: None,
        }),
    )
}

/// Mostly measures that can be computed, so that most generated aggregations are valid.
fn measure() -> impl Strategy<Value = Measure> {
    use MeasureOp as M;
    let number = select(vec!["container_count", "weight_kg", "delay_hours"]);
    let computed = (
        select(vec![M::Sum, M::Average, M::Minimum, M::Maximum]),
        number,
    );
    let any = (select(vec![M::Count, M::Distinct, M::Maximum]), field());
    prop_oneof![
        1 => Just((M::Count, None)),
        4 => computed.prop_map(|(op, name)| (op, Some(name))),
        2 => any.prop_map(|(op, (name, _))| (op, Some(name))),
    ]
    .prop_map(|(op, field)| Measure {
        op,
        field: field.map(str::to_owned),
    })
}

fn grouping() -> impl Strategy<Value = Grouping> {
    use Interval as I;
    let intervals = vec![I::Hour, I::Day, I::Week, I::Month, I::Quarter, I::Year];
    let fields = FIELDS
        .into_iter()
        .filter(|(name, field_type)| *name != "notes" && *field_type != FieldType::Double);
    let fields: Vec<_> = fields.collect();
    (select(fields), prop::option::of(select(intervals))).prop_map(
        |((name, field_type), interval)| Grouping {
            field: name.to_owned(),
            interval: interval.filter(|_| field_type == FieldType::Date),
        },
    )
}

/// Orders by fields, by measures, and by unknown names.
fn sort(names: Vec<String>) -> impl Strategy<Value = Vec<SortBy>> {
    let one = (select(names), any::<bool>()).prop_map(|(by, descending)| SortBy { by, descending });
    prop::collection::vec(one, 0..3)
}

fn query() -> impl Strategy<Value = QueryStructure> {
    let shape = prop_oneof![
        1 => Just((Vec::new(), Vec::new())),
        4 => (
            prop::collection::vec(grouping(), 0..=3),
            prop::collection::vec(measure(), 1..4)
        ),
    ];
    let filters = prop::collection::vec(filter(), 0..4);
    let fields = prop::collection::vec(field().prop_map(|(name, _)| name.to_owned()), 0..4);
    (
        filters,
        time_range(),
        fields,
        shape,
        prop::option::of(1_u32..3000),
    )
        .prop_flat_map(
            |(filters, time_range, fields, (group_by, measures), limit)| {
                let mut names = vec!["count".to_owned()];
                if group_by.is_empty() {
                    names = vec!["status".to_owned(), "commodity".to_owned()];
                }
                names.extend(group_by.iter().map(|group| group.field.clone()));
                names.extend(measures.iter().map(Measure::name));
                sort(names).prop_map(move |sort| QueryStructure {
                    index: "shipments".to_owned(),
                    filters: filters.clone(),
                    time_range: time_range.clone(),
                    fields: fields.clone(),
                    group_by: group_by.clone(),
                    measures: measures.clone(),
                    sort,
                    limit,
                })
            },
        )
}

/// The numbers of groups and orders that the parsed queries had.
static SHAPES: Mutex<BTreeSet<(usize, usize)>> = Mutex::new(BTreeSet::new());

#[test]
fn a_rendered_query_is_read_back_whatever_its_shape() {
    read_back_as_it_was();
    let shapes = SHAPES.lock().unwrap();
    for shape in [
        (0, 0),
        (0, 2),
        (1, 1),
        (2, 1),
        (2, 2),
        (3, 1),
        (3, 2),
        (3, 3),
    ] {
        assert!(shapes.contains(&shape), "{shape:?} is not in {shapes:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, max_global_rejects: 400_000, failure_persistence: None, ..ProptestConfig::default() })]

    fn read_back_as_it_was(asked in query(), zone_name in select(vec!["UTC", "America/New_York"])) {
        let (index, limits, zone) = (shipments(), Limits::default(), zone(zone_name));
        let Ok(checked) = check(&asked, &index, &limits) else {
            return Err(TestCaseError::reject("it may not be asked"));
        };
        SHAPES.lock().unwrap().insert((checked.structure.group_by.len(), checked.structure.sort.len()));
        let again = check(&checked.structure, &index, &limits).unwrap();
        prop_assert_eq!(&again.structure, &checked.structure, "checking again changes nothing");
        let body = render(&checked.structure, zone, None);
        let parsed = match parse(&body, &index, zone) {
            Ok(parsed) => parsed,
            Err(problems) => return Err(TestCaseError::fail(format!("{problems:?} in {body}"))),
        };
        prop_assert_eq!(&parsed.structure, &checked.structure, "read back from {}", body);
    }

    #[test]
    fn any_json_is_read_or_refused(text in "[a-z_:{}\\[\\]\"0-9,. ]{0,200}", key in "[a-z_]{1,12}") {
        let index = shipments();
        if let Ok(body) = serde_json::from_str::<Value>(&text) {
            let _ = parse(&body, &index, zone("UTC"));
        }
        let known = ["query", "aggs", "aggregations", "size", "sort"];
        prop_assume!(!known.contains(&key.as_str()));
        let body = json!({key.clone(): {"x": 1}});
        prop_assert!(parse(&body, &index, zone("UTC")).is_err(), "{}", key);
    }
}
