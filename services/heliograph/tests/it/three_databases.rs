//! Three databases with tables in common, one that is away and one of another tenant: which of them
//! a message is about, through the bff, the orchestrator and the tools, without a model and with a
//! scripted one.
//!
//! Each table of each database has a number of rows of its own, so that an answer shows where it
//! comes from.

use serde_json::json;
use sqlx::{AssertSqlSafe, Connection, MySqlConnection};
use targets::TargetConfig;
use test_support::database::TestDatabase;
use test_support::mariadb::TestMariaDb;
use test_support::provider::{Dialect, ModelServer, Script, Seen, Turn};

use crate::demo_stack::{DemoStack, Reply, ask};
use crate::models::use_model;

const ERP: &str = "
CREATE TABLE customer (id int PRIMARY KEY, name varchar(40) NOT NULL, vat_number varchar(20));
CREATE TABLE invoice (id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customer (id), amount int NOT NULL);
CREATE TABLE product (id int PRIMARY KEY, name varchar(40) NOT NULL);
CREATE TABLE employee (id int PRIMARY KEY, name varchar(40) NOT NULL);
";
const CRM: &str = "
CREATE TABLE customer (id int PRIMARY KEY, name varchar(40) NOT NULL, segment varchar(20));
CREATE TABLE contact (id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customer (id), name varchar(40) NOT NULL);
CREATE TABLE opportunity (id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customer (id), name varchar(40) NOT NULL);
CREATE TABLE employee (id int PRIMARY KEY, name varchar(40) NOT NULL);
";
const PLANT: &str = "
CREATE TABLE machine (id int PRIMARY KEY, name varchar(40) NOT NULL);
CREATE TABLE maintenance (id int PRIMARY KEY, machine_id int NOT NULL, name varchar(40) NOT NULL, FOREIGN KEY (machine_id) REFERENCES machine (id));
CREATE TABLE product (id int PRIMARY KEY, name varchar(40) NOT NULL);
CREATE TABLE employee (id int PRIMARY KEY, name varchar(40) NOT NULL);
";

/// Number of rows that a table has, and what is in its third column.
type Filled = (&'static str, i32, &'static [&'static str]);

const ERP_ROWS: &[Filled] = &[
    ("customer", 3, &["'n'", "'DE1'"]),
    ("invoice", 4, &["1", "100"]),
    ("product", 2, &["'n'"]),
    ("employee", 5, &["'n'"]),
];
const CRM_ROWS: &[Filled] = &[
    ("customer", 7, &["'n'", "'A'"]),
    ("contact", 6, &["1", "'n'"]),
    ("opportunity", 8, &["1", "'n'"]),
    ("employee", 9, &["'n'"]),
];
const PLANT_ROWS: &[Filled] = &[
    ("machine", 11, &["'n'"]),
    ("maintenance", 12, &["1", "'n'"]),
    ("product", 13, &["'n'"]),
    ("employee", 14, &["'n'"]),
];

fn inserts(filled: &[Filled]) -> String {
    let table = |(table, rows, values): &Filled| {
        let rows: Vec<String> = (1..=*rows)
            .map(|id| format!("({id}, {})", values.join(", ")))
            .collect();
        format!("INSERT INTO {table} VALUES {};\n", rows.join(", "))
    };
    filled.iter().map(table).collect()
}

struct Databases {
    stack: DemoStack,
    _erp: TestDatabase,
    _crm: TestDatabase,
    _plant: TestMariaDb,
}

async fn postgresql(tables: &str, rows: &[Filled]) -> TestDatabase {
    let database = TestDatabase::empty().await.unwrap();
    let sql = AssertSqlSafe(format!("{tables}{}", inserts(rows)));
    sqlx::raw_sql(sql).execute(database.pool()).await.unwrap();
    database
}

async fn databases(server: Option<&ModelServer>) -> Databases {
    let erp = postgresql(ERP, ERP_ROWS).await;
    let crm = postgresql(CRM, CRM_ROWS).await;
    let plant = TestMariaDb::empty().await.unwrap();
    let mut connection = MySqlConnection::connect(&plant.url()).await.unwrap();
    let sql = AssertSqlSafe(format!("{PLANT}{}", inserts(PLANT_ROWS)));
    sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
    let target = |name: &str, about: &str, url: String| TargetConfig {
        allow_writing_role: true,
        description: Some(about.to_owned()),
        acquire_timeout_ms: 2_000,
        ..TargetConfig::new(name, url)
    };
    let targets = vec![
        // The first, so that nothing may fall to it by accident.
        target(
            "archive",
            "What was before 2020",
            "postgres://reader:secret@127.0.0.1:1/archive".to_owned(),
        ),
        target("erp", "Billing and stock", erp.url().to_owned()),
        target("crm", "Sales and who buys", crm.url().to_owned()),
        target("plant", "The factory floor", plant.url()),
        TargetConfig {
            tenants: vec!["elsewhere".to_owned()],
            ..target("hr", "Wages", erp.url().to_owned())
        },
    ];
    let stack = Box::pin(DemoStack::start_with(|config| {
        config.tools.targets = targets;
        if let Some(server) = server {
            use_model(config, server);
        }
    }))
    .await;
    Databases {
        stack,
        _erp: erp,
        _crm: crm,
        _plant: plant,
    }
}

/// The result of a message.
enum Wants {
    /// It is answered from this database, with these words.
    From(&'static str, &'static str),
    /// The person is asked which of these is intended.
    Asks(&'static [&'static str]),
    /// It is answered with all of these words, and without these.
    Says(&'static [&'static str], &'static [&'static str]),
}
use Wants::{Asks, From, Says};

