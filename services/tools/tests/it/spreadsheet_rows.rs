//! The rows of files of tables: which are rows, what their cells are, and how they leave again.

use std::fmt::Write as _;
use std::io::{Cursor, Read as _, Write as _};

use calamine::{Reader as _, Xlsx, open_workbook_from_rs};
use http::{Method, StatusCode};
use rust_xlsxwriter::{Format, Formula, Workbook};
use serde_json::{Value, json};

use crate::added_targets::{Replicas, SCOPES, as_admin, reader, shop};
use crate::harness::App;

/// The preview of a file, which is then loaded as the target `sales`.
async fn load(app: &App, query: &str, bytes: impl Into<Vec<u8>>) -> Value {
    let bytes = bytes.into();
    let token = app.token("demo", &SCOPES);
    let path = format!("/api/target-previews?{query}");
    let sent = app.send_bytes(Method::POST, &path, &token, bytes.clone());
    let (status, preview) = sent.await;
    assert_eq!(status, StatusCode::OK, "{preview}");
    let path = format!("/api/targets/sales/file?{query}");
    let (status, made) = app.send_bytes(Method::POST, &path, &token, bytes).await;
    assert!(status.is_success(), "{made}");
    preview
}

/// The first row of a query.
async fn first(app: &App, sql: &str) -> Value {
    let arguments = json!({ "target": "sales", "sql": sql });
    let (_, answer) = app.call_as("demo", "run_sql", arguments).await;
    answer["result"]["rows"][0].clone()
}

fn notes(preview: &Value) -> String {
    preview["notes"].to_string()
}

#[tokio::test]
async fn sums_between_the_rows_are_left_out_or_kept() {
    let replicas = Replicas::with(|_| {}).await;
    let app = &replicas.one;
    let text = "day;kWh\n01.05.2026;10,5\n02.05.2026;20\nTotal May;30,5\n01.06.2026;4\n02.06.2026;5\nTotal June;9\nTotal;39,5\n";
    let preview = load(app, "filename=energy.csv", text).await;
    assert_eq!(
        (
            &preview["tables"][0]["rows"],
            &preview["tables"][0]["left_out"]
        ),
        (&json!(4), &json!([4, 7, 8])),
        "{preview}"
    );
    assert!(notes(&preview).contains("3 rows are sums"), "{preview}");
    let sum = "SELECT SUM(kwh) AS total, COUNT(*) AS n, MIN(day)::text AS day FROM energy";
    assert_eq!(
        first(app, sum).await,
        json!({ "total": 39.5, "n": 4, "day": "2026-05-01" })
    );
    let kept = load(app, "filename=energy.csv&keep_totals=true", text).await;
    assert_eq!(kept["tables"][0]["rows"], 7, "{kept}");
    assert!(kept["tables"][0].get("left_out").is_none(), "{kept}");
    let sum = "SELECT COUNT(*) AS n FROM energy";
    assert_eq!(first(app, sum).await, json!({ "n": 7 }));
}

#[tokio::test]
async fn a_file_without_names_has_all_its_rows() {
    let replicas = Replicas::with(|_| {}).await;
    let app = &replicas.one;
    let text = "2026-06-01,12.5,DE\n2026-06-02,13.5,FR\n2026-06-03,9,DE\n";
    let preview = load(app, "filename=energy.csv", text).await;
    assert!(
        notes(&preview).contains("Column A to Column C"),
        "{preview}"
    );
    let sum = "SELECT SUM(column_b) AS total, MIN(column_a)::text AS day FROM energy";
    assert_eq!(
        first(app, sum).await,
        json!({ "total": 35.0, "day": "2026-06-01" })
    );
    let named = load(app, "filename=energy.csv&has_names=true", text).await;
    assert_eq!(named["tables"][0]["rows"], 2, "{named}");
}

#[tokio::test]
async fn instants_percents_and_short_years_are_no_texts() {
    let replicas = Replicas::with(|_| {}).await;
    let app = &replicas.one;
    let text = "at,share,day\n2026-06-03T12:00:00+02:00,12 %,03.06.26\n2026-06-03T12:00:00Z,7.5%,14.06.26\n";
    let preview = load(app, "filename=energy.csv", text).await;
    let columns = preview["tables"][0]["columns"].as_array().unwrap();
    let types: Vec<&str> = columns
        .iter()
        .map(|column| column["type"].as_str().unwrap())
        .collect();
    assert_eq!(types, ["timestamp", "number", "date"], "{preview}");
    for said in ["an offset from UTC", "percents", "two digits"] {
        assert!(notes(&preview).contains(said), "{said}: {preview}");
    }
    let sql = "SELECT (MAX(at) - MIN(at))::text AS apart, MAX(share) AS share, MAX(day)::text AS day FROM energy";
    assert_eq!(
        first(app, sql).await,
        json!({ "apart": "PT2H", "share": 12.0, "day": "2026-06-14" })
    );
}

