//! Figures in words.

/// A number for people: three significant digits at least, thousands apart, no zeros at the end.
pub(super) fn figure(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e15).contains(&size) {
        return format!("{value:.2e}");
    }
    let places = match size {
        size if size >= 1_000.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        size if size >= 0.01 => 3,
        _ => 5,
    };
    let text = format!("{value:.places$}");
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text.as_str()
    };
    match text {
        "-0" => "0".to_owned(),
        text => thousands(text),
    }
}

fn thousands(text: &str) -> String {
    let (sign, digits) = text
        .strip_prefix('-')
        .map_or(("", text), |digits| ("-", digits));
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut grouped = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{sign}{grouped}{rest}")
}

/// A number with its unit.
pub(super) fn amount(value: f64, unit: Option<&str>) -> String {
    match unit {
        Some(unit) => format!("{} {unit}", figure(value)),
        None => figure(value),
    }
}

/// The same with its sign.
pub(super) fn signed(value: f64, unit: Option<&str>) -> String {
    let sign = if value > 0.0 { "+" } else { "" };
    format!("{sign}{}", amount(value, unit))
}

/// A share in percent.
pub(super) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let text = format!("{percent:.1}");
    format!("{} %", text.strip_suffix(".0").unwrap_or(&text))
}

/// A p-value in words.
pub(super) fn p_value(p: f64) -> String {
    if p < 0.001 {
        "p < 0.001".to_owned()
    } else if p < 0.1 {
        format!("p = {p:.3}")
    } else {
        format!("p = {p:.2}")
    }
}

/// Number of something: `1 value`, `12 values`.
pub(super) fn counted(count: usize, one: &str, many: &str) -> String {
    format!(
        "{} {}",
        thousands(&count.to_string()),
        if count == 1 { one } else { many }
    )
}

/// `a, b and c`.
pub(super) fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// The same with a capital letter.
pub(super) fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_as_people_write_them() {
        for (value, text) in [
            (0.0, "0"),
            (-0.000_000_1, "-1.00e-7"),
            (12_345.67, "12,346"),
            (-1_234_567.0, "-1,234,567"),
            (123.456, "123.5"),
            (100.0, "100"),
            (12.0, "12"),
            (1.239, "1.24"),
            (0.123_4, "0.123"),
            (0.001_234, "0.00123"),
            (1e20, "1.00e20"),
            (-999.96, "-1,000"),
        ] {
            assert_eq!(figure(value), text, "{value}");
        }
        assert_eq!(signed(3.0, Some("h")), "+3 h");
        assert_eq!(percent(0.183), "18.3 %");
        assert_eq!(percent(0.5), "50 %");
        assert_eq!(
            (p_value(0.0), p_value(0.012_3), p_value(0.5)),
            (
                "p < 0.001".to_owned(),
                "p = 0.012".to_owned(),
                "p = 0.50".to_owned()
            )
        );
        assert_eq!(counted(1, "value", "values"), "1 value");
        assert_eq!(
            listed(&["a".to_owned(), "b".to_owned(), "c".to_owned()]),
            "a, b and c"
        );
        assert_eq!(sentence("delay"), "Delay");
    }
}
