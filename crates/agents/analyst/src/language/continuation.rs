//! Whether a message continues from the query before: "how many of them were late?", "and in
//! Rotterdam?", "by carrier".
//!
//! Such a message names no records of its own. It is a change of the query that was executed, so
//! that nothing of that is lost.

use chrono::{Datelike, Days, Months, NaiveDate};
use contracts::tools::meanings::TermRole;
use contracts::tools::search::{MeasureOp, QueryStructure, SourceList, TimeRange};

use super::dates::{OPEN_END, OPEN_START};
use super::edit::{asks_which, finds_one, read_edit};
use super::ordinals::is_of_place;
use super::request::{IndexCandidate, Request, SortKey, SortTerm, read_about, read_request};
use super::text::{Token, number_word, tokens};

/// Maximum number of words of a message that leaves the rest out.
const LONGEST: usize = 14;

/// Words that represent the records of the query before, or one of them.
const THEM: &[&str] = &["them", "they", "their", "these", "those", "it", "its"];
/// Words that begin a message that continues.
const ON: &[&str] = &["and", "but", "also", "plus"];
/// Words around a message that change nothing about it.
const AROUND: &[&str] = &[
    "ok", "okay", "so", "now", "please", "then", "well", "hmm", "oh",
];
/// Words that begin a question.
const ASKS: &[&str] = &[
    "what", "which", "who", "where", "when", "is", "are", "do", "does", "did", "how", "why", "can",
    "could",
];
/// Verbs by which something is to be seen.
const SHOWS: &[&str] = &[
    "show", "list", "find", "get", "give", "retrieve", "fetch", "display", "count", "sort", "group",
];
/// Verbs of what happens to records.
const HAPPENS: &[&str] = &[
    "arrives",
    "arrived",
    "arriving",
    "departs",
    "departed",
    "departing",
    "leaves",
    "left",
    "sails",
    "sailed",
    "comes",
    "came",
];
/// Verbs of other messages.
const OTHERS: &[&str] = &[
    "tell",
    "search",
    "analyze",
    "analyse",
    "explain",
    "summarize",
    "summarise",
    "help",
    "thanks",
];
/// Words for one end of groups, by whether it is the greatest.
const ENDS: &[(&str, bool)] = &[
    ("most", true),
    ("highest", true),
    ("longest", true),
    ("largest", true),
    ("biggest", true),
    ("greatest", true),
    ("busiest", true),
    ("worst", true),
    ("least", false),
    ("fewest", false),
    ("lowest", false),
    ("shortest", false),
    ("smallest", false),
    ("quietest", false),
];

/// Whether `text` continues from the query `old`: it is a condition, a figure, a group or an order
/// without records of its own, or it says so ("and", "what about", "of them").
pub fn continues(text: &str, old: &QueryStructure, sources: &SourceList, today: NaiveDate) -> bool {
    let all = tokens(text);
    let words: Vec<&Token> = all
        .iter()
        .filter(|token| token.is_word() || token.number().is_some())
        .collect();
    if words.is_empty() || words.len() > LONGEST {
        return false;
    }
    let Some(first) = words.iter().position(|token| !token.is(AROUND)) else {
        return false;
    };
    let read = read_request(text, sources, today);
    let about = read_about(text, sources, &old.index, &[], today);
    let mut indices = sources.sources.iter().flat_map(|source| &source.indices);
    let index = indices.find(|index| index.name == old.index);
    let fragment = Fragment {
        words: &words,
        first,
        read: &read,
        about: &about,
        old,
        finds_one: finds_one(old, index),
    };
    let removes = || {
        let edit = read_edit(text, old, sources, &[], today);
        !edit.removals.is_empty() || !edit.removed.is_empty()
    };
    match fragment.subject() {
        Some(noun) => fragment.continues_with(noun, removes),
        None => fragment.continues(removes),
    }
}

/// A message that may leave something out.
struct Fragment<'f> {
    words: &'f [&'f Token],
    /// The start of the continuation, behind words that change nothing.
    first: usize,
    read: &'f Request,
    /// Read of the records of the query before.
    about: &'f Request,
    old: &'f QueryStructure,
    /// Whether the query before finds one record.
    finds_one: bool,
}

