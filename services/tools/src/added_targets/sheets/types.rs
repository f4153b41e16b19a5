//! The type of a column, guessed by its cells, and its cells in the form that PostgreSQL reads.
//! Cells such as `1.234` or `03/04/2026` have two meanings: the other one is found as well, and can
//! be asked for.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};
use contracts::targets::SheetType;
use serde::{Deserialize, Serialize};

use super::read::line;

/// Forms of days. Days after the twelfth decide between ambiguous ones.
const DAYS: [&str; 7] = [
    "%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%Y%m%d",
];
/// Forms of days with the name of the month, in which no day has two meanings.
const NAMED_DAYS: [&str; 5] = ["%d %B %Y", "%d. %B %Y", "%d-%B-%Y", "%B %d, %Y", "%B %d %Y"];
/// German names of months that are not written as in English, and these.
const MONTHS: [(&str, &str); 12] = [
    ("januar", "january"),
    ("jänner", "january"),
    ("februar", "february"),
    ("märz", "march"),
    ("mär", "mar"),
    ("mai", "may"),
    ("juni", "june"),
    ("juli", "july"),
    ("oktober", "october"),
    ("okt", "oct"),
    ("dezember", "december"),
    ("dez", "dec"),
];
/// Cells of a text column that decide whether the others are looked at.
const SAMPLE: usize = 200;
/// Forms of times behind a day.
const TIMES: [&str; 6] = [
    "%H:%M:%S%.f",
    "%H:%M",
    "%I:%M %p",
    "%H:%M:%S%.fZ",
    "%H:%MZ",
    "%H:%M:%S %p",
];

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
            SheetType::Number => vec![
                plain,
                Self {
                    comma: true,
                    ..plain
                },
            ],
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
                .collect(),
        }
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
                [b'%', b'Y', ..] => Form::YearFirst,
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
            SheetType::Number => number(cell, self.comma),
            SheetType::Date if self.mixed => {
                unmistakable(cell, self.prefer).map(|day| day.to_string())
            }
            SheetType::Timestamp if self.mixed => {
                let at = unmistakable_time(cell, self.prefer)?;
                Some(at.format("%Y-%m-%d %H:%M:%S%.f").to_string())
            }
            SheetType::Date => {
                let day = NaiveDate::parse_from_str(cell, self.day).ok()?;
                is_near(day).then(|| day.to_string())
            }
            SheetType::Timestamp => {
                let between = if self.letter { "T" } else { " " };
                let form = format!("{}{between}{}", self.day, self.time);
                let at = NaiveDateTime::parse_from_str(cell, &form);
                // Spreadsheets write a midnight as its day.
                let midnight = || NaiveDate::parse_from_str(cell, self.day).ok();
                let at = match at {
                    Ok(at) => at,
                    Err(_) if self.exact => return None,
                    Err(_) => midnight()?.and_hms_opt(0, 0, 0)?,
                };
                let zone = if self.exact { "+00" } else { "" };
                is_near(at.date()).then(|| format!("{}{zone}", at.format("%Y-%m-%d %H:%M:%S%.f")))
            }
        }
    }

    /// Whether its values have a day.
    pub(super) fn has_day(&self) -> bool {
        matches!(self.kind, SheetType::Date | SheetType::Timestamp)
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

/// A day in any form, if only one day is written so, or the preferred form decides.
fn unmistakable(cell: &str, prefer: Option<Form>) -> Option<NaiveDate> {
    let parsed = |form: &&str| {
        let day = NaiveDate::parse_from_str(cell, form).ok();
        day.filter(|day| is_near(*day))
    };
    let named = || {
        let english = english(cell);
        NAMED_DAYS
            .iter()
            .find_map(|form| NaiveDate::parse_from_str(&english, form).ok())
            .filter(|day| is_near(*day))
    };
    let mut days = DAYS.iter().filter_map(&parsed);
    let Some(first) = days.next() else {
        return named();
    };
    if days.all(|day| day == first) {
        return Some(first);
    }
    let is_preferred = |day: &&&'static str| {
        let way = Guess { day, ..Guess::DATE };
        prefer.is_some() && way.form() == prefer
    };
    DAYS.iter().filter(is_preferred).find_map(parsed)
}

