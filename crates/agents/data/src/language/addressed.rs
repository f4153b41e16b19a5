//! The database that a message names: "in erp", "erp: …", "does erp have …", "@erp", "erp
//! customers".

use super::names::{mentions, stems};

/// A message and the one database that it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Addressed {
    /// The name of the database.
    pub(crate) target: String,
    /// The message without it; empty where nothing else was said.
    pub(crate) rest: String,
}

/// Words beside which a name is a database's.
const KIND: [&str; 5] = ["database", "db", "target", "schema", "databases"];
/// Words after which a name is a database's, wherever they stand.
const PLACE: [&str; 7] = ["in", "from", "on", "using", "within", "at", "inside"];
/// Words after which it is one where the message, or what is before a comma, ends with it.
const CLOSING: [&str; 4] = ["for", "of", "with", "to"];
/// Words that may are before a name with which the message begins.
const BEFORE: [&str; 33] = [
    "please",
    "no",
    "sorry",
    "actually",
    "rather",
    "i",
    "mean",
    "meant",
    "hi",
    "hello",
    "hey",
    "ok",
    "okay",
    "now",
    "in",
    "on",
    "for",
    "from",
    "using",
    "use",
    "with",
    "within",
    "at",
    "to",
    "ask",
    "run",
    "execute",
    "try",
    "check",
    "this",
    "following",
    "query",
    "against",
];
/// Words that say nothing else beside a name: "what about erp?"
const FILLING: [&str; 18] = [
    "and", "what", "how", "about", "same", "again", "then", "or", "but", "one", "it", "that",
    "question", "switch", "take", "there", "instead", "is",
];
/// Words between databases that are named side by side.
const SIDE_BY_SIDE: [&str; 7] = ["and", "or", "both", "the", "also", "versus", "vs"];
/// Words that ask whether a database has something.
const HAVING: [&str; 7] = ["have", "has", "hold", "contain", "know", "store", "list"];

/// A word of a message.
struct Word {
    text: String,
    start: usize,
    end: usize,
}

/// The place in a message that names a database.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    /// Which of the names.
    name: usize,
    /// Its first word, and the one after its last.
    from: usize,
    to: usize,
}

/// What of a message goes with the name, and what is said in its place.
struct Cut {
    start: usize,
    end: usize,
    instead: &'static str,
}

/// A message and the databases that it names side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Several {
    /// The names of the databases.
    pub(crate) targets: Vec<String>,
    /// The message without them.
    pub(crate) rest: String,
}

/// The databases that a message names side by side: "in erp and crm", "do erp or crm have …".
pub(crate) fn several(text: &str, names: &[&str], tables: &[&str]) -> Option<Several> {
    let words = split(text);
    let message = Message {
        text,
        words: &words,
        tables,
    };
    let mut found = places(&words, names);
    found.sort_by_key(|place| place.from);
    let beside = |one: &Place, other: &Place| {
        let between = words.get(one.to..other.from).unwrap_or_default();
        let is_joined = !between.is_empty() || message.gap(other.from).trim() == ",";
        is_joined
            && between.iter().all(|word| {
                let word = &*word.text;
                SIDE_BY_SIDE.contains(&word) || PLACE.contains(&word) || KIND.contains(&word)
            })
    };
    let at = found.windows(2).position(|pair| {
        let [one, other] = pair else { return false };
        one.name != other.name
            && beside(one, other)
            && [one, other]
                .iter()
                .all(|place| message.whole(**place).2 || !message.is_thing(names[place.name]))
    })?;
    let mut last = at + 1;
    while found
        .get(last + 1)
        .is_some_and(|next| beside(&found[last], next))
    {
        last += 1;
    }
    let (mut from, ..) = message.whole(found[at]);
    let (_, mut to, _) = message.whole(found[last]);
    while matches!(
        message.word(from.checked_sub(1)),
        "both" | "the" | "databases"
    ) {
        from -= 1;
    }
    let before = message.word(from.checked_sub(1));
    let asks_having = matches!(before, "do" | "does" | "have" | "has");
    let is_placed = PLACE.contains(&before) || CLOSING.contains(&before);
    if !is_placed && !asks_having && !matches!(before, "between" | "compare") {
        return None;
    }
    from -= 1;
    if asks_having && HAVING.contains(&message.word(Some(to))) {
        to += 1;
    }
    let start = from.checked_sub(1).map_or(0, |at| words[at].end);
    let end = words.get(to - 1).map_or(text.len(), |word| word.end);
    let instead = if asks_having { " are there" } else { "" };
    let mut targets: Vec<String> = Vec::new();
    for place in &found[at..=last] {
        let name = names[place.name].to_owned();
        if !targets.contains(&name) {
            targets.push(name);
        }
    }
    Some(Several {
        targets,
        rest: settled(&format!("{}{instead}{}", &text[..start], &text[end..])),
    })
}

