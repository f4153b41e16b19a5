//! A source that a person added beside the demonstration, with little said of its tables: only
//! the catalogue of a database.

use std::sync::Arc;

use entities::{Names, Thing};
use serde_json::{Value, json};

use super::Talk;
use super::demo::Demo;
use super::said::{Said, check_with};

/// A table: its fields are `name:type`, with `>kind` of what a foreign key points at and `=a|b` of
/// the values that a column has.
fn table(name: &str, id: &str, date: Option<&str>, fields: &str) -> Value {
    let fields = fields.split_whitespace().map(|field| {
        let (name, rest) = field.split_once(':').unwrap();
        let (rest, values) = rest.split_once('=').unwrap_or((rest, ""));
        let (kind, entity) = rest.split_once('>').unwrap_or((rest, ""));
        let values: Vec<String> = values.split('|').filter(|value| !value.is_empty()).map(|value| value.replace('_', " ")).collect();
        json!({ "name": name, "field_type": kind, "values": values, "entity_type": (!entity.is_empty()).then_some(entity) })
    });
    let named = fields.clone().any(|field| field["name"] == "name");
    json!({
        "name": name, "nouns": [name.replace('_', " ")], "id_field": id, "date_field": date, "shown": [],
        "entity_type": named.then_some(name), "fields": fields.collect::<Vec<_>>(),
    })
}

fn names(index: &str, all: &[(&str, &str)]) -> Names {
    let things = all.iter().map(|(id, name)| Thing {
        id: (*id).to_owned(),
        name: (*name).to_owned(),
        aliases: Vec::new(),
        description: None,
    });
    Names::new(("workshop", index), index, &[index.to_owned()], things)
}

fn workshop(tables: &[Value; 7]) -> Arc<Demo> {
    let source = json!({
        "name": "workshop", "kind": "postgresql", "query_types": ["elasticsearch"], "time_zone": "UTC", "today": "2025-01-15",
        "today_from": "configuration", "indices": tables,
    });
    let known = vec![
        names("branch", &[("1", "Alster"), ("2", "Isar")]),
        names(
            "customer",
            &[("67", "Yara Peters 67"), ("12", "Ada Ebner 12")],
        ),
        names("category", &[("PNO", "Pianos"), ("OBO", "Oboes")]),
    ];
    Demo::with(source, known)
}

/// The knowledge of a database that was never analysed and has no foreign keys.
fn bare() -> Arc<Demo> {
    workshop(&[
        table(
            "branch",
            "branch_id",
            None,
            "branch_id:long name:keyword city:keyword country:keyword opened_on:date closed_on:date",
        ),
        table(
            "category",
            "code",
            None,
            "code:keyword name:keyword parent_code:keyword",
        ),
        table(
            "customer",
            "customer_id",
            None,
            "customer_id:long name:keyword kind:keyword city:keyword country:keyword email:keyword referred_by:long created_at:date deleted_at:date",
        ),
        table(
            "instrument",
            "serial_no",
            None,
            "serial_no:keyword category_code:keyword maker:keyword built_year:long purchase_price:double purchase_currency:keyword branch_id:long status:keyword is_insured:boolean retired_on:date deleted_at:date",
        ),
        table(
            "rental",
            "rental_id",
            None,
            "rental_id:long customer_id:long serial_no:keyword pickup_branch_id:long return_branch_id:long starts_on:date due_on:date returned_on:date monthly_fee:double currency:keyword",
        ),
        table(
            "rental_extension",
            "rental_id",
            Some("new_due_on"),
            "rental_id:long seq:long new_due_on:date fee:double",
        ),
        table(
            "repair",
            "repair_id",
            None,
            "repair_id:long serial_no:keyword technician_id:long opened_at:date closed_at:date status:keyword labour_hours:double notes:keyword",
        ),
    ])
}

