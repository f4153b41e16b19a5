//! Chooses the field that holds an entity, by the words around its mention.

use contracts::tools::meanings::{MappedEntity, ResolvedEntity, TermRole, UnmappedTerm};
use contracts::tools::search::{FieldType, IndexDescription};

use super::lexicon::FieldWords;
use super::{Request, Unclear};
use crate::text::{Gap, fold, key, stem, tokens};

/// Number of words before and after a mention that can relate it to the records.
const BEFORE: usize = 6;
const BEHIND: usize = 3;
/// Maximum number of places of one mention.
const MOST: usize = 4;

/// Words for destinations and origins: words of requests and words of fields, as stems.
const TO: DirectionWords = DirectionWords {
    said: &[
        "to", "for", "into", "toward", "bound", "arriv", "reach", "enter", "destin", "deliver",
        "discharg", "unload", "import", "inbound", "due", "land",
    ],
    of_fields: &[
        "destin", "discharg", "arriv", "import", "deliver", "inbound", "final", "receiv", "to",
        "consigne",
    ],
};
const FROM: DirectionWords = DirectionWords {
    said: &[
        "from", "out", "leav", "left", "depart", "origin", "load", "export", "outbound", "sail",
        "dispatch", "sent",
    ],
    of_fields: &[
        "origin", "load", "depart", "export", "outbound", "sourc", "from", "sender", "start",
    ],
};

/// Minimum length of a word that distinguishes a field from others with the same kind of thing.
const LEAST_LETTERS: usize = 4;

/// Words between names of one list, in stems.
const JOINTS: &[&str] = &["or", "and", "nor", "also", "plus", "the"];

struct DirectionWords {
    said: &'static [&'static str],
    of_fields: &'static [&'static str],
}

/// The fields about one thing: its id, its name, or both.
struct Group<'k, 'a> {
    fields: Vec<&'k FieldWords<'a>>,
}

pub(super) fn map(request: &Request<'_>, entity: &ResolvedEntity) -> Result<MappedEntity, Unclear> {
    let groups = groups(request, entity);
    if groups.is_empty() {
        return Err(Unclear::Unknown(UnmappedTerm {
            term: entity.mention.clone(),
            role: TermRole::Filter,
            nearest: Vec::new(),
        }));
    }
    let fields: Vec<&FieldWords<'_>> = groups
        .iter()
        .flat_map(|group| group.fields.iter().copied())
        .collect();
    let answered = request.answered(&entity.mention, &fields);
    let group = answered
        .and_then(|known| {
            groups
                .iter()
                .find(|group| group.fields.iter().any(|field| field.is_twin(known)))
        })
        .or_else(|| {
            if groups.len() == 1 {
                groups.first()
            } else {
                None
            }
        })
        .or_else(|| by_words(request, entity, &groups))
        .or_else(|| usual(entity, &groups))
        .or_else(|| groups.first().filter(|_| request.arguments.best_guess));
    match group {
        Some(group) => Ok(group.mapped(entity)),
        None => Err(request.ask(
            &entity.mention,
            groups.iter().map(|group| group.name().field),
        )),
    }
}

/// The other fields of an entity that the request names more than once: "from Germany to Germany".
pub(super) fn again(request: &Request<'_>, entity: &ResolvedEntity) -> Vec<MappedEntity> {
    let groups = groups(request, entity);
    (1..MOST)
        .map_while(|turn| Around::of(request, entity, turn))
        .filter_map(|around| around_says(request, entity, &groups, &around))
        .map(|group| group.mapped(entity))
        .collect()
}

/// The fields of the index that can hold the entity.
fn groups<'k, 'a>(request: &'k Request<'a>, entity: &ResolvedEntity) -> Vec<Group<'k, 'a>> {
    let is_of = |entity_type: &Option<String>| {
        entity_type
            .as_ref()
            .is_some_and(|known| key(known) == key(&entity.entity_type))
    };
    let own_id = request
        .index
        .id_field
        .as_ref()
        .filter(|_| is_of(&request.index.entity_type));
    let mut groups: Vec<Group<'_, '_>> = Vec::new();
    if let Some(known) = own_id.and_then(|id| request.lexicon.get(id)) {
        groups.push(Group {
            fields: vec![known],
        });
    }
    for known in request.lexicon.iter() {
        let comparable = matches!(
            known.field.field_type,
            FieldType::Keyword | FieldType::Text | FieldType::Long
        );
        if !is_of(&known.field.entity_type) || !comparable || own_id == Some(&known.field.name) {
            continue;
        }
        match groups
            .iter_mut()
            .find(|group| group.fields.iter().any(|field| field.is_twin(known)))
        {
            Some(group) => group.fields.push(known),
            None => groups.push(Group {
                fields: vec![known],
            }),
        }
    }
    groups
}

