//! Numbers and units as loggers write them.

/// The content of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell {
    /// No value.
    Missing,
    /// A number, all of it.
    Number(f64),
    /// Anything else.
    Text,
}

/// The quantity of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Power, kept in W.
    Power,
    /// Energy, kept in kWh.
    Energy,
    /// Irradiance, kept in W/m².
    Irradiance,
}

/// Whether a cell says that there is no value.
pub fn is_missing(cell: &str) -> bool {
    let text = cell.trim();
    text.is_empty()
        || matches!(
            text.to_ascii_lowercase().as_str(),
            "-" | "--"
                | ": --"
                | "---"
                | "n/a"
                | "#n/a"
                | "na"
                | "null"
                | "nan"
                | "inf"
                | "-inf"
                | "infinity"
                | "none"
        )
}

/// Reads a cell. All of it must be a number: digits, one decimal mark, separators of thousands. One
/// comma without a point is the decimal mark; of both marks the last one is.
pub fn cell(cell: &str) -> Cell {
    let text = cell.trim();
    if is_missing(text) {
        return Cell::Missing;
    }
    number(text).map_or(Cell::Text, Cell::Number)
}

/// The number in a cell, if there is one.
pub fn value(cell: &str) -> Option<f64> {
    number(cell.trim())
}

fn number(text: &str) -> Option<f64> {
    let commas = text.matches(',').count();
    let points = text.matches('.').count();
    match (commas, points) {
        (0, _) => plain(text),
        (1, 0) => plain(&text.replace(',', ".")),
        (_, 0) => grouped(text, ',', '.'),
        _ if text.rfind(',') > text.rfind('.') => grouped(text, '.', ','),
        _ => grouped(text, ',', '.'),
    }
}

/// Reads a cell of a file whose decimal mark is known.
pub fn value_with(cell: &str, decimal: char) -> Option<f64> {
    let text = cell.trim();
    let separator = if decimal == ',' { '.' } else { ',' };
    if text.contains(separator) {
        return grouped(text, separator, decimal);
    }
    plain(&text.replace(decimal, "."))
}

fn plain(text: &str) -> Option<f64> {
    let starts = text
        .trim_start_matches(['+', '-'])
        .starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let allowed = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E'));
    if !starts || !allowed {
        return None;
    }
    let number: f64 = text.parse().ok()?;
    // -0 is 0.
    number.is_finite().then_some(number + 0.0)
}

fn grouped(text: &str, separator: char, decimal: char) -> Option<f64> {
    let (whole, fraction) = match text.split_once(decimal) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    if fraction.is_some_and(|fraction| fraction.contains(separator) || fraction.contains(decimal)) {
        return None;
    }
    let mut groups = whole.trim_start_matches(['+', '-']).split(separator);
    let first = groups
        .next()
        .is_some_and(|group| (1..=3).contains(&group.len()));
    if !first || !groups.all(|group| group.len() == 3) {
        return None;
    }
    let whole: String = whole.chars().filter(|c| *c != separator).collect();
    plain(&match fraction {
        Some(fraction) => format!("{whole}.{fraction}"),
        None => whole,
    })
}

/// The use of a mark in a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separators {
    /// Not at all.
    None {
        /// Number of its digits.
        digits: usize,
        /// It is 0.
        is_zero: bool,
    },
    /// As between thousands: `1.234`.
    Groups,
    /// As before a fraction: `0.567`, `1.5`.
    Other,
}

/// The use of `mark` in the digits of a cell.
pub fn separators(cell: &str, mark: char) -> Separators {
    let text = cell.trim().trim_start_matches(['+', '-']);
    let whole = match text.rsplit_once(if mark == '.' { ',' } else { '.' }) {
        Some((whole, _)) => whole,
        None => text,
    };
    let mut groups = whole.split(mark);
    let first = groups.next().unwrap_or_default();
    let rest: Vec<&str> = groups.collect();
    if rest.is_empty() {
        return Separators::None {
            digits: first.len(),
            is_zero: first.bytes().all(|byte| byte == b'0'),
        };
    }
    let begins = (1..=3).contains(&first.len()) && !first.starts_with('0');
    if begins && rest.iter().all(|group| group.len() == 3) {
        Separators::Groups
    } else {
        Separators::Other
    }
}

