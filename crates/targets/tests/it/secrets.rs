//! What must not get out, and what must not be done.

use targets::{Target, TargetConfig, TargetError};

use crate::fixture::{KEY, ask, both, json, limits, unchecked};

#[tokio::test]
async fn writes_are_refused_by_the_transaction_even_for_an_administrator() {
    for fixture in both().await {
        let target = fixture.admin_target();
        for sql in [
            "DELETE FROM crew",
            "INSERT INTO question VALUES (9, 'x')",
            "DROP TABLE crew",
        ] {
            let error = target
                .run(&unchecked(sql), &limits(&target))
                .await
                .unwrap_err();
            assert!(
                !matches!(error, TargetError::Unavailable { .. }),
                "{sql}: {error:?}"
            );
        }
        assert_eq!(
            ask(&target, "SELECT count(*) AS n FROM crew")
                .await
                .unwrap()
                .rows[0]["n"],
            3
        );
        assert_eq!(
            ask(&target, "SELECT count(*) AS n FROM question")
                .await
                .unwrap()
                .rows[0]["n"],
            2
        );
    }
}

#[tokio::test]
async fn writes_and_base_tables_are_refused_by_the_role() {
    for fixture in both().await {
        let target = fixture.target();
        for sql in [
            "DELETE FROM crew",
            "SELECT name FROM employee",
            "SELECT * FROM migration",
        ] {
            let error = target
                .run(&unchecked(sql), &limits(&target))
                .await
                .unwrap_err();
            let TargetError::Policy { message } = &error else {
                panic!("{sql}: {error:?}")
            };
            assert!(
                !message.contains("reader") && !message.contains("127.0.0.1"),
                "{message}"
            );
        }
    }
}

#[tokio::test]
async fn two_statements_are_none() {
    for fixture in both().await {
        let target = fixture.admin_target();
        let error = target
            .run(&unchecked("SELECT 1; COMMIT"), &limits(&target))
            .await
            .unwrap_err();
        assert!(matches!(error, TargetError::Rejected { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn the_key_decrypts_and_is_not_to_be_had() {
    for fixture in both().await {
        let target = fixture.target();
        let rows = ask(&target, "SELECT name FROM employee ORDER BY id")
            .await
            .unwrap();
        assert_eq!(json(&rows), r#"[{"name":"Ada"},{"name":"Ben"}]"#);
        for sql in [
            "SELECT @aesKey",
            "SELECT aes_key()",
            "SELECT current_setting('app.key')",
            "SELECT * FROM pg_settings",
            "SELECT * FROM information_schema.user_variables",
            "SELECT name FROM employee WHERE name = @aesKey",
        ] {
            assert!(
                target.check(sql, "demo", 10).await.unwrap().is_err(),
                "{sql}"
            );
        }
        let wrong = TargetConfig {
            session_variables: [].into(),
            ..fixture.config()
        };
        let rows = ask(
            &Target::new(wrong).unwrap(),
            "SELECT name FROM employee ORDER BY id",
        )
        .await
        .unwrap();
        assert!(rows.rows.iter().all(|row| row["name"].is_null()));
        assert!(!format!("{target:?}").contains(KEY));
    }
}

/// A failed cast quotes the value it failed on, which may be of a row that the filter would have
/// left out.
#[tokio::test]
async fn a_rejection_tells_no_values_and_no_views() {
    for fixture in both().await {
        let target = fixture.target();
        let sql = if fixture.dialect == "mariadb" {
            "SELECT (SELECT name FROM employee) AS n FROM crew"
        } else {
            "SELECT CAST(e.name AS int) AS n FROM employee e"
        };
        let error = ask(&target, sql).await.unwrap_err();
        let TargetError::Rejected { message } = &error else {
            panic!("{error:?}")
        };
        for secret in ["Ada", "Rita", "secure_", KEY] {
            assert!(!message.contains(secret), "{message}");
        }
    }
}