impl Fragment<'_> {
    fn has(&self, wanted: &[&str]) -> bool {
        self.words.iter().any(|token| token.is(wanted))
    }

    fn is(&self, at: usize, wanted: &[&str]) -> bool {
        self.words.get(at).is_some_and(|token| token.is(wanted))
    }

    /// The records that it asks for; a noun that says by what they are grouped is none.
    fn subject(&self) -> Option<&IndexCandidate> {
        let noun = self.read.indices.first()?;
        let said = tokens(&noun.noun).into_iter().next_back()?;
        let at = self.words.iter().position(|word| word.text == said.text)?;
        let grouped = at > 0 && self.is(at - 1, &["by", "per", "each", "every"])
            || at > 1 && self.is(at - 1, &["the"]) && self.is(at - 2, &["by", "per"]);
        // "Which vessel has the most?", of the shipments that were found.
        let mut last = self.words.iter().rev();
        let most = last
            .next()
            .is_some_and(|last| last.is(&["most", "least", "fewest"]));
        let elsewhere = noun.index != self.old.index;
        let ranked = elsewhere && self.is(self.first, &["which", "what"]) && most;
        let condition = elsewhere
            && self.about.terms.iter().any(|term| {
                let said_in = tokens(&term.text).iter().any(|word| word.text == said.text);
                term.role == TermRole::Filter && said_in
            });
        // "By destination port".
        let by_it = self.about.group_by.iter().any(|group| {
            let words = group.term.as_deref().unwrap_or_default();
            tokens(words).iter().any(|word| word.text == said.text)
        }) && self.has(&["by", "per", "each", "every"]);
        // "Which vessel carries it?", of one record that was found.
        let of_it = elsewhere
            && self.finds_one
            && self.has(&["it", "that", "this"])
            && at > 0
            && self.is(at - 1, &["which", "what", "whose"]);
        // "How many containers in total?", of shipments that have a number of them.
        let counted = elsewhere
            && self.has(&["many"])
            && self.about.measures.iter().any(|measure| {
                let words = measure.term.as_deref().unwrap_or_default();
                tokens(words).iter().any(|word| word.text == said.text)
            })
            && self.words.iter().all(|word| {
                word.text == said.text
                    || word.is(ON)
                    || word.is(AROUND)
                    || word.is(THEM)
                    || word.is(&[
                        "how",
                        "many",
                        "in",
                        "total",
                        "all",
                        "do",
                        "have",
                        "of",
                        "together",
                        "altogether",
                        "is",
                        "that",
                    ])
            });
        // "What is its cargo?"
        let own = at > 0 && self.is(at - 1, &["its", "their"]);
        // "From Port of Hamburg": part of a name.
        // "Vessels of Pacific Crown" are records.
        let singular = !said.text.ends_with('s');
        let in_name = singular
            && self.is(at + 1, &["of"])
            && self.words.get(at + 2).is_some_and(|word| word.capital);
        // "Which vessels?", of shipments that were found.
        let kinds = elsewhere && self.asks_which_kinds(self.first, 2);
        let known =
            kinds || in_name || own || grouped || ranked || condition || by_it || of_it || counted;
        (!known).then_some(noun)
    }

    /// The place behind "and", "what about" and the like; `None` without such words.
    fn opened(&self) -> Option<usize> {
        let on = self.first + usize::from(self.is(self.first, ON));
        if self.is(on, &["what", "how"]) && self.is(on + 1, &["about"]) {
            return Some(on + 2);
        }
        if self.is(on, &["what"]) && self.is(on + 1, &["if"]) {
            return Some(on + 2);
        }
        let same = on + usize::from(self.is(on, &["the"]));
        if self.is(same, &["same", "ditto", "likewise"]) {
            return Some(same + 1);
        }
        (on > self.first).then_some(on)
    }

    /// Whether a message with records of its own continues.
    fn continues_with(&self, noun: &IndexCandidate, removes: impl Fn() -> bool) -> bool {
        const BEFORE: &[&str] = &[
            "in", "to", "from", "by", "per", "for", "of", "with", "without", "at", "via", "on",
        ];
        let first = self.first;
        // "For all ports": the ports are a condition of the query before.
        let all = self.is(first + 1, &["all", "any", "every"]);
        if self.is(first, BEFORE) && all && self.words.len() <= first + 4 && removes() {
            return true;
        }
        let any = self.is(first, &["any", "whichever", "whatever"]);
        if any && self.words.len() <= first + 3 && removes() {
            return true;
        }
        if noun.index != self.old.index {
            return false;
        }
        // "And the late shipments?"
        if let Some(begin) = self.opened()
            && self.words.len() <= begin + 6
            && !self.is(begin, SHOWS)
        {
            return true;
        }
        // "How many shipments went there?"
        if self.there() || asks_which(&self.words[first..]) {
            return true;
        }
        // "How many of these shipments are late?"
        let said = noun.noun.to_lowercase();
        let mut pairs = self.words.windows(2);
        let pointed = pairs.any(|pair| pair[0].is(&["these", "those"]) && pair[1].text == said);
        pointed && self.has(&["many", "much", "which", "of", "their"])
    }

    /// "There" as a place.
    fn there(&self) -> bool {
        (0..self.words.len()).any(|at| self.is(at, &["there"]) && is_place(self.words, at))
    }

    fn continues(&self, removes: impl Fn() -> bool) -> bool {
        if self.points() || self.there() {
            return true;
        }
        let first = self.first;
        if ranks(self.words).is_some() && !self.old.group_by.is_empty() {
            return true;
        }
        if self.is(first, &["compare", "versus", "vs", "compared"]) {
            let with = &["with", "to", "against", "it", "that", "this", "them"];
            return self.is(first + 1, with) || !self.is(first, &["compare"]);
        }
        let opened = self.opened();
        let begin = opened.unwrap_or(first);
        if begin >= self.words.len() {
            return false;
        }
        if opened.is_some() && !self.is(begin, ASKS) && !self.is(begin, OTHERS) {
            return self.fits() || self.words.len() <= begin + 4 || removes();
        }
        if self.is(begin, &["how"]) && self.is(begin + 1, &["many", "much"]) {
            let in_all = self.is(begin + 2, &["in"]) && self.is(begin + 3, &["total", "all"]);
            let are_there = self.is(begin + 2, &["are", "were"]) && self.has(&["there"]);
            return begin + 2 >= self.words.len() || in_all || are_there || self.fits();
        }
        // "How late on average?"
        if self.is(begin, &["how"]) {
            let mut figures = self.about.measures.iter();
            return figures.any(|measure| measure.term.is_some()) && self.fits();
        }
        if self.is(begin, ASKS) {
            return self.asks_of_found(begin);
        }
        if self.is(begin, OTHERS) || self.ranks_records() {
            return false;
        }
        self.fits() && self.words.len() <= 12 || removes()
    }

    /// "Earliest departure" behind groups: records are ordered by what the groups have no figure
    /// of.
    fn ranks_records(&self) -> bool {
        let in_time = self
            .old
            .group_by
            .iter()
            .any(|group| group.interval.is_some());
        let of_groups = |sort: &SortTerm| match &sort.by {
            SortKey::Term(words) => {
                let words = tokens(words);
                let mut figures = self
                    .old
                    .measures
                    .iter()
                    .filter_map(|one| one.field.as_ref());
                figures.any(|field| {
                    field
                        .split('_')
                        .any(|part| words.iter().any(|word| word.is(&[part])))
                })
            }
            SortKey::Time => in_time,
            SortKey::Count | SortKey::Measure(_) => true,
        };
        !self.old.group_by.is_empty()
            && self.about.measures.is_empty()
            && !self.has(&["sort", "sorted", "order", "ordered", "first", "by", "top"])
            && !self.about.sort.is_empty()
            && !self.about.sort.iter().all(of_groups)
    }

    /// Whether a question is of what was found: "which carrier has the most?", "what is the average
    /// delay?", "which is the heaviest?".
    fn asks_of_found(&self, begin: usize) -> bool {
        if !self.is(begin, &["which", "who", "what", "when", "where"]) {
            return false;
        }
        // "What arrives tomorrow?" asks for records of its own, "which arrived?" for some of these.
        let happens = self.is(begin + 1, HAPPENS) || self.has(&["due", "overdue"]);
        if begin == self.first && self.is(begin, &["what"]) && happens {
            return false;
        }
        // "Which carriers?", of the records that were found.
        let kinds = self.asks_which_kinds(begin, 3);
        let mut last = self.words.iter().rev();
        let most = last
            .next()
            .is_some_and(|last| last.is(&["most", "least", "fewest"]));
        let mut computed = self.about.measures.iter();
        let figure = computed.any(|measure| measure.op != MeasureOp::Count);
        let be = self.is(begin + 1, &["is", "was", "one", "are", "were"]);
        let ranked = !self.about.sort.is_empty() && be;
        let on = begin > self.first;
        // "Who is the carrier?", of one record.
        let one = self.finds_one;
        let names = self.about.leftover.iter().any(|left| left.name_like);
        if one && be && !names && self.words.len() <= begin + 6 {
            return true;
        }
        most || (figure || ranked || on || kinds) && self.fits()
    }

    /// "Which carriers?": whether it asks for a field of the records before in this many words.
    fn asks_which_kinds(&self, begin: usize, longest: usize) -> bool {
        self.is(begin, &["which", "what"])
            && self.words.len() <= begin + longest
            && !(self.about.group_by.is_empty() && self.about.terms.is_empty())
    }

    /// Whether it points at what was found.
    fn points(&self) -> bool {
        self.words.iter().enumerate().any(|(at, token)| {
            // "Those days" are days.
            let times = ["day", "days", "week", "weeks", "month", "months"];
            (token.is(THEM) || token.is(&["ones"])) && !self.is(at + 1, &times)
        })
    }

    /// Whether it says something of the records of the query before, and no other index knows more
    /// of its words.
    fn fits(&self) -> bool {
        let about = self.about;
        let says = !about.terms.is_empty()
            || about.time_range.is_some()
            || !about.measures.is_empty()
            || !about.group_by.is_empty()
            || !about.sort.is_empty()
            || about.limit.is_some()
            || !about.bounds.is_empty()
            || !about.entity_hints.is_empty()
            || about.leftover.iter().any(|left| left.name_like);
        says && about.leftover.len() <= self.read.leftover.len()
    }
}

