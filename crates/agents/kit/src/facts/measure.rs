//! Measures: the words of a key or a column, those that mean the same, and its unit.

use std::collections::BTreeSet;

use super::{Unit, lexicon};

/// The measure of a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Measure {
    /// In words, the same for facts that can be compared.
    pub(super) label: String,
    /// Words that name it.
    words: BTreeSet<String>,
    /// Of these, words that it may have and that do not name it: the hours of a delay.
    aside: BTreeSet<String>,
    /// Whether a higher value is better.
    pub(super) good: bool,
}

impl Measure {
    /// Of these words: "peak power".
    pub(super) fn of(label: &str) -> Self {
        let tokens = tokens(label);
        let mut words = BTreeSet::new();
        for token in &tokens {
            if lexicon::is_reserved(token) {
                continue;
            }
            words.extend(forms(token));
        }
        for class in lexicon::classes(&tokens) {
            words.extend(class.words.iter().map(|word| (*word).to_owned()));
        }
        if tokens.iter().any(|token| lexicon::is_statistic(token)) {
            words.remove("total");
        }
        if words.contains("average") {
            words.insert("averaged".to_owned());
        }
        let mut aside = BTreeSet::new();
        if tokens.len() > 1 && tokens.iter().any(|token| lexicon::is_time_unit(token)) {
            aside.extend(["hour", "hours", "minute", "minutes"].map(str::to_owned));
            aside.extend(["duration", "lasted", "lasts", "long"].map(str::to_owned));
            words.extend(aside.iter().cloned());
        }
        let good = lexicon::is_good(&tokens);
        Self {
            label: tokens.join(" "),
            words,
            aside,
            good,
        }
    }

    /// The same with the content words of a text that says this and nothing else.
    pub(super) fn with_words_of(mut self, text: &str) -> Self {
        for word in tokens(text) {
            let claims = lexicon::is_reserved(&word) || word.chars().any(char::is_numeric);
            if !claims && !lexicon::is_neutral(&word) {
                self.words.insert(word);
            }
        }
        self
    }

    /// The same with the words of the key that its label leaves out: units, which name nothing.
    pub(super) fn with_key(mut self, key: &str) -> Self {
        let units = ["hour", "hours", "minute", "minutes"];
        let own = tokens(key);
        let left_out = own.iter().filter(|token| {
            let is_unit = units.contains(&token.as_str()) || lexicon::is_unit(token);
            is_unit && !self.words.contains(*token)
        });
        let left_out: Vec<String> = left_out.cloned().collect();
        self.words.extend(left_out.iter().cloned());
        self.aside.extend(left_out);
        self
    }

    pub(super) fn names(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// Whether a word alone names it.
    pub(super) fn is_named_by(&self, word: &str) -> bool {
        self.names(word) && !self.aside.contains(word)
    }
}

/// The measure and the unit of a key of a result. `within` is the key above it.
pub(super) fn of_key(key: &str, within: &str, currency: Option<&str>) -> Option<(Measure, Unit)> {
    if lexicon::is_skipped(key) {
        return None;
    }
    if let Some((label, unit)) = lexicon::renamed(key) {
        return Some((Measure::of(label), unit));
    }
    let mut tokens = tokens(key);
    if lexicon::is_general(&tokens) {
        let mut all = self::tokens(within);
        all.append(&mut tokens);
        tokens = all;
    }
    let money = || currency.unwrap_or("USD").to_owned();
    let has = |word: &str| tokens.iter().any(|token| token == word);
    let unit = if has("kwh") {
        Unit::Energy
    } else if has("watts") {
        Unit::Power
    } else if has("kw") {
        Unit::Kilowatts
    } else if has("kg") {
        Unit::Mass
    } else if has("pct") || has("percent") {
        Unit::Percent
    } else if has("rate") || has("tariff") {
        Unit::Tariff(money())
    } else if has("savings") || has("money") || has("amount") {
        Unit::Money(money())
    } else if has("hours") {
        Unit::Hours
    } else if has("minutes") {
        Unit::Minutes
    } else if has("irradiance") {
        Unit::Irradiance
    } else if has("power") {
        Unit::Power
    } else {
        Unit::Plain
    };
    tokens.retain(|token| !lexicon::is_unit(token));
    Some((Measure::of(&tokens.join(" ")), unit))
}

/// The words of a key, a column or a text, in lower case.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut token = String::new();
    let mut was_lower = false;
    for c in text.chars() {
        let begins = c.is_uppercase() && was_lower;
        if (begins || !c.is_alphanumeric()) && !token.is_empty() {
            tokens.push(std::mem::take(&mut token));
        }
        was_lower = c.is_lowercase() || c.is_ascii_digit();
        if c.is_alphanumeric() {
            token.extend(c.to_lowercase());
        }
    }
    if !token.is_empty() {
        tokens.push(token);
    }
    tokens
}

/// A noun in both numbers, and a verb's usual forms where the word may be one.
pub(super) fn forms(word: &str) -> Vec<String> {
    let mut forms = vec![word.to_owned()];
    if let Some(stem) = word.strip_suffix("ies") {
        forms.push(format!("{stem}y"));
    } else if let Some(stem) = word.strip_suffix('s').filter(|stem| stem.len() > 2) {
        forms.push(stem.to_owned());
    } else if let Some(stem) = word.strip_suffix('y').filter(|stem| stem.len() > 2) {
        forms.push(format!("{stem}ies"));
        forms.push(format!("{word}s"));
    } else if word.len() > 2 {
        forms.push(format!("{word}s"));
    }
    forms
}
