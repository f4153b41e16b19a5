//! Limits of figures and devices: bounds, shares, prices, currencies, properties, numbers.

use std::ops::Range;

use contracts::tools::LoggerRole;

use super::{Limit, Scan, words};
use crate::language::classify::is_error_code;
use crate::language::keywords::Concept as C;
use crate::language::text::{Kind, number_word};
use crate::language::{figures, question};

impl Scan<'_> {
    /// "If prices rise by 10 %", "at a spot price".
    pub(super) fn prices(&self, at: usize) -> Option<(Limit, Range<usize>)> {
        let behind = || {
            (at..self.tokens.len().min(at + 14)).any(|index| {
                matches!(
                    self.word(index),
                    "price"
                        | "prices"
                        | "tariff"
                        | "tariffs"
                        | "rate"
                        | "rates"
                        | "electricity"
                        | "inflation"
                        | "cost"
                        | "costs"
                )
            })
        };
        match self.word(at) {
            "if" | "assuming" | "suppose" | "supposing" | "when" if behind() && self.changes() => {
                Some((Limit::Prices, at..self.clause_end(at)))
            }
            "feed" | "feedin"
                if self.word(at) == "feedin"
                    || self.word(at + 1) == "-"
                    || self.word(at + 1) == "in" =>
            {
                let mut start = at;
                while start > 0 && (self.word(start - 1) == "%" || self.is_number(start - 1)) {
                    start -= 1;
                }
                let end = if self.word(at) == "feedin" {
                    at + 1
                } else if self.word(at + 1) == "in" {
                    at + 2
                } else {
                    at + 3
                };
                Some((Limit::FeedIn, start..end.min(self.tokens.len())))
            }
            "self" if matches!(self.word(at + 1), "consumption" | "consumed" | "used" | "-") => {
                let dash = usize::from(self.word(at + 1) == "-");
                Some((Limit::FeedIn, at..(at + 2 + dash).min(self.tokens.len())))
            }
            "inflation" | "subsidy" | "subsidies" | "vat" | "tax" | "taxes" => {
                Some((Limit::Prices, at..at + 1))
            }
            _ => None,
        }
    }

    /// Whether the message speaks of something that becomes more or less.
    fn changes(&self) -> bool {
        self.all.word(&[
            "rise",
            "rises",
            "rose",
            "fall",
            "falls",
            "fell",
            "increase",
            "increases",
            "increased",
            "decrease",
            "decreases",
            "decreased",
            "double",
            "doubles",
            "doubled",
            "drop",
            "drops",
            "go",
            "goes",
            "went",
            "were",
            "was",
            "change",
            "changes",
            "higher",
            "lower",
            "grow",
            "halve",
            "halved",
            "cost",
        ])
    }

    /// "0.5 kg per kWh".
    pub(super) fn factor(&self, at: usize) -> Option<(Limit, Range<usize>)> {
        if !self.is_number(at) {
            return None;
        }
        let mut end = at + 1;
        while matches!(self.word(end), "." | ",") && self.is_number(end + 1) {
            end += 2;
        }
        if !matches!(
            self.word(end),
            "kg" | "g" | "gram" | "grams" | "kilogram" | "kilograms" | "gco" | "kgco" | "t"
        ) {
            return None;
        }
        end += 1;
        while matches!(
            self.word(end),
            "co" | "2" | "of" | "per" | "a" | "/" | "kwh" | "each"
        ) {
            end += 1;
        }
        Some((Limit::CarbonFactor, at..end.min(self.tokens.len())))
    }

    /// "More than 2000", "below 90 % of peers", "at least 5 kWh".
    pub(super) fn bound(&self, at: usize) -> Option<(Limit, Range<usize>)> {
        let than = matches!(
            self.word(at),
            "more"
                | "less"
                | "fewer"
                | "greater"
                | "higher"
                | "lower"
                | "longer"
                | "better"
                | "worse"
                | "larger"
                | "smaller"
        ) && self.word(at + 1) == "than";
        let mut next = if than {
            at + 2
        } else {
            match self.word(at) {
                "over" | "above" | "below" | "under" | "exceed" | "exceeds" | "exceeded"
                | "exceeding" | "beyond" | "reach" | "reached" | ">" | "<" => at + 1,
                "at" if matches!(self.word(at + 1), "least" | "most") => at + 2,
                _ => return None,
            }
        };
        while matches!(
            self.word(next),
            "=" | "$" | "€" | "£" | "chf" | "eur" | "usd" | "the" | "a"
        ) {
            next += 1;
        }
        let counted = self.is_number(next) || number_word(self.word(next)).is_some();
        let expected = matches!(
            self.word(next),
            "average" | "normal" | "expected" | "usual" | "half"
        );
        if !counted && !expected {
            return None;
        }
        let mut end = next + 1;
        while matches!(self.word(end), "." | ",") && self.is_number(end + 1) {
            end += 2;
        }
        if words::BEHIND_NUMBERS.contains(&self.word(end)) {
            end += 1;
        }
        Some((Limit::Bound, at..end.min(self.tokens.len())))
    }

    /// "Half of", "what percent of the total", "double".
    pub(super) fn share(&self, at: usize) -> Option<(Limit, Range<usize>)> {
        let word = self.word(at);
        let ratio = self.all.says("performance ratio") || self.all.word(&["pr"]);
        let share = words::SHARES.contains(&word)
            && !(ratio && matches!(word, "percent" | "percentage" | "%"));
        if share && !(word == "share" && matches!(self.word(at + 1), "with" | "this" | "it")) {
            return Some((Limit::Share, at..at + 1));
        }
        let noun = word == "mean" && matches!(self.before(at), "the" | "a" | "daily" | "as");
        let mean = (noun || matches!(word, "average" | "averaged" | "median"))
            && !matches!(
                self.before(at),
                "you" | "i" | "do" | "does" | "it" | "that" | "they" | "we"
            )
            && !matches!(self.word(at + 1), "by" | "with")
            && !self.is_average();
        mean.then_some((Limit::Average, at..at + 1))
    }

    /// Whether a rule reads the average that the message asks for: the energy of a day.
    pub(super) fn is_average(&self) -> bool {
        figures::daily_average(self.all)
    }

    /// "In euro", "in megawatt hours".
    pub(super) fn conversion(&self, at: usize) -> Option<(Limit, Range<usize>)> {
        let into = matches!(self.word(at), "in" | "into" | "to");
        let currency = words::CURRENCIES.contains(&self.word(at + 1));
        let unit = words::OTHER_UNITS.contains(&self.word(at + 1));
        (into && (currency || unit)).then_some((Limit::Conversion, at..at + 2))
    }

    /// "The biggest inverter", "small Mesa inverter".
    pub(super) fn property(&self, at: usize) -> Option<(Limit, Range<usize>)> {
        if !words::PROPERTIES.contains(&self.word(at)) {
            return None;
        }
        let device = |index: usize| words::DEVICES.contains(&self.word(index));
        let mut noun = at + 1;
        // "The newest of my inverters", "small black inverter".
        while matches!(
            self.word(noun),
            "of" | "my" | "the" | "our" | "all" | "producing" | "solar" | "pv"
        ) {
            noun += 1;
        }
        let names = self.is_mask(noun) && !self.is_day(noun);
        if names {
            return Some((Limit::Property, at..at + 1));
        }
        device(noun).then_some((Limit::Property, at..noun + 1))
    }

    /// "The broken inverters", "the inverters that are offline", "on dead days": of a figure that
    /// is not about health.
    pub(super) fn state(&self, at: usize) -> Option<(Limit, Range<usize>)> {
        const FIGURES: &[C] = &[
            C::Production,
            C::Money,
            C::Performance,
            C::Forecast,
            C::Curve,
            C::Compare,
        ];
        let all = self.all;
        let measured = FIGURES.iter().any(|figure| all.has(*figure)) || all.about_energy();
        let asks = all.word(&[
            "which", "who", "any", "many", "why", "when", "list", "lost", "lose",
        ]);
        let about_faults = question::about_losses(all) || question::asks_why_low(all);
        if !measured || asks || about_faults {
            return None;
        }
        let is_state = |at: usize| words::STATES.contains(&self.word(at));
        let device = |at: usize| words::DEVICES.contains(&self.word(at));
        if is_state(at) && device(at + 1) {
            return Some((Limit::State, at..at + 2));
        }
        let days = matches!(self.word(at), "dead" | "bad" | "missing")
            && matches!(self.word(at + 1), "days" | "day")
            && self.lead(at) < at;
        if days {
            return Some((Limit::State, at..at + 2));
        }
        let relative = device(at)
            && matches!(self.word(at + 1), "that" | "which" | "who")
            && matches!(self.word(at + 2), "are" | "were" | "is" | "was")
            && is_state(at + 3);
        let with = device(at)
            && self.word(at + 1) == "with"
            && matches!(
                self.word(at + 2),
                "error" | "errors" | "fault" | "faults" | "problems" | "outages" | "alarms"
            );
        if relative {
            Some((Limit::State, at..at + 4))
        } else {
            with.then_some((Limit::State, at..at + 3))
        }
    }

    /// "3 inverters".
    pub(super) fn count(&self, at: usize) -> Option<(Limit, Range<usize>)> {
        let number = if self.is_number(at) && !self.tokens[at].glued {
            self.tokens[at].number()
        } else if self.word(at) == "both" {
            Some(2)
        } else {
            number_word(self.word(at))
        }?;
        let of_sites = matches!(self.word(at + 1), "sites" | "plants");
        let several = of_sites
            || matches!(
                self.word(at + 1),
                "inverters" | "devices" | "loggers" | "meters" | "units" | "systems"
            );
        if !several {
            return None;
        }
        let known = matches!(
            self.before(at),
            "all"
                | "these"
                | "those"
                | "top"
                | "best"
                | "worst"
                | "bottom"
                | "first"
                | "last"
                | "strongest"
                | "weakest"
                | "leading"
                | "lowest"
        );
        let chosen = self.keywords.has(C::Compare) || self.all.has(C::Superlative);
        (!known && !chosen && !self.is_all(number, of_sites)).then_some((Limit::Count, at..at + 2))
    }

    /// Whether there are as many sites, inverters or devices; of a site that is named, its own.
    fn is_all(&self, number: u32, of_sites: bool) -> bool {
        let is = |count: usize| u32::try_from(count) == Ok(number);
        let here = || {
            let loggers = self.loggers.iter();
            loggers.filter(|one| self.site.is_none_or(|site| one.site_id == site))
        };
        let inverters = here()
            .filter(|one| one.role == LoggerRole::Inverter)
            .count();
        let mut sites: Vec<&str> = self
            .loggers
            .iter()
            .map(|one| one.site_id.as_str())
            .collect();
        sites.sort_unstable();
        sites.dedup();
        if of_sites {
            is(sites.len())
        } else {
            is(inverters) || is(here().count())
        }
    }

    /// A number that nothing has read.
    pub(super) fn number(&self, at: usize) -> Option<(Limit, Range<usize>)> {
        let percent = self.word(at) == "%" && !self.is_number(at.wrapping_sub(1));
        if percent {
            return Some((Limit::Number, at..at + 1));
        }
        if !self.is_number(at) {
            return None;
        }
        let glued = self.tokens[at].glued && at > 0 && self.tokens[at - 1].kind != Kind::Mark;
        let before = self.before(at);
        let ranked = matches!(
            before,
            "top"
                | "best"
                | "worst"
                | "bottom"
                | "strongest"
                | "weakest"
                | "leading"
                | "lowest"
                | "poorest"
                | "highest"
        ) || matches!(
            self.word(at + 1),
            "best" | "worst" | "top" | "strongest" | "weakest" | "lowest" | "highest"
        );
        let ordinal = matches!(self.word(at + 1), "nd" | "rd" | "th")
            && matches!(
                self.word(at + 2),
                "best"
                    | "worst"
                    | "most"
                    | "least"
                    | "strongest"
                    | "weakest"
                    | "lowest"
                    | "highest"
            );
        let ranked = ranked || ordinal;
        let code = self.codes || is_error_code(&self.tokens[at.saturating_sub(2)..=at]);
        let known = matches!(
            before,
            "all" | "my" | "our" | "these" | "those" | "the" | "first" | "last"
        ) && words::DEVICES.contains(&self.word(at + 1));
        let compared = self.keywords.has(C::Compare) && words::DEVICES.contains(&self.word(at + 1));
        if glued || ranked || code || known || compared {
            return None;
        }
        let mut end = at + 1;
        while matches!(self.word(end), "." | "," | "/" | "-" | ":")
            && self.is_number(end + 1)
            && self.tokens[end].glued
        {
            end += 2;
        }
        if words::BEHIND_NUMBERS.contains(&self.word(end)) {
            end += 1;
        }
        if matches!(self.word(end), "feed" | "feedin") {
            return None;
        }
        Some((Limit::Number, at..end))
    }
}
