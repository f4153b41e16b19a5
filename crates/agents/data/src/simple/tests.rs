use contracts::tools::sql::JoinEdge;

use contracts::tools::sql::ColumnDescription;

use super::{listing::shown, *};

impl Shape {
    /// The query from the plan alone.
    fn by_plan(
        &self,
        schemas: &[TableDescription],
        steps: &[PlannedJoin],
        dialect: SqlDialect,
    ) -> Option<String> {
        self.query(&Known::of(schemas, steps), dialect)
    }
}

mod asked;
mod figures;
mod keyed;
mod kinds;
mod rented;

const TABLES: [&str; 4] = ["employee", "workOrder", "customer", "user"];

fn table(name: &str, columns: &[&str]) -> TableDescription {
    TableDescription {
        name: name.to_owned(),
        description: None,
        remark: None,
        columns: columns
            .iter()
            .map(|column| ColumnDescription {
                name: (*column).to_owned(),
                data_type: if *column == "photo" {
                    "longblob"
                } else {
                    "varchar(20)"
                }
                .to_owned(),
                nullable: true,
                unique: false,
                description: None,
                remark: None,
            })
            .collect(),
        omitted_columns: 0,
        samples: Vec::new(),
    }
}

fn step(from: (&str, &str), to: (&str, &str), cardinality: &str) -> PlannedJoin {
    PlannedJoin {
        edge: JoinEdge {
            from_table: from.0.to_owned(),
            from_column: from.1.to_owned(),
            to_table: to.0.to_owned(),
            to_column: to.1.to_owned(),
            kind: "foreign_key".to_owned(),
            confidence: 1.0,
            cardinality: cardinality.to_owned(),
            and: Vec::new(),
            guessed: false,
            why: None,
        },
        choices: Vec::new(),
        beyond: None,
    }
}

fn asked(question: &str) -> Option<(String, Asks)> {
    shape(question, TABLES).map(|shape| (shape.table, shape.asks))
}

#[test]
fn whole_names_of_tables_make_a_simple_question() {
    for (question, table, asks) in [
        ("How many employees are there?", "employee", Asks::Count),
        ("how many work orders do we have", "workOrder", Asks::Count),
        ("Number of customers", "customer", Asks::Count),
        ("Count the users.", "user", Asks::Count),
        ("List all customers", "customer", Asks::List),
        ("Show me our employees!", "employee", Asks::List),
        (
            "How many work orders by status?",
            "workOrder",
            Asks::CountBy("status".to_owned()),
        ),
        (
            "How many work orders are there per customer?",
            "workOrder",
            Asks::CountBy("customer".to_owned()),
        ),
    ] {
        assert_eq!(
            asked(question),
            Some((table.to_owned(), asks)),
            "{question}"
        );
    }
}

#[test]
fn a_condition_is_never_guessed() {
    for question in [
        "How many active employees are there?",
        "How many employees are active?",
        "How many customers are in Bonn?",
        "List all customers in Bonn",
        "How many work orders were closed last month?",
        "How many technicians are there?",
        "Which customers have no work orders?",
        "How many customers' work orders are there?",
    ] {
        assert_eq!(asked(question), None, "{question}");
    }
}

#[test]
fn queries_are_quoted_in_the_dialect() {
    let employee = table(
        "employee",
        &["id", "firstName", "photo", "companyId", "city", "createdAt"],
    );
    let list = shape("List employees", TABLES).unwrap();
    assert_eq!(
        list.by_plan(std::slice::from_ref(&employee), &[], SqlDialect::Mysql)
            .unwrap(),
        "SELECT `firstName`, `city` FROM `employee`"
    );
    let by = shape("How many employees by city", TABLES).unwrap();
    assert_eq!(
        by.by_plan(std::slice::from_ref(&employee), &[], SqlDialect::Postgresql)
            .unwrap(),
        "SELECT \"city\", COUNT(*) AS \"count\" FROM \"employee\" GROUP BY \"city\" ORDER BY \"count\" DESC"
    );
    assert_eq!(by.tables(TABLES), ["employee"]);
    let other = shape("How many employees by mood", TABLES).unwrap();
    assert_eq!(other.by_plan(&[employee], &[], SqlDialect::Mysql), None);
}

