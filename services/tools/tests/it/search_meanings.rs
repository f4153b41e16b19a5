//! Which things and fields words mean, over HTTP.

use serde_json::{Value, json};

use crate::search_support::Port;

/// Mentions by the result of them: `+id`, `?id,id` or `-`.
fn told(result: &Value) -> Vec<String> {
    let ids = |list: &Value| {
        let mut ids: Vec<&str> = list
            .as_array()
            .unwrap()
            .iter()
            .map(|candidate| candidate["id"].as_str().unwrap())
            .collect();
        ids.sort_unstable();
        ids.join(",")
    };
    let list = |name: &str| result[name].as_array().unwrap().clone();
    let resolved = list("resolved").into_iter().map(|entity| {
        format!(
            "{}+{}",
            entity["mention"].as_str().unwrap(),
            entity["id"].as_str().unwrap()
        )
    });
    let ambiguous = list("ambiguous").into_iter().map(|entity| {
        format!(
            "{}?{}",
            entity["original_value"].as_str().unwrap(),
            ids(&entity["candidates"])
        )
    });
    let unresolved = list("unresolved")
        .into_iter()
        .map(|entity| format!("{}-", entity["original_value"].as_str().unwrap()));
    resolved.chain(ambiguous).chain(unresolved).collect()
}

async fn resolved(port: &Port, tenant: &str, arguments: Value) -> Vec<String> {
    told(&port.ok(tenant, "entity_resolution", arguments).await)
}

#[tokio::test]
async fn each_tenant_has_its_own_things() {
    let port = Port::open().await;
    for (tenant, text, expected) in [
        (
            "demo",
            "Show shipments to Miami last week",
            &["Miami?USMCT,USMIA"][..],
        ),
        (
            "rival",
            "Show shipments to Miami last week",
            &["Miami+USMIA"],
        ),
        (
            "demo",
            "show me all shipments arrive at port of Miami last week",
            &["port of Miami+USMIA"],
        ),
        (
            "demo",
            "shipments from shanghai to PortMiami aboard MSC Anna",
            &["shanghai+CNSHA", "PortMiami+USMIA", "MSC Anna+V1"],
        ),
        ("demo", "anything on Anna?", &["Anna?V1,V2"]),
        (
            "demo",
            "shipments from Shangai to Atlantis",
            &["Shangai+CNSHA", "Atlantis-"],
        ),
        ("demo", "what about SHP-1004", &["SHP-1004+SHP-1004"]),
        (
            "demo",
            "shipments to RVSEC or \"rival-harbour\"",
            &["RVSEC-", "rival-harbour-"],
        ),
        ("demo", "where is RIVAL-1", &["RIVAL-1-"]),
        ("rival", "where is RIVAL-1", &["RIVAL-1+RIVAL-1"]),
        ("demo", "How many shipments were delivered in May?", &[]),
    ] {
        assert_eq!(
            resolved(&port, tenant, json!({ "text": text })).await,
            expected,
            "{text}"
        );
    }
    let answer = port
        .call(
            "demo",
            "entity_resolution",
            json!({ "text": "shipments to RIVAL-1, RVSEC and \"rival-harbour\"" }),
        )
        .await;
    assert!(!answer.to_string().contains("rival-country"), "{answer}");
}

