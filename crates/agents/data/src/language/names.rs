//! Names of tables and columns as words, and words in the singular.

/// The words of a name or a text, in lower case: `customerLocation`, `customer_location` and
/// "customer locations" begin alike.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    for c in text.chars() {
        if c == '\'' || c == '’' {
            continue;
        }
        let begins = c.is_uppercase() && before.is_lowercase();
        if (begins || !c.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// An English word in the singular, near enough to compare words. Own code, since a stemmer does
/// not return words, and these are shown.
pub(crate) fn singular(word: &str) -> String {
    match word {
        "people" => return "person".to_owned(),
        "children" => return "child".to_owned(),
        "men" => return "man".to_owned(),
        "women" => return "woman".to_owned(),
        _ => {}
    }
    let stem = |end: &str, with: &str| {
        word.strip_suffix(end)
            .filter(|stem| stem.len() >= 2)
            .map(|stem| format!("{stem}{with}"))
    };
    if ["ss", "us", "is"].iter().any(|end| word.ends_with(end)) {
        return word.to_owned();
    }
    stem("ies", "y")
        .or_else(|| stem("sses", "ss"))
        .or_else(|| stem("xes", "x"))
        .or_else(|| stem("ches", "ch"))
        .or_else(|| stem("shes", "sh"))
        .or_else(|| stem("s", ""))
        .unwrap_or_else(|| word.to_owned())
}

/// A singular noun in the plural.
pub(crate) fn plural(word: &str) -> String {
    let ends = |end: &[&str]| end.iter().any(|end| word.ends_with(end));
    if word == "person" {
        "people".to_owned()
    } else if ends(&["ay", "ey", "oy", "uy"]) {
        format!("{word}s")
    } else if let Some(stem) = word.strip_suffix('y') {
        format!("{stem}ies")
    } else if ends(&["s", "x", "ch", "sh"]) {
        format!("{word}es")
    } else {
        format!("{word}s")
    }
}

/// The words of a text, each in the singular.
pub(crate) fn stems(text: &str) -> Vec<String> {
    words(text).iter().map(|word| singular(word)).collect()
}

/// A name for people: `customerLocation` is "customer locations".
pub(crate) fn spoken_plural(name: &str) -> String {
    let mut words = stems(name);
    if let Some(last) = words.last_mut() {
        *last = plural(last);
    }
    words.join(" ")
}

/// The name whose words are these, all of them; none when several are.
pub(crate) fn named<'a>(phrase: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = stems(phrase).concat();
    if wanted.is_empty() {
        return None;
    }
    let mut found = names
        .into_iter()
        .filter(|name| stems(name).concat() == wanted);
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// Whether the words of a name are in these words, one after the other.
pub(crate) fn mentions(text: &[String], name: &str) -> bool {
    let name = stems(name);
    !name.is_empty()
        && (text.windows(name.len()).any(|window| *window == *name)
            || name.len() > 1 && text.contains(&name.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words() {
        for (name, spoken) in [
            ("customerLocation", "customer locations"),
            ("work_order", "work orders"),
            ("companies", "companies"),
            ("crew", "crews"),
            ("Status", "statuses"),
            ("inspectionQuestion", "inspection questions"),
            ("people", "people"),
            ("address", "addresses"),
        ] {
            assert_eq!(spoken_plural(name), spoken, "{name}");
        }
    }

    #[test]
    fn a_phrase_names_one_table_or_none() {
        let tables = ["workOrder", "customer", "customerLocation", "work_order"];
        assert_eq!(named("customers", tables), Some("customer"));
        assert_eq!(
            named("Customer Locations", tables),
            Some("customerLocation")
        );
        assert_eq!(named("work orders", tables), None, "two tables");
        assert_eq!(
            named("work orders", ["workOrder", "note"]),
            Some("workOrder")
        );
        assert_eq!(named("big customers", tables), None);
        assert_eq!(named("", tables), None);
    }

    #[test]
    fn a_mention_is_whole_words() {
        let text = stems("How many work orders do customers have?");
        assert!(mentions(&text, "workOrder") && mentions(&text, "customer"));
        assert!(!mentions(&text, "customerLocation"), "{text:?}");
    }
}
