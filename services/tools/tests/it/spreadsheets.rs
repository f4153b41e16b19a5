//! Files of tables as targets.

use std::io::Cursor;

use calamine::{Data, Reader as _, Xlsx, open_workbook_from_rs};
use http::{Method, StatusCode};
use rust_xlsxwriter::Workbook;
use serde_json::{Value, json};
use sqlx::Row as _;

use crate::added_targets::{Replicas, SCOPES, as_admin};
use crate::harness::App;

const SALES: &str = "Kunde;Land;Umsatz (€);Datum\nMüller GmbH;DE;1.234,50;31.01.2026\nSmith;UK;99,90;15.02.2026\nDupont;FR;500;16.02.2026\n";

/// Sends the bytes of a file.
async fn send(app: &App, tenant: &str, path: &str, bytes: Vec<u8>) -> (StatusCode, Value) {
    let token = app.token(tenant, &SCOPES);
    app.send_bytes(Method::POST, path, &token, bytes).await
}

async fn rows(app: &App, tenant: &str, sql: &str) -> Value {
    let arguments = json!({ "target": "sales", "sql": sql });
    let (_, answer) = app.call_as(tenant, "run_sql", arguments).await;
    answer
}

#[expect(clippy::too_many_lines, reason = "one file takes every step")]
#[tokio::test]
async fn a_spreadsheet_is_previewed_loaded_asked_and_replaced() {
    let replicas = Replicas::with(|_| {}).await;
    let (app, other) = (&replicas.one, &replicas.other);
    let preview = "/api/target-previews?filename=Umsatz.csv";
    let (status, found) = send(app, "demo", preview, SALES.into()).await;
    assert_eq!(status, StatusCode::OK, "{found}");
    let columns = found["tables"][0]["columns"].as_array().unwrap();
    let told: Vec<_> = columns
        .iter()
        .map(|column| {
            (
                column["name"].as_str().unwrap(),
                column["type"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("kunde", "text"),
            ("land", "text"),
            ("umsatz", "number"),
            ("datum", "date")
        ]
    );
    let load = "/api/targets/sales/file?filename=Umsatz.csv&description=Sales";
    let (status, made) = send(app, "demo", load, SALES.into()).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    assert_eq!(
        (&made["kind"], &made["file"]["rows"]),
        (&json!("spreadsheet"), &json!(3))
    );
    let total = "SELECT SUM(umsatz) AS total, MAX(datum) AS last FROM umsatz";
    for app in [app, other] {
        let answer = rows(app, "demo", total).await;
        assert_eq!(answer["result"]["rows"][0]["total"], 1834.4, "{answer}");
        assert_eq!(
            answer["result"]["rows"][0]["last"], "2026-02-16",
            "{answer}"
        );
    }
    // Another tenant has neither the target nor its tables, also under the same name.
    let answer = rows(app, "rival", total).await;
    assert_eq!(answer["status"], "no_data", "{answer}");
    let (status, _) = send(app, "rival", load, b"a,b\n1,2\n".to_vec()).await;
    assert_eq!(status, StatusCode::CREATED);
    let answer = rows(app, "rival", "SELECT * FROM umsatz").await;
    assert_eq!(
        answer["result"]["rows"],
        json!([{ "a": 1, "b": 2 }]),
        "{answer}"
    );

    // The tables of this service and of others are out of reach, for the guard and for the role.
    let pool = replicas.database.pool();
    let schemas = sqlx::query(
        "SELECT tenant, sheet_schema, sheet ->> 'role' AS role FROM tools.targets ORDER BY tenant",
    )
    .fetch_all(pool)
    .await
    .unwrap();
    let text = |at: usize, name: &str| schemas[at].get::<String, _>(name);
    assert_ne!(text(0, "role"), text(1, "role"));
    for table in [
        "tools.targets".to_owned(),
        "pg_catalog.pg_roles".to_owned(),
        format!("\"{}\".umsatz", text(1, "sheet_schema")),
        format!("{}.umsatz", text(1, "sheet_schema")),
    ] {
        let answer = rows(app, "demo", &format!("SELECT * FROM {table}")).await;
        assert_eq!(answer["result"]["outcome"], "refused", "{table}: {answer}");
    }
    let mut connection = pool.acquire().await.unwrap();
    let become_reader = format!("SET ROLE {}", text(0, "role"));
    sqlx::raw_sql(sqlx::AssertSqlSafe(become_reader))
        .execute(&mut *connection)
        .await
        .unwrap();
    for table in [
        "tools.targets".to_owned(),
        format!("{}.umsatz", text(1, "sheet_schema")),
    ] {
        let read = sqlx::raw_sql(sqlx::AssertSqlSafe(format!("SELECT * FROM {table}")));
        let error = read
            .execute(&mut *connection)
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains("permission denied"), "{table}: {error}");
    }
    drop(connection.detach());

    // A file that cannot be read changes nothing; a good one replaces everything.
    let (status, answer) = send(app, "demo", load, b"only,a,header\n".to_vec()).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{answer}");
    let types = "/api/targets/sales/file?filename=Umsatz.csv&types=umsatz.umsatz:date";
    let (status, answer) = send(app, "demo", types, SALES.into()).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{answer}");
    assert!(
        answer.to_string().contains("'1.234,50' in row 2"),
        "{answer}"
    );
    assert_eq!(
        rows(other, "demo", total).await["result"]["rows"][0]["total"],
        1834.4
    );
    let (status, answer) = send(app, "demo", load, b"Land,Umsatz\nDE,1\n".to_vec()).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let answer = rows(app, "demo", "SELECT * FROM umsatz").await;
    assert_eq!(
        answer["result"]["rows"],
        json!([{ "land": "DE", "umsatz": 1 }]),
        "{answer}"
    );
    let left = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'sheet\\_%'";
    let count = async || {
        sqlx::query_scalar::<_, i64>(left)
            .fetch_one(pool)
            .await
            .unwrap()
    };
    assert_eq!(count().await, 2);
    let (status, _) = as_admin(
        app,
        "demo",
        Method::DELETE,
        "/api/targets/sales",
        Value::Null,
    )
    .await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    assert_eq!(count().await, 1);
}

/// A load that breaks off, whenever, is as if it had not been.
#[tokio::test]
async fn a_killed_load_leaves_nothing_behind() {
    let replicas = Replicas::with(|_| {}).await;
    let app = &replicas.one;
    let load = "/api/targets/sales/file?filename=a.csv";
    let (status, _) = send(app, "demo", load, b"a,b\n1,2\n".to_vec()).await;
    assert_eq!(status, StatusCode::CREATED);
    // The load waits for a lock that this test holds, with its tables made.
    let mut transaction = replicas.database.pool().begin().await.unwrap();
    sqlx::query("SELECT 1 FROM tools.targets FOR UPDATE")
        .execute(&mut *transaction)
        .await
        .unwrap();
    let big = format!("a,b\n{}", "3,4\n".repeat(20_000));
    let loading = send(app, "demo", load, big.into_bytes());
    let backend = async {
        loop {
            let waiting: Option<i32> = sqlx::query_scalar(
                "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO tools.targets%'",
            )
            .fetch_optional(replicas.database.pool())
            .await
            .unwrap();
            if let Some(pid) = waiting {
                break sqlx::query("SELECT pg_terminate_backend($1)")
                    .bind(pid)
                    .execute(replicas.database.pool())
                    .await
                    .unwrap();
            }
            tokio::task::yield_now().await;
        }
    };
    let ((status, answer), _) = tokio::join!(loading, backend);
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{answer}");
    transaction.rollback().await.unwrap();
    let schemas: i64 =
        sqlx::query_scalar("SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'sheet\\_%'")
            .fetch_one(replicas.database.pool())
            .await
            .unwrap();
    assert_eq!(schemas, 1);
    let answer = rows(&replicas.other, "demo", "SELECT * FROM a").await;
    assert_eq!(answer["result"]["row_count"], 1, "{answer}");
}

#[tokio::test]
async fn a_workbook_has_a_table_per_sheet_and_leaves_as_a_workbook() {
    let replicas = Replicas::with(|config| config.added_targets.file_bytes = 1024 * 1024).await;
    let app = &replicas.one;
    let mut book = Workbook::new();
    let orders = book.add_worksheet().set_name("Orders 2026").unwrap();
    for (at, name) in (0..).zip(["id", "customer_id", "note"]) {
        orders.write(0, at, name).unwrap();
    }
    for row in 1..=20_u32 {
        orders.write(row, 0, row).unwrap();
        orders.write(row, 1, row % 3 + 1).unwrap();
        orders
            .write(
                row,
                2,
                if row == 1 {
                    "=HYPERLINK(\"x\")"
                } else {
                    "plain"
                },
            )
            .unwrap();
    }
    let customers = book.add_worksheet().set_name("Customers").unwrap();
    for (row, name) in (0_u32..).zip(["name", "Ada", "Grace", "Alan"]) {
        if row == 0 {
            customers.write(0, 0, "id").unwrap();
        } else {
            customers.write(row, 0, row).unwrap();
        }
        customers.write(row, 1, name).unwrap();
    }
    book.add_worksheet().set_name("Empty").unwrap();
    let bytes = book.save_to_buffer().unwrap();
    let load = "/api/targets/sales/file?filename=book.xlsx";
    let (status, made) = send(app, "demo", load, bytes).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let sql = "SELECT c.name, COUNT(*) AS n FROM orders_2026 o JOIN customers c ON o.customer_id = c.id GROUP BY c.name ORDER BY c.name";
    let answer = rows(app, "demo", sql).await;
    assert_eq!(
        answer["result"]["rows"][0],
        json!({ "name": "Ada", "n": 6 }),
        "{answer}"
    );

    let query = "sql=SELECT%20id,%20note%20FROM%20orders_2026%20ORDER%20BY%20id";
    let token = app.token("demo", &["tools:read"]);
    let path = format!("/api/targets/sales/export?{query}");
    let (headers, bytes) = app.get_bytes(&path, &token).await;
    assert_eq!(
        headers["content-disposition"],
        "attachment; filename=\"sales.csv\""
    );
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().collect();
    assert_eq!(lines.len(), 21, "whole, not as a card shows it");
    assert_eq!(
        lines[..3],
        ["id,note", "1,\"'=HYPERLINK(\"\"x\"\")\"", "2,plain"]
    );
    let (_, bytes) = app.get_bytes(&format!("{path}&format=xlsx"), &token).await;
    let mut book: Xlsx<_> = open_workbook_from_rs(Cursor::new(bytes)).unwrap();
    let range = book.worksheet_range_at(0).unwrap().unwrap();
    assert_eq!(range.height(), 21);
    assert_eq!(range.get((1, 0)), Some(&Data::Float(1.0)));
    assert_eq!(
        range.get((1, 1)),
        Some(&Data::String("=HYPERLINK(\"x\")".to_owned()))
    );

    for (bytes, status) in [
        (
            b"PK\x03\x04 broken".to_vec(),
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
        (Vec::new(), StatusCode::UNPROCESSABLE_ENTITY),
        (vec![b'x'; 1024 * 1024 + 1], StatusCode::PAYLOAD_TOO_LARGE),
    ] {
        let (got, answer) = send(app, "demo", "/api/target-previews?filename=a", bytes).await;
        assert_eq!(got, status, "{answer}");
    }
}

/// Values that Excel has a form for are in that form; those that it would round are text, which a
/// note says.
#[tokio::test]
async fn a_workbook_has_dates_and_exact_numbers() {
    let replicas = Replicas::with(|_| {}).await;
    let app = &replicas.one;
    let load = "/api/targets/sales/file?filename=a.csv";
    let (status, made) = send(app, "demo", load, b"a,b\n1,2\n".to_vec()).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let sql = "SELECT CAST('2026-03-29 01:30:00.123456+02' AS timestamptz) AS instant, \
        CAST('2026-03-29 01:30:00' AS timestamp) AS wall, CAST('2026-03-29' AS date) AS day, \
        CAST('08:05:00' AS time) AS clock, CAST('1850-01-01' AS date) AS old, \
        CAST('12345678901234.56' AS numeric) AS exact, CAST('0.30' AS numeric) AS small, \
        CAST('12345678901234567.89' AS numeric) AS long, CAST(0.1 AS double precision) AS bin, \
        CAST(9007199254740991 AS bigint) AS id FROM a";
    let query: String = form_urlencoded::Serializer::new(String::new())
        .append_pair("sql", sql)
        .append_pair("format", "xlsx")
        .finish();
    let token = app.token("demo", &["tools:read"]);
    let (_, bytes) = app
        .get_bytes(&format!("/api/targets/sales/export?{query}"), &token)
        .await;
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes.clone())).unwrap();
    let styles = std::io::read_to_string(archive.by_name("xl/styles.xml").unwrap()).unwrap();
    assert!(
        styles.contains("yyyy-mm-dd hh:mm:ss.000 &quot;UTC&quot;"),
        "{styles}"
    );
    let mut book: Xlsx<_> = open_workbook_from_rs(Cursor::new(bytes)).unwrap();
    let range = book.worksheet_range_at(0).unwrap().unwrap();
    let cell = |at: u32| range.get((1, at as usize)).unwrap();
    let moment = |at: u32| match cell(at) {
        Data::DateTime(moment) => {
            let (year, month, day, hour, minute, second, milli) = moment.to_ymd_hms_milli();
            format!("{year}-{month}-{day} {hour}:{minute}:{second}.{milli}")
        }
        other => format!("{other:?}"),
    };
    assert_eq!(moment(0), "2026-3-28 23:30:0.123");
    assert_eq!(moment(1), "2026-3-29 1:30:0.0");
    assert_eq!(moment(2), "2026-3-29 0:0:0.0");
    assert!(moment(3).ends_with(" 8:5:0.0"), "{}", moment(3));
    let text = |text: &str| Data::String(text.to_owned());
    assert_eq!(*cell(4), text("1850-01-01"));
    assert_eq!(*cell(5), text("12345678901234.56"));
    assert_eq!(*cell(6), Data::Float(0.3));
    assert_eq!(*cell(7), text("12345678901234567.89"));
    assert_eq!(*cell(8), Data::Float(0.1));
    assert_eq!(*cell(9), text("9007199254740991"));
    let notes = book.worksheet_range("Notes").unwrap();
    let notes: Vec<String> = notes.rows().map(|row| row[0].to_string()).collect();
    assert!(
        notes[0].starts_with("instant: 1 times have more than three"),
        "{notes:?}"
    );
    assert!(
        notes[1].starts_with("old: 1 dates are not in Excel's calendar"),
        "{notes:?}"
    );
    assert!(
        notes[2].starts_with("exact: 1 numbers have more than 15 digits"),
        "{notes:?}"
    );
    assert_eq!(notes.len(), 5, "{notes:?}");
}

