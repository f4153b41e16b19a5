//! The type of a column, guessed by its cells, and its cells in the form that PostgreSQL reads.
//! Cells such as `1.234` or `03/04/2026` have two meanings: the other one is found as well, and can
//! be asked for.

mod almost;
mod days;
mod evidence;
mod numbers;

use contracts::targets::SheetType;
use serde::{Deserialize, Serialize};

use super::read::line;
pub(super) use almost::almost;
use days::{DAYS, TIMES, unmistakable, unmistakable_time};
pub(super) use evidence::{Evidence, has_mark};
use numbers::{integer, number, short};

/// The types of columns in PostgreSQL.
pub(super) const SQL_TYPES: [&str; 8] = [
    "text",
    "bigint",
    "numeric",
    "double precision",
    "boolean",
    "date",
    "timestamptz",
    "timestamp",
];

/// How numbers and days are written, where that changes their meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Form {
    Point,
    Comma,
    YearFirst,
    DayFirst,
    MonthFirst,
}

impl Form {
    const ALL: [(&'static str, Self); 5] = [
        ("point", Self::Point),
        ("comma", Self::Comma),
        ("ymd", Self::YearFirst),
        ("dmy", Self::DayFirst),
        ("mdy", Self::MonthFirst),
    ];

    fn is_of(self, kind: SheetType) -> bool {
        match self {
            Self::Point | Self::Comma => kind == SheetType::Number,
            Self::YearFirst | Self::DayFirst | Self::MonthFirst => {
                matches!(kind, SheetType::Date | SheetType::Timestamp)
            }
        }
    }

    fn name(self) -> &'static str {
        let found = Self::ALL.into_iter().find(|(_, form)| *form == self);
        found.map_or("", |(name, _)| name)
    }
}

/// A type that a person asks for, such as `number` or `number/comma`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Asked {
    kind: SheetType,
    form: Option<Form>,
}

impl Asked {
    /// Whether every cell fits it.
    pub(super) fn is_text(self) -> bool {
        self.kind == SheetType::Text
    }

    /// Whether it says how the cells are written.
    pub(super) fn has_form(self) -> bool {
        self.form.is_some()
    }

    /// Reads `type` or `type/form`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (kind, form) = match text.split_once('/') {
            Some((kind, form)) => (kind, Some(form)),
            None => (text, None),
        };
        let kind: SheetType = serde_json::from_value(kind.into()).ok()?;
        let form = match form {
            Some(name) => {
                let (_, form) = Form::ALL.into_iter().find(|(known, _)| *known == name)?;
                Some(form).filter(|form| form.is_of(kind))?.into()
            }
            None => None,
        };
        Some(Self { kind, form })
    }
}

/// A type, with how its cells are written.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is of another kind of cells"
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Guess {
    pub(super) kind: SheetType,
    /// The decimal mark is a comma.
    comma: bool,
    day: &'static str,
    time: &'static str,
    /// A `T` between day and time.
    letter: bool,
    /// An offset from UTC behind the time.
    offset: bool,
    /// A percent sign behind the number.
    percent: bool,
    /// Decimals are not rounded, and timestamps are instants, whatever the zone.
    exact: bool,
    /// Days are in several forms, and each has one meaning, or two of which `prefer` decides.
    mixed: bool,
    prefer: Option<Form>,
}

impl Guess {
    pub(super) const TEXT: Self = Self::plain(SheetType::Text);
    pub(super) const INTEGER: Self = Self::plain(SheetType::Integer);
    pub(super) const NUMBER: Self = Self::plain(SheetType::Number);
    /// Numbers with a fraction, behind a point and behind a comma.
    pub(super) const DECIMALS: [Self; 2] = [
        Self::NUMBER,
        Self {
            comma: true,
            ..Self::NUMBER
        },
    ];
    pub(super) const BOOLEAN: Self = Self::plain(SheetType::Boolean);
    pub(super) const EXACT: Self = Self {
        exact: true,
        ..Self::NUMBER
    };
    pub(super) const DATE: Self = Self {
        day: DAYS[0],
        ..Self::plain(SheetType::Date)
    };
    pub(super) const TIMESTAMP: Self = Self {
        day: DAYS[0],
        time: TIMES[0],
        ..Self::plain(SheetType::Timestamp)
    };
    /// A timestamp in UTC.
    pub(super) const INSTANT: Self = Self {
        time: TIMES[3],
        exact: true,
        ..Self::TIMESTAMP
    };

    const fn plain(kind: SheetType) -> Self {
        Self {
            kind,
            comma: false,
            day: "",
            time: "",
            letter: false,
            offset: false,
            percent: false,
            exact: false,
            mixed: false,
            prefer: None,
        }
    }

    /// Days in several forms.
    const fn mixed(kind: SheetType, prefer: Option<Form>) -> Self {
        Self {
            mixed: true,
            prefer,
            ..Self::plain(kind)
        }
    }

