//! The commands and their options.

mod chat;
mod eval;
mod graph;
mod ingest;
mod issuers;
mod knowledge;
mod people;
mod plants;
mod questions;
mod schedules;
mod sources;
mod targets;
mod threads;
mod upstreams;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub use chat::{Chat, Mcp};
pub use eval::{EvalCommand, EvalRetrieval, EvalSql, SqlDialect};
pub use graph::{GraphCommand, GraphSources, TargetUrl};
pub use ingest::Ingest;
pub use issuers::{AddIssuer, ChangedIssuer, IssuerSettings, IssuersCommand};
pub use knowledge::{KnowledgeCommand, KnowledgeIngest, KnowledgeSearch, KnowledgeSync};
pub use people::{AccountCommand, AuditOptions, KeyCommand, RoleName, SessionCommand};
pub use plants::{AddSite, Import as ImportOptions, Sites, SitesCommand};
pub use questions::{QuestionsCommand, ShownQuestions};
pub use schedules::{Condition, Day, EditSchedule, Recipient, SchedulesCommand};
pub use sources::{AddSource, SourcesCommand};
pub use targets::{AddTarget, ExportTarget, LoadTarget, RowsFormat, TargetsCommand, Tls};
pub use threads::{Days, ExportFormat, RetentionOptions, ThreadsCommand};
pub use upstreams::{AddUpstream, UpstreamsCommand};

/// Answers questions about operational data, such as a solar fleet's health and revenue, in words,
/// charts and tables.
///
/// Without a command, it starts everything: a private PostgreSQL (unless `DATABASE_URL` is set),
/// demo data if the database is empty, and the three services.
#[derive(Debug, Parser)]
#[command(name = "heliograph", version, about, long_about)]
pub struct Cli {
    /// The folder with `tools.toml`, `orchestrator.toml`, `bff.toml` and `heliograph.toml`. Each
    /// file is optional.
    #[arg(long, global = true, value_name = "FOLDER")]
    pub config: Option<PathBuf>,
    /// The command. Default: `up`.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Starts everything in one process.
    Up,
    /// Migrates the database schema of each service, with the database that the service is
    /// configured with.
    Migrate {
        /// Migrates only the schema of this service. Use it if the database role has access to one
        /// schema only.
        #[arg(long)]
        service: Option<ServiceName>,
    },
    /// Loads the demo data unless they exist.
    Seed,
    /// Loads readings from CSV, JSON or newline-delimited JSON files, gzipped or not. Uses the
    /// running services, as `chat` does.
    Ingest(Box<Ingest>),
    /// Imports files of data loggers, CSV files and Excel sheets: shows how each is read, then
    /// stores its readings. Uses the running services, as `chat` does.
    Import(Box<ImportOptions>),
    /// Creates or updates the sites and loggers in a TOML file (see deploy/config/sites.toml), or
    /// lists, adds and deletes sites. Uses the running services, as `chat` does.
    Sites(Sites),
    /// Creates, lists, changes and erases accounts. Uses the running services, as `chat` does.
    Account {
        /// The account command.
        #[command(subcommand)]
        command: AccountCommand,
        /// The bff to use.
        #[command(flatten)]
        at: BffAddress,
    },
    /// Lists and ends sign-ins.
    Session {
        /// The session command.
        #[command(subcommand)]
        command: SessionCommand,
        /// The bff to use.
        #[command(flatten)]
        at: BffAddress,
    },
    /// Creates, lists and revokes API keys for programs.
    Key {
        /// The key command.
        #[command(subcommand)]
        command: KeyCommand,
        /// The bff to use.
        #[command(flatten)]
        at: BffAddress,
    },
    /// Shows the audit log of your tenant, the newest entries first.
    Audit {
        /// The entries to show.
        #[command(flatten)]
        options: AuditOptions,
        /// The bff to use.
        #[command(flatten)]
        at: BffAddress,
    },
    /// Signs in at a bff and saves the sign-in in the data folder, for the commands that follow.
    SignIn {
        /// The bff to use.
        #[command(flatten)]
        at: BffAddress,
    },
    /// Ends a saved sign-in.
    SignOut {
        /// The bff to use.
        #[command(flatten)]
        at: BffAddress,
    },
    /// Lists and rotates the keys that sign tokens, also while the services run.
    Keys {
        /// The keys command.
        #[command(subcommand)]
        command: KeysCommand,
    },
    /// Asks a question and streams the answer, with cards as text. Uses the running services, or
    /// starts them for the answer.
    Chat(Chat),
    /// Serves the Model Context Protocol on standard input and output, for desktop clients that
    /// start a program. Uses the services on this machine, or those at `--server`.
    Mcp(Mcp),
    /// Lists, shows, edits, releases and withdraws confirmed questions. Uses the running services,
    /// as `chat` does.
    Questions {
        /// The subcommand.
        #[command(subcommand)]
        command: QuestionsCommand,
        /// The bff to use.
        #[command(flatten)]
        at: BffAddress,
    },
    /// Lists, adds, tests, shows and removes the databases and spreadsheets that questions are put
    /// to. Uses the running services, as `chat` does.
    Targets {
        /// The subcommand.
        #[command(subcommand)]
        command: TargetsCommand,
        /// The bff to use.
        #[command(flatten)]
        at: BffAddress,
    },
    /// Lists, adds, tests, describes and removes the search sources that the analyst searches. Uses
    /// the running services, as `chat` does.
    Sources {
        /// The subcommand.
        #[command(subcommand)]
        command: SourcesCommand,
        /// The bff to use.
        #[command(flatten)]
        at: BffAddress,
    },
    /// Lists, adds, tests, changes and removes the issuers at which people sign in. Uses the
    /// running services, as `chat` does.
    Issuers {
        /// The subcommand.
        #[command(subcommand)]
        command: IssuersCommand,
        /// The bff to use.
        #[command(flatten)]
        at: BffAddress,
    },
    /// Lists, adds, tests, describes and removes the HTTP APIs and MCP servers whose operations are
    /// tools of the documents assistant. Uses the running services, as `chat` does.
    Upstreams {
        /// The subcommand.
        #[command(subcommand)]
        command: UpstreamsCommand,
        /// The bff to use.
        #[command(flatten)]
        at: BffAddress,
    },
    /// Reads the tables and columns of target databases again. Uses the running services, as `chat`
    /// does.
    Catalogue {
        /// The subcommand.
        #[command(subcommand)]
        command: CatalogueCommand,
        /// The bff to use.
        #[command(flatten)]
        at: BffAddress,
    },
    /// Searches and exports conversations, and shows how long they are kept. Uses the running
    /// services, as `chat` does.
    Threads {
        /// The subcommand.
        #[command(subcommand)]
        command: ThreadsCommand,
        /// The bff to use.
        #[command(flatten)]
        at: BffAddress,
    },
    /// Manages questions that are asked at set times, and alerts. Uses the running services, as
    /// `chat` does.
    Schedules {
        /// The subcommand.
        #[command(subcommand)]
        command: SchedulesCommand,
        /// The bff to use.
        #[command(flatten)]
        at: BffAddress,
    },
    /// Writes the completions of this command line for a shell, to standard output.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Manages the demonstration database for questions: a field-service company in MariaDB.
    Demo {
        /// The subcommand.
        #[command(subcommand)]
        command: DemoCommand,
    },
    /// Synchronises, ingests, lists, deletes and searches documents. Uses the running services;
    /// without any, all but `sync` use the database.
    Knowledge {
        /// The subcommand.
        #[command(subcommand)]
        command: KnowledgeCommand,
        /// The bff to use.
        #[command(flatten)]
        at: BffAddress,
    },
    /// Builds and shows the join graph of a target database.
    Graph {
        /// The subcommand.
        #[command(subcommand)]
        command: GraphCommand,
    },
    /// Measures the quality of answers.
    Eval {
        /// What to measure.
        #[command(subcommand)]
        command: EvalCommand,
    },
}

