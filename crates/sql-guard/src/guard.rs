//! One statement in, one checked statement or findings out.

use std::collections::{HashMap, HashSet};
use std::thread;

use sqlparser::ast::{
    Expr, Fetch, Ident, LimitClause, ObjectName, Query, SetExpr, Statement, Value,
};
use sqlparser::dialect::{MySqlDialect, PostgreSqlDialect};
use sqlparser::parser::{Parser, ParserOptions};
use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::bind::{Binder, Bound};
use crate::fence::WordSet;
use crate::finding::{Finding, Kind};
use crate::literal::{spelt, spelt_column};
use crate::policy::{ColumnRule, Policy, PolicyError, RowFilter};
use crate::rewritten::rewritten;
use crate::schema::{Place, Schema};
use crate::{bounds, fold, frames, operands, text};

/// The SQL dialect of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `MySQL` and `MariaDB`.
    MySql,
    /// PostgreSQL.
    PostgreSql,
}

impl Dialect {
    pub(crate) fn quote(self) -> char {
        match self {
            Dialect::MySql => '`',
            Dialect::PostgreSql => '"',
        }
    }
}

/// Checks statements of one identity against one schema. Cheap to make.
#[derive(Debug, Clone)]
pub struct Guard {
    /// What may be named.
    pub(crate) schema: Schema,
    /// The same with hidden columns, which row filters may be over.
    full: Schema,
    /// By table and folded column.
    rules: HashMap<usize, HashMap<String, ColumnRule>>,
    pub(crate) policy: Policy,
    /// By table: the view that represents it.
    pub(crate) views: HashMap<usize, String>,
    /// By folded view name: the table it represents.
    pub(crate) viewed: HashMap<String, usize>,
    /// By table: the query that represents it.
    filtered: HashMap<usize, Filtered>,
    pub(crate) shared: Option<Vec<usize>>,
    /// Folded names that what represents tables refers to: nothing in a statement may take them.
    pub(crate) reserved: HashSet<String>,
}

#[derive(Debug, Clone)]
struct Filtered {
    mysql: Box<Query>,
    postgresql: Box<Query>,
    /// Whether the tenant is found by way of another table.
    through: bool,
}

/// A statement that may be executed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checked {
    /// The statement, printed from the tree that was checked.
    pub sql: String,
    /// The tables it reads, by the names they have in the schema, in order of appearance.
    pub tables: Vec<String>,
    /// Maximum number of rows that it returns.
    pub row_limit: u64,
    /// The statement as it was written.
    pub written: String,
    /// Whether it reads a table with a row filter: the database's words about its plan or a failure
    /// may reveal rows that the tenant may not see.
    pub filtered: bool,
    /// Whether the tenant's rows are behind a fence, because part of the statement can fail.
    pub fenced: bool,
    /// For each FROM clause with tables that no equality joins: its groups of joined tables. The
    /// rows that it gives are as many as the product of the groups' rows.
    pub products: Vec<Vec<Vec<Counted>>>,
}

/// A table whose rows count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// Its name in the schema.
    pub table: String,
    /// The tenant's rows of it, as a statement; `None` for a table without a row filter.
    pub rows: Option<String>,
}

/// A tree is at most as deep as it has tokens, and it is built, walked, printed and dropped by
/// recursion. Beyond this many tokens that is done on a stack with room for as many as are let
/// through.
const SHORT: usize = 150;
const STACK: usize = 256 << 20;

impl Guard {
    /// A guard for a schema and a policy. Fails with a [`PolicyError`] if the two do not fit
    /// together, or if rows are to be filtered and there is no tenant.
    pub fn new(schema: &Schema, policy: Policy) -> Result<Guard, PolicyError> {
        policy.check(schema)?;
        let ids = |name: &String| {
            schema
                .id(name)
                .ok_or_else(|| PolicyError::UnknownTable(name.clone()))
        };
        let schema = &schema.placed(&policy.schemas);
        let mut guard = Guard {
            schema: schema.clone(),
            full: schema.clone(),
            rules: HashMap::new(),
            views: HashMap::new(),
            viewed: HashMap::new(),
            filtered: HashMap::new(),
            reserved: policy
                .secure_views
                .values()
                .map(|view| fold(view))
                .collect(),
            shared: policy
                .shared_tables
                .as_ref()
                .map(|names| names.iter().map(ids).collect())
                .transpose()?,
            policy,
        };
        for (table, view) in &guard.policy.secure_views {
            guard.views.insert(ids(table)?, view.clone());
            guard.viewed.insert(fold(view), ids(table)?);
        }
        for (table, rules) in &guard.policy.columns {
            let by_column = rules.iter().map(|(column, rule)| (fold(column), *rule));
            guard.rules.insert(ids(table)?, by_column.collect());
        }
        guard.schema = guard
            .full
            .without(|table, column| guard.rule(table, column) == Some(ColumnRule::Hidden));
        for filter in guard.policy.row_filters.values() {
            if let RowFilter::Through { parent, .. } = filter {
                guard.reserved.insert(fold(parent));
            }
        }
        for (table, filter) in &guard.policy.row_filters {
            let query = |dialect| {
                let sql = guard.filter(table, filter, dialect, 0)?;
                single_query(&sql, dialect).ok_or_else(|| PolicyError::Name(table.clone()))
            };
            let filtered = Filtered {
                mysql: query(Dialect::MySql)?,
                postgresql: query(Dialect::PostgreSql)?,
                through: matches!(filter, RowFilter::Through { .. }),
            };
            guard.filtered.insert(ids(table)?, filtered);
        }
        Ok(guard)
    }

