//! Servers with a certificate of an authority of their own.

use targets::{Target, TargetConfig};
use test_support::tls::{AUTHORITY, Protocol, encrypting};

/// Why a server of each kind at a host is not used, with the authority that is given.
async fn problems(host: &str, authority: Option<&str>) -> [String; 3] {
    let servers = [
        (Protocol::PostgreSql, "postgres", "sslmode=verify-full"),
        (Protocol::MySql, "mysql", "ssl-mode=VERIFY_IDENTITY"),
        (Protocol::MySql, "mariadb", "ssl-mode=VERIFY_IDENTITY"),
    ];
    let examined = servers.map(async |(protocol, scheme, verified)| {
        let port = encrypting(protocol).unwrap();
        let url = format!("{scheme}://u:p@{host}:{port}/d?{verified}");
        let mut config = TargetConfig::new("field", url);
        config.kept.ca_certificate = authority.map(str::to_owned);
        let examined = Target::new(config).unwrap().examine().await;
        examined.problem().unwrap().1.to_owned()
    });
    let [postgres, mysql, mariadb] = examined;
    [postgres.await, mysql.await, mariadb.await]
}

#[tokio::test]
async fn a_certificate_of_an_unknown_authority_is_said_to_be_one() {
    for why in Box::pin(problems("localhost", None)).await {
        assert!(why.contains("certificate is not trusted"), "{why}");
        assert!(why.contains("`--ca`"), "{why}");
    }
}

#[tokio::test]
async fn a_certificate_of_another_host_is_not_accepted() {
    for why in Box::pin(problems("127.0.0.1", Some(AUTHORITY))).await {
        assert!(why.contains("its certificate is not accepted"), "{why}");
        assert!(why.contains("name of the host"), "{why}");
    }
}

#[tokio::test]
async fn a_certificate_of_the_given_authority_is_trusted() {
    for why in Box::pin(problems("localhost", Some(AUTHORITY))).await {
        assert_eq!(why, "The server closed the connection.");
    }
}
