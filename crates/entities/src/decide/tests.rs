use super::*;
use crate::names::tests::thing;
use crate::question::option_of;

fn names() -> Vec<Names> {
    vec![
        Names::new(
            ("shipping", "ports"),
            "port",
            &["port".to_owned()],
            [
                thing("USMIA", "Port of Miami", &[]),
                thing("USMCT", "Miami Container Terminal", &[]),
                thing("CNSHA", "Port of Shanghai", &["Shanghai"]),
                thing("GBSOU", "Southampton", &[]),
            ],
        ),
        Names::new(
            ("shipping", "vessels"),
            "vessel",
            &["vessel".to_owned()],
            [
                thing("V1", "MSC ANNA", &[]),
                thing("V2", "Anna", &[]),
                thing("V3", "Aurora", &[]),
                thing("V4", "Aurora", &[]),
                thing("V5", "AURORA STAR", &["Southampton"]),
            ],
        ),
    ]
}

fn of(mention: &str, entity_type: Option<&str>, best_guess: bool) -> Decision {
    let names = names();
    let names: Vec<&Names> = names.iter().collect();
    let candidates = candidates(mention, entity_type, &names);
    decide(
        mention,
        &candidates,
        None,
        &Thresholds::default(),
        best_guess,
    )
}

/// A decision in short: `+id`, `?id,id` or `-`.
fn in_short(decision: &Decision) -> String {
    let ids = |candidates: &[EntityCandidate]| {
        let mut ids: Vec<&str> = candidates
            .iter()
            .map(|candidate| candidate.id.as_str())
            .collect();
        ids.sort_unstable();
        ids.join(",")
    };
    match decision {
        Decision::Resolved(entity) => format!("+{}", entity.id),
        Decision::Ambiguous(entity) => format!("?{}", ids(&entity.candidates)),
        Decision::Unresolved(_) => "-".to_owned(),
    }
}

#[test]
fn certain_meanings_are_taken_and_others_are_asked() {
    for (mention, entity_type, expected) in [
        ("Port of Miami", None, "+USMIA"),
        ("port of miami", None, "+USMIA"),
        ("Miami port", None, "+USMIA"),
        ("Miami", None, "?USMCT,USMIA"),
        ("Miamii", None, "?USMCT,USMIA"),
        ("Shangai", None, "+CNSHA"),
        ("Anna", None, "+V2"),
        ("MSC ANA", None, "+V1"),
        ("Aurora", None, "?V3,V4"),
        ("Southampton", None, "?GBSOU,V5"),
        ("Southampton", Some("port"), "+GBSOU"),
        ("Southampton", Some("vessels"), "+V5"),
        ("Southampton", Some("planet"), "?GBSOU,V5"),
        ("Atlantis", None, "-"),
        ("", None, "-"),
    ] {
        assert_eq!(
            in_short(&of(mention, entity_type, false)),
            expected,
            "{mention}"
        );
    }
}

#[test]
fn words_that_are_not_like_a_name_mean_nothing() {
    let ports = Names::new(
        ("shipping", "ports"),
        "port",
        &["port".to_owned()],
        [
            thing("ESCAR", "Port of Cartagena (Spain)", &[]),
            thing("DEHAM", "Port of Hamburg", &[]),
        ],
    );
    for (mention, expected) in [
        ("Captain Nemo", "-"),
        ("Peter Hamilton", "-"),
        ("Ham burg", "?DEHAM"),
        ("Hamburgg", "?DEHAM"),
        ("Cartagna Spain", "?ESCAR"),
    ] {
        let candidates = candidates(mention, None, &[&ports]);
        let thresholds = Thresholds::default();
        let found = decide(mention, &candidates, None, &thresholds, false);
        let found = in_short(&found).replace('+', "?");
        assert_eq!(found, expected, "{mention}");
    }
}

#[test]
fn a_guess_takes_the_most_likely_candidate_and_invents_nothing() {
    assert_eq!(in_short(&of("Miami", None, true)), "+USMIA");
    assert!(["+USMIA", "+USMCT"].contains(&in_short(&of("Miamii", None, true)).as_str()));
    assert_eq!(in_short(&of("Atlantis", None, true)), "-");
}

#[test]
fn an_earlier_choice_replaces_a_question_and_nothing_else() {
    let names = names();
    let names: Vec<&Names> = names.iter().collect();
    let [terminal] = option_of("USMCT", &names)[..].to_vec().try_into().unwrap();
    for (mention, expected) in [
        ("Miami", "+USMCT"),
        ("Port of Miami", "+USMIA"),
        ("Atlantis", "+USMCT"),
    ] {
        let candidates = candidates(mention, None, &names);
        let decision = decide(
            mention,
            &candidates,
            Some(&terminal),
            &Thresholds::default(),
            false,
        );
        assert_eq!(in_short(&decision), expected, "{mention}");
    }
}