/// The readings of a column in a preview, by form and value: as it is read, and as it may be.
fn readings(preview: &Value, column: usize) -> [Option<(&str, &str)>; 2] {
    let column = &preview["tables"][0]["columns"][column];
    ["reading", "other"].map(|which| {
        let reading = column.get(which)?;
        Some((reading["form"].as_str()?, reading["value"].as_str()?))
    })
}

#[tokio::test]
async fn cells_of_two_meanings_are_shown_and_read_as_asked() {
    let replicas = Replicas::with(|_| {}).await;
    let app = &replicas.one;
    let file = b"day;sum;name\n03/04/2026;1.234;a\n05/06/2026;5.678;b\n";
    let preview = "/api/target-previews?filename=Plain.csv";
    let (status, found) = send(app, "demo", preview, file.to_vec()).await;
    assert_eq!(status, StatusCode::OK, "{found}");
    assert_eq!(
        readings(&found, 0),
        [
            Some(("date/dmy", "2026-04-03")),
            Some(("date/mdy", "2026-03-04"))
        ]
    );
    assert_eq!(
        readings(&found, 1),
        [
            Some(("number/point", "1.234")),
            Some(("number/comma", "1234"))
        ]
    );
    assert_eq!(readings(&found, 2), [None, None]);

    let asked = "filename=Plain.csv&types=plain.day:date/mdy,plain.sum:number/comma";
    let path = format!("/api/target-previews?{asked}");
    let (_, found) = send(app, "demo", &path, file.to_vec()).await;
    assert_eq!(
        readings(&found, 1),
        [
            Some(("number/comma", "1234")),
            Some(("number/point", "1.234"))
        ]
    );
    let path = format!("/api/targets/plain/file?{asked}");
    let (status, made) = send(app, "demo", &path, file.to_vec()).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let sql = "SELECT SUM(sum) AS total, MAX(day) AS newest FROM plain";
    let arguments = json!({ "target": "plain", "sql": sql });
    let (_, answer) = app.call_as("demo", "run_sql", arguments).await;
    let row = &answer["result"]["rows"][0];
    assert_eq!(row["total"], 6912.0, "{answer}");
    assert!(row["newest"].to_string().contains("2026-05-06"), "{answer}");

    for (types, why) in [
        ("plain.day:date/comma", "date/mdy"),
        (
            "plain.day:date/ymd",
            "'03/04/2026' in row 2 is not of this type",
        ),
    ] {
        let path = format!("/api/target-previews?filename=Plain.csv&types={types}");
        let (status, answer) = send(app, "demo", &path, file.to_vec()).await;
        assert!(status.is_client_error(), "{types}: {answer}");
        assert!(answer.to_string().contains(why), "{types}: {answer}");
    }
}

