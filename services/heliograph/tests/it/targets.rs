//! A database and a spreadsheet of one's own while the services run: the command line over HTTP,
//! from the address to an answer.

use std::path::Path;

use ::targets::TargetConfig;
use clap::Parser as _;
use contracts::targets::TargetDetails;
use heliograph::chat::ChatClient;
use heliograph::cli::{Cli, Command};
use heliograph::commands::targets;
use reqwest::Method;
use serde_json::Value;
use sqlx::AssertSqlSafe;
use test_support::database::TestDatabase;
use tools::credentials::config::{KeyConfig, generate_key};

use crate::demo_stack::{DemoStack, ask};

const READER: &str = "heliograph_shop_reader";

const SHOP: [&str; 5] = [
    "CREATE TABLE customer (id int PRIMARY KEY, name varchar(40) NOT NULL, country varchar(40))",
    "CREATE TABLE purchase (id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customer, amount numeric(8, 2), bought_on date)",
    "INSERT INTO customer VALUES (1, 'Ada', 'UK'), (2, 'Grace', 'US'), (3, 'Alan', 'UK')",
    "INSERT INTO purchase VALUES (1, 1, 10.5, '2026-01-05'), (2, 1, 20, '2026-02-07'), (3, 2, 5, '2026-02-09'), (4, 3, 7, '2026-03-01')",
    "DO $$ BEGIN CREATE ROLE heliograph_shop_reader LOGIN PASSWORD 'secret'; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$",
];

pub(crate) async fn run(client: &ChatClient, arguments: &[&str]) -> anyhow::Result<Vec<String>> {
    let cli = Cli::try_parse_from(["heliograph", "targets"].iter().chain(arguments)).unwrap();
    let Some(Command::Targets { command, .. }) = cli.command else {
        panic!("not targets");
    };
    targets::carry_out(client, command, Some("secret".into())).await
}

pub(crate) async fn details(client: &ChatClient, name: &str) -> TargetDetails {
    let path = format!("/api/targets/{name}");
    let found = client.request(Method::GET, &path, None).await.unwrap();
    found.json().await.unwrap()
}

async fn audit(client: &ChatClient) -> String {
    let log = client.request(Method::GET, "/api/audit", None).await;
    let log: Value = log.unwrap().json().await.unwrap();
    log.to_string()
}

pub(crate) fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_string_lossy().into_owned()
}

/// A database with a role that only reads, and its address without the password.
pub(crate) async fn shop() -> (TestDatabase, String) {
    let shop = TestDatabase::empty().await.unwrap();
    let grant = format!("GRANT SELECT ON customer, purchase TO {READER}");
    for statement in SHOP.into_iter().chain([grant.as_str()]) {
        let statement = AssertSqlSafe(statement.to_owned());
        sqlx::raw_sql(statement).execute(shop.pool()).await.unwrap();
    }
    let place = shop.url().rsplit_once('@').unwrap().1;
    let url = format!("postgres://{READER}@{}", place.split('?').next().unwrap());
    (shop, url)
}

