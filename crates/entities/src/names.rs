//! An index of the things of one type in one source, searched by their names.

mod groups;
pub(crate) mod initials;
mod likeness;

use std::collections::{BTreeMap, HashMap};

use contracts::tools::meanings::MatchedBy;

use crate::text::{key, tokens};
use crate::trigrams::Trigrams;
use crate::words::is_link;

/// The score of a text that is equal except for case, accents and the like.
const NORMALISED: f64 = 0.97;
/// The score of all words of a name in another order.
const ALL_WORDS: f64 = 0.95;
/// The range of scores of some words of a name, by their share of the name. The range is smaller
/// than the margin of a certain meaning. Two names with the same word are therefore both possible
/// meanings of it.
const SOME_WORDS: (f64, f64) = (0.86, 0.92);
/// The score of words that many names have.
const USUAL_WORDS: f64 = 0.5;
/// A word is common if more than this number of names, and more than this share of them, have it.
const USUAL: (usize, f64) = (5, 0.1);
/// Maximum number of hits.
const MOST: usize = 20;

/// A thing with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thing {
    /// The id, unique among the things of the index.
    pub id: String,
    /// The name for display.
    pub name: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// A text that distinguishes the thing from others of the same name.
    pub description: Option<String>,
}

/// An index over the things of one type in one source, for one tenant.
#[derive(Debug)]
pub struct Names {
    source: String,
    index: String,
    entity_type: String,
    /// The nouns for the type, in canonical form.
    nouns: Vec<String>,
    things: Vec<Thing>,
    by_id: HashMap<String, u32>,
    labels: Vec<Label>,
    /// Labels by their exact text, by their key, and by each of their significant words.
    exact: HashMap<String, Vec<u32>>,
    keys: HashMap<String, Vec<u32>>,
    words: HashMap<String, Vec<u32>>,
    trigrams: Trigrams,
    /// Labels by the initials of their words, in order.
    initials: BTreeMap<String, Vec<u32>>,
    /// Things by their description, if it is written like a name: the ports of a country.
    groups: HashMap<String, Vec<u32>>,
}

/// One of the texts that identify a thing.
#[derive(Debug)]
struct Label {
    thing: u32,
    kind: MatchedBy,
    words: Vec<String>,
}

/// A thing that a mention can mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The place of the thing in the index.
    pub thing: usize,
    /// The score, from 0 to 1.
    pub score: f64,
    /// The kind of match.
    pub matched_by: MatchedBy,
}

impl Names {
    /// Builds the index. `nouns` are the nouns for the type: `port`, `ports`. Of several things
    /// with the same id, the first is used.
    pub fn new(
        (source, index): (&str, &str),
        entity_type: &str,
        nouns: &[String],
        things: impl IntoIterator<Item = Thing>,
    ) -> Self {
        let nouns = nouns.iter().map(String::as_str).chain([entity_type]);
        let mut names = Self {
            source: source.to_owned(),
            index: index.to_owned(),
            entity_type: entity_type.to_owned(),
            nouns: nouns.map(key).filter(|noun| !noun.is_empty()).collect(),
            things: Vec::new(),
            by_id: HashMap::new(),
            labels: Vec::new(),
            exact: HashMap::new(),
            keys: HashMap::new(),
            words: HashMap::new(),
            trigrams: Trigrams::default(),
            groups: HashMap::new(),
            initials: BTreeMap::new(),
        };
        for thing in things {
            names.add(thing);
        }
        names
    }