/// A message without the databases that it says it is not about ("not erp, crm: …"), and which
/// these are.
fn without_negated(text: &str, names: &[&str]) -> Option<(String, Vec<usize>)> {
    let words = split(text);
    let message = Message {
        text,
        words: &words,
        tables: &[],
    };
    places(&words, names).into_iter().find_map(|place| {
        let (mut from, to, _) = message.whole(place);
        while PLACE.contains(&message.word(from.checked_sub(1))) {
            from -= 1;
        }
        if message.word(from.checked_sub(1)) != "not" {
            return None;
        }
        from -= 1;
        let gap = message.gap(to);
        let begins = message.words[..from]
            .iter()
            .all(|word| BEFORE.contains(&&*word.text));
        let follows_comma = message.gap(from).contains([',', ';']);
        let is_followed = gap.contains([',', ';']) || message.word(Some(to)) == "but";
        if !begins && !follows_comma && !is_followed {
            return None;
        }
        // "…, not erp" and "not erp, …": one of the commas goes.
        let start = from.checked_sub(1).map_or(0, |at| words[at].end);
        let next = if message.word(Some(to)) == "but" {
            to + 1
        } else {
            to
        };
        let after = if next > to {
            words.get(next - 1).map_or(text.len(), |word| word.end)
        } else {
            words[to - 1].end
        };
        let rest = text[after..].trim_start_matches([',', ';', ' ']);
        let begin = text[..start].trim_end();
        let is_mark = rest.starts_with([':', '?', '.', '!']);
        let space = if begin.is_empty() || is_mark { "" } else { " " };
        Some((format!("{begin}{space}{rest}"), vec![place.name]))
    })
}

/// The database that a message names, unless it names several. `tables` are the existing tables: a
/// word that names one of them means its contents.
pub(crate) fn addressed(text: &str, names: &[&str], tables: &[&str]) -> Option<Addressed> {
    if let Some((rest, negated)) = without_negated(text, names) {
        return leading(&rest, names, tables)
            .or_else(|| addressed(&rest, names, tables))
            .or_else(|| other_than(&negated, names, &rest));
    }
    let words = split(text);
    let message = Message {
        text,
        words: &words,
        tables,
    };
    let mut named = places(&words, names).into_iter().filter_map(|place| {
        let cut = message.cut(place, names[place.name])?;
        Some((place, cut))
    });
    let (first, cut) = named.next()?;
    let is_one = named.all(|(place, _)| place.name == first.name);
    is_one.then(|| message.without(&cut, names[first.name]))
}

/// The other one of two databases, where a message says only which it is not about.
fn other_than(negated: &[usize], names: &[&str], rest: &str) -> Option<Addressed> {
    let mut left = (0..names.len()).filter(|name| !negated.contains(name));
    let other = left.next()?;
    left.next().is_none().then(|| Addressed {
        target: names[other].to_owned(),
        rest: settled(rest),
    })
}

/// The database that a message begins with, whatever else is named in it: "erp: …". What follows
/// may be a query.
pub(crate) fn leading(text: &str, names: &[&str], tables: &[&str]) -> Option<Addressed> {
    let words = split(text);
    let message = Message {
        text,
        words: &words,
        tables,
    };
    places(&words, names).into_iter().find_map(|place| {
        let name = names[place.name];
        let cut = message.leading(place, name)?;
        Some(message.without(&cut, name))
    })
}

