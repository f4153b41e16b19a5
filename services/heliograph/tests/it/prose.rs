//! The wording of comments, messages and documents: phrases that were replaced stay away, and lines
//! of comment end at 100 columns.
//!
//! Folders join [`CHECKED`] as they are edited. The test prints the folders that are still exempt.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use regex::Regex;

/// The folders and files whose wording is checked. A name ends at a path separator or is a file.
const CHECKED: &[&str] = &[
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "Cargo.toml",
    "README.md",
    "SECURITY.md",
    "arrows.toml",
    "clients",
    "crates/agents",
    "crates/analyst-memory",
    "crates/analytics",
    "crates/checkpoint",
    "crates/clock",
    "crates/configuration",
    "crates/contracts",
    "crates/conversations",
    "crates/database-kit",
    "crates/delivery",
    "crates/demo",
    "crates/embedded-mariadb",
    "crates/embedded-postgres",
    "crates/entities",
    "crates/graph",
    "crates/http-client",
    "crates/join-graph",
    "crates/knowledge",
    "crates/limited-process",
    "crates/llm",
    "crates/local-embedder",
    "crates/plant-files",
    "crates/protocols",
    "crates/provision",
    "crates/query-metadata",
    "crates/retrieval-eval",
    "crates/sbom",
    "crates/search",
    "crates/search-sources",
    "crates/service-client",
    "crates/service-kit",
    "crates/solar",
    "crates/sql-eval",
    "crates/sql-guard",
    "crates/targets",
    "crates/test-support",
    "crates/xtask",
    "deny.toml",
    "deploy",
    "docs",
    "examples",
    "services/bff",
    "services/heliograph",
    "services/orchestrator",
    "services/tools",
];

/// Files that consist of words of users or of these rules, and folders of prompts and of texts that
/// are searched.
const DATA: &[&str] = &[
    "crates/agents/advisor/prompts",
    "crates/agents/analyst/prompts",
    "crates/agents/data/prompts",
    "crates/agents/site/prompts",
    "crates/agents/site/src/language/vocabulary.rs",
    "crates/entities/src/words.rs",
    "services/heliograph/tests/it/prose.rs",
    "crates/demo/documents/files",
];

/// A released migration is never changed: its checksum is stored in each database.
const MIGRATIONS: &str = "/migrations/";

const EXTENSIONS: &[&str] = &[
    "rs", "md", "toml", "js", "html", "sql", "yaml", "yml", "sh", "ts", "tsx", "css", "py",
];

const COLUMNS: usize = 100;

/// Where a phrase is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// In every line.
    All,
    /// In lines of comment, and in Markdown.
    Comment,
    /// At the start of a documentation comment.
    Start,
}

/// A phrase that is not used any more, accepted phrases that contain it, and the replacement.
struct Phrase {
    scope: Scope,
    pattern: &'static str,
    except: &'static str,
    instead: &'static str,
}

const fn phrase(
    scope: Scope,
    pattern: &'static str,
    except: &'static str,
    instead: &'static str,
) -> Phrase {
    Phrase {
        scope,
        pattern,
        except,
        instead,
    }
}

use Scope::{All, Comment, Start};

