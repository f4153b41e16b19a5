//! Answers that choose devices.

use contracts::tools::LoggerSummary;
use contracts::ui::SelectionOption;

use super::{Argument, Choice, Offered, PickerAnswer, Reply, only_fillers, shortened};
use crate::language::figures::ranked;
use crate::language::keywords::Keywords;
use crate::language::loggers::{Finder, says_all};
use crate::language::text::{Kind, Message, Token, normalize, tokens};
use crate::language::{Horizon, LoggerMention};
use crate::narrative::format;

pub(super) fn parse(reply: &Reply<'_>, offered: &Offered, horizon: &Horizon<'_>) -> PickerAnswer {
    if let Some(ranked) = best(reply, offered) {
        return ranked;
    }
    if let Some(values) = skipped(reply, offered) {
        return counted(values, offered);
    }
    if let Some(values) = listed(reply.text, offered) {
        return counted(values, offered);
    }
    named(reply, offered, horizon)
}

/// The way around the choice: its own words, "top 3", "all of them".
fn skipped(reply: &Reply<'_>, offered: &Offered) -> Option<Vec<String>> {
    let text = normalize(reply.text);
    let text = text.trim().trim_end_matches(['.', '!']);
    let words: Vec<&str> = tokens(text)
        .iter()
        .filter(|token| token.kind == Kind::Word)
        .map(|token| token.text)
        .collect();
    let all = says_all(&words)
        || matches!(
            words.as_slice(),
            ["all" | "every"] | ["all", "please"] | ["select" | "compare" | "check" | "use", "all"]
        );
    let nothing_else = tokens(text).iter().all(|token| token.kind != Kind::Number)
        && words.iter().all(|word| {
            only_fillers(word)
                || matches!(
                    *word,
                    "every"
                        | "each"
                        | "everything"
                        | "whole"
                        | "entire"
                        | "fleet"
                        | "full"
                        | "park"
                        | "plant"
                        | "site"
                )
        });
    (all && nothing_else).then(|| {
        offered
            .options
            .iter()
            .map(|option| option.value.clone())
            .collect()
    })
}

/// "Top 3", "compare the top three", "the worst two": an end of the ranking of everything that was
/// offered.
fn best(reply: &Reply<'_>, offered: &Offered) -> Option<PickerAnswer> {
    let text = normalize(reply.text);
    let text = text.trim().trim_end_matches(['.', '!']);
    if offered.argument != Argument::LoggerIds {
        return None;
    }
    let keywords = Keywords::of(text);
    let ranked = ranked(&keywords)?;
    let words = |token: &Token<'_>| {
        only_fillers(token.text)
            || token.kind == Kind::Number
            || matches!(
                token.text,
                "top"
                    | "best"
                    | "worst"
                    | "bottom"
                    | "strongest"
                    | "weakest"
                    | "two"
                    | "three"
                    | "four"
                    | "five"
            )
    };
    keywords.tokens.iter().all(words).then(|| {
        let values = offered.options.iter().map(|option| option.value.clone());
        PickerAnswer::Chosen(Choice::Ranked(values.collect(), ranked))
    })
}

/// A list of values, labels or ordinals, and nothing else.
fn listed(text: &str, offered: &Offered) -> Option<Vec<String>> {
    if let Some(option) = exactly(text, &offered.options) {
        return Some(vec![option.value.clone()]);
    }
    let normalized = text
        .replace([';', '+', '&', '\n', '[', ']', '"'], ",")
        .replace(" and ", ",")
        .replace(" AND ", ",")
        .replace(" And ", ",");
    let pieces: Vec<&str> = normalized
        .split(',')
        .map(str::trim)
        .filter(|piece| !piece.is_empty())
        .collect();
    let mut values: Vec<String> = Vec::new();
    for piece in pieces {
        let value = exactly(piece, &offered.options)
            .or_else(|| ordinal(piece, &offered.options))?
            .value
            .clone();
        if !values.contains(&value) {
            values.push(value);
        }
    }
    (!values.is_empty()).then_some(values)
}

/// The option with this value or label, in any case.
fn exactly<'o>(text: &str, options: &'o [SelectionOption]) -> Option<&'o SelectionOption> {
    let text = normalize(text);
    let text = text.trim().trim_end_matches(['.', '!']);
    let same = |other: &str| normalize(other).trim() == text;
    options
        .iter()
        .find(|option| same(&option.value))
        .or_else(|| {
            let mut labelled = options.iter().filter(|option| same(&option.label));
            labelled.next().filter(|_| labelled.next().is_none())
        })
}

