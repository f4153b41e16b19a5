//! Catalogues that are read again: by themselves when a name is not known, and on demand.

use http::{Method, StatusCode};
use serde_json::{Value, json};

use sqlx::AssertSqlSafe;
use targets::TargetConfig;
use test_support::database::TestDatabase;

use crate::added_targets::{Replicas, as_admin, reader, reader_url, shop};
use crate::harness::App;
use crate::sql_targets::{Site, both, mariadb};

async fn refreshed(
    site: &Site,
    tenant: &str,
    scopes: &[&str],
    target: &str,
) -> (StatusCode, Value) {
    let token = site.app.token(tenant, scopes);
    let path = format!("/api/targets/{target}/refresh");
    site.app.send(Method::POST, &path, Some(&token), "").await
}

const ADMIN: [&str; 2] = ["tools:read", "questions:approve"];

#[tokio::test]
async fn a_renamed_column_is_answered_by_its_new_name_and_refused_by_its_old_one() {
    for target in both().await {
        let mut config = target.config.clone();
        config.catalogue_pause_seconds = 3600;
        let site = Site::over(vec![config]).await;
        let run = |sql: &str| json!({ "sql": sql });
        site.ok("demo", "run_sql", run("SELECT name FROM crew"))
            .await;
        target
            .execute("ALTER TABLE crew RENAME COLUMN name TO title")
            .await;
        // The old name passes the guard, and the database does not know it.
        let old = site
            .call("demo", "run_sql", run("SELECT name FROM crew"))
            .await;
        assert_eq!(old["result"]["outcome"], "refused", "{old}");
        let finding = &old["result"]["findings"][0];
        assert_eq!(finding["kind"], "unknown_column");
        assert!(
            finding["message"].as_str().unwrap().contains("title"),
            "{old}"
        );
        assert_eq!(
            old["result"]["person"],
            "There is no column \u{201c}name\u{201d} that you may see. Near to it: employee.",
            "{old}"
        );
        let new = site
            .ok("demo", "run_sql", run("SELECT title FROM crew ORDER BY id"))
            .await;
        assert_eq!(new["rows"][0]["title"], "demo-north");
    }
}

#[tokio::test]
async fn a_new_column_is_known_to_the_check_at_once() {
    for target in both().await {
        let site = Site::over(vec![target.config.clone()]).await;
        site.ok("demo", "list_tables", json!({})).await;
        target
            .execute("ALTER TABLE crew ADD COLUMN van varchar(20)")
            .await;
        let check = site
            .ok(
                "demo",
                "check_sql",
                json!({ "sql": "SELECT van FROM crew" }),
            )
            .await;
        assert_eq!(check["valid"], true, "{check}");
        let described = site
            .ok("demo", "describe_tables", json!({ "tables": ["crew"] }))
            .await;
        assert!(described.to_string().contains("\"van\""), "{described}");
        // Rows are still the tenant's own.
        let rows = site
            .ok(
                "demo",
                "run_sql",
                json!({ "sql": "SELECT id, van FROM crew" }),
            )
            .await;
        assert_eq!(rows["row_count"], 2, "{rows}");
    }
}

#[tokio::test]
async fn a_confirmed_question_is_stale_when_its_column_is_gone() {
    for target in both().await {
        let site = Site::over(vec![target.config.clone()]).await;
        let confirm =
            json!({ "question": "Which crews are there?", "sql": "SELECT name FROM crew" });
        assert_eq!(site.confirm("demo", confirm).await.0, StatusCode::OK);
        let find = json!({ "question": "which crews are there" });
        let found = site.ok("demo", "find_past_questions", find.clone()).await;
        assert_eq!(found["matches"][0]["same"], true, "{found}");
        target
            .execute("ALTER TABLE crew RENAME COLUMN name TO title")
            .await;
        let (status, read) = refreshed(&site, "demo", &ADMIN, "field").await;
        assert_eq!(status, StatusCode::OK, "{read}");
        assert_eq!(
            read["changed"],
            json!([{ "name": "crew", "added": ["title"], "removed": ["name"], "retyped": [] }])
        );
        assert_eq!((&read["added"], &read["tables"]), (&json!([]), &json!(5)));
        let found = site.ok("demo", "find_past_questions", find).await;
        assert_eq!(found["matches"], json!([]), "{found}");
    }
}

#[tokio::test]
async fn only_who_looks_after_questions_may_have_a_target_read() {
    let target = mariadb().await;
    let site = Site::over(vec![target.config.clone()]).await;
    let (status, _) = refreshed(&site, "demo", &["tools:read", "questions:write"], "field").await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    let (status, problem) = refreshed(&site, "demo", &ADMIN, "ghost").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert!(
        problem["detail"].as_str().unwrap().contains("field"),
        "{problem}"
    );
    let (status, problem) = refreshed(&site, "nobody", &ADMIN, "field").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert!(
        !problem.to_string().contains("There is: field"),
        "{problem}"
    );
}