    fn add(&mut self, thing: Thing) {
        let place = count(self.things.len());
        if thing.id.is_empty() || self.by_id.contains_key(&thing.id) {
            return;
        }
        self.by_id.insert(thing.id.clone(), place);
        if let Some(group) = thing
            .description
            .as_deref()
            .filter(|text| groups::is_name(text))
        {
            self.groups.entry(key(group)).or_default().push(place);
        }
        let texts = [(&thing.id, MatchedBy::Id), (&thing.name, MatchedBy::Name)];
        let aliases = thing.aliases.iter().map(|alias| (alias, MatchedBy::Alias));
        for (text, kind) in texts.into_iter().chain(aliases) {
            let words = canonical_words(text);
            if words.is_empty() {
                continue;
            }
            let label = count(self.labels.len());
            self.exact
                .entry(text.trim().to_owned())
                .or_default()
                .push(label);
            self.keys.entry(words.join(" ")).or_default().push(label);
            if kind != MatchedBy::Id {
                if let Some(initials) = initials::of(&words, &self.nouns) {
                    self.initials.entry(initials).or_default().push(label);
                }
                for word in words.iter().filter(|word| !is_link(word)) {
                    let labels = self.words.entry(word.clone()).or_default();
                    if labels.last() != Some(&label) {
                        labels.push(label);
                    }
                }
            }
            self.trigrams.push(&words);
            self.labels.push(Label {
                thing: place,
                kind,
                words,
            });
        }
        self.things.push(thing);
    }

    /// The source of the things.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The index with the records of the things.
    pub fn index(&self) -> &str {
        &self.index
    }

    /// The type of the things.
    pub fn entity_type(&self) -> &str {
        &self.entity_type
    }

    /// All things.
    pub fn things(&self) -> &[Thing] {
        &self.things
    }

    /// The thing with this id.
    pub fn get(&self, id: &str) -> Option<&Thing> {
        self.by_id
            .get(id)
            .map(|&place| &self.things[place as usize])
    }