#[tokio::test]
async fn the_question_is_one_and_an_answer_decides_it() {
    let port = Port::open().await;
    let text = "shipments to Miami aboard Anna";
    let result = port
        .ok("demo", "entity_resolution", json!({ "text": text }))
        .await;
    let question = result["clarification"]["question"].as_str().unwrap();
    assert_eq!(
        question,
        "Which Miami: Port of Miami or Miami Container Terminal? Which Anna: MSC ANNA or ANNA NORDHAVN?"
    );
    let part = &result["clarification"]["parts"][0];
    assert_eq!(
        (&part["about"], &part["options"][0]["description"]),
        (&json!("entity:Miami"), &json!("United States"))
    );
    for (answer, expected) in [
        (
            json!({ "option_id": "USMCT", "text": "the terminal" }),
            "USMCT",
        ),
        (json!({ "text": "Port of Miami" }), "USMIA"),
        (json!({ "text": "the terminal" }), "USMCT"),
        (json!({ "text": "no, Shanghai" }), "CNSHA"),
        (json!({ "option_id": "GONE", "text": "Rotterdam" }), "NLRTM"),
    ] {
        let mut answer = answer;
        answer["about"] = json!("entity:Miami");
        let anna = json!({ "about": "entity:anna", "option_id": "V2", "text": "V2" });
        let arguments = json!({ "text": text, "answers": [answer, anna] });
        let result = port.ok_of("grace", "entity_resolution", arguments).await;
        assert_eq!(
            told(&result),
            [format!("Miami+{expected}"), "Anna+V2".to_owned()],
            "{answer}"
        );
        assert_eq!(result["resolved"][0]["matched_by"], "answer");
        assert!(result["clarification"].is_null());
    }
    // Words that say nothing leave the question open.
    let arguments = json!({ "text": "shipments to Miami", "answers": [{ "about": "entity:Miami", "text": "hmm" }] });
    let result = port.ok_of("alan", "entity_resolution", arguments).await;
    assert_eq!(told(&result), ["Miami?USMCT,USMIA"]);
}

#[tokio::test]
async fn several_options_that_are_chosen_are_all_meant() {
    let port = Port::open().await;
    let text = "Show shipments to Miami last week";
    let chosen = |id: &str| json!({ "about": "entity:Miami", "option_id": id, "text": "both" });
    let both = json!({ "text": text, "answers": [chosen("USMIA"), chosen("USMCT")] });
    let result = port.ok("demo", "entity_resolution", both.clone()).await;
    assert_eq!(told(&result), ["Miami+USMIA", "Miami+USMCT"]);
    assert!(result["clarification"].is_null());
    let mut thrice = both;
    thrice["answers"]
        .as_array_mut()
        .unwrap()
        .push(chosen("USMIA"));
    assert_eq!(
        told(&port.ok("demo", "entity_resolution", thrice).await),
        ["Miami+USMIA", "Miami+USMCT"]
    );
    // Both are where shipments go to.
    let arguments = json!({ "text": text, "entities": result["resolved"] });
    let mapping = port.ok("demo", "field_mapping", arguments).await;
    assert!(mapping["clarification"].is_null(), "{mapping}");
    for (at, id) in ["USMIA", "USMCT"].into_iter().enumerate() {
        let entity = &mapping["entities"][at];
        assert_eq!(
            (&entity["field"], &entity["value"]),
            (&json!("destination_port_id"), &json!(id))
        );
    }
    let filter =
        json!({ "field": "destination_port_id", "op": "is", "values": ["USMIA", "USMCT"] });
    let structure = json!({ "index": "shipments", "filters": [filter] });
    let query = json!({ "query_type": "elasticsearch", "structure": structure });
    let built = port.ok("demo", "query_builder", query).await;
    let run = port
        .ok(
            "demo",
            "es_executor",
            json!({ "index": "shipments", "query": built["query"]["query"] }),
        )
        .await;
    assert_eq!(run["run"]["total"]["value"], 30, "{run}");
    // An answer with two things does not choose between them.
    assert_eq!(
        told(
            &port
                .ok("demo", "entity_resolution", json!({ "text": text }))
                .await
        ),
        ["Miami?USMCT,USMIA"]
    );
}

