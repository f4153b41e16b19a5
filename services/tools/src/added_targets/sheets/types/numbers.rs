//! Numbers as people write them.

pub(super) fn integer(cell: &str) -> Option<i64> {
    let digits = cell.strip_prefix(['+', '-']).unwrap_or(cell);
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| cell.parse().ok()).flatten()
}

/// Whether the digits behind the first mark are groups of three.
fn by_thousands(rest: &[&str]) -> bool {
    rest.iter().all(|part| is_group(part, 3))
}

/// Whether groups are those of India: 12,34,567.
fn by_lakhs(first: &str, rest: &[&str], marks: &[char]) -> bool {
    let Some((last, between)) = rest.split_last() else {
        return false;
    };
    let has_pairs = !between.is_empty() && between.iter().all(|part| is_group(part, 2));
    marks.first() == Some(&',') && first.len() <= 2 && has_pairs && is_group(last, 3)
}

fn is_group(part: &str, length: usize) -> bool {
    part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit())
}

/// A number without zeros behind its fraction.
pub(super) fn short(number: &str) -> &str {
    if number.contains('.') && !number.contains('e') {
        number.trim_end_matches('0').trim_end_matches('.')
    } else {
        number
    }
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
    let groups = whole.chars().filter(|letter| !letter.is_ascii_digit());
    let groups: Vec<char> = groups.collect();
    let is_one_mark = groups.windows(2).all(|pair| pair[0] == pair[1]);
    let is_grouped = is_one_mark && (by_thousands(&rest) || by_lakhs(first, &rest, &groups));
    let has_digits = !first.is_empty() || !fraction.is_empty();
    let fits = has_digits
        && is_digits(first)
        && is_digits(fraction)
        && is_grouped
        // A zero before a mark is the whole part: 0,125 has no thousands.
        && (rest.is_empty() || (1..=3).contains(&first.len()) && !first.starts_with('0'));
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
