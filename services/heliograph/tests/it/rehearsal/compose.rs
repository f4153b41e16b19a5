//! The environment of a container: of its image, as the Dockerfile sets it, and of compose.

use std::path::Path;

use serde_json::Value;

/// Variables of an image: those of the stages `runtime` and `target`.
pub(crate) fn of_image(dockerfile: &str, target: &str) -> Vec<(String, String)> {
    let dockerfile = dockerfile.replace("\\\n", " ");
    let mut stage = "";
    let mut variables = Vec::new();
    for line in dockerfile.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["FROM", .., "AS", name] => stage = name,
            ["ENV", pairs @ ..] if stage == "runtime" || stage == target => {
                let pairs = pairs.iter().filter_map(|pair| pair.split_once('='));
                variables.extend(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
            }
            _ => {}
        }
    }
    variables
}

/// Variables of a service in `compose.yaml`, without those that the person gives and those of
/// telemetry. Secrets are in `secrets`, and `addresses` replace the names of hosts.
pub(super) fn of_service(
    compose: &Value,
    service: &str,
    secrets: &Path,
    addresses: &[(&str, String)],
) -> Vec<(String, String)> {
    let environment = compose["services"][service]["environment"].as_object();
    let variables = environment.unwrap().iter().filter_map(|(name, value)| {
        let value = value.as_str()?;
        let left_out = value.starts_with("${") || name.contains("TELEMETRY") || name == "<<";
        (!left_out && !name.starts_with("OTEL_")).then(|| {
            let mut value = value.replace("/run/secrets", &secrets.display().to_string());
            for (host, address) in addresses {
                value = value.replace(host, address);
            }
            (name.clone(), value)
        })
    });
    variables.collect()
}

/// Copies the files of settings, which name the secrets of a container, for those in `secrets`.
pub(super) fn copy_settings(from: &Path, to: &Path, secrets: &Path) {
    for file in std::fs::read_dir(from).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text.replace("/run/secrets", &secrets.display().to_string());
        std::fs::write(to.join(path.file_name().unwrap()), text).unwrap();
    }
}
