//! Confirmed questions that name a period: they keep its words, and read its days again on each day
//! that they are asked. And what was confirmed before there was any of this.

use http::{Method, StatusCode};
use serde_json::{Value, json};
use targets::TargetConfig;

use crate::sql_targets::{Site, mariadb};

const QUESTION: &str = "How many orders were opened last week?";

/// Monday to Sunday of the week before 2026-06-01, a Monday.
const SQL: &str = "SELECT COUNT(*) AS n FROM work_order WHERE opened_at >= '2026-05-25' AND opened_at < '2026-06-01'";

async fn find(site: &Site, question: &str) -> Vec<Value> {
    let body = json!({ "question": question });
    let found = site.ok("demo", "find_past_questions", body).await;
    found["matches"].as_array().unwrap().clone()
}

async fn confirm(site: &Site, body: Value) -> Value {
    let (status, answer) = site.confirm("demo", body).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    answer
}

#[tokio::test]
async fn last_week_is_the_last_week_of_each_day_on_which_it_is_asked() {
    let target = mariadb().await;
    let targets = vec![target.config.clone()];
    let site = Site::over(targets.clone()).await;
    let kept = confirm(&site, json!({ "question": QUESTION, "sql": SQL })).await;
    assert_eq!(kept["result"]["periods"], json!(["last week"]), "{kept}");
    let found = find(&site, QUESTION).await;
    assert_eq!(found[0]["sql"], SQL);
    assert_eq!(
        found[0]["periods"],
        json!([{ "words": "last week", "from": "2026-05-25", "until": "2026-05-31" }])
    );

    // A week later, and on the last day of a year.
    let site = site.reopened_at("2026-06-10T08:00:00Z", targets.clone());
    let found = find(&site, QUESTION).await;
    assert_eq!(
        found[0]["sql"],
        SQL.replace("2026-06-01", "2026-06-08")
            .replace("2026-05-25", "2026-06-01")
    );
    let site = site.reopened_at("2026-12-31T23:59:00Z", targets);
    let found = find(&site, QUESTION).await;
    assert_eq!(
        found[0]["periods"],
        json!([{ "words": "last week", "from": "2026-12-21", "until": "2026-12-27" }])
    );
    let token = site.app.token("demo", &["tools:read"]);
    let (_, list) = site
        .app
        .send(Method::GET, "/api/questions", Some(&token), "")
        .await;
    let one = &list["questions"][0];
    assert!(one["sql"].as_str().unwrap().contains("{{week-1}}"), "{one}");
    assert!(
        one["sql_today"].as_str().unwrap().contains("2026-12-21"),
        "{one}"
    );
    // It runs.
    let rows = site
        .ok("demo", "run_sql", json!({ "sql": found[0]["sql"] }))
        .await;
    assert_eq!(rows["rows"], json!([{ "n": 0 }]));
}

#[tokio::test]
async fn what_was_written_before_midnight_means_the_day_before() {
    let target = mariadb().await;
    let site = Site::over(vec![target.config.clone()]).await;
    // Written on the Sunday before, when last week was another.
    let sql = SQL
        .replace("2026-05-25", "2026-05-18")
        .replace("2026-06-01", "2026-05-25");
    let body = json!({ "question": QUESTION, "sql": sql });
    assert_eq!(confirm(&site, body.clone()).await["status"], "error");
    let mut body = body;
    body["written_at"] = json!("2026-05-31T23:59:50Z");
    assert_eq!(confirm(&site, body).await["status"], "ok");
    assert_eq!(find(&site, QUESTION).await[0]["sql"], SQL);
}

#[tokio::test]
async fn days_that_cannot_be_tied_to_the_question_are_never_frozen() {
    let target = mariadb().await;
    let site = Site::over(vec![target.config.clone()]).await;
    for (question, condition, told) in [
        (QUESTION, "opened_at >= '2026-05-24'", "last week"),
        (QUESTION, "YEARWEEK(opened_at, 3) = 202622", "202622"),
        (QUESTION, "done", "last week"),
        (
            "Orders opened recently",
            "opened_at >= '2026-05-20'",
            "recently",
        ),
        (
            "How many orders were opened?",
            "opened_at >= '2026-05-25'",
            "2026-05-25",
        ),
    ] {
        let sql = format!("SELECT COUNT(*) AS n FROM work_order WHERE {condition}");
        let answer = confirm(&site, json!({ "question": question, "sql": sql })).await;
        assert_eq!(answer["status"], "error", "{answer}");
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains(told), "{message}");
        assert!(find(&site, question).await.is_empty());
    }
    // The database's own clock moves on its own; a day that the question names stays.
    for (question, condition) in [
        (QUESTION, "opened_at >= CURDATE() - INTERVAL 7 DAY"),
        (
            "Orders opened since 2026-05-25",
            "opened_at >= '2026-05-25'",
        ),
    ] {
        let sql = format!("SELECT COUNT(*) AS n FROM work_order WHERE {condition}");
        let answer = confirm(&site, json!({ "question": question, "sql": sql })).await;
        assert_eq!(answer["status"], "ok", "{answer}");
        assert_eq!(find(&site, question).await[0]["sql"], sql);
    }
}

