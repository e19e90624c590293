#include "trace/profiles/template_path.h"

#include <algorithm>

#include "base/characters.h"
#include "base/text.h"
#include "trace/profiles/message.h"

namespace retrial::trace {
namespace {

// "v1" "v2.1" "v1beta1" "2.0": versions of an API are names.
bool is_version(std::string_view s) {
  constexpr std::size_t kNumbers = 5;  // "10.12" at most
  auto point = s.find('.');
  if (point != s.npos && point > 0 && point + 1 < s.size() && s.size() <= kNumbers)
    if (std::ranges::all_of(s.substr(0, point), is_digit) && std::ranges::all_of(s.substr(point + 1), is_digit))
      return true;
  if (s.size() < 2 || (s[0] != 'v' && s[0] != 'V') || !is_digit(s[1])) return false;
  auto rest = s.substr(std::min(s.find_first_not_of("0123456789.", 1), s.size()));
  for (std::string_view stage : {"alpha", "beta", "rc", "preview"})
    if (rest.starts_with(stage)) rest.remove_prefix(stage.size());
  return rest.size() <= 3 && std::ranges::all_of(rest, is_digit);
}

// Is a word (letters and digits only) data? `tail`: it follows another word of its segment, where random suffixes
// stand.
bool is_data(std::string_view word, bool tail) {
  std::size_t digits = 0, hexes = 0, turns = 0, cases = 0;
  for (std::size_t i = 0; i < word.size(); i++) {
    digits += is_digit(word[i]);
    hexes += is_hex(word[i]);
    if (i == 0) continue;
    turns += is_digit(word[i]) != is_digit(word[i - 1]);
    cases += is_lower(word[i - 1]) && is_upper(word[i]);
  }
  if (digits == word.size()) return true;
  if (digits == 0) return word.size() >= 22 && cases >= 4;  // base64; camelCase words are rarely so many in one name
  if (is_version(word)) return false;
  if (hexes == word.size() && word.size() >= 8) return true;
  if (tail && word.size() >= 4) return true;
  if (turns >= 2) return word.size() >= 5;         // ab12f, not k8s, i18n or e2e
  if (is_digit(word[0])) return word.size() >= 5;  // 12ab34 is caught above; 2fa and 3d are names
  return digits >= 4;                              // sha256 and user1 are names, test48213 is not
}

bool is_word(char c) { return is_digit(c) || is_letter(c) || static_cast<unsigned char>(c) >= 0x80; }

// "{id}", or the segment as it stands.
std::string_view template_segment(std::string_view raw) {
  constexpr std::string_view kId = "{id}";
  if (raw.size() > 64) return kId;
  if (raw.size() < 22 &&
      std::ranges::none_of(raw, [](char c) { return is_digit(c) || c == '@' || c == '%' || c == '='; }))
    return raw;
  if (is_version(raw)) return raw;
  std::string decoded;
  std::string_view segment = raw;
  if (raw.find('%') != raw.npos) segment = decoded = percent_decode(raw);
  if (segment.find('@') != segment.npos || segment.ends_with('=')) return kId;  // an address; base64
  bool tail = false;
  for (std::size_t at = 0; at < segment.size();) {
    auto end = at;
    while (end < segment.size() && is_word(segment[end])) end++;
    if (end > at) {
      if (is_data(segment.substr(at, end - at), tail)) return kId;
      tail = true;
    }
    at = end + 1;
  }
  return raw;
}

// "/rest/api/2/issue": a digit or two behind "api".
bool is_version_of(std::string_view before, std::string_view segment) {
  return iequals(before, "api") && segment.size() <= 2 && std::ranges::all_of(segment, is_digit);
}

// "{id}:publish": a method of the thing itself, as some APIs name it, is no data.
std::string_view verb_of(std::string_view segment) {
  auto at = segment.rfind(':');
  if (at == segment.npos || at + 1 == segment.size() || !std::ranges::all_of(segment.substr(at + 1), is_letter))
    return {};
  return segment.substr(at);
}

}  // namespace

std::string template_path(std::string_view target) {
  auto path = message::path_of(target);
  std::string out;
  out.reserve(path.size());
  std::string_view before;
  for (std::size_t at = 0; at < path.size();) {
    if (path[at] == '/') {
      out += '/';
      at++;
      continue;
    }
    auto end = at;
    while (end < path.size() && path[end] != '/') end++;
    auto segment = path.substr(at, end - at);
    auto verb = verb_of(segment);
    out += is_version_of(before, segment) ? segment : template_segment(segment.substr(0, segment.size() - verb.size()));
    before = segment;
    out += verb;
    at = end;
  }
  return out.empty() ? "/" : out;
}

}  // namespace retrial::trace
