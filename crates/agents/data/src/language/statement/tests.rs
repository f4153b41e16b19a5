use super::*;

const TABLES: [&str; 4] = ["invoice", "customer", "workOrder", "employee"];

fn read(text: &str) -> Option<Pasted> {
    pasted(text, |name| {
        TABLES.iter().any(|table| table.eq_ignore_ascii_case(name))
    })
}

#[test]
fn a_pasted_query_is_taken_out_of_what_is_around_it() {
    for (text, sql) in [
        ("SELECT 1", "SELECT 1"),
        (
            "SELECT DATE '2024-01-01' + INTERVAL 1 DAY",
            "SELECT DATE '2024-01-01' + INTERVAL 1 DAY",
        ),
        ("select * from invoice;", "select * from invoice"),
        (
            "  select name,\n city\nfrom customer\nwhere city = 'Bonn;Köln' ;\n",
            "select name,\n city\nfrom customer\nwhere city = 'Bonn;Köln'",
        ),
        (
            "```sql\nSELECT name FROM customer;\n```",
            "SELECT name FROM customer",
        ),
        (
            "Please run this query:\nselect count(*) from invoice",
            "select count(*) from invoice",
        ),
        (
            "Here you are: ```select name from x```",
            "select name from x",
        ),
        (
            "with a as (select 1) select * from a",
            "with a as (select 1) select * from a",
        ),
        (
            "select name from customer where city = 'Bonn'",
            "select name from customer where city = 'Bonn'",
        ),
        (
            "select c.name from customer c",
            "select c.name from customer c",
        ),
        (
            "select name from sales.customer",
            "select name from sales.customer",
        ),
        ("SELECT name FROM spaceship", "SELECT name FROM spaceship"),
        ("(select 1) union (select 2)", "(select 1) union (select 2)"),
        (
            "-- all of them\nselect * from invoice",
            "select * from invoice",
        ),
        (
            "/* all; of them */ select * from invoice",
            "select * from invoice",
        ),
        ("# mine\nselect * from invoice", "select * from invoice"),
        (
            "Please run this query:\n-- the open ones\nselect name from customer;",
            "select name from customer",
        ),
        ("SELECT @@version", "SELECT @@version"),
        ("select current_date;", "select current_date"),
        (
            "select lines[1] from invoice",
            "select lines[1] from invoice",
        ),
        (
            "select name || city from customer",
            "select name || city from customer",
        ),
        ("select net * 2 from invoice", "select net * 2 from invoice"),
        (
            "select name from customer, invoice where invoice.customer_id = customer.id",
            "select name from customer, invoice where invoice.customer_id = customer.id",
        ),
        (
            "select name from only customer",
            "select name from only customer",
        ),
        (
            "select name from \"customer\" fetch first 2 rows only",
            "select name from \"customer\" fetch first 2 rows only",
        ),
        ("SELECT CURRENT_USER", "SELECT CURRENT_USER"),
    ] {
        assert_eq!(read(text), Some(Pasted::Query(sql.to_owned())), "{text}");
    }
}

#[test]
fn what_is_within_a_query_stays_as_it_was_written() {
    for text in [
        // A comment that the database executes is for the guard to refuse.
        "SELECT COUNT(*) FROM invoice /*!50000 WHERE id > 5 */",
        "/*!50000 SELECT 1 */ SELECT 2",
        // Two signs in MariaDB, a comment in PostgreSQL.
        "SELECT COUNT(*)--1 FROM invoice",
        "SELECT id /* the key */ FROM invoice -- all; of them",
        "SELECT $$a;b -- c$$ AS text FROM invoice",
        "SELECT $x$it's; $$ here$x$ AS text FROM invoice",
        r"SELECT E'it\'s; here' AS text FROM invoice",
        r"SELECT 'C:\' AS path, ';' AS sign FROM invoice",
        "SELECT lines\n#>> '{a}' FROM invoice",
    ] {
        assert_eq!(read(text), Some(Pasted::Query(text.to_owned())), "{text}");
    }
    assert_eq!(
        read(r"SELECT 'C:\'; SELECT 2"),
        Some(Pasted::Several),
        "a backslash at the end of a text"
    );
}

#[test]
fn a_call_is_no_query_and_no_setting() {
    for text in ["CALL foo()", "call shop.clean_up(1, 'a');"] {
        assert_eq!(
            read(text),
            Some(Pasted::Other(OtherStatement::Call)),
            "{text}"
        );
    }
    assert_eq!(read("call Kaiser (the customer) tomorrow"), None);
}

