//! One keep-alive HTTP/1.1 connection, driven by the task that uses it.
//!
//! The connection has no task of its own: [`Connection::drive`] polls it and the work that waits on it together,
//! so that a chunk reaches the clock in the very poll that read it from the socket, whatever the scheduler does.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::target::Target;

type Driver = http1::Connection<TokioIo<Counted>, Full<Bytes>>;

/// An open connection.
pub(crate) struct Connection {
    sender: http1::SendRequest<Full<Bytes>>,
    driver: Option<Driver>,
    received: Arc<AtomicU64>,
    /// Requests answered on it.
    pub(crate) served: u64,
}

impl Connection {
    /// Opens one, trying the target's addresses in order, each within `limit`.
    pub(crate) async fn open(target: &Target, limit: Duration) -> Result<Self, String> {
        let mut last = String::from("no address");
        for address in &target.addresses {
            match tokio::time::timeout(limit, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => return Self::over(stream).await,
                Ok(Err(error)) => last = format!("{address}: {error}"),
                Err(_) => last = format!("{address}: no connection within {} ms", limit.as_millis()),
            }
        }
        Err(last)
    }

    async fn over(stream: TcpStream) -> Result<Self, String> {
        stream.set_nodelay(true).map_err(|error| error.to_string())?;
        let received = Arc::new(AtomicU64::new(0));
        let io = TokioIo::new(Counted { stream, received: Arc::clone(&received) });
        let (sender, driver) = http1::handshake(io).await.map_err(|error| error.to_string())?;
        Ok(Self { sender, driver: Some(driver), received, served: 0 })
    }

    /// Bytes received so far.
    pub(crate) fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    /// Waits until a request can be sent; an error means that the other side has closed.
    pub(crate) async fn ready(&mut self) -> Result<(), hyper::Error> {
        let Self { sender, driver, .. } = self;
        drive(driver, sender.ready()).await
    }

    /// Sends a request and waits for the answer's head.
    pub(crate) async fn send(
        &mut self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, hyper::Error> {
        let Self { sender, driver, .. } = self;
        drive(driver, sender.send_request(request)).await
    }

    /// Does `work`, which waits for bytes of this connection.
    pub(crate) async fn drive<F: Future>(&mut self, work: F) -> F::Output {
        drive(&mut self.driver, work).await
    }
}

async fn drive<F: Future>(driver: &mut Option<Driver>, work: F) -> F::Output {
    let mut work = pin!(work);
    poll_fn(|context| {
        // The driver goes first: what it reads is then given to `work` in this same poll. Its own errors reach
        // `work` through the request or the body.
        if driver.as_mut().is_some_and(|driver| Pin::new(driver).poll(context).is_ready()) {
            *driver = None;
        }
        work.as_mut().poll(context)
    })
    .await
}

/// A socket that counts what it receives: a request may go to a fresh connection only if nothing came back.
struct Counted {
    stream: TcpStream,
    received: Arc<AtomicU64>,
}

impl AsyncRead for Counted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        let result = Pin::new(&mut self.stream).poll_read(context, buffer);
        let more = buffer.filled().len().saturating_sub(before);
        self.received.fetch_add(more as u64, Ordering::Relaxed);
        result
    }
}

impl AsyncWrite for Counted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[std::io::IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
