#pragma once
#include <string>

#include "proxy/codec/head.h"

namespace retrial::proxy {

// What an intermediary does to a head before it passes it on in HTTP/1.1 (RFC 9110 7.6, RFC 9112 2.5, 3.2, 6.1, RFC
// 9113 8.2.3, 8.3): fields of one connection alone are left out, Via is added, the version is our own, and
// Transfer-Encoding says what the body will be framed in. All other lines stay as they were sent, in their order.
struct RequestHead {
  bool keep_tags = false;      // leave the agents' headers in
  bool chunked = false;        // the body will be; else it has a length, or there is none
  std::string_view authority;  // of the service: the Host of a request that names none
};
void pass_on(const Head& head, const RequestHead& how, std::string& out);

// Is it a field that no other connection may have (RFC 9110 7.6.1), or one of framing?
bool of_one_connection(const Head& head, const Field& field);
// The head of a request as it was sent, without the agents' headers.
void without_tags(const Head& head, std::string& out);
// Does a request offer, and is passed on with, another protocol to switch to?
bool passes_upgrade(const Head& head);

struct ResponseHead {
  bool chunked = false;    // the body will be; else it has a length, there is none, or the connection's end ends it
  bool keep_alive = true;  // what the client is told of its connection
  int minor = 1;           // of the client's request
  bool empty = false;      // there is no body, and only HTTP/2 has said so
};
void pass_on(const Head& head, const ResponseHead& how, std::string& out);

// Trailer lines as far as they may be passed on in HTTP/1.1 (may_trail); appended.
void pass_on_trailers(std::string_view lines, std::string& out);

// A piece of a body as a chunk (RFC 9112 7.1): what goes before it, and behind it.
std::string_view chunk_begin(std::size_t size, char (&room)[20]);
inline constexpr std::string_view kChunkEnd = "\r\n", kLastChunk = "0\r\n\r\n";
// The lines of trailers, without the empty line behind them.
inline std::string_view lines_of(const Head& trailers) {
  return trailers.raw.empty() ? std::string_view() : trailers.raw.substr(0, trailers.raw.size() - 2);
}

// Of "http://host:port/path?query": "host:port", and "/path?query" (at least "/"). Both empty where it is no such
// target.
struct AbsoluteTarget {
  std::string_view scheme, authority, path;
};
AbsoluteTarget absolute(std::string_view target);

}  // namespace retrial::proxy
