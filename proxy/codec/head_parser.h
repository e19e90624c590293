#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "proxy/codec/h1.h"

namespace retrial::proxy {

// Reads an HTTP/1 head line by line (RFC 9112 2 to 6), as strictly as a reader may be: no white space before a colon,
// no control byte, one space where the grammar has one. A line that ends in a bare LF and a folded value are read, and
// named in Head::ambiguous. Pure; a line is looked at once.
class HeadParser {
 public:
  enum class Step : std::uint8_t { more, whole, refused, too_many_fields };

  // `before`: the head that this parser has read before, with its fields; may be empty. Most heads of a connection have
  // the same fields, or nearly: what stands there too need not be taken apart again.
  void begin(bool request, std::size_t most_fields, std::string_view before = {},
             std::span<const Field> fields_before = {});
  // `text`: all bytes of the head so far, those of earlier calls at the same offsets. Fills in what is known of `head`
  // and `fields`, but for the views that need the whole: bind() makes those.
  Step take(std::string_view text, std::vector<Field>& fields);
  std::size_t size() const { return line_; }  // of the whole head
  // After Step::refused, of the same text: which line cannot be read, and why. Names no more of it than a field's name.
  std::string why(std::string_view text) const;
  // Everything of `head` that follows from start line and fields; `raw` is the whole head. `answers_head`: of a
  // response to HEAD.
  void bind(std::string_view raw, std::span<const Field> fields, bool answers_head, Head& head,
            std::string& valid_host) const;

 private:
  bool start_line(std::string_view line);
  bool request_line(std::string_view line);
  bool status_line(std::string_view line);
  bool add(const char* text, std::string_view name, std::string_view value, FieldName known,
           std::vector<Field>& fields);
  bool field(std::string_view text, std::vector<Field>& fields);
  bool same_field(std::string_view text, std::vector<Field>& fields);
  bool same_fields(std::string_view text, std::vector<Field>& fields);
  bool note(FieldName known, std::string_view value);
  bool fold(std::string_view line, std::size_t end, std::vector<Field>& fields);
  bool wrong(std::string_view why, std::size_t at, std::string_view name = {});  // false

  bool request_ = false;
  std::size_t most_fields_ = 0;
  std::string_view before_;  // valid while a head is read
  std::span<const Field> fields_before_;
  std::size_t line_ = 0;     // where the line that is awaited begins
  std::size_t scanned_ = 0;  // no LF before
  bool started_ = false;     // the start line was read
  std::size_t method_ = 0, method_end_ = 0, target_end_ = 0;
  int status_ = 0, minor_ = 1;
  std::string_view why_;          // of what was not read last
  std::size_t wrong_at_ = 0;      // in the text
  std::string_view wrong_field_;  // its name, within the text; empty: none
  bool bare_lf_ = false;          // behind the start line
  // What the fields say.
  struct Facts {
    int hosts = 0, host = -1, lengths = 0, codings = 0;
    std::uint64_t length = 0;
    bool bare_lf = false, folded = false, chunked = false, only_chunked = true;
    bool close = false, keep_alive = false, names_upgrade = false, upgrade = false, hops = false, expects = false;
    bool unknown = false, encoded = false, structured = true, grpc = false;
  } facts_, facts_before_;
};

}  // namespace retrial::proxy
