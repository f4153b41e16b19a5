//! A plant of one's own while the services run: the command line over HTTP, from the site to an
//! answer.

use std::fmt::Write as _;
use std::path::Path;

use clap::Parser as _;
use heliograph::chat::ChatClient;
use heliograph::cli::{Cli, Command};
use heliograph::commands::{import, plants};
use reqwest::Method;
use serde_json::{Value, json};

use crate::demo_stack::DemoStack;

/// Runs `heliograph import` with a client.
async fn run_import(client: &ChatClient, arguments: &[&str]) -> anyhow::Result<()> {
    let cli = Cli::try_parse_from(["heliograph", "import"].iter().chain(arguments)).unwrap();
    let Some(Command::Import(options)) = cli.command else {
        panic!("not an import");
    };
    import::carry_out(client, &options).await
}

/// Runs a subcommand of `heliograph sites` with a client.
async fn run_sites(client: &ChatClient, arguments: &[&str]) -> anyhow::Result<Vec<String>> {
    let cli = Cli::try_parse_from(["heliograph", "sites"].iter().chain(arguments)).unwrap();
    let Some(Command::Sites(options)) = cli.command else {
        panic!("not sites");
    };
    plants::carry_out(client, options.command.unwrap()).await
}

async fn get(client: &ChatClient, path: &str) -> Value {
    let answer = client.request(Method::GET, path, None).await.unwrap();
    answer.json().await.unwrap()
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_string_lossy().into_owned()
}

/// A folder with the file of a logger, 14 hours of 2 kWh each, and a file without data.
fn exports(folder: &Path) -> String {
    let mut lti = "[header]\nserial=LT-7\n[data]\ntimestamp;P_AC;E_INT\n".to_owned();
    for hour in 6..20 {
        writeln!(lti, "2025-06-01 {hour:02}:00:00;2000;2").unwrap();
    }
    let june = folder.join("exports/june");
    std::fs::create_dir_all(&june).unwrap();
    write(&june, "LTi7.csv", &lti);
    write(&june, "notes.txt", "nothing\n");
    folder.join("exports").to_string_lossy().into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_tenant_describes_a_site_and_imports_a_folder() {
    let stack = DemoStack::start().await;
    let scopes = ["chat", "tools:read", "sites:write"];
    stack.create_account_with("ada", "elsewhere", &scopes).await;
    let client = stack.sign_in("ada").await;
    let folder = tempfile::tempdir().unwrap();
    let exports = exports(folder.path());

    let without_site = run_import(&client, &["--yes", &exports]).await.unwrap_err();
    assert!(
        format!("{without_site:#}").contains("there is no site yet"),
        "{without_site:#}"
    );
    let roof = ["add", "roof", "--timezone", "Europe/Berlin"];
    let roof = [roof.as_slice(), &["--currency", "EUR"]].concat();
    let added = run_sites(&client, &roof).await.unwrap();
    assert_eq!(added, ["1 site and 0 loggers are up to date"]);

    // One file is data, the other one is not: the first is imported, and the command says so.
    let partly = run_import(&client, &["--yes", &exports]).await.unwrap_err();
    assert_eq!(partly.to_string(), "1 files could not be imported");
    let imports = get(&client, "/api/imports").await;
    let done = imports["imports"]
        .as_array()
        .unwrap()
        .iter()
        .find(|import| import["filename"] == "LTi7.csv")
        .unwrap();
    assert_eq!(
        (&done["status"], &done["progress"]["accepted"]),
        (&json!("done"), &json!(14)),
        "{done}"
    );
    let listed = run_sites(&client, &["list"]).await.unwrap();
    assert_eq!(listed[0], "roof  (Europe/Berlin)");
    assert!(
        listed[1].contains("LT-7  inverter (lti), 14 readings, 2025-06-01 to 2025-06-01"),
        "{listed:?}"
    );

    // The figures are there at once: 14 intervals of 2 kWh.
    let answer = client
        .request(Method::POST, "/api/tools/calculate_financial_savings", Some(&json!({"logger_id": "LT-7", "start_date": "2025-06-01", "end_date": "2025-06-01", "rate": 0.5})))
        .await
        .unwrap();
    let answer: Value = answer.json().await.unwrap();
    let energy = answer["result"]["totalEnergyKwh"].as_f64().unwrap();
    assert!((energy - 28.0).abs() < 0.1, "{answer}");

    // A table is corrected on the command line, and remembered.
    let table = write(
        folder.path(),
        "table.csv",
        "when;Leistung kW;Fuehler\n02.06.2025 00:30;1,5;700\n02.06.2025 13:00;1,6;710\n",
    );
    run_import(
        &client,
        &[
            "--yes",
            "--logger-id",
            "WR-1",
            "--column",
            "Fuehler=irradiance",
            &table,
        ],
    )
    .await
    .unwrap();
    let wrong = run_import(
        &client,
        &["--column", "Wind=irradiance", "--logger-id", "WR-2", &table],
    )
    .await
    .unwrap_err();
    assert!(
        wrong
            .to_string()
            .contains("has no column `Wind`; it has when, Leistung kW, Fuehler"),
        "{wrong}"
    );
    let loggers = get(&client, "/api/loggers").await;
    assert_eq!(loggers["loggers"].as_array().unwrap().len(), 2, "{loggers}");
    // Half past midnight is the day before in UTC.
    let listed = run_sites(&client, &["list"]).await.unwrap().join("\n");
    assert!(
        listed.contains("2 readings, 2025-06-02 to 2025-06-02"),
        "{listed}"
    );

    let gone = run_sites(&client, &["delete-logger", "WR-1", "--confirm", "WR-1"])
        .await
        .unwrap();
    assert_eq!(gone, ["WR-1 is deleted, with its readings"]);
    // The demonstration's tenant sees nothing of it.
    let demo = stack.demo_user().await;
    assert_eq!(get(&demo, "/api/imports").await, json!({ "imports": [] }));
    assert!(
        !get(&demo, "/api/sites")
            .await
            .to_string()
            .contains("\"roof\"")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_keeps_the_values_that_a_change_does_not_name() {
    let stack = DemoStack::start().await;
    let scopes = ["chat", "tools:read", "sites:write"];
    stack.create_account_with("ada", "elsewhere", &scopes).await;
    let client = stack.sign_in("ada").await;
    let roof = ["add", "roof", "--timezone", "Europe/Berlin"];
    let whole = "--latitude 52.5 --longitude 13.4 --tariff 0.31 --currency EUR --name Roof";
    let whole: Vec<&str> = roof.into_iter().chain(whole.split(' ')).collect();
    run_sites(&client, &whole).await.unwrap();
    let north = [roof.as_slice(), &["--name", "Dach Nord"]].concat();
    run_sites(&client, &north).await.unwrap();
    let sites = get(&client, "/api/sites").await;
    let site = &sites["sites"][0];
    let kept = [
        "name",
        "latitude",
        "longitude",
        "tariff_per_kwh",
        "currency",
    ]
    .map(|key| &site[key]);
    assert_eq!(json!(kept), json!(["Dach Nord", 52.5, 13.4, 0.31, "EUR"]));

    stack
        .create_account_with("bob", "elsewhere", &["sites:write"])
        .await;
    let writer = stack.sign_in("bob").await;
    let added = run_sites(&writer, &["add", "shed", "--timezone", "Europe/Berlin"]).await;
    assert_eq!(added.unwrap(), ["1 site and 0 loggers are up to date"]);
}
