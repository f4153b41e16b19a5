//! Sums of the columns of a table, up to a row and between two rows.

/// Difference to the sum that comes from rounding, as a share of it.
const ROUNDING: f64 = 0.005;

/// The sums of the columns up to a row.
#[derive(Clone)]
pub(super) struct Sums {
    rows: usize,
    next_row: usize,
    /// The sum and the number of the numbers of each column.
    columns: Vec<(f64, u64)>,
}

/// The numbers of a column between two places.
pub(super) struct Between {
    pub(super) sum: f64,
    pub(super) count: u64,
}

impl Sums {
    pub(super) fn new(columns: usize) -> Self {
        Self {
            rows: 0,
            next_row: 0,
            columns: vec![(0.0, 0); columns],
        }
    }

    /// Number of the rows that are added.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// The row behind the last one that is added.
    pub(super) fn next_row(&self) -> usize {
        self.next_row
    }

    /// Adds the numbers of a row.
    pub(super) fn add(&mut self, row: usize, number: impl Fn(usize) -> Option<f64>) {
        self.rows += 1;
        self.next_row = row + 1;
        for (column, sum) in self.columns.iter_mut().enumerate() {
            if let Some(number) = number(column) {
                *sum = (sum.0 + number, sum.1 + 1);
            }
        }
    }

    /// The numbers of a column since another place.
    pub(super) fn since(&self, from: &Self, column: usize) -> Between {
        let at = |sums: &Self| sums.columns.get(column).copied().unwrap_or_default();
        let (last, first) = (at(self), at(from));
        Between {
            sum: last.0 - first.0,
            count: last.1 - first.1,
        }
    }
}

impl Between {
    pub(super) fn mean(&self) -> f64 {
        self.sum / self.count as f64
    }
}

/// Whether a number is stated as another one, in as many digits as people show.
pub(super) fn is_near(expected: f64, stated: f64) -> bool {
    (expected - stated).abs() <= ROUNDING * stated.abs().max(1e-9)
}

/// Whether two numbers are the same, but for the digits that floating-point numbers lose.
pub(super) fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * other.abs()
}

/// Whether a whole number is another one, rounded to its own last digit that is not zero.
pub(super) fn is_rounded(expected: f64, stated: f64) -> bool {
    let mut unit = 1.0;
    if stated == 0.0 || stated % unit != 0.0 {
        return false;
    }
    while stated % (unit * 10.0) == 0.0 {
        unit *= 10.0;
    }
    (expected - stated).abs() <= unit / 2.0
}
