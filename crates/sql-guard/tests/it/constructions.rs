//! Constructions of PostgreSQL that a policy has to hold in: each with its hostile twin, which is
//! refused or sees the tenant's rows only.

use sql_guard::{
    ColumnKind, ColumnRule, Dialect, Finding, Guard, Kind, Policy, RowFilter, Schema, Tenant,
};

fn schema() -> Schema {
    Schema::new([
        (
            "customer",
            vec![
                "id",
                "company_id",
                "name",
                "tags",
                "email",
                "wage",
                "secrets",
            ],
        ),
        ("visit", vec!["id", "customer_id", "hours", "doc"]),
        ("person", vec!["id", "name"]),
        ("kind", vec!["id", "name", "tags"]),
        ("hr.badge", vec!["id", "tags"]),
    ])
    .unwrap()
    .with_kinds(|_, column| (column == "id").then_some(ColumnKind::Integer))
    .with_keys(|_| vec!["id".to_owned()])
}

fn guard() -> Guard {
    let mut policy = Policy {
        schema: Some("public".to_owned()),
        schemas: vec!["hr".to_owned()],
        ..Policy::new(100)
    };
    let filters = [
        ("customer", RowFilter::from("company_id")),
        (
            "visit",
            RowFilter::Through {
                column: "customer_id".to_owned(),
                parent: "customer".to_owned(),
                parent_column: "id".to_owned(),
            },
        ),
    ];
    policy
        .row_filters
        .extend(filters.map(|(table, filter)| (table.to_owned(), filter)));
    policy
        .secure_views
        .insert("person".to_owned(), "secure_person".to_owned());
    let rules = [
        ("wage", ColumnRule::Hidden),
        ("secrets", ColumnRule::Masked),
        ("email", ColumnRule::Masked),
    ];
    policy.columns.insert(
        "customer".to_owned(),
        rules.map(|(name, rule)| (name.to_owned(), rule)).into(),
    );
    Guard::new(&schema(), policy.for_tenant(Tenant::integer(1))).unwrap()
}

fn check(sql: &str) -> Result<String, Vec<Finding>> {
    guard()
        .check(sql, Dialect::PostgreSql)
        .map(|checked| checked.sql)
}

#[track_caller]
fn accepted(sql: &str) -> String {
    check(sql).unwrap_or_else(|findings| panic!("{sql}: {findings:?}"))
}

#[track_caller]
fn refused(sql: &str, kind: Kind) {
    let findings = check(sql).expect_err(sql);
    assert!(
        findings.iter().any(|finding| finding.kind == kind),
        "{sql}: {findings:?}"
    );
    for finding in &findings {
        assert!(!finding.for_person().contains("wage") || sql.contains("wage"));
    }
}

/// Every statement that reads customers reads the tenant's, and never names a hidden column.
#[track_caller]
fn filtered(sql: &str) -> String {
    let out = accepted(sql);
    assert!(out.contains("company_id = 1"), "{sql}: {out}");
    assert!(!out.contains("wage"), "{sql}: {out}");
    out
}

#[test]
fn lateral_functions_see_the_tenants_rows() {
    for sql in [
        "SELECT c.id, t FROM customer c CROSS JOIN LATERAL unnest(c.tags) AS t",
        "SELECT c.id, t.tag FROM customer c, LATERAL unnest(c.tags) AS t(tag)",
        "SELECT c.id, t.tag, t.place FROM customer c LEFT JOIN LATERAL unnest(c.tags) WITH ORDINALITY AS t(tag, place) ON true",
        "SELECT c.id, n FROM customer c, LATERAL generate_series(1, c.id) AS n",
        "SELECT v.id, e.value FROM visit v, LATERAL jsonb_array_elements(v.doc) AS e",
        "SELECT c.id, x.a FROM customer c, LATERAL (SELECT t AS a FROM unnest(c.tags) AS t) x",
    ] {
        let out = filtered(sql);
        // What is worked out on columns is worked out behind a fence.
        assert!(out.contains("OFFSET 0"), "{sql}: {out}");
    }
    let one = accepted("SELECT t FROM kind k CROSS JOIN LATERAL unnest(k.tags) AS t");
    let other = accepted("SELECT t FROM kind k CROSS JOIN unnest(k.tags) AS t");
    assert_eq!(one, other);
    refused(
        "SELECT t FROM customer c, LATERAL unnest(c.wage) AS t",
        Kind::UnknownColumn,
    );
    refused(
        "SELECT t FROM customer c, LATERAL unnest(c.secrets) AS t",
        Kind::NotPermitted,
    );
    refused(
        "SELECT t FROM LATERAL unnest(c.tags) AS t, customer c",
        Kind::UnknownTable,
    );
    refused(
        "SELECT t FROM customer c, LATERAL pg_read_file(c.name) AS t",
        Kind::Unsupported,
    );
    refused(
        "SELECT t FROM customer c, LATERAL unnest(ARRAY[pg_read_file(c.name)]) AS t",
        Kind::Function,
    );
}

