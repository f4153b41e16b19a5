//! Errors of the program for commands that it cannot execute: at once, with the cause.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use heliograph::stack::StackConfig;
use test_support::database::TestDatabase;

/// The program in an environment that says only this.
pub(crate) fn heliograph(data: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heliograph"));
    let theirs = std::env::vars().filter(|(name, _)| {
        name.starts_with("HELIOGRAPH") || name == "DATABASE_URL" || name == "RUST_LOG"
    });
    for (name, _) in theirs {
        command.env_remove(name);
    }
    command
        .args(arguments)
        .current_dir(data)
        .env("HELIOGRAPH_DATA_DIR", data)
        .env("HELIOGRAPH_DEMO_DATABASE", "false")
        .env("HELIOGRAPH_DEMO_LIVE", "false")
        .env("HELIOGRAPH_FETCH_MODEL", "false")
        .envs(variables.iter().copied())
        .stdin(Stdio::null());
    command
}

fn run(data: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    heliograph(data, arguments, variables).output().unwrap()
}

/// The same with something to read.
pub(crate) fn with_input(command: &mut Command, input: &str) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    child.wait_with_output().unwrap()
}

/// The standard error of a command that fails.
fn refusal(data: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let output = run(data, arguments, variables);
    assert!(!output.status.success(), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_folder_of_configurations_that_is_not_there_stops_the_start() {
    let data = tempfile::tempdir().unwrap();
    let told = refusal(data.path(), &["--config", "/nonexistent", "migrate"], &[]);
    assert!(told.contains("--config: /nonexistent"), "{told}");
    assert_eq!(std::fs::read_dir(data.path()).unwrap().count(), 0);
}

#[test]
fn a_port_in_use_is_found_before_anything_is_made() {
    let data = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let told = refusal(
        data.path(),
        &[],
        &[
            ("HELIOGRAPH_TOOLS__HTTP__PORT", port.as_str()),
            ("HELIOGRAPH_ORCHESTRATOR__HTTP__PORT", "0"),
            ("HELIOGRAPH_BFF__HTTP__PORT", "0"),
        ],
    );
    assert!(
        told.contains(&format!("127.0.0.1:{port}"))
            && told.contains("HELIOGRAPH_TOOLS__HTTP__PORT")
            && told.contains("in use"),
        "{told}"
    );
    assert_eq!(std::fs::read_dir(data.path()).unwrap().count(), 0);
}

/// Data that a command stored in a new folder would be missed in the product that runs.
#[test]
fn a_command_in_a_new_folder_names_the_services_that_run() {
    let data = tempfile::tempdir().unwrap();
    let running = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = running.local_addr().unwrap().port().to_string();
    std::thread::spawn(move || {
        for stream in running.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 1024]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
        }
    });
    let fresh = data.path().join("fresh");
    let told = refusal(
        data.path(),
        &["targets", "list"],
        &[
            ("HELIOGRAPH_DATA_DIR", fresh.to_str().unwrap()),
            ("HELIOGRAPH_BFF__HTTP__PORT", port.as_str()),
            ("RUST_BACKTRACE", "1"),
        ],
    );
    let place = format!("--server http://127.0.0.1:{port}");
    assert!(told.contains(&place), "{told}");
    assert!(told.starts_with("Error: the folder "), "{told}");
    // The program's own calls are not for the person.
    assert!(!told.to_lowercase().contains("backtrace"), "{told}");
    assert!(!fresh.exists());
}

