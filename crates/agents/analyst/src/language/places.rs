//! "Between Shanghai and Rotterdam": from the first to the second.

use super::text::{Token, tokens};

/// The text with "from … to" for "between … and" where names follow; of a difference or a
/// comparison each name is kept apart.
pub fn between_places(text: &str, names: &[&str]) -> String {
    let all = tokens(text);
    let name_at = |at: usize| {
        let ends = names.iter().filter_map(|name| {
            let wanted = tokens(name);
            let said = all.get(at..at + wanted.len())?;
            let same = said
                .iter()
                .map(|token| &token.text)
                .eq(wanted.iter().map(|token| &token.text));
            (same && !wanted.is_empty()).then_some(at + wanted.len())
        });
        ends.max()
    };
    let past_the =
        |at: usize| at + usize::from(all.get(at).is_some_and(|token| token.is(&["the"])));
    let found = (0..all.len()).find_map(|at| {
        let compared = all[..at]
            .iter()
            .any(|token| token.is(&["difference", "compare", "comparison", "comparing"]));
        let between = all[at].is(&["between"]) && !compared;
        let and = name_at(past_the(at + 1)).filter(|_| between)?;
        let joined = all.get(and).is_some_and(|token| token.is(&["and"]));
        let behind = name_at(past_the(and + 1));
        (joined && behind.is_some()).then_some((at, and))
    });
    let Some((between, and)) = found else {
        return text.to_owned();
    };
    let mut text = text.to_owned();
    let mut put = |token: &Token, word: &str| text.replace_range(token.start..token.end, word);
    put(&all[and], "to");
    put(&all[between], "from");
    text
}

/// The text with the name of a thing for what points at it: "the destination of SHP-000123" for
/// "its destination".
pub fn of_thing(text: &str, name: &str) -> Option<String> {
    let mut said = text.to_owned();
    if let Some(place) = pronoun(text) {
        said.replace_range(place, name);
        return Some(said);
    }
    let all = tokens(text);
    if let Some(it) = all.iter().find(|token| token.is(&["it"])) {
        said.replace_range(it.start..it.end, name);
        return Some(said);
    }
    let its = all.iter().find(|token| token.is(&["its"]))?;
    let end = all.iter().rev().find(|token| token.is_word())?.end;
    said.insert_str(end, &format!(" of {name}"));
    said.replace_range(its.start..its.end, "the");
    (end > its.end).then_some(said)
}

/// The text with both directions said of the place: "to or from Hamburg" is "to Hamburg or from
/// Hamburg".
pub fn both_directions(text: &str) -> String {
    const WAYS: &[&str] = &["to", "from", "into"];
    let all = tokens(text);
    let is = |at: usize, words: &[&str]| all.get(at).is_some_and(|token| token.is(words));
    let Some(at) = (0..all.len()).find(|at| {
        is(*at, WAYS)
            && is(at + 1, &["or", "and", "/"])
            && is(at + 2, WAYS)
            && all[*at].text != all[at + 2].text
    }) else {
        return text.to_owned();
    };
    let begin = at + 3 + usize::from(is(at + 3, &["the"]));
    let Some(first) = all.get(begin).filter(|token| token.is_word()) else {
        return text.to_owned();
    };
    let mut end = begin + 1;
    if first.is(&["port"]) && is(end, &["of"]) {
        end += 2;
    }
    // Further words of a name in capitals are in capitals.
    while all.get(end).is_some_and(|token| {
        let joined = token.is(&["of"]) && all.get(end + 1).is_some_and(|next| next.capital);
        token.is_word() && (token.capital && all[end - 1].capital || joined)
    }) {
        end += 1;
    }
    let Some(last) = all.get(end - 1) else {
        return text.to_owned();
    };
    let (way, other) = (&all[at].text, &all[at + 2].text);
    let name = &text[first.start..last.end];
    format!(
        "{}{way} {name} or {other} {name}{}",
        &text[..all[at].start],
        &text[last.end..]
    )
}

