#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "proxy/codec/h1.h"

namespace retrial::proxy {

// Reads an HTTP/1 head line by line (RFC 9112 2 to 6), as strictly as a reader may be: no white space before a colon,
// no control byte, one space where the grammar has one. A line that ends in a bare LF and a folded value are read, and
// named in H1Head::ambiguous. Pure; a line is looked at once.
class HeadParser {
 public:
  enum class Step : std::uint8_t { more, whole, refused, too_many_fields };

  void begin(bool request, std::size_t most_fields);
  // `text`: all bytes of the head so far, those of earlier calls at the same offsets. Fills in what is known of `head`
  // and `fields`, but for the views that need the whole: bind() makes those.
  Step take(std::string_view text, std::vector<H1Field>& fields);
  std::size_t size() const { return line_; }  // of the whole head
  // Everything of `head` that follows from start line and fields; `raw` is the whole head. `answers_head`: of a
  // response to HEAD.
  void bind(std::string_view raw, std::span<const H1Field> fields, bool answers_head, H1Head& head,
            std::string& valid_host) const;

 private:
  bool start_line(std::string_view line);
  bool request_line(std::string_view line);
  bool status_line(std::string_view line);
  bool add(const char* text, std::string_view name, std::string_view value, FieldName known,
           std::vector<H1Field>& fields);
  bool field(std::string_view text, std::vector<H1Field>& fields);
  bool note(FieldName known, std::string_view value);
  bool fold(std::string_view line, std::size_t end, std::vector<H1Field>& fields);

  bool request_ = false;
  std::size_t most_fields_ = 0;
  std::size_t line_ = 0;     // where the line that is awaited begins
  std::size_t scanned_ = 0;  // no LF before
  bool started_ = false;     // the start line was read
  std::size_t method_ = 0, method_end_ = 0, target_end_ = 0;
  int status_ = 0, minor_ = 1;
  int hosts_ = 0, host_ = -1, lengths_ = 0, codings_ = 0;
  std::uint64_t length_ = 0;
  bool bare_lf_ = false, folded_ = false;
  bool chunked_ = false, only_chunked_ = true;
  bool close_ = false, keep_alive_ = false, names_upgrade_ = false, upgrade_ = false, hops_ = false, expects_ = false;
  bool unknown_ = false, encoded_ = false, structured_ = true, grpc_ = false;
};

}  // namespace retrial::proxy