#[test]
fn one_question_covers_all_uncertain_mentions() {
    let decisions =
        ["Miami", "Aurora", "Atlantis", "Shanghai"].map(|mention| of(mention, None, false));
    let resolution = resolution(decisions);
    assert_eq!(resolution.resolved.len(), 1);
    let clarification = resolution.clarification.unwrap();
    assert_eq!(
        clarification.question,
        "Which Miami: Port of Miami or Miami Container Terminal? Which Aurora: Aurora (V3) or Aurora (V4)? \
         I know nothing called \u{201c}Atlantis\u{201d}. What do you mean?"
    );
    let about: Vec<&str> = clarification
        .parts
        .iter()
        .map(|part| part.about.as_str())
        .collect();
    assert_eq!(about, ["entity:Miami", "entity:Aurora", "entity:Atlantis"]);
    assert_eq!(clarification.parts[0].options[0].id, "USMIA");
    assert_eq!(clarification.parts[1].options[0].aliases, ["Aurora"]);
}

#[test]
fn similar_names_are_offered_as_similar() {
    let Decision::Ambiguous(miami) = of("Miamii", None, false) else {
        panic!("it is not certain");
    };
    assert_eq!(
        miami.message,
        "I know nothing called \u{201c}Miamii\u{201d}. Did you mean Port of Miami or Miami Container Terminal?"
    );
}

#[test]
fn one_thing_in_two_sources_is_one_thing() {
    let port = || [thing("USMIA", "Port of Miami", &[])];
    let one = Names::new(("a", "ports"), "port", &[], port());
    let another = Names::new(("b", "harbours"), "port", &[], port());
    let other = Names::new(
        ("c", "ports"),
        "port",
        &[],
        [thing("USMIA", "Miami Terminal", &[])],
    );
    assert_eq!(candidates("USMIA", None, &[&one, &another]).len(), 1);
    assert_eq!(candidates("USMIA", None, &[&one, &other]).len(), 2);
    let decision = decide(
        "USMIA",
        &candidates("USMIA", None, &[&one, &other]),
        None,
        &Thresholds::default(),
        false,
    );
    let clarification = resolution([decision]).clarification.unwrap();
    let options = &clarification.parts[0].options;
    assert_eq!(
        (options[0].id.as_str(), options[1].id.as_str()),
        ("a/port/USMIA", "c/port/USMIA")
    );
    for option in options {
        assert_eq!(option_of(&option.id, &[&one, &other]).len(), 1);
    }
    assert!(option_of("nothing", &[&one]).is_empty());
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_thing_in_a_decision_is_in_an_index(mention in "(Miami|MSC|Anna|Aurora|of|Port|Shangai|\\PC| ){0,6}", guess: bool) {
            let names = names();
            let known = |id: &str| names.iter().any(|names| names.get(id).is_some());
            match of(&mention, None, guess) {
                Decision::Resolved(entity) => prop_assert!(known(&entity.id) && entity.confidence <= 1.0),
                Decision::Ambiguous(entity) => {
                    prop_assert!((1..=5).contains(&entity.candidates.len()));
                    prop_assert!(entity.candidates.iter().all(|candidate| known(&candidate.id)));
                }
                Decision::Unresolved(entity) => {
                    prop_assert!(entity.nearest.len() <= 5 && entity.nearest.iter().all(|candidate| known(&candidate.id)));
                }
            }
        }

        #[test]
        fn a_name_means_its_thing_however_it_is_written(at in 0_usize..4, upper: bool) {
            let names = names();
            let thing = &names[0].things()[at];
            let written = if upper { thing.name.to_uppercase() } else { thing.name.to_lowercase() };
            prop_assert_eq!(in_short(&of(&written, Some("port"), false)), format!("+{}", thing.id));
        }
    }
}

#[test]
fn another_number_is_another_thing() {
    let shipments = Names::new(
        ("shipping", "shipments"),
        "shipment",
        &["shipment".to_owned()],
        [
            thing("SHP-100123", "HF-10373", &[]),
            thing("SHP-100124", "HF-10374", &[]),
        ],
    );
    let names = [&shipments];
    let of = |mention: &str, best_guess: bool| {
        let found = candidates(mention, None, &names);
        let decided = decide(mention, &found, None, &Thresholds::default(), best_guess);
        in_short(&decided)
    };
    assert_eq!(of("SHP-100123", false), "+SHP-100123");
    assert_eq!(of("shp 100123", false), "+SHP-100123");
    for best_guess in [false, true] {
        assert_eq!(of("SHP-000123", best_guess), "-");
    }
}
