//! The part of a message that goes with the name of a database: "in erp", "erp: …", "does erp have
//! …".

use super::super::names::stems;
use super::{BEFORE, CLOSING, Cut, FILLING, Message, PLACE, Place, Word};

/// Words that ask whether a database has something.
pub(super) const HAVING: [&str; 7] = ["have", "has", "hold", "contain", "know", "store", "list"];

impl Message<'_> {
    /// The name at the beginning, with what sets it apart: "erp: …", "for erp, …", "@erp …", "run
    /// this in erp: …".
    pub(super) fn leading_cut(&self, place: Place, name: &str) -> Option<Cut> {
        let (from, to, is_kind) = self.whole(place);
        let before = &self.words[..from];
        if !before.iter().all(|word| BEFORE.contains(&&*word.text)) {
            return None;
        }
        let last = before.last().map_or("", |word| &*word.text);
        let is_placed = PLACE.contains(&last) || CLOSING.contains(&last) || last == "against";
        let gap = self.gap(to);
        let mark = gap.trim_start_matches([' ', '\t', ')', '"', '\'', '”', '’']);
        let is_sure = is_kind || is_placed || self.is_marked(place) || !self.is_thing(name);
        let apart = match mark.chars().next() {
            Some(':') => true,
            Some(',' | '\n') => is_sure,
            Some('-' | '–' | '—') => is_sure && gap.starts_with(' '),
            _ => self.is_marked(place) && to < self.words.len(),
        };
        let start = self
            .words
            .get(to)
            .map_or(self.text.len(), |word| word.start);
        // What is before the first word is part of what is said: a parenthesis, a fence.
        let said = gap.trim_start_matches([
            ' ', '\t', '\n', ':', ',', '-', '–', '—', ')', '"', '\'', '”', '’',
        ]);
        (apart && to < self.words.len()).then(|| Cut {
            start: 0,
            end: start - said.len(),
            instead: "",
        })
    }

    /// What of the message goes with a name that is a database's.
    pub(super) fn cut(&self, place: Place, name: &str) -> Option<Cut> {
        let (from, to, is_kind) = self.whole(place);
        let start_of = |at: usize| self.words.get(at).map_or(self.text.len(), |it| it.start);
        let end_of = |at: usize| at.checked_sub(1).map_or(0, |at| self.words[at].end);
        let is_marked = self.is_marked(place);
        // "No, in orders" says nothing else: there is nothing of a table called so to ask.
        let is_placed = PLACE.contains(&self.word(from.checked_sub(1)));
        let is_alone = self.fills(0, from) && self.fills(to, self.words.len());
        if is_alone && is_placed {
            return Some(self.all());
        }
        if !is_marked && !is_kind && self.is_thing(name) {
            return None;
        }
        if let Some(cut) = self.before_dot(place) {
            return Some(cut);
        }
        if let Some(cut) = self.having(from, to) {
            return Some(cut);
        }
        if is_alone {
            return Some(self.all());
        }
        let before = self.word(from.checked_sub(1));
        let closes = self.closes(to);
        if PLACE.contains(&before) || CLOSING.contains(&before) && (closes || is_kind) {
            let at = from - 1;
            return Some(Cut {
                start: end_of(at),
                end: end_of(to),
                instead: if at == 0 { "" } else { " " },
            });
        }
        if is_marked {
            let start = start_of(from);
            return Some(Cut {
                start: self.text[..start].rfind('@').unwrap_or(start),
                end: end_of(to),
                instead: "",
            });
        }
        let (gap, next) = (self.gap(from), self.gap(to));
        let in_parentheses = gap.trim_end().ends_with('(') && next.trim_start().starts_with(')');
        if in_parentheses {
            let start = end_of(from) + gap.rfind('(').unwrap_or_default();
            let end = end_of(to) + next.find(')').map_or(0, |at| at + 1);
            return Some(Cut {
                start,
                end,
                instead: "",
            });
        }
        if closes && gap.trim_start().starts_with(',') {
            return Some(Cut {
                start: end_of(from),
                end: end_of(to),
                instead: "",
            });
        }
        self.beside_table(from, to)
    }

    /// Whether these words say nothing of their own.
    fn fills(&self, from: usize, to: usize) -> bool {
        let words: &[Word] = self.words.get(from..to).unwrap_or_default();
        words.iter().all(|word| {
            let word = &&*word.text;
            BEFORE.contains(word) || FILLING.contains(word) || *word == "the"
        })
    }

    /// The whole message.
    fn all(&self) -> Cut {
        Cut {
            start: 0,
            end: self.text.len(),
            instead: "",
        }
    }

    /// "erp.customer": the name precedes a table of it.
    fn before_dot(&self, place: Place) -> Option<Cut> {
        let next = self.words.get(place.to)?;
        (self.gap(place.to) == ".").then(|| Cut {
            start: self.words[place.from].start,
            end: next.start,
            instead: "",
        })
    }

    /// Whether the message, or a part of it, ends here.
    fn closes(&self, to: usize) -> bool {
        let gap = self.gap(to).trim_start();
        to >= self.words.len() || gap.starts_with([',', '.', '?', '!', ';', ':', ')', '\n'])
    }

    /// "does erp have …", "how many … does erp have", "has erp any …"
    fn having(&self, from: usize, to: usize) -> Option<Cut> {
        let asks = from.checked_sub(1)?;
        let verb = self.word(Some(asks));
        let next = self.word(Some(to));
        let until = match verb {
            "does" | "do" | "did" if HAVING.contains(&next) => to + 1,
            "has" | "have" => to + usize::from(next == "got"),
            _ => return None,
        };
        let until = until + usize::from(matches!(self.word(Some(until)), "any" | "some"));
        // "which crews have erp": not what is asked here.
        if matches!(verb, "has" | "have") && until >= self.words.len() {
            return None;
        }
        let start = self.words[asks].start;
        let end = self.words.get(until - 1)?.end;
        Some(Cut {
            start,
            end,
            instead: "are there",
        })
    }

    /// "erp customers", "the customers of erp's billing": a name right before a table's.
    fn beside_table(&self, from: usize, to: usize) -> Option<Cut> {
        let owns = self.gap(to).starts_with(['\'', '’']) && self.word(Some(to)) == "s";
        let next = to + usize::from(owns);
        let rest: Vec<&str> = self.words[next.min(self.words.len())..]
            .iter()
            .map(|word| &*word.text)
            .take(4)
            .collect();
        let begins = |table: &&str| {
            let (said, name) = (stems(&rest.join(" ")), stems(table));
            !name.is_empty() && (said.starts_with(&name) || said.first() == Some(&name.concat()))
        };
        let gap = self.gap(next);
        if !gap.trim().is_empty() || !self.tables.iter().any(begins) {
            return None;
        }
        Some(Cut {
            start: self.words[from].start,
            end: self.words[next].start,
            instead: "",
        })
    }
}

/// A message from which a name was cut, as a sentence again.
pub(super) fn settled(rest: &str) -> String {
    let mut text = rest.trim().trim_start_matches([',', ';', ' ']).to_owned();
    if !text.contains("```") {
        text = text
            .replace(" ?", "?")
            .replace(" .", ".")
            .replace(" ,", ",");
        while text.contains("  ") {
            text = text.replace("  ", " ");
        }
    }
    // "How many crews are" is what is left of "… are in the warehouse database".
    match text.trim_end_matches(['?', '.', '!', ' ']) {
        begin
            if (begin.ends_with(" are") || begin.ends_with(" is"))
                && !begin.ends_with("there are")
                && !begin.ends_with("there is") =>
        {
            format!("{begin} there{}", &text[begin.len()..])
        }
        _ if text.chars().any(char::is_alphanumeric) => text,
        _ => String::new(),
    }
}
