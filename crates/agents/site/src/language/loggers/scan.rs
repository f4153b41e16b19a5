//! The looser ways to name a device: a part of its id, its brand, its number, its role.

mod numbered;

use std::collections::HashSet;
use std::sync::LazyLock;

use contracts::tools::{LoggerRole, LoggerSummary};

use super::ids::{Segments, canonical, exact};
use super::{Mentioned, Reading};
use crate::language::classify::{asks_measure, chain_end, chain_is_id, is_error_code};
use crate::language::keywords::Keywords;
use crate::language::text::{Kind, Message, Token, nearly, normalize};

/// Other names of brands.
const ALIASES: &[(&str, &str)] = &[
    ("meyer", "meier"),
    ("goodwee", "goodwe"),
    ("sd", "smartdog"),
    ("gw", "goodwe"),
    ("meteo", "meteocontrol"),
    ("smartdogs", "smartdog"),
];

/// Parts of ids that name no device.
const GENERIC: &[&str] = &[
    "inv",
    "inverter",
    "inverters",
    "mtr",
    "meter",
    "log",
    "logger",
    "sys",
    "system",
    "dev",
    "device",
    "pv",
    "unit",
    "plant",
    "site",
    "solar",
    "wr",
    "test",
    "demo",
];

/// Words of everyday language, and of this field, that a part of an id may look like.
const ORDINARY: &str = "a about ac after again ago ah all also am an and any are area as ask at away back bad base \
     be been best big both but by can cap car check cost could cut data date day days dc did do \
     does dog done down due each end ever far few find first fix for found from get give go good \
     got had has have he hello help her here hey hi high him his home hot how i if in into is it \
     its job just keep know last law left less let like line list lit live log long look low \
     made main make man many may me mid more most much must my near need net new next nice no \
     not now of off ok okay old on one only open or our out over own part past pay per pm put \
     ran real red rest right roof run same saw say see set she show side so some son soon sub \
     sum sun sure take tell than that the their them then there these they this those time to \
     today too top tree try two up us use very want was way we week well went were west what \
     when which who why will win with work would year yes yet you your east north south power \
     energy health kwh kw mw chf eur usd";

/// Whether a word is one of everyday language.
pub(super) fn is_ordinary(word: &str) -> bool {
    // Each word of each message is looked up several times.
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| ORDINARY.split(' ').collect());
    word.chars().nth(1).is_none() || WORDS.contains(word)
}

/// Every looser mention; each is masked.
pub(super) fn find(
    message: &mut Message<'_>,
    loggers: &[LoggerSummary],
    site: Option<&str>,
    alone: bool,
) -> Vec<Mentioned> {
    let text = message.text().to_owned();
    let tokens = crate::language::text::tokens(&text);
    let scan = Scan {
        tokens: &tokens,
        message,
        segments: loggers
            .iter()
            .map(|one| Segments::of_id(&one.logger_id))
            .collect(),
        loggers,
        site,
        measured: asks_measure(&Keywords::of(&text)),
    };
    let mut found: Vec<(Mentioned, usize)> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match scan.mention(at) {
            Some((mentioned, next)) => {
                found.push((mentioned, tokens[next - 1].end));
                let (more, end) = scan.more_numbers(at, next);
                found.extend(more);
                at = end;
            }
            None => at = chain_end(&tokens, at),
        }
    }
    if found.is_empty() && alone {
        found.extend((0..tokens.len()).find_map(|at| scan.by_role(at)));
    }
    for (mentioned, end) in &found {
        message.mask(mentioned.at..*end);
    }
    found.into_iter().map(|(mentioned, _)| mentioned).collect()
}

struct Scan<'s, 'm> {
    tokens: &'s [Token<'s>],
    message: &'s Message<'m>,
    segments: Vec<Segments>,
    loggers: &'s [LoggerSummary],
    site: Option<&'s str>,
    /// The message asks for a figure.
    measured: bool,
}

impl Scan<'_, '_> {
    fn mention(&self, at: usize) -> Option<(Mentioned, usize)> {
        let token = self.tokens[at];
        match token.kind {
            Kind::Mark => None,
            Kind::Number => self.by_number(at),
            Kind::Word => self
                .by_chain(at)
                .or_else(|| self.by_brand(at))
                .or_else(|| self.by_part(at))
                .or_else(|| self.numbered(at)),
        }
    }

