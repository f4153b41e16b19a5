//! Commands beside a process that has the data folder in use: what a person does to accounts, keys
//! and the demonstration while everything runs.

use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use heliograph::config::Config;
use heliograph::database;

/// The workspace's own cache of the server's programs.
const CACHE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.heliograph/cache");

/// Runs a command on a data folder; what it says.
fn heliograph(folder: &Path, arguments: &[&str], input: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_heliograph"))
        .args(arguments)
        .env("HELIOGRAPH_DATA_DIR", folder)
        .env_remove("DATABASE_URL")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{arguments:?}: {said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    said
}

/// A new data folder with the workspace's cache, and what holds it.
pub(crate) fn folder() -> (tempfile::TempDir, Config) {
    let home = tempfile::tempdir().unwrap();
    let mut config = Config::default();
    config.data.folder = home.path().join("data");
    // As root's server needs it, which runs as another user.
    std::fs::set_permissions(home.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::create_dir_all(CACHE).unwrap();
    std::fs::create_dir(&config.data.folder).unwrap();
    symlink(CACHE, config.data.folder.join("cache")).unwrap();
    (home, config)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_demonstration_is_loaded_while_its_database_is_in_use() {
    let (_home, config) = folder();
    let folder = config.data.folder.clone();
    let options = embedded_mariadb::Options::durable(folder.join("mariadb"), folder.join("cache"));
    let running = embedded_mariadb::Database::open(None, options, "fieldservice")
        .await
        .unwrap();
    let said = tokio::task::spawn_blocking(move || {
        let first = heliograph(&folder, &["demo", "data"], "");
        let again = heliograph(&folder, &["demo", "data", "--reset"], "");
        (first, again)
    });
    let (first, again) = said.await.unwrap();
    for said in [first, again] {
        assert!(
            said.contains("loaded") && said.contains("`heliograph` runs on this folder"),
            "{said}"
        );
    }
    running.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn accounts_and_keys_are_changed_while_the_database_is_in_use() {
    let (_home, config) = folder();
    let running = database::open(&config).await.unwrap();

    let folder = config.data.folder.clone();
    let said = tokio::task::spawn_blocking(move || {
        let run = |arguments: &[&str], input: &str| heliograph(&folder, arguments, input);
        let first = ["account", "first-administrator", "ada"];
        run(&first, "correct horse\n");
        let recover = [&first[..], &["--recover"]].concat();
        let password = run(&recover, "another horse\n");
        let first = run(&["keys", "list"], "");
        let rotated = run(&["keys", "rotate"], "");
        (password, first, rotated)
    });
    let (password, first, rotated) = said.await.unwrap();
    assert!(
        password.contains("every session and token was revoked"),
        "{password}"
    );
    assert_eq!(first.lines().count(), 1, "{first}");
    let lines: Vec<&str> = rotated.lines().collect();
    assert_eq!(lines.len(), 2, "{rotated}");
    assert!(
        lines[0].contains("signs; its tokens are accepted until"),
        "{rotated}"
    );
    assert!(lines[1].contains("will sign from"), "{rotated}");
    running.stop().await.unwrap();
}

#[tokio::test]
async fn the_data_folder_is_made_for_its_owner() {
    let home = tempfile::tempdir().unwrap();
    let mut config = Config::default();
    config.data.folder = home.path().join("data");
    // Nothing is started, and the folder is there for the files beside the database.
    config.database.url = Some("postgres://reader@127.0.0.1:9/none".into());
    database::open(&config).await.unwrap();
    let mode = std::fs::metadata(&config.data.folder)
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o066, 0, "{mode:o}");
}