#[tokio::test]
async fn percents_are_the_same_numbers_in_a_workbook_and_in_a_csv() {
    let replicas = Replicas::with(|_| {}).await;
    let app = &replicas.one;
    let mut book = Workbook::new();
    let sheet = book.add_worksheet().set_name("Energy").unwrap();
    let percent = Format::new().set_num_format("0.0%");
    for (column, name) in (0..).zip(["item", "discount", "factor"]) {
        sheet.write(0, column, name).unwrap();
    }
    for (row, discount) in [(1, 0.12), (2, 0.075), (3, 0.07)] {
        sheet.write(row, 0, format!("item {row}")).unwrap();
        sheet.write_with_format(row, 1, discount, &percent).unwrap();
        sheet.write(row, 2, discount).unwrap();
    }
    let text = "item,discount,factor\nitem 1,12 %,0.12\nitem 2,7.5%,0.075\nitem 3,7%,0.07\n";
    for (file, bytes) in [
        ("energy.xlsx", book.save_to_buffer().unwrap()),
        ("energy.csv", text.as_bytes().to_vec()),
    ] {
        let preview = load(app, &format!("filename={file}"), bytes).await;
        assert!(
            notes(&preview).contains("energy.discount: its cells are percents"),
            "{preview}"
        );
        let sql = "SELECT SUM(discount) AS sum, MAX(discount) AS most, AVG(discount) BETWEEN 8.83 AND 8.84 AS mean, MAX(factor) AS factor FROM energy";
        assert_eq!(
            first(app, sql).await,
            json!({ "sum": 26.5, "most": 12.0, "mean": true, "factor": 0.12 }),
            "{file}"
        );
        let described = described(app, "energy").await;
        assert_eq!(described["columns"][1]["description"], "discount (percent)");
    }
}

/// A table of the target `sales`, with its columns.
async fn described(app: &App, table: &str) -> Value {
    let arguments = json!({ "target": "sales", "tables": [table] });
    let (_, answer) = app.call_as("demo", "describe_tables", arguments).await;
    answer["result"]["tables"][0].clone()
}

#[tokio::test]
async fn a_row_that_may_be_a_sum_and_formulas_without_a_result_are_said_in_answers() {
    let replicas = Replicas::with(|_| {}).await;
    let app = &replicas.one;
    let text = "item;amount;price\na;10;2\nb;20;3\nTotal;31;3\nc;5;1\nSum;35;6\n";
    let preview = load(app, "filename=energy.csv", text).await;
    let said = notes(&preview);
    assert!(
        said.contains("row 4 (“Total”) is named as a sum or an average, but"),
        "{said}"
    );
    assert_eq!(preview["tables"][0]["left_out"], json!([6]), "{preview}");
    let table = described(app, "energy").await;
    let remark = table["remark"].as_str().unwrap();
    assert!(
        remark.starts_with("Row 4 (“Total”) of the file"),
        "{remark}"
    );
    load(app, "filename=a.xlsx", without_results()).await;
    let table = described(app, "energy").await;
    assert!(table.get("remark").is_none(), "{table}");
    assert_eq!(
        table["columns"][1]["remark"],
        "2 cells of Power kW are formulas without a result and are not counted."
    );
}

/// A workbook with a column of formulas, the first two without a result.
fn without_results() -> Vec<u8> {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet().set_name("Energy").unwrap();
    sheet.write(0, 0, "time").unwrap();
    sheet.write(0, 1, "Power kW").unwrap();
    for row in 1..=3_u32 {
        let time = format!("2025-06-03 12:0{row}");
        sheet.write(row, 0, time).unwrap();
        let result = if row == 3 { "2.5" } else { "77" };
        let formula = Formula::new("=1+1.5").set_result(result);
        sheet.write_formula(row, 1, formula).unwrap();
    }
    let whole = book.save_to_buffer().unwrap();
    // Programs that write formulas without calculating them leave the result out.
    let mut archive = zip::ZipArchive::new(Cursor::new(whole)).unwrap();
    let mut made = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for at in 0..archive.len() {
        let mut entry = archive.by_index(at).unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        let name = entry.name().unwrap().into_owned();
        if name.ends_with("sheet1.xml") {
            let text = String::from_utf8(bytes).unwrap();
            assert!(text.contains("<v>77</v>"), "{text}");
            bytes = text.replace("<v>77</v>", "").into_bytes();
        }
        let options = zip::write::SimpleFileOptions::default();
        made.start_file(name, options).unwrap();
        made.write_all(&bytes).unwrap();
    }
    made.finish().unwrap().into_inner()
}

