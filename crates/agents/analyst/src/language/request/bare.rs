//! Quantities without a word for what is computed of them: "weight by carrier", "what weight went
//! to Santos", "how much coffee in tons", "which is the heaviest".

use std::ops::Range;

use contracts::tools::meanings::TermRole;
use contracts::tools::search::{FieldType, MeasureOp};

use super::conditions::unit_of;
use super::scan::{Scan, Use};
use super::words::{NOT, OPERATORS};
use super::{GroupTerm, MeasureTerm, SortKey, SortTerm, nouns, superlatives};

/// Words before a field that say that it is shown.
const SHOWN: &[&str] = &[
    "with",
    "include",
    "including",
    "show",
    "add",
    "and",
    "plus",
    "column",
    "columns",
    "by",
    "per",
    "their",
    "its",
    "also",
    "display",
];
/// Words behind a quantity that select the records that have it.
const OF: &[&str] = &[
    "went", "goes", "go", "was", "is", "did", "do", "does", "has", "have", "came", "comes", "to",
    "from", "moved", "shipped", "arrived", "arrives", "departed", "left", "we", "were",
];

/// Verbs of things that carry something.
const CARRY: &[&str] = &[
    "carry",
    "carried",
    "handle",
    "handled",
    "move",
    "moved",
    "transport",
    "transported",
];
/// Verbs that ask for things.
const LISTS: &[&str] = &[
    "retrieve", "list", "name", "show", "display", "give", "get", "find", "fetch",
];
/// Words behind things that ask which there are.
const THERE: &[&[&str]] = &[
    &["are", "there"],
    &["there", "are"],
    &["exist"],
    &["do", "you", "know"],
    &["do", "you", "have"],
    &["do", "we", "have"],
    &["do", "we", "use"],
    &["do", "i", "have"],
    &["are", "known"],
    &["can", "i", "ask"],
];

/// Verbs of things that go somewhere or serve a place.
const GO: &[&str] = &[
    "go",
    "goes",
    "went",
    "come",
    "comes",
    "came",
    "serve",
    "serves",
    "served",
    "sail",
    "sails",
    "sailed",
    "ship",
    "ships",
    "shipped",
    "deliver",
    "delivered",
    "call",
    "calls",
    "called",
];

