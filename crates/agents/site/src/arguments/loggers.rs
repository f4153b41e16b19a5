//! Which devices a task is about.

use contracts::tools::{LoggerRole, LoggerSummary};

use super::{COMPARED, LoggersNeeded, logger_picker};
use crate::{
    findings::{Missing, Scope},
    language::{Argument, Extraction, Flow, LoggerMention},
    narrative::phrases,
    sentences,
    state::FlowContext,
};

/// Fewest letters that a part of a site's name has.
const SHORTEST_NAME: usize = 4;

pub(super) enum Chosen<'a> {
    /// These; none when the task needs none.
    These(Vec<&'a LoggerSummary>, Scope),
    /// Several, where the task takes one: compare them.
    Compare(Vec<&'a LoggerSummary>),
    /// The person has to say.
    Ask(Box<Missing>),
}

pub(super) fn choose<'a>(
    needed: LoggersNeeded,
    flow: Flow,
    context: &FlowContext,
    words: &Extraction,
    known: &'a [LoggerSummary],
) -> Chosen<'a> {
    let mention = match context.chosen_loggers() {
        chosen if !chosen.is_empty() => LoggerMention::Several(chosen),
        // "Since when is LTI worse than the others?" is about the one.
        _ => match &words.beside_peers {
            Some(id) if words.loggers == LoggerMention::All => LoggerMention::One(id.clone()),
            _ => words.loggers.clone(),
        },
    };
    if needed == LoggersNeeded::Several
        && context.chosen_loggers().is_empty()
        && let Some(found) = among_peers(words, known)
    {
        return found;
    }
    let candidates = candidates(known, words.site.as_deref());
    let scope = words.site.clone().map_or(Scope::All, Scope::Site);
    let ask = |remark: Option<String>, preselected: &[String]| {
        Chosen::Ask(Box::new(Missing::Choice {
            argument: picker_argument(needed),
            request: Box::new(logger_picker(needed, flow, known, preselected)),
            remark,
        }))
    };
    if let LoggerMention::Ambiguous {
        phrase,
        candidates: meant,
    } = &mention
        && needed != LoggersNeeded::One
        && let Some(site) = whole_site(known, phrase, meant)
    {
        let here = self::candidates(known, Some(site));
        return fit(needed, here, Scope::Site(site.to_owned()), &ask);
    }
    match mention {
        LoggerMention::None if needed == LoggersNeeded::None => {
            Chosen::These(Vec::new(), Scope::All)
        }
        LoggerMention::None => match candidates.as_slice() {
            // Nothing to choose from: the only device is the one that is intended.
            [only] if needed != LoggersNeeded::Several => Chosen::These(vec![only], Scope::Named),
            [only] => Chosen::Ask(Box::new(Missing::Impossible(
                sentences::nothing_to_compare(&only.logger_id),
            ))),
            all if takes_all(needed, flow, words, all.len()) => {
                fit(needed, candidates.clone(), scope, &ask)
            }
            _ => ask(None, &[]),
        },
        LoggerMention::All => fit(needed, candidates.clone(), scope, &ask),
        // "Is LTI the best?" is asked of all.
        LoggerMention::One(_)
            if needed == LoggersNeeded::Several
                && words.of_best
                && context.chosen_loggers().is_empty() =>
        {
            fit(needed, candidates.clone(), scope, &ask)
        }
        LoggerMention::One(id) => named(needed, &[id], known, &ask),
        LoggerMention::Several(ids) => named(needed, &ids, known, &ask),
        LoggerMention::Ambiguous { phrase, candidates } => ask(
            Some(phrases::ambiguous_logger(&phrase, &candidates)),
            &candidates,
        ),
        LoggerMention::Unknown { phrase } => {
            let offered: Vec<_> = known
                .iter()
                .filter(|logger| logger.role != LoggerRole::Weather)
                .collect();
            ask(Some(phrases::unknown_logger(&phrase, &ids(&offered))), &[])
        }
    }
}

/// The devices of the site of the one that is compared with its neighbours; `None` if none is.
fn among_peers<'a>(words: &Extraction, known: &'a [LoggerSummary]) -> Option<Chosen<'a>> {
    let id = words.beside_peers.as_ref()?;
    let own = known.iter().find(|one| one.logger_id == *id)?;
    let peers: Vec<&LoggerSummary> = known
        .iter()
        .filter(|one| one.site_id == own.site_id && one.role == own.role)
        .collect();
    Some(if peers.len() < *COMPARED.start() {
        let alone = sentences::without_peers(&own.logger_id, &own.site_name);
        Chosen::Ask(Box::new(Missing::Impossible(alone)))
    } else {
        Chosen::These(peers, Scope::Named)
    })
}

