//! The memory that a result uses in this process, however large a cell is.

use targets::{Cut, Limits};

use crate::fixture::{Admin, Fixture, both, limits, postgres, unchecked};

/// Peak memory of this process, kilobytes.
fn high_water() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let value = line.unwrap().split_whitespace().nth(1).unwrap();
    value.parse().unwrap()
}

const HUGE: u64 = 200_000_000;

#[tokio::test]
async fn a_huge_cell_stays_in_the_database() {
    let fixture = postgres().await;
    let sql = format!(
        "CREATE TABLE page (id INT PRIMARY KEY, body TEXT, raw BYTEA, tree JSON, words TEXT[]);
         INSERT INTO page VALUES (1, 'short', 'short', '{{\"a\": [1, 2]}}', ARRAY['a', NULL]);
         INSERT INTO page (id, body) VALUES (2, repeat('x', {HUGE}));
         INSERT INTO page (id, raw) VALUES (3, repeat('x', {HUGE})::bytea);
         INSERT INTO page (id, tree) VALUES (4, ('\"' || repeat('x', {HUGE}) || '\"')::json);
         INSERT INTO page (id, words) VALUES (5, ARRAY[repeat('x', {HUGE})]);"
    );
    fixture.admin.run(&sql).await;
    let target = fixture.admin_target();
    let short = r#"{"id":1,"body":"short","raw":"c2hvcnQ=","tree":{"a":[1,2]},"words":["a",null]}"#;
    target.catalogue().await.unwrap();
    for huge in 2..=5 {
        let before = high_water();
        let sql = format!("SELECT * FROM page WHERE id IN (1, {huge}) ORDER BY id LIMIT 100");
        let found = target
            .run(&unchecked(&sql), &limits(&target))
            .await
            .unwrap();
        assert_eq!((found.truncated, found.cut), (true, Some(Cut::Bytes)));
        assert_eq!(
            serde_json::to_string(&found.rows).unwrap(),
            format!("[{short}]")
        );
        let grown = high_water() - before;
        assert!(grown < 100_000, "{grown} kB for a cell of {HUGE} bytes");
    }
    // As the sum of many cells that would be small each by themselves.
    let sql = "SELECT string_agg(repeat('a', 1000), ',') AS s FROM generate_series(1, 200000)";
    let found = target.run(&unchecked(sql), &limits(&target)).await.unwrap();
    assert_eq!((found.rows.len(), found.cut), (0, Some(Cut::Bytes)));
    assert_eq!(found.columns.len(), 1);
}

async fn texts(fixture: &Fixture) {
    let series = if matches!(fixture.admin, Admin::MariaDb(_)) {
        "SELECT seq AS n FROM seq_1_to_3000"
    } else {
        "SELECT generate_series(1, 3000) AS n"
    };
    let sql = format!(
        "CREATE TABLE line (n INT NOT NULL, text VARCHAR(200));
         INSERT INTO line SELECT s.n, CASE WHEN s.n % 7 > 0 THEN concat('line ', s.n) END FROM ({series}) AS s;"
    );
    fixture.admin.run(&sql).await;
}

#[tokio::test]
async fn rows_within_the_limit_come_as_they_are_and_in_their_order() {
    for fixture in both().await {
        texts(&fixture).await;
        let target = fixture.admin_target();
        let limits = Limits {
            max_rows: 3000,
            ..limits(&target)
        };
        for (order, first) in [("ASC", 1), ("DESC", 3000)] {
            let sql = format!(
                "SELECT l.n, l.text, l.n AS n, lower(l.text) AS text FROM line l JOIN line m ON m.n = l.n ORDER BY l.n {order} LIMIT 3001"
            );
            let found = target.run(&unchecked(&sql), &limits).await.unwrap();
            assert_eq!((found.rows.len(), found.cut), (3000, None));
            let mut expected: i64 = first;
            for row in &found.rows {
                assert_eq!(row["n"], expected);
                assert_eq!(row["n_2"], expected);
                let text = (expected % 7 > 0).then(|| format!("line {expected}"));
                assert_eq!(row["text"].as_str(), text.as_deref());
                assert_eq!(row["text_2"].as_str(), text.as_deref());
                expected += if order == "ASC" { 1 } else { -1 };
            }
        }
    }
}
