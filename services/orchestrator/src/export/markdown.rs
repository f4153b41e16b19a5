//! A thread as Markdown: what was said, and below it the tables, cards and sources that it rests
//! on.

use std::fmt::Write;

use chrono::{DateTime, Utc};
use contracts::kept::ExportedThread;
use contracts::threads::{MessageRole, MessageStatus, StoredMessage, ToolRecord};
use contracts::tools::names::{RENDER_UI_COMPONENT, REQUEST_USER_SELECTION};
use protocols::markdown::{self as shown, escaped, line};
use serde_json::{Map, Value};

/// The whole thread.
pub(crate) fn markdown(export: &ExportedThread) -> String {
    let thread = &export.thread;
    let mut text = format!(
        "# {}\n\n- Thread: `{}`\n- Assistant: {}\n- Begun: {}\n- Last changed: {}\n- Exported: {}\n",
        line(thread.title.as_deref().unwrap_or("Conversation")),
        thread.thread_id,
        thread.assistant,
        moment(thread.created_at),
        moment(thread.last_updated),
        moment(export.exported_at)
    );
    for message in &export.messages {
        said(&mut text, message, &thread.assistant);
    }
    text
}

/// One answer for its reader: its words, and below them the tables, cards and sources that they
/// rest on. Names of tools are left out.
pub(crate) fn answer(message: &StoredMessage) -> String {
    let mut text = String::new();
    content(&mut text, message, Detail::Answer);
    text.trim().to_owned()
}

/// The parts of a message that are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// Everything that is kept.
    All,
    /// The answer alone, without the tools that were called for it.
    Answer,
}

fn said(text: &mut String, message: &StoredMessage, assistant: &str) {
    let who = match message.role {
        MessageRole::User => "You",
        MessageRole::Assistant => assistant,
        MessageRole::System => "System",
    };
    // Writing to a string cannot fail.
    let _ = write!(text, "\n## {who}, {}\n", moment(message.created_at));
    content(text, message, Detail::All);
}

fn content(text: &mut String, message: &StoredMessage, detail: Detail) {
    if !message.text.trim().is_empty() {
        let _ = write!(text, "\n{}\n", message.text.trim());
    }
    match message.status {
        MessageStatus::Complete => {}
        MessageStatus::Partial => text.push_str("\n*This answer was cut short.*\n"),
        MessageStatus::Failed => text.push_str("\n*This answer failed.*\n"),
    }
    for record in message.tools_used.iter().flatten() {
        match record.name.as_str() {
            RENDER_UI_COMPONENT if detail == Detail::Answer => {
                let _ = write!(text, "\n{}\n", shown::card(&record.arguments));
            }
            RENDER_UI_COMPONENT => card(text, &record.arguments),
            REQUEST_USER_SELECTION if detail == Detail::Answer => {
                let question = shown::question(&record.arguments, &message.text);
                let _ = write!(text, "\n{question}\n\nName it in the question.\n");
            }
            REQUEST_USER_SELECTION => asked(text, record),
            _ => result(text, record, detail),
        }
    }
}

/// A card or chart: its title, its plain figures, and its rows.
fn card(text: &mut String, shown: &Value) {
    if let Some(known) = shown::site_card(shown) {
        let _ = write!(text, "\n{known}\n");
        return;
    }
    let props = shown.get("props").unwrap_or(shown);
    let component = shown.get("component").and_then(Value::as_str);
    let title = ["title", "prompt", "message"]
        .iter()
        .find_map(|key| props.get(key)?.as_str());
    let heading = title.or(component).unwrap_or("Card");
    let _ = write!(text, "\n### {}\n", line(heading));
    if let Value::Object(members) = props {
        let plain: Vec<(&String, &Value)> = members
            .iter()
            .filter(|(key, value)| *key != "title" && !value.is_array() && !value.is_object())
            .filter(|(_, value)| !value.is_null())
            .collect();
        if !plain.is_empty() {
            text.push('\n');
        }
        for (key, value) in plain {
            let _ = writeln!(text, "- {key}: {}", cell(value));
        }
        for (key, value) in members {
            match value {
                Value::Array(rows) if rows.iter().any(Value::is_object) => {
                    table(text, key, rows);
                }
                Value::Array(items) if !items.is_empty() => {
                    let items: Vec<String> = items.iter().map(cell).collect();
                    let _ = write!(text, "\n{key}: {}\n", items.join(", "));
                }
                Value::Object(inner) if !inner.is_empty() => {
                    table(text, key, &[Value::Object(inner.clone())]);
                }
                _ => {}
            }
        }
    }
}

