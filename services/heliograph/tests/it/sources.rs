//! A search source of one's own while the services run: the command line over HTTP, from the
//! address to the offer of the analyst.

use clap::Parser as _;
use heliograph::chat::ChatClient;
use heliograph::cli::{Cli, Command};
use heliograph::commands::sources;
use reqwest::Method;
use serde_json::Value;
use sqlx::AssertSqlSafe;
use test_support::database::TestDatabase;
use tools::credentials::config::{KeyConfig, generate_key};

use crate::demo_stack::DemoStack;

const READER: &str = "heliograph_depot_reader";

const DEPOT: [&str; 4] = [
    "CREATE SCHEMA depot",
    "CREATE TABLE depot.part (part_id text PRIMARY KEY, name text NOT NULL, stock int NOT NULL, counted_on date)",
    "INSERT INTO depot.part VALUES ('P1', 'fuse', 12, '2026-01-05'), ('P2', 'fan', 0, '2026-02-07')",
    "DO $$ BEGIN CREATE ROLE heliograph_depot_reader LOGIN PASSWORD 'secret'; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$",
];

async fn run(client: &ChatClient, arguments: &[&str]) -> anyhow::Result<String> {
    let cli = Cli::try_parse_from(["heliograph", "sources"].iter().chain(arguments)).unwrap();
    let Some(Command::Sources { command, .. }) = cli.command else {
        panic!("not sources");
    };
    let lines = sources::carry_out(client, command, Some("secret".into())).await?;
    Ok(lines.join("\n"))
}

async fn get(client: &ChatClient, path: &str) -> String {
    let answer = client.request(Method::GET, path, None).await.unwrap();
    let answer: Value = answer.json().await.unwrap();
    answer.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_connects_a_search_source_and_is_offered_the_analyst() {
    let depot = TestDatabase::empty().await.unwrap();
    let grants = [
        format!("GRANT USAGE ON SCHEMA depot TO {READER}"),
        format!("GRANT SELECT ON depot.part TO {READER}"),
    ];
    for statement in DEPOT.map(str::to_owned).into_iter().chain(grants) {
        let statement = AssertSqlSafe(statement);
        sqlx::raw_sql(statement)
            .execute(depot.pool())
            .await
            .unwrap();
    }
    let place = depot.url().rsplit_once('@').unwrap().1;
    let url = format!("postgres://{READER}@{}", place.split('?').next().unwrap());
    let key = generate_key();
    let stack = DemoStack::start_with(|config| {
        let keys = &mut config.tools.credentials.keys;
        keys.push(KeyConfig::new("test", key));
    })
    .await;
    let scopes = ["chat", "tools:read", "targets:write", "audit:read"];
    stack.create_account_with("ada", "elsewhere", &scopes).await;
    stack.create_account_with("eve", "third", &scopes).await;
    let (ada, eve) = (stack.sign_in("ada").await, stack.sign_in("eve").await);

    assert!(
        run(&ada, &["list"])
            .await
            .unwrap()
            .contains("no search source yet")
    );
    let add = async |url: &str, more: &[&str]| {
        let options = ["add", "depot", url, "--schema", "depot", "--tls", "off"];
        let all: Vec<&str> = options.into_iter().chain(more.iter().copied()).collect();
        run(&ada, &all).await
    };
    let away = url.replace(depot.name(), "nothing_of_this_name");
    let refused = add(&away, &[]).await.unwrap_err().to_string();
    assert!(refused.contains("name of the database"), "{refused}");
    let tested = add(&url, &["--test"]).await.unwrap();
    assert!(tested.contains("part (4 fields)"), "{tested}");
    let added = add(&url, &[]).await.unwrap();
    assert!(
        added.contains("  part") && added.contains("counted_on date"),
        "{added}"
    );
    let offered = get(&ada, "/api/assistants").await;
    assert!(offered.contains("part"), "{offered}");

    // The words are taken out, changed and given back.
    let folder = tempfile::tempdir().unwrap();
    let words = run(&ada, &["show", "depot", "--json"]).await.unwrap();
    let words = words.replace("\"nouns\"", "\"description\": \"Spare parts\", \"nouns\"");
    let file = folder.path().join("depot.json");
    std::fs::write(&file, words).unwrap();
    let described = run(&ada, &["describe", "depot", &file.to_string_lossy()]).await;
    let described = described.unwrap();
    assert!(described.contains("Spare parts"), "{described}");

    // Another tenant sees nothing of it; a viewer changes nothing.
    assert!(
        run(&eve, &["list"])
            .await
            .unwrap()
            .contains("no search source yet")
    );
    assert!(run(&eve, &["show", "depot"]).await.is_err());
    assert!(!get(&eve, "/api/assistants").await.contains("part"));
    stack.create_account("viewer", "elsewhere").await;
    let viewer = stack.sign_in("viewer").await;
    let refused = run(&viewer, &["remove", "depot", "--confirm", "depot"]).await;
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("targets:write"), "{refused}");

    run(&ada, &["remove", "depot", "--confirm", "depot"])
        .await
        .unwrap();
    assert!(
        run(&ada, &["list"])
            .await
            .unwrap()
            .contains("no search source yet")
    );
    let log = get(&ada, "/api/audit").await;
    for action in ["create_source", "change_source", "delete_source"] {
        assert!(log.contains(&format!("\"{action}\"")), "{action}: {log}");
    }
    assert!(
        log.contains("\"depot\"") && !log.contains("secret"),
        "{log}"
    );
    assert!(!get(&eve, "/api/audit").await.contains("depot"));
    stack.stop().await;
}
