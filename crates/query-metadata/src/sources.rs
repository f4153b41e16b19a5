//! The queries in the sources, found in the tokens, so that comments and texts do not count.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Macros with the text of a query.
const INLINE: [&str; 3] = ["query", "query_as", "query_scalar"];

/// Macros with the path of a query's file.
const FILES: [&str; 3] = ["query_file", "query_file_as", "query_file_scalar"];

/// Functions that run SQL without a check by the compiler. Only sqlx uses these names.
const UNCHECKED: [&str; 7] = [
    "query_as",
    "query_scalar",
    "query_with",
    "query_as_with",
    "query_scalar_with",
    "raw_sql",
    "AssertSqlSafe",
];

/// The same, of names that are used elsewhere too: imports from sqlx and paths of sqlx count.
const UNCHECKED_OF_SQLX: [&str; 3] = ["query", "QueryBuilder", "Executor"];

/// Functions that read a column by a name or a number without a check by the compiler.
const READS: [&str; 2] = ["try_get", "try_get_unchecked"];

/// Sources whose queries are for SQLite.
const SQLITE: &str = "crates/checkpoint/src/sqlite";

/// The database that a query is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// PostgreSQL.
    PostgreSql,
    /// `SQLite`.
    Sqlite,
}

impl Kind {
    /// Its name in the files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PostgreSql => "PostgreSQL",
            Self::Sqlite => "SQLite",
        }
    }
}

/// A query that the compiler checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The database that it is for.
    pub kind: Kind,
    /// The text that was read.
    pub text: String,
    /// Its file, where it has one, from the root of the workspace.
    pub file: Option<PathBuf>,
}

impl Query {
    /// Its file or its first line.
    pub fn place(&self) -> String {
        match &self.file {
            Some(file) => file.display().to_string(),
            None => self
                .text
                .lines()
                .map(str::trim)
                .find(|line| !line.is_empty())
                .unwrap_or_default()
                .to_owned(),
        }
    }
}

/// A source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// From the root of the workspace.
    pub path: PathBuf,
    /// The queries that the compiler checks.
    pub queries: Vec<Query>,
    /// The calls outside tests that run unchecked SQL, in order.
    pub unchecked: Vec<String>,
    /// Number of unchecked reads of columns outside tests.
    pub reads: usize,
}

