//! The arrows between crates. `deny.toml` says who may use a crate directly, and `cargo deny`
//! checks that and more; `arrows.toml` says what each crate may reach by any way. This runs
//! wherever cargo does.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use figment::providers::{Format, Toml};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Packages of others that are big, or that say what a crate is for. Each is named in `arrows.toml`
/// like a crate of the workspace.
const HEAVY: [&str; 14] = [
    "apollo-compiler",
    "axum",
    "candle-core",
    "clap",
    "hyper",
    "jsonschema",
    "opentelemetry-otlp",
    "parquet",
    "pdf-extract",
    "reqwest",
    "scraper",
    "sqlparser",
    "sqlx",
    "utoipa-swagger-ui",
];

/// Everything was fetched for this test itself.
const OFFLINE: [&str; 2] = ["--offline", "--locked"];

#[derive(Deserialize)]
struct Deny {
    bans: Bans,
}

#[derive(Deserialize)]
struct Bans {
    deny: Vec<Ban>,
}

#[derive(Deserialize)]
struct Ban {
    name: String,
    #[serde(default)]
    wrappers: BTreeSet<String>,
    reason: String,
}

#[derive(Deserialize)]
struct Arrows {
    reach: BTreeMap<String, BTreeSet<String>>,
    apart: BTreeMap<String, BTreeSet<String>>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_members: BTreeSet<String>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Edge>,
}

#[derive(Deserialize)]
struct Edge {
    pkg: String,
    dep_kinds: Vec<Kind>,
}

#[derive(Deserialize)]
struct Kind {
    kind: Option<String>,
}

impl Edge {
    /// Whether it is there in the finished program, and not in tests or build scripts only.
    fn is_linked(&self) -> bool {
        self.dep_kinds.iter().any(|kind| kind.kind.is_none())
    }
}

/// What cargo knows of the workspace.
struct Workspace {
    names: BTreeMap<String, String>,
    members: BTreeSet<String>,
    /// The direct dependencies of every package, of any kind, by name.
    direct: BTreeMap<String, BTreeSet<String>>,
    /// What every package links, by id.
    linked: BTreeMap<String, Vec<String>>,
}

impl Workspace {
    fn read() -> Self {
        let version = String::from_utf8(cargo(&["-vV"])).unwrap();
        let host = version.lines().find_map(|line| line.strip_prefix("host: "));
        // What only other platforms need may not be here.
        let arguments = ["metadata", "--format-version", "1", "--filter-platform"];
        let arguments = [&arguments[..], &[host.unwrap()], &OFFLINE].concat();
        let metadata: Metadata = serde_json::from_slice(&cargo(&arguments)).unwrap();
        let names: BTreeMap<_, _> = metadata
            .packages
            .iter()
            .map(|package| (package.id.clone(), package.name.clone()))
            .collect();
        let mut direct: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for package in &metadata.packages {
            let names = package.dependencies.iter().map(|used| used.name.clone());
            direct
                .entry(package.name.clone())
                .or_default()
                .extend(names);
        }
        let linked = metadata
            .resolve
            .nodes
            .into_iter()
            .map(|node| {
                let linked = node.deps.into_iter().filter(Edge::is_linked);
                (node.id, linked.map(|edge| edge.pkg).collect())
            })
            .collect();
        Self {
            names,
            members: metadata.workspace_members,
            direct,
            linked,
        }
    }

    fn member_names(&self) -> BTreeSet<String> {
        let names = self.members.iter().map(|id| self.names[id].clone());
        names.collect()
    }

    /// The crates of the workspace and the heavy packages that a crate links, directly or not, each
    /// with the path.
    fn reached(&self, member: &str) -> BTreeMap<String, String> {
        let mut ways: BTreeMap<&str, String> =
            BTreeMap::from([(member, self.names[member].clone())]);
        let mut open = vec![member];
        while let Some(id) = open.pop() {
            for next in &self.linked[id] {
                if !ways.contains_key(next.as_str()) {
                    let way = format!("{} → {}", ways[id], self.names[next]);
                    ways.insert(next, way);
                    open.push(next);
                }
            }
        }
        ways.remove(member);
        let told = |id: &str| self.members.contains(id) || HEAVY.contains(&&*self.names[id]);
        ways.into_iter()
            .filter(|(id, _)| told(id))
            .map(|(id, way)| (self.names[id].clone(), way))
            .collect()
    }
}

fn cargo(arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "cargo {}: {}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

/// A file at the root of the repository.
fn rules<T: DeserializeOwned>(name: &str) -> T {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../..").to_owned() + "/" + name;
    figment::Figment::from(Toml::file_exact(path))
        .extract()
        .unwrap()
}

fn bans() -> Vec<Ban> {
    rules::<Deny>("deny.toml").bans.deny
}

#[test]
fn crates_use_only_what_is_below_them() {
    let workspace = Workspace::read();
    let members = workspace.member_names();
    let mut faults = Vec::new();
    for ban in bans() {
        for member in &members {
            if workspace.direct[member].contains(&ban.name) && !ban.wrappers.contains(member) {
                faults.push(format!("{member} uses {}: {}", ban.name, ban.reason));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn permissions_that_no_crate_uses_are_not_in_deny_toml() {
    let workspace = Workspace::read();
    let mut unused = Vec::new();
    for ban in bans() {
        for wrapper in &ban.wrappers {
            let uses = workspace.direct.get(wrapper);
            if !uses.is_some_and(|uses| uses.contains(&ban.name)) {
                unused.push(format!(
                    "{wrapper} may use {} and does not: take it from the wrappers of {} in deny.toml",
                    ban.name, ban.name
                ));
            }
        }
    }
    assert!(unused.is_empty(), "{}", unused.join("\n"));
}

#[test]
fn crates_reach_exactly_what_arrows_toml_says() {
    let workspace = Workspace::read();
    let mut arrows: Arrows = rules("arrows.toml");
    let mut faults = Vec::new();
    for member in &workspace.members {
        let name = &workspace.names[member];
        let reached = workspace.reached(member);
        let Some(mut permitted) = arrows.reach.remove(name) else {
            let row: Vec<String> = reached.keys().map(|name| format!("\"{name}\"")).collect();
            faults.push(format!(
                "arrows.toml has no line for a crate: {name} = [{}]",
                row.join(", ")
            ));
            continue;
        };
        for (package, way) in &reached {
            if !permitted.remove(package) {
                faults.push(format!("{name} may not reach {package}: {way}"));
            }
        }
        for package in permitted {
            faults.push(format!(
                "{name} does not reach {package}: take it from its line"
            ));
        }
    }
    for name in arrows.reach.keys() {
        faults.push(format!(
            "{name} is not a crate of the workspace: take its line away"
        ));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Linked packages depend on the features that the whole workspace asks for; this is each binary as
/// it is built alone.
#[test]
fn each_tier_s_binary_links_only_what_its_tier_needs() {
    let arrows: Arrows = rules("arrows.toml");
    let mut faults = Vec::new();
    for (binary, apart) in &arrows.apart {
        let arguments = ["tree", "-p", binary, "-e", "normal", "--prefix", "none"];
        let tree = cargo(&[&arguments[..], &OFFLINE].concat());
        let tree = String::from_utf8(tree).unwrap();
        let linked: BTreeSet<&str> = tree
            .lines()
            .filter_map(|line| line.split(' ').next())
            .collect();
        assert!(linked.contains("tokio"), "{tree}");
        let found = apart.iter().filter(|name| linked.contains(name.as_str()));
        faults.extend(found.map(|name| format!("{binary} links {name}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
