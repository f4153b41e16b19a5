//! The programs, started as their containers start them.

use std::path::PathBuf;

use test_support::database::TestDatabase;

use super::{OURS, deploy, projects, read, target};
use crate::binaries::{binaries, listens};
use crate::node_packages;
use crate::rehearsal::of_image;

/// A key of 32 bytes.
const KEY: &str = "q2v7mJx0c1w9TtZyR5nPdE8uKfLhGa3oYbS6iQeXrV4=";

/// The programs accept the very variables, files and secrets that their containers get.
#[tokio::test(flavor = "multi_thread")]
async fn programs_start_with_the_configuration_of_their_containers() {
    let database = TestDatabase::empty().await.unwrap();
    let root = tempfile::tempdir().unwrap();
    let at = |path: &str| root.path().join(path.trim_start_matches('/'));
    std::fs::create_dir_all(at("/run/secrets")).unwrap();
    for (secret, value) in [
        ("tools-url", database.url()),
        ("orchestrator-url", database.url()),
        ("bff-url", database.url()),
        (
            "orchestrator-secret",
            "9f3c1ad7e85b24406bd1c7f20e93a58d6417fb2c",
        ),
        ("signing-encryption-key", KEY),
        ("webhook-key", KEY),
        ("credentials-key", KEY),
        ("administrator-password", "9f3c1ad7e85b24406bd1c7f2\n"),
    ] {
        std::fs::write(at("/run/secrets").join(secret), value).unwrap();
    }
    for (file, project) in projects() {
        for name in OURS.into_iter().filter(|name| *name != "heliograph") {
            let service = &project.services[name];
            let program = match name {
                "migrate" | "first-administrator" => {
                    PathBuf::from(env!("CARGO_BIN_EXE_heliograph"))
                }
                _ => binaries().program(name),
            };
            let mut command = tokio::process::Command::new(program);
            command.env_clear().kill_on_drop(true);
            command.envs(of_image(&read("images/Dockerfile"), target(name)));
            command.env("HELIOGRAPH__HTTP__ADDRESS", "127.0.0.1");
            if !service.env_file.is_empty() {
                let example = read(".env.example");
                let set = example.lines().filter(|line| !line.starts_with('#'));
                command.envs(set.filter_map(|line| line.split_once('=')));
            }
            for (variable, value) in &service.environment {
                let value = match value.as_str() {
                    path if path.starts_with('/') => at(path).to_str().unwrap().to_owned(),
                    given if given.starts_with("${") => String::new(),
                    _ if variable.ends_with("METRICS_ADDRESS") => "127.0.0.1:0".to_owned(),
                    value => value.replace("${PUBLIC_HOST}", "solar.example.com"),
                };
                command.env(variable, value);
            }
            if name == "migrate" {
                let output = command.arg("migrate").output().await.unwrap();
                assert!(output.status.success(), "{}", node_packages::text(&output));
                continue;
            }
            if name == "first-administrator" {
                command.args(service.command.iter().map(|word| match word.as_str() {
                    path if path.starts_with('/') => at(path).to_str().unwrap().to_owned(),
                    "${ADMINISTRATOR}" => format!("ada-{}", file.len()),
                    word => word.to_owned(),
                }));
                let output = command.output().await.unwrap();
                let said = node_packages::text(&output);
                // Both projects have the same database here.
                let is_first = file == "compose.yaml";
                assert_eq!(output.status.success(), is_first, "{said}");
                let expected = if is_first {
                    "created the account ada-"
                } else {
                    "an administrator"
                };
                assert!(said.contains(expected), "{said}");
                continue;
            }
            // Later mounts lie over earlier ones.
            let settings = at(&format!("/{file}/{name}"));
            std::fs::create_dir_all(&settings).unwrap();
            for volume in &service.volumes {
                let (source, target) = volume.split_once(':').unwrap();
                let target = target.trim_end_matches(":ro");
                let into = target.strip_prefix("/etc/heliograph").unwrap();
                match into.strip_prefix('/') {
                    Some(one) => {
                        std::fs::copy(deploy().join(source), settings.join(one)).unwrap();
                    }
                    None => {
                        for one in std::fs::read_dir(deploy().join(source)).unwrap() {
                            let one = one.unwrap();
                            let text = std::fs::read_to_string(one.path()).unwrap();
                            let text = text
                                .replace("\"/run/", &format!("\"{}/run/", root.path().display()));
                            std::fs::write(settings.join(one.file_name()), text).unwrap();
                        }
                    }
                }
            }
            let port = format!("HELIOGRAPH_{}__HTTP__PORT", name.to_uppercase());
            command.arg("--config").arg(settings).env(port, "0");
            if let Err(said) = listens(&mut command).await {
                panic!("{file}: {name}: {said}");
            }
        }
    }
}
