//! The title of a thread, from its first message.

/// A title has at most this many characters.
const MAX_CHARS: usize = 80;

/// The first sentence or line of a text, at most 80 characters; a longer one is cut between words
/// where it has any, and ends with an ellipsis. None for a text with nothing to read.
pub fn title_of(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let words: Vec<&str> = first_sentence(line).split_whitespace().collect();
    let title = words.join(" ");
    if title.chars().count() <= MAX_CHARS {
        return Some(title);
    }
    // One character is kept for the ellipsis.
    let end = title
        .char_indices()
        .nth(MAX_CHARS - 1)
        .map_or(title.len(), |(index, _)| index);
    let head = &title[..end];
    let whole_words = match head.rfind(' ') {
        Some(space) if !title[end..].starts_with(' ') => &head[..space],
        _ => head,
    };
    Some(format!(
        "{}…",
        whole_words.trim_end_matches([' ', ',', ';', ':'])
    ))
}

/// Up to the first full stop, question or exclamation mark that ends a sentence: words are before
/// it, and a space follows.
fn first_sentence(line: &str) -> &str {
    line.char_indices()
        .find(|&(index, c)| {
            let rest = &line[index + c.len_utf8()..];
            let ends = match c {
                '.' | '?' | '!' => rest.starts_with(char::is_whitespace),
                '。' | '？' | '！' => true,
                _ => false,
            };
            ends && line[..index].contains(char::is_alphabetic)
        })
        .map_or(line, |(index, c)| match c {
            '.' => &line[..index],
            _ => &line[..index + c.len_utf8()],
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_title_is_the_first_sentence_or_line() {
        for (text, title) in [
            ("How much today?", "How much today?"),
            (
                "\n  Compare the loggers. Then tell me why.",
                "Compare the loggers",
            ),
            ("Is it on? Please check.", "Is it on?"),
            ("Version 3.5 is out", "Version 3.5 is out"),
            ("1. Check it. 2. Go", "1. Check it"),
            ("one\ntwo", "one"),
            ("spaces   and\ttabs", "spaces and tabs"),
        ] {
            assert_eq!(title_of(text).as_deref(), Some(title), "{text:?}");
        }
        assert_eq!(title_of(" \n\t"), None);
    }

    #[test]
    fn a_long_title_is_cut_between_words() {
        let title = title_of(&"kilowatt ".repeat(20)).unwrap();
        assert_eq!(title, format!("{}kilowatt…", "kilowatt ".repeat(7)));
    }

    #[test]
    fn a_word_that_is_too_long_is_cut_within() {
        let title = title_of(&"é".repeat(100)).unwrap();
        assert_eq!(title, format!("{}…", "é".repeat(79)));
    }

    proptest! {
        #[test]
        fn a_title_fits_on_one_line(text in "\\PC{0,200}|[a-z .?\n]{0,200}") {
            let title = title_of(&text);
            prop_assert_eq!(title.is_none(), text.trim().is_empty());
            if let Some(title) = title {
                prop_assert!((1..=80).contains(&title.chars().count()), "{title:?}");
                prop_assert!(!title.contains(['\n', '\r']));
            }
        }
    }
}