#[tokio::test]
async fn a_parquet_file_keeps_its_types() {
    let replicas = Replicas::with(|_| {}).await;
    let app = &replicas.one;
    let file = include_bytes!("../samples/parquet/types.parquet").to_vec();
    let preview = "/api/target-previews?filename=Types.parquet";
    let (status, found) = send(app, "demo", preview, file.clone()).await;
    assert_eq!(status, StatusCode::OK, "{found}");
    assert_eq!(found["format"], "parquet");
    let columns = found["tables"][0]["columns"].as_array().unwrap();
    let kind = |name: &str| {
        let column = columns.iter().find(|column| column["name"] == name);
        column.unwrap()["type"].as_str().unwrap().to_owned()
    };
    for (name, expected) in [
        ("price", "number"),
        ("postcode", "text"),
        ("year", "text"),
        ("day", "date"),
        ("utc", "timestamp"),
        ("tags", "text"),
        ("über_uns", "text"),
    ] {
        assert_eq!(kind(name), expected, "{name}");
    }
    // `1.234` has one meaning where the file says what it is.
    assert!(
        columns.iter().all(|column| column.get("other").is_none()),
        "{found}"
    );
    let notes = found["notes"].to_string();
    assert!(notes.contains("JSON: tags, place, labels"), "{notes}");
    assert!(
        notes.contains("“day”: 1 values are before the year 1000"),
        "{notes}"
    );

    let load = "/api/targets/sales/file?filename=Types.parquet&types=types.id:text";
    let (status, made) = send(app, "demo", load, file).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    assert_eq!(made["file"]["format"], "parquet", "{made}");
    let sql = "SELECT id, price, huge, utc, local_ns, day, ok FROM types ORDER BY id";
    let answer = rows(app, "demo", sql).await;
    let first = &answer["result"]["rows"][0];
    assert_eq!(first["id"], "1", "{answer}");
    assert_eq!(first["price"], "12345678901234567890.12", "{answer}");
    assert_eq!(first["huge"], "18446744073709551615", "{answer}");
    assert_eq!(first["utc"], "2026-03-29T01:30:00.123456Z", "{answer}");
    assert_eq!(first["local_ns"], "2026-03-29T01:30:00.123456", "{answer}");
    assert_eq!(first["day"], "2026-04-03", "{answer}");
    assert_eq!(first["ok"], true, "{answer}");
    let answer = rows(app, "demo", "SELECT day FROM types WHERE day IS NULL").await;
    assert_eq!(answer["result"]["row_count"], 2, "{answer}");
}