impl Scan<'_> {
    /// Quantities that are to be computed although no word says how.
    pub(super) fn bare_measures(&mut self) {
        self.much_of_a_value();
        self.how_much_it_weighs();
        self.which_is();
        // "Weight by carrier, heaviest first" is ordered by what is computed.
        let ordered = |sort: &SortTerm| sort.by != SortKey::Measure(0);
        if !self.counts_by_default() || self.request.sort.iter().any(ordered) {
            return;
        }
        let Some(range) = self.quantity() else { return };
        let words = self.words(range.clone());
        let op = if self.on_average || !self.adds_up(&words) {
            MeasureOp::Average
        } else {
            MeasureOp::Sum
        };
        self.request.measures.clear();
        self.add_measure(op, range);
    }

    /// "How much do the shipments to Hamburg weigh", "how much are they worth".
    fn how_much_it_weighs(&mut self) {
        let much = (0..self.tokens.len()).find(|at| {
            self.is(*at, &["how"]) && self.is(*at + 1, &["much"]) && self.all_free(*at..*at + 2)
        });
        let Some(much) = much.filter(|_| self.request.measures.is_empty()) else {
            return;
        };
        let verb = (much + 2..self.tokens.len()).find(|at| {
            self.free(*at)
                && self.is(
                    *at,
                    &["weigh", "weighs", "weighed", "worth", "cost", "costs"],
                )
        });
        let Some(verb) = verb else { return };
        let weighs = self
            .word(verb)
            .is_some_and(|word| word.starts_with("weigh"));
        let adjective = if weighs { "heavy" } else { "valuable" };
        let quantity = superlatives::of_adjective(adjective);
        let Some(quantity) = quantity.and_then(|found| found.quantity(&self.vocabulary)) else {
            return;
        };
        self.term(quantity.to_owned(), TermRole::Measure, None, None);
        self.request.measures.push(MeasureTerm {
            op: MeasureOp::Sum,
            term: Some(quantity.to_owned()),
        });
        self.keyword("how much");
        self.mark(much..much + 2, Use::Read);
        self.mark(verb..verb + 1, Use::Read);
    }

    /// Whether nothing is computed, or only what groups have without a word for it.
    fn counts_by_default(&self) -> bool {
        let measures = &self.request.measures;
        let counted = [
            "how many",
            "number",
            "count",
            "counts",
            "total number",
            "amount",
        ];
        let keywords = &self.request.aggregation_keywords;
        measures.iter().all(|measure| measure.term.is_none())
            && !keywords.iter().any(|word| counted.contains(&word.as_str()))
            && !(measures.is_empty() && keywords.iter().any(|word| word == "total"))
    }

    /// A number field that is used as a figure.
    fn quantity(&self) -> Option<Range<usize>> {
        let grouped = !self.request.group_by.is_empty();
        (0..self.tokens.len()).find_map(|at| {
            let range = self.number_at(at)?;
            let before = self.past_back(at, &["the", "a", "all", "of", "our"]);
            let led = before.checked_sub(1);
            if led.is_some_and(|led| self.is(led, SHOWN) && !(led == 0 && self.is(led, &["show"])))
            {
                return None;
            }
            let asked = led.is_some_and(|led| self.is(led, &["what", "which", "total"]));
            let first = before == 0
                || led.is_some_and(|led| {
                    self.past_back(
                        led + 1,
                        &["show", "give", "me", "list", "what", "is", "the"],
                    ) == 0
                });
            let moved = self.is(range.end, OF) && (asked || first) && self.head.is_none();
            let of = self.is(range.end, &["of"]) && first && {
                let behind = self.past(range.end + 1, &["the", "all", "our"]);
                let records = self.head.as_ref().is_some_and(|head| head.start == behind);
                let value = matches!(self.uses.get(behind), Some(Use::Read));
                records && grouped || value && self.head.is_none() || self.is_of_all(behind)
            };
            let all_of = grouped && (first || self.on_average);
            (all_of || moved || of).then_some(range)
        })
    }

    /// "The value of late shipments": of records that no name or id picks out, and that are not
    /// listed.
    fn is_of_all(&self, behind: usize) -> bool {
        let lists = (0..behind).any(|at| self.is(at, &["list", "each", "every"]));
        let of_many = self.head.clone().is_some_and(|head| {
            let led = (behind..head.start).all(|at| self.uses[at] == Use::Read);
            behind <= head.start && led && nouns::is_plural(&self.tokens[head])
        });
        of_many && !lists && self.request.entity_hints.is_empty()
    }

    /// The words of a number field at a place that nothing was made of.
    pub(super) fn number_at(&self, at: usize) -> Option<Range<usize>> {
        let (end, fields) = self.vocabulary.named(&self.tokens, at)?;
        let mut fields = fields.iter();
        let number = fields.any(|field| self.vocabulary.is_quantity(*field));
        let noun = self.head.as_ref().is_some_and(|head| head.start == at);
        (number && !noun && self.all_free(at..end)).then_some(at..end)
    }

    /// "How much coffee in tons": the quantity that has such a unit, otherwise the weight, of the
    /// records with the value.
    fn much_of_a_value(&mut self) {
        let much = (0..self.tokens.len()).find(|at| {
            self.is(*at, &["how"]) && self.is(*at + 1, &["much"]) && self.all_free(*at..*at + 2)
        });
        let Some(at) = much else { return };
        let value = self.past(at + 2, &["of", "the"]);
        if self.uses.get(value) != Some(&Use::Read) || !self.request.measures.is_empty() {
            return;
        }
        let unit = (value..self.tokens.len()).find_map(|place| {
            let said = self.word(place + 1).filter(|_| self.is(place, &["in"]))?;
            let field = self.field_with_unit(said)?;
            Some((place, field))
        });
        let field = match unit {
            Some((place, field)) => {
                self.mark(place..place + 2, Use::Read);
                Some(field)
            }
            None => superlatives::of_adjective("heavy")
                .and_then(|weight| weight.quantity(&self.vocabulary))
                .map(str::to_owned),
        };
        let Some(field) = field else { return };
        self.term(field.clone(), TermRole::Measure, None, None);
        self.request.measures.push(MeasureTerm {
            op: MeasureOp::Sum,
            term: Some(field),
        });
        self.keyword("how much");
        self.mark(at..at + 2, Use::Read);
    }

    /// "Carriers by delay", "worst port by delay", "shipments by weight": an order by a number, of
    /// which no groups can be made.
    pub(super) fn ranked_by(&mut self, at: usize) -> bool {
        let begin = self.past(at + 1, &["the", "their", "total", "average"]);
        let Some(range) = self.number_at(begin) else {
            return false;
        };
        let quantity = self.words(range.clone());
        let groupable = self.vocabulary.fields().iter().any(|field| {
            let mut called = std::iter::once(&field.name).chain(&field.synonyms);
            !field.field_type.is_number() && called.any(|name| name.eq_ignore_ascii_case(&quantity))
        });
        let records = self.head.clone().filter(|head| head.end <= at);
        let noun = self.word_before(at).or(records);
        let Some(noun) = noun.filter(|_| !groupable) else {
            return false;
        };
        if !self.request.group_by.is_empty() || !self.request.sort.is_empty() {
            return false;
        }
        let before = noun.start.checked_sub(1).filter(|at| self.free(*at));
        let best = before.is_some_and(|at| self.is(at, &["best"]));
        let worst = before.is_some_and(|at| self.is(at, &["worst"]));
        // The less delay the better, but the more weight.
        let descending = if best || worst {
            best == self.adds_up(&quantity)
        } else {
            true
        };
        if self.head.as_ref() == Some(&noun) {
            self.term(quantity.clone(), TermRole::Sort, None, None);
            self.request.sort.push(SortTerm {
                by: SortKey::Term(quantity),
                descending,
            });
        } else {
            self.ranked(&noun, Some(&quantity), descending);
            self.mark(noun.clone(), Use::Read);
        }
        if let Some(said) = before.filter(|_| best || worst) {
            self.limit_to_one_of(&noun);
            self.mark(said..said + 1, Use::Read);
        }
        self.mark(at..range.end, Use::Read);
        true
    }

    /// "Which carriers are there?", "list the carriers": the values of a field, with how many
    /// records each has.
    pub(super) fn things_there(&mut self) {
        if !self.request.group_by.is_empty() || !self.request.measures.is_empty() {
            return;
        }
        let begin = usize::from(self.is(0, LISTS));
        let (Some(things), None) = (self.things_from(begin), &self.head) else {
            return;
        };
        let is_group = self.is_group(things.start);
        let asks = things.start > 0 && self.is(things.start - 1, &["which", "what"]);
        let is_there = THERE.iter().any(|words| {
            let mut places = words.iter().enumerate();
            places.all(|(at, word)| self.is(things.end + at, &[word]))
        });
        let ends = things.end >= self.last_word();
        let listed = self.is(0, LISTS) && ends;
        if !is_group
            || !(asks && (is_there || ends) || listed)
            || !nouns::is_plural(&self.tokens[things.clone()])
            || !self.all_free(things.clone())
            || !self.request.sort.is_empty()
        {
            return;
        }
        self.group_and_count(things);
        if listed {
            self.mark(0..1, Use::Read);
        }
    }

    /// Whether the words at a place are a field that groups are made by.
    fn is_group(&self, at: usize) -> bool {
        let named = self.vocabulary.named(&self.tokens, at);
        named.is_some_and(|(_, fields)| {
            let mut fields = fields.iter();
            fields.any(|field| {
                let kind = self.vocabulary.field(*field).field_type;
                matches!(kind, FieldType::Keyword | FieldType::Text)
            })
        })
    }

    /// The place behind the last word, without "please" and the like.
    fn last_word(&self) -> usize {
        let said =
            |at: &usize| self.tokens[*at].is_word() && !self.is(*at, &["please", "there", "are"]);
        (0..self.tokens.len())
            .rev()
            .find(said)
            .map_or(0, |at| at + 1)
    }

    fn group_and_count(&mut self, things: Range<usize>) {
        let words = self.words(things.clone());
        self.term(words.clone(), TermRole::GroupBy, None, None);
        self.request.group_by.push(GroupTerm {
            term: Some(words),
            interval: None,
        });
        self.request.measures.push(MeasureTerm {
            op: MeasureOp::Count,
            term: None,
        });
        self.mark(things, Use::Read);
    }

    /// "Ports with late shipments": how many records each has.
    pub(super) fn things_with_records(&mut self) {
        if !self.request.group_by.is_empty() || !self.request.measures.is_empty() {
            return;
        }
        let things = self.things();
        if let Some(things) = things.clone().filter(|_| self.head.is_none())
            && things.start > 0
            && self.is(things.start - 1, &["which", "what"])
            && self.is(things.end, &["are", "were", "have", "had"])
            && self.uses.get(things.end + 1) == Some(&Use::Read)
            && nouns::is_plural(&self.tokens[things.clone()])
            && self.all_free(things.clone())
            && self.is_group(things.start)
            && self.request.sort.is_empty()
        {
            // "Which carriers are late?"
            self.group_and_count(things);
            return;
        }
        if let Some(things) = things.clone().filter(|_| self.head.is_none())
            && things.start > 0
            && self.is(things.start - 1, &["which", "what"])
            && (self.is(things.end, GO)
                || self.is(things.end, CARRY) && nouns::is_plural(&self.tokens[things.clone()]))
            && !(things.end..self.tokens.len()).any(|at| self.is(at, &["it", "this", "that"]))
            && self.all_free(things.clone())
        {
            let place = things.start..things.end + 1;
            self.group_and_count(things);
            self.mark(place, Use::Read);
            return;
        }
        let (Some(things), Some(head)) = (things, self.head.clone()) else {
            return;
        };
        let with = self.is(things.end, &["with", "having", "have", "had"]);
        if !with || head.start <= things.end || head.start > things.end + 4 {
            return;
        }
        let plain = (things.end + 1..head.start).all(|at| {
            self.tokens[at].number().is_none() && !self.is(at, NOT) && !self.is(at, OPERATORS)
        });
        if !plain || !self.all_free(things.clone()) {
            return;
        }
        let place = things.start..things.end + 1;
        self.group_and_count(things);
        self.mark(place, Use::Read);
    }

    /// The name of the number field that is measured in units of this kind.
    pub(super) fn field_with_unit(&self, said: &str) -> Option<String> {
        let said = unit_of(said)?;
        let mut fields = self.vocabulary.fields().iter();
        let field = fields.find(|field| {
            let own = field.unit.as_deref().and_then(unit_of);
            field.field_type.is_number() && own.is_some_and(|own| own.same_quantity(&said))
        })?;
        Some(field.name.clone())
    }

    /// "Which is the heaviest?", of what was found.
    fn which_is(&mut self) {
        if self.head.is_some() || !self.request.group_by.is_empty() {
            return;
        }
        let asks = (0..self.tokens.len().min(3)).find(|at| self.is(*at, &["which", "what"]));
        let Some(asks) = asks else { return };
        let be = self.past(asks + 1, &["one", "of", "them", "these", "those"]);
        if !self.is(be, &["is", "was", "has", "are", "were"]) {
            return;
        }
        let place = self.past(be + 1, &["the", "one"]);
        if self.request.sort.is_empty() {
            let Some(found) = superlatives::at(&self.tokens, place) else {
                return;
            };
            let end = place + found.words;
            let Some(quantity) = found.quantity(&self.vocabulary) else {
                return;
            };
            if !self.all_free(place..end) {
                return;
            }
            self.term(quantity.to_owned(), TermRole::Sort, None, None);
            self.request.sort.push(SortTerm {
                by: SortKey::Term(quantity.to_owned()),
                descending: found.descending,
            });
            let word = self.words(place..end).to_lowercase();
            self.keyword(&word);
            self.mark(place..end, Use::Read);
        }
        if self.request.limit.is_none() && !self.is(be, &["are", "were"]) {
            self.request.limit = Some(1);
        }
    }
}
