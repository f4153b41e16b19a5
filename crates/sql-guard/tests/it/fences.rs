//! Expressions that can fail are evaluated on the tenant's rows only.

use sql_guard::{Checked, ColumnKind, Dialect, Guard, Policy, RowFilter, Schema, Tenant};

fn schema() -> Schema {
    let tables = [
        (
            "doc",
            vec![
                "id",
                "company_id",
                "title",
                "size",
                "opened",
                "rating",
                "body",
            ],
        ),
        ("part", vec!["id", "doc_id", "amount", "note"]),
        ("kind", vec!["id", "name"]),
        ("person", vec!["id", "company_id", "name"]),
    ];
    Schema::new(tables)
        .unwrap()
        .with_kinds(|_, column| match column {
            "id" | "company_id" | "size" | "doc_id" => Some(ColumnKind::Integer),
            "amount" => Some(ColumnKind::Decimal),
            "rating" => Some(ColumnKind::Float),
            "title" | "note" | "name" => Some(ColumnKind::Text),
            "opened" => Some(ColumnKind::Date),
            _ => None,
        })
}

/// Documents have a tenant, parts belong to documents, kinds are shared by all tenants, persons are
/// read through a view.
fn guard() -> Guard {
    let mut policy = Policy::new(100);
    for table in ["doc", "person"] {
        let filter = "company_id".into();
        policy.row_filters.insert(table.to_owned(), filter);
    }
    let through = RowFilter::Through {
        column: "doc_id".to_owned(),
        parent: "doc".to_owned(),
        parent_column: "id".to_owned(),
    };
    policy.row_filters.insert("part".to_owned(), through);
    let view = "secure_person".to_owned();
    policy.secure_views.insert("person".to_owned(), view);
    Guard::new(&schema(), policy.for_tenant(Tenant::integer(1))).unwrap()
}

#[track_caller]
fn checked(sql: &str, dialect: Dialect) -> Checked {
    guard()
        .check(sql, dialect)
        .unwrap_or_else(|findings| panic!("{sql}: {findings:?}"))
}

const BOTH: [Dialect; 2] = [Dialect::MySql, Dialect::PostgreSql];

#[test]
fn what_cannot_fail_needs_no_fence() {
    for sql in [
        "SELECT id, title FROM doc WHERE id = 7",
        "SELECT id FROM doc WHERE title = 'a' AND size IN (1, 2) OR opened BETWEEN '2026-01-01' AND '2026-02-01'",
        "SELECT id FROM doc WHERE title LIKE 'pw-%' AND size IS NOT NULL AND NOT rating > 0.5 AND body IS NULL",
        "SELECT d.id FROM doc d WHERE d.opened >= CURRENT_DATE - INTERVAL '30' DAY",
        "SELECT a.id FROM doc a JOIN doc b ON a.size = b.id LEFT JOIN kind k ON k.id = b.size AND k.name = 'x'",
        "SELECT EXTRACT(YEAR FROM opened) AS y, COUNT(*) FROM doc WHERE EXTRACT(YEAR FROM opened) = 2026 GROUP BY 1 ORDER BY 2",
        "SELECT id FROM doc WHERE LOWER(title) = 'a' AND COALESCE(size, 0) > 3",
        "SELECT id FROM doc WHERE CASE WHEN size > 1 THEN title ELSE 'x' END = 'x'",
        // What comes after the rows are chosen may fail.
        "SELECT 1 / size AS q, SUM(size * size) / COUNT(*) FROM doc GROUP BY 1 / size ORDER BY 1 / size",
        "SELECT title, COUNT(*) AS n FROM doc GROUP BY title HAVING COUNT(*) > 3 AND SUM(size * size) > 3",
        "SELECT title, SUM(size) OVER (PARTITION BY size / 2 ORDER BY id) FROM doc",
        "SELECT d.title, (SELECT COUNT(*) FROM kind k WHERE k.id = d.size) FROM doc d",
        "SELECT id FROM doc UNION SELECT size * 2 FROM doc",
        "SELECT q.n FROM (SELECT size, SUM(size * size) AS n FROM doc GROUP BY size) q",
        // One table whose tenant is in another one, and nothing that can fail.
        "SELECT COUNT(*), SUM(amount) FROM part WHERE amount > 3 AND note = 'x'",
        "SELECT name FROM kind WHERE id / 0 = 1",
    ] {
        for dialect in BOTH {
            let checked = checked(sql, dialect);
            assert!(!checked.fenced, "{sql}: {}", checked.sql);
            assert_eq!(checked.filtered, !sql.contains("FROM kind WHERE"), "{sql}");
        }
    }
    for sql in [
        "SELECT id FROM doc WHERE opened >= DATE_SUB(CURDATE(), INTERVAL 1 MONTH) AND YEAR(opened) = 2026",
        "SELECT title, COUNT(*) AS n FROM doc GROUP BY title HAVING n > 3",
    ] {
        assert!(!checked(sql, Dialect::MySql).fenced, "{sql}");
    }
    for sql in [
        "SELECT id FROM doc WHERE opened >= date_trunc('month', CURRENT_DATE) - INTERVAL '1 month'",
        "SELECT id FROM doc WHERE opened::date = CURRENT_DATE - 1 AND opened < '2026-01-01'::date",
        "SELECT COUNT(*) FILTER (WHERE size > 1) FROM doc",
    ] {
        assert!(!checked(sql, Dialect::PostgreSql).fenced, "{sql}");
    }
}

