//! Messages of a database, made fit to show.

use std::sync::Arc;

use secrecy::{ExposeSecret, SecretString};

/// Secrets that a target's messages must not reveal.
#[derive(Debug, Clone, Default)]
pub(crate) struct Safe {
    target: String,
    database: Option<String>,
    secrets: Arc<[SecretString]>,
    /// Secure views and the tables they represent.
    views: Vec<(String, String)>,
    /// The statement, whose words the message may repeat.
    asked: Option<String>,
    /// Words that are shown only if the question has them: the columns that distinguish tenants.
    unsaid: Vec<String>,
}

/// How the names of views begin that represent tables.
const VIEWS_BEGIN: &str = "secure_";

/// The longest message that is passed on.
const LONGEST: usize = 500;

impl Safe {
    pub(crate) fn new(
        target: &str,
        database: Option<&str>,
        secrets: impl IntoIterator<Item = SecretString>,
    ) -> Safe {
        Safe {
            target: target.to_owned(),
            database: database.map(ToOwned::to_owned),
            secrets: secrets.into_iter().collect(),
            ..Safe::default()
        }
    }

    pub(crate) fn target(&self) -> &str {
        &self.target
    }

    /// The same, with logical names in place of these views.
    pub(crate) fn with_views(mut self, views: impl IntoIterator<Item = (String, String)>) -> Safe {
        self.views = views
            .into_iter()
            .map(|(table, view)| (view, table))
            .collect();
        // The longest first: a view's name may begin with another's.
        self.views
            .sort_by_key(|(view, _)| std::cmp::Reverse(view.len()));
        self
    }

    /// The same, without these words unless they are asked for.
    pub(crate) fn without_words(mut self, words: Vec<String>) -> Safe {
        self.unsaid = words;
        self
    }

    /// The same, for messages about this statement.
    pub(crate) fn about(&self, sql: &str) -> Safe {
        Safe {
            asked: Some(sql.to_lowercase()),
            ..self.clone()
        }
    }

    /// Whether what was asked has this word.
    pub(crate) fn is_asked(&self, word: &str) -> bool {
        let asked = self.asked.as_deref().unwrap_or_default();
        replace_word(asked, word, "") != asked
    }

    /// Whether a message has a word that the statement does not have and that distinguishes
    /// tenants: the guard put it there.
    pub(crate) fn tells_of_rules(&self, message: &str) -> bool {
        let asked = self.asked.as_deref().unwrap_or_default();
        let lower = message.to_lowercase();
        self.unsaid.iter().any(|word| {
            let word = word.to_lowercase();
            !asked.contains(&word) && replace_word(&lower, &word, "") != lower
        })
    }

    /// The message without secrets. A quoted text that is not in the statement comes from the data,
    /// maybe from rows that the tenant may not see: a failed cast quotes the value it failed on.
    pub(crate) fn message(&self, message: &str) -> String {
        let mut text = without_accounts(message);
        for secret in self
            .secrets
            .iter()
            .map(ExposeSecret::expose_secret)
            .filter(|secret| !secret.is_empty())
        {
            text = text.replace(secret, "…");
        }
        text = self.quoted(&text);
        if let Some(database) = &self.database {
            text = text
                .replace(&format!("`{database}`."), "")
                .replace(&format!("'{database}."), "'")
                .replace(&format!(" {database}."), " ");
        }
        for (view, table) in &self.views {
            text = replace_word(&text, view, table);
            text = replace_cut(&text, view, table);
        }
        let asked = self.asked.as_deref().unwrap_or_default();
        for word in &self.unsaid {
            if !asked.contains(&word.to_lowercase()) {
                text = replace_word(&text, word, "…");
            }
        }
        text.chars().take(LONGEST).collect()
    }

    /// With everything between the first quote and the last left out, unless all of it is known: a
    /// value may have quotes in it.
    fn quoted(&self, message: &str) -> String {
        let Some(asked) = &self.asked else {
            return message.to_owned();
        };
        if let Some(text) = of_pattern(message) {
            return text;
        }
        let message = message.replace("an't ", "an not ").replace("n't ", " not ");
        let quote = ['\'', '"'];
        let (Some(first), Some(last)) = (message.find(quote), message.rfind(quote)) else {
            return message;
        };
        let pieces: Vec<&str> = message.split(quote).collect();
        let known = pieces.len() % 2 == 1
            && pieces
                .iter()
                .skip(1)
                .step_by(2)
                .all(|value| self.is_known(value, asked));
        if known {
            message
        } else {
            format!("{}…{}", &message[..=first], &message[last..])
        }
    }

    /// Whether the statement has this text. Databases write `database.table.column` for what was
    /// written shorter, and name types and clauses in capitals.
    fn is_known(&self, value: &str, asked: &str) -> bool {
        let value = value.to_lowercase();
        let clause = value.chars().all(|c| c.is_ascii_lowercase() || c == ' ')
            && [
                "clause",
                "statement",
                "order",
                "group",
                "field list",
                "where",
            ]
            .iter()
            .any(|word| value.contains(word));
        let parts = || {
            value.split('.').filter(|part| {
                Some(*part) != self.database.as_deref().map(str::to_lowercase).as_deref()
            })
        };
        clause
            || is_of_server(&value)
            || asked.contains(&value)
            || parts().all(|part| asked.contains(part))
    }
}

