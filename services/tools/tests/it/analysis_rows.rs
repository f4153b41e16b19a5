//! Statistics and patterns of rows that come with the call.

use http::StatusCode;
use serde_json::{Value, json};

use crate::harness::{App, TENANT, database};

/// Numbers between −1 and 1 that look random, each from its place alone.
fn noise(place: u32) -> f64 {
    let mixed = place.wrapping_add(1).wrapping_mul(2_654_435_761);
    let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(2_246_822_519);
    f64::from(mixed ^ (mixed >> 13)) / f64::from(u32::MAX) * 2.0 - 1.0
}

/// 360 shipments, four a day from 1 September 2025 (a Monday) on: Slow Boats is 20 hours slower,
/// Saturdays and Sundays are 12, everything after day 60 is 15, and one shipment met a storm.
/// Weight has nothing to do with it, cost with weight.
fn shipments() -> Vec<Value> {
    (0..360_u32)
        .map(|row| {
            let day = row / 4;
            let carrier = ["Slow Boats", "Northern", "Pacific", "Atlantic"][(row % 4) as usize];
            let mut delay = 3.0 + 6.0 * noise(row);
            delay += if carrier == "Slow Boats" { 20.0 } else { 0.0 };
            delay += if day % 7 >= 5 { 12.0 } else { 0.0 };
            delay += if day >= 60 { 15.0 } else { 0.0 };
            delay += if row == 77 { 400.0 } else { 0.0 };
            let weight = 1_000.0 + 500.0 * noise(row + 10_000);
            let date = chrono::NaiveDate::from_ymd_opt(2025, 9, 1).unwrap() + chrono::Days::new(u64::from(day));
            json!({
                "shipment_id": format!("SH-{row:04}"), "carrier_id": format!("C{}", row % 4), "carrier": carrier,
                "delay_hours": delay, "weight_kg": weight, "cost_usd": 2.0 * weight + 40.0 * noise(row + 20_000),
                "hazardous": row % 9 == 0, "is_late": delay > 24.0, "actual_arrival": date.to_string(),
            })
        })
        .collect()
}

