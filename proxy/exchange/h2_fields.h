#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "proxy/codec/h2.h"
#include "trace/profiles/profile.h"

namespace retrial::proxy {

// Field sections as they are handed on (RFC 9113 8.3). All append to `out`; views last as long as what they were made
// of and `room`, which holds what had to be changed.
using H2Fields = std::vector<H2Field>;

struct Onward {
  bool keep_tags = false;  // leave the agents' headers in
  bool via = false;        // add Via (RFC 9110 7.6.3)
};
void request_fields(const H2Head& head, const Onward& how, H2Fields& out);
// `status`: three digits.
void response_fields(std::string_view status, const H1Head& head, bool via, H2Fields& out);
// Of lines "Name: value\r\n": names in lower case, fields of a connection left out (RFC 9113 8.2.2).
void line_fields(std::string_view lines, std::string& room, H2Fields& out);
// Of a head as HTTP/1.1 has it, that a fault has changed.
void text_fields(std::string_view text, std::string& room, H2Fields& out);
// Of an answer of our own; `committed`: as trailers, behind a head that has gone.
void answer_fields(const trace::Answer& answer, bool committed, std::string& room, H2Fields& out);

// The value of the first line of that name (lower case), or an empty view.
std::string_view line_value(std::string_view lines, std::string_view name);

}  // namespace retrial::proxy
