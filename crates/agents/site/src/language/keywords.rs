//! The words that decide what a message is about: which they are, how they may be misspelt, and
//! when they are taken back ("not the forecast, the savings").

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use chrono::NaiveDate;

use super::classify::one_device;
use super::text::{Kind, Message, Token, nearly, swapped, tokens};
use super::{When, dates};

/// The concept of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Concept {
    Compare,
    Efficiency,
    Superlative,
    Briefing,
    Status,
    Money,
    Health,
    Diagnose,
    Forecast,
    Curve,
    Production,
    Performance,
    Device,
    Site,
    List,
    Service,
}

use Concept as C;

/// Every keyword with its forms.
const LEXICON: &[(Concept, &str)] = &[
    (
        C::Compare,
        "compare compares compared comparing comparison comparisons comparative versus vs audit \
         audits auditing benchmark benchmarking rank ranking ranked difference differences \
         outperform outperforms outperforming underperformer underperformers underperforming",
    ),
    (C::Efficiency, "efficiency efficient efficiencies"),
    (
        C::Superlative,
        "best worst strongest weakest better worse performer performers leader laggard",
    ),
    (C::Briefing, "briefing briefings overview digest recap"),
    (
        C::Status,
        "status state summary summarize summarise report update",
    ),
    (
        C::Money,
        "money save saves saved saving savings financial financially financials finance finances \
         roi revenue revenues cost costs earn earned earning earnings profit profits profitable \
         income payback bill bills worth cash dollars euros francs economics co2 carbon emission \
         emissions tariff investment invested amortise amortize payoff",
    ),
    (
        C::Health,
        "health healthy unhealthy anomaly anomalies anomalous error errors eror erors fault \
         faults faulty failure failures failed failing fail problem problems issue issues broken \
         wrong outage outages defect defects defective alarm alarms alert alerts malfunction \
         malfunctions malfunctioning sick underperformance trouble troubles helth heath warning warnings dead downtime",
    ),
    (
        C::Diagnose,
        "diagnose diagnoses diagnosing diagnosis diagnostic diagnostics troubleshoot \
         troubleshooting offline",
    ),
    (
        C::Forecast,
        "forecast forecasts forecasted forecasting predict predicts predicted predicting \
         prediction predictions outlook projection projected tomorrow",
    ),
    (
        C::Curve,
        "curve curves output profile graph graphs chart charts plot plots",
    ),
    (
        C::Production,
        "production produce produces produced producing generate generates generated generating \
         generation yield yields yielded energy power kwh watt watts kw deliver delivered \
         harvest harvested peak irradiance",
    ),
    (C::Performance, "performance performing perform pr"),
    (
        C::Device,
        "inverter inverters logger loggers device devices meter meters unit units system systems",
    ),
    (
        C::Site,
        "site sites fleet plant plants park parks everything panels array farm installation things solar",
    ),
    (C::List, "list which what show"),
    (
        C::Service,
        "service services server database backend api db",
    ),
];

/// Words that look like a slip of a keyword and are none.
const NO_SLIPS: &str = "company companies prepare profile profiles weather wealth hearth revenge statue statues \
     expect proceed problematic sailing savanna saving offering devise general generally \
     generous product products finally finance sister sisters perfume perfect perfectly arrays \
     monkey honey outfit outputs";

/// Number of characters of a message in which slips are looked for; typed requests are short,
/// pasted texts are not.
const SLIPS_WITHIN: usize = 80;

/// One keyword of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) concept: Concept,
    /// Spelt as in the lexicon.
    pub(super) exact: bool,
    /// Taken back: "not the forecast".
    negated: bool,
}

/// The words of a message and what they are about.
#[derive(Debug, Clone)]
pub(super) struct Keywords<'t> {
    text: &'t str,
    pub(super) tokens: Vec<Token<'t>>,
    pub(super) words: Vec<&'t str>,
    pub(super) hits: Vec<Hit>,
}

impl<'t> Keywords<'t> {
    /// Reads normalized text.
    pub(super) fn of(text: &'t str) -> Self {
        let tokens = tokens(text);
        let (words, breaks) = words(&tokens, text);
        let mut hits = Vec::new();
        for (index, word) in words.iter().enumerate() {
            // "Generate a report" is about a report.
            let order = *word == "generate"
                && matches!(words.get(index + 1), Some(&("a" | "an" | "the" | "me")));
            if let Some((concept, exact)) = concept(word, index < SLIPS_WITHIN).filter(|_| !order) {
                hits.push(Hit {
                    concept,
                    exact,
                    negated: negated(&words, &breaks, index, concept),
                });
            }
            // "Kilowatt hours" are energy; a kilowatt alone is a size, too.
            let hours = matches!(*word, "kilowatt" | "kilowatts" | "megawatt" | "megawatts")
                && matches!(words.get(index + 1), Some(&("hour" | "hours")));
            if hours {
                hits.push(Hit {
                    concept: C::Production,
                    exact: true,
                    negated: negated(&words, &breaks, index, C::Production),
                });
            }
        }
        Self {
            text,
            tokens,
            words,
            hits,
        }
    }