#[tokio::test]
async fn a_choice_is_remembered_for_the_person_as_long_as_the_thing_is_there() {
    let port = Port::open().await;
    let ask = |text: &str| json!({ "text": text });
    let chosen = json!({ "text": "to Miami", "answers": [{ "about": "entity:Miami", "option_id": "USMCT", "text": "the second" }] });
    assert_eq!(
        told(&port.ok_of("ada", "entity_resolution", chosen).await),
        ["Miami+USMCT"]
    );
    let again = port
        .ok_of("ada", "entity_resolution", ask("shipments to MIAMI"))
        .await;
    assert_eq!(
        (told(&again), &again["resolved"][0]["matched_by"]),
        (vec!["MIAMI+USMCT".to_owned()], &json!("remembered"))
    );
    // Of others it is not, and what is exact needs no memory.
    assert_eq!(
        told(
            &port
                .ok_of("grace", "entity_resolution", ask("to Miami"))
                .await
        ),
        ["Miami?USMCT,USMIA"]
    );
    assert_eq!(
        told(
            &port
                .ok_of("ada", "entity_resolution", ask("to Port of Miami"))
                .await
        ),
        ["Port of Miami+USMIA"]
    );
    // The last choice counts.
    let other = json!({ "text": "to Miami", "answers": [{ "about": "entity:Miami", "option_id": "USMIA", "text": "the first" }] });
    port.ok_of("ada", "entity_resolution", other).await;
    assert_eq!(
        told(
            &port
                .ok_of("ada", "entity_resolution", ask("to Miami"))
                .await
        ),
        ["Miami+USMIA"]
    );
    port.execute("DELETE FROM freight.ports WHERE tenant = 'demo' AND port_id = 'USMIA'; INSERT INTO freight.ports VALUES ('demo', 'USMI2', 'Miami River', '{}', 'x')").await;
    assert_eq!(
        told(
            &port
                .ok_of("ada", "entity_resolution", ask("to Miami"))
                .await
        ),
        ["Miami?USMCT,USMI2"]
    );
}

#[tokio::test]
async fn nobody_chooses_or_remembers_what_is_anothers() {
    let port = Port::open().await;
    let arguments = json!({ "text": "to Miami", "answers": [{ "about": "entity:Miami", "option_id": "RVSEC", "text": "rival-harbour" }] });
    let found = resolved(&port, "demo", arguments).await;
    assert_eq!(found, ["Miami?USMCT,USMIA"]);
    // Even a row that should not be there leads to nothing of another tenant.
    port.execute(
        "INSERT INTO tools.remembered_choices VALUES ('demo', 'ada', 'miami', 'shipping', 'port', 'RVSEC', now()), ('rival', 'ada', 'miami', 'shipping', 'port', 'USMIA', now())",
    )
    .await;
    assert_eq!(
        told(
            &port
                .ok_of("ada", "entity_resolution", json!({ "text": "to Miami" }))
                .await
        ),
        ["Miami?USMCT,USMIA"]
    );
}

#[tokio::test]
async fn mentions_that_are_given_are_resolved_and_dates_among_them_are_not() {
    let port = Port::open().await;
    for (text, mentions, expected) in [
        (
            "Show shipments to Miami last week",
            json!([{ "text": "Miami", "entity_type": "port" }, { "text": "last week" }]),
            &["Miami?USMCT,USMIA"][..],
        ),
        (
            "Show shipments to the Port of Miami",
            json!([{ "text": "Miami" }]),
            &["Port of Miami+USMIA"],
        ),
        (
            "those for V1",
            json!([{ "text": "MSC ANNA", "entity_type": "vessel" }]),
            &["V1+V1", "MSC ANNA+V1"],
        ),
        (
            "delivered shipments",
            json!([{ "text": "delivered" }, { "text": "shipments" }]),
            &[],
        ),
    ] {
        assert_eq!(
            resolved(&port, "demo", json!({ "text": text, "mentions": mentions })).await,
            expected,
            "{text}"
        );
    }
    let guessed = resolved(
        &port,
        "demo",
        json!({ "text": "to Miami", "best_guess": true }),
    )
    .await;
    assert_eq!(guessed, ["Miami+USMIA"]);
}

