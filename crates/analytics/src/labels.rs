//! Labels: the group of each row.

use std::collections::BTreeMap;

/// The group of each row; `None` where it is unknown. Groups are numbered in the order of their
/// names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    names: Vec<String>,
    of_rows: Vec<Option<usize>>,
}

impl Labels {
    /// Labels from one name per row.
    pub fn new<S: AsRef<str>>(rows: impl IntoIterator<Item = Option<S>>) -> Self {
        let rows: Vec<Option<S>> = rows.into_iter().collect();
        let mut places: BTreeMap<&str, usize> = rows
            .iter()
            .flatten()
            .map(|name| (name.as_ref(), 0))
            .collect();
        for (place, number) in places.values_mut().enumerate() {
            *number = place;
        }
        let of_rows = rows
            .iter()
            .map(|name| name.as_ref().map(|name| places[name.as_ref()]))
            .collect();
        Self {
            names: places.into_keys().map(str::to_owned).collect(),
            of_rows,
        }
    }

    /// The name of a group.
    pub fn name(&self, label: usize) -> &str {
        &self.names[label]
    }

    /// Number of groups.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// The group of a row.
    pub fn get(&self, row: usize) -> Option<usize> {
        self.of_rows.get(row).copied().flatten()
    }

    /// The group of each row.
    pub fn of_rows(&self) -> &[Option<usize>] {
        &self.of_rows
    }

    /// Whether both labels form the same groups under different names, as `vessel_id` and
    /// `vessel_name` do.
    pub fn same_groups(&self, other: &Self) -> bool {
        if self.count() != other.count() || self.of_rows.len() != other.of_rows.len() {
            return false;
        }
        let mut pairs: Vec<Option<usize>> = vec![None; self.count()];
        self.of_rows
            .iter()
            .zip(&other.of_rows)
            .all(|(mine, theirs)| match (mine, theirs) {
                (None, None) => true,
                (Some(mine), Some(theirs)) => *pairs[*mine].get_or_insert(*theirs) == *theirs,
                _ => false,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_in_the_order_of_their_names() {
        let labels = Labels::new([Some("b"), None, Some("a"), Some("b")]);
        assert_eq!(labels.count(), 2);
        assert_eq!((labels.name(0), labels.name(1)), ("a", "b"));
        assert_eq!(labels.of_rows(), [Some(1), None, Some(0), Some(1)]);
        assert_eq!(labels.get(7), None);
    }

    #[test]
    fn ids_and_names_make_the_same_groups() {
        let names = Labels::new(["Aurora", "Borealis", "Aurora"].map(Some));
        assert!(names.same_groups(&Labels::new(["V-9", "V-1", "V-9"].map(Some))));
        assert!(!names.same_groups(&Labels::new(["V-9", "V-1", "V-1"].map(Some))));
        assert!(!names.same_groups(&Labels::new([Some("V-9"), Some("V-1"), None])));
    }
}
