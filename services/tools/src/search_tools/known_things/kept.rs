//! How names are kept, over a real table.

use contracts::tools::search::SourceKind;
use search_sources::{EntityConfig, IndexConfig, SourceConfig};
use service_kit::client::external_http_client;
use service_kit::clock::FixedClock;
use test_support::database::TestDatabase;

use super::*;

const TABLE: &str = "
CREATE TABLE public.ports (tenant text NOT NULL, port_id text NOT NULL, name text NOT NULL, country text, noise int);
INSERT INTO public.ports VALUES ('demo', 'P1', 'Rotterdam', 'NL', 1), ('rival', 'P9', 'Secret Harbour', 'XX', 1);
";

struct Kept {
    things: Arc<KnownThings>,
    sources: Sources,
    clock: Arc<FixedClock>,
    database: TestDatabase,
}

impl Kept {
    async fn new() -> Kept {
        let database = TestDatabase::new("known_things", |pool| async move {
            sqlx::raw_sql(TABLE).execute(&pool).await.map(drop)
        })
        .await
        .unwrap();
        let clock = FixedClock::at("2025-01-15T12:00:00Z".parse().unwrap());
        let shared: SharedClock = Arc::<FixedClock>::clone(&clock);
        let config = SourceConfig {
            tenant_field: Some("tenant".to_owned()),
            tenants: vec!["demo".to_owned(), "rival".to_owned()],
            indices: vec![IndexConfig {
                name: "ports".to_owned(),
                nouns: vec!["port".to_owned(), "ports".to_owned()],
                id_field: Some("port_id".to_owned()),
                entity: Some(EntityConfig {
                    entity_type: "port".to_owned(),
                    name_field: "name".to_owned(),
                    description_field: Some("country".to_owned()),
                    ..EntityConfig::default()
                }),
                ..IndexConfig::default()
            }],
            ..SourceConfig::new("shipping", SourceKind::Postgresql)
        };
        let client = external_http_client().unwrap();
        let sources = Sources::open(&[config], database.pool(), &client, &shared).unwrap();
        let things = KnownThings::new(&MeaningsConfig::default(), shared);
        Kept {
            things,
            sources,
            clock,
            database,
        }
    }

    fn source(&self) -> (Arc<Source>, EntityIndex) {
        let source = self.sources.all().remove(0);
        let index = source.entity_indices().remove(0);
        (source, index)
    }

    async fn known(&self, tenant: &str) -> Known {
        let (source, index) = self.source();
        self.things.of(tenant, &source, &index).await.unwrap()
    }

    /// Reads again what is old, and waits for it.
    async fn refreshed(&self, tenant: &str) -> Known {
        let (source, index) = self.source();
        let slot = self.things.slot(key(tenant, &source, &index));
        self.things
            .refresh(tenant, &source, &index, &slot)
            .await
            .unwrap()
    }

    async fn execute(&self, sql: &'static str) {
        sqlx::raw_sql(sql)
            .execute(self.database.pool())
            .await
            .unwrap();
    }

    /// Until the names are these, which a task behind sees to.
    async fn becomes(&self, tenant: &str, expected: &[&str]) {
        for _ in 0..3_000 {
            if names(&self.known(tenant).await) == expected {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the names did not become {expected:?}");
    }
}

fn names(known: &Known) -> Vec<String> {
    match known {
        Known::All(indexed) => {
            let things = indexed.names.things().iter();
            things.map(|thing| thing.name.clone()).collect()
        }
        Known::TooMany => vec!["too many".to_owned()],
    }
}

fn is_same(one: &Known, another: &Known) -> bool {
    match (one, another) {
        (Known::All(one), Known::All(another)) => Arc::ptr_eq(one, another),
        _ => false,
    }
}

#[tokio::test]
async fn old_names_are_answered_at_once_and_read_again_behind() {
    let kept = Kept::new().await;
    assert_eq!(names(&kept.known("demo").await), ["Rotterdam"]);
    kept.execute("INSERT INTO public.ports VALUES ('demo', 'P2', 'Shanghai', 'CN', 1)")
        .await;
    assert_eq!(names(&kept.known("demo").await), ["Rotterdam"]);
    kept.clock.advance(TimeDelta::seconds(61));
    assert_eq!(
        names(&kept.known("demo").await),
        ["Rotterdam"],
        "no request waits for the source"
    );
    kept.becomes("demo", &["Rotterdam", "Shanghai"]).await;
}

#[tokio::test]
async fn names_that_did_not_change_are_not_read_again() {
    let kept = Kept::new().await;
    let first = kept.known("demo").await;
    kept.execute("UPDATE public.ports SET noise = 2; INSERT INTO public.ports VALUES ('rival', 'P8', 'Another', 'XX', 1)")
        .await;
    kept.clock.advance(TimeDelta::seconds(3_600));
    assert!(is_same(&first, &kept.refreshed("demo").await));
    // A name that changes where the number of records does not.
    kept.execute("UPDATE public.ports SET name = 'Europoort' WHERE port_id = 'P1'")
        .await;
    kept.clock.advance(TimeDelta::seconds(61));
    let now = kept.refreshed("demo").await;
    assert!(!is_same(&first, &now));
    assert_eq!(names(&now), ["Europoort"]);
}

#[tokio::test]
async fn a_source_that_is_away_keeps_its_last_names() {
    let kept = Kept::new().await;
    let first = kept.known("demo").await;
    kept.execute("DROP TABLE public.ports").await;
    kept.clock.advance(TimeDelta::seconds(61));
    assert!(is_same(&first, &kept.refreshed("demo").await));
    assert!(is_same(&first, &kept.known("demo").await));
}

#[tokio::test]
async fn tenants_have_their_own_names_and_a_round_renews_them() {
    let kept = Kept::new().await;
    for tenant in ["demo", "rival"] {
        kept.known(tenant).await;
    }
    kept.execute("INSERT INTO public.ports VALUES ('demo', 'P2', 'Shanghai', 'CN', 1)")
        .await;
    kept.clock.advance(TimeDelta::seconds(59));
    kept.things.round(&kept.sources).await;
    // What is known is answered without the source.
    kept.execute("DROP TABLE public.ports").await;
    kept.clock.advance(TimeDelta::seconds(59));
    assert_eq!(names(&kept.known("demo").await), ["Rotterdam", "Shanghai"]);
    assert_eq!(names(&kept.known("rival").await), ["Secret Harbour"]);
}

#[tokio::test]
async fn names_of_a_large_index_are_never_read_inside_a_request() {
    let kept = Kept::new().await;
    kept.execute("DELETE FROM public.ports; INSERT INTO public.ports SELECT 'demo', 'P' || n, 'Port ' || n, 'NL', 1 FROM generate_series(1, 19000) n")
        .await;
    assert_eq!(names(&kept.known("demo").await), ["too many"]);
    for _ in 0..6_000 {
        if names(&kept.known("demo").await).len() == 19_000 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the names did not come");
}

#[tokio::test]
async fn what_nobody_asks_for_goes() {
    let kept = Kept::new().await;
    kept.known("demo").await;
    let many = |at: u32| Key {
        tenant: format!("tenant{at}"),
        source: "shipping".to_owned(),
        version: 0,
        index: "ports".to_owned(),
    };
    for at in 0..2_000 {
        kept.things.slot(many(at));
    }
    let slots = || kept.things.slots.lock().unwrap().len();
    assert_eq!(slots(), MOST_SLOTS);
    kept.clock.advance(TimeDelta::seconds(60 * 61));
    kept.things.forget();
    assert_eq!(slots(), 0);
}
