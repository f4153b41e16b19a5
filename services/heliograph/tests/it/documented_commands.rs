//! The commands in the documents: each command of `heliograph`, each of its options, each recipe of
//! `just` and each file of `deploy` that they name exists.

use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory};
use heliograph::cli::Cli;
use regex::Regex;

/// Files that the commands create.
const CREATED: [&str; 2] = ["deploy/.env", "deploy/secrets"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The code of each document: the lines of its blocks, and the code within its lines.
fn code() -> Vec<(String, String)> {
    let mut documents: Vec<PathBuf> = std::fs::read_dir(root().join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    for other in ["README.md", "CONTRIBUTING.md", "deploy/dist/README.md"] {
        documents.push(root().join(other));
    }
    let inline = Regex::new("`([^`]+)`").unwrap();
    let mut code = Vec::new();
    for document in documents {
        let name = document.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&document).unwrap();
        let mut fenced = false;
        for line in text.lines() {
            if line.starts_with("```") {
                fenced = !fenced;
            } else if fenced || line.starts_with("    ") {
                code.push((name.clone(), line.trim().to_owned()));
            } else {
                let found = inline.captures_iter(line);
                code.extend(found.map(|found| (name.clone(), found[1].to_owned())));
            }
        }
    }
    code
}

/// The words of a command up to its end, without quotes and the brackets of what may be left out.
fn words(command: &str) -> Vec<String> {
    let word = Regex::new(r#""[^"]*"|'[^']*'|[^\s"']+"#).unwrap();
    let found = word.find_iter(command).map(|word| word.as_str());
    found
        .take_while(|word| !["|", "||", "&&", ">", "<", "#", ";", "·"].contains(word))
        .map(|word| word.trim_matches(['"', '\'', '[', ']']).to_owned())
        .collect()
}

/// The fault of a command, if it has one.
fn fault(words: &[String]) -> Option<String> {
    let mut program = Cli::command();
    program.build();
    let mut command: &Command = &program;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or(word);
        let option = command.get_arguments().find(|argument| {
            let long = argument.get_long().map(|long| format!("--{long}"));
            let short = argument.get_short().map(|short| format!("-{short}"));
            long.as_deref() == Some(name) || short.as_deref() == Some(name)
        });
        match option {
            Some(option) if option.get_action().takes_values() && name == word => {
                words.next();
            }
            None if word.starts_with("--") => return Some(format!("no option {word}")),
            None if command.has_subcommands() => match command.find_subcommand(word) {
                Some(inner) => command = inner,
                // A place for any command.
                None if word.starts_with(|c: char| !c.is_ascii_lowercase()) => return None,
                None if command.get_positionals().next().is_some() => {}
                None => return Some(format!("no command {word}")),
            },
            // An option without a value of its own, or a value.
            Some(_) | None => {}
        }
    }
    None
}

#[test]
fn commands_of_the_documents_exist() {
    let ours = [
        r"^(?:[A-Z_]+=\S+ )*(?:bin/)?heliograph ([^A-Z/.=].*)$",
        r"\brun --rm heliograph (.*)$",
        r"\bcargo run(?: --release)? -- (.*)$",
    ]
    .map(|pattern| Regex::new(pattern).unwrap());
    let mut faults = Vec::new();
    let mut checked = 0;
    for (document, line) in code() {
        let Some(found) = ours.iter().find_map(|pattern| pattern.captures(&line)) else {
            continue;
        };
        checked += 1;
        if let Some(fault) = fault(&words(&found[1])) {
            faults.push(format!("{document}: {line}: {fault}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(checked > 100, "{checked}");
}

#[test]
fn recipes_and_files_of_the_documents_exist() {
    let justfile = std::fs::read_to_string(root().join("justfile")).unwrap();
    let recipe = Regex::new(r"^just ([a-z][\w-]*)").unwrap();
    let file = Regex::new(r"(?:^|\s)(deploy/[\w./-]+)").unwrap();
    let mut faults = Vec::new();
    let mut checked = 0;
    for (document, line) in code() {
        if let Some(found) = recipe.captures(&line) {
            checked += 1;
            let begins = Regex::new(&format!(r"(?m)^@?{}\b[^\n]*:", &found[1])).unwrap();
            if !begins.is_match(&justfile) {
                faults.push(format!("{document}: {line}: no recipe {}", &found[1]));
            }
        }
        for found in file.captures_iter(&line) {
            let path = found[1].trim_end_matches(['.', '/']);
            checked += 1;
            let created = CREATED.iter().any(|created| path.starts_with(created));
            if !created && !root().join(path).exists() {
                faults.push(format!("{document}: {line}: no file {path}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(checked > 40, "{checked}");
}

#[test]
fn a_command_that_does_not_exist_is_found() {
    let fault = |command| fault(&words(command));
    assert_eq!(fault("schedules list"), None);
    assert_eq!(
        fault("--config deploy/config chat \"Hello\" --thread t"),
        None
    );
    assert_eq!(
        fault("schedules forget 1"),
        Some("no command forget".to_owned())
    );
    assert_eq!(
        fault("schedules list --loud"),
        Some("no option --loud".to_owned())
    );
}
