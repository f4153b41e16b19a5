//! Questions about devices that no longer send anything, and for how long.

use crate::language::classify::device_hints;
use crate::language::keywords::{Concept as C, Keywords};
use crate::language::text::number_word;

/// Hours of silence after which a device has stopped, if a question names none: no night is longer.
const STOPPED: u32 = 24;

/// "Which devices are silent for more than a week?", "which ones stopped sending?", "has LTI sent
/// nothing for 3 days?": the hours of silence that are asked for.
pub(in crate::language) fn silent_for(keywords: &Keywords<'_>) -> Option<u32> {
    const STOPPED_PHRASES: &[&str] = &[
        "no longer send",
        "no longer sends",
        "no longer sending",
        "no longer report",
        "no longer reports",
        "no longer reporting",
        "went silent",
        "went quiet",
        "fell silent",
        "fallen silent",
        "gone silent",
        "gone quiet",
    ];
    const NOTHING: &[&str] = &[
        "not sent",
        "not send",
        "not sending",
        "not reported",
        "not report",
        "not reporting",
        "haven't sent",
        "hasn't sent",
        "haven't reported",
        "hasn't reported",
        "havent sent",
        "hasnt sent",
        "havent reported",
        "hasnt reported",
        "aren't sending",
        "isn't sending",
        "sent nothing",
        "send nothing",
        "sends nothing",
        "reported nothing",
        "not heard from",
        "not been heard from",
        "no data",
        "no readings",
        "without data",
        "without readings",
    ];
    const SILENT: &[&str] = &["silent", "quiet", "mute", "unresponsive"];
    const OUT: &[&str] = &[
        "silent",
        "quiet",
        "mute",
        "offline",
        "disconnected",
        "unreachable",
        "unresponsive",
    ];
    let lasting = lasting(keywords);
    // "How long was LTI offline on 7 June?" is about an outage, "how long has LTI been offline?"
    // about its health.
    let named = device_hints(&keywords.tokens) > 0;
    let asks_how_long = (keywords.says_any(&["how long", "since when"])
        || keywords.word(&["longest"]))
        && !keywords.word(&["was", "were"])
        && !keywords.speaks_of_the_past();
    let is_lasting = lasting.is_some() && (keywords.says_any(NOTHING) || keywords.word(OUT))
        || asks_how_long && keywords.word(if named { SILENT } else { OUT });
    let is_other = [C::Forecast, C::Money, C::Compare]
        .iter()
        .any(|concept| keywords.has(*concept));
    (!is_other
        && !keywords.word(&["why", "cost", "costs", "lost"])
        && (is_lasting
            || stopped_sending(keywords)
            || is_sending(keywords)
            || keywords.says_any(STOPPED_PHRASES)))
    .then(|| lasting.unwrap_or(STOPPED))
}

/// "Is LTI still sending data?", "which devices aren't reporting?"
fn is_sending(keywords: &Keywords<'_>) -> bool {
    const FAULTS: &[&str] = &[
        "error", "errors", "alarm", "alarms", "fault", "faults", "code", "codes",
    ];
    !keywords.word(FAULTS)
        && keywords.word(&["sending", "reporting", "transmitting", "communicating"])
        && keywords.word(&["is", "are", "isn't", "aren't", "isnt", "arent", "still"])
        && !keywords.speaks_of_the_past()
}

/// "Stopped sending", "has ceased to report".
fn stopped_sending(keywords: &Keywords<'_>) -> bool {
    let stops = |word: &str| matches!(word, "stop" | "stops" | "stopped" | "ceased" | "quit");
    let sends = |word: &str| {
        matches!(
            word,
            "sending"
                | "send"
                | "reporting"
                | "report"
                | "transmitting"
                | "transmit"
                | "communicating"
                | "communicate"
        )
    };
    let mut words = keywords.words.windows(3);
    words.any(|three| stops(three[0]) && (sends(three[1]) || three[1] == "to" && sends(three[2])))
        || matches!(keywords.words.as_slice(), [.., stop, send] if stops(stop) && sends(send))
}

/// "For 3 days", "more than a week", "over 48 hours": hours.
pub(super) fn lasting(keywords: &Keywords<'_>) -> Option<u32> {
    if keywords.says("since yesterday") {
        return Some(STOPPED);
    }
    let tokens = &keywords.tokens;
    tokens.windows(3).find_map(|three| {
        let [before, count, unit] = three else {
            return None;
        };
        if !matches!(before.text, "for" | "than" | "over" | "least" | "since") {
            return None;
        }
        let one = matches!(count.text, "a" | "an").then_some(1);
        let count = count.number().or(one).or_else(|| number_word(count.text))?;
        let hours = match unit.text {
            "hour" | "hours" | "hrs" => 1,
            "day" | "days" => 24,
            "week" | "weeks" => 7 * 24,
            "month" | "months" => 30 * 24,
            "year" | "years" => 365 * 24,
            _ => return None,
        };
        count.checked_mul(hours)
    })
}