#[test]
fn rows_are_counted_by_what_they_belong_to_over_the_one_join_that_leads_there() {
    let schemas = [
        table("workOrder", &["id", "customerId"]),
        table("customer", &["id", "name"]),
    ];
    let by = shape("How many work orders per customer?", TABLES).unwrap();
    assert_eq!(by.tables(TABLES), ["workOrder", "customer"]);
    let there = step(("workOrder", "customerId"), ("customer", "id"), "N:1");
    assert_eq!(
        by.by_plan(&schemas, std::slice::from_ref(&there), SqlDialect::Mysql)
            .unwrap(),
        "SELECT o.`name` AS `customer`, COUNT(*) AS `count` FROM `workOrder` i LEFT JOIN `customer` o ON i.`customerId` = o.`id` \
         GROUP BY o.`id`, o.`name` ORDER BY `count` DESC"
    );
    let back = step(("customer", "favouriteId"), ("workOrder", "id"), "N:1");
    assert_eq!(
        by.by_plan(&schemas, &[back], SqlDialect::Mysql),
        None,
        "the other way round"
    );
    let unknown = step(("workOrder", "customerId"), ("customer", "id"), "unknown");
    assert_eq!(by.by_plan(&schemas, &[unknown], SqlDialect::Mysql), None);
    let mut two_ways = there.clone();
    two_ways.choices.push(there.edge);
    assert_eq!(
        by.by_plan(&schemas, &[two_ways], SqlDialect::Mysql),
        None,
        "a choice"
    );
    let nameless = [
        table("workOrder", &["id"]),
        table("customer", &["id", "city"]),
    ];
    let there = step(("workOrder", "customerId"), ("customer", "id"), "N:1");
    assert_eq!(
        by.by_plan(&nameless, &[there], SqlDialect::Mysql),
        None,
        "nothing to call it by"
    );
}

#[test]
fn a_table_of_another_schema_is_named_with_it() {
    let count = shape("How many hr employees are there?", ["hr.employee"]).unwrap();
    let schemas = [table("hr.employee", &["id"])];
    assert_eq!(
        count
            .by_plan(&schemas, &[], SqlDialect::Postgresql)
            .unwrap(),
        "SELECT COUNT(*) AS \"count\" FROM \"hr\".\"employee\""
    );
}

#[test]
fn a_message_that_leaves_the_rest_out_continues_a_simple_question() {
    for (before, text, whole) in [
        (
            "How many employees are there?",
            "and work orders?",
            Some("How many work orders are there?"),
        ),
        (
            "How many employees are there?",
            "What about customers",
            Some("How many customers are there?"),
        ),
        (
            "List all employees",
            "and the customers?",
            Some("List all customers"),
        ),
        (
            "How many customers are there?",
            "list them",
            Some("List all customers"),
        ),
        (
            "How many customers are there?",
            "Show me the first 10",
            Some("List the first 10 customers"),
        ),
        ("How many customers are there?", "and yesterday?", None),
        ("How many customers are in Berlin?", "and employees?", None),
    ] {
        let found = continued(text, before, TABLES);
        assert_eq!(found.as_deref(), whole, "{before} {text}");
    }
    let shape = shape("show me the first 5 customers", TABLES).unwrap();
    let mut customer = table("customer", &["id", "name"]);
    customer.columns[0].unique = true;
    assert_eq!(
        shape.by_plan(&[customer], &[], SqlDialect::Mysql).unwrap(),
        "SELECT `name` FROM `customer` ORDER BY `id` LIMIT 5"
    );
}

fn typed(name: &str, columns: &[(&str, &str, bool)]) -> TableDescription {
    let mut table = table(name, &[]);
    table.columns = columns
        .iter()
        .map(|(name, kind, unique)| ColumnDescription {
            name: (*name).to_owned(),
            data_type: (*kind).to_owned(),
            nullable: true,
            unique: *unique,
            description: None,
            remark: None,
        })
        .collect();
    table
}

