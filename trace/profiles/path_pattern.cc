#include "trace/profiles/path_pattern.h"

#include <algorithm>

#include "base/glob.h"
#include "base/text.h"

namespace retrial::trace {

std::optional<PathPattern> PathPattern::parse(std::string_view text) {
  if (!text.starts_with('/') || text.find_first_of("?#") != text.npos) return {};
  PathPattern out;
  for (auto segment : split(text.substr(1), '/')) {
    out.shown_ += '/';
    if (segment.find_first_of("{}") == segment.npos) {
      out.parts_.push_back({Part::literal, std::string(segment)});
      out.shown_ += segment;
      continue;
    }
    auto place = segment.substr(1, segment.size() - 2);
    if (segment.size() < 3 || segment.front() != '{' || segment.back() != '}' ||
        place.find_first_of("{}") != place.npos)
      return {};
    auto equals = place.find('=');
    auto name = place.substr(0, equals);
    bool many = name.ends_with("...");
    if (many) name.remove_suffix(3);
    if (name.empty() || (many && equals != place.npos)) return {};
    auto glob = equals == place.npos ? "*" : place.substr(equals + 1);
    out.parts_.push_back({many ? Part::many : Part::one, std::string(glob)});
    out.shown_.append("{").append(name).append("}");
  }
  return out;
}

bool PathPattern::matches(std::string_view path) const { return path.starts_with('/') && matches(0, path.substr(1)); }

// `rest` begins with the segment that is held against the part.
bool PathPattern::matches(std::size_t at, std::string_view rest) const {
  for (;; at++) {
    auto end = rest.find('/');
    auto segment = rest.substr(0, end);
    auto& part = parts_[at];
    bool last = at + 1 == parts_.size();
    if (part.kind == Part::literal ? segment != part.text : segment.empty()) return false;
    if (part.kind == Part::one && !glob_matches(part.text, segment)) return false;
    if (part.kind == Part::many) {
      if (last) return !rest.ends_with('/');
      for (; end != rest.npos; end = rest.find('/', end + 1))
        if (matches(at + 1, rest.substr(end + 1))) return true;
      return false;
    }
    if (last || end == rest.npos) return last && end == rest.npos;
    rest.remove_prefix(end + 1);
  }
}

}  // namespace retrial::trace
