//! The commands and their options.

mod issuers;
mod knowledge;
mod people;
mod plants;
mod schedules;
mod sources;
mod targets;
mod threads;
mod upstreams;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub use issuers::{AddIssuer, ChangedIssuer, IssuerSettings, IssuersCommand};
pub use knowledge::{KnowledgeCommand, KnowledgeIngest, KnowledgeSearch, KnowledgeSync};
pub use people::{AccountCommand, AuditOptions, KeyCommand, RoleName, SessionCommand};
pub use plants::{AddSite, Import as ImportOptions, Sites, SitesCommand};
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

/// Options of `ingest`.
#[derive(Debug, Args)]
pub struct Ingest {
    /// The files to load.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// The tenant of the readings, while no services run. Default: demo. Otherwise, the tenant is
    /// that of your account.
    #[arg(long)]
    pub tenant: Option<String>,
    /// The site of new loggers.
    #[arg(long)]
    pub site: Option<String>,
    /// The logger of every row, for files without a logger column.
    #[arg(long)]
    pub logger_id: Option<String>,
    /// The type of loggers, for rows without one.
    #[arg(long)]
    pub logger_type: Option<String>,
    /// IANA zone of time stamps without an offset.
    #[arg(long)]
    pub timezone: Option<String>,
    /// CSV columns by field: `timestamp=Time,activePowerWatts=P_AC`.
    #[arg(long)]
    pub columns: Option<String>,
    /// CSV delimiter. Default: detected.
    #[arg(long)]
    pub delimiter: Option<String>,
    /// CSV decimal mark, `.` or `,`. Default: detected.
    #[arg(long)]
    pub decimal: Option<String>,
    /// Texts that mean "no value", separated by commas. Default: `NaN,n/a,-,--,null,#N/A`.
    #[arg(long, allow_hyphen_values = true)]
    pub missing: Option<String>,
    /// The earliest day of a reading. Earlier readings are rejected. Default: 1985-01-01.
    #[arg(long)]
    pub earliest: Option<String>,
    /// The bff to use.
    #[command(flatten)]
    pub at: BffAddress,
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

/// Options of `questions`.
#[derive(Debug, Subcommand)]
pub enum QuestionsCommand {
    /// Lists your confirmed questions and the released ones. With the scope `questions:approve`,
    /// also lists those waiting for a release.
    List {
        /// The questions to list. Default: all.
        #[arg(long, value_enum)]
        show: Option<ShownQuestions>,
        /// Lists only the questions on this target database.
        #[arg(long)]
        target: Option<String>,
    },
    /// Shows a question and its query.
    Show {
        /// The id of the question.
        id: String,
    },
    /// Edits a question or its query. Without either option, confirms a stale question unchanged.
    Edit {
        /// The id of the question.
        id: String,
        /// The new wording of the question.
        #[arg(long)]
        question: Option<String>,
        /// The new query. Write relative days in double braces: `{{week-1}}` is the Monday of last
        /// week.
        #[arg(long)]
        sql: Option<String>,
    },
    /// Releases a question for all users of the tenant.
    Approve {
        /// The id of the question.
        id: String,
        /// Withdraws the question that is already released with the same wording.
        #[arg(long)]
        replace: bool,
    },
    /// Withdraws a question. It is not used for answers any more.
    Withdraw {
        /// The id of the question.
        id: String,
    },
}

/// The confirmed questions to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ShownQuestions {
    /// Your own questions.
    Own,
    /// Questions that are released for all users of the tenant.
    Released,
    /// Questions of other users that wait for a release.
    Waiting,
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

/// Options of `chat`.
#[derive(Debug, Args)]
pub struct Chat {
    /// The question or message to send.
    pub message: String,
    /// The assistant of a new thread: site, data, advisor or analyst. Default: site.
    #[arg(long)]
    pub assistant: Option<String>,
    /// The id of the thread to continue. Default: a new thread, whose id is printed.
    #[arg(long)]
    pub thread: Option<String>,
    /// Your time zone, for "every morning at 7". Default: the `TZ` variable, otherwise that of your
    /// devices.
    #[arg(long)]
    pub timezone: Option<String>,
    /// The bff to use.
    #[command(flatten)]
    pub at: BffAddress,
}

/// Options of `mcp`.
#[derive(Debug, Args)]
pub struct Mcp {
    /// The bff to use. Without `HELIOGRAPH_API_KEY`, the sign-in has to be saved: nothing is asked.
    #[command(flatten)]
    pub at: BffAddress,
}

/// Options of `eval`.
#[derive(Debug, Subcommand)]
pub enum EvalCommand {
    /// Measures the SQL guard and the join graph: false refusals, missed errors, suggestions, join
    /// trees, time per statement.
    Sql(EvalSql),
    /// Measures document search: the ranks of the right passages by words, by vectors and by both;
    /// or recall and latency at scale.
    Retrieval(EvalRetrieval),
}

/// Options of `eval retrieval`. The command uses a database of its own and the configured or
/// fetched embedding model.
#[derive(Debug, Args)]
pub struct EvalRetrieval {
    /// A file with one JSON object per line: `question`, `filename`, words that the passage
    /// `contains`, and `kind`. Default: the demo's questions.
    #[arg(long, value_name = "FILE")]
    pub questions: Option<PathBuf>,
    /// The documents. Default: the demo's documents.
    #[arg(long, value_name = "FOLDER", requires = "questions")]
    pub documents: Option<PathBuf>,
    /// The directory of a local embedding model to use instead.
    #[arg(long, value_name = "FOLDER")]
    pub model_dir: Option<PathBuf>,
    /// Fills the database with this number of synthetic passages instead, and compares the results
    /// with an exhaustive search.
    #[arg(long, value_name = "PASSAGES", conflicts_with_all = ["questions", "documents", "model_dir"])]
    pub vectors: Option<usize>,
    /// Prints one JSON object instead of a table.
    #[arg(long)]
    pub json: bool,
    /// Also lists the questions whose passage is not among the first five.
    #[arg(long)]
    pub verbose: bool,
}

/// Options of `eval sql`. Every file has one JSON object per line.
#[derive(Debug, Args)]
pub struct EvalSql {
    /// The databases: join graphs, each with its name as `db`.
    #[arg(long, value_name = "FILE")]
    pub schemas: PathBuf,
    /// Questions with correct queries, the tables they use, and the columns they join.
    #[arg(long, value_name = "FILE")]
    pub cases: PathBuf,
    /// The queries with one error each.
    #[arg(long, value_name = "FILE")]
    pub mutants: Option<PathBuf>,
    /// The SQL dialect of the queries.
    #[arg(long, value_enum, default_value_t = SqlDialect::Mysql)]
    pub dialect: SqlDialect,
    /// Also asks the configured model the questions of one database and compares the results:
    /// `mysql://role:password@host/database` or `postgres://…`.
    #[arg(
        long,
        value_name = "URL",
        env = "HELIOGRAPH_EVAL_TARGET_URL",
        hide_env_values = true
    )]
    pub target_url: Option<String>,
    /// The database, by `db`, whose questions are asked. Required if the cases have several
    /// databases.
    #[arg(long, value_name = "DB", requires = "target_url")]
    pub target_db: Option<String>,
    /// Maximum number of questions for the model.
    #[arg(long, default_value_t = 200, requires = "target_url")]
    pub questions: usize,
    /// Prints one JSON object instead of a table.
    #[arg(long)]
    pub json: bool,
    /// Also lists this number of wrong verdicts of each sort, with their findings, and differing
    /// trees.
    #[arg(long, value_name = "COUNT", num_args = 0..=1, default_missing_value = "10", default_value_t = 0, hide_default_value = true)]
    pub verbose: usize,
}

/// A SQL dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SqlDialect {
    /// `MySQL` and `MariaDB`.
    Mysql,
    /// PostgreSQL.
    Postgresql,
}
