//! `deploy/compose.yaml` and `compose.trial.yaml`: read as strictly as an engine reads them, held
//! against the images, the secrets and each other, and tried with the programs.
//! `deploy/images/try-compose.sh` starts the same files as containers.

mod roles;
mod started;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use regex::Regex;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::node_packages;

/// The services of compose that run images of this workspace.
const OURS: [&str; 6] = [
    "migrate",
    "tools",
    "orchestrator",
    "bff",
    "heliograph",
    "first-administrator",
];

/// The services of the profile `command`, which end.
const COMMANDS: [&str; 2] = ["heliograph", "first-administrator"];

/// The secrets of each container: those that it uses.
const SECRETS: [(&str, &[&str]); 6] = [
    ("migrate", &["tools-url", "orchestrator-url", "bff-url"]),
    ("tools", &["tools-url", "credentials-key"]),
    (
        "orchestrator",
        &["orchestrator-url", "orchestrator-secret", "webhook-key"],
    ),
    (
        "bff",
        &["bff-url", "orchestrator-secret", "signing-encryption-key"],
    ),
    (
        "heliograph",
        &[
            "tools-url",
            "orchestrator-url",
            "bff-url",
            "signing-encryption-key",
        ],
    ),
    (
        "first-administrator",
        &["bff-url", "administrator-password"],
    ),
];

fn deploy() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(deploy().join(path)).unwrap()
}

