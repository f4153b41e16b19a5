//! The manifests of `deploy/k8s` as `kubectl kustomize` renders them: read as strictly as an API
//! server reads them, checked against each other, and tried with the programs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, PodSpec, Service, ServiceAccount};
use k8s_openapi::api::networking::v1::{Ingress, NetworkPolicy};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use test_support::database::TestDatabase;

use crate::binaries::{binaries, listens};
use crate::node_packages;

const SERVICES: [&str; 3] = ["tools", "orchestrator", "bff"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/k8s")
}

/// The objects of an overlay; `None` where there is no `kubectl` and it cannot be installed.
fn rendered(overlay: &str) -> Option<Vec<Value>> {
    let kubectl = || {
        Command::new("kubectl")
            .args(["kustomize", folder().join(overlay).to_str().unwrap()])
            .stderr(Stdio::piped())
            .output()
    };
    let output = match kubectl() {
        Ok(output) => output,
        Err(_) => match node_packages::apt_install("kubectl", &["kubernetes-client"]) {
            Ok(()) => kubectl().unwrap(),
            Err(why) => {
                node_packages::skipped("the manifests were not rendered", &why);
                return None;
            }
        },
    };
    let problem = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{overlay}: {problem}");
    let text = String::from_utf8(output.stdout).unwrap();
    let objects = text
        .split("\n---\n")
        .filter(|object| !object.trim().is_empty());
    Some(
        objects
            .map(|object| serde_saphyr::from_str(object).unwrap())
            .collect(),
    )
}

/// The members of `written` that `read` has not: what an API server would refuse or ignore.
fn lost(path: &str, written: &Value, read: &Value, found: &mut Vec<String>) {
    match (written, read) {
        (Value::Object(written), Value::Object(read)) => {
            for (name, value) in written {
                let path = format!("{path}.{name}");
                match read.get(name) {
                    Some(read) => lost(&path, value, read, found),
                    // A typed object leaves out empty lists and maps.
                    None if is_empty(value) => {}
                    None => found.push(path),
                }
            }
        }
        (Value::Array(written), Value::Array(read)) if written.len() == read.len() => {
            for (index, (written, read)) in written.iter().zip(read).enumerate() {
                lost(&format!("{path}[{index}]"), written, read, found);
            }
        }
        (written, read) if written == read => {}
        (written, read) => found.push(format!("{path}: {written} was read as {read}")),
    }
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(Map::is_empty) || value.as_array().is_some_and(Vec::is_empty)
}

/// The object as its type, with nothing left over.
fn typed<T: DeserializeOwned + Serialize>(object: &Value) -> T {
    let name = &object["metadata"]["name"];
    let read: T = serde_json::from_value(object.clone())
        .unwrap_or_else(|error| panic!("{} {name}: {error}", object["kind"]));
    let mut found = Vec::new();
    lost(
        "",
        object,
        &serde_json::to_value(&read).unwrap(),
        &mut found,
    );
    assert!(found.is_empty(), "{} {name}: {found:?}", object["kind"]);
    read
}

/// The objects of an overlay by kind.
#[derive(Default)]
struct Objects {
    config: BTreeMap<String, ConfigMap>,
    accounts: BTreeSet<String>,
    services: BTreeMap<String, Service>,
    deployments: BTreeMap<String, Deployment>,
    jobs: BTreeMap<String, Job>,
    budgets: Vec<PodDisruptionBudget>,
    scalers: Vec<HorizontalPodAutoscaler>,
    policies: Vec<NetworkPolicy>,
    ingresses: Vec<Ingress>,
}

