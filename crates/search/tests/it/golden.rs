//! Request bodies, each reviewed against the documentation of the query DSL.

use std::path::Path;

use chrono_tz::Tz;
use search::elastic::{Tenant, parse, render};
use serde_json::{Value, json};

use crate::fixture::{checked, shipments, zone};

/// Each file has a zone, a structure, and the rendered body. The comments name the pages of the
/// Elasticsearch 8 reference that each body was reviewed against. OpenSearch 2 documents the same
/// under the same names.
const GOLDEN: [&str; 16] = [
    // query-dsl-match-all-query, search-your-data (track_total_hits), search-fields (_source),
    // sort-search-results
    "match_all",
    // query-dsl-bool-query (filter context), query-dsl-term-query, query-dsl-terms-query
    "filters",
    // query-dsl-range-query (time_zone with date fields)
    "days_with_zone",
    // the same over the change to summer time: the zone is named, so midnight is that of each day
    "days_over_summer_time",
    // query-dsl-range-query (numbers; times with an offset need no time_zone)
    "ranges",
    // query-dsl-exists-query (missing: must_not exists), query-dsl-bool-query
    "missing",
    // query-dsl-bool-query (must_not)
    "is_not",
    // query-dsl-match-query (operator), multi-fields (the exact subfield)
    "words_and_exact_subfield",
    // search-aggregations-bucket-terms-aggregation (size, order by _count, ties by _key),
    // return-only-agg-results (size 0)
    "terms",
    // the same (order by a sub-aggregation), search-aggregations-metrics-avg-aggregation
    "top_groups_by_measure",
    // search-aggregations-bucket-terms-aggregation within each other
    "nested_groups",
    // search-aggregations-bucket-datehistogram-aggregation (calendar_interval, time_zone,
    // min_doc_count, order)
    "date_histogram",
    // search-aggregations-pipeline-bucket-sort-aggregation (size without sort keeps the parent's
    // order)
    "busiest_days",
    // search-aggregations-metrics: avg, sum, min, max, cardinality, value_count
    "metrics_only",
    // search-search (size 0 with track_total_hits: how many)
    "count_only",
    // sort-search-results, paginate-search-results (search_after needs an order without ties)
    "sort_and_paging",
];

/// The zone, the structure and the body in a file.
fn golden(name: &str) -> (Tz, Value, Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.json"));
    let text = std::fs::read_to_string(path).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    let zone = zone(file["zone"].as_str().unwrap());
    (zone, file["structure"].clone(), file["body"].clone())
}

#[test]
fn bodies_are_as_reviewed() {
    for name in GOLDEN {
        let (zone, asked, body) = golden(name);
        let structure = checked(asked).structure;
        let rendered = render(&structure, zone, None);
        assert_eq!(rendered, body, "{name}: {rendered:#}");
        let parsed = parse(&body, &shipments(), zone).unwrap();
        assert_eq!(parsed.structure, structure, "{name} read back");
    }
}

#[test]
fn every_file_is_tested() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let files = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(files, GOLDEN.len());
}

#[test]
fn the_tenant_is_a_condition_of_its_own() {
    let tenant = Tenant {
        field: "tenant",
        name: "demo",
    };
    let own = json!({"term": {"tenant": {"value": "demo"}}});
    for name in GOLDEN {
        let (zone, asked, _) = golden(name);
        let body = render(&checked(asked).structure, zone, Some(tenant));
        assert_eq!(body["query"]["bool"]["filter"][0], own, "{name}");
    }
}