fn payments() -> [TableDescription; 3] {
    [
        typed(
            "finance.payment",
            &[
                ("payment_id", "integer", true),
                ("invoice_id", "integer", false),
                ("paid_on", "date", false),
                ("method", "text", false),
                ("amount", "numeric(10,2)", false),
                ("hours", "numeric(4,1)", false),
                ("currency", "char(3)", false),
            ],
        ),
        typed(
            "branch",
            &[("branch_id", "integer", true), ("name", "text", false)],
        ),
        typed(
            "instrument",
            &[
                ("instrument_id", "integer", true),
                ("serial_no", "text", true),
            ],
        ),
    ]
}

#[test]
fn sums_and_averages_are_told_apart_by_what_they_are_in() {
    let schemas = payments();
    let names: Vec<&str> = schemas.iter().map(|table| &*table.name).collect();
    for (question, query) in [
        (
            "What is the total amount of payments per currency?",
            r#"SELECT "currency", SUM("amount") AS "total" FROM "finance"."payment" GROUP BY "currency" ORDER BY "total" DESC"#,
        ),
        (
            "total amount of payments by method",
            r#"SELECT "method", "currency", SUM("amount") AS "total" FROM "finance"."payment" GROUP BY "method", "currency" ORDER BY "total" DESC"#,
        ),
        (
            "What's the total of payments?",
            r#"SELECT "currency", SUM("amount") AS "total" FROM "finance"."payment" GROUP BY "currency" ORDER BY "currency""#,
        ),
        (
            "what is the average hours of the payments",
            r#"SELECT AVG("hours") AS "average" FROM "finance"."payment""#,
        ),
        (
            "payments by method",
            r#"SELECT "method", COUNT(*) AS "count" FROM "finance"."payment" GROUP BY "method" ORDER BY "count" DESC"#,
        ),
    ] {
        let shape = shape(question, names.iter().copied()).unwrap_or_else(|| panic!("{question}"));
        let found = shape.by_plan(&schemas, &[], SqlDialect::Postgresql);
        assert_eq!(found.as_deref(), Some(query), "{question}");
    }
    for question in [
        "What is the total weight of payments?",
        "What is the total payment id of payments?",
        "What is the total method of payments?",
    ] {
        let found = shape(question, names.iter().copied())
            .and_then(|shape| shape.by_plan(&schemas, &[], SqlDialect::Postgresql));
        assert_eq!(found, None, "{question}");
    }
}

