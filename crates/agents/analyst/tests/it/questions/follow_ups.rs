//! Questions of two and three turns.

use super::{Table, Talk, check};

pub(super) const CORRECTIONS_REPLACE_WHAT_THEY_CORRECT: Table = &[
    (
        &[
            "show shipments to Hamburg in November 2024",
            "sorry, december",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2024-12-01..2024-12-31",
    ),
    (
        &[
            "show shipments to Hamburg in November 2024",
            "oops, I meant December 2024",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2024-12-01..2024-12-31",
    ),
    (
        &["show shipments to Hamburg last week", "no, last month"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2024-12-01..2024-12-31",
    ),
    (
        &["shipments to Hamburg last week", "no, I meant Rotterdam"],
        "shipments; destination_port_id=PRT-RTM; actual_arrival 2025-01-08..2025-01-15",
    ),
    (
        &["shipments to Hamburg last week", "I mean Antwerp"],
        "shipments; destination_port_id=PRT-ANR; actual_arrival 2025-01-08..2025-01-15",
    ),
    (
        &["shipments to Hamburg last week", "sorry, Rotterdam"],
        "shipments; destination_port_id=PRT-RTM; actual_arrival 2025-01-08..2025-01-15",
    ),
    (
        &[
            "shipments to Hamburg last week",
            "not Hamburg but Rotterdam",
        ],
        "shipments; destination_port_id=PRT-RTM; actual_arrival 2025-01-08..2025-01-15",
    ),
    (
        &["shipments to Hamburg last week", "Rotterdam, not Hamburg"],
        "shipments; destination_port_id=PRT-RTM; actual_arrival 2025-01-08..2025-01-15",
    ),
    (
        &["shipments to Hamburg last week", "I meant from Hamburg"],
        "shipments; origin_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15",
    ),
    (
        &[
            "shipments to Hamburg in December 2024",
            "actually Rotterdam",
            "no, Antwerp",
        ],
        "shipments; destination_port_id=PRT-ANR; actual_arrival 2024-12-01..2024-12-31",
    ),
    (
        &["delivered shipments to Hamburg", "I meant cancelled"],
        "shipments; destination_port_id=PRT-HAM; status=cancelled",
    ),
    (
        &["average delay by carrier", "sorry, by vessel"],
        "shipments; by vessel_name; count; average_delay_hours",
    ),
    (
        &["top 5 shipments by value", "I meant 10"],
        "shipments; value_usd down; 10",
    ),
    (
        &["how many shipments arrived last week", "I meant departed"],
        "shipments; actual_departure 2025-01-08..2025-01-15; count",
    ),
    (
        &["shipments from Shanghai to Hamburg", "no, from Singapore"],
        "shipments; origin_port_id=PRT-SIN; destination_port_id=PRT-HAM",
    ),
    (
        &[
            "shipments from Shanghai to Hamburg",
            "not Shanghai but Singapore",
        ],
        "shipments; origin_port_id=PRT-SIN; destination_port_id=PRT-HAM",
    ),
];

#[tokio::test]
async fn corrections_replace_what_they_correct() {
    check(CORRECTIONS_REPLACE_WHAT_THEY_CORRECT).await;
}

const MIAMI: &str = "shipments to Miami last week";

pub(super) const A_WRONG_CHOICE_IS_UNDONE: Table = &[
    (
        &[MIAMI, "the port"],
        "shipments; destination_port_id=PRT-MIA; actual_arrival 2025-01-08..2025-01-15",
    ),
    (
        &[MIAMI, "the port", "no, I meant the terminal"],
        "shipments; destination_port_id=PRT-MCT; actual_arrival 2025-01-08..2025-01-15",
    ),
    (
        &[MIAMI, "the port", "no, the other one"],
        "shipments; destination_port_id=PRT-MCT; actual_arrival 2025-01-08..2025-01-15",
    ),
    (
        &[MIAMI, "the terminal", "the other Miami"],
        "shipments; destination_port_id=PRT-MIA; actual_arrival 2025-01-08..2025-01-15",
    ),
    (
        &[MIAMI, "the port", "no, the other one", "no, the other one"],
        "shipments; destination_port_id=PRT-MIA; actual_arrival 2025-01-08..2025-01-15",
    ),
];

#[tokio::test]
async fn a_wrong_choice_is_undone() {
    check(A_WRONG_CHOICE_IS_UNDONE).await;
}

pub(super) const PICKERS_UNDERSTAND_THAT_NOTHING_FITS: Table = &[
    (
        &["shipments to Miami last week", "neither"],
        "said: All right, none of these",
    ),
    (
        &["shipments to Miami last week", "none of these"],
        "said: All right, none of these",
    ),
    (
        &["shipments to Miami last week", "I don't know"],
        "shipments; destination_port_id=PRT-MIA; actual_arrival 2025-01-08..2025-01-15",
    ),
    (
        &["shipments to Miami last week", "neither, Hamburg"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15",
    ),
    (
        &["shipments to Miami last week", "neither, I meant Hamburg"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15",
    ),
    (
        &["shipments to Miami last week", "both"],
        "shipments; destination_port_id=PRT-MIA|PRT-MCT; actual_arrival 2025-01-08..2025-01-15",
    ),
];

#[tokio::test]
async fn pickers_understand_that_nothing_fits() {
    check(PICKERS_UNDERSTAND_THAT_NOTHING_FITS).await;
}

pub(super) const WHAT_IS_LEFT_OUT_STANDS_IN_THE_QUESTION_BEFORE: Table = &[
    (
        &[
            "how many shipments arrived in Hamburg last week?",
            "what about Rotterdam?",
        ],
        "shipments; destination_port_id=PRT-RTM; actual_arrival 2025-01-08..2025-01-15; count",
    ),
    (
        &[
            "how many shipments arrived in Hamburg last week?",
            "and in December 2024?",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2024-12-01..2024-12-31; count",
    ),
    (
        &["shipments to Hamburg last week", "only the late ones"],
        "shipments; destination_port_id=PRT-HAM; is_late=true; actual_arrival 2025-01-08..2025-01-15",
    ),
    (
        &[
            "which carrier has the most late shipments?",
            "and the fewest?",
        ],
        "shipments; is_late=true; by carrier; count; count up; 1",
    ),
    (
        &["newest vessel", "and the oldest?"],
        "vessels; built up; 1",
    ),
    (
        &["average delay by carrier", "sort by delay descending"],
        "shipments; by carrier; count; average_delay_hours; average_delay_hours down",
    ),
    (
        &["shipments to Hamburg last week", "make that last month"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2024-12-01..2024-12-31",
    ),
    (
        &[
            "shipments to Hamburg last week",
            "what about Rotterdam?",
            "only delivered ones",
        ],
        "shipments; destination_port_id=PRT-RTM; status=delivered; actual_arrival 2025-01-08..2025-01-15",
    ),
];

#[tokio::test]
async fn what_is_left_out_stands_in_the_question_before() {
    check(WHAT_IS_LEFT_OUT_STANDS_IN_THE_QUESTION_BEFORE).await;
}

pub(super) const AN_EARLIER_QUERY_IS_FOUND_BY_WHAT_IT_WAS_ABOUT: Table = &[
    (
        &[
            "shipments to Hamburg last week",
            "show vessels at sea",
            "only the late ones of the Hamburg shipments",
        ],
        "shipments; destination_port_id=PRT-HAM; is_late=true; actual_arrival 2025-01-08..2025-01-15",
    ),
    (
        &[
            "shipments to Hamburg last week",
            "shipments to Rotterdam in December 2024",
            "filter the Hamburg shipments by delivered",
        ],
        "shipments; destination_port_id=PRT-HAM; status=delivered; actual_arrival 2025-01-08..2025-01-15",
    ),
];

#[tokio::test]
async fn an_earlier_query_is_found_by_what_it_was_about() {
    check(AN_EARLIER_QUERY_IS_FOUND_BY_WHAT_IT_WAS_ABOUT).await;
    let mut talk = Talk::new();
    talk.say("shipments to Hamburg last week").await;
    talk.say("vessels at sea").await;
    let said = talk
        .say("analyze delay patterns in the Hamburg shipments")
        .await;
    assert!(said.contains("Hamburg"), "{said}");
}

#[tokio::test]
async fn a_remembered_choice_is_said_undone_and_forgotten() {
    let mut talk = Talk::new();
    talk.say("shipments to Miami last week").await;
    talk.say("the port").await;
    let said = talk
        .say("how many shipments to Miami in December 2024?")
        .await;
    assert!(said.contains("as you chose before"), "{said}");
    // What is said then is about the choice, although nothing was asked.
    talk.say("no, the other one").await;
    let terminal =
        "shipments; destination_port_id=PRT-MCT; actual_arrival 2024-12-01..2024-12-31; count";
    assert_eq!(talk.demo.last(), terminal);
    talk.say("how many shipments to Miami last week?").await;
    talk.say("no, I meant the port").await;
    let port =
        "shipments; destination_port_id=PRT-MIA; actual_arrival 2025-01-08..2025-01-15; count";
    assert_eq!(talk.demo.last(), port);
    let said = talk.say("forget that").await;
    assert!(said.contains("no longer remember"), "{said}");
    talk.demo.forget_queries();
    let asked = talk.say("shipments to Miami in November 2024").await;
    assert!(asked.contains("Which Miami"), "{asked}");
    assert_eq!(talk.demo.last(), "nothing");
}

#[tokio::test]
async fn remembered_choices_are_told_and_forgotten_by_their_words() {
    let mut talk = Talk::new();
    let said = talk.say("what do you remember?").await;
    assert!(said.contains("no choice of yours"), "{said}");
    talk.say("shipments to Miami last week").await;
    talk.say("the port").await;
    let said = talk.say("which choices do you remember?").await;
    assert!(
        said.contains("\u{201c}miami\u{201d} stands for Port of Miami"),
        "{said}"
    );
    talk.say("vessels at sea").await;
    let said = talk.say("forget Miami").await;
    assert!(said.contains("no longer remember"), "{said}");
    let asked = talk.say("shipments to Miami last week").await;
    assert!(asked.contains("Which Miami"), "{asked}");
    talk.say("the terminal").await;
    let said = talk.say("forget all my choices").await;
    assert!(said.contains("Miami Container Terminal"), "{said}");
    let said = talk.say("what did I choose?").await;
    assert!(said.contains("no choice of yours"), "{said}");
}

#[tokio::test]
async fn the_walk_of_the_documentation_works_every_time() {
    let mut talk = Talk::new();
    for _ in 0..3 {
        talk.say("Show shipments to Miami last week").await;
        talk.say("Port of Miami").await;
        assert_eq!(
            talk.demo.last(),
            "shipments; destination_port_id=PRT-MIA; actual_arrival 2025-01-08..2025-01-15"
        );
        let said = talk.say("analyze delay patterns in these results").await;
        assert!(said.contains("Miami"), "{said}");
    }
}
