//! Which tables a question may be about.
//!
//! A word of the question counts the more, the fewer tables know it, and the closer to the table it
//! stands: its name, its comment, a column, a column's comment. Where meanings are known, they
//! count half.

use std::collections::{BTreeMap, HashMap};

use super::words::{cosine, stems, words};

const IN_NAME: f64 = 1.0;
const IN_COMMENT: f64 = 0.6;
const IN_COLUMN: f64 = 0.45;
const IN_COLUMN_COMMENT: f64 = 0.3;
/// Weight of the share of the table's own name that is in the question: `crew` before
/// `employeeCrew` for "crews".
const NAMED: f64 = 0.25;

/// The words of a table.
#[derive(Debug, Clone, Copy)]
pub(super) struct TableText<'a> {
    pub(super) name: &'a str,
    pub(super) comment: Option<&'a str>,
    /// Names and comments.
    pub(super) columns: &'a [(&'a str, Option<&'a str>)],
}

impl TableText<'_> {
    /// The table as a text whose meaning can be compared with a question's.
    pub(super) fn to_sentence(self) -> String {
        let mut sentence = words(self.name).join(" ");
        if let Some(comment) = self.comment {
            sentence.push_str(": ");
            sentence.push_str(comment);
        }
        let columns: Vec<String> = self
            .columns
            .iter()
            .map(|(name, _)| words(name).join(" "))
            .collect();
        sentence.push_str(". ");
        sentence.push_str(&columns.join(", "));
        sentence
    }
}

/// The tables of a catalogue by the words that describe them. Made once per catalogue.
#[derive(Debug)]
pub(super) struct TableIndex {
    /// The stems of each table's name.
    names: Vec<Vec<String>>,
    /// By stem: the tables that know it, and how close it stands to each.
    postings: HashMap<String, BTreeMap<usize, f64>>,
}

impl TableIndex {
    /// The index of these tables, which are spoken of by their place.
    pub(super) fn of<'a>(tables: impl Iterator<Item = TableText<'a>>) -> Self {
        let mut index = Self {
            names: Vec::new(),
            postings: HashMap::new(),
        };
        for (place, table) in tables.enumerate() {
            index.names.push(stems(table.name));
            index.post(place, table.name, IN_NAME);
            index.post(place, table.comment.unwrap_or_default(), IN_COMMENT);
            for (column, comment) in table.columns {
                index.post(place, column, IN_COLUMN);
                index.post(place, comment.unwrap_or_default(), IN_COLUMN_COMMENT);
            }
        }
        index
    }

    fn post(&mut self, place: usize, text: &str, weight: f64) {
        for stem in with_compounds(stems(text)) {
            let known = self
                .postings
                .entry(stem)
                .or_default()
                .entry(place)
                .or_default();
            *known = known.max(weight);
        }
    }

    /// The relevance of each table to a question, 0 to 1, in the order of the tables.
    pub(super) fn scores(&self, question: &str) -> Vec<f64> {
        let mut asked = with_compounds(stems(question));
        asked.sort_unstable();
        asked.dedup();
        let mut scores = vec![0.0; self.names.len()];
        let mut all = 0.0;
        for stem in &asked {
            let Some(tables) = self.postings.get(stem) else {
                continue;
            };
            let rarity = (1.0 + self.names.len() as f64 / tables.len() as f64).ln();
            all += rarity;
            for (&place, &weight) in tables {
                scores[place] += rarity * weight;
            }
        }
        for (score, name) in scores.iter_mut().zip(&self.names) {
            if all > 0.0 && *score > 0.0 {
                let said = name
                    .iter()
                    .filter(|stem| asked.binary_search(stem).is_ok())
                    .count();
                let named = said as f64 / name.len().max(1) as f64;
                *score = (1.0 - NAMED) * *score / all + NAMED * named;
            }
        }
        scores
    }
}

/// Adds each two neighbours as one word: who writes "workorder" means `work_order`, and the other
/// way round.
fn with_compounds(mut stems: Vec<String>) -> Vec<String> {
    let compounds: Vec<String> = stems.windows(2).map(<[String]>::concat).collect();
    stems.extend(compounds);
    stems
}

