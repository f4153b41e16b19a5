//! Plexlog: SQLite files as SQLite writes them.

use plant_files::{Format, Role};
use serde_json::json;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};
use sqlx::{ConnectOptions as _, Connection as _};

use crate::{brief, import, meta, row};

/// The bytes of a database that these statements make.
pub(crate) async fn database(page_size: u32, encoding: &str, statements: &[String]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.s3db");
    let options = SqliteConnectOptions::new()
        .filename(&path)
        .create_if_missing(true)
        .page_size(page_size)
        .pragma("encoding", format!("'{encoding}'"))
        .journal_mode(SqliteJournalMode::Delete);
    let mut connection = options.connect().await.unwrap();
    for statement in statements {
        sqlx::query(sqlx::AssertSqlSafe(statement.clone()))
            .execute(&mut connection)
            .await
            .unwrap();
    }
    connection.close().await.unwrap();
    std::fs::read(path).unwrap()
}

fn table() -> String {
    "CREATE TABLE [tbl_inverterdata] (id_inverter INTEGER NOT NULL, acproduction NUMERIC(10, 2), \"optionalvalue\" TEXT, timestamp TEXT, PRIMARY KEY (id_inverter, timestamp))".to_owned()
}

fn insert(id: u32, power: &str, options: &str, time: &str) -> String {
    format!("INSERT INTO tbl_inverterdata VALUES ({id}, {power}, '{options}', '{time}')")
}

#[tokio::test]
async fn devices_are_classified_and_keep_their_lifetime_register() {
    let long = format!("tot:102;note:{}", "x".repeat(9000));
    let bytes = database(
        1024,
        "UTF-8",
        &[
            table(),
            insert(
                1,
                "0",
                "tot:99.5;UAC:230,5;p01:10",
                "2024-06-01T23:50:00.0000000",
            ),
            insert(1, "0", "tot:100", "2024-06-01T23:55:00.0000000"),
            insert(1, "2400.5", "tot:101;t00:40", "2024-06-02T12:00:00.0000000"),
            insert(1, "-7", &long, "2024-06-02T12:05:00.0000000"),
            insert(10, "1500", "tot:5", "2024-06-02T12:00:00.0000000"),
            insert(2, "712", "tce:40;wds:2", "2024-06-02T12:00:00.0000000"),
            insert(
                3,
                "3000",
                "exp:1;imp:2;frq:50",
                "2024-06-02T12:00:00.0000000",
            ),
            insert(1, "NULL", "tot:103", "2024-06-02T12:10:00.0000000"),
            insert(1, "5", "tot:103", "2024-06-31T12:10:00.0000000"),
        ],
    )
    .await;
    let (format, rows) = import("data_01_06_2024_12_00.s3db", &bytes).unwrap();
    assert_eq!(format, Format::Plexlog);
    let all: Vec<_> = rows.records().cloned().collect();
    assert_eq!(
        brief(&all),
        [
            row(
                "roof-plexlog-1",
                "2024-06-01 23:50:00",
                Some(0.0),
                None,
                None
            ),
            row(
                "roof-plexlog-1",
                "2024-06-01 23:55:00",
                Some(0.0),
                None,
                None
            ),
            row(
                "roof-plexlog-1",
                "2024-06-02 12:00:00",
                Some(2400.5),
                None,
                None
            ),
            row(
                "roof-plexlog-1",
                "2024-06-02 12:05:00",
                Some(-7.0),
                None,
                None
            ),
            row(
                "roof-plexlog-10",
                "2024-06-02 12:00:00",
                Some(1500.0),
                None,
                None
            ),
            row(
                "roof-plexlog-2",
                "2024-06-02 12:00:00",
                None,
                None,
                Some(712.0)
            ),
            row(
                "roof-plexlog-3",
                "2024-06-02 12:00:00",
                Some(3000.0),
                None,
                None
            ),
            row("roof-plexlog-1", "2024-06-02 12:10:00", None, None, None),
        ]
    );
    assert_eq!(meta(&all[1], "energyLifetimeKwh"), &json!(100.0));
    let roles: Vec<_> = all[4..7].iter().map(|record| record.role).collect();
    assert_eq!(roles, [Role::Inverter, Role::Weather, Role::Meter]);
    assert_eq!(meta(&all[0], "voltageAcV"), &json!(230.5));
    assert_eq!(meta(&all[3], "note").as_str().unwrap().len(), 9000);
    assert_eq!(rows.refusals().count(), 1);
}

#[tokio::test]
async fn many_pages_of_any_size_and_encoding_are_read() {
    for (page_size, encoding) in [(512, "UTF-8"), (4096, "UTF-16le"), (65536, "UTF-16be")] {
        let many = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4999) \
                    INSERT INTO tbl_inverterdata SELECT 4, i, 'tot:' || i, strftime('%Y-%m-%dT%H:%M:%S', 1717200000 + i * 60, 'unixepoch') FROM n";
        let bytes = database(page_size, encoding, &[table(), many.to_owned()]).await;
        let (_, rows) = import("x.db", &bytes).unwrap();
        let powers: Vec<_> = rows.records().filter_map(|record| record.power_w).collect();
        assert_eq!(powers.len(), 5000, "{page_size}");
        assert_eq!((powers[0], powers[4999]), (0.0, 4999.0));
    }
}

#[tokio::test]
async fn other_and_damaged_databases_are_refused() {
    let config = database(1024, "UTF-8", &["CREATE TABLE settings (a)".to_owned()]).await;
    let reason = import("config_01.s3db", &config).unwrap_err().to_string();
    assert!(
        reason.contains("no table tbl_inverterdata (it has settings)"),
        "{reason}"
    );
    let many = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 150) \
                INSERT INTO tbl_inverterdata SELECT 4, i, 'tot:' || i, strftime('%Y-%m-%dT%H:%M:%S', 1717200000 + i * 60, 'unixepoch') FROM n";
    let good = database(512, "UTF-8", &[table(), many.to_owned()]).await;
    let cut = import("data.s3db", &good[..good.len() / 2])
        .unwrap_err()
        .to_string();
    assert!(cut.contains("damaged"), "{cut}");
    // Any byte may be wrong: an error or rows, never a panic or a loop without an end.
    for place in (0..good.len()).step_by(37) {
        let mut broken = good.clone();
        broken[place] ^= 0xff;
        let _ = import("data.s3db", &broken);
    }
}
