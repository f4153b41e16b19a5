//! A message made comparable: lower case, plain quotes and dashes, cut into words.

/// How much of a message is read, in characters.
pub(super) const MAX_CHARS: usize = 4_000;

/// The message in lower case with plain apostrophes, hyphens and spaces. One character becomes one character, also where lower case
/// would make two, so that positions can be carried back.
pub(super) fn normalize(message: &str) -> String {
    message.chars().take(MAX_CHARS).map(plain).collect()
}

fn plain(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2032}' | '\u{60}' | '\u{b4}' => '\'',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        c if c.is_whitespace() => ' ',
        c => {
            let mut lower = c.to_lowercase();
            match (lower.next(), lower.next()) {
                (Some(one), None) => one,
                _ => c,
            }
        }
    }
}
