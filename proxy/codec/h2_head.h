#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "proxy/codec/h2.h"
#include "proxy/codec/h2_hpack.h"

namespace retrial::proxy {

// Reads field sections, and whether the message is one (RFC 9113 8.1 to 8.5, RFC 8441 4). What is malformed is read to
// its end, as the table of HPACK needs it, and named.
class H2HeadReader {
 public:
  enum class Kind : std::uint8_t { request, response, trailers, dropped };
  enum class Step : std::uint8_t { ok, not_hpack, too_much };

  explicit H2HeadReader(H2Codec::Limits limits) : limits_(limits) {}
  void table_size(std::uint32_t bytes) { hpack_.limit(bytes); }  // our SETTINGS_HEADER_TABLE_SIZE, acknowledged

  // `connect_protocol`: requests may hold :protocol.
  void begin(Kind kind, bool connect_protocol);
  Step take(std::string_view fragment, bool last);

  // After the last fragment. `end`: END_STREAM. Empty: nothing is wrong with it.
  std::string_view malformed(bool end);
  const Head& head() const { return head_; }  // once malformed() found nothing
  void keep_little();                         // head() is read, and what is kept for the next is little
  std::size_t holds() const { return begun_.capacity() + room_ + sizeof(Field) * fields_.capacity(); }

 private:
  struct Part {
    std::uint32_t begin = 0, end = 0;
    bool there = false;
  };

  void field(const HpackField& f);
  void pseudo(std::string_view name, std::string_view value);
  void note(FieldName known, std::string_view value);
  void wrong(std::string_view why);
  char* more_text(std::size_t bytes);
  Part keep(std::string_view value);
  std::string_view text(Part part) const { return {text_.get() + part.begin, part.end - part.begin}; }
  std::string_view wrong_request() const;
  std::string_view wrong_authority() const;
  void bind(bool end);

  HpackReader hpack_;
  H2Codec::Limits limits_;
  Kind kind_ = Kind::dropped;
  bool connect_protocol_ = false;
  std::string begun_;      // a block that is not whole
  std::size_t bytes_ = 0;  // as RFC 9113 10.5.1 counts them
  std::size_t count_ = 0;
  std::string_view malformed_;
  std::unique_ptr<char[]> text_;  // pseudo-fields' values, then the lines
  std::size_t size_ = 0, room_ = 0, raw_ = 0;
  bool lines_ = false;  // a field that is no pseudo-field was read
  Part method_, scheme_, path_, authority_, protocol_, status_, host_;
  std::vector<Field> fields_;
  Head head_;
};

}  // namespace retrial::proxy
