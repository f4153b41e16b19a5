//! Whatever text goes in: no panic, and what comes out, read again by other code, reads only what
//! it may.

use std::collections::HashSet;
use std::ops::ControlFlow;

use proptest::prelude::*;
use sql_guard::Dialect;
use sqlparser::ast::{
    BinaryOperator, Expr, ObjectName, Query, Select, SetExpr, Statement, TableFactor, Visit,
    Visitor,
};
use sqlparser::dialect::{MySqlDialect, PostgreSqlDialect};
use sqlparser::parser::Parser;

use crate::{open, tenant};

/// Walks a printed statement with no knowledge of how it came about.
#[derive(Default)]
struct Witness {
    own: HashSet<String>,
    relations: Vec<String>,
    filtered: Vec<String>,
    faults: Vec<String>,
}

impl Visitor for Witness {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        self.own.extend(
            query
                .with
                .iter()
                .flat_map(|with| &with.cte_tables)
                .map(|cte| cte.alias.name.value.clone()),
        );
        if !query.locks.is_empty()
            || !matches!(
                *query.body,
                SetExpr::Select(_)
                    | SetExpr::SetOperation { .. }
                    | SetExpr::Query(_)
                    | SetExpr::Values(_)
            )
        {
            self.faults.push(format!("not a plain read: {query}"));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        if select.into.is_some() {
            self.faults.push("INTO".to_owned());
        }
        // The filter comes first; conditions of the statement may are behind it.
        let mut filter = select.selection.as_ref();
        while let Some(Expr::BinaryOp {
            left,
            op: BinaryOperator::And,
            ..
        }) = filter
        {
            filter = Some(left);
        }
        if let ([from], Some(Expr::BinaryOp { left, right, .. })) = (select.from.as_slice(), filter)
            && let TableFactor::Table {
                name, alias: None, ..
            } = &from.relation
            && left.to_string() == format!("{name}.company_id")
            && right.to_string() == "'A'"
            && from.joins.is_empty()
        {
            self.filtered.push(bare(name));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        self.relations.push(bare(relation));
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
        let text = match expression {
            Expr::Identifier(name) if name.value.starts_with('@') => name.value.clone(),
            Expr::Function(function) => function.name.to_string().to_lowercase(),
            _ => return ControlFlow::Continue(()),
        };
        if ["sleep", "pg_sleep", "load_file", "benchmark", "get_lock"].contains(&text.as_str())
            || text.starts_with('@')
        {
            self.faults.push(text);
        }
        ControlFlow::Continue(())
    }
}

fn bare(name: &ObjectName) -> String {
    name.to_string().replace(['`', '"'], "")
}

/// Checks `sql`, and its rewritten statement against the rights of tenant A.
fn witness(sql: &str, dialect: Dialect) -> Result<(), TestCaseError> {
    _ = open().check(sql, dialect);
    let Ok(checked) = tenant().check(sql, dialect) else {
        return Ok(());
    };
    let statements = match dialect {
        Dialect::MySql => Parser::parse_sql(&MySqlDialect {}, &checked.sql),
        Dialect::PostgreSql => Parser::parse_sql(&PostgreSqlDialect {}, &checked.sql),
    }
    .unwrap();
    prop_assert_eq!(statements.len(), 1, "{}", checked.sql);
    let Statement::Query(query) = &statements[0] else {
        return Err(TestCaseError::fail(checked.sql));
    };
    prop_assert!(
        query.limit_clause.is_some() || query.fetch.is_some(),
        "{}",
        checked.sql
    );
    let mut seen = Witness::default();
    _ = query.visit(&mut seen);
    prop_assert!(seen.faults.is_empty(), "{}: {:?}", checked.sql, seen.faults);
    let permitted = [
        "note",
        "crew",
        "employeeCrew",
        "match",
        "x",
        "dual",
        "secure_customer",
    ];
    let filtered = ["secure_employee", "inspection", "workOrder"];
    for relation in &seen.relations {
        let own = seen.own.contains(relation);
        prop_assert!(
            own || permitted.contains(&relation.as_str())
                || filtered.contains(&relation.as_str())
                || relation == "workOrderLine",
            "{relation}: {}",
            checked.sql
        );
    }
    for table in filtered {
        let count = |names: &[String]| names.iter().filter(|name| *name == table).count();
        prop_assert!(
            seen.own.contains(table) || count(&seen.relations) == count(&seen.filtered),
            "{table}: {}",
            checked.sql
        );
    }
    prop_assert!(tenant().check(sql, dialect).is_ok());
    Ok(())
}

const WORDS: &[&str] = &[
    "SELECT",
    "FROM",
    "WHERE",
    "employee",
    "e",
    "customer",
    "note",
    "secure_employee",
    "workOrder",
    "inspection",
    "id",
    "company_id",
    "*",
    ",",
    "(",
    ")",
    "AS",
    "JOIN",
    "LEFT",
    "ON",
    "USING",
    "NATURAL",
    "UNION",
    "ALL",
    "WITH",
    "RECURSIVE",
    "=",
    "'A'",
    "\"",
    "'",
    "`",
    "\\",
    "1",
    "LIMIT",
    "ORDER",
    "BY",
    "GROUP",
    "HAVING",
    "EXISTS",
    "IN",
    "LATERAL",
    ";",
    "--",
    "\n",
    "/*",
    "*/",
    "/*!",
    "#",
    "@x",
    ":=",
    "INTO",
    "OUTFILE",
    "SLEEP(1)",
    "mysql.user",
    ".",
    "COUNT(*)",
    "VALUES",
    "TABLE",
    "FOR",
    "UPDATE",
    "||",
    "::",
    "regclass",
    "$$",
    "E'",
    "OVER",
    "CROSS",
    "Employee",
    "EMPLOYEE",
    "`employee`",
    "\"employee\"",
    "VIEW",
    "DELETE",
    "NULL",
    "CASE",
    "WHEN",
    "THEN",
    "END",
    "PARTITION",
    "X'",
    "_utf8",
    "{",
    "}",
    "[",
    "]",
    "?",
];

fn soup() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(WORDS), 0..30)
        .prop_map(|words| format!("SELECT {}", words.join(" ")))
}

