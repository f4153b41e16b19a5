//! The manifests of `deploy/k8s` as `kubectl kustomize` renders them: read as strictly as an API
//! server reads them, checked against each other, and tried with the programs.

mod monitoring;
mod options;
mod started;

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

use crate::node_packages;

const SERVICES: [&str; 3] = ["tools", "orchestrator", "bff"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/k8s")
}

/// The objects of an overlay; `None` where there is no `kubectl` and it cannot be installed.
fn rendered(overlay: &str) -> Option<Vec<Value>> {
    rendered_in(&folder(), overlay)
}

/// The objects of an overlay of a copy of the manifests.
fn rendered_in(manifests: &Path, overlay: &str) -> Option<Vec<Value>> {
    let kubectl = || {
        Command::new("kubectl")
            .args(["kustomize", manifests.join(overlay).to_str().unwrap()])
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

/// An overlay, and what is applied once over it.
fn installation(overlay: &str) -> Option<Objects> {
    let mut objects = rendered(overlay)?;
    objects.extend(rendered("first-administrator")?);
    Some(Objects::read(&objects))
}

/// The keys of the secrets that the comments of `kustomization.yaml` create.
fn created_secrets() -> BTreeSet<(String, String)> {
    let comments = ["base", "first-administrator"]
        .map(|of| std::fs::read_to_string(folder().join(of).join("kustomization.yaml")).unwrap());
    secrets_in(&comments.concat())
}

/// The keys of the secrets that commands in a text create.
fn secrets_in(text: &str) -> BTreeSet<(String, String)> {
    let mut secret = String::new();
    let mut created = BTreeSet::new();
    let words: Vec<&str> = text.split_whitespace().collect();
    for (index, word) in words.iter().enumerate() {
        if *word == "generic" {
            words[index + 1].clone_into(&mut secret);
        }
        let given = ["--from-literal=", "--from-file="]
            .iter()
            .find_map(|option| word.strip_prefix(option));
        if let Some(given) = given {
            let (key, _) = given.split_once('=').unwrap();
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
            let items = secret.items.iter().flatten();
            let keys: Vec<_> = items.map(|item| (&item.key, &item.path)).collect();
            assert!(!keys.is_empty(), "{name} would be mounted whole");
            for (key, file) in keys {
                let reference = (name.clone(), key.clone());
                assert!(
                    created.contains(&reference),
                    "{reference:?} is created nowhere"
                );
                files.insert(path(file), reference);
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

/// The variables with a value of their own.
fn variables_of(pod: &PodSpec) -> BTreeMap<String, String> {
    let variables = pod.containers[0].env.iter().flatten();
    variables
        .filter_map(|variable| Some((variable.name.clone(), variable.value.clone()?)))
        .collect()
}

/// The variables whose values are a secret's.
fn secret_variables_of(pod: &PodSpec) -> BTreeMap<String, (String, String)> {
    let variables = pod.containers[0].env.iter().flatten();
    variables
        .filter_map(|variable| {
            let key = variable.value_from.as_ref()?.secret_key_ref.clone()?;
            Some((variable.name.clone(), (key.name, key.key)))
        })
        .collect()
}

/// The paths of secrets that a pod names: in its variables, its arguments, and its settings.
fn named_paths(name: &str, pod: &PodSpec, objects: &Objects) -> BTreeSet<String> {
    let mut named: BTreeSet<String> = variables_of(pod).into_values().collect();
    named.extend(pod.containers[0].args.iter().flatten().cloned());
    let settings = objects.config.values().find_map(|config| {
        let data = config.data.as_ref()?;
        data.get(&format!("{name}.toml"))
    });
    let quoted = settings.iter().flat_map(|text| text.split('"'));
    named.extend(quoted.map(str::to_owned));
    named.retain(|word| word.starts_with("/run/secrets/"));
    named
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
        // Each pod has the secrets that it uses, and no other.
        let named = named_paths(&name, pod, objects);
        let mounted = files
            .keys()
            .filter(|path| path.starts_with("/run/secrets/"));
        assert_eq!(mounted.cloned().collect::<BTreeSet<_>>(), named, "{name}");
        used.extend(named.iter().map(|path| files[path].clone()));
        used.extend(secret_variables_of(pod).into_values());
        for (variable, value) in variables_of(pod) {
            if let Some(rest) = value.strip_prefix("http://") {
                let address = rest.split('/').next().unwrap();
                let (host, port) = address.split_once(':').unwrap();
                // A name with a namespace is not of this installation.
                if host.contains('.') {
                    continue;
                }
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
        let replicas = objects.deployments[&target.name].spec.replicas;
        assert_eq!(replicas, None, "{overlay}: the autoscaler decides");
    }
    for ingress in &objects.ingresses {
        let spec = ingress.spec.as_ref().unwrap();
        assert!(spec.ingress_class_name.is_some(), "{overlay}");
        let rules = spec.rules.as_ref().unwrap();
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
        let Some(objects) = installation(overlay) else {
            return;
        };
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
            ("bff", "*:443"),
            ("bff", "*:5432"),
            ("bff", "orchestrator:3000"),
            ("bff", "tools:4000"),
            ("first-administrator", "*:5432"),
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

/// A policy opens the same for IPv4 and IPv6: private networks for neither.
#[test]
fn policies_have_both_families_of_addresses() {
    let Some(objects) = installation("base") else {
        return;
    };
    let mut found = 0;
    for policy in &objects.policies {
        let spec = policy.spec.as_ref().unwrap();
        for peers in spec.egress.iter().flatten().filter_map(|it| it.to.as_ref()) {
            let blocks = peers.iter().filter_map(|peer| peer.ip_block.as_ref());
            let (six, four): (Vec<_>, Vec<_>) = blocks.partition(|block| block.cidr.contains(':'));
            assert_eq!(six.len(), four.len(), "{:?}", policy.metadata.name);
            for block in six.iter().chain(&four) {
                let except = block.except.as_ref().unwrap();
                let same = |it: &String| it.contains(':') == block.cidr.contains(':');
                assert!(!except.is_empty() && except.iter().all(same), "{block:?}");
                found += 1;
            }
        }
    }
    assert_eq!(found, 2);
}

/// Behind the ingress the bff knows its name and its proxies, and other pods reach it as services.
#[test]
fn the_bff_knows_the_ingress_in_front_of_it() {
    let Some(objects) = installation("overlays/production") else {
        return;
    };
    let bff = objects.deployments["bff"].spec.template.spec.as_ref();
    let variables = variables_of(bff.unwrap());
    let list = |name: &str| -> Vec<String> {
        serde_json::from_str(&variables[&format!("HELIOGRAPH_BFF__{name}")]).unwrap()
    };
    assert!(!list("HTTP__TRUSTED_PROXIES").is_empty());
    let rules = objects.ingresses[0].spec.as_ref().unwrap().rules.as_ref();
    let host = rules.unwrap()[0].host.clone().unwrap();
    assert_eq!(list("HTTP__ALLOWED_HOSTS"), [host.as_str(), "bff"]);
    let url = &variables["HELIOGRAPH_BFF__OIDC__PUBLIC_URL"];
    assert_eq!(*url, format!("https://{host}"));
    let mut policies = objects.policies.iter();
    let policy = policies.find(|it| it.metadata.name.as_deref() == Some("bff"));
    let ingress = policy.unwrap().spec.as_ref().unwrap().ingress.as_ref();
    let from = ingress.unwrap()[0].from.as_ref().unwrap();
    assert!(from[0].namespace_selector.is_some() && from[1].pod_selector.is_some());
}

/// docs/operating.md creates the same secrets as the comments, and names the job.
#[test]
fn the_documented_commands_create_each_secret() {
    let text = folder().join("../../docs/operating.md");
    let text = std::fs::read_to_string(text).unwrap();
    assert_eq!(secrets_in(&text), created_secrets());
    assert!(text.contains("kubectl apply -k deploy/k8s/first-administrator\n"));
}
