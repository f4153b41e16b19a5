//! The answer before in another unit: "now in money", "in euros?", "and in kWh?".

use contracts::tools::LoggerSummary;

use super::{Before, carried, days_before, days_of};
use crate::language::figures::NamedCurrency;
use crate::language::keywords::Keywords;
use crate::language::question::{by_size, compares_sites};
use crate::language::text::normalize;
use crate::language::{Question, understand};
use crate::narrative::format;

/// Words beside the unit; others make it a question of its own.
const BESIDE: &[&str] = &[
    "in",
    "and",
    "as",
    "the",
    "that",
    "it",
    "is",
    "what",
    "how",
    "much",
    "show",
    "me",
    "now",
    "then",
    "please",
    "this",
    "to",
    "into",
    "of",
    "worth",
    "a",
    "be",
    "would",
    "does",
    "make",
    "convert",
    "express",
    "expressed",
    "same",
    "give",
    "us",
    "can",
    "you",
    "tell",
    "terms",
];

/// Words without which a unit alone is a topic: "money?" is one, "in money" is not.
const INTRODUCED: &[&str] = &["in", "as", "to", "into", "worth"];

const MONEY: &[&str] = &["money", "cash", "worth", "currency"];
const ENERGY: &[&str] = &["kwh", "energy", "kilowatt", "hours"];
const CARBON: &[&str] = &["co2", "carbon"];

/// The question before in the unit that `message` names; `None` when it names none, or the question
/// before has no energy.
pub(super) fn in_other_unit(
    message: &str,
    before: &Before<'_>,
    loggers: &[LoggerSummary],
) -> Option<String> {
    let keywords = Keywords::of(message);
    let symbol = message.chars().find(|c| matches!(c, '€' | '$' | '£'));
    let word = keywords.words.iter();
    let currency = word
        .copied()
        .find_map(NamedCurrency::of_word)
        .or_else(|| NamedCurrency::of_word(&symbol?.to_string()));
    let unit = |word: &&str| {
        [MONEY, ENERGY, CARBON].iter().any(|all| all.contains(word))
            || NamedCurrency::of_word(word).is_some()
    };
    let only_units = keywords
        .words
        .iter()
        .all(|word| BESIDE.contains(word) || unit(word));
    if !only_units || !(symbol.is_some() || keywords.words.iter().any(unit)) {
        return None;
    }
    if !keywords.word(INTRODUCED) && currency.is_none() {
        return None;
    }
    let measured = matches!(
        understand(before.request, loggers).question,
        Question::Savings | Question::PowerCurve | Question::Tool(_) | Question::Fleet
    );
    if !measured {
        return None;
    }
    let asked = match currency {
        // The report is in the currency of the site, and says if that is another one.
        Some(NamedCurrency::Dollars) => "savings dollars".to_owned(),
        Some(NamedCurrency::Code("eur")) => "savings euros".to_owned(),
        Some(NamedCurrency::Code("chf")) => "savings francs".to_owned(),
        None if keywords.word(CARBON) => "co2".to_owned(),
        None if keywords.word(ENERGY) => "energy".to_owned(),
        Some(NamedCurrency::Code(_)) | None => "savings".to_owned(),
    };
    Some(of_same_days(&asked, before, loggers))
}

/// The energy of the question before for each kW, of the same devices, sites and days: "and per
/// kWp?".
pub(super) fn for_each_kw(
    message: &str,
    before: &Before<'_>,
    loggers: &[LoggerSummary],
) -> Option<String> {
    let keywords = Keywords::of(message);
    let size = ["per", "kwp", "kw", "kwh", "kilowatt", "specific", "yield"];
    let only_size = keywords
        .words
        .iter()
        .all(|word| BESIDE.contains(word) || size.contains(word));
    let text = normalize(before.request);
    let asked = Keywords::of(&text);
    let measured = matches!(
        understand(before.request, loggers).question,
        Question::Savings | Question::PowerCurve
    );
    if !only_size || !by_size(&keywords) || !measured || by_size(&asked) {
        return None;
    }
    let asked = if compares_sites(&asked) {
        "which site made more energy per kwp"
    } else {
        "specific yield"
    };
    Some(of_same_days(asked, before, loggers))
}

/// Another question about the devices and the days of the one before.
fn of_same_days(asked: &str, before: &Before<'_>, loggers: &[LoggerSummary]) -> String {
    let request = carried(asked, before, loggers);
    if before.period.is_some() || days_of(before.request, loggers).is_some() {
        return request;
    }
    // Without days the two questions would be about different ones.
    let days = days_before(before, loggers);
    format!("{request} {}", format::from_to(days.start, days.end))
}
