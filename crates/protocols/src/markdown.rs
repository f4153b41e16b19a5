//! Cards, pickers, rows, plans and sources as Markdown.

use std::fmt::Write;

use contracts::run::CitedSource;
use contracts::todo::{Plan, TaskStatus};
use contracts::ui::RenderUiComponent;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::site_cards;

/// Rows that a table shows; a chart shows this number of its points, evenly apart.
const ROWS: usize = 24;

/// A column of a table: the key in each row, and the heading.
type Column = (String, String);

/// A card or chart, by the arguments of `render_ui_component`.
pub fn card(shown: &Value) -> String {
    if let Some(text) = site_card(shown) {
        return text;
    }
    let props = shown.get("props").unwrap_or(shown);
    let mut text = String::new();
    let title = ["title", "metric", "loggerId"]
        .iter()
        .find_map(|key| props.get(key)?.as_str());
    let component = shown.get("component").and_then(Value::as_str);
    let heading = title.map_or_else(|| humanized(component.unwrap_or("Card")), line);
    let _ = writeln!(text, "**{heading}**");
    if props.get("series").is_some_and(Value::is_array) {
        chart(&mut text, props);
    } else if ["figures", "table", "chart"]
        .iter()
        .any(|key| props.get(key).is_some())
    {
        data_card(&mut text, props);
    } else {
        members(&mut text, props);
    }
    text.trim_end().to_owned()
}

/// A card of the site assistant, whole; `None` for cards that are drawn from tables and charts.
pub fn site_card(shown: &Value) -> Option<String> {
    let known = RenderUiComponent::deserialize(shown).ok()?;
    site_cards::draw(&known.component)
}

/// Whether a card draws a chart, which only a page can show.
pub fn draws_chart(shown: &Value) -> bool {
    let props = shown.get("props").unwrap_or(shown);
    let is_chart = |value: &Value| value.get("series").is_some_and(Value::is_array);
    is_chart(props) || props.get("chart").is_some_and(is_chart)
}

/// A question with options, by the arguments of `request_user_selection`, after the words that were
/// `said`: what they have is not repeated. It ends with how to answer.
pub fn picker(asked: &Value, said: &str) -> String {
    let word = |key: &str| asked.get(key).and_then(Value::as_str).map(line);
    let options = asked.get("options").and_then(Value::as_array);
    let several = asked.get("selectionType").and_then(Value::as_str) == Some("multiple");
    let how = match (options.is_none_or(Vec::is_empty), several) {
        (true, _) => match (word("minDate"), word("maxDate")) {
            (Some(first), Some(last)) => format!("Answer with a date from {first} to {last}."),
            _ => "Answer with a date.".to_owned(),
        },
        (false, true) => "Answer with one or several of these names.".to_owned(),
        (false, false) => "Answer with one of these names.".to_owned(),
    };
    let text = format!("{}\n\n{how}", question(asked, said));
    text.trim_start().to_owned()
}

/// The same without how to answer, for readers who cannot.
pub fn question(asked: &Value, said: &str) -> String {
    let word = |key: &str| asked.get(key).and_then(Value::as_str).map(line);
    let mut text = String::new();
    let unsaid = |words: &String| !said.contains(words.as_str());
    if let Some(before) = word("contextMessage").filter(unsaid) {
        let _ = write!(text, "{before}\n\n");
    }
    let prompt = word("prompt").unwrap_or_else(|| "Please choose.".into());
    if unsaid(&prompt) {
        let _ = writeln!(text, "**{prompt}**");
    }
    let options = asked.get("options").and_then(Value::as_array);
    let options: &[Value] = options.map_or(&[], Vec::as_slice);
    for option in options {
        let part = |key: &str| option.get(key).and_then(Value::as_str).map(line);
        let value = part("value").unwrap_or_default();
        let label = part("label").unwrap_or_else(|| value.clone());
        let _ = write!(text, "\n- {label}");
        if label != value {
            let _ = write!(text, " (`{value}`)");
        }
        if let Some(subtitle) = part("subtitle") {
            let _ = write!(text, ": {subtitle}");
        }
    }
    text.trim().to_owned()
}

