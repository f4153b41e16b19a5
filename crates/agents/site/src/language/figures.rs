//! Rates, capacities and metrics in a message.

use std::sync::LazyLock;

use contracts::tools::ComparisonMetric;
use regex::Regex;

use super::keywords::Keywords;
use super::limits::DEVICES;
use super::text::{Kind, Message, Token, normalize, number_word};

/// A fixed pattern; one that does not compile matches nothing, and the tests would fail.
fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

const NUMBER: &str = r"(\d{1,6}(?:[.,]\d{1,4})?|[.,]\d{1,4})";
const CURRENCY: &str = r"(?:euros?|francs?|dollars?|pounds?|chf|eur|usd|gbp|aud|cad|nzd|sek|nok|dkk|pln|czk|huf|jpy|inr|\$|€|£)";
/// ISO codes of [`CURRENCY`].
const CODES: [&str; 15] = [
    "chf", "eur", "usd", "gbp", "aud", "cad", "nzd", "sek", "nok", "dkk", "pln", "czk", "huf",
    "jpy", "inr",
];

/// A currency and nothing else.
static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(&format!("^{CURRENCY}$")));
/// "28 ct/kWh", "28 cents per kWh", "28 Rp.".
static CENTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(&format!(
        r"(?:^|[^\d.,]){NUMBER} ?(?:cts?|cents?|rp|rappen|¢|pence)\b\.?(?: ?(?:/|per|a|an|each)? ?kwh)?"
    ))
});
/// "CHF 0.27", "$0.15 per kWh", "€.30/kWh".
static CURRENCY_FIRST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(&format!(
        r"{CURRENCY}\.? ?{NUMBER}( ?(?:/|per|a|an|each) ?kwh)?"
    ))
});
/// "0.30 CHF", "0.30 per kWh", "0.30/kWh", "0.30 a kWh".
static UNIT_AFTER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(&format!(
        r"(?:^|[^\d.,]){NUMBER} ?(?:{CURRENCY} ?(?:(?:/|per|a|an|each) ?kwh)?|(?:/|per|a|an|each) ?kwh)"
    ))
});
/// "at 0.30", "a rate of 0.25", "tariff 0.27".
static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(&format!(
        r"\b(?:at|rate(?: of| is)?|tariff(?: of| is)?|price(?: of| is)?) ?:? ?{NUMBER}\b"
    ))
});
/// `10 kWp`, `5000 Wp`, `0.5 MWp`.
static CAPACITY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(&format!(
        r"(?:^|[^\d.,]){NUMBER} ?(k|m)?w(?:p|[-_ ]?dc|[-_ ]?peak)\b"
    ))
});
/// "capacity of 10 kW".
static NAMED_CAPACITY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(&format!(
        r"\b(?:capacity|nameplate|rated|size|sized)(?: of| at| is|:)? ?{NUMBER} ?(k|m)?w\b"
    ))
});

/// The largest number that is a rate without saying per what: more is an amount of money.
const LARGEST_BARE_RATE: f64 = 2.0;

/// Money per kWh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rate {
    pub(super) per_kwh: f64,
    /// The currency that is named with it.
    pub(super) currency: Option<NamedCurrency>,
}

/// A currency as a message names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedCurrency {
    /// By its ISO code, or by a word that only one currency has.
    Code(&'static str),
    /// "Dollars", which several currencies are.
    Dollars,
}

impl NamedCurrency {
    /// Whether a currency of this ISO code can be the one that is named.
    pub fn may_be(self, code: &str) -> bool {
        match self {
            Self::Code(named) => named.eq_ignore_ascii_case(code),
            Self::Dollars => code.to_ascii_uppercase().ends_with('D'),
        }
    }

    /// How a text names it.
    pub fn name(self) -> String {
        match self {
            Self::Code(code) => code.to_ascii_uppercase(),
            Self::Dollars => "dollars".to_owned(),
        }
    }

