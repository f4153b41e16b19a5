//! The demonstration's source as the tools describe it, with what resolves names and maps fields
//! there, and no database: a query is kept instead of run.

use std::sync::{Arc, Mutex};

use agent_kit::{Tools, ToolsError};
use async_trait::async_trait;
use contracts::tools::clarification::ClarificationAnswer;
use contracts::tools::meanings::{
    EntityResolutionArguments, FieldMappingArguments, MatchedBy, names as meanings,
};
use contracts::tools::search::{
    BuiltQuery, FieldType, IndexDescription, QueryBuild, QueryBuilderArguments, QueryProblem,
    QueryStructure, QueryType, SourceDescription, SourceList, names,
};
use contracts::tools::{ToolDefinition, ToolEnvelope};
use entities::{
    Candidate, Names, Thing, Thresholds, Vocabulary, candidates, decide, members, mention_of,
    option_of, resolution, same_words, scan, taken,
};
use figment::Figment;
use figment::providers::{Format, Toml};
use serde_json::{Value, json};

use crate::double::{Answer, patterns, statistics};

/// As the demonstration describes itself.
const SOURCE: &str = include_str!("../../../../../../crates/demo/freight/src/source.toml");

/// The columns of its tables that have other types than texts, and those that the description does
/// not name.
const COLUMNS: [(&str, &[(&str, FieldType)]); 4] = {
    use FieldType::{Boolean, Date, Double, Keyword, Long};
    [
        (
            "shipments",
            &[
                ("container_count", Long),
                ("weight_kg", Double),
                ("value_usd", Double),
                ("hazardous", Boolean),
                ("planned_departure", Date),
                ("actual_departure", Date),
                ("planned_arrival", Date),
                ("actual_arrival", Date),
                ("delay_hours", Double),
                ("is_late", Boolean),
            ],
        ),
        (
            "vessels",
            &[
                ("vessel_id", Keyword),
                ("name", Keyword),
                ("built", Long),
                ("capacity_teu", Long),
            ],
        ),
        (
            "ports",
            &[
                ("port_id", Keyword),
                ("name", Keyword),
                ("aliases", Keyword),
                ("city", Keyword),
                ("country", Keyword),
                ("terminal", Boolean),
            ],
        ),
        (
            "containers",
            &[
                ("size_ft", Long),
                ("last_event_at", Date),
                ("temperature_c", Double),
            ],
        ),
    ]
};

const PORTS: [(&str, &str, &[&str]); 13] = [
    ("PRT-MIA", "Port of Miami", &["PortMiami"]),
    ("PRT-MCT", "Miami Container Terminal", &["MCT"]),
    ("PRT-LAX", "Port of Los Angeles", &["San Pedro"]),
    ("PRT-SAV", "Port of Savannah", &[]),
    ("PRT-HOU", "Port of Houston", &[]),
    ("PRT-SSZ", "Port of Santos", &[]),
    (
        "PRT-CTG",
        "Port of Cartagena (Colombia)",
        &["Cartagena de Indias"],
    ),
    ("PRT-CAR", "Port of Cartagena (Spain)", &[]),
    ("PRT-RTM", "Port of Rotterdam", &["Maasvlakte"]),
    ("PRT-ANR", "Port of Antwerp", &[]),
    ("PRT-HAM", "Port of Hamburg", &[]),
    ("PRT-SIN", "Port of Singapore", &[]),
    ("PRT-SHA", "Port of Shanghai", &["Yangshan"]),
];

/// The countries that the ports lie in, as their records have it.
const COUNTRIES: [(&str, &[&str]); 9] = [
    (
        "United States",
        &["PRT-MIA", "PRT-MCT", "PRT-LAX", "PRT-SAV", "PRT-HOU"],
    ),
    ("Brazil", &["PRT-SSZ"]),
    ("Colombia", &["PRT-CTG"]),
    ("Spain", &["PRT-CAR"]),
    ("Netherlands", &["PRT-RTM"]),
    ("Belgium", &["PRT-ANR"]),
    ("Germany", &["PRT-HAM"]),
    ("Singapore", &["PRT-SIN"]),
    ("China", &["PRT-SHA"]),
];

