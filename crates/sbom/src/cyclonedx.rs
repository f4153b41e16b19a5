//! The document: `CycloneDX` 1.6 in JSON, as far as it is needed.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;
use serde::Serialize;

use crate::workspace::{Key, Metadata, Package};

/// A bill of materials. The same sources give the same document, so it has no time and no number.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    bom_format: &'static str,
    spec_version: &'static str,
    version: u32,
    /// The program that the document describes.
    pub metadata: Described,
    /// The crates in the program.
    pub components: Vec<Component>,
    /// Which component needs which, by their references.
    pub dependencies: Vec<Dependency>,
}

/// The subject of a document.
#[derive(Debug, Serialize)]
pub struct Described {
    /// The program.
    pub component: Component,
}

/// A program or a crate.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Component {
    r#type: &'static str,
    /// Its reference within the document.
    #[serde(rename = "bom-ref")]
    pub reference: String,
    /// The name of the program, or of the crate.
    pub name: String,
    /// The version, as `Cargo.lock` has it.
    pub version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// Its checksum in the registry; none for the workspace's own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hashes: Vec<Hash>,
    /// None if the crate has no field `license`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub licenses: Vec<License>,
    /// Its address as a package.
    pub purl: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    external_references: Vec<Reference>,
}

/// A checksum.
#[derive(Debug, Serialize)]
pub struct Hash {
    alg: &'static str,
    /// The checksum in hexadecimal digits.
    pub content: String,
}

/// The licences of a component.
#[derive(Debug, Serialize)]
pub struct License {
    /// An SPDX expression.
    pub expression: String,
}

/// A place in the web.
#[derive(Debug, Serialize)]
pub(crate) struct Reference {
    r#type: &'static str,
    url: String,
}

/// The needs of a component.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Dependency {
    /// The component's reference.
    pub r#ref: String,
    /// The references of what it needs.
    pub depends_on: Vec<String>,
}

/// The document of a package's program.
pub(crate) fn document(
    package: &str,
    linked: &BTreeSet<Key>,
    checksums: &BTreeMap<Key, String>,
    metadata: &Metadata,
) -> anyhow::Result<Document> {
    let by_id: BTreeMap<&str, &Package> = metadata
        .packages
        .iter()
        .filter(|package| linked.contains(&key(package)))
        .map(|package| (package.id.as_str(), package))
        .collect();
    let program = by_id
        .values()
        .find(|found| found.name == package && found.source.is_none())
        .with_context(|| format!("{package} is not a package of the workspace"))?;
    let binary = program
        .targets
        .iter()
        .find(|target| target.kind.iter().any(|kind| kind == "bin"));
    let mut component = component(program, None);
    component.r#type = "application";
    if let Some(binary) = binary {
        component.name.clone_from(&binary.name);
    }
    let components = by_id
        .values()
        .filter(|package| package.id != program.id)
        .map(|package| self::component(package, checksums.get(&key(package))))
        .collect();
    let dependencies = metadata
        .resolve
        .nodes
        .iter()
        .filter_map(|node| {
            let package = by_id.get(node.id.as_str())?;
            let needs = node.dependencies.iter();
            let needs = needs.filter_map(|id| by_id.get(id.as_str()));
            Some(Dependency {
                r#ref: purl(package),
                depends_on: needs.map(|package| purl(package)).collect(),
            })
        })
        .collect();
    Ok(Document {
        bom_format: "CycloneDX",
        spec_version: "1.6",
        version: 1,
        metadata: Described { component },
        components,
        dependencies,
    })
}

fn component(package: &Package, checksum: Option<&String>) -> Component {
    let reference = |url: &String| Reference {
        r#type: "vcs",
        url: url.clone(),
    };
    Component {
        r#type: "library",
        reference: purl(package),
        name: package.name.clone(),
        version: package.version.clone(),
        description: package.description.as_deref().map(one_line),
        hashes: checksum
            .map(|checksum| Hash {
                alg: "SHA-256",
                content: checksum.clone(),
            })
            .into_iter()
            .collect(),
        licenses: package
            .license
            .as_deref()
            .map(|license| License {
                // The way of writing it before SPDX expressions.
                expression: license.replace('/', " OR ").replace("  OR  ", " OR "),
            })
            .into_iter()
            .collect(),
        purl: purl(package),
        external_references: package.repository.iter().map(reference).collect(),
    }
}

fn key(package: &Package) -> Key {
    (package.name.clone(), package.version.clone())
}

fn purl(package: &Package) -> String {
    // A version may have build metadata: `0.9.34+deprecated`.
    let version = package.version.replace('+', "%2B");
    format!("pkg:cargo/{}@{version}", package.name)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