#[test]
fn what_can_fail_stands_behind_a_fence() {
    for sql in [
        "SELECT id FROM doc WHERE 1 / size = 1",
        "SELECT id FROM doc WHERE CASE WHEN id = 7 THEN 1 / (id - 7) ELSE 1 END = 1",
        "SELECT a.id FROM doc a JOIN kind k ON k.id = a.size AND 1 / a.size = 1",
        "SELECT title, COUNT(*) FROM doc GROUP BY title, size HAVING COUNT(*) > 0 AND 1 / size = 1",
        "SELECT id FROM doc WHERE title LIKE 'pw-%\\\\'",
        "SELECT id FROM doc WHERE title LIKE 'pw-%' ESCAPE 'p'",
        "SELECT id FROM doc WHERE title LIKE '%a%a%a%a%a%a%a%a%a%'",
        "SELECT id FROM doc WHERE title = 7",
        "SELECT id FROM doc WHERE title = size",
        "SELECT id FROM doc WHERE body = 'x'",
        "SELECT id FROM doc WHERE body LIKE 'x'",
        "SELECT id FROM doc WHERE CAST(title AS int) = 1"
            .replace("int", "decimal")
            .as_str(),
        "SELECT id FROM doc WHERE opened > CURRENT_DATE - INTERVAL '9999' YEAR",
        "SELECT id FROM doc WHERE opened > '2026-01-01' AND id = (SELECT id FROM kind)",
        "SELECT id FROM doc WHERE EXISTS (SELECT 1 FROM kind k WHERE k.id = doc.size)",
        "SELECT id FROM doc WHERE size IN (SELECT id FROM kind)",
        "SELECT q.y FROM (SELECT 1 / size AS y FROM doc) q",
        "WITH q AS (SELECT 1 / size AS y FROM doc) SELECT y FROM q",
        "SELECT q.y FROM (SELECT id AS y FROM doc ORDER BY 1 / size) q",
        "SELECT q.n FROM (SELECT COUNT(*) AS n FROM doc GROUP BY 1 / size) q",
        "SELECT q.id FROM (SELECT id FROM doc) q WHERE q.id > 3",
        "SELECT a.id FROM doc a NATURAL JOIN kind",
        "SELECT name FROM person WHERE name = 'x'",
        // By way of another table, whatever comes after or beside.
        "SELECT 1 / amount FROM part",
        "SELECT id FROM part ORDER BY 1 / amount",
        "SELECT SUM(amount * amount) FROM part",
        "SELECT p.id FROM part p JOIN doc d ON d.id = p.doc_id",
        "SELECT p.id FROM part p, kind k",
    ] {
        for dialect in BOTH {
            let checked = checked(sql, dialect);
            assert!(checked.fenced && checked.filtered, "{sql}: {}", checked.sql);
            let fence = match dialect {
                Dialect::MySql => "LIMIT 9223372036854775807) AS",
                Dialect::PostgreSql => "WHERE false OFFSET 0) AS",
            };
            assert!(checked.sql.contains(fence), "{sql}: {}", checked.sql);
        }
    }
}

