//! `workup serve`: the built page on loopback, and nothing outside its folder.

use std::{
    fs::{self, File},
    net::{Ipv4Addr, SocketAddr},
    path::{Component, Path, PathBuf},
    thread,
};

use anyhow::{Result, anyhow, bail};
use tiny_http::{Header, Method, Request, Response, Server, StatusCode};

use crate::{Verdict, args::ServeOptions, output::print_line};

/// Requests answered at a time; a reader that stops reading holds one of them.
const THREADS: usize = 32;

pub(crate) fn run(options: &ServeOptions) -> Result<Verdict> {
    if !options.dist.join("index.html").is_file() {
        bail!("`{}` holds no page: build it with `cargo xtask web`", options.dist.display());
    }
    let dist = fs::canonicalize(&options.dist)?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
    let server = Server::http(address).map_err(|error| anyhow!("port `{}` cannot be used: {error}", options.port))?;
    print_line(&format!("http://{}/", server.server_addr()));
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for request in server.incoming_requests() {
                    answer(request, &dist);
                }
            });
        }
    });
    Ok(Verdict::Fine)
}

/// Answers one request; a browser that went away is no error.
fn answer(request: Request, dist: &Path) {
    let is_read = matches!(request.method(), Method::Get | Method::Head);
    let path = file_of(dist, request.url()).filter(|_| is_read);
    let file = path.and_then(|path| Some((File::open(&path).ok()?, mime_type(&path))));
    let _ = match file {
        Some((file, mime)) => {
            let headers =
                [("Content-Type", mime), ("Cache-Control", "no-cache"), ("X-Content-Type-Options", "nosniff")];
            let mut response = Response::from_file(file);
            for header in headers.iter().filter_map(|(name, value)| Header::from_bytes(*name, *value).ok()) {
                response.add_header(header);
            }
            request.respond(response)
        }
        None if is_read => request.respond(Response::from_string("not found").with_status_code(StatusCode(404))),
        None => request.respond(Response::from_string("only GET and HEAD").with_status_code(StatusCode(405))),
    };
}

/// The file of a URL path; `None` when there is none, or it would lie outside `dist`.
fn file_of(dist: &Path, url: &str) -> Option<PathBuf> {
    let path = decode_percent(url.split(['?', '#']).next().unwrap_or_default())?;
    let relative = Path::new(path.trim_start_matches('/'));
    if relative.components().any(|part| !matches!(part, Component::Normal(_))) || path.contains(['\\', '\0', ':']) {
        return None;
    }
    let mut file = dist.join(relative);
    if file.is_dir() {
        file.push("index.html");
    }
    // A link inside the folder must not lead out of it.
    let file = fs::canonicalize(file).ok()?;
    (file.starts_with(dist) && file.is_file()).then_some(file)
}

fn decode_percent(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

fn mime_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "jsonl" | "md" | "txt" => "text/plain; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_url_leads_out_of_the_folder() {
        let outer = std::env::temp_dir().join(format!("workup-serve-{}", std::process::id()));
        let dist = outer.join("dist");
        fs::create_dir_all(dist.join("pkg")).unwrap();
        fs::write(dist.join("index.html"), "page").unwrap();
        fs::write(dist.join("pkg/a b.wasm"), "wasm").unwrap();
        fs::write(outer.join("secret"), "secret").unwrap();
        let dist = fs::canonicalize(dist).unwrap();
        assert_eq!(file_of(&dist, "/"), Some(dist.join("index.html")));
        assert_eq!(file_of(&dist, "/?seed=7#x"), Some(dist.join("index.html")));
        assert_eq!(file_of(&dist, "/pkg/a%20b.wasm"), Some(dist.join("pkg/a b.wasm")));
        for url in
            ["/../secret", "/%2e%2e/secret", "/pkg/../../secret", "/..%2fsecret", "//etc/passwd", "/%zz", "/none"]
        {
            assert_eq!(file_of(&dist, url), None, "{url}");
        }
        fs::remove_dir_all(outer).unwrap();
    }

    #[test]
    fn wasm_has_the_type_that_browsers_demand() {
        assert_eq!(mime_type(Path::new("clinic_bg.wasm")), "application/wasm");
    }
}
