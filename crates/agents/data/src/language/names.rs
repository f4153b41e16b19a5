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

/// Nouns without a plural: "all customer feedback".
const UNCOUNTED: &[&str] = &[
    "advice",
    "cash",
    "correspondence",
    "data",
    "equipment",
    "evidence",
    "feedback",
    "furniture",
    "hardware",
    "information",
    "inventory",
    "luggage",
    "maintenance",
    "metadata",
    "news",
    "payroll",
    "personnel",
    "series",
    "software",
    "staff",
    "stock",
    "traffic",
    "weather",
];

/// The question for the number of rows of a table, which is called `what` in the plural.
pub(crate) fn how_many(what: &str) -> String {
    let last = what.rsplit(' ').next().unwrap_or(what);
    if UNCOUNTED.contains(&last) {
        format!("How many rows are in {what}?")
    } else {
        format!("How many {what} are there?")
    }
}

/// A singular noun in the plural.
pub(crate) fn plural(word: &str) -> String {
    let ends = |end: &[&str]| end.iter().any(|end| word.ends_with(end));
    let irregular = match word {
        "person" => Some("people"),
        "child" => Some("children"),
        "man" => Some("men"),
        "woman" => Some("women"),
        _ => None,
    };
    if let Some(irregular) = irregular {
        irregular.to_owned()
    } else if UNCOUNTED.contains(&word) {
        word.to_owned()
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

/// A name for people: `customerLocation` is "customer locations". A schema stays as it is called.
pub(crate) fn spoken_plural(name: &str) -> String {
    let mut words = stems(bare(name));
    if let Some(last) = words.last_mut() {
        *last = plural(last);
    }
    if let Some((schema, _)) = name.rsplit_once('.') {
        words.splice(0..0, self::words(schema));
    }
    words.join(" ")
}

/// The same without the schema where no other table has the name.
pub(crate) fn spoken_among<'a>(name: &str, tables: impl IntoIterator<Item = &'a str>) -> String {
    let own = stems(bare(name));
    let mut others = tables.into_iter().filter(|other| *other != name);
    let is_shared = others.any(|other| stems(bare(other)) == own);
    spoken_plural(if is_shared { name } else { bare(name) })
}

/// Words behind a noun that limit it.
const LIMITS: [&str; 24] = [
    "after", "at", "before", "between", "by", "during", "for", "from", "in", "last", "of", "on",
    "over", "since", "that", "this", "under", "until", "where", "which", "who", "whose", "with",
    "without",
];

/// A phrase in the plural: "open invoice in 2021" is "open invoices in 2021".
pub(crate) fn in_plural(phrase: &str) -> String {
    let mut said: Vec<String> = phrase.split(' ').map(str::to_owned).collect();
    let mut behind = said.iter().skip(1);
    let limit = behind.position(|word| LIMITS.contains(&&*word.to_lowercase()));
    let noun = limit.unwrap_or(said.len() - 1);
    said[noun] = plural(&singular(&said[noun]));
    said.join(" ")
}

/// The words of a name or phrase in the singular, joined: in each way in which its last word can
/// be read. "Movies" are several of "movie", or of "movy".
fn readings(text: &str) -> Vec<String> {
    let words = words(text);
    let Some((last, first)) = words.split_last() else {
        return Vec::new();
    };
    let first: String = first.iter().map(|word| singular(word)).collect();
    let without_s = last.strip_suffix('s').filter(|stem| {
        stem.len() > 2
            && ["ie", "che", "she", "xe", "u"]
                .iter()
                .any(|end| stem.ends_with(end))
    });
    let mut readings = vec![singular(last), singular(&plural(last))];
    readings.extend(without_s.map(str::to_owned));
    readings
        .iter()
        .map(|last| format!("{first}{last}"))
        .collect()
}

/// The name whose words are these, all of them; none when several are. A table of another schema
/// can be named without the schema where no other has its name.
pub(crate) fn named<'a>(phrase: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = readings(phrase);
    let is_it = |name: &str| {
        readings(name)
            .iter()
            .any(|reading| wanted.contains(reading))
    };
    let (mut whole, mut without_schema) = (Vec::new(), Vec::new());
    for name in names {
        if is_it(name) {
            whole.push(name);
        } else if own(name).is_some_and(is_it) {
            without_schema.push(name);
        }
    }
    match (whole.as_slice(), without_schema.as_slice()) {
        ([name], _) | ([], [name]) => Some(name),
        _ => None,
    }
}