    /// The currency that a message asks for without a rate: "savings in euros".
    pub(crate) fn asked(message: &str) -> Option<Self> {
        let text = normalize(message);
        if find_rate(&text).is_some() {
            return None;
        }
        let keywords = Keywords::of(&text);
        keywords.words.iter().find_map(|word| Self::of_word(word))
    }

    /// The currency that a word or a symbol is.
    pub(super) fn of_word(word: &str) -> Option<Self> {
        let is_one = WORD.as_ref().is_some_and(|word_of| word_of.is_match(word));
        is_one.then(|| Self::of(word)).flatten()
    }

    /// The currency in the words of a rate.
    fn of(words: &str) -> Option<Self> {
        let says = |names: &[&str]| names.iter().any(|name| words.contains(name));
        if says(&["$", "dollar"]) {
            return Some(Self::Dollars);
        }
        let spelt = [
            ("chf", &["franc", "rp", "rappen"][..]),
            ("eur", &["€", "euro"][..]),
            ("gbp", &["£", "pound", "pence"][..]),
        ];
        let by_word = spelt.into_iter().find(|(_, names)| says(names));
        by_word
            .map(|(code, _)| code)
            .or_else(|| CODES.into_iter().find(|code| words.contains(code)))
            .map(Self::Code)
    }
}

/// Money per kWh, whatever its size; it is masked.
pub(super) fn take_rate(message: &mut Message<'_>) -> Option<Rate> {
    let (per_kwh, span) = find_rate(message.text())?;
    let currency = NamedCurrency::of(&message.text()[span.clone()]);
    message.mask(span);
    Some(Rate { per_kwh, currency })
}

fn find_rate(text: &str) -> Option<(f64, std::ops::Range<usize>)> {
    if !has_number(text) {
        return None;
    }
    let per_kwh = |found: &str| found.contains("kwh");
    if let Some((value, span)) = first(CENTS.as_ref(), text) {
        return Some((value / 100.0, span));
    }
    for pattern in [&CURRENCY_FIRST, &UNIT_AFTER] {
        if let Some((value, span)) = first(pattern.as_ref(), text)
            .filter(|(value, span)| per_kwh(&text[span.clone()]) || *value <= LARGEST_BARE_RATE)
        {
            return Some((value, span));
        }
    }
    // "At 7" is a time, "at 0.30" a rate, and "at 0.5 kg" another factor.
    let other_unit = |end: usize| {
        let rest = text.get(end..).unwrap_or_default().trim_start();
        ["kg", "g ", "gram", "t ", "%", "percent", "kwh", "kw", "w/"]
            .iter()
            .any(|unit| rest.starts_with(unit))
    };
    first(NAMED.as_ref(), text).filter(|(value, span)| {
        !other_unit(span.end)
            && *value <= LARGEST_BARE_RATE
            && (text[span.clone()].contains(['.', ',']) || !text[span.clone()].starts_with("at"))
    })
}

/// DC nameplate in kW; it is masked.
pub(super) fn take_capacity(message: &mut Message<'_>) -> Option<f64> {
    if !has_number(message.text()) {
        return None;
    }
    let (capacity, span) = [&CAPACITY, &NAMED_CAPACITY]
        .into_iter()
        .find_map(|pattern| {
            let captures = pattern.as_ref()?.captures(message.text())?;
            let value = number(captures.get(1)?.as_str())?;
            let scale = match captures.get(2).map(|prefix| prefix.as_str()) {
                Some("k") => 1.0,
                Some(_) => 1_000.0,
                None => 0.001,
            };
            Some((value * scale, captures.get(0)?.range()))
        })?;
    message.mask(span);
    (capacity > 0.0).then_some(capacity)
}

/// Whether a text has what every [`NUMBER`] has. Most messages have none, and looking for a digit
/// costs far less than looking for the patterns.
fn has_number(text: &str) -> bool {
    text.chars().any(char::is_numeric)
}

fn first(pattern: Option<&Regex>, text: &str) -> Option<(f64, std::ops::Range<usize>)> {
    let captures = pattern?.captures(text)?;
    Some((number(captures.get(1)?.as_str())?, captures.get(0)?.range()))
}

