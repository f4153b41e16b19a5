//! Options of `upstreams`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Options of `upstreams`.
#[derive(Debug, Subcommand)]
pub enum UpstreamsCommand {
    /// Lists the HTTP APIs and MCP servers of your tenant.
    List,
    /// Adds an HTTP API or an MCP server, after a test. Requires the scope `targets:write`, as do
    /// the other changes.
    Add(AddUpstream),
    /// Tests an upstream step by step; of an MCP server, lists the tools that it offers.
    Test {
        /// The name of the upstream.
        name: String,
    },
    /// Shows an upstream with its tools.
    Show {
        /// The name of the upstream.
        name: String,
        /// Prints the operations or tools as JSON, to be changed and given to `describe`.
        #[arg(long)]
        json: bool,
    },
    /// Changes the operations of an HTTP API, or the tools of an MCP server and their words.
    Describe {
        /// The name of the upstream.
        name: String,
        /// A file with the operations or tools, as `show --json` prints them.
        file: PathBuf,
    },
    /// Hands over your own token for an upstream that is read with each person's rights.
    Connect {
        /// The name of the upstream.
        name: String,
    },
    /// Deletes your token for an upstream.
    Disconnect {
        /// The name of the upstream.
        name: String,
    },
    /// Removes an upstream that was added, with the tokens that persons handed over for it.
    Remove {
        /// The name of the upstream.
        name: String,
        /// The name again, as a safeguard.
        #[arg(long)]
        confirm: String,
    },
}

/// Options of `upstreams add`.
#[derive(Debug, Args)]
pub struct AddUpstream {
    /// The name of the upstream: a-z, 0-9, _ and -.
    pub name: String,
    /// The address: that before the paths of the operations, or the endpoint of the MCP server.
    pub address: String,
    /// The address is that of an MCP server (streamable HTTP).
    #[arg(long)]
    pub mcp: bool,
    /// A header that is sent with each request, whose value is asked for; can be repeated.
    #[arg(long = "header", value_name = "NAME")]
    pub headers: Vec<String>,
    /// Each person hands over a token, which is sent in place of rights for all.
    #[arg(long)]
    pub person: bool,
    /// MCP: a tool of the server that may be called, in the server's words of today; can be
    /// repeated.
    #[arg(long = "tool", value_name = "TOOL", conflicts_with = "file")]
    pub tools: Vec<String>,
    /// A file with the operations or tools as JSON, as `show --json` prints them.
    #[arg(long)]
    pub file: Option<PathBuf>,
    /// Time limit of a call, ms.
    #[arg(long)]
    pub timeout_ms: Option<u64>,
    /// Only tests the upstream; of an MCP server, lists the tools that it offers.
    #[arg(long)]
    pub test: bool,
}
