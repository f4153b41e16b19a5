//! How numbers are written in a CSV: one decimal mark for the whole file, and a separator of
//! thousands only where the file shows that it is one.
//!
//! `1.234` is a little more than one, or a thousand. What it is cannot be decided for the cell
//! alone: `1.234,5` elsewhere in the file says that points separate thousands in all of it.

/// How numbers are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Numbers {
    /// Decimals are written `12,5`.
    pub(super) decimal_comma: bool,
    /// The other mark separates thousands.
    pub(super) thousands: bool,
}

impl Numbers {
    /// The mark of decimals.
    pub(super) fn decimal(self) -> char {
        if self.decimal_comma { ',' } else { '.' }
    }

    fn separator(self) -> char {
        other(self.decimal())
    }

    /// A number as a measuring device writes it. Thousands are refused where nothing shows what
    /// separates them.
    pub(super) fn read(self, cell: &str) -> Option<f64> {
        let plain =
            |byte: u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E');
        let (decimal, separator) = (self.decimal(), self.separator());
        if self.thousands && shows_thousands(cell, separator) {
            let joined: String = cell
                .chars()
                .filter(|mark| *mark != separator)
                .map(|mark| if mark == decimal { '.' } else { mark })
                .collect();
            return joined.parse().ok();
        }
        if self.thousands && cell.contains(separator) {
            return None;
        }
        if self.decimal_comma && is_grouped(cell, '.') {
            return None;
        }
        if self.decimal_comma && cell.contains(',') {
            let text = cell.replacen(',', ".", 1);
            let ok = !cell.contains('.') && text.bytes().all(plain);
            return ok.then(|| text.parse().ok()).flatten();
        }
        if !cell.bytes().all(plain) {
            return None;
        }
        cell.parse().ok()
    }
}

/// What the numbers of a file show about its marks.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// Cells whose decimal mark can only be a comma, and those where it can only be a point.
    commas: usize,
    points: usize,
    /// Of them those with thousands.
    comma_thousands: usize,
    point_thousands: usize,
}

impl Evidence {
    /// Looks at one more cell.
    pub(super) fn add(&mut self, cell: &str) {
        for (mark, decimals, thousands) in [
            (',', &mut self.commas, &mut self.comma_thousands),
            ('.', &mut self.points, &mut self.point_thousands),
        ] {
            let grouped = is_certainly_grouped(cell, mark);
            *decimals += usize::from(grouped || is_decimal(cell, mark));
            *thousands += usize::from(grouped);
        }
    }

    /// Whether no cell shows anything.
    pub(super) fn is_empty(&self) -> bool {
        self.commas == 0 && self.points == 0
    }

    /// How the numbers are written. `decimal_comma` is what the request says.
    pub(super) fn numbers(&self, decimal_comma: Option<bool>) -> Numbers {
        let decimal_comma = decimal_comma.unwrap_or(self.commas > 0 && self.points == 0);
        let (thousands, against) = if decimal_comma {
            (self.comma_thousands, self.points)
        } else {
            (self.point_thousands, self.commas)
        };
        Numbers {
            decimal_comma,
            thousands: thousands > 0 && against == 0,
        }
    }
}

fn other(mark: char) -> char {
    if mark == ',' { '.' } else { ',' }
}

fn unsigned(cell: &str) -> &str {
    cell.strip_prefix(['-', '+']).unwrap_or(cell)
}

fn digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a cell is a number with this decimal mark and nothing else: not a group of thousands.
fn is_decimal(cell: &str, mark: char) -> bool {
    let Some((whole, fraction)) = unsigned(cell).split_once(mark) else {
        return false;
    };
    let fraction = fraction.split(['e', 'E']).next().unwrap_or_default();
    // `1,234`: a thousand, or a little more than one.
    let group = fraction.len() == 3 && whole.len() <= 3 && !whole.starts_with('0');
    digits(whole) && digits(fraction) && !group
}

