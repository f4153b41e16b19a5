//! The text of a message, which is Markdown, as the two parts of a mail.

use std::fmt::Write;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Maximum width of a table in the plain part, in characters; the rows of a wider one are lists.
const WIDEST: usize = 96;

const PAGE: &str = "font-family:system-ui,sans-serif;font-size:15px;line-height:1.45;color:#1c1c1c";
const TABLE: &str = "border-collapse:collapse;font-size:14px;margin:8px 0 16px";
const CELL: &str = "padding:4px 12px 4px 0;border-bottom:1px solid #ddd;vertical-align:top";

/// A text for programs that show no HTML, and one for those that do.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Body {
    pub(super) plain: String,
    pub(super) html: String,
}

impl Body {
    /// Reads a text. HTML in it is shown as it is written.
    pub(super) fn of(markdown: &str) -> Self {
        let mut writer = Writer::default();
        for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
            writer.take(event);
        }
        let inner = writer.html;
        Self {
            plain: format!("{}\n", writer.plain.trim()),
            html: format!("<!doctype html><html><body style=\"{PAGE}\">{inner}</body></html>\n"),
        }
    }
}

/// A piece of a line in both forms.
#[derive(Debug, Clone, Default)]
struct Words {
    plain: String,
    html: String,
}

impl Words {
    fn push(&mut self, text: &str) {
        self.plain.push_str(text);
        self.html.push_str(&escaped(text));
    }

    fn is_number(&self) -> bool {
        let first = self.plain.trim_start_matches(['-', '+']);
        first.is_empty() || first.starts_with(|c: char| c.is_ascii_digit())
    }
}

#[derive(Default)]
struct Writer {
    plain: String,
    html: String,
    /// The words of the open block.
    words: Words,
    /// The open lists, each with the number of its next item if it counts.
    lists: Vec<Option<u64>>,
    /// The address of the open link, and where its words begin in the plain text.
    link: Option<(String, usize)>,
    rows: Vec<Vec<Words>>,
}

impl Writer {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                self.words.push(&text);
            }
            Event::Code(text) => {
                self.words.plain.push_str(&text);
                let _ = write!(self.words.html, "<code>{}</code>", escaped(&text));
            }
            Event::SoftBreak | Event::HardBreak => {
                self.words.plain.push('\n');
                self.words.html.push_str("<br>\n");
            }
            Event::Rule => {
                self.plain.push_str("-- \n");
                self.html.push_str("<hr>\n");
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::List(first) => {
                // A list within an item follows the words of that item.
                if !self.lists.is_empty() {
                    self.end_item_words();
                }
                self.html
                    .push_str(if first.is_some() { "<ol>" } else { "<ul>" });
                self.lists.push(first);
            }
            Tag::Item => self.html.push_str("<li>"),
            Tag::Strong => self.words.html.push_str("<strong>"),
            Tag::Emphasis => self.words.html.push_str("<em>"),
            Tag::Link { dest_url, .. } => {
                if is_web(&dest_url) {
                    let _ = write!(self.words.html, "<a href=\"{}\">", escaped(&dest_url));
                }
                self.link = Some((dest_url.into_string(), self.words.plain.len()));
            }
            Tag::TableHead | Tag::TableRow => self.rows.push(Vec::new()),
            Tag::CodeBlock(_) => self.html.push_str("<pre>"),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock if self.lists.is_empty() => self.block("p"),
            TagEnd::Heading(_) => self.block("h3"),
            TagEnd::CodeBlock => {
                self.block("p");
                self.html.push_str("</pre>");
            }
            TagEnd::Item => {
                self.end_item_words();
                self.html.push_str("</li>\n");
            }
            TagEnd::List(counts) => {
                self.lists.pop();
                self.html
                    .push_str(if counts { "</ol>\n" } else { "</ul>\n" });
                if self.lists.is_empty() {
                    self.plain.push('\n');
                }
            }
            TagEnd::Strong => self.words.html.push_str("</strong>"),
            TagEnd::Emphasis => self.words.html.push_str("</em>"),
            TagEnd::Link => self.end_link(),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.words);
                if let Some(row) = self.rows.last_mut() {
                    row.push(cell);
                }
            }
            TagEnd::Table => self.table(),
            _ => {}
        }
    }

    fn block(&mut self, element: &str) {
        let words = std::mem::take(&mut self.words);
        let _ = write!(self.plain, "{}\n\n", words.plain.trim_end());
        let _ = writeln!(self.html, "<{element}>{}</{element}>", words.html);
    }

    /// Writes the words of an item, with its mark.
    fn end_item_words(&mut self) {
        let words = std::mem::take(&mut self.words);
        if words.plain.is_empty() {
            return;
        }
        let indent = "  ".repeat(self.lists.len().saturating_sub(1));
        let mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{}.", *number - 1)
            }
            _ => "-".to_owned(),
        };
        let _ = writeln!(self.plain, "{indent}{mark} {}", words.plain);
        self.html.push_str(&words.html);
    }

    /// The address is behind the words of a link, unless these are the address.
    fn end_link(&mut self) {
        let Some((address, begin)) = self.link.take() else {
            return;
        };
        if self.words.plain[begin..] != address {
            let _ = write!(self.words.plain, " ({address})");
        }
        if is_web(&address) {
            self.words.html.push_str("</a>");
        }
    }

    fn table(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        let Some((heads, rows)) = rows.split_first() else {
            return;
        };
        let right: Vec<bool> = (0..heads.len())
            .map(|column| {
                rows.iter()
                    .all(|row| row.get(column).is_none_or(Words::is_number))
            })
            .collect();
        self.html_table(heads, rows, &right);
        let width = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            let widest = cells.map(|cell| cell.plain.chars().count()).max();
            widest
                .unwrap_or_default()
                .max(heads[column].plain.chars().count())
        };
        let widths: Vec<usize> = (0..heads.len()).map(width).collect();
        if widths.iter().sum::<usize>() + 2 * widths.len() > WIDEST {
            return self.listed(heads, rows);
        }
        let rule: Vec<Words> = widths
            .iter()
            .map(|width| Words {
                plain: "-".repeat(*width),
                html: String::new(),
            })
            .collect();
        for row in [heads, &rule].into_iter().chain(rows) {
            let mut text = String::new();
            for (column, cell) in row.iter().enumerate() {
                let (width, cell) = (widths.get(column).copied().unwrap_or_default(), &cell.plain);
                let _ = match right.get(column) {
                    Some(true) => write!(text, "{cell:>width$}  "),
                    _ => write!(text, "{cell:<width$}  "),
                };
            }
            self.plain.push_str(text.trim_end());
            self.plain.push('\n');
        }
        self.plain.push('\n');
    }

    fn html_table(&mut self, heads: &[Words], rows: &[Vec<Words>], right: &[bool]) {
        let line = |html: &mut String, element: &str, row: &[Words]| {
            html.push_str("<tr>");
            for (cell, right) in row.iter().zip(right) {
                let side = if *right { "right" } else { "left" };
                let _ = write!(
                    html,
                    "<{element} style=\"{CELL};text-align:{side}\">{}</{element}>",
                    cell.html
                );
            }
            html.push_str("</tr>\n");
        };
        let _ = write!(self.html, "<table style=\"{TABLE}\">");
        line(&mut self.html, "th", heads);
        for row in rows {
            line(&mut self.html, "td", row);
        }
        self.html.push_str("</table>\n");
    }

    /// The rows of a wide table, a cell in each line.
    fn listed(&mut self, heads: &[Words], rows: &[Vec<Words>]) {
        for row in rows {
            for (column, (head, cell)) in heads.iter().zip(row).enumerate() {
                if cell.plain.is_empty() {
                    continue;
                }
                let mark = if column == 0 { "- " } else { "  " };
                let _ = writeln!(self.plain, "{mark}{}: {}", head.plain, cell.plain);
            }
        }
        self.plain.push('\n');
    }
}