/// Reads every source file of the workspace.
pub fn read(workspace: &Path) -> anyhow::Result<Vec<Source>> {
    let mut files = Vec::new();
    for folder in ["crates", "services"] {
        collect(&workspace.join(folder), &mut files)?;
    }
    let mut files = files
        .iter()
        .map(|file| Ok(file.strip_prefix(workspace)?.to_owned()))
        .collect::<anyhow::Result<Vec<PathBuf>>>()?;
    files.sort();
    let mut tests = BTreeSet::new();
    let mut read = Vec::new();
    for path in files {
        let text = fs::read_to_string(workspace.join(&path))?;
        let tokens: TokenStream = text
            .parse()
            .map_err(|error| anyhow!("cannot read {}: {error}", path.display()))?;
        let mut reading = Reading {
            workspace,
            tests: &mut tests,
            source: Source {
                path,
                queries: Vec::new(),
                unchecked: Vec::new(),
                reads: 0,
            },
        };
        reading.walk(tokens, false)?;
        read.push(reading.source);
    }
    for source in &mut read {
        if is_test(&source.path) || source.path.ancestors().any(|path| tests.contains(path)) {
            source.unchecked.clear();
            source.reads = 0;
        }
    }
    Ok(read)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?
    {
        let path = entry?.path();
        if path.is_dir() {
            if !path.ends_with("node_modules") {
                collect(&path, files)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// Whether a file belongs to tests, benchmarks or examples.
fn is_test(path: &Path) -> bool {
    !path.components().any(|part| part.as_os_str() == "src")
}

struct Reading<'a> {
    workspace: &'a Path,
    /// Modules that exist in tests only: their files and folders.
    tests: &'a mut BTreeSet<PathBuf>,
    source: Source,
}

impl Reading<'_> {
    fn walk(&mut self, tokens: TokenStream, in_tests: bool) -> anyhow::Result<()> {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            if is_cfg_test(&tokens[at..])
                && let Some((module, body)) = module_behind(&tokens[at + 2..])
            {
                match body {
                    Some(body) => self.walk(body, true)?,
                    None => self.note_test_module(&module),
                }
                at += 2 + length_of_module(&tokens[at + 2..]);
                continue;
            }
            if let Some(length) = import_from_sqlx(&tokens[at..]) {
                if !in_tests {
                    self.note_import(tokens[at..at + length].iter().cloned().collect());
                }
                at += length;
                continue;
            }
            match &tokens[at] {
                TokenTree::Group(group) => self.walk(group.stream(), in_tests)?,
                TokenTree::Ident(name) => {
                    let name = name.to_string();
                    if let Some(arguments) = macro_arguments(&tokens[at + 1..]) {
                        self.note_macro(&name, arguments)?;
                    } else if !in_tests {
                        self.note_call(&name, &tokens, at);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        Ok(())
    }

    fn note_test_module(&mut self, module: &str) {
        let file = &self.source.path;
        let folder = match file.file_stem().and_then(|stem| stem.to_str()) {
            Some("lib" | "main" | "mod") | None => file.parent().map(Path::to_owned),
            Some(_) => Some(file.with_extension("")),
        };
        if let Some(folder) = folder {
            self.tests.insert(folder.join(module));
            self.tests.insert(folder.join(format!("{module}.rs")));
        }
    }

    fn note_macro(&mut self, name: &str, arguments: TokenStream) -> anyhow::Result<()> {
        let is_file = FILES.contains(&name);
        if !is_file && !INLINE.contains(&name) {
            return Ok(());
        }
        let place = self.source.path.display().to_string();
        let text = first_text(arguments)
            .with_context(|| format!("{place}: a {name}! whose query is not a text"))?;
        let kind = if self.source.path.starts_with(SQLITE)
            || self.source.path == Path::new(SQLITE).with_extension("rs")
        {
            Kind::Sqlite
        } else {
            Kind::PostgreSql
        };
        let query = if is_file {
            let package = self
                .source
                .path
                .ancestors()
                .find(|folder| self.workspace.join(folder).join("Cargo.toml").exists())
                .unwrap_or(Path::new(""));
            let file = package.join(text);
            Query {
                kind,
                text: fs::read_to_string(self.workspace.join(&file))
                    .with_context(|| format!("{place}: cannot read {}", file.display()))?,
                file: Some(file),
            }
        } else {
            Query {
                kind,
                text,
                file: None,
            }
        };
        self.source.queries.push(query);
        Ok(())
    }

    /// Notes a call that runs a query unchecked, and a read of a column.
    fn note_call(&mut self, name: &str, tokens: &[TokenTree], at: usize) {
        if READS.contains(&name) {
            self.source.reads += 1;
        }
        let is_called = matches!(
            tokens.get(at + 1),
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis
        ) || tokens.get(at + 1).is_some_and(|next| is_punct(next, ':'));
        let is_unchecked = (UNCHECKED.contains(&name) && is_called)
            || (UNCHECKED_OF_SQLX.contains(&name) && is_of_sqlx(tokens, at));
        if is_unchecked {
            self.source.unchecked.push(name.to_owned());
        }
    }

    /// Notes imports from sqlx that can run unchecked SQL. The calls of other functions are noted.
    fn note_import(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.note_import(group.stream()),
                TokenTree::Ident(name) => {
                    let name = name.to_string();
                    if UNCHECKED_OF_SQLX.contains(&name.as_str()) {
                        self.source.unchecked.push(name);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Number of tokens of the import from sqlx that begins here.
fn import_from_sqlx(tokens: &[TokenTree]) -> Option<usize> {
    match tokens {
        [TokenTree::Ident(word), TokenTree::Ident(root), ..] if word == "use" && root == "sqlx" => {
            tokens.iter().position(|token| is_punct(token, ';'))
        }
        _ => None,
    }
}

/// Whether a name follows `sqlx::`.
fn is_of_sqlx(tokens: &[TokenTree], at: usize) -> bool {
    at >= 3
        && is_punct(&tokens[at - 1], ':')
        && is_punct(&tokens[at - 2], ':')
        && matches!(&tokens[at - 3], TokenTree::Ident(path) if path == "sqlx")
}

fn is_punct(token: &TokenTree, punct: char) -> bool {
    matches!(token, TokenTree::Punct(found) if found.as_char() == punct)
}

/// Whether `#[cfg(test)]` begins here.
fn is_cfg_test(tokens: &[TokenTree]) -> bool {
    match tokens {
        [hash, TokenTree::Group(attribute), ..] => {
            is_punct(hash, '#')
                && attribute.delimiter() == Delimiter::Bracket
                && attribute.stream().to_string().replace(' ', "") == "cfg(test)"
        }
        _ => false,
    }
}

/// The name and the body of the module that begins here, after its visibility.
fn module_behind(tokens: &[TokenTree]) -> Option<(String, Option<TokenStream>)> {
    let at = tokens
        .iter()
        .take(3)
        .position(|token| matches!(token, TokenTree::Ident(word) if word == "mod"))?;
    let TokenTree::Ident(name) = tokens.get(at + 1)? else {
        return None;
    };
    let body = match tokens.get(at + 2)? {
        TokenTree::Group(body) => Some(body.stream()),
        _ => None,
    };
    Some((name.to_string(), body))
}

fn length_of_module(tokens: &[TokenTree]) -> usize {
    let at = tokens
        .iter()
        .position(|token| matches!(token, TokenTree::Ident(word) if word == "mod"));
    at.map_or(0, |at| at + 3)
}

/// The tokens in the brackets after `!`.
fn macro_arguments(behind: &[TokenTree]) -> Option<TokenStream> {
    match behind {
        [bang, TokenTree::Group(arguments), ..] if is_punct(bang, '!') => Some(arguments.stream()),
        _ => None,
    }
}

/// The first text of the arguments: one literal, or several with `+` between them.
fn first_text(arguments: TokenStream) -> Option<String> {
    let mut text: Option<String> = None;
    for token in arguments {
        match token {
            TokenTree::Literal(literal) => {
                let literal: syn::LitStr = syn::parse_str(&literal.to_string()).ok()?;
                text.get_or_insert_default().push_str(&literal.value());
            }
            TokenTree::Punct(plus) if plus.as_char() == '+' && text.is_some() => {}
            // The type of the row precedes the text.
            _ if text.is_none() => {}
            _ => break,
        }
    }
    text
}

#[cfg(test)]
mod tests;
