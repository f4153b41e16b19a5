//! Finds the labels that share trigrams with a word, without scanning every label.

use std::collections::HashMap;

/// Labels by the trigrams of their words.
#[derive(Debug, Default)]
pub(crate) struct Trigrams {
    /// By trigram: the labels that have it, ascending and without duplicates.
    postings: HashMap<[char; 3], Vec<u32>>,
    /// By label: the number of its distinct trigrams.
    sizes: Vec<u16>,
}

impl Trigrams {
    /// Adds the next label.
    pub(crate) fn push(&mut self, words: &[String]) {
        let label = u32::try_from(self.sizes.len()).unwrap_or(u32::MAX);
        let groups = groups(words);
        self.sizes
            .push(u16::try_from(groups.len()).unwrap_or(u16::MAX));
        for group in groups {
            self.postings.entry(group).or_default().push(label);
        }
    }

    /// At most `most` labels that have the largest share of the words' trigrams, and at least
    /// `share` of them.
    pub(crate) fn nearest(&self, words: &[String], share: f64, most: usize) -> Vec<u32> {
        let groups = groups(words);
        if groups.is_empty() {
            return Vec::new();
        }
        let mut common = vec![0_u16; self.sizes.len()];
        let mut touched = Vec::new();
        for group in &groups {
            for &label in self.postings.get(group).into_iter().flatten() {
                let count = &mut common[label as usize];
                if *count == 0 {
                    touched.push(label);
                }
                *count += 1;
            }
        }
        let least = share * groups.len() as f64;
        touched.retain(|&label| f64::from(common[label as usize]) >= least);
        // With the same number in common, the shorter label is more likely.
        touched.sort_unstable_by_key(|&label| {
            let at = label as usize;
            (std::cmp::Reverse(common[at]), self.sizes[at], label)
        });
        touched.truncate(most);
        touched
    }
}

/// The trigrams of each word, padded with two spaces before and one after, so that beginnings weigh
/// more.
fn groups(words: &[String]) -> Vec<[char; 3]> {
    let mut groups = Vec::new();
    for word in words {
        let padded: Vec<char> = [' ', ' ']
            .into_iter()
            .chain(word.chars())
            .chain([' '])
            .collect();
        groups.extend(
            padded
                .windows(3)
                .map(|group| [group[0], group[1], group[2]]),
        );
    }
    groups.sort_unstable();
    groups.dedup();
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn misspelt_words_are_near_the_right_ones() {
        let mut index = Trigrams::default();
        for label in [
            "port of miami",
            "miami container terminal",
            "port of shanghai",
            "hamburg",
        ] {
            index.push(&words(label));
        }
        assert_eq!(index.nearest(&words("miamii"), 0.3, 10), [0, 1]);
        assert_eq!(index.nearest(&words("shangai"), 0.3, 10), [2]);
        assert_eq!(index.nearest(&words("port of miamii"), 0.3, 1), [0]);
        assert!(index.nearest(&words("xyz"), 0.3, 10).is_empty());
        assert!(index.nearest(&[], 0.3, 10).is_empty());
    }
}
