//! Conditions of a list that no field has: the list without them is the answer to another question,
//! so it is refused with the conditions that there are.

use super::super::workshop::known;
use super::{Said, check, check_with};

const OF_SHIPMENTS: Said = &[
    (
        &["show me urgent shipments to Hamburg"],
        "said: \u{201c}urgent\u{201d}",
        "",
    ),
    (
        &["list shipments that need customs clearance"],
        "said: \u{201c}customs clearance\u{201d}",
        "",
    ),
    (
        &["shipments with a temperature below 5"],
        "containers; temperature_c<5",
        "",
    ),
    (
        &["fragile cargo from Shanghai"],
        "said: \u{201c}fragile\u{201d}",
        "",
    ),
    (
        &["containers with damaged seals"],
        "said: \u{201c}damaged seals\u{201d}",
        "",
    ),
    (
        &["which vessels passed the inspection?"],
        "said: \u{201c}passed\u{201d}",
        "",
    ),
    (&["prepaid shipments"], "said: \u{201c}prepaid\u{201d}", ""),
    (
        &["shipments handled by the night shift"],
        "said: \u{201c}night shift\u{201d}",
        "",
    ),
    (
        &["shipments delayed by weather"],
        "said: \u{201c}weather\u{201d}",
        "",
    ),
    (
        &["priority shipments of coffee"],
        "said: \u{201c}priority",
        "",
    ),
    (
        &["list of perishable shipments"],
        "said: \u{201c}perishable\u{201d}",
        "",
    ),
    (&["ports with a crane"], "said: crane", ""),
    (&["vessels for sale"], "said: \u{201c}sale\u{201d}", ""),
    (
        &["unpaid shipments to Antwerp"],
        "said: \u{201c}unpaid\u{201d}",
        "",
    ),
    (&["containers needing repair"], "said: repair", ""),
    (
        &["empty reefers in Singapore"],
        "containers; location_port=Port of Singapore; status=empty; type=reefer",
        "",
    ),
    (
        &["booked shipments without a vessel"],
        "shipments; status=booked; vessel_name missing",
        "",
    ),
    (
        &["shipments neither late nor hazardous"],
        "shipments; is_late=false; hazardous=false",
        "",
    ),
    (
        &["for my boss: show the shipments to Hamburg"],
        "shipments; destination_port_id=PRT-HAM",
        "boss",
    ),
    (
        &["list late shipments for our meeting"],
        "shipments; is_late=true",
        "meeting",
    ),
];

const OF_RENTALS: Said = &[
    (
        &["customers who complained"],
        "said: \u{201c}complained\u{201d}",
        "",
    ),
    (&["rentals paid in cash"], "said: \u{201c}paid", ""),
    (&["repairs under warranty"], "said: warranty", ""),
    (
        &["instruments with a broken case"],
        "said: \u{201c}broken case",
        "",
    ),
    (
        &["private customers in Germany with a discount"],
        "said: discount",
        "",
    ),
];

#[tokio::test]
async fn no_list_leaves_a_condition_out() {
    check(OF_SHIPMENTS).await;
}

#[tokio::test]
async fn no_list_of_an_added_source_leaves_a_condition_out() {
    check_with(OF_RENTALS, known).await;
}