/// The part that a message leaves out that needs a question before it, where there is none: "by
/// status", "compare with Rotterdam".
pub fn asks_back(text: &str, read: &Request) -> Option<String> {
    let all = tokens(text);
    let words: Vec<&Token> = all.iter().filter(|token| token.is_word()).collect();
    let first = words.iter().position(|token| !token.is(AROUND))?;
    let is = |at: usize, wanted: &[&str]| words.get(at).is_some_and(|word| word.is(wanted));
    let said = text.trim().trim_end_matches(['?', '.', '!']);
    if is(first, &["compare", "compared"]) && is(first + 1, &["with", "to", "against"]) {
        return Some(format!(
            "There is no earlier question to put beside it (\u{201c}{said}\u{201d}). Name both things and the records."
        ));
    }
    if is(first, &["compare"])
        && words.len() <= first + 2
        && read.indices.iter().all(|index| index.noun.is_empty())
    {
        return Some(format!(
            "What is to be compared (\u{201c}{said}\u{201d})? Name both things and the records."
        ));
    }
    let names = read.leftover.iter().any(|left| left.name_like);
    let bare = read.indices.iter().all(|index| index.noun.is_empty())
        && read.time_range.is_none()
        && read.entity_hints.is_empty()
        && !names;
    (bare && is(first, &["by", "per"]))
        .then(|| format!("Of which records (\u{201c}{said}\u{201d})?"))
}

