//! The names of sources' fields, values and indices.

use std::collections::{HashMap, HashSet};

use contracts::tools::search::{
    FieldDescription, FieldType, IndexDescription, SourceDescription, SourceList,
};

use super::words::BEFORE_NAMES;
use crate::language::text::{Token, stem, tokens};

/// Words of field names that people leave out.
const UNSAID: &[&str] = &[
    "id",
    "name",
    "kg",
    "usd",
    "eur",
    "hours",
    "hour",
    "minutes",
    "days",
    "teu",
    "code",
    "ft",
    "c",
    "at",
    "m",
    "km",
    "t",
    "tonnes",
    "pct",
    "percent",
    "number",
    "no",
    "date",
    "time",
    "timestamp",
    "field",
    "keyword",
];
/// Words of names of dates that people leave out.
const OF_DATES: &[&str] = &[
    "planned",
    "actual",
    "date",
    "time",
    "at",
    "scheduled",
    "estimated",
    "expected",
    "on",
];

/// A phrase by its stems, with what it means.
struct Form<M> {
    stems: Vec<String>,
    means: M,
}

/// Phrases by the stem that they begin with.
struct Phrases<M>(HashMap<String, Vec<Form<M>>>);

impl<M: Copy + PartialEq> Phrases<M> {
    fn new() -> Self {
        Self(HashMap::new())
    }

    fn add(&mut self, words: &[String], means: M) {
        let stems: Vec<String> = words.iter().map(|word| stem(word)).collect();
        let Some(first) = stems.first().cloned() else {
            return;
        };
        let forms = self.0.entry(first).or_default();
        if !forms
            .iter()
            .any(|form| form.stems == stems && form.means == means)
        {
            forms.push(Form { stems, means });
        }
    }

    /// The longest phrases that begin at `at`: the place behind them, and what they mean.
    fn at(&self, tokens: &[Token], at: usize) -> Option<(usize, Vec<M>)> {
        let first = tokens.get(at).filter(|token| token.is_word())?;
        let mut found: Option<(usize, Vec<M>)> = None;
        for form in self.0.get(&stem(&first.text))? {
            let Some(end) = reads(tokens, at, &form.stems) else {
                continue;
            };
            match &mut found {
                Some((longest, means)) if *longest == end => means.push(form.means),
                Some((longest, _)) if *longest > end => {}
                _ => found = Some((end, vec![form.means])),
            }
        }
        found
    }
}

/// The place behind `stems` in the tokens from `at` on; hyphens and underscores between them do not
/// count.
fn reads(tokens: &[Token], at: usize, stems: &[String]) -> Option<usize> {
    let mut place = at;
    for (count, wanted) in stems.iter().enumerate() {
        while count > 0 && tokens.get(place)?.is(&["-", "_", "."]) {
            place += 1;
        }
        if stem(&tokens.get(place)?.text) != *wanted {
            return None;
        }
        place += 1;
    }
    Some(place)
}

/// The meanings of a request's words.
pub(super) struct Vocabulary<'s> {
    fields: Vec<&'s FieldDescription>,
    by_name: Phrases<usize>,
    by_value: Phrases<usize>,
    by_yes: Phrases<usize>,
    nouns: Phrases<(usize, usize)>,
    types: Phrases<()>,
    /// Values of several words, of every index.
    long_values: Phrases<()>,
    /// Stems of what the dates are dates of: `arriv`.
    events: Vec<String>,
}

impl<'s> Vocabulary<'s> {
    /// Only the nouns.
    pub(super) fn nouns_of(sources: &'s SourceList) -> Self {
        let mut vocabulary = Self::empty();
        let short = ShortNouns::of(sources);
        for (source_at, source) in sources.sources.iter().enumerate() {
            for (index_at, index) in source.indices.iter().enumerate() {
                let nouns = nouns_of(index);
                for noun in short.among(&nouns) {
                    vocabulary.nouns.add(&noun, (source_at, index_at));
                }
                for noun in nouns {
                    vocabulary.nouns.add(&noun, (source_at, index_at));
                }
                let entity_types = index
                    .fields
                    .iter()
                    .filter_map(|field| field.entity_type.as_deref());
                for name in entity_types.chain(index.entity_type.as_deref()) {
                    vocabulary.types.add(&words(name), ());
                }
                for value in index.fields.iter().flat_map(|field| &field.values) {
                    let words = words(value);
                    if words.len() > 1 {
                        vocabulary.long_values.add(&words, ());
                    }
                }
            }
        }
        vocabulary
    }

