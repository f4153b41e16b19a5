use super::*;

const NAMES: [&str; 4] = ["erp", "crm", "field-service", "erp-archive"];
const TABLES: [&str; 4] = ["customer", "invoice", "work_order", "employee"];

fn read(text: &str) -> Option<(String, String)> {
    let found = leading(text, &NAMES, &TABLES).or_else(|| addressed(text, &NAMES, &TABLES));
    found.map(|found| (found.target, found.rest))
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table")]
fn a_database_is_named_in_many_ways() {
    let count = "How many customers are there?";
    for text in [
        "How many customers are there in erp?",
        "How many customers are there in the erp database?",
        "How many customers are there in the database erp?",
        "How many customers are in erp?",
        "How many customers are there (erp)?",
        "How many customers are there, erp?",
        "How many customers are there for erp?",
        "How many customers does erp have?",
        "How many customers does the ERP database have?",
        "How many erp customers are there?",
        "How many customers are there @erp?",
        "erp: How many customers are there?",
        "ERP - How many customers are there?",
        "Erp, How many customers are there?",
        "@erp How many customers are there?",
        "@erp: How many customers are there?",
        "for erp, How many customers are there?",
        "In erp, How many customers are there?",
        "in the erp database: How many customers are there?",
        "please ask erp: How many customers are there?",
    ] {
        let wanted = Some(("erp".to_owned(), count.to_owned()));
        assert_eq!(read(text), wanted, "{text}");
    }
    for (text, target, rest) in [
        ("does erp have customers?", "erp", "are there customers?"),
        (
            "Does the crm db have any invoices",
            "crm",
            "are there invoices",
        ),
        ("has erp any invoices?", "erp", "are there invoices?"),
        (
            "which tables does crm have?",
            "crm",
            "which tables are there?",
        ),
        ("List all invoices of erp", "erp", "List all invoices"),
        ("from erp list all customers", "erp", "list all customers"),
        ("List erp's customers", "erp", "List customers"),
        (
            "what columns has customer in erp?",
            "erp",
            "what columns has customer?",
        ),
        (
            "How many customers are in erp-archive?",
            "erp-archive",
            "How many customers are there?",
        ),
        (
            "How many customers are in the field service db?",
            "field-service",
            "How many customers are there?",
        ),
        (
            "fieldservice: list all work orders",
            "field-service",
            "list all work orders",
        ),
        (
            "Tell me how many invoices there are in crm.",
            "crm",
            "Tell me how many invoices there are.",
        ),
        ("and in crm?", "crm", ""),
        ("what about the erp database?", "erp", ""),
        ("crm", "crm", ""),
        ("the same for erp please", "erp", ""),
        ("erp: SELECT name FROM crm", "erp", "SELECT name FROM crm"),
        ("run this in crm: SELECT 1", "crm", "SELECT 1"),
        (
            "@crm (SELECT 1) UNION (SELECT 2)",
            "crm",
            "(SELECT 1) UNION (SELECT 2)",
        ),
        (
            "how many rows are in erp.customer?",
            "erp",
            "how many rows are in customer?",
        ),
        (
            "not crm, erp: how many customers are there?",
            "erp",
            "how many customers are there?",
        ),
        (
            "how many customers are there in erp, not in crm?",
            "erp",
            "how many customers are there?",
        ),
        (
            "Not in crm but in erp: list all invoices",
            "erp",
            "list all invoices",
        ),
        ("no, erp", "erp", ""),
        ("I meant crm", "crm", ""),
        (
            "the crm customers, how many?",
            "crm",
            "customers, how many?",
        ),
        (
            "in crm:\n```sql\nSELECT 1\n```",
            "crm",
            "```sql\nSELECT 1\n```",
        ),
    ] {
        let wanted = Some((target.to_owned(), rest.to_owned()));
        assert_eq!(read(text), wanted, "{text}");
    }
}

#[test]
fn several_databases_are_named_side_by_side() {
    for (text, targets, rest) in [
        ("customers in erp and crm", &["erp", "crm"][..], "customers"),
        (
            "How many customers do erp and crm have?",
            &["erp", "crm"],
            "How many customers are there?",
        ),
        (
            "How many customers are there in both the crm and the erp databases?",
            &["crm", "erp"],
            "How many customers are there?",
        ),
        (
            "list all invoices from erp, crm and field-service",
            &["erp", "crm", "field-service"],
            "list all invoices",
        ),
        (
            "list all invoices from erp and crm and field-service",
            &["erp", "crm", "field-service"],
            "list all invoices",
        ),
        ("How many customers are in erp?", &[], ""),
        ("Which customers use erp and crm software?", &[], ""),
    ] {
        let found = several(text, &NAMES, &TABLES);
        let expected = (!targets.is_empty()).then(|| Several {
            targets: targets.iter().map(|&name| name.to_owned()).collect(),
            rest: rest.to_owned(),
        });
        assert_eq!(found, expected, "{text}");
    }
    // Of two databases the one that is not meant says which is.
    let found = addressed("not crm, how many customers?", &["crm", "erp"], &TABLES);
    assert_eq!(found.unwrap().target, "erp");
}

#[test]
fn other_words_name_none() {
    for text in [
        "How many customers are there?",
        "Which customers have invoices in Berlin?",
        "How many customers do erp and crm have?",
        "Which of our customers use erp software?",
        "orders",
        "",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
    // A table's name is what is in it.
    let things = |text| {
        let names = ["customer", "erp"];
        leading(text, &names, &TABLES).or_else(|| addressed(text, &names, &TABLES))
    };
    assert_eq!(things("How many invoices are there for customer 5?"), None);
    assert_eq!(things("customer, invoice and employee: how many?"), None);
    assert_eq!(
        things("List all invoices in the customer database")
            .unwrap()
            .target,
        "customer"
    );
}
