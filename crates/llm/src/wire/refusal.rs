//! The meaning of an error status without further details, and quotes of a provider's messages.

use std::time::{Duration, SystemTime};

use http::{HeaderMap, StatusCode};
use secrecy::{ExposeSecret, SecretString};

use crate::ErrorKind;

/// Maximum number of characters of a provider's message that are kept.
const QUOTED_CHARS: usize = 300;

/// Beginnings of keys. Providers often repeat a key in their messages.
const KEY_BEGINNINGS: [&str; 4] = ["sk-", "AIza", "key=", "Bearer "];

/// The kind of failure of a status.
pub(crate) fn kind(status: StatusCode) -> ErrorKind {
    match status.as_u16() {
        401..=403 => ErrorKind::Unauthorized,
        404 => ErrorKind::UnknownModel,
        408 | 504 => ErrorKind::Timeout,
        429 => ErrorKind::RateLimited,
        503 | 529 => ErrorKind::Overloaded,
        500.. | 409 => ErrorKind::Provider,
        _ => ErrorKind::BadRequest,
    }
}

/// The delay that the headers request: `retry-after-ms`, or `retry-after` in seconds or as a date.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let seconds = number("retry-after-ms")
        .map(|ms| ms / 1000.0)
        .or_else(|| number("retry-after"));
    let delay = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    delay.or_else(|| {
        let date = |name: &str| httpdate::parse_http_date(headers.get(name)?.to_str().ok()?).ok();
        let then = date("retry-after")?;
        // Compared with the server's own clock where the response has a date.
        let now = date("date").unwrap_or_else(SystemTime::now);
        Some(then.duration_since(now).unwrap_or_default())
    })
}

/// A provider's message on one line, shortened, without anything that may be a key, and with
/// control characters escaped, because logs and terminals show the line.
pub(crate) fn quote(words: &str, key: &SecretString) -> String {
    let key = key.expose_secret();
    let mut line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.contains(is_unsafe) {
        line = line.chars().map(escaped).collect();
    }
    if !key.is_empty() {
        line = line.replace(key, "[key]");
    }
    for beginning in KEY_BEGINNINGS {
        line = without_keys(&line, beginning);
    }
    match line.char_indices().nth(QUOTED_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Control characters, and characters that change the direction of text.
fn is_unsafe(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escaped(letter: char) -> String {
    if is_unsafe(letter) {
        letter.escape_unicode().to_string()
    } else {
        letter.to_string()
    }
}

fn without_keys(line: &str, beginning: &str) -> String {
    let mut clean = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(beginning) {
        let (before, found) = rest.split_at(at);
        let key = &found[beginning.len()..];
        let end = key
            .find(|c: char| !(c.is_ascii_alphanumeric() || "-_.*+/=~".contains(c)))
            .unwrap_or(key.len());
        clean.push_str(before);
        // `task-list` contains `sk-` and is not a key.
        let inside_word = before.ends_with(|c: char| c.is_alphanumeric());
        clean.push_str(if inside_word || end == 0 {
            &found[..beginning.len() + end]
        } else {
            "[key]"
        });
        rest = &key[end..];
    }
    clean.push_str(rest);
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_have_meanings() {
        let kinds = [400, 401, 403, 404, 413, 429, 500, 502, 503, 504, 529]
            .map(|status| kind(StatusCode::from_u16(status).unwrap()));
        assert_eq!(
            kinds,
            [
                ErrorKind::BadRequest,
                ErrorKind::Unauthorized,
                ErrorKind::Unauthorized,
                ErrorKind::UnknownModel,
                ErrorKind::BadRequest,
                ErrorKind::RateLimited,
                ErrorKind::Provider,
                ErrorKind::Provider,
                ErrorKind::Overloaded,
                ErrorKind::Timeout,
                ErrorKind::Overloaded,
            ]
        );
    }

    #[test]
    fn delays_are_read_from_either_header() {
        let headers = |pairs: &[(&'static str, &'static str)]| {
            pairs
                .iter()
                .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
                .collect::<HeaderMap>()
        };
        let read = |pairs: &[(&'static str, &'static str)]| retry_after(&headers(pairs));
        assert_eq!(
            read(&[("retry-after", "12")]),
            Some(Duration::from_secs(12))
        );
        assert_eq!(
            read(&[("retry-after", "12"), ("retry-after-ms", "250")]),
            Some(Duration::from_millis(250))
        );
        assert_eq!(
            read(&[
                ("date", "Wed, 21 Oct 2026 07:28:00 GMT"),
                ("retry-after", "Wed, 21 Oct 2026 07:28:07 GMT"),
            ]),
            Some(Duration::from_secs(7))
        );
        assert_eq!(read(&[("retry-after", "-1")]), None);
        assert_eq!(read(&[("retry-after", "soon")]), None);
    }

    #[test]
    fn quotes_are_short_and_hold_no_key() {
        let key = SecretString::from("hunter22");
        assert_eq!(
            quote(
                "bad\n key 'hunter22' and sk-ant-api03-x_Y, AIzaSyA*** of task-list",
                &key
            ),
            "bad key '[key]' and [key], [key] of task-list"
        );
        assert_eq!(
            quote("/v1?key=abc&x=Bearer xyz.1", &key),
            "/v1?[key]&x=[key]"
        );
        let long = quote(&"ü".repeat(1000), &key);
        assert_eq!(long.chars().count(), QUOTED_CHARS + 1);
    }

    #[test]
    fn a_quote_steers_no_terminal() {
        let key = SecretString::from("hunter22");
        assert_eq!(
            quote("a\u{1b}[2Jb\u{7}\nc\u{9b}d\u{202e}e ünï", &key),
            "a\\u{1b}[2Jb\\u{7} c\\u{9b}d\\u{202e}e ünï"
        );
    }

    #[test]
    fn a_cut_off_key_is_not_left_at_the_end_of_a_quote() {
        let key = SecretString::from("hunter22");
        let words = format!("{} hunter22", "x".repeat(QUOTED_CHARS - 4));
        assert!(!quote(&words, &key).contains("hun"));
    }
}
