//! Conditions that no field has, and comparisons of two fields: no figure is computed without
//! them, and the refusal names what can be asked.

use std::sync::Arc;

use super::Talk;
use super::demo::Demo;
use super::said::{Said, check, check_with};
use super::workshop::known;

const TWO_FIELDS: Said = &[
    (
        &["how many rentals were returned late?"],
        "said: \u{201c}returned late\u{201d}",
        "",
    ),
    (&["rentals returned late"], "said: overdue rentals", ""),
    (
        &["how many rentals were returned after the due date"],
        "said: returned on with due on",
        "",
    ),
    (
        &["which rentals came back on time?"],
        "said: \u{201c}on time\u{201d}",
        "",
    ),
    (
        &["how many late rentals are there"],
        "said: \u{201c}late\u{201d}",
        "",
    ),
    (
        &["how many rentals with monthly fee above the average"],
        "said: Ask for the average first",
        "",
    ),
    (
        &["instruments with purchase price below built year"],
        "said: cannot compare two fields",
        "",
    ),
    (
        &["how many instruments with purchase price over built year?"],
        "said: \u{201c}over built year\u{201d}",
        "",
    ),
    (
        &["overdue rentals"],
        "rental; returned_on missing; due_on<2025-01-15",
        "",
    ),
];

const WITHOUT_A_VALUE: Said = &[
    (
        &["how many rentals have no return date?"],
        "rental; returned_on missing; count",
        "",
    ),
    (
        &["rentals with no return date"],
        "rental; returned_on missing",
        "",
    ),
    (
        &["how many rentals without a return date"],
        "rental; returned_on missing; count",
        "",
    ),
    (
        &["how many rentals without a customer?"],
        "rental; customer_id missing; count",
        "",
    ),
    (
        &["repairs without technician"],
        "repair; technician_id missing",
        "",
    ),
    (
        &["how many repairs without notes?"],
        "repair; notes missing; count",
        "",
    ),
    (
        &["how many repairs without approval?"],
        "said: \u{201c}approval\u{201d}",
        "",
    ),
    (
        &["how many active customers?"],
        "said: \u{201c}active\u{201d}",
        "",
    ),
    (
        &["number of active customers"],
        "said: kind (private, business)",
        "",
    ),
    (
        &["how many insured instruments do we have"],
        "instrument; is_insured=true; count",
        "",
    ),
    (
        &["how many instruments are uninsured?"],
        "instrument; is_insured=false; count",
        "",
    ),
    (
        &["how many broken instruments?"],
        "said: \u{201c}broken\u{201d}",
        "",
    ),
    (
        &["how many instruments are broken or retired?"],
        "said: \u{201c}broken\u{201d}",
        "",
    ),
    (
        &["how many instruments need repair?"],
        "said: \u{201c}repair\u{201d}",
        "",
    ),
    (
        &["how many rentals were cancelled?"],
        "said: \u{201c}cancelled\u{201d}",
        "",
    ),
    (
        &["how many rentals with more than 5 pedals?"],
        "said: \u{201c}pedals\u{201d}",
        "",
    ),
    (
        &["how many customers with more than 3 rentals?"],
        "said: the number of rentals by customer",
        "",
    ),
    (
        &["how many rentals by colour?"],
        "said: \u{201c}colour\u{201d}",
        "",
    ),
    (
        &["top customers by number of rentals"],
        "rental; by customer_id; count; count down; 10",
        "",
    ),
    (
        &["top 3 customers by number of rentals"],
        "rental; by customer_id; count; count down; 3",
        "",
    ),
    (
        &["bottom customers by number of rentals"],
        "rental; by customer_id; count; count up; 10",
        "",
    ),
];

const OF_SHIPMENTS: Said = &[
    (
        &["how many shipments without approval"],
        "said: \u{201c}approval\u{201d}",
        "",
    ),
    (
        &["how many insured shipments to Hamburg"],
        "said: \u{201c}insured\u{201d}",
        "",
    ),
    (
        &["average weight of insured shipments"],
        "said: \u{201c}insured\u{201d}",
        "",
    ),
    (
        &["total weight of fragile shipments"],
        "said: status (booked, in transit",
        "",
    ),
    (
        &["how many urgent shipments are there?"],
        "said: \u{201c}urgent\u{201d}",
        "",
    ),
    (
        &["how many shipments to Hamburg are not paid"],
        "said: \u{201c}paid\u{201d}",
        "",
    ),
    (
        &["how many shipments with more value than weight"],
        "said: cannot compare two fields",
        "",
    ),
    (
        &["how many shipments are waiting for customs?"],
        "said: \u{201c}waiting\u{201d}",
        "",
    ),
    (
        &["how many vessels were built last year?"],
        "vessels; built=2024; count",
        "",
    ),
    (
        &["how many containers heavier than 20 t"],
        "said: type (dry, reefer",
        "",
    ),
    (
        &["how many empty containers are there?"],
        "containers; status=empty; count",
        "",
    ),
    (
        &["how many tank containers are in port in Singapore?"],
        "containers; location_port=Port of Singapore; type=tank; status=in_port; count",
        "",
    ),
    (
        &["largest coffee shipment by weight"],
        "shipments; commodity=coffee; weight_kg down; 1",
        "",
    ),
    (
        &["biggest late shipments by value"],
        "shipments; is_late=true; value_usd down",
        "",
    ),
    (
        &["smallest 3 coffee shipments by weight"],
        "shipments; commodity=coffee; weight_kg up; 3",
        "",
    ),
    (
        &["heaviest coffee shipment"],
        "shipments; commodity=coffee; weight_kg down; 1",
        "",
    ),
];

#[tokio::test]
async fn two_fields_of_a_record_are_not_compared_in_silence() {
    check_with(TWO_FIELDS, known).await;
}

#[tokio::test]
async fn a_condition_without_a_value_is_read_or_refused() {
    check_with(WITHOUT_A_VALUE, known).await;
}

#[tokio::test]
async fn no_figure_leaves_a_condition_out() {
    check(OF_SHIPMENTS).await;
}

async fn said(demo: Arc<Demo>, question: &str) -> String {
    Talk::over(demo).say(question).await
}

#[tokio::test]
async fn a_superlative_says_what_it_goes_by() {
    for (question, by) in [
        (
            "fastest vessel",
            "\u{201c}Fastest\u{201d} is taken as the lowest average delay of its records.",
        ),
        (
            "which vessel is the slowest?",
            "\u{201c}Slowest\u{201d} is taken as the highest average delay of its records.",
        ),
        (
            "heaviest vessel",
            "\u{201c}Heaviest\u{201d} is taken as the highest total weight of its records.",
        ),
        (
            "largest shipment",
            "\u{201c}Largest\u{201d} is taken as the highest ",
        ),
    ] {
        let text = said(Demo::new(), question).await;
        assert!(text.contains(by), "{question}: {text}");
    }
    let text = said(Demo::new(), "heaviest shipment").await;
    assert!(!text.contains("is taken as"), "{text}");
}

#[tokio::test]
async fn groups_over_a_key_are_called_by_names() {
    for question in [
        "rentals by customer",
        "which customer has the most rentals?",
        "top 5 customers by number of rentals",
    ] {
        let text = said(known(), question).await;
        assert!(
            text.contains("Customer: MERIDIAN AURORA"),
            "{question}: {text}"
        );
    }
}
