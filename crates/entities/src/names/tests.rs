use super::*;

pub(crate) fn thing(id: &str, name: &str, aliases: &[&str]) -> Thing {
    Thing {
        id: id.to_owned(),
        name: name.to_owned(),
        aliases: aliases.iter().map(|&alias| alias.to_owned()).collect(),
        description: None,
    }
}

fn ports() -> Names {
    Names::new(
        ("shipping", "ports"),
        "port",
        &["port".to_owned(), "ports".to_owned()],
        [
            thing("USMIA", "Port of Miami", &["PortMiami"]),
            thing("USMCT", "Miami Container Terminal", &[]),
            thing("CNSHA", "Port of Shanghai", &["Shanghai"]),
            thing("CAHAL", "Port of Halifax", &[]),
            thing("CASJF", "St. John's", &[]),
            thing("BRSSZ", "São Sebastião Terminal", &[]),
            thing("NLRTM", "Rotterdam Maasvlakte", &[]),
        ],
    )
}

fn found(mention: &str) -> Vec<(String, MatchedBy)> {
    let ports = ports();
    let hits = ports.find(mention);
    hits.iter()
        .map(|hit| (ports.things()[hit.thing].id.clone(), hit.matched_by))
        .collect()
}

#[test]
fn things_are_found_by_their_names() {
    use MatchedBy as M;
    for (mention, id, by) in [
        ("USMIA", "USMIA", M::Id),
        ("Port of Miami", "USMIA", M::Name),
        ("PortMiami", "USMIA", M::Alias),
        ("usmia", "USMIA", M::Normalised),
        ("PORT OF MIAMI", "USMIA", M::Normalised),
        ("pt. of miami", "USMIA", M::Normalised),
        ("Saint John", "CASJF", M::Normalised),
        ("sao sebastiao terminal", "BRSSZ", M::Normalised),
        ("Miami port", "USMIA", M::Words),
        ("miami container", "USMCT", M::Words),
        ("the port Halifax", "CAHAL", M::Words),
        ("Shangai", "CNSHA", M::Trigram),
        ("Roterdam", "NLRTM", M::Trigram),
        ("USMIIA", "USMIA", M::Trigram),
        ("Port of Shanghai, China", "CNSHA", M::Words),
    ] {
        let found = found(mention);
        assert_eq!(
            found.first(),
            Some(&(id.to_owned(), by)),
            "{mention}: {found:?}"
        );
    }
}

#[test]
fn a_word_of_two_names_means_both_about_equally() {
    let ports = ports();
    for mention in ["Miami", "miami", "Miamii", "Maimi"] {
        let hits = ports.find(mention);
        assert_eq!(hits.len(), 2, "{mention}: {hits:?}");
        assert!(hits[0].score - hits[1].score < 0.08, "{mention}: {hits:?}");
    }
    assert!(ports.find("Miami")[0].score > 0.85);
    assert!(ports.find("Miamii")[0].score < 0.85);
}

#[test]
fn dissimilar_words_have_no_hits() {
    for mention in ["", "?", "qqqqq", "the", "\u{0}"] {
        assert!(found(mention).is_empty(), "{mention}");
    }
}

#[test]
fn words_that_many_names_have_score_low() {
    let many =
        (0..100).map(|number| thing(&format!("P{number}"), &format!("Port Number{number}"), &[]));
    let ports = Names::new(("s", "ports"), "harbor", &[], many);
    assert!(
        ports
            .find("port")
            .iter()
            .all(|hit| hit.score <= USUAL_WORDS)
    );
    assert_eq!(ports.find("port").len(), MOST);
    assert!(ports.find("number7")[0].score > 0.85);
}

#[test]
fn the_first_of_two_things_with_one_id_is_used() {
    let names = Names::new(
        ("s", "i"),
        "t",
        &[],
        [
            thing("1", "One", &[]),
            thing("1", "Another", &[]),
            thing("", "Unnamed", &[]),
        ],
    );
    assert_eq!(
        (names.things().len(), names.get("1").unwrap().name.as_str()),
        (1, "One")
    );
    assert!(names.find("Unnamed").is_empty());
}

#[test]
fn fifty_thousand_names_are_distinguished() {
    let syllables = [
        "mar", "lo", "ken", "ti", "sou", "bra", "del", "fi", "gan", "hul",
    ];
    let name = |number: usize| {
        let word = |mut rest: usize| {
            let mut word = String::new();
            for _ in 0..3 {
                word += syllables[rest % 10];
                rest /= 10;
            }
            word
        };
        format!("{} {} {number}", word(number), word(number / 50))
    };
    let things = (0..50_000).map(|number| thing(&format!("T{number}"), &name(number), &[]));
    let names = Names::new(("s", "vessels"), "vessel", &[], things);
    for number in [7, 12_345, 49_999] {
        let exact = names.find(&name(number));
        assert_eq!(
            (exact[0].thing, exact[0].matched_by),
            (number, MatchedBy::Name)
        );
        let misspelt = name(number).replacen("ar", "a", 1).replacen("en", "on", 1) + "x";
        let near = names.find(&misspelt);
        assert!(near.iter().any(|hit| hit.thing == number), "{misspelt}");
    }
}

#[test]
fn initials_in_capitals_are_of_a_name() {
    let names = Names::new(
        ("shipping", "ports"),
        "port",
        &["port".to_owned(), "ports".to_owned()],
        [
            thing("USLAX", "Port of Los Angeles", &[]),
            thing("USNYC", "Port of New York and New Jersey", &[]),
            thing("HKHKG", "Port of Hong Kong", &[]),
            thing("DEHAM", "Port of Hamburg", &[]),
        ],
    );
    let found = |mention: &str| -> Vec<String> {
        let hits = names.find(mention);
        hits.iter()
            .map(|hit| names.things()[hit.thing].id.clone())
            .collect()
    };
    assert_eq!(found("LA"), ["USLAX"]);
    assert_eq!(found("NY"), ["USNYC"]);
    assert_eq!(found("NYNJ"), ["USNYC"]);
    assert_eq!(found("HK"), ["HKHKG"]);
}