#[test]
fn elements_are_taken_of_columns_with_their_table() {
    for (sql, shown) in [
        ("SELECT c.tags[1] FROM customer c", "c.tags[1]"),
        (
            "SELECT customer.tags[1:2] AS two FROM customer",
            "customer.tags[1:2]",
        ),
        (
            "SELECT C.Tags[1] FROM customer c WHERE c.TAGS[2] = 'x'",
            "c.TAGS[2]",
        ),
        (
            "SELECT public.customer.tags[1] FROM customer",
            "customer.tags[1]",
        ),
        (
            "SELECT c.id FROM customer c ORDER BY c.tags[1]",
            "ORDER BY c.tags[1]",
        ),
        (
            "SELECT c.tags[1], COUNT(*) FROM customer c GROUP BY c.tags[1]",
            "GROUP BY c.tags[1]",
        ),
        ("SELECT (c.tags)[1] FROM customer c", "(c.tags)[1]"),
        ("SELECT v.doc['a']['b'] FROM visit v", "v.doc['a']['b']"),
        (
            "SELECT k.id FROM kind k WHERE k.tags[k.id] = (SELECT c.tags[k.id] FROM customer c LIMIT 1)",
            "c.tags[k.id]",
        ),
    ] {
        let out = filtered(sql);
        assert!(out.contains(shown), "{sql}: {out}");
    }
    assert!(
        accepted("SELECT hr.badge.tags[1] FROM hr.badge").contains("badge.tags[1]"),
        "a schema before the table"
    );
    for (sql, kind) in [
        ("SELECT c.wage[1] FROM customer c", Kind::UnknownColumn),
        (
            "SELECT c.id FROM customer c WHERE c.wage[1] = 2",
            Kind::UnknownColumn,
        ),
        (
            "SELECT c.company_ids[1] FROM customer c",
            Kind::UnknownColumn,
        ),
        ("SELECT c.secrets[1] FROM customer c", Kind::NotPermitted),
        (
            "SELECT c.id FROM customer c ORDER BY c.secrets[1]",
            Kind::NotPermitted,
        ),
        (
            "SELECT q.secrets[1] FROM (SELECT * FROM customer) q",
            Kind::NotPermitted,
        ),
        (
            "SELECT q.wage[1] FROM (SELECT * FROM customer) q",
            Kind::UnknownColumn,
        ),
        (
            "SELECT secure_person.name[1] FROM customer",
            Kind::UnknownTable,
        ),
        ("SELECT ghost.tags[1] FROM customer c", Kind::UnknownTable),
        (
            "SELECT pg_catalog.customer.tags[1] FROM customer",
            Kind::Catalogue,
        ),
        (
            "SELECT c.tags[(SELECT wage FROM customer LIMIT 1)] FROM customer c",
            Kind::UnknownColumn,
        ),
        ("SELECT (c).wage FROM customer c", Kind::UnknownColumn),
        ("SELECT c.tags[1].wage FROM customer c", Kind::Unsupported),
    ] {
        refused(sql, kind);
    }
}

