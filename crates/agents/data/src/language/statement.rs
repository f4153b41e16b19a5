//! SQL that a person pastes, and wishes to change data: in SQL or in words.

use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::{
    names::{mentions, stems},
    pattern,
};

/// A statement that a person pasted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pasted {
    /// One query that reads, as far as its first word shows; the guard decides.
    Query(String),
    /// Several statements.
    Several,
    /// A statement that does not read.
    Change(Change),
    /// A statement that changes nothing and does not query tables.
    Other(OtherStatement),
}

/// A statement that changes no data, and that is not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OtherStatement {
    /// `EXPLAIN`.
    Explain,
    /// `COPY … TO`.
    Copy,
    /// `SHOW`.
    Show,
    /// `BEGIN`, `USE`, `PREPARE` and their like.
    Session,
    /// `CALL`.
    Call,
}

/// The effect of a request on the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Change {
    /// Delete rows.
    Delete,
    /// Change rows.
    Update,
    /// Add rows.
    Insert,
    /// Create, change or drop tables.
    Structure,
    /// Change rights or settings.
    Settings,
}

fn found(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern
        .as_ref()
        .is_some_and(|pattern| pattern.is_match(text))
}

/// "Run this query:" before a statement.
static RUN_THIS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?ix)^\s*(?:please\s+)?(?:(?:run|execute|try|check)(?:\s+(?:this|the|my|that|following))*(?:\s+(?:query|sql|statement|select))?|sql|query)\s*[:\n]\s*",
    )
});

/// Words around a fence that ask for something other than running it.
static ABOUT_IT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:explain|what does|what's wrong|wrong|why|how|optimi[sz]e|rewrite|convert|translate|fix|improve|format|mean)\b",
    )
});

/// A WITH that begins a query.
static WITH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r#"(?is)^\(*\s*with\s+(?:recursive\s+)?["`\w]+\s*(?:\([^)]*\)\s*)?as\s*(?:(?:not\s+)?materialized\s*)?\("#,
    )
});

/// A SELECT whose list no English sentence has: a star, a comma, a call, a quoted or qualified
/// name, a number, an operator.
static SELECT_LIST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r#"(?isx)^\(*\s*select\s+(?:all\s+|distinct\s+)?(?:
            \*
          | ["`'\[]
          | @@?\w
          | \d
          | [\w.]+\s*\(
          | \w+\.[\w*"`]
          | \w+(?:\s+as\s+\w+)?\s*,
          | \w+(?:\[|::|\s*\|\||\s*->>?\s*['\d])
          | (?:e|n|b|x|u&)'
          | \$\w*\$
          | case\s+when\b
          | (?:date|time|timestamp|interval)\s+'
        )"#,
    )
});

/// `SELECT` and `FROM` as they are written in SQL and nowhere else.
static CAPITALS: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?s)^\(*\s*SELECT\s.*\sFROM\s"));

/// A SELECT of something that the server knows without a table: `SELECT CURRENT_DATE`.
static WITHOUT_TABLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?is)^\(*\s*select\s+(?:current_(?:date|time|timestamp|user|role|schema|catalog)|session_user|system_user|localtime(?:stamp)?|utc_(?:date|time|timestamp)|true|false|null)\s*\)*$",
    )
});

/// `select name from crew`: a name or an operator, from a table, and an end or more SQL.
static PLAIN_SELECT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r#"(?isx)^\(*\s*select\s+(?:all\s+|distinct\s+)?(?:\w+(?:\s+as\s+\w+)?|[^;]*?(?:[+*%<>=|(\[]|\s[-/]\s|[-/]\d)[^;]*?)\s+from\s+(?:only\s+)?
        (?P<table>\w+|"(?:[^"]|"")+"|`[^`]+`)
        (?:\s+(?:as\s+\w+|\w{1,3}))?
        (?:\s*[,)]|\s*$|\s+(?:where|order\s+by|group\s+by|limit|join|inner|left|right|full|cross|natural|having|as|window|offset|fetch|for|tablesample|union|intersect|except)\b)"#,
    )
});

