#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/codec/h2.h"
#include "trace/profiles/profile.h"

namespace retrial::proxy {

// Field sections as they are handed on (RFC 9113 8.3). All append to `out`; views last as long as what they were made
// of and `room`, which holds what had to be changed.
class H2Fields {
 public:
  void push_back(const H2Field& field) {
    if (size_ == room_.size()) room_.resize(2 * size_ + 16);
    room_[size_++] = field;
  }
  void clear() { size_ = 0; }
  operator std::span<const H2Field>() const { return {room_.data(), size_}; }

 private:
  std::vector<H2Field> room_;  // kept from one section to the next
  std::size_t size_ = 0;
};

struct Onward {
  bool keep_tags = false;  // leave the agents' headers in
  bool via = false;        // as an intermediary (RFC 9110 7.6): Via is added
  // Of a request that came in HTTP/1:
  std::string_view scheme = "http";
  std::string_view authority = {};  // where it names none
};
void request_fields(const Head& head, const Onward& how, std::string& room, H2Fields& out);
// `status`: three digits.
void response_fields(std::string_view status, const Head& head, bool via, std::string& room, H2Fields& out);
// Of lines "Name: value\r\n": names in lower case, fields of a connection left out (RFC 9113 8.2.2).
void line_fields(std::string_view lines, std::string& room, H2Fields& out);
// Of a head as HTTP/1.1 has it, that a fault has changed.
void text_fields(std::string_view text, std::string& room, H2Fields& out);
// Of an answer of our own; `committed`: as trailers, behind a head that has gone.
void answer_fields(const trace::Answer& answer, bool committed, std::string& room, H2Fields& out);

}  // namespace retrial::proxy