impl Objects {
    fn read(objects: &[Value]) -> Self {
        let mut read = Self::default();
        for object in objects {
            let name = object["metadata"]["name"].as_str().unwrap().to_owned();
            let kind = object["kind"].as_str().unwrap();
            if kind != "Namespace" {
                let namespace = &object["metadata"]["namespace"];
                assert_eq!(namespace, "heliograph", "{kind} {name}");
            }
            match kind {
                "Namespace" => drop(typed::<Namespace>(object)),
                "ServiceAccount" => {
                    let account: ServiceAccount = typed(object);
                    assert_eq!(account.automount_service_account_token, Some(false));
                    read.accounts.insert(name);
                }
                "ConfigMap" => drop(read.config.insert(name, typed(object))),
                "Service" => drop(read.services.insert(name, typed(object))),
                "Deployment" => drop(read.deployments.insert(name, typed(object))),
                "Job" => drop(read.jobs.insert(name, typed(object))),
                "PodDisruptionBudget" => read.budgets.push(typed(object)),
                "HorizontalPodAutoscaler" => read.scalers.push(typed(object)),
                "NetworkPolicy" => read.policies.push(typed(object)),
                "Ingress" => read.ingresses.push(typed(object)),
                other => panic!("{other} {name} is not checked"),
            }
        }
        read
    }

    /// The pods with their labels.
    fn pods(&self) -> Vec<(String, BTreeMap<String, String>, &PodSpec)> {
        let deployments = self.deployments.iter().map(|(name, deployment)| {
            let template = &deployment.spec.template;
            (name, template)
        });
        let jobs = self
            .jobs
            .iter()
            .map(|(name, job)| (name, &job.spec.as_ref().unwrap().template));
        deployments
            .chain(jobs)
            .map(|(name, template)| {
                let labels = template.metadata.as_ref().and_then(|it| it.labels.clone());
                let spec = template.spec.as_ref().unwrap();
                (name.clone(), labels.unwrap_or_default(), spec)
            })
            .collect()
    }
}

/// The keys of the secrets that the comment in `base/kustomization.yaml` creates.
fn created_secrets() -> BTreeSet<(String, String)> {
    let text = std::fs::read_to_string(folder().join("base/kustomization.yaml")).unwrap();
    let mut secret = String::new();
    let mut created = BTreeSet::new();
    let words: Vec<&str> = text.split_whitespace().collect();
    for (index, word) in words.iter().enumerate() {
        if *word == "generic" {
            words[index + 1].clone_into(&mut secret);
        }
        if let Some(literal) = word.strip_prefix("--from-literal=") {
            let (key, _) = literal.split_once('=').unwrap();
            created.insert((secret.clone(), key.to_owned()));
        }
    }
    created
}

/// The files that a pod finds, as the secret's or the configuration's name and key.
fn files_of(pod: &PodSpec, objects: &Objects) -> BTreeMap<String, (String, String)> {
    let created = created_secrets();
    let volumes = pod.volumes.as_ref().unwrap();
    let mut files = BTreeMap::new();
    for mount in pod.containers[0].volume_mounts.as_ref().unwrap() {
        let volume = volumes
            .iter()
            .find(|volume| volume.name == mount.name)
            .unwrap_or_else(|| panic!("no volume {}", mount.name));
        let path = |file: &str| format!("{}/{file}", mount.mount_path);
        if let Some(secret) = &volume.secret {
            let name = secret.secret_name.clone().unwrap();
            let keys: Vec<(String, String)> = match &secret.items {
                Some(items) => items
                    .iter()
                    .map(|item| (item.key.clone(), item.path.clone()))
                    .collect(),
                None => created
                    .iter()
                    .filter(|(secret, _)| *secret == name)
                    .map(|(_, key)| (key.clone(), key.clone()))
                    .collect(),
            };
            for (key, file) in keys {
                let reference = (name.clone(), key);
                assert!(
                    created.contains(&reference),
                    "{reference:?} is created nowhere"
                );
                files.insert(path(&file), reference);
            }
        } else if let Some(config) = &volume.config_map {
            let data = &objects.config[&config.name];
            for file in data.data.as_ref().unwrap().keys() {
                files.insert(path(file), (config.name.clone(), file.clone()));
            }
        }
    }
    files
}

fn variables_of(pod: &PodSpec) -> BTreeMap<String, String> {
    let variables = pod.containers[0].env.iter().flatten();
    variables
        .map(|variable| (variable.name.clone(), variable.value.clone().unwrap()))
        .collect()
}

