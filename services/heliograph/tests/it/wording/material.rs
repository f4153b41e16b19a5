//! The material that a hostile model finds in a request: values with their ids, by subject.

use serde_json::Value;

/// A value that a model may name.
#[derive(Debug, Clone)]
struct Leaf {
    subject: String,
    key: String,
    id: String,
}

/// The facts of a request.
#[derive(Debug, Default)]
pub(super) struct Material {
    leaves: Vec<Leaf>,
    /// Derived facts: id and line.
    lines: Vec<(String, String)>,
}

impl Material {
    pub(super) fn of(value: &Value) -> Self {
        let mut found = Self::default();
        found.read(value, "", "");
        let only = found.leaves.iter().map(|leaf| leaf.subject.clone());
        let only = only.filter(|subject| !subject.is_empty()).min();
        // Values beside a device's result are the device's.
        if let Some(only) = only {
            for leaf in &mut found.leaves {
                if leaf.subject.is_empty() {
                    leaf.subject.clone_from(&only);
                }
            }
        }
        found
    }

    fn read(&mut self, value: &Value, key: &str, subject: &str) {
        match value {
            Value::Object(members) => {
                let plain = |name: &str| {
                    let text = members.get(name)?.as_str()?;
                    (!text.contains("[[")).then(|| text.to_owned())
                };
                // The first column of a row that is not a figure names it.
                let names_row = || {
                    let mut texts = members.values().filter_map(Value::as_str);
                    texts.find(|text| !text.contains("[[")).map(str::to_owned)
                };
                let row = (key == "rows").then(names_row).flatten();
                let own = plain("loggerId").or(row);
                let own = own.as_deref().unwrap_or(subject);
                for (name, value) in members {
                    self.read(value, name, own);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.read(item, key, subject)),
            Value::String(text) => self.string(text, key, subject),
            _ => {}
        }
    }

    fn string(&mut self, text: &str, key: &str, subject: &str) {
        if key == "derived" {
            if let Some((id, line)) = text.split_once("]] ") {
                self.lines.push((format!("{id}]]"), line.to_owned()));
            }
            return;
        }
        let figure = text.starts_with(|c: char| c.is_ascii_digit());
        if let (Some((_, id)), true) = (text.rsplit_once("[["), figure) {
            self.leaves.push(Leaf {
                subject: subject.to_owned(),
                key: key.to_owned(),
                id: format!("[[{id}"),
            });
        }
    }

    /// The line with the facts of this request; `None` where it has not all of them.
    pub(super) fn fill(&self, line: &str) -> Option<String> {
        let mut text = line.to_owned();
        for (hole, found) in [
            ("{n}", self.value().map(|leaf| leaf.subject.clone())),
            ("{v}", self.value().map(|leaf| leaf.id.clone())),
            ("{m}", self.value().map(|leaf| measure(&leaf.key))),
            ("{o}", self.other()),
            ("{w}", self.others_value()),
            ("{hi}", self.derived("has the highest").map(|(id, _)| id)),
            ("{lo}", self.derived("has the lowest").map(|(id, _)| id)),
            ("{part}", self.derived(" of ").map(|(id, _)| id)),
            ("{more}", self.derived(" more ").map(|(id, _)| id)),
            ("{a}", self.compared().map(|(a, _)| a)),
            ("{b}", self.compared().map(|(_, b)| b)),
        ] {
            if text.contains(hole) {
                text = text.replace(hole, &found?);
            }
        }
        Some(text)
    }

    /// A value of a subject, if there is one that is an amount of energy.
    fn value(&self) -> Option<&Leaf> {
        let named = || self.leaves.iter().filter(|leaf| !leaf.subject.is_empty());
        let energy = named()
            .find(|leaf| ["energyTodayKwh", "totalEnergyKwh", "totalEnergy"].contains(&&*leaf.key));
        energy
            .or_else(|| named().find(|leaf| leaf.key.contains("lost")))
            .or_else(|| named().next())
    }

    fn other(&self) -> Option<String> {
        let value = self.value()?;
        let other = self.leaves.iter().map(|leaf| &leaf.subject);
        let mut other = other.filter(|subject| **subject != value.subject && !subject.is_empty());
        let unknown = || {
            if value.subject == "SD-INV-001" {
                "GW-INV-001"
            } else {
                "SD-INV-001"
            }
            .to_owned()
        };
        Some(other.next().cloned().unwrap_or_else(unknown))
    }

    fn others_value(&self) -> Option<String> {
        let (value, other) = (self.value()?, self.other()?);
        let mut same = self
            .leaves
            .iter()
            .filter(|leaf| leaf.subject == other && leaf.key == value.key);
        same.next().map(|leaf| leaf.id.clone())
    }

    fn derived(&self, says: &str) -> Option<(String, String)> {
        self.lines
            .iter()
            .find(|(_, line)| line.contains(says))
            .cloned()
    }

    /// Who has more than whom.
    fn compared(&self) -> Option<(String, String)> {
        let (_, line) = self.derived(" more ")?;
        let (a, rest) = line.split_once(" has ")?;
        let (_, b) = rest.rsplit_once(" than ")?;
        Some((a.to_owned(), b.to_owned()))
    }
}

/// How a value of a key is said.
fn measure(key: &str) -> String {
    if key.contains("lost") {
        return "lost".to_owned();
    }
    if key.contains("nergy") {
        return "made".to_owned();
    }
    let mut words = String::from("has");
    for c in key.chars() {
        if c.is_uppercase() || c == '_' {
            words.push(' ');
        }
        words.extend(c.to_lowercase().filter(|c| *c != '_'));
    }
    if !key.starts_with(char::is_uppercase) {
        words.insert(3, ' ');
    }
    words
}