fn split(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut goes_on = false;
    for (at, c) in text.char_indices() {
        if !c.is_alphanumeric() {
            goes_on = false;
            continue;
        }
        let end = at + c.len_utf8();
        match words.last_mut() {
            Some(word) if goes_on => {
                word.text.extend(c.to_lowercase());
                word.end = end;
            }
            _ => words.push(Word {
                text: c.to_lowercase().collect(),
                start: at,
                end,
            }),
        }
        goes_on = true;
    }
    words
}

/// The places of the names, a longer one before those within it.
fn places(words: &[Word], names: &[&str]) -> Vec<Place> {
    let mut places = Vec::new();
    for (name, text) in names.iter().enumerate() {
        let wanted: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
        for from in 0..words.len() {
            let mut said = String::new();
            for (at, word) in words.iter().enumerate().skip(from) {
                said.push_str(&word.text);
                if said.len() >= wanted.len() {
                    if said == wanted {
                        let to = at + 1;
                        places.push(Place { name, from, to });
                    }
                    break;
                }
            }
        }
    }
    let is_within = |one: &Place, other: &Place| {
        one.name != other.name && other.from <= one.from && one.to <= other.to
    };
    let longest: Vec<Place> = places
        .iter()
        .filter(|one| !places.iter().any(|other| is_within(one, other)))
        .copied()
        .collect();
    longest
}

struct Message<'m> {
    text: &'m str,
    words: &'m [Word],
    tables: &'m [&'m str],
}

