//! Everything of this schema that is not listed has `hush` in its name.

mod any_request;

use std::collections::BTreeSet;

use contracts::tools::search::{GraphqlQuery, SourceKind};
use serde_json::{Value, json};

use super::*;
use crate::graphql::limits::GraphqlLimits;
use crate::graphql::testing::{limits, request};
use crate::graphql::validate::check_request;
use crate::graphql::{describe, testing};
use crate::{FieldConfig, IndexConfig};

const SCHEMA: &str = r"
schema { query: Query mutation: Mutation }
type Mutation { hushDelete(id: ID!): Boolean }
scalar Cursor
scalar JSON
interface Node { id: ID! }
union HushAny = Ship | HushCrew
enum Dir { asc desc asc_nulls_last }
enum ShipsOrderBy { NATURAL PRIMARY_KEY_ASC NAME_ASC NAME_DESC HUSH_COST_ASC HUSH_COST_DESC_NULLS_LAST OWNER_BY_OWNER_ID__HUSH_NAME_ASC BUILT_ASC }
enum ShipColumn { name built hush_cost }
type Query {
  ships(first: Int, last: Int, offset: Int, after: Cursor, before: Cursor, condition: ShipCondition, filter: ShipFilter, orderBy: [ShipsOrderBy!] = [HUSH_COST_ASC], hushSearch: String, search: String, raw: JSON): ShipConnection!
  ship(shipId: String!): Ship
  shipByHushCode(hushCode: String!): Ship
  shipOfTheDay: Ship
  hushShips(first: Int): [Ship!]!
  voyages(limit: Int = 50, where: voyages_bool_exp, order_by: [voyages_order_by!], distinct_on: [voyage_column!], sort: String): [Voyage!]!
  voyages_aggregate(where: voyages_bool_exp): HushVoyageAggregate
  hushCrews(limit: Int = 5): [HushCrew!]!
  hushAny(limit: Int = 5): [HushAny!]!
  node(id: ID!): Node
  hushTotal: Float
}
type PageInfo { hasNextPage: Boolean! endCursor: Cursor hushInternal: Boolean }
type ShipConnection { nodes: [Ship!]! edges: [ShipEdge!]! pageInfo: PageInfo! totalCount: Int! hushAggregates: HushShipAggregates groupedHush(groupBy: [ShipColumn!]): [HushShipAggregates!] }
type ShipEdge { cursor: Cursor node: Ship hushRank: Int }
type HushShipAggregates { sum: HushShipSum keys: [String!] }
type HushShipSum { hushCost: Float name: Float }
type Ship implements Node {
  id: ID! shipId: String! name(upper: Boolean): String built: Int hushCost: Float hushCode: String hushTags: [String!] hushJson: JSON
  owner: Owner formerHushOwner: Owner hushCaptain: HushCrew
  voyages(limit: Int = 10, where: voyages_bool_exp): [Voyage!]!
  hushCrew(first: Int): [HushCrew!]!
  hushCountOf(what: String!): Int
}
type Owner { country: String hushName: String ships(first: Int): ShipConnection! hushShare: Float }
type HushCrew implements Node { id: ID! name: String hushWage: Float }
type Voyage { voyageId: String! port: String! ship: Ship! delay: Float hushFine: Float hushNote: String }
type HushVoyageAggregate { count: Int max: HushVoyageMax }
type HushVoyageMax { hushFine: Float delay: Float }
enum voyage_column { port delay hush_fine }
input StringFilter { equalTo: String in: [String!] isNull: Boolean like: String }
input FloatFilter { equalTo: Float greaterThan: Float not: FloatFilter }
input ShipCondition { name: String built: Int hushCost: Float }
input ShipFilter {
  name: StringFilter built: FloatFilter hushCost: FloatFilter hushCode: StringFilter owner: OwnerFilter ownerHushExists: Boolean voyages: ShipToManyHushless
  built_gt: Int hushCost_gt: Float name_in: [String!] and: [ShipFilter!] or: [ShipFilter!] not: ShipFilter shared: HushShared
}
input HushShared { hushCost: FloatFilter }
input OwnerFilter { country: StringFilter hushName: StringFilter and: [OwnerFilter!] }
input ShipToManyHushless { some: voyages_bool_exp every: voyages_bool_exp none: voyages_bool_exp aggregate_hush: HushShared }
input voyages_bool_exp { _and: [voyages_bool_exp!] _not: voyages_bool_exp port: string_exp delay: float_exp hushFine: float_exp ship: ShipFilter hushShip: ShipFilter generic: GenericHush }
input GenericHush { field: String! op: String! value: String }
input string_exp { _eq: String _in: [String!] _is_null: Boolean }
input float_exp { _eq: Float _gt: Float }
input voyages_order_by { port: Dir delay: Dir hushFine: Dir ship: ships_order_by voyages_hush_aggregate: HushOrder }
input ships_order_by { name: Dir hushCost: Dir built: Dir }
input HushOrder { count: Dir }
";

