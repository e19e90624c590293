#pragma once
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/exchange.h"

namespace retrial::proxy {

// Unix time of what a run's clock says.
struct WallTime {
  Nanos began = 0, wall_began = 0;  // as Run has them
  Nanos of(Nanos at) const { return at ? wall_began + (at - began) : 0; }
};

// One line an exchange, once it is over. The format is "json", or a text with names in braces:
// "{time} {method} {target} {status} {ms}". docs/admin.md lists the names.
class AccessFormat {
 public:
  // An error names what stands in the braces and the nearest name.
  static Result<AccessFormat> parse(std::string_view text);
  std::string line(const trace::Exchange& e, const WallTime& wall) const;  // without its end

 private:
  struct Part {
    std::string text;              // before it
    std::size_t field = SIZE_MAX;  // of access_fields(); SIZE_MAX: none
  };
  std::vector<Part> parts_;  // none: JSON
};

// A field by its name. A number stands in JSON without quotes; an empty text is left out there, and is "-" in a line.
struct AccessField {
  std::string_view name;
  bool number = false;
  std::string (*value)(const trace::Exchange& e, const WallTime& wall);
};
std::span<const AccessField> access_fields();

// Lines into a file, or to stdout for "-". Each is written at once and whole, or not at all: where there was room for
// the beginning of one alone, that is taken back, or (where others write there too, in a pipe) has a line to itself.
// What cannot be written is lost and counted. One thread, but for lost().
class LineFile {
 public:
  explicit LineFile(std::string path) : path_(std::move(path)) {}
  ~LineFile();
  LineFile(const LineFile&) = delete;
  Result<void> open();  // also anew, where it was moved away; after an error it writes where it did
  Result<void> write(std::string_view lines);   // whole ones; an error says why some of them are lost
  std::uint64_t lost() const { return lost_; }  // lines

 private:
  bool take_back(std::size_t bytes);
  std::string path_;
  int fd_ = -1;
  bool torn_ = false;  // it ends in the middle of a line
  std::atomic<std::uint64_t> lost_{0};
};

}  // namespace retrial::proxy