fn relation(depth: u32) -> BoxedStrategy<String> {
    let table = prop::sample::select(vec![
        "employee",
        "EMPLOYEE",
        "customer",
        "note",
        "inspection",
        "workOrder",
        "workOrderLine",
        "secure_employee",
        "crew",
        "`employee`",
        "c1",
        "Note",
    ]);
    let table = (
        table,
        prop::sample::select(vec![
            "",
            " e",
            " AS note",
            " employee",
            " AS workOrder",
            " secure_employee",
        ]),
    )
        .prop_map(|(table, alias)| format!("{table}{alias}"));
    if depth == 0 {
        return table.boxed();
    }
    let derived = (
        query(depth - 1),
        prop::sample::select(vec!["q", "employee", "note"]),
    )
        .prop_map(|(query, alias)| format!("({query}) AS {alias}"));
    let kind = prop::sample::select(vec![
        " JOIN ",
        " LEFT JOIN ",
        " NATURAL JOIN ",
        ", ",
        " CROSS JOIN ",
        " STRAIGHT_JOIN ",
        ", LATERAL (SELECT 1 AS one) l, ",
        " RIGHT JOIN ",
    ]);
    let joined = (relation(depth - 1), kind, relation(depth - 1)).prop_map(
        |(left, kind, right)| match kind {
            " LEFT JOIN " | " RIGHT JOIN " => format!("{left}{kind}{right} ON 1 = 1"),
            _ => format!("{left}{kind}{right}"),
        },
    );
    prop_oneof![4 => table, 2 => derived, 2 => joined].boxed()
}

/// Statements that mostly bind: they name only stars and literals.
fn query(depth: u32) -> BoxedStrategy<String> {
    let select = (
        prop::sample::select(vec![
            "*",
            "1",
            "COUNT(*)",
            "'\"', 1",
            r"'\\' AS a",
            "\"'\" AS b",
        ]),
        relation(depth),
    )
        .prop_map(|(items, from)| format!("SELECT {items} FROM {from}"));
    if depth == 0 {
        return select.boxed();
    }
    let nested = (
        select.clone(),
        prop::sample::select(vec!["EXISTS", "1 IN", "NOT EXISTS", "1 ="]),
        query(depth - 1),
    )
        .prop_map(|(outer, operator, inner)| format!("{outer} WHERE {operator} ({inner})"));
    let union = (
        query(depth - 1),
        prop::sample::select(vec!["UNION", "UNION ALL", "EXCEPT", "INTERSECT"]),
        query(depth - 1),
    )
        .prop_map(|(left, operator, right)| format!("({left}) {operator} ({right})"));
    let with = (
        prop::sample::select(vec!["WITH", "WITH RECURSIVE"]),
        prop::sample::select(vec![
            "employee",
            "c1",
            "Employee",
            "note",
            "secure_employee",
            "workOrder",
        ]),
        query(depth - 1),
        query(depth - 1),
    )
        .prop_map(|(with, name, inner, outer)| format!("{with} {name} AS ({inner}) {outer}"));
    let scalar = (relation(depth), query(depth - 1))
        .prop_map(|(from, inner)| format!("SELECT ({inner}) AS s FROM {from} ORDER BY ({inner})"));
    prop_oneof![3 => select, 2 => nested, 2 => union, 3 => with, 1 => scalar].boxed()
}

fn mutated() -> impl Strategy<Value = String> {
    (
        query(2),
        prop::collection::vec(
            (any::<prop::sample::Index>(), prop::sample::select(WORDS)),
            0..4,
        ),
    )
        .prop_map(|(sql, changes)| {
            let mut words: Vec<&str> = sql.split(' ').collect();
            for (at, word) in &changes {
                words.insert(at.index(words.len()), word);
            }
            words.join(" ")
        })
}

const DIALECTS: [Dialect; 2] = [Dialect::MySql, Dialect::PostgreSql];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(1500)))]

    #[test]
    fn any_text_ends_well(text in "\\PC{0,200}") {
        for dialect in DIALECTS {
            witness(&text, dialect)?;
            witness(&format!("SELECT {text}"), dialect)?;
        }
    }

    #[test]
    fn words_in_any_order_end_well(text in soup()) {
        for dialect in DIALECTS {
            witness(&text, dialect)?;
        }
    }

    #[test]
    fn accepted_statements_read_only_what_they_may(sql in query(3)) {
        for dialect in DIALECTS {
            witness(&sql, dialect)?;
        }
    }

    #[test]
    fn accepted_mutants_read_only_what_they_may(sql in mutated()) {
        for dialect in DIALECTS {
            witness(&sql, dialect)?;
        }
    }
}

#[test]
fn generated_statements_are_mostly_accepted() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let accepted = (0..500).filter(|_| {
        let sql = query(2).new_tree(&mut runner).unwrap().current();
        tenant().check(&sql, Dialect::MySql).is_ok()
    });
    assert!(
        accepted.count() > 150,
        "the generator must produce statements worth walking"
    );
}
