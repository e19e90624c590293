#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace retrial::proxy {

// Reads a chunked body (RFC 9112 7.1), strictly: sizes of hexadecimal digits alone, lines that end in CRLF, extensions
// of printable bytes whose quotes are closed. Pure.
class ChunkReader {
 public:
  enum class Step : std::uint8_t {
    more,  // all bytes belong to the body, and it goes on
    data,  // the same up to `data`, which are bytes of the content
    end,   // the body ends with them
    bad,   // it cannot be read from there on
  };
  struct Taken {
    Step step;
    std::size_t bytes;      // taken, data included
    std::string_view data;  // of the content, within them and at their end; step data only
  };

  void begin();
  // Takes bytes up to the end of a stretch of content, of the body, or of `bytes`.
  Taken take(std::string_view bytes);
  const char* why() const;  // after Step::bad: what cannot be read
  // The trailer fields that may be passed on (may_trail), a line each.
  const std::string& trailers() const { return trailers_; }

 private:
  enum class At : std::uint8_t {
    size,
    blank,
    extension,
    quoted,
    escaped,
    size_lf,
    data,
    data_cr,
    data_lf,
    line,
    line_lf
  };
  bool byte(char c);
  bool trailer();

  At at_ = At::size;
  At was_ = At::size;       // before the byte that was taken last
  std::uint64_t size_ = 0;  // of the chunk, or what is left of it
  int digits_ = 0;
  bool last_ = false;  // the last chunk was read: trailers follow
  bool done_ = false;
  std::size_t length_ = 0;  // of what stands behind the size of this chunk, or of all trailer lines: bounded
  std::string line_;        // the trailer that is being read
  std::string trailers_;
};

}  // namespace retrial::proxy
