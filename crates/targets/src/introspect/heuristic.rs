//! Relationships that names suggest: `employeeId` refers to `employee.id`.

use std::collections::{BTreeMap, HashMap, HashSet};

use join_graph::{Hygiene, Relationship, RelationshipType};

use super::{FoundColumn, FoundTable, Introspection};

/// Confidence in a match of the name alone.
const NAME: f64 = 0.70;
/// Confidence in a match of the end of a name: `assignedEmployeeId`. Below the default threshold,
/// until a model or a person agrees.
const END_OF_NAME: f64 = 0.60;

/// Confidence in the same name on both ends, if it names the key of one table, or that is unique.
const SAME_NAME: f64 = 0.70;
/// Confidence in the same name alone: not enough, until the data agree.
const SAME_NAME_ALONE: f64 = 0.55;
/// Tables whose names begin as a column's does, at most, for a guess.
const NAMESAKES: usize = 3;
/// Guesses by the same name, at most.
const MOST: usize = 400;

/// The relationships that the names suggest, beyond the foreign keys.
pub(super) fn guess(found: &Introspection) -> Vec<Relationship> {
    let mut guesses = by_stems(found);
    same_names(found, &mut guesses);
    guesses
}

/// Columns of the same name in two tables, one of which the name is a key of: `writes.aid` and
/// `author.aid`, `review.business_id` and `business.business_id`.
fn same_names(found: &Introspection, guesses: &mut Vec<Relationship>) {
    let hygiene = Hygiene::default();
    let unique = found.unique();
    let is_one = |table: &FoundTable, column: &FoundColumn| {
        table.unique_columns.contains(&column.name) || table.primary_key == [column.name.clone()]
    };
    let mut by_name: BTreeMap<String, Vec<(&FoundTable, &FoundColumn)>> = BTreeMap::new();
    for table in &found.tables {
        for column in &table.columns {
            let fits = is_key_name(&column.name) && !hygiene.is_audit(&column.name);
            // A name that is a key of every table says nothing of another.
            if fits && !matches!(&*plain(&column.name), "id" | "key" | "code" | "no" | "uuid") {
                by_name
                    .entry(plain(&column.name))
                    .or_default()
                    .push((table, column));
            }
        }
    }
    let known: HashSet<(String, String)> = found
        .foreign_keys
        .iter()
        .map(|key| key.from.clone())
        .chain(
            guesses
                .iter()
                .map(|guess| (guess.from_table.clone(), guess.from_column.clone())),
        )
        .collect();
    let mut added = 0;
    for holders in by_name.values().filter(|holders| holders.len() > 1) {
        let rank = |(table, column): &(&FoundTable, &FoundColumn)| {
            if names_key_of(&table.name, &column.name) {
                3
            } else if is_one(table, column) {
                2
            } else {
                u8::from(begins_with_initials(&table.name, &column.name))
            }
        };
        let best = holders.iter().map(rank).max().unwrap_or(0);
        if best == 0 {
            continue;
        }
        let owners: Vec<_> = holders
            .iter()
            .filter(|holder| rank(holder) == best)
            .collect();
        // Of several keys none is the one that the others refer to; of several names the data
        // decide.
        if owners.len() > if best == 1 { NAMESAKES } else { 1 } {
            continue;
        }
        let pairs = owners
            .iter()
            .flat_map(|owner| holders.iter().map(move |holder| (**owner, *holder)));
        for ((to, target), (table, column)) in pairs {
            let end = (table.name.clone(), column.name.clone());
            let fits = same_family(&column.data_type, &target.data_type);
            if table.name == to.name || known.contains(&end) || !fits || added >= MOST {
                continue;
            }
            added += 1;
            guesses.push(Relationship {
                cardinality: unique.cardinality(&end, &(to.name.clone(), target.name.clone())),
                from_table: end.0,
                from_column: end.1,
                to_table: to.name.clone(),
                to_column: target.name.clone(),
                kind: RelationshipType::Heuristic,
                confidence: if best > 1 { SAME_NAME } else { SAME_NAME_ALONE },
                evidence: vec!["the same name".to_owned()],
                sources: vec!["names".to_owned()],
                key: None,
            });
        }
    }
}

/// Whether a name ends as names of keys do: `aid`, `business_id`, `stateCode`.
fn is_key_name(column: &str) -> bool {
    let plain = plain(column);
    ["id", "key", "code", "no", "number", "uuid"]
        .iter()
        .any(|ending| plain.len() > ending.len() && plain.ends_with(ending))
}

