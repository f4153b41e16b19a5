//! `heliograph graph`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Options of `graph`.
#[derive(Debug, Subcommand)]
pub enum GraphCommand {
    /// Reads the tables and keys of a database, and derives relationships from names.
    Introspect {
        /// The database.
        #[command(flatten)]
        url: TargetUrl,
        /// The file to write.
        #[arg(short, long)]
        output: PathBuf,
    },
    /// Merges an introspected graph, an application's associations and manual overrides. Overrides
    /// take precedence.
    Merge {
        /// The output of `introspect`.
        raw: PathBuf,
        /// The other sources.
        #[command(flatten)]
        sources: GraphSources,
        /// The file to write.
        #[arg(short, long)]
        output: PathBuf,
    },
    /// Asks the configured model to judge heuristic relationships. If a database is given, the
    /// model sees three rows of each table.
    Validate {
        /// The output of `merge`.
        merged: PathBuf,
        /// The database.
        #[command(flatten)]
        url: TargetUrl,
        /// Minimum confidence of the relationships in use.
        #[arg(long, default_value_t = 0.7)]
        threshold: f64,
        /// The file to write: the `graph_file` of a target.
        #[arg(short, long)]
        output: PathBuf,
    },
    /// Runs `introspect`, `merge` and `validate`.
    Build {
        /// The database.
        #[command(flatten)]
        url: TargetUrl,
        /// The other sources.
        #[command(flatten)]
        sources: GraphSources,
        /// Minimum confidence of the relationships in use.
        #[arg(long, default_value_t = 0.7)]
        threshold: f64,
        /// The file to write: the `graph_file` of a target.
        #[arg(short, long)]
        output: PathBuf,
    },
    /// Lists the tables and their relationships.
    Show {
        /// The graph file.
        graph: PathBuf,
        /// Minimum confidence of the relationships in use.
        #[arg(long, default_value_t = 0.7)]
        threshold: f64,
    },
    /// Shows the shortest joins between two tables.
    Path {
        /// The graph file.
        graph: PathBuf,
        /// The first table.
        from: String,
        /// The last table.
        to: String,
        /// Minimum confidence of the relationships in use.
        #[arg(long, default_value_t = 0.7)]
        threshold: f64,
        /// Maximum number of joins.
        #[arg(long, default_value_t = 4)]
        max_hops: usize,
    },
}

/// The address of a target database.
#[derive(Debug, Args)]
pub struct TargetUrl {
    /// The URL (`mysql://…` or `postgres://…`) of a role that sees all tables. Prefer the variable:
    /// other users of this machine can see arguments.
    #[arg(long, env = "HELIOGRAPH_TARGET_URL", hide_env_values = true)]
    pub target_url: Option<String>,
}

/// The sources of a graph besides the database.
#[derive(Debug, Args)]
pub struct GraphSources {
    /// Associations that an application declares, as a graph file.
    #[arg(long)]
    pub associations: Option<PathBuf>,
    /// Manual overrides, as a graph file. A confidence of 0 removes a relationship.
    #[arg(long)]
    pub manual: Option<PathBuf>,
}
