//! Mail, by SMTP.

mod body;

use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message, MultiPart};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls as Encryption, TlsParameters};
use lettre::{Address, AsyncSmtpTransport, AsyncTransport, Tokio1Executor};
use secrecy::ExposeSecret;

use crate::config::{EmailConfig, Tls};
use crate::{Error, Failure, Outgoing};
use body::Body;

/// Replies of a mail server about the recipient, which another attempt does not change.
const NO_SUCH_RECIPIENT: [u16; 4] = [550, 551, 553, 556];

/// The sender of mail.
pub struct Mailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
    allowed_domains: Vec<String>,
}

impl Mailer {
    /// The sender of a configuration; `None` without a host.
    pub(crate) fn new(config: &EmailConfig) -> Result<Option<Self>, Error> {
        let (Some(host), Some(from)) = (&config.host, &config.from) else {
            return Ok(None);
        };
        // Checked by the configuration.
        let Ok(from) = from.parse::<Mailbox>() else {
            return Ok(None);
        };
        http_client::use_ring();
        let encryption = match config.tls {
            Tls::None => Encryption::None,
            Tls::StartTls => Encryption::Required(parameters(host, config)?),
            Tls::Implicit => Encryption::Wrapper(parameters(host, config)?),
        };
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(host)
            .port(config.port)
            .tls(encryption)
            .timeout(Some(config.timeout()));
        if let (Some(username), Some(password)) = (&config.username, &config.password) {
            builder = builder.credentials(Credentials::new(
                username.clone(),
                password.expose_secret().to_owned(),
            ));
        }
        Ok(Some(Self {
            transport: builder.build(),
            from,
            allowed_domains: config
                .allowed_domains
                .iter()
                .map(|domain| domain.to_lowercase())
                .collect(),
        }))
    }

    /// Reads an address that a user named, or says what is wrong with it.
    pub fn check_address(&self, address: &str) -> Result<Address, String> {
        let read: Address = address
            .parse()
            .map_err(|_error| "is not an e-mail address".to_owned())?;
        let domain = read.domain().to_lowercase();
        if self.allowed_domains.is_empty() || self.allowed_domains.contains(&domain) {
            return Ok(read);
        }
        Err(format!(
            "must be an address at {}",
            self.allowed_domains.join(" or ")
        ))
    }

    /// Sends a message once.
    pub async fn send(&self, to: &str, message: &Outgoing<'_>) -> Result<(), Failure> {
        let address = self
            .check_address(to)
            .map_err(|wrong| Failure::Lasting(format!("The recipient {wrong}.")))?;
        let mail = self
            .compose(address, message)
            .map_err(|error| Failure::Lasting(format!("The mail cannot be written: {error}.")))?;
        match self.transport.send(mail).await {
            Ok(_accepted) => Ok(()),
            Err(error) => {
                tracing::info!(
                    error = &error as &dyn std::error::Error,
                    "a mail was not delivered"
                );
                let code = error.status().map(u16::from);
                Err(match code {
                    Some(code) if NO_SUCH_RECIPIENT.contains(&code) => Failure::Lasting(format!(
                        "The mail server refused the recipient (reply {code})."
                    )),
                    Some(code) => Failure::Passing(format!(
                        "The mail server did not take the mail (reply {code})."
                    )),
                    None => Failure::Passing("The mail server could not be reached.".to_owned()),
                })
            }
        }
    }

    fn compose(
        &self,
        to: Address,
        message: &Outgoing<'_>,
    ) -> Result<Message, lettre::error::Error> {
        let Body { plain, html } = match message.stop_link {
            Some(link) => Body::of(&format!(
                "{}\nTo stop it without signing in: <{link}>\n",
                message.text
            )),
            None => Body::of(message.text),
        };
        let automatic = HeaderName::new_from_ascii_str("Auto-Submitted");
        let mut mail = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(line(message.subject))
            .date(message.at.into())
            .message_id(Some(format!(
                "<{}@{}>",
                message.id,
                self.from.email.domain()
            )))
            .multipart(MultiPart::alternative_plain_html(plain, html))?;
        // So that absence notices do not answer it.
        mail.headers_mut()
            .insert_raw(HeaderValue::new(automatic, "auto-generated".to_owned()));
        if let Some(link) = message.stop_link {
            let list = HeaderName::new_from_ascii_str("List-Unsubscribe");
            mail.headers_mut()
                .insert_raw(HeaderValue::new(list, format!("<{link}>")));
            // RFC 8058 requires https.
            if link.starts_with("https://") {
                let post = HeaderName::new_from_ascii_str("List-Unsubscribe-Post");
                let value = "List-Unsubscribe=One-Click".to_owned();
                mail.headers_mut().insert_raw(HeaderValue::new(post, value));
            }
        }
        Ok(mail)
    }
}

fn parameters(host: &str, config: &EmailConfig) -> Result<TlsParameters, Error> {
    let failed = |source| Error::Mail {
        host: host.to_owned(),
        source,
    };
    let mut builder = TlsParameters::builder(host.to_owned());
    if let Some(path) = &config.ca_file {
        let pem = std::fs::read(path).map_err(|source| Error::CertificateFile {
            path: path.clone(),
            source,
        })?;
        builder = builder.add_root_certificate(Certificate::from_pem(&pem).map_err(failed)?);
    }
    builder.build_rustls().map_err(failed)
}

/// A subject is one line.
fn line(subject: &str) -> String {
    let line: String = subject
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}
