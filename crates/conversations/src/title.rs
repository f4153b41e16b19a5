//! The title of a thread, from its first message.

/// A title has at most this many characters.
const MAX_CHARS: usize = 80;

/// The first sentence or line of a text, at most 80 characters; a longer one is cut between words where it has any, and
/// ends with an ellipsis. None for a text with nothing to read.
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

/// Up to the first full stop, question or exclamation mark that ends a sentence: one that a space or nothing follows.
fn first_sentence(line: &str) -> &str {
    line.char_indices()
        .find(|&(index, c)| {
            let rest = &line[index + c.len_utf8()..];
            match c {
                '.' | '?' | '!' => rest.starts_with(char::is_whitespace),
                '。' | '？' | '！' => true,
                _ => false,
            }
        })
        .map_or(line, |(index, c)| match c {
            '.' => &line[..index],
            _ => &line[..index + c.len_utf8()],
        })
}