/// Whether a cell can only be a number with this decimal mark whose thousands are separated by the
/// other one: `1.234,5`, `1.234.567`.
fn is_certainly_grouped(cell: &str, mark: char) -> bool {
    let separator = other(mark);
    let shows = cell.contains(mark) || cell.matches(separator).count() > 1;
    shows && shows_thousands(cell, separator)
}

/// Whether a cell is a number with thousands and, perhaps, decimals.
fn shows_thousands(cell: &str, separator: char) -> bool {
    let (whole, fraction) = match cell.split_once(other(separator)) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (cell, None),
    };
    is_grouped(whole, separator) && fraction.is_none_or(digits)
}

/// `1.234` or `1.234.567`: with a decimal comma these are thousands, as a rule.
fn is_grouped(cell: &str, separator: char) -> bool {
    let mut groups = unsigned(cell).split(separator);
    let first = groups
        .next()
        .is_some_and(|group| (1..=3).contains(&group.len()) && digits(group) && group != "0");
    let mut others = groups.peekable();
    first && others.peek().is_some() && others.all(|group| group.len() == 3 && digits(group))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(cells: &[&str]) -> Numbers {
        let mut evidence = Evidence::default();
        for cell in cells {
            evidence.add(cell);
        }
        evidence.numbers(None)
    }

    #[test]
    fn one_cell_that_can_be_nothing_else_decides_for_all() {
        let european = of(&["0", "1.234", "1.234,5"]);
        let read = |cell| european.read(cell);
        assert_eq!(read("1.234"), Some(1234.0));
        assert_eq!(read("1.234,5"), Some(1234.5));
        assert_eq!(read("-1.234.567,25"), Some(-1_234_567.25));
        assert_eq!((read("12,5"), read("12")), (Some(12.5), Some(12.0)));
        assert_eq!(
            (read("1.23"), read("12.5,0"), read("1,2,3")),
            (None, None, None)
        );
        let english = of(&["1,234.5", "17"]);
        assert_eq!(english.read("1,234"), Some(1234.0));
        assert_eq!(english.read("1,234,567.5"), Some(1_234_567.5));
        assert_eq!(
            (english.read("12.5"), english.read("12,5")),
            (Some(12.5), None)
        );
        assert!(of(&["1.234.567"]).decimal_comma);
    }

    #[test]
    fn what_may_be_a_thousand_shows_nothing() {
        for cells in [&["1.234", "5"][..], &["1,234"], &[], &["x", "-", "1,23,4"]] {
            assert_eq!(of(cells), Numbers::default(), "{cells:?}");
        }
        // Both marks as decimals: nothing is separated.
        assert_eq!(of(&["12,5", "1,234.5"]), Numbers::default());
        assert!(!of(&["12.5", "1.234,5"]).thousands);
        assert_eq!(of(&["12,5"]).read("1.234"), None);
    }

    proptest::proptest! {
        #[test]
        fn a_number_is_read_as_it_was_written(
            value in -9_999_999_i64..9_999_999,
            hundredths in 0_i64..100,
            comma in proptest::bool::ANY,
        ) {
            let (decimal, separator) = if comma { (',', '.') } else { ('.', ',') };
            let mut whole = value.abs().to_string();
            let mut at = whole.len();
            while at > 3 {
                at -= 3;
                whole.insert(at, separator);
            }
            let sign = if value < 0 { "-" } else { "" };
            let text = format!("{sign}{whole}{decimal}{hundredths:02}");
            let numbers = of(&[&format!("1{separator}000{decimal}5"), &text]);
            proptest::prop_assert_eq!(numbers, Numbers { decimal_comma: comma, thousands: true });
            let read = numbers.read(&text).unwrap();
            let expected = value.abs() as f64 + hundredths as f64 / 100.0;
            proptest::prop_assert!((read.abs() - expected).abs() < 1e-6, "{} {}", text, read);
            proptest::prop_assert_eq!(read < 0.0, value < 0 && read != 0.0);
        }
    }
}