/// A server's message about a regular expression that it cannot read, in the words of its library,
/// which reveal no text; without the place in the pattern, which may come from a row.
fn of_pattern(message: &str) -> Option<String> {
    let rest = message.strip_prefix("Regex error '")?;
    let (reason, _) = rest.rsplit_once('\'')?;
    let reason = reason.split(" at offset").next().unwrap_or(reason);
    let words = |c: char| c.is_ascii_alphanumeric() || " ()[]\\,;:?*+-_".contains(c);
    reason
        .chars()
        .all(words)
        .then(|| format!("Regex error '{reason}'"))
}

/// Names of character sets and collations, which are the server's.
fn is_of_server(value: &str) -> bool {
    let begins = [
        "utf8", "latin", "ascii", "binary", "ucs2", "utf16", "utf32", "cp125", "cp85", "koi8",
        "uca1400",
    ];
    begins.iter().any(|name| value.starts_with(name))
        && value.len() <= 40
        && value
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// Without `'user'@'host'`.
fn without_accounts(message: &str) -> String {
    let mut out = String::new();
    let mut rest = message;
    while let Some(at) = rest.find("'@'") {
        let start = rest[..at].rfind('\'').unwrap_or(at);
        let after = &rest[at + 3..];
        let end = after.find('\'').map_or(after.len(), |end| end + 1);
        out.push_str(&rest[..start]);
        out.push_str("our role");
        rest = &after[end..];
    }
    out.push_str(rest);
    out
}

/// Replaces `word`, in any case, where it stands alone.
fn replace_word(text: &str, word: &str, by: &str) -> String {
    let (folded, word) = (text.to_ascii_lowercase(), word.to_ascii_lowercase());
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut from = 0;
    while let Some(at) = folded[from..].find(&word).map(|at| at + from) {
        let end = at + word.len();
        let alone = !folded[..at].ends_with(is_word) && !folded[end..].starts_with(is_word);
        out.push_str(&text[from..at]);
        out.push_str(if alone { by } else { &text[at..end] });
        from = end;
    }
    out.push_str(&text[from..]);
    out
}

/// Replaces the beginning of `word` where a message breaks off within it: the last word of what it
/// quotes.
fn replace_cut(text: &str, word: &str, by: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_cut = |part: &str| {
        part.len() > VIEWS_BEGIN.len()
            && part.len() < word.len()
            && part.to_ascii_lowercase().starts_with(VIEWS_BEGIN)
            && word
                .to_ascii_lowercase()
                .starts_with(&part.to_ascii_lowercase())
    };
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let end = rest[start..]
            .find(|c: char| !is_word(c))
            .map_or(rest.len(), |end| start + end);
        out.push_str(&rest[..start]);
        let part = &rest[start..end];
        let ends = rest[end..].is_empty() || rest[end..].starts_with(['\'', '"', '\u{2026}']);
        out.push_str(if ends && is_cut(part) { by } else { part });
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn safe() -> Safe {
        let views = [("employee".to_owned(), "secure_employee".to_owned())];
        Safe::new("field", Some("crewos"), [SecretString::from("s3cret")]).with_views(views)
    }

    #[test]
    fn views_hosts_keys_and_databases_are_not_told() {
        let message = safe().message(
            "SELECT command denied to user 'reader'@'10.0.0.7' for table `crewos`.`secure_employee` with s3cret",
        );
        assert_eq!(
            message,
            "SELECT command denied to user our role for table `employee` with …"
        );
        assert_eq!(
            safe().about("SELECT secure_employee.nme FROM secure_employee").message(
                "Unknown column 'secure_employee.nme' in 'field list'; SECURE_EMPLOYEE, secure_employees"
            ),
            "Unknown column 'employee.nme' in 'field list'; employee, secure_employees"
        );
    }

    #[test]
    fn a_view_is_not_told_by_the_half_that_a_message_quotes_of_it() {
        let written = "SELECT * FROM (SELECT 1 FROM secure_employee) AS e";
        let told = safe()
            .about(written)
            .message("You have an error near 'SELECT 1 FROM secure_employ' at line 1");
        assert!(!told.contains("secure_"), "{told}");
        assert_eq!(
            replace_cut("secured by secure_emp", "secure_employee", "employee"),
            "secured by employee"
        );
    }

    #[test]
    fn the_column_of_tenants_is_told_to_those_who_know_it() {
        let message = "column employee.company_id must appear in GROUP BY";
        let safe = safe().without_words(vec!["company_id".to_owned()]);
        assert_eq!(
            safe.about("SELECT id FROM employee").message(message),
            "column employee.… must appear in GROUP BY"
        );
        let asked = safe.about("SELECT company_id FROM employee");
        assert_eq!(asked.message(message), message);
    }

    #[test]
    fn what_a_correction_needs_is_told() {
        let asked =
            safe().about("SELECT name REGEXP '(' FROM employee ORDER BY name COLLATE utf8mb4_bin");
        assert_eq!(
            asked.message("Regex error 'missing closing parenthesis at offset 17'"),
            "Regex error 'missing closing parenthesis'"
        );
        let message = "COLLATION 'utf8mb4_bin' is not valid for CHARACTER SET 'latin1'";
        assert_eq!(asked.message(message), message);
        assert!(asked.is_asked("regexp") && !asked.is_asked("reg"));
    }

    #[test]
    fn values_of_rows_are_not_told() {
        let asked = safe().about("SELECT CAST(name AS int) FROM employee WHERE city = 'Bonn'");
        assert_eq!(
            asked.message("invalid input syntax for type integer: \"Mrs Rival\""),
            "invalid input syntax for type integer: \"…\""
        );
        assert_eq!(asked.message("bad value: 'Bonn'"), "bad value: 'Bonn'");
        assert_eq!(asked.message("bad value: 'O'Hara'"), "bad value: '…'");
    }
}
