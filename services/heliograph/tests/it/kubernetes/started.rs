//! The programs, started as their pods start them.

use std::path::PathBuf;

use test_support::database::TestDatabase;

use super::{files_of, installation, secret_variables_of, variables_of};
use crate::binaries::{binaries, listens};
use crate::node_packages;

/// The programs accept the very variables, files and secrets that their pods get.
#[tokio::test(flavor = "multi_thread")]
async fn programs_start_with_the_configuration_of_their_pods() {
    for overlay in ["overlays/small", "overlays/production"] {
        starts(overlay).await;
    }
}

async fn starts(overlay: &str) {
    let Some(objects) = installation(overlay) else {
        return;
    };
    let database = TestDatabase::empty().await.unwrap();
    let root = tempfile::tempdir().unwrap();
    let at = |path: &str| root.path().join(path.trim_start_matches('/'));
    for (name, _, pod) in objects.pods() {
        for (path, (object, key)) in files_of(pod, &objects) {
            let content = match (objects.config.get(&object), key.as_str()) {
                (Some(config), file) => {
                    let settings = &config.data.as_ref().unwrap()[file];
                    settings.replace("\"/run/", &format!("\"{}/run/", root.path().display()))
                }
                (None, key) if key.ends_with("-url") => database.url().to_owned(),
                (None, "signing-encryption-key" | "credentials-key") => {
                    "q2v7mJx0c1w9TtZyR5nPdE8uKfLhGa3oYbS6iQeXrV4=".to_owned()
                }
                (None, _) => "9f3c1ad7e85b24406bd1c7f20e93a58d6417fb2c".to_owned(),
            };
            let file = at(&path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, content).unwrap();
        }
        let program = if objects.jobs.contains_key(&name) {
            PathBuf::from(env!("CARGO_BIN_EXE_heliograph"))
        } else {
            binaries().program(&name)
        };
        let mut command = tokio::process::Command::new(program);
        command.env_remove("DATABASE_URL").kill_on_drop(true);
        for (variable, value) in variables_of(pod) {
            let value = match value.strip_prefix('/') {
                Some(_) => at(&value).to_str().unwrap().to_owned(),
                None if variable.ends_with("METRICS_ADDRESS") => "127.0.0.1:0".to_owned(),
                None if variable == "HELIOGRAPH__HTTP__ADDRESS" => "127.0.0.1".to_owned(),
                None => value,
            };
            command.env(variable, value);
        }
        let given = secret_variables_of(pod);
        for argument in pod.containers[0].args.iter().flatten() {
            let variable = argument
                .strip_prefix("$(")
                .and_then(|it| it.strip_suffix(')'));
            match (variable, argument.strip_prefix('/')) {
                (Some(variable), _) => command.arg(&given[variable].1),
                (None, Some(_)) => command.arg(at(argument)),
                (None, None) => command.arg(argument),
            };
        }
        if objects.jobs.contains_key(&name) {
            if name == "migrate" {
                command.arg("migrate");
            }
            let output = command.output().await.unwrap();
            assert!(output.status.success(), "{}", node_packages::text(&output));
            continue;
        }
        let port = format!("HELIOGRAPH_{}__HTTP__PORT", name.to_uppercase());
        if let Err(said) = listens(command.env(port, "0")).await {
            panic!("{name}: {said}");
        }
    }
    // The job's account, called as its secret says, which manages the installation.
    let made: Vec<(String, String, String)> =
        sqlx::query_as("SELECT username, tenant, role FROM bff.accounts")
            .fetch_all(database.pool())
            .await
            .unwrap();
    let expected = ["username", "tenant", "installation_administrator"].map(str::to_owned);
    assert_eq!(made, [expected.into()]);
}
