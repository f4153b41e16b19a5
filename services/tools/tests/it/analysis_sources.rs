//! Statistics and patterns of what a query to a source finds.

use serde_json::{Value, json};

use crate::harness::{App, TENANT, database};

/// The service with the demonstration's shipments.
async fn shipping(url: &str) -> App {
    let app = App::configured(url, "2025-01-15T12:00:00Z", |config| {
        config.sources.push(demo_freight::source().unwrap());
    });
    demo_freight::seed(&app.pool).await.unwrap();
    app
}

/// How the delivered shipments are had again.
async fn retrieve(app: &App, structure: Value) -> Value {
    let arguments = json!({"query_type": "elasticsearch", "structure": structure});
    let built = app.ok("query_builder", arguments).await["result"]["query"].take();
    json!({
        "source": built["source"], "query_type": "elasticsearch", "index": built["index"], "query": built["query"],
    })
}

fn arrived() -> Value {
    json!({
        "index": "shipments", "limit": 10,
        "filters": [{"field": "status", "op": "is", "values": ["delivered"]}],
    })
}

#[tokio::test]
async fn all_records_of_a_query_are_analysed_with_all_their_fields() {
    let database = database().await;
    let app = shipping(database.url()).await;
    let how = retrieve(&app, arrived()).await;
    let question = "analyze delay patterns in these results";
    let answer = app
        .ok(
            "stats_analysis",
            json!({"data": {"from": "query", "retrieve": how}, "question": question}),
        )
        .await;
    let data = &answer["result"]["data"];
    let all: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM demo_freight.shipments WHERE tenant = $1 AND status = 'delivered'",
    )
    .bind(TENANT)
    .fetch_one(&app.pool)
    .await
    .unwrap();
    assert!(all > 10);
    assert_eq!(
        (
            &data["records"],
            &data["total"],
            &data["complete"],
            &data["source"],
            &data["served_by"]
        ),
        (
            &json!(all),
            &json!(all),
            &json!(true),
            &json!("shipping"),
            &json!("postgresql")
        )
    );
    assert_eq!(data["time_field"], "actual_arrival");
    let mean: f64 = sqlx::query_scalar(
        "SELECT avg(delay_hours)::double precision FROM demo_freight.shipments WHERE tenant = $1 AND status = 'delivered'",
    )
    .bind(TENANT)
    .fetch_one(&app.pool)
    .await
    .unwrap();
    let summary = &answer["result"]["summaries"][0];
    assert_eq!(
        (&summary["measure"], &summary["unit"]),
        (&json!("delay_hours"), &json!("h"))
    );
    assert!((summary["mean"].as_f64().unwrap() - mean).abs() < 1e-9 * mean.abs().max(1.0));
    // The carrier is not among the fields that the query shows.
    let comparisons = answer["result"]["comparisons"].as_array().unwrap();
    assert_eq!(
        comparisons[0]["group_by"], "carrier",
        "{}",
        answer["result"]["findings"]
    );
    assert_eq!(comparisons[0]["groups"][0]["group"], "Blue Meridian Lines");

    let patterns = app
        .ok(
            "pattern_recognition",
            json!({"data": {"from": "query", "retrieve": how}, "question": question}),
        )
        .await;
    let found = patterns["result"]["concentrations"].as_array().unwrap();
    assert!(
        found
            .iter()
            .any(|found| found["value"] == "Blue Meridian Lines"),
        "{}",
        patterns["result"]["findings"]
    );
}

#[tokio::test]
async fn groups_of_an_aggregation_are_analysed_as_groups() {
    let database = database().await;
    let app = shipping(database.url()).await;
    let structure = json!({
        "index": "shipments", "group_by": [{"field": "carrier"}],
        "measures": [{"op": "count"}, {"op": "average", "field": "delay_hours"}],
    });
    let how = retrieve(&app, structure).await;
    let answer = app
        .ok(
            "stats_analysis",
            json!({"data": {"from": "query", "retrieve": how}, "measures": ["average delay"]}),
        )
        .await;
    let data = &answer["result"]["data"];
    assert_eq!(
        (&data["aggregated"], &data["records"]),
        (&json!(true), &json!(5))
    );
    assert_eq!(
        answer["result"]["summaries"][0]["measure"],
        "average_delay_hours"
    );
    assert!(
        answer["result"]["notes"]
            .to_string()
            .contains("each counts as one")
    );
}

#[tokio::test]
async fn a_tenant_analyses_its_own_records_of_its_own_sources() {
    let database = database().await;
    let app = shipping(database.url()).await;
    let how = retrieve(&app, arrived()).await;
    let arguments = json!({"data": {"from": "query", "retrieve": how}});
    let (_, rival) = app
        .call_as("rival", "stats_analysis", arguments.clone())
        .await;
    let own: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM demo_freight.shipments WHERE tenant = 'rival' AND status = 'delivered'",
    )
    .fetch_one(&app.pool)
    .await
    .unwrap();
    assert_eq!(rival["result"]["data"]["records"], json!(own), "{rival}");
    let (_, stranger) = app.call_as("stranger", "stats_analysis", arguments).await;
    assert_eq!(stranger["status"], "no_data", "{stranger}");
}

#[tokio::test]
async fn a_query_that_may_not_be_run_is_not_analysed() {
    let database = database().await;
    let app = shipping(database.url()).await;
    let mut how = retrieve(&app, arrived()).await;
    how["query"]["query"] = json!({"script": {"script": "true"}});
    let answer = app
        .call(
            "stats_analysis",
            json!({"data": {"from": "query", "retrieve": how}}),
        )
        .await;
    assert_eq!(answer["status"], "error", "{answer}");
}
