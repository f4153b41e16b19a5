//! Tables of a field-service company and of a brewery, and their joins.

use contracts::tools::sql::{JoinEdge, TableDescription};
use serde_json::json;

#[expect(clippy::too_many_lines, reason = "the tables of one database")]
pub(super) fn schemas() -> Vec<TableDescription> {
    let table = |name: &str, columns: &[(&str, &str)]| {
        let columns = columns.iter().map(|(column, kind)| {
            json!({ "name": column, "type": kind, "nullable": true, "unique": *column == "id" })
        });
        json!({ "name": name, "omitted_columns": 0, "columns": columns.collect::<Vec<_>>() })
    };
    let tables = [
        table(
            "invoice",
            &[
                ("id", "int"),
                ("customerId", "int"),
                ("issuedOn", "date"),
                ("dueOn", "date"),
                ("netAmount", "decimal(9,2)"),
                ("totalAmount", "decimal(9,2)"),
                (
                    "status",
                    "enum('draft','sent','paid','overdue','cancelled')",
                ),
            ],
        ),
        table(
            "invoiceLine",
            &[
                ("id", "int"),
                ("invoiceId", "int"),
                ("amount", "decimal(9,2)"),
            ],
        ),
        table(
            "payment",
            &[
                ("id", "int"),
                ("paidOn", "date"),
                ("amount", "decimal(9,2)"),
            ],
        ),
        table(
            "employee",
            &[
                ("id", "int"),
                ("firstName", "varchar(50)"),
                ("lastName", "varchar(50)"),
                ("phone", "varchar(50)"),
                ("hourlyRate", "decimal(6,2)"),
                ("weeklyHours", "decimal(4,1)"),
            ],
        ),
        table("role", &[("id", "int"), ("code", "varchar(20)")]),
        table(
            "workTime",
            &[
                ("id", "int"),
                ("employeeId", "int"),
                ("hours", "decimal(4,1)"),
            ],
        ),
        table(
            "workOrder",
            &[("id", "int"), ("priority", "enum('low','normal','urgent')")],
        ),
        table(
            "vehicle",
            &[
                ("id", "int"),
                ("make", "varchar(20)"),
                ("model", "varchar(20)"),
                ("isActive", "tinyint(1)"),
            ],
        ),
        table(
            "quote",
            &[
                ("id", "int"),
                ("customerId", "int"),
                ("status", "varchar(20)"),
            ],
        ),
        table(
            "timeOff",
            &[
                ("id", "int"),
                ("employeeId", "int"),
                ("type", "enum('vacation','sick')"),
                ("approvedBy", "int"),
            ],
        ),
        table(
            "customer",
            &[
                ("id", "int"),
                ("type", "varchar(20)"),
                ("isActive", "tinyint(1)"),
            ],
        ),
        table(
            "customerLocation",
            &[("id", "int"), ("city", "varchar(20)")],
        ),
        table(
            "purchaseOrder",
            &[("id", "int"), ("orderedOn", "date"), ("receivedOn", "date")],
        ),
        table(
            "delivery",
            &[
                ("id", "int"),
                ("brewery_id", "int"),
                ("batch_no", "int"),
                ("price_eur", "decimal(9,2)"),
            ],
        ),
        table(
            "batch",
            &[
                ("brewery_id", "int"),
                ("batch_no", "int"),
                ("litres", "int"),
                ("beer", "text"),
            ],
        ),
    ];
    serde_json::from_value(json!(tables)).unwrap()
}

pub(super) fn joins() -> Vec<JoinEdge> {
    let edge = |from: &str, column: &str, to: &str| {
        json!({
            "from_table": from, "from_column": column, "to_table": to, "to_column": "id",
            "type": "foreign_key", "confidence": 1.0, "cardinality": "N:1",
        })
    };
    let edges = [
        edge("workTime", "employeeId", "employee"),
        edge("timeOff", "employeeId", "employee"),
        edge("invoiceLine", "invoiceId", "invoice"),
        edge("invoice", "customerId", "customer"),
    ];
    serde_json::from_value(json!(edges)).unwrap()
}
