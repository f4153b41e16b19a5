//! A column that the question names, and that the query leaves out for another one of its table:
//! the day of issue and the day by which an invoice is due, `weeklyHours` for the hourly rate.

use contracts::tools::sql::{ColumnDescription, TableDescription};

use super::{
    super::{
        made_up::{Token, is_word},
        names::{stems, words},
        unapplied::is_alias,
        untested::{Asked, is_time},
    },
    Contradiction,
    parsed::Parsed,
};
use crate::{answer::units::is_number, simple::is_date};

/// Words before the days of a date that the word before them names.
const BEFORE_DAYS: &[&str] = &[
    "after",
    "before",
    "between",
    "during",
    "from",
    "in",
    "last",
    "next",
    "on",
    "since",
    "this",
    "today",
    "until",
    "within",
    "yesterday",
];

/// Words before the figure that is made of several.
const MEASURES: &[&str] = &[
    "average", "highest", "largest", "lowest", "maximum", "mean", "minimum", "smallest", "sum",
    "total",
];

/// Words that say no more of a column than that it is one.
const TAILS: &[&str] = &[
    "amount",
    "at",
    "date",
    "day",
    "id",
    "on",
    "sum",
    "time",
    "timestamp",
    "value",
];

/// The columns of the tables of a query that its question names in the place of those it reads.
pub(super) fn contradicted(
    asked: &[Asked],
    query: &Parsed<'_>,
    schemas: &[TableDescription],
) -> Vec<Contradiction> {
    let said: Vec<String> = asked.iter().flat_map(|one| stems(&one.word)).collect();
    // Each word is one of the question's.
    if said.len() != asked.len() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for table in schemas.iter().filter(|table| is_read(query, table)) {
        let sides = Sides {
            asked,
            said: &said,
            query,
            table,
        };
        let places = [
            sides.dates(),
            sides.measures(),
            sides.actors(),
            sides.groups(),
        ];
        for one in places.into_iter().flatten() {
            if !found.contains(&one) {
                found.push(one);
            }
        }
    }
    found
}

fn is_read(query: &Parsed<'_>, table: &TableDescription) -> bool {
    let mut tables = query.tables.iter();
    tables.any(|(_, name)| name.eq_ignore_ascii_case(&table.name))
}

/// A question and a table of its query.
struct Sides<'a> {
    asked: &'a [Asked],
    said: &'a [String],
    query: &'a Parsed<'a>,
    table: &'a TableDescription,
}