/// `select name from sales.crew`: a name of two parts, which no English has.
static QUALIFIED: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r#"(?is)^\(*\s*select\s.*\sfrom\s+["`]?\w+["`]?\.["`]?\w"#));

/// Statements that do not read, by how they begin.
static CHANGES: LazyLock<Vec<(Change, Regex)>> = LazyLock::new(|| {
    [
        (Change::Delete, r"(?is)^(?:delete\s+from\s+\S|truncate\s+(?:table\s+)?[\x22`\w.]+\s*;?\s*$)"),
        (Change::Update, r"(?is)^(?:update\s+\S+\s+(?:\w+\s+)?set\s|merge\s+into\s)"),
        (Change::Insert, r"(?is)^(?:insert\s+(?:ignore\s+)?into\s|replace\s+into\s|load\s+data\s|copy\s+\S+\s+from\s)"),
        (
            Change::Structure,
            r"(?isx)^(?:(?:drop|alter|create(?:\s+or\s+replace)?|rename)\s+(?:temporary\s+|temp\s+|unique\s+|materialized\s+)?
              (?:table|view|database|schema|index|function|procedure|trigger|user|role|sequence|type|column)\s+\S)",
        ),
        (
            Change::Settings,
            r"(?is)^(?:grant\s+\w+.*\bon\b|revoke\s+\w+.*\bon\b|set\s+(?:session|global|local|names|@)\S*|lock\s+tables?\s|vacuum\b|kill\s+\d|shutdown\s*;?\s*$|do\s+\$\$)",
        ),
    ]
    .into_iter()
    .filter_map(|(change, text)| Some((change, Regex::new(text).ok()?)))
    .collect()
});

/// `TABLE invoice`, and what may follow it.
static TABLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r#"(?is)^table\s+(?P<table>["`]?\w+["`]?(?:\.["`]?\w+["`]?)?)\s*(?:$|(?:order\s+by|limit|offset|union)\b)"#,
    )
});

