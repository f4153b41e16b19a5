//! Midnight in the times of a sheet: a whole serial number, which is read as a date alone.

use super::super::source::Line;

/// Number of characters of a date alone.
const DATE: usize = "2026-11-01".len();

/// Completes the dates of a column whose other cells are dates with times. Before the first of
/// these, only the dates directly above it: a title may have a date.
pub(super) fn complete(rows: &mut [Line]) {
    let width = rows.iter().map(|(_, cells)| cells.len()).max();
    for column in 0..width.unwrap_or_default() {
        let is = |row: &Line, test: fn(&str) -> bool| {
            let cell = row.1.get(column);
            cell.is_some_and(|cell| test(cell))
        };
        let Some(timed) = rows.iter().position(|row| is(row, is_timed)) else {
            continue;
        };
        let above = rows[..timed].iter().rev();
        let dates = above.take_while(|row| is(row, is_date)).count();
        for row in &mut rows[timed - dates..] {
            if is(row, is_date) {
                row.1[column].push_str(" 00:00:00.000");
            }
        }
    }
}

fn is_date(cell: &str) -> bool {
    let shape = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    cell.len() == DATE && cell.bytes().enumerate().all(shape)
}

fn is_timed(cell: &str) -> bool {
    let parts = cell.split_at_checked(DATE);
    parts.is_some_and(|(date, time)| is_date(date) && time.starts_with(' ') && time.contains(':'))
}
