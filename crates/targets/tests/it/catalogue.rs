//! The catalogue of a target.

use std::sync::Arc;

use targets::{Dialect, Kind, Target, TargetConfig, TargetError, Targets};

use crate::fixture::{ask, ask_as, both, json};

#[tokio::test]
async fn tables_are_logical_filtered_or_shared_and_the_rest_is_hidden() {
    for fixture in both().await {
        let target = fixture.target();
        let catalogue = target.catalogue().await.unwrap();
        let names: Vec<&str> = catalogue.tables.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            ["crew", "employee", "employee_crew", "question"],
            "{}",
            fixture.dialect
        );
        let employee = catalogue.table("EMPLOYEE").unwrap();
        assert!(employee.secure);
        let columns: Vec<&str> = employee
            .columns
            .iter()
            .map(|column| column.name.as_str())
            .collect();
        assert_eq!(columns, ["id", "company_id", "name", "email"]);
        let name = &catalogue.table("crew").unwrap().columns[2];
        assert_eq!(name.comment.as_deref(), Some("As painted on the van"));
        assert!(!name.nullable && !name.unique && name.data_type.contains("(40)"));
        assert!(catalogue.table("crew").unwrap().columns[0].unique);
        let joins: Vec<String> = catalogue
            .graph
            .relationships()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(
            joins,
            [
                "employee_crew.crew_id = crew.id",
                "employee_crew.employee_id = employee.id"
            ]
        );
    }
}

#[tokio::test]
async fn a_table_without_a_rule_is_named_at_the_start() {
    for fixture in both().await {
        // As the administrator, who also sees what the role does not.
        let config = TargetConfig {
            url: Some(fixture.admin.url().into()),
            allow_writing_role: true,
            ..fixture.config()
        };
        let catalogue = Target::new(config).unwrap().catalogue().await.unwrap();
        assert!(catalogue.table("migration").is_none());
        assert!(
            catalogue
                .notes
                .iter()
                .any(|note| note.contains("migration")),
            "{:?}",
            catalogue.notes
        );
    }
}

#[tokio::test]
async fn introspection_tells_keys_and_comments() {
    for fixture in both().await {
        let found = targets::introspect(fixture.admin.url().into())
            .await
            .unwrap();
        assert_eq!(
            found.dialect == Dialect::MySql,
            fixture.dialect == "mariadb"
        );
        let document = found.document();
        let employee = &document.tables["employee"];
        assert!(employee.is_unique("id") && employee.is_unique("email"));
        assert_eq!(employee.comment.as_deref(), Some("Who works here"));
        assert!(!document.tables.contains_key("secure_employee"));
        let key = document
            .relationships
            .iter()
            .find(|edge| edge.confidence >= 1.0)
            .unwrap();
        assert_eq!(key.to_string(), "employee_crew.crew_id = crew.id");
        let told = serde_json::to_value(key).unwrap();
        assert_eq!(
            (&told["type"], &told["cardinality"]),
            (&"foreign_key".into(), &"N:1".into())
        );
        let guess = document
            .relationships
            .iter()
            .find(|edge| edge.from_column == "employee_id")
            .unwrap();
        assert!((guess.confidence - 0.7).abs() < 1e-9);
    }
}

#[tokio::test]
async fn composite_keys_are_an_edge_per_column() {
    for fixture in both().await {
        fixture
            .admin
            .run(
                "CREATE TABLE region (country INT, code INT, PRIMARY KEY (country, code));
                 CREATE TABLE site (id INT PRIMARY KEY, c INT, r INT, FOREIGN KEY (c, r) REFERENCES region (country, code));",
            )
            .await;
        let document = targets::introspect(fixture.admin.url().into())
            .await
            .unwrap()
            .document();
        let of_site = document
            .relationships
            .iter()
            .filter(|edge| edge.from_table == "site");
        let edges: Vec<String> = of_site.map(ToString::to_string).collect();
        assert_eq!(edges, ["site.c = region.country", "site.r = region.code"]);
        assert_eq!(document.tables["region"].primary_key, ["country", "code"]);
        assert!(!document.tables["region"].is_unique("country"));
    }
}