/// Rows behind an answer, as a table; empty when there are none.
pub fn rows(data: &Value) -> String {
    let mut text = String::new();
    let rows: Vec<&Map<String, Value>> = objects(data);
    let columns = columns(&rows, line);
    table(&mut text, &columns, &rows, false);
    text.trim().to_owned()
}

/// A plan, when it is first shown.
pub fn plan(plan: &Plan) -> String {
    let mut text = format!("**Plan:** {}\n", line(&plan.request));
    for task in &plan.tasks {
        let done = if task.status == TaskStatus::Complete {
            "x"
        } else {
            " "
        };
        let _ = write!(text, "\n- [{done}] {}", line(&task.description));
    }
    text
}

/// The sources of an answer, with links to those on the web.
pub fn sources(sources: &[CitedSource]) -> String {
    let mut text = String::from("Sources:\n");
    for (number, source) in (1..).zip(sources) {
        let title = escaped(&source.title);
        match source.url() {
            Some(url) => {
                let url = url.replace(' ', "%20").replace(')', "%29");
                let _ = write!(text, "\n{number}. [{title}]({url})");
            }
            None => {
                let _ = write!(text, "\n{number}. {title}");
            }
        }
    }
    text
}

fn chart(text: &mut String, props: &Value) {
    let x = props.get("xAxisKey").and_then(Value::as_str);
    let x = x.unwrap_or("x");
    let label = |key: &str| props.get(key).and_then(Value::as_str).map(line);
    let mut columns = vec![(
        x.to_owned(),
        label("xAxisLabel").unwrap_or_else(|| humanized(x)),
    )];
    let unit = label("yAxisLabel");
    for series in props["series"].as_array().into_iter().flatten() {
        let Some(key) = series.get("dataKey").and_then(Value::as_str) else {
            continue;
        };
        let name = series.get("name").and_then(Value::as_str).map(line);
        columns.push((key.to_owned(), name.unwrap_or_else(|| humanized(key))));
    }
    if let Some(unit) = unit {
        let _ = writeln!(text, "\n{unit}");
    }
    let points = objects(&props["data"]);
    table(text, &columns, &points, true);
    if let Some(Value::Object(figures)) = props.get("summaryStats") {
        plain(text, figures);
    }
}

fn data_card(text: &mut String, props: &Value) {
    if let Some(note) = props.get("note").and_then(Value::as_str) {
        let _ = writeln!(text, "\n{}", line(note));
    }
    let figures = props.get("figures").and_then(Value::as_array);
    for (first, figure) in (0..).zip(figures.into_iter().flatten()) {
        if first == 0 {
            text.push('\n');
        }
        let part = |key: &str| figure.get(key).map(cell).unwrap_or_default();
        let _ = write!(text, "- {}: {}", part("label"), part("value"));
        if figure.get("remark").is_some_and(Value::is_string) {
            let _ = write!(text, " ({})", part("remark"));
        }
        text.push('\n');
    }
    if let Some(shown) = props.get("table").filter(|table| table.is_object()) {
        let named = |column: &Value| {
            let key = column.get("key")?.as_str()?;
            let label = column.get("label").and_then(Value::as_str).unwrap_or(key);
            let unit = column.get("unit").and_then(Value::as_str);
            let heading = unit.map_or_else(|| label.to_owned(), |unit| format!("{label} ({unit})"));
            Some((key.to_owned(), heading))
        };
        let columns = shown.get("columns").and_then(Value::as_array);
        let columns: Vec<Column> = columns.into_iter().flatten().filter_map(named).collect();
        let rows = objects(&shown["rows"]);
        table(text, &columns, &rows, false);
    } else if let Some(drawn) = props.get("chart").filter(|chart| chart.is_object()) {
        chart(text, drawn);
    }
}