/// Mixes the scores of words with the likeness of meanings.
pub(super) fn with_meaning(scores: &mut [f64], question: &[f32], tables: &[Vec<f32>]) {
    for (score, table) in scores.iter_mut().zip(tables) {
        *score = 0.5 * *score + 0.5 * cosine(question, table).max(0.0);
    }
}

/// The nearest names to one that is none, the best first; none that are far.
pub(super) fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    const MOST: usize = 3;
    let folded = wanted.to_lowercase();
    let asked = stems(wanted);
    let mut near: Vec<(f64, &str)> = names
        .filter_map(|name| {
            let typed = strsim::normalized_damerau_levenshtein(&folded, &name.to_lowercase());
            let known = stems(name);
            let shared = asked.iter().filter(|stem| known.contains(stem)).count() as f64;
            let said = 2.0 * shared / (asked.len() + known.len()).max(1) as f64;
            let near = typed.max(said);
            (near >= 0.5).then_some((near, name))
        })
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.into_iter()
        .take(MOST)
        .map(|(_, name)| name.to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Columns = &'static [(&'static str, Option<&'static str>)];

    const TABLES: [(&str, Option<&str>, Columns); 5] = [
        (
            "employee",
            None,
            &[("id", None), ("firstName", None), ("isActive", None)],
        ),
        (
            "workOrder",
            Some("A job at a customer's location"),
            &[("id", None), ("customerId", None)],
        ),
        (
            "workTime",
            None,
            &[
                ("id", None),
                ("employeeId", None),
                ("workOrderId", None),
                ("hours", Some("Time worked")),
            ],
        ),
        ("customer", None, &[("id", None), ("name", None)]),
        ("crew", None, &[("id", None), ("workOrderId", None)]),
    ];

    fn texts() -> impl Iterator<Item = TableText<'static>> {
        TABLES.iter().map(|(name, comment, columns)| TableText {
            name,
            comment: *comment,
            columns,
        })
    }

    fn best(question: &str) -> Vec<&'static str> {
        let scores = TableIndex::of(texts()).scores(question);
        assert!(
            scores.iter().all(|score| (0.0..=1.0).contains(score)),
            "{scores:?}"
        );
        let mut ranked: Vec<_> = scores
            .into_iter()
            .zip(TABLES.iter().map(|table| table.0))
            .filter(|(score, _)| *score > 0.0)
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        ranked.into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn tables_of_the_question_come_first() {
        assert_eq!(best("How many employees are there?")[0], "employee");
        assert_eq!(best("jobs per customer")[0], "customer");
        assert_eq!(best("list the workorders")[0], "workOrder");
        assert_eq!(best("work orders by crew")[..2], ["crew", "workOrder"]);
        assert_eq!(
            best("Show employees who worked more than 20 hours")[..2],
            ["workTime", "employee"]
        );
        assert!(best("What is the weather like?").is_empty());
    }

    #[test]
    fn meaning_finds_what_words_do_not() {
        let mut scores = TableIndex::of(texts()).scores("staff");
        let tables: Vec<Vec<f32>> = vec![
            vec![1.0, 0.1],
            vec![0.0, 1.0],
            vec![0.2, 1.0],
            vec![-1.0, 0.0],
            vec![0.0, 1.0],
        ];
        with_meaning(&mut scores, &[1.0, 0.0], &tables);
        assert!(
            scores[0] > 0.45 && scores[1..].iter().all(|score| *score < 0.2),
            "{scores:?}"
        );
        assert!(
            texts()
                .nth(1)
                .unwrap()
                .to_sentence()
                .starts_with("work order: A job at a customer's location. id, customer id")
        );
    }

    #[test]
    fn typing_errors_and_missing_parts_find_the_name() {
        let names = || TABLES.iter().map(|table| table.0);
        assert_eq!(nearest("employe", names()), ["employee"]);
        assert_eq!(nearest("work_orders", names())[0], "workOrder");
        assert_eq!(nearest("order", names())[0], "workOrder");
        assert!(nearest("spaceship", names()).is_empty());
    }
}
