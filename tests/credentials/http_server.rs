//! An HTTP/1.1 server with one answer, in place of the metadata server and Google's token server.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The server, with its received requests.
#[derive(Debug)]
pub(crate) struct HttpServer {
    pub(crate) address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl HttpServer {
    /// Answers every request with this status and body.
    pub(crate) async fn start(status: &'static str, body: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let request = answer(stream, status, body).await;
                noted.lock().unwrap().push(request);
            }
        });
        Self { address, asked }
    }

    /// The heads of the requests, and the parts of bodies that came with them.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

async fn answer(mut stream: TcpStream, status: &str, body: &str) -> String {
    let mut request = Vec::new();
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        if stream.read_buf(&mut request).await.unwrap_or(0) == 0 {
            break;
        }
    }
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nmetadata-flavor: Google\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    let _ = stream.write_all(answer.as_bytes()).await;
    String::from_utf8_lossy(&request).into_owned()
}
