//! Ingestion on a real database: counts, batches, failures half-way.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};
use tools::ingest::{self, Format, IngestError, IngestOptions, Source};

use crate::ingest_support::{
    HEADER, counts, csv, daily, database, empty_database, line, sites, store, stored, try_store,
};

#[tokio::test]
async fn sending_a_file_twice_changes_nothing() {
    let database = database().await;
    let pool = database.pool();
    let body = csv("INV-1", 0..600);
    let first = store(pool, &body).await;
    assert_eq!(counts(&first), (600, 0, 0));
    assert!(first.loggers[0].created);
    assert_eq!(first.loggers[0].rows, 600);
    assert_eq!(
        first.loggers[0].earliest.to_rfc3339(),
        "2025-06-01T02:00:00+02:00"
    );
    let days = daily(pool, "acme", "INV-1").await;
    assert!(!days.is_empty());

    let second = store(pool, &body).await;
    assert_eq!(counts(&second), (0, 600, 0));
    assert!(!second.loggers[0].created);
    assert_eq!(stored(pool, "acme").await, (600, 600));
    assert_eq!(daily(pool, "acme", "INV-1").await, days);
}

#[tokio::test]
async fn a_reading_takes_the_place_of_the_stored_one_whole() {
    let database = database().await;
    let pool = database.pool();
    store(
        pool,
        "timestamp,loggerId,activePowerWatts,irradiance,note\n2025-06-01T10:00:00Z,A,100,500,old\n",
    )
    .await;
    let report = store(pool, "timestamp,loggerId,activePowerWatts\n2025-06-01T10:00:00Z,A,200\n2025-06-01T10:05:00Z,A,1\n").await;
    assert_eq!(counts(&report), (1, 1, 0));
    let row: (Option<f64>, Option<f64>, Option<serde_json::Value>) = sqlx::query_as(
        "SELECT active_power_watts, irradiance, metadata FROM tools.measurements ORDER BY \"timestamp\" LIMIT 1",
    )
    .fetch_one(pool)
    .await
    .unwrap();
    assert_eq!(row, (Some(200.0), None, None));
}

#[tokio::test]
async fn of_two_rows_of_one_instant_the_later_wins_within_and_across_batches() {
    let database = database().await;
    let pool = database.pool();
    // The first batch ends after ten thousand rows, so the last line meets a stored reading.
    let body = format!(
        "{}{}{}",
        csv("A", 0..1),
        line("A", 0),
        csv("A", 1..10_500).replace(HEADER, "")
    ) + "2025-06-01T00:00:00Z,A,77,\n";
    let report = store(pool, &body).await;
    assert_eq!(counts(&report), (10_500, 2, 0));
    assert_eq!(report.loggers[0].rows, 10_502);
    let power: f64 = sqlx::query_scalar(
        "SELECT active_power_watts FROM tools.measurements ORDER BY \"timestamp\" LIMIT 1",
    )
    .fetch_one(pool)
    .await
    .unwrap();
    assert!((power - 77.0).abs() < f64::EPSILON);
    assert_eq!(stored(pool, "acme").await, (10_500, 10_500));
}

#[tokio::test]
async fn bad_rows_are_refused_and_the_good_ones_stored() {
    let database = database().await;
    let pool = database.pool();
    let bad = (0..150)
        .map(|row| format!("bad{row},A,1,1\n"))
        .collect::<Vec<_>>()
        .concat();
    let body = format!(
        "{HEADER}{}{bad}2025-06-01T00:05:00Z,{},1,1\n{}",
        line("A", 0),
        "x".repeat(65),
        line("A", 2)
    );
    let report = store(pool, &body).await;
    assert_eq!(counts(&report), (2, 0, 151));
    assert_eq!(report.refusals.len(), 100);
    assert_eq!((report.refusals[0].row, report.refusals[99].row), (2, 101));
    assert!(report.refusals[0].reason.contains("bad0"));
}