const PHRASES: &[Phrase] = &[
    phrase(All, r"\b[Cc]an not\b", r"", "cannot"),
    phrase(All, r"\b[Ww]hoever\b", r"", "the subject: a user who …"),
    phrase(
        All,
        r"\b[Nn]obody\b",
        r#"`nobody`|"nobody"|user nobody"#,
        "no user, or a passive: is never followed",
    ),
    phrase(
        All,
        r"\b[Ss]omebody\b",
        r"someone\|somebody",
        "a user, another process",
    ),
    phrase(
        All,
        r"\b(is|are|was|were|be|been) told\b",
        r"",
        "is reported, receives",
    ),
    phrase(All, r"\b[Ff]or ever\b", r"", "forever, without a limit"),
    phrase(
        All,
        r"\b[Dd]ocument 00[0-9]\b",
        r"",
        "the system's name in docs/compatibility.md",
    ),
    phrase(
        All,
        r"\b([Tt]he documents' |documents' (name|words)\b)",
        r"the documents' text",
        "the original name, existing clients",
    ),
    phrase(
        All,
        r"\b[Mm]ade[- ]up\b",
        r"",
        "generated, synthetic, fictitious",
    ),
    phrase(All, r"\bunder way\b", r"", "in progress, active"),
    phrase(All, r"\bin the clear\b", r"", "in plain text"),
    phrase(
        Comment,
        r"\b(is|are|was|were) no [a-z]",
        r"\b[Tt]here (is|are|was|were) no [a-z]|\b(is|are|was|were) no (longer|more|less)\b",
        "is not a …",
    ),
    phrase(
        Comment,
        r"\b([Ww]e|[Oo]ur|[Oo]urs|[Uu]s)\b",
        r"`[^`]*`",
        "the name of the component, or a passive",
    ),
    phrase(
        Comment,
        r"\b(tell|tells|told|telling)\b",
        r"",
        "say, report, distinguish, determine",
    ),
    phrase(
        Comment,
        r"\b[Ss]o many\b",
        r"",
        "this number of, at most … ",
    ),
    phrase(Comment, r"\b(go|goes|went|going) on\b", r"", "continue"),
    phrase(Comment, r"\banew\b", r"", "again"),
    phrase(
        Comment,
        r"\b(let be|let alone)\b",
        r"",
        "is kept, is not changed",
    ),
    phrase(
        Comment,
        r"\b[Ww]hat (came|comes|becomes|became) of\b",
        r"",
        "the result of",
    ),
    phrase(
        Comment,
        r"\ball the same\b",
        r"",
        "nevertheless, or nothing",
    ),
    phrase(
        Comment,
        r"\b(take|takes|took|taken) in\b",
        r"",
        "ingest, accept",
    ),
    phrase(Comment, r"[,;] else\b", r"", ", otherwise"),
    phrase(Comment, r"\bwants?\b", r"", "needs, requires, requests"),
    phrase(
        Comment,
        r"\bof (yours|theirs)\b",
        r"",
        "your own, their own",
    ),
    phrase(Comment, r"\b(is|are) meant\b", r"", "is used, means"),
    phrase(
        Comment,
        r"\b(brings?|brought)\b",
        r"",
        "returns, loads, starts",
    ),
    phrase(
        Comment,
        r"\b([Aa]nybody|[Ee]verybody|[Aa]nyone|[Ee]veryone)\b",
        r#"["`]everyone["`]"#,
        "any user, all users",
    ),
    phrase(
        Comment,
        r"\b(gone|at hand|[Mm]eanwhile|shall)\b",
        r"",
        "ended, removed; available; in the meantime; must",
    ),
    phrase(Comment, r"\b[Nn]othing but\b", r"", "only"),
    phrase(Comment, r"\bby itself\b", r"", "automatically, on its own"),
    phrase(
        Comment,
        r"\bstands? (in|for|at|beside|there|before|behind|above|below)\b",
        r"",
        "is in, means, is next to",
    ),
    phrase(
        Start,
        r"(Why|Which|What|Where|When|Who|How|How many|Whose|Its [a-z]+|The value|The rows?|The file)\.$",
        r"",
        "delete the comment, or say what the name does not",
    ),
    phrase(
        Start,
        r"(The|Its) most\b",
        r"The most (likely|similar)",
        "Maximum …",
    ),
    phrase(Start, r"The (least|fewest)\b", r"", "Minimum …"),
    phrase(
        Start,
        r"How (many|much)\b",
        r"",
        "Number of …, the amount of …",
    ),
    phrase(
        Start,
        r"How (long|often|far|sure|likely|well)\b",
        r"How (long|often|well|many) [^.]* (is|are|does|do) not known",
        "a noun: the duration, the interval, the distance, the score",
    ),
    phrase(Start, r"(Whose|Whom)\b", r"", "the noun: the tenant of …"),
    phrase(
        Start,
        r"(As|Beyond|Below|Of|So) (so )?(many|few|fewer)\b",
        r"",
        "Maximum or minimum …",
    ),
    phrase(
        Start,
        r"What (is|are|was|were|it|they|a|an|the|there|has|had|comes?|came|stands?)\b",
        r"",
        "a noun phrase",
    ),
    phrase(
        Start,
        r"Where\b",
        r"",
        "the noun: the folder, the address, the range",
    ),
    phrase(Start, r"(Those|That|The one)\b", r"", "the noun"),
    phrase(Start, r"Makes\b", r"", "Creates, builds, computes"),
    phrase(Start, r"Tells\b", r"", "Returns, reports, says"),
];

struct Rule {
    phrase: &'static Phrase,
    pattern: Regex,
    except: Option<Regex>,
}

fn rules() -> Vec<Rule> {
    PHRASES
        .iter()
        .map(|phrase| {
            let pattern = match phrase.scope {
                Scope::Start => format!("^(?:{})", phrase.pattern),
                _ => phrase.pattern.to_owned(),
            };
            Rule {
                phrase,
                pattern: Regex::new(&pattern).unwrap(),
                except: (!phrase.except.is_empty()).then(|| Regex::new(phrase.except).unwrap()),
            }
        })
        .collect()
}

/// The text of a line of comment, if the line is one.
fn comment<'l>(extension: &str, line: &'l str) -> Option<&'l str> {
    let line = line.trim_start();
    let marks: &[&str] = match extension {
        "rs" | "js" | "ts" | "tsx" | "css" => &["///", "//!", "//", "/**", "/*", "* "],
        "toml" | "yaml" | "yml" | "sh" | "py" => &["# ", "#"],
        "sql" => &["--"],
        "html" => &["<!--"],
        _ => return Some(line),
    };
    let text = marks.iter().find_map(|mark| line.strip_prefix(mark))?;
    Some(text.trim_start())
}

