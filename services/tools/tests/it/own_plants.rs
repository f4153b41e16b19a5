//! Files of people's own plants: what the days come to.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::import_support::Plant;

/// Stores a file; the import.
async fn store(plant: &Plant, name: &str, text: String) -> Value {
    let import = plant
        .upload(&format!("filename={name}&logger_id=WR-1"), text)
        .await;
    let done = plant.run(&import).await;
    assert_eq!(done["status"], "done", "{done}");
    import
}

/// The answer about the energy of days in June 2025.
async fn energy(plant: &Plant, first: u32, last: u32) -> Value {
    let arguments = json!({
        "logger_id": "WR-1",
        "start_date": format!("2025-06-{first:02}"),
        "end_date": format!("2025-06-{last:02}"),
        "interval": "day",
    });
    let (_, answer) = plant
        .app
        .call_as("acme", "get_energy_history", arguments)
        .await;
    answer
}

/// The energy of each day, in tenths of a kWh.
fn days(answer: &Value) -> Vec<(String, Option<f64>)> {
    let periods = answer["result"]["periods"].as_array();
    let periods = periods.unwrap_or_else(|| panic!("{answer}"));
    let day = |period: &Value| {
        let kwh = period["energyKwh"].as_f64();
        (
            period["start"].as_str().unwrap().to_owned(),
            kwh.map(|kwh| (10.0 * kwh).round() / 10.0),
        )
    };
    periods.iter().map(day).collect()
}