#[test]
fn a_password_file_without_a_password_is_found_before_anything_is_made() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("password");
    std::fs::write(&file, "\nsecond line\n").unwrap();
    let file = file.to_str().unwrap();
    for (file, cause) in [
        ("/nonexistent", "cannot read the password file /nonexistent"),
        (file, "the first line of"),
    ] {
        let command = ["account", "first-administrator", "ada", "--password-file"];
        let told = refusal(data.path(), &[&command[..], &[file]].concat(), &[]);
        assert!(told.contains(cause), "{told}");
    }
    assert_eq!(std::fs::read_dir(data.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn a_wrong_database_is_told_with_its_cause() {
    let data = tempfile::tempdir().unwrap();
    let database = TestDatabase::empty().await.unwrap();
    let absent = database.url().replace(database.name(), "absent");
    let stranger = {
        let (_, rest) = database.url().split_once('@').unwrap();
        format!("postgres://stranger:hunter22@{rest}")
    };
    for (url, causes) in [
        (
            "postgres://someone:hunter22@127.0.0.1:1/data",
            ["127.0.0.1:1", "refuses connections"],
        ),
        (absent.as_str(), ["absent", "does not exist"]),
        (stranger.as_str(), ["does not accept", "DATABASE_URL"]),
        (
            "mysql://root:hunter22@127.0.0.1/data",
            ["mysql://", "must be postgres://"],
        ),
    ] {
        let variables = [
            ("DATABASE_URL", url),
            ("HELIOGRAPH_TOOLS__HTTP__PORT", "0"),
            ("HELIOGRAPH_ORCHESTRATOR__HTTP__PORT", "0"),
            ("HELIOGRAPH_BFF__HTTP__PORT", "0"),
        ];
        for arguments in [&["migrate"][..], &["sites", "/dev/null"], &["up"]] {
            let told = refusal(data.path(), arguments, &variables);
            for cause in causes {
                assert!(told.contains(cause), "{arguments:?} {cause}: {told}");
            }
            assert!(!told.contains("pool timed out"), "{told}");
            assert!(!told.contains("hunter22"), "{told}");
        }
    }
}

#[tokio::test]
async fn each_service_is_migrated_by_a_role_that_owns_its_schema_and_nothing_else() {
    let data = tempfile::tempdir().unwrap();
    let database = TestDatabase::empty().await.unwrap();
    let mut variables = Vec::new();
    let mut statements = format!(
        "REVOKE ALL ON DATABASE \"{0}\" FROM PUBLIC; REVOKE ALL ON SCHEMA public FROM PUBLIC;",
        database.name()
    );
    let (_, rest) = database.url().split_once('@').unwrap();
    for service in ["tools", "orchestrator", "bff"] {
        let role = format!("{}_{service}", database.name());
        let _ = write!(
            statements,
            "CREATE ROLE \"{role}\" LOGIN PASSWORD 'least' NOSUPERUSER NOCREATEDB NOCREATEROLE; \
             GRANT CONNECT ON DATABASE \"{}\" TO \"{role}\";",
            database.name()
        );
        let name = format!("HELIOGRAPH_{}__DATABASE__URL", service.to_uppercase());
        variables.push((name, format!("postgres://{role}:least@{rest}")));
    }
    execute(&database, &statements).await;
    let environment: Vec<(&str, &str)> = variables
        .iter()
        .map(|(name, url)| (name.as_str(), url.as_str()))
        .collect();

    // Without a schema, the error says what an administrator has to do.
    let told = refusal(
        data.path(),
        &["migrate", "--service", "tools"],
        &environment,
    );
    assert!(told.contains("CREATE SCHEMA tools AUTHORIZATION"), "{told}");
    for service in ["tools", "orchestrator", "bff"] {
        let role = format!("{}_{service}", database.name());
        let schema = format!("CREATE SCHEMA {service} AUTHORIZATION \"{role}\"");
        execute(&database, &schema).await;
    }

    let one = run(
        data.path(),
        &["migrate", "--service", "tools"],
        &environment,
    );
    assert!(one.status.success(), "{one:?}");
    assert!(tools::database::is_migrated(database.pool()).await.unwrap());
    assert!(!bff::database::is_migrated(database.pool()).await.unwrap());
    // All of them, each by its own role; and once more, which changes nothing.
    for _ in 0..2 {
        let all = run(data.path(), &["migrate"], &environment);
        assert!(all.status.success(), "{all:?}");
    }
    // Other commands use the same roles, and what only the bff keeps needs no other.
    std::fs::write(data.path().join("sites.toml"), "sites = []").unwrap();
    let sites = run(data.path(), &["sites", "sites.toml"], &environment);
    assert!(sites.status.success(), "{sites:?}");
    let of_bff = &environment[2..];
    let account = with_input(
        &mut heliograph(
            data.path(),
            &["account", "first-administrator", "ada"],
            of_bff,
        ),
        "correct horse\n",
    );
    assert!(account.status.success(), "{account:?}");
    assert!(bff::database::is_migrated(database.pool()).await.unwrap());
    assert!(
        orchestrator::database::is_migrated(database.pool())
            .await
            .unwrap()
    );
    let elsewhere: Vec<(String, String)> = sqlx::query_as(
        "SELECT schemaname, tablename FROM pg_tables WHERE schemaname NOT IN ('tools', 'orchestrator', 'bff', 'pg_catalog', 'information_schema')",
    )
    .fetch_all(database.pool())
    .await
    .unwrap();
    assert!(elsewhere.is_empty(), "{elsewhere:?}");
    let strangers: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM pg_tables WHERE schemaname IN ('tools', 'orchestrator', 'bff') \
         AND tableowner <> current_database() || '_' || schemaname",
    )
    .fetch_one(database.pool())
    .await
    .unwrap();
    assert_eq!(
        strangers, 0,
        "every table belongs to the role of its service"
    );
    assert!(
        !data.path().join("postgres").exists(),
        "no private server was started"
    );
    let mut owned = String::new();
    for service in ["tools", "orchestrator", "bff"] {
        let role = format!("{}_{service}", database.name());
        let _ = write!(owned, "DROP OWNED BY \"{role}\"; DROP ROLE \"{role}\";");
    }
    execute(&database, &owned).await;
}

async fn execute(database: &TestDatabase, statements: &str) {
    sqlx::raw_sql(sqlx::AssertSqlSafe(statements.to_owned()))
        .execute(database.pool())
        .await
        .unwrap();
}

#[test]
fn the_place_of_the_checkpoints_is_the_configured_one_and_else_in_the_data_folder() {
    let data = Path::new("/data");
    let url = "postgres://h/d".into();
    let mut stack = StackConfig::on_free_ports();
    stack.keep_data(&url, data);
    let path = stack.orchestrator.checkpoints.path();
    assert_eq!(path, Path::new("/data/checkpoints.sqlite"));
    let mut stack = StackConfig::on_free_ports();
    stack.orchestrator.checkpoints.path = Some("/elsewhere/c.sqlite".into());
    stack.keep_data(&url, data);
    let path = stack.orchestrator.checkpoints.path();
    assert_eq!(path, Path::new("/elsewhere/c.sqlite"));
}
