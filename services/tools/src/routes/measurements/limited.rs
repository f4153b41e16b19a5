//! A reader that fails after a number of bytes.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// Reads at most `left` more bytes; one more is an error. Stands behind the decompression, so that
/// a small body cannot unfold into an endless one.
pub(in crate::routes) struct Limited<R> {
    inner: R,
    limit: u64,
    left: u64,
}

/// There was more than the limit.
#[derive(Debug, thiserror::Error)]
#[error("the body is larger than {0} bytes, uncompressed")]
pub(in crate::routes) struct TooLarge(u64);

impl TooLarge {
    /// Whether this is what a reader failed with.
    pub(in crate::routes) fn is(error: &io::Error) -> bool {
        matches!(error.get_ref(), Some(inner) if inner.is::<Self>())
    }
}

impl<R> Limited<R> {
    pub(in crate::routes) fn new(inner: R, limit: u64) -> Self {
        Self {
            inner,
            limit,
            left: limit,
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Limited<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buf))?;
        let read = (buf.filled().len() - before) as u64;
        if let Some(left) = self.left.checked_sub(read) {
            self.left = left;
            Poll::Ready(Ok(()))
        } else {
            // A read that fails must not have read.
            buf.set_filled(before);
            Poll::Ready(Err(io::Error::other(TooLarge(self.limit))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    #[tokio::test]
    async fn the_limit_itself_is_read_and_one_more_byte_is_not() {
        let mut text = String::new();
        Limited::new(&b"12345"[..], 5)
            .read_to_string(&mut text)
            .await
            .unwrap();
        assert_eq!(text, "12345");
        let error = Limited::new(&b"123456"[..], 5)
            .read_to_string(&mut text)
            .await
            .unwrap_err();
        assert!(TooLarge::is(&error));
    }
}