/// The devices that "all" means: inverters, or whatever there is when there are none. Of one site
/// when the request names it.
fn candidates<'a>(known: &'a [LoggerSummary], site: Option<&str>) -> Vec<&'a LoggerSummary> {
    let here = || {
        known
            .iter()
            .filter(|logger| site.is_none_or(|site| logger.site_id == site))
    };
    let inverters: Vec<_> = here()
        .filter(|logger| logger.role == LoggerRole::Inverter)
        .collect();
    if inverters.is_empty() {
        here().collect()
    } else {
        inverters
    }
}

/// The site whose inverters are all among these devices, which are all of it: "the lake" where
/// every id at the Lakeside Depot begins so.
fn whole_site<'a>(known: &'a [LoggerSummary], phrase: &str, meant: &[String]) -> Option<&'a str> {
    let is_meant = |logger: &LoggerSummary| meant.contains(&logger.logger_id);
    let one = known.iter().find(|logger| is_meant(logger))?;
    let (site, name, phrase) = (
        one.site_id.as_str(),
        one.site_name.to_lowercase(),
        phrase.to_lowercase(),
    );
    let mut words = name.split_whitespace();
    if phrase.chars().count() < SHORTEST_NAME || !words.any(|word| word.starts_with(&phrase)) {
        return None;
    }
    let whole = known.iter().all(|logger| {
        let here = logger.site_id == site;
        let counts = logger.role == LoggerRole::Inverter;
        if here {
            !counts || is_meant(logger)
        } else {
            !is_meant(logger)
        }
    });
    whole.then_some(site)
}

/// Whether a task that names no device is about all of them.
fn takes_all(needed: LoggersNeeded, flow: Flow, words: &Extraction, all: usize) -> bool {
    match needed {
        LoggersNeeded::OneOrAll => true,
        LoggersNeeded::OneOrMore => {
            flow == Flow::HealthCheck && words.of_any || words.site.is_some()
        }
        // An end of a ranking is found among all, and of two there is nothing to choose.
        LoggersNeeded::Several => {
            words.ranked.is_some()
                || words.of_best
                || words.which
                || words.of_any
                || words.site.is_some()
                || all == *COMPARED.start()
        }
        LoggersNeeded::None | LoggersNeeded::One => false,
    }
}

fn named<'a>(
    needed: LoggersNeeded,
    wanted: &[String],
    known: &'a [LoggerSummary],
    ask: &dyn Fn(Option<String>, &[String]) -> Chosen<'a>,
) -> Chosen<'a> {
    let mut found = Vec::with_capacity(wanted.len());
    for id in wanted {
        match known.iter().find(|logger| logger.logger_id == *id) {
            Some(logger) => found.push(logger),
            // It existed when it was chosen, and was removed since.
            None => {
                return ask(
                    Some(phrases::unknown_logger(id, &ids(&candidates(known, None)))),
                    &[],
                );
            }
        }
    }
    fit(needed, found, Scope::Named, ask)
}

/// Whether there are as many as the task takes.
fn fit<'a>(
    needed: LoggersNeeded,
    found: Vec<&'a LoggerSummary>,
    scope: Scope,
    ask: &dyn Fn(Option<String>, &[String]) -> Chosen<'a>,
) -> Chosen<'a> {
    match needed {
        LoggersNeeded::One if found.len() > 1 => Chosen::Compare(found),
        LoggersNeeded::Several if found.len() < *COMPARED.start() => ask(
            Some(sentences::too_few_loggers(found.len(), *COMPARED.start())),
            &ids(&found),
        ),
        _ => Chosen::These(found, scope),
    }
}

fn ids(loggers: &[&LoggerSummary]) -> Vec<String> {
    loggers
        .iter()
        .map(|logger| logger.logger_id.clone())
        .collect()
}

pub(super) fn picker_argument(needed: LoggersNeeded) -> Argument {
    if needed == LoggersNeeded::Several {
        Argument::LoggerIds
    } else {
        Argument::LoggerId
    }
}