/// The ports of a pod's container, by name.
fn ports_of(pod: &PodSpec) -> BTreeMap<String, i32> {
    let ports = pod.containers[0].ports.iter().flatten();
    ports
        .map(|port| (port.name.clone().unwrap(), port.container_port))
        .collect()
}

fn check(overlay: &str, objects: &Objects) {
    let created = created_secrets();
    let mut used = BTreeSet::new();
    for (name, _, pod) in objects.pods() {
        let account = pod.service_account_name.as_ref().unwrap();
        assert!(objects.accounts.contains(account), "{overlay} {name}");
        let files = files_of(pod, objects);
        for (variable, value) in variables_of(pod) {
            if value.starts_with('/') {
                assert!(files.contains_key(&value), "{name} {variable}={value}");
                used.insert(files[&value].clone());
            }
            if let Some(rest) = value.strip_prefix("http://") {
                let address = rest.split('/').next().unwrap();
                let (host, port) = address.split_once(':').unwrap();
                let service = objects.services[host].spec.as_ref().unwrap();
                let ports = service.ports.as_ref().unwrap();
                let port: i32 = port.parse().unwrap();
                assert!(ports.iter().any(|it| it.port == port), "{variable}={value}");
            }
        }
        let container = &pod.containers[0];
        let security = container.security_context.as_ref().unwrap();
        assert_eq!(security.read_only_root_filesystem, Some(true));
        assert_eq!(security.allow_privilege_escalation, Some(false));
        let whole = pod.security_context.as_ref().unwrap();
        assert_eq!(whole.run_as_non_root, Some(true));
        assert_eq!(
            whole.seccomp_profile.as_ref().unwrap().type_,
            "RuntimeDefault"
        );
        assert!(container.resources.as_ref().unwrap().limits.is_some());
        assert!(container.image.as_ref().unwrap().contains(':'), "{name}");
    }
    assert_eq!(used, created, "{overlay}: every secret is used");

    for service in SERVICES {
        let deployment = &objects.deployments[service].spec;
        let labels = deployment
            .template
            .metadata
            .as_ref()
            .unwrap()
            .labels
            .as_ref();
        let labels = labels.unwrap();
        assert_eq!(deployment.selector.match_labels.as_ref(), Some(labels));
        let pod = deployment.template.spec.as_ref().unwrap();
        let ports = ports_of(pod);
        let spec = objects.services[service].spec.as_ref().unwrap();
        assert_eq!(spec.selector.as_ref(), Some(labels));
        let port = &spec.ports.as_ref().unwrap()[0];
        assert_eq!(ports["http"], port.port, "{service}");
        let variables = variables_of(pod);
        let metrics = &variables["HELIOGRAPH__TELEMETRY__METRICS_ADDRESS"];
        assert!(metrics.ends_with(&format!(":{}", ports["metrics"])));
        let budget = objects.budgets.iter().find(|budget| {
            let selector = budget.spec.as_ref().unwrap().selector.as_ref().unwrap();
            selector.match_labels.as_ref() == Some(labels)
        });
        assert!(budget.is_some(), "{service} has no disruption budget");
        // Draining takes 10 s at most, after the pause of the hook.
        assert!(pod.termination_grace_period_seconds.unwrap() >= 10 + 5 + 10);
    }
    for scaler in &objects.scalers {
        let target = &scaler.spec.scale_target_ref;
        assert!(objects.deployments.contains_key(&target.name));
    }
    for ingress in &objects.ingresses {
        let rules = ingress.spec.as_ref().unwrap().rules.as_ref().unwrap();
        for path in rules
            .iter()
            .flat_map(|rule| &rule.http.as_ref().unwrap().paths)
        {
            let service = path.backend.service.as_ref().unwrap();
            assert_eq!(service.name, "bff", "users reach the bff only");
        }
    }
}

