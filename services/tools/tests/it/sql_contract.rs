//! Who may call what over which target, and what is answered when it is not right.

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::harness::{App, database};
use crate::sql_targets::{Site, mariadb, postgresql};

const TOOLS: [&str; 7] = [
    "list_tables",
    "describe_tables",
    "find_join_paths",
    "check_sql",
    "run_sql",
    "find_past_questions",
    "confirm_question",
];

/// Arguments that any target takes.
fn arguments(tool: &str) -> Value {
    match tool {
        "describe_tables" | "find_join_paths" => json!({ "tables": ["crew"] }),
        "check_sql" | "run_sql" => json!({ "sql": "SELECT name FROM crew" }),
        "find_past_questions" => json!({ "question": "Which crews are there?" }),
        "confirm_question" => {
            json!({ "question": "Which crews are there?", "sql": "SELECT name FROM crew" })
        }
        _ => json!({}),
    }
}

#[tokio::test]
async fn the_tools_are_listed_with_schemas_that_hold() {
    let site = Site::over(Vec::new()).await;
    let token = site.app.token("demo", &["tools:read"]);
    let (_, list) = site
        .app
        .send(Method::GET, "/api/tools", Some(&token), "")
        .await;
    for tool in TOOLS {
        let tools = list["tools"].as_array().unwrap();
        let definition = tools
            .iter()
            .find(|definition| definition["name"] == tool)
            .unwrap();
        assert_eq!(definition["category"], "database");
        let input = jsonschema::validator_for(&definition["inputSchema"]).unwrap();
        assert!(input.is_valid(&arguments(tool)), "{tool}");
        assert!(
            jsonschema::validator_for(&definition["outputSchema"]).is_ok(),
            "{tool}"
        );
    }
}

#[tokio::test]
async fn answers_are_as_their_schemas_say() {
    let target = mariadb().await;
    let site = Site::over(vec![target.config.clone()]).await;
    let token = site.app.token("demo", &["tools:read", "questions:write"]);
    for tool in TOOLS {
        let path = format!("/api/tools/{tool}");
        let (_, definition) = site.app.send(Method::GET, &path, Some(&token), "").await;
        let schema = jsonschema::validator_for(&definition["outputSchema"]).unwrap();
        let (status, answer) = site
            .app
            .send(
                Method::POST,
                &path,
                Some(&token),
                &arguments(tool).to_string(),
            )
            .await;
        assert_eq!(
            (status, &answer["status"]),
            (StatusCode::OK, &json!("ok")),
            "{tool}: {answer}"
        );
        let faults: Vec<String> = schema
            .iter_errors(&answer)
            .map(|fault| fault.to_string())
            .collect();
        assert!(faults.is_empty(), "{tool}: {faults:?} {answer}");
    }
}

#[tokio::test]
async fn without_a_target_the_operator_is_told_what_to_do_and_the_rest_works() {
    let site = Site::over(Vec::new()).await;
    for tool in TOOLS {
        let (status, answer) = match tool {
            "confirm_question" => site.confirm("demo", arguments(tool)).await,
            _ => site.app.call_as("demo", tool, arguments(tool)).await,
        };
        assert_eq!(
            (status, &answer["status"]),
            (StatusCode::OK, &json!("no_data")),
            "{tool}: {answer}"
        );
        let message = answer["message"].as_str().unwrap();
        assert!(
            message.contains("[[targets]]") && message.contains("'demo'"),
            "{message}"
        );
    }
    site.ok("demo", "list_loggers", json!({})).await;
}

#[tokio::test]
async fn a_target_of_others_does_not_exist() {
    let (field, mut secret) = (mariadb().await, postgresql().await);
    secret.config.name = "secret".to_owned();
    secret.config.tenants = vec!["rival".to_owned()];
    let site = Site::over(vec![field.config.clone(), secret.config.clone()]).await;
    for tool in TOOLS {
        let mut messages = Vec::new();
        for name in ["secret", "absent"] {
            let mut asked = arguments(tool);
            asked["target"] = json!(name);
            let (_, answer) = match tool {
                "confirm_question" => site.confirm("demo", asked).await,
                _ => site.app.call_as("demo", tool, asked).await,
            };
            assert_eq!(answer["status"], "no_data", "{tool}: {answer}");
            messages.push(answer["message"].as_str().unwrap().replace(name, "it"));
        }
        assert_eq!(messages[0], messages[1]);
        assert_eq!(messages[0], "There is no database 'it'. There is: field.");
    }
    let list = site.ok("demo", "list_tables", json!({})).await;
    assert_eq!(list["targets"].as_array().unwrap().len(), 1, "{list}");
    let list = site
        .ok("rival", "list_tables", json!({ "target": "secret" }))
        .await;
    assert_eq!(
        (&list["targets"][1]["name"], &list["dialect"]),
        (&json!("secret"), &json!("postgresql"))
    );
    // A tenant that no id represents has no rows, so no target.
    let answer = site.call("stranger", "list_tables", json!({})).await;
    assert_eq!(answer["status"], "no_data");
}

