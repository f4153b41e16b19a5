//! A server with a certificate of its own authority.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use targets::{Target, TargetConfig};

/// The authority of the certificate.
const AUTHORITY: &str = "-----BEGIN CERTIFICATE-----
MIIBVDCB+6ADAgECAgEBMAoGCCqGSM49BAMCMBkxFzAVBgNVBAMMDlRlc3QgYXV0
aG9yaXR5MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAZMRcwFQYD
VQQDDA5UZXN0IGF1dGhvcml0eTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABLkV
5AFEAw/l/q0OKoEvwK0Yq42U5zMWxCsjJqJi+068ds7jfTzAMD+jt69vjJQHwJdp
woVtehyRixI2nOV24hKjMjAwMA8GA1UdEwEB/wQFMAMBAf8wHQYDVR0OBBYEFKE7
WJf7kQaD6lshO11TtA+2B3XqMAoGCCqGSM49BAMCA0gAMEUCIDZ8l0+nsJ5dMn2u
S9lFwBu1uv6rTvhPbFpV2FfSH67kAiEA199OO0Xsy+UBr5f2NoQYlJyODimk6RsX
f6EPZooL0wc=
-----END CERTIFICATE-----";
/// A certificate for `localhost`, of the years 2020 to 2120.
const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----
MIIBgDCCASegAwIBAgIBAjAKBggqhkjOPQQDAjAZMRcwFQYDVQQDDA5UZXN0IGF1
dGhvcml0eTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFDESMBAG
A1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEdx1j1wYA
BzRBilBLyLlny0ZpXhtuUFLeOpYzXc+mIFXQ+RtOvbflTohQpbNUBXkPBSALV9IF
9QRZDUvtCPTdeKNjMGEwCQYDVR0TBAIwADAUBgNVHREEDTALgglsb2NhbGhvc3Qw
HQYDVR0OBBYEFBCZWphEN/Hzy3LrlhUK73Hvdzz7MB8GA1UdIwQYMBaAFKE7WJf7
kQaD6lshO11TtA+2B3XqMAoGCCqGSM49BAMCA0cAMEQCIF1rcVAF2NqvfE80geRN
cNM9KE3VZ/s88KeVFb5WqKv1AiANawpBsNID1tMxU+Xw+DL8R5xgcSBhL9hB/JRb
6/TVHw==
-----END CERTIFICATE-----";
/// The key of the certificate, which is of these tests alone.
const KEY: &str = "-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgt3mwvIx6xONaO1cj
0GwCrTNklMmTOht0rawsY8Px0FmhRANCAAR3HWPXBgAHNEGKUEvIuWfLRmleG25Q
Ut46ljNdz6YgVdD5G069t+VOiFCls1QFeQ8FIAtX0gX1BFkNS+0I9N14
-----END PRIVATE KEY-----";

/// A PostgreSQL that encrypts, and closes the connection then; its port.
fn encrypting() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let chain = CertificateDer::from_pem_slice(CERTIFICATE.as_bytes()).unwrap();
    let key = PrivateKeyDer::from_pem_slice(KEY.as_bytes()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![chain], key)
        .unwrap();
    let config = Arc::new(config);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 8];
            stream.read_exact(&mut request).unwrap();
            stream.write_all(b"S").unwrap();
            let mut server = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
            // The client ends the handshake where it does not trust the certificate.
            let _ = server.complete_io(&mut stream);
        }
    });
    port
}

/// Why the server at a host is not used, with the authority that is given.
async fn problem(host: &str, authority: Option<&str>) -> String {
    let url = format!(
        "postgres://u:p@{host}:{}/d?sslmode=verify-full",
        encrypting()
    );
    let mut config = TargetConfig::new("field", url);
    config.kept.ca_certificate = authority.map(str::to_owned);
    let examined = Target::new(config).unwrap().examine().await;
    examined.problem().unwrap().1.to_owned()
}

#[tokio::test]
async fn a_certificate_of_an_unknown_authority_is_said_to_be_one() {
    let why = problem("localhost", None).await;
    assert!(why.contains("certificate is not trusted"), "{why}");
    assert!(why.contains("`--ca`"), "{why}");
}

#[tokio::test]
async fn a_certificate_of_another_host_is_not_accepted() {
    let why = problem("127.0.0.1", Some(AUTHORITY)).await;
    assert!(why.contains("its certificate is not accepted"), "{why}");
    assert!(why.contains("name of the host"), "{why}");
}

#[tokio::test]
async fn a_certificate_of_the_given_authority_is_trusted() {
    let why = problem("localhost", Some(AUTHORITY)).await;
    assert_eq!(why, "The server closed the connection.");
}
