//! Uploaded files are read in a process of their own, within limits. What exceeds them ends in an
//! error that says so; the service continues, and nothing half is left.

use std::io::{Cursor, Write as _};

use http::{Method, StatusCode};
use serde_json::{Value, json};
use tools::ingest::config::IngestConfig;
use zip::write::SimpleFileOptions;

use crate::added_targets::{Replicas, SCOPES, as_admin};
use crate::harness::App;
use crate::import_support::Plant;

const CONTENT_TYPES: &str = r#"<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>"#;
const RELATIONS: &str = r#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;
const BOOK: &str = r#"<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>"#;
const BOOK_RELATIONS: &str = r#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings" Target="sharedStrings.xml"/></Relationships>"#;
const SHEET: &str = r#"<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><dimension ref="A1:XFD1048576"/><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c></row>"#;
const SHEET_END: &str = "</sheetData></worksheet>";

/// A workbook of one sheet, with this many shared texts.
fn workbook(rows: &str, texts: usize) -> Vec<u8> {
    let sheet = format!("{SHEET}{rows}{SHEET_END}");
    let parts = [
        ("xl/workbook.xml", BOOK),
        ("xl/worksheets/sheet1.xml", sheet.as_str()),
    ];
    archive(&parts, texts)
}

/// A workbook of these parts.
fn archive(parts: &[(&str, &str)], texts: usize) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let common = [
        ("[Content_Types].xml", CONTENT_TYPES),
        ("_rels/.rels", RELATIONS),
        ("xl/_rels/workbook.xml.rels", BOOK_RELATIONS),
    ];
    for (name, text) in common.iter().chain(parts) {
        archive
            .start_file(*name, SimpleFileOptions::default())
            .unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive
        .start_file("xl/sharedStrings.xml", SimpleFileOptions::default())
        .unwrap();
    archive.write_all(br#"<?xml version="1.0"?><sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">"#).unwrap();
    let some = "<si><t>x</t></si>".repeat(1_000);
    for _ in 0..texts / 1_000 {
        archive.write_all(some.as_bytes()).unwrap();
    }
    archive.write_all(b"</sst>").unwrap();
    archive.finish().unwrap().into_inner()
}

/// Texts that unpack from some kilobytes to 34 MB, and take more memory than a test allows.
fn bomb() -> Vec<u8> {
    let bytes = workbook("", 2_000_000);
    assert!(bytes.len() < 256 * 1024, "{}", bytes.len());
    bytes
}

/// A sheet of 16,384 columns and 1,048,576 rows, by its own words, with a cell in the last row.
fn last_cell(place: &str) -> Vec<u8> {
    let cell = format!(r#"<c r="{place}" t="inlineStr"><is><t>b</t></is></c>"#);
    workbook(&format!(r#"<row r="1048576">{cell}</row>"#), 0)
}

async fn send(app: &App, path: &str, bytes: Vec<u8>) -> (StatusCode, Value) {
    let token = app.token("demo", &SCOPES);
    app.send_bytes(Method::POST, path, &token, bytes).await
}

async fn count(replicas: &Replicas, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql)
        .fetch_one(replicas.database.pool())
        .await
        .unwrap()
}

const SCHEMAS: &str = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'sheet\\_%'";

#[tokio::test]
async fn a_file_that_is_no_table_for_this_machine_is_refused_and_the_one_before_stays() {
    let replicas = Replicas::with(|config| {
        config.added_targets.file_memory_bytes = 64 << 20;
        config.added_targets.file_timeout_ms = 60_000;
    })
    .await;
    let app = &replicas.one;
    let load = "/api/targets/sales/file?filename=a.csv";
    let (status, made) = send(app, load, b"a,b\n1,2\n".to_vec()).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let no_sheet = archive(&[("xl/workbook.xml", BOOK)], 0);
    let parquet = include_bytes!("../samples/parquet/bomb.parquet").to_vec();
    for (file, name, why) in [
        (bomb(), "bomb.xlsx", "more memory to read than the 64 MiB"),
        (
            last_cell("XFD1048576"),
            "wide.xlsx",
            "more than 200 columns",
        ),
        (parquet, "bomb.parquet", "Load a part of it"),
        (
            no_sheet,
            "damaged.xlsx",
            "its sheet “Sheet1” cannot be read",
        ),
    ] {
        for path in [
            format!("/api/target-previews?filename={name}"),
            format!("/api/targets/sales/file?filename={name}"),
            format!("/api/targets/other/file?filename={name}"),
        ] {
            let (status, answer) = send(app, &path, file.clone()).await;
            assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{name}: {answer}");
            assert!(answer.to_string().contains(why), "{name}: {answer}");
        }
    }
    // The target is the one of the good file, there is no other, and no tables are left.
    let asked = json!({ "target": "sales", "sql": "SELECT b FROM a" });
    let (_, answer) = app.call_as("demo", "run_sql", asked).await;
    assert_eq!(answer["result"]["rows"], json!([{ "b": 2 }]), "{answer}");
    let (_, list) = as_admin(app, "demo", Method::GET, "/api/targets", Value::Null).await;
    assert_eq!(list["targets"].as_array().unwrap().len(), 1, "{list}");
    assert_eq!(count(&replicas, SCHEMAS).await, 1);
}

#[tokio::test]
async fn a_file_that_takes_too_long_is_given_up() {
    let replicas = Replicas::with(|config| config.added_targets.file_timeout_ms = 1_000).await;
    // Each quotation mark opens a cell or closes one.
    let slow = format!("a,b\n{}", "\"x\",\"1.234,5\"\n".repeat(2_000_000));
    let path = "/api/target-previews?filename=slow.csv";
    let (status, answer) = send(&replicas.one, path, slow.into_bytes()).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{answer}");
    let why = "takes longer to read than the 1 seconds that it may";
    assert!(answer.to_string().contains(why), "{answer}");
    let (status, _) = send(&replicas.one, path, b"a,b\n1,2\n".to_vec()).await;
    assert_eq!(status, StatusCode::OK);
}

#[tokio::test]
async fn a_sheet_is_as_large_as_its_cells() {
    let replicas = Replicas::with(|_| {}).await;
    let path = "/api/target-previews?filename=long.xlsx";
    let (status, found) = send(&replicas.one, path, last_cell("GR1048576")).await;
    assert_eq!(status, StatusCode::OK, "{found}");
    assert_eq!(found["tables"][0]["rows"], 1, "{found}");
}

/// The rows of a large file pass through the process in parts, and arrive as they are.
#[tokio::test]
async fn the_rows_of_a_large_file_arrive_whole() {
    let replicas = Replicas::with(|_| {}).await;
    let app = &replicas.one;
    let rows = (0..30_000).map(|row| {
        let day = row % 28 + 1;
        format!("{row},\"tab\tand \\ {row}\nend\",2026-02-{day:02}\n")
    });
    let rows: String = rows.collect();
    let file = format!("no,text,day\n{rows}");
    let path = "/api/targets/sales/file?filename=large.csv";
    let (status, made) = send(app, path, file.into_bytes()).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    assert_eq!(made["file"]["rows"], 30_000, "{made}");
    let sql = "SELECT COUNT(*) AS n, SUM(no) AS total, COUNT(DISTINCT text) AS texts, MAX(day) AS newest FROM large";
    let asked = json!({ "target": "sales", "sql": sql });
    let (_, answer) = app.call_as("demo", "run_sql", asked).await;
    let row = json!({ "n": 30_000, "total": 449_985_000, "texts": 30_000, "newest": "2026-02-28" });
    assert_eq!(answer["result"]["rows"][0], row, "{answer}");
    let sql = "SELECT text FROM large WHERE no = 7";
    let asked = json!({ "target": "sales", "sql": sql });
    let (_, answer) = app.call_as("demo", "run_sql", asked).await;
    assert_eq!(
        answer["result"]["rows"][0]["text"], "tab\tand \\ 7\nend",
        "{answer}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bomb_among_imports_is_refused_with_the_reason() {
    let small = |config: &mut IngestConfig| config.file_memory_bytes = 64 << 20;
    let plant = Plant::within(small).await;
    let import = plant.upload("filename=bomb.xlsx", bomb()).await;
    assert_eq!(import["status"], "refused", "{import}");
    let why = "the file takes more memory to read than the 64 MiB that it may";
    assert!(
        import["problem"].as_str().unwrap().contains(why),
        "{import}"
    );
    // The next file is read.
    let good = "[header]\nserial=LT-7\n[data]\ntimestamp;P_AC;E_DAY\n2026-05-01 12:00:00;5;1\n";
    let import = plant.upload("filename=a.csv", good).await;
    assert_eq!(import["preview"]["good"], 1, "{import}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_whose_file_exceeds_a_limit_fails_and_stores_nothing() {
    let plant = Plant::new().await;
    let rows = "2026-05-01 12:00:00;5;1\n".repeat(40_000);
    let file = format!("[header]\nserial=LT-7\n[data]\ntimestamp;P_AC;E_DAY\n{rows}");
    let import = plant.upload("filename=a.csv", file).await;
    assert_eq!(import["status"], "ready", "{import}");
    let (status, _) = plant.act(&import, "run").await;
    assert_eq!(status, StatusCode::ACCEPTED);
    let limits = IngestConfig {
        file_memory_bytes: 1 << 20,
        ..IngestConfig::default()
    };
    plant.work_within(&limits).await;
    let failed = plant.get(&import).await;
    assert_eq!(failed["status"], "failed", "{failed}");
    assert!(
        failed["problem"].as_str().unwrap().contains("1 MiB"),
        "{failed}"
    );
    assert_eq!(plant.readings().await, 0);
}
