//! The tables and joins of a target, in logical names.

use serde_json::{Value, json};

use crate::sql_targets::{Site, both, mariadb};

fn names(values: &Value) -> Vec<&str> {
    values
        .as_array()
        .unwrap()
        .iter()
        .map(|value| value["name"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn tables_are_listed_by_logical_name_and_by_what_is_asked() {
    for target in both().await {
        let mut config = target.config.clone();
        config.description = Some("Jobs and crews".to_owned());
        let dialect = if config.dialect() == Some(targets::Dialect::MySql) {
            "mysql"
        } else {
            "postgresql"
        };
        let site = Site::over(vec![config]).await;
        let list = site.ok("demo", "list_tables", json!({})).await;
        assert_eq!(
            names(&list["tables"]),
            ["crew", "employee", "question", "work_order", "work_time"]
        );
        assert_eq!(
            (&list["total"], &list["target"], &list["dialect"]),
            (&json!(5), &json!("field"), &json!(dialect))
        );
        assert_eq!(
            list["targets"],
            json!([{ "name": "field", "dialect": dialect, "description": "Jobs and crews" }])
        );
        let secure = list["tables"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|table| table["secure"] == true);
        assert_eq!(
            secure
                .map(|table| table["name"].as_str().unwrap())
                .collect::<Vec<_>>(),
            ["employee"]
        );
        assert_eq!(list["tables"][1]["columns"], 5);
        assert!(list["tables"][0].get("score").is_none());
        assert!(
            !list.to_string().contains("secure_employee")
                && !list.to_string().contains("migration"),
            "{list}"
        );

        let asked = json!({ "question": "How many hours did the employees work?", "limit": 2 });
        let list = site.ok("demo", "list_tables", asked).await;
        assert_eq!(list["total"], 5);
        let mut first = names(&list["tables"]);
        first.sort_unstable();
        assert_eq!(first, ["employee", "work_time"], "{list}");
        let scores = [0, 1].map(|place| list["tables"][place]["score"].as_f64().unwrap());
        assert!(
            scores[0] >= scores[1] && scores[1] > 0.0 && scores[0] <= 1.0,
            "{scores:?}"
        );
    }
}

#[tokio::test]
async fn tables_are_described_with_samples_of_the_tenants_own() {
    for target in both().await {
        let site = Site::over(vec![target.config.clone()]).await;
        let asked = json!({ "tables": ["Work_Order", "employee", "work_order"], "sample_rows": 5 });
        for (tenant, other, rows) in [("demo", "rival-", [2, 3]), ("rival", "demo-", [1, 2])] {
            let described = site.ok(tenant, "describe_tables", asked.clone()).await;
            assert_eq!(names(&described["tables"]), ["work_order", "employee"]);
            let samples = [0, 1].map(|place| {
                described["tables"][place]["samples"]
                    .as_array()
                    .unwrap()
                    .len()
            });
            assert_eq!(samples, rows, "{described}");
            assert!(!described.to_string().contains(other), "{described}");
            let name = described["tables"][1]["samples"][0]["name"]
                .as_str()
                .unwrap();
            assert!(name.starts_with(tenant), "decrypted by the view: {name}");
        }
        let described = site
            .ok(
                "demo",
                "describe_tables",
                json!({ "tables": ["crew", "work_order"], "max_columns": 2 }),
            )
            .await;
        let orders = &described["tables"][1];
        assert_eq!(
            names(&orders["columns"]),
            ["id", "crew_id"],
            "keys first: {orders}"
        );
        assert_eq!(
            (&orders["omitted_columns"], orders.get("samples")),
            (&json!(4), None)
        );
        assert_eq!(
            (
                &orders["columns"][0]["unique"],
                &orders["columns"][0]["nullable"]
            ),
            (&json!(true), &json!(false))
        );
        assert_eq!(
            described["relationships"].as_array().unwrap().len(),
            1,
            "{described}"
        );
        let edge = &described["relationships"][0];
        assert_eq!(
            (&edge["from_table"], &edge["from_column"], &edge["to_table"]),
            (&json!("work_order"), &json!("crew_id"), &json!("crew"))
        );
        assert_eq!(
            (&edge["cardinality"], &edge["type"]),
            (&json!("N:1"), &json!("foreign_key"))
        );
    }
}

#[tokio::test]
async fn names_that_are_hidden_are_as_unknown_as_names_that_are_not() {
    for target in both().await {
        let site = Site::over(vec![target.config.clone()]).await;
        for tool in ["describe_tables", "find_join_paths"] {
            let asked = json!({ "tables": ["employees", "migration", "secure_employee", "spaceship", "crew"] });
            let answer = site.ok("demo", tool, asked).await;
            assert_eq!(
                names(&answer["unknown"]),
                ["employees", "migration", "secure_employee", "spaceship"]
            );
            assert_eq!(answer["unknown"][0]["suggestions"], json!(["employee"]));
            assert_eq!(answer["unknown"][3]["suggestions"], json!([]));
            for unknown in answer["unknown"].as_array().unwrap() {
                let suggestions = unknown["suggestions"].to_string();
                assert!(
                    !suggestions.contains("migration") && !suggestions.contains("secure_"),
                    "{unknown}"
                );
            }
        }
    }
}

#[tokio::test]
async fn joins_lead_over_bridges() {
    for target in both().await {
        let site = Site::over(vec![target.config.clone()]).await;
        let plan = site
            .ok(
                "demo",
                "find_join_paths",
                json!({ "tables": ["employee", "crew"] }),
            )
            .await;
        assert_eq!(
            plan["bridges"],
            json!(["work_order", "work_time"]),
            "{plan}"
        );
        assert_eq!(
            plan["tables"],
            json!(["employee", "crew", "work_order", "work_time"])
        );
        assert_eq!(plan["steps"].as_array().unwrap().len(), 3);
        assert_eq!(plan["groups"], json!([["employee", "crew"]]));
        assert_eq!(
            (&plan["paths"][0]["hops"], &plan["paths"][0]["from"]),
            (&json!(3), &json!("employee"))
        );
        let near = site
            .ok(
                "demo",
                "find_join_paths",
                json!({ "tables": ["employee", "crew"], "max_hops": 2 }),
            )
            .await;
        assert_eq!(
            (&near["groups"], &near["paths"]),
            (&json!([["employee"], ["crew"]]), &json!([]))
        );
        let apart = site
            .ok(
                "demo",
                "find_join_paths",
                json!({ "tables": ["question", "crew"], "min_confidence": 0.5, "max_paths": 0 }),
            )
            .await;
        assert_eq!(apart["groups"].as_array().unwrap().len(), 2);
        assert!(!plan.to_string().contains("secure_"), "{plan}");
    }
}

#[tokio::test]
async fn a_validated_graph_file_is_what_counts() {
    let target = mariadb().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("graph.json");
    let graph = json!({
        "version": 1,
        "tables": {
            "employee": { "columns": ["id", "company_id", "name"], "unique_columns": ["id"] },
            "crew": { "columns": ["id", "company_id", "name"], "unique_columns": ["id"] },
        },
        "relationships": [{
            "from_table": "crew", "from_column": "id", "to_table": "employee", "to_column": "id",
            "type": "business", "confidence": 0.9, "cardinality": "1:1",
        }],
    });
    std::fs::write(&file, graph.to_string()).unwrap();
    let mut config = target.config.clone();
    config.graph_file = Some(file);
    let site = Site::over(vec![config]).await;
    let plan = site
        .ok(
            "demo",
            "find_join_paths",
            json!({ "tables": ["employee", "crew"] }),
        )
        .await;
    assert_eq!(
        (&plan["steps"][0]["type"], &plan["bridges"]),
        (&json!("business"), &json!([])),
        "{plan}"
    );
}
