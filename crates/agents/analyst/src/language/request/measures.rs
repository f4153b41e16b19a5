//! Measures, groups, orders and limits of a request.

use std::ops::Range;

use contracts::tools::meanings::TermRole;
use contracts::tools::search::{FieldType, Interval, MeasureOp};

use super::scan::{Scan, Use};
use super::words::{COMPARE, interval, superlative};
use super::{GroupTerm, MeasureTerm, SortKey, SortTerm, nouns, superlatives};
use crate::language::text::number_word;

/// Maximum number of records or groups that can be requested.
const MAX_LIMIT: u32 = 10_000;

/// Verbs between a thing and the most of what it has.
const CARRIES: &[&str] = &[
    "has",
    "have",
    "had",
    "with",
    "carried",
    "carries",
    "handled",
    "handles",
    "got",
    "shipped",
    "receives",
    "receive",
    "received",
    "moved",
    "moves",
    "transported",
    "transports",
    "ships",
    "loaded",
    "delivered",
    "sent",
    "brought",
    "takes",
    "took",
];

impl Scan<'_> {
    /// Measures, groups, orders and limits.
    pub(super) fn measures_and_orders(&mut self) {
        self.interval_with_most();
        self.superlatives();
        self.most();
        self.top();
        self.newest();
        for at in 0..self.tokens.len() {
            if self.free(at) {
                let _ = self.sorted_by(at)
                    || self.grouped_by(at)
                    || self.measure(at)
                    || self.extreme(at);
            }
        }
        self.averaged();
        self.top_of_figures();
        self.worst_first();
        self.number_of_groups();
        // "Average delay", of everything; "per carrier" alone counts.
        if self.request.measures.is_empty() && !self.request.group_by.is_empty() {
            self.request.measures.push(MeasureTerm {
                op: MeasureOp::Count,
                term: None,
            });
        }
    }

    /// "Which carrier has the most shipments", "vessels with the least delay".
    fn most(&mut self) {
        let Some(at) = (0..self.tokens.len()).find(|at| {
            self.free(*at)
                && self.is(
                    *at,
                    &[
                        "most", "least", "fewest", "highest", "lowest", "longest", "greatest",
                        "largest", "biggest", "shortest", "smallest", "worst",
                    ],
                )
        }) else {
            return;
        };
        let group = self.group_before(at);
        let Some(group) = group else {
            return;
        };
        let head_is_group = self.head.clone().is_some_and(|head| head == group);
        // "Which port has the most terminals": both are records of one index, which do not count
        // one another.
        let places = |at: usize| {
            self.vocabulary
                .noun(&self.tokens, at)
                .map(|(_, places)| places)
        };
        let same = self.head.as_ref().is_some_and(|head| {
            let head = places(head.start).unwrap_or_default();
            let group = places(group.start).unwrap_or_default();
            group.iter().any(|place| head.contains(place))
        });
        if same && !head_is_group {
            return;
        }
        let descending = !self.is(at, &["least", "fewest", "lowest", "shortest", "smallest"]);
        let word = self.words(at..at + 1).to_lowercase();
        let operator = self.operator(at + 1);
        let from = operator.map_or(at + 1, |(_, end)| end);
        let from = self.behind_worst(at, from);
        // The records that are wanted are counted; the noun for them is read already.
        let counts = self
            .head
            .clone()
            .is_some_and(|head| head.start == self.before_head(from) && !head_is_group);
        // "The most coffee": of the records with that value.
        let valued = self.vocabulary.valued(&self.tokens, from).is_some();
        let ends = (from..self.tokens.len()).all(|at| !self.tokens[at].is_word());
        let counts = counts || (valued || ends) && !head_is_group;
        let Some(term) = (if counts {
            Some(from..from)
        } else {
            self.term_at(from).filter(|term| self.is_rankable(term))
        }) else {
            return;
        };
        if head_is_group {
            // "The shipment with the highest value": of the records themselves.
            let text = self.words(term.clone());
            self.term(text.clone(), TermRole::Sort, None, None);
            self.request.sort.push(SortTerm {
                by: SortKey::Term(text),
                descending,
            });
            self.limit_to_one_of(&group);
        } else {
            let group_words = self.words(group.clone());
            self.term(group_words.clone(), TermRole::GroupBy, None, None);
            self.request.group_by.push(GroupTerm {
                term: Some(group_words),
                interval: None,
            });
            if counts {
                self.request.measures.push(MeasureTerm {
                    op: MeasureOp::Count,
                    term: None,
                });
            } else {
                let op = operator.map_or_else(
                    || {
                        let op = of_extremes(&word);
                        let named = self.vocabulary.named(&self.tokens, term.start);
                        if named.is_some_and(|(_, fields)| !self.has_order(&fields)) {
                            return MeasureOp::Distinct;
                        }
                        if self.on_average {
                            return MeasureOp::Average;
                        }
                        let apart =
                            op == MeasureOp::Sum && !self.adds_up(&self.words(term.clone()));
                        if apart { MeasureOp::Average } else { op }
                    },
                    |(op, _)| op,
                );
                self.add_measure(op, term.clone());
            }
            self.request.sort.push(SortTerm {
                by: SortKey::Measure(0),
                descending,
            });
            self.limit_to_one_of(&group);
        }
        self.keyword(&word);
        self.mark_verbs(group.end..at);
        self.mark(group, Use::Read);
        self.mark(at..term.end.max(at + 1), Use::Read);
    }

    /// The place of the quantity of "the worst in delay".
    fn behind_worst(&self, at: usize, from: usize) -> usize {
        if self.is(at, &["worst"]) {
            self.past(from, &["in", "by", "for", "at", "regarding", "of"])
        } else {
            from
        }
    }

    /// The verb between a thing and "the most" is of the question: "which port receives the most".
    fn mark_verbs(&mut self, between: Range<usize>) {
        for place in between {
            if self.free(place) && self.is(place, CARRIES) {
                self.mark(place..place + 1, Use::Read);
            }
        }
    }

    /// Whether "the most" of the words is a figure: of numbers, or of how many different there are.
    fn is_rankable(&self, term: &Range<usize>) -> bool {
        let named = self.vocabulary.named(&self.tokens, term.start);
        named.is_some_and(|(_, fields)| {
            let whole = |field: &usize| {
                let kind = self.vocabulary.field(*field).field_type;
                matches!(kind, FieldType::Keyword | FieldType::Text)
            };
            self.has_order(&fields) || fields.iter().any(whole)
        })
    }

    /// The group that has the most: the words before "has", "with", "carried".
    fn group_before(&self, at: usize) -> Option<Range<usize>> {
        (0..at).rev().take(6).find_map(|from| {
            let linked = self.is(from, CARRIES)
                || self.is(at, &["worst"]) && self.is(from, &["is", "are", "was", "were"]);
            linked.then(|| self.word_before(from))?
        })
    }

    /// The field or noun that ends before `at`.
    pub(super) fn word_before(&self, at: usize) -> Option<Range<usize>> {
        if let Some(head) = self.head.clone().filter(|head| head.end == at) {
            return Some(head);
        }
        (at.saturating_sub(3)..at)
            .find_map(|from| self.known_at(from).filter(|range| range.end == at))
    }

    /// One, when the noun is in the singular.
    pub(super) fn limit_to_one_of(&mut self, noun: &Range<usize>) {
        if self.request.limit.is_none() && !nouns::is_plural(&self.tokens[noun.clone()]) {
            self.request.limit = Some(1);
        }
    }

    /// "Top 5 carriers by number of shipments", "top ten shipments by weight", "the first 20".
    fn top(&mut self) {
        let Some(at) = (0..self.tokens.len())
            .find(|at| self.free(*at) && self.is(*at, &["top", "bottom", "first", "limit"]))
        else {
            return;
        };
        let word = self.words(at..at + 1).to_lowercase();
        let place = self.past(at + 1, &["to", "the", "it", "that", "them"]);
        let Some(count) = self.count_at(place) else {
            return;
        };
        self.request.limit = Some(count);
        self.mark(at..place + 1, Use::Read);
        if !matches!(word.as_str(), "top" | "bottom") {
            return;
        }
        self.keyword(&word);
        let descending = word == "top";
        self.request.top = Some(descending);
        let of = place + 1;
        let by =
            (of..self.tokens.len().min(of + 8)).find(|at| self.is(*at, &["by"]) && self.free(*at));
        let is_head = self.head.clone().is_some_and(|head| head.start == of);
        let group = (!is_head).then(|| self.known_at(of)).flatten();
        if let Some(group) = group {
            let words = self.words(group.clone());
            self.term(words.clone(), TermRole::GroupBy, None, None);
            self.request.group_by.push(GroupTerm {
                term: Some(words),
                interval: None,
            });
            self.mark(group, Use::Read);
        }
        let grouped = !is_head && !self.request.group_by.is_empty();
        let Some(by) = by else {
            if grouped {
                self.request.measures.push(MeasureTerm {
                    op: MeasureOp::Count,
                    term: None,
                });
                self.request.sort.push(SortTerm {
                    by: SortKey::Measure(0),
                    descending,
                });
            }
            return;
        };
        let operator = self.operator(by + 1);
        let from = operator.map_or(by + 1, |(_, end)| end);
        let counted = self.before_head(from);
        let counts = self.head.clone().is_some_and(|head| {
            head.start == counted || self.is(head.end, &["count"]) && head.start == from
        }) || self.head.is_none()
            && self.all_free(counted..counted + 1)
            && self.vocabulary.noun(&self.tokens, counted).is_some();
        if grouped && counts {
            self.request.measures.push(MeasureTerm {
                op: MeasureOp::Count,
                term: None,
            });
            self.request.sort.push(SortTerm {
                by: SortKey::Measure(0),
                descending,
            });
            // Words for values of what is counted are conditions.
            let plain = self.past(from, &["the", "number", "of", "count"]);
            self.mark(by..plain, Use::Read);
        } else if let Some(term) = self.term_at(from) {
            if grouped {
                let op = operator.map_or(MeasureOp::Sum, |(op, _)| op);
                self.add_measure(op, term.clone());
                self.request.sort.push(SortTerm {
                    by: SortKey::Measure(0),
                    descending,
                });
            } else {
                let text = self.words(term.clone());
                self.term(text.clone(), TermRole::Sort, None, None);
                self.request.sort.push(SortTerm {
                    by: SortKey::Term(text),
                    descending,
                });
            }
            self.mark(by..term.end, Use::Read);
        }
    }

    /// "Average delay by carrier, top 2": the first groups are those by their figure.
    fn top_of_figures(&mut self) {
        let Some(descending) = self.request.top else {
            return;
        };
        if let (false, Some(first)) = (descending, self.request.sort.first_mut()) {
            first.descending = false;
        }
        if !self.request.sort.is_empty() || self.request.group_by.is_empty() {
            return;
        }
        let figure = |measure: &MeasureTerm| measure.term.is_some();
        let place = self.request.measures.iter().position(figure);
        self.request.sort.push(SortTerm {
            by: SortKey::Measure(place.unwrap_or(0)),
            descending,
        });
    }

    /// "Average delay by carrier, worst first".
    fn worst_first(&mut self) {
        if self.request.group_by.is_empty() || !self.request.sort.is_empty() {
            return;
        }
        let Some(at) = (0..self.tokens.len()).find(|at| {
            self.free(*at) && self.is(*at + 1, &["first"]) && self.direction(*at).0.is_some()
        }) else {
            return;
        };
        let (down, end) = self.direction(at);
        let figure = |measure: &MeasureTerm| measure.term.is_some();
        let place = self.request.measures.iter().position(figure);
        self.request.sort.push(SortTerm {
            by: SortKey::Measure(place.unwrap_or(0)),
            descending: down.unwrap_or(true),
        });
        self.mark(at..end, Use::Read);
    }

    /// "Which 3 ports have the highest average delay?"
    fn number_of_groups(&mut self) {
        if self.request.group_by.is_empty()
            || self.request.sort.is_empty()
            || self.request.limit.is_some()
        {
            return;
        }
        let found = (0..self.tokens.len().min(6)).find_map(|at| {
            let asks = self.is(at, &["which", "what", "the", "list", "show", "name"]);
            let count = self.count_at(at + 1).filter(|_| asks)?;
            let used = self.uses.get(at + 2) == Some(&Use::Read);
            used.then_some((at + 1, count))
        });
        if let Some((at, count)) = found {
            self.request.limit = Some(count);
            self.mark(at..at + 1, Use::Read);
        }
    }

    /// "Which month had the most late arrivals?", "the busiest week".
    fn interval_with_most(&mut self) {
        const MOST: &[&str] = &[
            "most", "busiest", "highest", "greatest", "largest", "longest",
        ];
        const FEWEST: &[&str] = &[
            "fewest", "least", "quietest", "lowest", "smallest", "shortest",
        ];
        let Some(at) = (0..self.tokens.len())
            .find(|at| self.free(*at) && (self.is(*at, MOST) || self.is(*at, FEWEST)))
        else {
            return;
        };
        let every = |scan: &Self, place: usize| {
            let word = scan.word(place).filter(|_| scan.free(place))?;
            interval(word).filter(|_| !word.ends_with("ly") && !word.ends_with('s'))
        };
        let behind = every(self, at + 1).map(|every| (at + 1, every));
        let asked = (0..at).find_map(|place| {
            let asks = self.is(place, &["which", "what"]);
            Some((place + 1, every(self, place + 1).filter(|_| asks)?))
        });
        let Some((place, every)) = behind.or(asked) else {
            return;
        };
        // "The most weight", "the highest average delay": of a figure.
        let begin = self.past(at + 1, &["the", "of"]);
        let operator = self.operator(begin).filter(|_| behind.is_none());
        let begin = operator.map_or(begin, |(_, end)| end);
        let term = self
            .known_at(begin)
            .filter(|term| behind.is_none() && self.is_number(term.start));
        let descending = self.is(at, MOST);
        self.group_by_time(Some(every));
        match term {
            Some(term) => {
                let words = self.words(term.clone());
                let op = match operator {
                    Some((op, _)) => op,
                    None if self.adds_up(&words) => MeasureOp::Sum,
                    None => MeasureOp::Average,
                };
                self.mark(at..term.start, Use::Read);
                self.add_measure(op, term);
            }
            None => self.add_count(),
        }
        self.request.sort.push(SortTerm {
            by: SortKey::Measure(0),
            descending,
        });
        if self.request.limit.is_none() {
            self.request.limit = Some(1);
        }
        let word = self.words(at..at + 1).to_lowercase();
        self.keyword(&word);
        self.mark(place..place + 1, Use::Read);
        self.mark(at..at + 1, Use::Read);
    }

    fn count_at(&self, at: usize) -> Option<u32> {
        let token = self.tokens.get(at).filter(|_| self.free(at))?;
        let count = token.number().or_else(|| number_word(&token.text))?;
        (1..=MAX_LIMIT).contains(&count).then_some(count)
    }

    /// "Ten latest", "the latest 5 shipments", "the most recent shipment", "oldest first".
    fn newest(&mut self) {
        let fields = self.vocabulary.fields();
        let dated = fields
            .iter()
            .any(|field| field.field_type == FieldType::Date);
        if !fields.is_empty() && !dated {
            return;
        }
        for at in 0..self.tokens.len() {
            let (end, descending) = if self.is(at, &["latest", "newest", "recent"]) {
                (at + 1, true)
            } else if self.is(at, &["most"]) && self.is(at + 1, &["recent"]) {
                (at + 2, true)
            } else if self.is(at, &["oldest", "earliest"]) {
                (at + 1, false)
            } else if self.is(at, &["last"]) && self.count_at(at + 1).is_some() {
                (at + 1, true)
            } else {
                continue;
            };
            if !self.all_free(at..end)
                || self
                    .request
                    .sort
                    .iter()
                    .any(|sort| sort.by == SortKey::Time)
            {
                continue;
            }
            let count = self
                .count_at(end)
                .map(|count| (count, end + 1))
                .or_else(|| Some((self.count_at(at.checked_sub(1)?)?, end)));
            // "The last 5" of what is wanted; "last 5 widgets" says nothing about records.
            let head = self.head.clone();
            let to = count.map_or(end, |(_, to)| to);
            let of_head = head
                .clone()
                .is_some_and(|head| head.start == to || head.end == at);
            if self.is(at, &["last"]) && !of_head {
                continue;
            }
            let word = self.words(at..end).to_lowercase();
            self.keyword(&word);
            self.request.sort.push(SortTerm {
                by: SortKey::Time,
                descending,
            });
            match (count, head) {
                (Some((count, _)), _) => self.request.limit = Some(count),
                (None, Some(head)) if head.start == to => self.limit_to_one_of(&head),
                _ => {}
            }
            let from = if count.is_some_and(|(_, to)| to == end) {
                at - 1
            } else {
                at
            };
            self.mark(from..to, Use::Read);
        }
    }

    /// "Sorted by delay descending", "order by weight", "by delay, longest first".
    fn sorted_by(&mut self, at: usize) -> bool {
        if !self.is(
            at,
            &[
                "sort", "sorted", "order", "ordered", "rank", "ranked", "sorting",
            ],
        ) {
            return false;
        }
        let Some(by) = (at + 1..self.tokens.len().min(at + 6)).find(|at| self.is(*at, &["by"]))
        else {
            return false;
        };
        let operator = self.operator(by + 1);
        let from = operator.map_or(by + 1, |(_, end)| end);
        let time = self.is(from, &["date", "time", "day"]);
        let counted = self.is(from, &["count", "number"]) && self.free(from);
        let Some(term) = (if time || counted && self.known_at(from).is_none() {
            Some(from..from + 1)
        } else {
            self.term_at(from)
        }) else {
            return false;
        };
        let (down, end) = self.direction(term.end);
        let measure = operator.and_then(|(op, _)| {
            let text = self.words(term.clone());
            let known =
                |measure: &MeasureTerm| measure.op == op && measure.term.as_ref() == Some(&text);
            self.request.measures.iter().position(known)
        });
        let by_count = self.is(term.start, &["count", "number"]);
        let by = if time {
            SortKey::Time
        } else if let Some(place) = measure {
            SortKey::Measure(place)
        } else if by_count && !self.request.measures.is_empty() {
            SortKey::Measure(0)
        } else if by_count {
            SortKey::Count
        } else {
            let text = self.words(term.clone());
            self.term(text.clone(), TermRole::Sort, None, None);
            SortKey::Term(text)
        };
        // Without a word for it: the greatest first of what is counted, the smallest first of the
        // rest.
        let descending = down.unwrap_or(matches!(by, SortKey::Measure(_) | SortKey::Count));
        self.request.sort.push(SortTerm { by, descending });
        self.mark(at..end, Use::Read);
        true
    }

    fn direction(&self, at: usize) -> (Option<bool>, usize) {
        let at = self.past(at, &["in", ",", "("]);
        let down = match self.word(at) {
            Some("desc" | "descending" | "decreasing") => Some(true),
            Some("asc" | "ascending" | "increasing") => Some(false),
            Some(
                "highest" | "largest" | "longest" | "biggest" | "heaviest" | "newest" | "latest"
                | "most" | "greatest" | "worst",
            ) if self.is(at + 1, &["first"]) => Some(true),
            Some(
                "lowest" | "smallest" | "shortest" | "oldest" | "earliest" | "least" | "lightest",
            ) if self.is(at + 1, &["first"]) => Some(false),
            _ => None,
        };
        let first = usize::from(down.is_some() && self.is(at + 1, &["first", "order"]));
        match down {
            Some(_) => (down, at + 1 + first),
            None => (None, at),
        }
    }

    /// "By carrier", "per month", "for each vessel", "grouped by origin and carrier", "monthly".
    fn grouped_by(&mut self, at: usize) -> bool {
        if self.is(
            at,
            &[
                "daily",
                "weekly",
                "monthly",
                "quarterly",
                "yearly",
                "hourly",
            ],
        ) {
            let every = self.word(at).and_then(interval);
            self.group_by_time(every);
            self.mark(at..at + 1, Use::Read);
            return true;
        }
        if self.is(at, &["over"]) && self.is(at + 1, &["time"]) {
            self.group_by_time(Some(Interval::Month));
            self.mark(at..at + 2, Use::Read);
            return true;
        }
        if self.is(at, &["by"]) && self.ranked_by(at) {
            return true;
        }
        let explicit = self.is(
            at,
            &["group", "grouped", "broken", "break", "split", "grouping"],
        );
        let begin = if explicit {
            match (at + 1..self.tokens.len().min(at + 6))
                .find(|at| self.is(*at, &["by", "per", "into"]))
            {
                Some(by) => by + 1,
                None => return false,
            }
        } else if self.is(at, &["per"]) || self.is(at, &["each"]) || self.is(at, &["by"]) {
            at + 1
        } else if self.is(at, &["for", "in"]) && self.is(at + 1, &["each", "every"]) {
            at + 2
        } else {
            return false;
        };
        let sure = explicit || !self.is(at, &["by"]);
        let mut place = begin;
        let mut any = false;
        while self.request.group_by.len() < 3 {
            let Some(end) = self.group(place, sure) else {
                break;
            };
            any = true;
            self.mark(at..end, Use::Read);
            let joined = self.past(end, &[",", "and", "then", "by"]);
            if joined == end {
                break;
            }
            place = joined;
        }
        any
    }

    fn group(&mut self, at: usize, sure: bool) -> Option<usize> {
        let begin = self.past(at, &["the", "each", "a"]);
        if let Some(every) = self
            .word(begin)
            .and_then(interval)
            .filter(|_| self.free(begin))
        {
            self.group_by_time(Some(every));
            return Some(begin + 1);
        }
        // "Compare coffee and furniture by weight": the figure that is compared.
        if let Some(range) = self.known_at(begin)
            && self.is_number(range.start)
            && self.is_compared()
        {
            let words = self.words(range.clone());
            let op = if self.on_average || !self.adds_up(&words) {
                MeasureOp::Average
            } else {
                MeasureOp::Sum
            };
            let end = range.end;
            self.add_measure(op, range);
            return Some(end);
        }
        // "Month of arrival", "arrival month".
        let range = match self.known_at(begin) {
            Some(range) => range,
            None if sure => self.term_at(begin)?,
            None => return None,
        };
        // "By vessel MSC ANNA": a name, no group.
        if !sure && self.is_name(range.end) {
            return None;
        }
        let every = self.word(range.end).and_then(interval);
        let text = self.words(range.clone());
        let group = GroupTerm {
            term: Some(text.clone()),
            interval: every,
        };
        if !self.request.group_by.contains(&group) {
            self.term(text, TermRole::GroupBy, None, None);
            self.request.group_by.push(group);
        }
        Some(range.end + usize::from(every.is_some()))
    }

    /// Whether the words compare things.
    fn is_compared(&self) -> bool {
        (0..self.tokens.len())
            .any(|at| self.is(at, COMPARE) || self.is(at, &["difference", "comparing"]))
    }

    fn group_by_time(&mut self, interval: Option<Interval>) {
        if self.request.group_by.len() < 3
            && !self
                .request
                .group_by
                .iter()
                .any(|group| group.interval.is_some())
        {
            self.request.group_by.push(GroupTerm {
                term: None,
                interval,
            });
        }
    }

    /// The measure that the words at `at` name, and the place behind them.
    fn operator(&self, at: usize) -> Option<(MeasureOp, usize)> {
        let at = self.past(at, &["the"]);
        let op = match self.word(at)? {
            "average" | "mean" | "avg" | "averaged" => MeasureOp::Average,
            "total" | "sum" | "overall" | "combined" | "cumulative" => MeasureOp::Sum,
            "maximum" | "max" | "maximal" => MeasureOp::Maximum,
            "minimum" | "min" | "minimal" => MeasureOp::Minimum,
            _ => return None,
        };
        // "Maximum of 5": a condition.
        let end = at + 1 + usize::from(self.is(at + 1, &["of"]));
        let number = self
            .tokens
            .get(end)
            .is_some_and(|token| token.number().is_some());
        (!number).then_some((op, end))
    }

    /// "How many shipments", "number of vessels", "average delay", "how many different carriers".
    fn measure(&mut self, at: usize) -> bool {
        let counts = if self.is(at, &["how"]) && self.is(at + 1, &["many"]) {
            Some(at + 2)
        } else if self.is(at, &["number", "count", "counts", "amount"]) {
            Some(at + 1)
        } else if self.is(at, &["total"]) && self.is(at + 1, &["number", "count"]) {
            Some(at + 2)
        } else {
            None
        };
        if let Some(end) = counts {
            return self.count(at, end);
        }
        let much = self.is(at, &["how"]) && self.is(at + 1, &["much"]);
        // "How much shipments": how many, in the words of another language.
        if much
            && self
                .head
                .clone()
                .is_some_and(|head| head.start == self.before_head(at + 2))
        {
            return self.count(at, at + 2);
        }
        // "How much coffee": of the records with that value.
        let value = self.past(at + 2, &["of", "the"]);
        let valued = self.vocabulary.valued(&self.tokens, value).is_some();
        if much
            && !valued
            && let Some(term) = self.term_at(at + 2)
        {
            self.keyword("how much");
            self.mark(at..at + 2, Use::Read);
            self.add_measure(MeasureOp::Sum, term);
            return true;
        }
        let Some((op, end)) = self.operator(at) else {
            return false;
        };
        let word = self.words(at..at + 1).to_lowercase();
        let place = self.past(end, &["the", "number", "of"]);
        // "Total shipments": how many.
        if op == MeasureOp::Sum && self.head.clone().is_some_and(|head| head.start == place) {
            self.keyword(&word);
            self.add_count();
            self.mark(at..place, Use::Read);
            return true;
        }
        if self.joined_operator(at, op, end) {
            return true;
        }
        let Some(term) = self.term_at(end) else {
            return false;
        };
        self.keyword(&word);
        self.mark(at..end, Use::Read);
        self.add_measure(op, term);
        true
    }

    /// "Minimum and maximum weight": the first of two figures of one field.
    fn joined_operator(&mut self, at: usize, op: MeasureOp, end: usize) -> bool {
        let joined = self.past(end, &["and", "or", ",", "/", "&"]);
        let Some((_, behind)) = self.operator(joined).filter(|_| joined > end) else {
            return false;
        };
        let Some(term) = self.term_at(behind) else {
            return false;
        };
        let word = self.words(at..at + 1).to_lowercase();
        self.keyword(&word);
        let text = self.field_words(term);
        self.term(text.clone(), TermRole::Measure, None, None);
        let term = Some(text);
        self.request.measures.push(MeasureTerm { op, term });
        self.mark(at..joined, Use::Read);
        true
    }

    fn count(&mut self, at: usize, end: usize) -> bool {
        let begin = self.past(end, &["of", "the"]);
        let phrase = self.words(at..end).to_lowercase();
        let different = self.is(begin, &["different", "distinct", "unique"]);
        if self
            .head
            .clone()
            .is_some_and(|head| head.start == self.before_head(begin))
        {
            self.keyword(&phrase);
            self.add_count();
            self.mark(at..begin, Use::Read);
            return true;
        }
        let place = begin + usize::from(different);
        let is_head = self.head.clone().is_some_and(|head| head.start == place);
        // "How many late to Hamburg", "how many arrived": records that are so.
        if !is_head && let Some(term) = self.known_at(place).filter(|_| self.is_countable(place)) {
            // "How many carriers": different ones, unless it is a number itself.
            let is_number = self.is_number(place);
            self.keyword(&phrase);
            self.mark(at..place, Use::Read);
            self.add_measure(
                if is_number {
                    MeasureOp::Sum
                } else {
                    MeasureOp::Distinct
                },
                term,
            );
            return true;
        }
        // "How many tons went to Hamburg".
        let unit = self.word(place).and_then(|word| self.field_with_unit(word));
        if let Some(field) = unit.filter(|field| !is_head && self.adds_up(field)) {
            self.keyword(&phrase);
            self.term(field.clone(), TermRole::Measure, None, None);
            self.request.measures.push(MeasureTerm {
                op: MeasureOp::Sum,
                term: Some(field),
            });
            self.mark(at..place + 1, Use::Read);
            return true;
        }
        // "Count" alone counts too, but "container count" is a field.
        if !is_head && self.is(at, &["number", "amount"]) && begin == end {
            return false;
        }
        self.keyword(&phrase);
        self.add_count();
        self.mark(at..place, Use::Read);
        true
    }

    /// Whether the words at a place are things of which there may be several different ones: no
    /// state of records, no date.
    fn is_countable(&self, place: usize) -> bool {
        let state = self.vocabulary.valued(&self.tokens, place).is_some()
            || self.vocabulary.affirmed(&self.tokens, place).is_some();
        let named = self.vocabulary.named(&self.tokens, place);
        let counted = named.is_none_or(|(_, fields)| {
            fields.iter().any(|field| {
                let kind = self.vocabulary.field(*field).field_type;
                kind.is_number() || matches!(kind, FieldType::Keyword | FieldType::Text)
            })
        });
        !state && counted
    }

    /// Whether the words at a place are a number field.
    fn is_number(&self, place: usize) -> bool {
        let named = self.vocabulary.named(&self.tokens, place);
        named.is_some_and(|(_, fields)| {
            let mut fields = fields.iter();
            fields.any(|field| self.vocabulary.field(*field).field_type.is_number())
        })
    }

    fn add_count(&mut self) {
        let count = MeasureTerm {
            op: MeasureOp::Count,
            term: None,
        };
        if !self.request.measures.contains(&count) {
            self.request.measures.push(count);
        }
    }

    pub(super) fn add_measure(&mut self, op: MeasureOp, term: Range<usize>) {
        if self.request.measures.len() >= 8 {
            return;
        }
        let text = self.field_words(term.clone());
        // Different values are those of a field that groups can be made by.
        let role = match op {
            MeasureOp::Distinct => TermRole::GroupBy,
            _ => TermRole::Measure,
        };
        self.term(text.clone(), role, None, None);
        self.mark(term, Use::Read);
        let measure = MeasureTerm {
            op,
            term: Some(text),
        };
        if !self.request.measures.contains(&measure) {
            self.request.measures.push(measure);
        }
    }

    /// "Most delayed shipments", "highest value", "heaviest shipments", "highest average delay".
    fn extreme(&mut self, at: usize) -> bool {
        let word = self.words(at..at + 1).to_lowercase();
        if self.head.is_none() && self.bare_superlative(at) {
            return true;
        }
        if let Some((quantity, descending)) = superlative(&word) {
            self.keyword(&word);
            self.term(quantity.to_owned(), TermRole::Sort, None, None);
            self.request.sort.push(SortTerm {
                by: SortKey::Term(quantity.to_owned()),
                descending,
            });
            self.mark(at..at + 1, Use::Read);
            self.counted_before(at);
            if let Some(head) = self.head.clone().filter(|head| head.start == at + 1) {
                self.limit_to_one_of(&head);
            }
            return true;
        }
        let descending = match word.as_str() {
            "most" | "highest" | "longest" | "largest" | "greatest" | "biggest" | "worst" => true,
            "least" | "lowest" | "shortest" | "smallest" | "fewest" => false,
            _ => return false,
        };
        // "At least", "at most": conditions.
        if at > 0 && self.is(at - 1, &["at"]) {
            return false;
        }
        if let Some((op, end)) = self.operator(at + 1)
            && let Some(term) = self.term_at(end)
        {
            self.keyword(&word);
            self.mark(at..end, Use::Read);
            self.add_measure(op, term);
            self.request.sort.push(SortTerm {
                by: SortKey::Measure(self.request.measures.len().saturating_sub(1)),
                descending,
            });
            return true;
        }
        let Some((end, _)) = self
            .vocabulary
            .named(&self.tokens, at + 1)
            .filter(|(end, fields)| self.all_free(at + 1..*end) && self.has_order(fields))
        else {
            return false;
        };
        let text = self.words(at + 1..end);
        self.keyword(&word);
        self.term(text.clone(), TermRole::Sort, None, None);
        self.request.sort.push(SortTerm {
            by: SortKey::Term(text),
            descending,
        });
        self.mark(at..end, Use::Read);
        self.counted_before(at);
        match self.head.clone() {
            Some(head) if head.start == end => self.limit_to_one_of(&head),
            Some(_) => {}
            // "What was the longest delay?"
            None => self.limit_to_one_of(&(at + 1..end)),
        }
        true
    }

    /// "The oldest", "and the lightest?", of what was found: no noun is beside it.
    fn bare_superlative(&mut self, at: usize) -> bool {
        let Some(found) = superlatives::at(&self.tokens, at) else {
            return false;
        };
        let end = at + found.words;
        let quantity = found.quantity(&self.vocabulary);
        // "The coldest reefers": words for values name what is compared.
        let alone = (self.before_head(end)..self.tokens.len())
            .all(|at| !self.tokens[at].is_word() || self.is(at, &["one", "ones", "please"]));
        let compares = at > 0 && self.is(at - 1, &["at"]);
        let (Some(quantity), true, false) = (quantity, alone, compares) else {
            return false;
        };
        if !self.all_free(at..end) || !self.request.sort.is_empty() {
            return false;
        }
        let word = self.words(at..end).to_lowercase();
        self.keyword(&word);
        self.term(quantity.to_owned(), TermRole::Sort, None, None);
        self.request.sort.push(SortTerm {
            by: SortKey::Term(quantity.to_owned()),
            descending: found.descending,
        });
        self.mark(at..end, Use::Read);
        self.counted_before(at);
        true
    }

    /// Whether one of these fields has an order that means something: a number or a date.
    fn has_order(&self, fields: &[usize]) -> bool {
        fields.iter().any(|field| {
            let kind = self.vocabulary.field(*field).field_type;
            kind.is_number() || kind == FieldType::Date
        })
    }

    /// "The second heaviest": the last of the first two.
    fn ordinal_before(&mut self, at: usize) {
        let Some(before) = at.checked_sub(1).filter(|before| self.free(*before)) else {
            return;
        };
        let place = match self.word(before) {
            Some("second" | "2nd") => 2,
            Some("third" | "3rd") => 3,
            Some("fourth" | "4th") => 4,
            Some("fifth" | "5th") => 5,
            _ => return,
        };
        let said = self.words(before..at);
        self.request.limit = Some(place);
        self.request
            .remarks
            .push(format!("The {said} is the last of these {place}."));
        self.mark(before..at, Use::Read);
    }

    /// "The 3 heaviest".
    pub(super) fn counted_before(&mut self, at: usize) {
        self.ordinal_before(at);
        if let Some(before) = at.checked_sub(1)
            && let Some(count) = self.count_at(before)
            && self.request.limit.is_none()
        {
            self.request.limit = Some(count);
            self.mark(before..at, Use::Read);
        }
    }
}

/// The measure of groups when the highest or lowest is requested.
fn of_extremes(word: &str) -> MeasureOp {
    match word {
        "most" | "least" | "fewest" => MeasureOp::Sum,
        "worst" => MeasureOp::Average,
        "lowest" | "shortest" | "smallest" => MeasureOp::Minimum,
        _ => MeasureOp::Maximum,
    }
}
