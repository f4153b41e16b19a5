//! Numbers as people write them.

pub(super) fn integer(cell: &str) -> Option<i64> {
    let digits = cell.strip_prefix(['+', '-']).unwrap_or(cell);
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| cell.parse().ok()).flatten()
}

/// A number with a decimal mark and marks between thousands.
pub(super) fn number(cell: &str, comma: bool) -> Option<String> {
    let (mark, group) = if comma { (',', '.') } else { ('.', ',') };
    let cell = cell.trim_end_matches(['€', '$', '£']).trim_end();
    let (sign, digits) = match cell.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", cell.strip_prefix('+').unwrap_or(cell)),
    };
    let digits = digits.trim_start_matches(['€', '$', '£']).trim_start();
    let (digits, exponent) = match digits.find(['e', 'E']) {
        Some(at) => (&digits[..at], Some(digits[at + 1..].parse::<i32>().ok()?)),
        None => (digits, None),
    };
    let (whole, fraction) = digits.split_once(mark).unwrap_or((digits, ""));
    let mut parts = whole.split([group, '\'', ' ', '\u{a0}', '\u{202f}']);
    let first = parts.next()?;
    let rest: Vec<&str> = parts.collect();
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_grouped = rest.iter().all(|part| part.len() == 3 && is_digits(part));
    let has_digits = !first.is_empty() || !fraction.is_empty();
    let fits = has_digits
        && is_digits(first)
        && is_digits(fraction)
        && is_grouped
        && (rest.is_empty() || (1..=3).contains(&first.len()));
    if !fits {
        return None;
    }
    let whole = if first.is_empty() { "0" } else { first };
    let mut text = format!("{sign}{whole}{}", rest.concat());
    if !fraction.is_empty() {
        text.push('.');
        text.push_str(fraction);
    }
    if let Some(exponent) = exponent {
        text.push('e');
        text.push_str(&exponent.to_string());
    }
    let value: f64 = text.parse().ok()?;
    value.is_finite().then_some(text)
}