#[test]
fn records_have_the_columns_that_stand_behind_them() {
    let literal = accepted(
        "SELECT r.id, r.name FROM jsonb_to_recordset('[{\"id\": 1}]') AS r(id int, name text) WHERE r.id > 0",
    );
    assert!(
        literal.contains("jsonb_to_recordset('[{\"id\": 1}]') AS r (id INT, name TEXT)"),
        "{literal}"
    );
    for sql in [
        "SELECT v.id, r.hours FROM visit v CROSS JOIN LATERAL jsonb_to_record(v.doc) AS r(hours numeric(8, 2), note text)",
        "SELECT v.id, r.* FROM visit v, jsonb_to_recordset(v.doc) AS r(a int, b timestamp)",
        "SELECT COUNT(*) FROM visit v JOIN json_to_recordset(v.doc) AS r(a int) ON r.a = v.id",
    ] {
        let out = filtered(sql);
        assert!(out.contains("OFFSET 0"), "{sql}: {out}");
    }
    for (sql, kind) in [
        // Types that look names up in the catalogue, or that a user made.
        (
            "SELECT r.a FROM jsonb_to_record('{}') AS r(a regclass)",
            Kind::Unsupported,
        ),
        (
            "SELECT r.a FROM jsonb_to_record('{}') AS r(a mood)",
            Kind::Unsupported,
        ),
        (
            "SELECT r.a FROM jsonb_to_record('{}') AS r(a)",
            Kind::Unsupported,
        ),
        (
            "SELECT r FROM jsonb_to_record('{}') AS r",
            Kind::Unsupported,
        ),
        ("SELECT a FROM jsonb_to_recordset('[]')", Kind::Unsupported),
        (
            "SELECT r.b FROM jsonb_to_record('{}') AS r(a int)",
            Kind::UnknownColumn,
        ),
        (
            "SELECT r.wage FROM customer c, jsonb_to_record(c.wage) AS r(wage int)",
            Kind::UnknownColumn,
        ),
        (
            "SELECT r.a FROM customer c, jsonb_to_record(c.secrets) AS r(a int)",
            Kind::NotPermitted,
        ),
        (
            "SELECT r.a FROM customer c, jsonb_to_record(to_jsonb(c.email)) AS r(a int)",
            Kind::NotPermitted,
        ),
        (
            "SELECT r.a FROM jsonb_populate_record(NULL::customer, '{}') AS r",
            Kind::Unsupported,
        ),
        ("SELECT c.id FROM customer AS c(id int)", Kind::Unsupported),
        ("SELECT jsonb_to_record('{}')", Kind::Function),
    ] {
        refused(sql, kind);
    }
    // A row of the tenant's holds what it may see.
    let row = accepted("SELECT r.pay FROM customer c, jsonb_to_record(to_jsonb(c)) AS r(pay int)");
    assert!(
        row.contains("company_id = 1") && !row.contains("wage"),
        "{row}"
    );
}

#[test]
fn only_leaves_out_tables_that_inherit() {
    let own = "customer.tableoid = CAST('customer' AS REGCLASS)";
    for sql in [
        "SELECT id FROM ONLY customer",
        "SELECT c.id FROM ONLY customer c",
        "SELECT c.id FROM ONLY (customer) AS c",
        "SELECT c.id FROM ONLY public.customer c WHERE c.id = 3",
        "SELECT k.id FROM kind k JOIN ONLY customer c ON c.id = k.id",
        "SELECT k.id FROM kind k, ONLY customer c WHERE c.id = k.id",
        "SELECT (SELECT COUNT(*) FROM ONLY customer) AS n",
        "SELECT c.id FROM ONLY customer c WHERE 1 / c.id > 0",
        "WITH q AS (SELECT * FROM ONLY customer) SELECT id FROM q",
    ] {
        let out = filtered(sql);
        assert!(out.contains(own), "{sql}: {out}");
        assert!(!out.to_lowercase().contains("only"), "{sql}: {out}");
    }
    // Without a filter a query is in the table's place, with the same columns.
    let open = accepted("SELECT * FROM ONLY kind");
    let rows = r#"FROM (SELECT "id", "name", tags FROM kind WHERE (kind.tableoid = CAST('kind' AS REGCLASS))) AS kind"#;
    assert!(open.contains(rows), "{open}");
    assert!(
        accepted("SELECT id FROM ONLY hr.badge")
            .contains("hr.badge.tableoid = CAST('hr.badge' AS REGCLASS)")
    );
    // A view has no rows but its own.
    let view = accepted("SELECT name FROM ONLY person");
    assert!(
        view.contains("FROM secure_person") && !view.contains("tableoid"),
        "{view}"
    );
    for (sql, kind) in [
        ("SELECT wage FROM ONLY customer", Kind::UnknownColumn),
        (
            "SELECT id FROM ONLY customer WHERE email = 'x'",
            Kind::NotPermitted,
        ),
        ("SELECT id FROM ONLY ghost", Kind::UnknownTable),
        ("SELECT id FROM ONLY pg_class", Kind::Catalogue),
        ("SELECT id FROM ONLY pg_catalog.pg_class", Kind::Catalogue),
        ("SELECT id FROM ONLY other.customer", Kind::OtherSchema),
        ("SELECT tableoid FROM ONLY customer", Kind::UnknownColumn),
        ("SELECT c.tableoid FROM customer c", Kind::UnknownColumn),
        (
            "WITH q AS (SELECT 1 AS id) SELECT id FROM ONLY q",
            Kind::Unsupported,
        ),
        (
            "SELECT id FROM ONLY (SELECT * FROM customer) c",
            Kind::Syntax,
        ),
    ] {
        refused(sql, kind);
    }
}

