//! "Between Shanghai and Rotterdam": from the first to the second.

use super::text::{Token, tokens};

/// The text with "from … to" for "between … and" where names stand there; of a difference or a
/// comparison each name is meant for itself.
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
        let compared = at > 0 && all[at - 1].is(&["difference", "compare", "comparison"]);
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

#[cfg(test)]
mod tests {
    use super::*;

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