#[tokio::test]
async fn a_file_that_breaks_keeps_what_came_before() {
    let database = database().await;
    let pool = database.pool();
    let options = IngestOptions::new(Format::JsonArray);
    let body = r#"[{"timestamp":"2025-06-01T10:00:00Z","loggerId":"A","irradiance":1} oops"#;
    let failure = ingest::ingest(pool, "acme", &options, body.as_bytes())
        .await
        .unwrap_err();
    assert!(
        matches!(failure.error, IngestError::Unreadable { row: 2, .. }),
        "{failure:?}"
    );
    assert_eq!(failure.stored(), 1);
    assert!(failure.explain().contains("1 rows before that are stored"));
    assert_eq!(stored(pool, "acme").await, (1, 1));
}

#[tokio::test]
async fn a_sender_that_goes_away_leaves_whole_batches() {
    let database = database().await;
    let pool = database.pool();
    let body = csv("A", 0..12_000);
    let reader = body.as_bytes().chain(GoneAway);
    let failure = ingest::ingest(pool, "acme", &IngestOptions::new(Format::Csv), reader)
        .await
        .unwrap_err();
    assert!(matches!(failure.error, IngestError::Body(_)));
    assert_eq!(failure.stored(), 10_000);
    assert_eq!(stored(pool, "acme").await, (10_000, 10_000));
    assert_eq!(counts(&store(pool, &body).await), (2_000, 10_000, 0));
}

/// Fails as a body does whose client hung up.
struct GoneAway;

impl AsyncRead for GoneAway {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        _: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()))
    }
}

#[tokio::test]
async fn an_upload_that_is_dropped_anywhere_harms_nothing() {
    let database = database().await;
    let pool = database.pool();
    let body = csv("A", 0..9_000);
    // Wherever the cut falls, in a query, in a COPY, before or after: a batch is there whole or not
    // at all.
    for millis in [0, 1, 2, 4, 8, 16, 32, 64, 128] {
        let cut = tokio::time::timeout(
            Duration::from_millis(millis),
            try_store(pool, "acme", &body),
        )
        .await;
        let (rows, counted) = stored(pool, "acme").await;
        assert_eq!(rows, counted);
        assert!(rows == 0 || rows == 9_000, "{rows}");
        if let Ok(report) = cut {
            assert_eq!(report.unwrap().refused, 0);
        }
    }
    let report = store(pool, &body).await;
    assert_eq!(report.accepted + report.replaced, 9_000);
}

#[tokio::test]
async fn a_new_logger_needs_to_know_its_site() {
    let database = empty_database().await;
    let pool = database.pool();
    let body = csv("A", 0..3);
    let needed = try_store(pool, "acme", &body).await.unwrap_err().error;
    assert!(matches!(needed, IngestError::SiteNeeded { available, .. } if available.is_empty()));

    sites(pool, "acme", &["barn", "roof"]).await;
    let needed = try_store(pool, "acme", &body).await.unwrap_err().error;
    assert!(
        matches!(needed, IngestError::SiteNeeded { available, .. } if available == ["barn", "roof"])
    );

    let to = |site: &str| IngestOptions {
        site: Some(site.to_owned()),
        ..IngestOptions::new(Format::Csv)
    };
    let unknown = ingest::ingest(pool, "acme", &to("shed"), body.as_bytes())
        .await
        .unwrap_err()
        .error;
    assert!(
        matches!(unknown, IngestError::UnknownSite { available, .. } if available == ["barn", "roof"])
    );
    assert_eq!(stored(pool, "acme").await, (0, 0));

    ingest::ingest(pool, "acme", &to("barn"), body.as_bytes())
        .await
        .unwrap();
    // Now that the logger is known, a request need not name its site.
    assert_eq!(counts(&store(pool, &body).await), (0, 3, 0));
    let site: String =
        sqlx::query_scalar("SELECT site_id FROM tools.loggers JOIN tools.sites USING (site_key)")
            .fetch_one(pool)
            .await
            .unwrap();
    assert_eq!(site, "barn");
}