/// `VALUES (1, 2)`.
static VALUES: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?is)^\(*\s*values\s*(?:row\s*)?\("));

/// Whether a text is `TABLE` and a table, which reads all of it.
fn is_whole_table(sql: &str, knows: &impl Fn(&str) -> bool) -> bool {
    let found = TABLE.as_ref().and_then(|pattern| pattern.captures(sql));
    found.is_some_and(|found| {
        let table = found["table"].replace(['"', '`'], "");
        sql.starts_with("TABLE") || knows(table.rsplit('.').next().unwrap_or_default())
    })
}

/// Statements that neither change data nor query tables, by their beginnings.
static OTHERS: LazyLock<Vec<(OtherStatement, Regex)>> = LazyLock::new(|| {
    [
        (
            OtherStatement::Explain,
            r"(?isx)^(?:explain|describe|desc)\s+(?:\([^)]*\)\s*)?(?:(?:analy[sz]e|verbose|extended|partitions|format\s*=\s*\w+)\s+)*
              (?:select\s+[\w\x22`*()'.,\s]+\sfrom\s|select\s+[\d*(]|with\s+(?:recursive\s+)?\w+\s+as\s*\(|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s|values\s*\()",
        ),
        (
            OtherStatement::Copy,
            r"(?is)^(?:copy\s+(?:\(.*\)|\S+\s*(?:\([^)]*\))?)\s*to\s+(?:'|stdout\b|program\b)|select\s.*\sinto\s+(?:outfile|dumpfile)\s)",
        ),
        (
            OtherStatement::Show,
            r"(?isx)^show\s+(?:full\s+)?(?:grants|processlist|create\s+(?:table|view|database|function|procedure)\s+\S+|(?:global|session)\s+(?:variables|status)
              |variables\s+like\s.*|engine\s+\w+\s+status|table\s+status|index(?:es)?\s+(?:from|in)\s+\S+|keys\s+(?:from|in)\s+\S+|search_path|server_version|triggers)[^a-z]*(?:for\s+\S+\s*)?$",
        ),
        (
            OtherStatement::Call,
            r"(?is)^call\s+[\x22`\w.]+\s*\(.*\)$",
        ),
        (
            OtherStatement::Session,
            r"(?isx)^(?:begin(?:\s+(?:transaction|work))?|start\s+transaction(?:\s.*)?|commit|rollback(?:\s+to\s+\w+)?|savepoint\s+\w+|use\s+[\w`]+
              |prepare\s+\w+\s*(?:\([^)]*\)\s*)?(?:as|from)\s.*|execute\s+\w+\s*(?:\(.*\)|using\s.*)?|deallocate\s+\w+(?:\s+\w+)?|declare\s+\w+\s+(?:\w+\s+)*cursor\s.*|discard\s+all|analy[sz]e\s+(?:table\s+)?\w+)$",
        ),
    ]
    .into_iter()
    .filter_map(|(other, text)| Some((other, Regex::new(text).ok()?)))
    .collect()
});

/// The statement that is neither a query nor a change; `is_marked` says that nothing else can be
/// meant.
fn other(sql: &str, is_marked: bool) -> Option<OtherStatement> {
    let (other, _) = OTHERS.iter().find(|(_, pattern)| pattern.is_match(sql))?;
    // "Use shop", "begin" and "execute order" are English as well.
    let is_sure = *other != OtherStatement::Session
        || is_marked
        || sql.starts_with(|c: char| c.is_uppercase())
            && sql
                .split_whitespace()
                .next()
                .is_some_and(|word| word.chars().all(char::is_uppercase));
    is_sure.then(|| other.clone())
}

/// The SQL in a message that is nothing else; `knows` says whether there is a table of a name.
pub(crate) fn pasted(text: &str, knows: impl Fn(&str) -> bool) -> Option<Pasted> {
    let (sql, is_fenced) = inside(text)?;
    let statements = statements(&sql);
    let first = statements.first()?;
    let is_marked = is_fenced || sql.trim_end().ends_with(';');
    if statements.len() == 1
        && let Some(other) = other(&first.bare, is_marked)
    {
        return Some(Pasted::Other(other));
    }
    let kind = kind(&first.bare, is_marked, &knows)?;
    if statements.len() > 1 {
        return Some(Pasted::Several);
    }
    Some(match kind {
        Some(change) => Pasted::Change(change),
        None => Pasted::Query(first.written.clone()),
    })
}

/// The text within a fence, or the message without the words that ask to run it.
fn inside(text: &str) -> Option<(String, bool)> {
    let mut pieces = text.split("```");
    let (before, fenced) = (pieces.next()?, pieces.next());
    if let Some(fenced) = fenced {
        let after = pieces.next().unwrap_or_default();
        if found(&ABOUT_IT, before) || found(&ABOUT_IT, after) {
            return None;
        }
        return Some((without_language(fenced).to_owned(), true));
    }
    let begin = RUN_THIS.as_ref().and_then(|pattern| pattern.find(text));
    let rest = begin.map_or(text, |begin| &text[begin.end()..]);
    Some((rest.trim().to_owned(), false))
}

/// The text of a fence without the name of its language.
pub(crate) fn without_language(fenced: &str) -> &str {
    let inside = fenced.trim_start();
    let first = inside.split_whitespace().next().unwrap_or_default();
    let is_language = [
        "sql",
        "mysql",
        "mariadb",
        "postgresql",
        "postgres",
        "pgsql",
        "psql",
    ]
    .contains(&&*first.to_lowercase());
    inside
        .get(if is_language { first.len() } else { 0 }..)
        .unwrap_or(inside)
        .trim()
}

/// A statement of a text.
#[derive(Default)]
struct Statement {
    /// As it was written, without the plain comments before it. What the database would make of
    /// comments within it, the guard decides.
    written: String,
    /// The same without any comment, which shows what kind of statement it is.
    bare: String,
}

impl Statement {
    fn push(&mut self, text: &str) {
        self.written.push_str(text);
        self.bare.push_str(text);
    }

    fn push_comment(&mut self, comment: &str) {
        let is_executed = ["/*!", "/*+", "/*M!"]
            .iter()
            .any(|begin| comment.starts_with(begin));
        if is_executed || !self.written.trim().is_empty() {
            self.written.push_str(comment);
        }
        self.bare.push(' ');
    }
}

/// The statements of a text: what stands between semicolons that are in no literal, name or
/// comment. A backslash ends no literal where the servers disagree on it, if the text has fewer
/// statements that way.
fn statements(sql: &str) -> Vec<Statement> {
    let (plain, _) = split(sql, false);
    if plain.len() < 2 || !sql.contains('\\') {
        return plain;
    }
    match split(sql, true) {
        (escaped, true) if escaped.len() < plain.len() => escaped,
        _ => plain,
    }
}

/// The statements, and whether all literals end.
fn split(sql: &str, with_escapes: bool) -> (Vec<Statement>, bool) {
    let mut statements = Vec::new();
    let mut current = Statement::default();
    let mut rest = sql;
    let mut is_whole = true;
    while let Some(c) = rest.chars().next() {
        let (piece, after) = rest.split_at(piece(rest, &current, with_escapes));
        let is_comment =
            piece.starts_with("--") || piece.starts_with("/*") || c == '#' && piece != "#";
        if piece == ";" {
            statements.push(std::mem::take(&mut current));
        } else if is_comment {
            current.push_comment(piece);
        } else {
            current.push(piece);
        }
        let is_quoted = c == '\'' || c == '"' || c == '`';
        is_whole &= !is_quoted || piece.len() > 1 && piece.ends_with(c);
        rest = after;
    }
    statements.push(current);
    let statements = statements.into_iter().map(|statement| Statement {
        written: statement.written.trim().to_owned(),
        bare: statement.bare.trim().to_owned(),
    });
    let statements = statements.filter(|statement| !statement.bare.is_empty());
    (statements.collect(), is_whole)
}

/// The length of what a text begins with: a comment, a literal, a quoted name, or a character.
fn piece(rest: &str, current: &Statement, with_escapes: bool) -> usize {
    let line = || rest.find('\n').unwrap_or(rest.len());
    let one = rest.chars().next().map_or(0, char::len_utf8);
    if rest.starts_with("--") {
        return line();
    }
    if let Some(inside) = rest.strip_prefix("/*") {
        return inside.find("*/").map_or(rest.len(), |end| end + 4);
    }
    if rest.starts_with('#') && current.bare.trim_end_matches([' ', '\t']).is_empty() {
        // MariaDB's own, where nothing is before it in the line.
        return line();
    }
    if rest.starts_with('$')
        && !current
            .bare
            .ends_with(|c: char| c.is_alphanumeric() || c == '_')
    {
        return dollar_quoted(rest).unwrap_or(one);
    }
    let Some(quote) = rest
        .chars()
        .next()
        .filter(|c| matches!(c, '\'' | '"' | '`'))
    else {
        return one;
    };
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if is_escaped {
            is_escaped = false;
        } else if c == '\\' && with_escapes && quote == '\'' {
            is_escaped = true;
        } else if c == quote {
            return at + c.len_utf8();
        }
    }
    rest.len()
}

