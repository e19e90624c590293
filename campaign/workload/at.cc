#include "campaign/workload/at.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "base/glob.h"
#include "base/text.h"
#include "trace/profiles/message.h"

namespace retrial::campaign {

Result<At> parse_at(std::string_view text) {
  auto wrong = [&] {
    return fail(
        fmt::format("expected a method, a path or both, such as \"POST /orders\", \"/orders/*\" or, of the second "
                    "call, \"POST /orders #2\", got \"{}\"",
                    text),
        "--at", Blame::user);
  };
  At at;
  for (auto word : split(trim(text), ' ')) {
    if (word.empty()) continue;
    bool method = std::ranges::all_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
    if (word.starts_with('/') && at.path.empty() && at.nth == 0) {
      at.path = std::regex_replace(std::string(word), std::regex(R"(\{[^}/]*\})"), "*");
    } else if (method && at.method.empty() && at.path.empty() && at.nth == 0) {
      at.method = word;
    } else if (auto nth = word.starts_with('#') ? to_int(word.substr(1)) : std::nullopt;
               nth && *nth > 0 && *nth <= 1'000'000 && at.nth == 0) {
      at.nth = static_cast<int>(*nth);
    } else {
      return wrong();
    }
  }
  if ((at.method.empty() && at.path.empty()) || at.path.find_first_of("{}") != std::string::npos) return wrong();
  return at;
}

bool At::holds(const trace::Exchange& head) const {
  return (method.empty() || method == head.method) &&
         (path.empty() || glob_matches(path, trace::message::path_of(head.target)));
}

}  // namespace retrial::campaign
