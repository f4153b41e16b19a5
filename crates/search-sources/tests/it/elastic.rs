//! Elasticsearch, in whose place a peer answers as scripted and keeps what was asked.

use std::sync::Arc;

use contracts::tools::search::{
    FieldType, HowToRetrieve, QueryOutcome, QueryType, SourceKind, TodayFrom, TotalRelation,
};
use search_sources::{IndexConfig, Source, SourceConfig, Today};
use serde_json::{Value, json};
use sqlx::PgPool;
use test_support::upstream::{Reply, UpstreamServer};

use crate::fixture::{column, opened, ran, rows, structure};

/// A peer, and a source over it.
pub(crate) struct Peer {
    pub(crate) server: UpstreamServer,
    pub(crate) source: Arc<Source>,
}

/// The mapping of two indices behind one alias.
pub(crate) fn mapping() -> Value {
    let of = |status: &str| {
        json!({"mappings": {"dynamic": "strict", "properties": {
            "tenant": {"type": "keyword"},
            "shipment_id": {"type": "keyword"},
            "status": {"type": status},
            "commodity": {"type": "text", "fields": {"words": {"type": "text"}, "keyword": {"type": "keyword", "ignore_above": 256}}},
            "notes": {"type": "match_only_text"},
            "port": {"properties": {"city": {"type": "keyword"}, "location": {"type": "geo_point"}}},
            "events": {"type": "nested", "properties": {"at": {"type": "date"}}},
            "raw": {"type": "object", "enabled": false, "properties": {"x": {"type": "keyword"}}},
            "hidden_code": {"type": "keyword", "index": false},
            "arrival": {"type": "alias", "path": "actual_arrival"},
            "actual_arrival": {"type": "date"},
            "containers": {"type": "integer"},
            "delay_hours": {"type": "scaled_float", "scaling_factor": 100},
            "hazardous": {"type": "boolean"}
        }}})
    };
    json!({"shipments-2024": of("keyword"), "shipments-2025": of("keyword")})
}

/// The answer to a search.
pub(crate) fn found(ids: &[&str], total: u64) -> Value {
    let hits = ids.iter().map(|id| {
        json!({"_index": "shipments-2025", "_id": id, "_score": null,
            "_source": {"shipment_id": id, "status": "delivered", "actual_arrival": "2025-01-08T05:00:00Z"},
            "sort": [1_736_312_400_000_i64, id]})
    });
    json!({"took": 3, "timed_out": false, "_shards": {"total": 2, "successful": 2, "skipped": 0, "failed": 0},
        "hits": {"total": {"value": total, "relation": "eq"}, "max_score": null, "hits": hits.collect::<Value>()}})
}

pub(crate) async fn peer_with(change: impl FnOnce(&mut SourceConfig)) -> Peer {
    let server = UpstreamServer::start().await.unwrap();
    let mut config = SourceConfig {
        url: Some(format!("{}/es/", server.url()).into()),
        api_key: Some("a2V5".into()),
        tenant_field: Some("tenant".to_owned()),
        time_zone: "America/New_York".to_owned(),
        indices: vec![IndexConfig {
            name: "shipments".to_owned(),
            id_field: Some("shipment_id".to_owned()),
            date_field: Some("actual_arrival".to_owned()),
            shown: ["shipment_id", "status", "actual_arrival"]
                .map(str::to_owned)
                .into(),
            ..IndexConfig::default()
        }],
        ..SourceConfig::new("cluster", SourceKind::Elasticsearch)
    };
    change(&mut config);
    // Nothing connects to a database here.
    let pool = PgPool::connect_lazy("postgres://127.0.0.1:1/none").unwrap();
    let source = opened(config, &pool);
    Peer { server, source }
}

impl Peer {
    /// A peer that knows its mapping and then answers so, the last for good.
    pub(crate) async fn answering(replies: impl IntoIterator<Item = Value>) -> Peer {
        let replies = replies.into_iter().map(|body| Reply::Json(200, body));
        Self::replying(replies).await
    }

