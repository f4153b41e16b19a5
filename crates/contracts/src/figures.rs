//! Figures as people read them, in one rounding for every sentence, row and card.
//!
//! A quantity is rounded once, in the tool's result. Whatever shows it, here or on the page, writes
//! that number with as many places as matter, by the same rule: from the decimal digits of the
//! number, a half away from zero, as browsers do. (`format!` rounds the binary fraction, which
//! makes 21.1 of 21.15.)
//!
//! ```
//! use contracts::figures::{energy, figure, power};
//!
//! assert_eq!(figure(21.15), "21.2");
//! assert_eq!(energy(42.45), "42.5 kWh");
//! assert_eq!(power(4204.0), "4.2 kW");
//! ```

/// A number with `decimals` places and commas between thousands; `-0` is `0`.
pub fn decimal(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return "an unknown number of".to_owned();
    }
    let text = rounded(value.abs(), decimals);
    let (whole, fraction) = text
        .split_once('.')
        .map_or((text.as_str(), None), |(whole, fraction)| {
            (whole, Some(fraction))
        });
    let zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    let mut out = String::with_capacity(text.len() + text.len() / 3 + 1);
    if value < 0.0 && !zero {
        out.push('-');
    }
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// A non-negative number with `decimals` places, rounded by its shortest decimal digits.
fn rounded(value: f64, decimals: usize) -> String {
    let shortest = value.to_string();
    let (whole, fraction) = shortest.split_once('.').unwrap_or((&shortest, ""));
    let mut digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
    let kept = whole.len() + decimals;
    let up = digits.get(kept).is_some_and(|digit| *digit >= b'5');
    digits.resize(kept, b'0');
    if up {
        let nines = digits
            .iter()
            .rev()
            .take_while(|digit| **digit == b'9')
            .count();
        let at = digits.len() - nines;
        digits[at..].fill(b'0');
        match at.checked_sub(1) {
            Some(last) => digits[last] += 1,
            None => digits.insert(0, b'1'),
        }
    }
    let mut text: String = digits.into_iter().map(char::from).collect();
    if decimals > 0 {
        text.insert(text.len() - decimals, '.');
    }
    text
}

/// A number with as many places as matter: none from 100 on, one from 10 on, two below; trailing
/// zeros dropped.
pub fn figure(value: f64) -> String {
    let decimals = match value.abs() {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    let text = decimal(value, decimals);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A power given in W.
pub fn power(watts: f64) -> String {
    match watts.abs() {
        w if w >= 999_500.0 => format!("{} MW", figure(watts / 1e6)),
        w if w >= 999.5 => format!("{} kW", figure(watts / 1e3)),
        _ => format!("{} W", decimal(watts, 0)),
    }
}

/// An energy given in kWh.
pub fn energy(kwh: f64) -> String {
    match kwh.abs() {
        e if e >= 9_999_500.0 => format!("{} GWh", figure(kwh / 1e6)),
        e if e >= 9_999.5 => format!("{} MWh", figure(kwh / 1e3)),
        _ => format!("{} kWh", figure(kwh)),
    }
}

/// A mass given in kg.
pub fn mass(kg: f64) -> String {
    match kg.abs() {
        m if m >= 9_999.5 => format!("{} t", figure(kg / 1e3)),
        _ => format!("{} kg", figure(kg)),
    }
}

/// A percentage, one place at most.
pub fn percent(value: f64) -> String {
    let text = decimal(value, 1);
    format!("{} %", text.strip_suffix(".0").unwrap_or(&text))
}

/// A day with its age: "yesterday, 4 December 2025", "1 June 2026, 3 days ago".
pub fn aged_day(day: &str, days: i64) -> String {
    match days {
        0 => format!("today, {day}"),
        1 => format!("yesterday, {day}"),
        -1 => format!("tomorrow, {day}"),
        ..0 => format!("{day}, in {} days", days.unsigned_abs()),
        _ => format!("{day}, {days} days ago"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_half_goes_up_as_on_the_page() {
        // The same table as in `format.test.js`.
        for (value, expected) in [
            (21.15, "21.2"),
            (42.45, "42.5"),
            (1.005, "1.01"),
            (0.994_9, "0.99"),
            (9.995, "10"),
            (99.95, "100"),
            (1234.5, "1,235"),
            (8.0, "8"),
            (-21.15, "-21.2"),
            (-0.001, "0"),
            (0.0, "0"),
        ] {
            assert_eq!(figure(value), expected);
        }
        assert_eq!(decimal(0.999, 2), "1.00");
        assert_eq!(decimal(999.999, 1), "1,000.0");
        assert_eq!(decimal(5e-9, 2), "0.00");
    }

    #[test]
    fn a_day_has_an_age() {
        for (days, expected) in [
            (0, "today, 1 June"),
            (1, "yesterday, 1 June"),
            (2, "1 June, 2 days ago"),
            (-1, "tomorrow, 1 June"),
            (-3, "1 June, in 3 days"),
        ] {
            assert_eq!(aged_day("1 June", days), expected);
        }
    }

    #[test]
    fn units_grow_with_the_figure() {
        assert_eq!(energy(9_999.4), "9,999 kWh");
        assert_eq!(energy(9_999.5), "10 MWh");
        assert_eq!(energy(12_345_678.0), "12.3 GWh");
        assert_eq!(power(999.7), "1 kW");
        assert_eq!(mass(9_999.6), "10 t");
        assert_eq!(percent(21.15), "21.2 %");
        assert_eq!(percent(30.0), "30 %");
    }
}