/// Whether a column's name is the table's with a word for a key behind it.
fn names_key_of(table: &str, column: &str) -> bool {
    let (table, column) = (plain(table), plain(column));
    [singular(&table), table].iter().any(|table| {
        column
            .strip_prefix(table.as_str())
            .is_some_and(|rest| matches!(rest, "id" | "key" | "code" | "no" | "number" | "uuid"))
    })
}

/// Whether a column's name is the beginning of the table's, or the first letters of its words, with
/// `id` behind it: `aid` of `author`, `did` of `domain`.
fn begins_with_initials(table: &str, column: &str) -> bool {
    let column = plain(column);
    let Some(stem) = column.strip_suffix("id").filter(|stem| !stem.is_empty()) else {
        return false;
    };
    let initials: String = words(table)
        .iter()
        .filter_map(|word| word.chars().next())
        .collect();
    // A longer beginning names another table more often than it shortens this one's name.
    let shortens = stem.len() <= 4 && plain(table).starts_with(stem);
    shortens || initials == stem
}

/// Whether values of two types can be the same.
pub(crate) fn same_family(one: &str, other: &str) -> bool {
    kind(one) == kind(other)
}

/// The relationships that the ends of names suggest.
fn by_stems(found: &Introspection) -> Vec<Relationship> {
    let hygiene = Hygiene::default();
    let unique = found.unique();
    let declared: HashSet<&(String, String)> =
        found.foreign_keys.iter().map(|key| &key.from).collect();
    let mut by_name: HashMap<String, &FoundTable> = HashMap::new();
    for table in &found.tables {
        let plain = plain(&table.name);
        by_name.entry(singular(&plain)).or_insert(table);
        // An exact name goes before another's singular.
        by_name.insert(plain, table);
    }
    let mut guesses = Vec::new();
    for table in &found.tables {
        for column in &table.columns {
            let end = (table.name.clone(), column.name.clone());
            if declared.contains(&end) {
                continue;
            }
            let found = refers(table, column, &by_name).filter(|_| !hygiene.is_audit(&column.name));
            guesses.extend(found.map(|(to, target, confidence)| Relationship {
                cardinality: unique.cardinality(&end, &(to.name.clone(), target.name.clone())),
                from_table: end.0,
                from_column: end.1,
                to_table: to.name.clone(),
                to_column: target.name.clone(),
                kind: RelationshipType::Heuristic,
                confidence,
                evidence: vec!["names".to_owned()],
                sources: vec!["names".to_owned()],
                key: None,
            }));
        }
    }
    guesses
}

/// The column that a column's name refers to: of the table that its stem names, otherwise of the
/// one that the end of the stem names.
fn refers<'f>(
    table: &FoundTable,
    column: &FoundColumn,
    by_name: &HashMap<String, &'f FoundTable>,
) -> Option<(&'f FoundTable, &'f FoundColumn, f64)> {
    let words = words(&column.name);
    let (last, stem) = words.split_last()?;
    if last != "id" || stem.is_empty() {
        return None;
    }
    (0..stem.len()).find_map(|skipped| {
        let name = stem[skipped..].concat();
        let to = by_name
            .get(&name)
            .or_else(|| by_name.get(&singular(&name)))?;
        let target = key(to, &column.name)?;
        let own_key = to.name == table.name && target.name == column.name;
        let fits = kind(&column.data_type) == kind(&target.data_type);
        (!own_key && fits).then_some((*to, target, if skipped == 0 { NAME } else { END_OF_NAME }))
    })
}

/// The column of a table that others refer to by a name like `column`: `id`, or the key of that
/// very name.
fn key<'t>(table: &'t FoundTable, column: &str) -> Option<&'t FoundColumn> {
    table.column("id").or_else(|| {
        let [only] = &table.primary_key[..] else {
            return None;
        };
        (plain(only) == plain(column))
            .then(|| table.column(only))
            .flatten()
    })
}

/// The words of a name, in lower case: `workOrder_ID` is `work order id`.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = '_';
    for c in name.chars() {
        let begins = before == '_'
            || (c.is_uppercase() && before.is_lowercase())
            || (c.is_uppercase() && before.is_numeric());
        if c != '_' {
            match words.last_mut() {
                Some(word) if !begins => word.extend(c.to_lowercase()),
                _ => words.push(c.to_lowercase().collect()),
            }
        }
        before = c;
    }
    // A name in one case does not separate its words; its end still may.
    if let [only] = &words[..]
        && let Some(stem) = only.strip_suffix("id").filter(|stem| stem.len() > 2)
    {
        return vec![stem.to_owned(), "id".to_owned()];
    }
    words
}

fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| *c != '_')
        .flat_map(char::to_lowercase)
        .collect()
}

fn singular(name: &str) -> String {
    if let Some(stem) = name.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        return format!("{stem}y");
    }
    for ending in ["sses", "xes", "ches", "shes"] {
        if name.ends_with(ending) {
            return name[..name.len() - 2].to_owned();
        }
    }
    match name.strip_suffix('s') {
        Some(stem) if !stem.ends_with('s') && stem.len() > 2 => stem.to_owned(),
        _ => name.to_owned(),
    }
}

/// The family of a type: a number does not refer to a text.
fn kind(data_type: &str) -> &'static str {
    let name = data_type.to_lowercase();
    let begins = |names: &[&str]| names.iter().any(|it| name.starts_with(it));
    if begins(&[
        "int",
        "bigint",
        "smallint",
        "mediumint",
        "tinyint",
        "numeric",
        "decimal",
        "serial",
        "bigserial",
    ]) {
        "number"
    } else if begins(&["uuid"]) {
        "uuid"
    } else if begins(&[
        "char",
        "varchar",
        "text",
        "tinytext",
        "mediumtext",
        "longtext",
    ]) {
        "text"
    } else if begins(&["binary", "varbinary", "bytea"]) {
        "bytes"
    } else {
        "other"
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{found, table};
    use super::*;

    fn guesses(tables: Vec<FoundTable>) -> Vec<String> {
        let found = guess(&found(tables));
        found
            .iter()
            .map(|guess| format!("{guess} {}", guess.confidence))
            .collect()
    }

    #[test]
    fn stems_match_whole_names_and_plurals() {
        let guessed = guesses(vec![
            table("employee", &["id", "crew_id", "companyId", "createdById"]),
            table("crews", &["id"]),
            table("company", &["id"]),
            table("employeeCrew", &["id", "EMPLOYEEID", "fluid", "id"]),
            table("workTime", &["id", "assignedEmployeeId", "parentId"]),
        ]);
        assert_eq!(
            guessed,
            [
                "employee.crew_id = crews.id 0.7",
                "employee.companyId = company.id 0.7",
                "employeeCrew.EMPLOYEEID = employee.id 0.7",
                "workTime.assignedEmployeeId = employee.id 0.6",
            ]
        );
    }

    #[test]
    fn keys_of_the_same_name_are_found_and_types_must_fit() {
        let mut customer = table("customers", &["customer_id", "name"]);
        customer.primary_key = vec!["customer_id".to_owned()];
        let mut order = table("orders", &["order_id", "customer_id"]);
        assert_eq!(
            guesses(vec![customer.clone(), order.clone()]),
            ["orders.customer_id = customers.customer_id 0.7"]
        );
        order.columns[1].data_type = "varchar(36)".to_owned();
        assert!(guesses(vec![customer, order]).is_empty());
    }

    #[test]
    fn the_same_name_refers_to_the_table_whose_key_it_is() {
        assert_eq!(
            guesses(vec![
                table("business", &["business_id", "city"]),
                table("review", &["business_id", "city"]),
            ]),
            ["review.business_id = business.business_id 0.7"]
        );
        // The data decide.
        assert_eq!(
            guesses(vec![
                table("author", &["aid"]),
                table("writes", &["aid", "pid"])
            ]),
            ["writes.aid = author.aid 0.55"]
        );
        let mut organisation = table("organisation", &["oid_no"]);
        organisation.unique_columns = vec!["oid_no".to_owned()];
        assert_eq!(
            guesses(vec![organisation, table("place", &["oid_no"])]),
            ["place.oid_no = organisation.oid_no 0.7"]
        );
        assert!(guesses(vec![table("a", &["city_code"]), table("b", &["city_code"])]).is_empty());
    }

    #[test]
    fn a_declared_key_is_not_guessed_again() {
        let mut both = found(vec![table("a", &["id", "b_id"]), table("b", &["id"])]);
        assert_eq!(guess(&both).len(), 1);
        both.foreign_keys.push(super::super::ForeignKey {
            name: "fk".to_owned(),
            from: ("a".to_owned(), "b_id".to_owned()),
            to: ("b".to_owned(), "id".to_owned()),
        });
        assert!(guess(&both).is_empty());
    }
}