    /// Nothing.
    pub(super) fn empty() -> Self {
        Self {
            fields: Vec::new(),
            by_name: Phrases::new(),
            by_value: Phrases::new(),
            by_yes: Phrases::new(),
            nouns: Phrases::new(),
            types: Phrases::new(),
            long_values: Phrases::new(),
            events: Vec::new(),
        }
    }

    /// Takes the fields of an index in.
    pub(super) fn know(&mut self, index: &'s IndexDescription) {
        for field in &index.fields {
            let at = self.fields.len();
            self.fields.push(field);
            for name in names_of(field) {
                self.by_name.add(&name, at);
            }
            if field.field_type == FieldType::Boolean {
                for name in yes_of(field) {
                    self.by_yes.add(&name, at);
                }
            }
            for value in &field.values {
                self.by_value.add(&words(value), at);
            }
            if field.field_type == FieldType::Date {
                let names = std::iter::once(field.name.as_str())
                    .chain(field.synonyms.iter().map(String::as_str));
                for word in names.flat_map(words) {
                    if !OF_DATES.contains(&word.as_str()) && word.len() > 3 {
                        self.events.push(stem(&word));
                    }
                }
            }
        }
    }

    /// Lets words mean a field, too.
    pub(super) fn call(&mut self, said: &str, field: &str) {
        if let Some(at) = self.fields.iter().position(|known| known.name == field) {
            self.by_name.add(&words(said), at);
        }
    }

    pub(super) fn field(&self, at: usize) -> &'s FieldDescription {
        self.fields[at]
    }

    pub(super) fn fields(&self) -> &[&'s FieldDescription] {
        &self.fields
    }

    /// Whether a field is a number that is computed with or compared by its size, and not the
    /// number of a thing.
    pub(super) fn is_quantity(&self, at: usize) -> bool {
        let field = self.fields[at];
        let id = field.entity_type.is_some() || field.name == "id" || field.name.ends_with("_id");
        field.field_type.is_number() && !id
    }

    /// The fields that the words at `at` may mean, and the place behind them.
    pub(super) fn named(&self, tokens: &[Token], at: usize) -> Option<(usize, Vec<usize>)> {
        self.by_name.at(tokens, at)
    }

    /// The fields that have the words at `at` as a value.
    pub(super) fn valued(&self, tokens: &[Token], at: usize) -> Option<(usize, Vec<usize>)> {
        self.by_value.at(tokens, at)
    }

    /// The fields that say yes to the words at `at`.
    pub(super) fn affirmed(&self, tokens: &[Token], at: usize) -> Option<(usize, Vec<usize>)> {
        self.by_yes.at(tokens, at)
    }

    /// The indices whose records the words at `at` are called: source and index by their places.
    pub(super) fn noun(&self, tokens: &[Token], at: usize) -> Option<(usize, Vec<(usize, usize)>)> {
        // "Rented" does not name a rental, although both have one stem.
        let participle = |end: usize| {
            end == at + 1 && tokens[at].text.len() > 4 && tokens[at].text.ends_with("ed")
        };
        self.nouns
            .at(tokens, at)
            .filter(|(end, _)| !participle(*end))
    }

    /// The place behind a type of things that is named at `at`.
    pub(super) fn entity_type(&self, tokens: &[Token], at: usize) -> Option<usize> {
        self.types.at(tokens, at).map(|(end, _)| end)
    }

    /// The place behind a value of several words.
    pub(super) fn long_value(&self, tokens: &[Token], at: usize) -> Option<usize> {
        self.long_values.at(tokens, at).map(|(end, _)| end)
    }

    /// Whether a word is of something that dates are of: `arrived`.
    pub(super) fn is_event(&self, word: &str) -> bool {
        const USUAL: &[&str] = &[
            "arriv", "depart", "deliver", "left", "leav", "sail", "ship", "creat", "updat", "load",
            "unload", "discharg",
        ];
        let stem = stem(word);
        self.events.contains(&stem) || USUAL.contains(&stem.as_str())
    }

    /// Whether a date field is called by it.
    pub(super) fn has_event(&self, word: &str) -> bool {
        self.events.contains(&stem(word))
    }
}

/// The source and index at these places.
pub(super) fn place(
    sources: &SourceList,
    (source, index): (usize, usize),
) -> Option<(&SourceDescription, &IndexDescription)> {
    let source = sources.sources.get(source)?;
    Some((source, source.indices.get(index)?))
}

fn nouns_of(index: &IndexDescription) -> Vec<Vec<String>> {
    let mut nouns: Vec<Vec<String>> = index.nouns.iter().map(|noun| words(noun)).collect();
    nouns.push(words(&index.name));
    nouns
}