    /// Every way in which cells of a type can be written, the likelier first.
    fn ways(kind: SheetType) -> Vec<Self> {
        let plain = Self::plain(kind);
        match kind {
            SheetType::Text | SheetType::Boolean | SheetType::Integer => vec![plain],
            SheetType::Number => [false, true]
                .into_iter()
                .flat_map(|percent| Self::DECIMALS.map(|way| Self { percent, ..way }))
                .collect(),
            SheetType::Date => DAYS
                .map(|day| Self { day, ..plain })
                .into_iter()
                .chain([Self::mixed(kind, None)])
                .collect(),
            SheetType::Timestamp => DAYS
                .iter()
                .flat_map(|day| {
                    TIMES.iter().flat_map(move |time| {
                        [false, true].map(|letter| Self {
                            day,
                            time,
                            letter,
                            ..plain
                        })
                    })
                })
                .chain(DAYS.map(|day| Self { day, ..plain }))
                .chain([Self::mixed(kind, None)])
                .chain(Self::instants())
                .collect(),
        }
    }

    /// The ways of times with an offset.
    fn instants() -> impl Iterator<Item = Self> {
        let ways = DAYS.into_iter().flat_map(|day| {
            let times = TIMES.into_iter().take(2);
            times.map(move |time| Self {
                day,
                time,
                offset: true,
                ..Self::INSTANT
            })
        });
        ways.flat_map(|way| [true, false].map(|letter| Self { letter, ..way }))
    }

    /// The words of a note about cells whose values are not written in them as they are.
    pub(super) fn remark<'c>(
        &self,
        cells: &(impl Iterator<Item = &'c str> + Clone),
    ) -> Option<String> {
        let what = match self.kind {
            SheetType::Number if self.percent => "its cells are percents",
            SheetType::Timestamp if self.offset => "its times have an offset from UTC",
            SheetType::Date | SheetType::Timestamp if self.day.contains("%y") => {
                "its years have two digits"
            }
            _ => return None,
        };
        let cell = cells.clone().find(|cell| !cell.is_empty())?;
        let value = self.value(cell)?;
        Some(format!("{what}: “{cell}” is read as {value}."))
    }

