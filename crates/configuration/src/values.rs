//! Checks that sections of several crates share, and secrets in files.

use std::collections::HashSet;
use std::path::Path;

use secrecy::{ExposeSecret, SecretString};

use crate::Invalid;

/// Reads a secret from the file meant for it. Both the secret and the file given is a mistake worth
/// stopping for.
pub fn read_secret_file(
    key: &str,
    secret: &mut Option<SecretString>,
    file: Option<&Path>,
) -> Result<(), Invalid> {
    let Some(path) = file else { return Ok(()) };
    let file_key = format!("{key}_file");
    if secret.is_some() {
        return Err(Invalid::new(
            file_key,
            format!("must not be given together with {key}"),
        ));
    }
    let text = std::fs::read_to_string(path).map_err(|error| {
        Invalid::new(
            file_key,
            format!("{} cannot be read: {error}", path.display()),
        )
    })?;
    // Editors and `echo` end a file with a newline that does not belong to the secret.
    *secret = Some(text.trim_end_matches(['\r', '\n']).into());
    Ok(())
}

/// A shorter secret could be guessed.
const LEAST_SECRET: usize = 32;

/// A text with fewer different characters is a pattern.
const LEAST_VARIETY: usize = 8;

/// What examples and templates have in place of a secret.
const PLACEHOLDERS: [&str; 5] = [
    "changeme",
    "change-me",
    "change_me",
    "placeholder",
    "your-secret",
];

/// Refuses a secret between services that could be guessed: a short one, a pattern, one that a
/// template left there.
pub fn strong_secret(key: &str, secret: &SecretString) -> Result<(), Invalid> {
    let text = secret.expose_secret();
    if text.len() < LEAST_SECRET {
        return Err(Invalid::new(
            key,
            format!("must have at least {LEAST_SECRET} characters"),
        ));
    }
    let lower = text.to_lowercase();
    let characters: Vec<char> = lower.chars().collect();
    let variety: HashSet<char> = characters.iter().copied().collect();
    let repeats = (1..=characters.len() / 2).any(|period| {
        (period..characters.len()).all(|at| characters[at] == characters[at - period])
    });
    let placeholder = PLACEHOLDERS.iter().any(|word| lower.contains(word));
    if variety.len() < LEAST_VARIETY || repeats || placeholder {
        return Err(Invalid::new(
            key,
            "is easily guessed; use random characters, for example those of `openssl rand -hex 32`",
        ));
    }
    Ok(())
}

/// Refuses what is not a name of 1 to 64 of a-z, 0-9, `_` and, if `dashes`, `-`.
pub fn name(key: &str, value: &str, dashes: bool) -> Result<(), Invalid> {
    let fits =
        |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || dashes && c == '-';
    if (1..=64).contains(&value.len()) && value.chars().all(fits) {
        return Ok(());
    }
    Err(Invalid::new(
        key,
        if dashes {
            "must be 1 to 64 of a-z, 0-9, _ and -"
        } else {
            "must be 1 to 64 of a-z, 0-9 and _"
        },
    ))
}

/// Refuses 0.
pub fn positive(key: &str, value: u64) -> Result<(), Invalid> {
    if value == 0 {
        Err(Invalid::new(key, "must be more than 0"))
    } else {
        Ok(())
    }
}

/// Refuses what is no `http` or `https` URL.
pub fn http_url(key: &str, value: &str) -> Result<(), Invalid> {
    match url::Url::parse(value) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(()),
        Ok(url) => Err(Invalid::new(
            key,
            format!("must be an http or https URL, not {}", url.scheme()),
        )),
        Err(error) => Err(Invalid::new(key, format!("is not a URL: {error}"))),
    }
}