/// A service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ServiceName {
    /// The solar tools over PostgreSQL.
    Tools,
    /// The assistants.
    Orchestrator,
    /// Accounts, sessions and the web page.
    Bff,
}

impl ServiceName {
    /// The name in commands and configuration files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Orchestrator => "orchestrator",
            Self::Bff => "bff",
        }
    }
}

/// The bff that a command uses.
#[derive(Debug, Args)]
pub struct BffAddress {
    /// The URL of the bff. Default: the bff that runs on this machine. `HELIOGRAPH_API_KEY` is used
    /// if it is set; otherwise the saved sign-in, or a password, which is asked for.
    #[arg(
        long = "server",
        visible_alias = "url",
        global = true,
        value_name = "URL"
    )]
    pub url: Option<String>,
    /// The account. Default: the saved sign-in, otherwise `demo`.
    #[arg(long, global = true)]
    pub user: Option<String>,
}

impl BffAddress {
    /// The URL and the account, where they are given.
    pub fn place(&self) -> (Option<&str>, Option<&str>) {
        (self.url.as_deref(), self.user.as_deref())
    }
}

/// Options of `catalogue`.
#[derive(Debug, Subcommand)]
pub enum CatalogueCommand {
    /// Reads tables, columns and policy again, and shows the changes. Requires the scope
    /// `questions:approve`.
    Refresh {
        /// The target database. Default: all databases of your tenant.
        target: Option<String>,
    },
}

/// Options of `keys`.
#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// Lists the keys, oldest first.
    List,
    /// Creates a new key. It starts signing after a minute, when every replica publishes it. The
    /// old key verifies until its last token expires.
    Rotate,
}

/// Options of `demo`.
#[derive(Debug, Subcommand)]
pub enum DemoCommand {
    /// Loads the demonstration unless it exists, and prints how to configure it.
    Data {
        /// The administrator URL of a database on your own server:
        /// `mysql://root:password@127.0.0.1/fieldservice`. Default: a private MariaDB.
        #[arg(long)]
        url: Option<String>,
        /// Removes an existing demonstration and loads it again with data up to today. While the
        /// product runs, questions to it fail for the seconds that this takes.
        #[arg(long)]
        reset: bool,
    },
}