/// The same with the values and the foreign keys of the catalogue.
pub(super) fn known() -> Arc<Demo> {
    workshop(&[
        table(
            "branch",
            "branch_id",
            None,
            "branch_id:long name:keyword city:keyword=Hamburg|Munich|Zurich country:keyword=Germany|Austria|Switzerland opened_on:date closed_on:date",
        ),
        table(
            "category",
            "code",
            None,
            "code:keyword name:keyword parent_code:keyword",
        ),
        table(
            "customer",
            "customer_id",
            None,
            "customer_id:long name:keyword kind:keyword=private|business city:keyword country:keyword=Germany|Austria|Switzerland email:keyword referred_by:long created_at:date deleted_at:date",
        ),
        table(
            "instrument",
            "serial_no",
            None,
            "serial_no:keyword category_code:keyword>category maker:keyword built_year:long purchase_price:double purchase_currency:keyword=EUR|CHF branch_id:long>branch status:keyword=available|rented|retired|in_repair is_insured:boolean retired_on:date deleted_at:date",
        ),
        table(
            "rental",
            "rental_id",
            None,
            "rental_id:long customer_id:long>customer serial_no:keyword pickup_branch_id:long>branch return_branch_id:long>branch starts_on:date due_on:date returned_on:date monthly_fee:double currency:keyword=EUR|CHF",
        ),
        table(
            "rental_extension",
            "rental_id",
            Some("new_due_on"),
            "rental_id:long>rental seq:long new_due_on:date fee:double",
        ),
        table(
            "repair",
            "repair_id",
            None,
            "repair_id:long serial_no:keyword technician_id:long opened_at:date closed_at:date status:keyword=open|closed|cancelled|waiting_for_parts labour_hours:double notes:keyword",
        ),
    ])
}

const LITTLE_IS_KNOWN: Said = &[
    (
        &["how many repairs with status open?"],
        "repair; status=open; count",
        "",
    ),
    (&["repairs with status closed"], "repair; status=closed", ""),
    (
        &["how many repairs are open?"],
        "said: \u{201c}open\u{201d}",
        "",
    ),
    (
        &["how many repairs are closed?"],
        "repair; closed_at exists; count",
        "",
    ),
    (
        &["how many repairs are not closed?"],
        "repair; closed_at missing; count",
        "",
    ),
    (
        &["how many branches are closed?"],
        "branch; closed_on exists; count",
        "",
    ),
    (
        &["branches that haven't been closed"],
        "branch; closed_on missing",
        "",
    ),
    (
        &["how many rentals have been returned?"],
        "rental; returned_on exists; count",
        "",
    ),
    (
        &["how many rentals were not returned?"],
        "rental; returned_on missing; count",
        "",
    ),
    (&["returned rentals"], "rental; returned_on exists", ""),
    (&["rentals by month"], "rental; count", "by time"),
    (
        &["rentals due tomorrow"],
        "rental; returned_on missing; due_on 2025-01-16..2025-01-16",
        "",
    ),
    (
        &["repairs waiting for parts"],
        "said: \u{201c}waiting\u{201d}",
        "",
    ),
    (
        &["how many customers were deleted?"],
        "customer; deleted_at exists; count",
        "",
    ),
    (
        &["how many customers are not deleted?"],
        "customer; deleted_at missing; count",
        "",
    ),
    (
        &["how many customers have an email?"],
        "customer; email exists; count",
        "",
    ),
    (&["customers with an email"], "customer; email exists", ""),
    (
        &["how many customers have no email?"],
        "customer; email missing; count",
        "",
    ),
    (
        &["how many instruments are rented?"],
        "said: \u{201c}rented\u{201d}",
        "",
    ),
    (
        &["how many instruments are retired?"],
        "instrument; retired_on exists; count",
        "",
    ),
    (
        &["how many customers are there in Germany?"],
        "said: Germany",
        "",
    ),
    (
        &["how many rentals are due next week?"],
        "rental; returned_on missing; due_on 2025-01-15..2025-01-22; count",
        "",
    ),
    (
        &["how many rentals are overdue?"],
        "rental; returned_on missing; due_on<2025-01-15; count",
        "",
    ),
    (
        &["how many rentals by return branch?"],
        "rental; by return_branch_id; count",
        "",
    ),
    (
        &["rentals by customer"],
        "rental; by customer_id; count",
        "",
    ),
    (
        &["how many extensions are there?"],
        "rental_extension; count",
        "",
    ),
    (&["total fee of extensions"], "said: currency", ""),
];

const THE_CATALOGUE_IS_KNOWN: Said = &[
    (
        &["how many repairs are open?"],
        "repair; status=open; count",
        "",
    ),
    (
        &["how many repairs are closed?"],
        "repair; status=closed; count",
        "",
    ),
    (
        &["how many instruments are rented?"],
        "instrument; status=rented; count",
        "",
    ),
    (
        &["how many customers are there in Germany?"],
        "customer; country=Germany; count",
        "",
    ),
    (
        &["customers from Switzerland"],
        "customer; country=Switzerland",
        "",
    ),
    (
        &["how many private customers?"],
        "customer; kind=private; count",
        "",
    ),
    (&["rentals of Yara Peters 67"], "rental; customer_id=67", ""),
    (
        &["which customer has the most rentals?"],
        "rental; by customer_id; count; count down; 1",
        "",
    ),
    (
        &["rentals of Alster"],
        "said: pickup branch id or return branch id",
        "",
    ),
    (&["how many pianos are there?"], "said: is one category", ""),
    (
        &["how many instruments of Pianos are there?"],
        "instrument; category_code=PNO; count",
        "",
    ),
];

