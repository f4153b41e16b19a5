//! Confirmed questions of several people of one tenant: whom they answer, and who may list, show,
//! change, release and withdraw them.

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::sql_targets::{Site, both, mariadb};

const QUESTION: &str = "Which crews are there?";
const WRITER: &[&str] = &["tools:read", "questions:write"];
const APPROVER: &[&str] = &["tools:read", "questions:write", "questions:approve"];

/// People of the tenant `demo`.
const ADA: Person = Person("1-ada", "Ada", WRITER);
const BOB: Person = Person("2-bob", "Bob", WRITER);
const EVE: Person = Person("3-eve", "Eve", APPROVER);

#[derive(Clone, Copy)]
struct Person(&'static str, &'static str, &'static [&'static str]);

impl Person {
    async fn send(
        self,
        site: &Site,
        method: Method,
        path: &str,
        body: Value,
    ) -> (StatusCode, Value) {
        let token = site.app.token_of_named((self.0, self.1), "demo", self.2);
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        site.app.send(method, path, Some(&token), &body).await
    }

    async fn ok(self, site: &Site, method: Method, path: &str, body: Value) -> Value {
        let (status, answer) = self.send(site, method, path, body).await;
        assert_eq!(status, StatusCode::OK, "{path}: {answer}");
        answer
    }

    async fn confirm(self, site: &Site, question: &str, sql: &str) -> Value {
        let body = json!({ "question": question, "sql": sql });
        let answer = self
            .ok(site, Method::POST, "/api/tools/confirm_question", body)
            .await;
        assert_eq!(answer["status"], "ok", "{answer}");
        answer["result"].clone()
    }

    async fn find(self, site: &Site, question: &str) -> Vec<Value> {
        let body = json!({ "question": question });
        let answer = self
            .ok(site, Method::POST, "/api/tools/find_past_questions", body)
            .await;
        answer["result"]["matches"].as_array().unwrap().clone()
    }

    async fn list(self, site: &Site, query: &str) -> Vec<Value> {
        let path = format!("/api/questions{query}");
        let answer = self.ok(site, Method::GET, &path, Value::Null).await;
        answer["questions"].as_array().unwrap().clone()
    }
}

fn path(question: &Value) -> String {
    format!("/api/questions/{}", question["id"].as_str().unwrap())
}

#[tokio::test]
async fn a_confirmed_question_answers_its_owner_alone_until_it_is_released() {
    let target = mariadb().await;
    let site = Site::over(vec![target.config.clone()]).await;
    let kept = BOB
        .confirm(&site, QUESTION, "SELECT 777 AS n FROM crew")
        .await;
    assert!(
        ADA.find(&site, QUESTION).await.is_empty(),
        "a colleague's word"
    );
    assert_eq!(BOB.find(&site, QUESTION).await[0]["source"], "own");
    let approve = format!("{}/approve", path(&kept));
    let (status, problem) = BOB.send(&site, Method::POST, &approve, Value::Null).await;
    assert_eq!(status, StatusCode::FORBIDDEN, "{problem}");
    assert!(
        problem["detail"]
            .as_str()
            .unwrap()
            .contains("questions:approve"),
        "{problem}"
    );
    let released = EVE.ok(&site, Method::POST, &approve, Value::Null).await;
    assert_eq!(
        (
            &released["released"],
            &released["released_by"],
            &released["confirmed_by"]
        ),
        (&json!(true), &json!("Eve"), &json!("Bob"))
    );
    let found = ADA.find(&site, QUESTION).await;
    assert_eq!(
        (
            &found[0]["source"],
            &found[0]["confirmed_by"],
            &found[0]["released_by"]
        ),
        (&json!("colleague"), &json!("Bob"), &json!("Eve")),
        "{found:?}"
    );
    assert_eq!(
        (&found[0]["confirmed_at"], &found[0]["released_at"]),
        (
            &json!("2026-06-01T12:00:00Z"),
            &json!("2026-06-01T12:00:00Z")
        )
    );
}

