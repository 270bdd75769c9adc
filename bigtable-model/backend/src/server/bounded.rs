//! Limits on how long clients keep a server waiting and how much memory they use: uploads that
//! stop, and answers that nobody reads.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use http::HeaderMap;
use http_body::{Frame, SizeHint};
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::Service;
use tonic::server::NamedService;

use super::budget::{Budget, Held};
use crate::grpc::protocol::status::to_tonic;

/// How long a request may stop in the middle.
const PATIENCE: Duration = Duration::from_secs(60);

/// A service whose requests may not stop, and whose answers count towards a budget until they are
/// sent.
#[derive(Debug, Clone)]
pub(super) struct Bounded<S> {
    inner: S,
    budget: Arc<Budget>,
}

impl<S> Bounded<S> {
    pub(super) fn new(inner: S, budget: Arc<Budget>) -> Self {
        Self { inner, budget }
    }
}

impl<S: NamedService> NamedService for Bounded<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<http::Request<Body>> for Bounded<S>
where
    S: Service<http::Request<Body>, Response = http::Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<http::Response<Body>, Infallible>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let request = request.map(|body| {
            Body::new(Upload {
                body,
                waiting: None,
            })
        });
        let answering = self.inner.call(request);
        let budget = Arc::clone(&self.budget);
        Box::pin(async move {
            let answer = answering.await?;
            Ok(answer.map(|body| Body::new(Download { body, budget })))
        })
    }
}

/// A request's body, which fails if nothing comes for a while.
struct Upload {
    body: Body,
    waiting: Option<Pin<Box<tokio::time::Sleep>>>,
}

impl http_body::Body for Upload {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            let is_empty = |frame: &Frame<Bytes>| frame.data_ref().is_some_and(Bytes::is_empty);
            // Empty frames are no progress.
            if !matches!(&frame, Some(Ok(frame)) if is_empty(frame)) {
                self.waiting = None;
            }
            return Poll::Ready(frame);
        }
        let waiting = (self.waiting).get_or_insert_with(|| Box::pin(tokio::time::sleep(PATIENCE)));
        ready!(waiting.as_mut().poll(cx));
        Poll::Ready(Some(Err(Status::deadline_exceeded(format!(
            "the request stopped in the middle: nothing came for {} s, and nothing was done",
            PATIENCE.as_secs()
        )))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// An answer's body, whose bytes count towards the budget until they are sent. The call ends with
/// an error if they exceed it.
struct Download {
    body: Body,
    budget: Arc<Budget>,
}

impl http_body::Body for Download {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
            Some(Ok(frame)) => frame,
            end => return Poll::Ready(end),
        };
        let data = match frame.into_data() {
            Ok(data) => data,
            Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
        };
        let frame = match Held::of(&self.budget).until_dropped(data) {
            Ok(data) => Frame::data(data),
            Err(status) => {
                self.body = Body::empty();
                let mut trailers = HeaderMap::new();
                to_tonic(status).add_header(&mut trailers)?;
                Frame::trailers(trailers)
            }
        };
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::future::poll_fn;

    use futures::{StreamExt as _, stream};
    use http_body::Body as _;
    use tokio::time::Instant;

    use super::*;

    /// Data frames, and then nothing more.
    struct Stuck(Vec<Bytes>);

    impl http_body::Body for Stuck {
        type Data = Bytes;
        type Error = Status;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
            match self.0.pop() {
                Some(data) => Poll::Ready(Some(Ok(Frame::data(data)))),
                None => Poll::Pending,
            }
        }
    }

    async fn next(body: &mut Body) -> Option<Result<Frame<Bytes>, Status>> {
        poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await
    }

    #[tokio::test(start_paused = true)]
    async fn an_upload_that_stops_is_given_up() {
        let mut upload = Body::new(Upload {
            body: Body::new(Stuck(vec![Bytes::new(), "bytes".into()])),
            waiting: None,
        });
        let begun = Instant::now();
        for _ in 0..2 {
            assert!(next(&mut upload).await.unwrap().unwrap().is_data());
        }
        let status = next(&mut upload).await.unwrap().unwrap_err();
        assert_eq!(status.code(), tonic::Code::DeadlineExceeded);
        assert_eq!(begun.elapsed().as_secs(), PATIENCE.as_secs());
    }

    /// A slow client keeps its call.
    #[tokio::test(start_paused = true)]
    async fn an_upload_that_goes_on_is_waited_for() {
        let frames = stream::iter(0..10).then(|_| async {
            tokio::time::sleep(PATIENCE - Duration::from_secs(1)).await;
            Ok::<_, Status>(Bytes::from("bytes"))
        });
        let mut upload = Body::new(Upload {
            body: Body::new(tonic::codec::EncodeBody::new_client(
                crate::server::raw::AsItIs,
                frames.boxed(),
                None,
                None,
            )),
            waiting: None,
        });
        let mut count = 0;
        while let Some(frame) = next(&mut upload).await {
            assert!(frame.unwrap().is_data());
            count += 1;
        }
        assert_eq!(count, 10);
    }

    #[tokio::test]
    async fn answers_that_nobody_reads_are_limited() {
        let budget = Budget::new(10);
        let download = |count: usize| {
            Body::new(Download {
                body: Body::new(Stuck(vec!["1234".into(); count])),
                budget: Arc::clone(&budget),
            })
        };
        let mut first = download(2);
        let held = [next(&mut first).await, next(&mut first).await];
        let mut second = download(1);
        let refused = next(&mut second).await.unwrap().unwrap();
        let trailers = refused.into_trailers().unwrap();
        assert_eq!(trailers.get("grpc-status").unwrap(), "8");
        assert!(next(&mut second).await.is_none());
        drop(held);
        assert!(next(&mut download(1)).await.unwrap().unwrap().is_data());
    }
}
