//! Turns of a person who tried the product without having seen the rules: choices that are taken
//! back later, sums that are asked for without "total", new questions behind an answer.

use super::super::{Talk, demo::Demo};
use super::{Said, check};

const A_QUANTITY_IS_SUMMED: Said = &[
    (
        &["value of shipments to Rotterdam"],
        "shipments; destination_port_id=PRT-RTM; sum_value_usd",
        "",
    ),
    (
        &["the value of late shipments to Hamburg in December"],
        "shipments; destination_port_id=PRT-HAM; is_late=true; actual_arrival 2024-12-01..2024-12-31; sum_value_usd",
        "",
    ),
    (
        &["weight of shipments from Shanghai"],
        "shipments; origin_port_id=PRT-SHA; sum_weight_kg",
        "",
    ),
    (
        &["what is the weight of the coffee shipments?"],
        "shipments; commodity=coffee; sum_weight_kg",
        "",
    ),
];

const ARRIVALS_ARE_WHAT_ARRIVED: Said = &[
    (
        &["which port has the fewest arrivals?"],
        "shipments; actual_arrival exists; by destination_port; count; count up; 1",
        "",
    ),
    (
        &["which port had the most arrivals in December?"],
        "shipments; actual_arrival 2024-12-01..2024-12-31; by destination_port; count; count down; 1",
        "",
    ),
    (
        &["which port has the most departures?"],
        "shipments; actual_departure exists; by origin_port; count; count down; 1",
        "",
    ),
    (
        &["arrivals by carrier"],
        "shipments; actual_arrival exists; by carrier; count",
        "",
    ),
    (
        &["how many arrivals are there in Hamburg?"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival exists; count",
        "",
    ),
];

const A_NEW_QUESTION_STANDS_ALONE: Said = &[
    (
        &["fastest carrier", "longest delay", "earliest departure"],
        "shipments; actual_departure exists; actual_departure up; 1",
        "",
    ),
    (
        &["which carrier has the most shipments?", "latest arrival"],
        "shipments; actual_arrival exists; actual_arrival down; 1",
        "",
    ),
    (
        &[
            "how many shipments arrived early in November 2024?",
            "what arrives tomorrow?",
        ],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival 2025-01-16..2025-01-16",
        "",
    ),
    (
        &[
            "coffee shipments",
            "shipments from Hamburg",
            "the coffee ones again",
        ],
        "shipments; commodity=coffee",
        "",
    ),
    (
        &[
            "late shipments to Rotterdam",
            "shipments from Hamburg",
            "the Rotterdam ones again",
        ],
        "shipments; destination_port_id=PRT-RTM; is_late=true",
        "",
    ),
];

const WHAT_IS_KNOWN_IS_ANSWERED: Said = &[
    (
        &["which shipments are due next?"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival>=2025-01-15; planned_arrival up",
        "",
    ),
    (
        &["most common commodity"],
        "shipments; by commodity; count; count down; 1",
        "",
    ),
    (
        &["what is the most frequent commodity to Hamburg?"],
        "shipments; destination_port_id=PRT-HAM; by commodity; count; count down; 1",
        "",
    ),
    (
        &["least common carrier"],
        "shipments; by carrier; count; count up; 1",
        "",
    ),
];

const AN_UNKNOWN_NAME_IS_THAT_OF_THE_MESSAGE: Said = &[
    (
        &["shipments from Atlantis", "shipments on the Titanic"],
        "said: Titanic",
        "",
    ),
    (
        &["shipments from Atlantis", "vessels called Bounty"],
        "said: Bounty",
        "",
    ),
    (
        &["shipments handled by Captain Nemo"],
        "said: I know nothing called \u{201c}Captain Nemo\u{201d}",
        "",
    ),
];

#[tokio::test]
async fn a_quantity_is_summed() {
    check(A_QUANTITY_IS_SUMMED).await;
}

#[tokio::test]
async fn arrivals_are_what_arrived() {
    check(ARRIVALS_ARE_WHAT_ARRIVED).await;
}

#[tokio::test]
async fn a_new_question_stands_alone() {
    check(A_NEW_QUESTION_STANDS_ALONE).await;
}

#[tokio::test]
async fn what_is_known_is_answered() {
    check(WHAT_IS_KNOWN_IS_ANSWERED).await;
}

#[tokio::test]
async fn an_unknown_name_is_that_of_the_message() {
    check(AN_UNKNOWN_NAME_IS_THAT_OF_THE_MESSAGE).await;
}

/// The answer to the last message of a conversation.
async fn answer(turns: &[&str]) -> (String, String) {
    let mut talk = Talk::over(Demo::new());
    let mut said = String::new();
    for turn in turns {
        talk.demo.forget_queries();
        said = talk.say(turn).await;
    }
    (talk.demo.last(), said)
}

const CHOSEN: [&str; 3] = [
    "Show shipments to Miami in December",
    "Port of Miami",
    "how many are late?",
];

#[tokio::test]
async fn a_choice_that_is_corrected_turns_later_is_remembered() {
    for correction in [
        "no, I meant the terminal",
        "the other one",
        "not the port, the terminal",
    ] {
        let mut turns = CHOSEN.to_vec();
        turns.push(correction);
        let (query, said) = answer(&turns).await;
        let expected = "shipments; destination_port_id=PRT-MCT; is_late=true; actual_arrival 2024-12-01..2024-12-31; count";
        assert_eq!(query, expected, "{correction}: {said}");
        turns.push("what do you remember?");
        let (_, said) = answer(&turns).await;
        assert!(
            said.contains("Miami Container Terminal"),
            "{correction}: {said}"
        );
        turns.pop();
        turns.push("shipments to Miami");
        let (query, _) = answer(&turns).await;
        assert_eq!(
            query, "shipments; destination_port_id=PRT-MCT",
            "{correction}"
        );
    }
}

#[tokio::test]
async fn what_was_listed_or_chosen_turns_before_is_forgotten() {
    for words in [
        "forget that",
        "forget it",
        "please forget this",
        "forget my choice",
    ] {
        for between in [&["what do you remember?"][..], &[]] {
            let mut turns = CHOSEN.to_vec();
            turns.extend(between);
            turns.push(words);
            let (_, said) = answer(&turns).await;
            assert!(
                said.contains("I no longer remember"),
                "{between:?} {words}: {said}"
            );
            turns.push("what do you remember?");
            let (_, said) = answer(&turns).await;
            assert!(
                !said.contains("Port of Miami"),
                "{between:?} {words}: {said}"
            );
        }
    }
    // Without a choice nothing is forgotten.
    let (_, said) = answer(&["shipments to Hamburg", "forget that"]).await;
    assert!(said.contains("nothing"), "{said}");
}

#[tokio::test]
async fn the_one_at_a_place_is_looked_at() {
    for turn in ["what is its destination?", "who carried it?"] {
        let (query, said) = answer(&["heaviest shipment", "the second heaviest", turn]).await;
        assert_eq!(query, "shipments; shipment_id=SHP-000123", "{turn}: {said}");
    }
}