#[tokio::test]
async fn the_declared_keys_of_an_sqlite_file_are_its_joins() {
    let replicas = Replicas::with(|_| {}).await;
    let app = &replicas.one;
    // Keys that no name shows: `house` is a `publishers.pub_id`, `book` a `books.isbn`.
    let file = include_bytes!("../samples/keys.sqlite").to_vec();
    let load = "/api/targets/sales/file?filename=keys.sqlite";
    for _ in 0..2 {
        let (status, made) = send(app, "demo", load, file.clone()).await;
        assert_eq!(status.as_u16() / 100, 2, "{made}");
        let (_, details) =
            as_admin(app, "demo", Method::GET, "/api/targets/sales", Value::Null).await;
        let joins = details["layer"]["joins"].as_array().unwrap();
        let mut joins: Vec<_> = joins
            .iter()
            .map(|join| {
                let part = |name: &str| join[name].as_str().unwrap();
                let is_guessed = join["guessed"].as_bool().unwrap_or_default();
                (
                    format!("{}.{}", part("from_table"), part("from_column")),
                    format!("{}.{}", part("to_table"), part("to_column")),
                    is_guessed,
                )
            })
            .collect();
        joins.sort();
        let expected = [
            ("books.house", "publishers.pub_id"),
            ("books.written_by", "the_authors.id"),
            ("sales.book", "books.isbn"),
        ];
        let expected = expected.map(|(from, to)| (from.to_owned(), to.to_owned(), false));
        assert_eq!(joins, expected, "{details}");
    }
}

