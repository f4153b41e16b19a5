//! Findings in the words of the person who asked.
//!
//! [`Finding::message`] is for the writer of the statement, mostly a model: it lists columns, asks
//! which was meant and says what to write instead. A person who asked a question did not write the
//! statement and cannot change it. The sentence here says what is wrong, names what the statement
//! named, and gives no order to write anything.

use std::fmt::Write as _;

use crate::finding::{Finding, Kind};

/// Maximum number of similar names in a sentence.
const NEAR: usize = 3;

impl Finding {
    /// A description of the fault, for the person who asked: no advice on writing SQL, and no name
    /// of a view that replaces a table.
    pub fn for_person(&self) -> String {
        let name = self.named();
        let of = |what: &str, rest: &str| match &name {
            Some(name) => format!("{what} \u{201c}{name}\u{201d} {rest}"),
            None => format!("{what} in it {rest}"),
        };
        match self.kind {
            Kind::Syntax => match self.reason() {
                Some(reason) => format!("The query is not valid: {reason}."),
                None => "The query is not valid SQL for this database.".to_owned(),
            },
            Kind::NotARead => {
                "It would do something other than read. Data are only read here, never changed."
                    .to_owned()
            }
            Kind::SeveralStatements => {
                "It holds more than one statement. One query runs at a time.".to_owned()
            }
            Kind::TooLarge => {
                "The query is longer or more deeply nested than is allowed.".to_owned()
            }
            Kind::UnknownTable => self.with_near(match &name {
                Some(name) => format!("There is no table \u{201c}{name}\u{201d} that you may see."),
                None => "It reads a table that does not exist.".to_owned(),
            }),
            Kind::UnknownColumn if self.message.contains(" is a table here") => {
                of("The name", "is a table here, not a column.")
            }
            Kind::UnknownColumn if self.message.contains(" BY ") && name.is_none() => {
                match self.reason() {
                    Some(reason) => format!("The query is not valid: {reason}."),
                    None => "It sorts or groups by a column that it does not have.".to_owned(),
                }
            }
            Kind::UnknownColumn => self.with_near(match &name {
                Some(name) => {
                    format!("There is no column \u{201c}{name}\u{201d} that you may see.")
                }
                None => "It reads a column that does not exist.".to_owned(),
            }),
            Kind::AmbiguousColumn => of("The column", "is in more than one of the tables."),
            Kind::OtherSchema => of(
                "The name",
                "belongs to another schema or database than the one that is asked.",
            ),
            Kind::Catalogue => {
                "It reads the database's own system tables, which are closed.".to_owned()
            }
            Kind::NotPermitted => match &name {
                Some(name) => format!("\u{201c}{name}\u{201d} is not open to you in this way."),
                None => "It reads something that is not open to you.".to_owned(),
            },
            Kind::Variable => {
                "It uses a variable or a placeholder, which are not allowed.".to_owned()
            }
            Kind::Into => {
                "It would store its result. Data are only read here, never changed.".to_owned()
            }
            Kind::Locking => {
                "It would lock rows. Data are only read here, never changed.".to_owned()
            }
            Kind::ExecutableComment => {
                "It has a comment that the database would carry out, which is not allowed."
                    .to_owned()
            }
            Kind::Function => of(
                "The function",
                "is not allowed, or this database does not have it.",
            ),
            Kind::Unbounded => {
                "It could make up rows or texts almost without end, which is not allowed."
                    .to_owned()
            }
            Kind::Unsupported => match self.part() {
                Some(part) => format!("It uses a part of SQL that is not allowed: {part}."),
                None => "It uses a part of SQL that is not allowed.".to_owned(),
            },
        }
    }

    /// The name in the statement that the finding is about: the first in quotes of its message. A
    /// view that represents a table is not named.
    pub fn named(&self) -> Option<String> {
        let rest = self.message.split_once('\'')?.1;
        let (name, _) = rest.split_once('\'')?;
        let is_shown = !name.is_empty() && !name.to_lowercase().contains("secure_");
        is_shown.then(|| name.to_owned())
    }