    /// The text that was read.
    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// Whether the message is about `concept`, and means it.
    pub(super) fn has(&self, concept: Concept) -> bool {
        self.hits
            .iter()
            .any(|hit| hit.concept == concept && !hit.negated)
    }

    /// Whether the message takes `concept` back.
    pub(super) fn denies(&self, concept: Concept) -> bool {
        self.hits
            .iter()
            .any(|hit| hit.concept == concept && hit.negated)
    }

    /// 1, or less when the keywords of `concept` are all misspelt.
    pub(super) fn confidence(&self, concept: Concept) -> f64 {
        if self
            .hits
            .iter()
            .any(|hit| hit.concept == concept && !hit.negated && hit.exact)
        {
            1.0
        } else {
            0.85
        }
    }

    /// The time that the message mentions. Relative to an arbitrary day: good for distinguishing a
    /// day from a range, and the present from the past.
    pub(super) fn when(&self) -> Option<(When, NaiveDate)> {
        let (anchor, earliest) = Self::meaningless();
        let found = dates::find(&Message::new(self.text), anchor, earliest)?;
        Some((found.when, anchor))
    }

    /// A newest and a first day of no meaning. The data reach back further than the newest day, so
    /// that all of them are days.
    fn meaningless() -> (NaiveDate, NaiveDate) {
        (
            NaiveDate::from_ymd_opt(2025, 6, 15).unwrap_or_default(),
            NaiveDate::from_ymd_opt(2024, 6, 15).unwrap_or_default(),
        )
    }

    /// Whether the message speaks of more than one day.
    pub(super) fn speaks_of_days(&self) -> bool {
        match self.when() {
            Some((When::Range(period), _)) => period.start != period.end,
            Some((When::Apart(_), _)) => true,
            _ => false,
        }
    }

    /// Whether the message speaks of other days than the newest.
    pub(super) fn speaks_of_the_past(&self) -> bool {
        let (anchor, earliest) = Self::meaningless();
        let named = dates::find(&Message::new(self.text), anchor, earliest);
        let calendar =
            named.is_some_and(|found| !found.relative && matches!(found.when, When::Day(_)));
        self.speaks_of_days()
            || self.names_weekday()
            || calendar
            || matches!(self.when(), Some((When::Day(day), anchor)) if day != anchor)
    }

    /// Whether the message names days that are not the newest one: several, or a day of the
    /// calendar.
    pub(super) fn names_past_days(&self) -> bool {
        let (anchor, earliest) = Self::meaningless();
        let named = dates::find(&Message::new(self.text), anchor, earliest);
        let calendar = named.is_some_and(|found| {
            !found.relative && matches!(found.when, When::Day(_) | When::Range(_))
        });
        self.speaks_of_days() || self.names_weekday() || calendar
    }

    /// Whether the message names a day of the week.
    fn names_weekday(&self) -> bool {
        self.word(&[
            "monday",
            "tuesday",
            "wednesday",
            "thursday",
            "friday",
            "saturday",
            "sunday",
            "weekend",
        ])
    }

    /// Whether the message asks about energy, not about power or sunlight.
    pub(super) fn about_energy(&self) -> bool {
        const OTHER: &[&str] = &[
            "power",
            "watt",
            "watts",
            "kw",
            "peak",
            "irradiance",
            "irradiation",
            "radiation",
            "sunlight",
        ];
        (self.has(Concept::Production) || self.asks_how_much_was_made())
            && !self.has(Concept::Curve)
            && !self.word(OTHER)
    }

    /// "How much did LTI make?", "what did all inverters make?". Of one on one day it is the curve.
    pub(super) fn asks_how_much_was_made(&self) -> bool {
        let what = self.says_any(&["what did", "what has", "what have"]);
        (self.says("how much") || what && (!one_device(self) || self.speaks_of_days()))
            && self.word(&["did", "does", "do", "have", "has"])
            && self.word(&[
                "make", "made", "makes", "count", "counted", "measure", "measured", "bring",
                "brought",
            ])
    }

    /// Whether the words of `phrase` are in the message, one after the other.
    pub(super) fn says(&self, phrase: &str) -> bool {
        self.words.iter().enumerate().any(|(at, word)| {
            let Some(others) = phrase.strip_prefix(word) else {
                return false;
            };
            let mut following = self.words[at + 1..].iter();
            others.is_empty()
                || others.strip_prefix(' ').is_some_and(|others| {
                    let mut others = others.split(' ');
                    others.all(|other| following.next() == Some(&other))
                })
        })
    }