fn hidden(name: &str) -> FieldConfig {
    FieldConfig {
        name: name.to_owned(),
        hidden: true,
        ..FieldConfig::default()
    }
}

/// Ships and voyages; of the owner of a ship only the country. Names are spelt as those of tables
/// are.
pub(super) fn config() -> SourceConfig {
    let index = |name: &str, id: &str, fields: Vec<FieldConfig>| IndexConfig {
        name: name.to_owned(),
        root_field: Some(name.to_owned()),
        id_field: Some(id.to_owned()),
        fields,
        ..IndexConfig::default()
    };
    let country = FieldConfig {
        name: "owner.country".to_owned(),
        ..FieldConfig::default()
    };
    let of_ships = vec![hidden("hush_cost"), hidden("HUSH_CODE"), country];
    SourceConfig {
        indices: vec![
            index("ships", "shipId", of_ships),
            index(
                "voyages",
                "voyageId",
                vec![
                    hidden("hush_fine"),
                    hidden("hush_note"),
                    hidden("ship.hush_cost"),
                ],
            ),
        ],
        ..SourceConfig::new("test", SourceKind::Graphql)
    }
}

fn wide() -> GraphqlLimits {
    GraphqlLimits {
        max_depth: 12,
        max_cost: 10_000_000,
        ..limits()
    }
}

/// A schema, and what is listed of it.
pub(super) struct Peer {
    pub(super) whole: GraphqlSchema,
    pub(super) listed: Listed,
}

impl Peer {
    pub(super) fn new(whole: GraphqlSchema, config: &SourceConfig) -> Peer {
        let indices = describe::indices(&whole, config).unwrap();
        let listed = Listed::of(&whole, config, &indices).unwrap();
        Peer { whole, listed }
    }

    /// The result of a source's checks of a request.
    pub(super) fn check(&self, query: &GraphqlQuery) -> Result<CheckedQuery, Vec<QueryProblem>> {
        let limits = wide();
        let checked = check_request(self.listed.schema(), query, &limits)?;
        self.listed.check(&checked)?;
        // What may be named is a part of what there is.
        check_request(&self.whole, query, &limits)?;
        Ok(checked)
    }

    fn allows(&self, query: &str) -> bool {
        self.check(&request(query, json!({}))).is_ok()
    }
}

pub(super) fn fleet() -> Peer {
    Peer::new(GraphqlSchema::from_sdl(SCHEMA).unwrap(), &config())
}

#[test]
fn what_is_listed_can_be_asked() {
    let fleet = fleet();
    for query in [
        "{ ships(first: 1, offset: 2, condition: { name: \"A\", built: 1 }) { nodes { shipId name built } totalCount pageInfo { hasNextPage } } }",
        "{ ships(orderBy: [NAME_DESC, BUILT_ASC]) { edges { node { name owner { country } voyages(limit: 3) { port delay } } } } }",
        "{ ships(filter: { and: [{ name: { like: \"A%\" } }, { built: { not: { greaterThan: 3 } } }], built_gt: 3 }) { totalCount } }",
        "{ ships(filter: { owner: { country: { equalTo: \"PA\" } }, voyages: { some: { port: { _eq: \"x\" } } } }) { totalCount } }",
        "{ ship(shipId: \"1\") { __typename name voyages { voyageId ship { shipId } } } }",
        "{ a: voyages(where: { _not: { delay: { _gt: 3 } } }, order_by: [{ ship: { name: asc } }], distinct_on: [port]) { ...v } } fragment v on Voyage { port ship { owner { country } } }",
    ] {
        let problems = fleet.check(&request(query, json!({}))).err();
        assert!(problems.is_none(), "{query}: {problems:?}");
    }
}

