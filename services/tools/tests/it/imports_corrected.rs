//! Previews that a person corrects: columns, zones, roles, sites.

use std::fmt::Write as _;

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::import_support::{Plant, lti};
use crate::ingest_support::sites;

#[tokio::test(flavor = "multi_thread")]
async fn a_table_is_corrected_once_and_remembered() {
    let plant = Plant::new().await;
    let text =
        "when;Leistung kW;Ertrag;Sensor\n01.06.2025 12:00;1,5;3;700\n01.06.2025 12:05;1,6;4;710\n";
    let import = plant.upload("filename=a.csv&logger_id=WR-1", text).await;
    let mut mapping = import["preview"]["mapping"].clone();
    assert_eq!(
        mapping["columns"][1],
        json!({"name": "Leistung kW", "field": "power", "unit": "kW"}),
        "{import}"
    );
    assert_eq!(mapping["columns"][3]["field"], "keep");
    mapping["columns"][3]["field"] = json!("irradiance");
    let path = format!("/api/imports/{}", import["import_id"].as_str().unwrap());
    let (status, revised) = plant
        .send(Method::PATCH, &path, &json!({ "mapping": mapping }))
        .await;
    assert_eq!(status, StatusCode::OK, "{revised}");
    assert_eq!(revised["preview"]["first_rows"][0]["irradiance"], 700.0);
    // The next file of this header is read in the same way, and that of another tenant is not.
    let next = text.replace("01.06", "02.06");
    let import = plant
        .upload("filename=b.csv&logger_id=WR-1", next.clone())
        .await;
    assert_eq!(
        (
            &import["preview"]["mapping_remembered"],
            &import["preview"]["mapping"]["columns"][3]["field"]
        ),
        (&json!(true), &json!("irradiance"))
    );
    sites(plant.pool(), "other", &["roof"]).await;
    let (_, import) = plant
        .upload_as("other", "filename=b.csv&logger_id=WR-1", next)
        .await;
    assert_eq!(
        (&import["preview"]["mapping_remembered"], &import["known"]),
        (&json!(false), &json!(false))
    );
    mapping["columns"][1]["unit"] = json!("kWh");
    let (status, problem) = plant
        .send(Method::PATCH, &path, &json!({ "mapping": mapping }))
        .await;
    assert_eq!(
        (status, &problem["errors"][0]["pointer"]),
        (StatusCode::UNPROCESSABLE_ENTITY, &json!("/mapping")),
        "{problem}"
    );
}

/// A table whose columns have names of its own.
const OWN_NAMES: &str =
    "Datum;Uhrzeit;Nord;Sonne\n01.05.2026;10:00;100;300\n01.05.2026;11:00;110;310\n";

