//! Sentences about databases, tables and columns.

use contracts::tools::sql::{TableDescription, TableList, TargetSummary};

use super::QUOTED;
use crate::{answer::values::cut, nodes::choose_target::TargetOption};

/// Maximum number of names in a sentence; the rest is beside it.
const NAMED: usize = 12;

/// Which target is intended.
pub(crate) fn which_target(targets: &[TargetOption], named_several: bool) -> String {
    let named = targets.iter().map(|target| match &target.about {
        Some(about) => format!("- {}: {about}", target.name),
        None => format!("- {}", target.name),
    });
    let begin = if named_several {
        "A question is put to one database at a time. Which one first?"
    } else {
        "There are several databases that this could be about:"
    };
    format!("{begin}\n{}", named.collect::<Vec<_>>().join("\n"))
}

/// The databases that there are.
pub(crate) fn databases(targets: &[TargetSummary]) -> String {
    const AWAY: &str = "it cannot be asked at the moment";
    let one = |target: &TargetSummary| {
        let problem = target.problem.as_ref().map(|_| AWAY);
        let told: Vec<&str> = target
            .description
            .as_deref()
            .into_iter()
            .chain(problem)
            .collect();
        match told.as_slice() {
            [] => format!("\u{201c}{}\u{201d}", target.name),
            told => format!("\u{201c}{}\u{201d} ({})", target.name, told.join("; ")),
        }
    };
    match targets {
        [] => "There is no database that I could ask for you.".to_owned(),
        [target] => format!("I can ask one database: {}.", one(target)),
        targets => format!(
            "I can ask {} databases: {}.",
            targets.len(),
            targets.iter().map(one).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// The tables of a target.
pub(crate) fn tables(list: &TableList, several: bool) -> String {
    let of = if several {
        format!(" of the database \u{201c}{}\u{201d}", list.target)
    } else {
        String::new()
    };
    let names: Vec<&str> = list.tables.iter().map(|table| &*table.name).collect();
    match names.as_slice() {
        [] => format!("There is no table{of} that you may see."),
        [name] => format!("You may ask about one table{of}: {name}."),
        names => format!(
            "You may ask about {} tables{of}: {}.",
            list.total,
            first_of(names)
        ),
    }
}

/// The columns of a table.
pub(crate) fn columns(table: &TableDescription, target: Option<&str>) -> String {
    let names: Vec<&str> = table.columns.iter().map(|column| &*column.name).collect();
    let of = target.map_or_else(String::new, |target| {
        format!(" of the database \u{201c}{target}\u{201d}")
    });
    let about = table
        .description
        .as_deref()
        .filter(|about| !about.trim().is_empty());
    let about = about.map_or_else(String::new, |about| {
        format!(" ({})", about.trim().trim_end_matches('.'))
    });
    let count = match names.len() {
        1 => "one column".to_owned(),
        count => format!("{count} columns"),
    };
    format!(
        "The table {}{of}{about} has {count}: {}.",
        table.name,
        first_of(&names)
    )
}

/// The tables, each with its target, that have a column.
pub(crate) fn having(column: &str, found: &[(String, String)], several: bool) -> String {
    let said: Vec<String> = found
        .iter()
        .map(|(table, target)| {
            if several {
                format!("{table} (\u{201c}{target}\u{201d})")
            } else {
                table.clone()
            }
        })
        .collect();
    let said: Vec<&str> = said.iter().map(String::as_str).collect();
    match said.as_slice() {
        [] => format!("No table that you may see has a column \u{201c}{column}\u{201d}."),
        [one] => format!("One table has a column \u{201c}{column}\u{201d}: {one}."),
        all => format!(
            "{} tables have a column \u{201c}{column}\u{201d}: {}.",
            all.len(),
            first_of(all)
        ),
    }
}

/// There is no such schema and no such database.
pub(crate) fn no_such_place(place: &str) -> String {
    format!(
        "There is no database and no schema \u{201c}{}\u{201d} that you may see.",
        cut(place, QUOTED)
    )
}

/// There is no such table.
pub(crate) fn no_such_table(name: &str, near: &[String]) -> String {
    let near = match near {
        [] => " \u{201c}Which tables do you have?\u{201d} lists them.".to_owned(),
        near => format!(" Near to it: {}.", near.join(", ")),
    };
    format!(
        "There is no table \u{201c}{}\u{201d} that you may see.{near}",
        cut(name, QUOTED)
    )
}

pub(super) fn first_of(names: &[&str]) -> String {
    let (first, rest) = names.split_at(names.len().min(NAMED));
    match rest.len() {
        0 => first.join(", "),
        more => format!("{}, and {more} more", first.join(", ")),
    }
}