/// The text without a name that the next words take back: "to Hamburg, sorry Rotterdam".
pub(super) fn taken_back(text: &str) -> String {
    const SORRY: &[&str] = &["sorry", "no", "oops", "rather", "correction"];
    let all = tokens(text);
    let name = |at: usize| {
        all.get(at)
            .is_some_and(|token| token.is_word() && token.capital)
    };
    let found = (2..all.len()).find_map(|at| {
        let comma = all[at - 1].is(&[","]);
        let meant = all[at].is(&["i"])
            && all
                .get(at + 1)
                .is_some_and(|next| next.is(&["mean", "meant"]));
        if !comma || !(all[at].is(SORRY) || meant) {
            return None;
        }
        let mut next = at + 1 + usize::from(meant);
        while all
            .get(next)
            .is_some_and(|token| token.is(&[",", "i", "mean", "meant"]))
        {
            next += 1;
        }
        let last = at - 2;
        let mut first = last;
        while first > 1 && name(first - 1) {
            first -= 1;
        }
        (first > 0 && name(last) && name(next)).then_some((first, next))
    });
    match found {
        Some((first, next)) => {
            format!("{}{}", &text[..all[first].start], &text[all[next].start..])
        }
        None => text.to_owned(),
    }
}

/// Whether a message says nothing else than that it is about two things that were named: "in
/// both?", "to either".
pub fn means_both(text: &str) -> bool {
    const AROUND: &[&str] = &[
        "and", "what", "how", "about", "in", "to", "from", "for", "of", "at", "on", "the", "them",
        "two", "places", "ports", "months", "please", "now", "ok", "okay", "so", "both", "either",
        "together",
    ];
    let all = tokens(text);
    let words = || all.iter().filter(|token| token.is_word());
    words().any(|word| word.is(&["both", "either", "together"]))
        && words().all(|word| word.is(AROUND))
}

/// The place of "there" in "from there", "go there": of a place that was asked for before.
pub fn there(text: &str) -> Option<std::ops::Range<usize>> {
    let all = tokens(text);
    let is = |at: usize, words: &[&str]| all.get(at).is_some_and(|token| token.is(words));
    (1..all.len()).find_map(|at| {
        let led = is(
            at - 1,
            &[
                "from", "go", "goes", "went", "to", "arrive", "arrives", "arrived", "sail",
                "sailed", "come", "came", "depart", "departed", "leave", "left",
            ],
        );
        (led && is(at, &["there"])).then(|| all[at].start..all[at].end)
    })
}

/// The place of "it", "that vessel", "this port" in a message that asks something of a thing that
/// was found before.
pub fn pronoun(text: &str) -> Option<std::ops::Range<usize>> {
    const BEFORE: &[&str] = &[
        "does", "did", "do", "has", "had", "is", "was", "will", "can", "of", "with", "on", "by",
        "for", "from", "to", "at", "in", "aboard", "via",
    ];
    let all = tokens(text);
    let words = all.iter().filter(|token| token.is_word()).count();
    if words > 14 {
        return None;
    }
    (1..all.len()).find_map(|at| {
        let led = all[at - 1].is(BEFORE);
        // "Is it …?" alone asks whether something is so.
        if !led || at == 1 && all[0].is(&["is", "was"]) {
            return None;
        }
        let ends = all
            .get(at + 1)
            .is_none_or(|next| !next.glued || !next.is_word());
        if all[at].is(&["it"]) && ends {
            return Some(all[at].start..all[at].end);
        }
        let thing = all.get(at + 1).filter(|next| {
            next.is(&[
                "vessel",
                "ship",
                "port",
                "carrier",
                "container",
                "shipment",
                "line",
                "terminal",
                "commodity",
                "one",
            ])
        });
        let thing = thing.filter(|_| all[at].is(&["that", "this"]))?;
        Some(all[at].start..thing.end)
    })
}

/// The thing that a question asks for: `vessel` of "which vessel was that?".
pub fn asked_thing(text: &str) -> Option<String> {
    let all = tokens(text);
    let asks = all.windows(3).find(|three| {
        three[0].is(&["which", "what", "whose"])
            && three[1].is_word()
            && three[2].is(&["was", "is", "carried", "carries", "did", "does"])
    })?;
    Some(asks[1].text.clone())
}

/// The object of a question about one record that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// The thing with this noun: "which vessel is that?", "from which port?".
    Thing(String),
    /// The record itself: "which one is that?", "from where?", "when?".
    Record,
}