/// The quantity of a unit and the factor to the unit in which it is kept.
pub fn unit(text: &str) -> Option<(Quantity, f64)> {
    let text: String = text
        .trim()
        .trim_matches(['[', ']', '(', ')'])
        .chars()
        .filter(|c| !matches!(c, ' ' | '^' | '.' | '*'))
        .map(|c| if c == '²' { '2' } else { c })
        .collect();
    let lower = text.to_ascii_lowercase();
    let known = match lower.as_str() {
        "w" | "watt" | "wac" | "wac." => (Quantity::Power, 1.0),
        "kw" | "kwac" => (Quantity::Power, 1e3),
        // A milliwatt is not a unit of plants.
        "mw" => (Quantity::Power, 1e6),
        "wh" => (Quantity::Energy, 1e-3),
        "kwh" => (Quantity::Energy, 1.0),
        "mwh" => (Quantity::Energy, 1e3),
        "gwh" => (Quantity::Energy, 1e6),
        "w/m2" | "w/qm" | "wm-2" | "w/m-2" | "w/sqm" => (Quantity::Irradiance, 1.0),
        "kw/m2" | "kwm-2" => (Quantity::Irradiance, 1e3),
        "mw/cm2" => (Quantity::Irradiance, 10.0),
        _ => return None,
    };
    Some(known)
}

/// Splits `Pac (kW)`, `Pac [kW]` or `Pac_kW` into the name and its unit.
pub fn name_and_unit(header: &str) -> (String, Option<String>) {
    let header = header.trim();
    // A name may be only the unit. A small w is rather a word that was cut.
    if unit(header).is_some() && header != "w" {
        return (header.to_owned(), Some(header.to_owned()));
    }
    for (open, close) in [('(', ')'), ('[', ']')] {
        if let Some(start) = header.rfind(open)
            && let Some(length) = header[start..].find(close)
        {
            let inside = header[start + 1..start + length].trim();
            if unit(inside).is_some() || inside.chars().count() <= 6 {
                let name = format!("{}{}", &header[..start], &header[start + length + 1..]);
                return (name.trim().to_owned(), Some(inside.to_owned()));
            }
        }
    }
    if let Some((name, last)) = header.rsplit_once(['_', ' ', '-', ',', '/'])
        && unit(last).is_some()
        && (last.len() > 1 || header.contains(", "))
    {
        return (
            name.trim_end_matches([' ', ',', '_']).to_owned(),
            Some(last.to_owned()),
        );
    }
    (header.to_owned(), None)
}

/// A value with its unit behind it, such as `2.4kW`.
pub fn value_and_unit(text: &str) -> Option<(f64, Option<&str>)> {
    let text = text.trim();
    if let Some(number) = number(text) {
        return Some((number, None));
    }
    let at = text.find(|c: char| c.is_alphabetic() || c == '%' || c == '°')?;
    let (digits, unit) = text.split_at(at);
    Some((number(digits.trim())?, Some(unit.trim())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_a_number_only_as_a_whole() {
        for (text, expected) in [
            ("12", Cell::Number(12.0)),
            ("-0", Cell::Number(0.0)),
            ("12,5", Cell::Number(12.5)),
            ("1.234,5", Cell::Number(1234.5)),
            ("1,234.5", Cell::Number(1234.5)),
            ("1,234,567", Cell::Number(1_234_567.0)),
            ("1e3", Cell::Number(1000.0)),
            ("12abc", Cell::Text),
            ("1.2.3", Cell::Text),
            ("1,23,4", Cell::Text),
            ("0x10", Cell::Text),
            ("", Cell::Missing),
            ("--", Cell::Missing),
            (" N/A ", Cell::Missing),
            ("NaN", Cell::Missing),
        ] {
            assert_eq!(cell(text), expected, "{text:?}");
        }
        assert!(!value("-0").unwrap().is_sign_negative());
    }

    #[test]
    fn units_are_read_in_and_behind_names() {
        assert_eq!(unit("kWh"), Some((Quantity::Energy, 1.0)));
        assert_eq!(unit("[W/m²]"), Some((Quantity::Irradiance, 1.0)));
        assert_eq!(unit("%"), None);
        let split = |text| name_and_unit(text);
        assert_eq!(split("Pac (kW)"), ("Pac".to_owned(), Some("kW".to_owned())));
        assert_eq!(
            split("power_kw"),
            ("power".to_owned(), Some("kw".to_owned()))
        );
        assert_eq!(split("kWh"), ("kWh".to_owned(), Some("kWh".to_owned())));
        assert_eq!(split("Einstrahlung (Sensor West)").1, None);
        assert_eq!(value_and_unit("2.4kW"), Some((2.4, Some("kW"))));
        assert_eq!(value_and_unit("fault"), None);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in ".{0,20}") {
            let _ = (cell(&text), value_with(&text, ','), unit(&text), name_and_unit(&text), value_and_unit(&text));
        }
    }
}