/// A number with a point or a comma before its decimals.
fn number(text: &str) -> Option<f64> {
    text.replace(',', ".")
        .parse()
        .ok()
        .filter(|value: &f64| value.is_finite())
}

/// Whether the question is for the energy of a day on average.
pub(super) fn daily_average(keywords: &Keywords<'_>) -> bool {
    keywords.word(&["average", "mean"])
        && (keywords.word(&["daily", "day"]))
        && keywords.about_energy()
        && !keywords.word(&["week", "month", "weekly", "monthly", "hour", "hourly"])
}

/// Which end of a ranking is asked for, and how many of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Ranked {
    /// Number of devices.
    pub count: u32,
    /// The last ones, not the first.
    pub worst: bool,
}

/// "Top 3", "best three", "the 3 best", "worst 5", "bottom two", "the last two devices".
pub(super) fn ranked(keywords: &Keywords<'_>) -> Option<Ranked> {
    let tokens: Vec<_> = keywords
        .tokens
        .iter()
        .filter(|token| token.kind != Kind::Mark)
        .collect();
    let end = |text: &str| match text {
        "top" | "best" | "strongest" | "leading" => Some(false),
        "worst" | "bottom" | "weakest" | "poorest" | "lowest" => Some(true),
        _ => None,
    };
    let number = |token: &Token<'_>| {
        let number = number_word(token.text).or_else(|| token.number())?;
        (1..=MOST_RANKED).contains(&number).then_some(number)
    };
    let units = [
        "days", "day", "weeks", "week", "months", "month", "hours", "years",
    ];
    let of_devices = tokens.windows(3).find_map(|three| {
        let worst = match three[0].text {
            "first" => false,
            "last" => true,
            _ => return None,
        };
        let count = number(three[1])?;
        DEVICES
            .contains(&three[2].text)
            .then_some(Ranked { count, worst })
    });
    of_devices.or_else(|| {
        tokens.windows(2).enumerate().find_map(|(at, pair)| {
            let before_unit = |index: usize| {
                tokens
                    .get(index)
                    .is_some_and(|next| units.contains(&next.text))
            };
            match (
                end(pair[0].text),
                number(pair[1]),
                number(pair[0]),
                end(pair[1].text),
            ) {
                (Some(worst), Some(count), _, _) if !before_unit(at + 2) => {
                    Some(Ranked { count, worst })
                }
                (_, _, Some(count), Some(worst)) if !before_unit(at + 2) => {
                    Some(Ranked { count, worst })
                }
                _ => None,
            }
        })
    })
}

/// Maximum number of devices at one end of a ranking.
const MOST_RANKED: u32 = 200;

/// What to compare, when the message says.
pub(super) fn metric(keywords: &Keywords<'_>) -> Option<ComparisonMetric> {
    if keywords.word(&[
        "irradiance",
        "irradiation",
        "radiation",
        "sunlight",
        "insolation",
    ]) {
        Some(ComparisonMetric::Irradiance)
    } else if keywords.word(&["power", "watt", "watts"])
        && !keywords.word(&["energy", "kwh", "yield", "yields", "savings", "money"])
    {
        // "What power did the depot deliver?"
        Some(ComparisonMetric::Power)
    } else if keywords.word(&[
        "energy",
        "kwh",
        "yield",
        "yields",
        "production",
        "produced",
        "generation",
        "generated",
        "produce",
        "produces",
        "generate",
        "generates",
        "deliver",
        "delivers",
        "delivered",
        "savings",
        "saved",
        "financial",
        "money",
    ]) {
        Some(ComparisonMetric::Energy)
    } else if keywords.word(&["power", "watt", "watts", "kw", "output", "peak"]) {
        Some(ComparisonMetric::Power)
    } else if keywords.word(&["make", "made", "makes"])
        && keywords.word(&["than", "more", "less", "most", "least"])
        || keywords.word(&[
            "together",
            "sum",
            "plus",
            "combined",
            "difference",
            "minus",
            "ratio",
            "co2",
        ])
    {
        Some(ComparisonMetric::Energy)
    } else {
        None
    }
}