    /// The place of the thing with this id.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).map(|&place| place as usize)
    }

    /// Whether the word is a noun for the type.
    pub(crate) fn is_noun(&self, canonical: &str) -> bool {
        self.nouns.iter().any(|noun| noun == canonical)
    }

    /// The things that a mention can mean, the most likely first, each thing once.
    pub fn find(&self, mention: &str) -> Vec<Hit> {
        let bare = self.without_nouns(mention);
        let mut hits = Vec::new();
        for text in [mention, bare] {
            if hits.is_empty() {
                hits = self.named(text, &key(text));
            }
            if hits.is_empty() {
                hits = self.worded(&canonical_words(text));
            }
        }
        if hits.is_empty()
            && let [token] = tokens(mention).as_slice()
        {
            hits = self.abbreviated(token);
        }
        if hits.is_empty() {
            hits = likeness::similar(self, &canonical_words(bare));
            hits.extend(self.within(&canonical_words(mention)));
        }
        best_of_each(hits)
    }

    /// Things whose id, name or alias equals the text, exactly or normalised.
    pub(crate) fn named(&self, text: &str, key: &str) -> Vec<Hit> {
        let exact = self.exact.get(text.trim()).into_iter().flatten();
        let mut hits: Vec<Hit> = exact
            .map(|&label| self.hit(label, 1.0, self.labels[label as usize].kind))
            .collect();
        let normalised = self.keys.get(key).into_iter().flatten();
        hits.extend(normalised.map(|&label| self.hit(label, NORMALISED, MatchedBy::Normalised)));
        hits
    }

    /// Things whose name or alias has all words.
    pub(crate) fn worded(&self, words: &[String]) -> Vec<Hit> {
        let mut words: Vec<&str> = words
            .iter()
            .map(String::as_str)
            .filter(|word| !is_link(word))
            .collect();
        words.sort_unstable();
        words.dedup();
        let labels = self.having(&words);
        let usual = words.iter().all(|word| self.is_usual(word));
        let part: f64 = words.iter().map(|word| self.weight(word)).sum();
        let mut hits: Vec<Hit> = labels
            .into_iter()
            .map(|label| {
                let told = self.labels[label as usize]
                    .words
                    .iter()
                    .filter(|word| !is_link(word));
                let whole: f64 = told.clone().map(|word| self.weight(word)).sum();
                let score = if told.count() == words.len() {
                    ALL_WORDS
                } else if usual {
                    USUAL_WORDS
                } else {
                    let (from, to) = SOME_WORDS;
                    from + (to - from) * (part / whole.max(part))
                };
                self.hit(label, score, MatchedBy::Words)
            })
            .collect();
        hits.sort_by(by_likelihood);
        hits.truncate(MOST);
        hits
    }

    /// The labels that have all words.
    fn having(&self, words: &[&str]) -> Vec<u32> {
        let mut lists = Vec::new();
        for word in words {
            match self.words.get(*word) {
                Some(labels) => lists.push(labels.as_slice()),
                None => return Vec::new(),
            }
        }
        lists.sort_unstable_by_key(|labels| labels.len());
        let Some((first, others)) = lists.split_first() else {
            return Vec::new();
        };
        first
            .iter()
            .copied()
            .filter(|label| {
                others
                    .iter()
                    .all(|labels| labels.binary_search(label).is_ok())
            })
            .collect()
    }

    /// Things whose name is a part of the text: `Port of Miami` in `Port of Miami, Florida`.
    fn within(&self, words: &[String]) -> Vec<Hit> {
        for length in (1..words.len().min(12)).rev() {
            let mut hits = Vec::new();
            for part in words.windows(length) {
                if part.iter().all(|word| is_link(word) || self.is_noun(word)) {
                    continue;
                }
                let labels = self.keys.get(&part.join(" ")).into_iter().flatten();
                let score = 0.55 + 0.35 * length as f64 / words.len() as f64;
                hits.extend(labels.map(|&label| self.hit(label, score, MatchedBy::Words)));
            }
            if !hits.is_empty() {
                return hits;
            }
        }
        Vec::new()
    }

    /// The mention without nouns for the type: `the vessel MSC Anna` becomes `MSC Anna`.
    fn without_nouns<'a>(&self, mention: &'a str) -> &'a str {
        let tokens = tokens(mention);
        let told = |token: &&crate::text::Token| {
            !self.is_noun(&token.canonical) && !is_link(&token.folded)
        };
        let first = tokens.iter().find(told);
        let last = tokens.iter().rev().find(told);
        match (first, last) {
            (Some(first), Some(last)) => &mention[first.start..last.end],
            _ => mention,
        }
    }

    /// The places of the things whose common description is the text: the ports of `Germany`. Empty
    /// for very large groups.
    pub(crate) fn group(&self, raw: &str, key: &str) -> &[u32] {
        let long = groups::spelled_out(raw);
        let members = self.groups.get(long.unwrap_or(key));
        members
            .map(Vec::as_slice)
            .filter(|members| members.len() <= groups::MOST)
            .unwrap_or_default()
    }

    /// Whether many names have the word.
    pub(crate) fn is_usual(&self, canonical: &str) -> bool {
        let having = self.words.get(canonical).map_or(0, Vec::len);
        let (least, share) = USUAL;
        having > least && having as f64 > share * self.labels.len() as f64
    }

    /// Whether a name has all words; links such as `of` are ignored.
    pub(crate) fn has_words(&self, words: &[String]) -> bool {
        let told: Vec<&str> = words
            .iter()
            .map(String::as_str)
            .filter(|word| !is_link(word))
            .collect();
        !self.having(&told).is_empty()
    }

    /// The weight of a word: the fewer labels have it, the higher.
    fn weight(&self, word: &str) -> f64 {
        let having = self.words.get(word).map_or(1, Vec::len);
        (1.0 + self.labels.len() as f64 / having as f64).ln()
    }

    fn hit(&self, label: u32, score: f64, matched_by: MatchedBy) -> Hit {
        Hit {
            thing: self.labels[label as usize].thing as usize,
            score,
            matched_by,
        }
    }
}

fn canonical_words(text: &str) -> Vec<String> {
    tokens(text)
        .into_iter()
        .map(|token| token.canonical)
        .collect()
}

/// Each thing once, with its best hit, the most likely first.
fn best_of_each(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_by(by_likelihood);
    let mut kept: Vec<Hit> = Vec::new();
    for hit in hits {
        if kept.len() < MOST && kept.iter().all(|before| before.thing != hit.thing) {
            kept.push(hit);
        }
    }
    kept
}

fn by_likelihood(one: &Hit, another: &Hit) -> std::cmp::Ordering {
    let by_score = another.score.total_cmp(&one.score);
    by_score.then_with(|| one.thing.cmp(&another.thing))
}

fn count(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}

#[cfg(test)]
pub(crate) mod tests;