    /// The type that every cell fits; text if none does, or all are empty.
    pub(super) fn of<'c>(cells: &(impl Iterator<Item = &'c str> + Clone)) -> Self {
        if cells.clone().all(str::is_empty) {
            return Self::TEXT;
        }
        // Numbers with leading zeros are names: postcodes, article numbers.
        let is_coded = cells.clone().any(|cell| {
            cell.len() > 1 && cell.starts_with('0') && cell.bytes().all(|b| b.is_ascii_digit())
        });
        let kinds = [
            SheetType::Boolean,
            SheetType::Integer,
            SheetType::Number,
            SheetType::Date,
            SheetType::Timestamp,
        ];
        for kind in kinds {
            if is_coded && matches!(kind, SheetType::Integer | SheetType::Number) {
                continue;
            }
            if let Some(guess) = Self::fitting(kind, cells) {
                return guess;
            }
        }
        Self::TEXT
    }

    /// The type that was asked for. Fails with the first cell that it does not fit, in the row of
    /// this number in the file.
    pub(super) fn as_asked<'c>(
        asked: Asked,
        cells: impl Iterator<Item = &'c str> + Clone,
        lines: &[u64],
    ) -> Result<Self, String> {
        let mut ways = Self::ways(asked.kind);
        ways.retain(|way| asked.form.is_none() || way.form() == asked.form);
        if let Some(form) = asked.form.filter(|form| form.is_of(SheetType::Date)) {
            ways.push(Self::mixed(asked.kind, Some(form)));
        }
        if let Some(guess) = ways.iter().find(|way| way.fits(&cells)) {
            return Ok(*guess);
        }
        let mut numbered = cells.enumerate();
        let wrong = numbered
            .find(|(_, cell)| !cell.is_empty() && ways.iter().all(|way| way.value(cell).is_none()));
        Err(match wrong {
            Some((row, cell)) => {
                let cell: String = cell.chars().take(40).collect();
                format!("'{cell}' in row {} is not of this type", line(lines, row))
            }
            None if matches!(asked.kind, SheetType::Date | SheetType::Timestamp) => {
                let kind = Self::plain(asked.kind).kind_name();
                format!(
                    "the cells are written in different ways, and some have two meanings: ask for \
                     {kind}/dmy or {kind}/mdy"
                )
            }
            None => "the cells are written in different ways".to_owned(),
        })
    }

    fn fitting<'c>(
        kind: SheetType,
        cells: &(impl Iterator<Item = &'c str> + Clone),
    ) -> Option<Self> {
        // A day is a number as well: digits alone are one only if they are asked for as such.
        let mut ways = Self::ways(kind).into_iter();
        ways.find(|way| way.fits(cells))
    }

    fn fits<'c>(&self, cells: &(impl Iterator<Item = &'c str> + Clone)) -> bool {
        let mut cells = cells.clone();
        cells.all(|cell| cell.is_empty() || self.value(cell).is_some())
    }

    /// Another form of the same type that fits every cell and gives one of them another value.
    pub(super) fn other<'c>(
        &self,
        cells: &(impl Iterator<Item = &'c str> + Clone),
    ) -> Option<Self> {
        let mut ways = Self::ways(self.kind).into_iter();
        ways.find(|way| {
            way.form() != self.form()
                && way.fits(cells)
                && cells
                    .clone()
                    .any(|cell| !cell.is_empty() && way.value(cell) != self.value(cell))
        })
    }

    fn form(&self) -> Option<Form> {
        match self.kind {
            SheetType::Number if self.comma => Some(Form::Comma),
            SheetType::Number => Some(Form::Point),
            SheetType::Date | SheetType::Timestamp if self.mixed => self.prefer,
            SheetType::Date | SheetType::Timestamp => Some(match self.day.as_bytes() {
                [b'%', b'Y' | b'y', ..] => Form::YearFirst,
                [b'%', b'm', ..] => Form::MonthFirst,
                _ => Form::DayFirst,
            }),
            SheetType::Text | SheetType::Integer | SheetType::Boolean => None,
        }
    }

    /// As a person asks for it: see [`Asked::parse`].
    pub(super) fn name(&self) -> String {
        let kind = self.kind_name();
        match self.form() {
            Some(form) => format!("{kind}/{}", form.name()),
            None => kind,
        }
    }

    fn kind_name(&self) -> String {
        let kind = serde_json::to_value(self.kind).unwrap_or_default();
        kind.as_str().unwrap_or_default().to_owned()
    }

    /// A cell in the form that PostgreSQL reads; `None` if it does not fit.
    pub(super) fn value(&self, cell: &str) -> Option<String> {
        match self.kind {
            SheetType::Text => Some(cell.to_owned()),
            SheetType::Boolean => match cell.to_ascii_lowercase().as_str() {
                "true" | "yes" | "ja" | "wahr" => Some("true".to_owned()),
                "false" | "no" | "nein" | "falsch" => Some("false".to_owned()),
                _ => None,
            },
            SheetType::Integer => integer(cell).map(|number| number.to_string()),
            SheetType::Number if self.percent => {
                number(cell.strip_suffix('%')?.trim_end(), self.comma)
            }
            SheetType::Number => number(cell, self.comma),
            SheetType::Date if self.mixed => {
                unmistakable(cell, self.prefer).map(|day| day.to_string())
            }
            SheetType::Timestamp if self.mixed => {
                let at = unmistakable_time(cell, self.prefer)?;
                Some(at.format("%Y-%m-%d %H:%M:%S%.f").to_string())
            }
            SheetType::Date => days::day(cell, self.day).map(|day| day.to_string()),
            SheetType::Timestamp => {
                let between = if self.letter { "T" } else { " " };
                let form = format!("{}{between}{}", self.day, self.time);
                let at = if self.offset {
                    days::instant(cell, self.day, &form)?
                } else if let Some(at) = days::time(cell, self.day, &form) {
                    at
                } else if self.exact {
                    return None;
                } else {
                    // Spreadsheets write a midnight as its day.
                    days::day(cell, self.day)?.and_hms_opt(0, 0, 0)?
                };
                let zone = if self.exact { "+00" } else { "" };
                Some(format!("{}{zone}", at.format("%Y-%m-%d %H:%M:%S%.f")))
            }
        }
    }

    /// A cell as a person sees its value.
    pub(super) fn shown(&self, cell: &str) -> Option<String> {
        let value = self.value(cell)?;
        Some(if self.kind == SheetType::Number {
            short(&value).to_owned()
        } else {
            value
        })
    }

    /// Whether its values have a day.
    pub(super) fn has_day(&self) -> bool {
        matches!(self.kind, SheetType::Date | SheetType::Timestamp)
    }

    /// Whether its values are percents.
    pub(super) fn is_percent(&self) -> bool {
        self.percent
    }

    /// Whether its values are numbers.
    pub(super) fn is_number(&self) -> bool {
        matches!(self.kind, SheetType::Integer | SheetType::Number)
    }

    /// The type in PostgreSQL.
    pub(super) fn sql(&self) -> &'static str {
        match self.kind {
            SheetType::Text => "text",
            SheetType::Integer => "bigint",
            SheetType::Number if self.exact => "numeric",
            SheetType::Number => "double precision",
            SheetType::Boolean => "boolean",
            SheetType::Date => "date",
            SheetType::Timestamp if self.exact => "timestamptz",
            SheetType::Timestamp => "timestamp",
        }
    }
}

#[cfg(test)]
mod tests;
