//! `[added_targets]`: the targets that administrators of tenants add while the service runs.

use std::net::IpAddr;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use service_kit::config::{Invalid, Validate, positive};

/// `[added_targets]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AddedTargetsConfig {
    /// Whether targets can be added.
    pub enabled: bool,
    /// The hosts of databases that can be added: names (`db.example.com`, `*.example.com`),
    /// addresses and networks (`10.0.0.0/8`). Empty: any host that is not refused.
    pub hosts: Vec<String>,
    /// Networks that are never connected to.
    pub refused_networks: Vec<String>,
    /// Maximum number of targets of a tenant.
    pub most_per_tenant: u32,
    /// Maximum size of an uploaded file.
    pub file_bytes: u64,
    /// Maximum number of cells in the tables of a file.
    pub file_cells: u64,
    /// Maximum number of columns of a table.
    pub file_columns: u32,
    /// Maximum number of tables in a file.
    pub file_tables: u32,
    /// Length at which the text of a cell is cut, in characters.
    pub cell_chars: u32,
    /// Maximum memory for reading a file.
    pub file_memory_bytes: u64,
    /// Maximum time for reading a file.
    pub file_timeout_ms: u64,
}

impl Default for AddedTargetsConfig {
    fn default() -> Self {
        // Services that answer with credentials of a machine (clouds' metadata) are at link-local
        // addresses.
        let refused = [
            "169.254.0.0/16",
            "fe80::/10",
            "fd00:ec2::254/128",
            "100.100.100.200/32",
            "0.0.0.0/8",
            "224.0.0.0/4",
            "ff00::/8",
        ];
        Self {
            enabled: true,
            hosts: Vec::new(),
            refused_networks: refused.map(str::to_owned).into(),
            most_per_tenant: 20,
            file_bytes: 64 * 1024 * 1024,
            file_cells: 5_000_000,
            file_columns: 200,
            file_tables: 50,
            cell_chars: 32_767,
            file_memory_bytes: 1024 * 1024 * 1024,
            file_timeout_ms: 120_000,
        }
    }
}

impl Validate for AddedTargetsConfig {
    fn validate(&self) -> Result<(), Invalid> {
        for network in &self.refused_networks {
            if network_of(network).is_none() {
                return Err(Invalid::new(
                    "refused_networks",
                    format!("'{network}' is not an address or a network, such as 10.0.0.0/8"),
                ));
            }
        }
        if self.hosts.iter().any(|host| host.trim().is_empty()) {
            return Err(Invalid::new("hosts", "has an empty entry"));
        }
        positive("most_per_tenant", self.most_per_tenant.into())?;
        positive("file_bytes", self.file_bytes)?;
        positive("file_cells", self.file_cells)?;
        positive("file_columns", self.file_columns.into())?;
        positive("file_tables", self.file_tables.into())?;
        positive("cell_chars", self.cell_chars.into())?;
        positive("file_memory_bytes", self.file_memory_bytes)?;
        positive("file_timeout_ms", self.file_timeout_ms)?;
        if self.file_columns > 1_000 {
            return Err(Invalid::new("file_columns", "must be at most 1000"));
        }
        Ok(())
    }
}

/// A network, or an address as a network of one.
pub(crate) fn network_of(text: &str) -> Option<IpNet> {
    text.parse()
        .ok()
        .or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from))
}