#[tokio::test]
async fn tenants_do_not_meet() {
    let database = database().await;
    let pool = database.pool();
    sites(pool, "other", &["roof"]).await;
    store(pool, &csv("A", 0..10)).await;
    let report = try_store(pool, "other", &csv("A", 5..10)).await.unwrap();
    assert_eq!(counts(&report), (5, 0, 0));
    assert_eq!(
        (stored(pool, "acme").await, stored(pool, "other").await),
        ((10, 10), (5, 5))
    );
}

#[tokio::test]
async fn a_column_of_values_taken_for_ids_does_not_make_a_million_loggers() {
    let database = database().await;
    let rows = (0..1010).map(|row| format!("2025-06-01T00:00:00Z,{row}.5,1,1\n"));
    let body = rows.collect::<Vec<_>>().concat();
    let report = store(database.pool(), &format!("{HEADER}{body}")).await;
    assert_eq!(counts(&report), (1000, 0, 10));
    assert!(report.refusals[0].reason.contains("at most 1000"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn uploads_of_the_same_loggers_at_once_wait_for_each_other() {
    let database = database().await;
    let pool = database.pool();
    let both = |first: &str, second: &str| {
        format!(
            "{}{}",
            csv(first, 0..400),
            csv(second, 0..400).replace(HEADER, "")
        )
    };
    let (forth, back) = (both("A", "B"), both("B", "A"));
    let uploads = [&forth, &back, &forth, &back].map(|body| try_store(pool, "acme", body));
    let reports = futures::future::try_join_all(uploads).await.unwrap();
    let accepted: u64 = reports.iter().map(|report| report.accepted).sum();
    let replaced: u64 = reports.iter().map(|report| report.replaced).sum();
    assert_eq!((accepted, replaced), (800, 2400));
    let made = reports
        .iter()
        .flat_map(|report| &report.loggers)
        .filter(|logger| logger.created)
        .count();
    assert_eq!(made, 2);
    assert_eq!(stored(pool, "acme").await, (800, 800));
    assert_eq!(
        daily(pool, "acme", "A").await,
        daily(pool, "acme", "B").await
    );
}

#[tokio::test]
async fn pieces_in_any_order_give_the_figures_of_the_whole() {
    let database = database().await;
    let pool = database.pool();
    let steps = 288 * 6;
    store(pool, &csv("A", 0..steps)).await;
    let whole = daily(pool, "acme", "A").await;
    assert!(whole.len() >= 6);
    for (number, piece) in [53usize, 288, 700].into_iter().enumerate() {
        let tenant = format!("pieces-{number}");
        sites(pool, &tenant, &["roof"]).await;
        let pieces = steps.div_ceil(piece);
        for place in 0..pieces {
            // Every piece once, far from its neighbours: 7 has no factor in common with the counts
            // of pieces here.
            let from = place * 7 % pieces * piece;
            try_store(pool, &tenant, &csv("A", from..steps.min(from + piece)))
                .await
                .unwrap();
        }
        assert_eq!(
            daily(pool, &tenant, "A").await,
            whole,
            "in pieces of {piece}"
        );
    }
}

#[tokio::test]
async fn a_compressed_file_is_known_by_its_bytes() {
    use std::io::Write as _;

    let database = database().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("readings");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(csv("A", 0..20).as_bytes()).unwrap();
    std::fs::write(&path, gzip.finish().unwrap()).unwrap();

    let source = Source::open(&path).await.unwrap();
    assert_eq!(source.format, Format::Csv);
    let mut last = ingest::Progress::default();
    let options = IngestOptions::new(source.format);
    let report = ingest::file(database.pool(), "acme", source, &options, |progress| {
        last = progress;
    })
    .await
    .unwrap();
    assert_eq!(counts(&report), (20, 0, 0));
    assert_eq!(last.rows, 20);
}