    /// Whether one of `phrases` does.
    pub(super) fn says_any(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.says(phrase))
    }

    /// Whether one of `words` is in the message.
    pub(super) fn word(&self, words: &[&str]) -> bool {
        self.words.iter().any(|word| words.contains(word))
    }
}

/// Words as a keyword table knows them, each with the number of clauses that ended before it: "co2"
/// is one word, "what's" is "what" and "is", "inverter's" is "inverter".
fn words<'t>(tokens: &[Token<'t>], text: &'t str) -> (Vec<&'t str>, Vec<usize>) {
    const WITH_IS: &[&str] = &[
        "what",
        "how",
        "where",
        "everything",
        "who",
        "that",
        "it",
        "there",
        "anything",
        "something",
    ];
    let (mut words, mut clauses, mut clause) = (Vec::with_capacity(tokens.len()), Vec::new(), 0);
    for (at, token) in tokens.iter().enumerate() {
        if token.kind == Kind::Mark && matches!(token.text, "," | ";" | "." | "!" | "?" | ":") {
            clause += 1;
        }
        if token.kind != Kind::Word {
            continue;
        }
        if matches!(token.text, "but" | "just" | "only" | "and") {
            clause += 1;
        }
        match token.text.split_once('\'') {
            Some((head, "s")) if WITH_IS.contains(&head) => words.extend([head, "is"]),
            Some((head, "re")) => words.extend([head, "are"]),
            Some((head, "s")) => words.push(head),
            _ if token.is("whats") => words.extend(["what", "is"]),
            _ if token.is("hows") => words.extend(["how", "is"]),
            _ => match tokens.get(at + 1) {
                Some(two) if token.is("co") && two.glued && two.is("2") => {
                    words.push(&text[token.start..two.end]);
                }
                _ => words.push(token.text),
            },
        }
        clauses.resize(words.len(), clause);
    }
    (words, clauses)
}

/// The forms of the lexicon as they are looked up: each word of a message is, several times.
struct Forms {
    exact: HashMap<&'static str, Concept>,
    /// By their first letter, which a slip does not change, in the order of the lexicon.
    by_letter: HashMap<char, Vec<(&'static str, Concept)>>,
    no_slips: HashSet<&'static str>,
}

static FORMS: LazyLock<Forms> = LazyLock::new(|| {
    let mut exact = HashMap::new();
    let mut by_letter = HashMap::<_, Vec<_>>::new();
    for (concept, forms) in LEXICON {
        for form in forms.split_ascii_whitespace() {
            exact.entry(form).or_insert(*concept);
            if let Some(letter) = form.chars().next() {
                by_letter.entry(letter).or_default().push((form, *concept));
            }
        }
    }
    Forms {
        exact,
        by_letter,
        no_slips: NO_SLIPS.split_ascii_whitespace().collect(),
    }
});

/// What `word` is about, and whether it is spelt right.
pub(super) fn concept(word: &str, slips: bool) -> Option<(Concept, bool)> {
    if let Some(concept) = FORMS.exact.get(word) {
        return Some((*concept, true));
    }
    if !slips || FORMS.no_slips.contains(word) {
        return None;
    }
    let similar = FORMS.by_letter.get(&word.chars().next()?)?;
    similar
        .iter()
        .find(|(form, _)| nearly(word, form) || form.len() == 4 && swapped(word, form))
        .map(|(_, concept)| (*concept, false))
}

/// Whether the word at `index` is taken back by one of the three words before it in the same
/// clause.
fn negated(words: &[&str], breaks: &[usize], index: usize, concept: Concept) -> bool {
    let clause = breaks.get(index);
    (index.saturating_sub(4)..index)
        .any(|at| breaks.get(at) == clause && negates(words, at, index, concept))
}

fn negates(words: &[&str], at: usize, index: usize, concept: Concept) -> bool {
    let before = at.checked_sub(1).and_then(|at| words.get(at)).copied();
    let after = words.get(at + 1).copied();
    // "Why don't you compare …", "don't forget the forecast" ask for it.
    if before == Some("why")
        || after == Some("you")
        || matches!(after, Some("forget" | "only" | "just"))
    {
        return false;
    }
    match words[at] {
        "instead" => after == Some("of") && at + 2 <= index,
        "rather" => after == Some("than") && at + 2 <= index,
        // "No problems?" and "is it not healthy?" are about health nevertheless.
        "not" if concept == C::Health || concept == C::Diagnose => {
            matches!(after, Some("the" | "a" | "interested"))
        }
        "no" if concept == C::Health || concept == C::Diagnose => false,
        "not" | "no" | "don't" | "dont" | "skip" | "without" | "never" => true,
        _ => false,
    }
}
