//! Comparisons: which of two things is more than the other, and a sentence that calls them "the
//! first" and "the second".

use super::tokens::Token;

/// Number of words of a name.
const NAME: usize = 3;

/// Whether a sentence has on each side of a comparison what its place has there: "the old one lasts
/// longer than the new one" is not the other way round.
pub(super) fn holds(said: &[Token], place: &[Token]) -> bool {
    let Some(there) = compares(place) else {
        return true;
    };
    // Without the other side, a sentence is on the first one.
    let own = compares(said).unwrap_or(said.len());
    let only = |one: &Token, side: &[Token], other: &[Token]| has(side, one) && !has(other, one);
    let (first, second) = (&place[..there], &place[there..]);
    if !factors(first).all(|factor| has(said, factor)) {
        return false;
    }
    let mut before = said[..own].iter().filter(|one| one.counts());
    let mut behind = said[own..].iter().filter(|one| one.counts());
    !before.any(|one| only(one, second, first)) && !behind.any(|one| only(one, first, second))
}

/// The figures of "three times".
fn factors(tokens: &[Token]) -> impl Iterator<Item = &Token> {
    let times = |one: &Token| matches!(one, Token::Word { plain, .. } if plain == "times");
    let pairs = tokens.windows(2);
    let factors = pairs.filter(move |pair| pair[0].figure().is_some() && times(&pair[1]));
    factors.map(|pair| &pair[0])
}

/// The place in a sentence at which the second side of its comparison begins.
fn compares(tokens: &[Token]) -> Option<usize> {
    let is = |one: &Token, word: &str| matches!(one, Token::Word { plain, .. } if plain == word);
    let as_much = |pair: &[Token]| {
        let measures = ["big", "high", "large", "long", "many", "much", "often"];
        measures.iter().any(|word| is(&pair[0], word)) && is(&pair[1], "as")
    };
    let at = tokens.windows(2).position(as_much).map(|at| at + 1);
    at.or_else(|| tokens.iter().position(|one| is(one, "than")))
}

fn has(tokens: &[Token], one: &Token) -> bool {
    tokens.iter().any(|own| own.stem() == one.stem())
}

/// A sentence on "the first" or "the second" of two things that the sentence before it sets side
/// by side ("limited assurance asks …; reasonable assurance confirms …"), with their names.
pub(super) fn with_names(before: &str, sentence: &str) -> Option<String> {
    let [one, other] = before.split("; ").collect::<Vec<_>>()[..] else {
        return None;
    };
    let (one, other) = names(one, other)?;
    let (name, against, rest) = match sentence.strip_prefix("The second ") {
        Some(rest) => (other, one, rest),
        None => (one, other, sentence.strip_prefix("The first ")?),
    };
    let rest = rest.trim_end_matches('.');
    // "The second stage" is another thing.
    let first = rest.split(' ').next()?;
    if !first.ends_with('s') || first.ends_with("ss") || name.eq_ignore_ascii_case(&against) {
        return None;
    }
    let compared = if rest.ends_with(" as much") {
        format!(" as {against}")
    } else {
        String::new()
    };
    Some(format!("{name} {rest}{compared}."))
}

/// The names of two things of one kind at the beginnings of two clauses: all words up to the kind.
fn names(one: &str, other: &str) -> Option<(String, String)> {
    let [one, other] = [one, other].map(|clause| {
        let words = clause.split_whitespace().take(NAME);
        words.collect::<Vec<_>>()
    });
    let at = one
        .iter()
        .zip(&other)
        .position(|(one, other)| one == other)?;
    let name = |words: &[&str]| words[..=at].join(" ");
    (at > 0).then(|| (name(&one), name(&other)))
}

#[cfg(test)]
mod tests {
    use super::{super::tokens::tokens, *};

    #[test]
    fn a_comparison_is_not_turned_round() {
        for (place, said, holds) in [
            (
                "The old pump lasts longer than the new one.",
                "The old pump lasts longer than the new.",
                true,
            ),
            (
                "The old pump lasts longer than the new one.",
                "The new pump lasts longer than the old.",
                false,
            ),
            (
                "Rail takes twice as long as road.",
                "Road takes twice as long as rail.",
                false,
            ),
            (
                "Rail takes twice as long as road.",
                "Rail takes twice as long.",
                true,
            ),
            (
                "Rail takes twice as long as road.",
                "Road takes twice as long.",
                false,
            ),
        ] {
            assert_eq!(super::holds(&tokens(said), &tokens(place)), holds, "{said}");
        }
    }

    #[test]
    fn the_first_and_the_second_have_names() {
        let before =
            "Limited assurance asks for doubts; reasonable assurance confirms the figures.";
        let named = |sentence: &str| with_names(before, sentence);
        assert_eq!(
            named("The second costs three times as much.").as_deref(),
            Some("reasonable assurance costs three times as much as Limited assurance.")
        );
        assert_eq!(
            named("The first is quick.").as_deref(),
            Some("Limited assurance is quick.")
        );
        assert_eq!(named("The third is quick."), None);
        assert_eq!(named("The second stage costs more."), None);
        let same = "A reminder is friendly; a reminder is sent.";
        assert_eq!(with_names(same, "The second costs 5 euros."), None);
        let of_three = "A cat sleeps; a dog barks; a bird sings.";
        assert_eq!(with_names(of_three, "The second barks."), None);
        assert_eq!(
            with_names("Cats sleep; dogs bark.", "The second bark."),
            None
        );
    }
}
