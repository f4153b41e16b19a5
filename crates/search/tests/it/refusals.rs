//! Bodies that never reach a source, with the code and the pointer of their problem.

use contracts::tools::search::QueryProblem;
use search::elastic::parse;
use search::{Limits, check};
use serde_json::{Value, json};

use crate::fixture::{shipments, zone};

fn refused(body: &Value) -> Vec<QueryProblem> {
    let index = shipments();
    match parse(body, &index, zone("America/New_York")) {
        Err(problems) => problems,
        Ok(parsed) => {
            let problems = check(&parsed.structure, &index, &Limits::default());
            let located = problems.unwrap_err().into_iter();
            located.map(|it| parsed.locate(it)).collect()
        }
    }
}

#[track_caller]
fn assert_refused(body: &Value, code: &str, pointer: &str) {
    let problems = refused(body);
    assert_eq!(
        (problems[0].code.as_str(), problems[0].pointer.as_str()),
        (code, pointer),
        "{body}: {problems:?}"
    );
}

#[test]
fn scripts_patterns_and_other_indices_are_not_allowed() {
    let query = |query: Value| json!({"query": query});
    for (body, pointer) in [
        (
            json!({"script_fields": {"x": {"script": "1"}}}),
            "/script_fields",
        ),
        (json!({"runtime_mappings": {}}), "/runtime_mappings"),
        (json!({"post_filter": {}}), "/post_filter"),
        (json!({"suggest": {}}), "/suggest"),
        (json!({"rescore": {}}), "/rescore"),
        (json!({"indices_boost": []}), "/indices_boost"),
        (json!({"pit": {"id": "x"}}), "/pit"),
        (json!({"knn": {}}), "/knn"),
        (json!({"sort": [{"_script": {}}]}), "/sort/0/_script"),
        (json!({"_source": ["port.*"]}), "/_source/0"),
        (query(json!({"script": {"script": "1"}})), "/query/script"),
        (query(json!({"script_score": {}})), "/query/script_score"),
        (
            query(json!({"function_score": {}})),
            "/query/function_score",
        ),
        (
            query(json!({"query_string": {"query": "*"}})),
            "/query/query_string",
        ),
        (query(json!({"regexp": {"status": ".*"}})), "/query/regexp"),
        (
            query(json!({"wildcard": {"status": "*x"}})),
            "/query/wildcard",
        ),
        (query(json!({"prefix": {"status": "x"}})), "/query/prefix"),
        (query(json!({"fuzzy": {"status": "x"}})), "/query/fuzzy"),
        (
            query(json!({"more_like_this": {}})),
            "/query/more_like_this",
        ),
        (query(json!({"percolate": {}})), "/query/percolate"),
        (query(json!({"has_child": {}})), "/query/has_child"),
        (
            query(json!({"wrapper": {"query": "e30="}})),
            "/query/wrapper",
        ),
        (
            query(json!({"terms": {"status": {"index": "users", "id": "1", "path": "x"}}})),
            "/query/terms/status",
        ),
        (
            query(json!({"bool": {"filter": [{"bool": {"must_not": [{"script": {}}]}}]}})),
            "/query/bool/filter/0/bool/must_not/0/script",
        ),
        (
            json!({"size": 0, "aggs": {"a": {"scripted_metric": {}}}}),
            "/aggs/a/scripted_metric",
        ),
        (
            json!({"size": 0, "aggs": {"a": {"terms": {"field": "status", "script": "x"}}}}),
            "/aggs/a/terms/script",
        ),
        (
            json!({"size": 0, "aggs": {"a": {"terms": {"field": "status"}, "aggs": {"b": {"bucket_script": {}}}}}}),
            "/aggs/a/aggs/b/bucket_script",
        ),
        (
            json!({"size": 0, "aggs": {"a": {"top_hits": {}}}}),
            "/aggs/a/top_hits",
        ),
        (
            json!({"size": 0, "aggs": {"a": {"avg": {"script": "x"}}}}),
            "/aggs/a/avg/script",
        ),
    ] {
        assert_refused(&body, "not_allowed", pointer);
    }
}

