//! Joins beyond a tree: the same table in a second role, and conditions that close a circle.

use crate::graph::{Graph, Join};
use crate::question::QuestionWords;
use crate::tree::Edge;

/// A join that a question needs although the tree has both of its tables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FurtherJoin<'g> {
    /// The join.
    pub join: Join<'g>,
    /// The purpose of it.
    pub purpose: Purpose,
}

/// The purpose of a further join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The right-hand table once more, under another name, in another role.
    Role,
    /// A condition between two tables that are both joined already.
    Circle,
}

impl Graph {
    /// The other roles that the question names, of the joins of a tree.
    pub(crate) fn role_joins<'g>(
        &'g self,
        edges: &[Edge],
        question: &QuestionWords,
    ) -> Vec<FurtherJoin<'g>> {
        let mut found = Vec::new();
        for edge in edges {
            let roles = self.roles(question, edge.group);
            let (.., Some(one)) = self.ends(edge.group) else {
                continue;
            };
            let from = if edge.from == one { edge.to } else { edge.from };
            for way in roles.into_iter().skip(1) {
                found.push(FurtherJoin {
                    join: self.join(from, edge.group, way),
                    purpose: Purpose::Role,
                });
            }
        }
        found
    }

    /// Whether the other table of a group refers to this one: by names and keys, or where both
    /// columns are keys by the declaration.
    fn is_referred(&self, group: u32, table: u32) -> bool {
        if let (.., Some(one)) = self.ends(group) {
            return one == table;
        }
        let way = self.ways_of(group as usize).first();
        let pair = way.and_then(|way| self.way(*way).first());
        pair.is_some_and(|pair| pair.to_table == self.name(table))
    }

    /// Conditions that close circles. Two requested tables that each record a pair of the same two
    /// things (which musician plays which instrument in which song, and who performs in which song)
    /// are joined over both things: over one of them alone, every instrument of the song is played
    /// by every performer.
    pub(crate) fn circle_joins<'g>(
        &'g self,
        asked: &[u32],
        edges: &[Edge],
    ) -> Vec<FurtherJoin<'g>> {
        let joined = |referring: u32, thing: u32| {
            edges.iter().any(|edge| {
                let tables = (edge.from, edge.to);
                tables == (referring, thing) || tables == (thing, referring)
            })
        };
        // The requested tables with the things of the tree that they refer to, and the groups.
        let mut tables: Vec<u32> = edges.iter().flat_map(|edge| [edge.from, edge.to]).collect();
        tables.sort_unstable();
        tables.dedup();
        let refers = |table: u32| -> Vec<(u32, u32)> {
            let arcs = self.arcs(table).iter();
            arcs.filter(|arc| {
                self.is_referred(arc.group, arc.to) && tables.binary_search(&arc.to).is_ok()
            })
            .map(|arc| (arc.to, arc.group))
            .collect()
        };
        let records: Vec<(u32, Vec<(u32, u32)>)> = asked
            .iter()
            .filter(|id| tables.binary_search(id).is_ok())
            .map(|&id| (id, refers(id)))
            .filter(|(_, things)| things.len() > 1)
            .collect();
        let mut found: Vec<FurtherJoin<'g>> = Vec::new();
        let mut closed: Vec<u32> = Vec::new();
        for (at, (one, of_one)) in records.iter().enumerate() {
            for (other, of_other) in &records[at + 1..] {
                let shared: Vec<u32> = of_one
                    .iter()
                    .map(|(thing, _)| *thing)
                    .filter(|thing| of_other.iter().any(|(other, _)| other == thing))
                    .collect();
                for (place, a) in shared.iter().enumerate() {
                    for b in &shared[place + 1..] {
                        let sides = [(*one, *a), (*one, *b), (*other, *a), (*other, *b)];
                        let mut open = sides
                            .into_iter()
                            .filter(|(referring, thing)| !joined(*referring, *thing));
                        let (Some((referring, thing)), None) = (open.next(), open.next()) else {
                            continue;
                        };
                        let things = if referring == *one { of_one } else { of_other };
                        let group = things.iter().find(|(known, _)| *known == thing);
                        let Some((_, group)) = group.filter(|(_, group)| !closed.contains(group))
                        else {
                            continue;
                        };
                        closed.push(*group);
                        found.push(FurtherJoin {
                            join: self.join(referring, *group, 0),
                            purpose: Purpose::Circle,
                        });
                    }
                }
            }
        }
        found
    }
}
