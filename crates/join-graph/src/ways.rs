//! The ways to join two tables. Each way is one pair of columns, or all pairs of one composite key.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;

use crate::document::{Relationship, RelationshipType, Table};
use crate::fold;
use crate::names::{bare, is_key_like, singular};

/// The range that the pairs of one way occupy in the relationships of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Way {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// The keys that the document declares.
pub(crate) struct Keys<'d> {
    tables: &'d IndexMap<String, Table>,
    /// Evidence that occurs for more than one pair of tables, and therefore is not the name of a
    /// constraint.
    general: HashSet<&'d str>,
}

impl<'d> Keys<'d> {
    pub(crate) fn new(
        tables: &'d IndexMap<String, Table>,
        relationships: &'d [Relationship],
    ) -> Keys<'d> {
        let mut pairs: HashMap<&str, (String, String)> = HashMap::new();
        let mut general = HashSet::new();
        for edge in relationships {
            let pair = (fold(&edge.from_table), fold(&edge.to_table));
            for evidence in &edge.evidence {
                let known = pairs.entry(evidence).or_insert_with(|| pair.clone());
                if *known != pair {
                    general.insert(evidence.as_str());
                }
            }
        }
        Keys { tables, general }
    }

    /// Whether the document declares that a column alone identifies a row.
    pub(crate) fn is_unique(&self, table: &str, column: &str) -> bool {
        self.tables
            .get(table)
            .is_some_and(|table| table.is_unique(column))
    }

    /// Moves the relationships that belong to the same way as the first one to the start, and
    /// returns their number.
    pub(crate) fn together(&self, choices: &mut [(u64, Relationship)]) -> usize {
        let Some((first, rest)) = choices.split_first() else {
            return 0;
        };
        let mut members = vec![0];
        for (at, (_, candidate)) in rest.iter().enumerate() {
            let fits = members.iter().all(|member: &usize| {
                let other = if *member == 0 {
                    &first.1
                } else {
                    &rest[*member - 1].1
                };
                self.may_be_one_key(other, candidate)
            });
            if fits {
                members.push(at + 1);
            }
        }
        let unnamed = first.1.key.is_none() && self.constraints(&first.1).next().is_none();
        if members.len() > 1 && unnamed && !self.is_composite(choices, &members) {
            return 1;
        }
        for (place, member) in members.iter().enumerate() {
            choices[place..=*member].rotate_right(1);
        }
        members.len()
    }

    /// Whether two relationships can be pairs of one key: both are declared, their columns differ
    /// on both ends, and they belong to the same constraint where constraints are named.
    fn may_be_one_key(&self, one: &Relationship, other: &Relationship) -> bool {
        let declared = one.kind == RelationshipType::ForeignKey && one.kind == other.kind;
        let apart = one.from_column != other.from_column && one.to_column != other.to_column;
        let same_constraint = match (&one.key, &other.key) {
            (Some(one), Some(other)) => one == other,
            (None, None) => {
                let names: Vec<&str> = self.constraints(one).collect();
                let others: Vec<&str> = self.constraints(other).collect();
                if names.is_empty() || others.is_empty() {
                    names.is_empty() && others.is_empty()
                } else {
                    names.iter().any(|name| others.contains(name))
                }
            }
            _ => false,
        };
        declared
            && apart
            && same_constraint
            && one.from_table == other.from_table
            && (one.confidence - other.confidence).abs() < f64::EPSILON
    }

    /// The names of constraints in the evidence of a relationship.
    fn constraints<'r>(&'r self, edge: &'r Relationship) -> impl Iterator<Item = &'r str> {
        edge.evidence
            .iter()
            .map(String::as_str)
            .filter(|evidence| !self.general.contains(evidence))
    }

    /// Whether relationships without a common constraint name still form one composite key. They do
    /// if they lead to exactly the composite primary key, or, where a file lists only the first
    /// column of such a key, to that column and others. Two columns that each name a key of the
    /// table are two ways to it.
    fn is_composite(&self, choices: &[(u64, Relationship)], members: &[usize]) -> bool {
        let to_table = &choices[members[0]].1.to_table;
        let columns: Vec<&str> = members
            .iter()
            .map(|member| choices[*member].1.to_column.as_str())
            .collect();
        let Some(table) = self.tables.get(to_table) else {
            return false;
        };
        match table.primary_key.len() {
            0 => {
                let singular = singular(&bare(to_table));
                let named = columns
                    .iter()
                    .filter(|column| is_key_like(column) && bare(column).contains(&singular));
                let unique = columns.iter().filter(|column| table.is_unique(column));
                unique.count() == 1 && named.count() < 2
            }
            1 => false,
            parts => {
                parts == columns.len()
                    && table.primary_key.iter().all(|part| {
                        columns
                            .iter()
                            .any(|column| column.eq_ignore_ascii_case(part))
                    })
            }
        }
    }
}