/// The length of a literal of PostgreSQL such as `$$…$$` or `$tag$…$tag$`.
fn dollar_quoted(rest: &str) -> Option<usize> {
    let end = rest.get(1..)?.find('$')? + 2;
    let tag = rest.get(..end)?;
    let name = &tag[1..end - 1];
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit());
    let close = rest.get(end..)?.find(tag).filter(|_| is_name)?;
    Some(end + close + tag.len())
}

/// The kind of a statement: `Some(None)` a query, `Some(Some(…))` another statement, `None` not
/// SQL.
#[expect(clippy::option_option, reason = "no SQL, a query, or a change")]
fn kind(sql: &str, is_marked: bool, knows: &impl Fn(&str) -> bool) -> Option<Option<Change>> {
    if let Some((change, _)) = CHANGES.iter().find(|(_, pattern)| pattern.is_match(sql)) {
        return Some(Some(*change));
    }
    let first: String = sql
        .trim_start_matches(['(', ' ', '\n'])
        .chars()
        .take_while(|c| c.is_alphabetic())
        .collect::<String>()
        .to_lowercase();
    if is_marked && matches!(&*first, "select" | "with" | "values" | "table")
        || found(&VALUES, sql)
        || is_whole_table(sql, knows)
    {
        return Some(None);
    }
    let plain = PLAIN_SELECT.as_ref()?.captures(sql);
    let is_query = found(&WITH, sql)
        || found(&SELECT_LIST, sql)
        || found(&WITHOUT_TABLE, sql)
        || found(&CAPITALS, sql)
        || found(&QUALIFIED, sql)
        || plain.is_some_and(|plain| knows(plain["table"].trim_matches(['"', '`'])));
    is_query.then_some(None)
}

