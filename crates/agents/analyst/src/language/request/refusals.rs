//! Questions whose form no query has. They are refused as what they are, because a query without
//! the words that no query has answers another question.

mod comparisons;
mod lateness;

use std::ops::Range;

use contracts::tools::search::Interval;

use super::conditions::unit_of;
use super::scan::Scan;
use super::vocabulary::{self, Vocabulary};
use super::{SortKey, superlatives};
use crate::language::text::{number_word, tokens};

const NEVER: &[&str] = &["never", "no", "without", "zero"];
const ASKS: &[&str] = &["which", "what", "who"];
const LINKS: &[&str] = &[
    "was", "were", "is", "are", "has", "have", "had", "with", "that", "which", "arrived", "ran",
];

impl Scan<'_> {
    pub(super) fn refusals(&mut self) {
        let counted = self.request.refusal.take();
        let refusal = self
            .never()
            .or_else(|| self.without_records())
            .or_else(|| self.what_a_unit_is())
            .or_else(|| self.late_event())
            .or_else(|| self.late_noun())
            .or_else(|| self.late_by_dates())
            .or_else(|| self.age())
            .or_else(|| self.amount_of_records())
            .or_else(|| self.figure_of_groups())
            .or_else(|| self.time_that_it_took())
            .or_else(|| self.where_they_are())
            .or_else(|| self.of_another_record())
            .or(counted)
            .or_else(|| self.first_of_each())
            .or_else(|| self.share_or_median())
            .or_else(|| self.who_has_most())
            .or_else(|| self.worst())
            .or_else(|| self.most_of_what());
        self.request.refusal = refusal;
    }

    /// The kind of things that a request asks for although its records are others: the vessels of
    /// "which vessel was never late", the carriers of "carriers with more than 100 late shipments".
    pub(super) fn things(&self) -> Option<Range<usize>> {
        self.things_from(0)
    }

    /// The same behind a first word.
    pub(super) fn things_from(&self, begin: usize) -> Option<Range<usize>> {
        let begin = self.past(
            begin,
            &[
                "show", "list", "give", "me", "all", "the", "which", "what", "find", "get", "are",
                "there", "any", "how", "many", "tell", "do", "we", "have",
            ],
        );
        let field = self
            .vocabulary
            .named(&self.tokens, begin)
            .filter(|(_, fields)| {
                let mut fields = fields.iter();
                fields.any(|field| !self.vocabulary.field(*field).field_type.is_number())
            });
        let end = field
            .map(|(end, _)| end)
            .into_iter()
            .chain(
                self.vocabulary
                    .noun(&self.tokens, begin)
                    .map(|(end, _)| end),
            )
            .chain(self.vocabulary.entity_type(&self.tokens, begin))
            .max()?;
        let state = self.vocabulary.affirmed(&self.tokens, begin).is_some()
            || self.vocabulary.valued(&self.tokens, begin).is_some();
        let dated = self
            .word(begin)
            .is_some_and(|word| self.vocabulary.is_event(word));
        (!state && !dated).then_some(begin..end)
    }

    /// Whether the things are those whose records are read, and not others than these.
    fn is_of_its_own(&self, things: &Range<usize>) -> bool {
        self.head.as_ref() == Some(things) && self.request.other_records.is_none()
    }

    /// Whether a field is called by one of these names.
    fn has_field(&self, names: &[&str]) -> bool {
        names.iter().any(|name| {
            let words = tokens(name);
            let found = self.vocabulary.named(&words, 0);
            found.is_some_and(|(end, _)| end == words.len())
        })
    }

    /// "Where are they now?", of records that have no field for a place of now.
    fn where_they_are(&self) -> Option<String> {
        const FIELDS: [&str; 5] = [
            "location",
            "position",
            "current port",
            "place",
            "current location",
        ];
        let begin = self.past(0, &["and", "so", "ok", "but", "then"]);
        let asked = self.is(begin, &["where"])
            && self.is(begin + 1, &["is", "are"])
            && self.is(begin + 2, &["they", "it", "these", "those"])
            && (begin + 3..self.tokens.len()).all(|at| {
                self.is(
                    at,
                    &["now", "right", "currently", "at", "the", "moment", "?"],
                )
            });
        (asked && !self.has_field(&FIELDS))
            .then(|| "I cannot tell where they are: no field of these records says so.".to_owned())
    }

    /// "Which shipment took the longest?", of records that have no field for it.
    fn time_that_it_took(&self) -> Option<String> {
        const FIELDS: [&str; 5] = [
            "duration",
            "travel time",
            "transit time",
            "transit days",
            "lead time",
        ];
        let took = (0..self.tokens.len()).any(|at| {
            let verb = self.is(
                at,
                &["took", "take", "takes", "taken", "lasted", "last", "lasts"],
            );
            let end = self.past(at + 1, &["the"]);
            let asked = (0..at).any(|how| self.is(how, &["how"]) && self.is(how + 1, &["long"]));
            verb && (asked || end > at + 1 && self.is(end, &["longest", "shortest"]))
        });
        (took && !self.has_field(&FIELDS)).then(|| {
            "I cannot tell how long they took: no field says so, and a query does not subtract one date from another.".to_owned()
        })
    }

    /// "Which vessel was never late", "ports without late shipments".
    fn never(&self) -> Option<String> {
        let things = self.things()?;
        let asks = things.start > 0 && self.is(things.start - 1, ASKS);
        let link = self.past(things.end, LINKS);
        let no = self.is(link, NEVER)
            || self.is(link, &["not"]) && self.is(link + 1, &["had", "have", "been"])
            || self.is(link, &["not"]) && self.is(link + 1, &["a", "any", "one", "once"]);
        let behind = self.past(link + 1, &["a", "any", "single", "been", "had", "have"]);
        let state = |at: usize| {
            self.vocabulary.affirmed(&self.tokens, at).is_some()
                || self.vocabulary.valued(&self.tokens, at).is_some()
        };
        let of_records = self.head.as_ref().is_some_and(|head| {
            head.start > link && head.start <= behind + 3 && !self.is_of_its_own(&things)
        });
        let is_never = self.is(link, &["never"]) && state(behind);
        let no = no && (of_records || is_never && (asks || !self.is_of_its_own(&things)));
        if !no || self.is_of_its_own(&things) {
            return None;
        }
        let noun = self.words(things).to_lowercase();
        let noun = noun.strip_suffix('s').unwrap_or(&noun).to_owned();
        let state = self
            .words(link..self.tokens.len().min(behind + 2))
            .to_lowercase();
        Some(format!(
            "I cannot look for a {noun} of which no record fits (\u{201c}{}\u{201d}): a query finds what there is. Ask for the number by {noun} instead, the fewest first.",
            state.trim_end_matches(['?', '.', ' '])
        ))
    }

    /// "Carriers with more than 100 late shipments": of groups, by the number of their records.
    fn amount_of_records(&self) -> Option<String> {
        let things = self.things()?;
        let head = self.head.clone().filter(|head| head.start > things.end)?;
        let link = self.past(
            things.end,
            &[
                "with", "that", "which", "who", "has", "have", "had", "carried", "carry",
                "carries", "shipped", "handled", "got",
            ],
        );
        if link == things.end || self.is_of_its_own(&things) {
            return None;
        }
        let compares = self.is(
            link,
            &[
                "more", "less", "fewer", "over", "under", "at", "exactly", "above", "below",
            ],
        ) || self
            .tokens
            .get(link)
            .is_some_and(|token| token.number().is_some() || number_word(&token.text).is_some());
        let number = (link..head.start).find(|at| {
            self.tokens[*at].number().is_some() || number_word(&self.tokens[*at].text).is_some()
        })?;
        if !compares || head.start > number + 5 || !self.request.group_by.is_empty() {
            return None;
        }
        let noun = self.words(things).to_lowercase();
        let one = noun.strip_suffix('s').unwrap_or(&noun);
        let said = self.words(link..head.end).to_lowercase();
        let records = self.words(number + 1..head.end).to_lowercase();
        Some(format!(
            "I cannot choose {noun} by a number of records (\u{201c}{said}\u{201d}). Ask for the number of {records} by {one}: every {one} is listed with its own."
        ))
    }

    /// "Which port had an average delay of more than 20 hours": of groups, by a figure over their
    /// records.
    fn figure_of_groups(&self) -> Option<String> {
        const HAS: &[&str] = &[
            "with", "has", "have", "had", "a", "an", "the", "that", "which",
        ];
        const FIGURES: &[&str] = &["average", "mean", "total", "maximum", "minimum", "overall"];
        const COMPARES: &[&str] = &[
            "more",
            "less",
            "over",
            "under",
            "above",
            "below",
            "at",
            "exceeding",
            "fewer",
            "between",
        ];
        let things = self.things()?;
        let figure = self.past(things.end, HAS);
        if figure == things.end || !self.is(figure, FIGURES) || self.is_of_its_own(&things) {
            return None;
        }
        let (end, _) = self.vocabulary.named(&self.tokens, figure + 1)?;
        let compares = self.past(end, &["of", "is", "was"]);
        let words = self.tokens.len().min(compares + 4);
        let number = (compares..words).find(|at| self.tokens[*at].number().is_some())?;
        if !self.is(compares, COMPARES) {
            return None;
        }
        let noun = self.words(things).to_lowercase();
        let one = noun.strip_suffix('s').unwrap_or(&noun);
        let said = self.words(figure..number + 1).to_lowercase();
        let asked = self.words(figure..end).to_lowercase();
        Some(format!(
            "I cannot choose a {one} by a figure over its records (\u{201c}{said}\u{201d}). Ask for the {asked} by {one}: every {one} is listed with its own."
        ))
    }

    /// "Shipments of the oldest vessel", "shipments on vessels built before 2005": by what another
    /// record says.
    fn of_another_record(&self) -> Option<String> {
        const LINKS: &[&str] = &["of", "on", "by", "from", "to", "in", "at", "aboard", "with"];
        const EXTREMES: &[&str] = &["newest", "oldest", "latest", "earliest", "youngest"];
        let head = self
            .head
            .clone()
            .filter(|_| self.request.other_records.is_none())?;
        let records = self.words(head.clone()).to_lowercase();
        let own = self.vocabulary.noun(&self.tokens, head.start)?.1;
        let other = |at: usize| {
            let (end, places) = self.vocabulary.noun(&self.tokens, at)?;
            let is_other = at >= head.end && !places.iter().any(|place| own.contains(place));
            is_other.then_some((at..end, places))
        };
        let extreme = (head.end..self.tokens.len()).find_map(|at| {
            let said = self.is(at, EXTREMES) || superlatives::at(&self.tokens, at).is_some();
            let linked = self.is(at, EXTREMES) || self.free(at);
            let led = self.past_back(at, &["the"]).checked_sub(1)?;
            let (noun, _) = other(at + 1)?;
            (said && linked && self.is(led, LINKS)).then_some(at..noun.end)
        });
        if let Some(extreme) = extreme {
            let said = self.words(extreme).to_lowercase();
            return Some(format!(
                "I cannot find \u{201c}{said}\u{201d} and its {records} in one step. Ask for the {said} first, and then for its {records}."
            ));
        }
        let (noun, places) = (head.end..self.tokens.len()).find_map(other)?;
        let mut theirs = Vocabulary::empty();
        for place in places {
            let (_, index) = vocabulary::place(self.sources, place)?;
            theirs.know(index);
        }
        let word = (noun.end..self.tokens.len().min(noun.end + 4)).find(|at| {
            self.free(*at)
                && theirs.named(&self.tokens, *at).is_some()
                && self.vocabulary.named(&self.tokens, *at).is_none()
        })?;
        let (said, things) = (self.words(word..word + 1), self.words(noun).to_lowercase());
        Some(format!(
            "I cannot choose {records} by what is known of {things} (\u{201c}{said}\u{201d}). Ask for the {things} first, and then for the {records} of one of them."
        ))
    }

    /// "Which port has the most late shipments per month": the first of each month.
    fn first_of_each(&self) -> Option<String> {
        // "The most valuable shipment of each carrier".
        let counts = self
            .request
            .measures
            .iter()
            .all(|measure| measure.term.is_none());
        let record = self.request.sort.iter().find_map(|sort| match &sort.by {
            SortKey::Term(words) => Some(words.clone()),
            _ => None,
        });
        let group = self
            .request
            .group_by
            .iter()
            .find_map(|group| group.term.clone());
        if let (Some(quantity), Some(group)) = (record, group)
            && counts
            && self.request.limit == Some(1)
        {
            return Some(format!(
                "I can find the first record of all, but not the first of each {group}. Ask for the maximum {quantity} by {group}, or for one {group}."
            ));
        }
        let ranked = self.request.limit.is_some() && !self.request.sort.is_empty();
        let things = self
            .request
            .group_by
            .iter()
            .any(|group| group.interval.is_none());
        let every = self
            .request
            .group_by
            .iter()
            .find_map(|group| group.interval)?;
        if !ranked || !things {
            return None;
        }
        let every = match every {
            Interval::Hour => "hour",
            Interval::Day => "day",
            Interval::Week => "week",
            Interval::Month => "month",
            Interval::Quarter => "quarter",
            Interval::Year => "year",
        };
        Some(format!(
            "I can rank over the whole time or show each {every}, but not name the first of each {every}. Ask for one {every}, or leave out \u{201c}per {every}\u{201d}."
        ))
    }

    /// "Percentage of late shipments", "median delay": figures that no query computes.
    fn share_or_median(&self) -> Option<String> {
        const SHARES: &[&str] = &[
            "percentage",
            "percent",
            "%",
            "share",
            "proportion",
            "ratio",
            "fraction",
        ];
        const SPREADS: &[&str] = &["median", "percentile", "quantile", "variance", "deviation"];
        let free = |at: &usize| self.free(*at);
        // "On-time rate"; an exchange rate may be a field.
        let rate = |at: &usize| *at > 0 && self.is(*at, &["rate", "rates"]) && !self.free(*at - 1);
        if let Some(at) = (0..self.tokens.len())
            .filter(free)
            .find(|at| self.is(*at, SHARES) || rate(at))
        {
            let said = self.words(at..at + 1).to_lowercase();
            return Some(format!(
                "I do not divide one number by another (\u{201c}{said}\u{201d}). Ask for the number with the condition and for the number without it."
            ));
        }
        let at = (0..self.tokens.len())
            .filter(free)
            .find(|at| self.is(*at, SPREADS))?;
        let said = self.words(at..at + 1).to_lowercase();
        Some(format!(
            "A query computes sums, averages, the least and the greatest, but no {said}. Ask for the records and then for their analysis (\u{201c}analyze them\u{201d}): it names the median."
        ))
    }

    /// "Who carries the most coffee": nothing says of which things.
    fn who_has_most(&self) -> Option<String> {
        let who = self.past(0, &["and", "so", "now", "tell", "me"]);
        let most = (who..self.tokens.len()).find(|at| {
            self.is(*at, &["most", "fewest", "least"])
                && self.free(*at)
                && !self.is(at.saturating_sub(1), &["at"])
        })?;
        if !self.is(who, &["who"]) || !self.request.sort.is_empty() {
            return None;
        }
        let said = self
            .words(most..self.tokens.len().min(most + 2))
            .to_lowercase();
        let mut groups = self.vocabulary.fields().iter().filter(|field| {
            let names = |value: &String| value.contains(char::is_uppercase);
            field.entity_type.is_none() && field.values.len() > 1 && field.values.iter().all(names)
        });
        let known: Vec<String> = groups
            .by_ref()
            .map(|field| field.name.replace('_', " "))
            .take(3)
            .collect();
        let of = if known.is_empty() {
            String::new()
        } else {
            format!(" ({})", known.join(", "))
        };
        Some(format!(
            "\u{201c}Who\u{201d} does not say of which things I name the one with \u{201c}{}\u{201d}. Name them{of}, for example \u{201c}which {} has {}\u{201d}.",
            said.trim_end_matches(['?', '.']),
            known.first().map_or("thing", String::as_str),
            said.trim_end_matches(['?', '.'])
        ))
    }

    /// "Worst carrier", "best port", "good carriers": nothing says by what.
    fn worst(&self) -> Option<String> {
        // "Good" may have been read as the goods.
        let at = (0..self.tokens.len()).find(|at| {
            self.is(*at, &["worst", "best", "top", "bad", "better"]) && self.free(*at)
                || self.is(*at, &["good"])
        })?;
        let noun = self.past(at + 1, &["performing"]);
        // "Which carrier is the worst?"
        let asked = self.past_back(at, &["the"]);
        let asked = self.past_back(asked, &["is", "are", "was", "were"]);
        let before = self.thing_before(asked).filter(|_| asked < at);
        let ends = (noun..self.tokens.len()).all(|at| !self.tokens[at].is_word());
        if let Some(before) = before.filter(|_| ends) {
            let said = self.words(before).to_lowercase();
            let word = self.words(at..at + 1).to_lowercase();
            return Some(self.by_which_figure(&format!("{word} {said}")));
        }
        let end = self
            .vocabulary
            .named(&self.tokens, noun)
            .map(|(end, _)| end)
            .into_iter()
            .chain(self.vocabulary.noun(&self.tokens, noun).map(|(end, _)| end))
            .chain(self.vocabulary.entity_type(&self.tokens, noun))
            .max()?;
        let computed = self
            .request
            .measures
            .iter()
            .any(|measure| measure.term.is_some());
        if computed || !self.request.sort.is_empty() || !self.request.group_by.is_empty() {
            return None;
        }
        Some(self.by_which_figure(&self.words(at..end).to_lowercase()))
    }

    /// A field or a kind of records that is named before a place, read or not.
    fn thing_before(&self, end: usize) -> Option<Range<usize>> {
        (end.saturating_sub(3)..end).find_map(|from| {
            let named = self.vocabulary.named(&self.tokens, from);
            let noun = self.vocabulary.noun(&self.tokens, from);
            let is_whole = named.is_some_and(|(to, _)| to == end)
                || noun.is_some_and(|(to, _)| to == end)
                || self.vocabulary.entity_type(&self.tokens, from) == Some(end);
            is_whole.then_some(from..end)
        })
    }

    /// The refusal of a rank without a figure, with some that there are.
    fn by_which_figure(&self, said: &str) -> String {
        let figures: Vec<String> = self
            .vocabulary
            .fields()
            .iter()
            .filter(|field| field.field_type.is_number())
            .filter_map(|field| field.synonyms.first().cloned())
            .take(3)
            .collect();
        let by = if figures.is_empty() {
            String::new()
        } else {
            format!(", for example by {}", figures.join(" or "))
        };
        format!("\u{201c}{said}\u{201d} does not say by which figure. Name it{by}.")
    }

    /// "Left late": how late something was is known of one event only.
    fn late_event(&self) -> Option<String> {
        let at = (0..self.tokens.len()).find(|at| {
            let verb = self.word(*at).is_some_and(|word| {
                word.ends_with("ed")
                    || ["left", "leave", "leaves", "sail", "depart"].contains(&word)
            });
            verb && self.how_late(at + 1).is_some()
        })?;
        let end = self.how_late(at + 1)?;
        let usual = self.usual_date()?;
        let event = self.event(self.word(at))?;
        if event.actual == usual {
            return None;
        }
        let known = self.event(None)?.actual.replace('_', " ");
        let said = self.words(at..end);
        Some(format!(
            "I cannot tell which {said}: being late is known of the {known} only. Ask for that, or for the records with their dates."
        ))
    }

    /// "What is a TEU?": a word is to be explained.
    fn what_a_unit_is(&self) -> Option<String> {
        let asked = self.is(0, &["what"]) && self.is(1, &["is", "are", "does"]);
        let word = self.past(2, &["a", "an"]);
        let alone = (word + 1..self.tokens.len())
            .all(|at| !self.tokens[at].is_word() || self.is(at, &["mean", "exactly"]));
        let unit = self.word(word).and_then(unit_of);
        (asked && word > 2 && alone && unit.is_some()).then(|| {
            let said = self.words(word..word + 1);
            format!("I answer from records and explain no terms (\u{201c}{said}\u{201d}).")
        })
    }

    /// The place behind "late" or "on time" where it follows a verb, behind a name at most: "left
    /// Hamburg on time".
    fn how_late(&self, from: usize) -> Option<usize> {
        const LATE: &[&str] = &["late", "early", "delayed", "punctually"];
        let mut at = self.past(from, &["more", "than", "exactly", "too", "very", "the"]);
        while at < from + 4 && self.tokens.get(at).is_some_and(|token| token.capital) {
            at += 1;
        }
        let on_time = self.is(at, &["on"]) && self.is(at + 1, &["time", "schedule"]);
        if on_time {
            return Some(at + 2);
        }
        self.is(at, LATE).then_some(at + 1)
    }

    /// "Average age": a query computes no age of a year.
    fn age(&self) -> Option<String> {
        let at = (0..self.tokens.len()).find(|at| self.is(*at, &["age", "ages", "old"]))?;
        let (_, fields) = self.vocabulary.named(&self.tokens, at)?;
        let computed = self.request.measures.iter().any(|measure| {
            let said = measure.term.as_deref().unwrap_or_default();
            said.eq_ignore_ascii_case(&self.tokens[at].text)
        });
        let year = fields
            .iter()
            .map(|field| self.vocabulary.field(*field))
            .find(|field| field.name.contains("built") || field.name.contains("year"))?;
        let year = year.name.replace('_', " ");
        computed.then(|| {
            format!(
                "I cannot compute an age: the field {year} is a year. Ask for the average {year}, the oldest, or those {year} before a year."
            )
        })
    }

    /// "Vessels without shipments": a query finds what there is, and not what there is not.
    fn without_records(&self) -> Option<String> {
        let head = self.head.clone()?;
        let own = self.vocabulary.noun(&self.tokens, head.start)?.1;
        let link = self.past(head.end, LINKS);
        let behind = self.past(link + 1, &["a", "any", "single", "had", "have"]);
        let place = self.before_head(behind);
        let (end, places) = self.vocabulary.noun(&self.tokens, place)?;
        let other = !places.iter().any(|place| own.contains(place));
        // "Shipments without a vessel" have a field for it.
        let field = self.vocabulary.named(&self.tokens, place).is_some();
        if !self.is(link, NEVER) || !other || field {
            return None;
        }
        let noun = self.words(head).to_lowercase();
        let one = noun.strip_suffix('s').unwrap_or(&noun).to_owned();
        let said = self.words(link..end).to_lowercase();
        let records = self.words(behind..end).to_lowercase();
        Some(format!(
            "I cannot look for {noun} of which no record fits (\u{201c}{said}\u{201d}): a query finds what there is. Ask for the number of {records} by {one} instead, the fewest first."
        ))
    }

    /// "Which port has most terminals": the most of something that no figure counts.
    fn most_of_what(&self) -> Option<String> {
        let at = (0..self.tokens.len())
            .find(|at| self.is(*at, &["most", "fewest", "least"]) && self.free(*at))?;
        if at > 0 && self.is(at - 1, &["at"]) || !self.request.sort.is_empty() {
            return None;
        }
        let things = self.things().filter(|things| things.end < at)?;
        let asks = things.start > 0 && self.is(things.start - 1, ASKS);
        let linked = self.is(
            self.past_back(at, &["the"]).checked_sub(1)?,
            &["has", "have", "had", "with", "got"],
        );
        let words = self.tokens.len().min(at + 4);
        if !asks || !linked || at + 1 >= words || !self.tokens[at + 1].is_word() {
            return None;
        }
        let said = self.words(at..at + 2).to_lowercase();
        let noun = self.words(things).to_lowercase();
        Some(format!(
            "I know no figure for \u{201c}{said}\u{201d} of a {noun}, so I cannot rank by it."
        ))
    }
}
