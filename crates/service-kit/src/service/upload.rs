//! Knowing whether a request waits for its client: for the rest of its body.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use axum::BoxError;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use hyper::body::{Body as HttpBody, Frame, SizeHint};

/// The state of a request's body. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct Upload {
    awaited: Arc<AtomicBool>,
}

impl Upload {
    /// Watches the body of this request, if it has one.
    pub(super) fn watch(request: Request) -> (Request, Self) {
        let upload = Self::default();
        if request.body().is_end_stream() {
            return (request, upload);
        }
        let watched = upload.clone();
        let request = request.map(|body| {
            Body::new(Watched {
                body,
                upload: watched,
            })
        });
        (request, upload)
    }

    /// Whether the body is being read and the client has not sent the rest.
    pub(super) fn is_awaited(&self) -> bool {
        self.awaited.load(Ordering::Relaxed)
    }

    fn set_awaited(&self, awaited: bool) {
        self.awaited.store(awaited, Ordering::Relaxed);
    }
}

struct Watched {
    body: Body,
    upload: Upload,
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        self.upload.set_awaited(frame.is_pending());
        frame.map_err(Into::into)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.upload.set_awaited(false);
    }
}
