//! A GraphQL endpoint that answers as scripted: faults are distinguished, nothing of the server's
//! insides is repeated, and what may not be asked reaches it never.

use std::sync::Arc;

use contracts::tools::search::{
    GraphqlQuery, HowToRetrieve, QueryExecution, QueryOutcome, QueryType, SourceKind, TotalRelation,
};
use search_sources::{FieldConfig, IndexConfig, Source, SourceConfig, SourceLimits};
use serde_json::{Value, json};
use sqlx::postgres::PgPoolOptions;
use test_support::upstream::{Reply, UpstreamServer};

use crate::fixture::{opened, ran, rows, structure};

const SCHEMA: &str = include_str!("../../src/graphql/fixtures/postgraphile_full.json");

fn schema() -> Reply {
    let data: Value = serde_json::from_str(SCHEMA).unwrap();
    Reply::Json(200, json!({ "data": data }))
}

struct Peer {
    server: UpstreamServer,
    source: Arc<Source>,
}

impl Peer {
    /// One whose schema is known.
    async fn new(change: impl FnOnce(&mut SourceConfig)) -> Peer {
        let server = UpstreamServer::start().await.unwrap();
        server.reads([schema()]);
        let mut config = SourceConfig {
            url: Some(format!("{}/graphql", server.url()).into()),
            api_key: Some("k3y".into()),
            indices: vec![IndexConfig {
                name: "shipments".to_owned(),
                id_field: Some("shipmentId".to_owned()),
                ..IndexConfig::default()
            }],
            ..SourceConfig::new("fleet", SourceKind::Graphql)
        };
        change(&mut config);
        let pool = PgPoolOptions::new()
            .connect_lazy("postgres://127.0.0.1:1/none")
            .unwrap();
        let source = opened(config, &pool);
        source.describe("demo").await.unwrap();
        Peer { server, source }
    }

    async fn ask(&self, query: &str) -> QueryExecution {
        let query = GraphqlQuery {
            query: query.to_owned(),
            variables: serde_json::Map::new(),
        };
        self.source.graphql("demo", &query).await
    }

    /// Number of requests that came after the schema was asked for.
    fn requests(&self) -> usize {
        self.server.read_requests().len() - 1
    }
}

const QUERY: &str =
    "{ shipments(first: 2) { nodes { shipmentId valueUsd plannedArrival } totalCount } }";

fn answer(ids: &[&str], total: u64) -> Value {
    let nodes = ids.iter().map(|id| json!({"shipmentId": id, "valueUsd": "12.50", "plannedArrival": "2025-01-08T01:00:00+01:00"}));
    json!({"shipments": {"nodes": nodes.collect::<Value>(), "totalCount": total}})
}

#[tokio::test]
async fn an_answer_becomes_typed_rows() {
    let peer = Peer::new(|_| ()).await;
    peer.server
        .reads([Reply::Json(200, json!({"data": answer(&["S1"], 7)}))]);
    let run = ran(peer.ask(QUERY).await);
    assert_eq!(
        rows(&run),
        json!([{"shipmentId": "S1", "valueUsd": 12.5, "plannedArrival": "2025-01-08T00:00:00Z"}])
    );
    assert_eq!(
        (run.total.value, run.total.relation, run.partial),
        (7, TotalRelation::Eq, None)
    );
    assert_eq!(
        (run.index.as_deref(), run.served_by),
        (Some("shipments"), SourceKind::Graphql)
    );
    let seen = peer.server.read_requests();
    let seen = seen.last().unwrap();
    assert_eq!(seen.header("authorization"), "Bearer k3y");
    assert_eq!(
        (seen.target.as_str(), seen.method.as_str()),
        ("/graphql", "POST")
    );
}

#[tokio::test]
async fn part_of_an_answer_is_told_to_be_that() {
    let peer = Peer::new(|_| ()).await;
    let error = json!({"message": "relation \"private\" at 10.0.0.1", "path": ["shipments", "nodes", 0, "valueUsd"]});
    peer.server.reads([Reply::Json(
        200,
        json!({"data": answer(&["S1"], 1), "errors": [error]}),
    )]);
    let run = ran(peer.ask(QUERY).await);
    assert_eq!(
        run.partial.as_deref(),
        Some("The source could not answer shipments.nodes.valueUsd.")
    );
    assert_eq!(run.rows.len(), 1);
}

