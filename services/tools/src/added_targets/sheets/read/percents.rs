//! Cells of a workbook that are shown as percents: 0.12 in the file is 12 % for those who see it,
//! as in a CSV.

use std::collections::HashSet;
use std::io::{Read, Seek};

use calamine::{DataRef, Xlsx, XlsxError};

/// The places of the numbers of a sheet that are shown as percents. More than `most` are not looked
/// for.
pub(super) fn of<R: Read + Seek>(
    book: &mut Xlsx<R>,
    sheet: &str,
    most: u64,
) -> Result<HashSet<(u32, u32)>, XlsxError> {
    let mut places = HashSet::new();
    let mut cells = book.worksheet_cells_reader(sheet)?;
    let styles = cells.styles().iter();
    let is_percent: Vec<bool> = styles
        .map(|style| {
            let format = style.number_format.as_ref();
            format.is_some_and(|format| shows_percent(&format.format_code))
        })
        .collect();
    if !is_percent.contains(&true) {
        return Ok(places);
    }
    while let Some((cell, style)) = cells.next_cell_with_style_id()? {
        let is_number = matches!(cell.get_value(), DataRef::Float(_));
        if is_number && is_percent.get(style) == Some(&true) {
            places.insert(cell.get_position());
        }
        if places.len() as u64 > most {
            break;
        }
    }
    Ok(places)
}

/// Whether a format of numbers shows hundredths: `0%`, `0.0 %`; not `0"%"`, which only adds a sign.
fn shows_percent(format: &str) -> bool {
    let (mut quoted, mut letters) = (false, format.chars());
    while let Some(letter) = letters.next() {
        match letter {
            '"' => quoted = !quoted,
            '\\' | '_' | '*' if !quoted => {
                letters.next();
            }
            '%' if !quoted => return true,
            _ => {}
        }
    }
    false
}

/// A number as percents: the digits of 0.12 are those of 12%.
pub(super) fn text(number: f64) -> String {
    // A product would end in digits that the number has not.
    let plain = number.abs().to_string();
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
    let digits = format!("{whole}{fraction:0<2}");
    let (whole, fraction) = digits.split_at(whole.len() + 2);
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let sign = if number < 0.0 { "-" } else { "" };
    match fraction {
        "" => format!("{sign}{whole}%"),
        _ => format!("{sign}{whole}.{fraction}%"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hundredths_are_shown_as_percents() {
        for (format, shows) in [
            ("0%", true),
            ("0.00 %;[Red]-0.00 %", true),
            ("0\"%\"", false),
            ("0\\%", false),
            ("General", false),
            ("\"a\"0%", true),
        ] {
            assert_eq!(shows_percent(format), shows, "{format}");
        }
        for (number, shown) in [
            (0.12, "12%"),
            (0.07, "7%"),
            (-0.075, "-7.5%"),
            (0.001, "0.1%"),
            (0.0, "0%"),
            (1.0, "100%"),
            (12.345_6, "1234.56%"),
            (0.29, "29%"),
        ] {
            assert_eq!(text(number), shown);
        }
    }
}