const VESSELS: [(&str, &str); 6] = [
    ("VSL-001", "MSC ANNA"),
    ("VSL-002", "MSC BEATRICE"),
    ("VSL-006", "ANNA NORDHAVN"),
    ("VSL-010", "MERIDIAN AURORA"),
    ("VSL-014", "PACIFIC CROWN I"),
    ("VSL-018", "SOUTHERN CROSS"),
];

/// The tools, and the typed queries that were asked.
pub(super) struct Demo {
    sources: SourceList,
    names: Vec<Names>,
    asked: Mutex<Vec<QueryStructure>>,
    /// The choices for words.
    remembered: Mutex<Vec<(String, String)>>,
}

impl Demo {
    /// The demonstration, and behind it another source with names of its own.
    pub(super) fn with(source: Value, names: Vec<Names>) -> Arc<Self> {
        let mut demo = Self::whole();
        let source = serde_json::from_value(source).unwrap();
        demo.sources.sources.push(source);
        demo.names.extend(names);
        Arc::new(demo)
    }

    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self::whole())
    }

    fn whole() -> Self {
        let thing = |id: &str, name: &str, aliases: &[&str]| Thing {
            id: id.to_owned(),
            name: name.to_owned(),
            aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
            description: None,
        };
        let nouns = |words: &[&str]| -> Vec<String> {
            words.iter().map(|word| (*word).to_owned()).collect()
        };
        let ports = PORTS.map(|(id, name, aliases)| Thing {
            description: country(id),
            ..thing(id, name, aliases)
        });
        let vessels = VESSELS.map(|(id, name)| thing(id, name, &[]));
        let boxes = [thing("MSCU1234565", "MSCU1234565", &[])];
        let shipments = [
            thing("SHP-000123", "BKG-77120", &[]),
            thing("SHP-000122", "KLM-4411", &[]),
        ];
        Self {
            sources: sources(),
            names: vec![
                Names::new(
                    ("shipping", "shipments"),
                    "shipment",
                    &nouns(&["shipment"]),
                    shipments,
                ),
                Names::new(
                    ("shipping", "vessels"),
                    "vessel",
                    &nouns(&["vessel", "ship"]),
                    vessels,
                ),
                Names::new(
                    ("shipping", "ports"),
                    "port",
                    &nouns(&["port", "ports", "terminal", "terminals", "harbour"]),
                    ports,
                ),
                Names::new(
                    ("shipping", "containers"),
                    "container",
                    &nouns(&["container"]),
                    boxes,
                ),
            ],
            asked: Mutex::default(),
            remembered: Mutex::default(),
        }
    }

    /// The query that was run last, in a line.
    pub(super) fn last(&self) -> String {
        self.asked.lock().unwrap().last().map_or_else(
            || "nothing".to_owned(),
            |structure| line(&asked(structure, self.index(&structure.index))),
        )
    }

    /// A query as it is executed: checked, and complete; nothing where the check refuses it.
    pub(super) fn completed(&self, structure: &QueryStructure) -> Option<QueryStructure> {
        let index = self.index(&structure.index);
        let checked = search::check(structure, index, &search::Limits::default()).ok()?;
        Some(checked.structure)
    }

    /// All queries that were run.
    pub(super) fn asked(&self) -> Vec<QueryStructure> {
        self.asked.lock().unwrap().clone()
    }

    pub(super) fn forget_queries(&self) {
        self.asked.lock().unwrap().clear();
    }

    fn index(&self, name: &str) -> &IndexDescription {
        let mut indices = self
            .sources
            .sources
            .iter()
            .flat_map(|source| &source.indices);
        indices.find(|index| index.name == name).unwrap()
    }

    /// The source with an index.
    fn source_of(&self, index: &str) -> &str {
        let mut sources = self.sources.sources.iter();
        let has = |source: &&SourceDescription| {
            let mut indices = source.indices.iter();
            indices.any(|known| known.name == index)
        };
        &sources.find(has).unwrap().name
    }

    fn resolve(&self, arguments: &EntityResolutionArguments) -> Value {
        let asked = arguments.source.as_deref();
        let names: Vec<&Names> = self
            .names
            .iter()
            .filter(|names| asked.is_none_or(|source| names.source() == source))
            .collect();
        self.remembered
            .lock()
            .unwrap()
            .retain(|(words, _)| !arguments.forget.iter().any(|gone| same_words(gone, words)));
        let indices: Vec<IndexDescription> = self
            .sources
            .sources
            .iter()
            .filter(|source| asked.is_none_or(|name| source.name == name))
            .flat_map(|source| source.indices.clone())
            .collect();
        let vocabulary = Vocabulary::of(&indices);
        let mut mentions: Vec<(String, Option<String>)> =
            scan(&arguments.text, &names, &vocabulary)
                .into_iter()
                .map(|mention| (mention.text, mention.entity_type))
                .collect();
        for given in &arguments.mentions {
            if !mentions
                .iter()
                .any(|(known, _)| same_words(known, &given.text))
            {
                mentions.push((given.text.clone(), given.entity_type.clone()));
            }
        }
        let decisions = mentions.iter().flat_map(|(mention, kind)| {
            let chosen = self.chosen(mention, &arguments.answers);
            if !chosen.is_empty() {
                return chosen
                    .iter()
                    .map(|candidate| taken(mention, candidate, MatchedBy::Answer))
                    .collect();
            }
            let all = members(mention, &names);
            if !all.is_empty() {
                return all
                    .iter()
                    .map(|member| taken(mention, member, MatchedBy::Group))
                    .collect();
            }
            let found = candidates(mention, kind.as_deref(), &names);
            let remembered = self.remembered.lock().unwrap();
            let kept = remembered
                .iter()
                .rev()
                .find(|(words, _)| same_words(words, mention))
                .and_then(|(_, id)| found.iter().find(|candidate| candidate.entity.id == *id));
            let thresholds = Thresholds::default();
            vec![decide(
                mention,
                &found,
                kept,
                &thresholds,
                arguments.best_guess,
            )]
        });
        let mut found = json!(resolution(decisions));
        if arguments.remembered {
            let known = self.remembered.lock().unwrap();
            let told = known.iter().rev().map(|(words, id)| {
                let name = PORTS.iter().find(|(port, _, _)| port == id).map(|(_, name, _)| *name);
                json!({ "mention": words.to_lowercase(), "source": "shipping", "entity_type": "port", "id": id, "name": name, "chosen_at": "2025-01-15T10:30:00Z" })
            });
            found["remembered"] = told.collect();
        }
        found
    }

    /// The options of the answers; a single one is remembered.
    fn chosen(&self, mention: &str, answers: &[ClarificationAnswer]) -> Vec<Candidate> {
        let about = |answer: &&ClarificationAnswer| {
            mention_of(&answer.about).is_some_and(|about| same_words(about, mention))
        };
        let names: Vec<&Names> = self.names.iter().collect();
        let of_answer = |answer: &ClarificationAnswer| match &answer.option_id {
            Some(id) => option_of(id, &names).into_iter().next(),
            None => candidates(&answer.text, None, &names)
                .into_iter()
                .find(|candidate| candidate.entity.confidence >= 0.85),
        };
        let chosen: Vec<Candidate> = answers.iter().filter(about).filter_map(of_answer).collect();
        if let [only] = chosen.as_slice() {
            let kept = (mention.to_owned(), only.entity.id.clone());
            self.remembered.lock().unwrap().push(kept);
        }
        chosen
    }

    fn map(&self, arguments: &FieldMappingArguments) -> Value {
        let of_names = arguments.entities.first();
        let of_names = of_names.map(|entity| entity.source.as_str());
        let name = arguments.source.as_deref().or(of_names);
        let name = name.unwrap_or("shipping");
        let mut sources = self.sources.sources.iter();
        let source = sources.find(|source| source.name == name).unwrap();
        let indices = &source.indices;
        let place = entities::fields::choose_index(arguments, indices).unwrap();
        let thresholds = entities::fields::FieldThresholds::default();
        json!(entities::fields::map(
            name,
            &indices[place],
            arguments,
            &thresholds
        ))
    }

    fn build(&self, arguments: &QueryBuilderArguments) -> Value {
        let index = self.index(&arguments.structure.index);
        let limits = search::Limits::default();
        let build = match search::check(&arguments.structure, index, &limits) {
            // As a source does.
            Ok(checked)
                if arguments.query_type == QueryType::Graphql
                    && !checked.structure.group_by.is_empty() =>
            {
                QueryBuild {
                    query: None,
                    problems: vec![QueryProblem {
                        pointer: "/group_by".to_owned(),
                        code: "unsupported".to_owned(),
                        message: "GraphQL makes no groups.".to_owned(),
                        suggestions: Vec::new(),
                    }],
                }
            }
            Ok(checked) => QueryBuild {
                query: Some(BuiltQuery {
                    source: self.source_of(&index.name).to_owned(),
                    query_type: arguments.query_type,
                    index: index.name.clone(),
                    query: match arguments.query_type {
                        QueryType::Graphql => {
                            json!({ "query": "query Q { x }", "variables": { "s": arguments.structure } })
                        }
                        QueryType::Elasticsearch => {
                            json!({ "query": {}, "s": arguments.structure })
                        }
                    },
                    summary: search::summary(&checked.structure, index),
                    structure: checked.structure,
                    estimated_records: Some(7),
                    needs_approval: false,
                    notes: checked.notes,
                }),
                problems: Vec::new(),
            },
            Err(problems) => QueryBuild {
                query: None,
                problems,
            },
        };
        json!(build)
    }

    fn execute(&self, arguments: &Value, kind: QueryType) -> Value {
        let query = &arguments["query"];
        let kept = match kind {
            QueryType::Elasticsearch => &query["s"],
            QueryType::Graphql => &query["variables"]["s"],
        };
        let structure: QueryStructure = serde_json::from_value(kept.clone()).unwrap();
        let index = self.index(&structure.index);
        let checked = search::check(&structure, index, &search::Limits::default()).unwrap();
        let columns = search::columns(&checked.structure, index);
        let row: serde_json::Map<String, Value> = columns
            .iter()
            .map(|column| {
                let value = match column.field_type {
                    Some(FieldType::Long | FieldType::Double) => json!(7),
                    Some(FieldType::Boolean) => json!(true),
                    Some(FieldType::Date) => json!("2025-01-14T13:29:00Z"),
                    _ => json!(called(&column.name)),
                };
                (column.name.clone(), value)
            })
            .collect();
        // Of a few records that were asked for there are as many, and the last of them has a name.
        let count = checked
            .structure
            .limit
            .filter(|limit| (1..=5).contains(limit) && checked.structure.measures.is_empty());
        let rows: Vec<_> = (0..count.unwrap_or(1))
            .map(|at| {
                let mut row = row.clone();
                if let (Some(count), Some(id)) = (count, &index.id_field)
                    && row.contains_key(id)
                {
                    row.insert(id.clone(), json!(format!("SHP-{:06}", 124 + at - count)));
                }
                let known = |filter: &&contracts::tools::search::Filter| {
                    Some(&filter.field) == index.id_field.as_ref()
                        && row.contains_key(&filter.field)
                };
                if let Some(filter) = checked.structure.filters.iter().find(known) {
                    row.insert(filter.field.clone(), filter.values[0].clone());
                }
                row
            })
            .collect();
        let mut asked = self.asked.lock().unwrap();
        // A look behind the last row, for those that share its place, is the same query with
        // another limit.
        let looks_behind = asked.last().is_some_and(|last| {
            let same = (&last.index, &last.filters, &last.time_range, &last.group_by)
                == (
                    &structure.index,
                    &structure.filters,
                    &structure.time_range,
                    &structure.group_by,
                );
            same && last
                .limit
                .is_some_and(|limit| structure.limit == Some(limit + 10))
        });
        // How many records are left out is counted behind the answer.
        let counts_left_out = asked.last().is_some_and(|last| {
            let (missing, others) = structure.filters.split_last().unzip();
            let missing: Option<&contracts::tools::search::Filter> = missing;
            let within = others.is_some_and(|others: &[_]| {
                let known = |filter: &contracts::tools::search::Filter| {
                    let mut known = last.filters.iter();
                    known.any(|known| known.field == filter.field && known.op == filter.op)
                };
                others.iter().all(known)
            });
            within
                && structure.group_by.is_empty()
                && structure.time_range == last.time_range
                && missing
                    .is_some_and(|filter| filter.op == contracts::tools::search::FilterOp::Missing)
        });
        // The names of the keys that groups were made by are looked up behind the answer.
        let names_groups = asked.last().is_some_and(|last| {
            let of_key = structure
                .filters
                .iter()
                .all(|filter| Some(&filter.field) == index.id_field.as_ref());
            !last.group_by.is_empty()
                && last.index != structure.index
                && of_key
                && structure.filters.len() == 1
        });
        if !looks_behind && !counts_left_out && !names_groups {
            asked.push(structure);
        }
        drop(asked);
        json!({ "outcome": "ok", "run": {
            "source": self.source_of(&index.name), "served_by": "postgresql", "query_type": kind, "index": index.name, "columns": columns, "rows": rows,
            "total": { "value": 7, "relation": "eq" }, "aggregated": !checked.structure.measures.is_empty(), "took_ms": 1,
            "executed_at": "2025-01-15T10:30:00Z", "summary": search::summary(&checked.structure, index), "structure": checked.structure,
        } })
    }
}