/// A question with options, and what was chosen.
fn asked(text: &mut String, record: &ToolRecord) {
    let prompt = record.arguments.get("prompt").and_then(Value::as_str);
    let _ = write!(text, "\n### {}\n\n", line(prompt.unwrap_or("Choose")));
    let options = record.arguments.get("options").and_then(Value::as_array);
    for option in options.into_iter().flatten() {
        let label = option.get("label").or_else(|| option.get("value"));
        let _ = writeln!(text, "- {}", label.map(cell).unwrap_or_default());
    }
    match &record.result {
        Some(answer) => {
            let chosen = answer.get("selection").unwrap_or(answer);
            let _ = write!(text, "\nAnswer: {}\n", cell(chosen));
        }
        None => text.push_str("\nNot answered.\n"),
    }
}

/// The result of a tool: rows as a table, passages as sources; for others, only that it was used.
fn result(text: &mut String, record: &ToolRecord, detail: Detail) {
    let answer = record.result.as_ref();
    let brought = answer
        .and_then(|answer| answer.get("result"))
        .or(answer)
        .unwrap_or(&Value::Null);
    let list = |key: &str| {
        brought
            .get(key)
            .and_then(Value::as_array)
            .filter(|list| !list.is_empty())
    };
    if let Some(passages) = list("results").filter(|list| list[0].get("filename").is_some()) {
        sources(text, passages, detail);
    } else if let Some(rows) = list("rows").filter(|rows| rows.iter().any(Value::is_object)) {
        match detail {
            Detail::All => table(text, &record.name, rows),
            Detail::Answer => {
                let _ = write!(text, "\n{}\n", shown::rows(&brought["rows"]));
            }
        }
        if brought.get("truncated") == Some(&Value::Bool(true)) {
            text.push_str("\n*There are more rows than these.*\n");
        }
    } else if detail == Detail::All {
        let state = serde_json::to_value(record.status).unwrap_or_default();
        let _ = write!(text, "\nTool: `{}` ({})\n", record.name, cell(&state));
    }
}

fn sources(text: &mut String, passages: &[Value], detail: Detail) {
    text.push_str("\nSources:\n\n");
    for (number, passage) in (1..).zip(passages) {
        let member = |key: &str| passage.get(key).map(cell).unwrap_or_default();
        let headings = passage.get("headings").and_then(Value::as_array);
        let headings: Vec<String> = headings.into_iter().flatten().map(cell).collect();
        let _ = write!(text, "{number}. {}", member("filename"));
        if !headings.is_empty() {
            let _ = write!(text, " › {}", headings.join(" › "));
        }
        if passage.get("page").is_some_and(Value::is_number) {
            let _ = write!(text, ", page {}", member("page"));
        }
        text.push('\n');
        if detail == Detail::Answer {
            continue;
        }
        let content = passage.get("content").and_then(Value::as_str);
        for quoted in content.into_iter().flat_map(str::lines) {
            let _ = writeln!(text, "   > {quoted}");
        }
    }
}

/// Rows with the columns of all of them, in the order in which they come.
fn table(text: &mut String, name: &str, rows: &[Value]) {
    let rows: Vec<&Map<String, Value>> = rows.iter().filter_map(Value::as_object).collect();
    let mut columns: Vec<&String> = Vec::new();
    for column in rows.iter().flat_map(|row| row.keys()) {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    if columns.is_empty() {
        return;
    }
    let heads: Vec<String> = columns.iter().map(|column| escaped(column)).collect();
    let cells = |row: &&Map<String, Value>| -> Vec<String> {
        let cells = columns.iter().map(|column| row.get(*column).map(cell));
        cells.map(Option::unwrap_or_default).collect()
    };
    let lines: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let _ = write!(text, "\n{}:\n", line(name));
    shown::lines_of_table(text, &heads, &lines);
}

/// A value within a line or a cell.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => escaped(text),
        other => escaped(&other.to_string()),
    }
}

