//! Amounts in several currencies, and a sum of them.

use contracts::tools::sql::TableDescription;
use serde_json::Value;

use super::{
    super::{
        made_up::{Token, is_word},
        names::words,
        untested::Asked,
    },
    Contradiction,
    parsed::Parsed,
};
use crate::answer::units::is_currency;

/// Words of an amount of money.
pub(super) const MONEY: &[&str] = &[
    "amount", "balance", "budget", "charge", "cost", "fee", "gross", "net", "paid", "payment",
    "premium", "price", "revenue", "salary", "sales", "sum", "total", "turnover", "value", "wage",
    "betrag", "importe", "importo", "kosten", "montant", "precio", "preis", "prezzo", "prix",
    "umsatz",
];

/// The sums and averages of amounts in the currencies of their rows, if no part of the query looks
/// at those.
pub(super) fn contradicted(
    schemas: &[TableDescription],
    asked: &[Asked],
    query: &Parsed<'_>,
) -> Vec<Contradiction> {
    let reads = |table: &&TableDescription| {
        query
            .tables
            .iter()
            .any(|(_, name)| name.eq_ignore_ascii_case(&table.name))
    };
    let mut found = Vec::new();
    for table in schemas.iter().filter(reads) {
        let mut columns = table.columns.iter();
        let currency = columns.find(|column| is_currency(&column.name));
        let Some(currency) = currency else { continue };
        let looks = query.tokens.iter().any(
            |one| matches!(one, Token::Word(word) if word.eq_ignore_ascii_case(&currency.name)),
        );
        if looks || has_one(table, &currency.name) {
            continue;
        }
        let added = table.columns.iter().find(|column| {
            let words = words(&column.name);
            let is_money = words.iter().any(|word| MONEY.contains(&word.as_str()));
            is_money && is_added(query, &column.name)
        });
        let Some(added) = added else { continue };
        // What is converted has a rate.
        let converts = query
            .tokens
            .iter()
            .any(|one| matches!(one, Token::Word(word) if words(word).iter().any(|word| ["rate", "fx"].contains(&word.as_str()))));
        let is_asked = asked
            .iter()
            .any(|one| one.is(&["regardless", "irrespective"]));
        if !converts && !is_asked {
            found.push(Contradiction::Currencies {
                amount: added.name.clone(),
                currency: currency.name.clone(),
            });
        }
    }
    found
}

/// Whether the rows that are known are all of one currency.
fn has_one(table: &TableDescription, currency: &str) -> bool {
    let values = table.samples.iter().filter_map(|row| row.get(currency));
    let mut values: Vec<&Value> = values.filter(|value| !value.is_null()).collect();
    let rows = values.len();
    values.dedup();
    rows > 1 && values.len() == 1
}

/// Whether SUM or AVG has a column in it.
fn is_added(query: &Parsed<'_>, column: &str) -> bool {
    (0..query.tokens.len()).any(|at| {
        let adds = is_word(&query.tokens[at], "sum") || is_word(&query.tokens[at], "avg");
        if !adds || query.tokens.get(at + 1) != Some(&Token::Sign('(')) {
            return false;
        }
        let mut depth = 0_usize;
        for token in &query.tokens[at + 1..] {
            match token {
                Token::Sign('(') => depth += 1,
                Token::Sign(')') if depth == 1 => return false,
                Token::Sign(')') => depth -= 1,
                Token::Word(word) if word.eq_ignore_ascii_case(column) => return true,
                _ => {}
            }
        }
        false
    })
}
