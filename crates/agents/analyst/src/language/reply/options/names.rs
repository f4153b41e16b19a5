//! Options by their names: whole, by some of their words, or nearly spelt.

use std::collections::BTreeSet;

use contracts::tools::clarification::ClarificationOption;

use super::fillers::{FILLERS, is_filler};
use super::{Choice, Reader, Role, words};
use crate::language::text::Token;

impl<'m> Reader<'m> {
    /// Labels, aliases and ids, the longest first.
    pub(super) fn whole_names(&mut self) {
        let forms: Vec<(Vec<String>, Choice)> = self
            .choices()
            .into_iter()
            .flat_map(|(choice, option)| forms(option).map(move |form| (words(form), choice)))
            .filter(|(form, _)| !form.is_empty())
            .collect();
        let mut at = 0;
        while at < self.tokens.len() {
            let mut longest = 0;
            let mut choices: Vec<Choice> = Vec::new();
            for (form, choice) in &forms {
                let Some(to) = self.reads(at, form) else {
                    continue;
                };
                if to - at > longest {
                    longest = to - at;
                    choices.clear();
                }
                if to - at == longest && !choices.contains(choice) {
                    choices.push(*choice);
                }
            }
            // Words for several options of one part name none of them.
            let unique = choices
                .iter()
                .all(|(part, option)| choices.iter().all(|(p, o)| p != part || o == option));
            if longest > 0 && unique {
                self.take(at, at + longest, choices);
                at += longest;
            } else {
                at += 1;
            }
        }
    }

    /// Words that are some of one option's words, or nearly its name.
    pub(super) fn parts_of_names(&mut self) {
        for (from, to) in self.segments() {
            let said: Vec<&Token> = self.tokens[from..to]
                .iter()
                .filter(|token| (token.is_word() || token.number().is_some()) && !is_filler(token))
                .collect();
            if said.is_empty() || said.len() > 8 {
                continue;
            }
            let taken: BTreeSet<usize> = self
                .found
                .iter()
                .flat_map(|found| found.choices.iter().map(|(part, _)| *part))
                .collect();
            let candidates: Vec<_> = self
                .choices()
                .into_iter()
                .filter(|((part, _), _)| !taken.contains(part))
                .collect();
            let choice = self
                .some_words(&said, &candidates)
                .or_else(|| nearly_named(&said, &candidates));
            if let Some(choice) = choice {
                self.slips = true;
                self.take(from, to, vec![choice]);
            }
        }
    }

    /// The only option that has all of these words, if they are not only those that were unclear.
    fn some_words(
        &self,
        said: &[&Token],
        candidates: &[(Choice, &ClarificationOption)],
    ) -> Option<Choice> {
        let mut fitting = candidates.iter().filter(|((part, _), option)| {
            let known: Vec<String> = forms(option)
                .chain(option.description.as_deref())
                .flat_map(words)
                .collect();
            let has = |token: &&&Token| known.iter().any(|word| is_of_place(&token.text, word));
            said.iter().filter(has).count() == said.len()
                && said
                    .iter()
                    .any(|token| !self.mentions[*part].contains(&token.text))
        });
        let (choice, _) = fitting.next()?;
        fitting.next().is_none().then_some(*choice)
    }

    /// Runs of unread words up to an addition, cut at marks and joining words.
    fn segments(&self) -> Vec<(usize, usize)> {
        const CUTS: &[&str] = &["and", "for", "or"];
        const ENDS: &[&str] = &[
            "but",
            "also",
            "plus",
            "including",
            "include",
            "with",
            "only",
            "add",
        ];
        let mut out = Vec::new();
        let mut from = 0;
        for at in 0..=self.tokens.len() {
            let token = self.tokens.get(at);
            let cut = token.is_none_or(|token| {
                self.roles[at] != Role::Unread
                    || token.is(CUTS)
                    || token.is(ENDS)
                    || self.is_mark(at) && !token.is(&["-", "'", "."])
            });
            if !cut {
                continue;
            }
            if from < at {
                out.push((from, at));
            }
            from = at + 1;
            if token.is_some_and(|token| self.roles[at] == Role::Unread && token.is(ENDS)) {
                break;
            }
        }
        out
    }
}

/// Whether a word is another, or of it as "Colombian" is of "Colombia".
fn is_of_place(said: &str, word: &str) -> bool {
    const OTHERWISE: [(&str, &str); 8] = [
        ("spanish", "spain"),
        ("dutch", "netherlands"),
        ("french", "france"),
        ("british", "kingdom"),
        ("danish", "denmark"),
        ("polish", "poland"),
        ("greek", "greece"),
        ("turkish", "turkey"),
    ];
    let common = said
        .bytes()
        .zip(word.bytes())
        .take_while(|(one, other)| one == other)
        .count();
    let ending = said.get(common..).unwrap_or_default();
    let of = ["n", "an", "ian", "ean", "ese", "ish", "i"].contains(&ending);
    said == word
        || common >= 4 && word.len() <= common + 1 && of
        || OTHERWISE.contains(&(said, word))
}

fn forms(option: &ClarificationOption) -> impl Iterator<Item = &str> {
    [option.label.as_str(), option.id.as_str()]
        .into_iter()
        .chain(option.aliases.iter().map(String::as_str))
}

/// The only option whose name is these words but for a typing error.
fn nearly_named(said: &[&Token], candidates: &[(Choice, &ClarificationOption)]) -> Option<Choice> {
    let said: Vec<_> = said.iter().map(|token| token.text.as_str()).collect();
    let said = said.join(" ");
    if said.len() < 5 || said.len() > 120 {
        return None;
    }
    let mut best: Option<(usize, Choice)> = None;
    let mut second = usize::MAX;
    for (choice, option) in candidates {
        let distance = forms(option)
            .map(|form| {
                let form: Vec<_> = words(form)
                    .into_iter()
                    .filter(|word| !FILLERS.contains(&word.as_str()))
                    .collect();
                strsim::osa_distance(&said, &form.join(" "))
            })
            .min()?;
        match best {
            Some((least, _)) if distance >= least => second = second.min(distance),
            _ => {
                second = best.map_or(usize::MAX, |(least, _)| least);
                best = Some((distance, *choice));
            }
        }
    }
    let (distance, choice) = best?;
    let allowed = if said.len() >= 9 { 2 } else { 1 };
    (distance <= allowed && distance < second).then_some(choice)
}