#[tokio::test]
async fn a_second_confirmation_replaces_no_colleagues() {
    let target = mariadb().await;
    let site = Site::over(vec![target.config.clone()]).await;
    let bobs = BOB.confirm(&site, QUESTION, "SELECT name FROM crew").await;
    EVE.ok(
        &site,
        Method::POST,
        &format!("{}/approve", path(&bobs)),
        Value::Null,
    )
    .await;
    let adas = ADA
        .confirm(&site, "which crews are there", "SELECT id FROM crew")
        .await;
    assert_eq!(adas["created"], true);
    assert_eq!(
        adas["standing"],
        json!({ "id": bobs["id"], "own": false, "confirmed_by": "Bob" })
    );
    // Each has an answer: the own one before the one that is released.
    assert_eq!(
        ADA.find(&site, QUESTION).await[0]["sql"],
        "SELECT id FROM crew"
    );
    assert_eq!(
        BOB.find(&site, QUESTION).await[0]["sql"],
        "SELECT name FROM crew"
    );
    // Nor does one who may release.
    let approve = format!("{}/approve", path(&adas));
    let (status, problem) = EVE.send(&site, Method::POST, &approve, Value::Null).await;
    assert_eq!(status, StatusCode::CONFLICT, "{problem}");
    assert!(
        problem["detail"].as_str().unwrap().contains("Bob"),
        "{problem}"
    );
    assert_eq!(
        BOB.find(&site, QUESTION).await[0]["sql"],
        "SELECT name FROM crew"
    );
    EVE.ok(&site, Method::POST, &approve, json!({ "replace": true }))
        .await;
    let found = BOB.find(&site, QUESTION).await;
    assert_eq!(
        (found.len(), &found[0]["sql"], &found[0]["confirmed_by"]),
        (1, &json!("SELECT id FROM crew"), &json!("Ada"))
    );
}