#[tokio::test]
async fn unique_keys_and_those_of_several_columns_are_those_of_the_sqlite_file() {
    let replicas = Replicas::with(|_| {}).await;
    let app = &replicas.one;
    // An order is one of a shop, by its number there; a line names both.
    let file = include_bytes!("../samples/composite.sqlite").to_vec();
    let load = "/api/targets/sales/file?filename=composite.sqlite";
    let (status, made) = send(app, "demo", load, file).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let asked = json!({ "target": "sales", "tables": ["orders", "lines", "shops"] });
    let (_, described) = app.call_as("demo", "describe_tables", asked).await;
    let tables = described["result"]["tables"].as_array().unwrap();
    let unique = |table: &str| {
        let table = tables.iter().find(|one| one["name"] == table).unwrap();
        let columns = table["columns"].as_array().unwrap().iter();
        let unique = columns.filter(|column| column["unique"] == true);
        let names = unique.map(|column| column["name"].as_str().unwrap());
        names.collect::<Vec<_>>()
    };
    assert_eq!(unique("shops"), ["nr", "label"], "{described}");
    assert!(unique("orders").is_empty(), "{described}");
    assert!(unique("lines").is_empty(), "{described}");
    let joins = described["result"]["relationships"].as_array().unwrap();
    let join = |from: &str, to: &str| {
        let mut joins = joins.iter();
        let found = joins.find(|join| join["from_table"] == from && join["to_table"] == to);
        found.unwrap_or_else(|| panic!("{from} {to}: {described}"))
    };
    let both = join("lines", "orders");
    assert_eq!(
        (&both["type"], &both["and"].as_array().map(Vec::len)),
        (&json!("foreign_key"), &Some(1)),
        "{described}"
    );
    let by_label = join("orders", "shops");
    assert_eq!(by_label["to_column"], "label", "{described}");
    assert_eq!(by_label["cardinality"], "N:1", "{described}");
    let sql = "SELECT SUM(l.amount) AS total FROM lines l JOIN orders o ON l.shop = o.shop AND l.order_nr = o.nr";
    let answer = rows(app, "demo", sql).await;
    assert_eq!(answer["result"]["rows"][0]["total"], 10, "{answer}");
}

