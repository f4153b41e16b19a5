//! `heliograph eval`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

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
