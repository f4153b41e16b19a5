use contracts::data_overview::{DocumentGlance, LoggerGlance, TargetGlance};
use serde_json::json;

use super::*;

fn overview() -> DataOverview {
    let day = NaiveDate::from_ymd_opt(2026, 5, 4).unwrap();
    let logger = |id: &str, day_with_first: Option<NaiveDate>| LoggerGlance {
        logger_id: id.to_owned(),
        latest_day: day,
        day_with_first,
    };
    let indices = json!([{
        "name": "parcels", "nouns": ["parcel", "parcels"], "shown": [], "fields": [
            { "name": "weight_kg", "field_type": "double", "unit": "kg" },
            { "name": "handling_state", "field_type": "keyword", "values": ["new", "on_hold"] },
        ],
    }]);
    DataOverview {
        loggers: vec![logger("NORTH-1", None), logger("SOUTH-2", Some(day))],
        targets: vec![TargetGlance {
            name: "shop".to_owned(),
            description: None,
            questions: vec!["How many orders are open?".to_owned()],
        }],
        sources: vec![SourceGlance {
            name: "depot".to_owned(),
            description: None,
            indices: serde_json::from_value(indices).unwrap(),
        }],
        documents: vec![DocumentGlance {
            title: "Handbook".to_owned(),
            topic: Some("Fire drills".to_owned()),
        }],
        upstreams: Vec::new(),
    }
}

fn messages(introduction: &Introduction) -> Vec<&str> {
    let starters = introduction.starters.iter();
    starters.map(|starter| starter.message.as_str()).collect()
}

#[test]
fn starters_are_made_of_the_tenants_own_data() {
    let overview = overview();
    assert_eq!(
        messages(&site(Some(&overview))),
        [
            "Morning briefing",
            "Check the health of NORTH-1",
            "Compare NORTH-1 and SOUTH-2 on energy on 4 May 2026",
            "Financial report"
        ]
    );
    assert_eq!(
        messages(&data(Some(&overview))),
        ["How many orders are open?"]
    );
    assert_eq!(
        messages(&analyst(Some(&overview))),
        [
            "How many parcels are there by handling state?",
            "Average weight kg by handling state",
            "Show parcels with handling state on hold"
        ]
    );
    assert_eq!(
        messages(&advisor(Some(&overview))),
        ["What do the documents say about \u{201c}Fire drills\u{201d}?"]
    );
    assert!(analyst(Some(&overview)).description.contains("parcels"));
}

#[test]
fn devices_are_compared_on_a_day_that_both_have() {
    let mut overview = overview();
    overview.loggers[1].day_with_first = None;
    let alone = "Power curve of NORTH-1 on 4 May 2026";
    assert!(messages(&site(Some(&overview))).contains(&alone));
    overview.loggers.push(LoggerGlance {
        logger_id: "EAST-3".to_owned(),
        latest_day: NaiveDate::from_ymd_opt(2026, 5, 3).unwrap(),
        day_with_first: NaiveDate::from_ymd_opt(2026, 4, 30),
    });
    let both = "Compare NORTH-1 and EAST-3 on energy on 30 April 2026";
    assert!(messages(&site(Some(&overview))).contains(&both));
}

#[test]
fn without_data_it_is_said_what_to_connect() {
    let nothing = DataOverview::default();
    for (introduction, what) in [
        (site(Some(&nothing)), "readings"),
        (data(Some(&nothing)), "[[targets]]"),
        (analyst(Some(&nothing)), "[[sources]]"),
        (advisor(Some(&nothing)), "documents"),
    ] {
        let description = introduction.of("x");
        assert!(!description.available && description.starters.is_empty());
        let missing = description.missing.unwrap();
        assert!(missing.contains(what), "{missing}");
        assert!(
            description
                .connect
                .unwrap()
                .label
                .starts_with("Connect your ")
        );
    }
}

#[test]
fn a_data_service_that_is_away_is_not_taken_for_no_data() {
    for introduction in [site(None), data(None), analyst(None), advisor(None)] {
        let missing = introduction.missing.unwrap();
        assert!(missing.contains("cannot be reached"), "{missing}");
    }
}

#[test]
fn a_caller_is_offered_only_the_way_that_the_caller_may_take() {
    let nothing = DataOverview::default();
    for (introduction, scope) in [
        (site(Some(&nothing)), "sites:write"),
        (data(Some(&nothing)), "targets:write"),
        (analyst(Some(&nothing)), "targets:write"),
        (advisor(Some(&nothing)), "documents:write"),
    ] {
        let offered = introduction.clone().seen_by(|own| own == scope);
        assert_eq!(offered, introduction);
        let read = introduction.seen_by(|own| own == "tools:read").of("x");
        let missing = read.missing.unwrap();
        assert!(!read.available && read.connect.is_none());
        assert!(missing.contains("of your tenant"), "{missing}");
        assert!(
            !missing.contains('`') && !missing.contains("tools.toml"),
            "{missing}"
        );
    }
}