/// Whether the comment on this line starts here, and documents an item.
fn starts(extension: &str, line: &str, before: &str) -> bool {
    let (line, before) = (line.trim_start(), before.trim_start());
    match extension {
        "rs" => ["///", "//!"]
            .iter()
            .any(|mark| line.starts_with(mark) && !before.starts_with(mark)),
        "js" => line.starts_with("/**") || before == "/**",
        _ => false,
    }
}

/// Long lines that cannot be wrapped: tables, links, types of parameters, commented settings.
fn may_be_long(extension: &str, text: &str) -> bool {
    let setting = || {
        let name = text.split_once(" = ").map_or("", |(name, _)| name);
        !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_')
    };
    text.starts_with(['|', '@', '[', '<'])
        || text.contains("](http")
        || !text.contains(' ')
        || (extension == "toml" && setting())
}

/// The faults of a file, as line numbers with what to write instead.
fn faults(rules: &[Rule], path: &str, text: &str) -> Vec<(usize, String)> {
    let extension = path.rsplit('.').next().unwrap_or_default();
    let is_data = is_in(DATA, path);
    let mut faults = Vec::new();
    let mut before = "";
    let mut is_code = false;
    for (number, line) in (1..).zip(text.lines()) {
        let text = comment(extension, line);
        is_code ^= extension == "md" && line.trim_start().starts_with("```");
        for rule in rules.iter().filter(|_| !is_data && !is_code) {
            let text = match (rule.phrase.scope, text) {
                (Scope::All, _) => line,
                (Scope::Comment, Some(text)) => text,
                (Scope::Start, Some(text)) if starts(extension, line, before) => text,
                _ => continue,
            };
            let rest = match &rule.except {
                Some(except) => except.replace_all(text, "…"),
                None => text.into(),
            };
            if let Some(found) = rule.pattern.find(&rest) {
                let found = found.as_str();
                faults.push((
                    number,
                    format!("\"{found}\": write {}", rule.phrase.instead),
                ));
            }
        }
        let length = line.chars().count();
        if let Some(text) = text
            && matches!(extension, "rs" | "js" | "toml")
            && length > COLUMNS
            && !may_be_long(extension, text)
        {
            faults.push((number, format!("{length} columns: wrap at {COLUMNS}")));
        }
        before = line;
    }
    faults
}

/// Whether a path is one of these files, or is in one of these folders.
fn is_in(names: &[&str], path: &str) -> bool {
    names.iter().any(|name| {
        path.strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// The package of a file, for the list of what is exempt.
fn folder(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').collect();
    let depth = match parts[..] {
        ["crates", "agents", ..] => 3,
        [_] => 1,
        _ => 2,
    };
    parts[..depth.min(parts.len())].join("/")
}

#[test]
fn replaced_phrases_stay_away_and_comments_end_at_100_columns() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let listed = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(&root)
        .output();
    let Ok(listed) = listed else {
        return; // a source archive without git
    };
    let rules = rules();
    let mut wrong = String::new();
    let mut exempt: BTreeMap<String, usize> = BTreeMap::new();
    for path in String::from_utf8(listed.stdout).unwrap().split('\0') {
        let extension = path.rsplit('.').next().unwrap_or_default();
        // A file can be deleted in the working tree.
        let Ok(text) = std::fs::read_to_string(root.join(path)) else {
            continue;
        };
        if !EXTENSIONS.contains(&extension) || path.contains(MIGRATIONS) {
            continue;
        }
        let faults = faults(&rules, path, &text);
        if is_in(CHECKED, path) {
            for (line, fault) in faults {
                let _ = writeln!(wrong, "{path}:{line}: {fault}");
            }
        } else {
            *exempt.entry(folder(path)).or_default() += faults.len();
        }
    }
    for (folder, count) in exempt {
        println!("exempt: {folder} ({count} to replace)");
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn phrases_are_found_where_they_are_looked_for() {
    let rules = rules();
    let lines = |path: &str, text: &str| -> Vec<usize> {
        faults(&rules, path, text)
            .into_iter()
            .map(|(line, _)| line)
            .collect()
    };
    let code = "/// How many rows.\nlet how = \"How many rows\"; // we can not know\n\n/// Rows.\n/// How many.\n";
    assert_eq!(lines("a.rs", code), [1, 2]);
    assert_eq!(
        lines("a.md", "There is no table.\nThat is no table.\n"),
        [2]
    );
    assert_eq!(lines("a.md", "```sh\nwhoever\n```\n"), Vec::<usize>::new());
    assert_eq!(lines("a.sql", "-- is no row\nSELECT 1 -- is no row\n"), [1]);
    assert_eq!(lines("a.yaml", "a: 1\n# That is no row.\n"), [2]);
    let long = format!("# {}", "word ".repeat(21));
    assert_eq!(lines("a.toml", &long), [1]);
    let setting = format!("# name = \"{}\"", "word ".repeat(21));
    assert_eq!(lines("a.toml", &setting), Vec::<usize>::new());
}
