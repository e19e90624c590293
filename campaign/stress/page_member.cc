#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "campaign/stress/series.h"
#include "proxy/faults/page_words.h"
#include "trace/fault_table.h"

namespace retrial::campaign {
namespace {

using Json = nlohmann::json;

// Members with a value that is no list, two levels deep, by value as a query shows it.
void members_of(const Json& object, std::vector<std::pair<std::string, std::string>>& out, int depth = 0) {
  if (!object.is_object()) return;
  for (auto& [name, value] : object.items()) {
    if (value.is_string()) out.emplace_back(name, value.get<std::string>());
    if (value.is_number_integer()) out.emplace_back(name, value.dump());
    if (depth < 2) members_of(value, out, depth + 1);
  }
}

// Does this request send that value back, as a whole value of its query or as its whole target?
bool sends(const trace::Exchange& e, const std::string& value) {
  if (value.empty()) return false;
  if (value.ends_with(e.target) && e.target.size() > 1) return true;
  auto& target = e.target;
  for (auto at = target.find('='); at != target.npos; at = target.find('=', at + 1)) {
    auto end = target.find('&', at);
    if (target.substr(at + 1, end == target.npos ? end : end - at - 1) == value) return true;
  }
  return false;
}

}  // namespace

std::string page_member(const trace::Run& run, const trace::CaseRecord& row) {
  const trace::Exchange* before = nullptr;
  for (auto& e : run.exchanges) {
    if (e.operation != row.operation || e.service != row.service) continue;
    if (before && before->target != e.target) {
      std::vector<std::pair<std::string, std::string>> members;
      members_of(Json::parse(before->response_sample, nullptr, false), members);
      for (auto& [name, value] : members)
        if (auto n = proxy::plain_name(name); !proxy::counts_pages(n) && !proxy::counts_entries(n))
          if (sends(e, value) && !sends(*before, value)) return name;
    }
    before = &e;
  }
  return {};
}

}  // namespace retrial::campaign
