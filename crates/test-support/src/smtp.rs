//! A mail server that speaks SMTP on this machine and keeps what it is given.

use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// A mail as it came.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mail {
    /// The sender of the envelope.
    pub from: String,
    /// The recipients of the envelope.
    pub to: Vec<String>,
    /// Header and body, with the dots of SMTP undone.
    pub data: String,
}

impl Mail {
    /// The value of a header, unfolded.
    pub fn header(&self, name: &str) -> Option<String> {
        let head = self.data.split("\r\n\r\n").next()?;
        let unfolded = head.replace("\r\n ", " ").replace("\r\n\t", " ");
        unfolded.split("\r\n").find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name)
                .then(|| value.trim().to_owned())
        })
    }

    /// The plain text, decoded from its transfer encoding.
    pub fn text(&self) -> String {
        self.part("text/plain")
    }

    /// The HTML, decoded from its transfer encoding.
    pub fn html(&self) -> String {
        self.part("text/html")
    }

    /// The part of this type; empty if there is none.
    fn part(&self, kind: &str) -> String {
        let boundary = self.header("content-type").and_then(|of| {
            let (_, boundary) = of.split_once("boundary=")?;
            Some(format!("--{}", boundary.trim_matches('"')))
        });
        let parts = boundary
            .iter()
            .flat_map(|boundary| self.data.split(boundary.as_str()));
        let part = parts
            .map(|part| part.trim_start_matches("\r\n"))
            .find(|part| {
                let head = part.split("\r\n\r\n").next().unwrap_or_default();
                head.to_lowercase()
                    .contains(&format!("content-type: {kind}"))
            });
        part.map(|part| {
            Self {
                data: part.to_owned(),
                ..Self::default()
            }
            .body()
        })
        .unwrap_or_default()
    }

    fn body(&self) -> String {
        let body = self
            .data
            .split_once("\r\n\r\n")
            .map(|(_, body)| body)
            .unwrap_or_default();
        let encoding = self
            .header("content-transfer-encoding")
            .unwrap_or_default()
            .to_lowercase();
        match encoding.as_str() {
            "base64" => {
                let joined: String = body.split_whitespace().collect();
                let bytes = STANDARD.decode(joined).unwrap_or_default();
                String::from_utf8_lossy(&bytes).into_owned()
            }
            "quoted-printable" => unquoted(body),
            _ => body.to_owned(),
        }
    }
}

fn unquoted(body: &str) -> String {
    let joined = body.replace("=\r\n", "");
    let mut bytes = Vec::new();
    let mut rest = joined.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let code = after
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if let (b'=', Some(code)) = (byte, code) {
            bytes.push(code);
            rest = &after[2..];
        } else {
            bytes.push(byte);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The server. It stops with the test's runtime.
#[derive(Debug, Clone)]
pub struct MailServer {
    /// The port that it listens at.
    pub port: u16,
    mails: Arc<Mutex<Vec<Mail>>>,
    /// The replies to the next mails, in place of their being accepted.
    refusals: Arc<Mutex<Vec<&'static str>>>,
}

impl MailServer {
    /// Starts a server at a free port.
    pub async fn start() -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let server = Self {
            port: listener.local_addr()?.port(),
            mails: Arc::default(),
            refusals: Arc::default(),
        };
        let serving = server.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let serving = serving.clone();
                tokio::spawn(async move { serving.converse(stream).await });
            }
        });
        Ok(server)
    }

    /// The mails that were taken, the oldest first.
    pub fn mails(&self) -> Vec<Mail> {
        let mails = self.mails.lock().unwrap_or_else(PoisonError::into_inner);
        mails.clone()
    }

    /// Has the next recipient refused with this reply, such as `451 4.3.0 later`.
    pub fn refuse_once(&self, reply: &'static str) {
        let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        refusals.push(reply);
    }

    async fn converse(&self, stream: TcpStream) -> std::io::Result<()> {
        let mut stream = BufReader::new(stream);
        stream.write_all(b"220 sink ESMTP\r\n").await?;
        let mut mail = Mail::default();
        let mut line = String::new();
        loop {
            line.clear();
            if stream.read_line(&mut line).await? == 0 {
                return Ok(());
            }
            let command = line.trim_end().to_owned();
            let verb = command.to_ascii_uppercase();
            let reply = if verb.starts_with("EHLO") {
                "250-sink\r\n250 8BITMIME".to_owned()
            } else if verb.starts_with("MAIL FROM:") {
                mail = Mail {
                    from: address(&command),
                    ..Mail::default()
                };
                "250 ok".to_owned()
            } else if verb.starts_with("RCPT TO:") {
                let refused = {
                    let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
                    refusals.pop()
                };
                mail.to.push(address(&command));
                refused.unwrap_or("250 ok").to_owned()
            } else if verb == "DATA" {
                stream.write_all(b"354 go on\r\n").await?;
                mail.data = data(&mut stream).await?;
                let taken = std::mem::take(&mut mail);
                self.mails
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(taken);
                "250 taken".to_owned()
            } else if verb == "QUIT" {
                stream.write_all(b"221 bye\r\n").await?;
                return Ok(());
            } else {
                "250 ok".to_owned()
            };
            stream.write_all(format!("{reply}\r\n").as_bytes()).await?;
        }
    }
}

async fn data(stream: &mut BufReader<TcpStream>) -> std::io::Result<String> {
    let mut text = String::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 || line == ".\r\n" {
            return Ok(text);
        }
        text.push_str(line.strip_prefix('.').unwrap_or(&line));
    }
}

fn address(command: &str) -> String {
    let inner = command.split_once('<').map(|(_, rest)| rest);
    let inner = inner.and_then(|rest| rest.split_once('>'));
    inner.map_or(String::new(), |(address, _)| address.to_owned())
}
