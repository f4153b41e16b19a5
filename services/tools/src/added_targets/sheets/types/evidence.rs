//! The reading of cells with two meanings, by the other columns of their sheet: who writes 2,50 in
//! one column means a thousand by 1.000 in another.

use super::{Form, Guess, SheetType};

/// How the cells of a sheet are written that have one meaning.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Evidence(Vec<Form>);

/// Whether a text is a number with a mark.
pub(in super::super) fn has_mark(text: &str) -> bool {
    let number = text.strip_suffix('%').map_or(text, str::trim_end);
    number.contains(['.', ','])
        && Guess::DECIMALS
            .iter()
            .any(|way| way.value(number).is_some())
}

impl Evidence {
    /// Takes a column whose cells are read so.
    pub(in super::super) fn add<'c>(
        &mut self,
        guess: &Guess,
        cells: &(impl Iterator<Item = &'c str> + Clone),
    ) {
        self.0.extend(guess.settled(cells));
    }

    /// The reading of a column of two meanings: the guessed one, or the other where all columns of
    /// one meaning have it; and what a note says of it.
    pub(in super::super) fn choose<'c>(
        &self,
        (guess, other): (Guess, Guess),
        cells: &(impl Iterator<Item = &'c str> + Clone),
    ) -> (Guess, Guess, Option<String>) {
        let has = |way: &Guess| way.form().is_some_and(|form| self.0.contains(&form));
        let (guess, other, is_settled) = match (has(&guess), has(&other)) {
            (true, false) => (guess, other, true),
            (false, true) => (other, guess, true),
            _ => (guess, other, false),
        };
        let mut filled = cells.clone().filter(|cell| !cell.is_empty());
        let cell = filled.find(|cell| guess.value(cell) != other.value(cell));
        let note = cell.and_then(|cell| {
            let (one, two) = (guess.shown(cell)?, other.shown(cell)?);
            Some(if is_settled {
                let form = guess.form()?;
                format!(
                    "“{cell}” is read as {one}, because other columns of the sheet have {}. The type {} reads it as {two}.",
                    form.in_words(),
                    other.name()
                )
            } else {
                format!(
                    "“{cell}” can be {one} or {two}, and is read as {one}. The type {} reads it as {two}.",
                    other.name()
                )
            })
        });
        (guess, other, note)
    }
}

impl Form {
    /// The form that gives the same cells other values.
    fn opposite(self) -> Option<Self> {
        match self {
            Self::Point => Some(Self::Comma),
            Self::Comma => Some(Self::Point),
            Self::DayFirst => Some(Self::MonthFirst),
            Self::MonthFirst => Some(Self::DayFirst),
            Self::YearFirst => None,
        }
    }

    fn in_words(self) -> &'static str {
        match self {
            Self::Point => "decimal points",
            Self::Comma => "decimal commas",
            Self::DayFirst => "the day before the month",
            Self::MonthFirst => "the month before the day",
            Self::YearFirst => "the year first",
        }
    }
}

impl Guess {
    /// The form of cells that can be read in no other one.
    fn settled<'c>(&self, cells: &(impl Iterator<Item = &'c str> + Clone)) -> Option<Form> {
        let form = self.form()?;
        let opposite = form.opposite()?;
        // Only between slashes is either the day or the month first.
        if self.has_day() && !self.day.contains('/') {
            return None;
        }
        let ways = Self::ways(self.kind).into_iter();
        let mut others = ways.filter(|way| way.form() == Some(opposite));
        (self.kind != SheetType::Integer && !others.any(|way| way.fits(cells))).then_some(form)
    }
}