#[tokio::test]
async fn formulas_that_were_never_calculated_are_named_by_column() {
    let replicas = Replicas::with(|_| {}).await;
    let preview = load(&replicas.one, "filename=a.xlsx", without_results()).await;
    assert!(
        notes(&preview).contains(
            "column “Power kW”: 2 formulas have no stored result, the first in row 2, and are empty"
        ),
        "{preview}"
    );
    assert_eq!(preview["tables"][0]["columns"][1]["empty"], 2);
    let plant = crate::import_support::Plant::new().await;
    let query = "filename=a.xlsx&logger_id=WR-1";
    let import = plant.upload(query, without_results()).await;
    let said = import["preview"]["notes"].to_string();
    assert!(
        said.contains("has 2 formulas without a stored result, the first in row 2"),
        "{import}"
    );
}

fn query(format: &str, sql: &str) -> String {
    form_urlencoded::Serializer::new(String::new())
        .append_pair("sql", sql)
        .append_pair("format", format)
        .finish()
}

#[tokio::test]
async fn the_rows_of_a_file_leave_whole() {
    const ROWS: usize = 12_345;
    let replicas = Replicas::with(|_| {}).await;
    let app = &replicas.one;
    let mut text = "number,name\n".to_owned();
    for number in 1..=ROWS {
        writeln!(text, "{number},=x{number}").unwrap();
    }
    load(app, "filename=many.csv", text).await;
    let token = app.token("demo", &["tools:read"]);
    let path =
        |format: &str, sql: &str| format!("/api/targets/sales/export?{}", query(format, sql));
    let sql = "SELECT number, name FROM many ORDER BY number";
    let (headers, bytes) = app.get_bytes(&path("csv", sql), &token).await;
    assert!(!headers.contains_key("x-truncated"), "{headers:?}");
    assert_eq!(
        headers["content-disposition"],
        "attachment; filename=\"sales.csv\""
    );
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().collect();
    assert_eq!((lines.len(), lines[0]), (ROWS + 1, "number,name"));
    assert_eq!(lines[ROWS], format!("{ROWS},'=x{ROWS}"));
    let (_, bytes) = app.get_bytes(&path("xlsx", sql), &token).await;
    let mut book: Xlsx<_> = open_workbook_from_rs(Cursor::new(bytes)).unwrap();
    let range = book.worksheet_range_at(0).unwrap().unwrap();
    assert_eq!(range.height(), ROWS + 1);
    // What is wrong with a query is known before the file begins.
    for wrong in [
        "SELECT nothing FROM many",
        "SELECT 1 / (number - 1) FROM many",
        "DELETE FROM many",
    ] {
        let (status, answer) =
            as_admin(app, "demo", Method::GET, &path("csv", wrong), Value::Null).await;
        assert_eq!(
            status,
            StatusCode::UNPROCESSABLE_ENTITY,
            "{wrong}: {answer}"
        );
    }
}

#[tokio::test]
async fn a_limit_that_cuts_the_rows_of_a_database_is_in_the_name_of_the_file() {
    let replicas = Replicas::with(|_| {}).await;
    let (app, shop) = (&replicas.one, shop().await);
    let many = "CREATE TABLE event AS SELECT n AS id FROM generate_series(1, 10500) AS n;
        GRANT SELECT ON event TO heliograph_added_reader";
    sqlx::raw_sql(many).execute(shop.pool()).await.unwrap();
    let body = reader("shop", &shop);
    let (status, made) = as_admin(app, "demo", Method::POST, "/api/targets", body).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let token = app.token("demo", &["tools:read"]);
    for format in ["csv", "xlsx"] {
        let path = format!(
            "/api/targets/shop/export?{}",
            query(format, "SELECT id FROM event")
        );
        let (headers, bytes) = app.get_bytes(&path, &token).await;
        assert_eq!(headers["x-truncated"], "true");
        assert_eq!(
            headers["content-disposition"],
            format!("attachment; filename=\"shop-first-10000-rows.{format}\"")
        );
        if format == "csv" {
            let text = String::from_utf8(bytes).unwrap();
            assert_eq!(text.lines().count(), 10_001, "nothing is added to the rows");
        }
    }
}
