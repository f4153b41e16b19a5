//! The bodies of all these questions, and the reviewed ones, by the types that Elasticsearch and OpenSearch publish for their clients.
//!
//! It needs node, npm and npm's registry. Where those are not, the test says on the terminal that it was skipped.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use chrono_tz::Tz;
use contracts::tools::search::QueryStructure;
use serde_json::{Value, json};
use test_support::npm;

use super::{Table, Talk, alone, follow_ups};

const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/search_types");
const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../search/tests/golden");
const OLDEST_NODE: u32 = 18;

const TABLES: &[Table] = &[
    alone::SUPERLATIVES_GO_BY_THE_QUANTITY_AND_THE_DIRECTION_OF_THE_WORD,
    alone::GROUPS_ARE_RANKED_BY_WHAT_IS_ASKED_OF_THEM,
    alone::WHAT_IS_DUE_HAS_NOT_ARRIVED,
    alone::WHAT_HAPPENED_WHEN_GOES_BY_THE_DATE_OF_THE_VERB,
    alone::RECORDS_ARE_CHOSEN_BY_NAMES_VALUES_AND_AMOUNTS,
    alone::FIGURES_AND_ORDERS,
    follow_ups::CORRECTIONS_REPLACE_WHAT_THEY_CORRECT,
    follow_ups::A_WRONG_CHOICE_IS_UNDONE,
    follow_ups::PICKERS_UNDERSTAND_THAT_NOTHING_FITS,
    follow_ups::WHAT_IS_LEFT_OUT_STANDS_IN_THE_QUESTION_BEFORE,
    follow_ups::AN_EARLIER_QUERY_IS_FOUND_BY_WHAT_IT_WAS_ABOUT,
];

/// Every body that the conversations send, with its tenant's filter, and the reviewed ones.
async fn bodies() -> Vec<Value> {
    let mut bodies: BTreeMap<String, Value> = BTreeMap::new();
    for (turns, _) in TABLES.iter().copied().flatten() {
        let mut talk = Talk::new();
        for turn in *turns {
            talk.say(turn).await;
        }
        for structure in talk.demo.asked() {
            let body = rendered(&structure);
            bodies.insert(body.to_string(), body);
        }
    }
    for file in std::fs::read_dir(Path::new(GOLDEN)).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let body = serde_json::from_str::<Value>(&text).unwrap()["body"].clone();
        bodies.insert(body.to_string(), body);
    }
    bodies.into_values().collect()
}

fn rendered(structure: &QueryStructure) -> Value {
    let tenant = search::elastic::Tenant {
        field: "tenant",
        name: "demo",
    };
    search::elastic::render(structure, Tz::UTC, Some(tenant))
}

/// What the compiler says of bodies of this type, a line for each error; the numbers of the lines are those of the bodies.
fn errors(folder: &Path, name: &str, head: &str, bodies: &[Value]) -> Vec<String> {
    let mut text = format!("{head}\n");
    for body in bodies {
        writeln!(text, "({body}) satisfies Body;").unwrap();
    }
    let file = format!("{name}.ts");
    std::fs::write(folder.join(&file), text).unwrap();
    let output = Command::new("node")
        .args([
            "node_modules/typescript/bin/tsc",
            "--noEmit",
            "--strict",
            "--skipLibCheck",
            "--module",
            "nodenext",
            "--moduleResolution",
            "nodenext",
            "--target",
            "es2022",
            &file,
        ])
        .current_dir(folder)
        .output()
        .unwrap();
    let said = npm::text(&output);
    let lines: Vec<String> = said
        .lines()
        .filter(|line| line.starts_with(&file))
        .map(str::to_owned)
        .collect();
    assert_eq!(output.status.success(), lines.is_empty(), "{said}");
    lines
}

/// Bodies with one mistake each.
fn mistakes() -> Vec<Value> {
    vec![
        json!({"query": {"bool": {"filtre": []}}}),
        json!({"query": {"term": {"status": {"valu": "x"}}}}),
        json!({"size": "ten"}),
        json!({"sort": [{"actual_arrival": {"order": "descending"}}]}),
        json!({"track_total_hits": "yes"}),
        json!({"_source": 5}),
    ]
}

#[tokio::test]
async fn the_bodies_are_of_the_published_types() {
    let target = env!("CARGO_TARGET_TMPDIR");
    let folder = match npm::install(FILES, "search-types", target, OLDEST_NODE) {
        Ok(folder) => folder,
        Err(why) => {
            npm::skipped("no body was compared with the published types", &why);
            return;
        }
    };
    let bodies = bodies().await;
    assert!(bodies.len() > 100, "{} bodies", bodies.len());
    let elastic = "import type { estypes } from '@elastic/elasticsearch';\ntype Body = estypes.SearchRequest;";
    let found = errors(&folder, "elasticsearch", elastic, &bodies);
    assert!(found.is_empty(), "{}", found.join("\n"));
    let mut wrong = mistakes();
    wrong.push(json!({"aggs": {"by": {"terms": {"field": "carrier", "size": "all"}}}}));
    wrong.push(
        json!({"aggs": {"by": {"date_histogram": {"field": "a", "calendar_interval": "decade"}}}}),
    );
    let found = errors(&folder, "elasticsearch_mistakes", elastic, &wrong);
    assert!(found.len() >= wrong.len(), "{}", found.join("\n"));

    // The aggregations of this package's types have no `field`: what every documented example has. The rest of them is sound.
    let opensearch = "import type { API } from '@opensearch-project/opensearch';\ntype Body = API.Search_RequestBody;";
    let plain: Vec<Value> = bodies
        .into_iter()
        .map(|mut body| {
            body.as_object_mut().unwrap().remove("aggs");
            body
        })
        .collect();
    let found = errors(&folder, "opensearch", opensearch, &plain);
    assert!(found.is_empty(), "{}", found.join("\n"));
    let found = errors(&folder, "opensearch_mistakes", opensearch, &mistakes());
    assert!(!found.is_empty(), "the types find nothing");
}
