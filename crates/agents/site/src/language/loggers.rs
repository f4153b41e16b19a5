//! Devices in a message: by id in any spelling, by a part of the id, by brand, by role, by site;
//! several; all of them.
//!
//! Ids are found first, then dates and rates are read (so that a number is not taken for a device),
//! then everything looser. Ordinary words never name a device: a part of an id counts when it is no
//! word of everyday language, or is typed in capitals.

mod all;
mod excluded;
mod ids;
mod scan;
mod sites;

use std::ops::Range;

use contracts::tools::{LoggerRole, LoggerSummary};
use serde::{Deserialize, Serialize};

use super::coverage::mask_days;
use super::keywords::{Concept, Keywords};
use super::question::names_others;
use super::text::Message;

pub(super) use all::says_all;
pub use all::wants_all;
pub(super) use ids::is_id;

/// Which devices a message names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoggerMention {
    /// None.
    #[default]
    None,
    /// One, by its id.
    One(String),
    /// Several, in the order of the message, each once.
    Several(Vec<String>),
    /// All of them.
    All,
    /// One that could be several.
    Ambiguous {
        /// The person's words.
        phrase: String,
        /// The ids it could be.
        candidates: Vec<String>,
    },
    /// It reads like a device and is not a known one.
    Unknown {
        /// The person's words.
        phrase: String,
    },
}

impl LoggerMention {
    /// None, one or several.
    fn of(mut ids: Vec<String>) -> Self {
        match ids.len() {
            0 => Self::None,
            1 => Self::One(ids.swap_remove(0)),
            _ => Self::Several(ids),
        }
    }
}

/// The device that a message sets beside its neighbours, its peers or the others: the only one that
/// it names.
pub(super) fn beside_peers(message: &str, loggers: &[LoggerSummary]) -> Option<String> {
    let mut message = Message::new(message);
    let mut finder = Finder::new(loggers);
    finder.ids(&mut message);
    mask_days(&mut message, &mut 0);
    // A site of one device is that device.
    let sites: Vec<String> = sites::all(&mut message, loggers)
        .into_iter()
        .map(|(id, _)| id)
        .collect();
    let text = message.text().to_owned();
    let keywords = Keywords::of(&text);
    let joined = keywords.words.windows(3).any(|three| {
        matches!(three[0], "and" | "plus" | "or")
            && [three[1], three[2]]
                .iter()
                .any(|word| matches!(*word, "others" | "other" | "rest"))
    });
    if joined || !names_others(&keywords) {
        return None;
    }
    let is_first = finder.found.is_empty();
    finder
        .found
        .extend(scan::find(&mut message, loggers, None, is_first));
    let named = finder.found.iter();
    let mut named: Vec<usize> = named.flat_map(|one| one.candidates.clone()).collect();
    named.sort_unstable();
    named.dedup();
    if let ([], [site]) = (named.as_slice(), sites.as_slice()) {
        named.extend(finder.producers(Some(site)));
    }
    match named.as_slice() {
        [one] => loggers.get(*one).map(|one| one.logger_id.clone()),
        _ => None,
    }
}

/// One place of a message that speaks of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mentioned {
    /// The position.
    at: usize,
    /// The person's words.
    phrase: String,
    /// The loggers it could be, as indices.
    candidates: Vec<usize>,
    reading: Reading,
}

/// How the candidates of a mention are intended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// One of them.
    One,
    /// One of them, or all in a comparison: "compare the goodwe and the LTI inverters".
    Group,
    /// All of them.
    All,
    /// Perhaps one of them; the words fit none exactly.
    Guess,
}

/// The object of a message at one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A site.
    Site,
    /// A device, or several.
    Device,
}

/// The places where `after` has masks that `before` does not have.
pub(super) fn masked_between(before: &str, after: &str) -> Vec<std::ops::Range<usize>> {
    let mut spans: Vec<std::ops::Range<usize>> = Vec::new();
    for (at, (old, new)) in before.bytes().zip(after.bytes()).enumerate() {
        if new == 1 && old != 1 {
            match spans.last_mut() {
                Some(last) if last.end == at => last.end = at + 1,
                _ => spans.push(at..at + 1),
            }
        }
    }
    spans
}

/// Looks for devices in one message.
#[derive(Debug)]
pub(super) struct Finder<'a> {
    loggers: &'a [LoggerSummary],
    found: Vec<Mentioned>,
}

impl<'a> Finder<'a> {
    pub(super) fn new(loggers: &'a [LoggerSummary]) -> Self {
        Self {
            loggers,
            found: Vec::new(),
        }
    }

