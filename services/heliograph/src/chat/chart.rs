//! Charts as text.

use serde_json::{Map, Value};

/// From empty to full.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A comfortable terminal width, minus a label.
const WIDTH: usize = 64;

/// A series as one line; a gap is a dot.
pub(super) fn sparkline(rows: &[Map<String, Value>], key: &str) -> String {
    let values: Vec<Option<f64>> = rows
        .iter()
        .map(|row| row.get(key).and_then(Value::as_f64))
        .collect();
    let most = values.iter().flatten().copied().fold(0.0_f64, f64::max);
    buckets(&values)
        .into_iter()
        .map(|value| value.map_or('·', |value| level(value, most)))
        .collect()
}

/// The highest value of a series.
pub(super) fn peak(rows: &[Map<String, Value>], key: &str) -> Option<f64> {
    rows.iter()
        .filter_map(|row| row.get(key)?.as_f64())
        .reduce(f64::max)
}

/// A bar whose length is a share of the full width.
pub(super) fn bar(value: f64, most: f64, width: usize) -> String {
    let share = if most > 0.0 {
        (value / most).clamp(0.0, 1.0)
    } else {
        0.0
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and the width"
    )]
    let filled = (share * width as f64).round() as usize;
    "█".repeat(filled)
}

fn level(value: f64, most: f64) -> char {
    let share = if most > 0.0 {
        (value / most).clamp(0.0, 1.0)
    } else {
        0.0
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 7"
    )]
    let index = (share * (LEVELS.len() - 1) as f64).round() as usize;
    LEVELS[index.min(LEVELS.len() - 1)]
}

/// The means of at most [`WIDTH`] equal parts.
fn buckets(values: &[Option<f64>]) -> Vec<Option<f64>> {
    let size = values.len().div_ceil(WIDTH).max(1);
    let mean = |part: &[Option<f64>]| {
        let known: Vec<f64> = part.iter().flatten().copied().collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    };
    values.chunks(size).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_day_rises_and_falls_and_shows_its_gap() {
        let rows: Vec<Map<String, Value>> = [Some(0.0), Some(50.0), None, Some(100.0), Some(0.0)]
            .into_iter()
            .map(|power| json!({ "power": power }).as_object().unwrap().clone())
            .collect();
        assert_eq!(sparkline(&rows, "power"), "▁▅·█▁");
        assert_eq!(peak(&rows, "power"), Some(100.0));
        assert_eq!(sparkline(&rows, "other"), "·····");
    }

    #[test]
    fn a_long_series_fits_the_terminal() {
        let rows: Vec<_> = (0..1000)
            .map(|at| json!({ "v": at }).as_object().unwrap().clone())
            .collect();
        assert!(sparkline(&rows, "v").chars().count() <= WIDTH);
    }
}