#[tokio::test]
async fn things_of_large_indices_are_found_by_their_exact_id_or_name() {
    let port = Port::with(|config| config.meanings.most_names = 10).await;
    let text = "shp-1004 and SHP-9999 and \"SHP-1005\" to Port of Shanghai";
    let result = port
        .ok("demo", "entity_resolution", json!({ "text": text }))
        .await;
    assert_eq!(
        told(&result),
        [
            "shp-1004+SHP-1004",
            "SHP-1005+SHP-1005",
            "Port of Shanghai+CNSHA",
            "SHP-9999-"
        ]
    );
    assert_eq!(
        (
            &result["resolved"][0]["matched_by"],
            &result["resolved"][0]["index"]
        ),
        (&json!("id"), &json!("shipments"))
    );
    assert_eq!(
        resolved(&port, "demo", json!({ "text": "where is RIVAL-1" })).await,
        ["RIVAL-1-"]
    );
    let chosen = json!({ "text": "show SHP-9999", "answers": [{ "about": "entity:SHP-9999", "option_id": "SHP-1006", "text": "SHP-1006" }] });
    assert_eq!(resolved(&port, "demo", chosen).await, ["SHP-9999+SHP-1006"]);
    assert_eq!(
        resolved(&port, "demo", json!({ "text": "show SHP-9999" })).await,
        ["SHP-9999+SHP-1006"]
    );
}

#[tokio::test]
async fn names_are_read_once_while_they_are_good() {
    let port = Port::with(|config| config.meanings.names_seconds = 60).await;
    assert_eq!(
        resolved(&port, "demo", json!({ "text": "to Rotterdam" })).await,
        ["Rotterdam+NLRTM"]
    );
    port.execute("DELETE FROM freight.ports WHERE port_id = 'NLRTM'")
        .await;
    assert_eq!(
        resolved(&port, "demo", json!({ "text": "to Rotterdam" })).await,
        ["Rotterdam+NLRTM"]
    );
}

#[tokio::test]
async fn a_request_becomes_fields() {
    let port = Port::open().await;
    let text = "Show delivered shipments from Shanghai to Port of Miami last week by delay";
    let entities = port
        .ok("demo", "entity_resolution", json!({ "text": text }))
        .await["resolved"]
        .take();
    let arguments = json!({
        "text": text, "entities": entities, "time_words": "last week",
        "terms": [{ "text": "delivered", "role": "filter" }, { "text": "delay", "role": "sort" }, { "text": "colour", "role": "select" }],
    });
    let mapping = port.ok("demo", "field_mapping", arguments.clone()).await;
    assert_eq!(
        (
            &mapping["source"],
            &mapping["index"],
            &mapping["date_field"]
        ),
        (
            &json!("shipping"),
            &json!("shipments"),
            &json!("actual_arrival")
        )
    );
    let entity = |at: usize| {
        (
            mapping["entities"][at]["field"].as_str().unwrap(),
            mapping["entities"][at]["value"].as_str().unwrap(),
        )
    };
    assert_eq!(
        (entity(0), entity(1)),
        (
            ("origin_port_id", "CNSHA"),
            ("destination_port_id", "USMIA")
        )
    );
    assert_eq!(
        (
            &mapping["fields"][0]["field"],
            &mapping["fields"][0]["values"]
        ),
        (&json!("status"), &json!(["delivered"]))
    );
    assert_eq!(mapping["fields"][1]["field"], "delay_hours");
    assert_eq!(mapping["unmapped"][0]["term"], "colour");
    assert!(mapping["clarification"].is_null(), "{mapping}");
    let asked = port.ok("demo", "field_mapping", json!({ "text": "shipments by port", "terms": [{ "text": "port", "role": "group_by" }] })).await;
    assert_eq!(asked["clarification"]["parts"][0]["about"], "field:port");
    let none = port
        .call(
            "demo",
            "field_mapping",
            json!({ "text": "x", "index": "secrets" }),
        )
        .await;
    assert_eq!(
        (&none["status"], none["message"].as_str().unwrap()),
        (
            &json!("no_data"),
            "There is no index 'secrets'. There is: shipments, ports, vessels."
        )
    );
}