#[tokio::test(flavor = "multi_thread")]
async fn columns_that_say_nothing_are_corrected_once() {
    let plant = Plant::new().await;
    let refused = plant.upload("filename=own.csv", OWN_NAMES).await;
    assert_eq!(refused["status"], "refused", "{refused}");
    let why = refused["problem"].as_str().unwrap();
    assert!(why.contains("no column is known to hold power"), "{why}");
    let mut mapping = refused["preview"]["mapping"].clone();
    assert_eq!(mapping["columns"][2]["name"], "Nord", "{refused}");
    mapping["columns"][2]["field"] = json!("power");
    mapping["columns"][3]["field"] = json!("irradiance");
    let path = format!("/api/imports/{}", refused["import_id"].as_str().unwrap());
    let body = json!({ "mapping": mapping });
    let (status, corrected) = plant.send(Method::PATCH, &path, &body).await;
    assert_eq!(status, StatusCode::OK, "{corrected}");
    assert_eq!(corrected["status"], "ready", "{corrected}");
    assert_eq!(corrected["preview"]["good"], 2, "{corrected}");
    // The next file of the same columns is read as the person said.
    let next = OWN_NAMES.replace("01.05.", "02.05.");
    let import = plant.upload("filename=next.csv", next).await;
    assert_eq!(import["status"], "ready", "{import}");
    assert_eq!(import["preview"]["mapping_remembered"], true, "{import}");
    assert_eq!(import["preview"]["first_rows"][0]["active_power_w"], 100.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_zone_is_noticed_and_can_be_corrected() {
    let plant = Plant::new().await;
    plant
        .execute("UPDATE tools.sites SET latitude = 47, longitude = 8.5")
        .await;
    let mut text = "t,power_w\n".to_owned();
    for hour in 0..48 {
        let sun = (f64::from(hour % 24) - 12.0).abs();
        writeln!(
            text,
            "2025-06-{:02} {:02}:00,{}",
            1 + hour / 24,
            hour % 24,
            (6.0 - sun).max(0.0) * 100.0
        )
        .unwrap();
    }
    let right = plant.upload("filename=a.csv", text.clone()).await;
    let doubts = |import: &Value| {
        import["preview"]["notes"]
            .to_string()
            .contains("is the time zone right?")
    };
    assert!(!doubts(&right), "{right}");
    let wrong = plant
        .upload("filename=a.csv&timezone=America/New_York", text)
        .await;
    assert!(doubts(&wrong), "{wrong}");
    let path = format!("/api/imports/{}", wrong["import_id"].as_str().unwrap());
    let (_, revised) = plant
        .send(
            Method::PATCH,
            &path,
            &json!({ "timezone": "Europe/Zurich" }),
        )
        .await;
    assert!(
        !doubts(&revised) && revised["preview"]["good"] == 48,
        "{revised}"
    );
    let (status, problem) = plant
        .upload_as("acme", "filename=a.csv&timezone=Mars/Olympus", "x")
        .await;
    assert_eq!(
        (status, &problem["errors"][0]["pointer"]),
        (StatusCode::UNPROCESSABLE_ENTITY, &json!("/timezone"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_shows_the_role_that_a_device_has() {
    let plant = Plant::new().await;
    let csv = "time,device,power_w\n2026-05-30 12:00,KLEIN,2400\n2026-05-30 12:05,KLEIN,2400\n2026-05-30 12:00,HOF-METER,900\n2026-05-30 12:05,HOF-METER,900\n";
    let query = "site=roof&filename=export.csv";
    let first = plant.upload(query, csv).await;
    let roles = |import: &Value| -> Vec<(String, String)> {
        let loggers = import["preview"]["loggers"].as_array().unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        loggers
            .iter()
            .map(|one| (text(&one["logger_id"]), text(&one["role"])))
            .collect()
    };
    let pair = |id: &str, role: &str| (id.to_owned(), role.to_owned());
    assert_eq!(
        roles(&first),
        [pair("HOF-METER", "meter"), pair("KLEIN", "inverter")]
    );
    plant.run(&first).await;
    plant
        .execute("UPDATE tools.loggers SET role = 'meter' WHERE logger_id = 'KLEIN'")
        .await;
    let again = plant.upload(query, csv.replace("05-30", "05-31")).await;
    assert_eq!(
        roles(&again),
        [pair("HOF-METER", "meter"), pair("KLEIN", "meter")]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_of_another_site_is_named_in_the_preview() {
    let plant = Plant::new().await;
    let first = plant
        .upload("filename=LTi.csv", lti("2025-06-01T12:00:00", 3))
        .await;
    plant.run(&first).await;
    let barn = json!({ "sites": [{ "id": "barn", "timezone": "Europe/Zurich" }] });
    let (status, answer) = plant.send(Method::POST, "/api/sites", &barn).await;
    assert!(status.is_success(), "{answer}");
    let elsewhere = plant
        .upload("filename=LTi.csv&site=barn", lti("2025-06-02T12:00:00", 3))
        .await;
    let notes = elsewhere["preview"]["notes"].to_string();
    assert!(
        notes.contains("LT-7 is a device of the site roof") && notes.contains("not in barn"),
        "{notes}"
    );
    let here = plant
        .upload("filename=LTi.csv&site=roof", lti("2025-06-02T12:00:00", 3))
        .await;
    let notes = here["preview"]["notes"].to_string();
    assert!(!notes.contains("is a device of"), "{notes}");
}
