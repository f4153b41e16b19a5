//! The bodies of all these questions, and the reviewed ones, by the types that Elasticsearch and
//! OpenSearch publish for their clients.
//!
//! It needs node, npm and npm's registry. Where those are not, the test says on the terminal that
//! it was skipped.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use chrono_tz::Tz;
use contracts::tools::search::QueryStructure;
use serde_json::{Value, json};
use test_support::npm;

use super::demo::Demo;
use super::{Table, Talk, alone, follow_ups};

const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/search_types");
const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../search/tests/golden");
const OLDEST_NODE: u32 = 18;

const TABLES: &[Table] = &[
    alone::SUPERLATIVES_GO_BY_THE_QUANTITY_AND_THE_DIRECTION_OF_THE_WORD,
    alone::GROUPS_ARE_RANKED_BY_WHAT_IS_ASKED_OF_THEM,
    alone::WHAT_IS_DUE_HAS_NOT_ARRIVED,
    alone::WHAT_HAPPENED_WHEN_GOES_BY_THE_DATE_OF_THE_VERB,
    alone::RECORDS_ARE_CHOSEN_BY_NAMES_VALUES_AND_AMOUNTS,
    alone::FIGURES_AND_ORDERS,
    follow_ups::CORRECTIONS_REPLACE_WHAT_THEY_CORRECT,
    follow_ups::A_WRONG_CHOICE_IS_UNDONE,
    follow_ups::PICKERS_UNDERSTAND_THAT_NOTHING_FITS,
    follow_ups::WHAT_IS_LEFT_OUT_STANDS_IN_THE_QUESTION_BEFORE,
    follow_ups::AN_EARLIER_QUERY_IS_FOUND_BY_WHAT_IT_WAS_ABOUT,
];

/// Every body that the conversations send, with its tenant's filter, and the reviewed ones.
async fn bodies() -> Vec<Value> {
    let mut bodies: BTreeMap<String, Value> = BTreeMap::new();
    for (turns, _) in TABLES.iter().copied().flatten() {
        let mut talk = Talk::new();
        for turn in *turns {
            talk.say(turn).await;
        }
        for structure in talk.demo.asked() {
            let body = rendered(&structure);
            bodies.insert(body.to_string(), body);
        }
    }
    for file in std::fs::read_dir(Path::new(GOLDEN)).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let body = serde_json::from_str::<Value>(&text).unwrap()["body"].clone();
        bodies.insert(body.to_string(), body);
    }
    bodies.into_values().collect()
}

/// A body of every kind that can be rendered: each operator with each type of value, each measure,
/// each interval, groups in each depth and order, records with and without an order, with and
/// without a tenant, and what follows a first page.
fn every_kind() -> Vec<Value> {
    let demo = Demo::new();
    let filters = [
        json!({"field": "status", "op": "is", "values": ["delivered"]}),
        json!({"field": "status", "op": "is", "values": ["delivered", "arrived"]}),
        json!({"field": "status", "op": "is_not", "values": ["cancelled"]}),
        json!({"field": "status", "op": "is_not", "values": ["cancelled", "booked"]}),
        json!({"field": "hazardous", "op": "is", "values": [true]}),
        json!({"field": "container_count", "op": "is", "values": [1, 2]}),
        json!({"field": "weight_kg", "op": "gt", "values": [1000.5]}),
        json!({"field": "weight_kg", "op": "gte", "values": [1000]}),
        json!({"field": "weight_kg", "op": "lt", "values": [-1]}),
        json!({"field": "weight_kg", "op": "lte", "values": [0]}),
        json!({"field": "planned_arrival", "op": "lt", "values": ["2025-01-15"]}),
        json!({"field": "planned_arrival", "op": "gte", "values": ["2025-01-15T10:30:00Z"]}),
        json!({"field": "planned_arrival", "op": "is", "values": ["2025-01-15"]}),
        json!({"field": "actual_arrival", "op": "exists"}),
        json!({"field": "actual_arrival", "op": "missing"}),
        json!({"field": "vessel_name", "op": "matches", "values": ["anna msc"]}),
    ];
    let ops = ["count", "sum", "average", "minimum", "maximum", "distinct"];
    let measure = |op: &str| match op {
        "count" => json!({ "op": op }),
        "distinct" => json!({ "op": op, "field": "vessel_name" }),
        _ => json!({ "op": op, "field": "weight_kg" }),
    };
    let intervals = ["hour", "day", "week", "month", "quarter", "year"];
    let by_time = |interval: &str| json!({"field": "actual_arrival", "interval": interval});
    let days = json!({"field": "actual_arrival", "start": "2025-01-08", "end": "2025-01-15"});
    let carrier = json!({"field": "carrier"});
    let status = json!({"field": "status"});
    let mut wanted: Vec<Value> = vec![
        json!({}),
        json!({"limit": 1}),
        json!({"fields": ["shipment_id", "weight_kg"]}),
        json!({"sort": [{"by": "weight_kg", "descending": true}, {"by": "actual_arrival"}], "limit": 10}),
        json!({"time_range": days, "filters": filters}),
        json!({"measures": ops.map(measure)}),
    ];
    wanted.extend(filters.iter().map(|filter| json!({"filters": [filter]})));
    wanted.extend(
        ops.iter()
            .map(|op| json!({"measures": [measure(op)], "time_range": days})),
    );
    for op in ops {
        let name = match op {
            "count" => "count".to_owned(),
            "distinct" => "distinct_vessel_name".to_owned(),
            _ => format!("{op}_weight_kg"),
        };
        for descending in [true, false] {
            for by in [name.as_str(), "carrier"] {
                for groups in [
                    json!([carrier]),
                    json!([carrier, status]),
                    json!([carrier, status, by_time("month")]),
                ] {
                    let sort = json!([{"by": by, "descending": descending}]);
                    wanted.push(json!({"group_by": groups, "measures": [measure(op)], "sort": sort, "limit": 5}));
                    wanted
                        .push(json!({"group_by": groups, "measures": [measure(op)], "sort": sort}));
                }
            }
        }
    }
    for interval in intervals {
        wanted.push(json!({"group_by": [by_time(interval)], "measures": [{"op": "count"}]}));
        wanted.push(json!({"group_by": [by_time(interval), carrier], "measures": [{"op": "count"}], "limit": 3}));
        wanted.push(json!({"group_by": [carrier, by_time(interval)], "measures": [measure("sum")], "limit": 3}));
    }
    let mut bodies = Vec::new();
    for mut structure in wanted {
        structure["index"] = json!("shipments");
        let structure: QueryStructure = serde_json::from_value(structure).unwrap();
        let complete = demo.completed(&structure);
        let complete = complete.unwrap_or_else(|| panic!("refused: {structure:?}"));
        let zone = "America/New_York".parse().unwrap();
        bodies.push(search::elastic::render(&complete, zone, None));
        let mut body = rendered(&complete);
        bodies.push(body.clone());
        // The next page of the same.
        if complete.measures.is_empty() {
            body["track_total_hits"] = json!(false);
            body["search_after"] = json!([1_736_312_400_000_i64, "SHP-000123"]);
            bodies.push(body);
        }
    }
    bodies
}