    /// The reason why a query that parses is refused; never a parser's message.
    fn reason(&self) -> Option<String> {
        if self.message.starts_with("The statement ") || self.message.starts_with("There is ") {
            return None;
        }
        let first = self.message.split(". ").next()?;
        let first = first.split_once("; else").map_or(first, |(first, _)| first);
        let first = first.trim_end_matches('.');
        let mut quotes = ["\u{201c}", "\u{201d}"].into_iter().cycle();
        let told: String = first
            .split_inclusive('\'')
            .map(|piece| match piece.strip_suffix('\'') {
                Some(text) => format!("{text}{}", quotes.next().unwrap_or_default()),
                None => piece.to_owned(),
            })
            .collect();
        let lower = told.to_lowercase();
        let advises = [" write ", "use ", "must ", "join ", "where "];
        let tells = is_shown(&told) && !advises.iter().any(|word| lower.contains(word));
        tells.then(|| begun_small(&told))
    }

    /// The part of SQL that is not supported.
    fn part(&self) -> Option<String> {
        let part = self.message.strip_suffix(" is not supported.")?;
        let part = part.trim_end_matches(',');
        let tells = !part.starts_with("This ") && is_shown(part);
        tells.then(|| begun_small(part))
    }

    /// With the names that come near, where there are any.
    fn with_near(&self, mut text: String) -> String {
        let near: Vec<&str> = self
            .suggestions
            .iter()
            .map(String::as_str)
            .filter(|name| !name.to_lowercase().contains("secure_"))
            .take(NEAR)
            .collect();
        if !near.is_empty() {
            // Writing to a string cannot fail.
            _ = write!(text, " Near to it: {}.", near.join(", "));
        }
        text
    }
}

/// Whether nothing in a text is a view's name.
fn is_shown(text: &str) -> bool {
    !text.to_lowercase().contains("secure_")
}

