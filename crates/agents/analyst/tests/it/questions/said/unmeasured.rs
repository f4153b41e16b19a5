//! Qualities and relations that no field has: "cheap carriers", "insured by Allianz", also as a
//! change of a list. They are refused, and neither looked for as a value nor left out.

use super::{Said, check};

const QUALITIES: Said = &[
    (
        &["which carriers are cheap?"],
        "said: \u{201c}cheap\u{201d}",
        "",
    ),
    (
        &["which carriers are reliable?"],
        "said: \u{201c}reliable\u{201d}",
        "",
    ),
    (&["which carriers are bad?"], "said: by which figure", ""),
    (&["good carriers for coffee"], "said: by which figure", ""),
    (
        &["what carriers are trustworthy?"],
        "said: \u{201c}trustworthy\u{201d}",
        "",
    ),
    (
        &["all carriers are expensive"],
        "said: \u{201c}expensive\u{201d}",
        "",
    ),
    (
        &["which shipments are fragile?"],
        "said: \u{201c}fragile\u{201d}",
        "",
    ),
    (
        &["which containers are dirty?"],
        "said: \u{201c}dirty\u{201d}",
        "",
    ),
    (&["list cheap carriers"], "said: \u{201c}cheap\u{201d}", ""),
    (
        &["which vessels are comfortable?"],
        "said: \u{201c}comfortable\u{201d}",
        "",
    ),
    // A value that is written as one stays a condition.
    (
        &["shipments where the carrier is maersk"],
        "shipments; carrier=maersk",
        "",
    ),
    (
        &["shipments whose carrier is Pacific Crown"],
        "shipments; carrier=Pacific Crown",
        "",
    ),
];

const RELATIONS: Said = &[
    (
        &["shipments insured by Allianz"],
        "said: that says \u{201c}insured by Allianz\u{201d}",
        "",
    ),
    (
        &["which shipments are insured by Allianz?"],
        "said: that says \u{201c}insured by Allianz\u{201d}",
        "",
    ),
    (
        &["how many shipments were financed by Deutsche Bank?"],
        "said: a figure without it",
        "",
    ),
    (
        &["vessels owned by Blohm"],
        "said: that says \u{201c}owned by Blohm\u{201d}",
        "",
    ),
    (
        &["containers leased from Triton"],
        "said: that says \u{201c}leased from Triton\u{201d}",
        "",
    ),
    (
        &["shipments packed by Meier"],
        "said: that says \u{201c}packed by Meier\u{201d}",
        "",
    ),
    (&["vessels built by Daewoo"], "said: Daewoo", ""),
    // A misspelt place is asked about.
    (&["shipments from Hamburk"], "said: Hamburg", ""),
];

const CHANGES: Said = &[
    (
        &["shipments to Hamburg", "only the urgent ones"],
        "said: \u{201c}urgent\u{201d}",
        "",
    ),
    (
        &["late shipments", "just the insured ones"],
        "said: \u{201c}insured\u{201d}",
        "",
    ),
    (
        &["vessels", "the cheap ones"],
        "said: \u{201c}cheap\u{201d}",
        "",
    ),
    (
        &["shipments from Shanghai", "only those with insurance"],
        "said: \u{201c}insurance\u{201d}",
        "",
    ),
    (
        &["shipments from Shanghai", "without the perishable ones"],
        "said: \u{201c}perishable\u{201d}",
        "",
    ),
    (
        &["shipments to Hamburg", "which of them are fragile?"],
        "said: \u{201c}fragile\u{201d}",
        "",
    ),
    (
        &["shipments to Hamburg", "only those insured by Allianz"],
        "said: \u{201c}insured by Allianz\u{201d}",
        "",
    ),
    (
        &[
            "how many shipments went to Hamburg?",
            "only the prepaid ones",
        ],
        "said: \u{201c}prepaid\u{201d}",
        "",
    ),
    // What has a field is still a change.
    (
        &[
            "shipments to Hamburg",
            "only the urgent ones",
            "only the late ones",
        ],
        "shipments; destination_port_id=PRT-HAM; is_late=true",
        "",
    ),
    (
        &["shipments to Hamburg", "only the hazardous ones"],
        "shipments; destination_port_id=PRT-HAM; hazardous=true",
        "",
    ),
];

#[tokio::test]
async fn a_quality_that_no_field_measures_is_refused() {
    check(QUALITIES).await;
}

#[tokio::test]
async fn a_relation_that_no_field_has_is_refused_before_its_name_is_asked_for() {
    check(RELATIONS).await;
}

#[tokio::test]
async fn a_change_with_a_condition_that_no_field_has_is_refused() {
    check(CHANGES).await;
}
