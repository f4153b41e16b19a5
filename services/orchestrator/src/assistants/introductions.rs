//! How assistants introduce themselves: what each answers, and messages to begin with that its
//! tenant's data answer.

use chrono::NaiveDate;
use contracts::assistants::{AssistantDescription, Connect, ConnectKind, Starter};
use contracts::data_overview::{DataOverview, SourceGlance};
use contracts::tools::search::{FieldDescription, FieldType, IndexDescription};

/// Starters of an assistant.
const MOST: usize = 4;

/// Values of a field that is good for groups.
const GROUPS: std::ops::RangeInclusive<usize> = 2..=12;

/// The introduction to data that cannot be read.
const UNKNOWN: &str = "The data service cannot be reached at the moment, so it is not known what can be asked. \
                       Try again shortly.";

/// The words about missing data.
struct Missing {
    text: &'static str,
    label: &'static str,
    command: &'static str,
}

/// Whether there are data of a kind. Connected services count as documents, because the same
/// assistant answers from both.
fn has(data: &DataOverview, kind: ConnectKind) -> bool {
    match kind {
        ConnectKind::Imports => !data.loggers.is_empty(),
        ConnectKind::Documents => !data.documents.is_empty() || !data.upstreams.is_empty(),
        ConnectKind::Targets => !data.targets.is_empty(),
        ConnectKind::Sources => !data.sources.is_empty(),
    }
}

fn missing(kind: ConnectKind) -> Missing {
    match kind {
        ConnectKind::Imports => Missing {
            text: "There are no readings yet. Import the files of your data loggers under “Your data”, or with `heliograph import`.",
            label: "Connect your plant",
            command: "heliograph import FOLDER",
        },
        ConnectKind::Targets => Missing {
            text: "No business database is connected. An administrator describes one under [[targets]] in tools.toml.",
            label: "Connect your database",
            command: "",
        },
        ConnectKind::Documents => Missing {
            text: "There are no documents yet. Upload them under “Your data”, or synchronise a folder with `heliograph knowledge sync`. An administrator connects services with `heliograph upstreams add`.",
            label: "Connect your documents",
            command: "heliograph knowledge sync FOLDER --collection NAME",
        },
        ConnectKind::Sources => Missing {
            text: "No search source is connected. An administrator adds one with `heliograph sources add` while everything runs, or under [[sources]] in tools.toml.",
            label: "Connect your records",
            command: "",
        },
    }
}

/// An assistant's introduction of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Introduction {
    /// A short name for people.
    pub title: String,
    /// A sentence about the questions that it answers.
    pub description: String,
    /// A sentence about missing data; absent when there are data to answer from.
    pub missing: Option<String>,
    /// The way to the missing data.
    pub connect: Option<Connect>,
    /// Messages to begin with.
    pub starters: Vec<Starter>,
}

impl Introduction {
    /// Of an assistant that needs no data.
    pub fn plain(name: &str) -> Self {
        Self::new(name, format!("Ask {name}."))
    }

    /// Of an assistant with this name for people, which answers the questions that the sentence
    /// describes.
    pub fn new(title: &str, description: impl Into<String>) -> Self {
        Self {
            title: title.to_owned(),
            description: description.into(),
            missing: None,
            connect: None,
            starters: Vec::new(),
        }
    }

    /// With what the data of a kind offer: messages to begin with, unless there are none of that
    /// kind, or it is not known.
    pub(crate) fn over(
        mut self,
        data: Option<&DataOverview>,
        kind: ConnectKind,
        starters: impl Fn(&DataOverview) -> Vec<Starter>,
    ) -> Self {
        match data {
            None => self.missing = Some(UNKNOWN.to_owned()),
            Some(data) if !has(data, kind) => {
                let missing = missing(kind);
                self.missing = Some(missing.text.to_owned());
                self.connect = Some(Connect {
                    label: missing.label.to_owned(),
                    kind,
                    command: missing.command.to_owned(),
                });
            }
            Some(data) => {
                self.starters = starters(data);
                self.starters.truncate(MOST);
            }
        }
        self
    }

    /// As a caller with some scopes sees it: a way that the caller may not take is not offered.
    pub(crate) fn seen_by(mut self, may: impl Fn(&str) -> bool) -> Self {
        if let Some(connect) = &self.connect {
            let (scope, text) = to_readers(connect.kind);
            if !may(scope) {
                self.missing = Some(text.to_owned());
                self.connect = None;
            }
        }
        self
    }

    /// For the wire.
    pub(crate) fn of(self, id: &str) -> AssistantDescription {
        AssistantDescription {
            id: id.to_owned(),
            title: self.title,
            description: self.description,
            available: self.missing.is_none(),
            missing: self.missing,
            connect: self.connect,
            starters: self.starters,
        }
    }
}

/// The scope that connecting a kind of data takes, and the words for a caller without it.
fn to_readers(kind: ConnectKind) -> (&'static str, &'static str) {
    match kind {
        ConnectKind::Imports => (
            "sites:write",
            "There are no readings yet. Editors of your tenant import them.",
        ),
        ConnectKind::Documents => (
            "documents:write",
            "There are no documents yet. Editors of your tenant add them.",
        ),
        ConnectKind::Targets => (
            "targets:write",
            "No business database is connected. Administrators of your tenant connect one.",
        ),
        ConnectKind::Sources => (
            "targets:write",
            "No search source is connected. Administrators of your tenant connect one.",
        ),
    }
}

/// A message to begin with, and its label.
pub(crate) fn starter(label: impl Into<String>, message: impl Into<String>) -> Starter {
    Starter {
        label: label.into(),
        message: message.into(),
    }
}