#[test]
fn english_is_no_sql() {
    for text in [
        "select all customers in Bonn",
        "Select the customers from Bonn",
        "select customers from Bonn",
        "With which customers do we work?",
        "With crews as of today, who is free?",
        "update me on open work orders",
        "Delete that",
        "Which customers have no work orders?",
        "Create a chart of invoices",
        "Explain this: ```select 1```",
        "call the customer",
        "set the table",
        "Select work-orders from customer Kaiser",
        "select all e-mails from customer",
        "",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn statements_that_are_no_reads_are_known_by_what_they_do() {
    for (text, change) in [
        ("DELETE FROM invoice", Change::Delete),
        ("delete from invoice where id = 1;", Change::Delete),
        ("TRUNCATE TABLE invoice", Change::Delete),
        ("UPDATE invoice SET status = 'paid'", Change::Update),
        ("insert into customer values (1)", Change::Insert),
        ("```DROP TABLE invoice```", Change::Structure),
        ("drop table invoice", Change::Structure),
        ("ALTER TABLE invoice ADD COLUMN x int", Change::Structure),
        ("create table x (id int)", Change::Structure),
        ("GRANT SELECT ON invoice TO bob", Change::Settings),
    ] {
        assert_eq!(read(text), Some(Pasted::Change(change)), "{text}");
    }
    for text in [
        "SELECT 1; DELETE FROM invoice",
        "select * from invoice; select * from customer;",
    ] {
        assert_eq!(read(text), Some(Pasted::Several), "{text}");
    }
    assert!(matches!(
        read("select 'a;b' from invoice;"),
        Some(Pasted::Query(_))
    ));
}

#[test]
fn statements_that_read_no_rows_are_known_as_what_they_are() {
    for (text, other) in [
        ("EXPLAIN SELECT * FROM invoice", OtherStatement::Explain),
        (
            "explain analyze select name from customer where id = 1",
            OtherStatement::Explain,
        ),
        (
            "EXPLAIN (ANALYZE, BUFFERS) SELECT 1",
            OtherStatement::Explain,
        ),
        (
            "explain format=json select count(*) from invoice;",
            OtherStatement::Explain,
        ),
        ("COPY invoice TO '/tmp/x.csv'", OtherStatement::Copy),
        (
            "copy (select * from invoice) to stdout",
            OtherStatement::Copy,
        ),
        (
            "SELECT * FROM invoice INTO OUTFILE '/tmp/x'",
            OtherStatement::Copy,
        ),
        ("SHOW GRANTS", OtherStatement::Show),
        ("show create table invoice", OtherStatement::Show),
        ("SHOW VARIABLES LIKE 'sql_mode'", OtherStatement::Show),
        ("BEGIN", OtherStatement::Session),
        ("begin;", OtherStatement::Session),
        ("START TRANSACTION READ ONLY", OtherStatement::Session),
        ("ROLLBACK;", OtherStatement::Session),
        ("USE shop;", OtherStatement::Session),
        ("PREPARE p AS SELECT 1", OtherStatement::Session),
    ] {
        assert_eq!(read(text), Some(Pasted::Other(other)), "{text}");
    }
    for text in [
        "explain the select statement",
        "explain update rules from the manual",
        "table reservations for tonight",
        "values of the company",
        "show status of all orders",
        "show triggers of the alarm",
        "use shop",
        "begin with the customers",
        "copy the list to Anna",
        "commit to the plan",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
    for text in [
        "select c from customer c",
        "SELECT c FROM customer c",
        "select name from customer as c order by 9",
        "VALUES (1), (2)",
        "values row(1, 'a')",
        "TABLE invoice",
        "table invoice;",
        "table customer order by name limit 5",
        "TABLE public.spaceship",
    ] {
        assert!(matches!(read(text), Some(Pasted::Query(_))), "{text}");
    }
}

#[test]
fn wishes_in_words_are_known_by_what_they_would_do() {
    for (text, change) in [
        ("delete all invoices", Change::Delete),
        (
            "Could you please delete the customer Kaiser?",
            Change::Delete,
        ),
        ("drop the table invoice", Change::Structure),
        ("I want you to remove the employee Conrad", Change::Delete),
        ("wipe everything", Change::Delete),
        ("clear the table invoice", Change::Delete),
        ("please empty the customer table", Change::Delete),
        ("get rid of all employees", Change::Delete),
        ("Add a new customer called Meier", Change::Insert),
        ("create a work order for Kaiser", Change::Insert),
        ("set the status of invoice 5 to paid", Change::Update),
        (
            "change the customer of work order 7 to Kaiser",
            Change::Update,
        ),
        ("cancel the work order of Kaiser", Change::Update),
        ("update the number of invoice 5", Change::Update),
        ("please edit the customer Kaiser", Change::Update),
    ] {
        assert_eq!(wishes_change(text, TABLES, false), Some(change), "{text}");
    }
    for text in [
        "How do I delete an invoice?",
        "Which invoices were deleted?",
        "create a chart of the invoices by month",
        "add a column with the customer to the list",
        "list all invoices",
        "delete that",
        "close to how many customers do we have?",
        "show me the cancelled work orders",
        "update me on the invoices",
        "update the list of invoices",
    ] {
        assert_eq!(wishes_change(text, TABLES, false), None, "{text}");
    }
    // One record is named by its number, so that no question before it is changed.
    for (text, change) in [
        ("update the fee of invoice 5", Change::Update),
        ("set the status of invoice no 5 to paid", Change::Update),
        ("mark work order 7 as done", Change::Update),
        ("increase the amount of invoice 5 by 10 %", Change::Update),
        ("cancel work order 7", Change::Update),
        ("raise the salary of every employee", Change::Update),
        ("register a new customer", Change::Insert),
    ] {
        assert_eq!(wishes_change(text, TABLES, true), Some(change), "{text}");
    }
    for text in ["delete them", "delete all of those", "get rid of them"] {
        assert_eq!(
            wishes_change(text, TABLES, true),
            Some(Change::Delete),
            "{text}"
        );
    }
    for text in [
        "remove the cancelled invoices",
        "drop the customers in Bonn",
        "add a customer name",
        "change invoice 5 to invoice 6",
        "change the order to descending",
        "set the year to 2024",
    ] {
        assert_eq!(wishes_change(text, TABLES, true), None, "{text}");
    }
}
