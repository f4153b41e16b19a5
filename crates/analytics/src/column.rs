//! Numbers, one per row, with gaps.

/// Values beyond this limit count as missing: their squares cannot be added up.
pub const LARGEST: f64 = 1e100;

/// Numbers, one per row. A missing value is NaN.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    values: Vec<f64>,
    /// The rows that have a value, by ascending value.
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

    /// One value per row; NaN if it is missing.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The value of a row; `None` if it is missing or the row does not exist.
    pub fn get(&self, row: usize) -> Option<f64> {
        self.values
            .get(row)
            .copied()
            .filter(|value| !value.is_nan())
    }

    /// The rows that have a value, by ascending value.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The known values in ascending order.
    pub fn sorted(&self) -> Vec<f64> {
        self.order.iter().map(|&row| self.values[row]).collect()
    }

    /// Number of known values.
    pub fn count(&self) -> usize {
        self.order.len()
    }

    /// Number of rows without a value.
    pub fn missing(&self) -> usize {
        self.values.len() - self.order.len()
    }
}

/// Whether a value is finite and small enough to compute with.
pub fn is_usable(value: f64) -> bool {
    value.is_finite() && value.abs() <= LARGEST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_not_finite_are_missing() {
        let column = Column::new(vec![3.0, f64::NAN, f64::INFINITY, -1.0, 1e200, 3.0]);
        assert_eq!((column.count(), column.missing()), (3, 3));
        assert_eq!(column.sorted(), [-1.0, 3.0, 3.0]);
        assert_eq!(column.order(), [3, 0, 5]);
        assert_eq!(
            (column.get(0), column.get(4), column.get(9)),
            (Some(3.0), None, None)
        );
    }
}
