//! Databases that tenants add while the service runs: tests of the connection, isolation, replicas,
//! precedence of the configuration.

use http::{Method, StatusCode};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection, MySqlConnection};
use targets::TargetConfig;
use test_support::database::TestDatabase;
use test_support::mariadb::TestMariaDb;
use tools::Config;
use tools::credentials::config::{KeyConfig, generate_key};
use url::Url;

use crate::harness::{App, database};

pub(crate) const SCOPES: [&str; 3] = ["tools:read", "targets:write", "questions:approve"];
const READER: &str = "heliograph_added_reader";

const TABLES: [&str; 4] = [
    "CREATE TABLE customer (id int PRIMARY KEY, name varchar(40) NOT NULL, country varchar(40))",
    "CREATE TABLE purchase (id int PRIMARY KEY, customer_id int NOT NULL, amount numeric(8, 2), bought_on date)",
    "INSERT INTO customer VALUES (1, 'Ada', 'UK'), (2, 'Grace', 'US'), (3, 'Alan', 'UK')",
    "INSERT INTO purchase VALUES (1, 1, 10.5, '2026-01-05'), (2, 1, 20, '2026-02-07'), (3, 2, 5, '2026-02-09')",
];

/// Two processes of the service over one database.
pub(crate) struct Replicas {
    pub(crate) one: App,
    pub(crate) other: App,
    pub(crate) database: TestDatabase,
}

impl Replicas {
    pub(crate) async fn with(change: impl Fn(&mut Config)) -> Self {
        let database = database().await;
        let key = generate_key();
        let app = || {
            App::configured(database.url(), "2026-06-01T12:00:00Z", |config| {
                let key = key.expose_secret().to_owned();
                config
                    .credentials
                    .keys
                    .push(KeyConfig::new("test", key.into()));
                change(config);
            })
        };
        Self {
            one: app(),
            other: app(),
            database,
        }
    }
}

/// An answer to a caller of a tenant with these scopes.
pub(crate) async fn ask(
    app: &App,
    (tenant, scopes): (&str, &[&str]),
    method: Method,
    path: &str,
    body: &Value,
) -> (StatusCode, Value) {
    let token = app.token(tenant, scopes);
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    app.send(method, path, Some(&token), &body).await
}

pub(crate) async fn as_admin(
    app: &App,
    tenant: &str,
    method: Method,
    path: &str,
    body: Value,
) -> (StatusCode, Value) {
    ask(app, (tenant, &SCOPES), method, path, &body).await
}

async fn run(app: &App, tenant: &str, target: &str, sql: &str) -> Value {
    let arguments = json!({ "target": target, "sql": sql });
    let (_, answer) = app.call_as(tenant, "run_sql", arguments).await;
    answer
}

/// A shop in PostgreSQL, with a role that only reads.
pub(crate) async fn shop() -> TestDatabase {
    let database = TestDatabase::empty().await.unwrap();
    let role = format!(
        "DO $$ BEGIN CREATE ROLE {READER} LOGIN PASSWORD 'se:cr/et@1'; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
    );
    let grant = format!("GRANT SELECT ON customer, purchase TO {READER}");
    for statement in TABLES.into_iter().chain([role.as_str(), grant.as_str()]) {
        let statement = AssertSqlSafe(statement.to_owned());
        sqlx::raw_sql(statement)
            .execute(database.pool())
            .await
            .unwrap();
    }
    database
}

/// A target over the database at a URL, as this role.
fn described(name: &str, url: &str, (user, password): (&str, &str)) -> Value {
    let url = Url::parse(url).unwrap();
    let engine = if url.scheme() == "mysql" {
        "mysql"
    } else {
        "postgresql"
    };
    json!({
        "name": name,
        "description": "The shop",
        "connection": {
            "engine": engine, "host": url.host_str().unwrap(), "port": url.port().unwrap(),
            "database": url.path().trim_start_matches('/'), "username": user, "password": password, "tls": "off",
        },
    })
}

pub(crate) fn reader(name: &str, shop: &TestDatabase) -> Value {
    described(name, shop.url(), (READER, "se:cr/et@1"))
}

