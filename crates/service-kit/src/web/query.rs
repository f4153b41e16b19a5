//! The parameters of a URL's query as a type: each is a text that says a number, a name or itself.

use std::borrow::Cow;

use serde::de::value::{MapDeserializer, StrDeserializer};
use serde::de::{Deserialize, Deserializer, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use super::refusal::{Refusal, one_of};

/// Reads the parameters of a query.
pub(super) fn read<'de, T: Deserialize<'de>>(query: &'de str) -> Result<T, Refusal> {
    check(query)?;
    let pairs = pairs(query).map(|(name, text)| {
        let parameter = Parameter {
            name: name.clone(),
            text,
        };
        (name, parameter)
    });
    T::deserialize(MapDeserializer::new(pairs))
}

/// Refuses U+0000 in a name or a value.
pub(super) fn check(query: &str) -> Result<(), Refusal> {
    let null = pairs(query).find(|(name, value)| name.contains('\0') || value.contains('\0'));
    match null {
        Some((name, _)) => Err(Refusal::null_character().within(name)),
        None => Ok(()),
    }
}

/// Names and values, decoded.
fn pairs(query: &str) -> form_urlencoded::Parse<'_> {
    form_urlencoded::parse(query.as_bytes())
}

/// One parameter.
struct Parameter<'de> {
    name: Cow<'de, str>,
    text: Cow<'de, str>,
}

impl Parameter<'_> {
    fn wrong(&self, expected: &str) -> Refusal {
        self.here(Refusal::wrong_type(Unexpected::Str(&self.text), expected))
    }

    fn here(&self, refusal: Refusal) -> Refusal {
        refusal.within(self.name.clone())
    }

    /// A whole number, also when it is written `7.0`.
    fn integer(&self) -> Option<i128> {
        let digits = match self.text.split_once('.') {
            Some((digits, zeros)) if !zeros.is_empty() && zeros.bytes().all(|b| b == b'0') => {
                digits
            }
            Some(_) => return None,
            None => &self.text,
        };
        digits.parse().ok()
    }
}

macro_rules! integers {
    ($($method:ident: $type:ty, $visit:ident;)+) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
            let read = self.integer().and_then(|value| <$type>::try_from(value).ok());
            let Some(value) = read else {
                let expected = format!("an integer from {} to {}", <$type>::MIN, <$type>::MAX);
                return Err(self.wrong(&expected));
            };
            visitor.$visit(value).map_err(|refusal: Refusal| self.here(refusal))
        })+
    };
}

impl<'de> Deserializer<'de> for Parameter<'de> {
    type Error = Refusal;

    integers! {
        deserialize_i8: i8, visit_i8;
        deserialize_i16: i16, visit_i16;
        deserialize_i32: i32, visit_i32;
        deserialize_i64: i64, visit_i64;
        deserialize_u8: u8, visit_u8;
        deserialize_u16: u16, visit_u16;
        deserialize_u32: u32, visit_u32;
        deserialize_u64: u64, visit_u64;
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        let Self { name, text } = self;
        let read = match text {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        };
        read.map_err(|refusal: Refusal| refusal.within(name))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match &*self.text {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => Err(self.wrong("true or false")),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.text.parse::<f64>() {
            Ok(value) if value.is_finite() => visitor.visit_f64(value),
            _ => Err(self.wrong("a number")),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        if !variants.contains(&&*self.text) {
            return Err(self.wrong(&one_of(variants)));
        }
        let variant: StrDeserializer<'_, Refusal> = (*self.text).into_deserializer();
        visitor.visit_enum(variant)
    }

    forward_to_deserialize_any! {
        i128 u128 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier
        ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Refusal> for Parameter<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}
