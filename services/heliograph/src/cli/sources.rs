//! Options of `sources`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Tls;

/// Options of `sources`.
#[derive(Debug, Subcommand)]
pub enum SourcesCommand {
    /// Lists the search sources of your tenant.
    List,
    /// Adds a search source, after a test. Requires the scope `targets:write`, as do the other
    /// changes.
    Add(Box<AddSource>),
    /// Tests a search source step by step.
    Test {
        /// The name of the source.
        name: String,
    },
    /// Shows a search source with its indices and fields.
    Show {
        /// The name of the source.
        name: String,
        /// Prints the indices with their words as JSON, to be changed and given to `describe`.
        #[arg(long)]
        json: bool,
    },
    /// Changes the indices of a search source and their words.
    Describe {
        /// The name of the source.
        name: String,
        /// A file with the indices, as `show --json` prints them.
        file: PathBuf,
    },
    /// Removes a search source that was added.
    Remove {
        /// The name of the source.
        name: String,
        /// The name again, as a safeguard.
        #[arg(long)]
        confirm: String,
    },
}

/// Options of `sources add`.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own on the command line"
)]
pub struct AddSource {
    /// The name of the source: a-z, 0-9, _ and -.
    pub name: String,
    /// The address without a password: `https://host:9200` of Elasticsearch or OpenSearch, that of
    /// a GraphQL endpoint with `--graphql`, or `postgres://reader@host:5432/database`.
    pub address: String,
    /// The address is that of a GraphQL endpoint.
    #[arg(long)]
    pub graphql: bool,
    /// Asks for an API key (a bearer token of GraphQL) and sends it.
    #[arg(long, conflicts_with = "login")]
    pub api_key: bool,
    /// The user of basic authentication, whose password is asked for.
    #[arg(long, value_name = "USER")]
    pub login: Option<String>,
    /// An index that may be asked; can be repeated. Default: all.
    #[arg(long = "index", value_name = "INDEX")]
    pub indices: Vec<String>,
    /// PostgreSQL: the schema whose tables may be asked. Default: public.
    #[arg(long)]
    pub schema: Option<String>,
    /// A description of the contents, for people and models.
    #[arg(long)]
    pub description: Option<String>,
    /// The field with your tenant's name, where the source holds data of others.
    #[arg(long, value_name = "FIELD")]
    pub tenant_field: Option<String>,
    /// The IANA zone of its days. Default: UTC.
    #[arg(long, value_name = "ZONE")]
    pub time_zone: Option<String>,
    /// PostgreSQL: encryption of the connection.
    #[arg(long, value_enum, default_value_t = Tls::Preferred)]
    pub tls: Tls,
    /// PostgreSQL: a file with the certificates (PEM) that the server's certificate is checked
    /// with.
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// PostgreSQL: accepts a role that may write.
    #[arg(long)]
    pub allow_writing_role: bool,
    /// Only tests the source.
    #[arg(long)]
    pub test: bool,
}