#[tokio::test]
async fn why_a_column_of_dates_is_text_is_in_the_preview() {
    let replicas = Replicas::with(|_| {}).await;
    let path = "/api/target-previews?filename=orders.csv";
    let file = "no;order_date\n1;2026-01-05\n2;soon\n3;2026-01-09\n";
    let (status, found) = send(&replicas.one, "demo", path, file.into()).await;
    assert_eq!(status, StatusCode::OK, "{found}");
    assert_eq!(
        found["notes"],
        json!([
            "orders.order_date is text: 1 of its 3 cells is not a date, such as “soon” in row 3."
        ])
    );
}

#[tokio::test]
async fn days_in_several_forms_and_words_for_no_value_are_read() {
    let replicas = Replicas::with(|_| {}).await;
    let app = &replicas.one;
    let file = "ticket,opened,hours\nT-1,2026-11-06,n/a\nT-2,11.01.2026,1.5\nT-3,08 Jan 2026,-\nT-4,09 Jan 2026,2\nTotal,,3.5\n";
    let path = "/api/target-previews?filename=tickets.csv";
    let (status, found) = send(app, "demo", path, file.into()).await;
    assert_eq!(status, StatusCode::OK, "{found}");
    assert_eq!(
        found["notes"],
        json!([
            "“tickets”: the last row (“Total”) is the sum of those above, and is left out.",
            "tickets.hours: 2 cells with “n/a”, “-”, the first in row 2, are read as no value."
        ])
    );
    let load = "/api/targets/sales/file?filename=tickets.csv";
    let (status, made) = send(app, "demo", load, file.into()).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let sql = "SELECT MIN(opened) AS first, MAX(opened) AS last, SUM(hours) AS hours, COUNT(hours) AS n FROM tickets";
    let answer = rows(app, "demo", sql).await;
    assert_eq!(
        answer["result"]["rows"],
        json!([{ "first": "2026-01-08", "last": "2026-11-06", "hours": 3.5, "n": 2 }]),
        "{answer}"
    );
}