#[test]
fn frames_may_exclude_rows() {
    for (sql, frame) in [
        (
            "SELECT c.id, SUM(c.id) OVER (ORDER BY c.id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) FROM customer c",
            "OVER (ORDER BY c.id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW)",
        ),
        (
            "SELECT SUM(c.id) OVER (PARTITION BY c.name, upper(c.name) ORDER BY c.id RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES) AS s FROM customer c",
            "OVER (PARTITION BY c.name, upper(c.name) ORDER BY c.id RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES) AS s",
        ),
        (
            "SELECT COUNT(*) OVER (ORDER BY c.id GROUPS 2 PRECEDING exclude group) FROM customer c",
            "OVER (ORDER BY c.id GROUPS 2 PRECEDING EXCLUDE GROUP)",
        ),
        (
            "SELECT AVG(c.id) OVER w, AVG(c.id) OVER (w2 ROWS 1 PRECEDING EXCLUDE TIES) FROM customer c WINDOW w AS (ORDER BY c.id ROWS 3 PRECEDING EXCLUDE CURRENT ROW), w2 AS (PARTITION BY ')' ORDER BY c.id)",
            "OVER (w2 ROWS 1 PRECEDING EXCLUDE TIES)",
        ),
        (
            "SELECT SUM(c.id) OVER (ORDER BY c.id ROWS 1 PRECEDING EXCLUDE NO OTHERS) FROM customer c",
            "OVER (ORDER BY c.id ROWS 1 PRECEDING)",
        ),
        (
            "SELECT SUM(c.id) OVER (ORDER BY (CASE WHEN c.name = ')(' THEN 1 END) ROWS 1 PRECEDING EXCLUDE TIES), MAX(c.id) OVER (ROWS 1 PRECEDING EXCLUDE TIES) FROM customer c",
            "THEN 1 END) ROWS 1 PRECEDING EXCLUDE TIES), MAX(c.id) OVER (ROWS 1 PRECEDING EXCLUDE TIES)",
        ),
    ] {
        let out = filtered(sql);
        assert!(out.contains(frame), "{sql}: {out}");
        assert!(!out.contains("heliograph"), "{sql}: {out}");
    }
    for (sql, kind) in [
        (
            "SELECT SUM(c.wage) OVER (ORDER BY c.id ROWS 1 PRECEDING EXCLUDE TIES) FROM customer c",
            Kind::UnknownColumn,
        ),
        (
            "SELECT SUM(c.id) OVER (ORDER BY c.email ROWS 1 PRECEDING EXCLUDE TIES) FROM customer c",
            Kind::NotPermitted,
        ),
        (
            "SELECT SUM(c.id) OVER (PARTITION BY pg_read_file('x') ROWS 1 PRECEDING EXCLUDE TIES) FROM customer c",
            Kind::Function,
        ),
        (
            "SELECT SUM(c.id) OVER (PARTITION BY heliograph_exclude_ties() ORDER BY c.id ROWS 1 PRECEDING) FROM customer c",
            Kind::Unsupported,
        ),
        ("SELECT 'heliograph_exclude_ties()' AS x", Kind::Unsupported),
        (
            "SELECT SUM(c.id) OVER (ORDER BY c.id ROWS 1 PRECEDING EXCLUDE ALL) FROM customer c",
            Kind::Syntax,
        ),
        ("SELECT (c.id EXCLUDE TIES) FROM customer c", Kind::Syntax),
    ] {
        refused(sql, kind);
    }
    // MariaDB has no such clause.
    let frame = "SELECT SUM(id) OVER (ORDER BY id ROWS 1 PRECEDING EXCLUDE TIES) FROM kind";
    let findings = guard().check(frame, Dialect::MySql).unwrap_err();
    assert_eq!(findings[0].kind, Kind::Syntax, "{findings:?}");
}