/// Polite words before a request.
static POLITE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?ix)^\W*(?:(?:please|kindly|hey|hi|hello|ok(?:ay)?|now|just|and|then)\W+
        |(?:can|could|would|will)\s+you\s+|i(?:['’]d|\s+would)?\s+(?:want|like|need)(?:\s+you)?\s+to\s+|let['’]?s\s+|go\s+ahead\s+and\s+)+",
    )
});

/// "Delete …", "wipe …".
static DELETE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"(?i)^(?:delete|erase|truncate|wipe|purge|destroy|get\s+rid\s+of)\s+\S")
});
/// "Delete them", after an answer.
static DELETE_THEM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:delete|erase|truncate|wipe|purge|destroy|get\s+rid\s+of)\s+(?:all\s+(?:of\s+)?)?(?:them|those|these)(?:\s+all)?\W*$",
    )
});
/// "Clear the table …", "empty the database".
static CLEAR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:clear|empty)\s+(?:out\s+)?(?:the\s+|all\s+|our\s+)*(?:\w+\s+)?(?:tables?|database|db|schema)\b",
    )
});
/// "Drop …".
static DROP: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"(?i)^drop\s+\S"));
/// "Remove …".
static REMOVE: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"(?i)^remove\s+\S"));
/// The object of a request to delete, where it names no table.
static ROWS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:tables?|database|databases|schema|rows?|records?|entries|entry|everything|all (?:the )?data)\b",
    )
});
/// "Create a …", "add a new …", "insert two …".
static ADD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:create|add|insert|register|book|schedule|enter)\s+(?:an?|another|one|two|three|\d+|(?:the\s+)?(?:following\s+)?new)\s+(?P<what>.+)$",
    )
});
/// "Set the status of … to …".
static SET: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:update|change|set|modify|edit|rename|mark|assign|move|reschedule|raise|lower|increase|decrease)\s+(?P<what>.+?)\s+(?:to|as|by|from)\s+\S",
    )
});
/// "Cancel order 5", "close the work order of …".
static CLOSE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:cancel|close|reopen|approve|reject|archive|deactivate|activate)\s+(?:the|this|that|all|every|\w+\s+\d)\s*(?P<what>.+)$",
    )
});
/// "Update the fee of …", "edit loan 5": only a change of data begins so.
static EDIT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"(?i)^(?:update|modify|edit|overwrite)\s+(?:the\s+|all\s+|every\s+|\w)")
});
/// "Update me on …", which asks for news.
static NEWS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"(?i)^update\s+(?:me|us|(?:your|the)\s+(?:data|figures?|numbers?)$)")
});
/// Verbs of a change of one record: "mark loan 5", "raise the fee of loan 5".
static CHANGE_ONE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:update|change|set|modify|edit|overwrite|correct|rename|mark|assign|reschedule|raise|lower|increase|decrease|double|halve|reset|cancel|close|reopen|approve|reject|archive|deactivate|activate)\s+\S",
    )
});
/// "Raise the salary of every doctor": nothing that is shown is raised.
static CHANGE_ALL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:update|modify|edit|overwrite|raise|lower|increase|decrease|double|halve|reset)\s+.*\b(?:all|every|each)\s",
    )
});
/// "Change loan 5 to loan 6" is about the question, where an answer is before it.
static TO: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"(?i)\s(?:to|into)\s"));
/// "Register a new member".
static NEW: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:create|add|insert|register|book|schedule|enter)\s+(?:(?:an?|another|one|two|three|\d+|the|the\s+following)\s+)?new\s+(?P<what>.+)$",
    )
});
/// Things that an assistant may well create.
static SHOWN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:charts?|graphs?|plots?|diagrams?|pie|bars?|lists?|reports?|overviews?|summar\w+|queries|query|breakdowns?|columns? (?:for|with)|comparisons?|statistics?|question|answer)\b",
    )
});