#[test]
fn of_two_keys_to_one_table_the_one_that_is_named_is_taken() {
    let rental = typed(
        "rental",
        &[
            ("rental_id", "integer", true),
            ("pickup_branch_id", "integer", false),
            ("return_branch_id", "integer", false),
            ("fee", "numeric(8,2)", false),
        ],
    );
    let [_, branch, instrument] = payments();
    let schemas = [rental, branch, instrument];
    let names: Vec<&str> = schemas.iter().map(|table| &*table.name).collect();
    let mut step = step(
        ("rental", "pickup_branch_id"),
        ("branch", "branch_id"),
        "N:1",
    );
    step.choices = vec![JoinEdge {
        from_column: "return_branch_id".to_owned(),
        ..step.edge.clone()
    }];
    for (question, key) in [
        (
            "How many rentals are there per pickup branch?",
            Some("pickup_branch_id"),
        ),
        ("rentals by return branch", Some("return_branch_id")),
        (
            "total fee of rentals per return branch",
            Some("return_branch_id"),
        ),
        ("How many rentals are there per branch?", None),
        ("How many rentals are there per home branch?", None),
    ] {
        let shape = shape(question, names.iter().copied()).unwrap();
        assert_eq!(
            shape.tables(names.iter().copied()),
            ["rental", "branch"],
            "{question}"
        );
        let query = shape.by_plan(
            &schemas[..2],
            std::slice::from_ref(&step),
            SqlDialect::Postgresql,
        );
        let on = key.map(|key| format!(r#"ON i."{key}" = o."branch_id""#));
        assert_eq!(query.is_some(), on.is_some(), "{question}: {query:?}");
        if let (Some(query), Some(on)) = (query, on) {
            assert!(query.contains(&on), "{question}: {query}");
        }
    }
}

#[test]
fn a_list_shows_what_its_rows_amount_to_and_belong_to() {
    let employee = typed(
        "people.employee",
        &[
            ("employee_id", "integer", true),
            ("first_name", "text", false),
            ("last_name", "text", false),
            ("job_title", "text", false),
            ("hired_on", "date", false),
            ("left_on", "date", false),
            ("salary", "numeric(10,2)", false),
            ("currency", "char(3)", false),
        ],
    );
    assert_eq!(
        shown(&employee),
        [
            "first_name",
            "last_name",
            "job_title",
            "hired_on",
            "salary",
            "currency"
        ]
    );
    let invoice = typed(
        "invoice",
        &[
            ("invoice_id", "integer", true),
            ("invoice_no", "text", true),
            ("customer_id", "integer", false),
            ("status", "text", false),
            ("issued_on", "date", false),
            ("due_on", "date", false),
            ("paid_on", "date", false),
            ("remark", "text", false),
            ("total", "numeric(10,2)", false),
            ("currency", "char(3)", false),
        ],
    );
    assert_eq!(
        shown(&invoice),
        [
            "invoice_no",
            "status",
            "issued_on",
            "due_on",
            "total",
            "currency"
        ]
    );
    let line = typed(
        "invoice_line",
        &[
            ("invoice_id", "integer", false),
            ("line_no", "integer", false),
            ("description", "text", false),
            ("unit_price", "numeric(10,2)", false),
        ],
    );
    assert_eq!(
        shown(&line),
        ["invoice_id", "line_no", "description", "unit_price"]
    );
}

#[test]
fn the_largest_and_the_smallest_groups_are_counted() {
    let rental = typed(
        "rental",
        &[
            ("rental_id", "integer", true),
            ("branch_id", "integer", false),
            ("maker", "text", false),
        ],
    );
    let [_, branch, _] = payments();
    let schemas = [rental, branch];
    let names = ["rental", "branch"];
    let join = step(("rental", "branch_id"), ("branch", "branch_id"), "N:1");
    let joined =
        r#"ON i."branch_id" = o."branch_id" GROUP BY o."branch_id", o."name" ORDER BY "count""#;
    for (question, query) in [
        (
            "Which 3 branches have the most rentals?",
            format!(r#"SELECT o."name" AS "branches", COUNT(*) AS "count" FROM "rental" i JOIN "branch" o {joined} DESC LIMIT 3"#),
        ),
        (
            "which branch has the most rentals",
            format!(r#"SELECT o."name" AS "branch", COUNT(*) AS "count" FROM "rental" i JOIN "branch" o {joined} DESC LIMIT 10"#),
        ),
        (
            "What 5 branches have the fewest rentals?",
            format!(r#"SELECT o."name" AS "branches", COUNT(i."branch_id") AS "count" FROM "branch" o LEFT JOIN "rental" i {joined} LIMIT 5"#),
        ),
        (
            "Which 5 makers have the most rentals?",
            r#"SELECT "maker", COUNT(*) AS "count" FROM "rental" WHERE "maker" IS NOT NULL GROUP BY "maker" ORDER BY "count" DESC LIMIT 5"#.to_owned(),
        ),
    ] {
        let shape = shape(question, names).unwrap_or_else(|| panic!("{question}"));
        let found = shape.by_plan(&schemas, std::slice::from_ref(&join), SqlDialect::Postgresql);
        assert_eq!(found, Some(query), "{question}");
    }
    for question in [
        "Which branches have the most open rentals?",
        "Which 10 branches have the most rentals in May?",
        "Which branches have the most expensive rentals?",
    ] {
        assert_eq!(shape(question, names), None, "{question}");
    }
}

#[test]
fn a_question_is_continued_by_what_it_is_grouped_by() {
    for (text, before, whole) in [
        (
            "and per city?",
            "How many customers are there?",
            Some("How many customers are there per city?"),
        ),
        (
            "by city",
            "How many customers are there per country?",
            Some("How many customers are there per city?"),
        ),
        (
            "and by status",
            "What is the total amount of users?",
            Some("What is the total amount of users per status?"),
        ),
        (
            "per status",
            "total of users",
            Some("What is the total of users per status?"),
        ),
        ("and per city?", "List all customers", None),
    ] {
        assert_eq!(continued(text, before, TABLES).as_deref(), whole, "{text}");
    }
}
