//! The words before a statement: the mark of a list item, a greeting, a lead.

use super::courtesy;

/// The mark of a list item, and the rest; numbers of items become dashes.
pub(super) fn item(text: &str) -> (&'static str, &str) {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = text[digits..]
        .strip_prefix(['.', ')'])
        .filter(|rest| rest.starts_with(' '));
    match rest {
        Some(rest) if (1..=2).contains(&digits) => ("- ", rest.trim_start()),
        _ => match ["- ", "* ", "\u{2022} "]
            .iter()
            .find_map(|mark| text.strip_prefix(mark))
        {
            Some(rest) => ("- ", rest.trim_start()),
            None => ("", text),
        },
    }
}

/// Words before a statement that claim nothing.
const LEADS: &[&str] = &[
    "and",
    "according to the data,",
    "according to the results,",
    "as you can see,",
    "based on the data,",
    "based on the results,",
    "based on your data,",
    "here you go:",
    "here is how your panels are doing:",
    "here is how your plant is doing:",
    "here is how your site is doing:",
    "here's how your panels are doing:",
    "here's how your plant is doing:",
    "here's how your site is doing:",
    "i can see that",
    "i found that",
    "in short,",
    "in short:",
    "in summary,",
    "in summary:",
    "it looks like",
    "looks like",
    "note that",
    "one thing to note:",
    "please note that",
    "please note:",
    "quick overview:",
    "quick summary:",
    "quick update:",
    "so,",
    "the data show that",
    "the data shows that",
    "the results show that",
    "to answer your question,",
    "to answer your question:",
    "to sum up,",
    "to sum up:",
];

/// A greeting or a lead before a statement, and the rest: "Good morning, your site made …".
pub(super) fn greeted(text: &str) -> (&str, &str) {
    let leads = |lead: &&&str| {
        let begin = text.get(..lead.len());
        let rest = text.get(lead.len()..).unwrap_or_default();
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(lead)) && rest.starts_with(' ')
    };
    if let Some(lead) = LEADS.iter().find(leads) {
        return text.split_at(lead.len() + 1);
    }
    let found = text.find([',', ':', '\u{2014}', '\u{2013}']);
    let Some((at, mark)) = found.and_then(|at| Some((at, text[at..].chars().next()?))) else {
        return ("", text);
    };
    if !courtesy::is_greeting(text[..at].trim()) {
        return ("", text);
    }
    let behind = at + mark.len_utf8();
    let space = text[behind..].len() - text[behind..].trim_start().len();
    text.split_at(behind + space)
}
