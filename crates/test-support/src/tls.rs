//! Database servers with a certificate of an authority of their own.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// The authority of the certificate, which is for `localhost`.
pub const AUTHORITY: &str = "-----BEGIN CERTIFICATE-----
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

/// The protocol of a server and its client before they encrypt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// The client asks for encryption.
    PostgreSql,
    /// The server greets, and the client asks for encryption. MariaDB does the same.
    MySql,
}

impl Protocol {
    fn begin(self, stream: &mut TcpStream) -> io::Result<()> {
        match self {
            Self::PostgreSql => {
                stream.read_exact(&mut [0; 8])?;
                stream.write_all(b"S")
            }
            Self::MySql => {
                stream.write_all(&greeting())?;
                stream.read_exact(&mut [0; 36])
            }
        }
    }
}

/// The first packet of a MySQL server that encrypts.
fn greeting() -> Vec<u8> {
    // CLIENT_PROTOCOL_41, CLIENT_SSL, CLIENT_TRANSACTIONS, CLIENT_SECURE_CONNECTION; then
    // CLIENT_PLUGIN_AUTH.
    let (lower, upper) = (0x0200_u16 | 0x0800 | 0x2000 | 0x8000, 0x0008_u16);
    let mut packet = vec![10];
    packet.extend(b"8.0.36\0");
    packet.extend(1_u32.to_le_bytes());
    packet.extend(b"12345678\0");
    packet.extend(lower.to_le_bytes());
    packet.push(45);
    packet.extend(2_u16.to_le_bytes());
    packet.extend(upper.to_le_bytes());
    packet.push(21);
    packet.extend([0; 10]);
    packet.extend(b"123456789012\0");
    packet.extend(b"mysql_native_password\0");
    let length = u8::try_from(packet.len()).unwrap_or_default();
    [vec![length, 0, 0, 0], packet].concat()
}

/// Starts a server that encrypts, and closes each connection then. Returns its port.
///
/// # Errors
///
/// When no port can be opened, or the certificate cannot be used.
pub fn encrypting(protocol: Protocol) -> anyhow::Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    let chain = CertificateDer::from_pem_slice(CERTIFICATE.as_bytes())?;
    let key = PrivateKeyDer::from_pem_slice(KEY.as_bytes())?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![chain], key)?;
    let config = Arc::new(config);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let Ok(mut server) = rustls::ServerConnection::new(Arc::clone(&config)) else {
                return;
            };
            // The client ends the handshake where it does not trust the certificate.
            let _ = protocol
                .begin(&mut stream)
                .and_then(|()| server.complete_io(&mut stream));
        }
    });
    Ok(port)
}
