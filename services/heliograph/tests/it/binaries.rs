//! The three services as programs of their own.

use std::path::Path;
use std::process::{Output, Stdio};

use heliograph::chat::ChatClient;
use secrecy::SecretString;
use test_support::database::TestDatabase;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use xtask::load::{Binaries, Processes};

use crate::demo_stack::{PASSWORD, admin, ask, config, demo_database};

const SERVICES: [&str; 3] = ["tools", "orchestrator", "bff"];

/// The services' programs. `cargo test` builds them beside this crate's own; where only this crate
/// is tested, `cargo build --bins` does.
pub(crate) fn binaries() -> Binaries {
    Binaries::beside(Path::new(env!("CARGO_BIN_EXE_heliograph"))).unwrap()
}

/// Starts a service's program and waits until it listens; otherwise what it said.
pub(crate) async fn listens(program: &mut Command) -> Result<Child, String> {
    let mut child = program.stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut said = String::new();
    while let Some(line) = lines.next_line().await.unwrap() {
        said.push_str(&line);
        said.push('\n');
        if line.contains("\"message\":\"listening\"") {
            return Ok(child);
        }
    }
    Err(said)
}

/// Runs a service's program until it ends on its own.
async fn output(service: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    Command::new(binaries().program(service))
        .args(arguments)
        .env_remove("DATABASE_URL")
        .envs(variables.iter().copied())
        .kill_on_drop(true)
        .output()
        .await
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn three_programs_sign_a_person_in_and_answer() {
    let database = demo_database().await;
    let files = tempfile::tempdir().unwrap();
    let url = SecretString::from(database.url());
    let mut stack = config(&url, files.path());
    stack.introduce().unwrap();
    let accounts = admin(&stack);
    accounts.ensure_demo(Some(PASSWORD.into())).await.unwrap();
    accounts.close().await;

    let http = service_kit::http_client().unwrap();
    let processes = Processes::start(&binaries(), &stack, &url, files.path(), &[], &http)
        .await
        .unwrap();
    let bff = format!("http://127.0.0.1:{}", stack.bff.http.port);
    let signed_in = ChatClient::sign_in(http, &bff, "demo", &PASSWORD.into()).await;
    let (user, _) = signed_in.unwrap();
    let reply = ask(&user, "t-programs", "Check the health of LTI-INV-001").await;
    assert!(reply.text().contains("LTI-INV-001"), "{}", reply.text());
    processes.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_program_brings_its_own_schema_up_to_date() {
    let database = TestDatabase::empty().await.unwrap();
    let (url, pool) = (database.url(), database.pool());
    for service in SERVICES {
        let done = output(service, &["migrate"], &[("DATABASE_URL", url)]).await;
        assert!(done.status.success(), "{}", text(&done.stderr));
        let told = format!("the schema of {service} is up to date\n");
        assert_eq!(text(&done.stdout), told);
    }
    assert!(tools::database::is_migrated(pool).await.unwrap());
    assert!(orchestrator::database::is_migrated(pool).await.unwrap());
    assert!(bff::database::is_migrated(pool).await.unwrap());
    let schemas: Vec<String> = sqlx::query_scalar(
        "SELECT DISTINCT table_schema::text FROM information_schema.tables
         WHERE table_schema LIKE '%demo%' OR table_name LIKE '%demo%'",
    )
    .fetch_all(pool)
    .await
    .unwrap();
    assert!(
        schemas.is_empty(),
        "the demonstration is apart: {schemas:?}"
    );
}

#[tokio::test]
async fn a_program_that_cannot_start_says_why_and_fails() {
    for service in SERVICES {
        let ended = output(service, &["--config", "no/such/place"], &[]).await;
        assert!(!ended.status.success());
        let told = text(&ended.stderr);
        assert!(
            told.starts_with(&format!("heliograph-{service}: "))
                && told.contains("no/such/place is neither a folder nor a file"),
            "{told}"
        );

        let ended = output(service, &[], &[]).await;
        assert!(!ended.status.success());
        let told = text(&ended.stderr);
        assert!(
            told.contains("set database.url (or DATABASE_URL)"),
            "{told}"
        );

        let key = format!("HELIOGRAPH_{}__HTTP__PROT", service.to_uppercase());
        let ended = output(service, &[], &[(&key, "1")]).await;
        assert!(!ended.status.success());
        let told = text(&ended.stderr);
        assert!(told.contains("unknown key `http.prot`"), "{told}");
    }
}

#[tokio::test]
async fn a_program_reads_its_file_from_a_folder_or_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    for service in SERVICES {
        let file = folder.path().join(format!("{service}.toml"));
        std::fs::write(&file, "[http]\nport = 0\ndrain_timeout_ms = \"soon\"\n").unwrap();
        for place in [folder.path(), file.as_path()] {
            let ended = output(service, &["--config", place.to_str().unwrap()], &[]).await;
            let told = text(&ended.stderr);
            assert!(
                told.contains("http.drain_timeout_ms") && told.contains("line 3"),
                "{told}"
            );
        }
    }
}

#[tokio::test]
async fn a_program_says_what_it_is_for() {
    for service in SERVICES {
        let shown = output(service, &["--help"], &[]).await;
        let told = text(&shown.stdout);
        assert!(
            told.contains(&format!("heliograph-{service}")) && told.contains("migrate"),
            "{told}"
        );
        let shown = output(service, &["--version"], &[]).await;
        let told = text(&shown.stdout);
        let version = format!("heliograph-{service} {}\n", env!("CARGO_PKG_VERSION"));
        assert_eq!(told, version);
    }
}
