//! How names of Elasticsearch and GraphQL sources are kept: what is asked of the source is counted,
//! not how long it takes.

use std::net::SocketAddr;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::Json;
use contracts::tools::search::SourceKind;
use http::Uri;
use search_sources::{EntityConfig, IndexConfig, SourceConfig};
use serde_json::json;
use service_kit::client::external_http_client;
use service_kit::clock::FixedClock;
use sqlx::PgPool;

use super::*;

/// The schema of a GraphQL endpoint, as it introspects itself.
const SCHEMA: &str = include_str!(
    "../../../../../crates/search-sources/src/graphql/fixtures/postgraphile_full.json"
);

/// The contents of a peer, and the requests to it.
#[derive(Default)]
struct Held {
    /// Ids and names.
    vessels: Vec<(String, String)>,
    /// Number of changes that Elasticsearch has counted.
    changes: u64,
    asked: Vec<&'static str>,
}

type Shared = Arc<Mutex<Held>>;

/// A peer on a port of its own, and the names over it.
struct Peer {
    held: Shared,
    things: Arc<KnownThings>,
    sources: Sources,
    clock: Arc<FixedClock>,
    server: tokio::task::JoinHandle<()>,
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Peer {
    async fn new(kind: SourceKind) -> Peer {
        let held = Shared::default();
        held.lock().unwrap().vessels = vec![
            ("V1".to_owned(), "Ever Given".to_owned()),
            ("V2".to_owned(), "Emma".to_owned()),
        ];
        let routes = Router::new().fallback(answer).with_state(Arc::clone(&held));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address: SocketAddr = listener.local_addr().unwrap();
        let server = tokio::spawn(async move {
            axum::serve(listener, routes).await.unwrap();
        });
        let clock = FixedClock::at("2025-01-15T12:00:00Z".parse().unwrap());
        let shared: SharedClock = Arc::<FixedClock>::clone(&clock);
        let path = if kind == SourceKind::Graphql {
            "graphql"
        } else {
            ""
        };
        let config = SourceConfig {
            url: Some(format!("http://{address}/{path}").into()),
            tenants: vec!["demo".to_owned()],
            tenant_field: (kind == SourceKind::Elasticsearch).then(|| "tenant".to_owned()),
            indices: vec![IndexConfig {
                name: "vessels".to_owned(),
                nouns: vec!["vessel".to_owned(), "vessels".to_owned()],
                id_field: Some("vesselId".to_owned()),
                entity: Some(EntityConfig {
                    entity_type: "vessel".to_owned(),
                    name_field: "name".to_owned(),
                    ..EntityConfig::default()
                }),
                ..IndexConfig::default()
            }],
            ..SourceConfig::new("fleet", kind)
        };
        // Nothing connects to a database here.
        let pool = PgPool::connect_lazy("postgres://127.0.0.1:1/none").unwrap();
        let client = external_http_client().unwrap();
        let sources = Sources::open(&[config], &pool, &client, &shared).unwrap();
        let things = KnownThings::new(&MeaningsConfig::default(), shared);
        Peer {
            held,
            things,
            sources,
            clock,
            server,
        }
    }

    /// A question: the names that it gets, and what the source is asked while it waits.
    async fn question(&self) -> (Vec<String>, Vec<&'static str>) {
        self.asked();
        let source = self.sources.all().remove(0);
        let index = source.entity_indices().remove(0);
        let known = self.things.of("demo", &source, &index).await.unwrap();
        let names = match known {
            Known::All(indexed) => {
                let things = indexed.names.things().iter();
                things.map(|thing| thing.name.clone()).collect()
            }
            Known::TooMany => Vec::new(),
        };
        (names, self.asked())
    }

    /// One look of the task behind; what the source is asked, but for its description.
    async fn round(&self) -> Vec<&'static str> {
        self.asked();
        self.things.round(&self.sources).await;
        let asked = self.asked().into_iter();
        asked.filter(|asked| *asked != "description").collect()
    }

    fn asked(&self) -> Vec<&'static str> {
        std::mem::take(&mut self.held.lock().unwrap().asked)
    }

    fn later(&self, seconds: i64) {
        self.clock.advance(TimeDelta::seconds(seconds));
    }
}