/// The name of a table without its schema.
pub(crate) fn bare(name: &str) -> &str {
    own(name).unwrap_or(name)
}

/// The name of a table without its schema; `None` when it has none.
fn own(name: &str) -> Option<&str> {
    name.rsplit_once('.').map(|(_, own)| own)
}

/// Whether the words of a name are in these words, one after the other.
pub(crate) fn mentions(text: &[String], name: &str) -> bool {
    let has = |name: &str| {
        let words = stems(name);
        let Some((_, first)) = words.split_last() else {
            return false;
        };
        // The last word in each reading, without the words before it.
        let before: usize = first.iter().map(String::len).sum();
        readings(name).iter().any(|whole| {
            let last = whole.get(before..);
            text.windows(words.len()).any(|window| {
                window[..first.len()] == *first && window.last().map(String::as_str) == last
            }) || words.len() > 1 && text.contains(whole)
        })
    };
    has(name) || own(name).is_some_and(has)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_noun_of_a_phrase_is_put_in_the_plural() {
        for (phrase, several) in [
            ("invoice", "invoices"),
            ("open invoices in 2021", "open invoices in 2021"),
            (
                "work orders without a customer",
                "work orders without a customer",
            ),
            ("rental of a van", "rentals of a van"),
            ("last order", "last orders"),
            ("order last year", "orders last year"),
        ] {
            assert_eq!(in_plural(phrase), several);
        }
    }

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
            ("customer_feedback", "customer feedback"),
            ("child", "children"),
            ("people.employee", "people employees"),
        ] {
            assert_eq!(spoken_plural(name), spoken, "{name}");
        }
        assert_eq!(how_many("work orders"), "How many work orders are there?");
        assert_eq!(
            how_many("customer feedback"),
            "How many rows are in customer feedback?"
        );
        let tables = ["people.employee", "shop.order", "web.order"];
        assert_eq!(spoken_among("people.employee", tables), "employees");
        assert_eq!(spoken_among("web.order", tables), "web orders");
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
    fn a_table_of_another_schema_is_named_with_and_without_it() {
        let tables = [
            "visit",
            "lab.visit",
            "lab.treatment",
            "shop.order",
            "web.order",
        ];
        for (phrase, table) in [
            ("visits", Some("visit")),
            ("lab visits", Some("lab.visit")),
            ("treatments", Some("lab.treatment")),
            ("orders", None),
            ("web orders", Some("web.order")),
            ("labs", None),
        ] {
            assert_eq!(named(phrase, tables), table, "{phrase}");
        }
        assert!(mentions(&stems("delete all treatments"), "lab.treatment"));
    }

    #[test]
    fn a_name_is_found_by_the_plural_that_is_shown_of_it() {
        for name in [
            "menu",
            "movie",
            "movies",
            "status",
            "cache",
            "lens",
            "bus",
            "branch",
            "category",
            "address",
            "workOrder",
            "person",
            "people",
            "series",
            "axe",
            "guru",
            "Größe",
        ] {
            let plural = spoken_plural(name);
            assert_eq!(named(&plural, [name]), Some(name), "{name}: {plural}");
            assert!(mentions(&stems(&plural), name), "{name}: {plural}");
        }
        assert_eq!(named("movie", ["movies"]), Some("movies"));
        assert_eq!(named("menu", ["status"]), None);
    }

    #[test]
    fn a_mention_is_whole_words() {
        let text = stems("How many work orders do customers have?");
        assert!(mentions(&text, "workOrder") && mentions(&text, "customer"));
        assert!(!mentions(&text, "customerLocation"), "{text:?}");
    }
}