/// The same with a time behind it; without, midnight.
fn unmistakable_time(cell: &str, prefer: Option<Form>) -> Option<NaiveDateTime> {
    let mut gaps = cell.char_indices().filter(|(_, c)| matches!(c, ' ' | 'T'));
    let with_time = gaps.find_map(|(at, _)| {
        let (day, time) = (&cell[..at], &cell[at + 1..]);
        let time = TIMES
            .iter()
            .find_map(|form| NaiveTime::parse_from_str(time, form).ok())?;
        Some(unmistakable(day, prefer)?.and_time(time))
    });
    let midnight = || unmistakable(cell, prefer)?.and_hms_opt(0, 0, 0);
    with_time.or_else(midnight)
}

/// A day with the name of its month in English.
fn english(cell: &str) -> String {
    let lower = cell.to_lowercase();
    let words = lower.split(' ').map(|word| {
        let plain = word.trim_end_matches('.');
        let known = MONTHS.iter().find(|(german, _)| *german == plain);
        match known {
            Some((_, english)) => (*english).to_owned(),
            // A month may be shortened with a full stop; behind a number it is part of the form.
            None if plain.ends_with(char::is_alphabetic) => plain.to_owned(),
            None => word.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A year of four digits.
fn is_near(day: NaiveDate) -> bool {
    use chrono::Datelike;
    (1000..=9999).contains(&day.year())
}

fn integer(cell: &str) -> Option<i64> {
    let digits = cell.strip_prefix(['+', '-']).unwrap_or(cell);
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| cell.parse().ok()).flatten()
}

/// A number with a decimal mark and marks between thousands.
fn number(cell: &str, comma: bool) -> Option<String> {
    let (mark, group) = if comma { (',', '.') } else { ('.', ',') };
    let cell = cell.trim_end_matches(['€', '$', '£']).trim_end();
    let (sign, digits) = match cell.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", cell.strip_prefix('+').unwrap_or(cell)),
    };
    let digits = digits.trim_start_matches(['€', '$', '£']).trim_start();
    let (digits, exponent) = match digits.find(['e', 'E']) {
        Some(at) => (&digits[..at], Some(digits[at + 1..].parse::<i32>().ok()?)),
        None => (digits, None),
    };
    let (whole, fraction) = digits.split_once(mark).unwrap_or((digits, ""));
    let mut parts = whole.split([group, '\'', ' ', '\u{a0}', '\u{202f}']);
    let first = parts.next()?;
    let rest: Vec<&str> = parts.collect();
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_grouped = rest.iter().all(|part| part.len() == 3 && is_digits(part));
    let has_digits = !first.is_empty() || !fraction.is_empty();
    let fits = has_digits
        && is_digits(first)
        && is_digits(fraction)
        && is_grouped
        && (rest.is_empty() || (1..=3).contains(&first.len()));
    if !fits {
        return None;
    }
    let whole = if first.is_empty() { "0" } else { first };
    let mut text = format!("{sign}{whole}{}", rest.concat());
    if !fraction.is_empty() {
        text.push('.');
        text.push_str(fraction);
    }
    if let Some(exponent) = exponent {
        text.push('e');
        text.push_str(&exponent.to_string());
    }
    let value: f64 = text.parse().ok()?;
    value.is_finite().then_some(text)
}

/// Why the cells of a text column are none of the dates or numbers that most of them are. `lines`
/// are the numbers of their rows in the file.
pub(super) fn almost<'c>(
    guess: &Guess,
    cells: &(impl Iterator<Item = &'c str> + Clone),
    lines: &[u64],
) -> Option<String> {
    if guess.kind != SheetType::Text {
        return None;
    }
    let filled = || cells.clone().filter(|cell| !cell.is_empty());
    let all = filled().count();
    let is_coded = filled().any(|cell| cell.len() > 1 && cell.bytes().all(|b| b.is_ascii_digit()));
    for (kind, what) in [
        (SheetType::Date, "dates"),
        (SheetType::Timestamp, "times"),
        (SheetType::Number, "numbers"),
    ] {
        if kind == SheetType::Number && is_coded && filled().any(|cell| cell.starts_with('0')) {
            continue;
        }
        let ways = Guess::ways(kind);
        let is_one = |cell: &&str| ways.iter().any(|way| way.value(cell).is_some());
        let begin = || filled().take(SAMPLE);
        if begin().filter(is_one).count() * 2 < begin().count() {
            continue;
        }
        let fitting = filled().filter(is_one).count();
        if all < 2 || fitting * 2 < all || kind == SheetType::Timestamp && fitting < all {
            continue;
        }
        let shown = |cell: &str| cell.chars().take(40).collect::<String>();
        let numbered = cells.clone().enumerate();
        let odd = numbered
            .clone()
            .find(|(_, cell)| !cell.is_empty() && !is_one(cell));
        let said = if let Some((row, cell)) = odd {
            let are = match all - fitting {
                1 => format!(
                    "1 of its {all} cells is not a {}",
                    what.trim_end_matches('s')
                ),
                some => format!("{some} of its {all} cells are not {what}"),
            };
            let row = line(lines, row);
            format!("{are}, such as “{}” in row {row}.", shown(cell))
        } else {
            let first = filled().next().unwrap_or_default();
            let way = ways.iter().find(|way| way.value(first).is_some());
            let other = filled().find(|cell| way.is_none_or(|way| way.value(cell).is_none()));
            format!(
                "its {what} are written in different ways, such as “{}” and “{}”.",
                shown(first),
                shown(other.unwrap_or(first))
            )
        };
        return Some(said);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(cells: &[&'static str]) -> (SheetType, Vec<Option<String>>) {
        let guess = Guess::of(&cells.iter().copied());
        let values = cells.iter().filter(|cell| !cell.is_empty());
        (guess.kind, values.map(|cell| guess.value(cell)).collect())
    }

    fn some(texts: &[&str]) -> Vec<Option<String>> {
        texts.iter().map(|text| Some((*text).to_owned())).collect()
    }

    #[test]
    fn why_a_column_of_dates_is_text_is_told() {
        let told = |cells: &[&str]| {
            let cells = cells.iter().copied();
            almost(&Guess::of(&cells), &cells, &[])
        };
        assert_eq!(
            told(&["2026-01-05", "2026-01-06", "", "soon", "2026-01-09"]).as_deref(),
            Some("1 of its 4 cells is not a date, such as “soon” in row 4.")
        );
        assert_eq!(
            told(&["2026-01-05", "06/01/2026", "2026-01-09"]).as_deref(),
            Some("its dates are written in different ways, such as “2026-01-05” and “06/01/2026”.")
        );
        assert_eq!(
            told(&["1.5", "2.5", "n/a"]).as_deref(),
            Some("1 of its 3 cells is not a number, such as “n/a” in row 3.")
        );
        for plain in [
            &["Anna", "Ben", "2026-01-05"][..],
            &["01234", "98765"],
            &["2026-01-05", "2026-01-06"],
            &["", ""],
            &["4711"],
        ] {
            assert_eq!(told(plain), None, "{plain:?}");
        }
    }

    #[test]
    fn types_are_guessed_by_all_cells() {
        assert_eq!(
            guess(&["1", "", "-20"]),
            (SheetType::Integer, some(&["1", "-20"]))
        );
        assert_eq!(
            guess(&["1", "2.5"]),
            (SheetType::Number, some(&["1", "2.5"]))
        );
        assert_eq!(
            guess(&["1.234,50", "7,25 €"]),
            (SheetType::Number, some(&["1234.50", "7.25"]))
        );
        assert_eq!(
            guess(&["1,234", "12.5"]),
            (SheetType::Number, some(&["1234", "12.5"]))
        );
        assert_eq!(
            guess(&["yes", "No"]),
            (SheetType::Boolean, some(&["true", "false"]))
        );
        assert_eq!(
            guess(&["31.01.2026", "01.02.2026"]),
            (SheetType::Date, some(&["2026-01-31", "2026-02-01"]))
        );
        // Only the month first fits both.
        assert_eq!(
            guess(&["01/02/2026", "01/31/2026"]),
            (SheetType::Date, some(&["2026-01-02", "2026-01-31"]))
        );
        assert_eq!(
            guess(&["2026-01-31T10:00:00Z", "2026-01-31T10:00:01Z"]).0,
            SheetType::Timestamp
        );
        // A midnight is written as its day.
        assert_eq!(
            guess(&["2026-06-01", "2026-06-01 01:30:00"]),
            (
                SheetType::Timestamp,
                some(&["2026-06-01 00:00:00", "2026-06-01 01:30:00"])
            )
        );
        assert_eq!(guess(&["01067", "12345"]).0, SheetType::Text);
        assert_eq!(guess(&["1", "n/a"]).0, SheetType::Text);
        assert_eq!(guess(&["", ""]).0, SheetType::Text);
        assert_eq!(guess(&["99999999999999999999", "1"]).0, SheetType::Number);
        assert_eq!(guess(&["1e999"]).0, SheetType::Text);
    }

    #[test]
    fn days_in_several_forms_are_read_where_each_has_one_meaning() {
        assert_eq!(
            guess(&["2026-11-06", "08 Jan 2026", "soon"]).0,
            SheetType::Text
        );
        assert_eq!(
            guess(&["2026-11-06", "08.01.2026", "08 Jan 2026", "9. März 2026"]),
            (
                SheetType::Date,
                some(&["2026-11-06", "2026-01-08", "2026-01-08", "2026-03-09"])
            )
        );
        assert_eq!(
            guess(&["2026-11-06 10:00", "08 Jan 2026", "08.01.2026 10:00:30"]),
            (
                SheetType::Timestamp,
                some(&[
                    "2026-11-06 10:00:00",
                    "2026-01-08 00:00:00",
                    "2026-01-08 10:00:30"
                ])
            )
        );
        // 3 April or 4 March: a person says which.
        let cells = ["2026-11-06", "03/04/2026"];
        assert_eq!(guess(&cells).0, SheetType::Text);
        let asked = |text| Guess::as_asked(Asked::parse(text).unwrap(), cells.iter().copied(), &[]);
        assert_eq!(
            asked("date").unwrap_err(),
            "the cells are written in different ways, and some have two meanings: ask for date/dmy or date/mdy"
        );
        for (form, day) in [("date/dmy", "2026-04-03"), ("date/mdy", "2026-03-04")] {
            let way = asked(form).unwrap();
            assert_eq!(
                (way.value(cells[1]).as_deref(), way.name()),
                (Some(day), form.to_owned())
            );
            assert_eq!(way.value(cells[0]).as_deref(), Some("2026-11-06"));
        }
    }

    #[test]
    fn a_type_that_is_asked_for_must_fit() {
        let cells = ["01067", "x"];
        let asked = |text| Asked::parse(text).unwrap();
        let error = Guess::as_asked(asked("integer"), cells.iter().copied(), &[5, 6]).unwrap_err();
        assert_eq!(error, "'x' in row 6 is not of this type");
        let text = Guess::as_asked(asked("text"), ["1", "2"].into_iter(), &[]).unwrap();
        assert_eq!(text.sql(), "text");
        let day = Guess::as_asked(asked("date"), ["20260131"].into_iter(), &[]).unwrap();
        assert_eq!(day.value("20260131").unwrap(), "2026-01-31");
        for unknown in [
            "",
            "numbers",
            "number/mdy",
            "date/comma",
            "text/",
            "number/",
        ] {
            assert_eq!(Asked::parse(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn cells_of_two_meanings_have_another_form_that_can_be_asked_for() {
        for (cells, guessed, value, other, other_value) in [
            (
                ["1.234", "5.678"],
                "number/point",
                "1.234",
                "number/comma",
                "1234",
            ),
            (
                ["1,234", ""],
                "number/point",
                "1234",
                "number/comma",
                "1.234",
            ),
            (
                ["03/04/2026", "05/06/2026"],
                "date/dmy",
                "2026-04-03",
                "date/mdy",
                "2026-03-04",
            ),
            (
                ["03/04/2026 10:00", ""],
                "timestamp/dmy",
                "2026-04-03 10:00:00",
                "timestamp/mdy",
                "2026-03-04 10:00:00",
            ),
        ] {
            let all = cells.iter().copied();
            let guess = Guess::of(&all);
            assert_eq!(guess.name(), guessed);
            assert_eq!(guess.value(cells[0]).as_deref(), Some(value));
            let found = guess.other(&all).unwrap();
            assert_eq!(found.name(), other);
            assert_eq!(found.value(cells[0]).as_deref(), Some(other_value));
            let asked = Asked::parse(other).unwrap();
            assert_eq!(Guess::as_asked(asked, all, &[]), Ok(found));
        }
        // Each has one meaning only, or the same in both forms.
        for cells in [
            ["1.234,50", "2"],
            ["12.5", "3.25"],
            ["31/01/2026", "01/02/2026"],
            ["04/04/2026", "05/05/2026"],
            ["2026-01-02", "2026-01-03"],
            ["1", "2"],
        ] {
            let all = cells.iter().copied();
            assert_eq!(Guess::of(&all).other(&all), None, "{cells:?}");
        }
    }
}
