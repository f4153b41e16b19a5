//! A deserializer around `serde_json`'s that takes what JSON Schema takes and refuses what a
//! database cannot keep.
//!
//! It differs in four ways. A string that holds U+0000 is refused, names of members included. An
//! object is an object: serde would also take an array of the members in their order. `7.0` is an
//! integer. And a refusal has this crate's words, with its place; the messages of serde name Rust
//! types. The document is read once, as it comes: only the name of the current member is kept, for
//! messages.

use std::cell::RefCell;
use std::fmt;

use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, Visitor,
};

use super::refusal::{Refusal, one_of};

/// The largest whole number that a double holds exactly, and so the largest that is an integer
/// however it is written.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Reads a value of a type.
pub(super) fn read<'de, T, D>(document: D) -> Result<T, Refusal>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    let slot = Slot::default();
    T::deserialize(Checked {
        inner: document,
        slot: &slot,
    })
}

/// Carries a refusal through `serde_json`, whose errors have room for words only.
#[derive(Default)]
struct Slot(RefCell<Option<Refusal>>);

impl Slot {
    fn put<E: Error>(&self, refusal: Refusal) -> E {
        self.0.replace(Some(refusal));
        E::custom("refused")
    }

    fn take(&self, error: &impl fmt::Display) -> Refusal {
        let refusal = self.0.take();
        refusal.unwrap_or_else(|| Refusal::malformed(error))
    }
}

/// The kind of value that the type expects.
#[derive(Clone, Copy)]
enum Expected {
    Anything,
    Boolean,
    Integer(i128, i128),
    Number,
    String,
    Array,
    Object,
    OneOf(&'static [&'static str]),
}

impl Expected {
    fn words(self) -> Option<String> {
        Some(match self {
            Self::Anything => return None,
            Self::Boolean => "true or false".to_owned(),
            Self::Integer(_, _) => "an integer".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::String => "a string".to_owned(),
            Self::Array => "an array".to_owned(),
            Self::Object => "an object".to_owned(),
            Self::OneOf(names) => one_of(names),
        })
    }
}

struct Checked<'s, D> {
    inner: D,
    slot: &'s Slot,
}

impl<'s, 'de, D: Deserializer<'de>> Checked<'s, D> {
    fn ask<V: Visitor<'de>>(self, wanted: Expected, visitor: V) -> Result<V::Value, Refusal> {
        // JSON says what a value is. Asked for a certain type, `serde_json` would refuse others in
        // its own words.
        self.read(wanted, visitor, D::deserialize_any)
    }

    fn read<V: Visitor<'de>>(
        self,
        wanted: Expected,
        visitor: V,
        read: impl FnOnce(D, CheckedVisitor<'s, V>) -> Result<V::Value, D::Error>,
    ) -> Result<V::Value, Refusal> {
        let Self { inner, slot } = self;
        let visitor = CheckedVisitor {
            visitor,
            wanted,
            slot,
        };
        read(inner, visitor).map_err(|error| slot.take(&error))
    }
}