#[tokio::test]
async fn the_demonstration_is_understood() {
    let port = Port::with(|config| {
        config.sources = vec![tools::demo::shipping::source().unwrap()];
    })
    .await;
    tools::demo::shipping::seed(&port.app.pool).await.unwrap();
    let last_week = "Show shipments to Miami last week";
    let asked = port
        .ok("demo", "entity_resolution", json!({ "text": last_week }))
        .await;
    assert_eq!(
        asked["clarification"]["question"],
        "Which Miami: Port of Miami or Miami Container Terminal?"
    );
    let known = port
        .ok("rival", "entity_resolution", json!({ "text": last_week }))
        .await;
    assert_eq!(known["resolved"][0]["name"], "Port of Miami");
    for text in [
        "forget it, show me container status instead",
        "analyze delay patterns in these results",
        "add filter for delivered status",
        "average delay by carrier in December",
        "How many hazardous shipments of auto parts were late last month?",
        "late shipments of Blue Meridian Lines",
    ] {
        let found = resolved(&port, "demo", json!({ "text": text })).await;
        assert!(found.is_empty(), "{text}: {found:?}");
    }
    let text = "Retrieve shipments to Port of Miami with arrival dates that arrived between 2025-01-08 and 2025-01-15 aboard MSC Anna";
    let known = port
        .ok("demo", "entity_resolution", json!({ "text": text }))
        .await;
    assert_eq!(known["resolved"].as_array().unwrap().len(), 2, "{known}");
    let mapping = port
        .ok(
            "demo",
            "field_mapping",
            json!({
                "text": text, "entities": known["resolved"], "time_words": "arrived between 2025-01-08 and 2025-01-15",
                "terms": [{ "text": "arrival date", "role": "select" }, { "text": "late", "role": "filter" },
                    { "text": "delay", "role": "measure" }, { "text": "carrier", "role": "group_by" }, { "text": "port", "role": "group_by" }],
            }),
        )
        .await;
    assert!(mapping["clarification"].is_null(), "{mapping}");
    let names = |list: &str| -> Vec<String> {
        let list = mapping[list].as_array().unwrap().iter();
        list.map(|mapped| mapped["field"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names("entities"), ["destination_port_id", "vessel_id"]);
    assert_eq!(
        names("fields"),
        [
            "actual_arrival",
            "is_late",
            "delay_hours",
            "carrier",
            "destination_port"
        ]
    );
    assert_eq!(mapping["date_field"], "actual_arrival");
}

#[tokio::test]
async fn a_choice_is_forgotten_when_the_person_says_so() {
    let port = Port::open().await;
    let chosen = json!({ "text": "to Miami", "answers": [{ "about": "entity:Miami", "option_id": "USMCT", "text": "the second" }] });
    for subject in ["ada", "grace"] {
        let result = port
            .ok_of(subject, "entity_resolution", chosen.clone())
            .await;
        assert_eq!(told(&result), ["Miami+USMCT"]);
    }
    let forget = json!({ "text": "to Miami", "forget": ["MIAMI"] });
    let result = port.ok_of("ada", "entity_resolution", forget).await;
    assert_eq!(told(&result), ["Miami?USMCT,USMIA"]);
    let again = json!({ "text": "to Miami" });
    let result = port.ok_of("ada", "entity_resolution", again.clone()).await;
    assert_eq!(told(&result), ["Miami?USMCT,USMIA"]);
    // Others' choices stay.
    let result = port.ok_of("grace", "entity_resolution", again).await;
    assert_eq!(told(&result), ["Miami+USMCT"]);
}