/// The peers and ports that a pod may reach, within the namespace and outside of it.
fn allowed(objects: &Objects) -> BTreeSet<(String, String)> {
    let component = "app.kubernetes.io/component";
    let mut allowed = BTreeSet::new();
    for policy in &objects.policies {
        let spec = policy.spec.as_ref().unwrap();
        let selector = spec.pod_selector.as_ref().unwrap();
        let of_labels = selector
            .match_labels
            .iter()
            .filter_map(|labels| labels.get(component).cloned());
        let of_expressions = selector
            .match_expressions
            .iter()
            .flatten()
            .flat_map(|expression| expression.values.clone().unwrap_or_default());
        let from: Vec<String> = of_labels.chain(of_expressions).collect();
        for egress in spec.egress.iter().flatten() {
            let ports = egress.ports.iter().flatten();
            for port in ports.map(|port| format!("{:?}", port.port.as_ref().unwrap())) {
                let port: String = port.chars().filter(char::is_ascii_digit).collect();
                let to: Vec<String> = match &egress.to {
                    Some(to) => to
                        .iter()
                        .filter_map(|peer| {
                            peer.pod_selector
                                .as_ref()?
                                .match_labels
                                .as_ref()?
                                .get(component)
                                .cloned()
                        })
                        .map(|to| format!("{to}:{port}"))
                        .collect(),
                    None => vec![format!("*:{port}")],
                };
                for from in &from {
                    allowed.extend(to.iter().map(|to| (from.clone(), to.clone())));
                }
            }
        }
    }
    allowed
}

#[test]
fn manifests_are_read_strictly_and_refer_to_what_exists() {
    for overlay in ["base", "overlays/small", "overlays/production"] {
        let Some(objects) = rendered(overlay) else {
            return;
        };
        let objects = Objects::read(&objects);
        check(overlay, &objects);
        let scalers = objects.scalers.len();
        assert_eq!(
            scalers,
            if overlay.ends_with("production") {
                3
            } else {
                0
            }
        );
        let expected = [
            ("bff", "*:5432"),
            ("bff", "orchestrator:3000"),
            ("bff", "tools:4000"),
            ("migrate", "*:5432"),
            ("orchestrator", "*:5432"),
            ("orchestrator", "bff:8080"),
            ("orchestrator", "tools:4000"),
            ("tools", "*:3306"),
            ("tools", "*:443"),
            ("tools", "*:5432"),
            ("tools", "*:9200"),
            ("tools", "bff:8080"),
        ];
        let expected = expected.map(|(from, to)| (from.to_owned(), to.to_owned()));
        assert_eq!(allowed(&objects), BTreeSet::from(expected), "{overlay}");
    }
}

/// The programs accept the very variables, files and secrets that their pods get.
#[tokio::test(flavor = "multi_thread")]
async fn programs_start_with_the_configuration_of_their_pods() {
    let Some(objects) = rendered("overlays/small") else {
        return;
    };
    let objects = Objects::read(&objects);
    let database = TestDatabase::empty().await.unwrap();
    let root = tempfile::tempdir().unwrap();
    let at = |path: &str| root.path().join(path.trim_start_matches('/'));
    for (name, _, pod) in objects.pods() {
        for (path, (object, key)) in files_of(pod, &objects) {
            let content = match (objects.config.get(&object), key.as_str()) {
                (Some(config), file) => config.data.as_ref().unwrap()[file].clone(),
                (None, key) if key.ends_with("-url") => database.url().to_owned(),
                (None, "signing-encryption-key") => {
                    "q2v7mJx0c1w9TtZyR5nPdE8uKfLhGa3oYbS6iQeXrV4=".to_owned()
                }
                (None, _) => "9f3c1ad7e85b24406bd1c7f20e93a58d6417fb2c".to_owned(),
            };
            let file = at(&path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, content).unwrap();
        }
        let program = if name == "migrate" {
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
        if name == "migrate" {
            let output = command.arg("migrate").output().await.unwrap();
            let problem = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{problem}");
            continue;
        }
        let port = format!("HELIOGRAPH_{}__HTTP__PORT", name.to_uppercase());
        let arguments = pod.containers[0].args.iter().flatten();
        for argument in arguments {
            match argument.strip_prefix('/') {
                Some(_) => command.arg(at(argument)),
                None => command.arg(argument),
            };
        }
        if let Err(said) = listens(command.env(port, "0")).await {
            panic!("{name}: {said}");
        }
    }
}
