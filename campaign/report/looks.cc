#include "campaign/report/looks.h"

#include <fmt/format.h>

#include <algorithm>

#include "oracles/evidence.h"
#include "oracles/members.h"

namespace retrial::campaign::report {
namespace {

constexpr std::size_t kShown = 3;     // members that differ
constexpr std::size_t kLongest = 40;  // characters of a value

std::string difference(const trace::Exchange& was, const trace::Exchange& is) {
  if (was.client_status != is.client_status)
    return fmt::format("answered {}, and {} without the fault", is.client_status, was.client_status);
  auto usual = oracles::members_of(was.response_sample), now = oracles::members_of(is.response_sample);
  auto lengths = oracles::lengths_of_lists(now);
  for (auto& [list, length] : oracles::lengths_of_lists(usual)) {
    auto here = lengths.contains(list) ? lengths[list] : 0;
    if (here != length) return fmt::format("a list of {}, and of {} without the fault", here, length);
  }
  std::string others;
  std::size_t count = 0;
  for (auto& m : usual) {
    auto it = std::ranges::find(now, m.path, &oracles::Member::path);
    auto value = it == now.end() ? std::string("nothing") : oracles::shorten(it->value, kLongest);
    if ((it != now.end() && it->value == m.value) || ++count > kShown) continue;
    others += fmt::format("{}\"{}\" is {}, and {} without the fault", others.empty() ? "" : "; ", m.name, value,
                          oracles::shorten(m.value, kLongest));
  }
  return count > kShown ? fmt::format("{}; and {} more", others, count - kShown) : others;
}

}  // namespace

std::vector<std::string> what_looks_show(const trace::Run& reference, const trace::Run& run) {
  std::vector<std::string> lines;
  std::size_t alike = 0;
  for (auto& is : run.exchanges) {
    if (!oracles::is_look(is)) continue;
    auto was = std::ranges::find_if(reference.exchanges, [&](auto& e) {
      return oracles::is_look(e) && e.target == is.target && e.host == is.host;
    });
    if (was == reference.exchanges.end()) continue;
    bool read = was->response_sample == is.response_sample || !oracles::members_of(is.response_sample).empty();
    auto other = read ? difference(*was, is) : std::string("another answer than without the fault");
    if (other.empty())
      alike++;
    else
      lines.push_back(fmt::format("{}, read at the end: {}", is.operation, other));
  }
  if (alike > 0)
    lines.push_back(
        fmt::format("what is read at the end at {} of the addresses of --look is as without the fault", alike));
  return lines;
}

}  // namespace retrial::campaign::report
