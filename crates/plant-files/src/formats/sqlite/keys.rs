//! The keys of `CREATE TABLE`.

/// A foreign key of one or several columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignKey {
    /// The columns that hold the reference.
    pub columns: Vec<String>,
    /// The table that is referred to.
    pub table: String,
    /// Its columns; empty for its primary key.
    pub referenced: Vec<String>,
}

/// The foreign keys that the parts of a statement declare, each for its column or for several.
pub(super) fn foreign_keys(parts: &[String]) -> Vec<ForeignKey> {
    parts.iter().filter_map(|part| foreign_key(part)).collect()
}

/// The primary key and the other columns whose values together name one row, the former first.
pub(super) fn unique_keys(parts: &[String]) -> (Vec<String>, Vec<Vec<String>>) {
    let (mut primary, mut others) = (Vec::new(), Vec::new());
    for part in parts {
        let Some((is_primary, columns)) = unique_key(part) else {
            continue;
        };
        if is_primary {
            primary = columns;
        } else {
            others.push(columns);
        }
    }
    (primary, others)
}

/// A primary key, or another unique one, for a column or for several.
fn unique_key(part: &str) -> Option<(bool, Vec<String>)> {
    let words = words(part);
    let is = |at: usize, word: &str| {
        let found = words.get(at);
        found.is_some_and(|found| !found.is_quoted && found.text.eq_ignore_ascii_case(word))
    };
    // Parentheses have the parts of a type, a default or a check.
    let mut depth = 0;
    let outside = (0..words.len()).filter(|at| {
        depth += i32::from(is(*at, "(")) - i32::from(is(*at, ")"));
        depth == 0
    });
    let at = outside.into_iter().find(|at| {
        let is_primary = is(*at, "primary") && is(at + 1, "key");
        is_primary || is(*at, "unique")
    })?;
    let is_primary = is(at, "primary");
    let names_columns = at == 0 || is(0, "constraint") && at == 2;
    let columns = if names_columns {
        listed(&words, if is_primary { at + 2 } else { at + 1 })
    } else {
        vec![words.first()?.text.clone()]
    };
    (!columns.is_empty()).then_some((is_primary, columns))
}

fn foreign_key(part: &str) -> Option<ForeignKey> {
    let words = words(part);
    let is = |at: usize, word: &str| {
        let found = words.get(at);
        found.is_some_and(|found| !found.is_quoted && found.text.eq_ignore_ascii_case(word))
    };
    let at = (0..words.len()).find(|at| is(*at, "references"))?;
    let foreign = (0..at).find(|at| is(*at, "foreign") && is(at + 1, "key"));
    let columns = match foreign {
        Some(foreign) => listed(&words, foreign + 2),
        None => vec![words.first()?.text.clone()],
    };
    Some(ForeignKey {
        columns,
        table: words.get(at + 1)?.text.clone(),
        referenced: listed(&words, at + 2),
    })
    .filter(|key| key.referenced.is_empty() || key.referenced.len() == key.columns.len())
}

/// A name, a keyword or a mark.
struct Word {
    text: String,
    is_quoted: bool,
}

/// The names in the parentheses that begin here.
fn listed(words: &[Word], from: usize) -> Vec<String> {
    let is = |word: &Word, mark: &str| !word.is_quoted && word.text == mark;
    if !words.get(from).is_some_and(|word| is(word, "(")) {
        return Vec::new();
    }
    let names = words.iter().skip(from + 1);
    names
        .take_while(|word| !is(word, ")"))
        .filter(|word| !is(word, ","))
        .map(|word| word.text.clone())
        .collect()
}

fn words(part: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut letters = part.chars().peekable();
    while let Some(letter) = letters.next() {
        let end = match letter {
            '"' | '`' | '\'' => Some(letter),
            '[' => Some(']'),
            _ => None,
        };
        let mut text = String::new();
        if let Some(end) = end {
            text.extend(letters.by_ref().take_while(|letter| *letter != end));
        } else if letter.is_whitespace() {
            continue;
        } else {
            text.push(letter);
            let goes_on = |letter: &char| letter.is_alphanumeric() || *letter == '_';
            if goes_on(&letter) {
                while let Some(next) = letters.next_if(goes_on) {
                    text.push(next);
                }
            }
        }
        words.push(Word {
            text,
            is_quoted: end.is_some(),
        });
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unique_keys_of_a_column_and_of_a_table_are_read() {
        let parts = [
            "id INTEGER PRIMARY KEY AUTOINCREMENT",
            "code VARCHAR(9) NOT NULL UNIQUE COLLATE NOCASE",
            "\"unique\" TEXT",
            "note TEXT DEFAULT 'UNIQUE' CHECK (note <> 'PRIMARY KEY')",
            "amount NUMERIC(9, 2)",
            "UNIQUE (shop, `no`) ON CONFLICT FAIL",
            "CONSTRAINT one UNIQUE(shop, [day])",
            "FOREIGN KEY (shop) REFERENCES shops (id)",
        ];
        let (primary, others) = unique_keys(&parts.map(str::to_owned));
        assert_eq!(primary, ["id"]);
        assert_eq!(
            others,
            [vec!["code"], vec!["shop", "no"], vec!["shop", "day"]]
        );
        let (primary, others) = unique_keys(&["PRIMARY KEY (shop, no)".to_owned()]);
        assert_eq!((primary.len(), others.len()), (2, 0));
    }

    #[test]
    fn keys_of_a_column_and_of_a_table_are_read() {
        for (part, columns, table, referenced) in [
            (
                "author_id INTEGER NOT NULL REFERENCES author(id)",
                vec!["author_id"],
                "author",
                vec!["id"],
            ),
            (
                " \"book\" TEXT references [The Books] ( isbn ) ON DELETE CASCADE",
                vec!["book"],
                "The Books",
                vec!["isbn"],
            ),
            (
                "publisher INTEGER REFERENCES publisher",
                vec!["publisher"],
                "publisher",
                vec![],
            ),
            (
                "FOREIGN KEY (a, `b`) REFERENCES t (x, y)",
                vec!["a", "b"],
                "t",
                vec!["x", "y"],
            ),
            (
                "CONSTRAINT fk FOREIGN KEY(a) REFERENCES t(x)",
                vec!["a"],
                "t",
                vec!["x"],
            ),
        ] {
            let key = foreign_key(part).unwrap_or_else(|| panic!("{part}"));
            assert_eq!(
                (key.columns, &*key.table, key.referenced),
                (
                    columns.iter().map(|name| (*name).to_owned()).collect(),
                    table,
                    referenced.iter().map(|name| (*name).to_owned()).collect()
                ),
                "{part}"
            );
        }
        for part in [
            "id INTEGER PRIMARY KEY",
            "note TEXT DEFAULT 'REFERENCES'",
            "UNIQUE (a, b)",
        ] {
            assert_eq!(foreign_key(part), None, "{part}");
        }
    }
}