/// A card of which only the shape is known: its figures, then its lists.
fn members(text: &mut String, props: &Value) {
    let Value::Object(props) = props else { return };
    plain(text, props);
    for (key, value) in props {
        match value {
            Value::Array(items) if items.iter().any(Value::is_object) => {
                let _ = writeln!(text, "\n{}:", humanized(key));
                let rows = objects(value);
                table(text, &columns(&rows, humanized), &rows, false);
            }
            Value::Array(items) if !items.is_empty() => {
                let items: Vec<String> = items.iter().map(cell).collect();
                let _ = writeln!(text, "\n{}: {}", humanized(key), items.join(", "));
            }
            Value::Object(inner) if !inner.is_empty() => {
                let _ = writeln!(text, "\n{}:", humanized(key));
                plain(text, inner);
            }
            _ => {}
        }
    }
}

/// The members that are neither lists nor objects, a line each.
fn plain(text: &mut String, members: &Map<String, Value>) {
    let shown = members.iter().filter(|(key, value)| {
        *key != "title" && !value.is_null() && !value.is_array() && !value.is_object()
    });
    for (first, (key, value)) in (0..).zip(shown) {
        if first == 0 {
            text.push('\n');
        }
        let _ = writeln!(text, "- {}: {}", humanized(key), cell(value));
    }
}

fn objects(rows: &Value) -> Vec<&Map<String, Value>> {
    let rows = rows.as_array().into_iter().flatten();
    rows.filter_map(Value::as_object).collect()
}

/// The columns of all rows, in the order in which they come.
fn columns(rows: &[&Map<String, Value>], heading: impl Fn(&str) -> String) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for key in rows.iter().flat_map(|row| row.keys()) {
        if !columns.iter().any(|(known, _)| known == key) {
            columns.push((key.clone(), heading(key)));
        }
    }
    columns
}

/// Rows as a table: the first ones, or as many evenly apart.
fn table(text: &mut String, columns: &[Column], rows: &[&Map<String, Value>], evenly: bool) {
    let shown = rows.len().min(ROWS);
    let place = |number: usize| match (evenly, shown) {
        (true, 2..) => number * (rows.len() - 1) / (shown - 1),
        _ => number,
    };
    let cells = |row: &Map<String, Value>| -> Vec<String> {
        let cells = columns.iter().map(|(key, _)| row.get(key).map(cell));
        cells.map(Option::unwrap_or_default).collect()
    };
    let lines: Vec<Vec<String>> = (0..shown)
        .filter_map(|number| rows.get(place(number)))
        .map(|row| cells(row))
        .collect();
    let heads: Vec<String> = columns.iter().map(|(_, name)| escaped(name)).collect();
    lines_of_table(text, &heads, &lines);
    if rows.len() > shown {
        let which = if evenly {
            "points, evenly apart"
        } else {
            "rows"
        };
        let _ = writeln!(text, "\n*{shown} of {} {which}.*", rows.len());
    }
}

/// A table of cells that stay within theirs; nothing if there are none.
pub fn lines_of_table(text: &mut String, heads: &[String], rows: &[Vec<String>]) {
    if heads.is_empty() || rows.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\n| {} |\n|{}",
        heads.join(" | "),
        " --- |".repeat(heads.len())
    );
    for cells in rows {
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
}

/// A value within a line or a cell.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => escaped(text),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        other => escaped(&other.to_string()),
    }
}

/// A text that stays within its line and its cell.
pub fn escaped(text: &str) -> String {
    line(text).replace('|', "\\|")
}