impl Sides<'_> {
    fn reads(&self, column: &ColumnDescription) -> bool {
        let tokens = self.query.tokens;
        (0..tokens.len()).any(|at| {
            let is_it =
                matches!(&tokens[at], Token::Word(word) if word.eq_ignore_ascii_case(&column.name));
            is_it && !is_alias(tokens, at)
        })
    }

    /// The words of a column without those at its end that say no more of it.
    fn stem(column: &ColumnDescription) -> Vec<String> {
        let mut words = stems(&column.name);
        while words.len() > 1 && words.last().is_some_and(|last| TAILS.contains(&&**last)) {
            words.pop();
        }
        words
    }

    /// The column that is read in the place of another one: the question has none of its words.
    fn other(
        &self,
        named: &ColumnDescription,
        is_kind: impl Fn(&ColumnDescription) -> bool,
    ) -> Option<&str> {
        let is_said = |column: &ColumnDescription| {
            let stem = Self::stem(column);
            stem.iter().any(|word| self.said.contains(word))
        };
        let mut others = self.table.columns.iter().filter(|column| {
            column.name != named.name && is_kind(column) && self.reads(column) && !is_said(column)
        });
        others.next().map(|column| &*column.name)
    }

    fn against(&self, at: usize, length: usize, reads: &str) -> Contradiction {
        let words = self.asked[at..at + length].iter();
        let words: Vec<&str> = words.map(|one| one.text.as_str()).collect();
        Contradiction::Words {
            said: words.join(" "),
            reads: reads.to_owned(),
        }
    }

    /// "Issued in May", and the day by which it is due.
    fn dates(&self) -> Option<Contradiction> {
        let columns = self.table.columns.iter();
        columns
            .filter(|column| is_date(column) && !self.reads(column))
            .find_map(|column| {
                let stem = Self::stem(column);
                let at = self.place(&stem, |end| {
                    let is_begin = |one: &Asked| one.is(BEFORE_DAYS) || is_time(&one.word);
                    self.asked.get(end).is_some_and(is_begin)
                })?;
                let other = self.other(column, is_date)?;
                Some(self.against(at, stem.len(), other))
            })
    }

    /// "The average hourly rate", and `AVG(weeklyHours)`.
    fn measures(&self) -> Option<Contradiction> {
        let functions = ["avg", "sum", "min", "max"];
        let aggregates = functions.iter().any(|name| self.query.has(name));
        let own = stems(&self.table.name);
        let columns = self.table.columns.iter();
        let mut figures = columns.filter(|column| is_number(column) && !self.reads(column));
        figures.find_map(|column| {
            let stem = Self::stem(column);
            let behind = |at: usize| {
                let mut before = self.said[..at].iter().rev();
                let lead = before
                    .find(|word| !own.contains(word) && !["of", "the", "our"].contains(&&***word));
                lead.is_some_and(|lead| MEASURES.contains(&&**lead))
            };
            let at = self.place_behind(&stem, behind)?;
            let is_added = |other: &ColumnDescription| is_number(other) && self.is_figure(other);
            let other = self.other(column, is_added).filter(|_| aggregates)?;
            Some(self.against(at, stem.len(), other))
        })
    }

    /// Whether a column is in an aggregate.
    fn is_figure(&self, column: &ColumnDescription) -> bool {
        let tokens = self.query.tokens;
        (0..tokens.len()).any(|at| {
            let opens = ["avg", "sum", "min", "max"]
                .iter()
                .any(|name| is_word(&tokens[at], name));
            let inside = tokens[at..].iter();
            let mut inside = inside.take_while(|token| **token != Token::Sign(')'));
            opens
                && inside.any(|token| {
                    matches!(token, Token::Word(word) if word.eq_ignore_ascii_case(&column.name))
                })
        })
    }

    /// "Who approved", and a join by the employee that it is of.
    fn actors(&self) -> Option<Contradiction> {
        let is_key = |column: &ColumnDescription| {
            let last = words(&column.name).pop();
            last.is_some_and(|last| ["by", "id"].contains(&&*last))
        };
        let columns = self.table.columns.iter();
        columns
            .filter(|column| is_key(column) && !self.reads(column))
            .find_map(|column| {
                let mut stem = words(&column.name);
                let is_by = stem.pop().is_some_and(|last| last == "by");
                let at = self.place(&stem, |_| true).filter(|_| is_by)?;
                let is_before = at
                    .checked_sub(1)
                    .is_some_and(|before| self.said[before] == "who");
                let is_behind = self
                    .said
                    .get(at + stem.len())
                    .is_some_and(|next| next == "by");
                (is_before || is_behind).then_some(())?;
                let is_other = |other: &ColumnDescription| is_key(other) && !other.unique;
                let other = self.other(column, is_other)?;
                Some(self.against(at, stem.len(), other))
            })
    }

    /// "By make", and groups by another column.
    fn groups(&self) -> Option<Contradiction> {
        let tokens = self.query.tokens;
        let at = (0..tokens.len()).find(|at| {
            is_word(&tokens[*at], "group") && tokens.get(at + 1).is_some_and(|by| is_word(by, "by"))
        })?;
        let grouped = |column: &ColumnDescription| {
            let rest = tokens[at..].iter();
            let mut rest = rest.take_while(|token| !is_word(token, "order"));
            rest.any(|token| {
                matches!(token, Token::Word(word) if word.eq_ignore_ascii_case(&column.name))
            })
        };
        let columns = self
            .table
            .columns
            .iter()
            .filter(|column| !self.reads(column));
        columns.filter(|column| !column.unique).find_map(|column| {
            let stem = stems(&column.name);
            let at = self.place_behind(&stem, |at| {
                let lead = at.checked_sub(1).map(|before| &*self.said[before]);
                let is_end = at + stem.len() == self.said.len();
                is_end && lead.is_some_and(|lead| ["by", "per"].contains(&lead))
            })?;
            let other = self.other(column, grouped)?;
            Some(self.against(at, stem.len(), other))
        })
    }

    /// The place of words in the question, if what is behind them fits.
    fn place(&self, words: &[String], fits: impl Fn(usize) -> bool) -> Option<usize> {
        self.place_behind(words, |at| fits(at + words.len()))
    }

    /// The place of words in the question, if it fits.
    fn place_behind(&self, words: &[String], fits: impl Fn(usize) -> bool) -> Option<usize> {
        let windows = self.said.windows(words.len().max(1)).enumerate();
        let mut found = windows.filter(|(_, window)| *window == words);
        found.find_map(|(at, _)| fits(at).then_some(at))
    }
}
