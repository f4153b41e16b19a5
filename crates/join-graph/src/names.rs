//! Keys recognized by the names of tables and columns: `BUILDING_KEY`, `building_id` and
//! `buildingNo` name the key of `buildings`.

use crate::fold;

/// The last words of key names.
const KEY_WORDS: [&str; 13] = [
    "id", "ids", "key", "keys", "code", "no", "nr", "num", "number", "uuid", "guid", "pk", "sk",
];
/// Key words that can follow without a separator in a name of one case: `employeeid`.
const KEY_ENDINGS: [&str; 5] = ["id", "key", "code", "no", "num"];
/// Names that are a key in any table.
const KEYS: [&str; 5] = ["id", "key", "code", "uuid", "pk"];

/// The extent to which a column names the key of its own table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ownership {
    /// The column does not name the key.
    None,
    /// The column names the end of the table's name: `floor_key` of `fac_floor`.
    End,
    /// The column names the whole table, or the document declares it unique.
    Whole,
}

/// The words of a name in lower case: `workOrder_ID` becomes `work order id`.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = '_';
    for c in name.chars() {
        let is_border = matches!(c, '_' | '-' | ' ' | '.');
        let begins = before == '_' || (c.is_uppercase() && before.is_lowercase());
        if !is_border {
            match words.last_mut() {
                Some(word) if !begins => word.extend(c.to_lowercase()),
                _ => words.push(c.to_lowercase().collect()),
            }
        }
        before = if is_border { '_' } else { c };
    }
    words
}

/// A word without its plural ending.
pub(crate) fn singular(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        return format!("{stem}y");
    }
    for ending in ["sses", "xes", "ches", "shes"] {
        if word.ends_with(ending) {
            return word[..word.len() - 2].to_owned();
        }
    }
    match word.strip_suffix('s') {
        Some(stem) if !stem.ends_with('s') && stem.len() > 2 => stem.to_owned(),
        _ => word.to_owned(),
    }
}

/// A name in lower case without word separators.
pub(crate) fn bare(name: &str) -> String {
    fold(name).replace('_', "")
}

/// The subject of a column name: the name without the key word.
pub(crate) fn stem(column: &str) -> String {
    let words = words(column);
    let joined = |words: &[String]| words.iter().map(|word| singular(word)).collect();
    match &words[..] {
        [rest @ .., last] if !rest.is_empty() && KEY_WORDS.contains(&last.as_str()) => joined(rest),
        [only] => {
            let ending = KEY_ENDINGS.iter().find_map(|ending| {
                only.strip_suffix(ending)
                    .filter(|rest| rest.len() > 1 && !KEY_WORDS.contains(&only.as_str()))
            });
            ending.map_or_else(|| joined(&words), singular)
        }
        _ => joined(&words),
    }
}

/// Whether a name ends like the name of a key.
pub(crate) fn is_key_like(column: &str) -> bool {
    let words = words(column);
    words
        .last()
        .is_some_and(|last| KEY_WORDS.contains(&last.as_str()))
        || (words.len() == 1 && KEY_ENDINGS.iter().any(|ending| words[0].ends_with(ending)))
}

/// The extent to which `column` names the key of `table`.
pub(crate) fn ownership(table: &str, column: &str) -> Ownership {
    if KEYS.contains(&bare(column).as_str()) {
        return Ownership::Whole;
    }
    let table: Vec<String> = words(table).iter().map(|word| singular(word)).collect();
    let whole: String = words(column).iter().map(|word| singular(word)).collect();
    let stem = stem(column);
    let names = |from: usize| {
        let name = table[from..].concat();
        !name.is_empty() && (stem == name || whole == name)
    };
    if names(0) {
        Ownership::Whole
    } else if (1..table.len()).any(names) {
        Ownership::End
    } else {
        Ownership::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_name_the_key_of_their_table() {
        for (table, column, expected) in [
            ("BUILDINGS", "BUILDING_KEY", Ownership::Whole),
            ("FAC_FLOOR", "FLOOR_KEY", Ownership::End),
            ("FAC_ROOMS", "BUILDING_KEY", Ownership::None),
            ("subject_code", "subject_code", Ownership::Whole),
            ("employee", "employeeid", Ownership::Whole),
            ("workOrder", "workOrderNo", Ownership::Whole),
            ("anything", "id", Ownership::Whole),
            ("anything", "city", Ownership::None),
            ("categories", "category_id", Ownership::Whole),
        ] {
            assert_eq!(ownership(table, column), expected, "{table}.{column}");
        }
        assert_eq!(stem("DEPARTMENT_CODE"), stem("department"));
        assert!(is_key_like("player_api_id") && !is_key_like("semester"));
    }
}