/// The fields that the words around the mention name. The nearest word decides.
fn by_words<'g, 'k, 'a>(
    request: &Request<'_>,
    entity: &ResolvedEntity,
    groups: &'g [Group<'k, 'a>],
) -> Option<&'g Group<'k, 'a>> {
    around_says(request, entity, groups, &Around::of(request, entity, 0)?)
}

/// The fields that the words around one place of a mention name.
fn around_says<'g, 'k, 'a>(
    request: &Request<'_>,
    entity: &ResolvedEntity,
    groups: &'g [Group<'k, 'a>],
    around: &Around,
) -> Option<&'g Group<'k, 'a>> {
    let plain = stem(&fold(&entity.entity_type));
    // "From Shanghai or Singapore": what is joined to another name belongs to the same field.
    if around
        .before
        .iter()
        .all(|word| JOINTS.contains(&word.as_str()))
        && let Some(joined) = &around.joined
        && joined.entity_type == entity.entity_type
    {
        return by_words(request, joined, groups);
    }
    for end in (1..=around.before.len()).rev() {
        let said = &around.before[..end];
        let by_phrase = only(groups.iter().filter(|group| group.is_said(said, &plain)));
        let group = by_phrase
            .or_else(|| said.last().and_then(|word| by_direction(groups, word)))
            .or_else(|| by_own_word(groups, said));
        if group.is_some() {
            return group;
        }
    }
    let behind = &around.behind;
    (1..=behind.len()).find_map(|end| {
        let said = &behind[..end];
        by_direction(groups, &behind[end - 1]).or_else(|| by_own_word(groups, said))
    })
}

/// The only group with a field whose name has the last of the words: "rentals returned at Alster"
/// with a pickup branch and a return branch. "Picked up" is the word "pickup" of a name.
fn by_own_word<'g, 'k, 'a>(
    groups: &'g [Group<'k, 'a>],
    said: &[String],
) -> Option<&'g Group<'k, 'a>> {
    let last = said.last()?;
    let joined = said
        .len()
        .checked_sub(2)
        .and_then(|before| said.get(before))
        .map(|before| format!("{before}{last}"));
    let named = |word: &str| {
        let is_word = word.len() >= LEAST_LETTERS;
        let mut having = groups.iter().filter(|group| group.has_in_name(word));
        let first = having.next().filter(|_| is_word)?;
        having.next().is_none().then_some(first)
    };
    named(last).or_else(|| named(&joined?))
}

/// The only group whose direction matches a word.
fn by_direction<'g, 'k, 'a>(groups: &'g [Group<'k, 'a>], word: &str) -> Option<&'g Group<'k, 'a>> {
    let directions = [(&TO, &FROM), (&FROM, &TO)];
    let (direction, other) = directions
        .into_iter()
        .find(|(direction, _)| direction.said.contains(&word))?;
    only(
        groups
            .iter()
            .filter(|group| group.goes(direction) && !group.goes(other)),
    )
}

/// The fields that share their name with the type of the entity. They are the default.
fn usual<'g, 'k, 'a>(
    entity: &ResolvedEntity,
    groups: &'g [Group<'k, 'a>],
) -> Option<&'g Group<'k, 'a>> {
    let plain = [stem(&fold(&entity.entity_type))];
    only(groups.iter().filter(|group| {
        group
            .fields
            .iter()
            .any(|known| known.phrases.iter().any(|phrase| *phrase == plain))
    }))
}