    pub(crate) async fn replying(replies: impl IntoIterator<Item = Reply>) -> Peer {
        let peer = peer_with(|_| {}).await;
        let mapping = Reply::Json(200, mapping());
        peer.server.reads(std::iter::once(mapping).chain(replies));
        peer
    }

    /// The requests after the mapping: targets and bodies.
    pub(crate) fn asked(&self) -> Vec<(String, Value)> {
        let seen = self.server.read_requests();
        let seen = seen.iter().skip(1);
        seen.map(|seen| (seen.target.clone(), seen.json()))
            .collect()
    }
}

const NEWEST_FIRST: &str =
    r#"[{"actual_arrival": {"order": "desc"}}, {"shipment_id": {"order": "asc"}}]"#;

fn own() -> Value {
    json!({"term": {"tenant": {"value": "demo"}}})
}

#[tokio::test]
async fn an_index_is_described_by_its_mapping() {
    let peer = Peer::answering([]).await;
    let described = peer.source.describe("demo").await.unwrap();
    let fields = described.indices[0].fields.iter();
    let types: Vec<_> = fields
        .map(|it| (it.name.as_str(), it.field_type, it.exact_field.as_deref()))
        .collect();
    assert_eq!(
        types,
        [
            ("shipment_id", FieldType::Keyword, None),
            ("status", FieldType::Keyword, None),
            ("commodity", FieldType::Text, Some("commodity.keyword")),
            ("notes", FieldType::Text, None),
            ("port.city", FieldType::Keyword, None),
            ("actual_arrival", FieldType::Date, None),
            ("containers", FieldType::Long, None),
            ("delay_hours", FieldType::Double, None),
            ("hazardous", FieldType::Boolean, None),
        ]
    );
    let arrival = &described.indices[0].fields[5];
    assert_eq!(arrival.synonyms, ["arrival"]);
    peer.source.describe("demo").await.unwrap();
    let seen = peer.server.read_requests();
    assert_eq!(seen.len(), 1, "it is kept");
    assert_eq!(
        (seen[0].method.as_str(), seen[0].target.as_str()),
        ("GET", "/es/shipments/_mapping")
    );
    assert_eq!(seen[0].header("authorization"), "ApiKey a2V5");
}

#[tokio::test]
async fn a_field_on_which_indices_do_not_agree_is_none() {
    let peer = peer_with(|_| {}).await;
    let mut two = mapping();
    two["shipments-2025"]["mappings"]["properties"]["status"]["type"] = "text".into();
    peer.server.reads([Reply::Json(200, two)]);
    let described = peer.source.describe("demo").await.unwrap();
    let mut fields = described.indices[0].fields.iter();
    assert!(!fields.any(|field| field.name == "status"));
}

#[tokio::test]
async fn a_query_is_validated_counted_and_run_with_the_tenants_filter() {
    let valid = json!({"valid": true, "_shards": {"total": 1, "successful": 1, "failed": 0}});
    let peer = Peer::answering([valid, json!({"count": 142}), found(&["S1", "S2"], 142)]).await;
    let asked = structure(json!({"index": "shipments",
        "filters": [{"field": "port.city", "op": "is", "values": ["Miami"]}, {"field": "status", "op": "is_not", "values": ["cancelled"]}],
        "time_range": {"start": "2025-01-08", "end": "2025-01-15"}, "limit": 2}));
    let built = peer
        .source
        .build("demo", QueryType::Elasticsearch, &asked)
        .await
        .unwrap();
    let built = built.query.unwrap();
    assert_eq!(built.estimated_records, Some(142));
    let run = ran(peer.source.search("demo", "shipments", &built.query).await);
    assert_eq!(column(&run, "shipment_id"), json!(["S1", "S2"]));
    assert_eq!(
        (run.total.value, run.total.relation, run.took_ms),
        (142, TotalRelation::Eq, 3)
    );
    assert_eq!(run.served_by, SourceKind::Elasticsearch);

    let range = json!({"range": {"actual_arrival": {"gte": "2025-01-08", "lt": "2025-01-16", "time_zone": "America/New_York"}}});
    let query = json!({"bool": {
        "filter": [own(), {"term": {"port.city": {"value": "Miami"}}}, range],
        "must_not": [{"term": {"status": {"value": "cancelled"}}}]
    }});
    let sort: Value = serde_json::from_str(NEWEST_FIRST).unwrap();
    assert_eq!(
        peer.asked(),
        [
            (
                "/es/shipments/_validate/query".to_owned(),
                json!({"query": query})
            ),
            ("/es/shipments/_count".to_owned(), json!({"query": query})),
            (
                "/es/shipments/_search?timeout=20000ms".to_owned(),
                json!({"size": 2, "track_total_hits": true, "query": query,
                    "_source": ["shipment_id", "status", "actual_arrival"], "sort": sort})
            ),
        ]
    );
}