/// A value of a column: the name of something that there is.
fn called(column: &str) -> &'static str {
    match column {
        "name" | "vessel_name" => "MERIDIAN AURORA",
        "carrier" => "Pacific Crown",
        "destination_port" | "origin_port" => "Port of Hamburg",
        _ => "x",
    }
}

fn country(port: &str) -> Option<String> {
    let mut countries = COUNTRIES.iter();
    let (name, _) = countries.find(|(_, ports)| ports.contains(&port))?;
    Some((*name).to_owned())
}

fn sources() -> SourceList {
    let config: Value = Figment::from(Toml::string(SOURCE)).extract().unwrap();
    let indices = config["indices"].as_array().unwrap().iter().map(|index| {
        let columns = COLUMNS
            .iter()
            .find(|(name, _)| index["name"] == *name)
            .unwrap()
            .1;
        let words = index["fields"].as_array().unwrap();
        let typed = |name: &str| {
            let known = columns.iter().find(|(column, _)| *column == name);
            known.map_or(FieldType::Keyword, |(_, kind)| *kind)
        };
        let described = words.iter().map(|field| {
            let mut field = field.clone();
            field["field_type"] = json!(typed(field["name"].as_str().unwrap()));
            field
        });
        let others = columns
            .iter()
            .filter(|(name, _)| !words.iter().any(|field| field["name"] == *name))
            .map(|(name, kind)| json!({ "name": name, "field_type": kind }));
        let fields: Vec<Value> = others.chain(described).collect();
        json!({
            "name": index["name"], "nouns": index["nouns"], "entity_type": index["entity"]["type"], "id_field": index["id_field"],
            "date_field": index.get("date_field"), "shown": index["shown"], "fields": fields,
        })
    });
    let indices: Vec<Value> = indices.collect();
    serde_json::from_value(json!({ "sources": [{
        "name": "shipping", "kind": "postgresql", "query_types": ["elasticsearch", "graphql"], "time_zone": "UTC", "today": "2025-01-15",
        "today_from": "configuration", "indices": indices,
    }] }))
    .unwrap()
}