#[tokio::test]
async fn keys_of_a_file_are_unique_where_their_values_are() {
    let replicas = Replicas::with(|_| {}).await;
    let app = &replicas.one;
    // The ids of publishers are declared, and each occurs once.
    let file = include_bytes!("../samples/keys.sqlite").to_vec();
    let load = "/api/targets/sales/file?filename=keys.sqlite";
    let (status, made) = send(app, "demo", load, file).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let asked = json!({ "target": "sales", "tables": ["books", "publishers"] });
    let (_, described) = app.call_as("demo", "describe_tables", asked).await;
    let join = &described["result"]["relationships"][0];
    assert_eq!(join["to_column"], "pub_id", "{described}");
    assert_eq!(join["cardinality"], "N:1", "{described}");

    // A column whose values repeat is not a key, whatever its name is.
    let ids = b"visit_id,place\n1,Bonn\n1,Kiel\n2,Kiel\n".to_vec();
    let load = "/api/targets/visits/file?filename=visit.csv";
    let (status, made) = send(app, "demo", load, ids).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let asked = json!({ "target": "visits", "tables": ["visit"] });
    let (_, described) = app.call_as("demo", "describe_tables", asked).await;
    let column = &described["result"]["tables"][0]["columns"][0];
    assert_eq!(column["unique"], false, "{described}");
    let counted = json!({ "target": "visits", "sql": "SELECT COUNT(*) AS n FROM visit" });
    let (_, answer) = app.call_as("demo", "run_sql", counted).await;
    assert_eq!(answer["result"]["rows"][0]["n"], 3, "{answer}");
}