/// A text within one line.
pub fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words of a name in camel case or with underscores: `totalPower` is "Total power".
fn humanized(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    let mut lower_before = false;
    for character in name.chars() {
        if matches!(character, '_' | '-') {
            words.push(' ');
            lower_before = false;
            continue;
        }
        if character.is_uppercase() && lower_before {
            words.push(' ');
            words.extend(character.to_lowercase());
        } else if words.is_empty() {
            words.extend(character.to_uppercase());
        } else {
            words.push(character);
        }
        lower_before = character.is_lowercase() || character.is_numeric();
    }
    words
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_chart_is_a_table_of_points_evenly_apart() {
        let data: Vec<Value> = (0..100)
            .map(|x| json!({ "time": x, "kw": x * 2 }))
            .collect();
        let shown = json!({ "component": "DynamicChart", "props": {
            "title": "Power", "xAxisKey": "time", "yAxisLabel": "kW",
            "series": [{ "dataKey": "kw", "name": "INV-001" }], "data": data,
        } });
        let text = card(&shown);
        assert!(draws_chart(&shown));
        assert!(
            text.starts_with("**Power**\n\nkW\n\n| Time | INV-001 |\n| --- | --- |\n| 0 | 0 |\n"),
            "{text}"
        );
        assert!(text.contains("\n| 99 | 198 |\n"), "{text}");
        assert!(
            text.ends_with("*24 of 100 points, evenly apart.*"),
            "{text}"
        );
    }

    #[test]
    fn a_card_is_its_figures_and_tables() {
        let text = card(&json!({ "component": "Unknown", "props": {
            "totalPower": 12.5, "online": true, "dataTimestamp": null,
            "devices": [{ "loggerId": "a|b", "energy": 3, "online": true }, { "loggerId": "two\nlines" }],
        } }));
        assert_eq!(
            text,
            "**Unknown**\n\n- Total power: 12.5\n- Online: yes\n\nDevices:\n\n\
             | Logger id | Energy | Online |\n| --- | --- | --- |\n| a\\|b | 3 | yes |\n| two lines |  |  |"
        );
        let text = card(&json!({ "component": "DataCard", "props": {
            "title": "Hours", "figures": [{ "label": "Sum", "value": "3 h", "remark": "July" }],
            "table": { "columns": [{ "key": "h", "label": "Hours", "unit": "h" }], "rows": [{ "h": 3 }] },
        } }));
        assert_eq!(
            text,
            "**Hours**\n\n- Sum: 3 h (July)\n\n| Hours (h) |\n| --- |\n| 3 |"
        );
    }

    #[test]
    fn rows_and_other_cards_keep_the_names_of_their_columns_without_units() {
        let text = rows(&json!([{ "total_power": 3, "energy": 4, "powerFactor": 1 }]));
        assert_eq!(
            text,
            "| total_power | energy | powerFactor |\n| --- | --- | --- |\n| 3 | 4 | 1 |"
        );
        let text = card(&json!({ "component": "DataCard", "props": {
            "title": "Bills", "table": { "columns": [{ "key": "energy" }, { "key": "power", "label": "power" }], "rows": [{ "energy": 3, "power": 4 }] },
        } }));
        assert_eq!(
            text,
            "**Bills**\n\n| energy | power |\n| --- | --- |\n| 3 | 4 |"
        );
        let text = card(&json!({ "component": "Unknown", "props": { "totalPower": 3 } }));
        assert_eq!(text, "**Unknown**\n\n- Total power: 3");
    }

    #[test]
    fn a_picker_names_what_can_be_answered() {
        let asked = json!({
            "contextMessage": "You have 2.", "prompt": "Which inverter?", "selectionType": "single",
            "options": [{ "value": "INV-1", "label": "Roof", "subtitle": "online" }, { "value": "all", "label": "all" }],
        });
        let options = "- Roof (`INV-1`): online\n- all\n\nAnswer with one of these names.";
        let text = picker(&asked, "I'll check that. You have 2. Which inverter?");
        assert_eq!(text, options);
        let text = picker(&asked, "I'll check that. You have 2.");
        assert_eq!(text, format!("**Which inverter?**\n\n{options}"));
        let text = picker(
            &json!({ "prompt": "Which day?", "options": [], "minDate": "2026-01-01", "maxDate": "2026-01-31" }),
            "",
        );
        assert!(
            text.ends_with("Answer with a date from 2026-01-01 to 2026-01-31."),
            "{text}"
        );
    }
}
