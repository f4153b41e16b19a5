//! Which devices a task is about.

use contracts::tools::{LoggerRole, LoggerSummary};

use super::{COMPARED, LoggersNeeded, logger_picker};
use crate::{
    language::{Argument, Extraction, Flow, LoggerMention},
    narrative::phrases,
    sentences,
    state::{FlowContext, Missing},
};

pub(super) enum Chosen<'a> {
    /// These; none when the task needs none.
    These(Vec<&'a LoggerSummary>),
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
        _ => words.loggers.clone(),
    };
    let candidates = candidates(known, words.site.as_deref());
    let ask = |remark: Option<String>, preselected: &[String]| {
        Chosen::Ask(Box::new(Missing::Choice {
            argument: picker_argument(needed),
            request: Box::new(logger_picker(needed, flow, known, preselected)),
            remark,
        }))
    };
    match mention {
        LoggerMention::None if needed == LoggersNeeded::None => Chosen::These(Vec::new()),
        LoggerMention::None => match candidates.as_slice() {
            // Nothing to choose from: the only device is the one that is meant.
            [only] if needed != LoggersNeeded::Several => Chosen::These(vec![only]),
            [only] => Chosen::Ask(Box::new(Missing::Impossible(
                sentences::nothing_to_compare(&only.logger_id),
            ))),
            _ => ask(None, &[]),
        },
        LoggerMention::All => fit(needed, candidates.clone(), &ask),
        LoggerMention::One(id) => named(needed, &[id], known, &ask),
        LoggerMention::Several(ids) => named(needed, &ids, known, &ask),
        LoggerMention::Ambiguous { phrase, candidates } => ask(
            Some(phrases::ambiguous_logger(&phrase, &candidates)),
            &candidates,
        ),
        LoggerMention::Unknown { phrase } => ask(
            Some(phrases::unknown_logger(&phrase, &ids(&candidates))),
            &[],
        ),
    }
}

/// The devices that "all" means: inverters, or whatever there is when there are none. Of one site when the request names it.
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
            // It was there when it was chosen, and is gone.
            None => {
                return ask(
                    Some(phrases::unknown_logger(id, &ids(&candidates(known, None)))),
                    &[],
                );
            }
        }
    }
    fit(needed, found, ask)
}

/// Whether there are as many as the task takes.
fn fit<'a>(
    needed: LoggersNeeded,
    found: Vec<&'a LoggerSummary>,
    ask: &dyn Fn(Option<String>, &[String]) -> Chosen<'a>,
) -> Chosen<'a> {
    match needed {
        LoggersNeeded::One if found.len() > 1 => Chosen::Compare(found),
        LoggersNeeded::Several if found.len() < *COMPARED.start() => ask(
            Some(sentences::too_few_loggers(found.len(), *COMPARED.start())),
            &ids(&found),
        ),
        LoggersNeeded::Several if found.len() > *COMPARED.end() => {
            let most = *COMPARED.end();
            ask(
                Some(sentences::too_many_loggers(found.len(), most)),
                &ids(&found)[..most],
            )
        }
        _ => Chosen::These(found),
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