/// The change of data that a message in words requests; `None` when it asks a question.
/// `tables` are the names that there are; `goes_on` says that an answer is before it, which "remove
/// the cancelled ones" may be about.
pub(crate) fn wishes_change<'t>(
    text: &str,
    tables: impl IntoIterator<Item = &'t str>,
    goes_on: bool,
) -> Option<Change> {
    let begin = POLITE.as_ref().and_then(|pattern| pattern.find(text));
    let wish = begin.map_or(text, |begin| &text[begin.end()..]).trim();
    if found(&SHOWN, wish) {
        return None;
    }
    let words = stems(wish);
    let tables: Vec<&str> = tables.into_iter().collect();
    let names_table = tables.iter().any(|name| mentions(&words, name));
    let rows = found(&ROWS, wish);
    if found(&DELETE, wish) && (names_table || rows) {
        return Some(Change::Delete);
    }
    if found(&CLEAR, wish) || goes_on && found(&DELETE_THEM, wish) {
        return Some(Change::Delete);
    }
    if found(&DROP, wish) && (rows || names_table && !goes_on) {
        return Some(Change::Structure);
    }
    if found(&REMOVE, wish) && names_table && !goes_on {
        return Some(Change::Delete);
    }
    if names_table && found(&ADD, wish) && !goes_on {
        return Some(Change::Insert);
    }
    if names_table && (found(&SET, wish) || found(&CLOSE, wish)) && !goes_on {
        return Some(Change::Update);
    }
    if names_table && found(&EDIT, wish) && !found(&NEWS, wish) && !goes_on {
        return Some(Change::Update);
    }
    if names_table && found(&CHANGE_ALL, wish) {
        return Some(Change::Update);
    }
    if found(&CHANGE_ONE, wish) && names_one_record(wish, &tables) {
        return Some(Change::Update);
    }
    if names_table && found(&NEW, wish) {
        return Some(Change::Insert);
    }
    None
}

/// Whether the words name one record of a table by its number, and no other in its place: "the fee
/// of loan 5", but not "loan 5 to loan 6".
fn names_one_record(wish: &str, tables: &[&str]) -> bool {
    let parts = TO.as_ref().map(|to| to.splitn(wish, 2).collect::<Vec<_>>());
    let parts = parts.unwrap_or_default();
    let numbered = |text: &str, name: &str| {
        let own_name = name.rsplit('.').next().unwrap_or(name);
        let (said, name) = (stems(text), stems(own_name));
        !name.is_empty()
            && (0..said.len()).any(|at| {
                let end = at + name.len();
                let number =
                    said.get(end..).unwrap_or_default().iter().find(|word| {
                        !["no", "nr", "number", "id", "with"].contains(&word.as_str())
                    });
                said.get(at..end) == Some(&*name)
                    && number.is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()))
            })
    };
    let in_part = |at: usize, name: &str| parts.get(at).is_some_and(|part| numbered(part, name));
    tables
        .iter()
        .any(|name| in_part(0, name) && !in_part(1, name))
}

#[cfg(test)]
mod tests;
