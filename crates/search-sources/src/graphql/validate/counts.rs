//! Floods: how much a document holds when each fragment is counted where it is used. Nothing is
//! expanded to find out.

use std::collections::{HashMap, HashSet};

use apollo_compiler::ast::{DirectiveList, Selection};
use contracts::tools::search::QueryProblem;
use search::problem;

use super::{Parts, invalid};
use crate::graphql::limits::{MAX_ALIASES, MAX_DIRECTIVES, MAX_FIELDS, MAX_FRAGMENTS};

/// The numbers of things in a selection.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    fields: u64,
    aliases: u64,
    directives: u64,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.fields = self.fields.saturating_add(other.fields);
        self.aliases = self.aliases.saturating_add(other.aliases);
        self.directives = self.directives.saturating_add(other.directives);
    }
}

pub(super) fn check(parts: &Parts<'_>) -> Result<(), Vec<QueryProblem>> {
    if parts.fragments.len() > MAX_FRAGMENTS {
        return Err(vec![too_large("fragments", MAX_FRAGMENTS as u64)]);
    }
    let mut counter = Counter {
        parts,
        known: HashMap::new(),
        open: HashSet::new(),
    };
    let mut counts = Counts::default();
    counts.directives += directives(&parts.operation.directives);
    for variable in &parts.operation.variables {
        counts.directives += directives(&variable.directives);
    }
    counts.add(counter.selections(&parts.operation.selection_set)?);
    let mut problems = Vec::new();
    let found = [
        ("fields", counts.fields, MAX_FIELDS),
        ("aliases", counts.aliases, MAX_ALIASES),
        ("directives", counts.directives, MAX_DIRECTIVES),
    ];
    for (what, count, most) in found {
        if count > most {
            problems.push(too_large(what, most));
        }
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems)
    }
}

fn too_large(what: &str, most: u64) -> QueryProblem {
    let text = format!("The query has more than {most} {what}.");
    problem("/query", "too_large", text)
}

fn directives(list: &DirectiveList) -> u64 {
    list.0.len() as u64
}

struct Counter<'a> {
    parts: &'a Parts<'a>,
    /// Of each fragment once.
    known: HashMap<&'a str, Counts>,
    /// The fragments around the current selection.
    open: HashSet<&'a str>,
}

impl<'a> Counter<'a> {
    fn selections(&mut self, selections: &'a [Selection]) -> Result<Counts, Vec<QueryProblem>> {
        let mut counts = Counts::default();
        for selection in selections {
            match selection {
                Selection::Field(field) => {
                    counts.add(Counts {
                        fields: 1,
                        aliases: u64::from(field.alias.is_some()),
                        directives: directives(&field.directives),
                    });
                    counts.add(self.selections(&field.selection_set)?);
                }
                Selection::InlineFragment(fragment) => {
                    counts.directives += directives(&fragment.directives);
                    counts.add(self.selections(&fragment.selection_set)?);
                }
                Selection::FragmentSpread(spread) => {
                    counts.directives += directives(&spread.directives);
                    counts.add(self.fragment(&spread.fragment_name)?);
                }
            }
        }
        Ok(counts)
    }

    fn fragment(&mut self, name: &str) -> Result<Counts, Vec<QueryProblem>> {
        if let Some(known) = self.known.get(name) {
            return Ok(*known);
        }
        let Some((name, fragment)) = self.parts.fragments.get_key_value(name) else {
            return Err(vec![invalid(format!("There is no fragment '{name}'."))]);
        };
        if !self.open.insert(name) {
            let text = format!("The fragment '{name}' contains itself.");
            return Err(vec![invalid(text)]);
        }
        let mut counts = self.selections(&fragment.selection_set)?;
        counts.directives += directives(&fragment.directives);
        self.open.remove(name);
        self.known.insert(name, counts);
        Ok(counts)
    }
}