#[test]
fn bodies_without_an_exact_equivalent_are_unsupported() {
    let query = |query: Value| json!({"query": query});
    for (body, pointer) in [
        (json!({"collapse": {"field": "status"}}), "/collapse"),
        (json!({"from": 10}), "/from"),
        (json!({"terminate_after": 1}), "/terminate_after"),
        (json!({"min_score": 1}), "/min_score"),
        (json!({"search_after": [1]}), "/search_after"),
        (
            json!({"sort": [{"status": {"order": "asc", "mode": "min"}}]}),
            "/sort/0/status/mode",
        ),
        (json!({"sort": ["_score"]}), "/sort/0"),
        (
            json!({"size": 5, "aggs": {"a": {"avg": {"field": "delay_hours"}}}}),
            "/size",
        ),
        (
            query(json!({"term": {"status": {"value": "x", "case_insensitive": true}}})),
            "/query/term/status/case_insensitive",
        ),
        (
            query(json!({"match": {"commodity": "green coffee"}})),
            "/query/match/commodity",
        ),
        (
            query(
                json!({"range": {"actual_arrival": {"gte": "2025-01-08", "time_zone": "+01:00"}}}),
            ),
            "/query/range/actual_arrival/time_zone",
        ),
        (
            query(json!({"range": {"delay_hours": {"from": 1}}})),
            "/query/range/delay_hours/from",
        ),
        (
            query(json!({"bool": {"must": [], "should": [{"term": {"status": "x"}}]}})),
            "/query/bool/should",
        ),
        (
            query(
                json!({"bool": {"should": [{"term": {"status": "x"}}, {"range": {"delay_hours": {"gt": 1, "lt": 2}}}]}}),
            ),
            "/query/bool/should/1/range",
        ),
        (
            query(json!({"bool": {"must_not": {"range": {"delay_hours": {"gt": 1}}}}})),
            "/query/bool/must_not/range",
        ),
        (
            query(json!({"term": {"status": {"value": "x", "boost": 2}}})),
            "/query/term/status/boost",
        ),
        (
            json!({"size": 0, "aggs": {"a": {"terms": {"field": "status"}, "aggs": {"b": {"terms": {"field": "carrier", "size": 3}}}}}}),
            "/aggs/a/aggs/b/terms/size",
        ),
        (
            json!({"size": 0, "aggs": {"a": {"terms": {"field": "status"}}, "b": {"terms": {"field": "carrier"}}}}),
            "/aggs/b",
        ),
        (
            json!({"size": 0, "aggs": {"a": {"date_histogram": {"field": "actual_arrival", "fixed_interval": "1d"}}}}),
            "/aggs/a/date_histogram/fixed_interval",
        ),
        (
            json!({"size": 0, "aggs": {"a": {"percentiles": {"field": "delay_hours"}}}}),
            "/aggs/a/percentiles",
        ),
    ] {
        assert_refused(&body, "unsupported", pointer);
    }
}

#[test]
fn unmapped_fields_are_reported_with_their_place_in_the_body() {
    for (body, pointer) in [
        (
            json!({"query": {"term": {"tenant": "rival"}}}),
            "/query/term",
        ),
        (
            json!({"query": {"bool": {"must_not": [{"exists": {"field": "secret"}}]}}}),
            "/query/bool/must_not/0/exists",
        ),
        (json!({"_source": ["shipment_id", "tenant"]}), "/_source/1"),
        (json!({"sort": [{"tenant": "asc"}]}), "/sort/0/tenant"),
        (
            json!({"size": 0, "aggs": {"a": {"terms": {"field": "tenant"}}}}),
            "/aggs/a/terms",
        ),
        (
            json!({"query": {"range": {"arrival": {"gte": 1}}}}),
            "/query/range/arrival",
        ),
    ] {
        assert_refused(&body, "unknown_field", pointer);
    }
    assert_refused(
        &json!({"query": {"range": {"actual_arrival": {"gte": "now-7d/d"}}}}),
        "wrong_type",
        "/query/range/actual_arrival",
    );
}

#[test]
fn malformed_bodies_are_reported() {
    for body in [
        json!([]),
        json!("x"),
        json!({"query": []}),
        json!({"query": {}}),
        json!({"query": {"term": {}}}),
        json!({"query": {"term": {"status": "x"}, "exists": {"field": "y"}}}),
        json!({"query": {"range": {"delay_hours": {}}}}),
        json!({"size": -1}),
        json!({"size": 1.5}),
        json!({"sort": {"status": "up"}}),
        json!({"aggs": {"a": {}}}),
        json!({"size": 0, "aggs": {"a": {"terms": {"field": "status", "order": {"nothing": "asc"}}}}}),
        json!({"size": 0, "aggs": {"a": {"date_histogram": {"field": "actual_arrival"}}}}),
    ] {
        assert_eq!(refused(&body)[0].code, "invalid", "{body}");
    }
    let mut deep = json!({"match_all": {}});
    for _ in 0..20 {
        deep = json!({"bool": {"filter": deep}});
    }
    assert_eq!(refused(&json!({"query": deep}))[0].code, "too_large");
}