fn moment(at: DateTime<Utc>) -> String {
    at.format("%-d %B %Y, %H:%M UTC").to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn exported(messages: &Value) -> ExportedThread {
        let at = "2026-11-22T08:30:00Z";
        serde_json::from_value(json!({
            "exported_at": at,
            "thread": {
                "thread_id": "t1", "assistant": "data", "title": "Hours\nlast week", "inventory_id": null, "context": {}, "metadata": {},
                "status": "idle", "active_run_id": null, "created_at": at, "last_updated": at,
            },
            "messages": messages,
            "ui_messages": [],
            "state": null,
        }))
        .unwrap()
    }

    fn answer(tools: &Value, status: &str) -> Value {
        json!({
            "message_id": "m", "seq": 1, "role": "assistant", "text": "Here it is.", "status": status, "tools_used": tools,
            "source": "rules", "run_id": null, "created_at": "2026-11-22T08:31:00Z",
        })
    }

    fn call(name: &str, arguments: &Value, result: &Value) -> Value {
        json!({ "id": "c", "name": name, "status": "success", "arguments": arguments, "result": result })
    }

    #[test]
    fn an_answer_for_its_reader_names_no_tools() {
        let tools = json!([
            call("list_tables", &json!({}), &json!({ "result": {} })),
            call(
                "run_sql",
                &json!({}),
                &json!({ "result": { "rows": [{ "hours": 3 }] } })
            ),
        ]);
        let message = serde_json::from_value(answer(&tools, "complete")).unwrap();
        let text = super::answer(&message);
        assert_eq!(text, "Here it is.\n\n| hours |\n| --- |\n| 3 |");
    }

    #[test]
    fn an_answer_for_its_reader_announces_nothing_and_shows_cards_with_labels() {
        let shown = json!({ "component": "FleetOverview", "props": {
            "totalPower": 1234.5, "totalEnergy": 5, "deviceCount": 1, "onlineCount": 1, "percentOnline": 100, "alerts": [], "devices": [],
        } });
        let asked = json!({ "prompt": "Which one?", "selectionType": "single", "options": [{ "value": "a", "label": "A" }] });
        let tools = json!([
            call("render_ui_component", &shown, &Value::Null),
            call("request_user_selection", &asked, &Value::Null),
        ]);
        let mut message = answer(&tools, "complete");
        message["text"] = json!("All is well.");
        let text = super::answer(&serde_json::from_value(message).unwrap());
        assert_eq!(
            text,
            "All is well.\n\n**Fleet: 1 of 1 devices online**\n\n- Power: 1.23 kW\n- Energy of the day: 5 kWh\n\n\
             **Which one?**\n\n- A (`a`)\n\nName it in the question."
        );
    }

    #[test]
    fn what_was_said_stands_with_its_tables_cards_and_sources() {
        let rows = json!([{ "name": "a|b", "hours": 3 }, { "name": "two\nlines", "hours": null, "more": true }]);
        let text = markdown(&exported(&json!([answer(
            &json!([
                call(
                    "run_sql",
                    &json!({}),
                    &json!({ "status": "ok", "result": { "rows": rows, "truncated": true } })
                ),
                call(
                    "knowledge_search",
                    &json!({}),
                    &json!({ "result": { "results": [
                        { "filename": "a.pdf", "headings": ["Rules", "Overtime"], "page": 3, "content": "Sundays\ncount twice." },
                        { "filename": "b.md", "headings": [], "content": "Yes." },
                    ] } }),
                ),
                call(
                    "render_ui_component",
                    &json!({ "component": "DynamicChart", "props": { "title": "Hours", "unit": "h", "data": [{ "x": 1 }] } }),
                    &Value::Null,
                ),
                call(
                    "request_user_selection",
                    &json!({ "prompt": "Run it?", "options": [{ "label": "Run" }] }),
                    &json!({ "selection": "run" })
                ),
                call("list_tables", &json!({}), &json!({ "result": {} })),
            ]),
            "partial",
        )])));
        for part in [
            "# Hours last week\n",
            "## data, 22 November 2026, 08:31 UTC\n\nHere it is.\n",
            "*This answer was cut short.*",
            "| name | hours | more |\n| --- | --- | --- |\n| a\\|b | 3 |  |\n| two lines |  | true |\n",
            "*There are more rows than these.*",
            "1. a.pdf › Rules › Overtime, page 3\n   > Sundays\n   > count twice.\n2. b.md\n",
            "### Hours\n\n- unit: h\n\ndata:\n\n| x |\n| --- |\n| 1 |\n",
            "### Run it?\n\n- Run\n\nAnswer: run\n",
            "Tool: `list_tables` (success)\n",
        ] {
            assert!(text.contains(part), "{part}\n---\n{text}");
        }
    }
}
