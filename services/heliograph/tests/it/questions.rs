//! Confirmed questions of two people of one company, end to end: the data assistant over a real
//! MariaDB, HTTP through the bff, and the command line's words.

use contracts::access::Role;
use heliograph::chat::ChatClient;
use heliograph::cli::{ExportFormat, QuestionsCommand, ShownQuestions};
use heliograph::commands::{questions, threads};
use serde_json::{Value, json};

use crate::data_assistant::stack;
use crate::demo_stack::{DemoStack, PASSWORD, ask};

const QUESTION: &str = "How many technicians are active?";
const LAST_WEEK: &str = "How many hours were worked last week?";

async fn data(stack: &DemoStack, name: &str) -> ChatClient {
    stack
        .sign_in(name)
        .await
        .with_assistant(Some("data".to_owned()))
}

/// Confirms a question over HTTP, as M1 of the attacks did.
async fn confirm(client: &ChatClient, question: &str, sql: &str) -> Value {
    let body = json!({ "question": question, "sql": sql });
    let path = "/api/tools/confirm_question";
    let answer = client
        .request(reqwest::Method::POST, path, Some(&body))
        .await
        .unwrap();
    answer.json().await.unwrap()
}

async fn lines(client: &ChatClient, command: QuestionsCommand) -> Vec<String> {
    questions::carry_out(client, command).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_user_does_not_speak_for_the_others() {
    let stack = stack(|_| {}).await;
    stack.create_account("bob", "demo").await;
    let (demo, bob) = (data(&stack, "demo").await, data(&stack, "bob").await);

    // A query that reads no table is not an answer, and a colleague's confirmation does not count
    // for all users.
    let refused = confirm(&bob, QUESTION, "SELECT 777 AS technicians").await;
    assert_eq!(refused["status"], "error", "{refused}");
    let sql = "SELECT COUNT(*) AS technicians FROM employee";
    let kept = confirm(&bob, QUESTION, sql).await;
    let id = kept["result"]["id"].as_str().unwrap().to_owned();
    let told = ask(&bob, "b1", QUESTION).await.text();
    assert!(told.contains("You confirmed this query on"), "{told}");
    let told = ask(&demo, "d1", QUESTION).await.text();
    assert!(
        told.contains("10 active technicians") && !told.contains("confirmed"),
        "{told}"
    );

    // The administrator looks at it and releases it; then the answer says whose it is.
    let waiting = lines(
        &demo,
        QuestionsCommand::List {
            show: Some(ShownQuestions::Waiting),
            target: None,
        },
    )
    .await;
    assert!(
        waiting.len() == 1 && waiting[0].contains(&id) && waiting[0].contains("bob"),
        "{waiting:?}"
    );
    let shown = lines(&demo, QuestionsCommand::Show { id: id.clone() })
        .await
        .join("\n");
    assert!(
        shown.contains(sql) && shown.contains("only its owner can use it"),
        "{shown}"
    );
    let approve = || QuestionsCommand::Approve {
        id: id.clone(),
        replace: false,
    };
    assert!(
        questions::carry_out(&bob, approve()).await.is_err(),
        "bob may not"
    );
    lines(&demo, approve()).await;
    let told = ask(&demo, "d1", QUESTION).await.text();
    assert!(
        told.contains("bob confirmed this query on")
            && told.contains("demo released it for everyone"),
        "{told}"
    );

    // "Forget that" below the answer: the administrator may, a colleague may not.
    stack.create_account("carol", "demo").await;
    let carol = data(&stack, "carol").await;
    ask(&carol, "c1", QUESTION).await;
    let told = ask(&carol, "c1", "that's wrong").await.text();
    assert!(
        told.contains("I did not forget anything") && told.contains("bob"),
        "{told}"
    );
    let told = ask(&demo, "d1", "forget that").await.text();
    assert!(
        told.contains("I have forgotten") && told.contains("released for everyone"),
        "{told}"
    );
    let told = ask(&carol, "c1", QUESTION).await.text();
    assert!(
        told.contains("10 active technicians") && !told.contains("confirmed"),
        "{told}"
    );
    assert_eq!(
        lines(
            &bob,
            QuestionsCommand::List {
                show: None,
                target: None
            }
        )
        .await,
        ["no confirmed questions"]
    );
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remembered_question_keeps_its_words_and_names_its_days() {
    let stack = stack(|_| {}).await;
    let demo = data(&stack, "demo").await;
    let today = chrono::Utc::now().date_naive();
    let monday = today
        - chrono::Days::new(
            u64::from(chrono::Datelike::weekday(&today).num_days_from_monday()) + 7,
        );
    let sql = format!(
        "SELECT SUM(hours) AS hours FROM workTime WHERE workDate >= '{monday}' AND workDate < '{}'",
        monday + chrono::Days::new(7)
    );
    let kept = confirm(&demo, LAST_WEEK, &sql).await;
    assert_eq!(kept["result"]["periods"], json!(["last week"]), "{kept}");
    let told = ask(&demo, "d1", LAST_WEEK).await.text();
    let year = chrono::Datelike::year(&(monday + chrono::Days::new(6)));
    assert!(
        told.contains("\u{201c}last week\u{201d} is") && told.contains(&year.to_string()),
        "{told}"
    );
    let id = kept["result"]["id"].as_str().unwrap();
    let shown = lines(&demo, QuestionsCommand::Show { id: id.to_owned() })
        .await
        .join("\n");
    assert!(
        shown.contains("{{week-1}}") && shown.contains("if asked today"),
        "{shown}"
    );
    let edited = lines(
        &demo,
        QuestionsCommand::Edit {
            id: id.to_owned(),
            question: None,
            sql: Some(format!("{sql} AND hours > 0")),
        },
    )
    .await
    .join("\n");
    assert!(edited.contains("'{{week+0}}' AND hours > 0"), "{edited}");
    let gone = lines(&demo, QuestionsCommand::Withdraw { id: id.to_owned() }).await;
    assert_eq!(gone, [format!("{id} is withdrawn")]);

    // The question that comes with the database counts the calendar year, and says so.
    let told = ask(
        &demo,
        "d2",
        "Which customers have the most work orders this year?",
    )
    .await
    .text();
    let year = chrono::Datelike::year(&today);
    let period = format!("\u{201c}this year\u{201d} is 1 January to 31 December {year}.");
    assert!(told.contains(&period), "{told}");

    // And the conversation is found and handed over.
    let found = threads::search(&demo, "customers work", 10).await.unwrap();
    assert!(
        found
            .iter()
            .any(|line| line.contains("d2") && line.contains("[customers]")),
        "{found:?}"
    );
    let export = threads::export(&demo, "d2", ExportFormat::Markdown)
        .await
        .unwrap();
    assert!(
        export.contains("| customer | workOrders |") && export.contains(&period),
        "{export}"
    );
    let export = threads::export(&demo, "d2", ExportFormat::Json)
        .await
        .unwrap();
    let export: Value = serde_json::from_str(&export).unwrap();
    assert_eq!(export["messages"].as_array().unwrap().len(), 2);
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_erased_in_every_tier() {
    let stack = stack(|_| {}).await;
    stack.create_account("bob", "demo").await;
    let bob = data(&stack, "bob").await;
    confirm(
        &bob,
        "How many crews are there?",
        "SELECT COUNT(*) AS n FROM crew",
    )
    .await;
    ask(&bob, "b1", QUESTION).await;
    let me = bob
        .request(reqwest::Method::GET, "/auth/me", None)
        .await
        .unwrap();
    let me: Value = me.json().await.unwrap();
    let editor: Vec<&str> = Role::Editor.scopes().collect();
    assert_eq!(me["scopes"], json!(editor));
    let subject = me["sub"].as_str().unwrap().to_owned();
    assert!(rows_of(&stack, &subject).await.len() >= 4);
    let wrong = json!({ "password": "not the password" });
    assert!(
        bob.request(reqwest::Method::DELETE, "/auth/me", Some(&wrong))
            .await
            .is_err()
    );
    let right = json!({ "password": PASSWORD });
    let erased = bob
        .request(reqwest::Method::DELETE, "/auth/me", Some(&right))
        .await
        .unwrap();
    let erased: Value = erased.json().await.unwrap();
    assert_eq!(erased, json!({ "status": "erased", "waiting_for": [] }));
    // What is left is the note to look once more when the person's tokens have run out; that it
    // goes then is shown by the bff's own tests.
    assert_eq!(rows_of(&stack, &subject).await, ["bff.erasures.subject"]);
    assert!(
        bob.request(reqwest::Method::GET, "/auth/me", None)
            .await
            .is_err()
    );
    stack.stop().await;
}

/// Every column of every table of the services that holds this text.
async fn rows_of(stack: &DemoStack, text: &str) -> Vec<String> {
    let columns: Vec<(String, String, String)> = sqlx::query_as(
        "SELECT table_schema::text, table_name::text, column_name::text FROM information_schema.columns
         WHERE table_schema IN ('bff', 'orchestrator', 'tools') AND data_type IN ('text', 'uuid', 'json', 'jsonb', 'ARRAY') ORDER BY 1, 2, 3",
    )
    .fetch_all(stack.pool())
    .await
    .unwrap();
    let mut found = Vec::new();
    for (schema, table, column) in columns {
        let any = format!(
            "SELECT EXISTS (SELECT FROM {schema}.{table} WHERE position($1 IN {column}::text) > 0)"
        );
        let any: bool = sqlx::query_scalar(sqlx::AssertSqlSafe(any))
            .bind(text)
            .fetch_one(stack.pool())
            .await
            .unwrap();
        if any {
            found.push(format!("{schema}.{table}.{column}"));
        }
    }
    found
}