#[test]
fn conditions_that_cannot_fail_stand_beside_the_filter() {
    let behind = |sql: &str| checked(sql, Dialect::MySql).sql.replace('`', "");
    assert_eq!(
        behind(
            "SELECT d.title FROM doc d WHERE d.opened >= '2026-01-01' AND 1 / d.size = 1 AND d.id = 5"
        ),
        "SELECT d.title FROM (SELECT id, title, size, opened FROM doc WHERE doc.company_id = 1 AND (doc.opened >= '2026-01-01') \
         AND (doc.id = 5) LIMIT 9223372036854775807) AS d WHERE 1 / d.size = 1 LIMIT 100"
    );
    assert_eq!(
        behind(
            "SELECT COUNT(*) FROM doc a LEFT JOIN doc b ON a.id = b.size AND b.title = 'x' WHERE a.size = 1 AND b.size IS NULL \
             AND SQRT(a.id) > 1"
        ),
        "SELECT COUNT(*) FROM (SELECT id, title, size FROM doc WHERE doc.company_id = 1 AND (doc.size = 1) LIMIT 9223372036854775807) \
         AS a LEFT JOIN (SELECT id, title, size FROM doc WHERE doc.company_id = 1 AND (doc.title = 'x') LIMIT 9223372036854775807) AS b \
         ON a.id = b.size WHERE b.size IS NULL AND SQRT(a.id) > 1 LIMIT 100",
        "a condition on the side that may be missing stays"
    );
    assert_eq!(
        checked(
            "SELECT p.note FROM part p JOIN kind k ON k.id = p.id WHERE p.amount > 3",
            Dialect::PostgreSql
        )
        .sql
        .replace('"', ""),
        "SELECT p.note FROM (SELECT id, amount, note FROM part WHERE part.doc_id IN (SELECT permitted.id FROM \
         (SELECT * FROM doc WHERE doc.company_id = 1) AS permitted) AND (part.amount > 3) UNION ALL SELECT NULL, NULL, NULL \
         WHERE false OFFSET 0) AS p JOIN kind AS k ON k.id = p.id LIMIT 100"
    );
    assert!(
        behind("SELECT title FROM doc RIGHT JOIN kind ON kind.id = doc.size WHERE doc.id = 1 AND 1 / size = 1")
            .ends_with("WHERE doc.id = 1 AND 1 / size = 1 LIMIT 100")
    );
    assert!(
        behind("SELECT x.a FROM doc AS x (a, b, c, d, e, f, g) WHERE 1 / x.a = 1").contains(
            "(SELECT id, company_id, title, size, opened, rating, body FROM doc WHERE doc.company_id = 1 LIMIT"
        ),
        "names by position"
    );
}

#[test]
fn index_hints_are_dropped() {
    for hint in [
        "USE INDEX (a)",
        "FORCE INDEX FOR ORDER BY (a)",
        "IGNORE KEY (a, b)",
    ] {
        for table in ["doc", "kind"] {
            let sql = checked(
                &format!("SELECT id FROM {table} {hint} WHERE id = 1"),
                Dialect::MySql,
            )
            .sql;
            assert!(!sql.contains("INDEX") && !sql.contains("KEY"), "{sql}");
        }
    }
}

#[test]
fn tables_that_no_equality_joins_are_told() {
    let groups = |sql: &str| -> Vec<Vec<Vec<String>>> {
        let products = checked(sql, Dialect::PostgreSql).products;
        let names = |group: Vec<sql_guard::Counted>| group.into_iter().map(|it| it.table).collect();
        products
            .into_iter()
            .map(|groups| groups.into_iter().map(names).collect())
            .collect()
    };
    assert!(groups("SELECT a.id FROM doc a JOIN kind b ON a.id = b.id").is_empty());
    assert!(
        groups("SELECT a.id FROM doc a, kind b WHERE (a.id = b.id AND b.name = 'x')").is_empty()
    );
    assert!(groups("SELECT a.id FROM doc a JOIN kind USING (id)").is_empty());
    assert_eq!(
        groups("SELECT a.id FROM doc a, kind b"),
        [[["doc"], ["kind"]]]
    );
    assert_eq!(
        groups(
            "SELECT a.id FROM doc a JOIN kind k ON k.id = a.size JOIN doc c ON c.size > a.size - k.id"
        ),
        [vec![vec!["doc", "kind"], vec!["doc"]]]
    );
    let counted = checked("SELECT a.id FROM doc a, kind b", Dialect::PostgreSql).products;
    let rows = counted[0][0][0].rows.as_deref();
    assert_eq!(rows, Some("SELECT 1 FROM doc WHERE doc.company_id = 1"));
    assert_eq!(counted[0][1][0].rows, None);
}
