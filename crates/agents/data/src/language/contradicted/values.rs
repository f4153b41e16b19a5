//! "In USD" and `currency <> 'USD'`.

use contracts::tools::sql::TableDescription;

use super::{
    super::{
        made_up::{Token, is_word},
        names::{singular, stems, words},
        unapplied::is_alias,
        untested::{Asked, is_alike},
    },
    Contradiction, denies,
    parsed::{Comparison, Op, Parsed},
};

/// Words that take out what is right behind them.
const TAKING_OUT: &[&str] = &["except", "excluding", "outside", "without"];

/// Words that deny what follows in a few words. Apostrophes are left out.
const DENYING: &[&str] = &[
    "arent", "didnt", "doesnt", "dont", "hasnt", "havent", "isnt", "never", "not", "wasnt",
    "werent",
];

/// Words that begin another part of a sentence.
const PARTS: &[&str] = &[
    "and", "but", "only", "or", "that", "where", "which", "who", "whose", "yet",
];

/// Words of questions whose answer may look for what is otherwise.
const ALL: &[&str] = &["exclusively", "foreign", "only"];

/// Words between such a word and a value.
const BETWEEN: &[&str] = &[
    "a", "an", "at", "be", "by", "called", "for", "from", "in", "is", "named", "of", "on", "the",
    "those", "to", "with",
];

/// Values of the question that the query takes out, and values that it keeps and the question
/// takes out.
pub(super) fn contradicted(question: &str, query: &Parsed<'_>) -> Vec<Contradiction> {
    let said = words(question);
    let spoken: Vec<String> = question
        .split_whitespace()
        .map(|word| {
            word.trim_matches(|c: char| !c.is_alphanumeric())
                .to_lowercase()
        })
        .collect();
    let mut all = spoken.iter().chain(&said);
    let is_denied = all.any(|word| denies(word) || ALL.contains(&word.as_str()));
    // "All of them in USD": none of them is not.
    let counts_none = query.comparisons.iter().any(|one| {
        let counts = |name: &str| one.left.iter().any(|token| is_word(token, name));
        one.op == Op::Is && one.number() == Some("0") && (counts("sum") || counts("count"))
    });
    let anti = !query.nulls(false).is_empty() && query.has("left") || counts_none;
    let mut found: Vec<Contradiction> = Vec::new();
    for one in &query.comparisons {
        let Some(places) = place(one, &said) else {
            continue;
        };
        let same = |other: &&Comparison| other.right == one.right;
        let keeps = query.comparisons.iter().filter(same);
        let keeps = keeps.filter(|other| other.op != Op::IsNot).count();
        let is_against = match one.op {
            Op::IsNot => !is_denied && !anti && keeps == 0,
            Op::Is => is_taken_out(&said, places.start) && !query.leaves_out() && takes_none(query),
            _ => false,
        };
        let contradiction = Contradiction::Words {
            said: said_as(question, &said[places.clone()], one.op == Op::Is),
            reads: one.written(),
        };
        if is_against && !found.contains(&contradiction) {
            found.push(contradiction);
        }
    }
    found
}

/// States that exclude each other, with the words for each of them.
const STATES: &[&[&str]] = &[
    &["accepted", "approved", "confirmed"],
    &[
        "active",
        "in progress",
        "open",
        "outstanding",
        "pending",
        "unresolved",
    ],
    &["blocked", "disabled", "inactive", "locked", "suspended"],
    &["aborted", "canceled", "cancelled", "void", "voided"],
    &["closed", "completed", "done", "finished", "resolved"],
    &["declined", "denied", "refused", "rejected"],
    &["delivered", "shipped"],
    &["draft"],
    &["failed"],
    &["overdue"],
    &["paid"],
    &["refunded", "returned"],
    &["planned", "scheduled"],
    &["unpaid"],
];

/// Whether two words are of the same state.
pub(super) fn are_states(one: &str, other: &str) -> bool {
    let mut groups = STATES.iter();
    groups.any(|group| group.contains(&one) && group.contains(&other))
}