fn rendered(structure: &QueryStructure) -> Value {
    let tenant = search::elastic::Tenant {
        field: "tenant",
        name: "demo",
    };
    search::elastic::render(structure, Tz::UTC, Some(tenant))
}

/// The compiler's errors about bodies of this type, a line for each; the numbers of the lines
/// are those of the bodies.
fn errors(folder: &Path, name: &str, head: &str, bodies: &[Value]) -> Vec<String> {
    let mut text = format!("{head}\n");
    for body in bodies {
        writeln!(text, "({body}) satisfies Body;").unwrap();
    }
    let file = format!("{name}.ts");
    std::fs::write(folder.join(&file), text).unwrap();
    let output = Command::new("node")
        .args([
            "node_modules/typescript/bin/tsc",
            "--noEmit",
            "--strict",
            "--skipLibCheck",
            "--module",
            "nodenext",
            "--moduleResolution",
            "nodenext",
            "--target",
            "es2022",
            &file,
        ])
        .current_dir(folder)
        .output()
        .unwrap();
    let said = npm::text(&output);
    let lines: Vec<String> = said
        .lines()
        .filter(|line| line.starts_with(&file))
        .map(str::to_owned)
        .collect();
    assert_eq!(output.status.success(), lines.is_empty(), "{said}");
    lines
}

/// Bodies with one mistake each.
fn mistakes() -> Vec<Value> {
    vec![
        json!({"query": {"bool": {"filtre": []}}}),
        json!({"query": {"term": {"status": {"valu": "x"}}}}),
        json!({"size": "ten"}),
        json!({"sort": [{"actual_arrival": {"order": "descending"}}]}),
        json!({"track_total_hits": "yes"}),
        json!({"_source": 5}),
    ]
}

#[tokio::test]
async fn the_bodies_are_of_the_published_types() {
    let target = env!("CARGO_TARGET_TMPDIR");
    let folder = match npm::install(FILES, "search-types", target, OLDEST_NODE) {
        Ok(folder) => folder,
        Err(why) => {
            npm::skipped("no body was compared with the published types", &why);
            return;
        }
    };
    let mut bodies = bodies().await;
    bodies.extend(every_kind());
    assert!(bodies.len() > 300, "{} bodies", bodies.len());
    let elastic = "import type { estypes } from '@elastic/elasticsearch';\ntype Body = estypes.SearchRequest;";
    let found = errors(&folder, "elasticsearch", elastic, &bodies);
    assert!(found.is_empty(), "{}", found.join("\n"));
    // How many records fit is asked with the query alone.
    let counts: Vec<Value> = bodies
        .iter()
        .map(|body| json!({ "query": body["query"] }))
        .collect();
    let count =
        "import type { estypes } from '@elastic/elasticsearch';\ntype Body = estypes.CountRequest;";
    let found = errors(&folder, "elasticsearch_counts", count, &counts);
    assert!(found.is_empty(), "{}", found.join("\n"));
    let mut wrong = mistakes();
    wrong.push(json!({"aggs": {"by": {"terms": {"field": "carrier", "size": "all"}}}}));
    wrong.push(
        json!({"aggs": {"by": {"date_histogram": {"field": "a", "calendar_interval": "decade"}}}}),
    );
    let found = errors(&folder, "elasticsearch_mistakes", elastic, &wrong);
    assert!(found.len() >= wrong.len(), "{}", found.join("\n"));

    // The aggregations of this package's types have no `field`: what every documented example has.
    // The rest of them is sound.
    let opensearch = "import type { API } from '@opensearch-project/opensearch';\ntype Body = API.Search_RequestBody;";
    let plain: Vec<Value> = bodies
        .into_iter()
        .map(|mut body| {
            body.as_object_mut().unwrap().remove("aggs");
            body
        })
        .collect();
    let found = errors(&folder, "opensearch", opensearch, &plain);
    assert!(found.is_empty(), "{}", found.join("\n"));
    let found = errors(&folder, "opensearch_mistakes", opensearch, &mistakes());
    assert!(!found.is_empty(), "the types find nothing");
}