#[tokio::test]
async fn a_list_that_the_source_failed_to_bring_is_not_an_empty_one() {
    let peer = Peer::new(|_| ()).await;
    let at =
        |path: Value| json!([{"message": "permission denied for table shipments", "path": path}]);
    for (data, errors) in [
        (json!(null), at(json!(["shipments"]))),
        (json!({"shipments": null}), at(json!(["shipments"]))),
        (json!({"shipments": null}), json!([{"message": "boom"}])),
        (json!({"shipments": null}), json!([])),
        (json!({}), json!([])),
        (
            json!({"shipments": {"nodes": null, "totalCount": 3}}),
            at(json!(["shipments", "nodes"])),
        ),
        (
            json!({"shipments": {"nodes": null, "totalCount": 3}}),
            json!([]),
        ),
        (
            json!({"shipments": {"nodes": [], "totalCount": 0}}),
            at(json!(["shipments", "nodes"])),
        ),
        (
            json!({"shipments": {"nodes": [null], "totalCount": 1}}),
            at(json!(["shipments", "nodes", 0])),
        ),
    ] {
        peer.server
            .reads([Reply::Json(200, json!({"data": data, "errors": errors}))]);
        let execution = peer.ask(QUERY).await;
        assert_eq!(execution.outcome, QueryOutcome::Failed, "{data} {errors}");
        let told = format!("{execution:?}");
        assert!(!told.contains("permission"), "{told}");
    }
    let count = "{ shipments { totalCount } }";
    peer.server.reads([Reply::Json(
        200,
        json!({"data": {"shipments": {"totalCount": null}}}),
    )]);
    assert_eq!(peer.ask(count).await.outcome, QueryOutcome::Failed);
    peer.server.reads([Reply::Json(
        200,
        json!({"data": {"shipments": {"nodes": [], "totalCount": 0}}}),
    )]);
    assert_eq!(ran(peer.ask(QUERY).await).rows.len(), 0);
}

#[tokio::test]
async fn what_was_not_asked_for_is_in_no_answer() {
    let peer = Peer::new(|config| {
        config.indices[0].fields.push(FieldConfig {
            name: "value_usd".to_owned(),
            hidden: true,
            ..FieldConfig::default()
        });
    })
    .await;
    let refused = peer.ask(QUERY).await;
    assert_eq!(refused.outcome, QueryOutcome::Refused);
    assert_eq!(peer.requests(), 0);
    let mut more = answer(&["S1"], 1);
    more["shipments"]["nodes"][0]["vessel"] = json!({"name": "secret"});
    more["vessels"] = json!({"nodes": [{"name": "secret"}]});
    let error = json!({"message": "secret", "path": ["shipments", "nodes", 0, "secret"]});
    peer.server
        .reads([Reply::Json(200, json!({"data": more, "errors": [error]}))]);
    let query = "{ shipments(first: 2) { nodes { shipmentId } totalCount } }";
    let run = ran(peer.ask(query).await);
    assert_eq!(rows(&run), json!([{"shipmentId": "S1"}]));
    assert_eq!(
        run.partial.as_deref(),
        Some("The source could not answer all of it.")
    );
}

#[tokio::test]
async fn faults_are_told_apart_and_without_insides() {
    use QueryOutcome as O;
    let secret = json!({"errors": [{"message": "SELECT secret FROM internal at 10.0.0.1"}]});
    let long = vec![b' '; 3 * 1024 * 1024];
    let cases: Vec<(Reply, QueryOutcome)> = vec![
        (Reply::Json(500, secret.clone()), O::Failed),
        (Reply::Json(200, secret.clone()), O::Failed),
        (Reply::Json(400, secret.clone()), O::Failed),
        (
            Reply::Json(200, json!({"data": null, "errors": []})),
            O::Failed,
        ),
        (Reply::Json(200, json!([1, 2])), O::Failed),
        (Reply::Json(401, secret.clone()), O::Unavailable),
        (Reply::Json(429, secret.clone()), O::Unavailable),
        (Reply::Json(503, secret), O::Unavailable),
        (
            Reply::Raw(200, "text/html", b"<html>10.0.0.1</html>".to_vec()),
            O::Failed,
        ),
        (
            Reply::Raw(
                200,
                "application/json",
                b"{\"data\": {\"shipments\"".to_vec(),
            ),
            O::Failed,
        ),
        (Reply::Raw(200, "application/json", long), O::Failed),
        (
            Reply::Redirect(302, "http://127.0.0.1:1/elsewhere".to_owned()),
            O::Failed,
        ),
    ];
    let peer = Peer::new(|config| config.limits.max_bytes = 1024 * 1024).await;
    for (reply, outcome) in cases {
        let told = format!("{reply:?}").chars().take(80).collect::<String>();
        peer.server.reads([reply]);
        let execution = peer.ask(QUERY).await;
        assert_eq!(execution.outcome, outcome, "{told}");
        assert!(execution.run.is_none());
        let said = serde_json::to_string(&execution.problems).unwrap();
        assert!(
            !said.contains("10.0.0.1") && !said.contains("SELECT") && !said.contains("k3y"),
            "{said}"
        );
    }
    // Whether the beginning of an answer still comes is chance.
    peer.server.reads([Reply::BrokenOff]);
    let broken = peer.ask(QUERY).await.outcome;
    assert!(matches!(broken, O::Failed | O::Unavailable), "{broken:?}");
}