impl Message<'_> {
    fn word(&self, at: Option<usize>) -> &str {
        at.and_then(|at| self.words.get(at))
            .map_or("", |word| &word.text)
    }

    /// The text between the word before this one and it.
    fn gap(&self, before: usize) -> &str {
        let start = before.checked_sub(1).map_or(0, |at| self.words[at].end);
        let end = self
            .words
            .get(before)
            .map_or(self.text.len(), |word| word.start);
        self.text.get(start..end).unwrap_or_default()
    }

    /// The place with "the" and "database" beside the name, and whether "database" is there.
    fn whole(&self, place: Place) -> (usize, usize, bool) {
        let (mut from, mut to, mut is_kind) = (place.from, place.to, false);
        let joins = |gap: &str| !gap.contains([',', '.', ':', ';', '?', '!', '(', ')', '\n']);
        if KIND.contains(&self.word(Some(to))) && joins(self.gap(to)) {
            (to, is_kind) = (to + 1, true);
        } else if KIND.contains(&self.word(from.checked_sub(1))) && joins(self.gap(from)) {
            (from, is_kind) = (from - 1, true);
        }
        let quoted = self.word(from.checked_sub(1));
        if matches!(quoted, "the" | "our" | "my" | "your") && joins(self.gap(from)) {
            from -= 1;
        }
        (from, to, is_kind)
    }

    /// The message without what goes with the name.
    fn without(&self, cut: &Cut, name: &str) -> Addressed {
        let (before, after) = (&self.text[..cut.start], &self.text[cut.end..]);
        Addressed {
            target: name.to_owned(),
            rest: settled(&format!("{before}{}{after}", cut.instead)),
        }
    }

    fn is_marked(&self, place: Place) -> bool {
        self.gap(place.from).ends_with('@')
    }

    /// Whether what the name says is what a table holds.
    fn is_thing(&self, name: &str) -> bool {
        let said = stems(name);
        self.tables.iter().any(|table| mentions(&said, table))
    }

    /// The name at the beginning, with what sets it apart: "erp: …", "for erp, …", "@erp …", "run
    /// this in erp: …".
    fn leading(&self, place: Place, name: &str) -> Option<Cut> {
        let (from, to, is_kind) = self.whole(place);
        let before = &self.words[..from];
        if !before.iter().all(|word| BEFORE.contains(&&*word.text)) {
            return None;
        }
        let last = before.last().map_or("", |word| &*word.text);
        let is_placed = PLACE.contains(&last) || CLOSING.contains(&last) || last == "against";
        let gap = self.gap(to);
        let mark = gap.trim_start_matches([' ', '\t', ')', '"', '\'', '”', '’']);
        let is_sure = is_kind || is_placed || self.is_marked(place) || !self.is_thing(name);
        let apart = match mark.chars().next() {
            Some(':') => true,
            Some(',' | '\n') => is_sure,
            Some('-' | '–' | '—') => is_sure && gap.starts_with(' '),
            _ => self.is_marked(place) && to < self.words.len(),
        };
        let start = self
            .words
            .get(to)
            .map_or(self.text.len(), |word| word.start);
        // What is before the first word is part of what is said: a parenthesis, a fence.
        let said = gap.trim_start_matches([
            ' ', '\t', '\n', ':', ',', '-', '–', '—', ')', '"', '\'', '”', '’',
        ]);
        (apart && to < self.words.len()).then(|| Cut {
            start: 0,
            end: start - said.len(),
            instead: "",
        })
    }

    /// What of the message goes with a name that is a database's.
    fn cut(&self, place: Place, name: &str) -> Option<Cut> {
        let (from, to, is_kind) = self.whole(place);
        let start_of = |at: usize| self.words.get(at).map_or(self.text.len(), |it| it.start);
        let end_of = |at: usize| at.checked_sub(1).map_or(0, |at| self.words[at].end);
        let is_marked = self.is_marked(place);
        if !is_marked && !is_kind && self.is_thing(name) {
            return None;
        }
        if let Some(cut) = self.before_dot(place) {
            return Some(cut);
        }
        if let Some(cut) = self.having(from, to) {
            return Some(cut);
        }
        let all = |words: &[Word]| {
            words.iter().all(|word| {
                let word = &&*word.text;
                BEFORE.contains(word) || FILLING.contains(word) || *word == "the"
            })
        };
        if all(&self.words[..from]) && all(&self.words[to..]) {
            return Some(Cut {
                start: 0,
                end: self.text.len(),
                instead: "",
            });
        }
        let before = self.word(from.checked_sub(1));
        let closes = self.closes(to);
        if PLACE.contains(&before) || CLOSING.contains(&before) && (closes || is_kind) {
            let at = from - 1;
            return Some(Cut {
                start: end_of(at),
                end: end_of(to),
                instead: if at == 0 { "" } else { " " },
            });
        }
        if is_marked {
            let start = start_of(from);
            return Some(Cut {
                start: self.text[..start].rfind('@').unwrap_or(start),
                end: end_of(to),
                instead: "",
            });
        }
        let (gap, next) = (self.gap(from), self.gap(to));
        let in_parentheses = gap.trim_end().ends_with('(') && next.trim_start().starts_with(')');
        if in_parentheses {
            let start = end_of(from) + gap.rfind('(').unwrap_or_default();
            let end = end_of(to) + next.find(')').map_or(0, |at| at + 1);
            return Some(Cut {
                start,
                end,
                instead: "",
            });
        }
        if closes && gap.trim_start().starts_with(',') {
            return Some(Cut {
                start: end_of(from),
                end: end_of(to),
                instead: "",
            });
        }
        self.beside_table(from, to)
    }

    /// "erp.customer": the name stands before a table of it.
    fn before_dot(&self, place: Place) -> Option<Cut> {
        let next = self.words.get(place.to)?;
        (self.gap(place.to) == ".").then(|| Cut {
            start: self.words[place.from].start,
            end: next.start,
            instead: "",
        })
    }

    /// Whether the message, or a part of it, ends here.
    fn closes(&self, to: usize) -> bool {
        let gap = self.gap(to).trim_start();
        to >= self.words.len() || gap.starts_with([',', '.', '?', '!', ';', ':', ')', '\n'])
    }

    /// "does erp have …", "how many … does erp have", "has erp any …"
    fn having(&self, from: usize, to: usize) -> Option<Cut> {
        let asks = from.checked_sub(1)?;
        let verb = self.word(Some(asks));
        let next = self.word(Some(to));
        let until = match verb {
            "does" | "do" | "did" if HAVING.contains(&next) => to + 1,
            "has" | "have" => to + usize::from(next == "got"),
            _ => return None,
        };
        let until = until + usize::from(matches!(self.word(Some(until)), "any" | "some"));
        // "which crews have erp": not what is asked here.
        if matches!(verb, "has" | "have") && until >= self.words.len() {
            return None;
        }
        let start = self.words[asks].start;
        let end = self.words.get(until - 1)?.end;
        Some(Cut {
            start,
            end,
            instead: "are there",
        })
    }

    /// "erp customers", "the customers of erp's billing": a name right before a table's.
    fn beside_table(&self, from: usize, to: usize) -> Option<Cut> {
        let owns = self.gap(to).starts_with(['\'', '’']) && self.word(Some(to)) == "s";
        let next = to + usize::from(owns);
        let rest: Vec<&str> = self.words[next.min(self.words.len())..]
            .iter()
            .map(|word| &*word.text)
            .take(4)
            .collect();
        let begins = |table: &&str| {
            let (said, name) = (stems(&rest.join(" ")), stems(table));
            !name.is_empty() && (said.starts_with(&name) || said.first() == Some(&name.concat()))
        };
        let gap = self.gap(next);
        if !gap.trim().is_empty() || !self.tables.iter().any(begins) {
            return None;
        }
        Some(Cut {
            start: self.words[from].start,
            end: self.words[next].start,
            instead: "",
        })
    }
}

