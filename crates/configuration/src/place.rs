//! The position of a key in a configuration file.

/// The line of a file at which a key is set, or the nearest place around it: the table or the
/// list's entry that it is in. Keys of lists have the number of the entry, from 0: `targets.0.url`.
pub(super) fn line_of(text: &str, key: &str) -> Option<usize> {
    let mut section = String::new();
    let mut entries: Vec<(String, usize)> = Vec::new();
    let mut around: Option<(usize, usize)> = None;
    for (line, written) in text
        .lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line.trim()))
    {
        if let Some(list) = header(written, "[[", "]]") {
            let list = numbered(&list, &entries);
            let count = if let Some((_, count)) = entries.iter_mut().find(|(name, _)| *name == list)
            {
                *count += 1;
                *count
            } else {
                entries.push((list.clone(), 0));
                0
            };
            section = format!("{list}.{count}");
        } else if let Some(table) = header(written, "[", "]") {
            section = numbered(&table, &entries);
        } else if let Some((name, _)) = written
            .split_once('=')
            .filter(|_| !written.starts_with('#'))
        {
            let name: String = name
                .chars()
                .filter(|c| !matches!(c, '"' | '\'' | ' '))
                .collect();
            let full = if section.is_empty() {
                name
            } else {
                format!("{section}.{name}")
            };
            if full == key {
                return Some(line);
            }
            remember(&mut around, &full, key, line);
            continue;
        } else {
            continue;
        }
        if section == key {
            return Some(line);
        }
        remember(&mut around, &section, key, line);
    }
    around.map(|(_, line)| line)
}

/// The name between brackets.
fn header(line: &str, open: &str, close: &str) -> Option<String> {
    let (name, _) = line.strip_prefix(open)?.split_once(close)?;
    Some(
        name.chars()
            .filter(|c| !matches!(c, '"' | '\'' | ' '))
            .collect(),
    )
}

/// A table's name with the number of the entry that it is in: `[targets.columns]` after
/// `[[targets]]`.
fn numbered(name: &str, entries: &[(String, usize)]) -> String {
    let inside = entries
        .iter()
        .filter_map(|(list, count)| {
            let rest = name.strip_prefix(list.as_str())?.strip_prefix('.')?;
            Some(format!("{list}.{count}.{rest}"))
        })
        .next_back();
    inside.unwrap_or_else(|| name.to_owned())
}

/// Keeps the longest name that a key is within.
fn remember(around: &mut Option<(usize, usize)>, name: &str, key: &str, line: usize) {
    let within = key
        .strip_prefix(name)
        .is_some_and(|rest| rest.starts_with('.'));
    if within && around.is_none_or(|(length, _)| length < name.len()) {
        *around = Some((name.len(), line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_tables_and_of_entries_of_lists_are_found() {
        let text = "# url = 1\n[http]\nport = 1\n\n[[targets]]\nname = \"a\"\n[[targets]]\nname = \"b\"\nurl_file = \"x\"\n[targets.tenant_ids]\ndemo = 1\n";
        for (key, line) in [
            ("http.port", Some(3)),
            ("targets.0.name", Some(6)),
            ("targets.1.name", Some(8)),
            ("targets.1.tenant_ids.demo", Some(11)),
            ("targets.1.url", Some(7)),
            ("http.address", Some(2)),
            ("solar.rate", None),
        ] {
            assert_eq!(line_of(text, key), line, "{key}");
        }
    }
}
