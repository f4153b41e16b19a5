//! The storage of imports: only files that are kept count.

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::import_support::Plant;

/// The bytes that the tenant uses of its storage.
async fn used(plant: &Plant) -> u64 {
    let (status, quotas) = plant.send(Method::GET, "/api/quotas", &Value::Null).await;
    assert_eq!(status, StatusCode::OK, "{quotas}");
    quotas["quotas"][0]["used"].as_u64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_refused_for_good_uses_no_storage() {
    let plant = Plant::within(|limits| limits.tenant_storage_bytes = 2_000).await;
    let letter = "Dear reader,\nno rows.\n".repeat(40);
    // Each would fill half of the storage.
    for number in 0..4 {
        let query = format!("filename=letter{number}.txt");
        let import = plant.upload(&query, letter.clone()).await;
        assert_eq!(import["status"], "refused", "{import}");
        assert_eq!(used(&plant).await, 0);
        // The same file again is the same import, and is not kept either.
        let again = plant.upload(&query, letter.clone()).await;
        assert_eq!(again["import_id"], import["import_id"], "{again}");
        assert_eq!(used(&plant).await, 0);
        let path = format!("/api/imports/{}", import["import_id"].as_str().unwrap());
        let change = json!({ "timezone": "Europe/Berlin" });
        let (status, problem) = plant.send(Method::PATCH, &path, &change).await;
        assert_eq!(status, StatusCode::CONFLICT, "{problem}");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("Upload it again"), "{detail}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_can_be_corrected_is_kept_and_counts_until_it_is_cancelled() {
    let plant = Plant::within(|limits| limits.tenant_storage_bytes = 2_000).await;
    let table = "Datum;Uhrzeit;Nord;Sonne\n01.05.2026;10:00;100;300\n01.05.2026;11:00;110;310\n";
    let import = plant.upload("filename=own.csv", table).await;
    assert!(!import["preview"]["mapping"].is_null(), "{import}");
    assert_eq!(used(&plant).await, table.len() as u64);
    let (status, cancelled) = plant.act(&import, "cancel").await;
    assert_eq!(status, StatusCode::OK, "{cancelled}");
    assert_eq!(used(&plant).await, 0);
}