/// "A table", "The queries", "An aggregate" within a sentence.
fn begun_small(text: &str) -> String {
    for article in ["A ", "An ", "The "] {
        if let Some(rest) = text.strip_prefix(article) {
            return format!("{}{rest}", article.to_lowercase());
        }
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, Guard, Policy, Schema, Tenant};

    const KINDS: [Kind; 17] = [
        Kind::Syntax,
        Kind::NotARead,
        Kind::SeveralStatements,
        Kind::TooLarge,
        Kind::UnknownTable,
        Kind::UnknownColumn,
        Kind::AmbiguousColumn,
        Kind::OtherSchema,
        Kind::Catalogue,
        Kind::NotPermitted,
        Kind::Variable,
        Kind::Into,
        Kind::Locking,
        Kind::ExecutableComment,
        Kind::Function,
        Kind::Unbounded,
        Kind::Unsupported,
    ];

    /// Checks that a text for a person has no order to the writer of a statement, no rewritten
    /// statement, a view's name.
    fn check(text: &str) {
        let lower = text.to_lowercase();
        for word in [
            "secure_",
            "write ",
            "simplify",
            "did you mean",
            "does not exist in",
            "available columns",
            "use ",
            "say whose",
            "else ",
            "must ",
            "select *",
            "where ",
            "join ",
            "limit ",
            "narrower",
        ] {
            assert!(!lower.contains(word), "{word:?}: {text}");
        }
        assert!(text.ends_with('.') && text.len() < 200, "{text}");
    }

    #[test]
    fn every_kind_has_a_sentence_for_a_person() {
        for kind in KINDS {
            for message in [
                "Write it otherwise; use 'secure_employee' or simplify.",
                "'x' is not. Say whose it is: SELECT * FROM secure_employee WHERE 1.",
                "No.",
            ] {
                let mut finding = Finding::new(kind, message);
                finding.suggestions = vec!["secure_crew".to_owned(), "crew".to_owned()];
                check(&finding.for_person());
            }
        }
    }

    #[test]
    fn what_the_guard_refuses_is_told_with_the_names_that_were_written() {
        let schema = Schema::new([
            ("employee", vec!["id", "name", "company_id"]),
            ("crew", vec!["id", "leader"]),
        ])
        .unwrap();
        let mut policy = Policy::new(100);
        let (table, view) = ("employee".to_owned(), "secure_employee".to_owned());
        policy.secure_views.insert(table, view);
        policy
            .row_filters
            .insert("employee".to_owned(), "company_id".into());
        policy.row_filters.insert("crew".to_owned(), "id".into());
        let tenant = Tenant::text("c-1").unwrap();
        let guard = Guard::new(&schema, policy.for_tenant(tenant)).unwrap();
        for (sql, told) in [
            (
                "SELECT nme FROM employee",
                "There is no column \u{201c}nme\u{201d} that you may see. Near to it: name.",
            ),
            (
                "SELECT e FROM employee e",
                "The name \u{201c}e\u{201d} is a table here, not a column.",
            ),
            (
                "SELECT name FROM employee ORDER BY 9",
                "The query is not valid: ORDER BY 9 is not a column of the select list, which has 1 column.",
            ),
            (
                "SELECT name, COUNT(*) FROM employee GROUP BY 3",
                "The query is not valid: GROUP BY 3 is not a column of the select list, which has 2 columns.",
            ),
            (
                "SELECT leader FROM employee",
                "There is no column \u{201c}leader\u{201d} that you may see. Near to it: crew.",
            ),
            (
                "SELECT name FROM employees",
                "There is no table \u{201c}employees\u{201d} that you may see. Near to it: employee.",
            ),
            (
                "SELECT id FROM employee, crew",
                "The column \u{201c}id\u{201d} is in more than one of the tables.",
            ),
            (
                "SELECT SLEEP(5) FROM crew",
                "The function \u{201c}SLEEP\u{201d} is not allowed, or this database does not have it.",
            ),
            (
                "DELETE FROM crew",
                "It would do something other than read. Data are only read here, never changed.",
            ),
            (
                "SELECT 1; SELECT 2",
                "It holds more than one statement. One query runs at a time.",
            ),
            (
                "SELECT FROM WHERE",
                "The query is not valid SQL for this database.",
            ),
            (
                "SELECT id FROM crew FOR UPDATE",
                "It would lock rows. Data are only read here, never changed.",
            ),
            (
                "SELECT @x FROM crew",
                "It uses a variable or a placeholder, which are not allowed.",
            ),
        ] {
            let findings = guard.check(sql, Dialect::MySql).unwrap_err();
            let text = findings[0].for_person();
            assert_eq!(text, told, "{sql}: {findings:?}");
            check(&text);
        }
    }

    /// Everything that the guard refuses, by statement, and what the person reads of it.
    #[test]
    #[expect(clippy::too_many_lines, reason = "one table")]
    fn a_person_reads_of_each_refusal_what_it_is_and_no_order() {
        let schema = Schema::new([
            (
                "employee",
                vec!["id", "name", "company_id", "wage", "email"],
            ),
            ("crew", vec!["id", "leader"]),
        ])
        .unwrap();
        let mut policy = Policy {
            server: Some(crate::Server::of_mysql("10.11.6-MariaDB")),
            ..Policy::new(100)
        };
        let (table, view) = ("employee".to_owned(), "secure_employee".to_owned());
        policy.secure_views.insert(table, view);
        policy
            .row_filters
            .insert("employee".to_owned(), "company_id".into());
        policy.shared_tables = Some(["crew".to_owned()].into());
        let rules = [
            ("wage".to_owned(), crate::ColumnRule::Hidden),
            ("email".to_owned(), crate::ColumnRule::Masked),
        ];
        policy.columns.insert("employee".to_owned(), rules.into());
        let guard = Guard::new(&schema, policy.for_tenant(Tenant::integer(1))).unwrap();
        let postgresql = Guard::new(
            &schema,
            Policy {
                server: Some(crate::Server::of_postgresql(160_000)),
                ..guard.policy.clone()
            },
        )
        .unwrap();
        for (sql, told) in [
            (
                "SELECT wage FROM employee",
                "There is no column \u{201c}wage\u{201d}",
            ),
            (
                "SELECT id FROM employee WHERE email = 'x'",
                "\u{201c}email\u{201d} is not open to you in this way.",
            ),
            (
                "SELECT id FROM secure_employees",
                "It reads a table that does not exist.",
            ),
            (
                "SELECT COUNT(*) FROM crew WHERE COUNT(*) > 1",
                "The query is not valid: an aggregate (COUNT, SUM, AVG, …) cannot stand in WHERE.",
            ),
            (
                "SELECT id FROM crew UNION SELECT id, leader FROM crew",
                "The query is not valid: the queries of a UNION, INTERSECT or EXCEPT have as many columns as each other; here one has 1 and the other 2.",
            ),
            (
                "SELECT id FROM crew ORDER BY 7",
                "The query is not valid: ORDER BY 7 is not a column of the select list, which has 1 column.",
            ),
            (
                "SELECT id FROM mysql.user",
                "It reads the database's own system tables",
            ),
            (
                "SELECT table_name FROM information_schema.tables",
                "It reads the database's own system tables",
            ),
            (
                "SELECT id FROM other.crew",
                "The name \u{201c}other\u{201d} belongs to another schema",
            ),
            (
                "SELECT id INTO OUTFILE '/tmp/x' FROM crew",
                "It would store its result.",
            ),
            (
                "SELECT LOAD_FILE('/etc/passwd')",
                "The function \u{201c}LOAD_FILE\u{201d} is not allowed",
            ),
            (
                "SELECT pg_sleep(5)",
                "The function \u{201c}pg_sleep\u{201d} is not allowed",
            ),
            (
                "UPDATE crew SET leader = 1",
                "It would do something other than read.",
            ),
            (
                "SELECT 1; DROP TABLE crew",
                "It holds more than one statement.",
            ),
            (
                "SELECT FROM WHERE",
                "The query is not valid SQL for this database.",
            ),
            ("", "The query is not valid SQL for this database."),
            ("SELECT ? FROM crew", "It uses a variable or a placeholder"),
            ("SELECT id FROM crew FOR UPDATE", "It would lock rows."),
            (
                "SELECT id FROM crew LIMIT 1 + 1",
                "It uses a part of SQL that is not allowed",
            ),
            (
                "SELECT a.id FROM crew a, crew b WHERE id = 1",
                "The column \u{201c}id\u{201d} is in more than one of the tables.",
            ),
            (
                "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 10000000) SELECT COUNT(*) FROM n",
                "It could make up rows or texts almost without end",
            ),
            (
                "SELECT REPEAT('x', 1000000000)",
                "It could make up rows or texts almost without end",
            ),
        ] {
            for (guard, dialect) in [(&guard, Dialect::MySql), (&postgresql, Dialect::PostgreSql)] {
                let Err(findings) = guard.check(sql, dialect) else {
                    continue;
                };
                for finding in &findings {
                    check(&finding.for_person());
                }
                if dialect == Dialect::MySql {
                    let text = findings[0].for_person();
                    assert!(text.starts_with(told), "{sql}: {text} {findings:?}");
                }
            }
        }
        for (sql, told) in [
            (
                "SELECT MAX(id), leader FROM crew",
                "The query is not valid: \u{201c}leader\u{201d} is neither in GROUP BY nor in an aggregate, so its value would be that of an arbitrary row.",
            ),
            (
                "SELECT REGEXP_LIKE('a', 'b')",
                "The function \u{201c}REGEXP_LIKE\u{201d} is not allowed, or this database does not have it.",
            ),
        ] {
            let findings = guard.check(sql, Dialect::MySql).unwrap_err();
            assert_eq!(findings[0].for_person(), told, "{sql}: {findings:?}");
        }
        for (sql, told) in [
            (
                "SELECT c.id FROM crew c TABLESAMPLE mine (3)",
                "It uses a part of SQL that is not allowed: a TABLESAMPLE other than BERNOULLI (percent) and SYSTEM (percent).",
            ),
            (
                "SELECT v FROM ROWS FROM (generate_series(1, 2)) AS v",
                "The query is not valid SQL for this database.",
            ),
            (
                "SELECT d FROM crew CROSS JOIN crew_scan(1) d",
                "It uses a part of SQL that is not allowed: a table function or this kind of table.",
            ),
        ] {
            let findings = postgresql.check(sql, Dialect::PostgreSql).unwrap_err();
            assert_eq!(findings[0].for_person(), told, "{sql}: {findings:?}");
        }
    }
}