    /// Checks one statement; see the crate's documentation. Never panics, whatever the text. All
    /// findings of a statement that parses are given at once.
    pub fn check(&self, sql: &str, dialect: Dialect) -> Result<Checked, Vec<Finding>> {
        if frames::is_taken(sql) {
            return Err(vec![Finding::new(
                Kind::Unsupported,
                "Names that begin with heliograph_exclude are not free; choose another name.",
            )]);
        }
        let tokens = text::tokens(sql, dialect).map_err(|finding| vec![finding])?;
        let tokens = rewritten(tokens, dialect);
        let checked = |tokens| self.check_tokens(sql, tokens, dialect);
        if tokens.len() <= SHORT {
            return checked(tokens);
        }
        let too_large = || {
            vec![Finding::new(
                Kind::TooLarge,
                "The statement is too large to be looked at now.",
            )]
        };
        thread::scope(|scope| {
            let roomy = thread::Builder::new().stack_size(STACK);
            let checking = roomy
                .spawn_scoped(scope, || checked(tokens))
                .map_err(|_| too_large())?;
            checking.join().unwrap_or_else(|_| Err(too_large()))
        })
    }

    fn check_tokens(
        &self,
        written: &str,
        tokens: Vec<TokenWithSpan>,
        dialect: Dialect,
    ) -> Result<Checked, Vec<Finding>> {
        let words = self.has_filters().then(|| WordSet::of(&tokens));
        let mut query = read(tokens, dialect).map_err(|finding| vec![finding])?;
        let as_read = words.is_some().then(|| query.clone());
        let mut bound = Binder::new(self, dialect, None).statement(&mut query);
        if let (true, Some(words), Some(as_read)) = (bound.fenced, &words, as_read) {
            query = as_read;
            bound = Binder::new(self, dialect, Some(words)).statement(&mut query);
        }
        let Bound {
            mut findings,
            tables,
            filtered,
            fenced,
            products,
        } = bound;
        // Of a statement that is wrong already, what its parts are is not known.
        if findings.is_empty() {
            findings = bounds::check(&mut query, dialect);
        }
        let row_limit = limit(&mut query, self.policy.max_rows).unwrap_or_else(|finding| {
            findings.push(finding);
            0
        });
        if !findings.is_empty() {
            return Err(findings);
        }
        let statement = Statement::Query(query);
        let sql = statement.to_string();
        // What is printed must read as what was checked. This is where a fault of the printer would
        // show.
        let reads_so = parse(&sql, dialect).is_ok_and(|again| again == [statement]);
        match frames::restored(sql).filter(|_| reads_so) {
            Some(sql) => Ok(Checked {
                sql,
                tables,
                row_limit,
                written: written.to_owned(),
                filtered,
                fenced,
                products,
            }),
            _ => Err(vec![Finding::new(
                Kind::Unsupported,
                "The statement cannot be written down unambiguously; simplify its literals and names.",
            )]),
        }
    }

    pub(crate) fn has_filters(&self) -> bool {
        !self.filtered.is_empty()
    }

    /// Whether the tenant's rows of a table are found by way of another.
    pub(crate) fn is_through(&self, table: usize) -> bool {
        self.filtered
            .get(&table)
            .is_some_and(|filtered| filtered.through)
    }

    /// The policy's rule for a column.
    pub(crate) fn rule(&self, table: usize, column: &str) -> Option<ColumnRule> {
        self.rules.get(&table)?.get(&fold(column)).copied()
    }

    /// Whether the policy says anything of a table's columns.
    pub(crate) fn has_rules(&self, table: usize) -> bool {
        self.rules.contains_key(&table)
    }