#[tokio::test]
async fn the_operators_questions_follow_the_calendar_for_all() {
    let target = mariadb().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("questions.json");
    let curated = json!([{
        "question": "Orders opened this year",
        "sql": "SELECT COUNT(*) AS n FROM work_order WHERE opened_at >= '{{year+0}}' AND opened_at < '{{year+1}}'",
    }]);
    std::fs::write(&file, curated.to_string()).unwrap();
    let mut config: TargetConfig = target.config.clone();
    config.questions_file = Some(file);
    let site = Site::over(vec![config]).await;
    let found = find(&site, "orders opened this year").await;
    assert_eq!(
        (&found[0]["same"], &found[0]["source"]),
        (&json!(true), &json!("operator"))
    );
    assert_eq!(
        found[0]["periods"],
        json!([{ "words": "this year", "from": "2026-01-01", "until": "2026-12-31" }])
    );
    assert!(
        found[0]["sql"].as_str().unwrap().contains("'2027-01-01'"),
        "{found:?}"
    );
    // A person's own comes before it, for that person.
    let own = "SELECT COUNT(*) AS n FROM work_order WHERE YEAR(opened_at) = 2026";
    confirm(
        &site,
        json!({ "question": "Orders opened this year", "sql": own }),
    )
    .await;
    let found = find(&site, "orders opened this year").await;
    assert_eq!(
        (found.len(), &found[0]["source"], &found[0]["sql"]),
        (1, &json!("own"), &json!(own))
    );
    let token = site.app.token_of("bob", "demo", &["tools:read"]);
    let body = json!({ "question": "orders opened this year" }).to_string();
    let path = "/api/tools/find_past_questions";
    let (_, answer) = site.app.send(Method::POST, path, Some(&token), &body).await;
    assert_eq!(
        answer["result"]["matches"][0]["source"], "operator",
        "{answer}"
    );
}

/// As the schema was: no fingerprint, days as they were then, for the whole tenant.
async fn confirmed_before(site: &Site, question: &str, normalised: &str, sql: &str) {
    sqlx::query(
        "INSERT INTO tools.sql_questions (question_id, tenant, target, question, normalised, sql, tables, confirmed_by, confirmed_at)
         VALUES (gen_random_uuid(), 'demo', 'field', $1, $2, $3, '{work_order}', 'ada', '2026-05-20T10:00:00Z')",
    )
    .bind(question)
    .bind(normalised)
    .bind(sql)
    .execute(&site.app.pool)
    .await
    .unwrap();
}

#[tokio::test]
async fn what_was_confirmed_before_stays_with_its_owner_and_follows_the_calendar() {
    let target = mariadb().await;
    let site = Site::over(vec![target.config.clone()]).await;
    // As of 20 May, last week was 11 to 17 May.
    let then = SQL
        .replace("2026-05-25", "2026-05-11")
        .replace("2026-06-01", "2026-05-18");
    confirmed_before(
        &site,
        QUESTION,
        "how many order were opened last week",
        &then,
    )
    .await;
    let plain = "SELECT COUNT(*) AS n FROM work_order";
    confirmed_before(
        &site,
        "How many orders are there?",
        "how many order are there",
        plain,
    )
    .await;
    let frozen = "SELECT COUNT(*) AS n FROM work_order WHERE YEARWEEK(opened_at, 3) = 202620";
    confirmed_before(&site, "Orders of last week", "orders of last week", frozen).await;
    let invented = "SELECT 777 AS n";
    confirmed_before(&site, "How many crews?", "how many crew", invented).await;

    assert_eq!(find(&site, QUESTION).await[0]["sql"], SQL);
    assert_eq!(
        find(&site, "How many orders are there?").await[0]["sql"],
        plain
    );
    let token = site.app.token("demo", &["tools:read"]);
    let (_, list) = site
        .app
        .send(Method::GET, "/api/questions", Some(&token), "")
        .await;
    let list = list["questions"].as_array().unwrap();
    assert_eq!(list.len(), 4, "none is lost");
    let status = |question: &str| {
        let one = list.iter().find(|one| one["question"] == question).unwrap();
        (one["status"].as_str().unwrap(), one["released"] == true)
    };
    assert_eq!(status(QUESTION), ("ready", false));
    assert_eq!(status("How many orders are there?"), ("ready", false));
    assert_eq!(status("Orders of last week"), ("stale", false));
    assert_eq!(status("How many crews?"), ("stale", false));
    // A colleague is not answered by it any more.
    let token = site.app.token_of("bob", "demo", &["tools:read"]);
    let body = json!({ "question": QUESTION }).to_string();
    let path = "/api/tools/find_past_questions";
    let (_, answer) = site.app.send(Method::POST, path, Some(&token), &body).await;
    assert_eq!(answer["result"]["matches"], json!([]), "{answer}");
}