#[tokio::test]
async fn an_aggregation_brings_groups() {
    let mut answer = found(&[], 9);
    answer["aggregations"] = json!({"by_status": {"doc_count_error_upper_bound": 0, "sum_other_doc_count": 0, "buckets": [
        {"key": "delivered", "doc_count": 7, "average_delay_hours": {"value": 12.25}},
        {"key": "booked", "doc_count": 2, "average_delay_hours": {"value": null}}
    ]}});
    let peer = Peer::answering([answer]).await;
    let asked = structure(
        json!({"index": "shipments", "group_by": [{"field": "status"}],
        "measures": [{"op": "average", "field": "delay_hours"}]}),
    );
    let run = peer.source.records("demo", &asked, 1_000).await.unwrap();
    assert_eq!(
        rows(&run),
        json!([{"status": "delivered", "count": 7, "average_delay_hours": 12.25}, {"status": "booked", "count": 2, "average_delay_hours": null}])
    );
    assert!(run.aggregated);
    assert_eq!(
        peer.asked()[0].1,
        json!({"size": 0, "track_total_hits": true, "query": {"bool": {"filter": [own()]}}, "aggs": {"by_status": {
            "terms": {"field": "status", "size": 100, "order": [{"_count": "desc"}, {"_key": "asc"}]},
            "aggs": {"average_delay_hours": {"avg": {"field": "delay_hours"}}}
        }}})
    );
}

fn how(query: Value) -> HowToRetrieve {
    HowToRetrieve {
        text: String::new(),
        source: "cluster".to_owned(),
        query_type: QueryType::Elasticsearch,
        index: Some("shipments".to_owned()),
        query,
    }
}

#[tokio::test]
async fn a_scan_goes_on_after_the_last_record_of_each_page() {
    let ids: Vec<String> = (0..1000).map(|number| format!("S{number:04}")).collect();
    let page: Vec<&str> = ids.iter().map(String::as_str).collect();
    let peer = Peer::answering([found(&page, 1_002), found(&["T1", "T2"], 1_002)]).await;
    let run = peer
        .source
        .scan("demo", &how(json!({"size": 10})), 5_000)
        .await
        .unwrap();
    assert_eq!(
        (run.rows.len(), run.total.value, run.partial),
        (1_002, 1_002, None)
    );
    let asked = peer.asked();
    assert_eq!(asked.len(), 2, "the second page was not full");
    assert_eq!(
        (&asked[0].1["size"], asked[0].1.get("search_after")),
        (&json!(1000), None)
    );
    assert_eq!(
        asked[1].1["search_after"],
        json!([1_736_312_400_000_i64, "S0999"])
    );
    assert_eq!(asked[1].1["track_total_hits"], json!(false));
    assert_eq!(asked[1].1["query"], json!({"bool": {"filter": [own()]}}));
}

#[tokio::test]
async fn a_scan_stops_at_its_limit_and_says_so() {
    let peer = Peer::answering([found(&["S1", "S2", "S3"], 9)]).await;
    let run = peer.source.scan("demo", &how(json!({})), 3).await.unwrap();
    assert_eq!(run.rows.len(), 3);
    assert!(run.partial.unwrap().contains("3 of 9"));
    assert_eq!(peer.asked().len(), 1);
    assert_eq!(peer.asked()[0].1["size"], json!(3));
}

