//! Imports as text.

use contracts::imports::{Import, ImportPreview, ImportStatus};

/// The names of the lifetime register, and of the energy since the row before, among the further
/// values of a row.
const COUNTER: &str = "energyLifetimeKwh";
const INTERVAL: &str = "energyIntervalKwh";

/// A line for an import.
pub(super) fn line(import: &Import) -> String {
    let format = import
        .format
        .map(|format| name(&format))
        .unwrap_or_default();
    let progress = &import.progress;
    let known = if import.known {
        " (uploaded before)"
    } else {
        ""
    };
    let state = match import.status {
        ImportStatus::Ready => match &import.preview {
            Some(preview) => format!(
                "ready: {} of {} rows, {} devices",
                preview.good,
                preview.rows,
                preview.loggers.len()
            ),
            None => "ready".to_owned(),
        },
        ImportStatus::Refused => "cannot be imported".to_owned(),
        ImportStatus::Queued => "queued".to_owned(),
        ImportStatus::Running => format!(
            "running: {} of {} rows",
            progress.rows_done, progress.rows_total
        ),
        ImportStatus::Done => format!(
            "done: {} new, {} replaced, {} without a value, {} refused",
            progress.accepted, progress.replaced, progress.empty, progress.refused
        ),
        ImportStatus::Failed => format!(
            "failed after {} of {} rows",
            progress.rows_done, progress.rows_total
        ),
        ImportStatus::Cancelled => format!("cancelled after {} rows", progress.rows_done),
    };
    let problem = import
        .problem
        .as_deref()
        .map(|problem| format!(": {problem}"))
        .unwrap_or_default();
    format!(
        "{}  {}  {format}  {state}{known}{problem}",
        import.import_id, import.filename
    )
}

/// The progress of an import.
pub(super) fn progress(import: &Import) -> String {
    let progress = &import.progress;
    let percent = (progress.rows_done * 100)
        .checked_div(progress.rows_total)
        .unwrap_or(0);
    let problem = import
        .problem
        .as_deref()
        .map(|problem| format!("; {problem}"))
        .unwrap_or_default();
    format!(
        "{}: {} of {} rows ({percent} %){problem}",
        import.filename, progress.rows_done, progress.rows_total
    )
}

/// Everything that a preview says.
pub(super) fn preview(import: &Import) -> Vec<String> {
    let mut lines = vec![line(import)];
    let Some(preview) = &import.preview else {
        return lines;
    };
    lines.push(format!(
        "  site {}, local times in {}",
        import.site, import.timezone
    ));
    for logger in &preview.loggers {
        let new = if logger.new { "new, " } else { "" };
        let highest = logger
            .highest_power_w
            .map(|watts| format!(", up to {watts} W"))
            .unwrap_or_default();
        lines.push(format!(
            "  {}  {new}{}, {} rows, {} to {}{highest}",
            logger.logger_id,
            logger.role,
            logger.rows,
            logger.earliest.format("%Y-%m-%d %H:%M %:z"),
            logger.latest.format("%Y-%m-%d %H:%M %:z")
        ));
    }
    lines.extend(columns(preview));
    for row in preview.first_rows.iter().take(5) {
        let value = |name: &str, value: Option<f64>, unit: &str| {
            value
                .map(|value| format!("  {name} {value} {unit}"))
                .unwrap_or_default()
        };
        let kept = |name: &str| {
            let metadata = row.metadata.as_ref()?;
            metadata.get(name)?.as_f64()
        };
        lines.push(format!(
            "  line {}: {}  {}{}{}{}{}{}",
            row.line,
            row.timestamp.format("%Y-%m-%d %H:%M:%S %:z"),
            row.logger_id,
            value("power", row.active_power_w, "W"),
            value("energy of the day", row.energy_daily_kwh, "kWh"),
            value("energy since the row before", kept(INTERVAL), "kWh"),
            value("counter", kept(COUNTER), "kWh"),
            value("irradiance", row.irradiance, "W/m2"),
        ));
    }
    lines.extend(preview.notes.iter().map(|note| format!("  note: {note}")));
    if preview.refused > 0 {
        lines.push(format!("  {} rows would be refused:", preview.refused));
        lines.extend(
            preview
                .refusals
                .iter()
                .take(10)
                .map(|refusal| format!("    line {}: {}", refusal.line, refusal.reason)),
        );
    }
    lines
}

fn columns(preview: &ImportPreview) -> Vec<String> {
    let Some(mapping) = &preview.mapping else {
        return Vec::new();
    };
    let how = if preview.mapping_remembered {
        "as you corrected them before"
    } else {
        "guessed; correct them with --column"
    };
    let mut lines = vec![format!(
        "  columns ({how}), decimal mark {:?}, times {}:",
        mapping.decimal.to_string(),
        name(&mapping.times)
    )];
    for column in &mapping.columns {
        let unit = column
            .unit
            .as_deref()
            .map(|unit| format!(":{unit}"))
            .unwrap_or_default();
        let logger = column
            .logger
            .as_deref()
            .map(|logger| format!("@{logger}"))
            .unwrap_or_default();
        lines.push(format!(
            "    {}={}{unit}{logger}",
            column.name,
            name(&column.field)
        ));
    }
    lines
}

/// The name of a value on the wire.
fn name(value: &impl serde::Serialize) -> String {
    let name = serde_json::to_value(value).ok();
    name.as_ref()
        .and_then(serde_json::Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_rows_of_a_file_with_counters_alone_have_their_counter() {
        let row = json!({
            "line": 2, "timestamp": "2026-06-01T12:00:00+02:00", "logger_id": "ROOF-1",
            "metadata": { "energyLifetimeKwh": 1234.5 },
        });
        let import = json!({
            "import_id": "i1", "filename": "roof.csv", "site": "roof", "timezone": "Europe/Berlin", "status": "ready",
            "size_bytes": 1, "content_hash": "00", "created_at": "2026-06-01T12:00:00Z", "updated_at": "2026-06-01T12:00:00Z",
            "known": false, "has_file": true, "options": {},
            "progress": { "rows_done": 0, "rows_total": 1, "accepted": 0, "replaced": 0, "refused": 0, "empty": 0, "merged": 0 },
            "preview": {
                "rows": 1, "good": 1, "empty": 0, "refused": 0, "merged": 0, "refusals": [], "loggers": [],
                "first_rows": [row], "notes": [],
            },
        });
        let import: Import = serde_json::from_value(import).unwrap();
        let lines = preview(&import).join("\n");
        assert!(lines.contains("ROOF-1  counter 1234.5 kWh"), "{lines}");
    }
}