#[tokio::test]
async fn who_takes_too_long_is_not_waited_for() {
    let peer = Peer::new(|config| {
        config.limits = SourceLimits {
            timeout_ms: 200,
            ..SourceLimits::default()
        };
    })
    .await;
    peer.server.reads([Reply::Hang]);
    assert_eq!(peer.ask(QUERY).await.outcome, QueryOutcome::TimedOut);
}

#[tokio::test]
async fn what_may_not_be_asked_reaches_nobody() {
    let peer = Peer::new(|config| {
        config.indices.push(IndexConfig {
            name: "vessels".to_owned(),
            ..IndexConfig::default()
        });
    })
    .await;
    for (query, code) in [
        (
            "mutation { deleteShipment(input: { shipmentId: \"S1\" }) { deletedShipmentId } }",
            "mutation",
        ),
        ("subscription { shipments { totalCount } }", "mutation"),
        ("{ shipments { nodes { password } } }", "unknown_field"),
        ("{ __schema { types { name } } }", "not_allowed"),
        (
            "{ shipments(first: 1) { nodes { vessel { shipments(first: 1) { nodes { vessel { name } } } } } } }",
            "too_deep",
        ),
        (
            "{ vessels(first: 1000) { nodes { shipments(first: 1000) { nodes { shipmentId } } } } }",
            "too_expensive",
        ),
        ("{ shipments {", "invalid"),
        // The endpoint has ports; the configuration does not list them.
        ("{ ports(first: 1) { nodes { name } } }", "unknown_field"),
        ("{ node(id: \"x\") { id } }", "unknown_field"),
        (
            "{ shipments(first: 1) { nodes { destinationPort { name } } } }",
            "unknown_field",
        ),
        (
            "{ shipments(first: 1, filter: { destinationPortExists: true }) { totalCount } }",
            "invalid",
        ),
    ] {
        let execution = peer.ask(query).await;
        assert_eq!(execution.outcome, QueryOutcome::Refused, "{query}");
        assert_eq!(execution.problems[0].code, code, "{query}");
    }
    assert_eq!(peer.requests(), 0);
}

#[tokio::test]
async fn all_records_come_page_by_page() {
    let peer = Peer::new(|config| {
        config.limits.max_rows = 2;
        config.limits.default_rows = 2;
    })
    .await;
    let page = |ids: &[&str]| Reply::Json(200, json!({"data": answer(ids, 5)}));
    peer.server
        .reads([page(&["S1", "S2"]), page(&["S3", "S4"]), page(&["S5"])]);
    let how = HowToRetrieve {
        text: String::new(),
        source: "fleet".to_owned(),
        query_type: QueryType::Graphql,
        index: Some("shipments".to_owned()),
        query: json!({"query": "query ($first: Int) { shipments(first: $first) { nodes { shipmentId } totalCount } }", "variables": {"first": 1}}),
    };
    let run = peer.source.scan("demo", &how, 1_000).await.unwrap();
    assert_eq!((run.rows.len(), run.total.value, run.partial), (5, 5, None));
    let sent = peer.server.read_requests();
    let sent: Vec<String> = sent
        .iter()
        .skip(1)
        .map(|seen| {
            seen.json()["query"]
                .as_str()
                .unwrap()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    assert_eq!(sent.len(), 3);
    assert!(
        sent[1].contains("shipments(first: 2, offset: 2)") && !sent[1].contains('$'),
        "{sent:?}"
    );
}

#[tokio::test]
async fn endpoints_that_tenants_share_are_filtered_in_the_query() {
    let peer = Peer::new(|config| config.tenant_field = Some("tenant".to_owned())).await;
    let described = peer.source.describe("demo").await.unwrap();
    assert!(
        !described.indices[0]
            .fields
            .iter()
            .any(|field| field.name == "tenant")
    );
    let node = |id: &str, tenant: &str| json!({"shipmentId": id, "heliographTenant": tenant});
    peer.server.reads([Reply::Json(200, json!({"data": {"shipments": {"nodes": [node("S1", "demo"), node("S2", "rival")], "totalCount": 1}}}))]);
    let asked = structure(json!({"index": "shipments", "fields": ["shipmentId"], "limit": 2}));
    let built = peer
        .source
        .build("demo", QueryType::Graphql, &asked)
        .await
        .unwrap();
    let query: GraphqlQuery = serde_json::from_value(built.query.unwrap().query).unwrap();
    let run = ran(peer.source.graphql("demo", &query).await);
    assert_eq!(rows(&run), json!([{"shipmentId": "S1"}]));
    for seen in peer.server.read_requests().iter().skip(1) {
        let query = seen.json()["query"].as_str().unwrap().to_owned();
        assert!(query.contains("tenant: \"demo\""), "{query}");
    }
}