/// States of the question in whose place the query has another state, and values of a column that
/// the question says where the query has another value of the column.
pub(super) fn others(
    question: &str,
    asked: &[Asked],
    query: &Parsed<'_>,
    schemas: &[TableDescription],
) -> Vec<Contradiction> {
    let said = words(question);
    let lower = question.to_lowercase();
    let mut found = Vec::new();
    let is_denied = asked.iter().any(|one| denies(&one.word));
    // A name that the query gives its result says nothing of what it reads.
    let own = (0..query.tokens.len()).filter(|at| !is_alias(query.tokens, *at));
    let own: Vec<&Token> = own.map(|at| &query.tokens[at]).collect();
    let has = |word: &str| {
        let names = own.iter().filter_map(|token| match token {
            Token::Word(text) | Token::Text(text) => Some(text),
            Token::Number(_) | Token::Sign(_) => None,
        });
        names
            .flat_map(|text| stems(text))
            .any(|name| is_alike(word, &name))
    };
    for one in &query.comparisons {
        let Some(value) = one.text().map(str::to_lowercase) else {
            continue;
        };
        // A value that the question says, or one of two readings, is of other checks.
        if one.op != Op::Is || is_denied || place(one, &said).is_some() {
            continue;
        }
        let known = known_values(one, schemas);
        let group = STATES
            .iter()
            .position(|group| group.contains(&value.as_str()));
        let against = asked.iter().find(|asked| {
            let is_state = group.is_some_and(|group| {
                let mut other = STATES.iter();
                let other = other.position(|states| states.contains(&asked.word.as_str()));
                other.is_some_and(|other| other != group)
            });
            let is_value = known.iter().any(|known| {
                *known != value && known.len() > 2 && singular(known) == singular(&asked.word)
            });
            (is_state || is_value) && !has(&singular(&asked.word))
        });
        // "In progress" is a state of several words.
        let is_said = lower.contains(value.as_str());
        if let Some(word) = against.filter(|_| !is_said) {
            found.push(Contradiction::Words {
                said: word.text.clone(),
                reads: one.written(),
            });
        }
    }
    found.dedup();
    found
}

/// The values of the compared column that are known, by its type and by sample rows.
fn known_values(one: &Comparison, schemas: &[TableDescription]) -> Vec<String> {
    let name = one.left.iter().rev().find_map(|token| match token {
        Token::Word(word) => Some(word),
        _ => None,
    });
    let Some(name) = name else { return Vec::new() };
    let mut found = Vec::new();
    for table in schemas {
        let mut columns = table.columns.iter();
        let Some(column) = columns.find(|column| column.name.eq_ignore_ascii_case(name)) else {
            continue;
        };
        if column.data_type.to_lowercase().starts_with("enum") {
            let listed = column.data_type.split('\'').skip(1).step_by(2);
            found.extend(listed.map(str::to_lowercase));
        }
        let samples = table
            .samples
            .iter()
            .filter_map(|row| row.get(&column.name)?.as_str());
        found.extend(samples.map(str::to_lowercase));
    }
    found
}

fn takes_none(query: &Parsed<'_>) -> bool {
    query.comparisons.iter().all(|one| one.op != Op::IsNot)
}

/// The places of a value in the question.
fn place(one: &Comparison, said: &[String]) -> Option<std::ops::Range<usize>> {
    let literal = one.text().or_else(|| one.number())?;
    let value = words(literal.trim_matches('%'));
    if value.is_empty() || value.iter().all(String::is_empty) {
        return None;
    }
    let is_it = |at: usize| {
        let there = said.get(at..at + value.len());
        there.is_some_and(|there| {
            let mut pairs = there.iter().zip(&value);
            pairs.all(|(said, value)| singular(said) == singular(value))
        })
    };
    let at = (0..said.len()).find(|at| is_it(*at))?;
    Some(at..at + value.len())
}