impl Wants {
    /// The fault in a reply; `None` for a right one.
    fn amiss(&self, reply: &Reply) -> Option<String> {
        let text = reply.text();
        let is_right = match self {
            From(target, told) => {
                text.contains(told)
                    && text.contains(&format!("\u{201c}{target}\u{201d}"))
                    && !reply.asks_back()
            }
            Asks(wanted) => {
                reply.asks_back() && {
                    let picker = reply.picker();
                    let options: Vec<&str> = picker.options.iter().map(|it| &*it.value).collect();
                    options == *wanted
                }
            }
            Says(told, not) => {
                told.iter().all(|told| text.contains(told))
                    && !not.iter().any(|not| text.contains(not))
                    && !reply.asks_back()
            }
        };
        (!is_right).then(|| {
            let options = reply.asks_back().then(|| {
                let options = reply.picker().options;
                options.into_iter().map(|it| it.value).collect::<Vec<_>>()
            });
            format!("{text:?} {options:?}")
        })
    }
}

/// Messages of one thread each, and the result of the last.
const WITHOUT_MODEL: &[(&[&str], Wants)] = &[
    // The words of the question.
    (
        &["How many invoices are there?"],
        From("erp", "There are 4 invoices."),
    ),
    (
        &["How many opportunities do we have?"],
        From("crm", "There are 8 opportunities."),
    ),
    (
        &["How many machines are there?"],
        From("plant", "There are 11 machines."),
    ),
    (&["List all contacts"], From("crm", "6")),
    // A name beside the question, in many ways.
    (
        &["How many customers are there in erp?"],
        From("erp", "There are 3 customers."),
    ),
    (
        &["How many customers are there in the crm database?"],
        From("crm", "There are 7 customers."),
    ),
    (
        &["in crm, how many customers are there?"],
        From("crm", "There are 7 customers."),
    ),
    (
        &["erp: how many customers are there?"],
        From("erp", "There are 3 customers."),
    ),
    (
        &["ERP: how many customers are there"],
        From("erp", "There are 3 customers."),
    ),
    (
        &["crm - how many customers are there?"],
        From("crm", "There are 7 customers."),
    ),
    (
        &["@erp how many customers are there?"],
        From("erp", "There are 3 customers."),
    ),
    (
        &["@crm: how many customers are there?"],
        From("crm", "There are 7 customers."),
    ),
    (
        &["how many customers are there? @crm"],
        From("crm", "There are 7 customers."),
    ),
    (
        &["how many customers are there (erp)?"],
        From("erp", "There are 3 customers."),
    ),
    (
        &["for erp, how many customers do we have?"],
        From("erp", "There are 3 customers."),
    ),
    (
        &["Erp, how many customers are there?"],
        From("erp", "There are 3 customers."),
    ),
    (
        &["how many customers does crm have?"],
        From("crm", "There are 7 customers."),
    ),
    (&["does erp have customers?"], From("erp", "3")),
    (
        &["does the plant database have any employees?"],
        From("plant", "14"),
    ),
    (
        &["does crm have invoices?"],
        Says(&["\u{201c}crm\u{201d}", "invoice"], &["There are 4"]),
    ),
    (
        &["How many crm customers are there?"],
        From("crm", "There are 7 customers."),
    ),
    (&["list all products of plant"], From("plant", "13")),
    (&["from erp list all products"], From("erp", "2 results")),
    (&["number of employees in plant"], From("plant", "14")),
    (
        &["please tell me how many employees there are in the database crm"],
        From("crm", "9"),
    ),
    // The question names no database: the reply asks which, and lists only those that have it.
    (&["How many customers are there?"], Asks(&["erp", "crm"])),
    (&["How many products are there?"], Asks(&["erp", "plant"])),
    (
        &["How many employees are there?"],
        Asks(&["erp", "crm", "plant"]),
    ),
    (&["List all employees"], Asks(&["erp", "crm", "plant"])),
    (
        &["How many customers are there?", "crm"],
        From("crm", "There are 7 customers."),
    ),
    (
        &["How many customers are there?", "the second one"],
        From("crm", "There are 7 customers."),
    ),
    (
        &["How many customers are there?", "the erp one please"],
        From("erp", "There are 3 customers."),
    ),
    (
        &["How many employees are there?", "3"],
        From("plant", "There are 14 employees."),
    ),
    (
        &["How many products are there?", "the factory floor"],
        From("plant", "There are 13 products."),
    ),
    (
        &["How many products are there?", "@plant"],
        From("plant", "There are 13 products."),
    ),
    // The thread.
    (
        &[
            "How many contacts are there?",
            "How many customers are there?",
        ],
        From("crm", "There are 7 customers."),
    ),
    (
        &[
            "How many contacts are there?",
            "SELECT COUNT(*) AS n FROM customer",
        ],
        From("crm", "N: 7."),
    ),
    (
        &["How many customers are there in crm?", "and in erp?"],
        From("erp", "There are 3 customers."),
    ),
    (
        &["How many customers are there in crm?", "what about erp?"],
        From("erp", "There are 3 customers."),
    ),
    // A query that is pasted.
    (&["SELECT COUNT(*) AS n FROM invoice"], From("erp", "N: 4.")),
    (
        &["select count(*) as n from opportunity;"],
        From("crm", "N: 8."),
    ),
    (
        &["SELECT COUNT(*) AS n FROM machine m JOIN maintenance x ON x.machine_id = m.id"],
        From("plant", "N: 12."),
    ),
    (
        &["SELECT COUNT(*) AS n FROM customer"],
        Asks(&["erp", "crm"]),
    ),
    (
        &["SELECT COUNT(*) AS n FROM customer", "crm"],
        From("crm", "N: 7."),
    ),
    (
        &["SELECT COUNT(*) AS n FROM employee"],
        Asks(&["erp", "crm", "plant"]),
    ),
    (
        &["SELECT COUNT(*) AS n FROM customer WHERE segment = 'A'"],
        From("crm", "N: 7."),
    ),
    (
        &["SELECT COUNT(*) AS n FROM customer c, invoice i WHERE i.customer_id = c.id"],
        From("erp", "N: 4."),
    ),
    (
        &[
            "WITH machine AS (SELECT * FROM customer) SELECT COUNT(*) AS n FROM machine JOIN contact k ON k.customer_id = machine.id",
        ],
        From("crm", "N: 6."),
    ),
    (
        &["erp: SELECT COUNT(*) AS n FROM customer"],
        From("erp", "N: 3."),
    ),
    (
        &["run this in crm: SELECT COUNT(*) AS n FROM customer"],
        From("crm", "N: 7."),
    ),
    (
        &["@plant SELECT COUNT(*) AS n FROM product"],
        From("plant", "N: 13."),
    ),
    (
        &["in crm:\n```sql\nSELECT COUNT(*) AS n FROM employee\n```"],
        From("crm", "N: 9."),
    ),
    (
        &["SELECT COUNT(*) AS n FROM unicorn"],
        Says(
            &["I did not run your query", "\u{201c}unicorn\u{201d}"],
            &["SELECT"],
        ),
    ),
    (
        &["SELECT COUNT(*) AS n FROM invoices"],
        Says(
            &["\u{201c}invoices\u{201d}", "invoice", "\u{201c}erp\u{201d}"],
            &[],
        ),
    ),
    (
        &["SELECT COUNT(*) AS n FROM invoice i JOIN contact c ON c.id = i.id"],
        Says(
            &[
                "I did not run your query",
                "\u{201c}invoice\u{201d}",
                "\u{201c}contact\u{201d}",
                "\u{201c}erp\u{201d}",
                "\u{201c}crm\u{201d}",
            ],
            &["\u{201c}hr\u{201d}"],
        ),
    ),
    (
        &["SELECT wage FROM customer"],
        Says(&["I did not run your query", "\u{201c}wage\u{201d}"], &[]),
    ),
    // What there is.
    (
        &["which tables does crm have?"],
        Says(
            &["\u{201c}crm\u{201d}", "opportunity"],
            &["invoice", "machine"],
        ),
    ),
    (
        &["crm: which tables do you have?"],
        Says(
            &["\u{201c}crm\u{201d}", "opportunity"],
            &["invoice", "machine"],
        ),
    ),
    (
        &["what columns has customer in erp?"],
        Says(&["\u{201c}erp\u{201d}", "vat_number"], &["segment"]),
    ),
    (
        &["show me the columns of customer in crm"],
        Says(&["\u{201c}crm\u{201d}", "segment"], &["vat_number"]),
    ),
    (
        &["Which databases do you have?"],
        Says(&["erp", "crm", "plant", "archive"], &["hr", "Wages"]),
    ),
    (
        &["what columns has customer?"],
        Says(
            &[
                "\u{201c}erp\u{201d}",
                "vat_number",
                "\u{201c}crm\u{201d}",
                "segment",
            ],
            &["archive"],
        ),
    ),
    (
        &["Describe the table opportunity"],
        Says(
            &["\u{201c}crm\u{201d}", "customer_id"],
            &["\u{201c}erp\u{201d}"],
        ),
    ),
    // Wishes to change data name no database.
    (
        &["delete all customers"],
        Says(&["I do not delete anything"], &[]),
    ),
    (
        &["erp: delete all customers"],
        Says(&["I do not delete anything"], &[]),
    ),
    (
        &["DROP TABLE customer"],
        Says(&["I do not create, change or drop tables"], &[]),
    ),
    (
        &["SELECT 1; SELECT 2"],
        Says(&["more than one statement"], &[]),
    ),
    // One that is away, and one that is not the person's.
    (
        &["archive: how many customers are there?"],
        Says(&["archive"], &["There are"]),
    ),
    (
        &["How many customers are there in archive?"],
        Says(&["archive"], &["There are"]),
    ),
    (
        &["hr: how many customers are there?"],
        Says(
            &[
                "There is no database “hr”",
                "“erp”, “crm”",
                "Nothing was asked.",
            ],
            &["There are"],
        ),
    ),
];

