//! Confirmed questions: kept per tenant and target, found again by likeness, removed with their
//! tables.

use http::StatusCode;
use serde_json::{Value, json};

use crate::sql_targets::{Site, both, mariadb};

const QUESTION: &str = "How many hours did each crew work?";
const SQL: &str = "SELECT c.name, SUM(t.hours) AS hours FROM crew c JOIN work_order w ON w.crew_id = c.id \
                   JOIN work_time t ON t.work_order_id = w.id GROUP BY c.name";

async fn confirm(site: &Site, tenant: &str, question: &str, sql: &str) -> Value {
    let (status, answer) = site
        .confirm(tenant, json!({ "question": question, "sql": sql }))
        .await;
    assert_eq!(
        (status, &answer["status"]),
        (StatusCode::OK, &json!("ok")),
        "{answer}"
    );
    answer["result"].clone()
}

/// The questions that a person of the tenant finds; `ada` confirms them.
async fn find(site: &Site, tenant: &str, question: &str) -> Vec<Value> {
    let found = site
        .ok(
            tenant,
            "find_past_questions",
            json!({ "question": question }),
        )
        .await;
    assert_eq!(found["by_meaning"], false);
    found["matches"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_question_is_found_by_itself_and_by_its_like() {
    for target in both().await {
        let site = Site::over(vec![target.config.clone()]).await;
        let kept = confirm(&site, "demo", QUESTION, SQL).await;
        assert_eq!(kept["created"], true);
        for same in [
            QUESTION,
            "how many hours did each crew work",
            "HOW MANY HOURS DID EACH CREW WORK?!",
            "Please tell me how many hours did each crews work.",
        ] {
            let found = find(&site, "demo", same).await;
            assert_eq!(
                (&found[0]["same"], &found[0]["score"], &found[0]["id"]),
                (&json!(true), &json!(1.0), &kept["id"]),
                "{same}"
            );
            assert_eq!(
                (&found[0]["sql"], &found[0]["question"]),
                (&json!(SQL), &json!(QUESTION))
            );
            assert_eq!(
                found[0]["tables"],
                json!(["crew", "work_order", "work_time"])
            );
            assert_eq!(found[0]["confirmed_at"], "2026-06-01T12:00:00Z");
        }
        let alike = find(
            &site,
            "demo",
            "How many hours did every crew work last week?",
        )
        .await;
        assert_eq!(alike[0]["same"], false);
        let score = alike[0]["score"].as_f64().unwrap();
        assert!((0.5..1.0).contains(&score), "{score}");
        assert!(
            find(&site, "demo", "Which questions are asked at inspections?")
                .await
                .is_empty()
        );

        // What was found runs again.
        let rows = site
            .ok("demo", "run_sql", json!({ "sql": alike[0]["sql"] }))
            .await;
        assert_eq!(
            rows["rows"],
            json!([{ "name": "demo-north", "hours": 450.0 }])
        );
    }
}

#[tokio::test]
async fn numbers_names_and_negations_make_another_question() {
    let target = mariadb().await;
    let site = Site::over(vec![target.config.clone()]).await;
    for (question, other) in [
        ("top 5 crews by hours", "top 10 crews by hours"),
        ("work orders that are done", "work orders that are not done"),
        ("hours of Williams", "hours of William"),
    ] {
        confirm(&site, "demo", question, "SELECT name FROM crew").await;
        let found = find(&site, "demo", other).await;
        assert!(
            found.iter().all(|found| found["same"] == false),
            "{found:?}"
        );
        assert!(confirm(&site, "demo", other, "SELECT id FROM crew").await["created"] == true);
        let found = find(&site, "demo", other).await;
        assert_eq!(
            (&found[0]["same"], &found[0]["sql"], &found[1]["same"]),
            (&json!(true), &json!("SELECT id FROM crew"), &json!(false))
        );
    }
}

#[tokio::test]
async fn the_same_question_gets_the_new_query() {
    let target = mariadb().await;
    let site = Site::over(vec![target.config.clone()]).await;
    let first = confirm(
        &site,
        "demo",
        "Which crews are there?",
        "SELECT name FROM crew",
    )
    .await;
    let second = confirm(
        &site,
        "demo",
        "which crews are there",
        "SELECT id, name FROM crew",
    )
    .await;
    assert_eq!(
        (&first["created"], &second["created"], &first["id"]),
        (&json!(true), &json!(false), &second["id"])
    );
    let found = find(&site, "demo", "Which crews are there?").await;
    assert_eq!(
        (found.len(), &found[0]["sql"]),
        (1, &json!("SELECT id, name FROM crew"))
    );
    let limited = site
        .ok(
            "demo",
            "find_past_questions",
            json!({ "question": "Which crews are there?", "limit": 1 }),
        )
        .await;
    assert_eq!(limited["matches"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_tenants_questions_are_its_own_and_a_targets_too() {
    let target = mariadb().await;
    let mut second = target.config.clone();
    second.name = "second".to_owned();
    let site = Site::over(vec![target.config.clone(), second]).await;
    confirm(&site, "demo", QUESTION, SQL).await;
    assert!(find(&site, "rival", QUESTION).await.is_empty());
    assert_eq!(
        confirm(&site, "rival", QUESTION, "SELECT name FROM crew").await["created"],
        true
    );
    assert_eq!(find(&site, "demo", QUESTION).await[0]["sql"], SQL);
    let elsewhere = site
        .ok(
            "demo",
            "find_past_questions",
            json!({ "question": QUESTION, "target": "second" }),
        )
        .await;
    assert_eq!(elsewhere["matches"], json!([]));
}

#[tokio::test]
async fn what_does_not_pass_the_guard_is_not_kept() {
    let target = mariadb().await;
    let site = Site::over(vec![target.config.clone()]).await;
    for sql in [
        "DROP TABLE crew",
        "SELECT secret FROM crew",
        "SELECT * FROM migration",
        // No table: the answer is in the query.
        "SELECT 777 AS technicians",
        "WITH n AS (SELECT 777 AS technicians) SELECT technicians FROM n",
    ] {
        let (status, answer) = site
            .confirm("demo", json!({ "question": "What is it?", "sql": sql }))
            .await;
        assert_eq!(
            (status, &answer["status"]),
            (StatusCode::OK, &json!("error")),
            "{answer}"
        );
        assert!(
            !answer["message"].as_str().unwrap().is_empty() && answer.get("result").is_none(),
            "{answer}"
        );
    }
    let arguments = [
        json!({ "question": "   ", "sql": "SELECT name FROM crew" }),
        json!({ "question": "a\u{0}b", "sql": "SELECT name FROM crew" }),
    ];
    for arguments in arguments {
        let (status, problem) = site.confirm("demo", arguments).await;
        assert_eq!(
            (status, &problem["errors"][0]["pointer"]),
            (StatusCode::UNPROCESSABLE_ENTITY, &json!("/question"))
        );
    }
    assert!(find(&site, "demo", "What is it?").await.is_empty());
    let long = "ä€𝄞 ".repeat(500);
    assert_eq!(
        confirm(&site, "demo", &long, "SELECT name FROM crew").await["created"],
        true
    );
    assert_eq!(
        confirm(&site, "demo", &long, "SELECT name FROM crew").await["created"],
        false
    );
}

#[tokio::test]
async fn a_question_goes_with_its_tables() {
    for target in both().await {
        let mut config = target.config.clone();
        config.policy_file = None;
        config.tenants = vec!["demo".to_owned()];
        config.catalogue_seconds = 3600;
        let site = Site::over(vec![config.clone()]).await;
        confirm(
            &site,
            "demo",
            "Which questions are there?",
            "SELECT text FROM question",
        )
        .await;
        assert_eq!(
            find(&site, "demo", "Which questions are there?")
                .await
                .len(),
            1
        );
        target.execute("DROP TABLE question").await;
        // Another process, which sees the database as it is now, over the same confirmed questions.
        let fresh = site.reopened(vec![config]);
        assert!(
            find(&fresh, "demo", "Which questions are there?")
                .await
                .is_empty()
        );
    }
}