#[tokio::test]
async fn arguments_out_of_bounds_are_422() {
    let site = Site::over(Vec::new()).await;
    let names: Vec<String> = (0..51).map(|number| format!("t{number}")).collect();
    for (tool, arguments, pointer) in [
        ("list_tables", json!({ "limit": 0 }), "/limit"),
        ("list_tables", json!({ "limit": 5001 }), "/limit"),
        ("list_tables", json!({ "target": null }), "/target"),
        ("list_tables", json!({ "database": "x" }), "/database"),
        ("describe_tables", json!({}), "/tables"),
        ("describe_tables", json!({ "tables": [] }), "/tables"),
        ("describe_tables", json!({ "tables": names }), "/tables"),
        (
            "describe_tables",
            json!({ "tables": ["a"], "sample_rows": 6 }),
            "/sample_rows",
        ),
        (
            "describe_tables",
            json!({ "tables": ["a"], "max_columns": 0 }),
            "/max_columns",
        ),
        (
            "find_join_paths",
            json!({ "tables": ["a"], "max_hops": 9 }),
            "/max_hops",
        ),
        (
            "find_join_paths",
            json!({ "tables": ["a"], "min_confidence": 1.5 }),
            "/min_confidence",
        ),
        (
            "find_join_paths",
            json!({ "tables": ["a"], "max_paths": 201 }),
            "/max_paths",
        ),
        ("check_sql", json!({ "sql": "" }), "/sql"),
        ("run_sql", json!({ "sql": "x".repeat(50_001) }), "/sql"),
        (
            "run_sql",
            json!({ "sql": "SELECT 1", "max_rows": 10_001 }),
            "/max_rows",
        ),
        (
            "run_sql",
            json!({ "sql": "SELECT 1", "max_rows": 0 }),
            "/max_rows",
        ),
        (
            "find_past_questions",
            json!({ "question": "x", "limit": 21 }),
            "/limit",
        ),
        (
            "confirm_question",
            json!({ "question": "x".repeat(2_001), "sql": "SELECT 1" }),
            "/question",
        ),
    ] {
        let (status, problem) = site.app.call_as("demo", tool, arguments).await;
        assert_eq!(
            (status, &problem["errors"][0]["pointer"]),
            (StatusCode::UNPROCESSABLE_ENTITY, &json!(pointer)),
            "{tool}: {problem}"
        );
    }
}

#[tokio::test]
async fn each_call_needs_its_scope() {
    let target = mariadb().await;
    let site = Site::over(vec![target.config.clone()]).await;
    let powerless = site.app.token("demo", &["questions:write"]);
    for tool in TOOLS {
        let path = format!("/api/tools/{tool}");
        let (status, _) = site
            .app
            .send(
                Method::POST,
                &path,
                Some(&powerless),
                &arguments(tool).to_string(),
            )
            .await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{tool}");
    }
    let (status, problem) = site
        .app
        .call_as("demo", "confirm_question", arguments("confirm_question"))
        .await;
    assert_eq!(status, StatusCode::FORBIDDEN, "{problem}");
    assert!(
        problem["detail"]
            .as_str()
            .unwrap()
            .contains("questions:write"),
        "{problem}"
    );
    let found = site
        .ok(
            "demo",
            "find_past_questions",
            arguments("find_past_questions"),
        )
        .await;
    assert_eq!(found["matches"], json!([]), "nothing was kept");
}

#[tokio::test]
async fn the_documents_variables_name_a_target() {
    let database = database().await;
    let app = App::configured(database.url(), "2026-06-01T12:00:00Z", |config| {
        config.target.host = Some("127.0.0.1".to_owned());
        config.target.port = 1;
        config.target.database = Some("crewOS".to_owned());
    });
    let answer = app.call("run_sql", json!({ "sql": "SELECT 1" })).await;
    assert_eq!(
        (&answer["result"]["target"], &answer["result"]["outcome"]),
        (&json!("crewos"), &json!("unavailable")),
        "{answer}"
    );
}