#[expect(clippy::too_many_lines, reason = "one stack serves every step")]
#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_connects_a_database_and_a_spreadsheet_and_asks_them() {
    let (shop, url) = shop().await;
    let key = generate_key();
    let stack = DemoStack::start_with(|config| {
        config
            .tools
            .credentials
            .keys
            .push(KeyConfig::new("test", key));
    })
    .await;
    let scopes = [
        "chat",
        "tools:read",
        "targets:write",
        "questions:approve",
        "audit:read",
    ];
    stack.create_account_with("ada", "elsewhere", &scopes).await;
    let ada = stack.sign_in("ada").await;

    let none = run(&ada, &["list"]).await.unwrap();
    assert!(none[0].contains("there is no target yet"), "{none:?}");
    let away = url.replace(&format!("/{}", shop.name()), "/nothing_of_this_name");
    let refused = run(&ada, &["add", "shop", &away, "--tls", "off"])
        .await
        .unwrap_err();
    assert!(
        refused.to_string().contains("name of the database"),
        "{refused}"
    );
    let tested = run(&ada, &["add", "shop", &url, "--tls", "off", "--test"])
        .await
        .unwrap();
    assert!(tested.last().unwrap().contains("2 tables"), "{tested:?}");
    let added = run(
        &ada,
        &[
            "add",
            "shop",
            &url,
            "--tls",
            "off",
            "--description",
            "The shop",
        ],
    )
    .await;
    let added = added.unwrap().join("\n");
    assert!(
        added.contains("purchase.customer_id = customer.id") && added.contains("Ask, for example:"),
        "{added}"
    );

    // Each of the first questions is answered as it is, without a model.
    let questions = details(&ada, "shop").await.layer.unwrap().questions;
    assert!(questions.len() >= 4, "{questions:?}");
    let analyst = stack.sign_in("ada").await;
    let analyst = analyst.with_assistant(Some("data".to_owned()));
    for (at, question) in questions.iter().enumerate() {
        let reply = ask(&analyst, &format!("shop-{at}"), &question.question).await;
        let rows = reply.chunks.iter().any(|chunk| {
            let chunk = serde_json::to_string(chunk).unwrap();
            chunk.contains("\"outcome\":\"rows\"") || chunk.contains("data-rows")
        });
        assert!(rows, "{}: {}", question.question, reply.text());
    }

    let folder = tempfile::tempdir().unwrap();
    let sales = write(
        folder.path(),
        "Sales.csv",
        "Region;Sum\nNorth;1.234,50\nSouth;99,90\nNorth;0,60\nTotal;1.335,00\n",
    );
    let refused = run(&ada, &["load", "sales", &sales]).await.unwrap_err();
    assert!(refused.to_string().contains("--yes"), "{refused}");
    let loaded = run(&ada, &["load", "sales", &sales, "--yes"])
        .await
        .unwrap()
        .join("\n");
    assert!(loaded.contains("sales (2 columns)"), "{loaded}");
    let note = "note: “Sales”: the last row (“Total”) is the sum of those above, and is left out.";
    assert!(loaded.contains(note), "{loaded}");
    let out = folder
        .path()
        .join("north.csv")
        .to_string_lossy()
        .into_owned();
    let sql = "SELECT region, SUM(sum) AS total FROM sales GROUP BY region ORDER BY region";
    run(&ada, &["export", "sales", sql, "-o", &out])
        .await
        .unwrap();
    let text = std::fs::read_to_string(&out).unwrap();
    assert_eq!(
        text,
        "\u{feff}region,total\r\nNorth,1235.1\r\nSouth,99.9\r\n"
    );
    // The format may be named instead of the ending; the bytes are those of a workbook then.
    let other = folder.path().join("north").to_string_lossy().into_owned();
    run(
        &ada,
        &["export", "sales", sql, "-o", &other, "--format", "xlsx"],
    )
    .await
    .unwrap();
    assert!(std::fs::read(&other).unwrap().starts_with(b"PK"));
    let list = run(&ada, &["list"]).await.unwrap();
    assert!(
        list[0].starts_with("shop  database") && list[1].contains("Sales.csv (3 rows)"),
        "{list:?}"
    );

    // Another tenant sees nothing of it; a viewer changes nothing.
    stack.create_account_with("eve", "third", &scopes).await;
    let eve = stack.sign_in("eve").await;
    assert!(run(&eve, &["list"]).await.unwrap()[0].contains("no target yet"));
    assert!(run(&eve, &["show", "shop"]).await.is_err());
    stack.create_account("viewer", "elsewhere").await;
    let viewer = stack.sign_in("viewer").await;
    let refused = run(&viewer, &["remove", "shop", "--confirm", "shop"])
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("targets:write"), "{refused}");

    run(&ada, &["remove", "sales", "--confirm", "sales"])
        .await
        .unwrap();
    let log = audit(&ada).await;
    for action in [
        "create_target",
        "load_spreadsheet",
        "export_rows",
        "delete_target",
    ] {
        assert!(log.contains(&format!("\"{action}\"")), "{action}: {log}");
    }
    assert!(log.contains("\"shop\"") && !log.contains("secret"), "{log}");
    assert!(!audit(&eve).await.contains("shop"));
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_of_the_configuration_has_first_questions_too() {
    let (_shop, url) = shop().await;
    let url = url.replacen('@', ":secret@", 1);
    let stack = DemoStack::start_with(|config| {
        config.tools.targets.push(TargetConfig {
            tenants: vec!["elsewhere".to_owned()],
            ..TargetConfig::new("shop", url)
        });
    })
    .await;
    stack
        .create_account_with("ada", "elsewhere", &["chat", "tools:read"])
        .await;
    let ada = stack.sign_in("ada").await;
    let questions = loop {
        let questions = details(&ada, "shop").await.layer.unwrap().questions;
        if !questions.is_empty() {
            break questions;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    };
    assert!(questions.len() >= 4, "{questions:?}");
    let assistants = ada.request(Method::GET, "/api/assistants", None).await;
    let assistants: Value = assistants.unwrap().json().await.unwrap();
    assert!(
        assistants.to_string().contains(&questions[0].question),
        "{assistants}"
    );
    let ada = ada.with_assistant(Some("data".to_owned()));
    for (at, question) in questions.iter().enumerate() {
        let reply = ask(&ada, &format!("shop-{at}"), &question.question).await;
        let rows = reply.chunks.iter().any(|chunk| {
            let chunk = serde_json::to_string(chunk).unwrap();
            chunk.contains("\"outcome\":\"rows\"") || chunk.contains("data-rows")
        });
        assert!(rows, "{}: {}", question.question, reply.text());
    }
    stack.stop().await;
}

/// Sales in two currencies, fees in one; the lines of a sale are in its currency.
const GALLERY: &str = "
CREATE TABLE artist (id int PRIMARY KEY, name varchar(20) NOT NULL);
CREATE TABLE sale (id int PRIMARY KEY, artist_id int NOT NULL REFERENCES artist, amount numeric(8, 2), currency varchar(3) NOT NULL);
CREATE TABLE frame (id int PRIMARY KEY, name varchar(20) NOT NULL);
CREATE TABLE sale_line (id int PRIMARY KEY, sale_id int NOT NULL REFERENCES sale, frame_id int NOT NULL REFERENCES frame, price numeric(8, 2));
INSERT INTO artist VALUES (1, 'Ada'), (2, 'Bob');
INSERT INTO frame VALUES (1, 'oak'), (2, 'ash');
INSERT INTO sale VALUES (1, 1, 100, 'EUR'), (2, 1, 9000, 'JPY'), (3, 2, 50, 'EUR');
INSERT INTO sale_line VALUES (1, 1, 1, 100), (2, 2, 1, 9000), (3, 3, 2, 50);
DO $$ BEGIN CREATE ROLE heliograph_shop_reader LOGIN PASSWORD 'secret'; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
GRANT SELECT ON artist, sale, frame, sale_line TO heliograph_shop_reader;
";

#[tokio::test(flavor = "multi_thread")]
async fn the_first_questions_add_no_amounts_in_different_currencies() {
    let stack = DemoStack::start_with(|config| {
        let key = KeyConfig::new("test", generate_key());
        config.tools.credentials.keys.push(key);
    })
    .await;
    let scopes = ["chat", "tools:read", "targets:write", "questions:approve"];
    stack.create_account_with("ada", "elsewhere", &scopes).await;
    let ada = stack.sign_in("ada").await;
    for (name, one_currency) in [("gallery", false), ("galerie", true)] {
        let gallery = TestDatabase::empty().await.unwrap();
        sqlx::raw_sql(GALLERY)
            .execute(gallery.pool())
            .await
            .unwrap();
        if one_currency {
            let sql = "UPDATE sale SET currency = 'EUR'";
            sqlx::raw_sql(sql).execute(gallery.pool()).await.unwrap();
        }
        let place = gallery.url().rsplit_once('@').unwrap().1;
        let url = format!("postgres://{READER}@{}", place.split('?').next().unwrap());
        run(&ada, &["add", name, &url, "--tls", "off"])
            .await
            .unwrap();
        let questions = details(&ada, name).await.layer.unwrap().questions;
        let asked: Vec<&str> = questions.iter().map(|one| one.question.as_str()).collect();
        let sums: Vec<_> = questions
            .iter()
            .filter(|one| one.sql.contains("SUM("))
            .collect();
        assert!(!sums.is_empty(), "{asked:?}");
        let highest = asked.iter().any(|one| one.contains("highest amount"));
        if one_currency {
            assert!(
                asked.contains(&"What is the total amount of sales per artist?"),
                "{asked:?}"
            );
            continue;
        }
        assert!(
            asked.contains(&"What is the total amount of sales per artist and currency?"),
            "{asked:?}"
        );
        assert!(
            sums.iter()
                .all(|one| one.sql.contains("GROUP BY") && one.sql.contains("\"currency\"")),
            "{sums:?}"
        );
        assert!(!highest, "{asked:?}");
    }
    stack.stop().await;
}

/// Wings have a key of two columns, and two of them have one name. A museum lends and borrows.
const MUSEUM: &str = "
CREATE TABLE site (id int PRIMARY KEY, city varchar(20) NOT NULL);
CREATE TABLE wing (site_id int NOT NULL REFERENCES site, wing_no int NOT NULL, name varchar(20) NOT NULL, PRIMARY KEY (site_id, wing_no));
CREATE TABLE room (site_id int NOT NULL, wing_no int NOT NULL, room_no int NOT NULL, area numeric(6, 1),
    PRIMARY KEY (site_id, wing_no, room_no), FOREIGN KEY (site_id, wing_no) REFERENCES wing);
CREATE TABLE loan (id int PRIMARY KEY, lender_id int NOT NULL REFERENCES site, borrower_id int NOT NULL REFERENCES site, fee numeric(6, 1));
INSERT INTO site VALUES (1, 'Bonn'), (2, 'Lyon');
INSERT INTO wing VALUES (1, 1, 'East'), (1, 2, 'West'), (2, 1, 'East');
INSERT INTO room VALUES (1, 1, 1, 10), (1, 1, 2, 20), (1, 2, 1, 40), (2, 1, 1, 80);
INSERT INTO loan VALUES (1, 1, 2, 5), (2, 1, 2, 7), (3, 2, 1, 9);
DO $$ BEGIN CREATE ROLE heliograph_shop_reader LOGIN PASSWORD 'secret'; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
GRANT SELECT ON site, wing, room, loan TO heliograph_shop_reader;
";

#[tokio::test(flavor = "multi_thread")]
async fn the_first_questions_count_right_over_composite_keys_and_equal_names() {
    let museum = TestDatabase::empty().await.unwrap();
    sqlx::raw_sql(MUSEUM).execute(museum.pool()).await.unwrap();
    let place = museum.url().rsplit_once('@').unwrap().1;
    let url = format!("postgres://{READER}@{}", place.split('?').next().unwrap());
    let stack = DemoStack::start_with(|config| {
        let key = KeyConfig::new("test", generate_key());
        config.tools.credentials.keys.push(key);
    })
    .await;
    let scopes = ["chat", "tools:read", "targets:write", "questions:approve"];
    stack.create_account_with("ada", "elsewhere", &scopes).await;
    let ada = stack.sign_in("ada").await;
    run(&ada, &["add", "museum", &url, "--tls", "off"])
        .await
        .unwrap();
    let questions = details(&ada, "museum").await.layer.unwrap().questions;
    let figures = async |question: &str| {
        let found = questions.iter().find(|one| one.question == question);
        let sql = &found
            .unwrap_or_else(|| panic!("{question}: {questions:?}"))
            .sql;
        let sql = format!("SELECT figures.*::text FROM ({sql}) AS figures");
        let rows: Vec<String> = sqlx::query_scalar(AssertSqlSafe(sql))
            .fetch_all(museum.pool())
            .await
            .unwrap();
        rows
    };
    let mut rooms = figures("Which 10 wings have the most rooms?").await;
    rooms.sort();
    assert_eq!(rooms, ["(East,1)", "(East,2)", "(West,1)"]);
    assert_eq!(
        figures("What is the total area of rooms per wing?").await,
        ["(East,80.0)", "(West,40.0)", "(East,30.0)"]
    );
    // A loan has two sites: no question leaves open which of them is counted.
    let of_both = questions
        .iter()
        .find(|one| one.question.contains("loan") && one.question.contains("site"));
    assert_eq!(of_both, None);
    stack.stop().await;
}
