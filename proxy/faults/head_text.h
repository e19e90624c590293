#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// A head as it is going to be sent, as text: status line, fields, empty line.
namespace retrial::proxy {

// Where a field's line stands, its end of line and folds included, and its value without white space around it.
struct FieldText {
  std::size_t line = 0;
  std::size_t line_end = 0;
  std::size_t value = 0;
  std::size_t value_end = 0;
};
// The first of that name (case folded) at or behind `from`.
std::optional<FieldText> field_in(std::string_view head, std::string_view name, std::size_t from = 0);

int status_in(std::string_view head);             // of the status line; 0: it has none
std::size_t fields_begin(std::string_view head);  // behind the status line
std::size_t fields_end(std::string_view head);    // before the empty line

// How the body is framed, going by the head alone (RFC 9112 6.3).
struct BodyFraming {
  bool chunked = false;
  std::optional<std::int64_t> length;  // of Content-Length; neither: until the connection ends
};
BodyFraming framing_in(std::string_view head);

}  // namespace retrial::proxy