/// Without what a checked query has of itself: the usual order, the order among equals, the usual
/// limit.
fn asked(structure: &QueryStructure, index: &IndexDescription) -> QueryStructure {
    let mut asked = structure.clone();
    let by = |at: usize, field: Option<&String>, descending: bool| {
        let sort = structure.sort.get(at);
        sort.is_some_and(|sort| Some(&sort.by) == field && sort.descending == descending)
    };
    let count = "count".to_owned();
    let last = structure.sort.len().saturating_sub(1);
    if structure.limit == Some(100) {
        asked.limit = None;
        if by(0, Some(&count), true) && structure.sort.len() == 1 {
            asked.sort.clear();
        }
    }
    if by(last, index.id_field.as_ref(), false) {
        asked.sort.pop();
        if by(0, index.date_field.as_ref(), true) && asked.limit.is_none() {
            asked.sort.clear();
        }
    }
    asked
}

/// A typed query in a line: `shipments; carrier=x; actual_arrival 2025-01-08..2025-01-15; by
/// carrier; count; count down; 5`.
fn line(structure: &QueryStructure) -> String {
    let mut parts = vec![structure.index.clone()];
    for filter in &structure.filters {
        let each: Vec<String> = filter.alternatives().iter().map(condition).collect();
        parts.push(each.join(" or "));
    }
    if let Some(range) = &structure.time_range {
        let field = range.field.as_deref().unwrap_or("?");
        parts.push(format!("{field} {}..{}", range.start, range.end));
    }
    for group in &structure.group_by {
        let every = group.interval.map_or(String::new(), |every| {
            format!("/{}", json!(every).as_str().unwrap())
        });
        parts.push(format!("by {}{every}", group.field));
    }
    parts.extend(
        structure
            .measures
            .iter()
            .map(contracts::tools::search::Measure::name),
    );
    for sort in &structure.sort {
        let direction = if sort.descending { "down" } else { "up" };
        parts.push(format!("{} {direction}", sort.by));
    }
    parts.extend(structure.limit.map(|limit| limit.to_string()));
    parts.join("; ")
}