/// "2", "#2", "the second one", "the last".
fn ordinal<'o>(text: &str, options: &'o [SelectionOption]) -> Option<&'o SelectionOption> {
    const NAMES: &[&[&str]] = &[
        &["first", "1st"],
        &["second", "2nd"],
        &["third", "3rd"],
        &["fourth", "4th"],
        &["fifth", "5th"],
        &["sixth", "6th"],
        &["seventh", "7th"],
        &["eighth", "8th"],
        &["ninth", "9th"],
        &["tenth", "10th"],
    ];
    let text = normalize(text);
    let words: Vec<&str> = text
        .split([' ', '.', '#', '!'])
        .filter(|word| !word.is_empty())
        .collect();
    // "Inverter 1" is a device's number, not a place in the list.
    if words
        .iter()
        .any(|word| matches!(*word, "inverter" | "logger" | "device" | "meter" | "system"))
    {
        return None;
    }
    let mut telling = words
        .iter()
        .filter(|word| !only_fillers(word) || word.bytes().all(|byte| byte.is_ascii_digit()));
    let (word, None) = (telling.next()?, telling.next()) else {
        return None;
    };
    if *word == "last" {
        return options.last();
    }
    let index = NAMES
        .iter()
        .position(|names| names.contains(word))
        .or_else(|| word.parse::<usize>().ok()?.checked_sub(1))?;
    options.get(index)
}

/// Devices named in other words, as long as the message says nothing else.
fn named(reply: &Reply<'_>, offered: &Offered, horizon: &Horizon<'_>) -> PickerAnswer {
    let options: Vec<LoggerSummary> = horizon
        .loggers
        .iter()
        .filter(|logger| {
            offered
                .options
                .iter()
                .any(|option| option.value == logger.logger_id)
        })
        .cloned()
        .collect();
    let mut message = Message::new(reply.text);
    let mut finder = Finder::new(&options);
    finder.ids(&mut message);
    let (mention, _) = finder.rest(&mut message);
    if !only_fillers(&rest_of(&message)) {
        return reply.refused(not_offered);
    }
    match mention {
        LoggerMention::One(id) => counted(vec![id], offered),
        LoggerMention::Several(ids) => counted(ids, offered),
        LoggerMention::All => counted(
            offered
                .options
                .iter()
                .map(|option| option.value.clone())
                .collect(),
            offered,
        ),
        LoggerMention::Ambiguous { phrase, candidates } => PickerAnswer::Invalid {
            reason: crate::narrative::phrases::ambiguous_logger(&phrase, &candidates),
        },
        LoggerMention::Unknown { phrase } => PickerAnswer::Invalid {
            reason: not_offered(&shortened(&phrase)),
        },
        LoggerMention::None => reply.refused(not_offered),
    }
}

/// The text without what was understood.
fn rest_of(message: &Message<'_>) -> String {
    message.text().replace('\u{1}', " ")
}

fn not_offered(text: &str) -> String {
    format!("\"{text}\" isn't one of the choices.")
}

/// Takes `values` when there are as many as were asked for.
fn counted(mut values: Vec<String>, offered: &Offered) -> PickerAnswer {
    let most = offered.max_count.map_or(usize::MAX, |count| {
        usize::try_from(count).unwrap_or(usize::MAX)
    });
    let fewest = offered
        .min_count
        .map_or(1, |count| usize::try_from(count).unwrap_or(1));
    let everything = values.len() == offered.options.len();
    match (offered.argument, values.len()) {
        (_, 0) => PickerAnswer::Invalid {
            reason: "There's nothing to choose from.".to_owned(),
        },
        (Argument::LoggerId, 1) => PickerAnswer::Chosen(Choice::Logger(values.swap_remove(0))),
        // "All of them" is for the flow to judge: a health check can look at every device.
        (Argument::LoggerId, _) if everything => PickerAnswer::Chosen(Choice::Loggers(values)),
        (Argument::LoggerId, _) => PickerAnswer::Invalid {
            reason: "Please choose one device.".to_owned(),
        },
        (_, count) if count < fewest => PickerAnswer::Invalid {
            reason: format!(
                "Please choose at least {}.",
                format::count(fewest as u64, "device")
            ),
        },
        // All of them are as many as there are, whatever a picker lets choose by hand.
        (_, count) if count > most && !everything => PickerAnswer::Invalid {
            reason: format!(
                "Please choose at most {}; that was {count}.",
                format::count(most as u64, "device")
            ),
        },
        _ => PickerAnswer::Chosen(Choice::Loggers(values)),
    }
}