/// Whether "not in", "except" or "other than" is right before a place.
fn is_taken_out(said: &[String], at: usize) -> bool {
    // "Do not pay with".
    let near = said[at.saturating_sub(4)..at].iter();
    let denied = near
        .rev()
        .take_while(|word| !PARTS.contains(&word.as_str()));
    if denied
        .into_iter()
        .any(|word| DENYING.contains(&word.as_str()))
    {
        return true;
    }
    let mut before = said[..at].iter().enumerate().rev();
    let lead = before.find(|(_, word)| !BETWEEN.contains(&word.as_str()));
    lead.is_some_and(|(place, word)| {
        let is = |back: usize, word: &str| {
            place
                .checked_sub(back)
                .is_some_and(|place| said[place] == word)
        };
        TAKING_OUT.contains(&word.as_str()) || word == "than" && is(1, "other")
    })
}

/// The words of a value as the question has them.
fn said_as(question: &str, value: &[String], is_taken_out: bool) -> String {
    let joined = value.join(" ");
    let lower = question.to_lowercase();
    let start = lower
        .find(&joined)
        .filter(|_| lower.len() == question.len());
    let text = start.and_then(|start| question.get(start..start + joined.len()));
    let text = text.unwrap_or(&joined);
    if is_taken_out {
        format!("not {text}")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Compared, contradicted, tests::said};

    /// A question, a query that answers it, one with another state, and the word.
    const PAIRS: &[(&str, &str, &str, &str)] = &[
        (
            "How many jobs are cancelled?",
            "SELECT COUNT(*) FROM job WHERE code = 'canceled'",
            "SELECT COUNT(*) FROM job WHERE code = 'completed'",
            "cancelled",
        ),
        (
            "List completed orders",
            "SELECT id FROM orders WHERE status = 'done'",
            "SELECT id FROM orders WHERE status = 'pending'",
            "completed",
        ),
        (
            "How many open tickets are there?",
            "SELECT COUNT(*) FROM ticket WHERE state IN ('pending', 'active')",
            "SELECT COUNT(*) FROM ticket WHERE state = 'closed'",
            "open",
        ),
        (
            "Show rejected offers",
            "SELECT id FROM offer WHERE status = 'declined'",
            "SELECT id FROM offer WHERE status = 'accepted'",
            "rejected",
        ),
        (
            "Which orders were returned?",
            "SELECT id FROM orders WHERE status = 'refunded'",
            "SELECT id FROM orders WHERE status = 'shipped'",
            "returned",
        ),
        (
            "Which jobs are scheduled?",
            "SELECT id FROM job WHERE status = 'planned'",
            "SELECT id FROM job WHERE status = 'failed'",
            "scheduled",
        ),
    ];

    #[test]
    fn another_state_is_found() {
        for (question, right, against, words) in PAIRS {
            assert_eq!(said(question, right), [""; 0], "{question} {right}");
            assert_eq!(said(question, against), [*words], "{question} {against}");
        }
    }

    #[test]
    fn another_value_of_the_column_is_found() {
        let tables = serde_json::json!([{
            "name": "job", "omitted_columns": 0,
            "columns": [
                { "name": "kind", "type": "enum('emergency','repair')", "nullable": true, "unique": false },
                { "name": "site", "type": "text", "nullable": true, "unique": false },
            ],
            "samples": [{ "site": "north" }, { "site": "south" }],
        }]);
        let schemas: Vec<contracts::tools::sql::TableDescription> =
            serde_json::from_value(tables).unwrap();
        let found = |question: &str, sql: &str| {
            let compared = Compared {
                question,
                sql,
                is_mysql: true,
                today: None,
                joins: Vec::new(),
                schemas: &schemas,
            };
            contradicted(&compared).len()
        };
        for (question, right, against) in [
            (
                "How many emergencies are there?",
                "SELECT COUNT(*) FROM job WHERE kind = 'emergency'",
                "SELECT COUNT(*) FROM job WHERE kind = 'repair'",
            ),
            (
                "List jobs in the north",
                "SELECT id FROM job WHERE site = 'north'",
                "SELECT id FROM job WHERE site = 'south'",
            ),
            (
                "Repair jobs",
                "SELECT id FROM job WHERE kind = 'repair'",
                "SELECT id FROM job j WHERE j.kind = 'emergency'",
            ),
        ] {
            assert_eq!(
                (found(question, right), found(question, against)),
                (0, 1),
                "{question}"
            );
        }
    }
}