fn rows(rows: &[Value]) -> Value {
    json!({"from": "rows", "rows": rows})
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[tokio::test]
async fn delays_are_described_drawn_and_compared() {
    let database = database().await;
    let app = App::over(database.url());
    let shipments = shipments();
    let arguments =
        json!({"data": rows(&shipments), "question": "analyze delay patterns in these results"});
    let answer = app.ok("stats_analysis", arguments).await;
    let result = &answer["result"];
    assert_eq!(
        (
            &result["data"]["records"],
            &result["data"]["complete"],
            &result["data"]["time_field"],
            &result["data"]["time_zone"]
        ),
        (
            &json!(360),
            &json!(true),
            &json!("actual_arrival"),
            &json!("UTC")
        )
    );

    let delays: Vec<f64> = shipments
        .iter()
        .map(|row| number(&row["delay_hours"]))
        .collect();
    let mean = delays.iter().sum::<f64>() / 360.0;
    let summary = &result["summaries"][0];
    assert_eq!(
        (&summary["measure"], &summary["count"], &summary["missing"]),
        (&json!("delay_hours"), &json!(360), &json!(0))
    );
    assert!((number(&summary["mean"]) - mean).abs() < 1e-9);
    assert!(number(&summary["ci_low"]) < mean && mean < number(&summary["ci_high"]));
    let above = delays.iter().filter(|delay| **delay > 0.0).count();
    assert!((number(&summary["share_positive"]) - above as f64 / 360.0).abs() < 1e-12);
    assert!(
        summary["finding"]
            .as_str()
            .unwrap()
            .starts_with("The average delay hours is "),
        "{summary}"
    );

    let bins = result["distributions"][0]["bins"].as_array().unwrap();
    assert_eq!(
        bins.iter()
            .map(|bin| bin["count"].as_u64().unwrap())
            .sum::<u64>(),
        360
    );

    let trend = &result["trends"][0];
    assert_eq!(
        (&trend["measure"], &trend["interval"], &trend["direction"]),
        (&json!("delay_hours"), &json!("day"), &json!("increasing"))
    );

    let correlation = &result["correlations"][0];
    assert_eq!(
        (&correlation["measure"], &correlation["other"]),
        (&json!("weight_kg"), &json!("cost_usd"))
    );
    assert!(number(&correlation["pearson"]) > 0.9);

    // The carrier stands out; its id makes the same groups, and `is_late` is only another form of
    // the delay.
    let comparison = &result["comparisons"][0];
    assert_eq!(
        (
            &comparison["measure"],
            &comparison["group_by"],
            &comparison["groups"][0]["group"]
        ),
        (
            &json!("delay_hours"),
            &json!("carrier"),
            &json!("Slow Boats")
        )
    );
    assert_eq!(
        (&comparison["means"]["test"], &comparison["ranks"]["test"]),
        (&json!("welch_anova"), &json!("kruskal_wallis"))
    );
    assert_eq!(comparison["pairs"][0]["higher"], "Slow Boats");
    assert!(number(&comparison["p_adjusted"]) < 0.001);
    let by: Vec<&Value> = result["comparisons"]
        .as_array()
        .unwrap()
        .iter()
        .map(|comparison| &comparison["group_by"])
        .collect();
    assert!(!by.contains(&&json!("carrier_id")), "{by:?}");
    let findings = result["findings"].to_string();
    assert!(
        findings.contains("Slow Boats") && !findings.contains("Hazardous"),
        "{findings}"
    );
}

#[tokio::test]
async fn patterns_that_are_there_are_found() {
    let database = database().await;
    let app = App::over(database.url());
    let arguments =
        json!({"data": rows(&shipments()), "question": "analyze delay patterns in these results"});
    let answer = app.ok("pattern_recognition", arguments).await;
    let result = &answer["result"];
    assert_eq!(
        (
            &result["measure"],
            &result["series"]["interval"],
            &result["series"]["periods"]
        ),
        (&json!("delay_hours"), &json!("day"), &json!(90))
    );

    let odd = &result["anomalies"][0]["examples"][0];
    assert_eq!(
        (&odd["id"], &odd["row"], &odd["at"]),
        (
            &json!("SH-0077"),
            &json!(77),
            &json!("2025-09-20T00:00:00Z")
        )
    );
    assert_eq!(result["anomalies"][1]["method"], "seasonal_hampel");
    assert_eq!(
        result["anomalies"][1]["examples"][0]["at"],
        "2025-09-20T00:00:00Z"
    );

    let week = &result["seasons"][0];
    assert_eq!(
        (&week["cycle"], result["seasons"].as_array().unwrap().len()),
        (&json!("day_of_week"), 1)
    );
    let means: Vec<f64> = week["profile"]
        .as_array()
        .unwrap()
        .iter()
        .map(|phase| number(&phase["mean"]))
        .collect();
    assert!(
        means[5].min(means[6]) > means[..5].iter().copied().fold(0.0, f64::max),
        "{means:?}"
    );

    let points = result["change_points"]["points"].as_array().unwrap();
    assert_eq!(points.len(), 1, "{points:?}");
    assert_eq!(points[0]["at"], "2025-10-31T00:00:00Z");
    assert!((number(&points[0]["difference"]) - 15.0).abs() < 3.0);

    let concentration = &result["concentrations"][0];
    assert_eq!(
        (&concentration["field"], &concentration["value"]),
        (&json!("carrier"), &json!("Slow Boats"))
    );
    assert!(number(&concentration["lift"]) > 2.0 && number(&concentration["p_adjusted"]) < 0.001);
    assert!(
        result["concentrations"]
            .as_array()
            .unwrap()
            .iter()
            .all(|found| found["field"] == "carrier")
    );
    assert!(
        result["findings"][0]
            .as_str()
            .unwrap()
            .starts_with("Carrier Slow Boats makes up "),
        "{result}"
    );
}

#[tokio::test]
async fn what_is_asked_for_is_computed_and_nothing_else() {
    let database = database().await;
    let app = App::over(database.url());
    let arguments = json!({
        "data": rows(&shipments()), "measures": ["weight"], "group_by": ["hazardous"], "analyses": ["group_comparison"],
        "time_zone": "America/New_York",
    });
    let result = app.ok("stats_analysis", arguments).await["result"].take();
    for part in ["summaries", "distributions", "trends", "correlations"] {
        assert_eq!(result[part], json!([]), "{part}");
    }
    let comparison = &result["comparisons"][0];
    assert_eq!(
        (
            &comparison["measure"],
            &comparison["group_by"],
            &comparison["means"]["test"],
            &comparison["ranks"]["test"]
        ),
        (
            &json!("weight_kg"),
            &json!("hazardous"),
            &json!("welch_t"),
            &json!("mann_whitney_u")
        )
    );
    assert_eq!(comparison["effects"][0]["effect"], "hedges_g");
    assert!(
        comparison["finding"]
            .as_str()
            .unwrap()
            .contains("does not clearly differ"),
        "{comparison}"
    );
    assert_eq!(result["data"]["time_zone"], "America/New_York");
    let counted = app
        .ok(
            "pattern_recognition",
            json!({"data": rows(&shipments()), "measure": "count"}),
        )
        .await;
    assert_eq!(
        (
            &counted["result"]["measure"],
            &counted["result"]["series"]["value"]
        ),
        (&json!("count"), &json!("count"))
    );
    assert_eq!(counted["result"]["change_points"]["points"], json!([]));
}

#[tokio::test]
async fn rows_that_tell_little_are_no_failure() {
    let database = database().await;
    let app = App::over(database.url());
    let one = [json!({"carrier": "A", "delay_hours": 4, "at": "2025-01-01"})];
    let constant: Vec<Value> = (0..40)
        .map(|row| json!({"x": 7, "at": format!("2025-01-{:02}", row % 28 + 1)}))
        .collect();
    let words = [json!({"name": "a"}), json!({"name": "b"})];
    let wild: Vec<Value> = (0..40).map(|row| json!({"x": if row % 2 == 0 { 1e308 } else { -1e-300 }, "y": null, "at": "9999-12-31"})).collect();
    let mixed = [
        json!({"a": {"b": 1}, "c": [1]}),
        json!({}),
        json!({"a": "x", "c": 4, "": 1}),
    ];
    for rows_of in [&one[..], &constant, &words, &wild, &mixed] {
        for tool in ["stats_analysis", "pattern_recognition"] {
            let answer = app.ok(tool, json!({"data": rows(rows_of)})).await;
            assert!(answer["result"]["findings"].is_array(), "{answer}");
            assert!(!answer.to_string().contains("NaN"), "{answer}");
        }
    }
    let answer = app
        .ok("stats_analysis", json!({"data": rows(&constant)}))
        .await;
    assert_eq!(
        answer["result"]["summaries"][0]["finding"],
        "X is 7 in all of 40 values."
    );
    let answer = app.call("stats_analysis", json!({"data": rows(&[])})).await;
    assert_eq!(
        (&answer["status"], &answer["message"]),
        (&json!("no_data"), &json!("There are no rows to analyse."))
    );
}

#[tokio::test]
async fn what_is_not_there_is_told() {
    let database = database().await;
    let app = App::over(database.url());
    let answer = app
        .call(
            "stats_analysis",
            json!({"data": rows(&shipments()), "measures": ["temperature"]}),
        )
        .await;
    assert_eq!(answer["status"], "error");
    assert_eq!(
        answer["message"],
        "There is no number called 'temperature' in these rows. There is: delay_hours, weight_kg, cost_usd."
    );
    for (arguments, pointer) in [
        (
            json!({"data": rows(&[json!({"x": 1})]), "time_zone": "Mars"}),
            "/time_zone",
        ),
        (
            json!({"data": rows(&[json!({"x": 1})]), "analyses": ["magic"]}),
            "/analyses/0",
        ),
        (json!({}), "/data"),
        (json!({"data": {"from": "nowhere"}}), "/data"),
    ] {
        let (status, problem) = app.call_as(TENANT, "stats_analysis", arguments).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{problem}");
    }
}

#[tokio::test]
async fn the_same_rows_in_another_order_tell_the_same() {
    let database = database().await;
    let app = App::over(database.url());
    let forwards = shipments();
    let backwards: Vec<Value> = forwards.iter().rev().cloned().collect();
    let told = async |tool: &str, rows_of: &[Value]| {
        let result = app.ok(tool, json!({"data": rows(rows_of)})).await["result"].take();
        (result["findings"].clone(), result["notes"].clone())
    };
    for tool in ["stats_analysis", "pattern_recognition"] {
        assert_eq!(told(tool, &forwards).await, told(tool, &backwards).await);
    }
}
