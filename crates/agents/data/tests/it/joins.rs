//! Joins on their way to the query: composite keys whole, and guesses marked.

use contracts::tools::{ToolEnvelope, sql::names};
use serde_json::{Value, json};

use crate::{
    chat::Chat,
    double::Double,
    model::{Model, material, says, sql, tables},
};

const QUESTION: &str = "How many work times does each employee have?";
const QUERY: &str = "SELECT COUNT(*) AS n FROM workTime t JOIN employee e ON t.employeeId = e.id";

fn plan(step: &Value, groups: &Value) -> ToolEnvelope {
    let steps = if step.is_null() {
        json!([])
    } else {
        json!([step])
    };
    ToolEnvelope::ok(json!({
        "target": "fieldservice", "tables": ["workTime", "employee"], "bridges": [], "unknown": [], "steps": steps,
        "groups": groups, "paths": [], "relationships": steps,
    }))
}

fn step(more: &Value) -> Value {
    let mut step = json!({
        "from_table": "workTime", "from_column": "employeeId", "to_table": "employee", "to_column": "id",
        "type": "foreign_key", "confidence": 1.0, "cardinality": "N:1",
    });
    step.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    step
}

#[tokio::test]
async fn a_composite_key_reaches_the_model_as_one_condition_and_is_no_choice() {
    let composite =
        step(&json!({ "and": [{ "from_column": "workOrderId", "to_column": "crewId" }] }));
    let tools = Double::new().then(
        names::FIND_JOIN_PATHS,
        Ok(plan(&composite, &json!([["workTime", "employee"]]))),
    );
    // Were one of the two columns offered as a choice, the model would be asked once more.
    let model = Model::new([tables(&["workTime", "employee"]), sql(QUERY)]);
    let mut chat = Chat::with_model(tools, &model);
    chat.say(QUESTION).await;
    let asked = material(&model.requests()[1]);
    let condition = "workTime.employeeId = employee.id AND workTime.workOrderId = employee.crewId";
    assert_eq!(asked["joins"], json!([condition]));
    let relationships = asked["relationships"].as_array().unwrap();
    assert!(
        relationships.contains(&json!(format!("{condition} (N:1)"))),
        "{relationships:?}"
    );
    assert!(model.is_spent());
}

#[tokio::test]
async fn the_question_goes_along_when_joins_are_sought() {
    let model = Model::new([tables(&["workTime", "employee"]), sql(QUERY)]);
    let mut chat = Chat::with_model(Double::new(), &model);
    chat.say(QUESTION).await;
    let asked = chat.tools.calls_of(names::FIND_JOIN_PATHS);
    assert_eq!(asked[0]["question"], QUESTION);
}

#[tokio::test]
async fn a_model_proposes_where_nothing_is_declared_and_the_answer_says_that_it_is_a_guess() {
    let apart = json!([["workTime"], ["employee"]]);
    let guessed = step(&json!({
        "type": "proposed", "confidence": 0.8, "guessed": true, "why": "proposed by the language model",
    }));
    let tools = Double::new()
        .then(names::FIND_JOIN_PATHS, Ok(plan(&Value::Null, &apart)))
        .then(
            names::FIND_JOIN_PATHS,
            Ok(plan(&guessed, &json!([["workTime", "employee"]]))),
        );
    let mut run = crate::double::run(json!([{ "n": 3 }]));
    run["tables"] = json!(["workTime", "employee"]);
    let tools = tools.then(names::RUN_SQL, Ok(ToolEnvelope::ok(run)));
    let join = json!({ "from_table": "workTime", "from_column": "employeeId", "to_table": "employee", "to_column": "id" });
    let model = Model::new([
        tables(&["workTime", "employee"]),
        says(json!({ "joins": [join] }).to_string()),
        sql(QUERY),
    ]);
    let mut chat = Chat::with_model(tools, &model);
    let turn = chat.say(QUESTION).await;
    let asked = chat.tools.calls_of(names::FIND_JOIN_PATHS);
    assert_eq!(asked[1]["proposed"], json!([join]));
    assert!(
        turn.text().contains(
            "\u{201c}workTime.employeeId = employee.id\u{201d} (proposed by the language model) is a guess."
        ),
        "{}",
        turn.text()
    );
    assert!(model.is_spent());
}
