//! Fictitious names of people, firms, streets and places.

use super::dice::Dice;
use crate::rows::Secret;

const FIRST: [&str; 40] = [
    "Anna", "Ben", "Clara", "David", "Elena", "Felix", "Greta", "Hannes", "Ida", "Jonas", "Karin",
    "Lukas", "Mara", "Nils", "Olga", "Paul", "Rosa", "Simon", "Tara", "Uwe", "Vera", "Willem",
    "Yara", "Zeno", "Aylin", "Bruno", "Chiara", "Dario", "Emre", "Fiona", "Goran", "Helga", "Ivan",
    "Jürgen", "Klara", "Leif", "Mina", "Noah", "Önder", "Petra",
];

const LAST: [&str; 40] = [
    "Albrecht",
    "Bauer",
    "Celik",
    "Dietrich",
    "Ebert",
    "Fischer",
    "Graf",
    "Hoffmann",
    "Iversen",
    "Jansen",
    "Keller",
    "Lehmann",
    "Möller",
    "Neumann",
    "Ortega",
    "Peters",
    "Quist",
    "Richter",
    "Schäfer",
    "Thiel",
    "Ulrich",
    "Vogel",
    "Wagner",
    "Yilmaz",
    "Ziegler",
    "Arnold",
    "Brandt",
    "Conrad",
    "Dombrowski",
    "Engel",
    "Franke",
    "Günther",
    "Huber",
    "Jakobs",
    "Kovač",
    "Lorenz",
    "Marx",
    "Novák",
    "Otto",
    "O'Brien",
];

const FIRM_STEMS: [&str; 24] = [
    "Alster", "Birken", "Castor", "Domhof", "Elbe", "Falken", "Garten", "Hanse", "Insel", "Jade",
    "Kaiser", "Linden", "Markt", "Nord", "Ost", "Park", "Quell", "Rhein", "Stern", "Tannen",
    "Ufer", "Viktoria", "Weser", "Zentral",
];

const FIRM_KINDS: [&str; 10] = [
    "Hotel",
    "Klinik",
    "Logistik",
    "Immobilien",
    "Bäckerei",
    "Druckerei",
    "Brauerei",
    "Möbel",
    "Kino",
    "Fitness",
];

const PUBLIC_KINDS: [&str; 6] = [
    "Grundschule",
    "Gymnasium",
    "Rathaus",
    "Schwimmbad",
    "Bibliothek",
    "Feuerwehr",
];

const STREETS: [&str; 16] = [
    "Hauptstraße",
    "Bahnhofstraße",
    "Gartenweg",
    "Lindenallee",
    "Schulstraße",
    "Am Markt",
    "Industriestraße",
    "Ringstraße",
    "Bergstraße",
    "Mühlenweg",
    "Hafenstraße",
    "Kirchplatz",
    "Parkallee",
    "Uferstraße",
    "Feldweg",
    "Rosenweg",
];

/// City, region, first three digits of the postal code, latitude and longitude in hundredths of a
/// degree.
pub(super) const CITIES: [(&str, &str, i64, i64, i64); 10] = [
    ("Hamburg", "Hamburg", 203, 5355, 999),
    ("Bremen", "Bremen", 281, 5308, 880),
    ("Hannover", "Lower Saxony", 301, 5237, 973),
    ("Lübeck", "Schleswig-Holstein", 235, 5387, 1069),
    ("Kiel", "Schleswig-Holstein", 241, 5432, 1012),
    ("Oldenburg", "Lower Saxony", 261, 5314, 821),
    ("Rostock", "Mecklenburg", 180, 5409, 1210),
    ("Lüneburg", "Lower Saxony", 213, 5325, 1041),
    ("Stade", "Lower Saxony", 216, 5360, 948),
    ("Celle", "Lower Saxony", 292, 5262, 1008),
];

pub(super) struct Person {
    pub first: &'static str,
    pub last: &'static str,
}

/// The `n`th person of a company. The first 1,600 people have distinct names.
pub(super) fn person(n: usize) -> Person {
    let first = FIRST[n % FIRST.len()];
    let last = LAST[(n + n / FIRST.len() * 7 + n * 3) % LAST.len()];
    Person { first, last }
}

impl Person {
    pub(super) fn full(&self) -> String {
        format!("{} {}", self.first, self.last)
    }

    pub(super) fn email(&self, domain: &str) -> Secret {
        let name = format!("{}.{}", self.first, self.last).to_lowercase();
        let plain = name
            .replace('ä', "ae")
            .replace('ö', "oe")
            .replace('ü', "ue")
            .replace('č', "c")
            .replace('á', "a")
            .replace('\'', "");
        Secret(format!("{plain}@{domain}"))
    }
}

/// The name of the `n`th customer of a kind.
pub(super) fn customer(kind: &str, n: usize) -> String {
    let stem = FIRM_STEMS[n % FIRM_STEMS.len()];
    match kind {
        "residential" => format!("Family {}", person(n * 7 + 3).last),
        "public" => format!("{} {stem}", PUBLIC_KINDS[n / 3 % PUBLIC_KINDS.len()]),
        _ => format!("{stem} {} {}", FIRM_KINDS[n / 2 % FIRM_KINDS.len()], n + 1),
    }
}

pub(super) fn street(dice: &mut Dice) -> Secret {
    Secret(format!("{} {}", dice.pick(&STREETS), dice.between(1, 148)))
}

pub(super) fn phone(dice: &mut Dice) -> Secret {
    Secret(format!("+49 40 555{:05}", dice.between(0, 99_999)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn people_of_a_company_have_distinct_names() {
        let names: BTreeSet<String> = (0..300).map(|n| person(n).full()).collect();
        assert_eq!(names.len(), 300);
        assert_eq!(person(33).first, "Jürgen");
        assert!(person(33).email("x.example").0.starts_with("juergen."));
    }
}