/// The parts of the compose specification that the files use. Anything else is a mistake, or is to
/// be added.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Project {
    #[serde(default)]
    name: Option<String>,
    services: BTreeMap<String, Service>,
    #[serde(default)]
    networks: BTreeMap<String, Network>,
    #[serde(default)]
    volumes: BTreeMap<String, Option<Value>>,
    #[serde(default)]
    secrets: BTreeMap<String, Secret>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Service {
    image: Option<String>,
    command: Vec<String>,
    env_file: Vec<String>,
    environment: BTreeMap<String, String>,
    secrets: Vec<String>,
    volumes: Vec<String>,
    ports: Vec<String>,
    networks: Vec<String>,
    network_mode: Option<String>,
    depends_on: BTreeMap<String, Condition>,
    healthcheck: Option<Health>,
    profiles: Vec<String>,
    restart: Option<String>,
    read_only: bool,
    tmpfs: Vec<String>,
    cap_drop: Vec<String>,
    security_opt: Vec<String>,
    stop_grace_period: Option<String>,
    logging: Option<Logging>,
    mem_limit: Option<String>,
    ulimits: BTreeMap<String, u32>,
    deploy: Option<Replicas>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Logging {
    driver: String,
    options: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Condition {
    condition: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Health {
    test: Vec<String>,
    interval: String,
    timeout: String,
    retries: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Replicas {
    mode: String,
    replicas: u32,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Network {
    internal: bool,
    ipam: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Secret {
    file: String,
}

/// A file without its extensions (`x-…`), which are merged where they are used.
fn project(file: &str) -> Project {
    let mut whole: Map<String, Value> = serde_saphyr::from_str(&read(file)).unwrap();
    whole.retain(|name, _| !name.starts_with("x-"));
    serde_json::from_value(Value::Object(whole)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// `compose.yaml`, and the same with each other file over it as an engine merges them.
fn projects() -> [(&'static str, Project); 3] {
    [
        ("compose.yaml", project("compose.yaml")),
        ("compose.trial.yaml", merged("compose.trial.yaml")),
        ("compose.proxy.yaml", merged("compose.proxy.yaml")),
    ]
}

/// `compose.yaml` with a file over it.
fn merged(file: &str) -> Project {
    let mut both = project("compose.yaml");
    let over = project(file);
    assert!(over.name.is_none() && over.secrets.is_empty() && over.volumes.is_empty());
    for (name, network) in over.networks {
        let of = both.networks.get_mut(&name).unwrap();
        assert!(!of.internal && !network.internal, "{name}");
        of.ipam = network.ipam;
    }
    for (name, added) in over.services {
        let Some(of) = both.services.get_mut(&name) else {
            both.services.insert(name, added);
            continue;
        };
        assert!(added.image.is_none() && added.command.is_empty(), "{name}");
        of.environment.extend(added.environment);
        of.volumes.extend(added.volumes);
        of.ports.extend(added.ports);
        of.networks.extend(added.networks);
    }
    both
}

/// The first word group of each match.
fn words<'t>(pattern: &str, text: &'t str) -> BTreeSet<&'t str> {
    let pattern = Regex::new(pattern).unwrap();
    let found = pattern.captures_iter(text);
    found.map(|found| found.get(1).unwrap().as_str()).collect()
}

/// The target of the Dockerfile that a service runs.
fn target(name: &str) -> &str {
    if name == "first-administrator" {
        "heliograph"
    } else {
        name
    }
}

/// The entry point and the ports of a target of the Dockerfile.
fn image(target: &str) -> (Option<String>, BTreeSet<String>) {
    let dockerfile = read("images/Dockerfile").replace("\\\n", " ");
    let (mut entry, mut ports, mut inside) = (None, BTreeSet::new(), false);
    for line in dockerfile.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["FROM", base, "AS", name] => {
                inside = *name == target;
                if inside && OURS.contains(base) {
                    return image(base);
                }
            }
            ["EXPOSE", of @ ..] if inside => ports.extend(of.iter().map(|port| (*port).to_owned())),
            ["ENTRYPOINT", path] if inside => {
                entry = Some(path.trim_matches(['[', ']', '"']).to_owned());
            }
            _ => {}
        }
    }
    (entry, ports)
}

/// The ports at which a service listens within its networks.
fn ports(name: &str) -> BTreeSet<String> {
    match name {
        "collector" => words(
            r"endpoint: 0\.0\.0\.0:(\d+)",
            &read("observability/collector.yaml"),
        )
        .into_iter()
        .map(str::to_owned)
        .collect(),
        "database" => BTreeSet::from(["5432".to_owned()]),
        "prometheus" => BTreeSet::from(["9090".to_owned()]),
        _ => image(name).1,
    }
}

#[test]
fn services_refer_to_images_secrets_files_and_services_that_exist() {
    let made = read("secrets.sh");
    let mut made = words(r"(?m)^make_secret ([a-z-]+) ", &made);
    made.extend(["tools-url", "orchestrator-url", "bff-url"]);
    for (file, project) in projects() {
        for (name, service) in &project.services {
            let at = format!("{file}: {name}");
            check_hardening(&at, name, service);
            for secret in &service.secrets {
                let source = &project.secrets[secret].file;
                assert_eq!(*source, format!("secrets/{secret}"), "{at}");
            }
            for value in service.environment.values() {
                if let Some(secret) = value.strip_prefix("/run/secrets/") {
                    let given = service.secrets.iter().any(|given| given == secret);
                    assert!(given, "{at} has no secret {secret}");
                }
                check_reach(&at, &project, service, value);
            }
            for (needed, until) in &service.depends_on {
                assert_eq!(until.condition, "service_healthy", "{at}");
                let needed = &project.services[needed];
                assert!(needed.healthcheck.is_some(), "{at} waits for its health");
            }
            for volume in &service.volumes {
                let mut parts = volume.split(':');
                let (source, _) = (parts.next().unwrap(), parts.next().unwrap());
                let there = match source.strip_prefix("./") {
                    Some(path) => deploy().join(path).exists(),
                    None => project.volumes.contains_key(source),
                };
                assert!(there, "{at}: {volume}");
            }
            for network in &service.networks {
                assert!(project.networks.contains_key(network), "{at}: {network}");
            }
            match &service.network_mode {
                Some(mode) => {
                    let of = mode.strip_prefix("service:").unwrap();
                    assert!(project.services.contains_key(of), "{at}: {mode}");
                }
                None => assert!(!service.networks.is_empty(), "{at} is in no network"),
            }
            // Published ports are on loopback, and reach a network that leads outside.
            for port in &service.ports {
                assert!(port.starts_with("127.0.0.1:"), "{at}: {port}");
                let outside = service
                    .networks
                    .iter()
                    .any(|network| !project.networks[network].internal);
                assert!(outside, "{at}: {port}");
            }
        }
        let declared: BTreeSet<&str> = project.secrets.keys().map(String::as_str).collect();
        assert_eq!(declared, made, "{file}");
        let used = project.services.values().flat_map(|it| &it.secrets);
        assert_eq!(declared, used.map(String::as_str).collect(), "{file}");
    }
}

/// Containers of this workspace have a read-only root and no rights, and are stopped no earlier
/// than they drain.
fn check_hardening(at: &str, name: &str, service: &Service) {
    if !OURS.contains(&name) {
        return;
    }
    let (entry, _) = image(target(name));
    let entry = entry.unwrap_or_else(|| panic!("{at}: the Dockerfile has no such target"));
    let image = service.image.as_deref().unwrap();
    assert_eq!(
        image,
        format!("${{IMAGE_PREFIX}}heliograph-{}:${{VERSION}}", target(name))
    );
    let (_, secrets) = SECRETS.iter().find(|(of, _)| *of == name).unwrap();
    assert_eq!(service.secrets, *secrets, "{at}");
    let is_command = COMMANDS.contains(&name);
    assert_eq!(service.profiles == ["command"], is_command, "{at}");
    assert!(service.read_only && service.tmpfs == ["/tmp"], "{at}");
    assert_eq!(service.cap_drop, ["ALL"], "{at}");
    assert_eq!(service.security_opt, ["no-new-privileges:true"], "{at}");
    if is_command || name == "migrate" {
        let restart = (name == "migrate").then_some("on-failure");
        assert_eq!(service.restart.as_deref(), restart, "{at}");
        return;
    }
    assert_eq!(service.restart.as_deref(), Some("unless-stopped"), "{at}");
    assert_eq!(service.stop_grace_period.as_deref(), Some("40s"), "{at}");
    let settings = read(&format!("config/{name}.toml"));
    let connections = words(r"(?m)^max_connections = (\d{4,})$", &settings);
    let connections: u32 = connections.first().unwrap().parse().unwrap();
    assert!(service.ulimits["nofile"] > 2 * connections, "{at}");
    let health = service.healthcheck.as_ref().unwrap();
    assert_eq!(health.test, ["CMD", &entry, "health"], "{at}");
    assert!(
        health.retries > 0 && health.interval != health.timeout,
        "{at}"
    );
    let replicas = service.deploy.as_ref().map(|it| (&*it.mode, it.replicas));
    let two = (name == "orchestrator").then_some(("replicated", 2));
    assert_eq!(replicas, two, "{at}");
    // The folder of the settings is mounted where the program looks for it.
    assert_eq!(service.command, ["--config", "/etc/heliograph"], "{at}");
    let mounted = service.volumes.iter();
    assert!(
        mounted
            .clone()
            .any(|it| it == "./compose:/etc/heliograph:ro")
    );
}

/// A URL names a service that listens at this port, in a network of the one that asks it.
fn check_reach(at: &str, project: &Project, service: &Service, value: &str) {
    let Some(rest) = value.strip_prefix("http://") else {
        return;
    };
    let (host, port) = rest.split('/').next().unwrap().split_once(':').unwrap();
    let asked = project
        .services
        .get(host)
        .unwrap_or_else(|| panic!("{at}: no service {host}"));
    let common = |network| asked.networks.contains(network);
    assert!(
        service.networks.iter().any(common),
        "{at} cannot reach {host}"
    );
    assert!(
        ports(host).contains(port),
        "{at}: {host} has no port {port}"
    );
}

#[test]
fn the_example_of_variables_has_each_that_has_no_default_and_no_other() {
    let example = read(".env.example");
    let example = words(r"(?m)^([A-Z_]+)=", &example);
    let files = ["compose.yaml", "compose.trial.yaml", "compose.proxy.yaml"];
    let files = files.map(read).concat();
    let needed = words(r"\$\{([A-Z_]+)\}", &files);
    let missing: Vec<_> = needed.difference(&example).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let used = words(r"\$\{([A-Z_]+)", &files);
    let known = read("config/orchestrator.toml");
    let of_models = of_models(&known);
    let left = example.difference(&used);
    let left: Vec<_> = left.filter(|name| !of_models.contains(*name)).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// The variables of models that a text names.
fn of_models(text: &str) -> BTreeSet<&str> {
    words(r"\b([A-Z_]+_(?:PROVIDER|API_KEY|MODEL|BASE_URL))\b", text)
}

#[test]
fn prometheus_and_the_collector_find_the_services() {
    let (_, project) = &projects()[0];
    let prometheus: Value = serde_saphyr::from_str(&read("observability/prometheus.yaml")).unwrap();
    let mut scraped = BTreeSet::new();
    for job in prometheus["scrape_configs"].as_array().unwrap() {
        let found = &job["dns_sd_configs"][0];
        let host = found["names"][0].as_str().unwrap();
        let address = &project.services[host].environment["HELIOGRAPH__TELEMETRY__METRICS_ADDRESS"];
        assert_eq!(*address, format!("0.0.0.0:{}", found["port"]));
        assert!(ports(host).contains(&found["port"].to_string()));
        // The alerts and dashboards select by this name.
        assert_eq!(job["job_name"], format!("heliograph-{host}"));
        scraped.insert(host.to_owned());
    }
    assert_eq!(
        scraped,
        ["bff", "orchestrator", "tools"].map(str::to_owned).into()
    );
    let rules = prometheus["rule_files"][0].as_str().unwrap();
    let volumes = &project.services["prometheus"].volumes;
    let mounted = format!("./observability/alerts.yaml:{rules}:ro");
    assert!(volumes.contains(&mounted), "{volumes:?}");

    let checked = Command::new("promtool")
        .args(["check", "config", "--syntax-only", "prometheus.yaml"])
        .current_dir(deploy().join("observability"))
        .output();
    match checked {
        Ok(output) => assert!(output.status.success(), "{}", node_packages::text(&output)),
        Err(error) => node_packages::skipped("promtool read no configuration", &error.to_string()),
    }

    // What the services send is received: each signal has a pipeline.
    let collector: Value = serde_saphyr::from_str(&read("observability/collector.yaml")).unwrap();
    for name in ["tools", "orchestrator", "bff"] {
        let signals = &project.services[name].environment["HELIOGRAPH__TELEMETRY__OTLP_SIGNALS"];
        let signals: Vec<String> = serde_json::from_str(signals).unwrap();
        for signal in signals {
            let pipeline = &collector["service"]["pipelines"][&signal];
            assert_eq!(pipeline["receivers"][0], "otlp", "{signal}");
        }
    }
    let grafana = read("observability/grafana/provisioning/datasources/prometheus.yaml");
    assert!(grafana.contains("http://prometheus:9090"), "{grafana}");
}

/// No container fills the disk with its log or takes the memory of the others. The database has no
/// limit of memory, because it would lose all its connections.
#[test]
fn logs_are_rotated_and_memory_is_limited() {
    for (name, service) in &project("compose.yaml").services {
        let logging = service.logging.as_ref();
        let logging = logging.unwrap_or_else(|| panic!("{name}"));
        assert_eq!(logging.driver, "json-file", "{name}");
        let options: Vec<&str> = logging.options.keys().map(String::as_str).collect();
        assert_eq!(options, ["max-file", "max-size"], "{name}");
        assert_eq!(service.mem_limit.is_none(), name == "database", "{name}");
    }
}

/// The orchestrator, and no other service, gets every variable of `.env`: those of models, of
/// whatever provider, are among them.
#[test]
fn the_orchestrator_gets_the_variables_of_models_and_no_other_service() {
    let known = read("config/orchestrator.toml");
    let known = of_models(&known);
    assert!(known.len() > 10, "{known:?}");
    for (service, of) in &project("compose.yaml").services {
        let is_orchestrator = service == "orchestrator";
        let expected: &[&str] = if is_orchestrator { &[".env"] } else { &[] };
        assert_eq!(of.env_file, expected, "{service}");
        // A variable of `environment` would take the place of the one in `.env`.
        let set = known
            .iter()
            .filter(|name| of.environment.contains_key(**name));
        assert_eq!(set.count(), 0, "{service}");
    }
}

/// Only what needs a way out has one: your databases, models, issuers, and the pages of Grafana and
/// Prometheus.
#[test]
fn some_services_reach_the_outside_and_the_rest_do_not() {
    for (file, project) in projects() {
        let outside = project.services.iter().filter(|(_, service)| {
            let leads_out = |network: &String| !project.networks[network].internal;
            service.networks.iter().any(leads_out)
        });
        let outside: Vec<&str> = outside.map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            outside,
            ["bff", "grafana", "orchestrator", "prometheus", "tools"],
            "{file}"
        );
    }
}

/// Behind a proxy the bff trusts the network through which its requests come, and knows its names.
#[test]
fn the_bff_knows_the_proxy_in_front_of_it() {
    let project = merged("compose.proxy.yaml");
    let bff = &project.services["bff"].environment;
    let list = |name: &str| -> Vec<String> {
        serde_json::from_str(&bff[&format!("HELIOGRAPH_BFF__{name}")]).unwrap()
    };
    let network = project.networks["outside"].ipam.as_ref().unwrap();
    let network = network["config"][0]["subnet"].as_str().unwrap();
    assert_eq!(list("HTTP__TRUSTED_PROXIES"), [network]);
    assert_eq!(list("HTTP__ALLOWED_HOSTS"), ["${PUBLIC_HOST}", "bff"]);
    let url = &bff["HELIOGRAPH_BFF__OIDC__PUBLIC_URL"];
    assert_eq!(url, "https://${PUBLIC_HOST}");
}

/// Each secret of a container is named by its variables, its arguments or its file of settings, and
/// the key that seals the passwords of added databases is the tools service's alone.
#[test]
fn secrets_are_named_by_the_settings_of_their_containers() {
    for (file, project) in projects() {
        for name in OURS {
            let service = &project.services[name];
            let settings = format!("compose/{name}.toml");
            let mut text = std::fs::read_to_string(deploy().join(settings)).unwrap_or_default();
            for word in service.environment.values().chain(&service.command) {
                text = format!("{text} \"{word}\"");
            }
            let named = words("\"/run/secrets/([a-z-]+)\"", &text);
            let given: BTreeSet<&str> = service.secrets.iter().map(String::as_str).collect();
            assert_eq!(named, given, "{file}: {name}");
        }
    }
    // Without a key the tools service adds no database.
    let settings = read("compose/tools.toml");
    assert!(settings.contains("\n[[credentials.keys]]\n"), "{settings}");
}