#[test]
fn what_is_not_listed_cannot_be_shown_compared_or_ordered_by() {
    let fleet = fleet();
    for query in [
        "{ ships { nodes { hushCost } } }",
        "{ ships { nodes { name: hushCost } } }",
        "{ ships { edges { node { ...f } } } } fragment f on Ship { hushCode }",
        "{ ships { nodes { ... on Ship { hushTags } } } }",
        "{ ships { nodes { hushJson } } }",
        "{ ships { nodes { hushCountOf(what: \"x\") } } }",
        "{ ships { nodes { id } } }",
        "{ ships { edges { cursor } } }",
        "{ ships { edges { hushRank } } }",
        "{ ships { pageInfo { endCursor } } }",
        "{ ships { pageInfo { hushInternal } } }",
        "{ ships { hushAggregates { sum { hushCost } } } }",
        "{ ships { groupedHush(groupBy: [hush_cost]) { keys } } }",
        "{ ships { nodes { owner { hushName } } } }",
        "{ ships { nodes { owner { ships { totalCount } } } } }",
        "{ ships { nodes { formerHushOwner { country } } } }",
        "{ ships { nodes { hushCaptain { name } } } }",
        "{ ships { nodes { hushCrew { name } } } }",
        "{ hushShips { name } }",
        "{ shipOfTheDay { name } }",
        "{ shipByHushCode(hushCode: \"1\") { name } }",
        "{ hushCrews { name } }",
        "{ hushAny { __typename } }",
        "{ node(id: \"1\") { id } }",
        "{ node(id: \"1\") { ... on HushCrew { hushWage } } }",
        "{ hushTotal }",
        "{ voyages { hushFine } }",
        "{ voyages_aggregate { count max { hushFine } } }",
        "{ voyages { ship { hushCost } } }",
        "{ ships(condition: { hushCost: 1 }) { totalCount } }",
        "{ ships(filter: { hushCost: { greaterThan: 1 } }) { totalCount } }",
        "{ ships(filter: { not: { or: [{ hushCost_gt: 1 }] } }) { totalCount } }",
        "{ ships(filter: { ownerHushExists: true }) { totalCount } }",
        "{ ships(filter: { owner: { hushName: { equalTo: \"x\" } } }) { totalCount } }",
        "{ ships(filter: { voyages: { some: { hushFine: { _gt: 1 } } } }) { totalCount } }",
        "{ ships(filter: { voyages: { aggregate_hush: { hushCost: { equalTo: 1 } } } }) { totalCount } }",
        "{ ships(filter: { shared: { hushCost: { equalTo: 1 } } }) { totalCount } }",
        "{ ships(orderBy: [HUSH_COST_ASC]) { totalCount } }",
        "{ ships(orderBy: [HUSH_COST_DESC_NULLS_LAST]) { totalCount } }",
        "{ ships(orderBy: [OWNER_BY_OWNER_ID__HUSH_NAME_ASC]) { totalCount } }",
        "{ ships(orderBy: [PRIMARY_KEY_ASC]) { totalCount } }",
        "{ ships(after: \"x\") { totalCount } }",
        "{ ships(hushSearch: \"x\") { totalCount } }",
        "{ ships(search: \"x\") { totalCount } }",
        "{ ships(raw: \"x\") { totalCount } }",
        "{ voyages(order_by: [{ hushFine: asc }]) { port } }",
        "{ voyages(order_by: [{ ship: { hushCost: desc } }]) { port } }",
        "{ voyages(order_by: [{ voyages_hush_aggregate: { count: asc } }]) { port } }",
        "{ voyages(distinct_on: [hush_fine]) { port } }",
        "{ voyages(sort: \"hush_fine\") { port } }",
        "{ voyages(where: { generic: { field: \"hush_fine\", op: \"gt\", value: \"1\" } }) { port } }",
        "{ voyages(where: { hushShip: { name: { equalTo: \"x\" } } }) { port } }",
        "{ voyages(where: { ship: { hushCost: { equalTo: 1 } } }) { port } }",
    ] {
        assert!(!fleet.allows(query), "{query}");
        assert!(
            check_request(&fleet.whole, &request(query, json!({})), &wide()).is_ok(),
            "the schema has it: {query}"
        );
    }
}

