//! Names that mean the same: `planned_arrival`, `plannedArrival` and `PLANNED_ARRIVAL`.

/// A name without its spelling.
pub(super) fn folded(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Whether two names differ in spelling only.
pub(super) fn same(a: &str, b: &str) -> bool {
    folded(a) == folded(b)
}

/// `planned_arrival` as `plannedArrival`; of what GraphQL allows in names.
pub(super) fn camel(name: &str) -> String {
    let mut camel = String::new();
    let mut raised = false;
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() {
            raised = !camel.is_empty();
        } else if raised {
            camel.push(c.to_ascii_uppercase());
            raised = false;
        } else {
            camel.push(c);
        }
    }
    let mut letters = camel.chars();
    match letters.next() {
        Some(first) if first.is_ascii_digit() => format!("_{camel}"),
        Some(first) => first.to_ascii_lowercase().to_string() + letters.as_str(),
        None => "_".to_owned(),
    }
}

/// `planned_arrival` as `PlannedArrival`.
pub(super) fn pascal(name: &str) -> String {
    let camel = camel(name);
    let mut letters = camel.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// `planned_arrival` as `PLANNED_ARRIVAL`.
pub(super) fn shouted(name: &str) -> String {
    let mut shouted = String::new();
    for c in camel(name).chars() {
        if c.is_ascii_uppercase() {
            shouted.push('_');
        }
        shouted.push(c.to_ascii_uppercase());
    }
    shouted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_name_are_the_same() {
        assert!(same("planned_arrival", "plannedArrival"));
        assert!(same("PLANNED_ARRIVAL", "plannedArrival"));
        assert!(!same("planned_arrival", "actual_arrival"));
    }

    #[test]
    fn names_are_respelt() {
        assert_eq!(camel("planned_arrival"), "plannedArrival");
        assert_eq!(camel("2nd-port"), "_2ndPort");
        assert_eq!(camel("port.name"), "portName");
        assert_eq!(camel("_"), "_");
        assert_eq!(pascal("planned_arrival"), "PlannedArrival");
        assert_eq!(shouted("planned_arrival"), "PLANNED_ARRIVAL");
    }
}
