use super::*;

fn shipping() -> SourceConfig {
    SourceConfig {
        tenant_field: Some("tenant".to_owned()),
        indices: vec![IndexConfig {
            name: "shipments".to_owned(),
            ..IndexConfig::default()
        }],
        ..SourceConfig::new("shipping", SourceKind::Postgresql)
    }
}

fn fault(change: impl FnOnce(&mut SourceConfig)) -> String {
    let mut config = shipping();
    change(&mut config);
    config.validate().unwrap_err().to_string()
}

#[test]
fn faults_name_their_key() {
    assert_eq!(shipping().validate(), Ok(()));
    assert!(fault(|it| it.name = "Shipping".to_owned()).starts_with("name:"));
    assert!(fault(|it| it.tenant_field = None).starts_with("tenant_field:"));
    assert!(fault(|it| it.url = Some("mysql://h/d".into())).starts_with("url:"));
    assert!(fault(|it| it.kind = SourceKind::Elasticsearch).starts_with("url:"));
    assert!(fault(|it| it.tenants.clear()).starts_with("tenants:"));
    assert!(fault(|it| it.time_zone = "Mars".to_owned()).starts_with("time_zone:"));
    assert!(fault(|it| it.limits.max_rows = 10_001).starts_with("limits.max_rows:"));
    assert!(fault(|it| it.limits.default_rows = 5_000).starts_with("limits.default_rows:"));
    assert!(fault(|it| it.indices.clear()).starts_with("indices:"));
    assert!(fault(|it| it.indices.push(it.indices[0].clone())).starts_with("indices.1.name:"));
    for pattern in ["*", "logs-*", "a,b", "_all", "-a", "a/b", "", ".security"] {
        let told = fault(|it| it.indices[0].name = pattern.to_owned());
        assert!(told.starts_with("indices.0.name:"), "{pattern}: {told}");
    }
    let entity = fault(|it| {
        it.indices[0].entity = Some(EntityConfig {
            entity_type: "port".to_owned(),
            name_field: "name".to_owned(),
            ..EntityConfig::default()
        });
    });
    assert!(entity.starts_with("indices.0.id_field:"), "{entity}");
    let graphql = |today| {
        let mut config = shipping();
        config.kind = SourceKind::Graphql;
        config.url = Some("http://gql/graphql".into());
        config.today = today;
        config.validate()
    };
    assert_eq!(graphql(Today::Clock), Ok(()));
    let data = graphql(Today::Data).unwrap_err().to_string();
    assert!(
        data.starts_with("today:") && data.contains("clock or a day"),
        "{data}"
    );
    let both = fault(|it| {
        it.api_key = Some("k".into());
        it.username = Some("u".to_owned());
    });
    assert!(both.starts_with("api_key:"), "{both}");
}

#[test]
fn a_configuration_is_read_from_json_and_strictly() {
    let read = |text: &str| serde_json::from_str::<SourceConfig>(text);
    let config = read(
        r#"{"name": "shipping", "kind": "elasticsearch", "url": "https://es:9200", "tenants": ["demo"], "today": "2025-01-15",
            "limits": {"max_rows": 50}, "indices": [{"name": "ports", "entity": {"type": "port", "name_field": "name"}}]}"#,
    )
    .unwrap();
    assert_eq!(
        config.today,
        Today::Day(NaiveDate::from_ymd_opt(2025, 1, 15).unwrap())
    );
    assert_eq!(config.limits.max_rows, 50);
    assert_eq!(config.limits.default_rows, 100);
    assert!(config.is_for("demo") && !config.is_for("rival"));
    assert!(read(r#"{"name": "x", "secret": 1}"#).is_err());
    assert!(read(r#"{"today": "soon"}"#).is_err());
}

#[test]
fn secrets_are_not_shown() {
    let config = SourceConfig {
        url: Some("https://u:hunter2@es".into()),
        api_key: Some("hunter2".into()),
        headers: [("x-key".to_owned(), "hunter2".into())].into(),
        ..shipping()
    };
    assert!(!format!("{config:?}").contains("hunter2"));
    assert!(!serde_json::to_string(&config).unwrap().contains("hunter2"));
}

#[test]
fn secrets_come_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    std::fs::write(&path, "hunter2\n").unwrap();
    let mut config = SourceConfig {
        api_key_file: Some(path.clone()),
        header_files: [("x-key".to_owned(), path)].into(),
        ..shipping()
    };
    config.read_secrets().unwrap();
    assert_eq!(config.api_key.unwrap().expose_secret(), "hunter2");
    assert_eq!(config.headers["x-key"].expose_secret(), "hunter2");
}

#[test]
fn the_documents_variables_make_two_sources() {
    assert!(DocumentSources::default().sources().is_empty());
    let sources = DocumentSources {
        es_url: Some("http://es:9200".into()),
        es_index: Some("shipments, ports".to_owned()),
        graphql_endpoint: Some("http://gql/graphql".into()),
        ..DocumentSources::default()
    }
    .sources();
    let names: Vec<_> = sources.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["elasticsearch", "graphql"]);
    assert_eq!(sources[0].indices[1].name, "ports");
    assert!(sources[0].is_for("demo") && !sources[0].is_for("rival"));
    for source in &sources {
        assert_eq!(source.validate(), Ok(()));
    }
}
