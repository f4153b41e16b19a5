//! The kind and the decimal mark of the values of a column.

use crate::numbers::{Separators, separators};

use super::super::mapping::Field;

/// The kind of an energy by its values in the order of time: a total never falls, a register of the
/// day falls once a day, an energy of intervals falls as often as it rises.
pub(super) fn energy(series: &[Vec<f64>]) -> Field {
    let steps = || series.iter().flat_map(|values| values.windows(2));
    let falls = steps().filter(|pair| pair[1] < pair[0]).count();
    let count: usize = series.iter().map(Vec::len).sum();
    let rises = |values: &Vec<f64>| {
        let first = values.first().copied().unwrap_or_default();
        let last = values.iter().copied().fold(0.0, f64::max);
        first > 50.0 && last > first
    };
    match falls {
        0 if series.iter().any(rises) => Field::EnergyTotal,
        0 => Field::EnergyDay,
        falls if falls * 50 < count => Field::EnergyDay,
        _ => Field::EnergyInterval,
    }
}

/// The decimal mark that the cells of columns show.
pub(super) fn decimal<'c>(columns: impl Iterator<Item = Vec<&'c str>>) -> char {
    let (mut commas, mut points) = (0, 0);
    // By the marks of `MARKS`: a column shows that it groups, another that it does not.
    let (mut groups, mut does_not) = ([false; 2], [false; 2]);
    for cells in columns {
        let mut own = [Groups::default(), Groups::default()];
        for cell in cells.into_iter().filter(|cell| is_digits(cell)) {
            match (cell.rfind(','), cell.rfind('.')) {
                (Some(comma), Some(point)) if comma > point => commas += 10,
                (Some(_), Some(_)) => points += 10,
                (Some(_), None) => commas += 1,
                (None, Some(_)) => points += 1,
                (None, None) => {}
            }
            for (own, mark) in own.iter_mut().zip(MARKS) {
                own.see(cell, mark);
            }
        }
        for (place, own) in own.iter().enumerate() {
            groups[place] |= own.grouped && own.ungrouped && !own.other;
            does_not[place] |= own.other;
        }
    }
    let by_count = usize::from(commas > points);
    let is_grouping = groups[by_count] && !does_not[by_count];
    MARKS[if is_grouping { 1 - by_count } else { by_count }]
}

/// The marks that are one before a fraction and the other between thousands.
const MARKS: [char; 2] = ['.', ','];

fn is_digits(cell: &str) -> bool {
    cell.bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b'.' | b'-' | b'+'))
}

/// Whether a mark groups thousands: "1.234" beside "999" does, and neither "0.567" nor "1.23" is
/// among them.
#[derive(Clone, Copy, Default)]
struct Groups {
    grouped: bool,
    /// A number below 1,000, without the mark.
    ungrouped: bool,
    /// The mark stands where no group ends, or there is a number of four digits without it.
    other: bool,
}

impl Groups {
    fn see(&mut self, cell: &str, mark: char) {
        match separators(cell, mark) {
            Separators::None { digits, is_zero } => {
                self.ungrouped |= digits <= 3 && !is_zero;
                self.other |= digits > 3;
            }
            Separators::Groups => self.grouped = true,
            Separators::Other => self.other = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(cells: &[&str]) -> char {
        decimal(std::iter::once(cells.to_vec()))
    }

    #[test]
    fn the_decimal_mark_is_the_one_that_stands_where_no_group_ends() {
        assert_eq!(mark(&["1.5", "2.25"]), '.');
        assert_eq!(mark(&["1,5", "2,25"]), ',');
        assert_eq!(mark(&["1.234,5", "0"]), ',');
        assert_eq!(mark(&["1,234.5", "0"]), '.');
        // Numbers below a thousand are without the mark, so it groups.
        assert_eq!(mark(&["1.234", "2.345", "999"]), ',');
        assert_eq!(mark(&["1,234", "2,345", "999"]), '.');
        // Kilowatts with three places.
        assert_eq!(mark(&["1.234", "0.567", "5"]), '.');
        assert_eq!(mark(&["1.234", "2.345", "0"]), '.');
        assert_eq!(mark(&["1.234", "2.345"]), '.');
        assert_eq!(mark(&["1.234", "999", "1234"]), '.');
    }

    #[test]
    fn another_column_does_not_make_groups() {
        let columns = [vec!["1.234", "2.345"], vec!["999", "7"]];
        assert_eq!(decimal(columns.into_iter()), '.');
    }
}