    pub(crate) fn filtered(&self, table: usize, dialect: Dialect) -> Option<Box<Query>> {
        let filtered = self.filtered.get(&table)?;
        Some(match dialect {
            Dialect::MySql => filtered.mysql.clone(),
            Dialect::PostgreSql => filtered.postgresql.clone(),
        })
    }

    /// The name that the database has for what represents a table, with its schema if that is not
    /// the first.
    pub(crate) fn physical(&self, table: usize, dialect: Dialect) -> Vec<Ident> {
        let view = self.views.get(&table);
        let name = view.unwrap_or(&self.schema.table(table).name);
        match Place::of(name, &self.policy.schemas) {
            Some(place) => vec![spelt(&place.schema, dialect), spelt(&place.name, dialect)],
            None => vec![spelt(name, dialect)],
        }
    }

    /// The rows of `table` that the tenant may see, as a query over what represents the table.
    fn filter(
        &self,
        table: &str,
        filter: &RowFilter,
        dialect: Dialect,
        depth: usize,
    ) -> Result<String, PolicyError> {
        let open = || PolicyError::OpenFilter(table.to_owned());
        if depth > 8 {
            return Err(open());
        }
        let id = self.schema.id(table).ok_or_else(open)?;
        let physical = ObjectName::from(self.physical(id, dialect));
        let column = |table: usize, column: &str| {
            let table = self.full.table(table);
            let found = table
                .columns
                .iter()
                .find(|name| *name == column || fold(name) == fold(column));
            let unknown = || PolicyError::UnknownColumn {
                table: table.name.clone(),
                column: column.to_owned(),
            };
            found
                .map(|name| spelt_column(name, dialect))
                .ok_or_else(unknown)
        };
        match filter {
            RowFilter::Column(name) => {
                let tenant = self
                    .policy
                    .tenant
                    .as_ref()
                    .ok_or(PolicyError::NoTenant)?
                    .literal();
                Ok(format!(
                    "SELECT * FROM {physical} WHERE {physical}.{} = {tenant}",
                    column(id, name)?
                ))
            }
            RowFilter::Through {
                column: refers,
                parent,
                parent_column,
            } => {
                let (name, filter) = self
                    .policy
                    .row_filters
                    .iter()
                    .find(|(name, _)| fold(name) == fold(parent))
                    .ok_or_else(open)?;
                let parent = self.schema.id(name).ok_or_else(open)?;
                let rows = self.filter(name, filter, dialect, depth + 1)?;
                let (refers, key) = (column(id, refers)?, column(parent, parent_column)?);
                Ok(format!(
                    "SELECT * FROM {physical} WHERE {physical}.{refers} IN (SELECT permitted.{key} FROM ({rows}) AS permitted)"
                ))
            }
        }
    }
}

/// A query of everything in a table.
pub(crate) fn whole(table: Vec<Ident>, dialect: Dialect) -> Option<Box<Query>> {
    let table = ObjectName::from(table);
    single_query(&format!("SELECT * FROM {table}"), dialect)
}

pub(crate) fn single_query(sql: &str, dialect: Dialect) -> Option<Box<Query>> {
    match parse(sql, dialect).ok()?.pop()? {
        Statement::Query(query) => Some(query),
        _ => None,
    }
}

/// Parses with literals kept as they are written, so that they print as they were read.
fn parse(sql: &str, dialect: Dialect) -> Result<Vec<Statement>, String> {
    parse_tokens(text::tokenize(sql, dialect)?, dialect)
}

fn parse_tokens(tokens: Vec<TokenWithSpan>, dialect: Dialect) -> Result<Vec<Statement>, String> {
    let options = ParserOptions::new().with_unescape(false);
    match dialect {
        Dialect::MySql => Parser::new(&MySqlDialect {})
            .with_options(options)
            .with_tokens_with_locations(tokens)
            .parse_statements(),
        Dialect::PostgreSql => Parser::new(&PostgreSqlDialect {})
            .with_options(options)
            .with_tokens_with_locations(tokens)
            .parse_statements(),
    }
    .map_err(|error| error.to_string())
}

/// The query of a statement that is a single query.
fn read(tokens: Vec<TokenWithSpan>, dialect: Dialect) -> Result<Box<Query>, Finding> {
    let shape = Shape::of(&tokens);
    // What cannot be one read is not worth parsing: some other statements nest without limit
    // (EXPLAIN EXPLAIN …).
    if let Some(finding) = shape.refusal() {
        return Err(finding);
    }
    let repaired = operands::parenthesized(&tokens);
    let parsed = parse_tokens(tokens, dialect).or_else(|error| match repaired {
        Some(tokens) => parse_tokens(tokens, dialect),
        None => Err(error),
    });
    let mut statements = parsed.map_err(|error| shape.reason(&error))?;
    match (statements.pop(), statements.is_empty()) {
        (Some(Statement::Query(query)), true) => Ok(query),
        (None, _) => Err(Finding::new(Kind::Syntax, "There is no statement.")),
        (_, false) => Err(several()),
        (Some(_), true) => Err(not_a_read()),
    }
}

