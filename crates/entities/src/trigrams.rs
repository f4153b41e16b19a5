//! Which labels have letters in common with a word, without looking at every label.

use std::collections::HashMap;

/// Labels by the groups of three letters in their words.
#[derive(Debug, Default)]
pub(crate) struct Trigrams {
    /// By group: the labels that have it, ascending, each once.
    postings: HashMap<[char; 3], Vec<u32>>,
    /// By label: how many different groups it has.
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

    /// The labels that have the largest part of these words' groups, at least `share` of them; at most `most`.
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
        // Of labels with as many in common, the shorter is the likelier.
        touched.sort_unstable_by_key(|&label| {
            let at = label as usize;
            (std::cmp::Reverse(common[at]), self.sizes[at], label)
        });
        touched.truncate(most);
        touched
    }
}

/// The groups of three of each word, with two blanks before and one behind, so that beginnings count more.
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
