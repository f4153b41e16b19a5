//! The rules for new passwords.

use zxcvbn::{Score, zxcvbn};

use crate::accounts::AccountError;

/// Shorter passwords are refused.
pub(crate) const SHORTEST: usize = 8;

/// Longer passwords are refused: hashing them takes time.
const LONGEST: usize = 1024;

/// The characters that an estimate looks at. What is longer is strong enough if its beginning is.
const LOOKED_AT: usize = 100;

/// Refuses a password that is short, or that an attacker would try early. `words` are the words
/// that others know of the account.
pub(crate) fn check(password: &str, words: &[&str]) -> Result<(), AccountError> {
    let length = password.chars().count();
    if length < SHORTEST {
        return Err(AccountError::Password);
    }
    if length > LONGEST {
        return Err(AccountError::LongPassword);
    }
    let beginning: String = password.chars().take(LOOKED_AT).collect();
    let known: Vec<&str> = words.iter().copied().chain(["heliograph"]).collect();
    let estimate = zxcvbn(&beginning, &known);
    if estimate.score() >= Score::Three {
        return Ok(());
    }
    let mut advice: Vec<String> = Vec::new();
    if let Some(feedback) = estimate.feedback() {
        advice.extend(feedback.warning().map(|warning| warning.to_string()));
        advice.extend(feedback.suggestions().iter().map(ToString::to_string));
    }
    if advice.is_empty() {
        advice.push("Use a few words that do not belong together.".to_owned());
    }
    Err(AccountError::WeakPassword(advice.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_attacker_tries_early_is_refused_with_advice() {
        for password in [
            "password",
            "Password1",
            "12345678",
            "qwertyuiop",
            "heliograph1",
            "ada.lovelace",
            "aaaaaaaaaaaa",
            "2001-12-24",
        ] {
            let refused = check(password, &["ada.lovelace", "demo"]).unwrap_err();
            let AccountError::WeakPassword(advice) = refused else {
                panic!("{password}: {refused}");
            };
            assert!(!advice.is_empty());
        }
        assert!(matches!(check("short", &[]), Err(AccountError::Password)));
        assert!(matches!(
            check(&"long ".repeat(300), &[]),
            Err(AccountError::LongPassword)
        ));
    }

    #[test]
    fn a_few_words_or_random_letters_are_accepted() {
        for password in [
            "correct horse",
            "plum-ladder-quiet",
            "x7Gq9!vLw2",
            &"a long sentence that was never written before ".repeat(10),
        ] {
            check(password, &["ada", "demo"]).unwrap();
        }
    }
}
