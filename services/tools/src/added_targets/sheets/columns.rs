//! The columns of a table: their types, and the notes on the reading of their cells.

use super::read::{Raw, SheetError};
use super::types::{self, Asked, Evidence, Guess};
use super::{Book, Column, blanks};

/// A column whose type is found, before the others of its table are.
struct Typed {
    guess: Guess,
    asked: Option<Asked>,
    /// Whether its cells may have another meaning.
    is_open: bool,
}

/// The columns of a table. Notes and remarks on them are added to the book.
pub(super) fn of(
    raw: &mut Raw,
    types: &[(String, Asked)],
    left_out: &[u64],
    book: &mut Book,
) -> Result<Vec<Column>, SheetError> {
    let mut typed = Vec::new();
    for at in 0..raw.columns.len() {
        let full = raw.full_name(at);
        if let Some(remark) = raw.remark_without_result(at, left_out) {
            book.remarks.insert(full.clone(), remark);
        }
        let asked = types.iter().find(|(column, _)| *column == full);
        let asked = asked.map(|(_, asked)| *asked);
        if raw.types.is_empty() {
            let note = blanks::take(raw, at, asked);
            book.notes
                .extend(note.map(|note| format!("{full}: {note}")));
        }
        typed.push(typed_column(raw, at, asked, book)?);
    }
    let mut evidence = Evidence::default();
    for (at, column) in typed.iter().enumerate() {
        if column.is_open {
            evidence.add(&column.guess, &raw.cells(at));
        }
    }
    let all = typed.iter().enumerate();
    Ok(all
        .map(|(at, typed)| read(raw, at, typed, &evidence, book))
        .collect())
}

/// A column by its own cells.
fn typed_column(
    raw: &Raw,
    at: usize,
    asked: Option<Asked>,
    book: &mut Book,
) -> Result<Typed, SheetError> {
    let full = raw.full_name(at);
    let cells = raw.cells(at);
    let guess = match (asked, raw.types.get(at)) {
        (Some(asked), _) => Guess::as_asked(asked, cells.clone(), &raw.lines)
            .map_err(|why| SheetError::Invalid(format!("{full}: {why}")))?,
        (None, Some(told)) => *told,
        (None, None) => {
            let guess = Guess::of(&cells);
            let note = types::almost(&guess, &cells, &raw.lines);
            book.notes
                .extend(note.map(|note| format!("{full} is text: {note}")));
            guess
        }
    };
    // What the file itself says has one meaning.
    let is_stored = raw.stored_numbers.get(at) == Some(&true) && guess.is_number();
    Ok(Typed {
        guess,
        asked,
        is_open: raw.types.is_empty() && !is_stored,
    })
}

/// A column, read as the others of its table are where its own cells have two meanings.
fn read(raw: &Raw, at: usize, typed: &Typed, evidence: &Evidence, book: &mut Book) -> Column {
    let full = raw.full_name(at);
    let cells = raw.cells(at);
    let mut guess = typed.guess;
    let mut other = None;
    if typed.is_open {
        other = guess.other(&cells);
    }
    if let Some(found) = other
        && !typed.asked.is_some_and(Asked::has_form)
    {
        let (read, not, note) = evidence.choose((guess, found), &cells);
        (guess, other) = (read, Some(not));
        book.notes
            .extend(note.map(|note| format!("{full}: {note}")));
    }
    let remark = guess.remark(&cells);
    book.notes
        .extend(remark.map(|remark| format!("{full}: {remark}")));
    let (name, header) = &raw.columns[at];
    Column {
        name: name.clone(),
        header: header.clone(),
        guess,
        other,
        empty: cells.filter(|cell| cell.is_empty()).count() as u64,
    }
}
