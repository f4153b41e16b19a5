//! The permissions of the read-only role.

use field_service::{SECURE_VIEWS, TABLES};
use sqlx::{AssertSqlSafe, Executor, Row};

use crate::support::{demonstration, number, reader};

#[tokio::test]
async fn the_views_show_what_is_encrypted() {
    let database = demonstration().await;
    let mut reader = reader(&database).await;
    let row = sqlx::query(
        "SELECT firstName, lastName, email, phone, address, CAST(hourlyRate AS CHAR) FROM secure_employee \
         WHERE companyId = 1 ORDER BY id LIMIT 1",
    );
    let row = row.fetch_one(&mut reader).await.unwrap();
    let texts: Vec<String> = (0..6).map(|column| row.get(column)).collect();
    assert!(
        texts[2].contains('@') && texts[3].starts_with("+49"),
        "{texts:?}"
    );
    let rate: f64 = texts[5].parse().unwrap();
    assert!((14.0..60.0).contains(&rate));
    let umlauts = "SELECT COUNT(*) FROM secure_employee WHERE firstName = 'Jürgen' OR lastName IN ('Schäfer', 'Möller')";
    assert!(number(&mut reader, umlauts).await > 0);
    for (_, view) in SECURE_VIEWS {
        assert!(
            number(&mut reader, &format!("SELECT COUNT(*) FROM {view}")).await >= 20,
            "{view}"
        );
    }
}

#[tokio::test]
async fn without_the_key_the_views_hide_encrypted_values() {
    let database = demonstration().await;
    let mut reader = reader(&database).await;
    reader.execute("SET @aesKey = NULL").await.unwrap();
    assert_eq!(
        number(&mut reader, "SELECT COUNT(firstName) FROM secure_employee").await,
        0
    );
    assert_eq!(
        number(&mut reader, "SELECT COUNT(id) FROM secure_employee").await,
        40
    );
    reader.execute("SET @aesKey = 'guess'").await.unwrap();
    assert_eq!(
        number(&mut reader, "SELECT COUNT(firstName) FROM secure_employee").await,
        0
    );
}

#[tokio::test]
async fn base_tables_the_function_and_writes_are_rejected() {
    let database = demonstration().await;
    let mut reader = reader(&database).await;
    let mut refused = vec![
        "SELECT sessionKey()".to_owned(),
        "SELECT * FROM demoLoad".to_owned(),
        "UPDATE note SET noteText = ''".to_owned(),
        "DELETE FROM workTime".to_owned(),
        "INSERT INTO role VALUES (9, 'x', 'x', 0)".to_owned(),
        "UPDATE secure_employee SET isActive = 0".to_owned(),
        "CREATE TABLE mine (n INT)".to_owned(),
        "CREATE VIEW mine AS SELECT 1".to_owned(),
        "DROP TABLE note".to_owned(),
        "SELECT * FROM mysql.global_priv".to_owned(),
        "SELECT 1 INTO OUTFILE 'x'".to_owned(),
    ];
    refused.extend(SECURE_VIEWS.map(|(table, _)| format!("SELECT id FROM `{table}`")));
    for statement in refused {
        let error = reader
            .execute(AssertSqlSafe(statement.clone()))
            .await
            .unwrap_err();
        let text = error.to_string();
        assert!(text.contains("denied"), "{statement}: {text}");
    }
}

#[tokio::test]
async fn all_tables_can_be_read_and_all_but_the_views_can_be_explained() {
    let database = demonstration().await;
    let mut reader = reader(&database).await;
    for table in TABLES {
        let view = SECURE_VIEWS
            .iter()
            .find(|(name, _)| *name == table)
            .map(|(_, view)| *view);
        let name = view.unwrap_or(table);
        let explain = format!("EXPLAIN SELECT * FROM `{name}` WHERE id = 1");
        let explained = reader.execute(AssertSqlSafe(explain)).await;
        assert_eq!(explained.is_ok(), view.is_none(), "{name}");
        assert!(number(&mut reader, &format!("SELECT COUNT(*) FROM `{name}`")).await > 0);
    }
}

#[tokio::test]
async fn the_keys_of_protected_tables_are_visible_but_not_their_rows() {
    let database = demonstration().await;
    let mut reader = reader(&database).await;
    let keys = "SELECT COUNT(*) FROM information_schema.key_column_usage WHERE table_schema = DATABASE() \
        AND table_name = 'workOrder' AND referenced_table_name = 'customer'";
    assert_eq!(number(&mut reader, keys).await, 1);
    let readable = "SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = DATABASE() \
        AND table_name = 'workOrder' AND privileges LIKE '%select%'";
    assert_eq!(number(&mut reader, readable).await, 0);
}
