//! Clipping against labels that people set by hand.

use solar::days::clipped_and_stale;

use crate::fixtures;

#[test]
fn clipping_agrees_with_the_hand_labels() {
    let logger = fixtures::one("clip-7539");
    let (clipped, _) = clipped_and_stale(&logger.series, &logger.calibration, &logger.context);
    let mut labels = csv::Reader::from_path(fixtures::path("labels-clip-7539.csv")).unwrap();
    let labels: Vec<bool> = labels
        .records()
        .map(|row| &row.unwrap()[2] == "True")
        .collect();
    assert_eq!(labels.len(), clipped.len());
    let count = |ours: bool, theirs: bool| {
        clipped
            .iter()
            .zip(&labels)
            .filter(|(a, b)| **a == ours && **b == theirs)
            .count() as f64
    };
    let (hit, extra, missed) = (count(true, true), count(true, false), count(false, true));
    let (precision, recall) = (hit / (hit + extra), hit / (hit + missed));
    assert!(
        2.0 * precision * recall / (precision + recall) >= 0.95,
        "precision {precision}, recall {recall}"
    );
    assert!((precision - 0.907).abs() < 0.001 && (recall - 1.0).abs() < 1e-9);
}
