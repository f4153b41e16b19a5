//! Lateness of an event of which none is known: "late departures", "departures that were late".

use std::ops::Range;

use super::super::scan::{Scan, Use};

/// Words for how late something was.
const LATE: &[&str] = &["late", "delayed", "early", "punctual"];
/// The quantity of lateness.
const DELAY: &[&str] = &["delay", "delays", "lateness"];
/// Words between the noun of an event and how late it was.
const LINKS: &[&str] = &[
    "that", "which", "were", "was", "are", "is", "have", "been", "from", "to", "in",
];

impl Scan<'_> {
    /// "Late departures", "departures on time", "departure delays": how late something was is known
    /// of one event only.
    pub(super) fn late_noun(&self) -> Option<String> {
        let usual = self.usual_date()?;
        let (range, event) = (0..self.tokens.len()).find_map(|at| {
            let word = self
                .word(at)
                .filter(|word| self.vocabulary.has_event(word))?;
            let is_noun = ["al", "als", "ure", "ures"]
                .iter()
                .any(|ending| word.ends_with(ending));
            let is_field = self.is(at + 1, &["date", "dates", "time", "times", "port", "ports"]);
            let event = self.event(Some(word)).filter(|_| is_noun && !is_field)?;
            (event.actual != usual).then(|| Some((self.lateness_of(at)?, event)))?
        })?;
        let known = self.event(None)?.actual.replace('_', " ");
        let said = self.words(range).to_lowercase();
        let of = event.actual.replace('_', " ");
        Some(format!(
            "I cannot tell how late the {of} was (\u{201c}{said}\u{201d}): being late is known of the {known} only. Ask for that, or for the records with their dates."
        ))
    }

    /// The words of a noun of an event with those for how late it was, before it or behind.
    fn lateness_of(&self, at: usize) -> Option<Range<usize>> {
        let said = |place: usize, words: &[&str]| {
            self.is(place, words) && self.uses.get(place) != Some(&Use::Time)
        };
        let of = self.past_back(at, &["of", "in", "the", "for"]);
        if of > 0 && of < at && said(of - 1, DELAY) {
            return Some(of - 1..at + 1);
        }
        if at > 0 && said(at - 1, LATE) {
            return Some(at - 1..at + 1);
        }
        if at > 1 && self.is(at - 1, &["time", "schedule"]) {
            let dash = usize::from(self.is(at - 2, &["-"]));
            let on = (at - 2).saturating_sub(dash);
            if self.is(on, &["on"]) {
                return Some(on..at + 1);
            }
        }
        let mut behind = at + 1;
        while self.is(behind, LINKS)
            || matches!(self.uses.get(behind), Some(Use::Time | Use::Name))
            || self.tokens.get(behind).is_some_and(|next| next.capital)
        {
            behind += 1;
        }
        if self.is(behind, &["on"]) && self.is(behind + 1, &["time", "schedule"]) {
            return Some(at..behind + 2);
        }
        let late = said(behind, LATE) || behind == at + 1 && said(behind, DELAY);
        late.then_some(at..behind + 1)
    }
}
