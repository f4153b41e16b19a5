//! Questions for how a figure comes about: "how does the health score work?", "what goes into it?".
//! The definition of the figure answers them.

/// Verbs that say how a figure is made, as a participle.
const MADE: &[&[&str]] = &[
    &["calculated"],
    &["defined"],
    &["computed"],
    &["measured"],
    &["determined"],
    &["estimated"],
    &["derived"],
    &["composed"],
    &["built"],
    &["scored"],
    &["obtained"],
    &["found"],
    &["reckoned"],
    &["worked", "out"],
    &["made", "up"],
    &["put", "together"],
    &["arrived", "at"],
    &["come", "up", "with"],
];

/// Verbs with a figure as their subject.
const WORKS: &[&[&str]] = &[
    &["work"],
    &["works"],
    &["function"],
    &["functions"],
    &["come", "about"],
    &["comes", "about"],
    &["come", "together"],
    &["get", "calculated"],
    &["gets", "calculated"],
    &["get", "computed"],
    &["get", "made"],
];

/// Verbs with a figure as their object.
const MAKE: &[&[&str]] = &[
    &["calculate"],
    &["compute"],
    &["define"],
    &["measure"],
    &["determine"],
    &["estimate"],
    &["derive"],
    &["reckon"],
    &["get"],
    &["get", "to"],
    &["work", "out"],
    &["figure", "out"],
    &["come", "up", "with"],
    &["arrive", "at"],
];

/// Words between "what is" and the end: "what is the health score based on?".
const OF_WHAT: &[&[&str]] = &[
    &["based", "on"],
    &["made", "of"],
    &["made", "up", "of"],
    &["composed", "of"],
    &["built", "from"],
    &["built", "on"],
    &["calculated", "from"],
    &["calculated", "with"],
    &["computed", "from"],
    &["derived", "from"],
];

/// Verbs behind the figure: "what does the health score depend on?".
const TAKES: &[&[&str]] = &[
    &["depend", "on"],
    &["consist", "of"],
    &["include"],
    &["consider"],
    &["contain"],
    &["take", "into", "account"],
    &["look", "at"],
];

/// Openings that the figure follows alone.
const INTO: &[&[&str]] = &[
    &["what", "goes", "into"],
    &["what", "makes", "up"],
    &["what", "is", "in"],
    &["what", "counts", "for"],
    &["what", "counts", "in"],
    &["what", "counts", "towards"],
    &["what", "determines"],
    &["what", "influences"],
    &["what", "affects"],
    &["what", "is", "the", "formula", "for"],
    &["what", "is", "the", "formula", "of"],
    &["formula", "for"],
    &["formula", "of"],
    &["calculation", "of"],
];

/// Words before an indirect question: "explain how the health score works".
const ORDERS: &[&[&str]] = &[
    &["explain"],
    &["explain", "to", "me"],
    &["tell", "me"],
    &["show", "me"],
    &["describe"],
    &["i", "want", "to", "know"],
    &["i'd", "like", "to", "know"],
    &["do", "you", "know"],
];

/// The words of the figure whose workings these words ask for.
pub(super) fn asked<'w>(words: &'w [&'w str]) -> Option<&'w [&'w str]> {
    let direct = after_one_of(words, ORDERS).unwrap_or(words);
    let head = match direct {
        ["how", "does" | "do" | "did", "you" | "one", rest @ ..] | ["how", "you", rest @ ..] => {
            after_one_of(rest, MAKE)
        }
        ["how", "does" | "do", rest @ ..] => before_one_of(rest, WORKS),
        ["how", "is" | "are" | "was" | "were", rest @ ..] => before_one_of(rest, MADE),
        ["how", rest @ ..] => before_one_of(rest, WORKS).or_else(|| {
            let made = before_one_of(rest, MADE)?;
            made.strip_suffix(&["is"])
                .or_else(|| made.strip_suffix(&["are"]))
        }),
        ["where", "does" | "do", rest @ .., "come", "from"] => Some(rest),
        ["what", "does" | "do", rest @ ..] => before_one_of(rest, TAKES),
        _ => None,
    };
    let head = head.or_else(|| after_one_of(direct, INTO)).or_else(|| {
        let ["what", "is" | "are", rest @ ..] = direct else {
            return None;
        };
        before_one_of(rest, OF_WHAT)
    });
    // "Explain the health score" is for its meaning; the figure itself is shown, not explained.
    let head = head.or_else(|| match direct {
        ["the", "health", "score"] | ["the", "performance", "ratio"] if direct != words => {
            matches!(words.first(), Some(&("explain" | "describe"))).then_some(direct)
        }
        _ => None,
    });
    head.map(without_article)
}

fn without_article<'w>(words: &'w [&'w str]) -> &'w [&'w str] {
    match words {
        [
            "a" | "an" | "the" | "this" | "that" | "my" | "our" | "your" | "their",
            rest @ ..,
        ] => rest,
        all => all,
    }
}

/// What follows the longest of the phrases that the words begin with.
fn after_one_of<'w>(words: &'w [&'w str], phrases: &[&[&'static str]]) -> Option<&'w [&'w str]> {
    let rest = phrases
        .iter()
        .filter_map(|phrase| words.strip_prefix(*phrase));
    rest.min_by_key(|rest| rest.len())
}

/// The words ahead of the longest of the phrases that the words end with.
fn before_one_of<'w>(words: &'w [&'w str], phrases: &[&[&'static str]]) -> Option<&'w [&'w str]> {
    let rest = phrases
        .iter()
        .filter_map(|phrase| words.strip_suffix(*phrase));
    rest.min_by_key(|rest| rest.len())
}