async fn answer(State(held): State<Shared>, uri: Uri, body: Bytes) -> Json<Value> {
    let mut held = held.lock().unwrap();
    let sent: Value = serde_json::from_slice(&body).unwrap_or_default();
    let count = held.vessels.len();
    let (asked, reply) = match uri.path() {
        path if path.ends_with("/_mapping") => (
            "description",
            json!({"vessels": {"mappings": {"properties": {
                "tenant": {"type": "keyword"}, "vesselId": {"type": "keyword"}, "name": {"type": "keyword"},
            }}}}),
        ),
        path if path.ends_with("/_count") => ("count", json!({ "count": count })),
        path if path.contains("/_stats/") => (
            "changes",
            json!({"_all": {"primaries": {"indexing": {"index_total": held.changes, "delete_total": 0}}}}),
        ),
        path if path.ends_with("/_search") => {
            let hits = held.vessels.iter().map(|(id, name)| {
                json!({"_id": id, "_source": {"vesselId": id, "name": name}, "sort": [id]})
            });
            let hits: Value = hits.collect();
            let shards = json!({"total": 1, "successful": 1, "skipped": 0, "failed": 0});
            (
                "records",
                json!({"took": 1, "timed_out": false, "_shards": shards,
                "hits": {"total": {"value": count, "relation": "eq"}, "hits": hits}}),
            )
        }
        _ => {
            let query = sent["query"].as_str().unwrap_or_default();
            if query.contains("__schema") {
                let schema: Value = serde_json::from_str(SCHEMA).unwrap();
                ("description", json!({ "data": schema }))
            } else if query.contains("nodes") {
                let nodes = held
                    .vessels
                    .iter()
                    .map(|(id, name)| json!({"vesselId": id, "name": name}));
                let nodes: Value = nodes.collect();
                let page = json!({"hasNextPage": false, "endCursor": null});
                (
                    "records",
                    json!({"data": {"vessels": {"nodes": nodes, "totalCount": count, "pageInfo": page}}}),
                )
            } else {
                ("count", json!({"data": {"vessels": {"totalCount": count}}}))
            }
        }
    };
    held.asked.push(asked);
    Json(reply)
}

const BOTH: [&str; 2] = ["Ever Given", "Emma"];

/// The requests to a source whose names did not change.
fn unchanged(kind: SourceKind) -> &'static [&'static str] {
    match kind {
        SourceKind::Elasticsearch => &["count", "changes"],
        _ => &["count"],
    }
}

async fn the_first_question_after_a_minute_costs_what_the_tenth_does(kind: SourceKind) {
    let peer = Peer::new(kind).await;
    let (names, asked) = peer.question().await;
    assert_eq!(names, BOTH);
    assert!(asked.contains(&"records"), "{asked:?}");
    // The task behind looks every half minute, and only whether something changed.
    for _ in 0..2 {
        peer.later(30);
        assert_eq!(peer.round().await, unchanged(kind), "{kind:?}");
    }
    peer.later(25);
    let (names, first) = peer.question().await;
    assert_eq!(
        (names.as_slice(), first.as_slice()),
        (&BOTH.map(str::to_owned)[..], &[][..])
    );
    for _ in 0..8 {
        peer.question().await;
    }
    let (_, tenth) = peer.question().await;
    assert_eq!(first, tenth, "{kind:?}");
}

#[tokio::test]
async fn names_of_elasticsearch_cost_no_question_a_request() {
    the_first_question_after_a_minute_costs_what_the_tenth_does(SourceKind::Elasticsearch).await;
}

#[tokio::test]
async fn names_of_graphql_cost_no_question_a_request() {
    the_first_question_after_a_minute_costs_what_the_tenth_does(SourceKind::Graphql).await;
}

#[tokio::test]
async fn elasticsearch_is_read_again_when_it_counts_another_change() {
    let peer = Peer::new(SourceKind::Elasticsearch).await;
    peer.question().await;
    {
        // A name that changes where the number of records does not.
        let mut held = peer.held.lock().unwrap();
        held.vessels[1].1 = "Emma Maersk".to_owned();
        held.changes += 1;
    }
    peer.later(31);
    assert_eq!(peer.round().await, ["count", "changes", "records"]);
    let (names, asked) = peer.question().await;
    assert_eq!(names, ["Ever Given", "Emma Maersk"]);
    assert!(asked.is_empty(), "{asked:?}");
    // It is not read once more, however much later: every change is counted.
    for _ in 0..3 {
        peer.later(1_000);
        assert_eq!(peer.round().await, ["count", "changes"]);
    }
}

#[tokio::test]
async fn graphql_is_read_again_when_its_number_changes_and_after_ten_lifetimes() {
    let peer = Peer::new(SourceKind::Graphql).await;
    peer.question().await;
    let third = ("V3".to_owned(), "Foreign".to_owned());
    peer.held.lock().unwrap().vessels.push(third);
    peer.later(31);
    assert_eq!(peer.round().await, ["count", "records"]);
    assert_eq!(peer.question().await.0, ["Ever Given", "Emma", "Foreign"]);
    // The number says nothing of a name that changed: that is seen when it is read as a whole.
    peer.held.lock().unwrap().vessels[2].1 = "Own".to_owned();
    peer.later(31);
    assert_eq!(peer.round().await, ["count"]);
    peer.later(600);
    assert_eq!(peer.round().await, ["count", "records"]);
    let (names, asked) = peer.question().await;
    assert_eq!(names, ["Ever Given", "Emma", "Own"]);
    assert!(asked.is_empty(), "{asked:?}");
}