fn is_web(address: &str) -> bool {
    address.starts_with("https://") || address.starts_with("http://")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_one_in_both_parts() {
        let body = Body::of(
            "**Fleet**\n\n- Power: 3 kW\n- Note: 1 < 2\n\n| Device | Energy |\n| --- | --- |\n| INV-1 | 12.5 kWh |\n| INV-2 | 3 kWh |\n\n---\n\nSent\nby [us](https://example.com/a?b=1&c=2)",
        );
        assert_eq!(
            body.plain,
            "Fleet\n\n- Power: 3 kW\n- Note: 1 < 2\n\nDevice    Energy\n------  --------\nINV-1   12.5 kWh\nINV-2      3 kWh\n\n\
             -- \nSent\nby us (https://example.com/a?b=1&c=2)\n"
        );
        for part in [
            "<p><strong>Fleet</strong></p>",
            "<li>Note: 1 &lt; 2</li>",
            "text-align:right\">12.5 kWh</td>",
            "<hr>",
            "<a href=\"https://example.com/a?b=1&amp;c=2\">us</a>",
        ] {
            assert!(body.html.contains(part), "{part}: {}", body.html);
        }
    }

    #[test]
    fn nothing_that_is_written_is_html() {
        let body = Body::of(
            "<script>alert(1)</script>\n\na <img src=x onerror=alert(1)> [b](javascript:alert)\n\n| <b> |\n| --- |\n| \"<i>\" |",
        );
        for tag in ["<script", "<img", "<b>", "<i>", "javascript:alert\""] {
            assert!(!body.html.contains(tag), "{tag}: {}", body.html);
        }
        assert!(
            body.plain.contains("<script>alert(1)</script>"),
            "{}",
            body.plain
        );
    }

    #[test]
    fn the_rows_of_a_wide_table_are_lists() {
        let remark = "long ".repeat(30);
        let body = Body::of(&format!(
            "| Device | Empty | Remark |\n| --- | --- | --- |\n| INV-1 |  | {remark}|\n"
        ));
        let expected = format!("- Device: INV-1\n  Remark: {}\n", remark.trim());
        assert_eq!(body.plain, expected);
    }

    #[test]
    fn lists_keep_their_numbers_and_levels() {
        let body = Body::of("1. one\n2. two\n   - inner\n\nafter");
        assert_eq!(body.plain, "1. one\n2. two\n  - inner\n\nafter\n");
    }
}