    /// Finds whole ids and masks them.
    pub(super) fn ids(&mut self, message: &mut Message<'_>) {
        let mut found = ids::find(message, self.loggers);
        // The longer name wins: a site's may have an id in it.
        if let Some(site) = sites::whole(message, self.loggers) {
            found.retain(|one| {
                let inside = site.start <= one.at && one.at + one.len <= site.end;
                !inside || one.len >= site.len()
            });
        }
        for one in &found {
            message.mask(one.at..one.at + one.len);
        }
        self.found.extend(found.into_iter().map(|one| Mentioned {
            at: one.at,
            phrase: one.phrase,
            candidates: one.loggers,
            reading: Reading::One,
        }));
    }

    /// The places where a message names a site or devices that exist; empty when nothing that
    /// exists is named. Days have to be masked.
    pub(super) fn places(
        mut self,
        message: &mut Message<'_>,
    ) -> Vec<(std::ops::Range<usize>, Place)> {
        self.ids(message);
        let before = message.text().to_owned();
        let sites = sites::all(message, self.loggers);
        let site = match sites.as_slice() {
            [(one, _)] => Some(one.clone()),
            _ => None,
        };
        let with_site = message.text().to_owned();
        let found = scan::find(message, self.loggers, site.as_deref(), false);
        let known = found.iter().any(|one| !one.candidates.is_empty());
        // A site of one device is that device.
        let alone = match self.producers(site.as_deref()).count() {
            0 => self.of_site(site.as_deref()).count(),
            producers => producers,
        };
        let named = if alone == 1 && site.is_some() {
            Place::Device
        } else {
            Place::Site
        };
        let mut places: Vec<_> = masked_between(&before, &with_site)
            .into_iter()
            .map(|span| (span, named))
            .collect();
        if known {
            let devices = masked_between(&with_site, message.text());
            places.extend(devices.into_iter().map(|span| (span, Place::Device)));
        }
        let ids = self
            .found
            .iter()
            .map(|one| (one.at..one.at + one.phrase.len(), Place::Device));
        places.extend(ids);
        places.sort_by_key(|(span, _)| span.start);
        places
    }

    /// Finds everything else and masks it, and says what it all amounts to: devices, and the id of
    /// a site.
    pub(super) fn rest(mut self, message: &mut Message<'_>) -> (LoggerMention, Option<String>) {
        let before = message.text().to_owned();
        let sites = sites::all(message, self.loggers);
        let text = message.text().to_owned();
        let (left_out, named): (Vec<_>, Vec<_>) = sites
            .into_iter()
            .partition(|(_, span)| excluded::is_behind(&before[..span.start]));
        let spans: Vec<Range<usize>> = named.iter().map(|(_, span)| span.clone()).collect();
        let ids = |sites: Vec<(String, Range<usize>)>| -> Vec<String> {
            sites.into_iter().map(|(id, _)| id).collect()
        };
        let (left_out, named) = (ids(left_out), ids(named));
        let keywords = Keywords::of(&text);
        let within = match named.as_slice() {
            [one] => Some(one.as_str()),
            _ => None,
        };
        self.found.extend(scan::find(
            message,
            self.loggers,
            within,
            self.found.is_empty(),
        ));
        self.found.sort_by_key(|one| one.at);
        if named.len() > 1 && self.found.is_empty() {
            return (self.of_sites(&named), None);
        }
        let mention = self.amount(&keywords, within, &left_out, &text);
        // "The depot and LTI": all of the depot, and the device.
        let listed = spans
            .first()
            .filter(|_| within.is_some())
            .is_some_and(|site| {
                self.found.iter().any(|one| {
                    let end = one.at + one.phrase.len();
                    let between = before.get(site.end..one.at).or(before.get(end..site.start));
                    let between = between.map(|between| {
                        let words = between.trim();
                        words.strip_suffix("the").unwrap_or(words).trim_end()
                    });
                    matches!(
                        between,
                        Some("and" | "," | "&" | "plus" | "with" | "including" | "incl")
                    )
                })
            });
        let devices = match &mention {
            LoggerMention::One(id) => vec![id.clone()],
            LoggerMention::Several(ids) => ids.clone(),
            _ => Vec::new(),
        };
        if listed && !devices.is_empty() {
            let mut all: Vec<usize> = self.producers(within).collect();
            all.extend(
                (0..self.loggers.len()).filter(|at| devices.contains(&self.loggers[*at].logger_id)),
            );
            return (self.chosen(&all), None);
        }
        (mention, within.map(str::to_owned))
    }

    /// The devices of several sites.
    fn of_sites(&self, sites: &[String]) -> LoggerMention {
        let here = |index: &usize| sites.contains(&self.loggers[*index].site_id);
        let chosen: Vec<usize> = self.producers(None).filter(here).collect();
        if chosen.len() == self.producers(None).count() {
            return LoggerMention::All;
        }
        self.chosen(&chosen)
    }