#[tokio::test]
async fn who_may_see_what_is_told_page_by_page() {
    let target = mariadb().await;
    let site = Site::over(vec![target.config.clone()]).await;
    for number in 0..5 {
        BOB.confirm(
            &site,
            &format!("Crew number {number}?"),
            "SELECT name FROM crew",
        )
        .await;
    }
    ADA.confirm(&site, "Which crews?", "SELECT name FROM crew")
        .await;
    assert_eq!(BOB.list(&site, "").await.len(), 5);
    assert_eq!(ADA.list(&site, "").await.len(), 1);
    assert_eq!(
        EVE.list(&site, "").await.len(),
        6,
        "who releases looks at all"
    );
    assert_eq!(EVE.list(&site, "?show=own").await.len(), 0);
    assert_eq!(EVE.list(&site, "?show=waiting").await.len(), 6);
    assert_eq!(BOB.list(&site, "?show=released").await.len(), 0);
    assert_eq!(BOB.list(&site, "?target=elsewhere").await.len(), 0);
    let mut seen = Vec::new();
    let mut next = String::new();
    loop {
        let page = format!("/api/questions?limit=2{next}");
        let page = BOB.ok(&site, Method::GET, &page, Value::Null).await;
        seen.extend(page["questions"].as_array().unwrap().clone());
        match page["next_cursor"].as_str() {
            Some(cursor) => next = format!("&cursor={cursor}"),
            None => break,
        }
    }
    let ids: std::collections::HashSet<_> = seen.iter().map(|one| one["id"].to_string()).collect();
    assert_eq!((seen.len(), ids.len()), (5, 5));
    let one = &seen[0];
    assert_eq!(
        (
            &one["status"],
            &one["own"],
            &one["released"],
            &one["target"]
        ),
        (
            &json!("ready"),
            &json!(true),
            &json!(false),
            &json!("field")
        )
    );
    for query in [
        "?limit=0",
        "?limit=101",
        "?cursor=x",
        "?show=all",
        "?other=1",
    ] {
        let page = format!("/api/questions{query}");
        let (status, _) = BOB.send(&site, Method::GET, &page, Value::Null).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{query}");
    }
    // Another's question is none, as one that is not there.
    for person in [ADA, Person("4-mal", "Mal", WRITER)] {
        for id in [path(one), "/api/questions/nothing".to_owned()] {
            let (status, _) = person.send(&site, Method::GET, &id, Value::Null).await;
            assert_eq!(status, StatusCode::NOT_FOUND, "{id}");
        }
    }
    // Nor is one of another tenant, whatever the scopes.
    let token = site.app.token_of("2-bob", "rival", APPROVER);
    let (status, _) = site
        .app
        .send(Method::GET, &path(one), Some(&token), "")
        .await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn what_answers_all_is_changed_and_withdrawn_by_those_who_release() {
    let target = mariadb().await;
    let site = Site::over(vec![target.config.clone()]).await;
    let kept = BOB.confirm(&site, QUESTION, "SELECT name FROM crew").await;
    let place = path(&kept);
    let change = json!({ "sql": "SELECT id, name FROM crew" });
    let edited = BOB.ok(&site, Method::PATCH, &place, change.clone()).await;
    assert_eq!(
        (&edited["sql"], &edited["edited_by"]),
        (&json!("SELECT id, name FROM crew"), &Value::Null),
        "one's own is confirmed anew"
    );
    let (status, _) = ADA.send(&site, Method::PATCH, &place, change.clone()).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    EVE.ok(
        &site,
        Method::POST,
        &format!("{place}/approve"),
        Value::Null,
    )
    .await;
    for person in [ADA, BOB] {
        let (status, problem) = person
            .send(&site, Method::PATCH, &place, change.clone())
            .await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{problem}");
    }
    let change = json!({ "sql": "SELECT name FROM crew ORDER BY name" });
    let edited = EVE.ok(&site, Method::PATCH, &place, change).await;
    assert_eq!(
        (
            &edited["confirmed_by"],
            &edited["edited_by"],
            &edited["released"]
        ),
        (&json!("Bob"), &json!("Eve"), &json!(true))
    );
    assert_eq!(BOB.find(&site, QUESTION).await[0]["edited_by"], "Eve");
    for (change, pointer) in [
        (json!({ "sql": "SELECT 777" }), "/sql"),
        (json!({ "sql": "SELECT secret FROM crew" }), "/sql"),
        (
            json!({ "sql": "SELECT name FROM crew WHERE name > '{{wek-1}}'" }),
            "/sql",
        ),
        (json!({ "sql": "" }), "/sql"),
        (json!({ "question": " " }), "/question"),
    ] {
        let (status, problem) = EVE.send(&site, Method::PATCH, &place, change).await;
        assert_eq!(
            (status, &problem["errors"][0]["pointer"]),
            (StatusCode::UNPROCESSABLE_ENTITY, &json!(pointer)),
            "{problem}"
        );
    }
    let (status, problem) = ADA.send(&site, Method::DELETE, &place, Value::Null).await;
    assert_eq!(status, StatusCode::FORBIDDEN, "{problem}");
    let forget = json!({ "id": kept["id"] });
    let told = ADA
        .ok(
            &site,
            Method::POST,
            "/api/tools/forget_question",
            forget.clone(),
        )
        .await;
    assert_eq!(told["status"], "error");
    assert!(told["message"].as_str().unwrap().contains("Bob"), "{told}");
    // One's own may be withdrawn, also when it answers all.
    let told = BOB
        .ok(
            &site,
            Method::POST,
            "/api/tools/forget_question",
            forget.clone(),
        )
        .await;
    assert_eq!(
        (&told["result"]["was_released"], &told["result"]["was_own"]),
        (&json!(true), &json!(true))
    );
    assert!(ADA.find(&site, QUESTION).await.is_empty());
    let again = BOB
        .ok(&site, Method::POST, "/api/tools/forget_question", forget)
        .await;
    assert_eq!(again["status"], "no_data");
    let (status, _) = BOB.send(&site, Method::DELETE, &place, Value::Null).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    // Who releases withdraws any user's.
    let kept = BOB.confirm(&site, QUESTION, "SELECT name FROM crew").await;
    let (status, _) = EVE
        .send(&site, Method::DELETE, &path(&kept), Value::Null)
        .await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    assert!(BOB.list(&site, "").await.is_empty());
}

#[tokio::test]
async fn looking_after_questions_needs_scopes() {
    let target = mariadb().await;
    let site = Site::over(vec![target.config.clone()]).await;
    let reader = Person("1-ada", "Ada", &["tools:read"]);
    let kept = ADA.confirm(&site, QUESTION, "SELECT name FROM crew").await;
    for (method, path, body) in [
        (Method::PATCH, path(&kept), json!({ "question": "Crews?" })),
        (Method::DELETE, path(&kept), Value::Null),
        (
            Method::POST,
            format!("{}/approve", path(&kept)),
            Value::Null,
        ),
        (
            Method::POST,
            "/api/tools/forget_question".to_owned(),
            json!({ "id": kept["id"] }),
        ),
    ] {
        let (status, problem) = reader.send(&site, method.clone(), &path, body).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{method} {path}: {problem}");
    }
    assert_eq!(reader.list(&site, "").await.len(), 1);
    let powerless = Person("1-ada", "Ada", &["questions:write", "questions:approve"]);
    let (status, _) = powerless
        .send(&site, Method::GET, "/api/questions", Value::Null)
        .await;
    assert_eq!(status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn a_changed_table_or_policy_makes_a_question_stale() {
    for target in both().await {
        let site = Site::over(vec![target.config.clone()]).await;
        let crews = BOB.confirm(&site, QUESTION, "SELECT name FROM crew").await;
        let orders = "How many work orders are there?";
        BOB.confirm(&site, orders, "SELECT COUNT(*) AS n FROM work_order")
            .await;
        let status = |list: &[Value], question: &str| {
            let one = list.iter().find(|one| one["question"] == question).unwrap();
            one["status"].as_str().unwrap().to_owned()
        };

        target
            .execute("ALTER TABLE crew ADD COLUMN note varchar(80)")
            .await;
        let site = site.reopened(vec![target.config.clone()]);
        let list = BOB.list(&site, "").await;
        assert_eq!(
            (status(&list, QUESTION), status(&list, orders)),
            ("stale".into(), "ready".into())
        );
        let stale = list.iter().find(|one| one["question"] == QUESTION).unwrap();
        assert!(
            stale["reason"].as_str().unwrap().contains("crew"),
            "{stale}"
        );
        assert!(
            BOB.find(&site, QUESTION).await.is_empty(),
            "a stale one is not used"
        );
        let approve = format!("{}/approve", path(&crews));
        let (code, _) = EVE.send(&site, Method::POST, &approve, Value::Null).await;
        assert_eq!(code, StatusCode::CONFLICT);
        // Its owner looks at it, and it is ready again.
        let edited = BOB.ok(&site, Method::PATCH, &path(&crews), json!({})).await;
        assert_eq!(edited["status"], "ready", "{edited}");
        assert_eq!(BOB.find(&site, QUESTION).await.len(), 1);

        // The policy lets all users see all crews now.
        let mut opened = target.config.clone();
        let folder = tempfile::tempdir().unwrap();
        let policy = std::fs::read_to_string(opened.policy_file.as_ref().unwrap()).unwrap();
        let policy = policy.replace("crew = \"company_id\"\n", "").replace(
            "shared_tables = [\"question\"]",
            "shared_tables = [\"question\", \"crew\"]",
        );
        let file = folder.path().join("policy.toml");
        std::fs::write(&file, policy).unwrap();
        opened.policy_file = Some(file);
        let site = site.reopened(vec![opened]);
        let list = BOB.list(&site, "").await;
        assert_eq!(
            (status(&list, QUESTION), status(&list, orders)),
            ("stale".into(), "ready".into())
        );
        assert!(BOB.find(&site, QUESTION).await.is_empty());

        // A dropped table, and a dropped database.
        target.execute("DROP TABLE work_time").await;
        target.execute("DROP TABLE work_order").await;
        let site = site.reopened(vec![target.config.clone()]);
        let list = BOB.list(&site, "").await;
        assert_eq!(status(&list, orders), "stale");
        let mut away = target.config.clone();
        away.url = Some("mysql://reader:secret@127.0.0.1:9/field".into());
        let site = site.reopened(vec![away]);
        assert_eq!(status(&BOB.list(&site, "").await, orders), "unknown");
        let site = site.reopened(Vec::new());
        assert_eq!(status(&BOB.list(&site, "").await, orders), "stale");
    }
}

#[tokio::test]
async fn what_is_offered_to_begin_with_is_what_answers_the_person() {
    let target = mariadb().await;
    let site = Site::over(vec![target.config.clone()]).await;
    let kept = BOB.confirm(&site, QUESTION, "SELECT name FROM crew").await;
    let offered = async |person: Person| {
        let overview = person
            .ok(&site, Method::GET, "/api/data-overview", Value::Null)
            .await;
        overview["targets"][0]["questions"].clone()
    };
    assert_eq!(offered(BOB).await, json!([QUESTION]));
    assert_eq!(
        offered(ADA).await,
        json!([]),
        "a colleague's is no one's to offer"
    );
    EVE.ok(
        &site,
        Method::POST,
        &format!("{}/approve", path(&kept)),
        Value::Null,
    )
    .await;
    assert_eq!(offered(ADA).await, json!([QUESTION]));
    target
        .execute("ALTER TABLE crew ADD COLUMN note varchar(80)")
        .await;
    let site = site.reopened(vec![target.config.clone()]);
    let overview = ADA
        .ok(&site, Method::GET, "/api/data-overview", Value::Null)
        .await;
    assert_eq!(
        overview["targets"][0]["questions"],
        json!([]),
        "nor a stale one"
    );
}