#[tokio::test]
async fn an_index_without_an_id_is_scanned_in_one_page() {
    let peer = peer_with(|config| config.indices[0].id_field = None).await;
    peer.server
        .reads([mapping(), found(&["S1"], 1)].map(|body| Reply::Json(200, body)));
    let run = peer
        .source
        .scan("demo", &how(json!({})), 50_000)
        .await
        .unwrap();
    assert_eq!(run.rows.len(), 1);
    assert_eq!(peer.asked()[0].1["size"], json!(10_000));
}

#[tokio::test]
async fn the_day_is_that_of_the_newest_record_of_the_tenant() {
    let peer = peer_with(|config| config.today = Today::Data).await;
    let mut newest = found(&[], 3);
    // Still the 15th in New York.
    newest["aggregations"] = json!({"maximum_actual_arrival": {"value": 1_736_992_800_000.0, "value_as_string": "2025-01-16T02:00:00Z"}});
    peer.server
        .reads([mapping(), newest].map(|body| Reply::Json(200, body)));
    let described = peer.source.describe("demo").await.unwrap();
    assert_eq!(
        (described.today.to_string().as_str(), described.today_from),
        ("2025-01-15", TodayFrom::Data)
    );
    assert_eq!(
        peer.asked()[0].1["query"],
        json!({"bool": {"filter": [own()]}})
    );
}

#[tokio::test]
async fn what_may_not_run_reaches_no_source() {
    let peer = Peer::answering([]).await;
    for (index, query, code) in [
        ("users", json!({}), "unknown_index"),
        ("shipments,users", json!({}), "unknown_index"),
        ("*", json!({}), "unknown_index"),
        ("shipments/_doc/1", json!({}), "unknown_index"),
        ("../_cluster/settings", json!({}), "unknown_index"),
        (
            "shipments",
            json!({"query": {"term": {"tenant": "rival"}}}),
            "unknown_field",
        ),
        (
            "shipments",
            json!({"query": {"bool": {"must_not": {"term": {"tenant": "demo"}}}}}),
            "unknown_field",
        ),
        (
            "shipments",
            json!({"query": {"term": {"hidden_code": "x"}}}),
            "unknown_field",
        ),
        (
            "shipments",
            json!({"query": {"exists": {"field": "events.at"}}}),
            "unknown_field",
        ),
        (
            "shipments",
            json!({"query": {"bool": {"filter": {"script": {"script": "1"}}}}}),
            "not_allowed",
        ),
        (
            "shipments",
            json!({"runtime_mappings": {"x": {"type": "keyword"}}}),
            "not_allowed",
        ),
        (
            "shipments",
            json!({"query": {"wildcard": {"status": {"value": "*x"}}}}),
            "not_allowed",
        ),
        (
            "shipments",
            json!({"query": {"match": {"status": {"query": "a b", "operator": "and"}}}}),
            "wrong_type",
        ),
        (
            "shipments",
            json!({"collapse": {"field": "status"}}),
            "unsupported",
        ),
    ] {
        let execution = peer.source.search("demo", index, &query).await;
        assert_eq!(execution.outcome, QueryOutcome::Refused, "{index} {query}");
        assert_eq!(execution.problems[0].code, code, "{index} {query}");
    }
    let asked = structure(
        json!({"index": "shipments", "filters": [{"field": "tenant", "op": "is", "values": ["rival"]}]}),
    );
    let built = peer
        .source
        .build("demo", QueryType::Elasticsearch, &asked)
        .await
        .unwrap();
    assert_eq!(built.problems[0].code, "unknown_field");
    assert_eq!(peer.asked(), [], "only the mapping was read");
}

#[tokio::test]
async fn it_is_not_asked_in_graphql() {
    let peer = Peer::answering([]).await;
    let query = contracts::tools::search::GraphqlQuery {
        query: "{ shipments { id } }".to_owned(),
        variables: serde_json::Map::new(),
    };
    let execution = peer.source.graphql("demo", &query).await;
    assert_eq!(execution.outcome, QueryOutcome::Refused);
    let asked = structure(json!({"index": "shipments"}));
    let built = peer
        .source
        .build("demo", QueryType::Graphql, &asked)
        .await
        .unwrap();
    assert_eq!(built.problems[0].code, "unsupported");
    assert_eq!(peer.asked(), []);
}
