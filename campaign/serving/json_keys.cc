#include "campaign/serving/json_keys.h"

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

namespace retrial::campaign {

std::optional<std::string> key_said_twice(std::string_view json) {
  using Event = nlohmann::json::parse_event_t;
  std::optional<std::string> twice;
  std::vector<std::set<std::string>> objects;
  auto look = [&](int, Event event, nlohmann::json& parsed) {
    if (event == Event::object_start) objects.emplace_back();
    if (event == Event::object_end) objects.pop_back();
    if (event != Event::key) return true;
    auto key = parsed.get<std::string>();
    if (!objects.back().insert(key).second && !twice) twice = key;
    return true;
  };
  auto read = nlohmann::json::parse(json, look, false);
  return read.is_discarded() ? std::nullopt : twice;
}

}  // namespace retrial::campaign