/// A question that speaks for itself.
fn question(text: impl Into<String>) -> Starter {
    let text = text.into();
    starter(text.clone(), text)
}

pub(crate) fn site(data: Option<&DataOverview>) -> Introduction {
    Introduction::new(
        "Solar site",
        "Ask about power, energy, money or health of your solar sites.",
    )
    .over(data, ConnectKind::Imports, |data| {
        let mut starters = vec![starter("Morning briefing", "Morning briefing")];
        if let Some((newest, others)) = data.loggers.split_first() {
            let id = &newest.logger_id;
            let health = starter(
                format!("Health of {id}"),
                format!("Check the health of {id}"),
            );
            starters.push(health);
            let spoken = |day: NaiveDate| day.format("%-d %B %Y");
            let comparable = others
                .iter()
                .find_map(|other| Some((&other.logger_id, other.day_with_first?)));
            starters.push(match comparable {
                Some((other, day)) => starter(
                    format!("{id} and {other}"),
                    format!("Compare {id} and {other} on energy on {}", spoken(day)),
                ),
                None => starter(
                    format!("Power of {id}"),
                    format!("Power curve of {id} on {}", spoken(newest.latest_day)),
                ),
            });
        }
        starters.push(starter("Financial report", "Financial report"));
        starters
    })
}

pub(crate) fn data(data: Option<&DataOverview>) -> Introduction {
    Introduction::new(
        "Database",
        "Ask your business database in your own words; how things are done is answered from the documents.",
    )
    .over(
        data,
        ConnectKind::Targets,
        |data| {
            let questions = data.targets.iter().flat_map(|target| &target.questions);
            questions.map(question).collect()
        },
    )
}

pub(crate) fn advisor(data: Option<&DataOverview>) -> Introduction {
    Introduction::new(
        "Documents",
        "Ask what your documents say, and what a connected service knows of you.",
    )
    .over(data, ConnectKind::Documents, |data| {
        let mut starters = Vec::new();
        // Parts of documents make better questions than whole ones.
        let (parts, whole): (Vec<_>, Vec<_>) =
            data.documents.iter().partition(|one| one.topic.is_some());
        for document in parts.into_iter().chain(whole) {
            let title = without_extension(&document.title);
            let topic = document.topic.as_deref().unwrap_or(title).trim();
            let asked = starter(
                topic,
                format!("What do the documents say about \u{201c}{topic}\u{201d}?"),
            );
            if !starters.contains(&asked) {
                starters.push(asked);
            }
        }
        starters
    })
}

pub(crate) fn analyst(data: Option<&DataOverview>) -> Introduction {
    let held: Vec<String> = data
        .into_iter()
        .flat_map(|data| data.sources.iter().flat_map(|source| &source.indices))
        .map(plural)
        .collect();
    let about = if held.is_empty() {
        "your records".to_owned()
    } else {
        list(&held)
    };
    Introduction::new(
        "Analyst",
        format!(
            "Ask about {about}. You see the plan first, and are asked when something is unclear."
        ),
    )
    .over(data, ConnectKind::Sources, |data| of_sources(&data.sources))
}

/// Counts, averages and lists over the indices, each kind of question once before any comes twice.
fn of_sources(sources: &[SourceGlance]) -> Vec<Starter> {
    let indices: Vec<&IndexDescription> = sources.iter().flat_map(|one| &one.indices).collect();
    let counts = indices.iter().filter_map(|index| {
        let by = grouping(index)?;
        Some(question(format!(
            "How many {} are there by {}?",
            plural(index),
            spoken(by)
        )))
    });
    let averages = indices.iter().filter_map(|index| {
        let figure = index
            .fields
            .iter()
            .find(|field| field.field_type.is_number() && field.unit.is_some())?;
        let by = index
            .fields
            .iter()
            .filter(|field| is_group(field))
            .max_by_key(|field| field.values.len())?;
        let text = format!("Average {} by {}", spoken(figure), spoken(by));
        Some(question(text))
    });
    let lists = indices.iter().filter_map(|index| {
        let by = grouping(index)?;
        let value = by.values.last()?;
        Some(question(format!(
            "Show {} with {} {}",
            plural(index),
            spoken(by),
            value.replace('_', " ")
        )))
    });
    let (mut counts, mut averages, mut lists) = (counts.fuse(), averages.fuse(), lists.fuse());
    let mut starters = Vec::new();
    for _ in 0..MOST {
        starters.extend(counts.next());
        starters.extend(averages.next());
        starters.extend(lists.next());
    }
    starters
}

/// The first field that is good for groups.
fn grouping(index: &IndexDescription) -> Option<&FieldDescription> {
    index.fields.iter().find(|field| is_group(field))
}

fn is_group(field: &FieldDescription) -> bool {
    field.field_type == FieldType::Keyword && GROUPS.contains(&field.values.len())
}

fn plural(index: &IndexDescription) -> String {
    let noun = index.nouns.get(1).or(index.nouns.first());
    noun.cloned()
        .unwrap_or_else(|| index.name.replace('_', " "))
}

fn spoken(field: &FieldDescription) -> String {
    field.name.replace(['_', '.'], " ")
}

/// A title that is a file's name, as words.
fn without_extension(title: &str) -> &str {
    let named = [
        ".pdf", ".md", ".html", ".htm", ".txt", ".docx", ".pptx", ".xlsx", ".eml",
    ];
    let stripped = named.iter().find_map(|end| title.strip_suffix(end));
    stripped.unwrap_or(title)
}

/// `a, b and c`.
fn list(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

#[cfg(test)]
#[path = "introductions/tests.rs"]
mod tests;
