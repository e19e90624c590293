//! A shop within the test's process: it answers 201 to a POST and 200 to all else.
use shop_client::Shop;
use std::io::{Read, Result, Write};
use std::net::{TcpListener, TcpStream};

fn open() -> Shop {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || listener.incoming().flatten().for_each(|stream| drop(answer(stream))));
    Shop { port }
}

fn answer(mut stream: TcpStream) -> Result<()> {
    let mut request = Vec::new();
    let mut some = [0; 4096];
    while !is_whole(&String::from_utf8_lossy(&request)) {
        match stream.read(&mut some)? {
            0 => return Ok(()),
            n => request.extend_from_slice(&some[..n]),
        }
    }
    let status = if request.starts_with(b"POST") { "201 Created" } else { "200 OK" };
    write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n12")
}

fn is_whole(request: &str) -> bool {
    let Some((head, body)) = request.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
    length.is_none_or(|length| body.len() >= length.parse().unwrap())
}

#[test]
fn is_paid() -> Result<()> {
    open().pay("7").map(drop)
}

mod orders {
    #[test]
    fn are_placed() {
        super::open().place("one").unwrap();
    }
}

#[test]
fn is_watched() {
    assert_eq!(open().watch(), "12");
}

#[test]
fn is_counted() {
    assert_eq!(open().count().unwrap(), "12");
}