/// The address of the shop for the role that only reads.
pub(crate) fn reader_url(shop: &TestDatabase) -> Url {
    let mut url = Url::parse(shop.url()).unwrap();
    url.set_username(READER).unwrap();
    url.set_password(Some("se:cr/et@1")).unwrap();
    url
}

#[expect(clippy::too_many_lines, reason = "one tenant takes every step")]
#[tokio::test]
async fn a_database_is_added_in_all_replicas_and_for_its_tenant_only() {
    let replicas = Replicas::with(|_| {}).await;
    let shop = shop().await;
    let (one, other) = (&replicas.one, &replicas.other);
    let body = reader("shop", &shop);
    let (status, tested) =
        as_admin(one, "demo", Method::POST, "/api/target-tests", body.clone()).await;
    assert_eq!(
        (status, &tested["ok"]),
        (StatusCode::OK, &json!(true)),
        "{tested}"
    );
    assert_eq!(
        (&tested["tables"], &tested["encrypted"]),
        (&json!(2), &json!(false))
    );
    let (status, _) = ask(
        one,
        ("demo", &["tools:read"]),
        Method::POST,
        "/api/targets",
        &body,
    )
    .await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    let (status, made) = as_admin(one, "demo", Method::POST, "/api/targets", body.clone()).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    assert_eq!(made["connection"]["username"], READER);
    assert!(!made.to_string().contains("se:cr"), "{made}");
    let (status, again) = as_admin(other, "demo", Method::POST, "/api/targets", body).await;
    assert_eq!(status, StatusCode::CONFLICT, "{again}");

    // The other process has not heard of it yet, and answers.
    let sql = "SELECT c.name, SUM(p.amount) AS total FROM customer c JOIN purchase p ON p.customer_id = c.id GROUP BY c.name ORDER BY total DESC";
    for app in [other, one] {
        let answer = run(app, "demo", "shop", sql).await;
        assert_eq!(answer["result"]["rows"][0]["name"], "Ada", "{answer}");
    }
    let (_, details) = as_admin(other, "demo", Method::GET, "/api/targets/shop", Value::Null).await;
    assert_eq!(
        details["layer"]["tables"].as_array().unwrap().len(),
        2,
        "{details}"
    );
    assert_eq!(details["layer"]["joins"][0]["guessed"], true, "{details}");

    // A viewer sees the target and not its connection; another tenant sees nothing.
    let (_, seen) = ask(
        one,
        ("demo", &["tools:read"]),
        Method::GET,
        "/api/targets",
        &Value::Null,
    )
    .await;
    assert_eq!(seen["targets"][0]["name"], "shop");
    assert!(seen["targets"][0].get("connection").is_none(), "{seen}");
    for path in [
        "/api/targets/shop",
        "/api/targets/shop/export?sql=SELECT%201",
    ] {
        let (status, answer) = as_admin(one, "rival", Method::GET, path, Value::Null).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{answer}");
    }
    for (method, path) in [
        (Method::DELETE, "/api/targets/shop"),
        (Method::PATCH, "/api/targets/shop"),
        (Method::POST, "/api/targets/shop/test"),
        (Method::POST, "/api/targets/shop/refresh"),
    ] {
        let body = if method == Method::PATCH {
            json!({})
        } else {
            Value::Null
        };
        let (status, answer) = as_admin(one, "rival", method, path, body).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{path}: {answer}");
    }
    let (_, none) = as_admin(one, "rival", Method::GET, "/api/targets", Value::Null).await;
    assert_eq!(none, json!({ "targets": [] }));
    let answer = run(one, "rival", "shop", "SELECT 1").await;
    assert_eq!(answer["status"], "no_data", "{answer}");

    // Nothing of the password is in the database as it is.
    let stored: String = sqlx::query_scalar("SELECT t::text FROM tools.targets AS t")
        .fetch_one(replicas.database.pool())
        .await
        .unwrap();
    assert!(
        !stored.contains("se:cr") && !stored.contains("se%3Acr"),
        "{stored}"
    );

    // Rules and decisions apply at once.
    let change = json!({
        "policy": { "hidden_tables": ["purchase"], "columns": { "customer": { "country": "masked" } } },
        "descriptions": { "customer": "Who buys here" },
    });
    let (status, changed) = as_admin(one, "demo", Method::PATCH, "/api/targets/shop", change).await;
    assert_eq!(status, StatusCode::OK, "{changed}");
    let answer = run(one, "demo", "shop", sql).await;
    assert_eq!(answer["result"]["outcome"], "refused", "{answer}");
    let answer = run(one, "demo", "shop", "SELECT country FROM customer").await;
    assert_eq!(answer["result"]["rows"][0]["country"], "***", "{answer}");
    let (_, details) = as_admin(one, "demo", Method::GET, "/api/targets/shop", Value::Null).await;
    assert_eq!(
        details["layer"]["tables"][0]["description"], "Who buys here",
        "{details}"
    );

    let (status, _) = as_admin(
        other,
        "demo",
        Method::DELETE,
        "/api/targets/shop",
        Value::Null,
    )
    .await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    let (_, none) = as_admin(one, "demo", Method::GET, "/api/targets", Value::Null).await;
    assert_eq!(none, json!({ "targets": [] }));
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused_with_what_to_do() {
    let replicas = Replicas::with(|_| {}).await;
    let (app, shop) = (&replicas.one, shop().await);
    let own = Url::parse(replicas.database.url()).unwrap();
    let owner = (
        own.username(),
        own.password().filter(|it| !it.is_empty()).unwrap_or("x"),
    );
    let mut away = reader("shop", &shop);
    away["connection"]["port"] = json!(1);
    let mut metadata = reader("shop", &shop);
    metadata["connection"]["host"] = json!("169.254.169.254");
    let mut path = reader("shop", &shop);
    path["connection"]["host"] = json!("/var/run/postgresql");
    let mut encrypted = reader("shop", &shop);
    encrypted["connection"]["tls"] = json!("required");
    let wrong = described("shop", shop.url(), (READER, "wrong"));
    let no_password = described("shop", shop.url(), (READER, ""));
    let writer = described("shop", shop.url(), owner);
    let product = described("shop", replicas.database.url(), owner);
    let bad_name = reader("The Shop", &shop);
    for (body, pointer, why) in [
        (away, "/connection/host", "cannot be reached"),
        (metadata, "/connection/host", "refused_networks"),
        (path, "/connection/host", "is not the name"),
        (encrypted, "/connection/host", "tls"),
        (no_password, "/connection/password", "is required"),
        (
            writer,
            "/connection/username",
            "accept it with `allow_writing_role` (`--allow-writing-role` on the command line)",
        ),
        (product, "/connection/database", "Heliograph itself"),
        (bad_name, "/name", "a-z"),
    ] {
        let (status, answer) = as_admin(app, "demo", Method::POST, "/api/targets", body).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{answer}");
        assert_eq!(answer["errors"][0]["pointer"], pointer, "{answer}");
        assert!(answer.to_string().contains(why), "{why}: {answer}");
    }
    // A server that trusts all users takes a wrong password, so this is a role that does not exist.
    let mut stranger = wrong;
    stranger["connection"]["username"] = json!("heliograph_nobody");
    let (status, answer) = as_admin(app, "demo", Method::POST, "/api/targets", stranger).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{answer}");
    assert!(answer.to_string().contains("refuses the login"), "{answer}");
    let (_, none) = as_admin(app, "demo", Method::GET, "/api/targets", Value::Null).await;
    assert_eq!(none, json!({ "targets": [] }));

    // Said otherwise, a role that may write is accepted; its statements are checked as ever.
    let mut writer = described("shop", shop.url(), owner);
    writer["allow_writing_role"] = json!(true);
    let (status, made) = as_admin(app, "demo", Method::POST, "/api/targets", writer).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let answer = run(app, "demo", "shop", "DELETE FROM customer").await;
    assert_eq!(answer["result"]["outcome"], "refused", "{answer}");
}

#[tokio::test]
async fn a_target_of_the_configuration_wins_and_cannot_be_changed() {
    let shop = shop().await;
    let place = shop.url().rsplit_once('@').unwrap().1.to_owned();
    let fixed = format!("postgres://{READER}:se%3Acr%2Fet%401@{place}");
    let replicas = Replicas::with(|_| {}).await;
    let (status, made) = as_admin(
        &replicas.one,
        "demo",
        Method::POST,
        "/api/targets",
        reader("shop", &shop),
    )
    .await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let key = generate_key();
    let app = App::configured(replicas.database.url(), "2026-06-01T12:00:00Z", |config| {
        config.credentials.keys.push(KeyConfig::new("test", key));
        config.targets = vec![TargetConfig {
            description: Some("As configured".to_owned()),
            ..TargetConfig::new("shop", fixed)
        }];
        config.added_targets.most_per_tenant = 1;
    });
    let (_, list) = as_admin(&app, "demo", Method::GET, "/api/targets", Value::Null).await;
    assert_eq!(list["targets"][0]["fixed"], true, "{list}");
    assert_eq!(list["targets"][1]["replaced_by_fixed"], true, "{list}");
    let (status, answer) =
        as_admin(&app, "demo", Method::PATCH, "/api/targets/shop", json!({})).await;
    assert_eq!(status, StatusCode::CONFLICT, "{answer}");
    let answer = run(&app, "demo", "shop", "SELECT COUNT(*) AS n FROM customer").await;
    assert_eq!(answer["result"]["rows"][0]["n"], 3, "{answer}");
    let (status, answer) = as_admin(
        &app,
        "demo",
        Method::POST,
        "/api/targets",
        reader("second", &shop),
    )
    .await;
    assert_eq!(status, StatusCode::CONFLICT, "{answer}");
    assert!(
        answer.to_string().contains("as many as it may have"),
        "{answer}"
    );
    // Its key is another one: the password cannot be read, and the target says so.
    let rival = reader("shop", &shop);
    let (status, _) = as_admin(&replicas.one, "rival", Method::POST, "/api/targets", rival).await;
    assert_eq!(status, StatusCode::CREATED);
    let other_key = generate_key();
    let app = App::configured(replicas.database.url(), "2026-06-01T12:00:00Z", |config| {
        config
            .credentials
            .keys
            .push(KeyConfig::new("other", other_key));
    });
    run(&app, "rival", "shop", "SELECT 1").await;
    let (_, list) = as_admin(&app, "rival", Method::GET, "/api/targets", Value::Null).await;
    assert!(list.to_string().contains("cannot be decrypted"), "{list}");
}

#[tokio::test]
async fn a_mariadb_is_added_too() {
    let database = TestMariaDb::empty().await.unwrap();
    let mut admin = MySqlConnection::connect(&database.url()).await.unwrap();
    let user = format!("added_{}", database.name());
    let rights = [
        format!("CREATE USER '{user}'@'%' IDENTIFIED BY 'secret'"),
        format!("GRANT SELECT ON {}.* TO '{user}'@'%'", database.name()),
    ];
    for statement in TABLES.map(str::to_owned).into_iter().chain(rights) {
        sqlx::raw_sql(AssertSqlSafe(statement))
            .execute(&mut admin)
            .await
            .unwrap();
    }
    let replicas = Replicas::with(|_| {}).await;
    let app = &replicas.one;
    let wrong = described("shop", &database.url(), (&user, "wrong"));
    let (status, answer) = as_admin(app, "demo", Method::POST, "/api/targets", wrong).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{answer}");
    assert!(answer.to_string().contains("refuses the login"), "{answer}");
    let body = described("shop", &database.url(), (&user, "secret"));
    let (status, made) = as_admin(app, "demo", Method::POST, "/api/targets", body).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    assert_eq!(made["dialect"], "mysql");
    let answer = run(
        &replicas.other,
        "demo",
        "shop",
        "SELECT COUNT(*) AS n FROM purchase",
    )
    .await;
    assert_eq!(answer["result"]["rows"][0]["n"], 3, "{answer}");

    // Its password changes: the old one is refused, the new one is tested and used everywhere.
    let statement = format!("ALTER USER '{user}'@'%' IDENTIFIED BY 'newer'");
    sqlx::raw_sql(AssertSqlSafe(statement))
        .execute(&mut admin)
        .await
        .unwrap();
    let change = async |password: Value| {
        let path = "/api/targets/shop";
        as_admin(app, "demo", Method::PATCH, path, password).await
    };
    let (status, answer) = change(json!({ "password": "secret" })).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{answer}");
    assert!(answer.to_string().contains("refuses the login"), "{answer}");
    let (status, answer) = change(json!({ "password": "" })).await;
    assert_eq!(answer["errors"][0]["pointer"], "/password", "{answer}");
    assert!(status.is_client_error());
    let (status, answer) = change(json!({ "password": "newer" })).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    assert!(!answer.to_string().contains("newer"), "{answer}");
    for app in [&replicas.one, &replicas.other] {
        let answer = run(app, "demo", "shop", "SELECT COUNT(*) AS n FROM purchase").await;
        assert_eq!(answer["result"]["rows"][0]["n"], 3, "{answer}");
    }
}

#[tokio::test]
async fn the_list_says_why_a_database_cannot_be_asked() {
    let replicas = Replicas::with(|_| {}).await;
    let shop = shop().await;
    let body = reader("shop", &shop);
    let (status, made) = as_admin(&replicas.one, "demo", Method::POST, "/api/targets", body).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    the_lists_follow_tests(&replicas, &shop).await;
}

#[tokio::test]
async fn the_list_says_why_a_database_of_the_configuration_cannot_be_asked() {
    let shop = shop().await;
    let url = reader_url(&shop);
    let replicas = Replicas::with(|config| {
        config.targets = vec![TargetConfig::new("shop", url.as_str())];
    })
    .await;
    the_lists_follow_tests(&replicas, &shop).await;
}

/// Tests of what is configured are noted for all processes, also where tenants may add nothing.
#[tokio::test]
async fn the_lists_follow_tests_where_nothing_may_be_added() {
    let shop = shop().await;
    let url = reader_url(&shop);
    let replicas = Replicas::with(|config| {
        config.added_targets.enabled = false;
        config.targets = vec![TargetConfig::new("shop", url.as_str())];
    })
    .await;
    the_lists_follow_tests(&replicas, &shop).await;
}

/// The target `shop` is locked out and let in again; the lists of both processes say so.
async fn the_lists_follow_tests(replicas: &Replicas, shop: &TestDatabase) {
    let answer = run(&replicas.other, "demo", "shop", "SELECT id FROM customer").await;
    assert_eq!(answer["result"]["row_count"], 3, "{answer}");
    let list = async |app: &App| {
        let path = "/api/targets";
        let (status, listed) = as_admin(app, "demo", Method::GET, path, Value::Null).await;
        assert_eq!(status, StatusCode::OK, "{listed}");
        listed["targets"][0]["problem"].clone()
    };
    assert_eq!(list(&replicas.other).await, Value::Null);
    let lock_out = format!(
        "DO $$ BEGIN EXECUTE format('REVOKE CONNECT ON DATABASE %I FROM PUBLIC', current_database()); END $$; \
         SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
         WHERE datname = current_database() AND usename = '{READER}'"
    );
    sqlx::raw_sql(AssertSqlSafe(lock_out))
        .execute(shop.pool())
        .await
        .unwrap();
    let problem = list(&replicas.other).await;
    assert!(problem.is_string(), "{problem}");
    // The other process reads its tables in vain, so that it knows of the problem.
    let refused = run(&replicas.one, "demo", "shop", "SELECT id FROM nothing").await;
    assert_ne!(refused["status"], "ok", "{refused}");
    assert!(list(&replicas.one).await.is_string());
    // Once it is open again, a test says so, and the list of each process with it.
    let let_in = "DO $$ BEGIN EXECUTE format('GRANT CONNECT ON DATABASE %I TO PUBLIC', current_database()); END $$";
    sqlx::raw_sql(let_in).execute(shop.pool()).await.unwrap();
    let path = "/api/targets/shop/test";
    let (_, tested) = as_admin(&replicas.other, "demo", Method::POST, path, Value::Null).await;
    assert_eq!(tested["ok"], true, "{tested}");
    for app in [&replicas.other, &replicas.one] {
        assert_eq!(list(app).await, Value::Null);
    }
}
