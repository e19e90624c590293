//! A client of a shop, in plain sockets: no library retries for it.
use std::io::{Error, Read, Result, Write};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::Duration;

pub struct Shop {
    pub port: u16,
}

impl Shop {
    /// Wrong: what may have been paid is paid once more.
    pub fn pay(&self, order: &str) -> Result<String> {
        patiently(|| self.post("/payments", "", order))
    }

    /// Right: a key tells the shop that it is the same order.
    pub fn place(&self, order: &str) -> Result<String> {
        patiently(|| self.post("/orders", &format!("Idempotency-Key: order-{order}\r\n"), order))
    }

    /// Wrong: it asks again at once, and for ever.
    pub fn watch(&self) -> String {
        loop {
            if let Ok(text) = self.get("/watched") {
                return text;
            }
        }
    }

    /// Right: it waits longer each time, and gives up.
    pub fn count(&self) -> Result<String> {
        patiently(|| self.get("/counted"))
    }

    fn post(&self, path: &str, headers: &str, body: &str) -> Result<String> {
        let length = body.len();
        self.ask(&format!("POST {path} HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}"))
    }

    fn get(&self, path: &str) -> Result<String> {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n"))
    }

    fn ask(&self, request: &str) -> Result<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        stream.write_all(request.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(|| Error::other("unexpected EOF"))?;
        if head.starts_with("HTTP/1.1 2") {
            return Ok(body.to_owned());
        }
        Err(Error::other(head.lines().next().unwrap_or_default().to_owned()))
    }
}

fn patiently(call: impl Fn() -> Result<String>) -> Result<String> {
    let mut attempt = 0;
    loop {
        match call() {
            Err(_) if attempt < 2 => sleep(jittered(Duration::from_secs(1 << attempt))),
            done => return done,
        }
        attempt += 1;
    }
}

/// Half as long to one and a half times.
fn jittered(pause: Duration) -> Duration {
    use std::hash::{BuildHasher, RandomState};
    pause.mul_f64(0.5 + (RandomState::new().hash_one(pause) % 1000) as f64 / 1000.0)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_pause_is_jittered() {
        let pause = super::jittered(super::Duration::from_secs(2));
        assert!((1.0..3.0).contains(&pause.as_secs_f64()), "{pause:?}");
    }
}