#[tokio::test]
async fn what_is_wrong_is_told_in_two_ways() {
    for target in both().await {
        let mut config = target.config.clone();
        config.max_estimated_rows = 10;
        let site = Site::over(vec![config]).await;
        for (sql, outcome) in [
            ("SELECT nme FROM crew", "refused"),
            ("SELECT * FROM migration", "refused"),
            ("DELETE FROM crew", "refused"),
            ("SELECT 1; SELECT 2", "refused"),
            (
                "SELECT a.id FROM work_time a, work_time b, employee c",
                "too_expensive",
            ),
        ] {
            let run = site.call("demo", "run_sql", json!({ "sql": sql })).await;
            assert_eq!(run["result"]["outcome"], outcome, "{sql}: {run}");
            let person = run["result"]["person"].as_str().unwrap();
            let lower = person.to_lowercase();
            assert!(!person.is_empty(), "{sql}");
            for word in [
                "select ",
                "secure_",
                "did you mean",
                "available columns",
                "ask for less",
                "fewer tables",
                "company_id",
            ] {
                assert!(!lower.contains(word), "{sql}: {person}");
            }
        }
    }
}

#[tokio::test]
async fn a_renamed_filter_column_is_noticed_within_the_pause_of_readings() {
    for target in both().await {
        let mut config = target.config.clone();
        config.catalogue_pause_seconds = 3600;
        let site = Site::over(vec![config]).await;
        let run = |sql: &str| json!({ "sql": sql });
        let count = "SELECT COUNT(*) AS n FROM crew";
        site.ok("demo", "run_sql", run(count)).await;
        // The pause begins.
        site.call("demo", "run_sql", run("SELECT ghost FROM crew"))
            .await;
        target
            .execute("ALTER TABLE crew RENAME COLUMN company_id TO tenant_id")
            .await;
        let refused = site.call("demo", "run_sql", run(count)).await;
        assert_eq!(refused["result"]["outcome"], "refused", "{refused}");
        assert_eq!(
            refused["result"]["findings"][0]["kind"], "unknown_table",
            "{refused}"
        );
        assert!(!refused.to_string().contains("_id"), "{refused}");
    }
}

/// A question in words asks for tables, and no statement names the one that is hidden.
#[tokio::test]
async fn a_filter_column_that_is_renamed_back_is_known_to_a_question_in_words() {
    for target in both().await {
        let mut config = target.config.clone();
        config.catalogue_pause_seconds = 0;
        let site = Site::over(vec![config]).await;
        let list = json!({ "question": "How many crews are there?", "limit": 20 });
        let run = json!({ "sql": "SELECT COUNT(*) AS n FROM crew" });
        let has_crew = |list: &Value| {
            let mut tables = list["tables"].as_array().unwrap().iter();
            tables.any(|table| table["name"] == "crew")
        };
        site.ok("demo", "run_sql", run.clone()).await;
        target
            .execute("ALTER TABLE crew RENAME COLUMN company_id TO tenant_id")
            .await;
        let refused = site.call("demo", "run_sql", run.clone()).await;
        assert_eq!(refused["result"]["outcome"], "refused", "{refused}");
        assert!(!refused.to_string().contains("_id"), "{refused}");
        assert!(!has_crew(
            &site.ok("demo", "list_tables", list.clone()).await
        ));
        target
            .execute("ALTER TABLE crew RENAME COLUMN tenant_id TO company_id")
            .await;
        assert!(has_crew(&site.ok("demo", "list_tables", list).await));
        let rows = site.ok("demo", "run_sql", run).await;
        assert_eq!(rows["rows"][0]["n"], 2, "{rows}");
    }
}