fn only<T>(mut found: impl Iterator<Item = T>) -> Option<T> {
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

impl<'k, 'a> Group<'k, 'a> {
    /// Whether the words end with a name or synonym of the fields, other than the plain name of the
    /// type.
    fn is_said(&self, said: &[String], plain: &str) -> bool {
        let phrases = self.fields.iter().flat_map(|known| &known.phrases);
        phrases
            .into_iter()
            .any(|phrase| said.ends_with(phrase) && *phrase != [plain])
    }

    /// Whether a name or synonym of the fields has a word.
    fn has_in_name(&self, word: &str) -> bool {
        let phrases = self.fields.iter().flat_map(|known| &known.phrases);
        phrases.flatten().any(|own| own == word)
    }

    fn goes(&self, direction: &DirectionWords) -> bool {
        direction
            .of_fields
            .iter()
            .any(|word| self.fields.iter().any(|known| known.has(word)))
    }

    /// The field for display.
    fn name(&self) -> &'k FieldWords<'a> {
        self.fields
            .iter()
            .find(|known| !known.is_id())
            .unwrap_or(&self.fields[0])
    }

    /// Compares with the id if the fields have one, otherwise with the name.
    fn mapped(&self, entity: &ResolvedEntity) -> MappedEntity {
        let id = self.fields.iter().find(|known| known.is_id());
        let known = id.unwrap_or(&self.fields[0]);
        MappedEntity {
            mention: entity.mention.clone(),
            entity_type: entity.entity_type.clone(),
            name: entity.name.clone(),
            field: known
                .field
                .exact_field
                .clone()
                .unwrap_or_else(|| known.field.name.clone()),
            value: if id.is_some() {
                entity.id.clone()
            } else {
                entity.name.clone()
            },
        }
    }
}

/// The stems of the words around a mention, within its sentence and up to the next mention.
struct Around {
    before: Vec<String>,
    behind: Vec<String>,
    /// The mention before those words.
    joined: Option<ResolvedEntity>,
}

impl Around {
    /// The words around a place of the mention, counted from 0.
    fn of(request: &Request<'_>, entity: &ResolvedEntity, turn: usize) -> Option<Self> {
        let text = &request.arguments.text;
        let tokens = tokens(text);
        let nth = |words: &str, turn: usize| {
            let wanted: Vec<String> = crate::text::tokens(words)
                .into_iter()
                .map(|token| token.canonical)
                .collect();
            let places = tokens.windows(wanted.len().max(1)).enumerate();
            places
                .filter(|(_, window)| window.iter().map(|token| &token.canonical).eq(&wanted))
                .nth(turn)
                .map(|(at, _)| (at, at + wanted.len()))
        };
        let place = |words: &str| nth(words, 0);
        let (first, end) = nth(&entity.mention, turn).or_else(|| nth(&entity.name, turn))?;
        let others: Vec<((usize, usize), &ResolvedEntity)> = request
            .arguments
            .entities
            .iter()
            .filter(|other| other.mention != entity.mention)
            .filter_map(|other| Some((place(&other.mention)?, other)))
            .collect();
        let taken = |at: usize| {
            let mut others = others.iter();
            let other = others.find(|((start, end), _)| (*start..*end).contains(&at));
            other.map(|(_, other)| *other)
        };
        let mut before = Vec::new();
        let mut joined = None;
        for at in (0..first).rev().take(BEFORE) {
            if tokens[at + 1].gap == Gap::Broken {
                break;
            }
            if let Some(other) = taken(at) {
                joined = Some(other.clone());
                break;
            }
            before.insert(0, stem(&tokens[at].folded));
        }
        let mut behind = Vec::new();
        for at in (end..tokens.len()).take(BEHIND) {
            if taken(at).is_some() || tokens[at].gap != Gap::Joined {
                break;
            }
            behind.push(stem(&tokens[at].folded));
        }
        Some(Self {
            before,
            behind,
            joined,
        })
    }
}

/// Whether an index can hold an entity of this type.
pub(super) fn has_field_for(index: &IndexDescription, entity_type: &str) -> bool {
    let same = |known: &Option<String>| {
        known
            .as_ref()
            .is_some_and(|known| key(known) == key(entity_type))
    };
    same(&index.entity_type) || index.fields.iter().any(|field| same(&field.entity_type))
}
