//! Numbers, one per row, with gaps.

/// What is larger has no squares that can be added up; it counts as missing.
pub const LARGEST: f64 = 1e100;

/// Numbers, one per row. What is missing is NaN.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    values: Vec<f64>,
    /// The rows that have a value, the least value first.
    order: Vec<usize>,
}

impl Column {
    /// A column of these values, one per row.
    pub fn new(mut values: Vec<f64>) -> Self {
        for value in &mut values {
            if !is_usable(*value) {
                *value = f64::NAN;
            }
        }
        let mut order: Vec<usize> = (0..values.len())
            .filter(|&row| !values[row].is_nan())
            .collect();
        order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        Self { values, order }
    }

    /// One per row; NaN where there is none.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The value of a row.
    pub fn get(&self, row: usize) -> Option<f64> {
        self.values
            .get(row)
            .copied()
            .filter(|value| !value.is_nan())
    }

    /// The rows that have a value, the least value first.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The values that there are, the least first.
    pub fn sorted(&self) -> Vec<f64> {
        self.order.iter().map(|&row| self.values[row]).collect()
    }

    /// How many values there are.
    pub fn count(&self) -> usize {
        self.order.len()
    }

    /// How many rows have none.
    pub fn missing(&self) -> usize {
        self.values.len() - self.order.len()
    }

    /// Whether there are two different values.
    pub fn varies(&self) -> bool {
        match (self.order.first(), self.order.last()) {
            (Some(&least), Some(&greatest)) => self.values[least] < self.values[greatest],
            _ => false,
        }
    }
}

/// Whether a float can be computed with.
pub fn is_usable(value: f64) -> bool {
    value.is_finite() && value.abs() <= LARGEST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_missing() {
        let column = Column::new(vec![3.0, f64::NAN, f64::INFINITY, -1.0, 1e200, 3.0]);
        assert_eq!((column.count(), column.missing()), (3, 3));
        assert_eq!(column.sorted(), [-1.0, 3.0, 3.0]);
        assert_eq!(column.order(), [3, 0, 5]);
        assert_eq!(
            (column.get(0), column.get(4), column.get(9)),
            (Some(3.0), None, None)
        );
        assert!(column.varies());
        assert!(!Column::new(vec![2.0, 2.0, f64::NAN]).varies());
        assert!(!Column::new(Vec::new()).varies());
    }
}