/// The object of a short question about one record that was found before.
pub fn asked_of_one(text: &str) -> Option<Asked> {
    const BEFORE: &[&str] = &[
        "and", "so", "but", "ok", "okay", "then", "please", "in", "on", "from", "to", "at", "by",
        "for", "with", "of", "aboard", "via",
    ];
    const BEHIND: &[&str] = &[
        "is", "was", "are", "were", "that", "it", "this", "carried", "carries", "carry", "did",
        "does", "do", "has", "had", "on", "from", "to", "in", "go", "goes", "went", "come",
        "comes", "came", "arrive", "arrives", "arrived", "leave", "left", "sail", "sailed",
        "depart", "departed", "by", "exactly",
    ];
    let all = tokens(text);
    let words: Vec<&Token> = all.iter().filter(|token| token.is_word()).collect();
    let first = words.iter().position(|word| !word.is(BEFORE))?;
    let is_behind = |from: usize| words.iter().skip(from).all(|word| word.is(BEHIND));
    let asks = words.get(first)?;
    if words.len() == first + 1 && asks.is(&["details", "more"]) {
        return Some(Asked::Record);
    }
    if asks.is(&["where", "when", "who"]) && words.len() <= first + 3 && is_behind(first + 1) {
        return Some(Asked::Record);
    }
    if !asks.is(&["which", "what", "whose"]) || !is_behind(first + 2) {
        return None;
    }
    let noun = words.get(first + 1)?;
    let of_it = words.len() == first + 2
        || words
            .iter()
            .skip(first + 2)
            .any(|word| word.is(&["that", "it", "this"]));
    if noun.is(&["one"]) || noun.is(&["is", "was"]) && words.len() == first + 3 {
        return of_it.then_some(Asked::Record);
    }
    (of_it && !noun.is(BEHIND)).then(|| Asked::Thing(noun.text.clone()))
}

/// A thing of the record that was found: the place of "its vessel" or "that vessel", and the noun.
pub fn thing_of(text: &str) -> Option<(std::ops::Range<usize>, String)> {
    let all = tokens(text);
    (0..all.len().min(24)).find_map(|at| {
        let points = all[at].is(&["its", "that", "this"]);
        let same = usize::from(all.get(at + 1).is_some_and(|next| next.is(&["same"])));
        let noun = all.get(at + 1 + same).filter(|noun| noun.is_word())?;
        points.then(|| (all[at].start..noun.end, noun.text.clone()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_are_said_of_the_place() {
        for (text, expected) in [
            (
                "shipments to or from Hamburg in May",
                "shipments to Hamburg or from Hamburg in May",
            ),
            (
                "shipments from and to Port of Los Angeles",
                "shipments from Port of Los Angeles or to Port of Los Angeles",
            ),
            (
                "how many to or from hamburg?",
                "how many to hamburg or from hamburg?",
            ),
            ("from Hamburg to Santos", "from Hamburg to Santos"),
        ] {
            assert_eq!(both_directions(text), expected);
        }
    }

    #[test]
    fn a_pronoun_is_found_where_it_is_of_a_thing() {
        let found = |text: &str| pronoun(text).map(|place| text[place].to_owned());
        assert_eq!(
            found("how many shipments does it carry?").as_deref(),
            Some("it")
        );
        assert_eq!(
            found("how many shipments does that vessel have?").as_deref(),
            Some("that vessel")
        );
        assert_eq!(found("is it late?"), None);
        assert_eq!(found("shipments to Hamburg"), None);
    }

    #[test]
    fn between_two_places_is_from_one_to_the_other() {
        let names = ["Shanghai", "the Port of Rotterdam", "Rotterdam"];
        for (text, expected) in [
            (
                "shipments between Shanghai and Rotterdam",
                "shipments from Shanghai to Rotterdam",
            ),
            (
                "difference between Shanghai and Rotterdam",
                "difference between Shanghai and Rotterdam",
            ),
            ("between 3 and 10 January", "between 3 and 10 January"),
            ("between Shanghai and Mars", "between Shanghai and Mars"),
        ] {
            assert_eq!(between_places(text, &names), expected);
        }
    }
}