const ONE_OF_SEVERAL_FIELDS_IS_NAMED: Said = &[
    (
        &["rentals picked up at Alster"],
        "rental; pickup_branch_id=1",
        "",
    ),
    (
        &["rentals with pickup branch Alster"],
        "rental; pickup_branch_id=1",
        "",
    ),
    (
        &["how many rentals were picked up at Isar?"],
        "rental; pickup_branch_id=2; count",
        "",
    ),
    (
        &["rentals where the pickup branch is Alster"],
        "rental; pickup_branch_id=1",
        "",
    ),
    (
        &["rentals with Alster as pickup branch"],
        "rental; pickup_branch_id=1",
        "",
    ),
    (
        &["rentals with the return branch Isar"],
        "rental; return_branch_id=2",
        "",
    ),
    (
        &["how many rentals with return branch Alster?"],
        "rental; return_branch_id=1; count",
        "",
    ),
    (
        &["rentals whose return branch is Isar"],
        "rental; return_branch_id=2",
        "",
    ),
    (
        &["rentals with pick-up branch Isar"],
        "rental; pickup_branch_id=2",
        "",
    ),
    (
        &["rentals with pickup at Alster"],
        "rental; pickup_branch_id=1",
        "",
    ),
    (
        &["rentals with pickup branch Alster and return branch Isar"],
        "rental; pickup_branch_id=1; return_branch_id=2",
        "",
    ),
];

const CURRENCIES_ARE_NOT_ADDED: Said = &[
    (
        &["total monthly fee of rentals"],
        "rental; by currency; sum_monthly_fee",
        "",
    ),
    (
        &["average purchase price of instruments by maker"],
        "instrument; by maker; by purchase_currency; average_purchase_price",
        "",
    ),
    (
        &["total monthly fee of rentals by currency"],
        "rental; by currency; sum_monthly_fee",
        "",
    ),
    (&["total fee of rental extensions"], "said: currency", ""),
    (
        &["average labour hours of repairs"],
        "repair; average_labour_hours",
        "",
    ),
];

#[tokio::test]
async fn one_of_several_fields_is_named() {
    check_with(ONE_OF_SEVERAL_FIELDS_IS_NAMED, known).await;
}

#[tokio::test]
async fn amounts_of_several_currencies_are_not_added() {
    check_with(CURRENCIES_ARE_NOT_ADDED, known).await;
}

#[tokio::test]
async fn nothing_of_a_question_to_an_own_source_vanishes() {
    check_with(LITTLE_IS_KNOWN, bare).await;
}

#[tokio::test]
async fn an_own_source_is_asked_by_its_values_and_its_names() {
    check_with(THE_CATALOGUE_IS_KNOWN, known).await;
}

#[tokio::test]
async fn records_of_an_own_source_are_named_and_counted_in_words() {
    let mut talk = Talk::over(known());
    let said = talk.say("how many rentals are there?").await;
    assert_eq!(said, "There are 7 rentals.");
    talk.say("rental with the highest monthly fee").await;
    let asked = talk.demo.asked();
    assert_eq!(
        asked.last().unwrap().fields,
        ["rental_id", "monthly_fee"],
        "{asked:?}"
    );
}

const A_FIELD_WITH_A_WORD_FOR_TIME: Said = &[
    (
        &["rentals with monthly fee above 300"],
        "rental; monthly_fee>300",
        "",
    ),
    (
        &["how many rentals have a monthly fee above 300?"],
        "rental; monthly_fee>300; count",
        "",
    ),
    (
        &["rentals with a monthly fee over 300"],
        "rental; monthly_fee>300",
        "",
    ),
    (
        &["rentals with a monthly fee below 50"],
        "rental; monthly_fee<50",
        "",
    ),
    (
        &["rentals whose monthly fee is more than 300"],
        "rental; monthly_fee>300",
        "",
    ),
    (
        &["how many rentals cost a monthly fee of at least 300?"],
        "rental; monthly_fee>=300; count",
        "",
    ),
    (
        &["biggest rental by monthly fee"],
        "rental; monthly_fee down; 1",
        "",
    ),
    (
        &["rentals with the monthly fee at most 20"],
        "rental; monthly_fee<=20",
        "",
    ),
];

#[tokio::test]
async fn a_field_with_a_word_for_time_is_a_field() {
    check_with(A_FIELD_WITH_A_WORD_FOR_TIME, known).await;
}
