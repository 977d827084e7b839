//! A static file server for loopback: enough for one person and one browser, and nothing to install.
//!
//! It serves GET and HEAD, only below its folders, only on 127.0.0.1, and lets nothing be cached, because the files change
//! while one develops.
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// The longest request line or header that is read, in bytes.
const LONGEST_LINE: u64 = 8192;
/// The most headers that are read.
const MOST_HEADERS: usize = 100;
const PATIENCE: Duration = Duration::from_secs(10);

/// A folder and the path under which the browser sees it: `("/fresh/", dir)`; the longest prefix that fits wins.
pub(crate) type Mount = (&'static str, PathBuf);

/// A bound server that does not answer yet.
#[derive(Debug)]
pub(crate) struct StaticServer {
    listener: TcpListener,
    mounts: Arc<Vec<Mount>>,
}

impl StaticServer {
    /// Binds `port` on 127.0.0.1, or a free port when that one is busy.
    ///
    /// # Errors
    /// When no port can be bound.
    pub(crate) fn bind(port: u16, mut mounts: Vec<Mount>) -> io::Result<Self> {
        mounts.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.len()));
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, port)).or_else(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
        Ok(Self { listener, mounts: Arc::new(mounts) })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// When the system does not say.
    pub(crate) fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers requests, each on a thread of its own, until the process ends.
    pub(crate) fn serve(self) {
        for stream in self.listener.incoming().flatten() {
            let mounts = Arc::clone(&self.mounts);
            thread::spawn(move || {
                // A browser that hangs up is no event.
                let _ = answer(&stream, &mounts);
            });
        }
    }
}

fn answer(stream: &TcpStream, mounts: &[Mount]) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = read_request_line(stream)?;
    let mut words = request.split_whitespace();
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if method != "GET" && method != "HEAD" {
        return send(stream, "405 Method Not Allowed", "text/plain", 0, None);
    }
    let Some((path, file)) = locate(target, mounts).and_then(|path| File::open(&path).ok().map(|file| (path, file)))
    else {
        return send(stream, "404 Not Found", "text/plain", 0, None);
    };
    let length = file.metadata()?.len();
    send(stream, "200 OK", content_type(&path), length, (method == "GET").then_some(file))
}

fn read_request_line(stream: &TcpStream) -> io::Result<String> {
    let mut reader = BufReader::new(stream);
    let request = read_line(&mut reader)?;
    for _ in 0..MOST_HEADERS {
        if read_line(&mut reader)?.trim().is_empty() {
            return Ok(request);
        }
    }
    Err(io::ErrorKind::InvalidData.into())
}

fn read_line(reader: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    io::Read::take(reader, LONGEST_LINE).read_line(&mut line)?;
    Ok(line)
}

fn send(mut stream: &TcpStream, status: &str, kind: &str, length: u64, body: Option<File>) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
    )?;
    if let Some(mut file) = body {
        io::copy(&mut file, &mut stream)?;
    }
    stream.flush()
}

/// The file a request target means, or none when it is no file below a mount.
fn locate(target: &str, mounts: &[Mount]) -> Option<PathBuf> {
    let path = decode_percent(target.split(['?', '#']).next()?)?;
    let (prefix, folder) = mounts.iter().find(|(prefix, _)| path.starts_with(prefix))?;
    let relative = Path::new(path.get(prefix.len()..)?);
    if !relative.components().all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let mut file = folder.join(relative);
    if file.is_dir() {
        file.push("index.html");
    }
    // A link may not lead out of the folder.
    let (real, home) = (file.canonicalize().ok()?, folder.canonicalize().ok()?);
    (real.is_file() && real.starts_with(home)).then_some(real)
}

fn decode_percent(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let digits = [bytes.next()?, bytes.next()?];
            decoded.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            decoded.push(byte);
        }
    }
    String::from_utf8(decoded).ok().filter(|path| !path.contains('\0'))
}

fn content_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" | "webmanifest" => "application/json",
        "jsonl" => "application/x-ndjson",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "txt" | "md" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn request(line: &str) -> String {
        let mounts = vec![("/", PathBuf::from(env!("CARGO_MANIFEST_DIR")))];
        let server = StaticServer::bind(0, mounts).expect("a free port");
        let address = server.address().expect("an address");
        thread::spawn(move || server.serve());
        let mut stream = TcpStream::connect(address).expect("the server listens");
        write!(stream, "{line} HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("sent");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("an answer");
        reply
    }

    #[test]
    fn a_file_comes_with_its_type_and_length() {
        let reply = request("GET /src/static_server.rs?query");
        assert!(reply.starts_with("HTTP/1.1 200 OK\r\n"), "{reply}");
        assert!(reply.contains("A static file server for loopback"));
    }

    #[test]
    fn head_sends_no_body() {
        let reply = request("HEAD /Cargo.toml");
        assert!(reply.starts_with("HTTP/1.1 200 OK") && reply.ends_with("\r\n\r\n"), "{reply}");
    }

    #[test]
    fn nothing_above_the_folder_is_served() {
        for path in ["/../Cargo.toml", "/%2e%2e/Cargo.toml", "//etc/passwd", "/src/../../Cargo.toml", "/%00", "/%f"] {
            assert!(request(&format!("GET {path}")).starts_with("HTTP/1.1 404"), "{path}");
        }
    }

    #[test]
    fn other_methods_are_refused() {
        assert!(request("POST /Cargo.toml").starts_with("HTTP/1.1 405"));
    }
}