#[tokio::test]
async fn a_role_that_may_write_now_stops_its_target_and_no_other() {
    for target in both().await {
        let mut config = target.config.clone();
        config.role_seconds = 0;
        let other = targets::TargetConfig {
            name: "other".to_owned(),
            allow_writing_role: true,
            ..config.clone()
        };
        let url = secrecy::ExposeSecret::expose_secret(config.url.as_ref().unwrap()).to_owned();
        let site = Site::over(vec![config, other]).await;
        let run = |target: &str| json!({ "sql": "SELECT name FROM crew", "target": target });
        site.ok("demo", "run_sql", run("field")).await;
        let (_, rest) = url.split_once("://").unwrap();
        let role = rest.split_once(':').unwrap().0;
        let role = if url.starts_with("mysql") {
            format!("'{role}'@'%'")
        } else {
            role.to_owned()
        };
        target
            .execute(&format!("GRANT INSERT ON crew TO {role}"))
            .await;
        // The answer to a refresh says what to revoke; other answers only that it is refused.
        let (_, told) = refreshed(&site, "demo", &ADMIN, "field").await;
        let detail = told["detail"].as_str().unwrap();
        assert!(
            detail.contains("INSERT on") && detail.contains("REVOKE INSERT ON"),
            "{told}"
        );
        for (tool, arguments) in [
            ("run_sql", run("field")),
            ("check_sql", run("field")),
            ("list_tables", json!({ "target": "field" })),
            (
                "describe_tables",
                json!({ "tables": ["crew"], "target": "field" }),
            ),
        ] {
            let answer = site.call("demo", tool, arguments).await;
            let message = answer["message"].as_str().unwrap();
            assert!(
                message.contains(
                    "'field' is not asked: the role that it is read with may do more than read"
                ),
                "{tool}: {answer}"
            );
        }
        // Without a name the next one is asked; the service is ready.
        let list = site.ok("demo", "list_tables", json!({})).await;
        assert_eq!(list["target"], "other", "{list}");
        assert!(list["targets"][0]["problem"].is_string(), "{list}");
        let (status, ready) = site.app.send(Method::GET, "/health/ready", None, "").await;
        assert_eq!(status, StatusCode::OK, "{ready}");
        assert!(
            ready
                .to_string()
                .contains("field is not asked: its role may do more than read"),
            "{ready}"
        );
        target
            .execute(&format!("REVOKE INSERT ON crew FROM {role}"))
            .await;
        site.ok("demo", "run_sql", run("field")).await;
    }
}

/// Whether the layer of the target `shop` has this column of the customers.
async fn shows(app: &App, column: &str) -> bool {
    let path = "/api/targets/shop";
    let (status, details) = as_admin(app, "demo", Method::GET, path, Value::Null).await;
    assert_eq!(status, StatusCode::OK, "{details}");
    let tables = details["layer"]["tables"].as_array().unwrap();
    let table = tables.iter().find(|table| table["name"] == "customer");
    let columns = table.unwrap()["columns"].as_array().unwrap();
    columns.iter().any(|one| one["name"] == column)
}

/// One process is asked to read the catalogue; the others read it, too, when they look next.
async fn all_read_it_again(replicas: &Replicas, shop: &TestDatabase) {
    let (one, other) = (&replicas.one, &replicas.other);
    for column in ["phone", "street"] {
        for app in [one, other] {
            assert!(!shows(app, column).await);
        }
        let sql = format!("ALTER TABLE customer ADD COLUMN {column} varchar(40)");
        sqlx::raw_sql(AssertSqlSafe(sql))
            .execute(shop.pool())
            .await
            .unwrap();
        for app in [one, other] {
            assert!(!shows(app, column).await, "{column} is not known yet");
        }
        let path = "/api/targets/shop/refresh";
        let (status, read) = as_admin(one, "demo", Method::POST, path, Value::Null).await;
        assert_eq!(status, StatusCode::OK, "{read}");
        assert_eq!(read["changed"][0]["added"], json!([column]), "{read}");
        for app in [other, one] {
            assert!(shows(app, column).await, "{column} is known to all");
        }
    }
    // A test that follows reads nothing.
    let sql = "ALTER TABLE customer ADD COLUMN fax varchar(40)";
    sqlx::raw_sql(sql).execute(shop.pool()).await.unwrap();
    let path = "/api/targets/shop/test";
    let (status, tested) = as_admin(one, "demo", Method::POST, path, Value::Null).await;
    assert_eq!(status, StatusCode::OK, "{tested}");
    assert!(!shows(other, "fax").await);
}

#[tokio::test]
async fn a_catalogue_of_the_configuration_is_read_again_in_every_process() {
    for enabled in [true, false] {
        let shop = shop().await;
        let url = reader_url(&shop);
        let replicas = Replicas::with(|config| {
            config.added_targets.enabled = enabled;
            config.targets = vec![TargetConfig::new("shop", url.as_str())];
        })
        .await;
        all_read_it_again(&replicas, &shop).await;
    }
}

#[tokio::test]
async fn a_catalogue_that_a_tenant_added_is_read_again_in_every_process() {
    let replicas = Replicas::with(|_| {}).await;
    let shop = shop().await;
    let body = reader("shop", &shop);
    let (status, made) = as_admin(&replicas.one, "demo", Method::POST, "/api/targets", body).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    all_read_it_again(&replicas, &shop).await;
}