    fn amount(
        &self,
        keywords: &Keywords<'_>,
        site: Option<&str>,
        without_sites: &[String],
        text: &str,
    ) -> LoggerMention {
        if let Some(unknown) = self.found.iter().find(|one| one.candidates.is_empty()) {
            return LoggerMention::Unknown {
                phrase: unknown.phrase.clone(),
            };
        }
        let certain: Vec<usize> = self
            .found
            .iter()
            .filter(|one| one.candidates.len() == 1 && one.reading != Reading::Guess)
            .map(|one| one.candidates[0])
            .collect();
        let comparing = keywords.has(Concept::Compare);
        // "Savings of GOODWE and MEIER": each of a list is all that its name fits.
        let listed = self.found.len() > 1;
        let (mut chosen, mut left_out): (Vec<usize>, Vec<usize>) = Default::default();
        let places = self
            .found
            .iter()
            .map(|one| one.at..one.at + one.phrase.len());
        let excluded = excluded::among(text, places);
        for (one, is_excluded) in self.found.iter().zip(excluded) {
            let described = one.candidates.len() > 1
                && one
                    .candidates
                    .iter()
                    .any(|candidate| certain.contains(candidate));
            if described {
                continue;
            }
            let clear = match one.reading {
                Reading::Guess => false,
                Reading::One => one.candidates.len() == 1,
                Reading::Group => one.candidates.len() == 1 || comparing || listed,
                Reading::All => true,
            };
            if !clear {
                return LoggerMention::Ambiguous {
                    phrase: one.phrase.clone(),
                    candidates: self.ids_of(&one.candidates),
                };
            }
            if is_excluded {
                left_out.extend(&one.candidates);
            } else {
                chosen.extend(&one.candidates);
            }
        }
        left_out.extend(
            without_sites
                .iter()
                .flat_map(|site| self.of_site(Some(site))),
        );
        if left_out.is_empty() {
            return self.with_all(keywords, site, &chosen);
        }
        if chosen.is_empty() {
            chosen = self.producers(site).collect();
        }
        chosen.retain(|index| !left_out.contains(index));
        self.chosen(&chosen)
    }

    /// "All but …", "… and the rest", "all of the site".
    fn with_all(
        &self,
        keywords: &Keywords<'_>,
        site: Option<&str>,
        chosen: &[usize],
    ) -> LoggerMention {
        // "The whole Demo Site": the name is masked.
        let all =
            says_all(&keywords.words) || site.is_some() && keywords.word(&["whole", "entire"]);
        let rest = keywords.word(&["rest", "others", "other"]);
        if !chosen.is_empty() {
            let without = keywords.says("apart from")
                || keywords.word(&["except", "without", "excluding", "but", "besides", "minus"]);
            if all && without {
                let others: Vec<usize> = self
                    .producers(site)
                    .filter(|index| !chosen.contains(index))
                    .collect();
                return self.chosen(&others);
            }
            let with_fleet = all && keywords.has(Concept::Compare) && keywords.word(&["fleet"]);
            return if rest || with_fleet {
                LoggerMention::All
            } else {
                self.chosen(chosen)
            };
        }
        let mut here: Vec<usize> = self.producers(site).collect();
        if here.is_empty() {
            // A site that is only metered.
            here = self.of_site(site).collect();
        }
        match site {
            Some(_) if all && here.len() < self.producers(None).count() => self.chosen(&here),
            _ if all => LoggerMention::All,
            _ if keywords.word(&["both"]) && here.len() == 2 => self.chosen(&here),
            Some(_) if here.len() == 1 => self.chosen(&here),
            _ => LoggerMention::None,
        }
    }

    /// The devices that deliver energy, of a site or of all.
    fn producers(&self, site: Option<&str>) -> impl Iterator<Item = usize> {
        self.loggers
            .iter()
            .enumerate()
            .filter(move |(_, one)| {
                one.role == LoggerRole::Inverter && site.is_none_or(|site| one.site_id == site)
            })
            .map(|(index, _)| index)
    }

    /// Every device of a site but for its weather station.
    fn of_site(&self, site: Option<&str>) -> impl Iterator<Item = usize> {
        let here = move |one: &LoggerSummary| {
            one.role != LoggerRole::Weather && site.is_some_and(|site| one.site_id == site)
        };
        (0..self.loggers.len()).filter(move |index| here(&self.loggers[*index]))
    }

    fn chosen(&self, indices: &[usize]) -> LoggerMention {
        LoggerMention::of(self.ids_of(indices))
    }

    /// Their ids, each once.
    fn ids_of(&self, indices: &[usize]) -> Vec<String> {
        let mut ids: Vec<String> = Vec::new();
        for logger in indices.iter().filter_map(|index| self.loggers.get(*index)) {
            if !ids.contains(&logger.logger_id) {
                ids.push(logger.logger_id.clone());
            }
        }
        ids
    }
}
