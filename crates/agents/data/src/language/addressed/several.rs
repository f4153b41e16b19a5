//! Databases that a message names side by side, or says it is not about.

use super::cut::{HAVING, settled};
use super::{Addressed, BEFORE, CLOSING, KIND, Message, PLACE, Place, places, split};

/// Words between databases that are named side by side.
const SIDE_BY_SIDE: [&str; 7] = ["and", "or", "both", "the", "also", "versus", "vs"];

/// A message and the databases that it names side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Several {
    /// The names of the databases.
    pub(crate) targets: Vec<String>,
    /// The message without them.
    pub(crate) rest: String,
}

/// The databases that a message names side by side: "in erp and crm", "do erp or crm have …".
pub(crate) fn several(text: &str, names: &[&str], tables: &[&str]) -> Option<Several> {
    let words = split(text);
    let message = Message {
        text,
        words: &words,
        tables,
    };
    let mut found = places(&words, names);
    found.sort_by_key(|place| place.from);
    let beside = |one: &Place, other: &Place| {
        let between = words.get(one.to..other.from).unwrap_or_default();
        let is_joined = !between.is_empty() || message.gap(other.from).trim() == ",";
        is_joined
            && between.iter().all(|word| {
                let word = &*word.text;
                SIDE_BY_SIDE.contains(&word) || PLACE.contains(&word) || KIND.contains(&word)
            })
    };
    let at = found.windows(2).position(|pair| {
        let [one, other] = pair else { return false };
        one.name != other.name
            && beside(one, other)
            && [one, other]
                .iter()
                .all(|place| message.whole(**place).2 || !message.is_thing(names[place.name]))
    })?;
    let mut last = at + 1;
    while found
        .get(last + 1)
        .is_some_and(|next| beside(&found[last], next))
    {
        last += 1;
    }
    let (mut from, ..) = message.whole(found[at]);
    let (_, mut to, _) = message.whole(found[last]);
    while matches!(
        message.word(from.checked_sub(1)),
        "both" | "the" | "databases"
    ) {
        from -= 1;
    }
    let before = message.word(from.checked_sub(1));
    let asks_having = matches!(before, "do" | "does" | "have" | "has");
    let is_placed = PLACE.contains(&before) || CLOSING.contains(&before);
    if !is_placed && !asks_having && !matches!(before, "between" | "compare") {
        return None;
    }
    from -= 1;
    if asks_having && HAVING.contains(&message.word(Some(to))) {
        to += 1;
    }
    let start = from.checked_sub(1).map_or(0, |at| words[at].end);
    let end = words.get(to - 1).map_or(text.len(), |word| word.end);
    let instead = if asks_having { " are there" } else { "" };
    let mut targets: Vec<String> = Vec::new();
    for place in &found[at..=last] {
        let name = names[place.name].to_owned();
        if !targets.contains(&name) {
            targets.push(name);
        }
    }
    Some(Several {
        targets,
        rest: settled(&format!("{}{instead}{}", &text[..start], &text[end..])),
    })
}

/// A message without the databases that it says it is not about ("not erp, crm: …"), and which
/// these are.
pub(super) fn without_negated(text: &str, names: &[&str]) -> Option<(String, Vec<usize>)> {
    let words = split(text);
    let message = Message {
        text,
        words: &words,
        tables: &[],
    };
    places(&words, names).into_iter().find_map(|place| {
        let (mut from, to, _) = message.whole(place);
        while PLACE.contains(&message.word(from.checked_sub(1))) {
            from -= 1;
        }
        if message.word(from.checked_sub(1)) != "not" {
            return None;
        }
        from -= 1;
        let gap = message.gap(to);
        let begins = message.words[..from]
            .iter()
            .all(|word| BEFORE.contains(&&*word.text));
        let follows_comma = message.gap(from).contains([',', ';']);
        let is_followed = gap.contains([',', ';']) || message.word(Some(to)) == "but";
        if !begins && !follows_comma && !is_followed {
            return None;
        }
        // "…, not erp" and "not erp, …": one of the commas goes.
        let start = from.checked_sub(1).map_or(0, |at| words[at].end);
        let next = if message.word(Some(to)) == "but" {
            to + 1
        } else {
            to
        };
        let after = if next > to {
            words.get(next - 1).map_or(text.len(), |word| word.end)
        } else {
            words[to - 1].end
        };
        let rest = text[after..].trim_start_matches([',', ';', ' ']);
        let begin = text[..start].trim_end();
        let is_mark = rest.starts_with([':', '?', '.', '!']);
        let space = if begin.is_empty() || is_mark { "" } else { " " };
        Some((format!("{begin}{space}{rest}"), vec![place.name]))
    })
}

/// The other one of two databases, where a message says only which it is not about.
pub(super) fn other_than(negated: &[usize], names: &[&str], rest: &str) -> Option<Addressed> {
    let mut left = (0..names.len()).filter(|name| !negated.contains(name));
    let other = left.next()?;
    left.next().is_none().then(|| Addressed {
        target: names[other].to_owned(),
        rest: settled(rest),
    })
}
