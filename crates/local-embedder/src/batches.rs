//! Batches of texts of similar length, so that little padding is computed.

use std::ops::Range;

/// Maximum number of texts per batch.
const MAX_TEXTS: usize = 32;
/// Maximum number of tokens per batch, padding included. Memory use grows with it.
const MAX_TOKENS: usize = 4_096;

/// The indices of the texts, the longest first. Texts of equal length keep their order.
pub(crate) fn by_length(lengths: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(lengths[index]));
    order
}

/// Cuts the indices sorted by [`by_length`] into batches.
pub(crate) fn cut(order: &[usize], lengths: &[usize]) -> Vec<Range<usize>> {
    let mut batches = Vec::new();
    let mut start = 0;
    while start < order.len() {
        let width = lengths[order[start]].max(1);
        let texts = (MAX_TOKENS / width).clamp(1, MAX_TEXTS);
        let end = (start + texts).min(order.len());
        batches.push(start..end);
        start = end;
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_in_one_batch_and_none_is_too_large() {
        let lengths: Vec<usize> = (0..500).map(|index| 3 + (index * 37) % 254).collect();
        let order = by_length(&lengths);
        let mut seen: Vec<usize> = Vec::new();
        for batch in cut(&order, &lengths) {
            let texts = &order[batch];
            let width = texts.iter().map(|&text| lengths[text]).max().unwrap();
            assert!(texts.len() <= MAX_TEXTS && texts.len() * width <= MAX_TOKENS);
            seen.extend(texts);
        }
        assert_eq!(seen, order);
        seen.sort_unstable();
        assert_eq!(seen, (0..500).collect::<Vec<_>>());
    }

    #[test]
    fn equal_lengths_keep_their_order_and_a_very_long_text_is_its_own_batch() {
        assert_eq!(by_length(&[5, 9, 5, 9]), [1, 3, 0, 2]);
        let lengths = [10_000, 8_000];
        assert_eq!(cut(&by_length(&lengths), &lengths), [0..1, 1..2]);
        assert!(cut(&[], &[]).is_empty());
    }
}