/// `destination_port_id=PRT-HAM`.
fn condition(filter: &contracts::tools::search::Filter) -> String {
    let op = match json!(filter.op).as_str().unwrap() {
        "is" => "=".to_owned(),
        "is_not" => "!=".to_owned(),
        "gt" => ">".to_owned(),
        "gte" => ">=".to_owned(),
        "lt" => "<".to_owned(),
        "lte" => "<=".to_owned(),
        other => format!(" {other}"),
    };
    let values: Vec<String> = filter
        .values
        .iter()
        .map(|value| {
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        })
        .collect();
    format!("{}{op}{}", filter.field, values.join("|"))
}

#[async_trait]
impl Tools for Demo {
    async fn call(&self, name: &str, arguments: Value) -> Answer {
        fn read<T: serde::de::DeserializeOwned>(arguments: &Value) -> T {
            serde_json::from_value(arguments.clone()).unwrap()
        }
        Ok(ToolEnvelope::ok(match name {
            names::LIST_SOURCES => json!(self.sources),
            meanings::ENTITY_RESOLUTION => self.resolve(&read(&arguments)),
            meanings::FIELD_MAPPING => self.map(&read(&arguments)),
            names::QUERY_BUILDER => self.build(&read(&arguments)),
            names::ES_EXECUTOR => self.execute(&arguments, QueryType::Elasticsearch),
            names::GRAPHQL_EXECUTOR => self.execute(&arguments, QueryType::Graphql),
            "stats_analysis" => statistics(&arguments),
            "pattern_recognition" => patterns(&arguments),
            other => panic!("no such tool: {other}"),
        }))
    }

    async fn definitions(&self) -> Result<Arc<[ToolDefinition]>, ToolsError> {
        Ok(Arc::new([]))
    }
}
