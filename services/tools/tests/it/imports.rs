//! `/api/imports`: upload, preview, job.

use std::fmt::Write as _;

use axum::body::Body;
use chrono::{DateTime, Utc};
use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::import_support::{Plant, SCOPES, counts, lti};

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_previewed_then_stored_once() {
    let plant = Plant::new().await;
    let text = "[header]\nserial=LT-7\n[data]\ntimestamp;P_AC;E_DAY\n2025-06-01 12:00:00;2400;8,1\n2025-06-01 12:05:00;-;8.2\n2025-06-31 12:00:00;1;1\n2025-06-01 12:10:00;0;8.3\n";
    let import = plant.upload("filename=C:%5Cexport%5CLTi.csv", text).await;
    assert_eq!(
        (&import["status"], &import["format"], &import["filename"]),
        (&json!("ready"), &json!("lti"), &json!("LTi.csv"))
    );
    assert_eq!(
        (&import["site"], &import["timezone"]),
        (&json!("roof"), &json!("Europe/Zurich"))
    );
    let preview = &import["preview"];
    assert_eq!(
        (&preview["rows"], &preview["good"], &preview["refused"]),
        (&json!(4), &json!(3), &json!(1)),
        "{preview}"
    );
    assert_eq!(preview["refusals"][0]["line"], 7);
    assert_eq!(
        preview["first_rows"][0]["timestamp"],
        "2025-06-01T12:00:00+02:00"
    );
    assert_eq!(preview["first_rows"][0]["active_power_w"], 2400.0);
    assert_eq!(
        preview["loggers"],
        json!([{"logger_id": "LT-7", "new": true, "role": "inverter", "rows": 3, "earliest": "2025-06-01T12:00:00+02:00",
                "latest": "2025-06-01T12:10:00+02:00", "highest_power_w": 2400.0}])
    );
    assert_eq!(plant.readings().await, 0, "a preview stores nothing");

    let done = plant.run(&import).await;
    assert_eq!(
        (&done["status"], counts(&done)),
        (&json!("done"), [3, 0, 1, 4]),
        "{done}"
    );
    assert_eq!(plant.readings().await, 3);
    let (logger_type, energy): (String, f64) =
        sqlx::query_as("SELECT l.logger_type, m.energy_daily_kwh FROM tools.measurements m JOIN tools.loggers l USING (logger_key) ORDER BY m.timestamp LIMIT 1")
            .fetch_one(plant.pool())
            .await
            .unwrap();
    assert_eq!((logger_type.as_str(), energy), ("lti", 8.1));

    // The same file is the same import, also zipped, and running it again changes nothing.
    let (status, again) = plant.upload_as("acme", "filename=other.csv", text).await;
    assert_eq!(
        (status, &again["known"], &again["import_id"]),
        (StatusCode::OK, &json!(true), &import["import_id"])
    );
    assert_eq!(counts(&plant.run(&import).await), [3, 0, 1, 4]);
    let chunks: i64 = sqlx::query_scalar("SELECT count(*) FROM tools.import_chunks")
        .fetch_one(plant.pool())
        .await
        .unwrap();
    assert_eq!(chunks, 0, "the file is not kept");
    let (_, list) = plant.send(Method::GET, "/api/imports", &Value::Null).await;
    assert_eq!(list["imports"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn clocks_that_change_and_roles_are_those_of_the_plant() {
    let plant = Plant::new().await;
    let mut text = "serial; 5\n; GENERAL.Feed-In_Power; K.1.2.Feed-In_Power\n; W; W\n".to_owned();
    for time in [
        "30.03.2025 01:55",
        "30.03.2025 02:30",
        "30.03.2025 03:00",
        "26.10.2025 02:30",
        "26.10.2025 02:45",
        "26.10.2025 02:30",
        "26.10.2025 02:45",
        "26.10.2025 03:00",
    ] {
        writeln!(text, "{time}:00; 5; 4").unwrap();
    }
    let import = plant.upload("filename=meier.csv", text).await;
    assert_eq!(import["preview"]["refused"], 2, "{import}");
    assert!(
        import["preview"]["refusals"][0]["reason"]
            .as_str()
            .unwrap()
            .contains("does not exist in Europe/Zurich")
    );
    let done = plant.run(&import).await;
    assert_eq!(counts(&done), [14, 0, 2, 16], "{done}");
    let times: Vec<DateTime<Utc>> =
        sqlx::query_scalar("SELECT m.timestamp FROM tools.measurements m JOIN tools.loggers l USING (logger_key) WHERE l.logger_id = '5' ORDER BY 1")
            .fetch_all(plant.pool())
            .await
            .unwrap();
    let times: Vec<String> = times
        .iter()
        .map(|at| at.format("%m-%d %H:%M").to_string())
        .collect();
    assert_eq!(
        times,
        [
            "03-30 00:55",
            "03-30 01:00",
            "10-26 00:30",
            "10-26 00:45",
            "10-26 01:30",
            "10-26 01:45",
            "10-26 02:00"
        ]
    );
    let roles: Vec<(String, String)> =
        sqlx::query_as("SELECT logger_id, role FROM tools.loggers ORDER BY 1")
            .fetch_all(plant.pool())
            .await
            .unwrap();
    assert_eq!(
        roles,
        [
            ("5".to_owned(), "meter".to_owned()),
            ("5-K.1.2".to_owned(), "inverter".to_owned())
        ]
    );
}

/// A table with an interval of half a kWh for each half hour from `first` on.
fn intervals(first: u32, count: u32) -> Vec<String> {
    let row = |at: u32| {
        let (day, minutes) = (1 + at * 30 / 1440, at * 30 % 1440);
        format!(
            "2025-06-{day:02} {:02}:{:02},1000,0.5\n",
            minutes / 60,
            minutes % 60
        )
    };
    (first..first + count).map(row).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_energy_of_intervals_adds_up_in_any_order_of_rows_and_files() {
    let plant = Plant::new().await;
    let (newest_first, one_day_in_two) = {
        // Each day has 48 intervals; the last one ends at midnight.
        let mut rows = intervals(1, 96);
        let halves = [rows.split_off(72), rows.split_off(48)];
        rows.reverse();
        (rows, halves)
    };
    for (number, rows) in [newest_first].iter().chain(&one_day_in_two).enumerate() {
        let text = format!("timestamp,power_w,interval_kwh\n{}", rows.concat());
        let query = format!("filename={number}.csv&logger_id=WR-9");
        let import = plant.upload(&query, text).await;
        assert_eq!(
            import["preview"]["mapping"]["columns"][2]["field"], "energy_interval",
            "{import}"
        );
        let done = plant.run(&import).await;
        assert_eq!(done["status"], "done", "{done}");
    }
    let days = sqlx::query_as::<_, (String, f64)>(
        "SELECT day::text, daily_register_kwh FROM tools.daily JOIN tools.loggers USING (logger_key)
         WHERE logger_id = 'WR-9' ORDER BY 1",
    );
    let days = days.fetch_all(plant.pool()).await.unwrap();
    assert_eq!(
        days,
        [
            ("2025-06-01".to_owned(), 24.0),
            ("2025-06-02".to_owned(), 24.0)
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_uploads_leave_a_reason_and_nothing_else() {
    let plant = Plant::new().await;
    for (query, file, words) in [
        ("filename=empty.csv", "", "empty"),
        (
            "filename=letter.txt",
            "Dear reader,\nno rows.\n",
            "format is not known",
        ),
        (
            "filename=x.csv",
            "[header]\nserial=1\n[data]\ntimestamp;P_AC\n2025-06-31 12:00:00;1\n",
            "no such date",
        ),
        (
            "filename=x.csv",
            "[header]\nserial=1\n[data]\ntimestamp;P_AC\n2027-06-01 12:00:00;1\n",
            "future",
        ),
        (
            "filename=x.xml",
            "<root><system><md><dp timestamp='2025-06-01 12:00:00'>",
            "cut off",
        ),
        (
            "filename=x.csv&format=goodwe",
            "serial; 5\n; GENERAL.Feed-In_Power\n; W\n01.06.2025 12:00; 5\n",
            "its content is that of meier",
        ),
    ] {
        let import = plant.upload(query, file).await;
        assert_eq!(import["status"], "refused", "{import}");
        assert!(
            import["problem"].as_str().unwrap().contains(words),
            "{words}: {import}"
        );
        let (status, problem) = plant.act(&import, "run").await;
        assert_eq!(status, StatusCode::CONFLICT);
        assert!(
            problem["detail"].as_str().unwrap().contains(words),
            "{problem}"
        );
        let path = format!("/api/imports/{}", import["import_id"].as_str().unwrap());
        assert_eq!(
            plant.send(Method::DELETE, &path, &Value::Null).await.0,
            StatusCode::NO_CONTENT
        );
    }
    // A body that breaks off.
    let broken = futures::stream::iter([
        Ok(axum::body::Bytes::from_static(b"[header]")),
        Err(std::io::Error::other("gone")),
    ]);
    let (status, _) = plant
        .upload_as("acme", "filename=x.csv", Body::from_stream(broken))
        .await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let left: i64 = sqlx::query_scalar("SELECT (SELECT count(*) FROM tools.imports) + (SELECT count(*) FROM tools.import_chunks) + (SELECT count(*) FROM tools.loggers)")
        .fetch_one(plant.pool())
        .await
        .unwrap();
    assert_eq!(left, 0);
    let (status, _) = plant.upload_as("acme", "filename=", "x").await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    let (status, problem) = plant.upload_as("nosite", "filename=a.csv", "x").await;
    assert_eq!(
        (status, &problem["errors"][0]["pointer"]),
        (StatusCode::UNPROCESSABLE_ENTITY, &json!("/site"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn another_tenant_sees_no_import_and_a_reader_stores_none() {
    let plant = Plant::new().await;
    let import = plant
        .upload("filename=a.csv", lti("2025-06-01T00:00:00", 3))
        .await;
    let path = format!("/api/imports/{}", import["import_id"].as_str().unwrap());
    let stranger = plant.app.token("other", &SCOPES);
    let reader = plant.app.token("acme", &["tools:read"]);
    for (method, path) in [
        (Method::GET, path.clone()),
        (Method::PATCH, path.clone()),
        (Method::DELETE, path.clone()),
        (Method::POST, format!("{path}/run")),
        (Method::POST, format!("{path}/cancel")),
    ] {
        let (status, _) = plant
            .app
            .send(method.clone(), &path, Some(&stranger), "{}")
            .await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{method} {path}");
        let (status, _) = plant
            .app
            .send(method.clone(), &path, Some(&reader), "{}")
            .await;
        let expected = if method == Method::GET {
            StatusCode::OK
        } else {
            StatusCode::FORBIDDEN
        };
        assert_eq!(status, expected, "{method} {path}");
    }
    let (_, list) = plant
        .app
        .send(Method::GET, "/api/imports", Some(&stranger), "")
        .await;
    assert_eq!(list, json!({ "imports": [] }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_whose_devices_were_deleted_is_imported_again() {
    let plant = Plant::new().await;
    let text = lti("2025-06-01T12:00:00", 30);
    let first = plant.upload("filename=LTi.csv", text.clone()).await;
    plant.run(&first).await;
    assert_eq!(plant.readings().await, 30);
    let same = plant.upload("filename=LTi.csv", text.clone()).await;
    assert_eq!(same["import_id"], first["import_id"]);

    let path = "/api/loggers/LT-7?confirm=LT-7";
    let (status, answer) = plant.send(Method::DELETE, path, &Value::Null).await;
    assert!(status.is_success(), "{answer}");
    assert_eq!(plant.readings().await, 0);
    let again = plant.upload("filename=LTi.csv", text).await;
    assert_eq!(
        (&again["known"], &again["status"]),
        (&json!(false), &json!("ready"))
    );
    plant.run(&again).await;
    assert_eq!(plant.readings().await, 30);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_file_that_comes_again_is_the_same_import() {
    let plant = Plant::new().await;
    let text = "Dear reader,\nno rows.\n";
    let (status, first) = plant.upload_as("acme", "filename=letter.txt", text).await;
    assert_eq!(
        (status, &first["status"]),
        (StatusCode::CREATED, &json!("refused")),
        "{first}"
    );
    let (status, again) = plant.upload_as("acme", "filename=letter.txt", text).await;
    assert_eq!(
        (
            status,
            &again["known"],
            &again["status"],
            &again["import_id"]
        ),
        (
            StatusCode::OK,
            &json!(true),
            &json!("refused"),
            &first["import_id"]
        )
    );
    assert!(
        again["problem"]
            .as_str()
            .unwrap()
            .contains("format is not known"),
        "{again}"
    );
    // Some formats read the name, and others their options.
    for query in ["filename=letter_7.txt", "filename=letter.txt&format=csv"] {
        let (status, other) = plant.upload_as("acme", query, text).await;
        assert_eq!(status, StatusCode::CREATED, "{other}");
    }
}