/// A table with the total of a counter at each hour from 6 to 20 of a day, 2 kWh an hour. `begins`
/// says what it shows at some hours, from which it counts on.
fn counter(day: u32, mut total: f64, begins: &[(u32, f64)]) -> (String, f64) {
    let mut text = String::new();
    for hour in 6..=20 {
        if let Some((_, shown)) = begins.iter().find(|(at, _)| *at == hour) {
            total = *shown;
        } else if hour > 6 {
            total += 2.0;
        }
        writeln!(text, "2025-06-{day:02} {hour:02}:00,{total}").unwrap();
    }
    (text, total)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_counter_that_is_reset_keeps_the_energy_of_its_days() {
    let plant = Plant::new().await;
    let mut text = "time,total kWh\n".to_owned();
    let mut total = 5000.0;
    // A day as any other; one with two resets, the first to a count that is not zero; one with a
    // reset at noon; and one with a reset over night.
    for (day, begins) in [
        (2, &[][..]),
        (3, &[(10, 700.0), (15, 3.0)]),
        (4, &[(12, 0.5)]),
        (5, &[(6, 0.1)]),
    ] {
        let (rows, last) = counter(day, total, begins);
        text.push_str(&rows);
        total = last;
    }
    let import = store(&plant, "counter.csv", text).await;
    assert_eq!(
        import["preview"]["mapping"]["columns"][1]["field"], "energy_total",
        "{import}"
    );
    // The step over a reset is not known.
    let answer = energy(&plant, 2, 5).await;
    let expected = [("02", 28.0), ("03", 24.0), ("04", 26.0), ("05", 28.0)];
    assert_eq!(
        days(&answer),
        expected.map(|(day, kwh)| (format!("2025-06-{day}"), Some(kwh))),
        "{answer}"
    );
    let flags = answer["result"]["flags"].as_array().unwrap();
    assert!(flags.contains(&json!("register_suspect")), "{answer}");
    let plain = energy(&plant, 2, 2).await;
    let flags = plain["result"]["flags"].to_string();
    assert!(!flags.contains("register_suspect"), "{plain}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_counter_that_is_replaced_by_another_does_not_count_the_jump() {
    let plant = Plant::new().await;
    let mut text = "time,total kWh\n".to_owned();
    let mut total = 120.0;
    // Replaced by day on the first day, and over night before the third one; reset to zero at noon.
    for (day, begins) in [
        (2, &[(12, 1087.0)][..]),
        (3, &[]),
        (4, &[(6, 45_000.0)]),
        (5, &[(12, 0.0)]),
    ] {
        let (rows, last) = counter(day, total, begins);
        text.push_str(&rows);
        total = last;
    }
    store(&plant, "counter.csv", text).await;
    let answer = energy(&plant, 2, 5).await;
    let expected = [("02", 26.0), ("03", 28.0), ("04", 28.0), ("05", 26.0)];
    assert_eq!(
        days(&answer),
        expected.map(|(day, kwh)| (format!("2025-06-{day}"), Some(kwh))),
        "{answer}"
    );
    for (day, is_odd) in [(2, true), (3, false), (4, true), (5, true)] {
        let answer = energy(&plant, day, day).await;
        let flags = answer["result"]["flags"].to_string();
        assert_eq!(flags.contains("register_suspect"), is_odd, "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_without_power_has_the_curve_of_its_counter() {
    let plant = Plant::new().await;
    let (rows, _) = counter(3, 500.0, &[]);
    store(&plant, "counter.csv", format!("time,total kWh\n{rows}")).await;
    let arguments = json!({ "logger_id": "WR-1", "date": "2025-06-03" });
    let (_, answer) = plant
        .app
        .call_as("acme", "get_power_curve", arguments)
        .await;
    let curve = &answer["result"];
    let points = curve["data"].as_array().unwrap();
    assert_eq!(points.len(), 14, "{answer}");
    assert!(
        points.iter().all(|point| point["power"] == 2000.0),
        "{answer}"
    );
    assert_eq!(answer["summaryStats"]["totalEnergy"], 28.0, "{answer}");
    assert_eq!(
        answer["summaryStats"]["peakTime"],
        "2025-06-03T07:00:00+02:00"
    );
    let flags = curve["flags"].as_array().unwrap();
    assert!(flags.contains(&json!("power_from_register")), "{answer}");
    let message = answer["message"].as_str().unwrap();
    assert!(
        message.contains("WR-1 sends no power. It made 28"),
        "{message}"
    );
    // It is online by its newest reading.
    let overview = json!({});
    let (_, answer) = plant
        .app
        .call_as("acme", "get_fleet_overview", overview)
        .await;
    let device = &answer["result"]["devices"][0];
    assert_eq!(
        (&device["state"], &device["lastSeen"]),
        (&json!("producing"), &json!("2025-06-03T20:00:00+02:00")),
        "{answer}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_day_with_readings_is_not_called_one_without_data() {
    let plant = Plant::new().await;
    let text = "time,total kWh\n2025-06-03 08:00,5000\n2025-06-03 18:00,3\n";
    store(&plant, "two.csv", text.to_owned()).await;
    let answer = energy(&plant, 3, 3).await;
    let message = answer["message"].as_str().unwrap_or_default();
    assert!(
        message.contains("sent readings on") && !message.contains("has no data"),
        "{answer}"
    );
}

/// A file of SmartDog with a power for each five minutes between two hours of 3 June in UTC.
fn smartdog(from: i64, until: i64) -> String {
    let mut text = "timestamp;address;bus;strings;stringid;pac\n".to_owned();
    let midnight = 1_748_908_800;
    for at in (midnight + from * 3600..midnight + until * 3600).step_by(300) {
        writeln!(text, "{at};1;1;1;1;1200").unwrap();
    }
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn a_day_in_several_files_has_its_energy_in_any_order() {
    // The total of each half continues that of the other one, which its own file does not have.
    let totals = |from: u32, until: u32| {
        let rows = (from..until).map(|hour| {
            format!(
                "2025-06-03 {hour:02}:00,{}\n",
                5000.0 + 1.5 * f64::from(hour)
            )
        });
        format!("time,total kWh\n{}", rows.collect::<String>())
    };
    let (whole, halves) = (smartdog(5, 17), [smartdog(5, 9), smartdog(9, 17)]);
    let counted = [totals(5, 9), totals(9, 20)];
    for (files, kwh) in [
        (vec![whole], 14.4),
        (halves.to_vec(), 14.4),
        (halves.iter().rev().cloned().collect(), 14.4),
        (counted.to_vec(), 21.0),
        (counted.iter().rev().cloned().collect(), 21.0),
    ] {
        let plant = Plant::new().await;
        for (number, text) in files.into_iter().enumerate() {
            let name = if text.starts_with("timestamp") {
                "B1_A1_S1_global_6_3_2025.txt".to_owned()
            } else {
                format!("{number}.csv")
            };
            store(&plant, &name, text).await;
        }
        let loggers: Vec<String> = sqlx::query_scalar("SELECT logger_id FROM tools.loggers")
            .fetch_all(plant.pool())
            .await
            .unwrap();
        let arguments = json!({
            "logger_id": loggers[0], "start_date": "2025-06-03", "end_date": "2025-06-03",
        });
        let (_, answer) = plant
            .app
            .call_as("acme", "get_energy_history", arguments)
            .await;
        let found = answer["result"]["totalEnergyKwh"]
            .as_f64()
            .unwrap_or_default();
        // The first reading opens the day: what came before it is not known.
        assert!((found - kwh).abs() < 0.11, "{kwh}: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_without_names_keeps_its_first_row() {
    let plant = Plant::new().await;
    let text = "2025-06-03 12:00,1.5\n2025-06-03 12:15,1.6\n2025-06-03 12:30,1.7\n";
    let import = plant.upload("filename=a.csv&logger_id=WR-1", text).await;
    let mut mapping = import["preview"]["mapping"].clone();
    assert_eq!(
        (&mapping["header_line"], &mapping["columns"][1]["name"]),
        (&json!(0), &json!("Column B")),
        "{import}"
    );
    mapping["columns"][1]["field"] = json!("power");
    mapping["columns"][1]["unit"] = json!("kW");
    let path = format!("/api/imports/{}", import["import_id"].as_str().unwrap());
    let token = plant.app.token("acme", &["tools:read", "sites:write"]);
    let body = json!({ "mapping": mapping }).to_string();
    let sent = plant
        .app
        .send(http::Method::PATCH, &path, Some(&token), &body);
    let (_, revised) = sent.await;
    assert_eq!(revised["preview"]["good"], 3, "{revised}");
    let done = plant.run(&revised).await;
    assert_eq!(done["status"], "done", "{done}");
    assert_eq!(plant.readings().await, 3);
}