async fn all_as_wanted(databases: &Databases, messages: &[(&[&str], Wants)]) {
    let client = databases.stack.demo_user().await;
    let client = client.with_assistant(Some("data".to_owned()));
    let mut amiss = Vec::new();
    for (at, (said, wants)) in messages.iter().enumerate() {
        let thread = format!("t{at}");
        let mut reply = None;
        for message in *said {
            reply = Some(ask(&client, &thread, message).await);
        }
        if let Some(wrong) = wants.amiss(&reply.unwrap()) {
            amiss.push(format!("{said:?}\n    {wrong}"));
        }
    }
    assert!(
        amiss.is_empty(),
        "{} of {} are not answered as they should be:\n{}",
        amiss.len(),
        messages.len(),
        amiss.join("\n")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_finds_its_database_without_a_model() {
    let databases = databases(None).await;
    all_as_wanted(&databases, WITHOUT_MODEL).await;
    databases.stack.stop().await;
}

/// With a model that chooses tables and writes the query. Its words name no fact, so the rows are
/// said by the rules.
const WITH_MODEL: &[(&[&str], Wants)] = &[
    (
        &["Which erp customers have the most invoices?"],
        From("erp", "N: 3"),
    ),
    (
        &["crm: which customers are worth a visit?"],
        From("crm", "N: 7"),
    ),
    (
        &["Which customers are worth a visit?"],
        Asks(&["erp", "crm"]),
    ),
    (
        &["Which customers are worth a visit?", "erp"],
        From("erp", "N: 3"),
    ),
    (
        &["SELECT COUNT(*) AS n FROM customer"],
        Asks(&["erp", "crm"]),
    ),
    (
        &["what columns has employee?"],
        Says(
            &[
                "\u{201c}erp\u{201d}",
                "\u{201c}crm\u{201d}",
                "\u{201c}plant\u{201d}",
            ],
            &["archive"],
        ),
    ),
    (&["SELECT COUNT(*) AS n FROM invoice"], From("erp", "N: 4")),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_message_finds_its_database_with_a_model() {
    let server = ModelServer::start(Dialect::OpenAi, Script::new())
        .await
        .unwrap();
    let databases = databases(Some(&server)).await;
    let is_about = |words: &'static str| move |seen: &Seen| seen.system.contains(words);
    server.play(
        Script::new()
            .when(
                is_about("You sort messages"),
                Turn::json(json!({ "route": "sql", "confidence": 0.95 })),
            )
            .when(
                is_about("You choose the tables"),
                Turn::json(json!({ "tables": ["customer"] })),
            )
            .when(
                is_about("You write one SQL query"),
                Turn::json(json!({ "sql": "SELECT COUNT(*) AS n FROM customer" })),
            )
            .otherwise(Turn::text("It is as the rows say.")),
    );
    all_as_wanted(&databases, WITH_MODEL).await;
    databases.stack.stop().await;
}
