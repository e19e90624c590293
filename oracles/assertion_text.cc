#include "oracles/assertion_text.h"

#include <fmt/format.h>

#include <set>
#include <string>

#include "base/text.h"
#include "oracles/client_words.h"
#include "oracles/failure.h"
#include "oracles/taken_for_data.h"
#include "trace/profiles/message.h"

namespace retrial::oracles {

// Go shows it without quotes.
bool hands_back(const trace::Call& call, std::string_view message) {
  constexpr std::size_t kName = 3, kShortName = 2;
  auto parts = trace::message::segments(trace::message::path_of(call.first().target));
  return std::ranges::any_of(parts, [&](auto part) {
    auto name = percent_decode(part);
    auto listed = message.find("[" + name + "]");
    bool by_itself = listed != message.npos && (listed == 0 || message[listed - 1] == ' ');
    if (listed != message.npos && (name.size() >= kName || (by_itself && name.size() >= kShortName))) return true;
    if (!message.contains("[]")) return false;
    for (auto* alone : {"['{}']", "[\"{}\"]", "[ '{}' ]"})
      if (message.contains(fmt::format(fmt::runtime(alone), name))) return true;
    return part == parts.back() && name.size() >= kName && message.contains(name);
  });
}

bool compares_contents(std::string_view message) {
  auto words = words_in(message);
  if (tells_failure(message)) return false;
  for (std::string_view none : {"none", "null", "nil", "undefined", "true", "false"})
    if (words.contains(std::string(none))) return false;
  if (message.find('[') != message.npos && message.find(']') != message.npos) return true;
  std::set<std::int64_t> numbers;
  for (auto& word : words)
    if (auto number = to_int(word.first)) numbers.insert(*number);
  return numbers.size() > 1 && *numbers.rbegin() > 1;
}

}  // namespace retrial::oracles
