//! Reports about the work: inspections, notes, attachments, feedback.

use super::lookups::{ASSET_TYPES, COMPLETED, INSPECTION, INVOICED};
use super::work::{Order, Work};
use super::{Context, at, index, later};
use crate::rows::{Hundredths, Rows, v};

/// The questions of every check list, and the type of the answer.
const QUESTIONS: [(&str, &str); 5] = [
    ("Is the equipment free of visible damage?", "yes_no"),
    ("Are all safety devices in working order?", "yes_no"),
    ("Operating temperature in °C", "number"),
    ("Is the maintenance log complete?", "yes_no"),
    ("Remarks", "text"),
];
const NOTES: [&str; 6] = [
    "Customer was not on site, key from the neighbour.",
    "Part ordered, second visit needed.",
    "Filter was clogged, replaced.",
    "Access only in the morning.",
    "Pressure was too low, topped up and tested.",
    "Update required: firmware is two versions behind.",
];
const COMMENTS: [&str; 5] = [
    "Did not fix the fault.",
    "Came late.",
    "Fine.",
    "Friendly and quick.",
    "Excellent, thank you!",
];

pub(super) fn make(context: &mut Context, work: &Work) -> Vec<Rows> {
    let (templates, questions) = templates(context);
    let (inspections, answers) = inspections(context, work);
    let (notes, attachments, feedback) = remarks(context, work);
    vec![
        templates,
        questions,
        inspections,
        answers,
        notes,
        attachments,
        feedback,
    ]
}

fn templates(context: &Context) -> (Rows, Rows) {
    let mut templates = Rows::of(
        "inspectionTemplate",
        &["id", "companyId", "assetTypeId", "name", "isActive"],
    );
    let mut questions = Rows::of(
        "inspectionQuestion",
        &[
            "id",
            "companyId",
            "inspectionTemplateId",
            "sortOrder",
            "questionText",
            "answerType",
        ],
    );
    for (n, (_, name, _)) in ASSET_TYPES.iter().enumerate() {
        let id = context.id(n);
        templates.push([
            v(id),
            v(context.company()),
            v(index(n) + 1),
            v(format!("{name}: yearly check")),
            v(true),
        ]);
        for (nth, (text, kind)) in QUESTIONS.iter().enumerate() {
            questions.push([
                v(context.id(questions.rows.len())),
                v(context.company()),
                v(id),
                v(index(nth) + 1),
                v(*text),
                v(*kind),
            ]);
        }
    }
    (templates, questions)
}

fn is_done(order: &Order) -> bool {
    matches!(order.status, COMPLETED | INVOICED)
}

fn inspections(context: &mut Context, work: &Work) -> (Rows, Rows) {
    let mut inspections = Rows::of(
        "inspection",
        &[
            "id",
            "companyId",
            "inspectionTemplateId",
            "workOrderId",
            "assetId",
            "inspectorId",
            "performedAt",
            "result",
            "createdBy",
            "updatedBy",
            "createdAt",
            "updatedAt",
        ],
    );
    let mut answers = Rows::of(
        "inspectionAnswer",
        &[
            "id",
            "companyId",
            "inspectionId",
            "inspectionQuestionId",
            "answerText",
            "answerNumber",
            "isOk",
        ],
    );
    let due = |order: &&Order| is_done(order) && order.kind == INSPECTION;
    for order in work.orders.iter().filter(due) {
        let Some(inspector) = order.worked.keys().next().copied() else {
            continue;
        };
        let id = context.id(inspections.rows.len());
        let bad = if context.dice.percent(18) {
            Some(context.dice.index(QUESTIONS.len() - 1))
        } else {
            None
        };
        let result = match bad {
            None => "passed",
            Some(1) => "failed",
            Some(_) => "passed_with_remarks",
        };
        let performed = at(order.day, 11);
        inspections.push([
            v(id),
            v(context.company()),
            v(context.id(order.asset.kind)),
            v(order.id),
            v(order.asset.id),
            v(inspector),
            v(performed),
            v(result),
            v(inspector),
            v(inspector),
            v(performed),
            v(performed),
        ]);
        for (nth, (_, kind)) in QUESTIONS.iter().enumerate() {
            let ok = bad != Some(nth);
            let text = match *kind {
                "yes_no" => Some(if ok { "yes" } else { "no" }),
                "text" => Some(if bad.is_none() { "none" } else { "see photos" }),
                _ => None,
            };
            let number = (*kind == "number")
                .then(|| Hundredths(context.dice.between(if ok { 3500 } else { 8600 }, 9000)));
            answers.push([
                v(context.id(answers.rows.len())),
                v(context.company()),
                v(id),
                v(context.id(order.asset.kind * QUESTIONS.len() + nth)),
                v(text),
                v(number),
                v(ok),
            ]);
        }
    }
    (inspections, answers)
}

fn remarks(context: &mut Context, work: &Work) -> (Rows, Rows, Rows) {
    let mut notes = Rows::of(
        "note",
        &[
            "id",
            "companyId",
            "workOrderId",
            "employeeId",
            "noteText",
            "createdAt",
        ],
    );
    let mut attachments = Rows::of(
        "attachment",
        &[
            "id",
            "companyId",
            "workOrderId",
            "fileName",
            "contentType",
            "sizeBytes",
            "uploadedBy",
            "createdAt",
        ],
    );
    let mut feedback = Rows::of(
        "customerFeedback",
        &[
            "id",
            "companyId",
            "workOrderId",
            "rating",
            "comment",
            "receivedOn",
        ],
    );
    for order in &work.orders {
        let Some(author) = order.worked.keys().next().copied() else {
            continue;
        };
        if context.dice.percent(60) {
            notes.push([
                v(context.id(notes.rows.len())),
                v(context.company()),
                v(order.id),
                v(author),
                v(context.dice.pick(&NOTES)),
                v(at(order.day, 15)),
            ]);
        }
        if context.dice.percent(35) {
            let n = attachments.rows.len();
            attachments.push([
                v(context.id(n)),
                v(context.company()),
                v(order.id),
                v(format!("IMG_{:04}.jpg", n + 1)),
                v("image/jpeg"),
                v(context.dice.between(180, 4200) * 1000),
                v(author),
                v(at(order.day, 14)),
            ]);
        }
        let received = later(order.day, 3);
        if is_done(order) && received <= context.anchor && context.dice.percent(30) {
            let rating = context.dice.pick(&[1, 2, 3, 4, 4, 4, 5, 5, 5, 5]);
            let comment = COMMENTS[usize::try_from(rating - 1).unwrap_or(0)];
            feedback.push([
                v(context.id(feedback.rows.len())),
                v(context.company()),
                v(order.id),
                v(rating),
                v(comment),
                v(received),
            ]);
        }
    }
    (notes, attachments, feedback)
}