/// Which end of the groups of the query before is asked for, where nothing else is said: "which has
/// the most?", "and the fewest?".
pub(super) fn ranks(words: &[&Token]) -> Option<bool> {
    const SMALL: &[&str] = &[
        "and", "the", "one", "now", "what", "how", "about", "which", "who", "is", "has", "had",
        "then", "so", "ok", "okay", "please", "of", "them", "ones", "with", "busy", "was", "are",
        "often", "first",
    ];
    let mut said = words.iter().filter(|word| {
        let counts = word.number().is_some() || number_word(&word.text).is_some();
        !word.is(SMALL) && !is_of_place(word) && !counts
    });
    let only = said.next()?;
    let end = ENDS.iter().find(|(word, _)| only.is(&[word]))?;
    said.next().is_none().then_some(end.1)
}

/// Whether "there" at a place is where something is: not "are there", "there were".
pub(super) fn is_place(words: &[&Token], at: usize) -> bool {
    const BE: &[&str] = &["is", "are", "was", "were", "be", "been", "exist"];
    let is = |at: usize| words.get(at).is_some_and(|word| word.is(BE));
    !(is(at + 1) || at > 0 && is(at - 1))
}

/// "What about the week before?", "and the month after that": the days of the query before moved by
/// its own length or by the unit, as a change.
pub fn moved_days(text: &str, old: &QueryStructure) -> Option<String> {
    const BEFORE: &[&str] = &["before", "earlier", "prior", "previous", "preceding"];
    const AFTER: &[&str] = &["after", "later", "following", "next"];
    let range = old.time_range.as_ref()?;
    let all = tokens(text);
    let words: Vec<&Token> = all
        .iter()
        .filter(|token| {
            (token.is_word() || token.number().is_some())
                && !token.is(&[
                    "and", "what", "how", "about", "the", "for", "in", "that", "please", "now",
                    "one",
                ])
        })
        .collect();
    if all.len() > 12 || range.start <= OPEN_START || range.end >= OPEN_END {
        return None;
    }
    let (unit, back) = match words.as_slice() {
        [unit, way] if way.is(&BEFORE[..3]) => (unit, true),
        [unit, way] if way.is(&AFTER[..2]) => (unit, false),
        [way, unit] if way.is(&BEFORE[3..]) => (unit, true),
        [way, unit] if way.is(&AFTER[2..3]) => (unit, false),
        // "The 3 days before", "the previous two weeks".
        [number, unit, way] | [way, number, unit] if way.is(BEFORE) || way.is(AFTER) => {
            let count = number.number().or_else(|| number_word(&number.text))?;
            let (start, end) = several(range, count, unit, way.is(BEFORE))?;
            return Some(format!("between {start} and {end}"));
        }
        _ => return None,
    };
    let whole_month = range.start.day() == 1 && range.end.succ_opt()?.day() == 1;
    let (start, end) = match unit.text.as_str() {
        // Beside the days of the query before, as the week is.
        "day" => {
            let beside = if back { range.start } else { range.end };
            let day = moved(beside, 1, back)?;
            (day, day)
        }
        // Beside the days of the query before, without a day of them.
        "week" if back => (moved(range.start, 7, true)?, range.start.pred_opt()?),
        "week" => (range.end.succ_opt()?, moved(range.end, 7, false)?),
        "month" if whole_month => {
            let start = if back {
                range.start.checked_sub_months(Months::new(1))?
            } else {
                range.end.succ_opt()?
            };
            (start, start.checked_add_months(Months::new(1))?.pred_opt()?)
        }
        "month" if back => (
            range.start.checked_sub_months(Months::new(1))?,
            range.end.checked_sub_months(Months::new(1))?,
        ),
        "month" => (
            range.start.checked_add_months(Months::new(1))?,
            range.end.checked_add_months(Months::new(1))?,
        ),
        "year" if back => (
            range.start.checked_sub_months(Months::new(12))?,
            range.end.checked_sub_months(Months::new(12))?,
        ),
        "year" => (
            range.start.checked_add_months(Months::new(12))?,
            range.end.checked_add_months(Months::new(12))?,
        ),
        _ => return None,
    };
    Some(format!("between {start} and {end}"))
}

/// The requested number of days, weeks or months beside the days of the query before.
fn several(
    range: &TimeRange,
    count: u32,
    unit: &Token,
    back: bool,
) -> Option<(NaiveDate, NaiveDate)> {
    let count = Some(count).filter(|count| (1..=1000).contains(count))?;
    let (before, behind) = (range.start.pred_opt()?, range.end.succ_opt()?);
    let days = match unit.text.as_str() {
        "day" | "days" => u64::from(count),
        "week" | "weeks" => u64::from(count) * 7,
        "month" | "months" if back => {
            let start = range.start.checked_sub_months(Months::new(count))?;
            return Some((start, before));
        }
        "month" | "months" => {
            let end = behind.checked_add_months(Months::new(count))?.pred_opt()?;
            return Some((behind, end));
        }
        _ => return None,
    };
    if back {
        Some((moved(range.start, days, true)?, before))
    } else {
        Some((behind, moved(range.end, days, false)?))
    }
}

fn moved(day: NaiveDate, days: u64, back: bool) -> Option<NaiveDate> {
    if back {
        day.checked_sub_days(Days::new(days))
    } else {
        day.checked_add_days(Days::new(days))
    }
}