#[test]
fn what_a_key_decides_is_grouped_by_where_a_query_stands_for_the_table() {
    for (sql, end) in [
        (
            "SELECT c.id, c.name, COUNT(*) FROM customer c GROUP BY c.id",
            "GROUP BY c.id, c.name LIMIT 100",
        ),
        (
            "SELECT name, COUNT(*) AS n FROM customer GROUP BY id ORDER BY name, n",
            "GROUP BY id, customer.name ORDER BY name, n LIMIT 100",
        ),
        (
            "SELECT c.name, SUM(v.hours) FROM customer c JOIN visit v ON v.customer_id = c.id GROUP BY c.id HAVING c.tags IS NOT NULL",
            "GROUP BY c.id, c.name, c.tags HAVING c.tags IS NOT NULL LIMIT 100",
        ),
        (
            "SELECT c.email, COUNT(*) FROM customer c GROUP BY c.id",
            "GROUP BY c.id, c.email LIMIT 100",
        ),
        (
            "SELECT c.name, (SELECT COUNT(*) FROM visit v WHERE v.customer_id = c.id) AS n FROM customer c GROUP BY c.id",
            "GROUP BY c.id, c.name LIMIT 100",
        ),
        // Of a table itself the server knows the key.
        (
            "SELECT k.id, k.name, COUNT(*) FROM kind k GROUP BY k.id",
            "GROUP BY k.id LIMIT 100",
        ),
        // The column, not what the select list calls so.
        (
            "SELECT c.id AS name, COUNT(*) FROM customer c GROUP BY name",
            "GROUP BY name LIMIT 100",
        ),
        (
            "SELECT c.name FROM customer c JOIN visit v ON v.customer_id = c.id GROUP BY v.customer_id",
            "GROUP BY v.customer_id LIMIT 100",
        ),
    ] {
        let out = accepted(sql);
        assert!(out.ends_with(end), "{sql}: {out}");
    }
    for (sql, kind) in [
        (
            "SELECT c.wage, COUNT(*) FROM customer c GROUP BY c.id",
            Kind::UnknownColumn,
        ),
        (
            "SELECT c.id, COUNT(*) FROM customer c GROUP BY c.id HAVING c.email = 'x'",
            Kind::NotPermitted,
        ),
        (
            "SELECT c.id, COUNT(*) FROM customer c GROUP BY c.id, c.email",
            Kind::NotPermitted,
        ),
    ] {
        refused(sql, kind);
    }
}

/// A table that is named with its schema is the table, also where a common table expression has its
/// name.
#[test]
fn a_table_named_with_its_schema_is_no_common_table_expression() {
    let out = filtered(
        "WITH visit AS (SELECT id FROM public.visit WHERE hours = 8) \
         SELECT (SELECT count(*) FROM visit) AS long, (SELECT count(*) FROM public.visit) AS everything",
    );
    assert!(out.starts_with("WITH cte_visit AS"), "{out}");
    assert!(out.contains("FROM cte_visit"), "{out}");
    assert_eq!(out.matches("company_id = 1").count(), 2, "{out}");
    let made_up = "WITH kind AS (SELECT 1 AS id) SELECT count(*) FROM public.kind";
    assert!(
        accepted(made_up).contains("FROM kind"),
        "{}",
        accepted(made_up)
    );
    let own = accepted("WITH kind AS (SELECT 1 AS id) SELECT kind.id FROM kind");
    assert!(own.contains("FROM cte_kind AS kind"), "{own}");
    let free = accepted("WITH k AS (SELECT id FROM kind) SELECT id FROM k");
    assert!(free.starts_with("WITH k AS"), "{free}");
}