/// A message from which a name was cut, as a sentence again.
fn settled(rest: &str) -> String {
    let mut text = rest.trim().trim_start_matches([',', ';', ' ']).to_owned();
    if !text.contains("```") {
        text = text
            .replace(" ?", "?")
            .replace(" .", ".")
            .replace(" ,", ",");
        while text.contains("  ") {
            text = text.replace("  ", " ");
        }
    }
    // "How many crews are" is what is left of "… are in the warehouse database".
    match text.trim_end_matches(['?', '.', '!', ' ']) {
        begin
            if (begin.ends_with(" are") || begin.ends_with(" is"))
                && !begin.ends_with("there are")
                && !begin.ends_with("there is") =>
        {
            format!("{begin} there{}", &text[begin.len()..])
        }
        _ if text.chars().any(char::is_alphanumeric) => text,
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 4] = ["erp", "crm", "field-service", "erp-archive"];
    const TABLES: [&str; 4] = ["customer", "invoice", "work_order", "employee"];

    fn read(text: &str) -> Option<(String, String)> {
        let found = leading(text, &NAMES, &TABLES).or_else(|| addressed(text, &NAMES, &TABLES));
        found.map(|found| (found.target, found.rest))
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "one table")]
    fn a_database_is_named_in_many_ways() {
        let count = "How many customers are there?";
        for text in [
            "How many customers are there in erp?",
            "How many customers are there in the erp database?",
            "How many customers are there in the database erp?",
            "How many customers are in erp?",
            "How many customers are there (erp)?",
            "How many customers are there, erp?",
            "How many customers are there for erp?",
            "How many customers does erp have?",
            "How many customers does the ERP database have?",
            "How many erp customers are there?",
            "How many customers are there @erp?",
            "erp: How many customers are there?",
            "ERP - How many customers are there?",
            "Erp, How many customers are there?",
            "@erp How many customers are there?",
            "@erp: How many customers are there?",
            "for erp, How many customers are there?",
            "In erp, How many customers are there?",
            "in the erp database: How many customers are there?",
            "please ask erp: How many customers are there?",
        ] {
            let wanted = Some(("erp".to_owned(), count.to_owned()));
            assert_eq!(read(text), wanted, "{text}");
        }
        for (text, target, rest) in [
            ("does erp have customers?", "erp", "are there customers?"),
            (
                "Does the crm db have any invoices",
                "crm",
                "are there invoices",
            ),
            ("has erp any invoices?", "erp", "are there invoices?"),
            (
                "which tables does crm have?",
                "crm",
                "which tables are there?",
            ),
            ("List all invoices of erp", "erp", "List all invoices"),
            ("from erp list all customers", "erp", "list all customers"),
            ("List erp's customers", "erp", "List customers"),
            (
                "what columns has customer in erp?",
                "erp",
                "what columns has customer?",
            ),
            (
                "How many customers are in erp-archive?",
                "erp-archive",
                "How many customers are there?",
            ),
            (
                "How many customers are in the field service db?",
                "field-service",
                "How many customers are there?",
            ),
            (
                "fieldservice: list all work orders",
                "field-service",
                "list all work orders",
            ),
            (
                "Tell me how many invoices there are in crm.",
                "crm",
                "Tell me how many invoices there are.",
            ),
            ("and in crm?", "crm", ""),
            ("what about the erp database?", "erp", ""),
            ("crm", "crm", ""),
            ("the same for erp please", "erp", ""),
            ("erp: SELECT name FROM crm", "erp", "SELECT name FROM crm"),
            ("run this in crm: SELECT 1", "crm", "SELECT 1"),
            (
                "@crm (SELECT 1) UNION (SELECT 2)",
                "crm",
                "(SELECT 1) UNION (SELECT 2)",
            ),
            (
                "how many rows are in erp.customer?",
                "erp",
                "how many rows are in customer?",
            ),
            (
                "not crm, erp: how many customers are there?",
                "erp",
                "how many customers are there?",
            ),
            (
                "how many customers are there in erp, not in crm?",
                "erp",
                "how many customers are there?",
            ),
            (
                "Not in crm but in erp: list all invoices",
                "erp",
                "list all invoices",
            ),
            ("no, erp", "erp", ""),
            ("I meant crm", "crm", ""),
            (
                "the crm customers, how many?",
                "crm",
                "customers, how many?",
            ),
            (
                "in crm:\n```sql\nSELECT 1\n```",
                "crm",
                "```sql\nSELECT 1\n```",
            ),
        ] {
            let wanted = Some((target.to_owned(), rest.to_owned()));
            assert_eq!(read(text), wanted, "{text}");
        }
    }

    #[test]
    fn several_databases_are_named_side_by_side() {
        for (text, targets, rest) in [
            ("customers in erp and crm", &["erp", "crm"][..], "customers"),
            (
                "How many customers do erp and crm have?",
                &["erp", "crm"],
                "How many customers are there?",
            ),
            (
                "How many customers are there in both the crm and the erp databases?",
                &["crm", "erp"],
                "How many customers are there?",
            ),
            (
                "list all invoices from erp, crm and field-service",
                &["erp", "crm", "field-service"],
                "list all invoices",
            ),
            (
                "list all invoices from erp and crm and field-service",
                &["erp", "crm", "field-service"],
                "list all invoices",
            ),
            ("How many customers are in erp?", &[], ""),
            ("Which customers use erp and crm software?", &[], ""),
        ] {
            let found = several(text, &NAMES, &TABLES);
            let expected = (!targets.is_empty()).then(|| Several {
                targets: targets.iter().map(|&name| name.to_owned()).collect(),
                rest: rest.to_owned(),
            });
            assert_eq!(found, expected, "{text}");
        }
        // Of two databases the one that is not meant says which is.
        let found = addressed("not crm, how many customers?", &["crm", "erp"], &TABLES);
        assert_eq!(found.unwrap().target, "erp");
    }

    #[test]
    fn other_words_name_none() {
        for text in [
            "How many customers are there?",
            "Which customers have invoices in Berlin?",
            "How many customers do erp and crm have?",
            "Which of our customers use erp software?",
            "orders",
            "",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        // A table's name is what is in it.
        let things = |text| {
            let names = ["customer", "erp"];
            leading(text, &names, &TABLES).or_else(|| addressed(text, &names, &TABLES))
        };
        assert_eq!(things("How many invoices are there for customer 5?"), None);
        assert_eq!(things("customer, invoice and employee: how many?"), None);
        assert_eq!(
            things("List all invoices in the customer database")
                .unwrap()
                .target,
            "customer"
        );
    }
}