#[tokio::test]
async fn the_graph_file_is_what_runs() {
    for fixture in both().await {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graph.json");
        let text = r#"{"version":1,"tables":{"EMPLOYEE":{"columns":["id"],"unique_columns":["id"]},"gone":{"columns":["id"]}},"relationships":[
            {"from_table":"employee_crew","from_column":"EMPLOYEE_ID","to_table":"Employee","to_column":"id","type":"manual","confidence":0.9},
            {"from_table":"gone","from_column":"id","to_table":"crew","to_column":"id","type":"manual","confidence":1.0}]}"#;
        std::fs::write(&path, text).unwrap();
        let config = TargetConfig {
            graph_file: Some(path),
            ..fixture.config()
        };
        let catalogue = Target::new(config).unwrap().catalogue().await.unwrap();
        let joins: Vec<String> = catalogue
            .graph
            .relationships()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(joins, ["employee_crew.employee_id = employee.id"]);
        assert!(catalogue.table("employee").unwrap().secure);
        assert!(
            catalogue
                .notes
                .iter()
                .any(|note| note.contains("1 relationships")),
            "{:?}",
            catalogue.notes
        );
    }
}

#[tokio::test]
async fn each_tenant_sees_its_own_rows() {
    for fixture in both().await {
        let target = fixture.target();
        let sql = "SELECT e.name, c.name AS crew FROM employee e JOIN employee_crew ec ON ec.employee_id = e.id \
            JOIN crew c ON c.id = ec.crew_id ORDER BY e.id";
        let rows = ask(&target, sql).await.unwrap();
        assert_eq!(
            json(&rows),
            r#"[{"name":"Ada","crew":"North"},{"name":"Ben","crew":"South"}]"#
        );
        let rows = ask_as(&target, "rival", sql).await.unwrap();
        assert_eq!(json(&rows), r#"[{"name":"Rita Rival","crew":"Rivals"}]"#);
        assert!(matches!(
            ask_as(&target, "third", sql).await,
            Err(TargetError::Policy { .. })
        ));
    }
}

#[tokio::test]
async fn findings_are_of_logical_names() {
    for fixture in both().await {
        let target = fixture.target();
        let findings = target
            .check("SELECT nme FROM employee", "demo", 10)
            .await
            .unwrap()
            .unwrap_err();
        assert_eq!(findings[0].kind, Kind::UnknownColumn);
        assert!(
            findings[0].message.contains("'name'") && !findings[0].message.contains("secure_"),
            "{findings:?}"
        );
        let findings = target
            .check("SELECT * FROM migration", "demo", 10)
            .await
            .unwrap()
            .unwrap_err();
        assert_eq!(findings[0].kind, Kind::UnknownTable);
    }
}

#[tokio::test]
async fn samples_are_the_tenants_own_and_cut() {
    for fixture in both().await {
        let target = Target::new(TargetConfig {
            sample_value_chars: 4,
            ..fixture.config()
        })
        .unwrap();
        let samples = target.samples("employee", "rival", 5).await.unwrap();
        assert_eq!(samples.len(), 1);
        assert_eq!(samples[0]["name"], "Rita…");
        assert_eq!(target.samples("crew", "demo", 1).await.unwrap().len(), 1);
        assert!(target.samples("ghost", "demo", 1).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_new_table_is_seen_after_a_refresh() {
    for fixture in both().await {
        let target = fixture.admin_target();
        assert!(target.catalogue().await.unwrap().table("later").is_none());
        fixture
            .admin
            .run("CREATE TABLE later (id INT PRIMARY KEY)")
            .await;
        assert!(target.catalogue().await.unwrap().table("later").is_none());
        assert!(target.refresh().await.unwrap().table("later").is_some());
    }
}

#[tokio::test]
async fn callers_at_the_same_time_share_one_look() {
    for fixture in both().await {
        let target = Arc::new(fixture.target());
        let (one, other) = tokio::join!(target.catalogue(), target.catalogue());
        assert!(Arc::ptr_eq(&one.unwrap(), &other.unwrap()));
    }
}

#[tokio::test]
async fn targets_are_found_by_name_and_tenant() {
    let config = |name: &str, tenant: &str| TargetConfig {
        tenants: vec![tenant.to_owned()],
        ..TargetConfig::new(name, "mysql://u:p@127.0.0.1:1/d")
    };
    let targets = Targets::new(vec![
        config("a", "rival"),
        config("b", "*"),
        config("c", "demo"),
    ])
    .unwrap();
    let names: Vec<String> = targets
        .for_tenant("demo")
        .iter()
        .map(|target| target.name().to_owned())
        .collect();
    assert_eq!(names, ["b", "c"]);
    assert_eq!(targets.find(None, "demo").unwrap().name(), "b");
    assert!(targets.find(Some("a"), "demo").is_none());
    assert!(Targets::new(vec![config("a", "*"), config("a", "*")]).is_err());
}