/// The last words of nouns of several words, without those that name another noun, field or value:
/// "extensions", of `rental_extension`.
struct ShortNouns {
    /// The number of nouns of an index that a last word ends.
    ends: HashMap<String, usize>,
    /// Words of fields and of values.
    others: HashSet<String>,
}

impl ShortNouns {
    fn of(sources: &SourceList) -> Self {
        let indices = || sources.sources.iter().flat_map(|source| &source.indices);
        let mut ends: HashMap<String, usize> = HashMap::new();
        for index in indices() {
            let last: HashSet<String> = nouns_of(index)
                .iter()
                .filter_map(|noun| noun.last().map(|word| stem(word)))
                .collect();
            for word in last {
                *ends.entry(word).or_default() += 1;
            }
        }
        let fields = indices().flat_map(|index| &index.fields);
        let called = fields.flat_map(|field| {
            let names = std::iter::once(&field.name).chain(&field.synonyms);
            names.chain(&field.values).flat_map(|name| words(name))
        });
        let others = called.map(|word| stem(&word)).collect();
        Self { ends, others }
    }

    fn among(&self, nouns: &[Vec<String>]) -> Vec<Vec<String>> {
        const SHORTEST: usize = 6;
        let long = nouns.iter().filter(|noun| noun.len() > 1);
        let last = long.filter_map(|noun| noun.last().filter(|word| word.len() >= SHORTEST));
        let alone = |word: &&String| {
            let stem = stem(word);
            self.ends.get(&stem) == Some(&1) && !self.others.contains(&stem)
        };
        last.filter(alone).map(|word| vec![word.clone()]).collect()
    }
}

/// What people may call a field.
fn names_of(field: &FieldDescription) -> Vec<Vec<String>> {
    let full = words(&field.name);
    let mut names = vec![full.clone()];
    let mut short: Vec<String> = full.clone();
    while short.len() > 1
        && short
            .last()
            .is_some_and(|word| UNSAID.contains(&word.as_str()))
    {
        short.pop();
    }
    names.push(short.clone());
    if short.last().is_some_and(|word| word == "count") && short.len() > 1 {
        let counted = &short[..short.len() - 1];
        let number_of = ["number".to_owned(), "of".to_owned()];
        names.push(
            number_of
                .into_iter()
                .chain(counted.iter().cloned())
                .collect(),
        );
    }
    names.extend(field.synonyms.iter().map(|synonym| words(synonym)));
    if field.field_type == FieldType::Date {
        for name in names.clone() {
            let event: Vec<String> = name
                .iter()
                .filter(|word| !OF_DATES.contains(&word.as_str()))
                .cloned()
                .collect();
            for more in [None, Some("date"), Some("time")] {
                let base = if more.is_some() {
                    [&name, &event]
                } else {
                    [&event, &event]
                };
                for base in base.into_iter().filter(|base| !base.is_empty()) {
                    let mut whole = base.clone();
                    whole.extend(more.map(str::to_owned));
                    names.push(whole);
                }
            }
        }
    }
    // "to" says where a name belongs, and asks for no field on its own.
    let says_nothing = |word: &String| word.len() < 2 || BEFORE_NAMES.contains(&word.as_str());
    names.retain(|name| !name.iter().all(says_nothing));
    names
}

/// The words that mean the "yes" of a boolean field.
fn yes_of(field: &FieldDescription) -> Vec<Vec<String>> {
    const LATE: [&str; 4] = ["late", "delayed", "overdue", "on time"];
    const DANGEROUS: [&str; 3] = ["hazardous", "dangerous", "hazmat"];
    let own = std::iter::once(field.name.as_str()).chain(field.synonyms.iter().map(String::as_str));
    let mut names: Vec<Vec<String>> = own
        .map(|name| {
            let mut words = words(name);
            words.retain(|word| !matches!(word.as_str(), "is" | "has" | "was" | "flag"));
            words
        })
        .collect();
    for kind in [&LATE[..], &DANGEROUS[..]] {
        if names
            .iter()
            .any(|name| kind.contains(&name.join(" ").as_str()))
        {
            names.extend(kind.iter().map(|word| words(word)));
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// The words of a name: `actual_arrival`, `port.name`, `portName`.
fn words(name: &str) -> Vec<String> {
    let mut spaced = String::with_capacity(name.len() + 4);
    let mut before_lower = false;
    for c in name.chars() {
        if before_lower && c.is_uppercase() {
            spaced.push(' ');
        }
        before_lower = c.is_lowercase();
        spaced.push(c);
    }
    tokens(&spaced)
        .into_iter()
        .filter(|token| token.is_word() || token.number().is_some())
        .map(|token| token.text)
        .collect()
}