    /// Several touching tokens: "GW-INV", "r27", "INV-999".
    fn by_chain(&self, at: usize) -> Option<(Mentioned, usize)> {
        let end = chain_end(self.tokens, at);
        let chain = &self.tokens[at..end];
        let parts = Segments::of(chain);
        // "LTI1" may be a brand and a number.
        if chain.len() < 2 {
            return None;
        }
        let joined = parts.joined();
        let whole = self.matching(|segments| segments.joined() == joined);
        let candidates = if whole.is_empty() {
            self.matching(|segments| segments.contains(&joined))
        } else {
            let typed = chain[0].start..chain[chain.len() - 1].end;
            exact(whole, &self.message.text()[typed], self.loggers)
        };
        if !candidates.is_empty() {
            return Some(self.narrowed(at, end, candidates));
        }
        // "Energy of F99" asks for a device, "what is F99" perhaps not.
        let device =
            chain_is_id(chain) || self.measured && is_error_code(chain) || self.has_siblings(chain);
        if !device || self.after_code_word(at) {
            return None;
        }
        let near = self.matching(|segments| {
            segments.last_number() == parts.last_number() && nearly(&joined, &segments.joined())
        });
        Some((self.mentioned(at, end, near, Reading::Guess), end))
    }

    /// Whether ids that exist differ from a chain in their last part alone: "MESA-D" beside
    /// "MESA-A".
    fn has_siblings(&self, chain: &[Token<'_>]) -> bool {
        let parts = Segments::of(chain).0;
        let Some((last, stem)) = parts.split_last().filter(|_| parts.len() > 1) else {
            return false;
        };
        let number = last.bytes().all(|byte| byte.is_ascii_digit());
        if last.len() > 2 && !number {
            return false;
        }
        chain.iter().any(|token| token.kind == Kind::Mark)
            && self.segments.iter().any(|segments| {
                segments
                    .0
                    .split_last()
                    .is_some_and(|(_, other)| other == stem)
            })
    }

    fn after_code_word(&self, at: usize) -> bool {
        at > 0
            && matches!(
                self.tokens[at - 1].text,
                "code" | "codes" | "error" | "fault" | "alarm" | "version"
            )
    }

    /// A brand: "the SmartDog", "goodwe inverters", "smart dog 2".
    fn by_brand(&self, at: usize) -> Option<(Mentioned, usize)> {
        let word = bare(self.tokens[at].text);
        let gigawatt = at > 0 && self.tokens[at - 1].kind == Kind::Number;
        let two = self
            .tokens
            .get(at + 1)
            .filter(|next| next.kind == Kind::Word && !next.glued)
            .map(|next| format!("{word}{}", bare(next.text)));
        let by = |name: &str, slips: bool| {
            let alias = ALIASES
                .iter()
                .find(|(alias, _)| *alias == name)
                .map(|(_, brand)| *brand);
            self.matching_logger(|logger| {
                let brand = normalize(&logger.logger_type);
                brand == name || alias == Some(brand.as_str()) || slips && nearly(name, &brand)
            })
        };
        if let Some(two) = two.filter(|two| two.len() >= 5) {
            let candidates = by(&two, false);
            if !candidates.is_empty() {
                return Some(self.narrowed(at, at + 2, candidates));
            }
        }
        if gigawatt || is_ordinary(word) {
            return None;
        }
        let candidates = by(word, true);
        (!candidates.is_empty()).then(|| self.narrowed(at, at + 1, candidates))
    }

    /// A word that is a part of ids: "MEIER", "serf".
    fn by_part(&self, at: usize) -> Option<(Mentioned, usize)> {
        let token = self.tokens[at];
        let word = bare(token.text);
        let typed = self.message.words_of(token.start..token.end);
        let shouted = word.len() > 1
            && typed.chars().all(|c| !c.is_lowercase())
            && self
                .message
                .words_of(0..self.message.text().len())
                .chars()
                .any(char::is_lowercase);
        if GENERIC.contains(&word)
            || is_ordinary(word) && !(shouted && word.len() < 4)
            || at > 0 && self.tokens[at - 1].kind == Kind::Number
        {
            return None;
        }
        let candidates = self.matching(|segments| segments.0.iter().any(|segment| segment == word));
        (!candidates.is_empty()).then(|| self.narrowed(at, at + 1, candidates))
    }

    /// "The meter", "my weather station", "the inverter" when there is one; only when nothing else
    /// is named.
    fn by_role(&self, at: usize) -> Option<(Mentioned, usize)> {
        let token = self.tokens[at];
        let (role, plural, end) = match token.text {
            "meter" => (LoggerRole::Meter, false, at + 1),
            "meters" => (LoggerRole::Meter, true, at + 1),
            "weather"
                if self
                    .tokens
                    .get(at + 1)
                    .is_some_and(|next| next.is("station")) =>
            {
                (LoggerRole::Weather, false, at + 2)
            }
            "inverter" | "logger" | "device" => (LoggerRole::Inverter, false, at + 1),
            _ => return None,
        };
        let owned = at > 0 && matches!(self.tokens[at - 1].text, "the" | "my" | "our" | "this");
        let candidates = self.matching_logger(|logger| logger.role == role);
        let useful = match role {
            LoggerRole::Inverter => candidates.len() == 1,
            _ => !candidates.is_empty(),
        };
        (useful && (owned || plural)).then(|| {
            (
                self.mentioned(
                    at,
                    end,
                    candidates,
                    if plural { Reading::All } else { Reading::Group },
                ),
                self.tokens[end - 1].end,
            )
        })
    }

    /// Candidates narrowed by what follows: "goodwe inverters", "GW inverter 2".
    fn narrowed(&self, at: usize, mut end: usize, candidates: Vec<usize>) -> (Mentioned, usize) {
        let before = at
            .checked_sub(1)
            .map_or("", |before| self.tokens[before].text);
        let mut plural = matches!(before, "all" | "both" | "every" | "each");
        let follows = self.tokens.get(end).map_or("", |token| token.text);
        if let Some(many) = device_word(follows) {
            plural |= many;
            end += 1;
        }
        if let Some(number_at) = self
            .number_after(end)
            .filter(|_| candidates.len() > 1 || device_word(follows).is_some())
        {
            let number = canonical(&self.tokens[number_at]);
            let numbered: Vec<usize> = candidates
                .iter()
                .copied()
                .filter(|index| self.segments[*index].last_number() == Some(number))
                .collect();
            return (
                self.mentioned(at, number_at + 1, numbered, Reading::One),
                number_at + 1,
            );
        }
        (
            self.mentioned(
                at,
                end,
                candidates,
                if plural { Reading::All } else { Reading::Group },
            ),
            end,
        )
    }

    fn mentioned(
        &self,
        at: usize,
        end: usize,
        candidates: Vec<usize>,
        reading: Reading,
    ) -> Mentioned {
        let span = self.tokens[at].start..self.tokens[end - 1].end;
        Mentioned {
            at: span.start,
            phrase: self.message.words_of(span).to_owned(),
            candidates,
            reading,
        }
    }

    fn matching(&self, wanted: impl Fn(&Segments) -> bool) -> Vec<usize> {
        let all = self
            .segments
            .iter()
            .enumerate()
            .filter(|(_, segments)| wanted(segments))
            .map(|(index, _)| index);
        self.here(all.collect())
    }

    fn matching_logger(&self, wanted: impl Fn(&LoggerSummary) -> bool) -> Vec<usize> {
        let all = self
            .loggers
            .iter()
            .enumerate()
            .filter(|(_, logger)| wanted(logger))
            .map(|(index, _)| index);
        self.here(all.collect())
    }

    /// The devices of the site that the message names, if any are.
    fn here(&self, all: Vec<usize>) -> Vec<usize> {
        let here: Vec<usize> = all
            .iter()
            .copied()
            .filter(|index| {
                self.site
                    .is_none_or(|site| self.loggers[*index].site_id == site)
            })
            .collect();
        if here.is_empty() { all } else { here }
    }
}

/// A word without a genitive.
fn bare(word: &str) -> &str {
    word.strip_suffix("'s").unwrap_or(word)
}

/// Whether a word means a device, and whether several.
fn device_word(word: &str) -> Option<bool> {
    match word {
        "inverter" | "logger" | "device" | "meter" | "unit" | "system" => Some(false),
        "inverters" | "loggers" | "devices" | "meters" | "units" | "systems" => Some(true),
        _ => None,
    }
}
