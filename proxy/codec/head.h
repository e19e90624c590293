#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/codec/field_name.h"

namespace retrial::proxy {

// Where a header field stands in its head's raw bytes.
struct Field {
  std::uint32_t name = 0;
  std::uint32_t name_end = 0;
  std::uint32_t value = 0;
  std::uint32_t value_end = 0;  // without white space at its end; a folded value keeps its folds
  FieldName known = FieldName::other;
  bool sensitive = false;  // HTTP/2: never to be indexed, on any hop (RFC 7541 7.1.3)
};

// A message's head, whichever HTTP it came in. All views are the reader's own, and last as long as the call in which it
// hands the head out: it cannot be copied. What is needed longer is kept by a KeptHead.
class Head {
 public:
  Head() = default;
  Head(const Head&) = delete;
  void clear() { *this = Head(); }

  // HTTP/1: as it was sent, empty line included. HTTP/2: "name: value\r\n" for each field but pseudo-fields, and then
  // an empty line.
  std::string_view raw;
  bool text = true;         // HTTP/1: raw begins with a start line
  std::string_view method;  // requests
  std::string_view target;  // HTTP/2: :path, of a CONNECT :authority
  int status = 0;           // responses
  int minor = 1;            // HTTP/1.minor
  std::span<const Field> fields;
  bool keep_alive = false;
  bool bodiless = false;     // the message ends with its head
  bool until_close = false;  // a response that ends with its connection
  bool sized = false;        // Content-Length says where it ends
  bool chunked = false;
  bool folded = false;            // a value goes on in a second line (RFC 9112 5.2)
  bool expects_continue = false;  // Expect: 100-continue
  bool encoded = false;           // Content-Encoding, whatever it says
  bool structured = true;         // its body may be JSON, XML or a form, by Content-Type
  bool grpc = false;              // Content-Type begins with application/grpc
  bool unknown = false;           // there are fields of names that are not known (FieldName::other)
  bool names_hops = false;        // Connection names other fields than itself
  bool upgrades = false;          // Upgrade, and Connection names it
  bool too_large = false;         // HTTP/2: beyond the limits: only what was read before its end stands here
  std::uint64_t length = 0;       // Content-Length
  std::string_view host;          // the first Host field's value, HTTP/2: :authority before it; and
  int hosts = 0;                  // how many there are
  std::string_view scheme, authority, protocol;  // HTTP/2's pseudo-fields; :protocol is RFC 8441's
  // Why another reader could find another end of it, or other fields (RFC 9112 2.2, 5, 6, 11.2); empty: none could.
  std::string_view ambiguous;
  std::string_view invalid;  // why else a server must refuse it (RFC 9112 3.2); empty: nothing

  std::string_view name(const Field& f) const { return raw.substr(f.name, f.name_end - f.name); }
  std::string_view value(const Field& f) const { return raw.substr(f.value, f.value_end - f.value); }
  // The line of field n, its end of line and folds included.
  std::string_view line(std::size_t n) const;

 private:
  friend class KeptHead;
  Head& operator=(const Head&) = default;
};

// A head that waits: all of its bytes are its own.
class KeptHead {
 public:
  KeptHead() = default;
  explicit KeptHead(const Head& head) { keep(head); }
  KeptHead(const KeptHead&) = delete;
  void keep(const Head& head);  // in place of what it kept; its storage is used again
  const Head& head() const { return head_; }
  std::size_t holds() const { return bytes_.capacity() + sizeof(Field) * fields_.capacity(); }

 private:
  std::string bytes_;
  std::vector<Field> fields_;
  Head head_;
};

}  // namespace retrial::proxy
