//! What carries shipments.

use demo_chance::Chance;

/// A vessel.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Vessel {
    pub(super) id: String,
    pub(super) name: &'static str,
    /// Seven digits, the last of which checks the others.
    pub(super) imo: String,
    pub(super) carrier: &'static str,
    pub(super) flag: &'static str,
    pub(super) built: i32,
    pub(super) capacity_teu: i32,
    pub(super) status: &'static str,
    pub(super) current_port: Option<&'static str>,
}

/// The carrier that is always late.
pub(super) const SLOW_CARRIER: &str = "Blue Meridian Lines";

/// The vessel that met a storm.
pub(super) const STORM_VESSEL: &str = "MSC ANNA";

const CARRIERS: [&str; 5] = [
    "Mediterranean Shipping",
    "Nordhavn Container",
    SLOW_CARRIER,
    "Pacific Crown",
    "Southern Star Marine",
];

/// A vessel's name, its carrier by number, and its size.
const VESSELS: [(&str, usize, i32); 22] = [
    (STORM_VESSEL, 0, 19_200),
    ("MSC BEATRICE", 0, 14_000),
    ("MSC CORDELIA", 0, 8_800),
    ("MSC DELPHINE", 0, 15_600),
    ("MSC ESTELLA", 0, 11_700),
    ("ANNA NORDHAVN", 1, 9_400),
    ("ASTRID NORDHAVN", 1, 13_100),
    ("FREYA NORDHAVN", 1, 18_300),
    ("INGRID NORDHAVN", 1, 8_500),
    ("MERIDIAN AURORA", 2, 6_700),
    ("MERIDIAN BREEZE", 2, 6_700),
    ("MERIDIAN CORAL", 2, 5_100),
    ("MERIDIAN DAWN", 2, 4_300),
    ("PACIFIC CROWN I", 3, 14_400),
    ("PACIFIC CROWN II", 3, 14_400),
    ("PACIFIC CROWN III", 3, 16_000),
    ("CROWN JADE", 3, 10_100),
    ("SOUTHERN CROSS", 4, 5_900),
    ("SOUTHERN LIGHT", 4, 5_900),
    ("SOUTHERN STAR", 4, 7_200),
    ("SOUTHERN TRADER", 4, 3_400),
    ("SOUTHERN VOYAGER", 4, 8_000),
];

const FLAGS: [&str; 5] = ["Panama", "Liberia", "Marshall Islands", "Malta", "Portugal"];

/// The vessels that a tenant knows: of the other, every second carrier's.
pub(super) fn of(tenant: &str) -> Vec<Vessel> {
    VESSELS
        .iter()
        .enumerate()
        .filter(|(_, (_, carrier, _))| tenant == "demo" || carrier % 2 == 0)
        .map(|(number, &(name, carrier, capacity_teu))| {
            let chance = Chance::new(0x5E1).of(number as u64);
            let in_port = chance.of(1).happens(0.4);
            Vessel {
                id: format!("VSL-{:03}", number + 1),
                name,
                imo: imo(9_400 + number),
                carrier: CARRIERS[carrier],
                flag: FLAGS[number % FLAGS.len()],
                built: 2004 + i32::try_from(number * 7 % 18).unwrap_or_default(),
                capacity_teu,
                status: if in_port { "in_port" } else { "at_sea" },
                current_port: in_port.then(|| {
                    ["Port of Miami", "Port of Rotterdam", "Port of Shanghai"][number % 3]
                }),
            }
        })
        .collect()
}

/// An IMO number: six digits weighed 7 to 2, and the last digit of their sum.
fn imo(number: usize) -> String {
    let digits = format!("{number}{:02}", number * 37 % 100);
    let sum: u32 = digits
        .chars()
        .filter_map(|digit| digit.to_digit(10))
        .zip((2..=7).rev())
        .map(|(digit, weight)| digit * weight)
        .sum();
    format!("{digits}{}", sum % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imo_numbers_check_themselves() {
        // The one that the IMO's own explanation takes as its example is 9074729.
        let check: u32 = "907472"
            .chars()
            .filter_map(|digit| digit.to_digit(10))
            .zip((2..=7).rev())
            .map(|(digit, weight)| digit * weight)
            .sum();
        assert_eq!(check % 10, 9);
        for vessel in of("demo") {
            assert_eq!(vessel.imo.len(), 7, "{}", vessel.imo);
        }
    }
}