#[test]
fn variables_are_no_way_around_the_lists() {
    let fleet = fleet();
    let query = "query ($filter: ShipFilter, $order: [ShipsOrderBy!]) { ships(filter: $filter, orderBy: $order) { totalCount } }";
    let asks = |variables: Value| fleet.check(&request(query, variables));
    assert!(
        asks(json!({ "filter": { "name": { "equalTo": "A" } }, "order": ["NAME_ASC"] })).is_ok()
    );
    for variables in [
        json!({ "filter": { "hushCost": { "equalTo": 1 } } }),
        json!({ "filter": { "or": [{ "not": { "hushCode": { "isNull": true } } }] } }),
        json!({ "order": ["HUSH_COST_ASC"] }),
    ] {
        assert!(asks(variables.clone()).is_err(), "{variables}");
    }
}

#[test]
fn refusals_suggest_nothing_that_is_not_listed() {
    let fleet = fleet();
    for query in [
        "{ ships { nodes { hushCos } } }",
        "{ hushShip { name } }",
        "{ ships(hushSearc: \"x\") { totalCount } }",
        "{ ships(orderBy: [HUSH_COST]) { totalCount } }",
        "{ ships(filter: { hushCos: 1 }) { totalCount } }",
        "{ voyages { hushFin } }",
    ] {
        let problems = fleet.check(&request(query, json!({}))).unwrap_err();
        for problem in problems {
            let told = format!("{} {:?}", problem.message, problem.suggestions);
            let asked: BTreeSet<&str> = words(query);
            let new: Vec<&str> = words(&told)
                .into_iter()
                .filter(|word| word.to_lowercase().contains("hush") && !asked.contains(word))
                .collect();
            assert!(new.is_empty(), "{query}: {told}");
        }
    }
}

fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect()
}

#[test]
fn the_description_has_the_listed_fields_in_whatever_spelling_they_are_hidden() {
    let fleet = fleet();
    let indices = describe::indices(&fleet.whole, &config()).unwrap();
    let names = |index: &IndexDescription| -> Vec<String> {
        index
            .fields
            .iter()
            .map(|field| field.name.clone())
            .collect()
    };
    assert_eq!(
        names(&indices[0]),
        ["shipId", "name", "built", "owner.country"]
    );
    assert_eq!(names(&indices[1]), ["voyageId", "port", "delay"]);
}

#[test]
fn without_configured_indices_every_list_is_listed() {
    let config = SourceConfig::new("test", SourceKind::Graphql);
    let all = Peer::new(testing::full(), &config);
    for query in [
        "{ ports(first: 1) { nodes { name } } vessels(first: 1) { edges { cursor node { capacityTeu } } } }",
        "{ shipments(first: 1, filter: { vessel: { name: { equalTo: \"x\" } } }, orderBy: [VALUE_USD_ASC]) { nodes { valueUsd vessel { shipments(first: 1) { totalCount } } } } }",
        "{ shipmentById(id: \"x\") { shipmentId } }",
    ] {
        let problems = all.check(&request(query, json!({}))).err();
        assert!(problems.is_none(), "{query}: {problems:?}");
    }
    assert!(!all.allows("{ node(id: \"x\") { id } }"));
}

#[test]
fn the_tenants_field_is_not_listed_in_any_spelling() {
    let config = SourceConfig {
        tenant_field: Some("TENANT".to_owned()),
        ..SourceConfig::new("test", SourceKind::Graphql)
    };
    let shared = Peer::new(testing::full(), &config);
    assert!(shared.allows("{ shipments(first: 1) { nodes { shipmentId } } }"));
    for query in [
        "{ shipments(first: 1) { nodes { tenant } } }",
        "{ shipments(first: 1, condition: { tenant: \"rival\" }) { totalCount } }",
        "{ shipments(first: 1, filter: { not: { tenant: { like: \"r%\" } } }) { totalCount } }",
        "{ shipments(first: 1, orderBy: [TENANT_ASC]) { totalCount } }",
    ] {
        assert!(!shared.allows(query), "{query}");
    }
}