/// Facts about a statement that its tokens show.
struct Shape {
    begins: Begins,
    several: bool,
    into: bool,
}

enum Begins {
    Nowhere,
    AsRead,
    Otherwise,
}

impl Shape {
    fn of(tokens: &[TokenWithSpan]) -> Shape {
        let word = |token: &TokenWithSpan, wanted: &[&str]| match &token.token {
            Token::Word(word) => {
                word.quote_style.is_none()
                    && wanted.iter().any(|it| word.value.eq_ignore_ascii_case(it))
            }
            _ => false,
        };
        let body = tokens
            .iter()
            .rposition(|token| !matches!(token.token, Token::SemiColon | Token::EOF))
            .map_or(0, |at| at + 1);
        let body = &tokens[..body];
        let reads = |token: &TokenWithSpan| {
            token.token == Token::LParen || word(token, &["SELECT", "WITH", "VALUES"])
        };
        Shape {
            begins: match body.first() {
                None => Begins::Nowhere,
                Some(token) if reads(token) => Begins::AsRead,
                Some(_) => Begins::Otherwise,
            },
            several: body.iter().any(|token| token.token == Token::SemiColon),
            into: body.iter().any(|token| word(token, &["INTO"])),
        }
    }

    /// Why no statement of this shape is accepted.
    fn refusal(&self) -> Option<Finding> {
        match self.begins {
            Begins::Nowhere => Some(Finding::new(Kind::Syntax, "There is no statement.")),
            _ if self.several => Some(several()),
            Begins::Otherwise => Some(not_a_read()),
            Begins::AsRead => None,
        }
    }

    /// Why it does not parse.
    fn reason(&self, error: &str) -> Finding {
        if self.into {
            Finding::new(Kind::Into, "INTO is not allowed.")
        } else {
            text::syntax(error)
        }
    }
}

fn several() -> Finding {
    Finding::new(Kind::SeveralStatements, "Only one statement is allowed.")
}

fn not_a_read() -> Finding {
    Finding::new(
        Kind::NotARead,
        "Only SELECT, set operations of SELECTs, and WITH … SELECT are allowed.",
    )
}

/// Limits the rows of the whole query to the lesser of `most` and its own limit, and says which
/// that is.
fn limit(query: &mut Query, most: u64) -> Result<u64, Finding> {
    while let Some(inner) = inner_query(query) {
        *query = inner;
    }
    let literal = crate::literal::number;
    let own = match (&mut query.limit_clause, &mut query.fetch) {
        (
            Some(
                LimitClause::LimitOffset {
                    limit: Some(limit), ..
                }
                | LimitClause::OffsetCommaLimit { limit, .. },
            ),
            None,
        ) => {
            let rows = number(limit)?.min(most);
            *limit = literal(rows);
            return Ok(rows);
        }
        (
            _,
            Some(Fetch {
                with_ties: false,
                percent: false,
                quantity,
            }),
        ) => {
            let rows = quantity.as_ref().map_or(Ok(1), number)?.min(most);
            *quantity = Some(literal(rows));
            return Ok(rows);
        }
        (own, None) => own,
        (_, Some(_)) => {
            return Err(Finding::new(
                Kind::Unsupported,
                "FETCH must name a number of rows.",
            ));
        }
    };
    match own {
        Some(LimitClause::LimitOffset { limit, .. }) => *limit = Some(literal(most)),
        _ => {
            *own = Some(LimitClause::LimitOffset {
                limit: Some(literal(most)),
                offset: None,
                limit_by: Vec::new(),
            });
        }
    }
    Ok(most)
}

/// The query in a pair of parentheses that is all there is.
fn inner_query(query: &mut Query) -> Option<Query> {
    let bare = query.with.is_none()
        && query.order_by.is_none()
        && query.limit_clause.is_none()
        && query.fetch.is_none();
    match query.body.as_mut() {
        SetExpr::Query(inner) if bare => Some(inner.as_ref().clone()),
        _ => None,
    }
}

fn number(expression: &Expr) -> Result<u64, Finding> {
    let digits = match expression {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => digits.parse().ok(),
            Value::Null => Some(u64::MAX),
            _ => None,
        },
        Expr::Identifier(name)
            if name.quote_style.is_none() && name.value.eq_ignore_ascii_case("all") =>
        {
            Some(u64::MAX)
        }
        _ => None,
    };
    digits.ok_or_else(|| Finding::new(Kind::Unsupported, "LIMIT must be a number."))
}