macro_rules! ask {
    ($($method:ident: $wanted:expr),+ $(,)?) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
            self.ask($wanted, visitor)
        })+
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Checked<'_, D> {
    type Error = Refusal;

    ask! {
        deserialize_any: Expected::Anything,
        deserialize_ignored_any: Expected::Anything,
        deserialize_bool: Expected::Boolean,
        deserialize_i8: Expected::Integer(i8::MIN.into(), i8::MAX.into()),
        deserialize_i16: Expected::Integer(i16::MIN.into(), i16::MAX.into()),
        deserialize_i32: Expected::Integer(i32::MIN.into(), i32::MAX.into()),
        deserialize_i64: Expected::Integer(i64::MIN.into(), i64::MAX.into()),
        deserialize_u8: Expected::Integer(0, u8::MAX.into()),
        deserialize_u16: Expected::Integer(0, u16::MAX.into()),
        deserialize_u32: Expected::Integer(0, u32::MAX.into()),
        deserialize_u64: Expected::Integer(0, u64::MAX.into()),
        deserialize_f32: Expected::Number,
        deserialize_f64: Expected::Number,
        deserialize_char: Expected::String,
        deserialize_str: Expected::String,
        deserialize_string: Expected::String,
        deserialize_identifier: Expected::String,
        deserialize_bytes: Expected::Anything,
        deserialize_byte_buf: Expected::Anything,
        deserialize_unit: Expected::Anything,
        deserialize_seq: Expected::Array,
        deserialize_map: Expected::Object,
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        self.read(Expected::Anything, visitor, D::deserialize_option)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        self.read(Expected::Anything, visitor, |inner, visitor| {
            inner.deserialize_newtype_struct(name, visitor)
        })
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        self.ask(Expected::Anything, visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        self.ask(Expected::Array, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        self.ask(Expected::Array, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        self.ask(Expected::Object, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        self.ask(Expected::OneOf(variants), visitor)
    }
}

struct CheckedVisitor<'s, V> {
    visitor: V,
    wanted: Expected,
    slot: &'s Slot,
}

impl<'de, V: Visitor<'de>> CheckedVisitor<'_, V> {
    /// Hands a value on; a refusal of it says what is wanted here.
    fn hand<E: Error>(
        self,
        give: impl FnOnce(V) -> Result<V::Value, Refusal>,
    ) -> Result<V::Value, E> {
        let wanted = self.wanted;
        let refused = |refusal: Refusal| self.slot.put(refusal.expecting(|| wanted.words()));
        give(self.visitor).map_err(refused)
    }

    fn refuse<E: Error>(self, refusal: Refusal) -> Result<V::Value, E> {
        Err(self.slot.put(refusal))
    }

    /// Hands on a value that no enum is.
    fn scalar<E: Error>(
        self,
        found: Unexpected<'_>,
        give: impl FnOnce(V) -> Result<V::Value, Refusal>,
    ) -> Result<V::Value, E> {
        match self.wanted {
            Expected::OneOf(names) => self.refuse(Refusal::wrong_type(found, &one_of(names))),
            _ => self.hand(give),
        }
    }

    /// Hands on a whole number.
    fn integer<E: Error>(
        self,
        value: i128,
        found: Unexpected<'_>,
        give: impl FnOnce(V) -> Result<V::Value, Refusal>,
    ) -> Result<V::Value, E> {
        match self.wanted {
            Expected::Integer(least, most) if !(least..=most).contains(&value) => {
                let expected = format!("an integer from {least} to {most}");
                self.refuse(Refusal::wrong_type(found, &expected))
            }
            _ => self.scalar(found, give),
        }
    }

    fn text<E: Error>(
        self,
        text: &str,
        give: impl FnOnce(V) -> Result<V::Value, Refusal>,
    ) -> Result<V::Value, E> {
        if text.contains('\0') {
            return self.refuse(Refusal::null_character());
        }
        match self.wanted {
            Expected::OneOf(_) => {
                let variant: StrDeserializer<'_, Refusal> = text.into_deserializer();
                self.hand(|visitor| visitor.visit_enum(variant))
            }
            _ => self.hand(give),
        }
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for CheckedVisitor<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.visitor.expecting(f)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<V::Value, E> {
        self.scalar(Unexpected::Bool(value), |visitor| visitor.visit_bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<V::Value, E> {
        let found = Unexpected::Signed(value);
        self.integer(value.into(), found, |visitor| visitor.visit_i64(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<V::Value, E> {
        let found = Unexpected::Unsigned(value);
        self.integer(value.into(), found, |visitor| visitor.visit_u64(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<V::Value, E> {
        let wants_integer = matches!(self.wanted, Expected::Integer(..));
        if wants_integer && value.fract() == 0.0 && value.abs() <= EXACT {
            #[expect(clippy::cast_possible_truncation, reason = "whole, and within 2^53")]
            let whole = value as i64;
            return match u64::try_from(whole) {
                Ok(whole) => self.visit_u64(whole),
                Err(_negative) => self.visit_i64(whole),
            };
        }
        let found = Unexpected::Float(value);
        self.scalar(found, |visitor| visitor.visit_f64(value))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<V::Value, E> {
        self.text(text, |visitor| visitor.visit_str(text))
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<V::Value, E> {
        self.text(text, |visitor| visitor.visit_borrowed_str(text))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<V::Value, E> {
        if matches!(self.wanted, Expected::OneOf(_)) || text.contains('\0') {
            return self.visit_str(&text);
        }
        self.hand(|visitor| visitor.visit_string(text))
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.scalar(Unexpected::Unit, Visitor::visit_unit)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.hand(Visitor::visit_none)
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        let slot = self.slot;
        self.hand(|visitor| visitor.visit_some(Checked { inner, slot }))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        let slot = self.slot;
        self.hand(|visitor| visitor.visit_newtype_struct(Checked { inner, slot }))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        let slot = self.slot;
        match self.wanted {
            Expected::Object => self.refuse(Refusal::wrong_type(Unexpected::Seq, "an object")),
            Expected::OneOf(names) => {
                self.refuse(Refusal::wrong_type(Unexpected::Seq, &one_of(names)))
            }
            _ => self.hand(|visitor| {
                visitor.visit_seq(CheckedItems {
                    inner,
                    slot,
                    index: 0,
                })
            }),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        let members = CheckedMembers {
            inner,
            slot: self.slot,
            name: String::new(),
        };
        match self.wanted {
            Expected::OneOf(_) => {
                let variant = MapAccessDeserializer::new(members);
                self.hand(|visitor| visitor.visit_enum(variant))
            }
            _ => self.hand(|visitor| visitor.visit_map(members)),
        }
    }
}

/// The items of an array.
struct CheckedItems<'s, A> {
    inner: A,
    slot: &'s Slot,
    index: usize,
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for CheckedItems<'_, A> {
    type Error = Refusal;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Refusal> {
        let slot = self.slot;
        let item = self.inner.next_element_seed(ValueSeed { seed, slot });
        let item = item.map_err(|error| slot.take(&error).within(self.index.to_string()))?;
        self.index += 1;
        Ok(item)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

/// The members of an object.
struct CheckedMembers<'s, A> {
    inner: A,
    slot: &'s Slot,
    /// The member that is read.
    name: String,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for CheckedMembers<'_, A> {
    type Error = Refusal;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Refusal> {
        let (slot, name) = (self.slot, &mut self.name);
        let key = self.inner.next_key_seed(NameSeed { seed, slot, name });
        key.map_err(|error| slot.take(&error))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Refusal> {
        let slot = self.slot;
        let value = self.inner.next_value_seed(ValueSeed { seed, slot });
        value.map_err(|error| slot.take(&error).within(self.name.clone()))
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

struct ValueSeed<'s, S> {
    seed: S,
    slot: &'s Slot,
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for ValueSeed<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        let slot = self.slot;
        let value = self.seed.deserialize(Checked { inner, slot });
        value.map_err(|refusal| slot.put(refusal))
    }
}

struct NameSeed<'s, 'n, S> {
    seed: S,
    slot: &'s Slot,
    name: &'n mut String,
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for NameSeed<'_, '_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        let Self { seed, slot, name } = self;
        inner.deserialize_str(NameVisitor(name))?;
        if name.contains('\0') {
            return Err(slot.put(Refusal::null_character().within(name.clone())));
        }
        let key: StrDeserializer<'_, Refusal> = name.as_str().into_deserializer();
        seed.deserialize(key).map_err(|refusal| slot.put(refusal))
    }
}

/// Keeps a member's name, in the room that the one before it took.
struct NameVisitor<'n>(&'n mut String);

impl Visitor<'_> for NameVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<(), E> {
        self.0.clear();
        self.0.push_str(name);
        Ok(())
    }
}
