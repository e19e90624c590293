#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace retrial::trace {

// A path with places in it: "/v2/{name...}/blobs/{digest=sha*:*}/". {x} is one segment, {x...} one or more, {x=GLOB}
// one that the glob (base/glob.h) matches; none of them is empty. What stands outside of them stands for itself.
class PathPattern {
 public:
  // Nothing where it does not begin with a slash, or a place is not a segment of its own.
  static std::optional<PathPattern> parse(std::string_view text);

  bool matches(std::string_view path) const;           // without a query
  const std::string& shown() const { return shown_; }  // "/v2/{name}/blobs/{digest}/"

 private:
  struct Part {
    enum Kind { literal, one, many } kind;
    std::string text;  // of a literal the segment, of one its glob
  };
  bool matches(std::size_t part, std::string_view rest) const;

  std::vector<Part> parts_;
  std::string shown_;
};

}  // namespace retrial::trace
